"""One level of a texture at a position: a texel, or the weighted sum of its neighbours."""

from __future__ import annotations

from cassc.sass.builder import F64, I32, Builder, Value
from cassc.sass.textures import texel
from cassc.sass.textures.descriptor import AS_FLOAT, FLOAT, LINEAR, Descriptor, Level, field, flag
from cassc.sass.textures.position import Position, address, locate
from cassc.sass.textures.texel import Channels

_256TH = (0x3FF - 8) << 52


def weights(b: Builder, total: Value, x: Value, y: Value, z: Value | None) -> dict[tuple[int, int, int], Value]:
    """Shares of the neighbours (dx, dy, dz) in ``total`` of 256, given the weights of the second ones along each axis.

    Along x and z first, then along y, each product rounded half up, the rest by subtraction.
    """
    one = b.const(I32, 256)

    def product(p: Value, q: Value) -> Value:
        return b.lshr(b.add(b.mul(p, q), b.const(I32, 128)), b.const(I32, 8))

    x = product(x, total)
    if z is None:
        planes = {0: (b.sub(total, x), x)}
    else:
        both = product(x, z)
        near = product(x, b.sub(one, z))
        far = product(z, total)
        planes = {1: (b.sub(far, both), both), 0: (b.sub(b.sub(total, far), near), near)}
    found: dict[tuple[int, int, int], Value] = {}
    for dz, (left, right) in planes.items():
        upper = product(right, y)
        lower = product(left, b.sub(one, y))
        found |= {(1, 1, dz): upper, (1, 0, dz): b.sub(right, upper)}
        found |= {(0, 0, dz): lower, (0, 1, dz): b.sub(left, lower)}
    return found


def neighbour(
    b: Builder, d: Descriptor, level: Level, at: tuple[Position, ...], step: tuple[int, ...], layer: Value
) -> Channels:
    """The channels (`texel.channels`) of the texel ``step`` away from the first one along each axis."""
    sizes = level.sizes()
    places = [
        address(b, b.add(p.first, b.const(I32, step[axis])), sizes[axis], d.mode(b, axis)) for axis, p in enumerate(at)
    ]
    there = places[0][1]
    for _, inside in places[1:]:
        there = b.and_(there, inside)
    z = places[2][0] if len(at) > 2 else layer
    y = places[1][0] if len(at) > 1 else b.const(I32, 0)
    shift = field(b, d.format, 0, 3)
    raw = texel.words(b, level.texel(b, places[0][0], y, z, shift), shift, there)
    found = texel.channels(b, d.format, raw)
    chosen = [b.select(there, w, edge) for w, edge in zip(found, d.border(b), strict=True)]
    return chosen[0], chosen[1], chosen[2], chosen[3]


def level_at(
    b: Builder, d: Descriptor, level: Level, at: tuple[Position, ...], layer: Value, total: Value, table: Value
) -> tuple[Channels, tuple[Value, ...]]:
    """(the first texel as a point fetch returns it, the weighted sums as F64) at positions along one to three axes.

    ``total``: of the weights, 256 where no other level takes part.
    """
    zero = b.const(I32, 0)
    x, y = at[0].weight, at[1].weight if len(at) > 1 else zero
    shares = weights(b, total, x, y, at[2].weight if len(at) > 2 else None)
    first = neighbour(b, d, level, at, (0, 0, 0), layer)
    sums: tuple[Value, ...] = (b.const(F64, 1 << 63),) * 4
    for step, share in sorted(shares.items()):
        if len(at) == 1 and step[1]:
            continue

        def weighed(
            step: tuple[int, int, int] = step, share: Value = share, sums: tuple[Value, ...] = sums
        ) -> tuple[Value, ...]:
            found = neighbour(b, d, level, at, step, layer) if any(step) else first
            weight = b.int_to_float(share, F64, signed=False)
            summands = [texel.summand(b, d.format, word, k, table) for k, word in enumerate(found)]
            return tuple(b.fma(weight, s, total) for s, total in zip(summands, sums, strict=True))

        # A neighbour without a share is not looked at: it may be an infinity.
        sums = b.where(b.compare("ne", share, zero, signed=False), weighed, sums)
    return texel.fetched(b, d.format, first, table), tuple(b.fmul(s, b.const(F64, _256TH)) for s in sums)


def positions(
    b: Builder,
    d: Descriptor,
    level: Level,
    coordinates: tuple[Value, ...],
    offsets: tuple[Value, ...],
    *,
    normalized: Value,
    linear: Value,
) -> tuple[Position, ...]:
    """Along each axis, of F64 coordinates; ``offsets`` (I32) are added in texels."""
    found = []
    for axis, u in enumerate(coordinates):
        p = locate(b, u, level.sizes()[axis], d.mode(b, axis), normalized, linear)
        found.append(Position(b.add(p.first, offsets[axis]), p.weight))
    return tuple(found)


def filters(b: Builder, d: Descriptor) -> Value:
    """Whether fetches are weighted sums (I1)."""
    floating = b.compare("eq", field(b, d.format, 12, 2), b.const(I32, FLOAT), signed=False)
    return b.and_(flag(b, d.sampling, LINEAR), b.or_(floating, flag(b, d.format, AS_FLOAT)))
