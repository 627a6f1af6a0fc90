"""Which engine's translation is used, what becomes of refusals, and that nothing passes the checker by."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from cassc.amdgpu import emulator
from cassc.diag import CasscError, Diagnostic, Location, Severity
from cassc.engines.base import Engine, Request, Support, Translation, Unsupported
from cassc.engines.cascade import Accepted, TranslateOptions, engines_named, translate_module
from cassc.engines.lift import LiftEngine
from cassc.image import cubin as cubin_image
from cassc.sass.disasm import disassemble
from cassc.target import DEFAULT_TARGET
from cassc.verify.verdict import Status, Verdict

DATA = Path(__file__).parent / "data"
MIXED = (DATA / "mixed.sm_80.cubin").read_bytes()
UNCHECKED = TranslateOptions(check_seconds=0.0)
CHECKED = TranslateOptions(check_seconds=5.0)

emulated = pytest.mark.skipif(emulator.library_path() is None, reason="libcassc_emu.so is not built")


class Refuses:
    """Says no before it looks, or while it works."""

    strict: bool = False

    def __init__(self, name: str, asked: list[str], *, late: bool = False) -> None:
        self.name = name
        self.asked = asked
        self.late = late

    def _reason(self, request: Request) -> Diagnostic:
        place = Location(kernel=request.function.name)
        return Diagnostic(Severity.ERROR, "lift-unsupported", f"{self.name} knows no such kernel", place)

    def supports(self, request: Request) -> Support:
        self.asked.append(self.name)
        return Support(True) if self.late else Support(False, (self._reason(request),))

    def translate(self, request: Request) -> Translation:
        raise Unsupported(self._reason(request))


class Lifts:
    """The lifter's translation after a change to its IR."""

    def __init__(self, name: str, asked: list[str], old: str = "", new: str = "", *, strict: bool = False) -> None:
        self.name = name
        self.strict = strict
        self.asked = asked
        self.old, self.new = old, new

    def supports(self, request: Request) -> Support:
        self.asked.append(self.name)
        return Support(True)

    def translate(self, request: Request) -> Translation:
        made = LiftEngine().translate(request)
        body, count = re.subn(self.old, self.new, made.ir.body) if self.old else (made.ir.body, 1)
        assert count
        return Translation(self.name, made.kernel, replace(made.ir, body=body))


WRONG = (r"= fmul float", "= fadd float")


@pytest.fixture(scope="module")
def scale() -> bytes:
    """A cubin that holds one kernel, ``scale``."""
    return (DATA / "scale.sm_80.cubin").read_bytes()


def texts(diagnostics: Sequence[Diagnostic]) -> list[str]:
    return [d.message for d in diagnostics]


def test_engines_are_asked_in_order_and_refusals_are_remarks(scale: bytes) -> None:
    asked: list[str] = []
    engines: list[Engine] = [
        Refuses("early", asked),
        Refuses("late", asked, late=True),
        Lifts("third", asked),
        Lifts("last", asked),
    ]
    result = translate_module(scale, [DEFAULT_TARGET], UNCHECKED, engines)
    assert asked == ["early", "late", "third"]
    assert [v.engine for v in result.verdicts] == ["third"]
    assert texts(result.remarks)[:2] == [
        "engine 'early': early knows no such kernel",
        "engine 'late': late knows no such kernel",
    ]
    assert {r.severity for r in result.remarks} == {Severity.REMARK}


def test_without_an_engine_left_there_is_one_error_with_a_note_for_each(scale: bytes) -> None:
    asked: list[str] = []
    with pytest.raises(CasscError) as caught:
        translate_module(scale, [DEFAULT_TARGET], UNCHECKED, [Refuses("a", asked), Refuses("b", asked, late=True)])
    (error,) = caught.value.diagnostics
    assert (error.id, error.location.kernel, error.location.sm) == ("engines-none", "scale", "sm_80")
    assert texts(error.notes) == ["engine 'a': a knows no such kernel", "engine 'b': b knows no such kernel"]
    assert {n.severity for n in error.notes} == {Severity.NOTE}


@emulated
def test_a_rejected_translation_is_an_error_that_names_the_kernel(scale: bytes) -> None:
    with pytest.raises(CasscError) as caught:
        translate_module(scale, [DEFAULT_TARGET], CHECKED, [Lifts("wrong", [], *WRONG)])
    (error,) = caught.value.diagnostics
    assert (error.id, error.location.kernel) == ("check-rejected", "scale")
    assert "expected" in error.message and "got" in error.message
    assert any("seed 1" in note.message for note in error.notes)
    assert any("--check-seconds=0" in note.message for note in error.notes)


