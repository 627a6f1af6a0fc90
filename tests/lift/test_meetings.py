"""Lanes that wait for each other where joining paths do not make them."""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np
import pytest

from cassc.amdgpu import emulator
from cassc.amdgpu.assemble import assemble
from cassc.image import cubin as cubins
from cassc.image.cubin import Cubin
from cassc.lift.lift import lift_kernel
from cassc.lift.module import link_text
from cassc.lift.passes import meetings
from cassc.sass import cfg
from cassc.sass.disasm import SassFunction, SassModule, disassemble
from cassc.target import DEFAULT_TARGET

FOLDER = Path(__file__).parent / "meetings"
X = np.random.default_rng(5).integers(0, 100, 64).astype(np.int32)


@functools.cache
def module(sm: int) -> tuple[Cubin, SassModule]:
    cubin = cubins.parse((FOLDER / f"meetings.sm_{sm}.cubin").read_bytes())
    return cubin, disassemble(cubin)


def kernel(sm: int, name: str) -> SassFunction:
    function = module(sm)[1].function(name)
    assert function is not None
    return function


def two_sides() -> list[int]:
    found: list[int] = []
    for warp in X.reshape(2, 32):
        ballot = sum(int(v > (40 if v & 1 else 20)) << lane for lane, v in enumerate(warp))
        found += [(ballot * 3 if v & 1 else ballot + 7) & 0xFFFFFFFF for v in warp]
    return found


def skipped_calls() -> list[int]:
    def called(v: int) -> int:
        return sum(map(int, str(v))) if v & 1 else 3 * v + 1

    s = [int(v) + (called(int(v)) if t % 3 == 0 else 0) for t, v in enumerate(X)]
    w = [s[(t * 7 + 1) % 64] for t in range(64)]
    w = [v + (called(v) if t % 5 == 1 else 0) for t, v in enumerate(w)]
    w = [w[t] + w[t ^ 5] for t in range(64)]
    return [v + 1000 * sum(u & 1 for u in w) for v in w]


@pytest.mark.skipif(emulator.library_path() is None, reason="the emulator's library is not built (set CASSC_LIBDIR)")
@pytest.mark.parametrize("sm", [80, 90])
@pytest.mark.parametrize(("name", "expected"), [("two_sides", two_sides()), ("skipped_calls", skipped_calls())])
def test_results(sm: int, name: str, expected: list[int]) -> None:
    cubin, _ = module(sm)
    code = assemble(link_text([lift_kernel(kernel(sm, name), cubin)], DEFAULT_TARGET), DEFAULT_TARGET)
    with emulator.Emulator() as device:
        x, out = device.alloc(X.nbytes), device.alloc(X.nbytes)
        device.write(x, X.tobytes())
        arguments = x.to_bytes(8, "little") + out.to_bytes(8, "little")
        device.launch(device.load(code).kernels[name], (1, 1, 1), (64, 1, 1), arguments, max_instructions=100_000)
        assert device.read_array(out, np.uint32, 64).tolist() == expected


@pytest.mark.parametrize("sm", [80, 90])
def test_who_needs_to_wait(sm: int) -> None:
    plans = {f.name: meetings.plan(cfg.build(f)) for f in module(sm)[1].functions}
    assert not plans["one_way"].meetings
    for name in ("two_sides", "skipped_calls"):
        plan = plans[name]
        at = {i.address: i for i in kernel(sm, name).instructions}
        kinds = {at[place].row.control or "bar" for place in plan.meetings}
        assert kinds & {"warpsync_collective", "warpsync_exclusive", "bsync"}
        assert ("bar" in kinds) == (name == "skipped_calls")
        ends = {block.last.address for block in plan.graph.blocks.values()}
        assert plan.meetings <= ends
        followers = {t for b in plan.graph.blocks.values() if b.last.address in plan.meetings for _, t in b.successors}
        assert followers <= plan.calls.dispatched


def test_without_exchanges_nobody_waits() -> None:
    data = FOLDER.parents[1] / "sass" / "data" / "kernels.sm_90.cubin"
    function = disassemble(cubins.parse(data.read_bytes())).function("recursive")
    assert function is not None
    plan = meetings.plan(cfg.build(function))
    assert plan.calls.shared and not plan.meetings
