"""Conversions between integers and floats."""

from __future__ import annotations

import itertools

from cassc.sass import fields
from cassc.sass.builder import BF16, F16, F32, F64, I8, I16, I32, I64, RM, RP, Builder, Type, Value
from cassc.sass.fields import Field
from cassc.sass.isa.float32 import narrow_float, signed_as
from cassc.sass.operand import Const, Reg, UReg
from cassc.sass.row import AB, Instruction, Modifier, choice, flag, insn, only, split

ROUND = choice("rounding", 78, 2, "_ RM RP RZ")
ROUND_INTEGRAL = choice("rounding", 78, 2, "_ FLOOR CEIL TRUNC")
ROUNDINGS = {"": "rn", "RM": "rm", "RP": "rp", "RZ": "rz", "FLOOR": "rm", "CEIL": "rp", "TRUNC": "rz"}
FLOATS: dict[str, Type] = {"F16": F16, "F32": F32, "": F32, "F64": F64, "BF16": BF16}
INTEGERS: dict[str, tuple[Type, bool]] = {
    "U8": (I8, False), "U16": (I16, False), "U32": (I32, False), "U64": (I64, False),
    "S8": (I8, True), "S16": (I16, True), "": (I32, True), "S32": (I32, True), "S64": (I64, True),
}  # fmt: skip
FTZ = flag("FTZ", 80)
ANYWHERE = only(AB, 1, 5, 6)  # nothing emits conversions of other constants
UB, UI, UNIFORM = only(AB, 1), only(AB, 4), {fields.USES_UNIFORM: 1}


def _round(i: Instruction) -> str:
    return ROUNDINGS[i.mods["rounding"]]


def _integer(b: Builder, i: Instruction, x: Value, type: Type) -> Value:
    """The integer of the given width out of a register, at the byte or half that operand B selects."""
    operand = i.operands[1]
    if type.bits < 32 and isinstance(operand, Reg | UReg | Const) and operand.suffix:
        x = b.lshr(x, b.const(I32, int(operand.suffix[2:]) * type.bits))
    return b.trunc(x, type) if type.bits < x.type.bits else x


def _float(b: Builder, i: Instruction, x: Value) -> Value:
    """The float that operand B holds, with its sign modifiers."""
    if x.type is F64:
        return x
    type = FLOATS[i.mods["source"]]
    if type.bits == 16:
        return narrow_float(b, i.operands[1], x, type)
    return signed_as(b, i.operands[1], b.bitcast(x, type))


def _as_word(b: Builder, x: Value) -> Value:
    bits = b.bitcast(x, {16: I16, 32: I32, 64: I64}[x.type.bits])
    return b.zext(bits, I32) if x.type.bits == 16 else bits


# Integer source: size at 84, signed at 74. The two opcodes differ in which side is 64 bits wide.
SOURCE_32 = split("source", [(84, 2), (74, 1)], {0: "U8", 1: "U16", 2: "U32", 4: "S8", 5: "S16", 6: ""})
I2F_DEST_80, I2F_DEST_90 = choice("dest", 75, 3, "- F16 _"), choice("dest", 75, 3, "- F16 _ - BF16")


def _int_to_float(b: Builder, i: Instruction, x: Value) -> Value:
    type, signed = INTEGERS[i.mods["source"]]
    value = b.int_to_float(_integer(b, i, x, type), FLOATS[i.mods["dest"]], signed=signed, rounding=_round(i))
    return _as_word(b, value)


@insn("I2F", 0x106, "Rd, B:part", AB, I2F_DEST_80, SOURCE_32, ROUND, last_sm=89)
@insn("UI2F", 0x05A, "URd, UB:part", UB, I2F_DEST_90, SOURCE_32, ROUND, uniform=True, first_sm=120)
@insn("UI2F", 0x05A, "URd, UB:part", UI, I2F_DEST_90, SOURCE_32, ROUND, fixed=UNIFORM, uniform=True, first_sm=120)
@insn("I2F", 0x106, "Rd, B:part", AB, I2F_DEST_90, SOURCE_32, ROUND, first_sm=90)
def i2f(b: Builder, i: Instruction, x: Value) -> Value:
    return _int_to_float(b, i, x)


@insn("I2F", 0x112, "Rd:u64, B:part", AB, choice("dest", 75, 3, "- - - F64"), SOURCE_32, ROUND)
def i2f_to_double(b: Builder, i: Instruction, x: Value) -> Value:
    return _int_to_float(b, i, x)


WIDE_SOURCE = split("source", [(84, 2), (74, 1)], {3: "U64", 7: "S64"})


