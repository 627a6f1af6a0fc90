"""sm_100 and sm_120: launch state, 64-bit integers and uniform floats, against Python; unsupported architectures."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from cassc.diag import CasscError
from cassc.image import cubin as cubin_image
from cassc.image.cubin import Cubin
from cassc.lift.lift import lift_kernel
from cassc.sass import interp
from cassc.sass.disasm import SassModule, disassemble
from cassc.sass.memory import Memory, Range
from cassc.target import SmArch

DATA = Path(__file__).parent / "data"
SMS = (100, 120)
IN, OUT = 0x1000_0000, 0x2000_0000


@cache
def module(sm: int) -> tuple[Cubin, SassModule]:
    cubin = cubin_image.parse((DATA / f"newer.sm_{sm}.cubin").read_bytes())
    return cubin, disassemble(cubin)


def run(
    sm: int,
    kernel: str,
    arguments: bytes,
    data: NDArray[np.uint8],
    out: NDArray[np.uint8],
    grid: int = 1,
    block: int = 32,
) -> None:
    cubin, sass = module(sm)
    function = sass.function(kernel)
    assert function is not None
    memory = Memory()
    memory.add(Range(IN, data, "in"))
    memory.add(Range(OUT, out, "out"))
    device = interp.load_module(cubin, memory)
    interp.run(function, cubin, interp.Launch((grid, 1, 1), (block, 1, 1), 0, arguments), device)


def pointers(*addresses: int) -> bytes:
    return np.array(addresses, np.uint64).tobytes()


@pytest.mark.parametrize("sm", SMS)
def test_every_word_has_a_row(sm: int) -> None:
    assert [d.message for function in module(sm)[1].functions for d in function.undecodable] == []


@pytest.mark.parametrize("sm", SMS)
def test_every_kernel_is_lifted(sm: int) -> None:
    cubin, sass = module(sm)
    assert all("define" in lift_kernel(function, cubin).body for function in sass.functions)


@pytest.mark.parametrize("sm", SMS)
def test_dimensions(sm: int) -> None:
    out = np.zeros(4 * 3 * 20, np.uint8)
    run(sm, "dimensions", pointers(OUT), np.zeros(16, np.uint8), out, grid=3, block=20)
    assert out.view(np.int32).tolist() == [at + 3000 + 2000000 for at in range(60)]


@pytest.mark.parametrize("sm", SMS)
def test_wide_integers(sm: int) -> None:
    rng = np.random.default_rng(sm)
    corners = np.array([0, 1, -1, 77, 1 << 63, (1 << 63) - 1, 1 << 32, 0xFFFFFFFF], object)
    values = np.concatenate([corners, rng.integers(-(1 << 63), 1 << 63, 56, dtype=np.int64).astype(object)])
    pairs = [int(v) & (1 << 64) - 1 for v in rng.permutation(values)]
    out = np.zeros(32 * 48, np.uint8)
    run(sm, "wide", pointers(IN, OUT), np.array(pairs, np.uint64).view(np.uint8), out)
    expected = []
    for u, v in zip(pairs[::2], pairs[1::2], strict=True):
        x, y = (w - (w >> 63 << 64) for w in (u, v))
        flags = (x < y) + 2 * (u < v) + 4 * (x == y)
        expected += [min(x, y), max(u, v), x - y, u * 3 + v, flags, x if x > 77 else -77]
    assert out.view(np.uint64).tolist() == [value & (1 << 64) - 1 for value in expected]


@pytest.mark.parametrize("sm", SMS)
@pytest.mark.parametrize(("a", "b"), [(2.0, 3.0), (-8.5, 1.25), (0.1, 7.0)])
def test_uniform_floats(sm: int, a: float, b: float) -> None:
    f = np.float32
    product = f(np.float64(f(a)) * np.float64(f(b)) + 1.5)
    r = f(b) - f(a) if product < f(b) else product * f(0.25)
    expected = r + f(5) + min(f(a), f(b))
    out = np.zeros(128, np.uint8)
    arguments = pointers(OUT) + np.array([a, b], np.float32).tobytes() + np.array([5], np.int32).tobytes()
    run(sm, "uniform", arguments, np.zeros(16, np.uint8), out)
    assert out.view(np.float32).tolist() == [expected] * 32


@pytest.mark.parametrize("sm", SMS)
def test_stack_and_local_window(sm: int) -> None:
    out = np.zeros(4 * 128, np.uint8)
    out.view(np.int32)[64:] = np.arange(64)
    run(sm, "stack", pointers(IN, OUT), np.arange(10, 18, dtype=np.int32).view(np.uint8), out)
    expected = [t & 7 if t & 1 else (10 + (t & 7)) * (t + 1) for t in range(32)]
    assert out.view(np.int32)[:32].tolist() == expected


@pytest.mark.parametrize("sm", SMS)
def test_a_lock_that_is_released_behind_the_loop(sm: int) -> None:
    """Behind an unmarked BSYNC; lanes that waited for each other there would wait forever."""
    data, out = np.zeros(16, np.uint8), np.zeros(16, np.uint8)
    run(sm, "locked", pointers(IN, OUT), data, out)
    total = 0
    for _ in range(32):
        total = total * 3 % 1009 + 1
    assert out.view(np.int32)[0] == total


def test_other_architectures_are_refused_once() -> None:
    cubin, _ = module(100)
    with pytest.raises(CasscError, match="sm_70 are not supported") as caught:
        disassemble(replace(cubin, arch=SmArch(70)))
    assert [d.id for d in caught.value.diagnostics] == ["sass-unsupported-sm"]
