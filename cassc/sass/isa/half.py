"""Packed half precision: two F16 or BF16 in a register."""

from __future__ import annotations

from collections.abc import Callable

from cassc.sass.builder import BF16, F16, F32, I16, I32, Builder, Type, Value
from cassc.sass.fields import Field
from cassc.sass.isa.float32 import FLOAT_COMPARISONS, FTZ, SAT
from cassc.sass.isa.integer import BOOLEANS, combine
from cassc.sass.operand import Const, Reg, UReg
from cassc.sass.row import AB, AB_AS_C, ABC, Instruction, choice, flag, insn, only, split

# Bit 78 would accumulate in single precision; no compiler output with it is known, so only its clear state decodes.
FORMAT_80 = split("format", [(78, 1), (85, 1)], {0: ""})
FORMAT = split("format", [(78, 1), (85, 1)], {0: "", 2: "BF16_V2"})
SET_FORMAT = split("format", [(64, 2)], {0: "", 2: "BF16_V2"})
# FTZ flushes denormals, FMZ moreover makes 0 times anything 0. OOB (PTX ISA, "fma.oob") treats a NaN that stands for
# an element outside of a tensor as zero; no ordinary NaN is one, recordings show.
ZEROS_80 = split("zeros", [(76, 1), (80, 1)], {0: "", 1: "FMZ", 2: "FTZ"})
ZEROS_90 = split("zeros", [(76, 1), (80, 1)], {0: "", 1: "FMZ", 2: "FTZ", 3: "OOB"})
# RELU has a predicate, of which only PT is known.
CLAMP = split("clamp", [(77, 1), (79, 1), (87, 4)], {0: "", 1: "SAT", 2 | 7 << 2: "RELU"})
# Operand B as {-high, low} (printed high half first): for products of complex numbers.
HIGH_NEGATED = choice("nh1", 86, 1, "_ H0_NH1", printed=False)
CLAMP_75 = split("clamp", [(77, 1), (79, 1), (87, 4)], {0: "", 1: "SAT"})
BF16_ONE, F16_ONE = 0x3F80, 0x3C00


def element(i: Instruction) -> Type:
    return BF16 if i.mod("format") == "BF16_V2" else F16


def halves(b: Builder, x: Value, type: Type = F16) -> tuple[Value, Value]:
    """Low and high element of an I32."""
    high = b.trunc(b.lshr(x, b.const(I32, 16)), I16)
    return b.bitcast(b.trunc(x, I16), type), b.bitcast(high, type)


def packed(b: Builder, low: Value, high: Value) -> Value:
    bits = [b.zext(b.bitcast(h, I16), I32) for h in (low, high)]
    return b.or_(bits[0], b.shl(bits[1], b.const(I32, 16)))


def elements(b: Builder, i: Instruction, position: int, x: Value) -> tuple[Value, Value]:
    """The two elements that operand ``position`` gives, by its swizzle; flushed if the instruction says so."""
    operand = i.operands[position]
    low, high = halves(b, x, element(i))
    if i.mod("zeros") in ("FTZ", "FMZ") or i.has("FTZ"):
        low, high = b.flush(low), b.flush(high)
    swizzle = operand.swizzle if isinstance(operand, Reg | UReg | Const) else ""
    choices = {"": (low, high), "H0_H0": (low, low), "H1_H1": (high, high), "H0_NH1": (b.fneg(high), low)}
    return choices[swizzle]


def finish(b: Builder, i: Instruction, x: Value) -> Value:
    """Clamping and flushing of a result."""
    if i.mod("clamp") == "SAT" or i.has("SAT"):
        x = b.saturate(x)
    elif i.mod("clamp") == "RELU":
        zero = b.const(x.type, 0)
        x = b.select(b.fcompare("gtu", x, zero), x, zero)
    return b.flush(x) if i.mod("zeros") in ("FTZ", "FMZ") or i.has("FTZ") else x


def _pairwise(b: Builder, i: Instruction, operate: Callable[..., Value], first: int, *sources: Value) -> Value:
    columns = zip(*(elements(b, i, first + k, x) for k, x in enumerate(sources)), strict=True)
    low, high = (finish(b, i, operate(*column)) for column in columns)
    return packed(b, low, high)


@insn("HADD2", 0x030, "Rd, -|A:h2, -|B:h2", AB_AS_C, FORMAT_80, FTZ, SAT, last_sm=89)
@insn("HADD2", 0x030, "Rd, -|A:h2, -|B:h2", AB_AS_C, FORMAT, FTZ, SAT, first_sm=90)
def hadd2(b: Builder, i: Instruction, x: Value, y: Value) -> Value:
    return _pairwise(b, i, b.fadd, 1, x, y)


