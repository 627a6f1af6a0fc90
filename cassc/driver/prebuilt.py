"""Programs and libraries that nvcc has already linked: run as they are, or rewritten once.

``cassc run`` starts an unchanged program under the audit library ``libcassc_redirect.so``, which puts cassc's CUDA
runtime in the place of NVIDIA's. The runtime finds translations of fat binaries by the SHA-256 of their containers in a
folder of the cache, and has what is missing there made when it is first used. ``cassc BIN -o OUT`` writes a program
that holds its code objects itself.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import cassc
from cassc import diag, toolchain
from cassc.diag import CasscError, Location
from cassc.driver import device, libraries, outputs, policy, signatures
from cassc.driver.cache import Cache, key
from cassc.driver.device import Clock, Settings, sass_engines
from cassc.driver.invocation import Invocation
from cassc.driver.jobs import Report, deliver
from cassc.driver.plan import Delivery
from cassc.image import fatbin, host, relink, static_runtime
from cassc.image.host import ImageKind
from cassc.target import DEFAULT_TARGET, TARGETS

_LINKED = (ImageKind.EXECUTABLE, ImageKind.SHARED)
_FRONT_ENDS = "libcudart.so."
BIG = 1 << 20
"""Bytes of a container from which on the runtime asks for single kernels (shims/runtime/registry.cpp has the same)."""


@dataclass(frozen=True, slots=True)
class Launch:
    """A program to be started in our place, and what was found out about it before."""

    path: str
    arguments: tuple[str, ...]
    environment: dict[str, str] = field(repr=False)
    report: Report = field(default_factory=Report)
    finish: Callable[[int, Callable[[str], None]], int] | None = None
    """Given the program's exit status and where to say things, the exit status of ``cassc run``; None: the program
    takes our place, and there is nobody to call it."""


def _libraries() -> Path:
    """The folder of cassc's libraries, all there. Without the audit library NVIDIA's runtime would start."""
    runtime = toolchain.find().require_runtime()
    if not (runtime / static_runtime.LIBRARY).exists():
        raise diag.error("prebuilt-no-redirector", f"'{static_runtime.LIBRARY}' is not in '{runtime}'")
    return runtime


def _not_found(name: str) -> CasscError:
    """As a shell: a bare name is looked for on PATH only."""
    if "/" not in name and os.access(name, os.X_OK) and os.path.isfile(name):
        text = f"'{name}' is not on PATH"
        return diag.error(
            "run-not-found", text, notes=[diag.note(f"to run the file in this folder: cassc run ./{name}")]
        )
    if os.path.isfile(name):
        return diag.error("run-not-found", f"'{name}' cannot be executed")
    return diag.error("run-not-found", f"'{name}' was not found")


def is_linked(path: str) -> bool:
    """Whether a file is an executable or a shared library for this machine's ELF."""
    try:
        return host.read(path).kind in _LINKED
    except CasscError:
        return False


def convert(invocation: Invocation) -> Report:
    """``cassc BIN -o OUT``. Raises CasscError where the file cannot be rewritten, or holds no fat binary."""
    path = invocation.inputs[0].path
    outputs.check([path], [invocation.output])
    runtime = _libraries()
    engines = sass_engines(invocation.engines)
    settings = Settings(
        invocation.targets,
        invocation.check_seconds,
        skip_refused=True,
        engines=engines,
        exact_math=invocation.exact_math,
    )
    rules = policy.read(invocation.policy) if invocation.policy else None
    image = host.read(path)
    if not fatbin.extract(image):
        raise diag.error("prebuilt-nothing", "the file holds no fat binary", Location(file=path))
    with tempfile.TemporaryDirectory(prefix="cassc-", ignore_cleanup_errors=True) as scratch:
        made = Path(scratch, "relinked")
        try:
            made.write_bytes(_relinked(image, runtime))
        except CasscError as problem:
            raise CasscError(*(replace(d, location=Location(file=path)) for d in problem.diagnostics)) from problem
        outcome = device.translate_file(made, path, settings, Cache.open())
        if outcome.image is not None:
            made.write_bytes(outcome.image)
        made.chmod(os.stat(path).st_mode & 0o777)
        if rules is not None:
            rules.enforce_file(str(made))
        deliver([Delivery(made, Path(invocation.output))])
    report = Report(list(outcome.verdicts), list(outcome.remarks), hits=outcome.hits)
    report.timings.append((path, dict(outcome.timings)))
    return report


def settings(targets: Sequence[str], check_seconds: float) -> Settings:
    """For programs that are run as they are: ``targets`` by name, the default one if empty."""
    chosen = tuple(TARGETS[name] for name in dict.fromkeys(targets)) or (DEFAULT_TARGET,)
    return Settings(chosen, check_seconds, skip_refused=True)


def _relinked(image: host.HostImage, runtime: Path) -> bytes:
    """The file, using our CUDA runtime."""
    static = static_runtime.find(runtime / static_runtime.LIBRARY, image.data, signatures.tables())
    dynamic = [name for name in relink.needed(image.data) if Path(name).name.startswith(_FRONT_ENDS)]
    if static is None and not dynamic:
        return image.data  # it leaves the CUDA runtime to whoever loads it
    library = runtime / (Path(dynamic[0]).name if static is None else f"{_FRONT_ENDS}{_suffix(static.major)}")
    if not library.exists():
        raise diag.error(
            "prebuilt-cuda-version",
            f"the file uses '{library.name}', of which cassc has no counterpart",
            Location(file=image.name),
        )
    return relink.relink(image.data, image.name, library, static)


