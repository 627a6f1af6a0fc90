"""The figures in docs/model.md are those of the files beside it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from cassc.driver import models
from cassc.model.train import table

DOCS = Path(__file__).parents[2] / "docs"
CARD = (DOCS / "model.md").read_text()


def given() -> Iterator[str]:
    """Of the data, the training and the weights."""
    data = json.loads((DOCS / "model" / "data.json").read_text())
    tokens = [f"{data[side] / 1e6:.1f}" for side in ("source tokens", "target tokens")]
    yield f"{data['kernels']:,} distinct kernels and sequences, {data['instructions']:,} instructions"
    yield f"{tokens[0]} + {tokens[1]} million tokens, vocabulary {data['vocabulary']:,}"
    log = [json.loads(line) for line in (DOCS / "model" / "training.jsonl").read_text().splitlines()]
    stored = {row["on"]: row for row in log if row.get("stored") == "int8"}
    yield f"{log[-1]['step']:,} steps of {log[0]['settings']['batch']} windows, {log[-1]['seconds']:.0f} seconds"
    validated, held_out = stored["validation"], stored["held-out families"]
    groups, kernels = f"{validated['groups exact']:.4f}", f"{100 * validated['kernels exact']:.1f}"
    made_up = f"{stored['made-up instructions']['groups exact']:.4f}"
    of_held_out = f"{100 * held_out['kernels exact']:.0f} % of {held_out['kernels']:,}"
    yield f"| shipped | {groups} | {kernels} % of {validated['kernels']} | {of_held_out} | {made_up} |"
    facts = models.info()
    shape = (
        f"width {facts['width']}, {facts['heads']} heads, {facts['encoder_layers']} + {facts['decoder_layers']} layers"
    )
    yield f"{facts['bytes']:,} bytes, {facts['parameters']:,} parameters ({shape})"


@pytest.mark.parametrize("line", [*table.lines(table.read(DOCS / "model" / "evaluation.jsonl")), *given()])
def test_a_figure_is_the_files(line: str) -> None:
    assert " ".join(line.split()) in " ".join(CARD.split())


def test_a_share_of_no_launch_is_left_out() -> None:
    rows: list[dict[str, object]] = [
        {"set": "cubins", "file": "a", "kernel": "f", "lift": "accepted", "first": "rejected", "gated": "accepted",
         "accepted instructions": 9, "lift instructions": 8, "model seconds": 1.0, "blind": {"gated": None}},
        {"set": "cubins", "file": "a", "kernel": "g", "lift": "unverified", "first": "unverified"},
    ]  # fmt: skip
    assert "0 of 1: 0 % [0, 79.3] | 0 of 1: 0 % [0, 79.3] | 1 of 1: 100 % [20.6, 100] | 1, 0" in table.right("x", rows)
