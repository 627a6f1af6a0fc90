"""One row per SASS instruction: encoding, syntax and meaning, from which everything else is derived."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from cassc.sass import syntax
from cassc.sass.control import ControlCode
from cassc.sass.fields import Field, SplitField
from cassc.sass.operand import Operand, Pred
from cassc.sass.syntax import Token
from cassc.target import SASS_ARCHITECTURES

Meaning = Callable[..., Any]

# Rows hold up to this architecture unless they say otherwise: later ones must be compared before a row may claim them.
NEWEST_SM = SASS_ARCHITECTURES[-1]

# Slots of the logical sources by form field (bits 9-11): slot "b" is the wide one (bits 32-63), "c" the register at 64.
# r register, u uniform register, i immediate, k constant bank. A third letter names the slot whose reuse bit counts.
Layout = Mapping[int, Mapping[str, str]]

ABC: Layout = {
    1: {"B": "br", "C": "cr"},
    2: {"B": "cr", "C": "bi"},
    3: {"B": "cr", "C": "bk"},
    4: {"B": "bi", "C": "cr"},
    5: {"B": "bk", "C": "cr"},
    6: {"B": "bu", "C": "cr"},
    7: {"B": "cr", "C": "bu"},
}
AB: Layout = {1: {"B": "br"}, 4: {"B": "bi"}, 5: {"B": "bk"}, 6: {"B": "bu"}}
# The second source of two is the third slot's operand: FADD, DSETP (register in slot b) and DADD (in slot c).
AB_AS_C: Layout = {1: {"B": "brc"}, 2: {"B": "bi"}, 3: {"B": "bk"}, 7: {"B": "bu"}}
AC: Layout = {1: {"B": "crc"}, 2: {"B": "bi"}, 3: {"B": "bk"}, 7: {"B": "bu"}}


def only(layout: Layout, *forms: int) -> Layout:
    return {form: layout[form] for form in forms}


def form(number: int) -> Layout:
    """A row with one form and no logical sources."""
    return {number: {}}


@dataclass(frozen=True, slots=True)
class Modifier:
    """A field that changes the operation and is printed as ``.NAME`` after the mnemonic.

    ``names[value]``: printed text, ``""`` when not printed, ``None`` when the value is not allowed.
    """

    name: str
    field: Field | SplitField
    names: tuple[str | None, ...]
    printed: bool = True


def flag(name: str, bit: int, text: str | None = None, *, inverted: bool = False) -> Modifier:
    """One bit, printed as its name when set (``inverted``: when clear)."""
    names: tuple[str | None, ...] = ("", text or name)
    return Modifier(name, Field(bit, 1), names[::-1] if inverted else names)


def choice(name: str, lo: int, width: int, names: str, *, printed: bool = True) -> Modifier:
    """Names of the values 0, 1, ..., separated by blanks; ``_`` is not printed; ``-`` and the rest not allowed."""
    listed = [None if n == "-" else "" if n == "_" else n for n in names.split()]
    listed += [None] * ((1 << width) - len(listed))
    return Modifier(name, Field(lo, width), tuple(listed), printed)


def split(name: str, pieces: Iterable[tuple[int, int]], names: Mapping[int, str]) -> Modifier:
    """A modifier over several fields (pieces of (lo, width), lowest bits first); only the named values are allowed."""
    place = SplitField(tuple(Field(lo, width) for lo, width in pieces))
    return Modifier(name, place, tuple(names.get(value) for value in range(1 << place.width)))


def number(name: str, lo: int, width: int) -> Modifier:
    """A numeric field that an operand prints; its value is decimal text."""
    return Modifier(name, Field(lo, width), tuple(str(k) for k in range(1 << width)), printed=False)


@dataclass(frozen=True, slots=True)
class Row:
    """A SASS instruction.

    Attributes:
        mnemonic: printed base name.
        opcode: bits 0-8 of the word.
        tokens: operands in printing order.
        layout: forms (bits 9-11) that exist, and where they put the logical sources.
        modifiers: in printing order.
        fixed: fields whose value is required: they tell rows of one opcode apart, or are unused and not zero.
        ignored: bits that do not matter (mask); the disassembler does not look at them either.
        meaning: ``meaning(b, i, *sources)`` -> the destinations' values (one, a tuple, or None).
        control: ``""``, or the kind of control transfer, which the drivers implement.
        uniform: executes in the uniform datapath; its guard is a uniform predicate.
        first_sm, last_sm: architectures that have the encoding, as far as it was compared with NVIDIA's text.
        argued: why the meaning is believed, for rows of architectures of which no recording exists and whose meaning no
            row of the recorded one shares.
        approx: how the result may differ from the hardware's, empty if it does not.
        todo: what of the row is not implemented: such instructions decode and print but are refused by name.
        refine: gives the printed mnemonic and operands where they depend on values (IMAD.MOV), else None.
    """

    mnemonic: str
    opcode: int
    tokens: tuple[Token, ...]
    layout: Layout
    modifiers: tuple[Modifier, ...] = ()
    fixed: tuple[tuple[Field, int], ...] = ()
    ignored: int = 0
    meaning: Meaning | None = None
    control: str = ""
    uniform: bool = False
    first_sm: int = 75
    last_sm: int = NEWEST_SM
    argued: str = ""
    approx: str = ""
    todo: str = ""
    refine: Callable[[Instruction], str] | None = None

    @property
    def name(self) -> str:
        """Unique within an architecture: mnemonic and fixed fields."""
        extra = ",".join(f"{f.lo}={v}" for f, v in self.fixed)
        return f"{self.mnemonic}/{self.opcode:#05x}" + (f"[{extra}]" if extra else "")

    @property
    def pure(self) -> bool:
        """No side effect and no exchange between lanes."""
        return self.meaning is not None and not self.control and not getattr(self.meaning, "effects", False)


@dataclass(frozen=True, slots=True)
class Instruction:
    """A decoded instruction.

    Attributes:
        operands: one for each token of the row.
        mods: modifier name -> text (``""`` at its default), all modifiers of the row.
    """

    row: Row
    word: int
    address: int
    sm: int
    form: int
    guard: Pred
    operands: tuple[Operand, ...]
    mods: Mapping[str, str] = field(default_factory=dict)
    text: str = ""

    @property
    def control(self) -> ControlCode:
        return ControlCode.of(self.word)

    @property
    def mnemonic(self) -> str:
        """With modifiers, as printed."""
        return self.row.refine(self) if self.row.refine else spelled(self)

    def mod(self, name: str) -> str:
        return self.mods.get(name, "")

    def has(self, name: str) -> bool:
        return bool(self.mods.get(name))


def spelled(instruction: Instruction, *, base: str | None = None, drop: Iterable[str] = ()) -> str:
    """The mnemonic and its printed modifiers."""
    parts = [base or instruction.row.mnemonic]
    for modifier in instruction.row.modifiers:
        if modifier.printed and modifier.name not in drop and instruction.mods[modifier.name]:
            parts.append(instruction.mods[modifier.name])
    return ".".join(parts)


TABLE: list[Row] = []


def _add(
    mnemonic: str,
    opcode: int,
    operands: str,
    layout: Layout,
    modifiers: tuple[Modifier, ...],
    fixed: Mapping[Field, int] | None,
    ignored: Iterable[Field],
    **facts: Any,
) -> None:
    TABLE.append(
        Row(
            mnemonic,
            opcode,
            syntax.parse(operands),
            MappingProxyType(dict(layout)),
            modifiers,
            tuple((fixed or {}).items()),
            sum(f.mask for f in ignored),
            **facts,
        )
    )


def insn(
    mnemonic: str,
    opcode: int,
    operands: str,
    layout: Layout,
    *modifiers: Modifier,
    fixed: Mapping[Field, int] | None = None,
    ignored: Iterable[Field] = (),
    **facts: Any,
) -> Callable[[Meaning], Meaning]:
    """Adds a row whose meaning is the decorated function."""

    def register(meaning: Meaning) -> Meaning:
        _add(mnemonic, opcode, operands, layout, modifiers, fixed, ignored, meaning=meaning, **facts)
        return meaning

    return register


def control_row(
    mnemonic: str,
    opcode: int,
    operands: str,
    layout: Layout,
    *modifiers: Modifier,
    control: str,
    fixed: Mapping[Field, int] | None = None,
    ignored: Iterable[Field] = (),
    **facts: Any,
) -> None:
    """Adds a row that the drivers implement: branches, calls, convergence barriers, no-ops."""
    _add(mnemonic, opcode, operands, layout, modifiers, fixed, ignored, control=control, **facts)


def undone(
    mnemonic: str,
    opcode: int,
    operands: str,
    layout: Layout,
    *modifiers: Modifier,
    todo: str,
    fixed: Mapping[Field, int] | None = None,
    ignored: Iterable[Field] = (),
    **facts: Any,
) -> None:
    """Adds a row that decodes and prints, and is refused by name when it is to be run; ``todo`` says what it needs."""
    _add(mnemonic, opcode, operands, layout, modifiers, fixed, ignored, todo=todo, **facts)


def effects(meaning: Meaning) -> Meaning:
    """Marks a meaning that touches memory, other lanes or barriers."""
    meaning.effects = True  # type: ignore[attr-defined]
    return meaning
