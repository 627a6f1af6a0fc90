"""NVIDIA's approximations of elementary functions (MUFU), bit for bit.

The unit reads a quadratic polynomial from a table by the leading bits of the argument and evaluates it at the rest, t:
``C0 + C1 * t + C2 * square(t)``, where the squarer leaves out the low columns of its partial products. The result is
cut off, not rounded. That it is so, and the tables, follow from recordings of an H200 (``mufu.txt`` says which); what
happens around the polynomial (range reduction, signs, fixed-point formats) was found on the same recordings and holds
for the sampled binades of all exponents. S. Oberman and M. Siu, "A high-performance area-efficient multifunction
interpolator" (ARITH 2005), describe such a unit.

Operands and results are arrays of f32 bit patterns (``rcp64h`` and ``rsq64h``: high words of f64). Denormals count as
zeros, on both sides, but for ``tanh``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cassc.sass.mufu_table import LOG_BITS, ONE, TANH_FIRST, TANH_PLACES, TANH_ROWS, TURN_BITS, UNITS, rows

Bits = NDArray[np.uint32]
Fixed = NDArray[np.int64]

_MANTISSA = 0x7FFFFF
_NAN, _INFINITY, _SIGN, _F32_ONE = 0x7FFFFFFF, 0x7F800000, 0x80000000, 0x3F800000


@cache
def tables() -> dict[str, Fixed]:
    """As :func:`~cassc.sass.mufu_table.rows`."""
    return {name: np.array(found, np.int64) for name, found in rows().items()}


def square(t: Fixed, bits: int, cut: int) -> Fixed:
    """t squared, without the columns of partial products below ``cut``."""
    total = np.zeros_like(t)
    for j in range(bits):
        low = max(cut - 1 - j, 0)
        if low < j:
            below = (t & ((1 << j) - 1)) >> low << (low + j + 1)
            total += np.where(t >> j & 1 != 0, below, 0)
        if 2 * j >= cut:
            total += (t >> j & 1) << (2 * j)
    return total


def polynomial(name: str, argument: Fixed, half: Fixed | int = 0) -> Fixed:
    """In units of 2**-58. ``argument``: 23 bits; ``half``: 1 for the second binade of ``rsq`` and ``sqrt``."""
    unit = UNITS[name]
    bits = 23 - unit.index
    t = argument & ((1 << bits) - 1)
    chosen = tables()[name][(argument >> bits) + (half << unit.index)]
    linear = chosen[..., 1] * t << (ONE - unit.linear)
    return chosen[..., 0] + linear + (chosen[..., 2] * square(t, bits, unit.cut) << (ONE - unit.quadratic))  # type: ignore[no-any-return]


def _float(value: Fixed, point: int, exponent: Fixed | int = 0) -> Fixed:
    """Bits of ``value * 2**(exponent - point)``, positive, cut off to 24 bits; zero if it is too small."""
    found = np.maximum(value, 1)
    top = np.frexp(found.astype(np.float64))[1].astype(np.int64) - 1
    top -= found < np.int64(1) << top  # the conversion may have rounded up
    kept = np.where(top >= 23, found >> np.maximum(top - 23, 0), found << np.maximum(23 - top, 0))
    biased = top - point + exponent + 127
    bits = (biased << 23) + (kept & _MANTISSA)
    return np.where((value <= 0) | (biased <= 0), 0, np.where(biased >= 255, _INFINITY, bits))


def _parts(x: Bits) -> tuple[Fixed, Fixed, Fixed]:
    """Sign bit in place, exponent, mantissa; denormals as zeros."""
    wide = x.astype(np.int64)
    exponent = wide >> 23 & 255
    return wide & _SIGN, exponent, np.where(exponent == 0, 0, wide & _MANTISSA)


def _reciprocal(x: Bits) -> Fixed:
    sign, e, m = _parts(x)
    bits = np.where(m == 0, (254 - e) << 23, _float(polynomial("rcp", m), ONE, 127 - e))
    bits = np.where(e >= 253, np.where((e == 253) & (m == 0), 1 << 23, 0), bits)
    bits = np.where(e == 0, _INFINITY, bits)
    return np.where((e == 255) & (m != 0), _NAN, bits | sign)


def _roots(x: Bits, name: str, direction: int) -> Fixed:
    """Of positive normal numbers. ``direction``: 1 for the root, -1 for its reciprocal."""
    _, e, m = _parts(x)
    odd = (e - 127) & 1
    exponent = direction * (e - 127 - odd >> 1)
    bits = _float(polynomial(name, m, odd), ONE, exponent)
    return np.where((m == 0) & (odd == 0), exponent + 127 << 23, bits)


def _reciprocal_root(x: Bits) -> Fixed:
    sign, e, m = _parts(x)
    bits = np.where(sign != 0, _NAN, np.where(e == 255, 0, _roots(x, "rsq", -1)))
    return np.where(e == 0, _INFINITY | sign, np.where((e == 255) & (m != 0), _NAN, bits))


def _root(x: Bits) -> Fixed:
    sign, e, m = _parts(x)
    bits = np.where(sign != 0, _NAN, np.where(e == 255, _INFINITY, _roots(x, "sqrt", 1)))
    return np.where(e == 0, sign, np.where((e == 255) & (m != 0), _NAN, bits))


def _shifted(m: Fixed, e: Fixed, places: int) -> Fixed:
    """The number as a fixed-point one, cut off."""
    whole = np.where(e == 0, 0, m | 1 << 23)
    left = e - 150 + places
    return np.where(left >= 0, whole << np.clip(left, 0, 34), whole >> np.clip(-left, 0, 62))


def _exponential(x: Bits) -> Fixed:
    """A negative argument is complemented bit by bit, unless it is an integer."""
    sign, e, m = _parts(x)
    fixed = _shifted(m, e, 23)
    fixed = np.where(sign == 0, fixed, np.where(fixed & _MANTISSA == 0, -fixed, ~fixed))
    bits = _float(polynomial("ex2", fixed & _MANTISSA), ONE, fixed >> 23)
    bits = np.where(e >= 127 + 8, np.where(sign == 0, _INFINITY, 0), bits)
    return np.where((e == 255) & (m != 0), _NAN, bits)


def _logarithm(x: Bits) -> Fixed:
    """A negative result is complemented bit by bit."""
    sign, e, m = _parts(x)
    total = (e - 127 << LOG_BITS) + (polynomial("lg2", m) >> ONE - LOG_BITS)
    bits = np.where(total < 0, _float(~total, LOG_BITS) | _SIGN, _float(total, LOG_BITS))
    bits = np.where((e == 127) & (m == 0), 0, bits)
    bits = np.where(sign != 0, _NAN, np.where(e == 255, _INFINITY, bits))
    return np.where(e == 0, _INFINITY | _SIGN, np.where((e == 255) & (m != 0), _NAN, bits))


def _sine(x: Bits, quarters: int) -> Fixed:
    """Of x turns and some quarters; in odd quadrants the place is complemented bit by bit."""
    sign, e, m = _parts(x)
    fixed = _shifted(m, e, TURN_BITS)
    quadrant, place = (fixed >> 23) + quarters & 3, fixed & _MANTISSA
    odd = quadrant & 1 != 0
    bits = _float(polynomial("sin", np.where(odd, _MANTISSA - place, place)), ONE)
    bits = np.where(place == 0, np.where(odd, _F32_ONE, 0), bits)
    sign = (0 if quarters else sign) ^ np.where(quadrant >= 2, _SIGN, 0)
    return np.where(e == 255, _NAN, bits | sign)


def _tangent(x: Bits) -> Fixed:
    """Of small numbers the number; the others' lowest bits do not matter."""
    wide = x.astype(np.int64)
    sign, e, m = wide & _SIGN, wide >> 23 & 255, wide & _MANTISSA
    binade = np.clip(e - TANH_FIRST, 0, len(TANH_ROWS) - 1)
    places = np.array(TANH_PLACES)[binade]
    bits = 23 - UNITS["tanh"].index
    segment = np.array(TANH_ROWS)[binade] + (m >> 23 - places)
    rest = (m >> 23 - bits - places) & ((1 << bits) - 1)
    found = _float(polynomial("tanh", segment << bits | rest), ONE)
    found = np.where(e >= TANH_FIRST + len(TANH_ROWS), _F32_ONE, found)
    found = np.where(e < TANH_FIRST, wide & ~_SIGN, found)
    return np.where((e == 255) & (m != 0), _NAN, found | sign)


