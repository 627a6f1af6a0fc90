"""Recorded words: their text, the bits that are claimed, and that one row alone describes each of them."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

import pytest

from cassc.sass.control import MASK
from cassc.sass.decode import claimed_bits, decode, matching_rows, rows_by_opcode
from cassc.sass.operand import Address
from cassc.sass.places import PLACES
from cassc.sass.printer import text
from cassc.sass.row import NEWEST_SM, Instruction

GOLDEN = Path(__file__).parent / "golden"
SMS = tuple(sorted(int(path.stem.removeprefix("sm_")) for path in GOLDEN.glob("sm_*.txt")))


@cache
def golden(sm: int) -> tuple[tuple[int, str], ...]:
    """(word, NVIDIA's text); labels are written L."""
    lines = (GOLDEN / f"sm_{sm}.txt").read_text().splitlines()
    pairs = (line.split(" ", 1) for line in lines if not line.startswith("#"))
    return tuple((int(word, 16), expected) for word, expected in pairs)


def printed(instruction: Instruction) -> str:
    return text(instruction, lambda label: "`(L)").rstrip(" ")


def decoded(word: int, sm: int) -> Instruction:
    instruction = decode(word, sm)
    assert instruction is not None, f"{word:032x} is unknown on sm_{sm}"
    return instruction


@pytest.mark.parametrize("sm", SMS)
def test_the_text_is_nvidias(sm: int) -> None:
    wrong = [(expected, shown) for word, expected in golden(sm) if (shown := printed(decoded(word, sm))) != expected]
    assert not wrong


@pytest.mark.parametrize("sm", SMS)
def test_one_row_describes_a_word(sm: int) -> None:
    shared = {expected: rows for word, expected in golden(sm) if len(rows := matching_rows(word, sm)) != 1}
    assert not shared


@pytest.mark.parametrize("sm", SMS)
def test_unclaimed_bits_must_be_as_they_are(sm: int) -> None:
    """A bit that no field names cannot change without the word becoming unknown, or another row's."""
    rng = random.Random(sm)
    for word, expected in rng.sample(golden(sm), 400):
        instruction = decoded(word, sm)
        rest = [bit for bit in range(9, 128) if not (claimed_bits(instruction) | MASK) >> bit & 1]
        for bit in rng.sample(rest, min(6, len(rest))):
            other = decode(word ^ 1 << bit, sm)
            assert other is None or other.row is not instruction.row, f"bit {bit} of {expected} is not looked at"


@pytest.mark.parametrize("sm", SMS)
def test_claimed_bits_show_in_the_text_or_the_scheduling(sm: int) -> None:
    """Changing a bit that a row reads changes the text or the row, unless the row says that the bit is ignored."""
    rng = random.Random(sm)
    for word, expected in rng.sample(golden(sm), 300):
        instruction = decoded(word, sm)
        claimed = claimed_bits(instruction) & ~MASK & ~instruction.row.ignored
        candidates = [b for b in range(12, 122) if claimed >> b & 1]
        for bit in rng.sample(candidates, min(6, len(candidates))):
            other = decode(word ^ 1 << bit, sm)
            same = other is not None and text(other) == text(instruction)
            assert not same or _silent(instruction, bit), f"bit {bit} of {expected} does not show"


def _silent(instruction: Instruction, bit: int) -> bool:
    """Uniform registers of descriptors are not printed before sm_90, nor the payload of a NaN."""
    if "NAN" in text(instruction) and 32 <= bit < 64:
        return True
    described = [op for op in instruction.operands if isinstance(op, Address) and op.descriptor is not None]
    return any(not address.printed for address in described) and (32 <= bit < 38 or 64 <= bit < 70)


def test_every_row_is_complete() -> None:
    for rows in rows_by_opcode().values():
        for row in rows:
            assert row.meaning is not None or row.control or row.todo, f"{row.name} means nothing"
            assert 75 <= row.first_sm <= row.last_sm <= NEWEST_SM, row.name
            assert row.opcode < 512
            unknown = [token.name for token in row.tokens if token.name not in PLACES]
            assert not unknown, f"{row.name}: {unknown}"
            names = [modifier.name for modifier in row.modifiers]
            assert len(names) == len(set(names)), f"{row.name} has two modifiers of one name"


def test_words_of_older_and_foreign_encodings_are_unknown() -> None:
    assert decode(0, 80) is None
    assert decode((1 << 128) - 1, 80) is None
    assert decode(golden(90)[0][0], 70) is None
    assert decode(golden(90)[0][0], NEWEST_SM + 9) is None


def test_operands_in_constant_banks_end_with_sm_90() -> None:
    word = next(word for word, expected in golden(80) if expected.startswith("IADD3 ") and "c[" in expected)
    assert decode(word, 90) is not None
    assert decode(word, 100) is None


def test_a_meaning_of_other_architectures_is_argued() -> None:
    """The recordings are of sm_90: what no row of it shares needs its reason."""
    rows = [row for several in rows_by_opcode().values() for row in several if row.meaning is not None]
    recorded = {row.meaning for row in rows if row.first_sm <= 90 <= row.last_sm}
    bare = [row.name for row in rows if row.first_sm > 90 and row.meaning not in recorded and not row.argued]
    assert not bare
