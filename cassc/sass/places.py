"""Operand places: what each name of a syntax string reads from the word, and which bits it claims."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from cassc.sass import fields
from cassc.sass.fields import Field, SplitField
from cassc.sass.operand import Address, Const, Imm, Label, Named, Operand, Pred, Reg, UReg
from cassc.sass.row import Row
from cassc.sass.syntax import Token


class Undecodable(Exception):
    """The word is not an encoding of the row under trial."""


@dataclass(slots=True)
class Reading:
    """State of one decoding attempt: the word, what is known of it, and the bits claimed so far."""

    word: int
    row: Row
    form: int
    sm: int
    address: int
    mods: dict[str, str]
    claimed: int = 0
    uses_uniform: bool = False

    def take(self, field: Field) -> int:
        self.claimed |= field.mask
        return field.get(self.word)

    def take_signed(self, field: Field) -> int:
        self.claimed |= field.mask
        return field.get_signed(self.word)

    def has(self, modifier: str) -> bool:
        return bool(self.mods.get(modifier))


SOURCE_FLAGS = {
    "a": (fields.NEG_A, fields.ABS_A),
    "b": (fields.NEG_B, fields.ABS_B),
    "c": (fields.NEG_C, fields.ABS_C),
}
# The reuse bits belong to the logical sources, wherever their registers stand.
REUSE = {"A": fields.REUSE_A, "B": fields.REUSE_B, "C": fields.REUSE_C}
SLOTS = {"a": fields.RA, "b": fields.RB, "c": fields.RC}
PREDICATES: dict[str, tuple[Field, Field | None]] = {
    "Pu": (fields.PU, None),
    "Pv": (fields.PV, None),
    "Pp": (fields.PP, fields.PP_NOT),
    "Pq": (fields.PQ, fields.PQ_NOT),
    "Pr": (fields.PR, fields.PR_NOT),
    "Pg": (Field(12, 3), Field(15, 1)),
}
SPLIT_LUT = SplitField((Field(64, 3), Field(72, 5)))


def uniform_index(r: Reading, lo: int) -> int:
    return r.take(Field(lo, fields.UNIFORM_WIDTH))


def _flagged(r: Reading, token: Token, slot: str, operand: Reg | UReg | Const) -> Reg | UReg | Const:
    negate, absolute = SOURCE_FLAGS[slot]
    if token.negatable and r.take(negate):
        inverts = r.has("X") and token.type in ("u32", "s32", "u64", "s64")
        operand = replace(operand, inverted=True) if inverts else replace(operand, negated=True)
    if token.absolutable and r.take(absolute):
        operand = replace(operand, absolute=True)
    if isinstance(operand, Reg) and r.take(REUSE.get(token.name, REUSE[slot.upper()])):
        operand = replace(operand, reuse=True)
    return operand


def register(slot: str) -> Callable[[Reading, Token], Operand]:
    def read(r: Reading, token: Token) -> Operand:
        return _flagged(r, token, slot, Reg(r.take(SLOTS[slot])))

    return read


def uniform(slot: str) -> Callable[[Reading, Token], Operand]:
    def read(r: Reading, token: Token) -> Operand:
        r.uses_uniform = True
        return _flagged(r, token, slot, UReg(uniform_index(r, SLOTS[slot].lo)))

    return read


def immediate_style(token: Token) -> str:
    return token.type if token.type in ("s32", "f32", "f64", "h2", "b2") else "u32"


def logical(r: Reading, token: Token) -> Operand:
    """B or C (UB, UC in the uniform datapath), wherever the form field puts it."""
    in_uniform_datapath = token.name.startswith("U")
    slot, kind = r.row.layout[r.form][token.name[-1]]
    if kind == "r":
        return uniform(slot)(r, token) if in_uniform_datapath else register(slot)(r, token)
    if kind == "u":
        return uniform(slot)(r, token)
    if kind == "i":
        bits = r.take(fields.IMMEDIATE)
        return Imm(bits << 32 if token.type == "f64" else bits, immediate_style(token))
    return _flagged(r, token, slot, Const(r.take(fields.CONST_BANK), r.take(fields.CONST_OFFSET)))


def predicate(name: str) -> Callable[[Reading, Token], Operand]:
    place, negate = PREDICATES[name.removeprefix("U")]

    def read(r: Reading, token: Token) -> Operand:
        index = r.take(place)
        negated = bool(r.take(negate)) if negate is not None and not token.dest else False
        return Pred(index, negated, uniform=name.startswith("U"))

    return read


def destination(r: Reading, token: Token) -> Operand:
    return Reg(r.take(fields.RD))


def uniform_destination(r: Reading, token: Token) -> Operand:
    return UReg(uniform_index(r, fields.RD.lo))


def bits(lo: int, width: int) -> Callable[[Reading, Token], Operand]:
    """A small unsigned immediate."""
    place = Field(lo, width)

    def read(r: Reading, token: Token) -> Operand:
        return Imm(r.take(place))

    return read


def split_lut(r: Reading, token: Token) -> Operand:
    r.claimed |= SPLIT_LUT.mask
    return Imm(SPLIT_LUT.get(r.word))


def global_address(uniform_lo: int, described: Field, wide: Field) -> Callable[[Reading, Token], Operand]:
    """``desc[URb][Ra.64 + offset]``: ``described`` says that URb holds a memory descriptor, ``wide`` that Ra is a pair.

    The descriptor is what the driver passes in constant bank 0; it is not printed until sm_89.
    """

    def read(r: Reading, token: Token) -> Operand:
        base = Reg(r.take(fields.RA))
        offset = r.take_signed(fields.ADDRESS_OFFSET)
        extended = r.has("E")
        if not r.take(described):
            return Address(base, offset, wide=extended)
        r.uses_uniform = True
        pair = bool(r.take(wide))
        descriptor = UReg(uniform_index(r, uniform_lo))
        return Address(
            base, offset, wide=pair, unsigned=not pair, suffixed=True, descriptor=descriptor, printed=r.sm >= 90
        )

    return read


def shared_address(uniform_lo: int) -> Callable[[Reading, Token], Operand]:
    """``[Ra.X4 + URb + offset]``."""

    def read(r: Reading, token: Token) -> Operand:
        base = Reg(r.take(fields.RA))
        offset = r.take_signed(fields.ADDRESS_OFFSET)
        scale = (1, 4, 8, 16)[r.take(Field(78, 2))]
        uregister = None
        if fields.USES_UNIFORM.get(r.word):
            r.uses_uniform = True
            uregister = UReg(uniform_index(r, uniform_lo))
        elif r.row.mnemonic.startswith("ATOMS") and r.form == 7:
            uregister = UReg(uniform_index(r, uniform_lo))
        shown = None if base.is_zero and (offset or uregister) and not base.reuse else base
        return Address(shown, offset, scale=scale, uregister=uregister)

    return read


def plain_shared_address(r: Reading, token: Token) -> Operand:
    """``[Ra + offset]`` without a uniform base."""
    base = Reg(r.take(fields.RA))
    offset = r.take_signed(fields.ADDRESS_OFFSET)
    return Address(None if base.is_zero and offset else base, offset, scale=(1, 4, 8, 16)[r.take(Field(78, 2))])


def branch_offset(r: Reading, token: Token) -> Operand:
    """Byte offset added to the register of an indirect branch."""
    offset = r.take_signed(LABEL_HIGH)
    if r.sm >= 90:
        offset = offset << 8 | r.take(LABEL_LOW)
    return Imm(4 * offset & 0xFFFFFFFF, "s32")


def plain_address(r: Reading, token: Token) -> Operand:
    """``[Ra + offset]`` where Ra is a pair if the row has E set."""
    return Address(Reg(r.take(fields.RA)), r.take_signed(fields.ADDRESS_OFFSET), wide=r.has("E"))


def local_address(r: Reading, token: Token) -> Operand:
    base = Reg(r.take(fields.RA))
    offset = r.take_signed(fields.ADDRESS_OFFSET)
    return Address(None if base.is_zero and offset else base, offset)


def indexed_constant(r: Reading, token: Token) -> Operand:
    """``c[bank][Ra + offset]``."""
    base = Reg(r.take(fields.RA))
    offset = r.take_signed(fields.CONST_OFFSET)
    bank = r.take(fields.CONST_BANK)
    if base.is_zero and offset:
        return Const(bank, offset & 0xFFFF)
    return Const(bank, offset, base)


def plain_constant(r: Reading, token: Token) -> Operand:
    return Const(r.take(fields.CONST_BANK), r.take(fields.CONST_OFFSET))


def uniform_indexed_constant(r: Reading, token: Token) -> Operand:
    r.uses_uniform = True
    base = UReg(uniform_index(r, fields.RA.lo))
    return Const(r.take(fields.CONST_BANK), r.take_signed(fields.CONST_OFFSET), base)


LABEL_HIGH = Field(34, 48)
LABEL_LOW = Field(16, 8)


def label(r: Reading, token: Token) -> Operand:
    """Relative to the next instruction, in units of four bytes; since sm_90 eight low bits stand apart."""
    offset = r.take_signed(LABEL_HIGH)
    if r.sm >= 90 and token.name == "L":
        offset = offset << 8 | r.take(LABEL_LOW)
    return Label(r.address + fields.WORD_BYTES + 4 * offset)


def lepc_label(r: Reading, token: Token) -> Operand:
    """sm_90's LEPC: in bytes."""
    return Label(r.address + fields.WORD_BYTES + r.take_signed(Field(24, 40)))


