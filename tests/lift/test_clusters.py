"""Kernels that look at their cluster, in the interpreter and lifted, on the emulator: clusters of one block only."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cassc.amdgpu import emulator
from cassc.amdgpu.assemble import assemble
from cassc.diag import CasscError
from cassc.image import cubin as cubins
from cassc.image.cubin import Cubin
from cassc.lift.lift import lift_kernel
from cassc.lift.module import link_text
from cassc.sass import interp
from cassc.sass.disasm import SassFunction, disassemble
from cassc.sass.memory import Memory
from cassc.target import DEFAULT_TARGET

FOLDER = Path(__file__).parent / "clusters"
GRID, BLOCK, OUT = 3, 64, 0x10000
EXPECTED = [[t ^ 33, 10, 111, 10 * GRID + block] for block in range(GRID) for t in range(BLOCK)]


def kernel(sm: int, name: str) -> tuple[Cubin, SassFunction]:
    cubin = cubins.parse((FOLDER / f"clusters.sm_{sm}.cubin").read_bytes())
    function = disassemble(cubin).function(name)
    assert function is not None
    return cubin, function


def interpret(cubin: Cubin, function: SassFunction) -> list[list[int]]:
    memory = Memory()
    data = memory.map(OUT, 16 * GRID * BLOCK)
    launch = interp.Launch((GRID, 1, 1), (BLOCK, 1, 1), 0, OUT.to_bytes(8, "little"))
    interp.run(function, cubin, launch, memory)
    rows: list[list[int]] = data.view(np.int32).reshape(-1, 4).tolist()
    return rows


@pytest.mark.parametrize("name", ["without", "of_one"])
@pytest.mark.parametrize("sm", [90, 100])
def test_interpreter(sm: int, name: str) -> None:
    assert interpret(*kernel(sm, name)) == EXPECTED


@pytest.mark.skipif(emulator.library_path() is None, reason="the emulator's library is not built (set CASSC_LIBDIR)")
@pytest.mark.parametrize("name", ["without", "of_one"])
@pytest.mark.parametrize("sm", [90, 100])
def test_lifted(sm: int, name: str) -> None:
    cubin, function = kernel(sm, name)
    code = assemble(link_text([lift_kernel(function, cubin)], DEFAULT_TARGET), DEFAULT_TARGET)
    with emulator.Emulator() as device:
        out = device.alloc(16 * GRID * BLOCK)
        device.launch(device.load(code).kernels[name], (GRID, 1, 1), (BLOCK, 1, 1), out.to_bytes(8, "little"))
        assert device.read_array(out, np.int32, 4 * GRID * BLOCK).reshape(-1, 4).tolist() == EXPECTED


@pytest.mark.parametrize("sm", [90, 100])
def test_clusters_of_several_blocks_are_refused(sm: int) -> None:
    cubin, function = kernel(sm, "of_two")
    assert function.abi.cluster == (2, 1, 1)
    with pytest.raises(CasscError, match="asks for clusters of 2x1x1 blocks"):
        lift_kernel(function, cubin)
    with pytest.raises(CasscError, match="clusters of"):
        interpret(cubin, function)
