"""Where along an axis a coordinate lies: the texels it names and the weight of the second one."""

from __future__ import annotations

from dataclasses import dataclass

from cassc.sass.builder import F32, F64, I32, RM, Builder, Value
from cassc.sass.textures.descriptor import BORDER, CLAMP, MIRROR, WRAP

_HALF, _ONE, _TWO, _256 = 0x3FE << 52, 0x3FF << 52, 0x400 << 52, 0x407 << 52
# Fraction bits that a normalized coordinate keeps: one more along axes whose size is a power of two.
_UP_22, _DOWN_22 = (0x3FF + 22) << 52, (0x3FF - 22) << 52
_UP_21, _DOWN_21 = (0x3FF + 21) << 52, (0x3FF - 21) << 52
_MARGIN = 16  # texels that a position may lie outside, at most


@dataclass(frozen=True, slots=True)
class Position:
    """``first``: texel index before the address mode, of two neighbours in a linear filter; ``weight``: of the second,
    0 to 255 of 256."""

    first: Value
    weight: Value


def locate(b: Builder, coordinate: Value, size: Value, mode: Value, normalized: Value, linear: Value) -> Position:
    """``coordinate``: F64; ``linear``, ``normalized``: I1."""
    texels = b.int_to_float(size, F64, signed=False)
    power = b.compare("eq", b.and_(size, b.sub(size, b.const(I32, 1))), b.const(I32, 0), signed=False)
    up = b.select(power, b.const(F64, _UP_22), b.const(F64, _UP_21))
    down = b.select(power, b.const(F64, _DOWN_22), b.const(F64, _DOWN_21))
    kept = b.fmul(b.fround(b.fmul(coordinate, up), RM), down)
    period = b.fround(kept, RM)
    double = b.fmul(b.fround(b.fmul(kept, b.const(F64, _HALF)), RM), b.const(F64, _TWO))
    wraps, mirrors = (b.compare("eq", mode, b.const(I32, m), signed=False) for m in (WRAP, MIRROR))
    origin = b.select(wraps, period, b.select(mirrors, double, b.const(F64, 0)))
    inside = b.fmul(b.fadd(kept, b.fneg(origin)), texels)
    x = b.select(normalized, inside, coordinate)
    # NaN counts as 0, also where the fraction of an infinity was to be taken.
    x = b.select(b.fcompare("num", x, x), x, b.const(F64, 0))
    low = b.int_to_float(b.const(I32, -_MARGIN), F64, signed=True)
    high = b.fadd(b.fadd(texels, texels), b.int_to_float(b.const(I32, _MARGIN), F64, signed=True))
    x = b.fmin(b.fmax(x, low), high)
    # Beyond the outermost centres a clamped coordinate is at them: it has no second neighbour.
    clamps = b.compare("eq", mode, b.const(I32, CLAMP), signed=False)
    centre = b.const(F64, _HALF)
    held = b.fmin(b.fmax(x, centre), b.fadd(texels, b.fneg(centre)))
    x = b.select(b.and_(clamps, linear), held, x)
    fixed = b.float_to_int(b.fma(x, b.const(F64, _256), b.const(F64, _HALF)), I32, signed=True, rounding=RM)
    fixed = b.sub(fixed, b.const(I32, 128))
    whole = b.float_to_int(x, I32, signed=True, rounding=RM)
    first = b.select(linear, b.ashr(fixed, b.const(I32, 8)), whole)
    weight = b.select(linear, b.and_(fixed, b.const(I32, 255)), b.const(I32, 0))
    return Position(first, weight)


def address(b: Builder, index: Value, size: Value, mode: Value) -> tuple[Value, Value]:
    """The texel that an index stands for, and whether it is one (I1): it is not where the border is to be taken."""
    last = b.sub(size, b.const(I32, 1))
    clamped = b.smin(b.smax(index, b.const(I32, 0)), last)
    twice = b.shl(size, b.const(I32, 1))
    wrapped = _modulo(b, index, size)
    turn = _modulo(b, index, twice)
    mirrored = b.umin(turn, b.sub(b.sub(twice, b.const(I32, 1)), turn))
    wraps, mirrors, borders = (b.compare("eq", mode, b.const(I32, m), signed=False) for m in (WRAP, MIRROR, BORDER))
    chosen = b.select(wraps, wrapped, b.select(mirrors, mirrored, clamped))
    outside = b.and_(borders, b.compare("gt", index, last, signed=False))
    return chosen, b.not_(outside)


def _modulo(b: Builder, x: Value, n: Value) -> Value:
    """Of a signed integer near [0, n): the quotient is small, and half a unit away from the next one."""
    half = b.fadd(b.int_to_float(x, F32, signed=True), b.const(F32, 0x3F000000))
    quotient = b.fmul(half, b.mufu("rcp", b.int_to_float(n, F32, signed=False)))
    return b.sub(x, b.mul(b.float_to_int(quotient, I32, signed=True, rounding=RM), n))


def on_face(b: Builder, x: Value, y: Value, z: Value) -> tuple[Value, Value, Value]:
    """(face of a cube, F64 coordinates on it in [0, 1]) of a direction whose longest component is 1 or -1 (F32)."""
    x, y, z = (b.flush(c) for c in (x, y, z))
    sizes = [b.fabs(c) for c in (x, y, z)]
    by_z = b.and_(b.fcompare("ge", sizes[2], sizes[0]), b.fcompare("ge", sizes[2], sizes[1]))
    by_y = b.fcompare("ge", sizes[1], sizes[0])
    zero = b.const(F32, 0)
    below = [b.fcompare("lt", c, zero) for c in (x, y, z)]

    def chosen(along_x: Value, along_y: Value, along_z: Value) -> Value:
        return b.select(by_z, along_z, b.select(by_y, along_y, along_x))

    one = b.const(I32, 1)
    sign = b.zext(chosen(below[0], below[1], below[2]), I32)
    face = b.add(chosen(b.const(I32, 0), b.const(I32, 2), b.const(I32, 4)), b.and_(sign, one))
    s = chosen(b.select(below[0], z, b.fneg(z)), x, b.select(below[2], b.fneg(x), x))
    t = chosen(b.fneg(y), b.select(below[1], b.fneg(z), z), b.fneg(y))
    return face, _from_centre(b, s), _from_centre(b, t)


def _from_centre(b: Builder, s: Value) -> Value:
    """[-1, 1] to [0, 1], so that the smallest step below the middle is not lost."""
    fixed = b.fround(b.fmul(b.fconvert(s, F64), b.const(F64, (0x3FF + 30) << 52)), RM)
    return b.fmul(b.fadd(fixed, b.const(F64, (0x3FF + 30) << 52)), b.const(F64, (0x3FF - 31) << 52))
