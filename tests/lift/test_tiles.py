"""Cooperative groups of several warps talk through reserved shared memory, which is nobody else's."""

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
from cassc.sass.disasm import disassemble
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


@pytest.mark.skipif(emulator.library_path() is None, reason="the emulator's library is not built (set CASSC_LIBDIR)")
@pytest.mark.parametrize("sm", [80, 90, 120])
def test_on_the_emulator(sm: int) -> None:
    cubin = cubins.parse((FOLDER / f"tiles.sm_{sm}.cubin").read_bytes())
    (function,) = disassemble(cubin).functions
    code = assemble(link_text([lift_kernel(function, cubin)], DEFAULT_TARGET), DEFAULT_TARGET)
    with emulator.Emulator() as device:
        source, target = device.alloc(VALUES.nbytes), device.alloc(VALUES.nbytes)
        device.write(source, VALUES.tobytes())
        arguments = source.to_bytes(8, "little") + target.to_bytes(8, "little")
        kernel = device.load(code).kernels["tiles"]
        device.launch(kernel, (BLOCKS, 1, 1), (THREADS, 1, 1), arguments, dynamic_lds=DYNAMIC)
        got = np.frombuffer(device.read(target, VALUES.nbytes), np.int32)
    assert got.tolist() == expected().tolist()
