"""Barriers of a part of the CTA."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cassc.amdgpu import emulator
from cassc.amdgpu.assemble import assemble
from cassc.image import cubin as cubins
from cassc.lift.lift import lift_kernel
from cassc.lift.module import link_text
from cassc.lift.passes import meetings
from cassc.sass import cfg, interp
from cassc.sass.disasm import disassemble
from cassc.sass.memory import Memory
from cassc.target import DEFAULT_TARGET

FOLDER = Path(__file__).parent / "barriers"
X = np.random.default_rng(3).integers(-8, 40, 64).astype(np.int32)


def ended(x: np.ndarray) -> object:
    """What the kernel of that name leaves of zeros."""
    s = np.where(x < 0, 0, x)
    other = s[::-1]
    going_on = (x >= 0) & (other >= 10)
    odd = int((other[going_on] & 1).sum())
    return np.where(x < 0, 0, np.where(other < 10, -other, 1000 * odd + other)).tolist()


def arguments(source: int, out: int) -> bytes:
    return source.to_bytes(8, "little") + out.to_bytes(8, "little")


@pytest.mark.parametrize("sm", [80, 90])
def test_interpreter(sm: int) -> None:
    cubin = cubins.parse((FOLDER / f"barriers.sm_{sm}.cubin").read_bytes())
    function = disassemble(cubin).function("ended")
    assert function is not None
    memory = Memory()
    memory.map(0x10000, X.nbytes)[:] = X.view(np.uint8)
    out = memory.map(0x20000, X.nbytes)
    launch = interp.Launch((1, 1, 1), (80, 1, 1), 0, arguments(0x10000, 0x20000))
    interp.run(function, cubin, launch, memory)
    assert out.view(np.int32).tolist() == ended(X)


@pytest.mark.skipif(emulator.library_path() is None, reason="the emulator's library is not built (set CASSC_LIBDIR)")
@pytest.mark.parametrize("sm", [80, 90])
def test_threads_that_have_ended_count_as_arrived(sm: int) -> None:
    cubin = cubins.parse((FOLDER / f"barriers.sm_{sm}.cubin").read_bytes())
    function = disassemble(cubin).function("ended")
    assert function is not None
    code = assemble(link_text([lift_kernel(function, cubin)], DEFAULT_TARGET), DEFAULT_TARGET)
    with emulator.Emulator() as device:
        source, out = device.alloc(X.nbytes), device.alloc(X.nbytes)
        device.write(source, X.tobytes())
        device.write(out, bytes(X.nbytes))
        kernel = device.load(code).kernels["ended"]
        device.launch(kernel, (1, 1, 1), (80, 1, 1), arguments(source, out), max_instructions=100_000)
        assert device.read_array(out, np.int32, 64).tolist() == ended(X)


@pytest.mark.parametrize("sm", [80, 90])
def test_lanes_wait_for_each_other_only_where_some_may_end_before(sm: int) -> None:
    cubin = cubins.parse((FOLDER / f"barriers.sm_{sm}.cubin").read_bytes())
    plans = {f.name: meetings.plan(cfg.build(f)) for f in disassemble(cubin).functions}
    assert plans["ended"].meetings
    assert not plans["together"].meetings
