"""Values of the pseudocode in AMD's ISA manuals: bits with a kind and a width, and their conversions."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


class Unknown(Exception):
    """The pseudocode says something that this interpreter does not do."""


@dataclass(frozen=True, slots=True)
class Value:
    """``kind``: u, i, f, fp8, bf8 (raw holds the float's bits), or n for a number without a width."""

    kind: str
    width: int
    raw: int


NUMPY: dict[int, Any] = {16: (np.uint16, np.float16), 32: (np.uint32, np.float32), 64: (np.uint64, np.float64)}
"""By width: the unsigned integers that hold the bits, and the floats."""
FIELDS = {16: (5, 10, 15), 32: (8, 23, 127), 64: (11, 52, 1023)}
"""By width: bits of the exponent, bits of the fraction, bias."""


def u(width: int, raw: int) -> Value:
    return Value("u", width, raw & ((1 << width) - 1))


def i(width: int, raw: int) -> Value:
    return Value("i", width, raw & ((1 << width) - 1))


def number(raw: int) -> Value:
    return Value("n", 64, raw)


def real(width: int, x: Any) -> Value:
    bits, floats = NUMPY[width]
    with np.errstate(all="ignore"):
        return Value("f", width, int(floats(x).view(bits)))


def integer(v: Value) -> int:
    if v.kind == "n":
        return v.raw
    if v.kind == "f":
        raise Unknown("a float where an integer is wanted")
    return v.raw - (1 << v.width) if v.kind == "i" and v.raw >> (v.width - 1) else v.raw


def floating(v: Value) -> Any:
    """numpy's scalar of the value's own width."""
    if v.kind != "f":
        return np.float64(integer(v))
    bits, floats = NUMPY[v.width]
    return bits(v.raw).view(floats)


def is_nan(v: Value) -> bool:
    return bool(np.isnan(floating(v)))


def _small_float(mantissa: int, bias: int, infinite: bool) -> Callable[[Value], Value]:
    """Floats of eight bits to f32."""

    def convert(v: Value) -> Value:
        raw = v.raw & 0xFF
        sign, exponent, fraction = (
            (-1 if raw >> 7 else 1),
            raw >> mantissa & (0x7F >> mantissa),
            raw & ((1 << mantissa) - 1),
        )
        if infinite and exponent == 31:
            return real(32, sign * math.inf if fraction == 0 else math.nan)
        if not infinite and raw & 0x7F == 0x7F:
            return real(32, math.nan)
        lead = 0 if exponent == 0 else 1
        return real(32, sign * math.ldexp(lead + fraction / (1 << mantissa), max(exponent, 1) - bias))

    return convert


fp8_to_f32, bf8_to_f32 = _small_float(3, 7, False), _small_float(2, 15, True)


def cast_to(v: Value, kind: str, width: int) -> Value:
    """``32'F(x)`` and assignments: values are converted, and ``B`` keeps bits."""
    if v.kind == "p":
        return v
    if v.kind in ("fp8", "bf8") and kind == "f":
        return fp8_to_f32(v) if v.kind == "fp8" else bf8_to_f32(v)
    if kind == "b":
        return Value("u", width, v.raw & ((1 << width) - 1))
    if kind == "f":
        if v.kind == "f" and is_nan(v) and width > v.width:  # stays signaling
            fraction, wide = FIELDS[v.width][1], FIELDS[width]
            payload = (v.raw & ((1 << fraction) - 1)) << (wide[1] - fraction)
            return Value("f", width, v.raw >> (v.width - 1) << (width - 1) | ((1 << wide[0]) - 1) << wide[1] | payload)
        return v if v.kind == "f" and v.width == width else real(width, floating(v))
    raw = v.raw if v.kind == "f" else integer(v)
    return Value(kind, width, raw & ((1 << width) - 1))


def view(v: Value, kind: str, width: int) -> Value:
    """``x.f32``: the bits, seen as another type; an integer number takes part in it as its value."""
    raw = v.raw & ((1 << max(width, 1)) - 1)
    return Value("u" if kind == "b" else kind, width, raw)
