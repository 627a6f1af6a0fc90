"""Sums of products as NVIDIA's H100 forms them in its tensor cores, bit for bit.

Recovered from recordings of single-precision accumulators (mma.m16n8k4 to m16n8k16 with halves, bfloat16 and TF32, on
operands at the edges of the formats). All products of an instruction and the accumulator are added at once: each is
aligned to the largest exponent among those that are not zero, cut off 25 bits below it towards zero, and added as an
integer; the sum is cut off to a float. The exponent of a product is the sum of its factors' exponents, so that its
significand may reach 4; subnormal numbers have the exponent of the smallest normal one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cassc.sass.builder import F32, I32, I64, Builder, Value

Floats = NDArray[np.float32]
Integers = NDArray[np.int64]

_BELOW = 25  # bits that are kept below the largest exponent
_SIGNIFICANT = 11  # bits of a factor
_NOTHING = -1 << 20  # exponent of a zero
_INFINITY, _ONE, _SIGN, _HIDDEN = 0x7F800000, 0x3F800000, -0x80000000, 1 << 23


@dataclass(frozen=True, slots=True)
class _Number:
    """Attributes:
    sign: 0 or -1.
    exponent: of the leading bit of a normal number.
    significand: 24 bits.
    kind: the number itself if it is a zero, an infinity or NaN, else 1 with its sign; as F32.
    """

    sign: Value
    exponent: Value
    significand: Value
    kind: Value


def matrix_sum(b: Builder, least: int, total: Value, *factors: Value) -> tuple[Value]:
    """``total`` and the products of the first half of the factors with the second half; all F32.

    ``least``: exponent of the smallest normal number of the factors' format.
    """
    half = len(factors) // 2
    c = _number(b, total, -126)
    added = b.select(_special(b, c.kind), c.kind, b.const(F32, 0))
    terms = [(c.sign, c.exponent, b.shl(c.significand, b.const(I32, _BELOW - 23)))]
    for x, y in zip(factors[:half], factors[half:], strict=True):
        v, w = (_number(b, f, least) for f in (x, y))
        drop = b.const(I32, 24 - _SIGNIFICANT)
        product = b.mul(b.lshr(v.significand, drop), b.lshr(w.significand, drop))
        shifted = b.shl(product, b.const(I32, _BELOW - 2 * (_SIGNIFICANT - 1)))
        terms.append((b.xor(v.sign, w.sign), b.add(v.exponent, w.exponent), shifted))
        kind = b.fmul(v.kind, w.kind)
        added = b.fadd(added, b.select(_special(b, kind), kind, b.const(F32, 0)))
    return (b.select(_special(b, added), added, _sum(b, terms)),)


def of_lanes(total: Floats, xs: Floats, ys: Floats, least: int) -> Floats:
    """The same on arrays: ``total`` of n floats, the factors of k rows of n."""
    c, v, w = _parts(total, -126), _parts(xs, least), _parts(ys, least)
    drop, rise = 24 - _SIGNIFICANT, _BELOW - 2 * (_SIGNIFICANT - 1)
    with np.errstate(all="ignore"):
        products = (v.significand >> drop) * (w.significand >> drop)
        magnitudes = np.vstack((c.significand << _BELOW - 23, products << rise))
        places = np.vstack((c.exponent, v.exponent + w.exponent))
        highest = np.where(magnitudes == 0, _NOTHING, places).max(axis=0)
        cut = magnitudes >> np.clip(highest - places, 0, 63)
        sums = (cut * np.vstack((c.sign, v.sign * w.sign))).sum(axis=0)
        size = np.abs(sums)
        exponent = highest - _BELOW + np.frexp(size.astype(np.float64))[1] - 1
        last = np.maximum(exponent - 23, -149)
        up = highest - _BELOW - last
        digits = np.where(up >= 0, size << np.clip(up, 0, 63), size >> np.clip(-up, 0, 63))
        result = np.ldexp(digits.astype(np.float64), np.where(size == 0, 0, last)).astype(np.float32)
        result = np.where(exponent > 127, np.float32(np.inf), result)
        result = np.where(size == 0, np.float32(0), np.copysign(result, sums.astype(np.float32)))
        special = np.vstack((c.kind, v.kind * w.kind))
        added = np.where(np.isfinite(special), np.float32(0), special).sum(axis=0, dtype=np.float32)
        found: Floats = np.where(added == 0, result, added).astype(np.float32)
    return found


@dataclass(frozen=True, slots=True)
class _Parts:
    """As `_Number`, of rows of floats; the sign is 1 or -1."""

    sign: Integers
    exponent: Integers
    significand: Integers
    kind: Floats


def _parts(x: Floats, least: int) -> _Parts:
    bits = np.atleast_2d(x).view(np.uint32).astype(np.int64)
    field, fraction = bits >> 23 & 255, bits & _HIDDEN - 1
    exponent = np.maximum(field, 1) - 127
    raised = np.maximum(exponent, least)
    significand = np.where(field == 0, fraction, fraction | _HIDDEN) >> raised - exponent
    sign = 1 - 2 * (bits >> 31)
    plain = (field != 255) & (field | fraction != 0)
    return _Parts(sign, raised, significand, np.where(plain, sign.astype(np.float32), x).astype(np.float32))


def _number(b: Builder, x: Value, least: int) -> _Number:
    bits = b.bitcast(x, I32)
    field = b.and_(b.lshr(bits, b.const(I32, 23)), b.const(I32, 255))
    fraction = b.and_(bits, b.const(I32, _HIDDEN - 1))
    whole = b.select(_is(b, field, 0), fraction, b.or_(fraction, b.const(I32, _HIDDEN)))
    exponent = b.sub(b.umax(field, b.const(I32, 1)), b.const(I32, 127))
    raised = b.smax(exponent, b.const(I32, least))
    one = b.bitcast(b.or_(b.and_(bits, b.const(I32, _SIGN)), b.const(I32, _ONE)), F32)
    itself = b.or_(_is(b, field, 255), _is(b, b.or_(field, fraction), 0))
    return _Number(
        b.ashr(bits, b.const(I32, 31)), raised, b.lshr(whole, b.sub(raised, exponent)), b.select(itself, x, one)
    )


def _sum(b: Builder, terms: Sequence[tuple[Value, Value, Value]]) -> Value:
    """Of (sign, exponent, magnitude in units of 2^-25 of the exponent)."""
    highest = b.const(I32, _NOTHING)
    for _, exponent, magnitude in terms:
        highest = b.smax(highest, b.select(_is(b, magnitude, 0), b.const(I32, _NOTHING), exponent))
    total = b.const(I64, 0)
    for sign, exponent, magnitude in terms:
        cut = b.lshr(magnitude, b.sub(highest, exponent))
        total = b.add(total, b.sext(b.sub(b.xor(cut, sign), sign), I64))
    negative = b.compare("lt", total, b.const(I64, 0), signed=True)
    size = b.select(negative, b.neg(total), total)
    exponent = b.sub(b.add(highest, b.const(I32, 63 - _BELOW)), b.lo(b.clz(size)))
    last = b.smax(b.sub(exponent, b.const(I32, 23)), b.const(I32, -149))  # exponent of the result's last bit
    up = b.sub(b.sub(highest, b.const(I32, _BELOW)), last)
    down = b.neg(up)
    rising = b.compare("ge", up, b.const(I32, 0), signed=True)
    raised, lowered = b.shl(size, b.zext(up, I64)), b.lshr(size, b.zext(down, I64))
    digits = b.lo(b.select(rising, raised, lowered))
    normal = b.compare("ge", exponent, b.const(I32, -126), signed=True)
    biased = b.shl(b.add(exponent, b.const(I32, 126)), b.const(I32, 23))  # the hidden bit of the digits adds one
    bits = b.select(normal, b.add(biased, digits), digits)
    bits = b.select(b.compare("gt", exponent, b.const(I32, 127), signed=True), b.const(I32, _INFINITY), bits)
    bits = b.select(
        _is(b, size, 0), b.const(I32, 0), b.or_(bits, b.select(negative, b.const(I32, _SIGN), b.const(I32, 0)))
    )
    return b.bitcast(bits, F32)


def _special(b: Builder, x: Value) -> Value:
    """Whether a float is an infinity or NaN."""
    return _is(b, b.and_(b.bitcast(x, I32), b.const(I32, _INFINITY)), _INFINITY)


def _is(b: Builder, x: Value, value: int) -> Value:
    return b.compare("eq", x, b.const(x.type, value), signed=False)
