"""Atomic additions of floats: NVIDIA's bits on the emulator, and no verdict against them for the order of the lanes."""

from __future__ import annotations

import functools
import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cassc.amdgpu import emulator
from cassc.amdgpu.assemble import assemble
from cassc.image import cubin as cubins
from cassc.image.cubin import Cubin
from cassc.lift.lift import lift_kernel
from cassc.lift.module import link_text
from cassc.sass.disasm import SassModule, disassemble
from cassc.target import DEFAULT_TARGET
from cassc.verify.check import Checker
from cassc.verify.verdict import Status

FOLDER = Path(__file__).parent / "sums"
needs_emulator = pytest.mark.skipif(
    emulator.library_path() is None, reason="the emulator's library is not built (set CASSC_LIBDIR)"
)
TINY = 2.0**-126  # the smallest normal number
VALUES = np.array(
    [0.0, -0.0, TINY, -TINY, TINY / 2, -TINY / 2, 1.5 * TINY, 2.0**-149, 2.0**-101, -(2.0**-101), 2.0**-102]
    + [1.25 * 2.0**-102, -1.5 * 2.0**-101, 2.0**-78, 1.0, -1.0, 3e38, np.inf, -np.inf, np.nan],
    np.float32,
)


@functools.cache
def module(sm: int) -> tuple[Cubin, SassModule, bytes]:
    cubin = cubins.parse((FOLDER / f"sums.sm_{sm}.cubin").read_bytes())
    sass = disassemble(cubin)
    text = link_text([lift_kernel(function, cubin) for function in sass.functions], DEFAULT_TARGET)
    return cubin, sass, assemble(text, DEFAULT_TARGET)


def flushed(x: NDArray[np.float32]) -> NDArray[np.float32]:
    """Subnormal numbers as zeros of their sign."""
    return np.where(np.abs(x) < np.float32(TINY), np.copysign(np.float32(0), x), x)


def bits(x: NDArray[np.float32]) -> list[Any]:
    return ["nan" if np.isnan(v) else int(v.view(np.uint32)) for v in x]


@needs_emulator
@pytest.mark.parametrize("returned", [False, True])
@pytest.mark.parametrize("sm", [80, 90])
def test_subnormal_numbers_are_zeros(sm: int, returned: bool) -> None:
    pairs = np.array(list(itertools.product(VALUES, VALUES)), np.float32)
    pairs = np.resize(pairs, (13 * 32, 2))
    old, x = pairs[:, 0], pairs[:, 1]
    with np.errstate(all="ignore"):
        expected = flushed(flushed(old) + flushed(x))
    with emulator.Emulator() as device:
        kernel = device.load(module(sm)[2]).kernels["each"]
        places = [device.alloc(x.nbytes) for _ in range(3)]
        device.write(places[0], x.tobytes())
        device.write(places[1], old.tobytes())
        arguments = [*places[:2], places[2] if returned else 0]
        device.launch(kernel, (13, 1, 1), (32, 1, 1), b"".join(p.to_bytes(8, "little") for p in arguments))
        assert bits(device.read_array(places[1], np.float32, x.size)) == bits(expected)
        if returned:
            assert bits(device.read_array(places[2], np.float32, x.size)) == bits(old)


@needs_emulator
@pytest.mark.parametrize("name", ["each", "total", "total_of_doubles", "uniform", "partial", "shared_total"])
def test_the_checker_accepts_any_order(name: str) -> None:
    cubin, sass, code = module(90)
    function = sass.function(name)
    assert function is not None
    with Checker(cubin, code, DEFAULT_TARGET) as checker:
        verdict = checker.check(function, "lift", seconds=0.5)
    assert verdict.status is Status.ACCEPTED, verdict