_FUNCTIONS: dict[str, Callable[[Bits], Fixed]] = {
    "rcp": _reciprocal,
    "rsq": _reciprocal_root,
    "sqrt": _root,
    "ex2": _exponential,
    "lg2": _logarithm,
    "sin": lambda x: _sine(x, 0),
    "cos": lambda x: _sine(x, 1),
    "tanh": _tangent,
}


def approximate(op: str, x: NDArray[Any]) -> Bits:
    """``op``: rcp rsq sqrt ex2 lg2 sin cos tanh, or rcp64h rsq64h."""
    if op in ("rcp64h", "rsq64h"):
        return _high_word(op, x)
    return _FUNCTIONS[op](x).astype(np.uint32)


def _high_word(op: str, x: Bits) -> Bits:
    """The 20 bits of mantissa that there are, by the tables of f32; the result is cut off to as many."""
    wide = x.astype(np.int64)
    sign, e, m = wide & _SIGN, wide >> 20 & 0x7FF, wide & 0xFFFFF
    m = np.where(e == 0, 0, m)
    if op == "rcp64h":
        value, exponent, exact, power = polynomial("rcp", m << 3), 1023 - e, m == 0, 1023 - e
    else:
        odd = (e - 1023) & 1
        power = -(e - 1023 - odd >> 1)
        value, exponent, exact = polynomial("rsq", m << 3, odd), power, (m == 0) & (odd == 0)
    # Below one, but for exact powers: the leading bit is that of a half.
    bits = (exponent + 1022 << 20) + ((value >> ONE - 21) & 0xFFFFF)
    bits = np.where(exact, power + 1023 << 20, bits)
    bits = np.where(bits < 1 << 20, 0, bits)
    nan = (e == 0x7FF) & (m != 0)
    if op == "rsq64h":
        nan |= (sign != 0) & (e != 0)
    bits = np.where(e == 0x7FF, 0, np.where(e == 0, 0x7FF00000, bits)) | sign
    return np.where(nan, _NAN, bits).astype(np.uint32)
