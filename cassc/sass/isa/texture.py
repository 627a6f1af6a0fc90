"""Textures: fetches, gathers and queries. What they compute is in ``cassc.sass.textures``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cassc.sass import fields
from cassc.sass.builder import F32, I1, I32, Builder, Value
from cassc.sass.fields import Field
from cassc.sass.operand import Named
from cassc.sass.row import Instruction, Meaning, choice, effects, flag, form, insn, split, undone
from cassc.sass.textures import fetch
from cassc.sass.textures.fetch import SHAPES, Operands

Words = tuple[Value, ...]
Handle = Callable[[Builder, tuple[Any, ...]], Value]

SCALAR = flag("SCR", 60)
BINDLESS = choice("bindless", 59, 1, "- B")
LEVEL = choice("level", 87, 3, "_ LZ LB LL")
EVICTION = choice("eviction", 84, 3, "EF _ EL LU EU NA")
NODEP = flag("NODEP", 90)
OFFSET = flag("AOFFI", 76)
CLAMP = flag("CL", 77)
COMPONENT = choice("component", 87, 2, "R G B A")
MASK = Field(72, 4)
BOUND = {Field(59, 1): 0}
BASE_LEVEL = 0xC2000000  # what ptxas passes where no level is named: -32, below any
IMPLICIT = "texture fetches whose level follows from neighbouring threads (gradients of volumes and cubemaps)"
COMPARE = "comparison of depths"


def _by_constant(b: Builder, rest: tuple[Any, ...]) -> Value:
    bank, offset = rest[:2]
    return b.constant(bank, 4 * offset, 4)


def _by_uniform(b: Builder, rest: tuple[Any, ...]) -> Value:
    handle: Value = rest[0]
    return handle


class _Split:
    """The operands of a fetch in the order in which they fill the registers from A on, then those from B on.

    Layer, coordinates, handle, level, offsets; of the halved form (SCR) each of A and B has half, else A the layer and
    the coordinates.
    """

    def __init__(self, i: Instruction, shape: fetch.Shape, handle: bool) -> None:
        self.names = ["layer"] * shape.layered + [f"c{k}" for k in range(shape.axes)]
        first = len(self.names)
        self.names += ["handle"] * handle + ["level"] * (i.mod("level") == "LL") + ["offset"] * i.has("AOFFI")
        self.first = -(-len(self.names) // 2) if i.has("SCR") else first

    def read(self, a: Words, b: Words) -> dict[str, Value]:
        words = (*a[: self.first], *b)
        return dict(zip(self.names, words, strict=False))


def fields_mask(i: Instruction) -> int:
    """Which of the four results are wanted, a bit for each."""
    return MASK.get(i.word)


def _results(mask: int, words: Words, b: Builder) -> tuple[Value, Words, Words]:
    """The predicate, what Rd2 and its neighbour get, what Rd and its neighbour get: the wanted channels in order."""
    wanted = tuple(word for k, word in enumerate(words) if mask >> k & 1)
    return b.const(I1, 1), wanted[2:], wanted[:2]


def _operands(b: Builder, i: Instruction, found: dict[str, Value], handle: Value | None, *, texels: bool) -> Operands:
    zero = b.const(I32, 0)
    shape = _shape_of(found)
    coordinates = tuple(found[f"c{k}"] for k in range(shape))
    level = found.get("level", zero if texels or i.mod("level") == "LZ" else b.const(I32, BASE_LEVEL))
    if not texels:
        coordinates = tuple(b.bitcast(c, F32) for c in coordinates)
        level = b.bitcast(level, F32)
    bound = found["handle"] if handle is None else handle
    return Operands(bound, coordinates, found.get("layer", zero), level, found.get("offset", zero))


def _shape_of(found: dict[str, Value]) -> int:
    return sum(f"c{k}" in found for k in range(3))


def _fetch(kind: str, handle_of: Handle | None) -> Meaning:
    """``kind``: sample, texel or gather. ``handle_of``: from the operands behind A and B; None: it is among A and B."""

    def meaning(b: Builder, i: Instruction, first: Words, second: Words, *rest: Any) -> tuple[Value, Words, Words]:
        named = next(r for r in rest if isinstance(r, Named))
        shape = SHAPES[named.name]
        mask = fields_mask(i)
        found = _Split(i, shape, handle_of is None).read(first, second)
        handle = handle_of(b, rest) if handle_of is not None else None
        operands = _operands(b, i, found, handle, texels=kind == "texel")
        if kind == "sample":
            words: Words = fetch.sampled(b, shape, operands)
        elif kind == "texel":
            words = fetch.texel_at(b, shape, operands)
        else:
            words = fetch.gathered(b, shape, "RGBA".index(i.mods["component"]), operands)
        return _results(mask, words, b)

    return effects(meaning)


_PLACES = (
    (0, 5, "TexBank:int, TexOffset:int, TexDim", BOUND, _by_constant),
    (0, 7, "TexUniform, TexSampler:int, TexDim", {**BOUND, Field(54, 5): 0}, _by_uniform),
    (1, 1, "TexDim", {Field(32 + 8, 19): 0}, None),
)
# kind, mnemonic, opcode, modifiers before and behind the place of B, bits that must be clear.
_KINDS = (
    ("sample", "TEX", 0x160, (), (LEVEL, OFFSET), {Field(77, 2): 0}),
    ("texel", "TLD", 0x166, (), (LEVEL, OFFSET, CLAMP), {Field(78, 1): 0}),
    ("gather", "TLD4", 0x163, (COMPONENT,), (OFFSET,), {Field(77, 2): 0, Field(89, 1): 0}),
)
for _kind, _mnemonic, _opcode, _before, _behind, _clear in _KINDS:
    for _further, _form, _where, _bits, _handle in _PLACES:
        for _mask, _whole in (("", {Field(72, 4): 15}), (", TexMask:int", {})):
            insn(
                _mnemonic,
                _opcode + _further,
                f"Pu?, Rd2:w2, Rd:w2, TexA:w4, TexB:w4?, {_where}{_mask}",
                form(_form),
                SCALAR,
                *_before,
                *((BINDLESS,) if _further else ()),
                *_behind,
                EVICTION,
                NODEP,
                fixed={Field(79, 2): 0, **_bits, **_clear, **_whole},
                ignored=(fields.REUSE,),
                last_sm=90,
            )(_fetch(_kind, _handle))

for _further, _form, _where, _bits, _ in _PLACES:
    for _mask, _whole in (("", {Field(72, 4): 15}), (", TexMask", {})):
        for _extra, _name, _todo in ((2, "NDV", IMPLICIT), (4, "DC", COMPARE)):
            undone(
                "TEX",
                0x160 + _further,
                f"Pu?, Rd2, Rd, TexA, TexB?, {_where}{_mask}",
                form(_form),
                SCALAR,
                *((BINDLESS,) if _further else ()),
                LEVEL,
                OFFSET,
                flag(_name, 77 if _name == "NDV" else 78),
                EVICTION,
                NODEP,
                fixed={Field(77, 2): _extra >> 1, Field(79, 2): 0, **_bits, **_whole},
                ignored=(fields.REUSE,),
                last_sm=90,
                todo=_todo,
            )


# Level by gradients: (du/dx, du/dy, dv/dx, dv/dy); layer and offsets share a register behind the coordinates ----------
def _gradient(handle_of: Handle | None) -> Meaning:
    def meaning(b: Builder, i: Instruction, first: Words, second: Words, *rest: Any) -> tuple[Value, Words, Words]:
        named = next(r for r in rest if isinstance(r, Named))
        shape = SHAPES[named.name]
        handle = first[0] if handle_of is None else handle_of(b, rest)
        words = first[handle_of is None :]
        both = words[shape.axes] if shape.layered or i.has("AOFFI") else b.const(I32, 0)
        layer, offset = b.and_(both, b.const(I32, 0xFFFF)), b.lshr(both, b.const(I32, 16))
        coordinates = tuple(b.bitcast(w, F32) for w in words[: shape.axes])
        slopes = tuple(b.bitcast(w, F32) for w in second[: 2 * shape.axes])
        level = fetch.level_of(b, shape, handle, slopes)
        found = fetch.sampled(b, shape, Operands(handle, coordinates, layer, level, offset))
        return _results(fields_mask(i), found, b)

    return effects(meaning)


for _further, _form, _where, _bits, _handle in _PLACES:
    for _mask, _whole in (("", {Field(72, 4): 15}), (", TexMask:int", {})):
        insn(
            "TXD",
            0x16C + _further,
            f"Pu?, Rd2:w2, Rd:w2, TexA:w4, TexB:w4, {_where}{_mask}",
            form(_form),
            *((BINDLESS,) if _further else ()),
            OFFSET,
            EVICTION,
            NODEP,
            fixed={Field(60, 1): 0, Field(77, 4): 0, Field(87, 3): 0, **_bits, **_whole},
            ignored=(fields.REUSE,),
            last_sm=90,
            approx="the level of detail is computed from the gradients with more precision than the hardware's",
        )(_gradient(_handle))


# Sizes of a level ---------------------------------------------------------------------------------------------------
def _query(handle_of: Handle | None) -> Meaning:
    def meaning(b: Builder, i: Instruction, first: Words, *rest: Any) -> tuple[Words, Words]:
        handle = handle_of(b, rest[1:]) if handle_of is not None else first[0]
        level = first[0] if handle_of is not None else first[1]
        mask = fields_mask(i)
        return _results(mask, fetch.dimensions(b, handle, level), b)[1:]

    return effects(meaning)


for _further, _form, _where, _bits, _handle in _PLACES:
    _rest = _where.removesuffix("TexDim").removesuffix(", ")
    for _mask, _whole in (("", {Field(72, 4): 15}), (", TexMask:int", {})):
        insn(
            "TXQ",
            0x16F + _further,
            ", ".join(filter(None, ("Rd2:w2, Rd:w2, TexA:w2, TexQuery", _rest))) + _mask,
            form(_form),
            *((BINDLESS,) if _further else ()),
            fixed={Field(76, 15): 0, fields.RB: 0, **_bits, **_whole},
            ignored=(fields.REUSE,),
            last_sm=90,
        )(_query(_handle))


# Since sm_100 the handle is in a uniform register, and no sampler is named beside it --------------------------------
_AS_BEFORE = "the instruction of sm_90, whose fields stand elsewhere"
_LEVEL_100 = split("level", [(87, 3), (59, 1)], {0: "", 8: "LZ", 1: "LB", 9: "LL"})
_TEXEL_LEVEL_100 = choice("level", 87, 3, "LZ LL")
_OFFSET_100 = split("AOFFI", [(56, 2)], {0: "", 1: "AOFFI"})
_HANDLE_100 = {Field(48, 8): 255, Field(79, 2): 0}
# kind, mnemonic, opcode, modifiers before and behind the place of B, bits that must be clear.
_KINDS_100 = (
    ("sample", "TEX", 0x160, (), (_LEVEL_100, _OFFSET_100), {Field(76, 3): 0}),
    ("texel", "TLD", 0x166, (), (_TEXEL_LEVEL_100, _OFFSET_100, flag("CL", 76)), {Field(77, 2): 0}),
    ("gather", "TLD4", 0x163, (COMPONENT,), (OFFSET,), {Field(77, 2): 0, Field(89, 1): 0}),
)
for _mask, _whole in (("", {Field(72, 4): 15}), (", TexMask:int", {})):
    for _kind, _mnemonic, _opcode, _before, _behind, _clear in _KINDS_100:
        insn(
            _mnemonic,
            _opcode,
            f"Pu?, Rd2:w2, Rd:w2, TexA:w4, TexB:w4?, TexUniform, TexDim{_mask}",
            form(7),
            SCALAR,
            *_before,
            *_behind,
            EVICTION,
            NODEP,
            fixed={**_HANDLE_100, **_clear, **_whole},
            ignored=(fields.REUSE,),
            first_sm=100,
            argued=_AS_BEFORE,
        )(_fetch(_kind, _by_uniform))
    for _extra, _name, _todo in ((1, "NDV", IMPLICIT), (4, "DC", COMPARE)):
        undone(
            "TEX",
            0x160,
            f"Pu?, Rd2, Rd, TexA, TexB?, TexUniform, TexDim{_mask.removesuffix(':int')}",
            form(7),
            SCALAR,
            _LEVEL_100,
            _OFFSET_100,
            flag(_name, 76 if _name == "NDV" else 78),
            EVICTION,
            NODEP,
            fixed={**_HANDLE_100, Field(76, 3): _extra, **_whole},
            ignored=(fields.REUSE,),
            first_sm=100,
            todo=_todo,
        )
    insn(
        "TXD",
        0x16C,
        f"Pu?, Rd2:w2, Rd:w2, TexA:w4, TexB:w4, TexUniform, TexDim{_mask}",
        form(7),
        _OFFSET_100,
        EVICTION,
        NODEP,
        fixed={Field(58, 3): 0, Field(76, 3): 0, Field(87, 3): 0, **_HANDLE_100, **_whole},
        ignored=(fields.REUSE,),
        first_sm=100,
        argued=_AS_BEFORE,
        approx="the level of detail is computed from the gradients with more precision than the hardware's",
    )(_gradient(_by_uniform))
    insn(
        "TXQ",
        0x16F,
        f"Rd2:w2, Rd:w2, TexA:w2, TexQuery, TexUniform, Imm8at48:int{_mask}",
        form(7),
        fixed={Field(76, 15): 0, fields.RB: 0, Field(48, 8): 0, **_whole},
        ignored=(fields.REUSE,),
        first_sm=100,
        argued=_AS_BEFORE,
    )(_query(_by_uniform))
