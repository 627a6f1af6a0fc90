"""Floating-point arithmetic on numpy arrays with the rounding modes that numpy lacks.

Narrow formats (half, bfloat, float) are computed in double: a sum is kept as ``s + e`` (TwoSum, exact), rounded to odd
into one double, and rounded from there; 53 bits are more than twice the 24 of a float, so that nothing is rounded
twice. Double results are exact integers where numpy's own operation does not give them (fma, directed rounding).

References: Boldo and Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to
odd" (IEEE TC 57(4), 2008); Knuth, TAOCP vol. 2, 4.2.2 (TwoSum).

Arrays of BF16 are uint16 patterns, as numpy has no such type. Callers switch numpy's floating-point warnings off.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cassc.sass.builder import BF16, F16, F32, F64, RM, RN, RP, RZ, Type

Array = NDArray[Any]
Doubles = NDArray[np.float64]

_UNSIGNED = {16: np.uint16, 32: np.uint32, 64: np.uint64}
_FLOAT = {F16: np.float16, F32: np.float32, F64: np.float64}
# Exponents (frexp) between which products and their errors neither overflow nor lose bits to underflow.
_SAFE_EXPONENT = 400


def widen(x: Array, type: Type) -> Doubles:
    """To double, exactly."""
    if type is BF16:
        return (x.astype(np.uint32) << np.uint32(16)).view(np.float32).astype(np.float64)
    return x.astype(np.float64)


def two_sum(x: Doubles, y: Doubles) -> tuple[Doubles, Doubles]:
    """s = RN(x + y) and the error e, with x + y = s + e exactly (NaN when s is not finite)."""
    s = x + y
    t = s - x
    return s, (x - (s - t)) + (y - t)


def to_odd(s: Doubles, e: Doubles) -> Doubles:
    """s + e (|e| at most half an ulp of s) rounded to odd: inexact results get an odd last bit."""
    bits = s.view(np.int64)
    inexact = (e != 0) & ((bits & 1) == 0) & np.isfinite(s)
    step = np.where((e > 0) == (s > 0), 1, -1)
    return (bits + np.where(inexact, step, 0)).view(np.float64)


def _nearest(s: Doubles, type: Type) -> Array:
    if type is not BF16:
        return s.astype(_FLOAT[type])
    single = s.astype(np.float32)
    bits = single.view(np.uint32)
    rest = s - single.astype(np.float64)
    inexact = (rest != 0) & ((bits & 1) == 0) & np.isfinite(s)
    step = np.where((rest > 0) == (s > 0), 1, -1)
    odd = (bits.astype(np.int64) + np.where(inexact, step, 0)).astype(np.uint32)
    rounded = (odd + np.uint32(0x7FFF) + ((odd >> np.uint32(16)) & np.uint32(1))) >> np.uint32(16)
    quiet = (odd >> np.uint32(16)) | np.uint32(0x40)
    return np.where(np.isnan(s), quiet, rounded).astype(np.uint16)


def _moved(r: Array, away: NDArray[np.bool_], toward: NDArray[np.bool_]) -> Array:
    """The next value away from, or toward, zero where asked."""
    bits = r.view(_UNSIGNED[r.dtype.itemsize * 8])
    one = bits.dtype.type(1)
    moved = np.where(away, bits + one, np.where(toward, bits - one, bits))
    return moved.view(r.dtype)


def narrow(s: Doubles, type: Type, rounding: str = RN) -> Array:
    """A double (exact, or rounded to odd) to a narrower format."""
    if type is F64:
        return s
    r = _nearest(s, type)
    if rounding == RN:
        return r
    value = widen(r, type)
    negative = np.signbit(s)
    if rounding == RZ:
        return _moved(r, np.zeros_like(negative), np.abs(value) > np.abs(s))
    wrong = value < s if rounding == RP else value > s
    outward = negative if rounding == RM else ~negative
    return _moved(r, wrong & outward, wrong & ~outward)


def _signed_zero(s: Doubles, x: Doubles, y: Doubles, rounding: str) -> Doubles:
    """An exact zero sum is -0 when rounding down, unless both addends are +0."""
    if rounding != RM:
        return s
    negative = np.signbit(x) | np.signbit(y)
    return np.where(s == 0, np.where(negative, -0.0, 0.0), s)


def add(x: Array, y: Array, type: Type, rounding: str = RN) -> Array:
    if rounding == RN and type in (F32, F64):
        return np.add(x, y)
    wide_x, wide_y = widen(x, type), widen(y, type)
    if type is F64:
        return _double_sum(wide_x, wide_y, rounding)
    s, e = two_sum(wide_x, wide_y)
    return narrow(_signed_zero(to_odd(s, e), wide_x, wide_y, rounding), type, rounding)


def _double_sum(x: Doubles, y: Doubles, rounding: str) -> Doubles:
    s, e = two_sum(x, y)
    finite = np.isfinite(x) & np.isfinite(y)
    # An overflow's error points back to zero.
    e = np.where(np.isinf(s) & finite, -s, e)
    negative = np.signbit(s)
    up, down = e > 0, e < 0
    if rounding == RP:
        away, toward = up & ~negative, up & negative
    elif rounding == RM:
        away, toward = down & negative, down & ~negative
    else:
        away, toward = np.zeros_like(up), np.where(negative, up, down)
    result: Doubles = _moved(s, away, toward)
    result = _signed_zero(result, x, y, rounding)
    lost = finite & np.isfinite(s) & np.isnan(e)
    if lost.any():
        result = result.copy()
        for k in np.flatnonzero(lost):
            result[k] = exact_fma(float(x[k]), 1.0, float(y[k]), rounding)
    return result


def mul(x: Array, y: Array, type: Type, rounding: str = RN) -> Array:
    if rounding == RN and type in (F32, F64):
        return np.multiply(x, y)
    if type is not F64:
        return narrow(widen(x, type) * widen(y, type), type, rounding)
    result = np.multiply(x, y).astype(np.float64)
    for k in range(result.size):
        a, b = float(x[k]), float(y[k])
        if math.isfinite(a) and math.isfinite(b) and a and b:
            result[k] = exact_fma(a, b, 0.0, rounding)
    return result


def fma(x: Array, y: Array, z: Array, type: Type, rounding: str = RN) -> Array:
    """x*y + z rounded once."""
    if type is F64:
        return _double_fma(widen(x, F64), widen(y, F64), widen(z, F64), rounding)
    product, wide_z = widen(x, type) * widen(y, type), widen(z, type)
    if type is F32 and rounding == RN:
        s = product + wide_z
        # Only a double that is a tie between floats, or near their underflow, can be rounded wrongly from here.
        tie = (s.view(np.uint64) & np.uint64(0x1FFFFFFF)) == np.uint64(0x10000000)
        if not (tie | (np.abs(s) < 2.0**-125)).any():
            return s.astype(np.float32)
    s, e = two_sum(product, wide_z)
    return narrow(_signed_zero(to_odd(s, e), product, wide_z, rounding), type, rounding)


def _double_fma(x: Doubles, y: Doubles, z: Doubles, rounding: str) -> Doubles:
    product = x * y
    result = product + z
    finite = np.isfinite(x) & np.isfinite(y)
    todo = finite & (x != 0) & (y != 0) & ~np.isnan(z)
    if rounding == RN:
        # One rounding only, unless the product was lost to underflow.
        todo &= (z != 0) | (np.abs(product) < 2.0**-1021)
        tame = todo.copy()
        for value in (x, y, z):
            tame &= (np.abs(np.frexp(value)[1]) < _SAFE_EXPONENT) & np.isfinite(value) & (value != 0)
        if tame.any():
            result = np.where(tame, _odd_fma(x, y, z), result)
            todo &= ~tame
    else:
        todo |= finite & np.isfinite(z)
    for k in np.flatnonzero(todo):
        a, b, c = float(x[k]), float(y[k]), float(z[k])
        result[k] = exact_fma(a, b, c, rounding) if math.isfinite(c) else c
    return result


def _split(x: Doubles) -> tuple[Doubles, Doubles]:
    """Veltkamp: halves of 26 bits."""
    t = x * 134217729.0
    high = t - (t - x)
    return high, x - high


def _odd_fma(x: Doubles, y: Doubles, z: Doubles) -> Doubles:
    """Boldo and Melquiond's algorithm, for operands far from the ends of the exponent range."""
    p = x * y
    (xh, xl), (yh, yl) = _split(x), _split(y)
    error = ((xh * yh - p) + xh * yl + xl * yh) + xl * yl
    th, tl = two_sum(z, error)
    vh, vl = two_sum(p, th)
    s, e = two_sum(tl, vl)
    return vh + to_odd(s, e)


