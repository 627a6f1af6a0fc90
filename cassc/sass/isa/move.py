"""Moves, constants, special registers, predicate packing."""

from __future__ import annotations

from cassc.sass import fields
from cassc.sass.builder import I32, I64, Builder, Value
from cassc.sass.fields import Field
from cassc.sass.operand import Named, Operand, Reg
from cassc.sass.row import AB, Instruction, choice, effects, form, insn, only

FULL_MASK = {Field(72, 4): 15}
PAIR, USES_UNIFORM = {Field(80, 1): 1}, {fields.USES_UNIFORM: 1}


@insn("UMOV", 0x082, "URd, B", only(AB, 4, 6), uniform=True)
@insn("MOV", 0x002, "Rd, B", AB, fixed=FULL_MASK)
@insn("RPCMOV.32", 0x152, "Rpcd, Rb", form(1), first_sm=90)
@insn("RPCMOV.32", 0x153, "Rd, Rpc", form(1), first_sm=90)
@insn("UMOV.64", 0x082, "URd:u64, Imm64:u64", form(2), fixed=USES_UNIFORM, uniform=True, first_sm=120)
@insn("UMOV.64", 0x082, "URd:u64, B:u64", only(AB, 6), fixed=PAIR, uniform=True, first_sm=120)
@insn("MOV.64", 0x002, "Rd:u64, Imm64:u64", form(2), first_sm=120)
@insn("MOV.64", 0x002, "Rd:u64, B:u64", only(AB, 1, 6), fixed={**FULL_MASK, **PAIR}, first_sm=120)
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
    "SR_SMEMSZ": "total_smem_size",
    "SR_LMEMHIOFF": "stack_end",
    "SR_CgaCtaId": "cgactaid",
    "SR_CgaSize": "cgasize",
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


@insn("CS2UR", 0x0CB, "URd:u64, SR", form(4), fixed={Field(80, 1): 1}, uniform=True, first_sm=120)
@insn("CS2R", 0x005, "Rd:u64, SR", form(4), fixed={Field(80, 1): 1})
def cs2r(b: Builder, i: Instruction, source: Named) -> Value:
    if source.name == "SRZ":
        return b.const(I64, 0)
    if source.name == "SR_CLOCKLO":
        return b.pair(b.special("clocklo"), b.special("clockhi"))
    if source.name == "SR_GLOBALTIMERLO":
        return b.pair(b.special("globaltimerlo"), b.special("globaltimerhi"))
    return b.pair(b.special(SPECIAL_NAMES.get(source.name, source.name)), b.const(I32, 0))


@insn("CS2UR.32", 0x0CB, "URd, SR", form(4), fixed={Field(80, 1): 0}, uniform=True, first_sm=120)
@insn("CS2R.32", 0x005, "Rd, SR", form(4), fixed={Field(80, 1): 0})
def cs2r_32(b: Builder, i: Instruction, source: Named) -> Value:
    return s2r(b, i, source)  # type: ignore[no-any-return]


# Constant banks ----------------------------------------------------------------------------------------------------
CONST_SIZE = "U8 S8 U16 S16 _ 64"
CONST_BYTES = {"U8": 1, "S8": 1, "U16": 2, "S16": 2, "": 4, "64": 8}


