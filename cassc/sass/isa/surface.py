"""Surfaces: loads, stores and reductions of bytes. Where they lie, says ``cassc.sass.textures.surface``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cassc.sass import fields
from cassc.sass.builder import Builder, Scope, Space, Value
from cassc.sass.fields import Field
from cassc.sass.row import Instruction, Meaning, Modifier, choice, effects, flag, form, insn, undone
from cassc.sass.textures import surface
from cassc.sass.textures.surface import Place

Words = tuple[Value, ...]
Handle = Callable[[Builder, tuple[Any, ...]], Value]

SIZE = choice("size", 73, 3, "U8 S8 U16 S16 _ 64 128")
SIZE_BYTES = {"U8": 1, "S8": 1, "U16": 2, "S16": 2, "": 4, "64": 8, "128": 16}
SHAPE = choice("shape", 61, 3, "1D - 1D_ARRAY 2D 2D_ARRAY 3D")
AXES = {"1D": 1, "1D_ARRAY": 1, "2D": 2, "2D_ARRAY": 2, "3D": 3}
BOUNDARY = choice("boundary", 59, 2, "IGN _ TRAP")
BYTES = flag("BA", 72)
ORDER = choice("order", 77, 4, "- - - - - STRONG.SM - STRONG.GPU - - STRONG.SYS")
EVICTION = choice("eviction", 84, 3, "EF _ EL LU EU NA")
OPERATION = choice("op", 87, 4, "ADD MIN MAX INC DEC AND OR XOR")
TYPE, TYPE_100 = choice("type", 73, 3, "_ S32 U64 S64"), choice("type", 73, 3, "_ S32")
COMPONENTS = choice("components", 72, 4, "- R - RG - - - - - - - - - - - _")
FORMATTED = "surface accesses that convert to the surface's format"


def _by_constant(b: Builder, rest: tuple[Any, ...]) -> Value:
    bank, offset = rest
    return b.constant(bank, 4 * offset, 4)


def _by_register(b: Builder, rest: tuple[Any, ...]) -> Value:
    handle: Value = rest[0]
    return handle


# Operands that name the surface, by form: what opcodes are further, the form, the operands, bits that are fixed,
# and the architectures.
_PLACES: tuple[tuple[int, int, str, dict[Field, int], Handle, dict[str, int]], ...] = (
    (0, 5, "TexBank:int, TexOffset:int", {}, _by_constant, {"last_sm": 90}),
    (0, 7, "TexUniform, TexSampler:int", {Field(54, 5): 0}, _by_register, {"last_sm": 90}),
    (0, 7, "TexUniform", {Field(48, 8): 255}, _by_register, {"first_sm": 100}),
    (1, 4, "Rc", {Field(40, 19): 0}, _by_register, {"last_sm": 90}),
)


def _place(b: Builder, i: Instruction, at: Words, handle: Value, size: int) -> Place:
    shape = i.mods["shape"]
    axes = AXES[shape]
    layer = at[axes] if shape.endswith("ARRAY") else None
    return surface.locate(b, handle, at[:axes], layer, size, i.mods["boundary"])


def _load(handle_of: Handle) -> Meaning:
    def meaning(b: Builder, i: Instruction, at: Words, *rest: Any) -> tuple[Words]:
        size = SIZE_BYTES[i.mods["size"]]
        place = _place(b, i, at, handle_of(b, rest), size)
        signed = i.mods["size"].startswith("S")
        return (b.load(Space.GLOBAL, place.address, size, signed=signed, volatile=True, where=place.inside),)

    return effects(meaning)


def _store(handle_of: Handle) -> Meaning:
    def meaning(b: Builder, i: Instruction, at: Words, words: Words, *rest: Any) -> None:
        size = SIZE_BYTES[i.mods["size"]]
        place = _place(b, i, at, handle_of(b, rest), size)

        def write() -> tuple[Value, ...]:
            b.store(Space.GLOBAL, place.address, words, size, volatile=True)
            return ()

        b.where(place.inside, write, ())

    return effects(meaning)


def _reduce(handle_of: Handle) -> Meaning:
    def meaning(b: Builder, i: Instruction, at: Words, words: Words, *rest: Any) -> None:
        wide = i.mods["type"].endswith("64")
        x = b.pair(words[0], words[1]) if wide else words[0]
        place = _place(b, i, at, handle_of(b, rest), 8 if wide else 4)
        op = i.mods["op"].lower()
        if op in ("min", "max"):
            op = ("s" if i.mods["type"].startswith("S") else "u") + op

        def apply() -> tuple[Value, ...]:
            b.atomic(Space.GLOBAL, op, place.address, x, Scope.SYSTEM, returns=False)
            return ()

        b.where(place.inside, apply, ())

    return effects(meaning)


_ACCESS: tuple[Modifier, ...] = (SHAPE, EVICTION, SIZE, ORDER, BOUNDARY)
for _further, _form, _where, _bits, _handle, _archs in _PLACES:
    _facts: dict[str, Any] = {"ignored": (fields.REUSE,), **_archs}
    _believed: dict[str, Any] = (
        {"argued": "the instruction of sm_90, whose fields stand elsewhere"} if "first_sm" in _archs else {}
    )
    insn(
        "SULD.D.BA",
        0x199 + _further,
        f"Rd:w, SurfaceAt:w4, {_where}",
        form(_form),
        *_ACCESS,
        fixed={**_bits, Field(72, 1): 1, Field(76, 1): 0, fields.PU: 7, Field(87, 4): 0, fields.RB: 0},
        **_facts,
        **_believed,
    )(_load(_handle))
    insn(
        "SUST.D.BA",
        0x19D + _further,
        f"SurfaceAt:w4, Rb:w, {_where}",
        form(_form),
        *_ACCESS,
        fixed={**_bits, Field(72, 1): 1, Field(76, 1): 0, fields.PU: 0, Field(87, 4): 0, fields.RD: 0},
        **_facts,
        **_believed,
    )(_store(_handle))
    undone(
        "SUST.P",
        0x19B + _further,
        f"SurfaceAt:w4, Rb:w4, {_where}",
        form(_form),
        SHAPE,
        EVICTION,
        ORDER,
        COMPONENTS,
        BOUNDARY,
        fixed={**_bits, Field(76, 1): 0, fields.PU: 0, Field(87, 4): 0, fields.RD: 0},
        todo=FORMATTED,
        **_facts,
    )
    if _further:
        continue  # not seen
    _form = 2 if _form == 5 else _form
    _type = TYPE if _archs.get("last_sm") == 90 else TYPE_100
    _reductions: tuple[Modifier, ...] = (SHAPE, OPERATION, EVICTION, _type, ORDER, BOUNDARY)
    insn(
        "SURED.D.BA",
        0x19F + _further,
        f"SurfaceAt:w4, Rb:w2, {_where}",
        form(_form),
        *_reductions,
        fixed={**_bits, Field(72, 1): 1, Field(76, 1): 0, fields.PU: 0, fields.RD: 0},
        **_facts,
        **_believed,
    )(_reduce(_handle))
    undone(
        "SURED.D",
        0x19F + _further,
        f"SurfaceAt:w4, Rb, {_where}",
        form(_form),
        *_reductions,
        fixed={**_bits, Field(72, 1): 0, Field(76, 1): 0, fields.PU: 0, fields.RD: 0},
        todo=FORMATTED,
        **_facts,
    )
