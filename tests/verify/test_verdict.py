"""Verdicts as JSON have the keys that docs/verdicts.schema.json describes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from cassc.verify.verdict import Counterexample, Status, Verdict

SCHEMA = Path(__file__).parents[2] / "docs" / "verdicts.schema.json"
EXAMPLE = Counterexample(1, 5, (2, 1, 1), (64, 1, 1), 0, "00ff", "parameter 0", 8, "01000000", "02000000")


def schema() -> Any:
    return json.loads(SCHEMA.read_text())


def written(verdict: Verdict) -> Any:
    return json.loads(json.dumps(verdict.to_dict()))


def test_every_key_is_described() -> None:
    made = written(Verdict("k", "gfx1100", "lift", Status.REJECTED, 3, 0.5, 0.25, "differs", counterexample=EXAMPLE))
    described = schema()["$defs"]
    assert set(made) == set(described["verdict"]["properties"])
    assert set(made["counterexample"]) == set(described["counterexample"]["properties"])
    assert set(described["verdict"]["required"]) <= set(made)
    assert set(described["counterexample"]["required"]) == set(made["counterexample"])


def test_every_status_is_described() -> None:
    assert schema()["$defs"]["verdict"]["properties"]["status"]["enum"] == [status.value for status in Status]


def test_without_a_counterexample_there_is_null() -> None:
    made = written(Verdict("k", "gfx1100", "lift", Status.ACCEPTED, 16, 1 / 3, 2 / 3))
    assert made["counterexample"] is None
    assert (made["coverage"], made["branches"]) == (0.3333, 0.6667)


def test_a_counterexample_in_a_sentence() -> None:
    text = EXAMPLE.describe()
    assert "seed 1, attempt 5" in text
    assert text.endswith("parameter 0 + 8: expected 01000000, got 02000000")
