"""Single precision."""

from __future__ import annotations

from cassc.sass import fields
from cassc.sass.builder import F32, I1, I32, Builder, Value
from cassc.sass.fields import Field
from cassc.sass.isa.integer import BOOLEANS, bool_pair
from cassc.sass.row import AB, AB_AS_C, ABC, Instruction, choice, flag, insn

FTZ = flag("FTZ", 80)
SAT = flag("SAT", 77)
ROUNDING = choice("rounding", 78, 2, "_ RM RP RZ")
FLOAT_COMPARISONS = "F LT EQ LE GT NE GE NUM NAN LTU EQU LEU GTU NEU GEU T"


def rounding(i: Instruction) -> str:
    return (i.mods["rounding"] or "RN").lower()


def inputs(b: Builder, i: Instruction, *values: Value) -> tuple[Value, ...]:
    return tuple(b.flush(v) for v in values) if i.has("FTZ") else values


def output(b: Builder, i: Instruction, value: Value) -> Value:
    """Saturation, then flushing, as the modifiers say."""
    if i.has("SAT"):
        value = b.saturate(value)
    return b.flush(value) if i.has("FTZ") else value


@insn("FADD", 0x021, "Rd:f32, -|A:f32, -|B:f32", AB_AS_C, FTZ, ROUNDING, SAT)
def fadd(b: Builder, i: Instruction, x: Value, y: Value) -> Value:
    x, y = inputs(b, i, x, y)
    return output(b, i, b.fadd(x, y, rounding(i)))


# The product may be scaled by a power of two before rounding; only the unscaled form has been seen to be needed.
FMUL_SCALE = {Field(84, 3): 4}


@insn("FMUL", 0x020, "Rd:f32, -|A:f32, -|B:f32", AB, FTZ, ROUNDING, SAT, fixed=FMUL_SCALE)
def fmul(b: Builder, i: Instruction, x: Value, y: Value) -> Value:
    x, y = inputs(b, i, x, y)
    return output(b, i, b.fmul(x, y, rounding(i)))


@insn("FFMA", 0x023, "Rd:f32, -|A:f32, -|B:f32, -|C:f32", ABC, FTZ, ROUNDING, SAT)
def ffma(b: Builder, i: Instruction, x: Value, y: Value, z: Value) -> Value:
    x, y, z = inputs(b, i, x, y, z)
    return output(b, i, b.fma(x, y, z, rounding(i)))


@insn("FMNMX", 0x009, "Rd:f32, -|A:f32, -|B:f32, !Pp", AB, FTZ)
def fmnmx(b: Builder, i: Instruction, x: Value, y: Value, p: Value) -> Value:
    x, y = inputs(b, i, x, y)
    return b.select(p, b.fmin(x, y), b.fmax(x, y))


@insn("FSEL", 0x008, "Rd:f32, -|A:f32, -|B:f32, !Pp", AB, FTZ)
def fsel(b: Builder, i: Instruction, x: Value, y: Value, p: Value) -> Value:
    """A bitwise choice: used on integers and halves of doubles too."""
    x, y = inputs(b, i, x, y)
    return b.select(p, x, y)


FSETP_MODIFIERS = (choice("cmp", 76, 4, FLOAT_COMPARISONS), FTZ, choice("bool", 74, 2, BOOLEANS))


@insn("FSETP", 0x00B, "Pu, Pv, -|A:f32, -|B:f32, !Pp", AB, *FSETP_MODIFIERS)
def fsetp(b: Builder, i: Instruction, x: Value, y: Value, p: Value) -> tuple[Value, Value]:
    x, y = inputs(b, i, x, y)
    return bool_pair(b, i, b.fcompare(i.mods["cmp"].lower(), x, y), p)


@insn("FSET", 0x00A, "Rd, -|A:f32, -|B:f32, !Pp", AB, flag("BF", 71), *FSETP_MODIFIERS)
def fset(b: Builder, i: Instruction, x: Value, y: Value, p: Value) -> Value:
    """1.0 (BF) or all ones where the comparison holds, else 0."""
    c, _ = fsetp(b, i, x, y, p)
    return b.select(c, b.const(I32, 0x3F800000 if i.has("BF") else -1), b.const(I32, 0))


MUFU_OPERATIONS = "COS SIN EX2 LG2 RCP RSQ RCP64H RSQ64H SQRT TANH"


@insn(
    "MUFU",
    0x108,
    "Rd:f32, -|B:f32",
    AB,
    choice("op", 74, 4, MUFU_OPERATIONS),
    approx="1 ulp of the correctly rounded result or the bound that the CUDA manual gives for the intrinsic",
)
def mufu(b: Builder, i: Instruction, x: Value) -> Value:
    """SIN and COS take revolutions; the 64H forms take and give the high word of a double."""
    return b.mufu(i.mods["op"].lower(), x)


@insn("FCHK", 0x102, "Pu, -|A:f32, -|B:f32", AB, fixed={Field(72 + 8, 1): 0})
def fchk(b: Builder, i: Instruction, x: Value, y: Value) -> Value:
    """True where the fast path of x / y may be inexact. The slow path is right for all inputs, so this is conservative.

    Biased exponents: x in 26..254, y in 2..252 and their difference in -125..125 take the fast path.
    """

    def exponent(v: Value) -> Value:
        return b.and_(b.lshr(b.bitcast(v, I32), b.const(I32, 23)), b.const(I32, 255))

    def inside(v: Value, low: int, high: int) -> Value:
        return b.compare("lt", b.sub(v, b.const(I32, low)), b.const(I32, high - low + 1), signed=False)

    ex, ey = exponent(x), exponent(y)
    fast = b.and_(inside(ex, 26, 254), b.and_(inside(ey, 2, 252), inside(b.sub(ex, ey), -125, 125)))
    return b.not_(fast)


__all__ = ["F32", "I1", "fields"]