def exact_fma(x: float, y: float, z: float, rounding: str) -> float:
    """x*y + z of finite doubles, by integers."""
    (mx, ex), (my, ey), (mz, ez) = _integral(x), _integral(y), _integral(z)
    product, exponent = mx * my, ex + ey
    if not product or not mz:
        if not product and not mz:
            signs = (math.copysign(1.0, x) * math.copysign(1.0, y), math.copysign(1.0, z))
            negative = min(signs) < 0 if rounding == RM else max(signs) < 0
            return -0.0 if negative else 0.0
        total, low = (product, exponent) if product else (mz, ez)
    else:
        low = min(exponent, ez)
        total = (product << (exponent - low)) + (mz << (ez - low))
        if not total:
            return -0.0 if rounding == RM else 0.0
    return round_exact(total, low, rounding)


def _integral(x: float) -> tuple[int, int]:
    mantissa, exponent = math.frexp(x)
    return int(mantissa * 2**53), exponent - 53


def round_exact(mantissa: int, exponent: int, rounding: str) -> float:
    """The non-zero number mantissa * 2**exponent as a double."""
    negative, magnitude = mantissa < 0, abs(mantissa)
    # The last bit that is kept: 53 significant ones, but none below the smallest denormal.
    last = max(magnitude.bit_length() - 53 + exponent, -1074)
    shift = last - exponent
    if shift <= 0:
        kept, rest, half = magnitude << -shift, 0, 1
    else:
        kept, rest, half = magnitude >> shift, magnitude & ((1 << shift) - 1), 1 << (shift - 1)
    if rounding == RN:
        up = rest > half or (rest == half and bool(kept & 1) and bool(rest))
    else:
        up = bool(rest) and rounding == (RM if negative else RP)
    kept += up
    if kept.bit_length() + last > 1024:
        inward = rounding == RZ or rounding == (RP if negative else RM)
        result = math.ldexp(2**53 - 1, 971) if inward else math.inf
    else:
        result = math.ldexp(kept, last)
    return -result if negative else result


