"""The gate: engines are asked in order, and of their translations only what the checker does not reject goes on."""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from cassc import diag, reports
from cassc.amdgpu.assemble import assemble_full
from cassc.diag import CasscError, Diagnostic, Location, Severity
from cassc.engines.base import Engine, Guesser, Request, Translation, Unsupported
from cassc.engines.lift import LiftEngine
from cassc.image import cubin as cubin_image
from cassc.image.cubin import Cubin
from cassc.lift.globals import ModuleGlobals, module_globals
from cassc.lift.module import link_text
from cassc.sass import cfg, disasm
from cassc.target import Target
from cassc.verify.verdict import Counterexample, Status, Verdict

if TYPE_CHECKING:
    from cassc.verify.oracle import Case

_CHECKS_OF_A_GUESS = 3
"""An engine that guesses has several tries at a check, so that a wrong answer gets through one more easily: its answers
must pass checks with as many seeds."""


@dataclass(frozen=True, slots=True)
class TranslateOptions:
    """
    Attributes:
        opt_level: LLVM's, 0 to 3.
        check_seconds: processor time in which launches of one kernel are generated and compared; 0 checks nothing.
        seed: of the generated launches.
        keep: make the products of every stage, not only the code objects.
        kernels: translate only these; empty: all. Refused with ``cascade-shared`` where one of them uses a variable of
            the module, of which each code object would have its own.
        skip_refused: leave out kernels that no engine translates, and say so in ``ModuleResult.refused``, instead of
            refusing the whole cubin.
        guess_seconds: after this time no further answer of an engine that guesses is tried for a kernel.
    """

    opt_level: int = 3
    check_seconds: float = 1.5
    seed: int = 1
    keep: bool = False
    skip_refused: bool = False
    guess_seconds: float = 60.0
    kernels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Accepted:
    """A translation that may be used: one exists only together with the verdict that allows it."""

    translation: Translation
    verdict: Verdict

    def __post_init__(self) -> None:
        if self.verdict.status is Status.REJECTED or self.verdict.kernel != self.translation.kernel:
            raise ValueError("not a verdict that accepts this translation")


@dataclass(frozen=True, slots=True)
class ModuleResult:
    """What the middle of the pipeline gives for one cubin.

    Attributes:
        code_objects: by target name.
        verdicts: one for each kernel and target.
        remarks: what did not stop the translation, but should be known.
        timings: seconds by stage.
        artefacts: products of the stages by file suffix.
        refused: why kernels were left out; empty unless ``TranslateOptions.skip_refused``.
    """

    code_objects: Mapping[str, bytes]
    verdicts: tuple[Verdict, ...]
    remarks: tuple[Diagnostic, ...] = ()
    timings: Mapping[str, float] = field(default_factory=dict)
    artefacts: Mapping[str, bytes] = field(default_factory=dict)
    refused: tuple[Diagnostic, ...] = ()


class _Clock:
    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        begin = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - begin


def default_engines() -> tuple[Engine, ...]:
    return (LiftEngine(),)


def engines_named(names: Iterable[str], *, exact_math: bool = False) -> tuple[Engine, ...]:
    """Engines that take kernels one by one: ``lift`` and ``model``. ValueError for another name.

    ``exact_math``: the lifter's approximate instructions give NVIDIA's bits.
    """
    found: list[Engine] = []
    for name in names:
        if name == "lift":
            found.append(LiftEngine(exact_math=exact_math))
        elif name == "model":
            from cassc.engines.model import ModelEngine

            found.append(ModelEngine())
        else:
            raise ValueError(f"no engine is called {name!r}")
    return tuple(found)


