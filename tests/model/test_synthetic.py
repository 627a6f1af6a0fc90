"""Made-up instructions: they decode to themselves, reach many rows, and the teacher has lines for most."""

from __future__ import annotations

from random import Random

from cassc.model.train import synthetic
from cassc.model.train.data import EXERCISES, INSTRUCTIONS_PER_EXERCISE, _exercise
from cassc.sass.decode import decode


def test_what_is_made_decodes_to_the_same() -> None:
    r = Random(1)
    for _ in range(200):
        made = synthetic.instruction(r, 80)
        again = decode(made.word, 80, made.address)
        assert again is not None and again.operands == made.operands


def test_many_rows_and_modifiers_are_reached() -> None:
    r = Random(2)
    made = [synthetic.instruction(r, 90) for _ in range(1500)]
    assert len({i.row.name for i in made}) > 0.6 * len(synthetic.rows(90))
    assert {".XOR", ".OR"} <= {f".{i.mod('bool')}" for i in made}


def test_an_exercise_is_the_same_for_the_same_seed() -> None:
    (first,), _ = _exercise((8, 5))
    (second,), _ = _exercise((8, 5))
    assert first == second
    assert first.family == EXERCISES and len(first.source) == len(first.target) == INSTRUCTIONS_PER_EXERCISE
