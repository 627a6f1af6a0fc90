"""Conversions that narrow and pack: F2FP (f16, bf16, tf32, fp8), F2IP, I2I, I2IP."""

from __future__ import annotations

from cassc.sass import fields
from cassc.sass.builder import BF16, F16, F32, I8, I16, I32, RN, RZ, Builder, Value
from cassc.sass.fields import Field
from cassc.sass.isa.half import halves, packed
from cassc.sass.isa.integer import B_ANYWHERE
from cassc.sass.row import AB, Instruction, Modifier, choice, flag, insn, split

NO_A, NO_C = {fields.RA: 255}, {fields.RC: 255}

# Floats ------------------------------------------------------------------------------------------------------------
RELU = flag("RELU", 75)
SATFINITE = flag("SATFINITE", 77)
ROUND = choice("rounding", 79, 3, "_ - - RZ")
# What is packed: both sources; B over the low half of C; two narrow floats out of B; B alone; two halves of B, or A and
# B, as bytes over the low half of C. Only RZ is known as C.
PACK_AB, MERGE_C, UNPACK_B, PACK_B, UNPACK_B_MERGE_C, PACK_AB_MERGE_C = range(6)
PACKINGS = ("PACK_AB", "MERGE_C", "UNPACK_B", "PACK_B", "UNPACK_B_MERGE_C", "PACK_AB_MERGE_C")


def packing(number: int) -> Modifier:
    return split("packing", [(78, 1), (89, 2)], {number: PACKINGS[number]})


def dest(names: dict[int, str]) -> Modifier:
    return split("dest", [(76, 1), (86, 2)], names)


def source(names: dict[int, str]) -> Modifier:
    return split("source", [(73, 2)], names)


DEST_80 = choice("dest", 76, 1, "_ BF16")
DEST_HALF = dest({0: "F16", 1: "BF16"})
DEST_FP8 = dest({4: "E5M2", 5: "E4M3"})
FROM_F32, FROM_F16, FROM_FP8 = source({0: "F32"}), source({1: "F16"}), source({2: "E5M2", 3: "E4M3"})


def _relu(b: Builder, i: Instruction, x: Value) -> Value:
    zero = b.const(x.type, 0)
    return b.select(b.fcompare("gtu", x, zero), x, zero) if i.has("RELU") else x


def _to_half(b: Builder, i: Instruction, x: Value) -> Value:
    """F32 to the half type that the instruction names."""
    type = BF16 if i.mods["dest"] == "BF16" else F16
    value = _relu(b, i, b.fconvert(x, type, RZ if i.mods["rounding"] == "RZ" else RN))
    if i.has("SATFINITE"):
        bits = b.bitcast(value, I16)
        infinity = 0x7F80 if type is BF16 else 0x7C00
        magnitude = b.and_(bits, b.const(I16, 0x7FFF))
        infinite = b.compare("eq", magnitude, b.const(I16, infinity), signed=False)
        value = b.bitcast(b.select(infinite, b.sub(bits, b.const(I16, 1)), bits), type)
    return value


PACK_80 = (SATFINITE, RELU, DEST_80)
PACK_90 = (SATFINITE, RELU, DEST_HALF, FROM_F32)


@insn("F2FP", 0x03E, "Rd, A:f32, B:f32", AB, *PACK_80, packing(PACK_AB), ROUND, fixed=NO_C, first_sm=80, last_sm=88)
@insn("F2FP", 0x03E, "Rd, A:f32, B:f32", AB, *PACK_90, packing(PACK_AB), ROUND, fixed=NO_C, first_sm=89)
def f2fp_pack(b: Builder, i: Instruction, x: Value, y: Value) -> Value:
    """x becomes the high half, y the low one."""
    return packed(b, _to_half(b, i, y), _to_half(b, i, x))


MERGED = {**NO_A, **NO_C}


@insn(
    "F2FP", 0x03E, "Rd, B:f32, Rc", B_ANYWHERE, *PACK_80, packing(MERGE_C), ROUND, fixed=MERGED, first_sm=80, last_sm=88
)
@insn("F2FP", 0x03E, "Rd, B:f32, Rc", B_ANYWHERE, *PACK_90, packing(MERGE_C), ROUND, fixed=MERGED, first_sm=89)
def f2fp_merge(b: Builder, i: Instruction, x: Value, low: Value) -> Value:
    half = b.zext(b.bitcast(_to_half(b, i, x), I16), I32)
    return b.or_(half, b.shl(low, b.const(I32, 16)))


@insn(
    "F2FP",
    0x03E,
    "Rd, B:f32",
    AB,
    RELU,
    dest({3: "TF32"}),
    FROM_F32,
    packing(PACK_B),
    ROUND,
    fixed=MERGED,
    first_sm=89,
)
def f2fp_tf32(b: Builder, i: Instruction, x: Value) -> Value:
    """F32 with the low 13 bits of the fraction rounded away."""
    bits = b.bitcast(_relu(b, i, x), I32)
    if i.mods["rounding"] != "RZ":
        last = b.and_(b.lshr(bits, b.const(I32, 13)), b.const(I32, 1))
        rounded = b.add(b.add(bits, b.const(I32, 0xFFF)), last)
        bits = rounded
    bits = b.select(b.fcompare("nan", x, x), b.const(I32, 0x7FFFFFFF), bits)
    return b.and_(bits, b.const(I32, -0x2000))