@insn("I2F", 0x112, "Rd:u64, B:u64", ANYWHERE, choice("dest", 75, 3, "- - - F64"), WIDE_SOURCE, ROUND)
def i2f_wide_to_double(b: Builder, i: Instruction, x: Value) -> Value:
    return _int_to_float(b, i, x)


@insn("I2F", 0x112, "Rd, B:u64", ANYWHERE, I2F_DEST_80, WIDE_SOURCE, ROUND, last_sm=89)
@insn("I2F", 0x112, "Rd, B:u64", ANYWHERE, I2F_DEST_90, WIDE_SOURCE, ROUND, first_sm=90)
def i2f_from_wide(b: Builder, i: Instruction, x: Value) -> Value:
    return _int_to_float(b, i, x)


I2FP = (choice("source", 74, 1, "U32 S32"), choice("rounding", 78, 2, "_ - - RZ"))
I2FP_FIXED = {Field(75, 3): 2, Field(84, 2): 2}


@insn("UI2FP.F32", 0x05E, "URd:f32, UB", UB, *I2FP, fixed=I2FP_FIXED, uniform=True, first_sm=120)
@insn("UI2FP.F32", 0x05E, "URd:f32, UB", UI, *I2FP, fixed={**I2FP_FIXED, **UNIFORM}, uniform=True, first_sm=120)
@insn("I2FP.F32", 0x045, "Rd:f32, B", AB, *I2FP, fixed=I2FP_FIXED, first_sm=86)
def i2fp(b: Builder, i: Instruction, x: Value) -> Value:
    return b.int_to_float(x, F32, signed=i.mods["source"] == "S32", rounding=_round(i))


# Float to integer --------------------------------------------------------------------------------------------------
DEST_32 = split("dest", [(75, 2), (72, 1)], {0: "U8", 1: "U16", 2: "U32", 4: "S8", 5: "S16", 6: ""})
DEST_64 = split("dest", [(75, 2), (72, 1)], {3: "U64", 7: "S64"})
NTZ = flag("NTZ", 77)


def _float_to_int(b: Builder, i: Instruction, x: Value) -> Value:
    """Results narrower than a register are clamped to the type and extended by its sign.

    A NaN gives 0, but where a double or a 64-bit integer takes part the type's sign bit (recorded on sm_90).
    """
    type, signed = INTEGERS[i.mods["dest"]]
    source, rounding = _float(b, i, x), _round(i)
    if i.has("FTZ") and rounding in (RP, RM):  # otherwise what would be flushed becomes 0 anyway
        source = b.flush(source)
    value = b.float_to_int(source, type, signed=signed, rounding=rounding)
    if source.type is F64 or type is I64:
        value = b.select(b.fcompare("nan", source, source), b.const(type, 1 << (type.bits - 1)), value)
    if type.bits < 32:
        return b.sext(value, I32) if signed else b.zext(value, I32)
    return value


F2I_SOURCE_80, F2I_SOURCE_90 = choice("source", 84, 3, "- F16 _"), choice("source", 84, 3, "- F16 _ - BF16")
F2I_SOURCE_64 = choice("source", 84, 3, "- - - F64")


@insn("F2I", 0x105, "Rd, -|B:part", ANYWHERE, FTZ, DEST_32, F2I_SOURCE_80, ROUND_INTEGRAL, NTZ, last_sm=89)
@insn("UF2I", 0x05C, "URd, -|UB:part", UB, FTZ, DEST_32, F2I_SOURCE_90, ROUND_INTEGRAL, NTZ, uniform=True, first_sm=120)
@insn("F2I", 0x105, "Rd, -|B:part", ANYWHERE, FTZ, DEST_32, F2I_SOURCE_90, ROUND_INTEGRAL, NTZ, first_sm=90)
def f2i(b: Builder, i: Instruction, x: Value) -> Value:
    return _float_to_int(b, i, x)


@insn("F2I", 0x111, "Rd, -|B:f64", ANYWHERE, FTZ, DEST_32, F2I_SOURCE_64, ROUND_INTEGRAL, NTZ)
def f2i_from_double(b: Builder, i: Instruction, x: Value) -> Value:
    return _float_to_int(b, i, x)


@insn("F2I", 0x111, "Rd:u64, -|B:part", ANYWHERE, FTZ, DEST_64, F2I_SOURCE_80, ROUND_INTEGRAL, NTZ, last_sm=89)
@insn("F2I", 0x111, "Rd:u64, -|B:part", ANYWHERE, FTZ, DEST_64, F2I_SOURCE_90, ROUND_INTEGRAL, NTZ, first_sm=90)
def f2i_to_wide(b: Builder, i: Instruction, x: Value) -> Value:
    return _float_to_int(b, i, x)


