"""The functions that the pseudocode of AMD's ISA manuals calls without saying what they do.

Floats are numpy's, fused multiply-adds exact fractions rounded once.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, cast

import numpy as np

from tests.emu.pseudocode_values import (
    FIELDS,
    NUMPY,
    Value,
    bf8_to_f32,
    floating,
    fp8_to_f32,
    i,
    integer,
    is_nan,
    real,
    u,
)


def _round_fraction(value: Fraction, width: int, negative_zero: bool) -> Any:
    floats = NUMPY[width][1]
    if value == 0:
        return floats(-0.0) if negative_zero else floats(0.0)
    mantissa, least, most = {16: (11, -24, 16), 32: (24, -149, 128), 64: (53, -1074, 1024)}[width]
    sign, magnitude = (-1 if value < 0 else 1), abs(value)
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    while Fraction(2) ** exponent > magnitude:
        exponent -= 1
    while Fraction(2) ** (exponent + 1) <= magnitude:
        exponent += 1
    step = Fraction(2) ** max(exponent - mantissa + 1, least)
    steps = round(magnitude / step)  # ties to even
    rounded = steps * step
    if rounded >= Fraction(2) ** most:
        return floats(sign * math.inf)
    return floats(sign * float(rounded))


def fma(a: Value, b: Value, c: Value) -> Value:
    width = max(x.width for x in (a, b, c) if x.kind == "f")
    x, y, z = (float(floating(v)) for v in (a, b, c))
    if not (math.isfinite(x) and math.isfinite(y) and math.isfinite(z)):
        with np.errstate(all="ignore"):
            return real(width, np.float64(x) * np.float64(y) + np.float64(z))
    product, addend = Fraction(x) * Fraction(y), Fraction(z)
    product_minus = math.copysign(1, x) * math.copysign(1, y) < 0
    minus = product_minus and math.copysign(1, z) < 0 if product == 0 or product + addend != 0 else False
    return real(width, _round_fraction(product + addend, width, minus))


def f32_to_f16_toward_zero(v: Value) -> Value:
    """f32 to f16."""
    half = real(16, floating(v))
    x, y = float(floating(v)), float(floating(half))
    return Value("f", 16, half.raw - 1) if abs(y) > abs(x) else half


def _quiet_bit(v: Value) -> int:
    return {16: 9, 32: 22, 64: 51}[v.width]


def _signaling(v: Value) -> bool:
    return is_nan(v) and not v.raw >> _quiet_bit(v) & 1


def _sign(v: Value) -> Value:
    return u(1, v.raw >> (v.width - 1))


def _exponent(v: Value) -> Value:
    """With the bias; of a denormal, what it would be if there were room."""
    bits, fraction, _ = FIELDS[v.width]
    field = v.raw >> fraction & ((1 << bits) - 1)
    if field == 0:
        lead = (v.raw & ((1 << fraction) - 1)).bit_length()
        return i(32, lead - fraction if lead else 0)
    return i(32, field)


def _mantissa(v: Value) -> Value:
    """With the sign, in [0.5, 1): what frexp gives."""
    return real(v.width, math.frexp(float(floating(v)))[0])


def _to_int(v: Value, low: int, high: int, kind: str, width: int) -> Value:
    x = float(floating(v))
    n = 0 if math.isnan(x) else high if x > high else low if x < low else int(x)
    return Value(kind, width, n & ((1 << width) - 1))


def _apply(function: Callable[[float], float], v: Value) -> Value:
    x = float(floating(v))
    if not math.isfinite(x):
        return v
    return real(v.width, math.copysign(function(x), x))


def _fract(v: Value) -> Value:
    x = floating(v)
    with np.errstate(all="ignore"):
        return real(v.width, x - np.floor(x))


def ldexp(v: Value, by: Value) -> Value:
    x = float(floating(v))
    if not math.isfinite(x) or x == 0:
        return v
    return real(
        v.width, _round_fraction(Fraction(x) * Fraction(2) ** max(min(integer(by), 4096), -4096), v.width, x < 0)
    )


def _normalized(scale: int, low: float) -> Callable[[Value], Value]:
    def convert(v: Value) -> Value:
        x = float(floating(v))
        x = 0.0 if math.isnan(x) else min(max(x, low), 1.0)
        return i(16, round(x * scale))

    return convert


def _power(width: int, function: Callable[[np.float64], np.float64]) -> Callable[[Value], Value]:
    def compute(v: Value) -> Value:
        with np.errstate(all="ignore"):
            return real(v.width if v.kind == "f" else width, function(np.float64(floating(v))))

    return compute


def _turns(function: Callable[[float], float]) -> Callable[[Value], Value]:
    def compute(v: Value) -> Value:
        x = float(floating(v))
        return real(v.width, function(x) if math.isfinite(x) else math.nan)

    return compute


def _signext(v: Value) -> Value:
    signed = Value("i", v.width, v.raw) if v.kind == "u" else v
    return i(64, integer(signed))


def _signext_from_bit(v: Value, bits: Value) -> Value:
    n = integer(bits)
    raw = v.raw & ((1 << n) - 1) if n else 0
    return i(v.width, raw - (1 << n) if n and raw >> (n - 1) else raw)


def _from_f32(decode: Callable[[Value], Value], overflow: int, infinite: bool) -> Callable[[Value], Value]:
    table = [(float(floating(decode(u(8, n)))), n) for n in range(0x80)]
    finite = [(x, n) for x, n in table if math.isfinite(x)]

    def convert(v: Value) -> Value:
        x = float(floating(v))
        sign = v.raw >> 31 << 7
        if math.isnan(x):
            return u(8, sign | 0x7F)
        top, step = finite[-1][0], finite[-1][0] - finite[-2][0]
        if abs(x) >= top + step / 2:  # the tie is even beyond the largest
            return u(8, sign | overflow)
        best = min(finite, key=lambda entry: (abs(entry[0] - abs(x)), entry[1] & 1))
        return u(8, sign | best[1])

    del infinite
    return convert


def _lesser_zero(a: Value, b: Value) -> Value:
    x, y = floating(a), floating(b)
    return u(1, int(x < y or (x == 0 and y == 0 and bool(_sign(a).raw) and not _sign(b).raw)))


def _byte_permute(data: Value, select: Value) -> Value:
    n = integer(select) & 0xFF
    if n >= 13:
        return u(8, 0xFF)
    if n == 12:
        return u(8, 0)
    if n >= 8:
        return u(8, 0xFF * (data.raw >> (15, 31, 47, 63)[n - 8] & 1))
    return u(8, data.raw >> (8 * n))


def _absolute(v: Value) -> Value:
    return Value("f", v.width, v.raw & ~(1 << (v.width - 1))) if v.kind == "f" else i(v.width, abs(integer(v)))


def _odd_even(v: Value) -> Value:
    x = float(floating(v))
    return u(1, int(math.isfinite(x) and math.fmod(x, 2.0) == 0.0))


def _sine(x: float) -> float:
    """Of turns."""
    return math.sin(2 * math.pi * math.fmod(x, 1.0))


def _cosine(x: float) -> float:
    return math.cos(2 * math.pi * math.fmod(x, 1.0))


def _float(width: int) -> Callable[[Value], Value]:
    return lambda v: real(width, floating(v) if v.kind == "f" else Fraction(integer(v)).__float__())


def _float32(sign: Value, exponent: Value, fraction: Value) -> Value:
    field = max(integer(exponent), 0)
    return Value("f", 32, sign.raw << 31 | field << 23 | (fraction.raw if field else 0))


FUNCTIONS: dict[str, Callable[..., Value]] = {
    "fma": fma,
    "isNAN": lambda v: u(1, int(is_nan(v))),
    "isSignalNAN": lambda v: u(1, int(_signaling(v))),
    "isQuietNAN": lambda v: u(1, int(is_nan(v) and not _signaling(v))),
    "cvtToQuietNAN": lambda v: Value("f", v.width, v.raw | 1 << _quiet_bit(v)),
    "sign": _sign,
    "exponent": _exponent,
    "mantissa": _mantissa,
    "abs": _absolute,
    "floor": lambda v: _apply(math.floor, v),
    "trunc": lambda v: _apply(math.trunc, v),
    "fract": _fract,
    "isEven": _odd_even,
    "ldexp": ldexp,
    "sqrt": _power(32, np.sqrt),
    "log2": _power(32, np.log2),
    "signext": _signext,
    "signext_from_bit": _signext_from_bit,
    "f16_to_f32": _float(32),
    "f32_to_f16": _float(16),
    "f64_to_f32": _float(32),
    "f32_to_f64": _float(64),
    "i32_to_f32": _float(32),
    "u32_to_f32": _float(32),
    "i32_to_f64": _float(64),
    "u32_to_f64": _float(64),
    "u16_to_f16": _float(16),
    "i16_to_f16": _float(16),
    "bf16_to_f32": lambda v: Value("f", 32, (v.raw & 0xFFFF) << 16),
    "f32_to_i32": lambda v: _to_int(v, -(1 << 31), (1 << 31) - 1, "i", 32),
    "f32_to_u32": lambda v: _to_int(v, 0, (1 << 32) - 1, "u", 32),
    "f64_to_i32": lambda v: _to_int(v, -(1 << 31), (1 << 31) - 1, "i", 32),
    "f64_to_u32": lambda v: _to_int(v, 0, (1 << 32) - 1, "u", 32),
    "f16_to_i16": lambda v: _to_int(v, -(1 << 15), (1 << 15) - 1, "i", 16),
    "f16_to_u16": lambda v: _to_int(v, 0, (1 << 16) - 1, "u", 16),
    "f32_to_u8": lambda v: _to_int(v, 0, 255, "u", 8),
    "v_cvt_i16_f32": lambda v: _to_int(v, -(1 << 15), (1 << 15) - 1, "i", 16),
    "v_cvt_u16_f32": lambda v: _to_int(v, 0, (1 << 16) - 1, "u", 16),
    "u32_to_u16": lambda v: u(16, min(v.raw, 0xFFFF)),
    "i32_to_i16": lambda v: i(16, min(max(integer(v), -0x8000), 0x7FFF)),
    "f16_to_snorm": _normalized(0x7FFF, -1.0),
    "f16_to_unorm": _normalized(0xFFFF, 0.0),
    "f32_to_snorm": _normalized(0x7FFF, -1.0),
    "f32_to_unorm": _normalized(0xFFFF, 0.0),
    "u8_to_u32": lambda v: u(32, v.raw & 0xFF),
    "u4_to_u32": lambda v: u(32, v.raw & 0xF),
    "sin": _turns(math.sin),
    "cos": _turns(math.cos),
    "fp8_to_f32": fp8_to_f32,
    "bf8_to_f32": bf8_to_f32,
    "f32_to_fp8": _from_f32(fp8_to_f32, 0x7F, False),
    "f32_to_bf8": _from_f32(bf8_to_f32, 0x7C, True),
    "float32": _float32,
    "ABSDIFF": lambda a, b: u(32, abs(a.raw - b.raw)),
    "SAT8": lambda v: u(8, min(max(integer(v), 0), 255)),
    "BYTE_PERMUTE": _byte_permute,
    "LT_NEG_ZERO": _lesser_zero,
    "GT_NEG_ZERO": lambda a, b: _lesser_zero(b, a),
    "pow": lambda a, b: _power(32, lambda x: cast(np.float64, np.exp2(x)))(b),
}
