"""Logic on predicates."""

from __future__ import annotations

from cassc.sass import fields
from cassc.sass.builder import I32, Builder, Value
from cassc.sass.isa.integer import lut3
from cassc.sass.row import ABC, Instruction, form, insn, only

# The first truth table is split over two fields (its low three bits stand at 64).


@insn("UPLOP3.LUT", 0x09C, "UPu, UPv, !UPp, !UPq, !UPr, SplitLut:int, Imm8at16:int", form(4), uniform=True)
@insn("PLOP3.LUT", 0x01C, "Pu, Pv, !Pp, !Pq, !PrOrUPr, SplitLut:int, Imm8at16:int", form(4))
def plop3(b: Builder, i: Instruction, x: Value, y: Value, z: Value, first: int, second: int) -> tuple[Value, Value]:
    """Two functions of the same three predicates."""
    return lut3(b, first, x, y, z), lut3(b, second, x, y, z)


@insn(
    "PLOP3.LUT",
    0x01F,
    "Pu, Pv, A:u32sign, B:u32sign, C:u32sign, Lut:int, Imm8at16:int",
    only(ABC, 1),
    fixed={fields.PP: 0},
)
def plop3_signs(
    b: Builder, i: Instruction, x: Value, y: Value, z: Value, first: int, second: int
) -> tuple[Value, Value]:
    """Two functions of the sign bits of three registers."""
    x, y, z = (b.compare("lt", v, b.const(I32, 0), signed=True) for v in (x, y, z))
    return lut3(b, first, x, y, z), lut3(b, second, x, y, z)