def shuffle_operand(place: Field, immediate: Field, forms: tuple[int, ...]) -> Callable[[Reading, Token], Operand]:
    slot = "b" if place is fields.RB else "c"

    def read(r: Reading, token: Token) -> Operand:
        return Imm(r.take(immediate)) if r.form in forms else register(slot)(r, token)

    return read


def divergence_mask(r: Reading, token: Token) -> Operand:
    """Uniform register of BRA.DIV and BRA.CONV: which lanes are asked about."""
    r.uses_uniform = True
    return UReg(uniform_index(r, 24), inverted=bool(r.take(Field(30, 1))))


def convergence_barrier(lo: int) -> Callable[[Reading, Token], Operand]:
    place = Field(lo, 4)

    def read(r: Reading, token: Token) -> Operand:
        index = r.take(place)
        return Named(f"B{index}", index)

    return read


SPECIAL_REGISTERS = {
    0: "SR_LANEID", 1: "SR_CLOCK", 2: "SR_VIRTCFG", 3: "SR_VIRTID", 15: "SR_ORDERING_TICKET", 16: "SR_PRIM_TYPE",
    17: "SR_INVOCATION_ID", 18: "SR_Y_DIRECTION", 19: "SR_THREAD_KILL", 20: "SR_SHADER_TYPE",
    32: "SR_TID", 33: "SR_TID.X", 34: "SR_TID.Y", 35: "SR_TID.Z", 37: "SR_CTAID.X", 38: "SR_CTAID.Y", 39: "SR_CTAID.Z",
    40: "SR_NTID", 41: "SR_CirQueueIncrMinusOne", 42: "SR_NLATC", 48: "SR_SWINLO", 49: "SR_SWINSZ", 50: "SR_SMEMSZ",
    51: "SR_SMEMBANKS", 52: "SR_LWINLO", 53: "SR_LWINSZ", 54: "SR_LMEMLOSZ", 55: "SR_LMEMHIOFF",
    56: "SR_EQMASK", 57: "SR_LTMASK", 58: "SR_LEMASK", 59: "SR_GTMASK", 60: "SR_GEMASK", 61: "SR_REGALLOC",
    64: "SR_GLOBALERRORSTATUS", 66: "SR_WARPERRORSTATUS", 80: "SR_CLOCKLO", 81: "SR_CLOCKHI",
    82: "SR_GLOBALTIMERLO", 83: "SR_GLOBALTIMERHI", 84: "SR_ESR_PC", 85: "SR_ESR_PC_HI", 96: "SR_HWTASKID",
    97: "SR_CIRCULARQUEUEENTRYINDEX", 98: "SR_CIRCULARQUEUEENTRYADDRESSLOW", 99: "SR_CIRCULARQUEUEENTRYADDRESSHIGH",
    136: "SR_CgaCtaId", 255: "SRZ",
}  # fmt: skip


