"""Atomic operations on 128 bits take turns: nothing is lost among the threads of several blocks."""

from __future__ import annotations

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

BLOCKS, THREADS = 3, 64
ALL = BLOCKS * THREADS
CUBIN = cubins.parse((Path(__file__).parent / "wide_atomics" / "wide_atomics.sm_90.cubin").read_bytes())
(COUNTED,) = disassemble(CUBIN).functions
CELLS, RECEIVED = 16 * (1 + 2 * BLOCKS), 8 * ALL


def check(cells: NDArray[Any], received: NDArray[Any]) -> None:
    numbers = np.arange(ALL, dtype=np.uint64).reshape(BLOCKS, THREADS)
    assert cells[0].tolist() == [ALL, numbers.sum()]
    assert cells[1::2].tolist() == [[THREADS, block.sum()] for block in numbers]
    for block, hand, got in zip(numbers, cells[2::2], received.reshape(BLOCKS, THREADS), strict=True):
        # Each token was handed on once, whole; nobody had the first one's predecessor.
        assert sorted([*got.tolist(), int(hand[0])]) == [0, *(block + 1).tolist()]
        assert int(hand[1]) == ~(int(hand[0]) - 1) & (1 << 64) - 1


def test_in_the_interpreter() -> None:
    memory, cells, received = Memory(), np.zeros(CELLS, np.uint8), np.zeros(RECEIVED, np.uint8)
    memory.add(Range(0x10000, cells))
    memory.add(Range(0x20000, received))
    parameters = (0x10000).to_bytes(8, "little") + (0x20000).to_bytes(8, "little")
    interp.run(COUNTED, CUBIN, interp.Launch((BLOCKS, 1, 1), (THREADS, 1, 1), 0, parameters), memory)
    check(cells.view(np.uint64).reshape(-1, 2), received.view(np.uint64))


@pytest.mark.skipif(emulator.library_path() is None, reason="the emulator's library is not built (set CASSC_LIBDIR)")
def test_on_the_emulator() -> None:
    code = assemble(link_text([lift_kernel(COUNTED, CUBIN)], DEFAULT_TARGET), DEFAULT_TARGET)
    with emulator.Emulator() as device:
        cells, received = device.alloc(CELLS), device.alloc(RECEIVED)
        device.write(cells, bytes(CELLS))
        arguments = cells.to_bytes(8, "little") + received.to_bytes(8, "little")
        device.launch(device.load(code).kernels["counted"], (BLOCKS, 1, 1), (THREADS, 1, 1), arguments)
        check(
            np.frombuffer(device.read(cells, CELLS), np.uint64).reshape(-1, 2),
            np.frombuffer(device.read(received, RECEIVED), np.uint64),
        )
