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


def run(name: str, values: np.ndarray) -> list[int]:
    function = disassemble(CUBIN).function(name)
    assert function is not None
    code = assemble(link_text([lift_kernel(function, CUBIN)], DEFAULT_TARGET), DEFAULT_TARGET)
    with emulator.Emulator() as device:
        source, target = device.alloc(values.nbytes), device.alloc(values.nbytes + 8)
        device.write(source, values.tobytes())
        device.write(target, bytes(values.nbytes + 8))
        arguments = source.to_bytes(8, "little") + target.to_bytes(8, "little")
        device.launch(device.load(code).kernels[name], (1, 1, 1), (values.size, 1, 1), arguments)
        return [int(x) for x in np.frombuffer(device.read(target, values.nbytes), np.int32)]


@pytest.mark.skipif(emulator.library_path() is None, reason="the emulator's library is not built (set CASSC_LIBDIR)")
def test_loads_follow_the_stores_of_other_lanes() -> None:
    values = np.arange(1, THREADS + 1, dtype=np.int32)
    assert run("warps", values) == values.reshape(-1, 32).cumsum(axis=1).reshape(-1).tolist()


@pytest.mark.skipif(emulator.library_path() is None, reason="the emulator's library is not built (set CASSC_LIBDIR)")
@pytest.mark.parametrize("name", ["relayed", "handed"])
def test_loads_follow_the_stores_of_the_turn_before(name: str) -> None:
    values = np.arange(5, 37, dtype=np.int32)
    assert run(name, values) == [*range(10, 37), *[100] * 5]


@pytest.mark.skipif(emulator.library_path() is None, reason="the emulator's library is not built (set CASSC_LIBDIR)")
def test_loads_and_stores_keep_their_places() -> None:
    values = np.arange(5, 37, dtype=np.int32)
    assert run("twice", values) == [*(5000 + value for value in range(6, 37)), 0]


@pytest.mark.skipif(emulator.library_path() is None, reason="the emulator's library is not built (set CASSC_LIBDIR)")
def test_atomics_keep_their_places() -> None:
    assert run("added", np.arange(5, 37, dtype=np.int32)) == [*[1000] * 31, 0]