def special_register(r: Reading, token: Token) -> Operand:
    index = r.take(Field(72, 8))
    name = SPECIAL_REGISTERS.get(index)
    if name is None:
        raise Undecodable
    return Named(name, index)


def predicate_file(r: Reading, token: Token) -> Operand:
    return Named("PR")


PLACES: dict[str, Callable[[Reading, Token], Operand]] = {
    "Rd": destination,
    "URd": uniform_destination,
    "A": register("a"),
    "Ra": register("a"),
    "Rb": register("b"),
    "Rc": register("c"),
    "UA": uniform("a"),
    "URa": uniform("a"),
    "URb": uniform("b"),
    "URc": uniform("c"),
    "B": logical,
    "C": logical,
    "UB": logical,
    "UC": logical,
    **{prefix + name: predicate(prefix + name) for prefix in ("", "U") for name in PREDICATES},
    "Imm32": bits(32, 32),
    "LoadAddr": global_address(32, Field(76, 1), Field(90, 1)),
    "StoreAddr": global_address(64, Field(76, 1), Field(90, 1)),
    "ReduceAddr": global_address(64, Field(71, 1), Field(90, 1)),
    "AtomAddr": global_address(64, Field(71, 1), Field(70, 1)),
    "PlainAddr": plain_address,
    "SharedLoadAddr": shared_address(32),
    "SharedStoreAddr": shared_address(64),
    "LocalAddr": local_address,
    "IndexedConst": indexed_constant,
    "PlainConst": plain_constant,
    "UIndexedConst": uniform_indexed_constant,
    "L": label,
    "LabelHigh": label,
    "LepcLabel": lepc_label,
    "Bd": convergence_barrier(16),
    "Bs": convergence_barrier(16),
    "SR": special_register,
    "PR": predicate_file,
    "PRd": predicate_file,
    "Lut": bits(72, 8),
    "SplitLut": split_lut,
    "Imm8at64": bits(64, 8),
    "Imm8at16": bits(16, 8),
    "Shift5": bits(75, 5),
    "Lane5": bits(53, 5),
    "Clamp13": bits(40, 13),
    "ShuffleLane": shuffle_operand(fields.RB, Field(53, 5), (4, 7)),
    "ShuffleClamp": shuffle_operand(fields.RC, Field(40, 13), (2, 7)),
    "URdiv": divergence_mask,
    "BarrierId": bits(54, 4),
    "BarrierThreads": bits(42, 12),
    "BarrierAt24": convergence_barrier(24),
    "PlainSharedAddr": plain_shared_address,
    "Offset": branch_offset,
}
