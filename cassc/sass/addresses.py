"""Operands that name a place in memory, in a constant bank, or in the code."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from cassc.sass import fields
from cassc.sass.fields import Field
from cassc.sass.operand import Address, Const, Imm, Label, Operand, Reg, UReg
from cassc.sass.reading import Reading, Undecodable, uniform_index
from cassc.sass.syntax import Token


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


DESCRIPTOR_SHOWN = Field(101, 1)


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


def plain_shared_address(r: Reading, token: Token) -> Operand:
    """``[Ra + offset]`` without a uniform base."""
    base = Reg(r.take(fields.RA))
    offset = r.take_signed(fields.ADDRESS_OFFSET)
    scale = (1, 4, 8, 16)[r.take(Field(78, 2))]
    if base.is_zero and scale != 1:
        raise Undecodable
    return Address(None if base.is_zero and offset else base, offset, scale=scale)


def uniform_shared_address(r: Reading, token: Token) -> Operand:
    """``[URa + offset]``."""
    r.uses_uniform = True
    return Address(None, r.take_signed(fields.ADDRESS_OFFSET), uregister=UReg(uniform_index(r, fields.RA.lo)))


def copied_to_address(r: Reading, token: Token) -> Operand:
    """Where LDGSTS writes: ``[Rd + offset]`` in shared memory."""
    base = Reg(r.take(fields.RD))
    offset = r.take_signed(Field(44, 20))
    return Address(None if base.is_zero and offset else base, offset)


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


def branch_offset(r: Reading, token: Token) -> Operand:
    """Byte offset added to the register of an indirect branch."""
    offset = r.take_signed(LABEL_HIGH)
    if r.sm >= 90:
        offset = offset << 8 | r.take(LABEL_LOW)
    if not -(1 << 29) <= offset < 1 << 29:
        raise Undecodable
    return Imm(4 * offset & 0xFFFFFFFF, "s32")