@insn("F2I", 0x111, "Rd:u64, -|B:f64", ANYWHERE, FTZ, DEST_64, F2I_SOURCE_64, ROUND_INTEGRAL, NTZ)
def f2i_double_to_wide(b: Builder, i: Instruction, x: Value) -> Value:
    return _float_to_int(b, i, x)


# Float to float ----------------------------------------------------------------------------------------------------
def _float_to_float(b: Builder, i: Instruction, x: Value) -> Value:
    source = _float(b, i, x)
    if i.has("FTZ"):
        source = b.flush(source)
    value = b.fconvert(source, FLOATS[i.mods["dest"]], _round(i))
    return _as_word(b, b.flush(value) if i.has("FTZ") else value)


HALVES_80 = "- F16 F32"
ANY_32 = "- F16 F32 - BF16"
DOUBLE = "- - - F64"


def _formats(dests: str, sources: str) -> tuple[Modifier, Modifier, Modifier]:
    """Destination and source, which must differ."""
    dest, source = choice("dest", 75, 3, dests), choice("source", 84, 3, sources)
    values = itertools.product(enumerate(dest.names), enumerate(source.names))
    pairs = {d | s << 3: "yes" for (d, to), (s, of) in values if to is not None and of is not None and to != of}
    differ = split("differ", [(75, 3), (84, 3)], pairs)
    return dest, source, Modifier("differ", differ.field, differ.names, printed=False)


@insn("F2F", 0x104, "Rd, -|B:part", ANYWHERE, FTZ, *_formats(HALVES_80, HALVES_80), ROUND, last_sm=89)
@insn("F2F", 0x104, "Rd, -|B:part", ANYWHERE, FTZ, *_formats("- - - - BF16", "- - F32"), ROUND, first_sm=80, last_sm=89)
@insn("F2F", 0x104, "Rd, -|B:part", ANYWHERE, FTZ, *_formats(ANY_32, ANY_32), ROUND, first_sm=90)
def f2f(b: Builder, i: Instruction, x: Value) -> Value:
    return _float_to_float(b, i, x)


@insn("F2F", 0x110, "Rd, -|B:f64", ANYWHERE, FTZ, *_formats(HALVES_80, DOUBLE), ROUND, last_sm=89)
@insn("F2F", 0x110, "Rd, -|B:f64", ANYWHERE, FTZ, *_formats(ANY_32, DOUBLE), ROUND, first_sm=90)
def f2f_from_double(b: Builder, i: Instruction, x: Value) -> Value:
    return _float_to_float(b, i, x)


@insn("F2F", 0x110, "Rd:u64, -|B:part", ANYWHERE, FTZ, *_formats(DOUBLE, HALVES_80), ROUND, last_sm=89)
@insn("F2F", 0x110, "Rd:u64, -|B:part", ANYWHERE, FTZ, *_formats(DOUBLE, ANY_32), ROUND, first_sm=90)
def f2f_to_double(b: Builder, i: Instruction, x: Value) -> Value:
    return _float_to_float(b, i, x)


FRND_TYPE = [(75, 3), (84, 3)]
FRND_80, FRND_90 = {0o11: "F16", 0o22: ""}, {0o11: "F16", 0o22: "", 0o44: "BF16"}


@insn(
    "UFRND",
    0x05D,
    "URd, -|UB:part",
    UB,
    FTZ,
    split("source", FRND_TYPE, FRND_90),
    ROUND_INTEGRAL,
    uniform=True,
    first_sm=120,
)
@insn("FRND", 0x107, "Rd, -|B:part", ANYWHERE, FTZ, split("source", FRND_TYPE, FRND_80), ROUND_INTEGRAL, last_sm=89)
@insn("FRND", 0x107, "Rd, -|B:part", ANYWHERE, FTZ, split("source", FRND_TYPE, FRND_90), ROUND_INTEGRAL, first_sm=90)
@insn("FRND", 0x113, "Rd:u64, -|B:f64", ANYWHERE, FTZ, split("source", FRND_TYPE, {0o33: "F64"}), ROUND_INTEGRAL)
def frnd(b: Builder, i: Instruction, x: Value) -> Value:
    source = _float(b, i, x)
    if i.has("FTZ"):
        source = b.flush(source)
    return _as_word(b, b.fround(source, _round(i)))
