"""Kernels that are left out where the rest is wanted all the same: programs that are built already."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import pytest

from cassc import diag
from cassc.diag import CasscError
from cassc.engines.base import Request, Support, Translation, Unsupported
from cassc.engines.cascade import TranslateOptions, translate_module
from cassc.engines.lift import LiftEngine
from cassc.image import codeobject
from cassc.target import DEFAULT_TARGET, TARGETS

CUBIN = (Path(__file__).parents[1] / "image" / "data" / "sample_80_lines.cubin").read_bytes()
KERNELS = {"_Z5saxpyifPKfPf", "_Z6shared5MixedPf", "_Z7recursePi", "_Z5hellov"}
ONE = "_Z5saxpyifPKfPf"


class Fussy(LiftEngine):
    """Refuses every kernel but one: ``late`` says when."""

    name: ClassVar[str] = "fussy"

    def __init__(self, wanted: set[str], *, late: bool = False) -> None:
        super().__init__()
        self.wanted, self.late = wanted, late

    def supports(self, request: Request) -> Support:
        if self.late or request.function.name in self.wanted:
            return super().supports(request)
        return Support(False, self.reasons(request))

    def translate(self, request: Request) -> Translation:
        if request.function.name not in self.wanted:
            raise Unsupported(*self.reasons(request))
        return super().translate(request)

    def reasons(self, request: Request) -> tuple[diag.Diagnostic, ...]:
        return diag.error("test-no", "no", diag.Location(kernel=request.function.name)).diagnostics


class Sloppy(LiftEngine):
    """Gives text that LLVM cannot read for one kernel."""

    name: ClassVar[str] = "sloppy"

    def translate(self, request: Request) -> Translation:
        made = super().translate(request)
        if request.function.name != ONE:
            return made
        return replace(made, ir=replace(made.ir, body=made.ir.body.replace("{", "{ nonsense", 1)))


SKIP = TranslateOptions(opt_level=1, check_seconds=0, skip_refused=True)


@pytest.mark.parametrize("late", [False, True])
def test_only_what_is_translated_is_there(late: bool) -> None:
    result = translate_module(CUBIN, [DEFAULT_TARGET], SKIP, [Fussy({ONE}, late=late)])
    assert {d.location.kernel for d in result.refused} == KERNELS - {ONE}
    assert [v.kernel for v in result.verdicts] == [ONE]
    assert [k.name for k in codeobject.parse(result.code_objects["gfx1100"]).kernels] == [ONE]
    with pytest.raises(CasscError):
        translate_module(CUBIN, [DEFAULT_TARGET], replace(SKIP, skip_refused=False), [Fussy({ONE}, late=late)])


def test_nothing_is_left() -> None:
    result = translate_module(CUBIN, [DEFAULT_TARGET], SKIP, [Fussy(set())])
    assert {d.location.kernel for d in result.refused} == KERNELS
    made = codeobject.parse(result.code_objects["gfx1100"])
    assert made.kernels == ()
    assert made.global_variable("counter") is not None  # the host may still want the variables


@pytest.mark.slow
def test_kernel_on_which_llvm_fails() -> None:
    targets = [TARGETS["gfx1100"], TARGETS["gfx1101"]]
    options = replace(SKIP, check_seconds=0)
    result = translate_module(CUBIN, targets, options, [Sloppy()])
    (refused,) = {d.location.kernel for d in result.refused if d.id == "amdgpu-llvm-failed"}
    assert refused == ONE
    assert result.code_objects.keys() == {"gfx1100", "gfx1101"}
    for data in result.code_objects.values():
        assert ONE not in {k.name for k in codeobject.parse(data).kernels}
    with pytest.raises(CasscError, match="LLVM failed"):
        translate_module(CUBIN, targets, replace(options, skip_refused=False), [Sloppy()])