@emulated
def test_after_a_rejection_the_next_engine_is_asked(scale: bytes) -> None:
    asked: list[str] = []
    engines = [Lifts("wrong", asked, *WRONG), Lifts("right", asked)]
    result = translate_module(scale, [DEFAULT_TARGET], CHECKED, engines)
    assert asked == ["wrong", "right"]
    assert [(v.engine, v.status) for v in result.verdicts] == [("right", Status.ACCEPTED)]
    assert any(text.startswith("engine 'wrong': the translation") for text in texts(result.remarks))


def test_a_strict_engine_may_not_stay_unchecked(scale: bytes) -> None:
    with pytest.raises(CasscError) as caught:
        translate_module(scale, [DEFAULT_TARGET], UNCHECKED, [Lifts("guess", [], strict=True)])
    assert [d.id for d in caught.value.diagnostics] == ["check-unverified"]
    result = translate_module(scale, [DEFAULT_TARGET], UNCHECKED, [Lifts("lift", [])])
    assert [v.status for v in result.verdicts] == [Status.UNVERIFIED]
    assert [r.id for r in result.remarks] == ["check-unverified"]


def test_accepted_needs_a_verdict_that_accepts(scale: bytes) -> None:
    cubin = cubin_image.parse(scale)
    translation = LiftEngine().translate(Request(disassemble(cubin).functions[0], cubin, (DEFAULT_TARGET,)))
    verdict = Verdict("scale", DEFAULT_TARGET.name, "lift", Status.ACCEPTED)
    assert Accepted(translation, verdict).verdict is verdict
    for wrong in (replace(verdict, status=Status.REJECTED), replace(verdict, kernel="another")):
        with pytest.raises(ValueError, match="not a verdict"):
            Accepted(translation, wrong)


FORMATTED_STORE = bytes.fromhex("9b7b000204580070 00af100000e20f00")  # SUST.P.2D.STRONG.SM.TRAP [R2], R4, 0x0, 0x58


def test_unsupported_instructions_name_kernel_address_and_text() -> None:
    """Every kernel with a problem is named, in one go."""
    broken = bytearray(MIXED)
    for name in ("sample", "fetch"):
        kernel = cubin_image.parse(MIXED).kernel(name)
        assert kernel is not None
        start = MIXED.index(kernel.code) + 16
        broken[start : start + 16] = FORMATTED_STORE
    with pytest.raises(CasscError) as caught:
        translate_module(bytes(broken), [DEFAULT_TARGET], UNCHECKED)
    found = {d.location.kernel: d for d in caught.value.diagnostics}
    assert set(found) == {"sample", "fetch"}
    sample = found["sample"]
    assert sample.location.sm == "sm_80"
    assert sample.location.address == 16
    assert sample.location.instruction.startswith("SUST.P")
    assert "format" in sample.message


def test_unknown_words_name_kernel_and_address() -> None:
    """Two kernels whose first instructions are overwritten."""
    cubin = cubin_image.parse(MIXED)
    broken = bytearray(MIXED)
    for name in ("scale", "fetch"):
        kernel = cubin.kernel(name)
        assert kernel is not None
        start = MIXED.index(kernel.code)
        broken[start : start + 16] = b"\xff" * 16
    with pytest.raises(CasscError) as caught:
        translate_module(bytes(broken), [DEFAULT_TARGET], UNCHECKED)
    places = {(d.id, d.location.kernel, d.location.address) for d in caught.value.diagnostics}
    assert ("sass-unknown-encoding", "scale", 0) in places
    assert ("sass-unknown-encoding", "fetch", 0) in places


def test_products_of_the_stages_are_kept_on_request(scale: bytes) -> None:
    result = translate_module(scale, [DEFAULT_TARGET], replace(UNCHECKED, keep=True))
    assert {".sass", ".dot", ".gfx1100.ll", ".gfx1100.s", ".gfx1100.hsaco"} <= set(result.artefacts)
    assert result.artefacts[".gfx1100.hsaco"] == result.code_objects["gfx1100"]
    assert not translate_module(scale, [DEFAULT_TARGET], UNCHECKED).artefacts


@pytest.mark.parametrize("exact", [False, True])
def test_exact_math_reads_tables(exact: bool) -> None:
    (engine,) = engines_named(["lift"], exact_math=exact)
    cubin = cubin_image.parse((DATA.parents[1] / "sass" / "data" / "kernels.sm_80.cubin").read_bytes())
    function = disassemble(cubin).function("integers")
    assert function is not None
    made = engine.translate(Request(function, cubin, (DEFAULT_TARGET,)))
    assert ("llvm.amdgcn.rcp.f32" not in made.ir.body) == exact
    assert any("mufu" in name for name in made.ir.globals) == exact
