"""Kernels that synchronise their grid, in the interpreter and lifted, on the emulator."""

from __future__ import annotations

import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cassc.amdgpu import emulator
from cassc.amdgpu.assemble import assemble
from cassc.diag import CasscError
from cassc.image import cubin as cubins
from cassc.image.cubin import Cubin
from cassc.lift.kernel import grid_argument_offset
from cassc.lift.lift import lift_kernel
from cassc.lift.module import link_text
from cassc.sass import interp
from cassc.sass.disasm import SassFunction, disassemble
from cassc.sass.grid import WORKSPACE_BYTES, synchronises
from cassc.sass.memory import Memory
from cassc.sass.operand import Imm
from cassc.target import DEFAULT_TARGET

DATA = Path(__file__).parent.parent / "sass" / "data"
A, B, WORKSPACE = 0x10000, 0x20000, 0x30000
BLOCKS, ROUNDS = 3, 3


@pytest.fixture(params=[80, 90, 100], ids=["sm_80", "sm_90", "sm_100"])
def ring(request: pytest.FixtureRequest) -> tuple[Cubin, SassFunction]:
    cubin = cubins.parse((DATA / f"grid.sm_{request.param}.cubin").read_bytes())
    function = disassemble(cubin).function("ring")
    assert function is not None
    return cubin, function


def expected() -> list[int]:
    values = list(range(BLOCKS))
    for k in range(ROUNDS):
        values = [values[-1] + k, *(v + k for v in values[:-1])]
    return values


def interpret(cubin: Cubin, function: SassFunction, *, workspace: int, budget: int = 200_000) -> list[int]:
    memory = Memory()
    a, b = memory.map(A, 4 * BLOCKS), memory.map(B, 4 * BLOCKS)
    memory.map(WORKSPACE, WORKSPACE_BYTES)
    a.view(np.int32)[:] = range(BLOCKS)
    parameters = struct.pack("<QQi", A, B, ROUNDS)
    launch = interp.Launch((BLOCKS, 1, 1), (32, 1, 1), 0, parameters, workspace=workspace)
    interp.run(function, cubin, launch, memory, budget=budget)
    return [int(x) for x in (b if ROUNDS % 2 else a).view(np.int32)]


def test_blocks_meet_in_the_interpreter(ring: tuple[Cubin, SassFunction]) -> None:
    assert synchronises(ring[1])
    assert interpret(*ring, workspace=WORKSPACE) == expected()


def test_a_launch_that_is_not_cooperative_traps(ring: tuple[Cubin, SassFunction]) -> None:
    with pytest.raises(interp.Fault) as caught:
        interpret(*ring, workspace=0)
    assert caught.value.kind == "trap"


def size_scaled_by(factor: int) -> tuple[Cubin, SassFunction]:
    """The kernel for sm_100, with another factor of the size of the cluster."""
    cubin = cubins.parse((DATA / "grid.sm_100.cubin").read_bytes())
    function = disassemble(cubin).function("ring")
    assert function is not None
    changed = []
    for i in function.instructions:
        operands = tuple(
            Imm(factor & 0xFFFFFFFF) if isinstance(o, Imm) and o.bits == -160 & 0xFFFFFFFF else o for o in i.operands
        )
        changed.append(replace(i, operands=operands))
    return cubin, replace(function, instructions=tuple(changed))


def test_the_size_of_the_cluster_is_for_launch_words_only() -> None:
    cubin, function = size_scaled_by(-160)
    lift_kernel(function, cubin)
    cubin, function = size_scaled_by(-161)
    with pytest.raises(CasscError, match="depends on the size of the cluster"):
        lift_kernel(function, cubin)


def test_blocks_meet_on_the_emulator(ring: tuple[Cubin, SassFunction]) -> None:
    cubin, function = ring
    code = assemble(link_text([lift_kernel(function, cubin)], DEFAULT_TARGET), DEFAULT_TARGET)
    with emulator.Emulator(DEFAULT_TARGET) as device:
        kernel = device.load(code).kernels["ring"]
        offset = grid_argument_offset(function.abi)
        assert [a.offset for a in kernel.arguments if not a.hidden][-1] == offset
        a, b, workspace = (device.alloc(max(4 * BLOCKS, WORKSPACE_BYTES)) for _ in range(3))
        device.write(a, np.arange(BLOCKS, dtype=np.int32).view(np.uint8))
        device.write(workspace, bytes(WORKSPACE_BYTES))
        arguments = struct.pack("<QQi", a, b, ROUNDS).ljust(offset, b"\0") + struct.pack("<Q", workspace)
        device.launch(kernel, (BLOCKS, 1, 1), (32, 1, 1), arguments)
        found = np.frombuffer(device.read(b if ROUNDS % 2 else a, 4 * BLOCKS), np.int32)
        assert [int(x) for x in found] == expected()
        without = arguments[:offset] + bytes(8)
        with pytest.raises(emulator.EmulatorFault, match="trap"):
            device.launch(kernel, (BLOCKS, 1, 1), (32, 1, 1), without)
