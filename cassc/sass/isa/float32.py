"""Single precision."""

from __future__ import annotations

import struct
from typing import Any

from cassc.sass.builder import BF16, F16, F32, F64, I16, I32, RZ, Builder, Type, Value
from cassc.sass.fields import Field
from cassc.sass.isa.integer import BOOLEANS, UNIFORM_AB, UNIFORM_ABC, bool_pair
from cassc.sass.operand import Const, Operand, Reg, UReg
from cassc.sass.row import AB, AB_AS_C, ABC, Instruction, Modifier, choice, flag, insn, only, split

# The uniform datapath has floats since sm_120.
UNIFORM: dict[str, Any] = {"uniform": True, "first_sm": 120}
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


@insn("UFADD", 0x054, "URd:f32, -|UA:f32, -|UB:f32", only(AB_AS_C, 2), FTZ, ROUNDING, SAT, **UNIFORM)
@insn("UFADD", 0x054, "URd:f32, -|UA:f32, -|UB:f32", {1: {"B": "cr"}}, FTZ, ROUNDING, SAT, **UNIFORM)
@insn("FADD", 0x021, "Rd:f32, -|A:f32, -|B:f32", AB_AS_C, FTZ, ROUNDING, SAT)
def fadd(b: Builder, i: Instruction, x: Value, y: Value) -> Value:
    x, y = inputs(b, i, x, y)
    return output(b, i, b.fadd(x, y, rounding(i)))


# FTZ flushes denormals; FMZ moreover makes 0 times anything 0.
ZEROS = split("FTZ", [(76, 1), (80, 1)], {0: "", 1: "FMZ", 2: "FTZ"})


def _zero_factor(b: Builder, i: Instruction, x: Value, y: Value, product: Value, otherwise: Value) -> Value:
    """With FMZ, ``otherwise`` where a factor is zero."""
    if i.mods["FTZ"] != "FMZ":
        return product
    zero = b.const(F32, 0)
    return b.select(b.or_(b.fcompare("eq", x, zero), b.fcompare("eq", y, zero)), otherwise, product)


SCALES = {0: None, 1: "D8", 2: "D4", 3: "D2", 4: "", 5: "M2", 6: "M4", 7: "M8"}
SCALE = Modifier("scale", Field(84, 3), tuple(SCALES.values()))
SCALE_FACTORS = {"D8": 0.125, "D4": 0.25, "D2": 0.5, "M2": 2.0, "M4": 4.0, "M8": 8.0}


@insn("UFMUL", 0x056, "URd:f32, -|UA:f32, -|UB:f32", UNIFORM_AB, ZEROS, SCALE, ROUNDING, SAT, **UNIFORM)
@insn("FMUL", 0x020, "Rd:f32, -|A:f32, -|B:f32", AB, ZEROS, SCALE, ROUNDING, SAT)
def fmul(b: Builder, i: Instruction, x: Value, y: Value) -> Value:
    """The product is scaled by a power of two before it is rounded."""
    x, y = inputs(b, i, x, y)
    factor = SCALE_FACTORS.get(i.mod("scale"))
    if factor is None:
        product = b.fmul(x, y, rounding(i))
    else:
        scale = b.const(F64, struct.unpack("<Q", struct.pack("<d", factor))[0])
        exact = b.fmul(b.fmul(b.fconvert(x, F64), b.fconvert(y, F64)), scale)
        product = b.fconvert(exact, F32, rounding(i))
    return output(b, i, _zero_factor(b, i, x, y, product, b.const(F32, 0)))


@insn("UFFMA", 0x055, "URd:f32, -|UA:f32, -|UB:f32, -|UC:f32", UNIFORM_ABC, ZEROS, ROUNDING, SAT, **UNIFORM)
@insn("FFMA", 0x023, "Rd:f32, -|A:f32, -|B:f32, -|C:f32", ABC, ZEROS, ROUNDING, SAT)
def ffma(b: Builder, i: Instruction, x: Value, y: Value, z: Value) -> Value:
    x, y, z = inputs(b, i, x, y, z)
    return output(b, i, _zero_factor(b, i, x, y, b.fma(x, y, z, rounding(i)), z))


NAN = flag("NAN", 81)


def minmax(b: Builder, i: Instruction, x: Value, y: Value, p: Value) -> Value:
    """Minimum where p, else maximum; with NAN a NaN if either is one."""
    value = b.select(p, b.fmin(x, y), b.fmax(x, y))
    return b.select(b.fcompare("nan", x, y), b.fadd(x, y), value) if i.has("NAN") else value


@insn("FMNMX", 0x009, "Rd:f32, -|A:f32, -|B:f32, !Pp", AB, FTZ, last_sm=75)
@insn("FMNMX", 0x009, "Rd:f32, -|A:f32, -|B:f32, !Pp", AB, FTZ, NAN, first_sm=80)
def fmnmx(b: Builder, i: Instruction, x: Value, y: Value, p: Value) -> Value:
    x, y = inputs(b, i, x, y)
    return minmax(b, i, x, y, p)


@insn(
    "FMNMX",
    0x009,
    "Rd, -|A:part, -|B:part, !Pp",
    only(AB, 1),
    FTZ,
    NAN,
    flag("XORSIGN", 82),
    fixed={Field(82, 1): 1},
    first_sm=86,
)
def fmnmx_xorsign(b: Builder, i: Instruction, x: Value, y: Value, p: Value) -> Value:
    """Smaller or larger magnitude, with the product of the signs (PTX ISA, ``min.xorsign.abs``)."""
    v, w = inputs(b, i, *(b.fabs(b.bitcast(u, F32)) for u in (x, y)))
    magnitude = b.fabs(minmax(b, i, v, w, p))
    return b.or_(b.bitcast(magnitude, I32), b.and_(b.xor(x, y), b.const(I32, 1 << 31)))


