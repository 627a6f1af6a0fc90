"""The gate is seen to refuse: translations of real kernels with one planted mistake each.

A mutation rewrites one place in the LLVM IR of a lifted kernel. Where LLVM makes the same code of the changed text, the
place was dead and the mutant is no mistake. Every other mutant must be rejected, except those in `EQUIVALENT`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import islice
from pathlib import Path

import pytest

from cassc.amdgpu import emulator
from cassc.amdgpu.assemble import assemble_full
from cassc.image import cubin as cubin_image
from cassc.image.cubin import Cubin
from cassc.lift.globals import module_globals
from cassc.lift.kernel import LiftedKernel
from cassc.lift.lift import lift_kernel
from cassc.lift.module import link_text
from cassc.sass.disasm import SassModule, disassemble
from cassc.target import DEFAULT_TARGET
from cassc.verify.ir_mutants import MUTATIONS, Mutation
from cassc.verify.panel import Panel
from cassc.verify.verdict import Status

DATA = Path(__file__).parent / "data"
SECONDS = 2.5
MODULES = ("gate.sm_80", "gate.sm_90")

KERNELS = {
    "subtraction for addition": "integers wide loops",
    "swapped operands of a subtraction": "integers",
    "lost negation": "loops integers",
    "lost complement": "bits integers",
    "addition for multiplication": "integers wide stack",
    "factor off by one": "integers loops stack",
    "wrong element size of an address": "integers wide structures",
    "immediate off by one": "integers loops",
    "wrong wide immediate": "integers doubles wide",
    "lost carry": "wide",
    "second carry for the first": "wide",
    "wrong carry of a wide addition": "wide",
    "low half for the high half": "wide bits",
    "high half lost": "wide bits",
    "zero extension for sign extension": "narrow",
    "sign extension for zero extension": "narrow structures",
    "shift to the other side": "integers wide bits",
    "swapped operands of a shift": "integers wide",
    "logical for arithmetic shift": "integers wide division",
    "shift distance off by one": "bits exchange lanes",
    "min for max": "integers atomics",
    "unsigned for signed min or max": "integers",
    "lost absolute value": "division loops integers",
    "or for and": "bits lanes integers",
    "and for or": "bits wide",
    "or for exclusive or": "bits structures",
    "mask too narrow": "lanes stack atomics",
    "wrong byte selected": "bits conversions",
    "leading zeros for set bits": "bits lanes",
    "trailing for leading zeros": "bits",
    "bit order kept": "bits",
    "signedness of a comparison": "integers wide loops",
    "bound off by one": "integers loops stack",
    "equal for unequal": "integers loops",
    "wrong side of a select": "integers bits singles",
    "lost negation of a predicate": "loops integers atomics lanes",
    "inverted branch": "loops atomics integers",
    "dropped guard": "integers loops atomics",
    "missing branch": "loops stack atomics",
    "missing barrier": "exchange atomics",
    "missing fence": "exchange atomics",
    "register not written": "integers wide loops",
    "wrong thread index": "integers exchange lanes",
    "wrong launch dimension": "integers lanes exchange",
    "shuffle from the next lane": "lanes",
    "dropped shuffle": "lanes",
    "shuffle without its segments": "lanes",
    "shuffle clamp off by one": "lanes",
    "shuffle distance off by one": "lanes",
    "ballot of the opposite": "lanes exchange",
    "ballot of all": "lanes",
    "uniform value of one lane for a reduction": "lanes atomics",
    "dropped store": "integers structures halves",
    "store of half the word": "integers lanes",
    "load of half the word": "integers structures",
    "wrong address": "integers structures atomics",
    "wrong shared address": "exchange atomics",
    "wrong stack address": "stack",
    "words of a vector exchanged": "structures wide",
    "wrong kernel parameter": "integers singles structures",
    "wrong place in a constant bank": "structures",
    "missing output": "report",
    "missing trap": "guarded",
    "other atomic operation": "atomics",
    "atomic exchange for another operation": "atomics",
    "atomic with another value": "atomics",
    "atomic at another address": "atomics",
    "compare and exchange swapped": "atomics",
    "fma rounded twice": "singles doubles halves",
    "wrong directed rounding": "singles doubles conversions",
    "lost directed rounding": "singles doubles conversions",
    "lost saturation": "singles",
    "denormals not flushed": "singles",
    "denormals flushed": "singles",
    "float min for max": "singles halves",
    "NaN handed on by min and max": "singles",
    "unordered for ordered": "singles doubles",
    "float bound": "singles doubles",
    "lost sign change": "singles doubles",
    "lost float absolute value": "singles",
    "swapped operands of a float subtraction": "doubles singles",
    "float subtraction for addition": "singles doubles halves",
    "signedness of a conversion": "conversions structures",
    "signedness of an integer": "conversions",
    "conversion without saturation": "conversions",
    "rounding of a conversion": "conversions",
    "narrowing that cuts off": "conversions",
}
"""Mutation -> kernels in which the mistake matters."""

UNSEEN = {
    "missing fence": "the emulator performs the accesses of a wave in order and at once: fences order nothing there",
}
"""Mutations that no run on the emulator can show, with the reason."""

_CORRECTED = "the sequence of a division corrects its estimates"
_IDEMPOTENT = "one lane adds the bits of all to the word; others may as well"
_ORDERED = "the kernel's own barriers order the cleared word before its first use"
SPARED = {
    ("logical for arithmetic shift", "wide"): "only the high word is used, shifted by 32",
    ("signedness of a comparison", "loops"): "starts in memory are never negative, a launch with such a one faults",
    (
        "bound off by one",
        "stack",
    ): "what a loop of one turn adds is zero; an unrolled loop and its remainder do the same",
    ("missing branch", "stack"): "the loop behind tests its bound again",
    ("inverted branch", "atomics"): _IDEMPOTENT,
    ("dropped guard", "atomics"): _IDEMPOTENT,
    ("missing barrier", "exchange"): _ORDERED,
    ("register not written", "loops"): "the high word of a thread's index is zero, as the register is at first",
    ("unordered for ordered", "singles"): "a second question about a result that is known to be a number",
    ("NaN handed on by min and max", "singles"): "a saturation's second bound is given what its first made of a NaN",
    ("wrong thread index", "exchange"): "any lane may clear the word that reducing barriers count in",
    ("wrong launch dimension", "exchange"): _CORRECTED,
    ("shuffle distance off by one", "lanes"): "16 or 17: with 8, 4, 2 and 1 both sum all lanes",
    ("fma rounded twice", "doubles"): _CORRECTED,
    ("unordered for ordered", "doubles"): "no NaN comes there: other branches have taken them",
    ("float bound", "doubles"): "either side of the bound gives the same quotient",
    ("denormals flushed", "singles"): "a sum with 0.25 is never denormal",
    ("float bound", "singles"): "equal values were told apart by the comparison before",
}
"""(mutation, kernel) where some places may be changed without harm, with the reason."""


@dataclass(frozen=True, slots=True)
class Translated:
    """A cubin with its lifted kernels and the code that LLVM makes of each alone."""

    cubin: Cubin
    sass: SassModule
    kernels: dict[str, LiftedKernel]
    code: dict[str, bytes]


def assemble(cubin: Cubin, kernel: LiftedKernel) -> bytes:
    text = link_text([kernel], DEFAULT_TARGET, module_globals(cubin).definitions)
    return assemble_full(text, DEFAULT_TARGET, opt_level=2).code_object


@cache
def translated(name: str) -> Translated:
    cubin = cubin_image.parse((DATA / f"{name}.cubin").read_bytes())
    sass = disassemble(cubin)
    kernels = {}
    for function in sass.functions:
        if not function.undecodable:
            kernels[function.name] = lift_kernel(function, cubin)
    return Translated(cubin, sass, kernels, {n: assemble(cubin, k) for n, k in kernels.items()})


@cache
def panel(module: str, name: str) -> Panel:
    """The launches of a check that judge all mutants; a second translation would have their mistakes, too."""
    made = translated(module)
    function = made.sass.function(name)
    assert function is not None
    return Panel(function, made.cubin, made.code[name], DEFAULT_TARGET, seconds=SECONDS, second=b"")


def mutants(module: Translated, mutation: Mutation, name: str) -> Iterator[tuple[int, bytes]]:
    """(number of the place, code) of the mutants whose code is another than the translation's."""
    kernel = module.kernels[name]
    declared = {text.partition("@")[2].partition("(")[0]: text for text in mutation.declares}
    for place, body in enumerate(mutation.sites(kernel.body)):
        mutant = replace(kernel, body=body, declarations={**declared, **kernel.declarations})
        code = assemble(module.cubin, mutant)
        if code != module.code[name]:
            yield place, code


