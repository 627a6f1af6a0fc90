"""Packed half precision: two F16 in a register."""

from __future__ import annotations

from cassc.sass.builder import F16, I16, I32, Builder, Value
from cassc.sass.fields import Field
from cassc.sass.row import ABC, Instruction, insn


def halves(b: Builder, x: Value) -> tuple[Value, Value]:
    """Low and high F16 of an I32."""
    high = b.trunc(b.lshr(x, b.const(I32, 16)), I16)
    return b.bitcast(b.trunc(x, I16), F16), b.bitcast(high, F16)


def packed(b: Builder, low: Value, high: Value) -> Value:
    bits = [b.zext(b.bitcast(h, I16), I32) for h in (low, high)]
    return b.or_(bits[0], b.shl(bits[1], b.const(I32, 16)))


# Only the form without swizzles, saturation or other modifiers; ptxas loads constants with it: -RZ * RZ + {high, low}.
PLAIN = {Field(73, 2): 0, Field(76, 29): 0}


@insn("HFMA2.MMA", 0x035, "Rd, -A:h2, B:h2, -C:h2", ABC, fixed=PLAIN)
def hfma2(b: Builder, i: Instruction, x: Value, y: Value, z: Value) -> Value:
    results = [b.fma(*operands) for operands in zip(halves(b, x), halves(b, y), halves(b, z), strict=True)]
    return packed(b, *results)
