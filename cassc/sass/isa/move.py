"""Moves, constants, special registers, predicate packing."""

from __future__ import annotations

from cassc.sass import fields
from cassc.sass.builder import I32, I64, Builder, Value
from cassc.sass.fields import Field
from cassc.sass.operand import Named
from cassc.sass.row import AB, Instruction, choice, effects, form, insn, only

FULL_MASK = {Field(72, 4): 15}


@insn("UMOV", 0x082, "URd, B", only(AB, 4, 6), uniform=True)
@insn("MOV", 0x002, "Rd, B", AB, fixed=FULL_MASK)
def mov(b: Builder, i: Instruction, x: Value) -> Value:
    return x


SPECIAL_NAMES = {
    "SR_TID.X": "tid.x",
    "SR_TID.Y": "tid.y",
    "SR_TID.Z": "tid.z",
    "SR_CTAID.X": "ctaid.x",
    "SR_CTAID.Y": "ctaid.y",
    "SR_CTAID.Z": "ctaid.z",
    "SR_LANEID": "laneid",
    "SR_VIRTUALSMID": "smid",
    "SR_EQMASK": "lanemask.eq",
    "SR_LTMASK": "lanemask.lt",
    "SR_LEMASK": "lanemask.le",
    "SR_GTMASK": "lanemask.gt",
    "SR_GEMASK": "lanemask.ge",
    "SR_CLOCKLO": "clocklo",
    "SR_CLOCKHI": "clockhi",
    "SR_GLOBALTIMERLO": "globaltimerlo",
    "SR_GLOBALTIMERHI": "globaltimerhi",
    "SR_SWINHI": "swinhi",
    "SR_CgaCtaId": "cgactaid",
}


# The warp in its CTA, and the number of warps, stand from bit 8 on.
WARP_NUMBERS = {"SR_VIRTID": "warpid", "SR_VIRTCFG": "nwarpid"}


@insn("S2UR", 0x1C3, "URd, SR", form(4), uniform=True)
@insn("S2R", 0x119, "Rd, SR", form(4))
def s2r(b: Builder, i: Instruction, source: Named) -> Value:
    """Special register; one that has no counterpart is refused by the builder, by name."""
    if source.name == "SRZ":
        return b.const(I32, 0)
    if source.name in WARP_NUMBERS:
        return b.shl(b.special(WARP_NUMBERS[source.name]), b.const(I32, 8))
    return b.special(SPECIAL_NAMES.get(source.name, source.name))


@insn("CS2R", 0x005, "Rd:u64, SR", form(4), fixed={Field(80, 1): 1})
def cs2r(b: Builder, i: Instruction, source: Named) -> Value:
    if source.name == "SRZ":
        return b.const(I64, 0)
    if source.name == "SR_CLOCKLO":
        return b.pair(b.special("clocklo"), b.special("clockhi"))
    if source.name == "SR_GLOBALTIMERLO":
        return b.pair(b.special("globaltimerlo"), b.special("globaltimerhi"))
    return b.pair(b.special(SPECIAL_NAMES.get(source.name, source.name)), b.const(I32, 0))


@insn("CS2R.32", 0x005, "Rd, SR", form(4), fixed={Field(80, 1): 0})
def cs2r_32(b: Builder, i: Instruction, source: Named) -> Value:
    return s2r(b, i, source)  # type: ignore[no-any-return]


# Constant banks ----------------------------------------------------------------------------------------------------
CONST_SIZE = "U8 S8 U16 S16 _ 64"
CONST_BYTES = {"U8": 1, "S8": 1, "U16": 2, "S16": 2, "": 4, "64": 8}


@insn("ULDC", 0x0B9, "URd:w, PlainConst", form(5), choice("size", 73, 3, CONST_SIZE), uniform=True)
@insn("ULDC", 0x0BB, "URd:w, UIndexedConst", form(5), choice("size", 73, 3, CONST_SIZE), uniform=True)
@insn("LDC", 0x182, "Rd:w, IndexedConst", form(5), choice("size", 73, 3, CONST_SIZE), fixed={Field(78, 2): 0})
def ldc(b: Builder, i: Instruction, place: tuple[int, Value]) -> tuple[tuple[Value, ...], ...]:
    """Constant bank read; ``place`` is the bank and the byte offset (I32)."""
    bank, offset = place
    size = i.mods["size"]
    value = b.constant(bank, offset, CONST_BYTES[size], signed=size.startswith("S"))
    return ((b.lo(value), b.hi(value)) if size == "64" else (value,),)


# Between register files --------------------------------------------------------------------------------------------
@insn("R2UR", 0x1C2, "Pu?, URd, Ra", form(1), last_sm=89)
@insn("R2UR", 0x0CA, "Pu?, URd, Ra", form(1), first_sm=90)
@effects
def r2ur(b: Builder, i: Instruction, x: Value) -> tuple[Value, Value]:
    """The value of the lowest lane, and which lanes hold another one."""
    first = b.broadcast(x)
    return b.compare("ne", x, first, signed=False), first


# Predicate packing: PR stands for P0..P6 as bits 0..6 of an I32 -----------------------------------------------------
@insn("P2R", 0x003, "Rd, PR, A, B:s32", only(AB, 1, 4, 5), last_sm=89)
@insn("P2R", 0x003, "Rd, PR, A, B", only(AB, 1, 4, 5), first_sm=90)
def p2r(b: Builder, i: Instruction, predicates: Value, x: Value, mask: Value) -> Value:
    return b.or_(b.and_(x, b.not_(mask)), b.and_(predicates, mask))


ALL_PREDICATES = {fields.IMMEDIATE: 0xFF}


@insn("R2P", 0x004, "PRd, A", form(4), fixed=ALL_PREDICATES)
def r2p_all(b: Builder, i: Instruction, predicates: Value, x: Value) -> Value:
    return x


@insn("R2P", 0x004, "PRd, A, B", only(AB, 1, 4, 5))
def r2p(b: Builder, i: Instruction, predicates: Value, x: Value, mask: Value) -> Value:
    """``predicates`` are the old ones: PRd is read and written."""
    return b.or_(b.and_(predicates, b.not_(mask)), b.and_(x, mask))
