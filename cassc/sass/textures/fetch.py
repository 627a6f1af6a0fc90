"""What texture instructions do, given their operands."""

from __future__ import annotations

from dataclasses import dataclass

from cassc.sass.builder import F32, F64, I1, I32, I64, Builder, Value
from cassc.sass.textures import sample, texel
from cassc.sass.textures.descriptor import MIP_LINEAR, NORMALIZED, SLOT_BYTES, Descriptor, Level, flag
from cassc.sass.textures.position import Position, on_face
from cassc.sass.textures.texel import Channels

_256 = 0x43800000  # F32
_HALF = 0x3F000000
_2_20, _MINUS_2_20 = 0x49800000, 0xC9800000


@dataclass(frozen=True, slots=True)
class Shape:
    """Of a texture: how many coordinates there are, and whether a layer is named as well."""

    name: str
    axes: int
    layered: bool = False
    cube: bool = False


SHAPES = {
    "1D": Shape("1d", 1),
    "2D": Shape("2d", 2),
    "3D": Shape("3d", 3),
    "CUBE": Shape("cube", 3, cube=True),
    "ARRAY_1D": Shape("1d_array", 1, layered=True),
    "ARRAY_2D": Shape("2d_array", 2, layered=True),
    "ARRAY_CUBE": Shape("cube_array", 3, layered=True, cube=True),
}


@dataclass(frozen=True, slots=True)
class Operands:
    """Of a fetch. ``coordinates``: F32, or I32 of texels; ``layer``, ``offset``: I32, the offset four bits for each
    axis; ``level``: F32, or I32 where the coordinates are."""

    handle: Value
    coordinates: tuple[Value, ...]
    layer: Value
    level: Value
    offset: Value

    def flat(self) -> tuple[Value, ...]:
        return (self.handle, self.layer, self.level, self.offset, *self.coordinates)

    @classmethod
    def of(cls, flat: tuple[Value, ...]) -> Operands:
        return cls(flat[0], flat[4:], flat[1], flat[2], flat[3])


def _descriptor(b: Builder, handle: Value) -> tuple[Descriptor, Value]:
    """The descriptor of a handle, and the table."""
    table = b.texture_table()
    offset = b.mul(b.zext(handle, I64), b.const(I64, SLOT_BYTES))
    return Descriptor.load(b, b.add(table, offset)), table


def _offsets(b: Builder, packed: Value) -> tuple[Value, ...]:
    """Signed numbers of four bits."""
    return tuple(b.ashr(b.shl(packed, b.const(I32, 28 - 4 * k)), b.const(I32, 28)) for k in range(3))


def _layer(b: Builder, d: Descriptor, layer: Value) -> Value:
    """The nearest one that there is; what stands above 16 bits is beyond the last."""
    return b.umin(layer, b.sub(d.layers, b.const(I32, 1)))


def _plane(b: Builder, shape: Shape, d: Descriptor, o: Operands) -> tuple[tuple[Value, ...], Value]:
    """F64 coordinates, and the layer in which they lie."""
    if not shape.cube:
        return tuple(b.fconvert(b.flush(c), F64) for c in o.coordinates), _layer(b, d, o.layer)
    face, s, t = on_face(b, *o.coordinates)
    last = b.sub(d.layers, b.const(I32, 1))
    # The last face belongs to the last cube.
    beyond = b.compare("ge", b.mul(b.umin(o.layer, b.const(I32, 0xFFFF)), b.const(I32, 6)), last, signed=False)
    first = b.select(beyond, b.smax(b.sub(last, b.const(I32, 5)), b.const(I32, 0)), b.mul(o.layer, b.const(I32, 6)))
    return (s, t), b.umin(b.add(first, face), last)


def _normalized(b: Builder, shape: Shape, d: Descriptor) -> Value:
    """I1: directions always are."""
    return b.const(I1, 1) if shape.cube else flag(b, d.sampling, NORMALIZED)


def _levels(b: Builder, d: Descriptor, lod: Value) -> tuple[Value, Value]:
    """(level, share of 256 of the next one) for a level of detail (F32)."""
    last = b.sub(d.levels, b.const(I32, 1))

    def fixed(x: Value) -> Value:
        held = b.fmin(b.fmax(x, b.const(F32, _MINUS_2_20)), b.const(F32, _2_20))
        held = b.select(b.fcompare("num", x, x), held, b.const(F32, 0))
        return b.float_to_int(b.fmul(held, b.const(F32, _256)), I32, signed=True)

    found = b.add(fixed(lod), fixed(d.bias))
    found = b.smax(b.smin(found, fixed(d.greatest)), fixed(d.least))
    found = b.smin(b.smax(found, b.const(I32, 0)), b.shl(last, b.const(I32, 8)))
    nearest = b.lshr(b.add(found, b.const(I32, 128)), b.const(I32, 8))
    linear = flag(b, d.sampling, MIP_LINEAR)
    level = b.select(linear, b.lshr(found, b.const(I32, 8)), nearest)
    return level, b.select(linear, b.and_(found, b.const(I32, 255)), b.const(I32, 0))


def _one_level(b: Builder, shape: Shape, flat: tuple[Value, ...]) -> tuple[Value, ...]:
    """Four I32 of the point fetch and four F64 of the weighted sum, at an integer level; the last of ``flat`` is its
    share of 256."""
    o = Operands.of(flat[:-1])
    d, table = _descriptor(b, o.handle)
    level = Level.load(b, d.address, o.level)
    coordinates, layer = _plane(b, shape, d, o)
    at = sample.positions(
        b,
        d,
        level,
        coordinates,
        _offsets(b, o.offset),
        normalized=_normalized(b, shape, d),
        linear=sample.filters(b, d),
    )
    first, sums = sample.level_at(b, d, level, at, layer, flat[-1], table)
    return (*first, *sums)


