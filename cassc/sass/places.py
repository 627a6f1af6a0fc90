"""Operand places: what each name of a syntax string reads from the word, and which bits it claims."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from cassc.sass import fields
from cassc.sass.fields import Field, SplitField
from cassc.sass.operand import (
    Address,
    AddressUReg,
    Const,
    CoordinateReg,
    DescriptorUReg,
    Imm,
    Label,
    Named,
    Operand,
    Pred,
    Reg,
    ReturnReg,
    UReg,
)
from cassc.sass.row import Row
from cassc.sass.special import special_register
from cassc.sass.syntax import CHOSEN_MARKS, Token


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

    def take(self, field: Field | SplitField) -> int:
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
# Packed halves have the flags of the third slot elsewhere, and say which half of a pair is used twice.
HALF_FLAGS = {**SOURCE_FLAGS, "c": (fields.NEG_HALF_C, fields.ABS_HALF_C)}
SWIZZLE_FIELDS = {"a": Field(74, 2), "b": Field(60, 2), "c": Field(81, 2)}
SWIZZLES = ("", None, "H0_H0", "H1_H1")
PART = Field(60, 2)  # which byte or half of a register is converted
PARTS = {8: ("", ".B1", ".B2", ".B3"), 16: ("", ".H1", None, None)}
# The reuse bits belong to the logical sources, wherever their registers stand.
REUSE = {"A": fields.REUSE_A, "B": fields.REUSE_B, "C": fields.REUSE_C}
SLOTS = {"a": fields.RA, "b": fields.RB, "c": fields.RC}
PREDICATES: dict[str, tuple[Field, Field | None]] = {
    "Pb": (Field(24, 3), Field(27, 1)),
    "Pu": (fields.PU, None),
    "Pv": (fields.PV, None),
    "Pp": (fields.PP, fields.PP_NOT),
    "Pq": (fields.PQ, fields.PQ_NOT),
    "Pr": (fields.PR, fields.PR_NOT),
    "Pg": (Field(12, 3), Field(15, 1)),
}
SPLIT_LUT = SplitField((Field(64, 3), Field(72, 5)))


def uniform_index(r: Reading, lo: int) -> int:
    if r.sm >= fields.FIRST_WIDE_UNIFORM:
        return r.take(Field(lo, fields.WIDE_UNIFORM_WIDTH))
    index = r.take(Field(lo, fields.UNIFORM_WIDTH))
    return fields.URZ if index == (1 << fields.UNIFORM_WIDTH) - 1 else index


def _flagged(
    r: Reading, token: Token, slot: str, operand: Reg | UReg | Const, reuse: Field | None = None
) -> Reg | UReg | Const:
    half = token.type in ("h2", "m2", "raw2")
    negate, absolute = (HALF_FLAGS if half else SOURCE_FLAGS)[slot]
    if token.type in ("h2", "raw2"):
        swizzle = SWIZZLES[r.take(SWIZZLE_FIELDS[slot])]
        if swizzle is None:
            raise Undecodable
        if slot == "b" and r.mods.get("nh1"):
            if swizzle or not isinstance(operand, Reg):
                raise Undecodable
            swizzle = "H0_NH1"
        operand = replace(operand, swizzle=swizzle)
        if isinstance(operand, Const):
            operand = replace(operand, spaced=True)
    elif token.type == "part":
        operand = _part(r, operand)
    elif token.type == "byte76":
        operand = replace(operand, suffix=PARTS[8][r.take(Field(76, 2))] or "")
    elif token.type == "half88":
        operand = replace(operand, suffix=".H1" if r.take(Field(88, 1)) else "")
    elif token.mark:
        operand = replace(operand, swizzle=r.mods[token.mark] if token.mark in CHOSEN_MARKS else token.mark)
    if token.inverting:
        if r.take(negate):
            operand = replace(operand, inverted=True)
    elif token.negatable and r.take(negate):
        inverts = r.has("X") and token.type in ("u32", "s32", "u64", "s64")
        operand = replace(operand, inverted=True) if inverts else replace(operand, negated=True)
    if token.absolutable and r.take(absolute):
        operand = replace(operand, absolute=True)
    if isinstance(operand, Reg) and r.take(reuse or REUSE.get(token.name, REUSE[slot.upper()])):
        operand = replace(operand, reuse=True)
    return operand


def _part(r: Reading, operand: Reg | UReg | Const) -> Reg | UReg | Const:
    """The byte or half that a conversion of a narrow type reads."""
    width = _narrow(r)
    if width is None:
        return operand
    suffix = PARTS[width][r.take(PART)]
    if suffix is None:
        raise Undecodable
    operand = replace(operand, suffix=suffix)
    return replace(operand, spaced=True) if isinstance(operand, Const) else operand


def _narrow(r: Reading) -> int | None:
    """Bits of the source type if it is narrower than a register, else None."""
    type = r.mods.get("source") or r.mods.get("format") or ""
    if type in ("U8", "S8"):
        return 8
    return 16 if type in ("U16", "S16", "F16", "BF16") else None


def register(slot: str) -> Callable[[Reading, Token], Operand]:
    def read(r: Reading, token: Token) -> Operand:
        return _flagged(r, token, slot, Reg(r.take(SLOTS[slot])))

    return read


def uniform(slot: str) -> Callable[[Reading, Token], Operand]:
    def read(r: Reading, token: Token) -> Operand:
        r.uses_uniform = True
        return _flagged(r, token, slot, UReg(uniform_index(r, SLOTS[slot].lo)))

    return read


def immediate_style(r: Reading, token: Token) -> str:
    if token.type in ("h2", "m2", "raw2"):
        return "b2" if r.mods.get("format") == "BF16_V2" else "h2"
    if token.type == "f32" and r.mods.get("op", "").endswith("64H"):
        return "high"
    if (r.row.mnemonic in ("I2F", "UI2F") and not r.mods.get("source")) or token.type == "s64":
        return "s32"
    return token.type if token.type in ("s32", "f32", "f64") else "u32"


def logical(r: Reading, token: Token) -> Operand:
    """B or C (UB, UC in the uniform datapath), wherever the form field puts it."""
    in_uniform_datapath = token.name.startswith("U")
    slots = r.row.layout[r.form][token.name[-1]]
    slot, kind, reuse = slots[0], slots[1], slots[2:]
    if kind == "r":
        if in_uniform_datapath:
            return uniform(slot)(r, token)
        return _flagged(r, token, slot, Reg(r.take(SLOTS[slot])), REUSE[reuse.upper()] if reuse else None)
    if kind == "u":
        return uniform(slot)(r, token)
    if kind == "i":
        if token.type == "part" and _narrow(r):
            raise Undecodable
        bits = r.take(fields.IMMEDIATE)
        return Imm(bits << 32 if token.type == "f64" else bits, immediate_style(r, token))
    if r.sm >= fields.FIRST_WIDE_UNIFORM:
        raise Undecodable  # sm_100 has no constants as operands but those of loads
    return _flagged(r, token, slot, Const(r.take(fields.CONST_BANK), 4 * r.take_signed(fields.CONST_WORD)))


def predicate(name: str) -> Callable[[Reading, Token], Operand]:
    place, negate = PREDICATES[name.removeprefix("U")]

    def read(r: Reading, token: Token) -> Operand:
        index = r.take(place)
        negated = bool(r.take(negate)) if negate is not None and not token.dest else False
        return Pred(index, negated, uniform=name.startswith("U"))

    return read


def mixed_predicate(r: Reading, token: Token) -> Operand:
    """The third source of PLOP3, which may be a uniform predicate."""
    read = predicate("UPr" if r.take(Field(67, 1)) else "Pr")
    return read(r, token)


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


def signed_immediate(r: Reading, token: Token) -> Operand:
    """33 bits, sign-extended to 64."""
    return Imm(r.take_signed(Field(32, 33)) & (1 << 64) - 1, "s64")


def split_lut(r: Reading, token: Token) -> Operand:
    r.claimed |= SPLIT_LUT.mask
    return Imm(SPLIT_LUT.get(r.word))


@dataclass(frozen=True, slots=True)
class GlobalPlace:
    """Where the parts of ``desc[UR][Ra.64 + offset]`` stand.

    Attributes:
        uniform: lowest bit of the uniform register.
        described: set: the uniform register holds a memory descriptor, which the driver passes in constant bank 0;
            clear: a 64-bit base.
        wide: Ra is a pair.
        offset: bytes, signed.
    """

    uniform: int
    described: Field
    wide: Field
    offset: Field = fields.ADDRESS_OFFSET


def global_address(old: GlobalPlace, new: GlobalPlace | None = None) -> Callable[[Reading, Token], Operand]:
    """``new``: the places since uniform registers take eight bits, where those differ."""

    def read(r: Reading, token: Token) -> Operand:
        at = new if new is not None and r.sm >= fields.FIRST_WIDE_UNIFORM else old
        uniform_lo, described, wide, place = at.uniform, at.described, at.wide, at.offset
        base = Reg(r.take(fields.RA))
        offset = r.take_signed(place)
        extended = r.row.mnemonic == "LDGSTS.E" or r.has("E")
        if r.take(described):
            r.uses_uniform = True
            if not r.take(wide) or not extended or r.sm < 80:
                raise Undecodable
            shown = r.sm >= 90 or bool(r.take(DESCRIPTOR_SHOWN))
            descriptor = UReg(uniform_index(r, uniform_lo))
            return Address(base, offset, wide=True, suffixed=True, descriptor=descriptor, printed=shown)
        if fields.USES_UNIFORM.get(r.word):
            r.uses_uniform = True
            pair = bool(r.take(wide))
            if not extended:
                raise Undecodable
            based = UReg(uniform_index(r, uniform_lo))
            if base.is_zero and (r.sm < 80 or not pair):
                return Address(None, offset, uregister=based, uwide=True)
            return Address(base, offset, wide=pair, unsigned=not pair, suffixed=True, uregister=based, uwide=True)
        if not extended:
            raise Undecodable
        return Address(base, offset, wide=True)

    return read


DESCRIPTOR_SHOWN = Field(101, 1)


def shared_address(uniform_lo: int) -> Callable[[Reading, Token], Operand]:
    """``[Ra.X4 + URb + offset]``."""

    def read(r: Reading, token: Token) -> Operand:
        base = Reg(r.take(fields.RA))
        offset = r.take_signed(fields.ADDRESS_OFFSET)
        scale = (1, 4, 8, 16)[r.take(Field(78, 2))]
        uregister = None
        if fields.USES_UNIFORM.get(r.word) if token.name == "SharedLoadAddr" else r.form != 1:
            r.uses_uniform = True
            uregister = UReg(uniform_index(r, uniform_lo))
        if base.is_zero and scale != 1:
            raise Undecodable
        shown = None if base.is_zero and (offset or uregister) else base
        return Address(shown, offset, scale=scale, uregister=uregister)

    return read


def copied_to_address(r: Reading, token: Token) -> Operand:
    """Where LDGSTS writes: ``[Rd + offset]`` in shared memory."""
    base = Reg(r.take(fields.RD))
    offset = r.take_signed(Field(44, 20))
    return Address(None if base.is_zero and offset else base, offset)


def uniform_shared_address(r: Reading, token: Token) -> Operand:
    """``[URa + offset]``."""
    r.uses_uniform = True
    return Address(None, r.take_signed(fields.ADDRESS_OFFSET), uregister=UReg(uniform_index(r, fields.RA.lo)))


def shared_base(uniform_lo: int) -> Callable[[Reading, Token], Operand]:
    """``[Ra + UR + offset]`` without a scale."""

    def read(r: Reading, token: Token) -> Operand:
        base = Reg(r.take(fields.RA))
        offset = r.take_signed(fields.ADDRESS_OFFSET)
        uregister = None
        if fields.USES_UNIFORM.get(r.word):
            r.uses_uniform = True
            uregister = UReg(uniform_index(r, uniform_lo))
        if base.is_zero and uregister is None and offset < 0:
            raise Undecodable
        shown = None if base.is_zero and (offset or uregister) else base
        return Address(shown, offset, uregister=uregister)

    return read


def barrier_object(r: Reading, token: Token) -> Operand:
    """``[Ra + UR + offset]`` of an mbarrier."""
    if not fields.USES_UNIFORM.get(r.word):
        raise Undecodable
    return shared_base(64)(r, token)


def bulk_register(lo: int, kind: type[UReg]) -> Callable[[Reading, Token], Operand]:
    """The first of the uniform registers that hold an address or what is said of it."""

    def read(r: Reading, token: Token) -> Operand:
        r.uses_uniform = True
        return kind(uniform_index(r, lo))

    return read


def plain_shared_address(r: Reading, token: Token) -> Operand:
    """``[Ra + offset]`` without a uniform base."""
    base = Reg(r.take(fields.RA))
    offset = r.take_signed(fields.ADDRESS_OFFSET)
    scale = (1, 4, 8, 16)[r.take(Field(78, 2))]
    if base.is_zero and scale != 1:
        raise Undecodable
    return Address(None if base.is_zero and offset else base, offset, scale=scale)


def branch_offset(r: Reading, token: Token) -> Operand:
    """Byte offset added to the register of an indirect branch."""
    offset = r.take_signed(LABEL_HIGH)
    if r.sm >= 90:
        offset = offset << 8 | r.take(LABEL_LOW)
    if not -(1 << 29) <= offset < 1 << 29:
        raise Undecodable
    return Imm(4 * offset & 0xFFFFFFFF, "s32")


def plain_address(r: Reading, token: Token) -> Operand:
    """``[Ra + offset]`` where Ra is a pair if the row has E set."""
    return Address(Reg(r.take(fields.RA)), r.take_signed(fields.ADDRESS_OFFSET), wide=r.has("E"))


def far_address(r: Reading, token: Token) -> Operand:
    """``[Ra + offset]`` of generic accesses without a uniform register: the offset takes 32 bits."""
    return Address(Reg(r.take(fields.RA)), r.take_signed(Field(32, 32)), wide=r.has("E"))


def cache_address(r: Reading, token: Token) -> Operand:
    """``[Ra + offset]`` of a cache line."""
    base, offset = Reg(r.take(fields.RA)), r.take_signed(Field(32, 32))
    return Address(None if base.is_zero and offset else base, offset, wide=r.has("E"))


def cluster_address(r: Reading, token: Token) -> Operand:
    """``[Ra.64 + UR + offset]``: shared memory of a CTA of the cluster."""
    r.uses_uniform = True
    base, offset = Reg(r.take(fields.RA)), r.take_signed(fields.ADDRESS_OFFSET)
    if not r.take(Field(90, 1)):
        raise Undecodable
    uregister = UReg(uniform_index(r, 64))
    return Address(base, offset, wide=True, suffixed=True, uregister=None if uregister.is_zero else uregister)


def local_address(uniform_lo: int) -> Callable[[Reading, Token], Operand]:
    """``[Ra + UR + offset]``; the uniform register exists since sm_100."""

    def read(r: Reading, token: Token) -> Operand:
        base = Reg(r.take(fields.RA))
        offset = r.take_signed(fields.ADDRESS_OFFSET)
        if fields.USES_UNIFORM.get(r.word) and r.sm >= fields.FIRST_WIDE_UNIFORM and r.form == 4:
            r.uses_uniform = True
            return Address(base, offset, uregister=UReg(uniform_index(r, uniform_lo)))
        return Address(None if base.is_zero and offset else base, offset)

    return read


def indexed_constant(r: Reading, token: Token) -> Operand:
    """``c[bank][Ra + offset]``."""
    base = Reg(r.take(fields.RA))
    offset = r.take_signed(fields.CONST_OFFSET)
    bank = r.take(fields.CONST_BANK)
    return Const(bank, offset, None if base.is_zero and offset else base)


def plain_constant(r: Reading, token: Token) -> Operand:
    return Const(r.take(fields.CONST_BANK), r.take_signed(fields.CONST_OFFSET))


def uniform_indexed_constant(r: Reading, token: Token) -> Operand:
    r.uses_uniform = True
    base = UReg(uniform_index(r, fields.RA.lo))
    return Const(r.take(fields.CONST_BANK), r.take_signed(fields.CONST_OFFSET), base)


def uniform_load_constant(r: Reading, token: Token) -> Operand:
    """``c[bank][URa + offset]`` of LDCU, whose offset has a bit more."""
    r.uses_uniform = True
    base = UReg(uniform_index(r, fields.RA.lo))
    offset = r.take_signed(Field(37, 17))
    return Const(r.take(fields.CONST_BANK), offset, None if base.is_zero and offset else base)


LABEL_HIGH = Field(34, 48)
LABEL_LOW = Field(16, 8)
TARGET_HIGH = Field(34, 47)


def label(r: Reading, token: Token) -> Operand:
    """Relative to the next instruction, in units of four bytes; since sm_90 eight low bits stand apart."""
    offset = r.take_signed(LABEL_HIGH)
    if r.sm >= 90 and token.name == "L":
        offset = offset << 8 | r.take(LABEL_LOW)
    return Label(r.address + fields.WORD_BYTES + 4 * offset)


def bssy_label(r: Reading, token: Token) -> Operand:
    """Where a convergence barrier of sm_100 ends: 30 bits, in units of four bytes."""
    return Label(r.address + fields.WORD_BYTES + 4 * r.take_signed(Field(34, 30)))


def code_address(r: Reading, token: Token) -> Operand:
    """Of a call; linked code has a relocation there, and zero."""
    target = r.take(TARGET_HIGH)
    if r.sm >= 90:
        target = target << 8 | r.take(LABEL_LOW)
    return Imm(4 * target)


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
    inverted = Field(82 if r.sm >= fields.FIRST_WIDE_UNIFORM else 30, 1)
    return UReg(uniform_index(r, 24), inverted=bool(r.take(inverted)))


TEXTURE_SHAPES = ("1D", "2D", "3D", "CUBE", "ARRAY_1D", "ARRAY_2D", None, "ARRAY_CUBE")


SOME_SHAPES = {"TLD4": (1, 3, 5, 7), "TXD": (0, 1, 4, 5)}


def texture_shape(r: Reading, token: Token) -> Operand:
    index = r.take(Field(61, 3))
    name = TEXTURE_SHAPES[index]
    if name is None or index not in SOME_SHAPES.get(r.row.mnemonic, range(8)):
        raise Undecodable
    return Named(name, index)


def texture_mask(r: Reading, token: Token) -> Operand:
    """Which results are wanted; all of them is not printed."""
    mask = r.take(Field(72, 4))
    if mask == 15:
        raise Undecodable
    return Imm(mask)


def surface_place(r: Reading, token: Token) -> Operand:
    return CoordinateReg(r.take(fields.RA))


def texture_query(r: Reading, token: Token) -> Operand:
    if r.take(Field(60, 4)):
        raise Undecodable
    return Named("TEX_HEADER_DIMENSION", 0)


def texture_uniform(r: Reading, token: Token) -> Operand:
    r.uses_uniform = True
    return UReg(uniform_index(r, 40))


def plain_register(place: Field) -> Callable[[Reading, Token], Operand]:
    """A register without modifiers and without a reuse bit."""

    def read(r: Reading, token: Token) -> Operand:
        return Reg(r.take(place))

    return read


def convergence_barrier(lo: int) -> Callable[[Reading, Token], Operand]:
    place = Field(lo, 4)

    def read(r: Reading, token: Token) -> Operand:
        index = r.take(place)
        return Named(f"B{index}", index)

    return read


def special(r: Reading, token: Token) -> Operand:
    index = r.take(Field(72, 8))
    name = special_register(index, r.sm)
    if name is None:
        raise Undecodable
    return Named(name, index)


def barrier_threads(r: Reading, token: Token) -> Operand:
    """How many threads a barrier waits for; 0 would be all, and is not printed."""
    count = r.take(Field(42, 12))
    if not count:
        raise Undecodable
    return Imm(count)


def scoreboard(r: Reading, token: Token) -> Operand:
    index = r.take(Field(44, 3))
    if index > 5:
        raise Undecodable
    return Named(f"SB{index}", index)


def scoreboards(r: Reading, token: Token) -> Operand:
    """A set of scoreboards, highest first."""
    mask = r.take(Field(32, 6))
    if not mask:
        raise Undecodable
    return Named("{" + ",".join(str(k) for k in range(5, -1, -1) if mask >> k & 1) + "}", mask)


def sparse_metadata(r: Reading, token: Token) -> Operand:
    return Reg(r.take(Field(40, 8)), reuse=bool(r.take(Field(50, 1))))


def predicate_file(r: Reading, token: Token) -> Operand:
    return Named("PR")


def uniform_predicate_file(r: Reading, token: Token) -> Operand:
    return Named("UPR")


def return_place(r: Reading, token: Token) -> Operand:
    return ReturnReg(fields.REGISTERS + r.take(Field(31, 1)))


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
    "PrOrUPr": mixed_predicate,
    "Imm32": bits(32, 32),
    "Imm33": signed_immediate,
    "Imm64": bits(24, 64),
    "LoadAddr": global_address(GlobalPlace(32, Field(76, 1), Field(90, 1))),
    "StoreAddr": global_address(GlobalPlace(64, Field(76, 1), Field(90, 1))),
    "ReduceAddr": global_address(
        GlobalPlace(64, Field(71, 1), Field(90, 1)), GlobalPlace(64, Field(81, 1), Field(90, 1))
    ),
    "AtomAddr": global_address(
        GlobalPlace(64, Field(71, 1), Field(70, 1)), GlobalPlace(64, Field(76, 1), Field(63, 1), Field(40, 23))
    ),
    "AtomFloatAddr": global_address(GlobalPlace(64, Field(90, 1), Field(63, 1), Field(40, 23))),
    "CopyAddr": global_address(
        GlobalPlace(64, Field(76, 1), Field(70, 1), Field(32, 12)),
        GlobalPlace(64, Field(76, 1), Field(83, 1), Field(32, 12)),
    ),
    "SharedCopyAddr": copied_to_address,
    "PlainAddr": plain_address,
    "FarAddr": far_address,
    "CacheAddr": cache_address,
    "ClusterAddr": cluster_address,
    "SharedLoadAddr": shared_address(32),
    "SharedStoreAddr": shared_address(64),
    "SharedMatrixLoadAddr": shared_base(32),
    "SharedMatrixStoreAddr": shared_base(64),
    "SharedBarrierAddr": barrier_object,
    "UniformSharedAddr": uniform_shared_address,
    "BulkTo": bulk_register(32, AddressUReg),
    "BulkFrom": bulk_register(24, AddressUReg),
    "BulkHint": bulk_register(40, DescriptorUReg),
    "Rd2": plain_register(fields.RC),
    "TexA": plain_register(fields.RA),
    "TexB": plain_register(fields.RB),
    "TexBank": bits(54, 5),
    "TexOffset": bits(40, 14),
    "TexDim": texture_shape,
    "TexMask": texture_mask,
    "TexUniform": texture_uniform,
    "TexSampler": bits(46, 8),
    "Imm8at48": bits(48, 8),
    "TexQuery": texture_query,
    "SurfaceAt": surface_place,
    "LocalAddr": local_address(32),
    "LocalStoreAddr": local_address(64),
    "IndexedConst": indexed_constant,
    "PlainConst": plain_constant,
    "UIndexedConst": uniform_indexed_constant,
    "ULoadConst": uniform_load_constant,
    "L": label,
    "LabelHigh": label,
    "LabelBssy": bssy_label,
    "LepcLabel": lepc_label,
    "Bd": convergence_barrier(16),
    "Bs": convergence_barrier(16),
    "SR": special,
    "Sparse": sparse_metadata,
    "Selector": bits(48, 2),
    "Scoreboard": scoreboard,
    "Scoreboards": scoreboards,
    "Count6": bits(38, 6),
    "TrapCode": bits(34, 3),
    "Imm16at32": bits(32, 16),
    "PR": predicate_file,
    "UPR": uniform_predicate_file,
    "Rpc": return_place,
    "Rpcd": return_place,
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
    "BarrierThreads": barrier_threads,
    "BarrierAt24": convergence_barrier(24),
    "PlainSharedAddr": plain_shared_address,
    "Offset": branch_offset,
    "CodeAddress": code_address,
}
