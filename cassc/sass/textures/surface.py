"""Accesses to surfaces: bytes of a texel at integer coordinates, x counted in bytes."""

from __future__ import annotations

from dataclasses import dataclass

from cassc.sass.builder import I1, I32, I64, Builder, Value
from cassc.sass.textures.descriptor import SLOT_BYTES, Descriptor, Level, field

CLAMP, IGNORE, TRAP = "", "IGN", "TRAP"


@dataclass(frozen=True, slots=True)
class Place:
    """``address`` of the bytes; ``inside`` (I1): whether the surface has them."""

    address: Value
    inside: Value


def locate(
    b: Builder, handle: Value, coordinates: tuple[Value, ...], layer: Value | None, size: int, boundary: str
) -> Place:
    """Of ``size`` bytes. The boundary mode moves coordinates to the edge, ends the launch outside, or does nothing."""
    table = b.texture_table()
    d = Descriptor.load(b, b.add(table, b.mul(b.zext(handle, I64), b.const(I64, SLOT_BYTES))))
    level = Level.load(b, d.address, b.const(I32, 0))
    zero = b.const(I32, 0)
    limits = [
        b.sub(b.shl(level.width, field(b, d.format, 0, 3)), b.const(I32, size)),
        b.sub(level.height, b.const(I32, 1)),
        b.sub(d.layers if layer is not None else level.depth, b.const(I32, 1)),
    ]
    asked = [*coordinates, *(zero,) * (2 - len(coordinates))][:3]
    if len(asked) < 3:
        asked.append(layer if layer is not None else zero)
    inside = b.const(I1, 1)
    if boundary == CLAMP:
        clamped = [b.smin(b.smax(c, zero), last) for c, last in zip(asked, limits, strict=True)]
        # A negative layer counts as one beyond the last.
        asked = clamped if layer is None else [*clamped[:2], b.umin(asked[2], limits[2])]
    else:
        for c, last in zip(asked, limits, strict=True):
            inside = b.and_(inside, b.compare("le", c, last, signed=False))
    address = level.texel(b, asked[0], asked[1], asked[2], zero)
    if boundary == TRAP:
        # Recorded: what CUDA's runtime reports is an illegal address.
        return Place(b.select(inside, address, b.const(I64, 0)), b.const(I1, 1))
    return Place(address, inside)