def translate_module(
    cubin: bytes,
    targets: Sequence[Target],
    options: TranslateOptions = TranslateOptions(),
    engines: Sequence[Engine] | None = None,
) -> ModuleResult:
    """Translate every kernel of a cubin for every target.

    Engines are asked in order. A kernel whose translation the checker rejects goes to the engines after the one that
    made it. Raises CasscError if no engine is left for a kernel, unless those are to be skipped: one error or more for
    each such kernel.
    """
    clock = _Clock()
    with clock.stage("disassemble"):
        parsed = _only(cubin_image.parse(cubin), options.kernels)
        module = disasm.disassemble(parsed)
    with clock.stage("structure"):
        graphs = {function.name: cfg.build(function) for function in module.functions} if options.keep else {}
    shared = module_globals(parsed)
    trial = _Trial(parsed, shared.definitions, options)
    asked = engines if engines is not None else default_engines()
    candidates = [_Candidate(Request(f, parsed, tuple(targets)), list(asked), trial) for f in module.functions]
    artefacts: dict[str, bytes] = {}
    if options.keep:
        artefacts[".sass"] = module.listing().encode()
        artefacts[".dot"] = "".join(graph.dot() for graph in graphs.values()).encode()
    refused: list[Diagnostic] = []
    while True:
        with clock.stage("translate"):
            if options.skip_refused:
                candidates, left_out = _sift(candidates)
                refused += left_out
            translations = _translate(candidates)
        if options.kernels:
            shared = _unshared(translations, shared)
        code_objects = {}
        verdicts: list[Verdict] = []
        for target in targets:
            text = link_text([t.ir for t in translations], target, shared.definitions)
            try:
                with clock.stage("assemble"):
                    assembled = assemble_full(text, target, opt_level=options.opt_level, keep=options.keep)
            except CasscError:
                if options.skip_refused and _drop_failing(candidates, target, shared.definitions, options):
                    break
                raise
            if options.keep:
                artefacts[f".{target.name}.ll"] = text.encode()
                artefacts[f".{target.name}.s"] = assembled.assembly.encode()
                artefacts[f".{target.name}.hsaco"] = assembled.code_object
            with clock.stage("check"):
                verdicts += _check(candidates, parsed, assembled.code_object, target, options)
            code_objects[target.name] = assembled.code_object
        if len(code_objects) < len(targets):
            continue
        report = _Report(cubin, parsed.arch.name, code_objects)
        if not sum(candidate.give_up(verdicts, report) for candidate in candidates):
            break
    accepted = [Accepted(c.translation, v).verdict for c in candidates for v in verdicts if v.kernel == c.kernel]
    remarks = [remark for candidate in candidates for remark in candidate.remarks()]
    remarks += [_unverified(verdict) for verdict in accepted if verdict.status is Status.UNVERIFIED]
    return ModuleResult(code_objects, tuple(accepted), tuple(remarks), clock.seconds, artefacts, tuple(refused))


@dataclass(frozen=True, slots=True)
class _Trial:
    """Answers of an engine that guesses, each assembled and checked alone."""

    cubin: Cubin
    shared: Mapping[str, str]
    options: TranslateOptions

    def choose(self, engine: Guesser, request: Request) -> Translation:
        """The first answer that the checker accepts. Raises Unsupported, with what was wrong with the first."""
        begin = time.monotonic()
        problems: list[Diagnostic] = []
        answers = engine.candidates(request)
        seeds = [self.options.seed + further for further in range(_CHECKS_OF_A_GUESS)]
        shown: Case | None = None
        for _ in range(engine.attempts):
            try:
                made = answers.send(shown)
            except StopIteration:
                break
            problem, shown = self._problem(request, made, seeds)
            if problem is None:
                return made
            problems.append(problem)
            if problem.id == "check-unverified" or time.monotonic() - begin > self.options.guess_seconds:
                break
        place = Location(kernel=request.function.name, sm=request.function.arch.name)
        first = replace(problems[0], location=place) if problems else None
        message = f"none of {len(problems)} answers can be used" + (f"; the first: {first.message}" if first else "")
        raise Unsupported(Diagnostic(Severity.ERROR, "model-rejected", message, place, first.notes if first else ()))

    def _problem(self, request: Request, made: Translation, seeds: list[int]) -> tuple[Diagnostic | None, Case | None]:
        """Why an answer may not be used, and the launch that showed it; None if it may.

        ``seeds``: of the checks; one that rejects is the first for the next answer.
        """
        from cassc.verify.check import Checker

        for target in request.targets:
            text = link_text([made.ir], target, self.shared)
            try:
                code_object = assemble_full(text, target, opt_level=self.options.opt_level).code_object
            except CasscError as problem:
                return problem.diagnostics[0], None
            for seed in list(seeds):
                with Checker(self.cubin, code_object, target, seed=seed) as checker:
                    verdict = checker.check(request.function, made.engine, seconds=self.options.check_seconds)
                if verdict.status is Status.REJECTED:
                    seeds.remove(seed)
                    seeds.insert(0, seed)
                    return Diagnostic(Severity.ERROR, "check-rejected", verdict.reason), checker.shown
                if verdict.status is Status.UNVERIFIED:
                    return Diagnostic(Severity.ERROR, "check-unverified", f"not checked: {verdict.reason}"), None
        return None, None


