"""How many planted mistakes the checker finds: ``python -m cassc.driver.power FILE...``, in Markdown.

For each translated kernel of the files (built programs, libraries, objects or cubins) single mistakes are planted into
the code object, and, when asked for, into the LLVM IR. Each mutant is judged by the launches of a usual check. One that
is not rejected is compared with the translation itself on many more launches:

* *missed*: one of them gives another result, so that the check should have found it;
* *unreached*: no launch executes the instruction, as a trap in its place shows: what it does there is not known;
* *same*: no launch tells it from the translation. It is taken for equivalent.
"""

from __future__ import annotations

import argparse
import itertools
import random
import sys
import time
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

from cassc.amdgpu.assemble import assemble
from cassc.diag import CasscError
from cassc.driver import pairs
from cassc.driver.demangle import demangle
from cassc.driver.invocation import DEFAULT_CHECK_SECONDS
from cassc.driver.pairs import Pair
from cassc.image import cubin as cubins
from cassc.image.cubin import Cubin
from cassc.lift.globals import module_globals
from cassc.lift.lift import lift_kernel
from cassc.lift.module import link_text
from cassc.sass.disasm import SassFunction, disassemble
from cassc.verify import machine_mutants
from cassc.verify.ir_mutants import MUTATIONS
from cassc.verify.machine_mutants import Mutant
from cassc.verify.panel import Differential, Panel
from cassc.verify.verdict import Status, Verdict

_DIFFERENTIAL_LAUNCHES = 120
_SHOWN = 2
MISSED, UNREACHED, SAME = "missed", "unreached", "same"


@dataclass(frozen=True, slots=True)
class Planted:
    """A mistake in a translation: what was changed, and the instruction, or the whole code object (of LLVM IR)."""

    what: str
    mutant: Mutant | None = None
    code: bytes = b""

    def applied(self, code_object: bytes) -> bytes:
        return self.code if self.mutant is None else machine_mutants.apply(code_object, self.mutant)


@dataclass(frozen=True, slots=True)
class Survivor:
    """A mutant that was not rejected: its number among the kernel's, what was changed, and what became of it."""

    number: int
    what: str
    fate: str


@dataclass(frozen=True, slots=True)
class Score:
    """
    Attributes:
        mutants: how many were judged, at the two levels together.
        survivors: those that were not rejected.
        seconds: of processor time for the check itself, and for all of it.
    """

    program: str
    verdict: Verdict
    mutants: int = 0
    survivors: tuple[Survivor, ...] = ()
    seconds: tuple[float, float] = (0.0, 0.0)
    kinds: Counter[str] = field(default_factory=Counter)

    def count(self, fate: str) -> int:
        return sum(survivor.fate == fate for survivor in self.survivors)

    @property
    def rejected(self) -> int:
        return self.mutants - len(self.survivors)


@dataclass(frozen=True, slots=True)
class Settings:
    """
    Attributes:
        machine, ir: mutants of each kernel at the two levels, drawn at random (by the kernel's name).
        every: of so many kernels one gets mutants; the others are checked only.
        seconds: work for a check.
    """

    machine: int = 40
    ir: int = 0
    every: int = 1
    seconds: float = DEFAULT_CHECK_SECONDS


def measure(path: str, settings: Settings) -> list[Score]:
    """One score for each kernel of a file. Raises CasscError for files that hold none."""
    scores = []
    for pair in filter(lambda pair: pair.cubin, pairs.of_file(path)):
        cubin = cubins.parse(pair.cubin)
        for function in disassemble(cubin).functions:
            if function.name in pair.engines:
                chosen = zlib.crc32(function.name.encode()) % settings.every == 0
                own = settings if chosen else replace(settings, machine=0, ir=0)
                scores.append(_kernel(Path(path).name.partition(".")[0], pair, cubin, function, own))
    return scores


def _kernel(program: str, pair: Pair, cubin: Cubin, function: SassFunction, settings: Settings) -> Score:
    begin = time.process_time()
    planted = plant(pair, cubin, function, settings)
    found = score(program, pair, cubin, function, planted, settings.seconds)
    return replace(found, seconds=(found.seconds[0], time.process_time() - begin))


def plant(pair: Pair, cubin: Cubin, function: SassFunction, settings: Settings) -> list[Planted]:
    """The mutants of one kernel, the same whenever it is translated in the same way."""
    draw = random.Random(function.name)
    found = machine_mutants.mutants(pair.code_object, function.name, pair.target)
    chosen = draw.sample(found, min(settings.machine, len(found)))
    planted = [Planted(_said(mutant), mutant) for mutant in chosen]
    return planted + [Planted(what, code=code) for what, code in _ir_mutants(pair, cubin, function, settings.ir, draw)]


