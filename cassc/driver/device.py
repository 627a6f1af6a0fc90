"""Device code of one host file: read, extract, select, translate, pack, embed.

The middle (disassemble to check) is ``cassc.engines.cascade.translate_module``; its results are cached by the cubin's
content.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

import cassc
from cassc import diag
from cassc.diag import CasscError, Diagnostic, Location, Severity
from cassc.driver import cache as cache_module
from cassc.driver import ptx
from cassc.driver.cache import Cache
from cassc.driver.invocation import DEFAULT_CHECK_SECONDS
from cassc.image import bundle, cubin, embed, fatbin, host
from cassc.target import DEFAULT_SM, RECORDED_SM, SASS_ARCHITECTURES, TARGETS, SmArch, Target


class Verdict(Protocol):
    """What the checker says of one kernel; the keys that the driver reads are ``kernel``, ``status``, ``reason``."""

    def to_dict(self) -> dict[str, Any]: ...


class ModuleResult(Protocol):
    """What the middle gives for one cubin: code objects by target name, verdicts by kernel, seconds by stage, and the
    products of the stages by file suffix (``.sass``, ``.ll``, ...)."""

    @property
    def code_objects(self) -> Mapping[str, bytes]: ...
    @property
    def verdicts(self) -> Sequence[Verdict]: ...
    @property
    def remarks(self) -> Sequence[Diagnostic]: ...
    @property
    def timings(self) -> Mapping[str, float]: ...
    @property
    def artefacts(self) -> Mapping[str, bytes]: ...
    @property
    def refused(self) -> Sequence[Diagnostic]: ...


DEFAULT_SASS_ENGINES = ("lift",)


def sass_engines(names: Sequence[str]) -> tuple[str, ...]:
    """Those of the engines asked for that take kernels from SASS; the lifter where there is none."""
    return tuple(name for name in names if name != "source") or DEFAULT_SASS_ENGINES


@dataclass(frozen=True, slots=True)
class Settings:
    """What decides how cubins are translated.

    Attributes:
        targets: AMD targets.
        check_seconds: time for the checker, for each kernel and target; 0 checks nothing.
        keep: the products of all stages are wanted.
        skip_refused: what cannot be translated is left out with a warning, as in programs that are built already; it
            is an error otherwise.
        engines: who is asked for kernels from SASS, in order.
        kernels: only these of each cubin; empty: all.
        exact_math: the lifter's approximate instructions give NVIDIA's bits.
    """

    targets: tuple[Target, ...]
    check_seconds: float = DEFAULT_CHECK_SECONDS
    keep: bool = False
    skip_refused: bool = False
    engines: tuple[str, ...] = DEFAULT_SASS_ENGINES
    kernels: tuple[str, ...] = ()
    exact_math: bool = False


@dataclass(frozen=True, slots=True)
class Module:
    """A translated cubin, as plain data."""

    code_objects: Mapping[str, bytes]
    verdicts: tuple[dict[str, Any], ...]
    remarks: tuple[Diagnostic, ...]
    artefacts: Mapping[str, bytes]
    refused: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True)
class Made:
    """A translated cubin as the cache holds it; whether it was there; else the seconds by stage that it took."""

    stored: bytes
    hit: bool
    seconds: Mapping[str, float]


Begun = Callable[[bytes], "Made | None"]
"""Asked for the translation of a cubin: one that was begun earlier, or None."""


@dataclass(frozen=True, slots=True)
class Container:
    """What became of one fat binary: the entries to add to it (none where it holds nothing to translate), and the rest
    as in :class:`Outcome`."""

    entries: tuple[fatbin.FatEntry, ...] = ()
    verdicts: tuple[dict[str, Any], ...] = ()
    remarks: tuple[Diagnostic, ...] = ()
    kept: tuple[tuple[str, bytes], ...] = ()
    hit: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one host file.

    Attributes:
        image: the file's new bytes; None if nothing in it had to be translated.
        verdicts: of all kernels.
        remarks: from the stages.
        timings: (stage, seconds), in the order of the stages.
        kept: file suffix and content of every stage's product, in the order made.
        hits: how many cubins came out of the cache.
    """

    image: bytes | None
    verdicts: tuple[dict[str, Any], ...] = ()
    remarks: tuple[Diagnostic, ...] = ()
    timings: Mapping[str, float] = field(default_factory=dict)
    kept: tuple[tuple[str, bytes], ...] = ()
    hits: int = 0