SINGLE = {Field(78, 1): 1}
NOT_IMMEDIATE = only(AB_AS_C, 1, 3, 7)


@insn("HADD2.F32", 0x030, "Rd:f32, -|A:h2, -|B:h2", NOT_IMMEDIATE, FTZ, SAT, fixed=SINGLE, last_sm=80)
@insn("HADD2.F32", 0x030, "Rd:f32, -A:h2, -|B:h2", NOT_IMMEDIATE, FTZ, SAT, fixed=SINGLE, first_sm=86)
def hadd2_f32(b: Builder, i: Instruction, x: Value, y: Value) -> Value:
    """Single-precision sum of the low elements."""
    low = [b.fconvert(elements(b, i, 1 + k, v)[0], F32) for k, v in enumerate((x, y))]
    return finish(b, i, b.fadd(low[0], low[1]))


def _multiply_add(b: Builder, i: Instruction, x: Value, y: Value, z: Value) -> Value:
    result = b.fma(x, y, z)
    zeros = i.mod("zeros")
    if zeros == "FMZ":
        result = b.select(_any(b, [b.fcompare("eq", v, b.const(v.type, 0)) for v in (x, y)]), z, result)
    else:
        result = _flushed_early(b, i, result, x, y, z)
    return result


def _flushed_early(b: Builder, i: Instruction, result: Value, x: Value, y: Value, z: Value) -> Value:
    """With FTZ, F16 results that are tiny before rounding are zero, even if they would round up to a normal number."""
    if i.mod("zeros") != "FTZ" or result.type is not F16:
        return result
    wide = b.fma(b.fconvert(x, F32), b.fconvert(y, F32), b.fconvert(z, F32))
    tiny = b.fcompare("lt", b.fabs(wide), b.const(F32, 0x38800000))
    signed_zero = b.bitcast(b.and_(b.bitcast(result, I16), b.const(I16, 0x8000)), F16)
    return b.select(tiny, signed_zero, result)


def _any(b: Builder, conditions: list[Value]) -> Value:
    return b.or_(conditions[0], conditions[1])


@insn("HMUL2", 0x032, "Rd, -|A:h2, -|B:h2", AB, FORMAT_80, ZEROS_80, CLAMP_75, last_sm=89)
@insn("HMUL2", 0x032, "Rd, -|A:h2, -|B:h2", AB, FORMAT, ZEROS_80, CLAMP, first_sm=90)
def hmul2(b: Builder, i: Instruction, x: Value, y: Value) -> Value:
    def multiply(x: Value, y: Value) -> Value:
        if i.mod("zeros") == "FMZ":
            return _multiply_add(b, i, x, y, b.const(x.type, 0))
        return _flushed_early(b, i, b.fmul(x, y), x, y, b.const(x.type, 0))

    return _pairwise(b, i, multiply, 1, x, y)


@insn("HFMA2", 0x031, "Rd, -|A:h2, -|B:h2, -|C:h2", ABC, FORMAT_80, ZEROS_80, CLAMP_75, last_sm=75)
@insn("HFMA2", 0x031, "Rd, -|A:h2, -|B:h2, -|C:h2", ABC, FORMAT, ZEROS_80, CLAMP, first_sm=80, last_sm=87)
@insn("HFMA2", 0x031, "Rd, -|A:h2, -|B:h2, -|C:h2", ABC, FORMAT, ZEROS_80, CLAMP, HIGH_NEGATED, first_sm=89, last_sm=89)
@insn("HFMA2", 0x031, "Rd, -|A:h2, -|B:h2, -|C:h2", ABC, FORMAT, ZEROS_90, CLAMP, HIGH_NEGATED, first_sm=90)
@insn("HFMA2.MMA", 0x035, "Rd, -|A:m2, -|B:m2, -|C:m2", ABC, ZEROS_80, CLAMP, first_sm=80, last_sm=89)
@insn("HFMA2.MMA", 0x035, "Rd, -|A:m2, -|B:m2, -|C:m2", ABC, FORMAT, ZEROS_80, CLAMP, first_sm=90, last_sm=90)
def hfma2(b: Builder, i: Instruction, x: Value, y: Value, z: Value) -> Value:
    return _pairwise(b, i, lambda x, y, z: _multiply_add(b, i, x, y, z), 1, x, y, z)