def score(
    program: str,
    pair: Pair,
    cubin: Cubin,
    function: SassFunction,
    planted: Sequence[Planted],
    seconds: float,
    second: bytes | None = None,
) -> Score:
    """What a check of ``seconds`` of work makes of the mutants of one kernel. ``second``: see `Panel`."""
    begin = time.process_time()
    with Panel(function, cubin, pair.code_object, pair.target, seconds=seconds, second=second) as panel:
        checked = time.process_time() - begin
        if panel.verdict.status is not Status.ACCEPTED:
            return Score(program, panel.verdict, seconds=(checked, checked))
        left = [
            (number, one)
            for number, one in enumerate(planted)
            if panel.judge(one.applied(pair.code_object), alone=one.mutant is None).status is not Status.REJECTED
        ]
    survivors = tuple(_explained(left, pair, cubin, function)) if left else ()
    kinds = Counter(one.what.partition(":")[0] for one in planted)
    return Score(program, panel.verdict, len(planted), survivors, (checked, time.process_time() - begin), kinds)


def _said(mutant: Mutant) -> str:
    return f"{mutant.kind}: `{mutant.before}` → `{mutant.after or 'nothing'}`"


def _explained(
    left: Sequence[tuple[int, Planted]], pair: Pair, cubin: Cubin, function: SassFunction
) -> Iterator[Survivor]:
    launches = _DIFFERENTIAL_LAUNCHES
    with Differential(function, cubin, pair.code_object, pair.target, launches=launches) as differential:
        for number, one in left:
            if differential.tells(one.applied(pair.code_object)):
                fate = MISSED
            elif one.mutant is None or differential.reaches(
                machine_mutants.apply(pair.code_object, machine_mutants.trapping(one.mutant))
            ):
                fate = SAME
            else:
                fate = UNREACHED
            yield Survivor(number, one.what, fate)


def _ir_mutants(
    pair: Pair, cubin: Cubin, function: SassFunction, most: int, draw: random.Random
) -> Iterator[tuple[str, bytes]]:
    """(what, code) of mutants of the LLVM IR whose code is another than the translation's."""
    if not most or pair.engines.get(function.name) != "lift":
        return
    kernel = lift_kernel(function, cubin)
    shared = module_globals(cubin).definitions
    original = assemble(link_text([kernel], pair.target, shared), pair.target, opt_level=2)
    # Each is the whole kernel's text: of large kernels they are too many to be kept.
    sites = [(m, k) for m in MUTATIONS for k in range(sum(1 for _ in m.sites(kernel.body)))]
    found = 0
    for mutation, k in draw.sample(sites, min(3 * most, len(sites))):
        body = next(itertools.islice(mutation.sites(kernel.body), k, None))
        declared = {text.partition("@")[2].partition("(")[0]: text for text in mutation.declares}
        mutant = replace(kernel, body=body, declarations={**declared, **kernel.declarations})
        try:
            code = assemble(link_text([mutant], pair.target, shared), pair.target, opt_level=2)
        except CasscError:
            continue
        if code != original:
            found += 1
            yield f"IR: {mutation.name}", code
        if found == most:
            return


