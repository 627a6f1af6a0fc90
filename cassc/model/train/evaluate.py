"""How often answers are right: ``python -m cassc.model.train.evaluate OUT.jsonl --random 40 --held-out 40 [CUBIN...]``.

For each kernel the answers are tried in order against the gate, as the cascade does, and the model is shown by what
launches they are rejected. The first answer, and the first that the gate accepts, are then scored by launches of
another seed, which the gate has not seen. The lifter's translation is scored the same way. One line of JSON for each
kernel; the summary gives intervals after Wilson.
"""

from __future__ import annotations

import argparse
import functools
import json
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from random import Random
from typing import Any

from cassc.amdgpu import assemble
from cassc.diag import CasscError
from cassc.image import cubin as cubin_image
from cassc.image.cubin import Cubin
from cassc.lift.globals import module_globals
from cassc.lift.kernel import LiftedKernel
from cassc.lift.lift import lift_kernel
from cassc.lift.module import link_text
from cassc.model.finish import finish
from cassc.model.generate import SHIPPED, Translator, prepare
from cassc.model.operations import Form
from cassc.model.train import kernels
from cassc.model.train.data import compile_cubin, lesson
from cassc.model.train.node import Untaught
from cassc.sass import cfg, disasm
from cassc.sass.disasm import SassFunction
from cassc.target import DEFAULT_TARGET
from cassc.verify.check import Checker
from cassc.verify.oracle import Case
from cassc.verify.verdict import Status, Verdict

ATTEMPTS = 16
GATE_SEED, SCORE_SEED = 1, 7001
FRESH = 10_000_000
"""Numbers of kernels from here on are not in the training data."""


class Judge:
    """Assembles and checks one kernel's translations. ``shown``: the launch that rejected the last one."""

    def __init__(self, function: SassFunction, cubin: Cubin, seconds: float) -> None:
        self.function, self.cubin, self.seconds = function, cubin, seconds
        self.shown: Case | None = None
        self.shared = module_globals(cubin).definitions

    def assembled(self, ir: LiftedKernel) -> tuple[bytes, int]:
        """The code object, and its number of instructions. Raises CasscError."""
        made = assemble.assemble_full(link_text([ir], DEFAULT_TARGET, self.shared), DEFAULT_TARGET)
        lines = assemble.disassemble(made.code_object)
        return made.code_object, sum(not line.text.strip().startswith(("s_code_end", "s_nop")) for line in lines)

    def verdict(self, code_object: bytes, seed: int) -> Verdict:
        with Checker(self.cubin, code_object, DEFAULT_TARGET, seed=seed) as checker:
            verdict = checker.check(self.function, "model", seconds=self.seconds)
        self.shown = checker.shown
        return verdict


def evaluate(
    function: SassFunction, cubin: Cubin, model: Translator, form: Form, seconds: float, *, blind: bool = False
) -> dict[str, Any]:
    """What became of one kernel. ``first``, ``gated``, ``lift``: scores of the first answer, of the first that the gate
    accepts, and of the lifter's translation. ``blind``: the model is not shown the launches that rejected answers."""
    judge = Judge(function, cubin, seconds)
    facts: dict[str, Any] = {"kernel": function.name, "sm": cubin.arch.number}
    try:
        lifted, facts["lift instructions"] = judge.assembled(lift_kernel(function, cubin))
        facts["lift"] = judge.verdict(lifted, SCORE_SEED).status.value
    except CasscError as problem:
        facts["lift"] = f"refused: {problem.diagnostics[0].message}"
    if function.undecodable:
        return {**facts, "refused": function.undecodable[0].message}
    task = prepare(function, cubin)
    facts["instructions"] = len(task.source.addresses)
    unknown = model.unknown(task.source)
    if unknown:
        return {**facts, "refused": f"never read {next(iter(unknown.values()))}"}
    begin, started = time.process_time(), time.perf_counter()
    first = None
    answers = model.answers(task)
    shown: Case | None = None
    for attempt in range(ATTEMPTS):
        try:
            answer = answers.send(shown)
        except StopIteration:
            break
        shown = None
        if attempt == 0:
            facts["model seconds"] = round(time.process_time() - begin, 3)
            facts["model wall"] = round(time.perf_counter() - started, 3)
        facts["attempts"] = attempt + 1
        try:
            code_object, count = judge.assembled(finish(answer, task.abi, cubin, form))
        except CasscError as problem:
            facts.setdefault("unassembled", str(problem.diagnostics[0].message)[:300])
            continue
        gate = judge.verdict(code_object, GATE_SEED)
        shown = None if blind else judge.shown
        if attempt == 0:
            first = facts["first"] = judge.verdict(code_object, SCORE_SEED).status.value
            facts["first gate"] = gate.status.value
            facts["model instructions"] = count
            facts["first reason"] = gate.reason[:200]
        if gate.status is Status.UNVERIFIED:
            facts["gated"] = "unverified"
            break
        if gate.status is Status.ACCEPTED:
            facts["gated"] = first if attempt == 0 else judge.verdict(code_object, SCORE_SEED).status.value
            facts["accepted instructions"] = count
            break
    return facts


