"""Reading: one attempt to decode a word as a row's encoding."""

from __future__ import annotations

from dataclasses import dataclass

from cassc.sass import fields
from cassc.sass.fields import Field, SplitField
from cassc.sass.row import Row


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


def uniform_index(r: Reading, lo: int) -> int:
    if r.sm >= fields.FIRST_WIDE_UNIFORM:
        return r.take(Field(lo, fields.WIDE_UNIFORM_WIDTH))
    index = r.take(Field(lo, fields.UNIFORM_WIDTH))
    return fields.URZ if index == (1 << fields.UNIFORM_WIDTH) - 1 else index
