"""The gate: engines are asked in order, their translations assembled, and only what the checker does not reject goes on."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from cassc.amdgpu.assemble import assemble_full
from cassc.diag import CasscError, Diagnostic, Location, Severity
from cassc.engines.base import Engine, Request, Translation, Unsupported
from cassc.engines.lift import LiftEngine
from cassc.image import cubin as cubin_image
from cassc.lift.globals import module_globals
from cassc.lift.module import link_text
from cassc.sass import cfg, disasm
from cassc.target import Target
from cassc.verify.check import Checker
from cassc.verify.verdict import Status, Verdict


@dataclass(frozen=True, slots=True)
class TranslateOptions:
    """
    Attributes:
        opt_level: LLVM's, 0 to 3.
        check_seconds: time in which launches of one kernel are generated and compared; 0 checks nothing.
        seed: of the generated launches.
        keep: make the products of every stage, not only the code objects.
    """

    opt_level: int = 3
    check_seconds: float = 1.5
    seed: int = 1
    keep: bool = False


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
    """

    code_objects: Mapping[str, bytes]
    verdicts: tuple[Verdict, ...]
    remarks: tuple[Diagnostic, ...] = ()
    timings: Mapping[str, float] = field(default_factory=dict)
    artefacts: Mapping[str, bytes] = field(default_factory=dict)


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


def translate_module(
    cubin: bytes,
    targets: Sequence[Target],
    options: TranslateOptions = TranslateOptions(),
    engines: Sequence[Engine] | None = None,
) -> ModuleResult:
    """Translate every kernel of a cubin for every target.

    Raises CasscError if any kernel is refused by all engines, or rejected by the checker: one error for each kernel,
    with a note for each engine.
    """
    clock = _Clock()
    with clock.stage("disassemble"):
        parsed = cubin_image.parse(cubin)
        module = disasm.disassemble(parsed)
    with clock.stage("structure"):
        graphs = {function.name: cfg.build(function) for function in module.functions} if options.keep else {}
    requests = [Request(function, parsed, tuple(targets)) for function in module.functions]
    choices = list(engines if engines is not None else default_engines())
    with clock.stage("translate"):
        translations = _translate(requests, choices)
    artefacts: dict[str, bytes] = {}
    if options.keep:
        artefacts[".sass"] = module.listing().encode()
        artefacts[".dot"] = "".join(graph.dot() for graph in graphs.values()).encode()
    shared = module_globals(parsed)
    code_objects: dict[str, bytes] = {}
    verdicts: list[Verdict] = []
    for target in targets:
        text = link_text([t.ir for t in translations], target, shared.definitions)
        if options.keep:
            artefacts[f".{target.name}.ll"] = text.encode()
        with clock.stage("assemble"):
            assembled = assemble_full(text, target, opt_level=options.opt_level, keep=options.keep)
        if options.keep:
            artefacts[f".{target.name}.s"] = assembled.assembly.encode()
            artefacts[f".{target.name}.hsaco"] = assembled.code_object
        with clock.stage("check"):
            verdicts += _check(requests, translations, assembled.code_object, target, options)
        code_objects[target.name] = assembled.code_object
    remarks = [remark for t in translations for remark in t.remarks]
    remarks += [_unverified(verdict) for verdict in verdicts if verdict.status is Status.UNVERIFIED]
    return ModuleResult(code_objects, tuple(verdicts), tuple(remarks), clock.seconds, artefacts)


def _translate(requests: Sequence[Request], engines: Sequence[Engine]) -> list[Translation]:
    """One translation for each kernel, or a CasscError that names every kernel that has none."""
    translations, errors = [], []
    for request in requests:
        refusals: list[Diagnostic] = []
        for engine in engines:
            support = engine.supports(request)
            if not support.ok:
                refusals += support.reasons
                continue
            try:
                translations.append(engine.translate(request))
                break
            except Unsupported as refusal:
                refusals += refusal.diagnostics
        else:
            errors += refusals
    if errors:
        raise CasscError(*errors)
    return translations


def _check(
    requests: Sequence[Request],
    translations: Sequence[Translation],
    code_object: bytes,
    target: Target,
    options: TranslateOptions,
) -> list[Verdict]:
    verdicts = []
    rejected = []
    by_name = {translation.kernel: translation for translation in translations}
    with Checker(requests[0].cubin if requests else None, code_object, target, seed=options.seed) as checker:
        for request in requests:
            translation = by_name[request.function.name]
            verdict = checker.check(request.function, translation.engine, seconds=options.check_seconds)
            if verdict.status is Status.REJECTED:
                rejected.append(_rejection(request, verdict))
            else:
                verdicts.append(Accepted(translation, verdict).verdict)
    if rejected:
        raise CasscError(*rejected)
    return verdicts


def _rejection(request: Request, verdict: Verdict) -> Diagnostic:
    location = Location(kernel=verdict.kernel, sm=request.function.arch.name)
    message = f"the translation for {verdict.target} differs from the SASS: {verdict.reason}"
    notes = []
    if verdict.counterexample is not None:
        notes.append(Diagnostic(Severity.NOTE, "note", f"launch: {verdict.counterexample.describe()}"))
    return Diagnostic(Severity.ERROR, "check-rejected", message, location, tuple(notes))


def _unverified(verdict: Verdict) -> Diagnostic:
    message = f"kernel translated for {verdict.target} by '{verdict.engine}' but not checked: {verdict.reason}"
    return Diagnostic(Severity.REMARK, "check-unverified", message, Location(kernel=verdict.kernel))
