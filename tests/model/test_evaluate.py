"""Figures of the evaluation: intervals, and the first answers beside the teacher's."""

from __future__ import annotations

from pathlib import Path

import pytest

from cassc.image import cubin as cubin_image
from cassc.model.generate import SHIPPED, translator
from cassc.model.train.evaluate import compare, likeness, summary, wilson
from cassc.sass.disasm import disassemble

DATA = Path(__file__).with_name("data")


def test_an_interval_after_wilson() -> None:
    low, high = wilson(8, 10)
    assert low == pytest.approx(0.4902, abs=1e-4) and high == pytest.approx(0.9433, abs=1e-4)
    assert wilson(0, 0) == (0.0, 1.0)


def test_the_first_answers_beside_the_teachers() -> None:
    cubin = cubin_image.parse((DATA / "forms.sm_80.cubin").read_bytes())
    rows = {f.name: compare(f, cubin, translator(SHIPPED)) for f in disassemble(cubin).functions}
    assert rows["states"]["refused"] == "never read BRX"
    assert rows["reported"]["wrong"] == 0 and rows["product"]["wrong"] == 0
    facts = likeness(list(rows.values()))
    assert facts["kernels"] == 5 and facts["refused"] == 1 and facts["the same"] >= 3


def test_what_has_no_verdict_is_left_out() -> None:
    rows: list[dict[str, object]] = [
        {"kernel": "a", "lift": "accepted", "first": "rejected", "gated": "accepted", "accepted instructions": 3},
        {"kernel": "b", "lift": "unverified", "first": "unverified"},
        {"kernel": "c", "lift": "rejected", "first": "rejected", "gated": "rejected", "accepted instructions": 3},
    ]
    facts = summary(rows)
    assert facts["without verdict"] == 1 and facts["pass@1"]["right"] == 0 and facts["pass@16"]["right"] == 1
    assert facts["of these wrong"] == 1
