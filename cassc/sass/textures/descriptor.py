"""Descriptors of texture and surface objects, as the runtime writes them and kernels read them.

An object's handle is the number of a slot of 128 bytes in a table; the descriptor begins there:

======  ====  =====================================================================================================
offset  type  content
======  ====  =====================================================================================================
0       u32   format: bits 0-2 log2 of the bytes of a texel, 4-6 channels, 8-9 log2 of the bytes of a channel,
              12-13 kind (0 signed, 1 unsigned, 2 float), 16 integers are read as floats in [0, 1] or [-1, 1], 17 sRGB
4       u32   sampling: bits 0-1, 2-3, 4-5 address mode along x, y, z (0 wrap, 1 clamp, 2 mirror, 3 border), 8 linear
              filter, 9 linear between levels, 10 normalized coordinates, 11 filtering crosses the edges of cube faces
8       u32   levels
12      f32   added to the level of detail; 16 and 20: its least and greatest value
24      u32   layers (of a cubemap: six for each cube)
32      4*32  colour of the border, as a fetch returns it
96      32*k  level k: u64 address, u32 width, u32 height, u32 depth, u32 pitch (bytes from row to row), u64 bytes from
              slice to slice, or from layer to layer
======  ====  =====================================================================================================

Slots 0 to 7 hold no descriptor but the 256 floats that sRGB bytes stand for, so that no handle is 0.
"""

from __future__ import annotations

from dataclasses import dataclass

from cassc.sass.builder import F32, I1, I32, I64, Builder, Space, Value

SLOT_BYTES = 128
LEVELS_OFFSET = 96
LEVEL_BYTES = 32

SIGNED, UNSIGNED, FLOAT = range(3)
WRAP, CLAMP, MIRROR, BORDER = range(4)
LINEAR, MIP_LINEAR, NORMALIZED, SEAMLESS = 8, 9, 10, 11
AS_FLOAT, SRGB = 16, 17


def field(b: Builder, word: Value, low: int, width: int) -> Value:
    """Bits of an I32."""
    return b.and_(b.lshr(word, b.const(I32, low)), b.const(I32, (1 << width) - 1))


def flag(b: Builder, word: Value, bit: int) -> Value:
    return b.trunc(b.lshr(word, b.const(I32, bit)), I1)


@dataclass(frozen=True, slots=True)
class Descriptor:
    """The part of a descriptor that all levels share."""

    address: Value
    format: Value
    sampling: Value
    levels: Value
    bias: Value
    least: Value
    greatest: Value
    layers: Value

    @classmethod
    def load(cls, b: Builder, address: Value) -> Descriptor:
        format, sampling, levels, bias = b.load(Space.GLOBAL, address, 16)
        least, greatest, layers, _ = b.load(Space.GLOBAL, b.add(address, b.const(I64, 16)), 16)
        bounds = b.bitcast(least, F32), b.bitcast(greatest, F32)
        return cls(address, format, sampling, levels, b.bitcast(bias, F32), *bounds, layers)

    def border(self, b: Builder) -> tuple[Value, ...]:
        return b.load(Space.GLOBAL, b.add(self.address, b.const(I64, 32)), 16)

    def mode(self, b: Builder, axis: int) -> Value:
        return field(b, self.sampling, 2 * axis, 2)


@dataclass(frozen=True, slots=True)
class Level:
    address: Value
    width: Value
    height: Value
    depth: Value
    pitch: Value
    slice: Value

    @classmethod
    def load(cls, b: Builder, descriptor: Value, level: Value) -> Level:
        offset = b.add(b.mul(level, b.const(I32, LEVEL_BYTES)), b.const(I32, LEVELS_OFFSET))
        at = b.add(descriptor, b.zext(offset, I64))
        low, high, width, height = b.load(Space.GLOBAL, at, 16)
        depth, pitch, slice_low, slice_high = b.load(Space.GLOBAL, b.add(at, b.const(I64, 16)), 16)
        return cls(b.pair(low, high), width, height, depth, pitch, b.pair(slice_low, slice_high))

    def sizes(self) -> tuple[Value, Value, Value]:
        return self.width, self.height, self.depth

    def texel(self, b: Builder, x: Value, y: Value, z: Value, shift: Value) -> Value:
        """Address of a texel of 2**shift bytes (an I32); ``z`` counts slices or layers."""
        row = b.mul(b.zext(y, I64), b.zext(self.pitch, I64))
        plane = b.mul(b.zext(z, I64), self.slice)
        return b.add(b.add(b.add(self.address, plane), row), b.shl(b.zext(x, I64), b.zext(shift, I64)))