@insn("ULDC", 0x0B9, "URd:w, PlainConst", form(5), choice("size", 73, 3, CONST_SIZE), uniform=True, last_sm=90)
@insn("ULDC", 0x0BB, "URd:w, UIndexedConst", form(5), choice("size", 73, 3, CONST_SIZE), uniform=True, last_sm=90)
@insn("LDC", 0x182, "Rd:w, IndexedConst", form(5), choice("size", 73, 3, CONST_SIZE), fixed={Field(78, 2): 0})
@insn(
    "LDCU",
    0x1AC,
    "URd:w, ULoadConst",
    form(3),
    choice("size", 73, 3, CONST_SIZE + " 128"),
    fixed={Field(80, 1): 0},
    uniform=True,
    first_sm=100,
)
def ldc(b: Builder, i: Instruction, place: tuple[int, Value | int]) -> tuple[tuple[Value, ...], ...]:
    """Constant bank read; ``place`` is the bank and the byte offset (I32)."""
    bank, offset = place
    size = i.mods["size"]
    if size == "128":
        behind = offset + 8 if isinstance(offset, int) else b.add(offset, b.const(I32, 8))
        halves = (b.constant(bank, at, 8) for at in (offset, behind))
        return (tuple(word for half in halves for word in (b.lo(half), b.hi(half))),)
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


@insn(
    "R2UR.BROADCAST",
    0x0CA,
    "Pu?, URd, Ra",
    form(1),
    fixed={Field(87, 1): 1},
    first_sm=100,
    argued="sm_90 computes the same loops around bulk copies by R2UR",
)
@effects
def r2ur_broadcast(b: Builder, i: Instruction, x: Value) -> tuple[Value, Value]:
    """Of one lane, which the guard selects, for those that follow in the uniform datapath (read off the loops around
    bulk copies). These are done by the lowest lane, which is the selected one."""
    first = b.broadcast(x)
    return b.compare("ne", x, first, signed=False), first


@insn("R2UR.OR", 0x0CA, "Pu, URd, Ra, ^Pu", form(1), fixed={Field(84, 1): 1}, first_sm=90)
@effects
def r2ur_or(b: Builder, i: Instruction, x: Value, old: Value) -> tuple[Value, Value]:
    """The predicate stays where it holds already (read off the loops that serve one texture handle after the other:
    the lanes where it holds wait for a later round)."""
    differs, first = r2ur(b, i, x)
    return b.or_(old, differs), first


# Predicate packing: PR stands for P0..P6 as bits 0..6 of an I32 -----------------------------------------------------
@insn("P2R", 0x003, "Rd, PR, A, B:s32", only(AB, 1, 4, 5), last_sm=89)
@insn("P2R", 0x003, "Rd, PR, A, B", only(AB, 1, 4, 5), first_sm=90)
def p2r(b: Builder, i: Instruction, predicates: Value, x: Value, mask: Value) -> Value:
    return b.or_(b.and_(x, b.not_(mask)), b.and_(predicates, mask))


ALL_PREDICATES = {fields.IMMEDIATE: 0xFF}


@insn("R2P", 0x004, "PRd, A:byte76", form(4), fixed=ALL_PREDICATES)
def r2p_all(b: Builder, i: Instruction, predicates: Value, x: Value) -> Value:
    return b.lshr(x, b.const(I32, first_bit(i.operands[1])))


@insn("R2P", 0x004, "PRd, A:byte76, B", only(AB, 1, 4, 5))
def r2p(b: Builder, i: Instruction, predicates: Value, x: Value, mask: Value) -> Value:
    """``predicates`` are the old ones: PRd is read and written."""
    return b.or_(b.and_(predicates, b.not_(mask)), b.and_(r2p_all(b, i, predicates, x), mask))


def first_bit(operand: Operand) -> int:
    """Of the byte of a register that an operand names."""
    assert isinstance(operand, Reg)
    return 8 * int(operand.suffix.removeprefix(".B") or 0)


AS_P2R = "P2R of the uniform predicates: the bits are tested by USEL and ULOP3 where P2R's are by SEL and LOP3"


@insn(
    "UP2UR",
    0x083,
    "URd, UPR, UA, B",
    only(AB, 1, 4),
    uniform=True,
    fixed={Field(76, 2): 0},
    argued=AS_P2R,
)
def up2ur(b: Builder, i: Instruction, predicates: Value, x: Value, mask: Value) -> Value:
    """`p2r` of the uniform predicates."""
    return p2r(b, i, predicates, x, mask)  # type: ignore[no-any-return]