class Clock:
    """Seconds by stage; a stage that runs again adds up."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        begin = time.perf_counter()
        try:
            yield
        finally:
            self.add(name, time.perf_counter() - begin)

    def add(self, name: str, seconds: float) -> None:
        self.seconds[name] = self.seconds.get(name, 0.0) + seconds


def prepare(settings: Settings) -> None:
    """Load what a translation needs (0.4 s) while nvcc compiles."""
    from cassc.amdgpu import assemble
    from cassc.sass.decode import rows_by_opcode

    assemble.warm_up()
    from cassc.engines import cascade  # noqa: F401

    rows_by_opcode()
    if settings.check_seconds > 0:
        from cassc.verify import check  # noqa: F401


def translate_file(
    path: str | os.PathLike[str], title: str, settings: Settings, cache: Cache, begun: Begun | None = None
) -> Outcome:
    """Translate every fat binary of an object or archive that holds no code object yet.

    ``title`` is the file that diagnostics name. Raises CasscError; the errors of the middle carry kernel, address and
    instruction.
    """
    clock = Clock()
    with clock.stage("read"):
        image = host.read(path)
    with clock.stage("extract"):
        containers = [fat for fat in fatbin.extract(image) if wants_translation(fat)]
    kept: list[tuple[str, bytes]] = []
    remarks: list[Diagnostic] = []
    verdicts: list[dict[str, Any]] = []
    additions: list[tuple[fatbin.FatBinary, tuple[fatbin.FatEntry, ...]]] = []
    hits = 0
    for fat in containers:
        made = translate_container(fat, title, settings, cache, clock, begun)
        kept += made.kept
        remarks += made.remarks
        verdicts += made.verdicts
        hits += made.hit
        if made.entries:
            additions.append((fat, made.entries))
    data = None
    if additions:
        with clock.stage("embed"):
            data = embed.embed(image, additions).data
    return Outcome(data, tuple(verdicts), tuple(remarks), clock.seconds, tuple(kept), hits)


def translate_container(
    fat: fatbin.FatBinary, title: str, settings: Settings, cache: Cache, clock: Clock, begun: Begun | None = None
) -> Container:
    """Translate one fat binary. Raises CasscError for what cannot be translated, unless that is to be left out."""
    kept = [(".fatbin", fatbin.serialize(fat))]
    try:
        with clock.stage("select"):
            chosen, arch = _select(fat, title)
            something = holds_something(chosen)
        kept.append((f".{arch.name}.cubin", chosen))
        if not something:
            return Container(kept=tuple(kept))
        module, hit = _module(chosen, settings, cache, clock, title, begun)
    except CasscError as problem:
        if not settings.skip_refused:
            raise
        return Container(remarks=tuple(_left_out(d, title) for d in problem.diagnostics), kept=tuple(kept))
    remarks = [_located(remark, title) for remark in module.remarks]
    remarks += [_left_out(reason, title) for reason in module.refused]
    with clock.stage("pack"):
        packed = bundle.pack({TARGETS[name]: data for name, data in module.code_objects.items()})
        text = _verdict_text(chosen, arch, module)
    kept += [*module.artefacts.items(), (".verdict.json", text), (".hipfb", packed)]
    entries = (
        fatbin.make_entry(fatbin.EntryKind.CODE_OBJECTS, arch, packed),
        fatbin.make_entry(fatbin.EntryKind.VERDICTS, arch, text),
    )
    return Container(entries, module.verdicts, tuple(remarks), tuple(kept), hit)


def _left_out(reason: Diagnostic, title: str) -> Diagnostic:
    return _located(replace(reason, severity=Severity.WARNING, message=f"not translated: {reason.message}"), title)


def has_relocatable(image: host.HostImage) -> bool:
    """Whether an object or archive holds device code that ``nvcc -dlink`` has yet to link."""
    return any(section.name == "__nv_relfatbin" for leaf in image.leaves() for section in leaf.fat_sections())


def refuse_lto(image: host.HostImage, title: str) -> None:
    """Raises CasscError ``device-link-lto`` for an object that nvcc has left to be compiled when it is linked."""
    for fat in fatbin.extract(image):
        kinds = {entry.kind for entry in fat.entries}
        relocatable = fat.place.section == "__nv_relfatbin"
        if relocatable and fatbin.EntryKind.LTO_IR in kinds and fatbin.EntryKind.CUBIN not in kinds:
            raise diag.error(
                "device-link-lto",
                "the object holds LTO code, and no SASS",
                Location(file=fat.place.image or title),
                [diag.note("compile it with cassc, or without -dlto")],
            )


def translate_module(data: bytes, settings: Settings) -> ModuleResult:
    """The middle of the pipeline: raises CasscError if any kernel cannot be translated and none may be left out."""
    from cassc.engines import cascade

    options = cascade.TranslateOptions(
        check_seconds=settings.check_seconds,
        keep=settings.keep,
        skip_refused=settings.skip_refused,
        kernels=settings.kernels,
    )
    engines = cascade.engines_named(settings.engines, exact_math=settings.exact_math)
    return cascade.translate_module(data, settings.targets, options, engines)


def wants_translation(fat: fatbin.FatBinary) -> bool:
    """Not those that are translated, nor those of relocatable code, which the device link joined into another one."""
    linked = fat.place.section != "__nv_relfatbin"
    return linked and bool(fat.entries) and not fat.of_kind(fatbin.EntryKind.CODE_OBJECTS)


def _choices(archs: Sequence[SmArch]) -> list[SmArch]:
    """Architectures whose code is looked for, best first: the default, else the newest of those up to the one whose
    outputs are recorded, else the newest that is supported."""
    known = [a for a in sorted(archs, reverse=True) if a.number in SASS_ARCHITECTURES]
    return [DEFAULT_SM, *(a for a in known if a.number <= RECORDED_SM.number), *known]


def preferred(archs: Sequence[SmArch], *, complete: bool) -> SmArch | None:
    """Whose cubin will be chosen from a fat binary with cubins for these; None where that cannot be said, or if there
    may be more to come that would be preferred."""
    if DEFAULT_SM in archs:
        return DEFAULT_SM
    for choice in _choices(archs) if complete else ():
        fitting = [a for a in archs if fatbin.runs_on(a, choice)]
        if fitting:
            return max(fitting, key=lambda a: (a.number, a == choice, not a.suffix))
    return None


def _select(fat: fatbin.FatBinary, title: str) -> tuple[bytes, SmArch]:
    """The cubin that is translated, and its architecture: of the choices, else (to be refused by name) the newest."""
    for choice in [*_choices(fat.archs()), None]:
        chosen = fatbin.select(fat, choice)
        if chosen.cubin is not None and chosen.cubin_arch is not None:
            return chosen.cubin, chosen.cubin_arch
    for chosen in (fatbin.select(fat, DEFAULT_SM), fatbin.select(fat)):
        if chosen.ptx is None or chosen.ptx_arch is None:
            continue
        arch = ptx.architecture(chosen.ptx_arch, SmArch(SASS_ARCHITECTURES[-1]))
        if arch is not None:
            return ptx.compile_text(chosen.ptx, arch, title), arch
    texts = ", ".join(f"compute_{a.number}{a.suffix}" for a in fat.archs(fatbin.EntryKind.PTX)) or "nothing"
    raise diag.error(
        "device-no-sass",
        f"the fat binary holds no SASS (PTX: {texts})",
        Location(file=title),
        [diag.note(f"name a real architecture when compiling, for example -arch={DEFAULT_SM.name}")],
    )


def holds_something(data: bytes) -> bool:
    """Whether a cubin does: nvcc puts one into every object of a .cu file, also where that has no device code."""
    module = cubin.parse(data)
    variables = (name for name in module.sections if name.startswith((".nv.global", ".nv.constant3", ".nv.constant4")))
    return bool(module.kernels) or any(variables)


def make_module(data: bytes, settings: Settings, cache: Cache) -> Made:
    """Translate a cubin, or find its translation in the cache. Raises CasscError."""
    seconds: dict[str, float] = {}

    def make() -> bytes:
        result = translate_module(data, settings)
        seconds.update(result.timings)
        return _dump(result)

    wanted = json.dumps(
        [
            [t.name for t in settings.targets],
            settings.check_seconds,
            settings.keep,
            settings.skip_refused,
            settings.engines,
            settings.kernels,
            settings.exact_math,
        ]
    )
    stored, hit = cache.get_or_make(cache_module.key("module", data, wanted, code_version()), make)
    return Made(stored, hit, seconds)


def _module(
    data: bytes, settings: Settings, cache: Cache, clock: Clock, title: str, begun: Begun | None
) -> tuple[Module, bool]:
    try:
        made = (begun(data) if begun is not None else None) or make_module(data, settings, cache)
    except CasscError as problem:
        located = (_located(d, title) for d in problem.diagnostics)
        raise CasscError(*located, status=problem.status) from problem
    for stage, seconds in made.seconds.items():
        clock.add(stage, seconds)
    return _load(made.stored), made.hit


def _located(diagnostic: Diagnostic, title: str) -> Diagnostic:
    if diagnostic.location.file:
        return diagnostic
    return replace(diagnostic, location=replace(diagnostic.location, file=title))


def _verdict_text(data: bytes, arch: SmArch, module: Module) -> bytes:
    content = {
        "cassc": cassc.__version__,
        "sm": arch.name,
        "cubin": hashlib.sha256(data).hexdigest(),
        "targets": list(module.code_objects),
        "kernels": list(module.verdicts),
        "refused": [{"kernel": reason.location.kernel, "reason": reason.message} for reason in module.refused],
    }
    return json.dumps(content, indent=1).encode()


@functools.cache
def code_version() -> str:
    """A digest of everything that decides what a translation is: cassc's own files and LLVM's, by name, size and time.

    The tables of instructions and the checker are among them, so a change to either makes every entry a miss.
    """
    from cassc import toolchain
    from cassc.amdgpu.llvm import find_llvm

    digest = hashlib.sha256(cassc.__version__.encode())
    files: list[Path] = []
    for place in cassc.__path__:
        files += sorted(Path(place).rglob("*.py")) + sorted(Path(place).glob("model/*.npz"))
    runtime = toolchain.find_runtime()
    files += sorted(runtime.glob("libcassc_emu.so*")) if runtime else []
    llvm = find_llvm()
    files += [path for path in (llvm.library, llvm.clang, llvm.lld) if path]
    for path in files:
        status = path.stat()
        digest.update(f"{path}\0{status.st_size}\0{status.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def _dump(result: ModuleResult) -> bytes:
    """A header line in JSON, then the blobs one after another."""
    blobs: list[bytes] = []

    def store(items: Mapping[str, bytes]) -> dict[str, int]:
        blobs.extend(items.values())
        return {name: len(blob) for name, blob in items.items()}

    header = {
        "code_objects": store(result.code_objects),
        "artefacts": store(result.artefacts),
        "verdicts": [verdict.to_dict() for verdict in result.verdicts],
        "remarks": [diag.to_dict(remark) for remark in result.remarks],
        "refused": [diag.to_dict(reason) for reason in result.refused],
    }
    return json.dumps(header).encode() + b"\n" + b"".join(blobs)


def _load(data: bytes) -> Module:
    line, _, blobs = data.partition(b"\n")
    header = json.loads(line)
    position = 0

    def fetch(sizes: Mapping[str, int]) -> dict[str, bytes]:
        nonlocal position
        items = {}
        for name, size in sizes.items():
            items[name] = blobs[position : position + size]
            position += size
        return items

    code_objects = fetch(header["code_objects"])
    artefacts = fetch(header["artefacts"])
    remarks = tuple(_diagnostic(remark) for remark in header["remarks"])
    refused = tuple(_diagnostic(reason) for reason in header["refused"])
    return Module(code_objects, tuple(header["verdicts"]), remarks, artefacts, refused)


def _diagnostic(stored: Mapping[str, Any]) -> Diagnostic:
    return Diagnostic(
        Severity(stored["severity"]),
        stored["id"],
        stored["message"],
        Location(**stored["location"]),
        tuple(_diagnostic(note) for note in stored["notes"]),
    )
