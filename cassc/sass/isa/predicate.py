"""Logic on predicates."""

from __future__ import annotations

from cassc.sass.builder import Builder, Value
from cassc.sass.fields import Field
from cassc.sass.isa.integer import lut3
from cassc.sass.row import Instruction, form, insn

# The first truth table is split over two fields (its low three bits stand at 64).


@insn("UPLOP3.LUT", 0x09C, "UPu, UPv, !UPp, !UPq, !UPr, SplitLut:int, Imm8at16:int", form(4), uniform=True)
@insn("PLOP3.LUT", 0x01C, "Pu, Pv, !Pp, !Pq, !Pr, SplitLut:int, Imm8at16:int", form(4), fixed={Field(67, 1): 0})
def plop3(b: Builder, i: Instruction, x: Value, y: Value, z: Value, first: int, second: int) -> tuple[Value, Value]:
    """Two functions of the same three predicates."""
    return lut3(b, first, x, y, z), lut3(b, second, x, y, z)
