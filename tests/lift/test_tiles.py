"""Cooperative groups of several warps talk through reserved shared memory, which is nobody else's."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cassc.amdgpu import emulator
from cassc.amdgpu.assemble import assemble
from cassc.image import cubin as cubins
from cassc.lift.lift import lift_kernel
from cassc.lift.module import link_text
from cassc.sass import interp
from cassc.sass.disasm import disassemble
from cassc.sass.memory import Memory, Range
from cassc.target import DEFAULT_TARGET

FOLDER = Path(__file__).parent / "tiles"
BLOCKS, THREADS, TILE = 2, 128, 64
# Of the dynamic shared memory; a size that leaves what lies behind it unaligned.
DYNAMIC = 4 * THREADS + 4
VALUES = (np.arange(BLOCKS * THREADS, dtype=np.int64) * 2654435761 % 1000).astype(np.int32)


def expected() -> NDArray[Any]:
    tiles = VALUES.astype(np.int64).reshape(-1, TILE)
    result = np.zeros_like(tiles)
    for i in range(3):
        result = result * 5 + (tiles.sum(axis=1, keepdims=True) + TILE * i) + tiles[:, 40 + i : 41 + i]
    return result.astype(np.int32).reshape(-1)


needs_emulator = pytest.mark.skipif(
    emulator.library_path() is None, reason="the emulator's library is not built (set CASSC_LIBDIR)"
)


def on_the_emulator(name: str, sm: int, dynamic: int = 0) -> NDArray[Any]:
    """What the kernel of a cubin makes of `VALUES`."""
    cubin = cubins.parse((FOLDER / f"{name}.sm_{sm}.cubin").read_bytes())
    (function,) = disassemble(cubin).functions
    code = assemble(link_text([lift_kernel(function, cubin)], DEFAULT_TARGET), DEFAULT_TARGET)
    with emulator.Emulator() as device:
        source, target = device.alloc(VALUES.nbytes), device.alloc(VALUES.nbytes)
        device.write(source, VALUES.tobytes())
        arguments = source.to_bytes(8, "little") + target.to_bytes(8, "little")
        kernel = device.load(code).kernels[name]
        device.launch(kernel, (BLOCKS, 1, 1), (THREADS, 1, 1), arguments, dynamic_lds=dynamic)
        return np.frombuffer(device.read(target, VALUES.nbytes), np.int32)


def interpreted(name: str, sm: int, dynamic: int = 0) -> NDArray[Any]:
    cubin = cubins.parse((FOLDER / f"{name}.sm_{sm}.cubin").read_bytes())
    memory, out = Memory(), np.zeros(VALUES.nbytes, np.uint8)
    memory.add(Range(0x10000, VALUES.copy().view(np.uint8)))
    memory.add(Range(0x20000, out))
    parameters = (0x10000).to_bytes(8, "little") + (0x20000).to_bytes(8, "little")
    interp.run(name, cubin, interp.Launch((BLOCKS, 1, 1), (THREADS, 1, 1), dynamic, parameters), memory)
    return out.view(np.int32)


@needs_emulator
@pytest.mark.parametrize("sm", [80, 90, 120])
def test_on_the_emulator(sm: int) -> None:
    assert on_the_emulator("tiles", sm, DYNAMIC).tolist() == expected().tolist()


RUNS = [interpreted, pytest.param(on_the_emulator, marks=needs_emulator)]


@pytest.mark.parametrize("sm", [80, 90, 120])
@pytest.mark.parametrize("run", RUNS)
def test_sizes(run: Callable[[str, int, int], NDArray[Any]], sm: int) -> None:
    total, dynamic, multiprocessors = run("sizes", sm, DYNAMIC)[:3].tolist()
    assert dynamic == DYNAMIC and multiprocessors >= 1
    assert DYNAMIC + 20 <= total < DYNAMIC + 1024


@pytest.mark.parametrize("run", RUNS)
def test_in_kernels_that_have_no_shared_memory(run: Callable[[str, int], NDArray[Any]]) -> None:
    tiles = VALUES.reshape(-1, TILE)
    sums = tiles.sum(axis=1, keepdims=True) + np.broadcast_to(tiles[:, 40:41], tiles.shape)
    assert run("bare", 90).tolist() == sums.reshape(-1).tolist()
    assert run("window", 120)[:THREADS].tolist() == VALUES[:THREADS].tolist()