def _suffix(major: int) -> str:
    return "11.0" if major == 11 else str(major)


def launch(arguments: Sequence[str], settings: Settings, record: str = "") -> Launch:
    """What ``cassc run`` starts: ``arguments`` are the program and its own arguments.

    ``record``: a file into which the runtime writes the launches, empty for none; what it held is gone.

    The program's fat binaries are translated here, those of its libraries when they are first used. Raises CasscError
    ``run-not-found`` for a program that is not there.
    """
    path = shutil.which(arguments[0])
    if path is None:
        raise _not_found(arguments[0])
    runtime = _libraries()
    folder = _translations(settings)
    report = Report()
    if is_linked(path):
        _translate_program(path, settings, folder, report)
    environment = _environment(path, runtime, folder, settings)
    if record:
        _empty(record)
        environment["CASSC_RECORD"] = os.path.abspath(record)
    return Launch(path, tuple(arguments), environment, report)


def _empty(path: str) -> None:
    try:
        Path(path).write_bytes(b"")
    except OSError as problem:
        raise diag.error("run-record", f"cannot write: {problem.strerror}", Location(file=path)) from problem


def _translations(settings: Settings) -> Path:
    """The folder for translations with these settings by this version of cassc; a passing one where the cache is off or
    cannot be written."""
    cache = Cache.open()
    names = ",".join(target.name for target in settings.targets)
    folder = cache.root / "translations" / key("run", device.code_version(), names, str(settings.check_seconds))[:16]
    try:
        if cache.limit == 0:
            return Path(tempfile.mkdtemp(prefix="cassc-run-"))
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return Path(tempfile.mkdtemp(prefix="cassc-run-"))
    return folder


def _translate_program(path: str, settings: Settings, folder: Path, report: Report) -> None:
    for fat in filter(device.wants_translation, fatbin.extract(host.read(path))):
        if len(fatbin.serialize(fat)) >= BIG:
            continue  # the runtime asks for its kernels one by one
        file = folder / f"{hashlib.sha256(fatbin.serialize(fat)).hexdigest()}.fatbin"
        translate(fat, path, settings, file, report)


def translate(fat: fatbin.FatBinary, title: str, settings: Settings, file: Path, report: Report) -> None:
    """Write the translation of one container, if it is not there: a container with our entries alone.

    A container of which nothing can be translated gets an empty one, so that it is not tried again.
    """
    clock = Clock()
    cache = Cache.open()
    made = device.translate_container(fat, title, settings, cache, clock)
    cache.record()
    unkept = cache.remark()
    report.remarks += [unkept] if unkept else []
    report.remarks += made.remarks
    report.verdicts += made.verdicts
    report.hits += made.hit
    if made.kept and (made.entries or made.remarks) and not file.exists():
        handle, name = tempfile.mkstemp(dir=file.parent, prefix=".new-")
        with os.fdopen(handle, "wb") as new:
            new.write(fatbin.serialize(fatbin.FatBinary(made.entries)))
        os.replace(name, file)
    report.timings.append((title, clock.seconds))


def translate_first_use(source: Path, file: Path, settings: Settings, kernel: str = "") -> Report:
    """What the runtime asks for when it meets a container that has no translation yet.

    With ``kernel``, a code object of this one alone is made. An empty container answers that there can be none, since
    the kernel uses a variable of its module.
    """
    report = Report()
    if kernel:
        settings = replace(settings, kernels=(kernel,))
    for fat in fatbin.extract(host.read(source)):
        translate(fat, "fat binary", settings, file, report)
    if kernel:
        report.remarks = [remark for remark in report.remarks if remark.id != "cascade-shared"]
    return report


def _environment(program: str, runtime: Path, folder: Path, settings: Settings) -> dict[str, str]:
    environment = dict(os.environ)
    front_ends = sorted((str(path) for path in runtime.glob(f"{_FRONT_ENDS}*")), reverse=True)
    _prepend(environment, "LD_AUDIT", [str(runtime / static_runtime.LIBRARY)])
    # For programs that have a runtime inside; where libcudart is shared, the audit library names ours.
    _prepend(environment, "LD_PRELOAD", front_ends)
    targets = [word for target in settings.targets for word in ("--offload-arch", target.name)]
    # By path, since -m would look into the program's working directory first.
    own = [sys.executable, str(Path(cassc.__file__).with_name("cli.py"))]
    command = [*own, "first-use", *targets]
    environment["CASSC_TRANSLATIONS"] = str(folder)
    environment["CASSC_TRANSLATOR"] = shlex.join([*command, "--check-seconds", str(settings.check_seconds)])
    environment.setdefault("CASSC_RTC", shlex.join([*own, "rtc"]))
    if not libraries.has_nvrtc(environment):
        before = environment.get("LD_LIBRARY_PATH")
        environment["LD_LIBRARY_PATH"] = ":".join([*([before] if before else []), str(runtime / "nvrtc")])
    if "CASSC_BLAS" not in environment and (blas := libraries.blas()):
        environment["CASSC_BLAS"] = str(blas)
    environment["CASSC_REDIRECT_TABLES"] = ":".join(map(str, signatures.tables(program)))
    return environment


def with_emulated_hip(environment: dict[str, str]) -> None:
    """Lead programs that use HIP itself to our libamdhip64, which runs them on the emulator."""
    _prepend(environment, "LD_LIBRARY_PATH", [str(_libraries() / "hip")])


def _prepend(environment: dict[str, str], name: str, values: Sequence[str]) -> None:
    before = [environment[name]] if environment.get(name) else []
    environment[name] = ":".join([*values, *before])
