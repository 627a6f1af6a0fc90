"""One instruction word to an Instruction, by the table of rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import cache

from cassc.sass import control, fields
from cassc.sass.operand import Operand, Pred
from cassc.sass.places import PLACES
from cassc.sass.reading import Reading, Undecodable
from cassc.sass.row import TABLE, Instruction, Row
from cassc.sass.syntax import Token

_COMMON = (
    fields.OPCODE.mask
    | fields.FORM.mask
    | fields.GUARD.mask
    | fields.GUARD_NOT.mask
    | control.MASK & ~fields.REUSE.mask
)


@cache
def rows_by_opcode() -> dict[int, tuple[Row, ...]]:
    """The whole table, keyed by opcode; importing ``isa`` fills it."""
    import cassc.sass.isa  # noqa: F401  (registers the rows)

    index: defaultdict[int, list[Row]] = defaultdict(list)
    for row in TABLE:
        index[row.opcode].append(row)
    return {opcode: tuple(rows) for opcode, rows in index.items()}


def decode(word: int, sm: int, address: int = 0) -> Instruction | None:
    """The instruction, or None when no row describes exactly this word (an unknown encoding).

    Args:
        word: 128 bits.
        sm: 75, 80, ...
        address: byte offset in the section, for branch targets.
    """
    for row in rows_by_opcode().get(fields.OPCODE.get(word), ()):
        if row.first_sm <= sm <= row.last_sm and fields.FORM.get(word) in row.layout:
            instruction = _try(row, word, sm, address)
            if instruction is not None:
                return instruction
    return None


def matching_rows(word: int, sm: int) -> tuple[Row, ...]:
    """All rows that describe the word; a sound table has one at most."""
    candidates = rows_by_opcode().get(fields.OPCODE.get(word), ())
    form = fields.FORM.get(word)
    fitting = (row for row in candidates if row.first_sm <= sm <= row.last_sm and form in row.layout)
    return tuple(row for row in fitting if _try(row, word, sm, 0) is not None)


def claimed_bits(instruction: Instruction) -> int:
    """Mask of the bits that the row looks at (or knows not to matter), given this word."""
    i = instruction
    reading = _start(i.row, i.word, i.sm, i.address)
    _read(reading)
    return reading.claimed


def fitted(row: Row, word: int, sm: int, address: int = 0) -> Instruction | None:
    """The instruction that a word is after the bits are cleared which the row does not look at; None if it is none.

    Opcode, form and the row's fixed fields must stand in the word. For making words, not for reading them.
    """
    reading = _start(row, word, sm, address)
    _read(reading)
    return _try(row, word & reading.claimed, sm, address)


def _start(row: Row, word: int, sm: int, address: int) -> Reading:
    return Reading(word, row, fields.FORM.get(word), sm, address, {}, _COMMON | row.ignored)


def _try(row: Row, word: int, sm: int, address: int) -> Instruction | None:
    reading = _start(row, word, sm, address)
    operands = _read(reading)
    if operands is None or word & ~reading.claimed & ((1 << 128) - 1):
        return None
    guard = Pred(fields.GUARD.get(word), bool(fields.GUARD_NOT.get(word)), uniform=row.uniform)
    return Instruction(row, word, address, sm, reading.form, guard, operands, reading.mods)


def _read(reading: Reading) -> tuple[Operand, ...] | None:
    """The operands, or None when the word is not of the row; bits beyond the claimed ones are not looked at."""
    row = reading.row
    for place, value in row.fixed:
        if reading.take(place) != value:
            return None
    for modifier in row.modifiers:
        text = modifier.names[reading.take(modifier.field)]
        if text is None:
            return None
        reading.mods[modifier.name] = text
    try:
        operands = tuple(PLACES[token.name](reading, token) for token in row.tokens)
    except Undecodable:
        return None
    if not _defaults_hold(row, operands, reading):
        return None
    uses_uniform = reading.uses_uniform or (fields.USES_UNIFORM, 1) in row.fixed
    if uses_uniform != bool(reading.take(fields.USES_UNIFORM)):
        return None
    return operands


def is_default(token: Token, operand: Operand) -> bool:
    return isinstance(operand, Pred) and operand.index == fields.PT and operand.negated == token.default.startswith("!")


def shown(token: Token, operand: Operand, mods: Mapping[str, str]) -> bool:
    """Whether the operand stands in the text."""
    if token.hidden:
        return False
    if token.optional and not isinstance(operand, Pred):
        return not getattr(operand, "is_zero", False)
    if token.when:
        wanted = not token.when.startswith("!")
        if bool(mods.get(token.when.removeprefix("!"))) != wanted:
            return False
    return not (token.optional and is_default(token, operand))


def _defaults_hold(row: Row, operands: tuple[Operand, ...], reading: Reading) -> bool:
    """An operand that a clear modifier hides must have its default value."""
    for token, operand in zip(row.tokens, operands, strict=True):
        wanted = not token.when.startswith("!")
        hidden = token.when and bool(reading.mods.get(token.when.removeprefix("!"))) != wanted
        if hidden and not is_default(token, operand):
            return False
    return True