def compare(function: SassFunction, cubin: Cubin, model: Translator) -> dict[str, Any]:
    """The first answer beside the teacher's, of which nothing is executed: ``wrong`` says in how many groups they
    differ, ``refused`` why one of them says nothing."""
    facts: dict[str, Any] = {"kernel": function.name, "sm": cubin.arch.number}
    if function.undecodable:
        return {**facts, "refused": function.undecodable[0].message}
    task = prepare(function, cubin)
    unknown = model.unknown(task.source)
    if unknown:
        return {**facts, "refused": f"never read {next(iter(unknown.values()))}"}
    try:
        _, groups = lesson(function, cfg.build(function))
    except Untaught as problem:
        return {**facts, "refused": f"teacher: {problem}"}
    answer = next(model.answers(task))
    wrong = [k for k, (own, taught) in enumerate(zip(answer.groups, groups, strict=True)) if own != taught]
    if wrong:
        facts["first wrong"] = " ".join(task.source.tokens[wrong[0]])
    return {**facts, "instructions": len(groups), "wrong": len(wrong)}


def wilson(right: int, count: int) -> tuple[float, float]:
    """95 % interval of a share."""
    if not count:
        return 0.0, 1.0
    z, p = 1.959964, right / count
    middle = p + z * z / (2 * count)
    reach = z * math.sqrt(p * (1 - p) / count + z * z / (4 * count * count))
    return (middle - reach) / (1 + z * z / count), (middle + reach) / (1 + z * z / count)


