"""Cubins with the code objects that were made of them: in built files, in recordings, or made anew."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cassc.image import bundle, fatbin, host
from cassc.target import DEFAULT_TARGET, TARGETS, Target
from cassc.verify.recorded import Container, Recording


@dataclass(frozen=True, slots=True)
class Pair:
    """SASS and its translation.

    Attributes:
        cubin: empty where the translation was made from source, and there is no SASS.
        engines: by kernel, who made it; empty where nobody says.
        container: SHA-256 of the fat binary in a recording, else empty.
        verdicts: the embedded record, empty where there is none.
    """

    cubin: bytes
    code_object: bytes
    target: Target
    engines: dict[str, str]
    container: str = ""
    verdicts: dict[str, Any] = field(default_factory=dict)


def of_file(path: str, code_object: str = "") -> Iterator[Pair]:
    """Of a built file, or of a cubin: with the code object in the file ``code_object``, else translated here."""
    image = host.read(path)
    if image.kind is host.ImageKind.CUBIN:
        if code_object:
            yield Pair(image.data, Path(code_object).read_bytes(), DEFAULT_TARGET, {})
        else:
            yield from _translated(image.data)
        return
    for fat in fatbin.extract(image):
        cubins = [entry.payload() for entry in fat.of_kind(fatbin.EntryKind.CUBIN)]
        texts = [entry.payload() for entry in fat.of_kind(fatbin.EntryKind.VERDICTS)]
        bundles = [entry.payload() for entry in fat.of_kind(fatbin.EntryKind.CODE_OBJECTS)]
        yield from _matched(cubins, texts, bundles)


def cubins(path: str) -> list[bytes]:
    """The cubins of a file, each once: those that were translated, or all where none was. Raises CasscError."""
    image = host.read(path)
    if image.kind is host.ImageKind.CUBIN:
        return [image.data]
    translated = [pair.cubin for pair in of_file(path) if pair.cubin]
    every = (entry.payload() for fat in fatbin.extract(image) for entry in fat.of_kind(fatbin.EntryKind.CUBIN))
    return list(dict.fromkeys(translated or every))


def of_recording(recording: Recording) -> Iterator[Pair]:
    """Of the containers whose launches were recorded."""
    for container in recording.containers:
        fat = fatbin.parse(container.data)
        cubins = [entry.payload() for entry in fat.of_kind(fatbin.EntryKind.CUBIN)]
        texts = [data for kind, _, data in container.entries if kind == fatbin.EntryKind.VERDICTS]
        bundles = [data for kind, _, data in container.entries if kind == fatbin.EntryKind.CODE_OBJECTS]
        yield from _matched(cubins, texts, bundles, container)


def _matched(
    cubins: Iterable[bytes], texts: list[bytes], bundles: list[bytes], container: Container | None = None
) -> Iterator[Pair]:
    by_digest = {hashlib.sha256(cubin).hexdigest(): cubin for cubin in cubins}
    for text, packed in zip(texts, bundles, strict=False):
        record = json.loads(text.rstrip(b"\0"))  # entries are padded in memory
        chosen = by_digest.get(record["cubin"]) if "cubin" in record else b""
        if chosen is None:
            continue
        engines = {kernel["kernel"]: kernel.get("engine", "") for kernel in record["kernels"]}
        for name, content in bundle.unpack(packed).items():
            target = TARGETS.get(name.rpartition("--")[2])
            if target is not None:
                yield Pair(chosen, content, target, engines, container.digest if container else "", record)


def _translated(data: bytes) -> Iterator[Pair]:
    from cassc.engines.cascade import TranslateOptions, translate_module

    result = translate_module(data, [DEFAULT_TARGET], TranslateOptions(check_seconds=0, skip_refused=True))
    engines = {verdict.kernel: verdict.engine for verdict in result.verdicts}
    for name, content in result.code_objects.items():
        yield Pair(data, content, TARGETS[name], engines)
