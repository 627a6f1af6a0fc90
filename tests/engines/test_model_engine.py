"""The shipped model in the cascade: what it answers, that nothing passes the gate by, and that nothing is random."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from cassc import cli, diag
from cassc.amdgpu import emulator
from cassc.engines.base import Request, Support, Translation
from cassc.engines.cascade import TranslateOptions, engines_named, translate_module
from cassc.engines.model import ModelEngine
from cassc.image import cubin as cubin_image
from cassc.lift.lift import lift_kernel
from cassc.model import weights
from cassc.model.generate import SHIPPED, prepare, translator
from cassc.sass.disasm import disassemble
from cassc.target import DEFAULT_TARGET
from cassc.verify.verdict import Status

DATA = Path(__file__).parent / "data"
SCALE = (DATA / "scale.sm_80.cubin").read_bytes()
CHECKED = TranslateOptions(check_seconds=0.5)
emulated = pytest.mark.skipif(emulator.library_path() is None, reason="libcassc_emu.so is not built")


def request_of(data: bytes) -> Request:
    cubin = cubin_image.parse(data)
    return Request(disassemble(cubin).functions[0], cubin, (DEFAULT_TARGET,))


@emulated
def test_the_model_translates_a_kernel_that_the_checker_accepts() -> None:
    result = translate_module(SCALE, [DEFAULT_TARGET], CHECKED, [ModelEngine()])
    assert {(v.engine, v.status) for v in result.verdicts} == {("model", Status.ACCEPTED)}


def test_answers_are_distinct_and_the_same_every_time() -> None:
    request = request_of(SCALE)
    task = prepare(request.function, request.cubin)
    first, second = (
        [answer.groups for answer in itertools.islice(translator(SHIPPED).answers(task), 5)] for _ in range(2)
    )
    assert first == second
    assert len(set(first)) == len(first) > 1


class Guesses:
    """Answers that are the lifter's, changed but for the one of a number."""

    name = "model"
    strict = True
    attempts = 4

    def __init__(self, right: int) -> None:
        self.right = right
        self.given = 0

    def supports(self, request: Request) -> Support:
        return Support(True)

    def translate(self, request: Request) -> Translation:
        return next(self.candidates(request))

    def candidates(self, request: Request) -> Iterator[Translation]:
        from dataclasses import replace

        lifted = lift_kernel(request.function, request.cubin)
        wrong = ("not LLVM", lifted.body.replace("fmul float", "fadd float"))
        for number in itertools.count():
            self.given += 1
            body = lifted.body if number == self.right else wrong[number % 2]
            yield Translation(self.name, request.function.name, replace(lifted, body=body))


@emulated
def test_answers_are_tried_until_one_is_accepted() -> None:
    engine = Guesses(right=2)
    result = translate_module(SCALE, [DEFAULT_TARGET], CHECKED, [engine])
    assert result.verdicts[0].status is Status.ACCEPTED
    assert engine.given == 3


@emulated
def test_an_engine_without_a_right_answer_gives_way_to_the_next() -> None:
    engine = Guesses(right=99)
    result = translate_module(SCALE, [DEFAULT_TARGET], CHECKED, [engine, *engines_named(["lift"])])
    assert {v.engine for v in result.verdicts} == {"lift"}
    assert engine.given == engine.attempts
    assert any("none of 4 answers" in remark.message for remark in result.remarks)


def test_without_a_check_no_answer_is_used() -> None:
    options = TranslateOptions(check_seconds=0)
    with pytest.raises(diag.CasscError) as problem:
        translate_module(SCALE, [DEFAULT_TARGET], options, [ModelEngine()])
    assert "not checked" in str(problem.value)


def test_a_file_that_holds_no_weights_is_named(tmp_path: Path) -> None:
    file = tmp_path / "w.npz"
    file.write_bytes(b"nothing")
    with pytest.raises(diag.CasscError) as problem:
        weights.read(file)
    assert problem.value.diagnostics[0].id == "model-bad-weights"


def test_what_the_model_never_read_is_refused_by_name() -> None:
    """Bulk copies decode, but no training data has them; here a vocabulary without one of the kernel's tokens."""
    request = request_of(SCALE)
    task = prepare(request.function, request.cubin)
    model = translator(SHIPPED)
    strange = task.source.tokens[0][-1]
    known = dict(model.vocabulary.index)
    try:
        del model.vocabulary.index[strange]
        support = ModelEngine().supports(request)
    finally:
        model.vocabulary.index = known
    assert not support.ok
    assert strange in support.reasons[0].message and support.reasons[0].location.kernel


def test_info_names_the_file_and_its_size(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["model", "info"]) == 0
    out = capsys.readouterr().out
    assert "weights.npz" in out and "parameters" in out


@emulated
def test_bench_compares_engines_on_the_same_launches(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        cli.main(["bench", "--engines", "lift,model", str(DATA / "scale.sm_80.cubin"), "--check-seconds", "0.5"]) == 0
    )
    lines = capsys.readouterr().out.splitlines()
    assert sum(" accepted " in line and "instructions" in line for line in lines) >= 2
    assert lines[-1].startswith("model: 1 of 1 accepted")


def test_bench_refuses_engines_that_take_no_kernels(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["bench", "--engines", "source", str(DATA / "scale.sm_80.cubin")]) == 2
    assert "source" in capsys.readouterr().err