_INTEGRAL: dict[str, Callable[[Doubles], Doubles]] = {RN: np.rint, RZ: np.trunc, RM: np.floor, RP: np.ceil}


def integral(x: Doubles, rounding: str) -> Doubles:
    """To an integral double."""
    return _INTEGRAL[rounding](x)


def from_integer(x: NDArray[np.int64] | NDArray[np.uint64], type: Type, rounding: str = RN) -> Array:
    """A 64-bit integer to a float format."""
    high = (x >> x.dtype.type(32)).astype(np.float64) * 2.0**32
    low = (x & x.dtype.type(0xFFFFFFFF)).astype(np.float64)
    if type is F64:
        return add(high, low, F64, rounding)
    s, e = two_sum(high, low)
    return narrow(to_odd(s, e), type, rounding)


def to_integer(x: Doubles, bits: int, signed: bool, rounding: str) -> Array:
    """Rounded, clamped to the range of an integer of that many bits, NaN to 0; the patterns, unsigned."""
    low = -(2.0 ** (bits - 1)) if signed else 0.0
    high = 2.0 ** (bits - 1) if signed else 2.0**bits
    r = integral(x, rounding)
    r = np.where(np.isnan(r), 0.0, r)
    inside = np.where((r < high) & (r >= low), r, 0.0)
    if signed or bits < 64:
        values = inside.astype(np.int64).view(np.uint64)
    else:
        upper = inside >= 2.0**63
        values = np.where(upper, inside - 2.0**63, inside).astype(np.int64).view(np.uint64)
        values = np.where(upper, values | np.uint64(1 << 63), values)
    top = (1 << (bits - 1)) - 1 if signed else (1 << bits) - 1
    bottom = (1 << (bits - 1)) if signed else 0
    values = np.where(r >= high, np.uint64(top), np.where(r < low, np.uint64(bottom), values))
    unsigned = {8: np.uint8, **_UNSIGNED}[bits]
    return values.astype(unsigned)