@dataclass(slots=True)
class _Candidate:
    """A kernel on its way: the engines not asked yet, the translation at hand, and what others said."""

    request: Request
    engines: list[Engine]
    trial: _Trial
    refusals: list[tuple[str, tuple[Diagnostic, ...]]] = field(default_factory=list)
    maker: Engine | None = None
    made: Translation | None = None

    @property
    def kernel(self) -> str:
        return self.request.function.name

    @property
    def translation(self) -> Translation:
        assert self.made is not None
        return self.made

    def translate(self) -> bool:
        """Ask the engines that are left, up to one that translates. True if there is a translation."""
        while self.made is None and self.engines:
            engine = self.engines.pop(0)
            support = engine.supports(self.request)
            if not support.ok:
                self.refusals.append((engine.name, support.reasons))
                continue
            try:
                if isinstance(engine, Guesser):
                    self.made = self.trial.choose(engine, self.request)
                else:
                    self.made = engine.translate(self.request)
                self.maker = engine
            except Unsupported as refusal:
                self.refusals.append((engine.name, refusal.diagnostics))
        return self.made is not None

    def withdraw(self, reasons: tuple[Diagnostic, ...]) -> None:
        """Drop a translation that cannot be used: the next engine is asked."""
        assert self.maker is not None
        place = Location(kernel=self.kernel, sm=self.request.function.arch.name)
        located = tuple(replace(reason, location=place) for reason in reasons)
        self.refusals.append((self.maker.name, located))
        self.maker = self.made = None

    def give_up(self, verdicts: Iterable[Verdict], report: _Report) -> bool:
        """Drop a translation that may not be used. True if it was dropped."""
        assert self.maker is not None
        for verdict in verdicts:
            if verdict.kernel != self.kernel:
                continue
            if verdict.status is Status.REJECTED:
                inexact = isinstance(self.maker, LiftEngine) and not self.maker.exact_math
                reason = _rejection(self.request, verdict, report, inexact=inexact)
            elif verdict.status is Status.UNVERIFIED and self.maker.strict:
                reason = replace(_unverified(verdict), severity=Severity.ERROR)
            else:
                continue
            self.refusals.append((self.maker.name, (reason,)))
            self.maker = self.made = None
            return True
        return False

    def remarks(self) -> Iterator[Diagnostic]:
        """What refused before an engine translated, and what that one had to say."""
        for name, reasons in self.refusals:
            for reason in reasons:
                yield replace(reason, severity=Severity.REMARK, message=f"engine '{name}': {reason.message}")
        yield from self.translation.remarks

    def errors(self) -> list[Diagnostic]:
        """Why there is no translation: one engine's own words, or one error with a note for each engine."""
        if len(self.refusals) == 1:
            return list(self.refusals[0][1])
        notes = [
            replace(reason, severity=Severity.NOTE, message=f"engine '{name}': {reason.message}")
            for name, reasons in self.refusals
            for reason in reasons
        ]
        function = self.request.function
        place = Location(kernel=function.name, sm=function.arch.name)
        return [Diagnostic(Severity.ERROR, "engines-none", "no engine translates the kernel", place, tuple(notes))]


def _translate(candidates: Sequence[_Candidate]) -> list[Translation]:
    """One translation for each kernel, or a CasscError that names every kernel that has none."""
    errors = [error for candidate in candidates if not candidate.translate() for error in candidate.errors()]
    if errors:
        raise CasscError(*errors)
    return [candidate.translation for candidate in candidates]


