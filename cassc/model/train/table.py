"""The figures of docs/model.md from the rows of an evaluation: ``python -m cassc.model.train.table EVALUATION.jsonl``.

A row's ``blind`` is what `cassc.model.train.evaluate --blind` says of the kernel, where that differs: the answers
accepted when the model is not shown the launches that reject them.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from cassc.model.train.evaluate import summary

Rows = Sequence[Mapping[str, Any]]
SETS = {
    "random": "{} new ones of training families",
    "held-out families": "{} of the left-out families",
    "cubins": "{} of the benchmark (all {programs} programs, sm_80; of {without} more no launch can be generated)",
}

_FEWER = ("fewer instructions than the lifter", "accepted by the gate")
_AGAINST = "instructions against the lifter's"


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def lines(rows: Rows) -> Iterator[str]:
    """Rows of Markdown tables, and sentences."""
    groups = {name: [row for row in rows if row["set"] == name] for name in SETS}
    for name, title in SETS.items():
        facts = summary(groups[name])
        programs = len({row["file"] for row in groups[name]})
        count = facts["pass@1"]["of"]
        yield right(title.format(count, programs=programs, without=facts["without verdict"]), groups[name])
    yield right("the same, without those refused", [r for r in groups["cubins"] if "refused" not in r])
    yield _costs(groups)
    yield from _programs(groups["cubins"])
    every = [summary(group) for group in groups.values()]
    fewer, accepted = (sum(s[key] for s in every) for key in _FEWER)
    yield f"Its code has fewer instructions in {fewer} of {accepted} kernels"


def right(title: str, rows: Rows) -> str:
    facts = summary(rows)
    blind = summary([{**row, **row.get("blind", {})} for row in rows])
    gate = f"{facts['accepted by the gate']}, {facts['of these wrong']}"
    lifter = f"{facts['lifter']['right']} of {facts['lifter']['of']}"
    shares = [_share(share) for share in (facts["pass@1"], blind["pass@16"], facts["pass@16"])]
    return f"| {title} | {' | '.join(shares)} | {gate} | {facts['refused'] or '-'} | {lifter} |"


def _share(share: Mapping[str, Any]) -> str:
    low, high = (f"{100 * bound:.1f}".removesuffix(".0") for bound in share["interval"])
    percent = f"{100 * share['right'] / share['of']:.1f}".removesuffix(".0")
    return f"{share['right']} of {share['of']}: {percent} % [{low}, {high}]"


def _costs(groups: Mapping[str, Rows]) -> str:
    every = [summary(group) for group in groups.values()]
    seconds = [f"{s['median seconds']:.2f} s ({s['slowest seconds']:.1f} s)" for s in every]
    ratios = [f"{s[_AGAINST]:.2f}" for s in every]
    fewer = [f"{s[_FEWER[0]]} of {s[_FEWER[1]]}" for s in every]
    return "\n".join(
        f"| {title} | {' | '.join(values)} |"
        for title, values in (
            ("processor time for the first answer, median (slowest), one core", seconds),
            ("instructions of accepted code against the lifter's", ratios),
            ("kernels with fewer instructions than the lifter's", fewer),
        )
    )


def _programs(rows: Rows) -> Iterator[str]:
    """Of the programs, those with every kernel right, as far as there is a verdict."""
    wrong: dict[str, bool] = defaultdict(bool)
    for row in rows:
        told = row.get("lift") != "unverified" and row.get("first") != "unverified"
        wrong[row["file"]] |= told and row.get("gated") != "accepted"
    yield f"Of the {len(wrong)} programs {sum(not bad for bad in wrong.values())} have every kernel right"


if __name__ == "__main__":
    print("\n".join(lines(read(Path(sys.argv[1])))))
