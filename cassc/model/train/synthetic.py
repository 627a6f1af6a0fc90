"""Made-up SASS instructions: words drawn at random within what the rows of the instruction table allow.

Compiled kernels show the common instructions in their common forms; a model that has read nothing else has no answer
for a modifier that it never saw. Rows are drawn evenly, then their forms, modifiers and operands.
"""

from __future__ import annotations

from functools import cache
from random import Random

from cassc.sass import fields
from cassc.sass.decode import fitted, rows_by_opcode
from cassc.sass.fields import Field
from cassc.sass.row import Instruction, Row

PARAM_BASE = 0x160
_WORD_BITS = 128
# The dialect has nothing for these.
_TEXTURES = ("cassc.sass.isa.texture", "cassc.sass.isa.surface")
_REGISTERS = (fields.RD, fields.RA, fields.RB, fields.RC)
_PREDICATES = (fields.PU, fields.PV, fields.PP, fields.PQ, fields.PR)
_BANKS = (0, 0, 0, 3, 3, 2, 4)
_DRIVER_WORDS = (0x0, 0x4, 0x8, 0xC, 0x10, 0x14, 0x18, 0x20, 0x24, 0x28)
_NEGATIONS = tuple(Field(bit, 1) for bit in (62, 63, 71, 72, 73, 74, 75, 80, 90))


@cache
def rows(sm: int) -> tuple[Row, ...]:
    """The rows of an architecture that have a meaning, or that transfer control."""
    found = [row for listed in rows_by_opcode().values() for row in listed if row.first_sm <= sm <= row.last_sm]
    return tuple(
        row
        for row in found
        if not row.todo
        and (row.meaning is not None or row.control)
        and getattr(row.meaning, "__module__", "") not in _TEXTURES
    )


def instruction(r: Random, sm: int) -> Instruction:
    """An instruction that decodes."""
    while True:
        row = r.choice(rows(sm))
        for _ in range(20):
            made = fitted(row, _word(r, row), sm, 16 * r.randrange(1, 400))
            if made is not None:
                return made


def _word(r: Random, row: Row) -> int:
    word = r.getrandbits(_WORD_BITS)
    form = r.choice(list(row.layout))
    # Few registers, so that some are read and written, or overlap.
    pool = [_register(r) for _ in range(r.choice((1, 2, 4, 4)))]
    for place in _REGISTERS:
        near = r.choice(pool)
        word = place.put(word, near + 1 if near < 250 and r.random() < 0.1 else near)
    if r.random() < 0.5 and not any(slot[1] in "ru" for slot in row.layout[form].values() if slot[0] == "b"):
        word = fields.IMMEDIATE.put(word, _immediate(r))
    if any(slot[1] == "k" for slot in row.layout[form].values()) or r.random() < 0.1:
        word = fields.CONST_BANK.put(word, r.choice(_BANKS))
        offset = r.choice(_DRIVER_WORDS) if r.random() < 0.2 else PARAM_BASE + 4 * r.randrange(40)
        word = fields.CONST_OFFSET.put(word, offset)
    for place in _PREDICATES:
        if r.random() < 0.6:
            word = place.put(word, fields.PT)
    for place in _NEGATIONS:
        if r.random() < 0.6:
            word = place.put(word, 0)
    word = fields.GUARD.put(fields.GUARD_NOT.put(word, 0), fields.PT)
    if r.random() < 0.15:
        word = fields.GUARD.put(fields.GUARD_NOT.put(word, r.getrandbits(1)), r.randrange(7))
    for modifier in row.modifiers:
        allowed = [value for value, name in enumerate(modifier.names) if name is not None]
        word = modifier.field.put(word, r.choice(allowed))
    for fixed, value in row.fixed:
        word = fixed.put(word, value)
    return fields.FORM.put(fields.OPCODE.put(word, row.opcode), form)


def _register(r: Random) -> int:
    """Mostly the first of four, as the first of a pair or of four words is."""
    draw = r.random()
    if draw < 0.15:
        return fields.RZ
    return 4 * r.randrange(60) if draw < 0.6 else r.randrange(250)


def _immediate(r: Random) -> int:
    return r.choice((r.randrange(64), r.randrange(256), r.getrandbits(32), 1 << r.randrange(32), 0x3F800000, 0))
