"""Launches that show an answer wrong: which groups they speak against, and what comes in their place."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from cassc.amdgpu import emulator
from cassc.amdgpu.assemble import assemble
from cassc.image import cubin as cubin_image
from cassc.lift.globals import module_globals
from cassc.lift.module import link_text
from cassc.model import dialect, generate
from cassc.model.dialect import Group, renumbered
from cassc.model.finish import Answer, finish
from cassc.model.generate import SHIPPED, Evidence, Task, prepare, translator
from cassc.model.operations import Form
from cassc.model.train.data import lesson
from cassc.sass import cfg
from cassc.sass.disasm import disassemble
from cassc.target import DEFAULT_TARGET
from cassc.verify.check import Checker
from cassc.verify.oracle import Case
from cassc.verify.verdict import Status

DATA = Path(__file__).with_name("data")
pytestmark = pytest.mark.skipif(emulator.library_path() is None, reason="libcassc_emu.so is not built")


def task_of(file: str, kernel: str) -> Task:
    cubin = cubin_image.parse((DATA / file).read_bytes())
    function = disassemble(cubin).function(kernel)
    assert function is not None
    return prepare(function, cubin)


def shown_by(task: Task, answer: Answer) -> tuple[Status, Case | None]:
    """What a check says of an answer, and the launch by which it is rejected."""
    ir = finish(answer, task.abi, task.cubin, Form.IR)
    text = link_text([ir], DEFAULT_TARGET, module_globals(task.cubin).definitions)
    with Checker(task.cubin, assemble(text, DEFAULT_TARGET), DEFAULT_TARGET) as checker:
        return checker.check(task.function, "model", seconds=0.2).status, checker.shown


def changed(group: Group, old: str, new: str) -> Group:
    """The group with one operand replaced wherever it is read."""
    lines = (replace(line, sources=tuple(new if s == old else s for s in line.sources)) for line in group.lines)
    return Group(group.guard, tuple(lines))


@pytest.fixture(scope="module")
def bits() -> Task:
    return task_of("bits.sm_80.cubin", "_Z4bitsPKiPii")


def taught(task: Task) -> list[Group]:
    return list(lesson(task.function, cfg.build(task.function))[1])


def place_of(task: Task, *tokens: str) -> int:
    return next(k for k, row in enumerate(task.source.tokens) if set(tokens) <= set(row))


def test_a_launch_speaks_against_the_groups_that_are_wrong_on_it_and_no_others(bits: Task) -> None:
    right = taught(bits)
    table, store, load = place_of(bits, "LOP3.LUT", "-8"), place_of(bits, "STG"), place_of(bits, "LDG")
    wrong = {table: changed(right[table], "-8", "-4")}
    answer = Answer(tuple(wrong.get(k, group) for k, group in enumerate(right)), bits.source.slots, bits.adjacent)
    status, case = shown_by(bits, answer)
    assert status is Status.REJECTED and case is not None
    evidence = Evidence(bits)
    evidence.add(case)
    assert evidence.against(dict(enumerate(answer.groups))) == [table]
    # What is asked of memory is compared, too, and which lanes ask.
    other = right[store].lines[0]
    elsewhere = Group("", (replace(other, sources=(other.sources[0], "4", other.sources[2])),))
    unguarded = Group("P0", right[load].lines)
    assert evidence.against({store: elsewhere, load: right[load]}) == [store]
    assert evidence.against({store: right[store], load: unguarded}) == [load]
    assert evidence.against({store: Group("", ())}) == [store]


def test_numbers_that_an_instruction_suggests_come_first(bits: Task) -> None:
    group = taught(bits)[place_of(bits, "LOP3.LUT", "-8")]
    first = list(itertools.islice(renumbered(group, ["LOP3.LUT", "R2", "-8"]), 2))
    assert all("7" in {s for line in one.lines for s in line.sources} for one in first[:1])
    assert len(set(renumbered(group, []))) > 200 and group not in set(renumbered(group, []))


def test_an_answer_is_mended_by_the_launch_that_rejects_it(bits: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    """A mistake is planted into the first answer: the second is right, and has nothing else changed."""
    table = place_of(bits, "LOP3.LUT", "-8")
    parsed = itertools.count()

    def planting(tokens: Sequence[str]) -> Group:
        group = real(list(tokens))
        return changed(group, "-8", "-4") if next(parsed) == table else group

    real = dialect.parse
    monkeypatch.setattr(generate, "parse", planting)
    answers = translator(SHIPPED).answers(bits)
    first = next(answers)
    status, case = shown_by(bits, first)
    assert status is Status.REJECTED and case is not None
    second = answers.send(case)
    assert [k for k, pair in enumerate(zip(first.groups, second.groups, strict=True)) if pair[0] != pair[1]] == [table]
    assert shown_by(bits, second) == (Status.ACCEPTED, None)
    # What was shown once holds for every answer behind it.
    evidence = Evidence(bits)
    evidence.add(case)
    assert evidence.against(dict(enumerate(next(answers).groups))) == []