# Comparison --------------------------------------------------------------------------------------------------------
SETP_MODIFIERS = (
    choice("cmp", 76, 4, FLOAT_COMPARISONS),
    flag("H_AND", 71),
    FTZ,
    choice("bool", 69, 2, BOOLEANS),
)
SET_MODIFIERS = (
    flag("BF", 71),
    choice("cmp", 76, 4, FLOAT_COMPARISONS),
    FTZ,
    choice("bool", 69, 2, BOOLEANS),
)


def _compared(b: Builder, i: Instruction, first: int, x: Value, y: Value) -> list[Value]:
    columns = zip(elements(b, i, first, x), elements(b, i, first + 1, y), strict=True)
    return [b.fcompare(i.mods["cmp"].lower(), v, w) for v, w in columns]


@insn("HSETP2", 0x034, "Pu, Pv, -|A:h2, -|B:h2, !Pp", AB_AS_C, *SETP_MODIFIERS, last_sm=89)
@insn("HSETP2", 0x034, "Pu, Pv, -|A:h2, -|B:h2, !Pp", AB_AS_C, SET_FORMAT, *SETP_MODIFIERS, first_sm=90)
def hsetp2(b: Builder, i: Instruction, x: Value, y: Value, p: Value) -> tuple[Value, Value]:
    """The comparison of the low and of the high elements; with H_AND that of both, and its complement."""
    low, high = _compared(b, i, 2, x, y)
    if i.has("H_AND"):
        low = b.and_(low, high)
        high = b.not_(low)
    return combine(b, i.mods["bool"], low, p), combine(b, i.mods["bool"], high, p)


@insn("HSET2", 0x033, "Rd, -|A:h2, -|B:h2, !Pp", AB_AS_C, *SET_MODIFIERS, last_sm=89)
@insn("HSET2", 0x033, "Rd, -|A:h2, -|B:h2, !Pp", AB_AS_C, SET_FORMAT, *SET_MODIFIERS, first_sm=90)
def hset2(b: Builder, i: Instruction, x: Value, y: Value, p: Value) -> Value:
    """For each element 1.0 (BF) or all ones where the comparison holds, else 0."""
    one = (BF16_ONE if element(i) is BF16 else F16_ONE) if i.has("BF") else -1
    low, high = (
        b.select(combine(b, i.mods["bool"], c, p), b.const(I16, one), b.const(I16, 0)) for c in _compared(b, i, 1, x, y)
    )
    return packed(b, low, high)


NAN = flag("NAN", 81)


def minmax(b: Builder, x: Value, y: Value, p: Value, *, keep_nan: bool) -> Value:
    """Minimum where p, else maximum; ``keep_nan``: NaN if either is a NaN."""
    value = b.select(p, b.fmin(x, y), b.fmax(x, y))
    return b.select(b.fcompare("nan", x, y), b.fadd(x, y), value) if keep_nan else value


@insn("HMNMX2", 0x040, "Rd, -|A:h2, -|B:h2, !Pp", AB, FORMAT, FTZ, NAN, first_sm=80)
def hmnmx2(b: Builder, i: Instruction, x: Value, y: Value, p: Value) -> Value:
    return _pairwise(b, i, lambda x, y: minmax(b, x, y, p, keep_nan=i.has("NAN")), 1, x, y)


@insn(
    "HMNMX2",
    0x040,
    "Rd, -|A:raw2, -|B:raw2, !Pp",
    only(AB, 1),
    split("format", [(78, 1), (85, 1)], {0: "", 2: "BF16_V2"}),
    FTZ,
    NAN,
    flag("XORSIGN", 82),
    fixed={Field(82, 1): 1},
    first_sm=86,
)
def hmnmx2_xorsign(b: Builder, i: Instruction, x: Value, y: Value, p: Value) -> Value:
    """Smaller or larger magnitude, with the product of the signs (PTX ISA, ``min.xorsign.abs``)."""
    magnitudes = [b.and_(v, b.const(I32, 0x7FFF7FFF)) for v in (x, y)]
    value = _pairwise(b, i, lambda v, w: minmax(b, v, w, p, keep_nan=i.has("NAN")), 1, *magnitudes)
    sources = (packed(b, *elements(b, i, 1 + k, v)) for k, v in enumerate((x, y)))
    signs = b.and_(b.xor(*sources), b.const(I32, 0x80008000))
    return b.or_(b.and_(value, b.const(I32, 0x7FFF7FFF)), signs)
