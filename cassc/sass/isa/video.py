"""Packed and fused integer operations: dot products, absolute differences, minima and maxima (CUDA's DPX)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from cassc.sass import fields
from cassc.sass.builder import I1, I8, I16, I32, I64, Builder, Type, Value
from cassc.sass.fields import Field
from cassc.sass.isa.integer import B_ANYWHERE, UNSIGNED_73
from cassc.sass.row import AB, ABC, Instruction, choice, flag, insn, only, split

NOT_IMMEDIATE = only(ABC, 1, 5, 6)


def lanes_of(b: Builder, x: Value, type: Type) -> list[Value]:
    """The bytes or halves of an I32, lowest first."""
    return [b.trunc(b.lshr(x, b.const(I32, lo)), type) for lo in range(0, 32, type.bits)]


def joined(b: Builder, parts: Sequence[Value]) -> Value:
    total = b.zext(parts[0], I32)
    for k, part in enumerate(parts[1:], 1):
        total = b.or_(total, b.shl(b.zext(part, I32), b.const(I32, k * part.type.bits)))
    return total


# Dot products ------------------------------------------------------------------------------------------------------
def _dot(b: Builder, i: Instruction, xs: Sequence[Value], ys: Sequence[Value], z: Value) -> Value:
    for x, y in zip(xs, ys, strict=True):
        wide_x = b.sext(x, I32) if i.mods["A"].startswith("S") else b.zext(x, I32)
        wide_y = b.sext(y, I32) if i.mods["B"].startswith("S") else b.zext(y, I32)
        z = b.add(z, b.mul(wide_x, wide_y))
    return z


@insn(
    "IDP.4A",
    0x026,
    "Rd, A, B, -C",
    NOT_IMMEDIATE,
    choice("A", 73, 1, "U8 S8"),
    choice("B", 74, 1, "U8 S8"),
    fixed={Field(76, 2): 0},
)
def idp4a(b: Builder, i: Instruction, x: Value, y: Value, z: Value) -> Value:
    """Sum of the products of four bytes, plus z."""
    return _dot(b, i, lanes_of(b, x, I8), lanes_of(b, y, I8), z)


@insn(
    "IDP.2A",
    0x026,
    "Rd, A, B, -C",
    NOT_IMMEDIATE,
    split("half", [(76, 2)], {1: "LO", 3: "HI"}),
    choice("A", 73, 1, "U16 S16"),
    choice("B", 74, 1, "U8 S8"),
)
def idp2a(b: Builder, i: Instruction, x: Value, y: Value, z: Value) -> Value:
    """Sum of the products of two halves of x with the two low or high bytes of y, plus z."""
    bytes_ = lanes_of(b, y, I8)
    return _dot(b, i, lanes_of(b, x, I16), bytes_[2:] if i.mods["half"] == "HI" else bytes_[:2], z)


# Absolute differences ----------------------------------------------------------------------------------------------
def _difference(b: Builder, x: Value, y: Value, *, signed: bool) -> Value:
    larger, smaller = (b.smax, b.smin) if signed else (b.umax, b.umin)
    return b.sub(larger(x, y), smaller(x, y))


NO_PREDICATE = {fields.PU: fields.PT}


@insn("VABSDIFF", 0x014, "Rd, A, B, C", ABC, UNSIGNED_73, fixed=NO_PREDICATE, last_sm=110)
def vabsdiff(b: Builder, i: Instruction, x: Value, y: Value, z: Value) -> Value:
    """|x - y| + z."""
    return b.add(_difference(b, x, y, signed=not i.has("U32")), z)


@insn(
    "VABSDIFF4",
    0x015,
    "Rd, A, B, C",
    ABC,
    choice("type", 73, 1, "U8 _"),
    flag("ACC", 75),
    fixed={**NO_PREDICATE, Field(75, 1): 1},
    last_sm=110,
)
def vabsdiff4_acc(b: Builder, i: Instruction, x: Value, y: Value, z: Value) -> Value:
    """Sum of the absolute differences of four bytes, plus z."""
    for v, w in zip(lanes_of(b, x, I8), lanes_of(b, y, I8), strict=True):
        z = b.add(z, b.zext(_difference(b, v, w, signed=not i.mods["type"]), I32))
    return z


@insn(
    "VABSDIFF4",
    0x015,
    "Rd, A, B, C",
    ABC,
    choice("type", 73, 1, "U8 _"),
    fixed=NO_PREDICATE,
    last_sm=110,
)
def vabsdiff4(b: Builder, i: Instruction, x: Value, y: Value, z: Value) -> Value:
    """The absolute differences of four bytes; the third operand is for sums only."""
    signed = not i.mods["type"]
    pairs = zip(lanes_of(b, x, I8), lanes_of(b, y, I8), strict=True)
    return joined(b, [_difference(b, v, w, signed=signed) for v, w in pairs])


# Additions, minima and maxima --------------------------------------------------------------------------------------
@insn("VIADD", 0x036, "Rd, A, -B", AB, first_sm=90, last_sm=103)
def viadd(b: Builder, i: Instruction, x: Value, y: Value) -> Value:
    return b.add(x, y)


def is_signed(type: str) -> bool:
    """Of the packed and whole types by their printed names; no name is S32."""
    return not type.startswith("U")


def partwise(b: Builder, type: str, operate: Callable[..., Value], *sources: Value) -> Value:
    """``operate`` on the values, or on their halves or bytes (types ``..x2`` and ``..x4``)."""
    part = I16 if type.endswith("x2") else I8 if type.endswith("x4") else None
    if part is None:
        return operate(*sources)
    return joined(b, [operate(*column) for column in zip(*(lanes_of(b, x, part) for x in sources), strict=True)])


@insn("VIADD.16x2", 0x036, "Rd, A, -B:part", AB, fixed={Field(73, 1): 1}, first_sm=90, last_sm=103)
def viadd_16x2(b: Builder, i: Instruction, x: Value, y: Value) -> Value:
    return partwise(b, "16x2", b.sub if getattr(i.operands[2], "negated", False) else b.add, x, y)


BYTEWISE = "the addition of bytes or halves that CUDA's __vadd4 and __vadd2 ask for"


@insn(
    "VIADD",
    0x036,
    "Rd, -A:part, -B:part",
    AB,
    choice("type", 73, 3, "- 16x2 - S16x2 U8x4 S8x4"),
    first_sm=120,
    argued=BYTEWISE,
)
@insn(
    "VIADD",
    0x036,
    "Rd, -A:part, -B:part",
    AB,
    choice("type", 73, 3, "- - S32 S16x2 U8x4 S8x4"),
    flag("ISAT", 80),
    fixed={Field(80, 1): 1},
    first_sm=120,
    argued="the clamped addition that PTX add.sat and CUDA's __vaddss2, __vaddus4 ask for",
)
def viadd_typed(b: Builder, i: Instruction, x: Value, y: Value) -> Value:
    """Sum with the signs of the operands; ISAT: computed exactly and clamped to the range of the type."""
    type = i.mods["type"]
    negated = [getattr(operand, "negated", False) for operand in i.operands[1:]]

    def total(*parts: Value) -> Value:
        v, w = (b.neg(part) if minus else part for part, minus in zip(parts, negated, strict=True))
        return b.add(v, w)

    def saturated(v: Value, w: Value) -> Value:
        bits, wide = v.type.bits, I64 if v.type is I32 else I32
        extend = b.sext if is_signed(type) else b.zext
        low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if is_signed(type) else (0, (1 << bits) - 1)
        exact = total(extend(v, wide), extend(w, wide))
        return b.trunc(b.smax(b.smin(exact, b.const(wide, high)), b.const(wide, low)), v.type)

    return partwise(b, type, saturated if i.has("ISAT") else total, x, y)


TYPE = choice("type", 72, 2, "U32 _ U16x2 S16x2")
TYPE_120 = choice("type", 72, 3, "U32 S32 U16x2 S16x2 U8x4 S8x4")
NO_PREDICATES = {fields.PU: 7, fields.PV: 7}
UNIFORM_120: dict[str, Any] = {"uniform": True, "first_sm": 120}
RELU = flag("RELU", 76)


def _extreme(b: Builder, i: Instruction, p: Value, *sources: Value) -> Value:
    """Minimum where p, else maximum, of values or of their halves; with RELU at least 0."""
    type = i.mods["type"]
    signed = is_signed(type)
    least, most = (b.smin, b.smax) if signed else (b.umin, b.umax)

    def operate(*values: Value) -> Value:
        low = high = values[0]
        for value in values[1:]:
            low, high = least(low, value), most(high, value)
        result = b.select(p, low, high)
        return b.smax(result, b.const(result.type, 0)) if i.has("RELU") else result

    return partwise(b, type, operate, *sources)


@insn("VIMNMX", 0x048, "Rd, A, B:s32, !Pp", AB, TYPE, RELU, fixed={fields.PU: 7, fields.PV: 7}, first_sm=90, last_sm=90)
@insn("UVIMNMX", 0x04A, "URd, UA, UB:s32, !UPp", only(AB, 1, 4), TYPE_120, RELU, fixed=NO_PREDICATES, **UNIFORM_120)
@insn("VIMNMX", 0x048, "Rd, A, B:s32, !Pp", AB, TYPE_120, RELU, fixed=NO_PREDICATES, first_sm=120)
def vimnmx(b: Builder, i: Instruction, x: Value, y: Value, p: Value) -> Value:
    return _extreme(b, i, p, x, y)


PREDICATES = (
    choice("first", 81, 3, "0 1 2 3 4 5 6", printed=False),
    choice("second", 84, 3, "0 1 2 3 4 5 6", printed=False),
)


@insn("VIMNMX", 0x048, "Rd, Pu, Pv, A, B:s32, !Pp", AB, TYPE, RELU, *PREDICATES, first_sm=90, last_sm=90)
@insn("VIMNMX", 0x048, "Rd, Pu, Pv, A, B:s32, !Pp", AB, TYPE, RELU, first_sm=100, last_sm=103)
def vimnmx_which(b: Builder, i: Instruction, x: Value, y: Value, p: Value) -> tuple[Value, Value, Value]:
    """Besides, whether x is the result: of the low and of the high half (CUDA's ``__vibmax_s16x2``)."""
    signed = is_signed(i.mods["type"])

    def first(v: Value, w: Value) -> Value:
        return b.select(p, b.compare("le", v, w, signed=signed), b.compare("ge", v, w, signed=signed))

    if "x2" in i.mods["type"]:
        low, high = (first(v, w) for v, w in zip(lanes_of(b, x, I16), lanes_of(b, y, I16), strict=True))
        return _extreme(b, i, p, x, y), low, high
    return _extreme(b, i, p, x, y), first(x, y), b.const(I1, 0)


@insn("VIMNMX3", 0x00F, "Rd, A, B, C, !Pp", B_ANYWHERE, TYPE, RELU, first_sm=90, last_sm=103)
def vimnmx3(b: Builder, i: Instruction, x: Value, y: Value, z: Value, p: Value) -> Value:
    return _extreme(b, i, p, x, y, z)


@insn("VIADDMNMX", 0x046, "Rd, A, -B, C, !Pp", ABC, TYPE, RELU, first_sm=90, last_sm=103)
def viaddmnmx(b: Builder, i: Instruction, x: Value, y: Value, z: Value, p: Value) -> Value:
    """min or max of x + y (wrapped) and z."""
    total = partwise(b, i.mods["type"], b.add, x, y)
    return _extreme(b, i, p, total, z)
