"""The evaluator against exact rational arithmetic, and the meanings that the builder's documentation fixes."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cassc.sass.builder import BF16, F16, F32, F64, I1, I8, I32, I64, Type
from cassc.sass.evaluate import Evaluate
from cassc.sass.lanes import Lanes
from cassc.sass.surroundings import BarrierWait
from cassc.sass.vprintf import argument_bytes, argument_sizes

FORMATS = {F16: (5, 10), BF16: (8, 7), F32: (8, 23), F64: (11, 52)}
MODES = ("rn", "rz", "rm", "rp")


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    with np.errstate(all="ignore"):
        yield


@pytest.fixture
def b() -> Evaluate:
    return Evaluate()


def value(type: Type, bits: int) -> Fraction | None:
    """The number of a pattern; None for infinities and NaNs."""
    exponent, fraction = FORMATS[type]
    sign = -1 if bits >> (exponent + fraction) else 1
    field = bits >> fraction & ((1 << exponent) - 1)
    mantissa = bits & ((1 << fraction) - 1)
    if field == (1 << exponent) - 1:
        return None
    bias = (1 << (exponent - 1)) - 1
    if not field:
        return sign * Fraction(mantissa) * Fraction(2) ** (1 - bias - fraction)
    return sign * Fraction(mantissa | 1 << fraction) * Fraction(2) ** (field - bias - fraction)


def rounded(type: Type, exact: Fraction, mode: str) -> int:
    """The pattern of a non-zero number, by searching the patterns on both sides of it."""
    exponent, fraction = FORMATS[type]
    infinity = ((1 << exponent) - 1) << fraction
    sign = 1 << (exponent + fraction) if exact < 0 else 0
    magnitude = abs(exact)
    low, high = 0, infinity
    while high - low > 1:
        middle = (low + high) // 2
        below = value(type, middle)
        assert below is not None
        low, high = (middle, high) if below <= magnitude else (low, middle)
    down, up = value(type, low), value(type, high)
    assert down is not None
    if down == magnitude:
        return sign | low
    # The value that infinity stands for in rounding to nearest: one unit above the largest number.
    above = up if up is not None else 2 * down - (value(type, low - 1) or 0)
    if mode == "rn":
        distance = magnitude - down - (above - magnitude)
        outward = distance > 0 or (distance == 0 and low & 1)
    else:
        outward = mode == ("rm" if sign else "rp")
    return sign | (high if outward else low)


def lanes(type: Type, *bits: int) -> Lanes:
    dtype = {16: np.uint16, 32: np.uint32, 64: np.uint64, 8: np.uint8}[type.bits]
    native: dict[Type, Any] = {F16: np.float16, F32: np.float32, F64: np.float64}
    data = np.zeros(32, dtype)
    data[: len(bits)] = bits
    return Lanes(type, data.view(native.get(type, dtype)))


def first(x: Lanes) -> int:
    kind = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}[x.data.dtype.itemsize]
    return int(x.data[:1].view(kind)[0])


@st.composite
def patterns(draw: st.DrawFn, count: int) -> tuple[Type, list[int]]:
    """A format, and finite patterns of sizes that make sums interesting."""
    type = draw(st.sampled_from(list(FORMATS)))
    exponent, fraction = FORMATS[type]
    base = draw(st.integers(0, (1 << exponent) - 2))
    found = []
    for _ in range(count):
        near = min(max(base + draw(st.integers(-fraction - 3, fraction + 3)), 0), (1 << exponent) - 2)
        field = draw(st.sampled_from([near, draw(st.integers(0, (1 << exponent) - 2))]))
        mantissa = draw(st.one_of(st.sampled_from([0, 1, (1 << fraction) - 1]), st.integers(0, (1 << fraction) - 1)))
        found.append(draw(st.integers(0, 1)) << (exponent + fraction) | field << fraction | mantissa)
    return type, found


@given(patterns(3), st.sampled_from(MODES))
def test_fused_multiply_add_is_rounded_once(drawn: tuple[Type, list[int]], mode: str) -> None:
    type, (x, y, z) = drawn
    with np.errstate(all="ignore"):
        got = first(Evaluate().fma(lanes(type, x), lanes(type, y), lanes(type, z), mode))
    a, b, c = (value(type, bits) for bits in (x, y, z))
    assert a is not None and b is not None and c is not None
    exact = a * b + c
    if exact:
        assert got == rounded(type, exact, mode)
    else:
        assert not got & ~(1 << (type.bits - 1))


@given(patterns(2), st.sampled_from(MODES))
def test_sums_and_products(drawn: tuple[Type, list[int]], mode: str) -> None:
    type, (x, y) = drawn
    a, b = value(type, x), value(type, y)
    assert a is not None and b is not None
    with np.errstate(all="ignore"):
        total = first(Evaluate().fadd(lanes(type, x), lanes(type, y), mode))
        product = first(Evaluate().fmul(lanes(type, x), lanes(type, y), mode))
    if a + b:
        assert total == rounded(type, a + b, mode)
    if a * b:
        assert product == rounded(type, a * b, mode)


@given(patterns(1), st.sampled_from([F16, BF16, F32, F64]), st.sampled_from(MODES))
def test_conversions_between_formats(drawn: tuple[Type, list[int]], target: Type, mode: str) -> None:
    type, (x,) = drawn
    exact = value(type, x)
    assert exact is not None
    with np.errstate(all="ignore"):
        got = first(Evaluate().fconvert(lanes(type, x), target, mode))
    if exact:
        assert got == rounded(target, exact, mode)


@given(st.integers(-(2**63), 2**64 - 1), st.sampled_from([F16, BF16, F32, F64]), st.sampled_from(MODES))
def test_conversions_of_integers(number: int, target: Type, mode: str) -> None:
    with np.errstate(all="ignore"):
        x = lanes(I64, number % 2**64)
        got = first(Evaluate().int_to_float(x, target, signed=number < 0, rounding=mode))
    if number:
        assert got == rounded(target, Fraction(number), mode)


@pytest.mark.parametrize("mode", MODES)
def test_exact_zero_sums(b: Evaluate, mode: str) -> None:
    one, minus = lanes(F32, 0x3F800000), lanes(F32, 0xBF800000)
    expected = 0x80000000 if mode == "rm" else 0
    assert first(b.fadd(one, minus, mode)) == expected
    assert first(b.fma(one, one, minus, mode)) == expected
    assert first(b.fadd(lanes(F32, 0), lanes(F32, 0), mode)) == 0
    assert first(b.fadd(lanes(F32, 1 << 31), lanes(F32, 1 << 31), mode)) == 1 << 31


def test_float_to_int_clamps_and_maps_nan_to_zero(b: Evaluate) -> None:
    numbers = [3e9, -3e9, float("nan"), float("inf"), -1.5, 2.5]
    x = lanes(F32, *(struct.unpack("<I", struct.pack("<f", n))[0] for n in numbers))
    signed = b.float_to_int(x, I32, signed=True, rounding="rn").data.view(np.int32)[:6]
    assert signed.tolist() == [2**31 - 1, -(2**31), 0, 2**31 - 1, -2, 2]
    unsigned = b.float_to_int(x, I32, signed=False).data[:6]
    assert unsigned.tolist() == [3_000_000_000, 0, 0, 2**32 - 1, 0, 2]
    assert b.float_to_int(x, I8, signed=True).data.view(np.int8)[:6].tolist() == [127, -128, 0, 127, -1, 2]


def test_minimum_and_maximum(b: Evaluate) -> None:
    nan, plus, minus, one = 0x7FC00000, 0, 0x80000000, 0x3F800000
    x, y = lanes(F32, nan, plus, minus, nan), lanes(F32, one, minus, plus, nan)
    assert b.fmin(x, y).data.view(np.uint32)[:3].tolist() == [one, minus, minus]
    assert b.fmax(x, y).data.view(np.uint32)[:3].tolist() == [one, plus, plus]
    assert np.isnan(b.fmin(x, y).data[3])


def test_saturate_and_flush(b: Evaluate) -> None:
    x = lanes(F32, 0x7FC00000, 0x80000000, 0xBF800000, 0x40000000, 0x3F000000)
    assert b.saturate(x).data.view(np.uint32)[:5].tolist() == [0, 0, 0, 0x3F800000, 0x3F000000]
    y = lanes(F32, 1, 0x80000001, 0x00800000, 0x007FFFFF)
    assert b.flush(y).data.view(np.uint32)[:4].tolist() == [0, 0x80000000, 0x00800000, 0]


def test_shifts_beyond_the_width(b: Evaluate) -> None:
    x, n = lanes(I32, 0x80000001, 0x80000001), lanes(I32, 32, 0xFFFFFFFF)
    assert b.shl(x, n).data[:2].tolist() == [0, 0]
    assert b.lshr(x, n).data[:2].tolist() == [0, 0]
    assert b.ashr(x, n).data[:2].tolist() == [0xFFFFFFFF, 0xFFFFFFFF]


def test_bit_operations(b: Evaluate) -> None:
    x = lanes(I32, 0, 1, 0x80000000)
    assert b.clz(x).data[:3].tolist() == [32, 31, 0]
    assert b.bit_reverse(x).data[:3].tolist() == [0, 0x80000000, 1]
    assert b.clz(lanes(I64, 1 << 40)).data[0] == 23
    assert b.byte_permute(lanes(I32, 0x33221100), lanes(I32, 0xF7665544), b.const(I32, 0xF740)).data[0] == 0xFFF74400


def test_lanes_that_do_not_execute_have_no_part(b: Evaluate) -> None:
    b.mask = np.arange(32) % 3 == 1
    x = Lanes(I32, np.arange(32, dtype=np.uint32))
    odd = b.compare("ne", b.and_(x, b.const(I32, 1)), b.const(I32, 0), signed=False)
    executing = sum(1 << k for k in range(32) if k % 3 == 1)
    assert first(b.ballot(b.const(I1, 1))) == executing
    assert first(b.ballot(odd)) == sum(1 << k for k in range(32) if k % 3 == 1 and k & 1)
    assert first(b.broadcast(x)) == 1
    assert first(b.reduce("add", x)) == sum(k for k in range(32) if k % 3 == 1)
    assert first(b.reduce("umin", x)) == 1
    assert first(b.reduce("smax", b.neg(x))) == 2**32 - 1
    assert int(b.match_any(b.and_(x, b.const(I32, 1))).data[1]) == first(b.ballot(odd))


def test_warps_do_not_see_each_other() -> None:
    b = Evaluate(lanes=64)
    x = Lanes(I32, np.arange(64, dtype=np.uint32))
    low = b.compare("lt", x, b.const(I32, 40), signed=False)
    assert b.ballot(low).data[[0, 32]].tolist() == [0xFFFFFFFF, 0xFF]
    assert b.shuffle(x, b.const(I32, 5)).data[[0, 63]].tolist() == [5, 37]
    assert b.reduce("umax", x).data[[0, 32]].tolist() == [31, 63]


def test_values_cannot_be_branched_on(b: Evaluate) -> None:
    with pytest.raises(TypeError):
        bool(b.const(I32, 1))


def test_barriers_ask_the_driver_to_wait() -> None:
    class Around:
        def passed(self) -> None:
            return None

    b = Evaluate(Around())  # type: ignore[arg-type]
    with pytest.raises(BarrierWait) as caught:
        b.barrier(b.const(I32, 2), None)
    assert (int(caught.value.id[0]), int(caught.value.threads[0])) == (2, 0)


@pytest.mark.parametrize(
    ("format", "sizes", "total"),
    [
        (b"no arguments %%", [], 0),
        (b"%d %u %c", [4, 4, 4], 12),
        (b"%d %f", [4, 8], 16),
        (b"%*.*f|%-5s|%+lld %hhd %zu", [4, 4, 8, 8, 8, 4, 8], 48),
        (b"%p%%%x", [8, 4], 12),
        (b"ends in %", [], 0),
    ],
)
def test_sizes_of_printf_arguments(format: bytes, sizes: list[int], total: int) -> None:
    assert argument_sizes(format) == sizes
    assert argument_bytes(format) == total