@dataclass(slots=True)
class Tally:
    rejected: int = 0
    survived: list[str] = field(default_factory=list)


def judge(module_name: str, mutation: Mutation, most: int) -> Tally:
    """Checks up to ``most`` mutants of each kernel."""
    module = translated(module_name)
    tally = Tally()
    for name in KERNELS[mutation.name].split():
        if name not in module.kernels:
            continue
        for place, code in islice(mutants(module, mutation, name), most):
            verdict = panel(module_name, name).judge(code)
            if verdict.status is Status.REJECTED:
                tally.rejected += 1
            elif (mutation.name, name) not in SPARED:
                tally.survived.append(f"{name}, place {place}: {verdict.status.value} {verdict.reason}")
    return tally


pytestmark = pytest.mark.skipif(emulator.library_path() is None, reason="libcassc_emu.so is not built")


@pytest.mark.parametrize("name", MODULES)
def test_translations_without_mistakes_are_accepted(name: str) -> None:
    verdicts = [panel(name, kernel).verdict for kernel in translated(name).code]
    assert [v for v in verdicts if v.status is not Status.ACCEPTED] == []
    assert min(v.branches for v in verdicts if v.kernel != "guarded") >= 0.9  # the side that traps is not counted


@pytest.mark.parametrize("mutation", [m for m in MUTATIONS if m.name not in UNSEEN], ids=lambda m: m.name)
def test_mistakes_are_rejected(mutation: Mutation) -> None:
    """The first places in the sm_80 kernels."""
    tally = judge("gate.sm_80", mutation, 2)
    assert tally.survived == []
    assert tally.rejected, "no place is mutated"


@pytest.mark.slow
@pytest.mark.parametrize("name", MODULES)
@pytest.mark.parametrize("mutation", [m for m in MUTATIONS if m.name not in UNSEEN], ids=lambda m: m.name)
def test_mistakes_in_all_places_are_rejected(mutation: Mutation, name: str) -> None:
    assert judge(name, mutation, 1000).survived == []


def test_there_are_many_kinds_of_mistakes() -> None:
    assert len({m.name for m in MUTATIONS} - set(UNSEEN)) == len(MUTATIONS) - len(UNSEEN) >= 80