def summary(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Shares of the kernels that have a verdict at all: those whose launches cannot be generated say nothing."""
    tried = [r for r in rows if r.get("lift") != "unverified" and r.get("first") != "unverified"]
    count = len(tried)
    ok = Status.ACCEPTED.value
    first = sum(r.get("first") == ok for r in tried)
    gated = sum(r.get("gated") == ok for r in tried)
    lift = sum(r.get("lift") == ok for r in tried)
    false = sum(r.get("gated") == Status.REJECTED.value for r in tried)
    accepted = sum("accepted instructions" in r for r in tried)
    wins = [r["kernel"] for r in tried if r.get("gated") == ok and r.get("lift") != ok]
    both = [r for r in tried if "accepted instructions" in r and "lift instructions" in r]
    seconds = sorted(r["model seconds"] for r in tried if "model seconds" in r)

    def share(right: int) -> dict[str, Any]:
        low, high = wilson(right, count)
        return {
            "right": right,
            "of": count,
            "share": round(right / max(count, 1), 4),
            "interval": [round(low, 4), round(high, 4)],
        }

    return {
        "kernels": len(rows), "without verdict": len(rows) - count, "pass@1": share(first), "pass@16": share(gated),
        "lifter": share(lift), "accepted by the gate": accepted, "of these wrong": false,
        "refused": sum("refused" in r for r in tried), "model right, lifter not": wins,
        "fewer instructions than the lifter": sum(r["accepted instructions"] < r["lift instructions"] for r in both),
        "instructions against the lifter's": round(
            sum(r["accepted instructions"] for r in both) / max(sum(r["lift instructions"] for r in both), 1), 4
        ),
        "median seconds": seconds[len(seconds) // 2] if seconds else 0,
        "slowest seconds": seconds[-1] if seconds else 0,
    }  # fmt: skip


def likeness(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Of what `compare` found."""
    compared = [r for r in rows if "wrong" in r]
    same = sum(not r["wrong"] for r in compared)
    low, high = wilson(same, len(compared))
    return {
        "kernels": len(rows), "refused": len(rows) - len(compared), "compared": len(compared), "the same": same,
        "interval": [round(low, 4), round(high, 4)], "groups": sum(r["instructions"] for r in compared),
        "groups that differ": sum(r["wrong"] for r in compared),
    }  # fmt: skip


def fresh(names: Sequence[str], count: int, seed: int) -> Iterator[tuple[str, bytes]]:
    """Cubins of one kernel each that the training data has none of, for sm_80 and sm_90 by turns."""
    r = Random(f"{seed}/evaluation")
    for k in range(count):
        name = names[k % len(names)] if len(names) < 12 else r.choice(names)
        symbol, text = kernels.kernel(name, seed, FRESH + k)
        yield symbol, compile_cubin(kernels.HEADER + text, (80, 90)[k % 2])


def main() -> None:
    parser = argparse.ArgumentParser(description="Evaluate the model.")
    parser.add_argument("out", type=Path)
    parser.add_argument("cubins", type=Path, nargs="*")
    parser.add_argument("--random", type=int, default=0, help="new kernels of families that were trained on")
    parser.add_argument("--held-out", type=int, default=0, help="kernels of families that were not")
    parser.add_argument("--seconds", type=float, default=0.5, help="for each check")
    parser.add_argument("--form", choices=[f.value for f in Form], default=Form.IR.value)
    parser.add_argument("--compare", action="store_true", help="execute nothing: compare with the teacher's answers")
    parser.add_argument("--blind", action="store_true", help="do not show the model the launches that reject")
    parser.add_argument("--kernel", default="", help="only kernels with this in their names")
    parser.add_argument("--seed", type=int, default=8)
    parser.add_argument("--jobs", type=int, default=1, help="kernels at a time")
    parser.add_argument("--weights", type=Path, default=SHIPPED)
    given = parser.parse_args()
    judged = functools.partial(
        _row,
        weights=given.weights,
        form=None if given.compare else Form(given.form),
        seconds=given.seconds,
        blind=given.blind,
    )
    sets: dict[str, Iterator[tuple[str, bytes]]] = {
        "random": fresh(kernels.TRAINING, given.random, given.seed),
        "held-out families": fresh(kernels.HELD_OUT, given.held_out, given.seed),
        "cubins": ((path.name, path.read_bytes()) for path in given.cubins),
    }
    with given.out.open("a") as out, ProcessPoolExecutor(given.jobs) as pool:
        for name, items in sets.items():
            rows = []
            waiting = [
                pool.submit(judged, title, image, function.name)
                for title, image in items
                for function in disasm.disassemble(cubin_image.parse(image)).functions
                if given.kernel in function.name
            ]
            for done in as_completed(waiting):
                rows.append({"set": name, **done.result()})
                out.write(json.dumps(rows[-1]) + "\n")
                out.flush()
            if rows:
                print(json.dumps({name: likeness(rows) if given.compare else summary(rows)}, indent=1), flush=True)


def _row(
    title: str, image: bytes, kernel: str, weights: Path, form: Form | None, seconds: float, blind: bool
) -> dict[str, Any]:
    """One kernel's facts, in a process of the pool; without a form it is compared with the teacher."""
    cubin = cubin_image.parse(image)
    (function,) = (f for f in disasm.disassemble(cubin).functions if f.name == kernel)
    model = _translator(weights)
    found = evaluate(function, cubin, model, form, seconds, blind=blind) if form else compare(function, cubin, model)
    return {"file": title, **found}


_translator = functools.cache(Translator)


if __name__ == "__main__":
    main()