# The page ------------------------------------------------------------------------------------------------------------
def page(scores: Sequence[Score], *, every_survivor: bool = False) -> Iterator[str]:
    """Markdown. ``every_survivor``: all of them are listed, and not the first missed ones of each kernel."""
    statuses = Counter(score.verdict.status.value for score in scores)
    checked = [score for score in scores if score.mutants]
    total = sum(score.mutants for score in checked)
    fates = Counter(s.fate for score in checked for s in score.survivors)
    rejected = total - sum(fates.values())
    said = ", ".join(f"{number} {status}" for status, number in sorted(statuses.items()))
    yield f"{len(scores)} kernel{'s' if len(scores) != 1 else ''}: {said}."
    yield ""
    yield "| | |"
    yield "| --- | ---: |"
    yield f"| mutants | {total} |"
    yield f"| rejected | {rejected} |"
    for fate in (MISSED, UNREACHED, SAME):
        yield f"| {fate} | {fates[fate]} |"
    yield f"| rejected, of those that any launch tells from the translation | {_share(rejected, fates[MISSED])} |"
    yield f"| the same, unreached ones counted as not rejected | {_share(rejected, fates[MISSED] + fates[UNREACHED])} |"
    accepted = [score for score in scores if score.verdict.status is Status.ACCEPTED]
    branches = [score.verdict.branches for score in accepted]
    yield f"| ways out of branches seen, mean of accepted kernels | {sum(branches) / max(len(branches), 1):.1%} |"
    yield f"| instructions that ran, mean | {sum(s.verdict.coverage for s in accepted) / max(len(accepted), 1):.1%} |"
    yield f"| processor time of the checks | {sum(s.seconds[0] for s in scores):.0f} s |"
    yield f"| processor time of everything | {sum(s.seconds[1] for s in scores):.0f} s |"
    yield ""
    counted = ("launches", "branches", "mutants", "rejected", MISSED, UNREACHED, SAME, "check")
    yield f"| program | kernel | verdict | {' | '.join(counted)} |"
    yield f"| --- | --- | --- |{' ---: |' * len(counted)}"
    for score in scores:
        v = score.verdict
        readable = demangle(v.kernel).partition("(")[0]
        cells = [score.program, f"`{readable}`", v.status.value, str(v.launches), f"{v.branches:.0%}"]
        cells += [
            str(score.mutants),
            str(score.rejected),
            *(str(score.count(fate)) for fate in (MISSED, UNREACHED, SAME)),
        ]
        yield f"| {' | '.join(cells)} | {score.seconds[0]:.1f} s |"
    left = [score for score in scores if score.verdict.status is not Status.ACCEPTED]
    if left:
        yield ""
        yield "Not accepted:"
        yield ""
        for score in left:
            yield f"* `{demangle(score.verdict.kernel).partition('(')[0]}` ({score.program}): {score.verdict.reason}"
    yield from _by_kind(checked)
    for fate in (MISSED, UNREACHED, SAME) if every_survivor else (MISSED,):
        yield ""
        yield f"Survivors: {fate}"
        yield ""
        for score in checked:
            found = [survivor for survivor in score.survivors if survivor.fate == fate]
            shown = found if every_survivor else found[:_SHOWN]
            if shown:
                readable = demangle(score.verdict.kernel).partition("(")[0]
                rest = f"; and {len(found) - len(shown)} more" if len(found) > len(shown) else ""
                yield f"* `{readable}`: {'; '.join(survivor.what for survivor in shown)}{rest}"


def _by_kind(checked: Sequence[Score]) -> Iterator[str]:
    """How many mutants there were of each kind, and what became of them."""
    kinds: Counter[str] = Counter()
    fates: Counter[tuple[str, str]] = Counter()
    for score in checked:
        kinds += score.kinds
        fates.update((survivor.what.partition(":")[0], survivor.fate) for survivor in score.survivors)
    yield ""
    yield f"| changed | mutants | rejected | {MISSED} | {UNREACHED} | {SAME} |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: |"
    for kind, number in sorted(kinds.items()):
        left = [fates[kind, fate] for fate in (MISSED, UNREACHED, SAME)]
        yield f"| {kind} | {number} | {number - sum(left)} | {' | '.join(map(str, left))} |"


def _share(rejected: int, others: int) -> str:
    return f"{rejected / max(rejected + others, 1):.2%}"


def _all(files: Sequence[str], settings: Settings, jobs: int) -> Iterator[tuple[str, list[Score]]]:
    """The scores of each file; files that hold none are named on stderr."""
    if jobs == 1:
        for file in files:
            yield file, _measured(file, settings)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from zip(files, pool.map(_measured, files, [settings] * len(files)), strict=True)


def _measured(file: str, settings: Settings) -> list[Score]:
    try:
        return measure(file, settings)
    except CasscError as problem:
        print(f"{file}: {problem}", file=sys.stderr)
        return []


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m cassc.driver.power", description="Mutation score of the checker.")
    parser.add_argument("files", nargs="+", help="built programs, libraries, objects or cubins")
    parser.add_argument("--machine", type=int, default=40, help="mutants of the code object for each kernel (40)")
    parser.add_argument("--ir", type=int, default=0, help="mutants of the LLVM IR for each kernel (0)")
    parser.add_argument(
        "--every", type=int, default=1, help="plant mistakes into one of so many kernels (1: into each)"
    )
    parser.add_argument("--jobs", type=int, default=1, help="files at a time")
    parser.add_argument("--seconds", type=float, default=DEFAULT_CHECK_SECONDS, help="work for a check")
    parser.add_argument("--minimum", type=float, default=0.0, help="status 1 if less than this share is rejected")
    parser.add_argument("--survivors", action="store_true", help="list all mutants that were not rejected")
    options = parser.parse_args(arguments)
    settings = Settings(options.machine, options.ir, options.every, options.seconds)
    scores: list[Score] = []
    for file, found in _all(options.files, settings, options.jobs):
        scores += found
        print(f"{file}: {len(found)} kernels, {sum(score.mutants for score in found)} mutants", file=sys.stderr)
    print("\n".join(page(scores, every_survivor=options.survivors)))
    rejected = sum(score.rejected for score in scores)
    missed = sum(score.count(MISSED) for score in scores)
    return 0 if rejected >= options.minimum * (rejected + missed) else 1


if __name__ == "__main__":
    sys.exit(main())