def _only(cubin: Cubin, names: Sequence[str]) -> Cubin:
    return replace(cubin, kernels=tuple(k for k in cubin.kernels if k.name in names)) if names else cubin


def _unshared(translations: Sequence[Translation], shared: ModuleGlobals) -> ModuleGlobals:
    """No variables, since none of the translations uses one."""
    for translation in translations:
        for symbol in shared.definitions:
            if symbol in translation.ir.body:
                place = Location(kernel=translation.kernel)
                raise diag.error("cascade-shared", "the kernel uses a variable of its module", place)
    return ModuleGlobals({}, {})


def _sift(candidates: Sequence[_Candidate]) -> tuple[list[_Candidate], list[Diagnostic]]:
    """The candidates that have a translation, and what is to be said of the others."""
    kept, errors = [], []
    for candidate in candidates:
        if candidate.translate():
            kept.append(candidate)
        else:
            errors += candidate.errors()
    return kept, errors


def _drop_failing(
    candidates: Sequence[_Candidate], target: Target, shared: Mapping[str, str], options: TranslateOptions
) -> bool:
    """Take translations back that LLVM fails on by themselves. True if there were any."""
    dropped = False
    for candidate in candidates:
        try:
            assemble_full(link_text([candidate.translation.ir], target, shared), target, opt_level=options.opt_level)
        except CasscError as problem:
            candidate.withdraw(problem.diagnostics)
            dropped = True
    return dropped


def _check(
    candidates: Sequence[_Candidate], cubin: Cubin, code_object: bytes, target: Target, options: TranslateOptions
) -> list[Verdict]:
    if options.check_seconds <= 0:
        return [Verdict.unchecked(c.kernel, target.name, c.translation.engine) for c in candidates]
    from cassc.verify.check import Checker  # only here: with numpy and the interpreter it takes 0.2 s to load

    with Checker(cubin, code_object, target, seed=options.seed) as checker:
        return [
            checker.check(c.request.function, c.translation.engine, seconds=options.check_seconds) for c in candidates
        ]


class _Report:
    """A folder with what a rejected translation is seen by, made when the first is rejected."""

    def __init__(self, cubin: bytes, sm: str, code_objects: Mapping[str, bytes]) -> None:
        self._cubin = cubin
        self._sm = sm
        self._code_objects = code_objects
        self._folder: Path | None = None

    def command(self, verdict: Verdict, example: Counterexample) -> str:
        """What repeats the launch."""
        if self._folder is None:
            self._folder = reports.folder()
            (self._folder / f"module.{self._sm}.cubin").write_bytes(self._cubin)
        translation = self._folder / f"module.{verdict.target}.hsaco"
        translation.write_bytes(self._code_objects[verdict.target])
        words = ["cassc", "verify", "--run", str(self._folder / f"module.{self._sm}.cubin")]
        words += ["--code-object", str(translation), "--kernel", verdict.kernel]
        words += ["--seed", str(example.seed), "--attempt", str(example.attempt)]
        return shlex.join(words)


def _rejection(request: Request, verdict: Verdict, report: _Report, *, inexact: bool) -> Diagnostic:
    """``inexact``: approximate instructions could be asked for NVIDIA's bits."""
    location = Location(kernel=verdict.kernel, sm=request.function.arch.name)
    message = f"the translation for {verdict.target} differs from the SASS: {verdict.reason}"
    notes = []
    if verdict.approximate and inexact:
        names = ", ".join(verdict.approximate)
        notes.append(diag.note(f"approximate instructions ({names}) may be the cause: try --math=exact"))
    notes.append(diag.note("--check-seconds=0 translates without checking, on your own responsibility"))
    if verdict.counterexample is not None:
        notes.append(diag.note(f"launch: {verdict.counterexample.describe()}"))
        again = report.command(verdict, verdict.counterexample)
        notes.append(diag.note(f"to see it again: {again}"))
    return Diagnostic(Severity.ERROR, "check-rejected", message, location, tuple(notes))


def _unverified(verdict: Verdict) -> Diagnostic:
    message = f"kernel translated for {verdict.target} by '{verdict.engine}' but not checked: {verdict.reason}"
    return Diagnostic(Severity.REMARK, "check-unverified", message, Location(kernel=verdict.kernel))