@insn(
    "FMNMX3",
    0x076,
    "Rd:f32, -|A:f32, -|B:f32, -|C:f32, !Pp",
    ABC,
    FTZ,
    NAN,
    first_sm=100,
    last_sm=110,
    argued="PTX min and max of three",
)
def fmnmx3(b: Builder, i: Instruction, x: Value, y: Value, z: Value, p: Value) -> Value:
    x, y, z = inputs(b, i, x, y, z)
    return minmax(b, i, minmax(b, i, x, y, p), z, p)


@insn("UFSEL", 0x051, "URd:f32, -|UA:f32, -|UB:f32, !UPp", UNIFORM_AB, FTZ, **UNIFORM)
@insn("FSEL", 0x008, "Rd:f32, -|A:f32, -|B:f32, !Pp", AB, FTZ)
def fsel(b: Builder, i: Instruction, x: Value, y: Value, p: Value) -> Value:
    """A bitwise choice: used on integers and halves of doubles too."""
    x, y = inputs(b, i, x, y)
    return b.select(p, x, y)


FSETP_MODIFIERS = (choice("cmp", 76, 4, FLOAT_COMPARISONS), FTZ, choice("bool", 74, 2, BOOLEANS))


@insn("UFSETP", 0x053, "UPu, UPv, -|UA:f32, -|UB:f32, !UPp", UNIFORM_AB, *FSETP_MODIFIERS, **UNIFORM)
@insn("FSETP", 0x00B, "Pu, Pv, -|A:f32, -|B:f32, !Pp", AB, *FSETP_MODIFIERS)
def fsetp(b: Builder, i: Instruction, x: Value, y: Value, p: Value) -> tuple[Value, Value]:
    x, y = inputs(b, i, x, y)
    return bool_pair(b, i, b.fcompare(i.mods["cmp"].lower(), x, y), p)


@insn("FSET.BF", 0x00A, "Rd, -|A:f32, -|B:f32, !Pp", AB, *FSETP_MODIFIERS)
def fset(b: Builder, i: Instruction, x: Value, y: Value, p: Value) -> Value:
    """1.0 where the comparison holds, else 0."""
    c, _ = fsetp(b, i, x, y, p)
    return b.select(c, b.const(I32, 0x3F800000), b.const(I32, 0))


MUFU_OPERATION = choice("op", 74, 4, "COS SIN EX2 LG2 RCP RSQ RCP64H RSQ64H SQRT TANH")
MUFU_APPROX = "1 ulp of the correctly rounded result or the bound in the CUDA manual; on request NVIDIA's bits"


@insn("MUFU", 0x108, "Rd:f32, -|B:f32", AB, MUFU_OPERATION, approx=MUFU_APPROX)
def mufu(b: Builder, i: Instruction, x: Value) -> Value:
    """SIN and COS take revolutions; the 64H forms take and give the high word of a double."""
    return b.mufu(i.mods["op"].lower(), x)


F16_OVERFLOW, F16_INFINITY = 0x47800000, 0x7C00  # 65536 in f32
MUFU_HALF_OPERATION = choice("op", 74, 4, "- - EX2 - - - - - - TANH")


@insn(
    "MUFU",
    0x108,
    "Rd, -|B:part",
    only(AB, 1, 5),
    MUFU_HALF_OPERATION,
    choice("format", 72, 2, "- - F16"),
    first_sm=75,
    last_sm=89,
    approx=MUFU_APPROX,
)
@insn(
    "MUFU",
    0x108,
    "Rd, -|B:part",
    only(AB, 1, 5),
    MUFU_HALF_OPERATION,
    choice("format", 72, 2, "- F16 BF16"),
    first_sm=90,
    approx=MUFU_APPROX,
)
def mufu_half(b: Builder, i: Instruction, x: Value) -> Value:
    """The result of f32, cut off to 16 bits; but infinite where the exponential is too large for them."""
    type = {"F16": F16, "BF16": BF16}[i.mods["format"]]
    wide = b.mufu(i.mods["op"].lower(), b.fconvert(narrow_float(b, i.operands[1], x, type), F32))
    bits = b.zext(b.bitcast(b.fconvert(wide, type, RZ), I16), I32)
    if type is BF16 or i.mods["op"] == "TANH":
        return bits
    return b.select(b.fcompare("ge", wide, b.const(F32, F16_OVERFLOW)), b.const(I32, F16_INFINITY), bits)


def narrow_float(b: Builder, operand: Operand, x: Value, type: Type) -> Value:
    """A 16-bit float out of a ``part`` operand, with its sign modifiers."""
    assert isinstance(operand, Reg | UReg | Const)
    if operand.suffix == ".H1":
        x = b.lshr(x, b.const(I32, 16))
    return signed_as(b, operand, b.bitcast(b.trunc(x, I16), type))


def signed_as(b: Builder, operand: Operand, x: Value) -> Value:
    """Absolute value and negation of a float, as the operand says."""
    if getattr(operand, "absolute", False):
        x = b.fabs(x)
    return b.fneg(x) if getattr(operand, "negated", False) else x


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
