"""``cassc verify --run``: the checker on what a file holds, or on a cubin and a code object that a report names."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cassc
from cassc import diag
from cassc.diag import Location
from cassc.driver.demangle import demangle
from cassc.image import bundle, cubin, fatbin, host
from cassc.target import DEFAULT_TARGET, TARGETS, Target


@dataclass(frozen=True, slots=True)
class Launches:
    """Which kernels and launches are run.

    Attributes:
        kernel: mangled or readable name, or the readable name up to its parameters; empty: all.
        seed: of the generated launches.
        attempt: the launch that is compared, None: as many as the time allows.
        seconds: time for each kernel.
    """

    kernel: str = ""
    seed: int = 1
    attempt: int | None = None
    seconds: float = 1.5

    def match(self, name: str) -> bool:
        readable = demangle(name)
        return not self.kernel or self.kernel in (name, readable, readable.partition("(")[0])


@dataclass(frozen=True, slots=True)
class _Pair:
    """SASS and its translation; ``engines``: by kernel, who made it."""

    cubin: bytes
    code_object: bytes
    target: Target
    engines: dict[str, str]


def run(path: str, launches: Launches, code_object: str = "") -> list[dict[str, Any]]:
    """New verdicts, one record for each cubin and target, in the form of the embedded ones.

    ``path`` is a built program, library or object, or a cubin. A cubin is checked against the code object in the file
    ``code_object``, or else translated first. Raises CasscError ``verify-nothing``, ``verify-no-kernel``.
    """
    records = [_record(pair, launches) for pair in _pairs(path, code_object)]
    if not records:
        raise diag.error("verify-nothing", "no kernel in the file was translated by cassc", Location(file=path))
    if not any(record["kernels"] for record in records):
        raise diag.error("verify-no-kernel", f"no translated kernel '{launches.kernel}'", Location(file=path))
    return [record for record in records if record["kernels"]]


def _pairs(path: str, code_object: str) -> Iterator[_Pair]:
    image = host.read(path)
    if image.kind is host.ImageKind.CUBIN:
        if code_object:
            yield _Pair(image.data, Path(code_object).read_bytes(), DEFAULT_TARGET, {})
        else:
            yield from _translated(image.data)
        return
    for fat in fatbin.extract(image):
        cubins = {hashlib.sha256(c).hexdigest(): c for c in (e.payload() for e in fat.of_kind(fatbin.EntryKind.CUBIN))}
        records = [json.loads(entry.payload()) for entry in fat.of_kind(fatbin.EntryKind.VERDICTS)]
        bundles = [bundle.unpack(entry.payload()) for entry in fat.of_kind(fatbin.EntryKind.CODE_OBJECTS)]
        for record, packed in zip(records, bundles, strict=False):
            chosen = cubins.get(record["cubin"])
            if chosen is None:
                continue
            engines = {kernel["kernel"]: kernel.get("engine", "") for kernel in record["kernels"]}
            for name, content in packed.items():
                if name.rpartition("--")[2] not in TARGETS:
                    continue
                yield _Pair(chosen, content, TARGETS[name.rpartition("--")[2]], engines)


def _translated(data: bytes) -> Iterator[_Pair]:
    from cassc.engines.cascade import TranslateOptions, translate_module

    result = translate_module(data, [DEFAULT_TARGET], TranslateOptions(check_seconds=0, skip_refused=True))
    engines = {verdict.kernel: verdict.engine for verdict in result.verdicts}
    for name, content in result.code_objects.items():
        yield _Pair(data, content, TARGETS[name], engines)


def _record(pair: _Pair, launches: Launches) -> dict[str, Any]:
    from cassc.sass.disasm import disassemble
    from cassc.verify.check import Checker

    parsed = cubin.parse(pair.cubin)
    verdicts = []
    with Checker(parsed, pair.code_object, pair.target, seed=launches.seed) as checker:
        for function in disassemble(parsed).functions:
            if not launches.match(function.name) or (pair.engines and function.name not in pair.engines):
                continue
            engine = pair.engines.get(function.name, "lift")
            verdicts.append(checker.check(function, engine, seconds=launches.seconds, attempt=launches.attempt))
    return {
        "cassc": cassc.__version__,
        "sm": parsed.arch.name,
        "cubin": hashlib.sha256(pair.cubin).hexdigest(),
        "targets": [pair.target.name],
        "kernels": [verdict.to_dict() for verdict in verdicts],
    }
