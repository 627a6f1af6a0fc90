"""Operands of arithmetic: registers, predicates, immediates and constants, with their signs and parts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from cassc.sass import fields
from cassc.sass.fields import Field, SplitField
from cassc.sass.operand import Const, Imm, Operand, Pred, Reg, UReg
from cassc.sass.reading import Reading, Undecodable, uniform_index
from cassc.sass.syntax import CHOSEN_MARKS, Token

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


def plain_register(place: Field) -> Callable[[Reading, Token], Operand]:
    """A register without modifiers and without a reuse bit."""

    def read(r: Reading, token: Token) -> Operand:
        return Reg(r.take(place))

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


def shuffle_operand(place: Field, immediate: Field, forms: tuple[int, ...]) -> Callable[[Reading, Token], Operand]:
    slot = "b" if place is fields.RB else "c"

    def read(r: Reading, token: Token) -> Operand:
        return Imm(r.take(immediate)) if r.form in forms else register(slot)(r, token)

    return read
