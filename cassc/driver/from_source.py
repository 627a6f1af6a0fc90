"""Units that the source engine makes, or makes in the place of others; cached by the content of all their files."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from cassc.diag import CasscError, Diagnostic, Location, Severity, note
from cassc.driver import cache as cache_module
from cassc.driver import device
from cassc.driver.cache import Cache
from cassc.driver.demangle import demangle
from cassc.driver.plan import Dependencies, FromSource
from cassc.engines.source import SourceEngine, UnitTranslation
from cassc.hip.compile import CompilerFailed
from cassc.hip.tools import include_folder


class SourceFailed(CasscError):
    """clang's own words, if there are any, stand on stderr already."""


def make(job: FromSource, settings: device.Settings, cache: Cache) -> device.Outcome:
    """Raises CasscError; clang's messages have been printed then."""
    try:
        outcome, output = _made(job, settings, cache)
    except CompilerFailed as problem:
        sys.stderr.write(problem.output)
        raise SourceFailed(*problem.diagnostics, status=problem.status) from problem
    sys.stderr.write(output)
    return outcome


def dependencies(job: Dependencies) -> None:
    """Write the rule. Raises CasscError as :func:`make`."""
    try:
        files = SourceEngine().dependencies(job.unit)
    except CompilerFailed as problem:
        sys.stderr.write(problem.output)
        raise SourceFailed(*problem.diagnostics, status=problem.status) from problem
    job.output.write_text(_rule(job, files))


def instead(job: FromSource, refusal: CasscError, settings: device.Settings, cache: Cache) -> device.Outcome:
    """The unit from its source, with a warning that says why. Where that fails too, the refusal is what is raised, with
    a note of what the source engine lacked."""
    try:
        outcome, output = _made(job, settings, cache, _why(refusal))
    except CompilerFailed as problem:
        raise _both(refusal, [note(f"engine 'source': {problem.first}")]) from problem
    except CasscError as problem:
        raise _both(refusal, [note(f"engine 'source': {d.message}") for d in problem.diagnostics]) from problem
    sys.stderr.write(output)
    reasons = tuple(
        replace(d, severity=Severity.NOTE, message=f"engine 'lift': {d.message}") for d in refusal.diagnostics
    )
    told = Diagnostic(
        Severity.WARNING,
        "source-fallback",
        "the whole file is compiled from source: its SASS cannot be translated",
        Location(file=str(job.unit.source)),
        reasons,
    )
    return replace(outcome, remarks=(told, *outcome.remarks))


def _why(refusal: CasscError) -> str:
    """Verdicts travel without the warning: each says that one refused kernel, and which, decided for all."""
    first = refusal.diagnostics[0]
    what = f"kernel '{demangle(first.location.kernel)}'" if first.location.kernel else "its SASS"
    return f"the whole file is compiled from source, since {what} was refused ({first.message})"


def _both(refusal: CasscError, notes: Sequence[Diagnostic]) -> CasscError:
    first, *others = refusal.diagnostics
    return CasscError(replace(first, notes=(*first.notes, *notes)), *others, status=refusal.status)


def _made(job: FromSource, settings: device.Settings, cache: Cache, why: str = "") -> tuple[device.Outcome, str]:
    clock = device.Clock()
    engine = SourceEngine()
    with clock.stage("preprocess"):
        files = engine.dependencies(job.unit)
        name = _key(job, files, engine, settings, why)
    if job.dependencies is not None:
        job.dependencies.write_text(_rule(job, files))

    def compiled() -> bytes:
        with clock.stage("clang"):
            return _dump(engine.translate(job.unit, settings.targets, why))

    stored, hit = cache.get_or_make(name, compiled)
    made = _load(stored)
    kept = tuple((f".{target}.hsaco", data) for target, data in made.code_objects.items())
    outcome = device.Outcome(made.image, made.verdicts, made.remarks, clock.seconds, kept, int(hit))
    return outcome, made.output


def _key(job: FromSource, files: Sequence[str], engine: SourceEngine, settings: device.Settings, why: str) -> str:
    digest = hashlib.sha256()
    for name in files:
        digest.update(f"{name}\0".encode() + hashlib.sha256(Path(name).read_bytes()).digest())
    unit = job.unit
    asked = [os.path.abspath(unit.source), unit.arguments, unit.cuda, unit.cudart, unit.sm]
    wanted = json.dumps([asked, [target.name for target in settings.targets], why])
    return cache_module.key("source", digest.digest(), wanted, engine.version(), device.code_version())


def _rule(job: FromSource | Dependencies, files: Sequence[str]) -> str:
    own = str(include_folder())
    wanted = [name for name in files if not name.startswith(own)]
    if not job.system:
        wanted = [name for name in wanted if not name.startswith(("/usr/", "/opt/"))]
    escaped = [name.replace(" ", "\\ ") for name in wanted]
    rule = f"{job.target}: " + " \\\n  ".join(escaped) + "\n"
    return rule + "".join(f"\n{name}:\n" for name in escaped[1:]) if job.phony else rule


def _dump(made: UnitTranslation) -> bytes:
    """A header line in JSON, then the blobs one after another."""
    header = {
        "image": len(made.image),
        "code_objects": {name: len(data) for name, data in made.code_objects.items()},
        "verdicts": made.verdicts,
        "remarks": [_told(d) for d in made.remarks],
        "output": made.output,
    }
    return b"".join([json.dumps(header).encode(), b"\n", made.image, *made.code_objects.values()])


def _told(told: Diagnostic) -> list[str | int]:
    place = told.location
    return [told.severity.value, told.id, told.message, place.file, place.line, place.column]


def _load(data: bytes) -> UnitTranslation:
    line, _, blobs = data.partition(b"\n")
    header = json.loads(line)
    position = header["image"]
    image, objects = blobs[:position], {}
    for name, size in header["code_objects"].items():
        objects[name] = blobs[position : position + size]
        position += size
    remarks = tuple(
        Diagnostic(Severity(severity), id, message, Location(file, line, column))
        for severity, id, message, file, line, column in header["remarks"]
    )
    return UnitTranslation(image, objects, tuple(header["verdicts"]), remarks, header["output"])