# Eight-bit floats: E4M3 (no infinities, NaN 0x7f) and E5M2.
FP8 = {"E4M3": (3, 7, 0x7E), "E5M2": (2, 15, 0x7B)}  # fraction bits, exponent bias, largest finite value


def to_fp8(b: Builder, name: str, x: Value) -> Value:
    """F32 to an I32 whose low byte is the nearest (ties to even) finite value; a NaN gives 0x7f."""
    fraction, bias, largest = FP8[name]
    bits = b.bitcast(x, I32)
    magnitude = b.and_(bits, b.const(I32, 0x7FFFFFFF))
    drop = 23 - fraction
    last = b.and_(b.lshr(magnitude, b.const(I32, drop)), b.const(I32, 1))
    rounded = b.add(b.add(magnitude, b.const(I32, (1 << (drop - 1)) - 1)), last)
    normal = b.sub(b.lshr(rounded, b.const(I32, drop)), b.const(I32, (127 - bias) << fraction))
    # Below the smallest normal value the result counts steps of 2**(1 - bias - fraction).
    step = b.const(F32, (127 + bias - 1 + fraction) << 23)
    count = b.float_to_int(b.fmul(b.bitcast(magnitude, F32), step), I32, signed=False, rounding=RN)
    small = b.compare("lt", magnitude, b.const(I32, (128 - bias) << 23), signed=False)
    value = b.umin(b.select(small, count, normal), b.const(I32, largest))
    value = b.or_(value, b.and_(b.lshr(bits, b.const(I32, 24)), b.const(I32, 0x80)))
    return b.select(b.fcompare("nan", x, x), b.const(I32, 0x7F), value)


def from_fp8(b: Builder, name: str, x: Value) -> Value:
    """The low byte of an I32 as F16 (exact)."""
    sign = b.shl(b.and_(x, b.const(I32, 0x80)), b.const(I32, 8))
    magnitude = b.and_(x, b.const(I32, 0x7F))
    if name == "E5M2":
        return b.bitcast(b.trunc(b.or_(sign, b.shl(magnitude, b.const(I32, 8))), I16), F16)
    # E4M3 has a bias of 7, F16 one of 15: the bits in place are too small by 2**8.
    in_place = b.bitcast(b.trunc(b.shl(magnitude, b.const(I32, 7)), I16), F16)
    scaled = b.zext(b.bitcast(b.fmul(in_place, b.const(F16, 0x5C00)), I16), I32)
    nan = b.compare("eq", magnitude, b.const(I32, 0x7F), signed=False)
    return b.bitcast(b.trunc(b.or_(sign, b.select(nan, b.const(I32, 0x7FFF), scaled)), I16), F16)


FP8_SAT = {Field(77, 1): 1}


UNPACK_FP8 = (FROM_FP8, packing(UNPACK_B))


@insn("F2FP", 0x03E, "Rd, B:half88", AB, RELU, DEST_HALF, *UNPACK_FP8, fixed=MERGED, first_sm=89, last_sm=90)
@insn("F2FP", 0x03E, "Rd, B:half88", AB, RELU, dest({0: "F16"}), *UNPACK_FP8, fixed=MERGED, first_sm=100)
def f2fp_unpack(b: Builder, i: Instruction, x: Value) -> Value:
    """Two bytes, of the low or the high half of x, as halves."""
    name = i.mods["source"]
    if getattr(i.operands[1], "suffix", ""):
        x = b.lshr(x, b.const(I32, 16))
    results = [from_fp8(b, name, b.lshr(x, b.const(I32, k))) for k in (0, 8)]
    if i.mods["dest"] == "BF16":
        results = [b.fconvert(b.fconvert(r, F32), BF16) for r in results]
    return packed(b, *(_relu(b, i, r) for r in results))


FP8_MODIFIERS = (SATFINITE, RELU, DEST_FP8)


@insn(
    "F2FP",
    0x03E,
    "Rd, B, Rc",
    B_ANYWHERE,
    *FP8_MODIFIERS,
    FROM_F16,
    packing(UNPACK_B_MERGE_C),
    fixed={**MERGED, **FP8_SAT},
    first_sm=89,
)
def f2fp_halves_to_fp8(b: Builder, i: Instruction, x: Value, low: Value) -> Value:
    parts = [to_fp8(b, i.mods["dest"], _relu(b, i, b.fconvert(h, F32))) for h in halves(b, x)]
    return _bytes(b, parts[1], parts[0], low)


