"""Double precision. Immediates hold the high word; constants and registers are pairs."""

from __future__ import annotations

from cassc.sass.builder import I64, Builder, Value
from cassc.sass.isa.float32 import ROUNDING, rounding
from cassc.sass.isa.integer import BOOLEANS, bool_pair, combine
from cassc.sass.row import AB, AB_AS_C, ABC, AC, Instruction, choice, insn

# DSETP has MIN and MAX where the other comparisons have "never" and "always".
DOUBLE_COMPARISONS = "MIN LT EQ LE GT NE GE NUM NAN LTU EQU LEU GTU NEU GEU MAX"


@insn("DADD", 0x029, "Rd:f64, -|A:f64, -|B:f64", AC, ROUNDING)
def dadd(b: Builder, i: Instruction, x: Value, y: Value) -> Value:
    return b.fadd(x, y, rounding(i))


@insn("DMUL", 0x028, "Rd:f64, -|A:f64, -|B:f64", AB, ROUNDING)
def dmul(b: Builder, i: Instruction, x: Value, y: Value) -> Value:
    return b.fmul(x, y, rounding(i))


@insn("DFMA", 0x02B, "Rd:f64, -|A:f64, -|B:f64, -|C:f64", ABC, ROUNDING)
def dfma(b: Builder, i: Instruction, x: Value, y: Value, z: Value) -> Value:
    return b.fma(x, y, z, rounding(i))


@insn(
    "DSETP",
    0x02A,
    "Pu, Pv, -|A:f64, -|B:f64, !Pp",
    AB_AS_C,
    choice("cmp", 76, 4, DOUBLE_COMPARISONS),
    choice("bool", 74, 2, BOOLEANS),
)
def dsetp(b: Builder, i: Instruction, x: Value, y: Value, p: Value) -> tuple[Value, Value]:
    """MIN and MAX: the first predicate says that x is the result, the second that both are NaNs.

    Their code (fmin, fmax of doubles) selects x where the first holds, else y, which it quietens where the second does.
    """
    operation = i.mods["cmp"]
    if operation not in ("MIN", "MAX"):
        return bool_pair(b, i, b.fcompare(operation.lower(), x, y), p)
    c = b.fcompare("lt" if operation == "MIN" else "gt", x, y)
    # -0 counts as less than +0.
    negative = b.compare("lt", b.bitcast(x, I64), b.const(I64, 0), signed=True)
    c = b.or_(c, b.and_(b.fcompare("eq", x, y), negative if operation == "MIN" else b.not_(negative)))
    x_nan, y_nan = b.fcompare("nan", x, x), b.fcompare("nan", y, y)
    first = b.or_(c, b.and_(y_nan, b.not_(x_nan)))
    return combine(b, i.mods["bool"], first, p), combine(b, i.mods["bool"], b.and_(x_nan, y_nan), p)
