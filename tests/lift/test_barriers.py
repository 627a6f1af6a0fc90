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
from cassc.sass import cfg
from cassc.sass.disasm import disassemble
from cassc.target import DEFAULT_TARGET

FOLDER = Path(__file__).parent / "barriers"


def ended(x: np.ndarray) -> object:
    """What the kernel of that name leaves of zeros."""
    s = np.where(x < 0, 0, x)
    other = s[::-1]
    going_on = (x >= 0) & (other >= 10)
    odd = int((other[going_on] & 1).sum())
    return np.where(x < 0, 0, np.where(other < 10, -other, 1000 * odd + other)).tolist()


@pytest.mark.skipif(emulator.library_path() is None, reason="the emulator's library is not built (set CASSC_LIBDIR)")
@pytest.mark.parametrize("sm", [80, 90])
def test_threads_that_have_ended_count_as_arrived(sm: int) -> None:
    x = np.random.default_rng(3).integers(-8, 40, 64).astype(np.int32)
    cubin = cubins.parse((FOLDER / f"barriers.sm_{sm}.cubin").read_bytes())
    function = disassemble(cubin).function("ended")
    assert function is not None
    code = assemble(link_text([lift_kernel(function, cubin)], DEFAULT_TARGET), DEFAULT_TARGET)
    with emulator.Emulator() as device:
        source, out = device.alloc(x.nbytes), device.alloc(x.nbytes)
        device.write(source, x.tobytes())
        device.write(out, bytes(x.nbytes))
        arguments = source.to_bytes(8, "little") + out.to_bytes(8, "little")
        device.launch(device.load(code).kernels["ended"], (1, 1, 1), (80, 1, 1), arguments, max_instructions=100_000)
        assert device.read_array(out, np.int32, 64).tolist() == ended(x)


@pytest.mark.parametrize("sm", [80, 90])
def test_lanes_wait_for_each_other_only_where_some_may_end_before(sm: int) -> None:
    cubin = cubins.parse((FOLDER / f"barriers.sm_{sm}.cubin").read_bytes())
    plans = {f.name: meetings.plan(cfg.build(f)) for f in disassemble(cubin).functions}
    assert plans["ended"].meetings
    assert not plans["together"].meetings