@insn(
    "F2FP",
    0x03E,
    "Rd, A:f32, B:f32, Rc",
    B_ANYWHERE,
    *FP8_MODIFIERS,
    FROM_F32,
    packing(PACK_AB_MERGE_C),
    fixed={**NO_C, **FP8_SAT},
    first_sm=89,
)
def f2fp_to_fp8(b: Builder, i: Instruction, x: Value, y: Value, low: Value) -> Value:
    parts = [to_fp8(b, i.mods["dest"], _relu(b, i, v)) for v in (x, y)]
    return _bytes(b, parts[0], parts[1], low)


def _bytes(b: Builder, high: Value, low: Value, rest: Value) -> Value:
    pair = b.or_(low, b.shl(high, b.const(I32, 8)))
    return b.or_(pair, b.shl(rest, b.const(I32, 16)))


# Integers ----------------------------------------------------------------------------------------------------------
RANGES: dict[str, tuple[int, bool]] = {
    "U8": (8, False), "S8": (8, True), "U16": (16, False), "S16": (16, True),
    "U2": (2, False), "S2": (2, True), "U4": (4, False), "S4": (4, True),
}  # fmt: skip


def clamped(b: Builder, x: Value, bits: int, *, signed: bool) -> Value:
    """A signed I32 clamped to the range of a narrower integer, and extended again."""
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
    return b.smax(b.smin(x, b.const(I32, high)), b.const(I32, low))


@insn("I2I", 0x038, "Rd, B", AB, choice("dest", 76, 2, "U8.S32.SAT S8.S32.SAT U16.S32.SAT S16.S32.SAT"))
def i2i(b: Builder, i: Instruction, x: Value) -> Value:
    bits, signed = RANGES[i.mods["dest"].split(".")[0]]
    return clamped(b, x, bits, signed=signed)


I2IP_WIDE = choice("dest", 76, 3, "U8.S32 S8.S32 U16.S32 S16.S32")
I2IP_NIBBLE = choice("dest", 76, 3, "- - - - - - U4.S32 S4.S32")
I2IP_PAIR = choice("dest", 76, 3, "- - - - U2.S32 S2.S32")
SAT_80 = Modifier("sat", Field(74, 2), ("SAT", None, None, None))
SAT_90 = Modifier("sat", Field(74, 2), (None, "SAT", None, None))


@insn("I2IP", 0x039, "Rd, A, B:s32, C", B_ANYWHERE, I2IP_WIDE, SAT_80, fixed={Field(72, 2): 0}, last_sm=89)
@insn("I2IP", 0x039, "Rd, A, B:s32, C", B_ANYWHERE, I2IP_WIDE, SAT_90, fixed={Field(72, 2): 0}, first_sm=90)
@insn("I2IP", 0x039, "Rd, A, B:s32, C:u32low24", B_ANYWHERE, I2IP_NIBBLE, SAT_80, fixed={Field(72, 2): 2}, last_sm=89)
@insn("I2IP", 0x039, "Rd, A, B:s32, C:u32low24", B_ANYWHERE, I2IP_NIBBLE, SAT_90, fixed={Field(72, 2): 2}, first_sm=90)
@insn("I2IP", 0x039, "Rd, A, B:s32, C:u32low28", B_ANYWHERE, I2IP_PAIR, SAT_80, fixed={Field(72, 2): 3}, last_sm=89)
@insn("I2IP", 0x039, "Rd, A, B:s32, C:u32low28", B_ANYWHERE, I2IP_PAIR, SAT_90, fixed={Field(72, 2): 3}, first_sm=90)
def i2ip(b: Builder, i: Instruction, x: Value, y: Value, z: Value) -> Value:
    """PTX ISA, ``cvt.pack``: z shifted up to make room for x and y, clamped; y is lowest."""
    bits, signed = RANGES[i.mods["dest"].split(".")[0]]
    mask = b.const(I32, (1 << bits) - 1)
    high, low = (b.and_(clamped(b, v, bits, signed=signed), mask) for v in (x, y))
    pair = b.or_(low, b.shl(high, b.const(I32, bits)))
    return b.or_(pair, b.shl(z, b.const(I32, 2 * bits)))


@insn(
    "F2IP",
    0x043,
    "Rd, A:f32, B:f32, Rc",
    B_ANYWHERE,
    choice("dest", 76, 2, "U8.F32 S8.F32"),
    choice("rounding", 78, 2, "_ - - TRUNC"),
    flag("NTZ", 74),
    fixed={**NO_C, Field(72, 1): 0},
    first_sm=89,
)
def f2ip(b: Builder, i: Instruction, x: Value, y: Value, rest: Value) -> Value:
    """Two floats to bytes, x the higher one."""
    signed = i.mods["dest"].startswith("S")
    rounding = RZ if i.mods["rounding"] == "TRUNC" else RN
    high, low = (b.zext(b.float_to_int(v, I8, signed=signed, rounding=rounding), I32) for v in (x, y))
    return _bytes(b, high, low, rest)