def _sampled(b: Builder, shape: Shape, flat: tuple[Value, ...]) -> Channels:
    o = Operands.of(flat)
    d, _ = _descriptor(b, o.handle)
    level, share = _levels(b, d, o.level)

    def at(level: Value, share: Value) -> tuple[Value, ...]:
        arguments = (*Operands(o.handle, o.coordinates, o.layer, level, o.offset).flat(), share)
        return b.subroutine(f"level_{shape.name}", lambda b, *flat: _one_level(b, shape, flat), arguments)

    found = at(level, b.sub(b.const(I32, 256), share))

    def blended() -> tuple[Value, ...]:
        upper = at(b.add(level, b.const(I32, 1)), share)
        return tuple(b.fadd(x, y) for x, y in zip(found[4:], upper[4:], strict=True))

    sums = b.where(b.compare("ne", share, b.const(I32, 0), signed=False), blended, found[4:])
    weighed = b.or_(sample.filters(b, d), b.compare("ne", share, b.const(I32, 0), signed=False))
    result = [
        b.select(weighed, b.bitcast(texel.weighed(b, d.format, s, k), I32), f)
        for k, (f, s) in enumerate(zip(found[:4], sums, strict=True))
    ]
    return result[0], result[1], result[2], result[3]


def _texel(b: Builder, shape: Shape, flat: tuple[Value, ...]) -> Channels:
    """At integer coordinates; outside of the texture the border."""
    o = Operands.of(flat)
    d, table = _descriptor(b, o.handle)
    last = b.sub(d.levels, b.const(I32, 1))
    level = Level.load(b, d.address, b.smin(b.smax(o.level, b.const(I32, 0)), last))
    at = tuple(
        Position(b.add(u, offset), b.const(I32, 0))
        for u, offset in zip(o.coordinates, _offsets(b, o.offset), strict=False)
    )
    return texel.fetched(b, d.format, _inside(b, d, level, at, _layer(b, d, o.layer)), table)


def _inside(b: Builder, d: Descriptor, level: Level, at: tuple[Position, ...], layer: Value) -> Channels:
    """The texel at a position, zeros outside."""
    sizes = level.sizes()
    there = b.compare("lt", at[0].first, sizes[0], signed=False)
    for axis, p in enumerate(at[1:], 1):
        there = b.and_(there, b.compare("lt", p.first, sizes[axis], signed=False))
    found = b.where(there, lambda: sample.neighbour(b, d, level, at, (0, 0, 0), layer), (b.const(I32, 0),) * 4)
    return found[0], found[1], found[2], found[3]


def _gathered(b: Builder, shape: Shape, component: int, flat: tuple[Value, ...]) -> Channels:
    """One channel of the four texels that a linear filter would weigh, from the lower left one against the clock."""
    o = Operands.of(flat)
    d, table = _descriptor(b, o.handle)
    level = Level.load(b, d.address, b.const(I32, 0))
    always = b.compare("t", o.layer, o.layer, signed=False)
    coordinates, layer = _plane(b, shape, d, o)
    offsets = _offsets(b, o.offset)
    at = sample.positions(b, d, level, coordinates, offsets, normalized=_normalized(b, shape, d), linear=always)
    found = [
        texel.fetched(b, d.format, sample.neighbour(b, d, level, at, step, layer), table)[component]
        for step in ((0, 1), (1, 1), (1, 0), (0, 0))
    ]
    return found[0], found[1], found[2], found[3]


def sampled(b: Builder, shape: Shape, operands: Operands) -> Channels:
    found = b.subroutine(f"sample_{shape.name}", lambda b, *flat: _sampled(b, shape, flat), operands.flat())
    return found[0], found[1], found[2], found[3]


def texel_at(b: Builder, shape: Shape, operands: Operands) -> Channels:
    found = b.subroutine(f"texel_{shape.name}", lambda b, *flat: _texel(b, shape, flat), operands.flat())
    return found[0], found[1], found[2], found[3]


def gathered(b: Builder, shape: Shape, component: int, operands: Operands) -> Channels:
    name = f"gather_{shape.name}_{component}"
    found = b.subroutine(name, lambda b, *flat: _gathered(b, shape, component, flat), operands.flat())
    return found[0], found[1], found[2], found[3]


def level_of(b: Builder, shape: Shape, handle: Value, slopes: tuple[Value, ...]) -> Value:
    """F32: the logarithm of the longer of the steps along x and y, in texels.

    ``slopes``: for each axis its change along x, then along y.
    """
    d, _ = _descriptor(b, handle)
    sizes = Level.load(b, d.address, b.const(I32, 0)).sizes()
    squares = []
    for direction in (0, 1):
        total = b.const(F32, 0)
        for axis in range(shape.axes):
            step = b.fmul(slopes[2 * axis + direction], b.int_to_float(sizes[axis], F32, signed=False))
            total = b.fma(step, step, total)
        squares.append(total)
    return b.fmul(b.mufu("lg2", b.fmax(squares[0], squares[1])), b.const(F32, _HALF))


def dimensions(b: Builder, handle: Value, level: Value) -> Channels:
    """Width, height and depth of a level as TXQ gives them: 0 for what the texture does not have."""
    d, _ = _descriptor(b, handle)
    one = b.const(I32, 1)
    found = Level.load(b, d.address, b.umin(level, b.sub(d.levels, one)))
    sizes = [b.select(b.compare("eq", s, one, signed=False), b.const(I32, 0), s) for s in found.sizes()[1:]]
    return found.width, sizes[0], sizes[1], b.const(I32, 0)
