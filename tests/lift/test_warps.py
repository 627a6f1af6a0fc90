"""Lanes of a warp that talk through shared memory without any barrier, by the order of their instructions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cassc.amdgpu import emulator
from cassc.amdgpu.assemble import assemble
from cassc.image import cubin as cubins
from cassc.lift.lift import lift_kernel
from cassc.lift.module import link_text
from cassc.sass.disasm import disassemble
from cassc.target import DEFAULT_TARGET

THREADS = 128
CUBIN = cubins.parse((Path(__file__).parent / "warps" / "warps.sm_80.cubin").read_bytes())


@pytest.mark.skipif(emulator.library_path() is None, reason="the emulator's library is not built (set CASSC_LIBDIR)")
def test_loads_follow_the_stores_of_other_lanes() -> None:
    values = np.arange(1, THREADS + 1, dtype=np.int32)
    (function,) = disassemble(CUBIN).functions
    code = assemble(link_text([lift_kernel(function, CUBIN)], DEFAULT_TARGET), DEFAULT_TARGET)
    with emulator.Emulator() as device:
        source, target = device.alloc(values.nbytes), device.alloc(values.nbytes)
        device.write(source, values.tobytes())
        arguments = source.to_bytes(8, "little") + target.to_bytes(8, "little")
        device.launch(device.load(code).kernels["warps"], (1, 1, 1), (THREADS, 1, 1), arguments)
        got = np.frombuffer(device.read(target, values.nbytes), np.int32)
    assert got.tolist() == values.reshape(-1, 32).cumsum(axis=1).reshape(-1).tolist()
