"""Texels: their bytes, channels and the numbers that a fetch makes of them."""

from __future__ import annotations

import struct

from cassc.sass.builder import F16, F32, F64, I16, I32, I64, RM, Builder, Space, Value
from cassc.sass.textures.descriptor import AS_FLOAT, FLOAT, SIGNED, SRGB, field, flag

Channels = tuple[Value, Value, Value, Value]


def words(b: Builder, address: Value, shift: Value, where: Value) -> Channels:
    """The I32 words of a texel of 2**shift bytes; zeros where there is none, or ``where`` (I1) is false."""
    zero = b.const(I32, 0)
    total: list[Value] = [zero] * 4
    for size, log in ((1, 0), (2, 1), (4, 2), (8, 3), (16, 4)):
        this = b.and_(where, b.compare("eq", shift, b.const(I32, log), signed=False))
        for k, word in enumerate(b.load(Space.GLOBAL, address, size, where=this)):
            total[k] = b.or_(total[k], word)
    return total[0], total[1], total[2], total[3]


def channels(b: Builder, format: Value, texel: Channels) -> Channels:
    """Integers extended to 32 bits, floats as F32 patterns, zeros for what a texel does not have."""
    size = field(b, format, 8, 2)
    kind = field(b, format, 12, 2)
    is_signed = b.compare("eq", kind, b.const(I32, SIGNED), signed=False)
    is_float = b.compare("eq", kind, b.const(I32, FLOAT), signed=False)
    bytes_, halves = (b.compare("eq", size, b.const(I32, k), signed=False) for k in (0, 1))
    count = field(b, format, 4, 3)
    result = []
    for k in range(4):
        small = _part(b, texel[0], 8 * k, 8, is_signed)
        half = _part(b, texel[k // 2], 16 * (k % 2), 16, is_signed)
        half_bits = b.trunc(b.lshr(texel[k // 2], b.const(I32, 16 * (k % 2))), I16)
        widened = _widened(b, half_bits)
        value = b.select(bytes_, small, b.select(halves, b.select(is_float, widened, half), texel[k]))
        there = b.compare("gt", count, b.const(I32, k), signed=False)
        result.append(b.select(there, value, b.const(I32, 0)))
    return result[0], result[1], result[2], result[3]


def _widened(b: Builder, half: Value) -> Value:
    """The F32 pattern of an F16 pattern (I16); a signalling NaN stays one."""
    bits = b.zext(half, I32)
    sign = b.shl(b.and_(bits, b.const(I32, 0x8000)), b.const(I32, 16))
    payload = b.shl(b.and_(bits, b.const(I32, 0x3FF)), b.const(I32, 13))
    nan = b.or_(b.or_(sign, b.const(I32, 0x7F800000)), payload)
    is_nan = b.compare("gt", b.and_(bits, b.const(I32, 0x7FFF)), b.const(I32, 0x7C00), signed=False)
    return b.select(is_nan, nan, b.bitcast(b.fconvert(b.bitcast(half, F16), F32), I32))


def _part(b: Builder, word: Value, low: int, width: int, is_signed: Value) -> Value:
    top = b.shl(word, b.const(I32, 32 - low - width))
    move = b.const(I32, 32 - width)
    return b.select(is_signed, b.ashr(top, move), b.lshr(top, move))


def is_scaled(b: Builder, format: Value) -> Value:
    """Whether integers stand for floats in [0, 1] or [-1, 1] (I1)."""
    floating = b.compare("eq", field(b, format, 12, 2), b.const(I32, FLOAT), signed=False)
    return b.and_(flag(b, format, AS_FLOAT), b.not_(floating))


def _is_signed(b: Builder, format: Value) -> Value:
    return b.compare("eq", field(b, format, 12, 2), b.const(I32, SIGNED), signed=False)


def _has_bytes(b: Builder, format: Value) -> Value:
    return b.compare("eq", field(b, format, 8, 2), b.const(I32, 0), signed=False)


def _per_channel_scale(b: Builder, format: Value, narrow: tuple[float, float], wide: tuple[float, float]) -> Value:
    """One of four F64: (unsigned, signed) of bytes, and of 16 bits."""
    picks = [b.select(_is_signed(b, format), _f64(b, s), _f64(b, u)) for u, s in (narrow, wide)]
    return b.select(_has_bytes(b, format), picks[0], picks[1])


def _f64(b: Builder, x: float) -> Value:
    return b.const(F64, int.from_bytes(struct.pack("<d", x), "little"))


def _integer(b: Builder, format: Value, word: Value) -> Value:
    """F64."""
    signed, unsigned = (b.int_to_float(word, F64, signed=s) for s in (True, False))
    return b.select(_is_signed(b, format), signed, unsigned)


def fetched(b: Builder, format: Value, value: Channels, table: Value) -> Channels:
    """What a point fetch returns of `channels`, as I32 patterns."""
    scaled = is_scaled(b, format)
    scale = _per_channel_scale(b, format, (1 / 255, 1 / 127), (1 / 65535, 1 / 32767))
    srgb = b.and_(scaled, flag(b, format, SRGB))
    result = []
    for k, word in enumerate(value):
        # The most negative integer stands for -1, like the next one.
        share = b.fconvert(b.fmax(b.fmul(_integer(b, format, word), scale), _f64(b, -1)), F32)
        if k < 3:
            share = b.select(srgb, _curved(b, word, table, srgb), share)
        result.append(b.select(scaled, b.bitcast(share, I32), word))
    return result[0], result[1], result[2], result[3]


def _curved(b: Builder, word: Value, table: Value, where: Value) -> Value:
    """The F32 that an sRGB byte stands for."""
    offset = b.shl(b.and_(word, b.const(I32, 255)), b.const(I32, 2))
    (found,) = b.load(Space.GLOBAL, b.add(table, b.zext(offset, I64)), 4, where=where)
    return b.bitcast(found, F32)


def summand(b: Builder, format: Value, word: Value, k: int, table: Value) -> Value:
    """What a filter weighs (F64) of channel k: scaled integers as integers of 16 bits."""
    spread = _per_channel_scale(b, format, (257, 32767 / 127), (1, 1))
    integer = b.fmul(_integer(b, format, word), spread)
    scaled = is_scaled(b, format)
    if k < 3:
        srgb = b.and_(scaled, flag(b, format, SRGB))
        integer = b.select(srgb, b.fconvert(_curved(b, word, table, srgb), F64), integer)
    return b.select(scaled, integer, b.fconvert(b.flush(b.bitcast(word, F32)), F64))


def weighed(b: Builder, format: Value, total: Value, k: int) -> Value:
    """F32 of a sum of shares of `summand`, rounded to what the format can hold: halves of floats away from zero, of
    integers up."""
    scaled = is_scaled(b, format)
    integer = b.fmax(b.fround(b.fadd(total, _f64(b, 0.5)), RM), _f64(b, -32767))
    scale = b.select(_is_signed(b, format), _f64(b, 1 / 32767), _f64(b, 1 / 65535))
    share = b.fconvert(b.fmul(integer, scale), F32)
    single = _rounded(b, total, 29)
    if k < 3:
        share = b.select(flag(b, format, SRGB), single, share)
    halves = b.compare("eq", field(b, format, 8, 2), b.const(I32, 1), signed=False)
    half = b.fconvert(b.fconvert(_dropped(b, total, 42), F16), F32)
    result = b.select(scaled, share, b.select(halves, half, single))
    return b.select(b.fcompare("num", total, total), result, b.const(F32, 0x7FFFFFFF))


def _dropped(b: Builder, x: Value, bits: int) -> Value:
    """An F64 without its low mantissa bits, halves away from zero."""
    pattern = b.add(b.bitcast(x, I64), b.const(I64, 1 << (bits - 1)))
    return b.bitcast(b.and_(pattern, b.const(I64, -(1 << bits))), F64)


def _rounded(b: Builder, x: Value, bits: int) -> Value:
    return b.flush(b.fconvert(_dropped(b, x, bits), F32))
