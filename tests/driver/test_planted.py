"""Planted compiler bugs, in the lifter and in LLVM's place: each is found, and the command that the error names shows
it again."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cassc.amdgpu import emulator
from cassc.amdgpu.assemble import assemble_full
from cassc.amdgpu.outcome import Assembled
from cassc.diag import Diagnostic
from cassc.driver import subcommands
from cassc.engines import cascade
from cassc.engines.base import Request, Support, Translation
from cassc.engines.cascade import TranslateOptions, translate_module
from cassc.engines.lift import LiftEngine
from cassc.target import DEFAULT_TARGET
from cassc.verify import machine_mutants

CUBIN = Path(__file__).parents[1] / "verify" / "data" / "gate.sm_80.cubin"

pytestmark = pytest.mark.skipif(emulator.library_path() is None, reason="libcassc_emu.so is not built")


class OneKernel(LiftEngine):
    """Translates one kernel of the module, and changes its IR."""

    def __init__(self, kernel: str, change: Callable[[str], str] = lambda body: body) -> None:
        super().__init__()
        self.kernel = kernel
        self.change = change

    def supports(self, request: Request) -> Support:
        return Support(request.function.name == self.kernel)

    def translate(self, request: Request) -> Translation:
        made = super().translate(request)
        body = self.change(made.ir.body)
        return replace(made, ir=replace(made.ir, body=body))


def rejection(engine: OneKernel) -> Diagnostic:
    options = TranslateOptions(skip_refused=True)
    made = translate_module(CUBIN.read_bytes(), [DEFAULT_TARGET], options, [engine])
    assert engine.kernel not in {verdict.kernel for verdict in made.verdicts}
    (found,) = [d for d in made.refused if d.id == "check-rejected"]
    return found


def shown_again(found: Diagnostic) -> list[str]:
    """What the command in the error's last note prints."""
    command = found.notes[-1].message.removeprefix("to see it again: ")
    program, *words = shlex.split(command)
    assert program == "cassc"
    lines: list[str] = []
    assert subcommands.run(words, lines.append) == 1
    return lines


def same_place(found: Diagnostic, lines: list[str]) -> bool:
    place = re.search(r"(parameter \d+ \(offset \d+\) \+ \d+): expected (\w+), got (\w+)", found.message)
    assert place
    return f"{place[1]}: expected {place[2]}, got {place[3]}" in lines[0]


def test_a_lifter_that_takes_signed_comparisons_for_unsigned_ones() -> None:
    found = rejection(OneKernel("integers", lambda body: re.sub(r"icmp s(lt|le|gt|ge) i32", r"icmp u\1 i32", body)))
    assert found.location.kernel == "integers"
    assert same_place(found, shown_again(found))


def test_a_lifter_that_forgets_barriers() -> None:
    barrier = re.compile(r"  call void @llvm\.amdgcn\.s\.barrier\(\)\n")
    found = rejection(OneKernel("exchange", lambda body: barrier.sub("", body)))
    lines = shown_again(found)
    assert lines[0].startswith("rejected   exchange")


def test_a_back_end_that_takes_the_larger_for_the_smaller(monkeypatch: pytest.MonkeyPatch) -> None:
    """LLVM's code is what is checked, not what it was given."""

    def wrong(*arguments: Any, **options: Any) -> Assembled:
        made = assemble_full(*arguments, **options)
        found = [
            m
            for m in machine_mutants.mutants(made.code_object, "bits", DEFAULT_TARGET)
            if m.kind == "operation" and m.before.startswith("v_min_u32")
        ]
        # Once the kernel is rejected, a module without it is assembled.
        return replace(made, code_object=machine_mutants.apply(made.code_object, found[0])) if found else made

    monkeypatch.setattr(cascade, "assemble_full", wrong)
    found = rejection(OneKernel("bits"))
    assert shown_again(found)[0].startswith("rejected   bits")


def test_without_a_bug_there_is_nothing_to_find() -> None:
    options = TranslateOptions(skip_refused=True)
    made = translate_module(CUBIN.read_bytes(), [DEFAULT_TARGET], options, [OneKernel("bits")])
    assert [(v.kernel, v.status.value) for v in made.verdicts] == [("bits", "accepted")]
    assert not [d for d in made.refused if d.id == "check-rejected"]
