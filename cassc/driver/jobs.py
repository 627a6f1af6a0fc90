"""Run a plan: start its commands, translate its objects, deliver its products.

What translates is imported when it is needed: nvcc is started first, and the rest loads while it works.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cassc import diag
from cassc.diag import CasscError, Diagnostic
from cassc.driver import compilation
from cassc.driver.ahead import Ahead
from cassc.driver.cache import Cache
from cassc.driver.invocation import Invocation
from cassc.driver.plan import (
    STANDARD_OUTPUT,
    Compile,
    Delivery,
    Dependencies,
    DeviceLink,
    Finish,
    FromSource,
    Job,
    Plan,
    Translate,
)
from cassc.driver.progress import Progress, aside
from cassc.toolchain import nvcc_environment

if TYPE_CHECKING:
    from cassc.driver import device

Say = Callable[[str], None]

_NVCC_VARIABLE = re.compile(r"#\$ \w+=")
"""Lines such as ``#$ TOP=/usr/local/cuda``."""


class ToolFailed(CasscError):
    """A tool printed its own message and failed; there is nothing to add but its status."""

    def __init__(self, status: int) -> None:
        super().__init__(status=status)


class InternalError(Exception):
    """A defect of cassc in one stage; the front prints what is known, and where the cause was written down."""

    def __init__(self, stage: str, title: str, kernel: str = "") -> None:
        super().__init__(f"{stage}: {title}")
        self.stage = stage
        self.title = title
        self.kernel = kernel


@dataclass(slots=True)
class Report:
    """What a run did.

    Attributes:
        verdicts: of every kernel translated.
        remarks: from the stages.
        timings: (title of the file, seconds by stage).
        hits: cubins that came out of the cache.
        compilations: objects of nvcc that did.
    """

    verdicts: list[dict[str, Any]] = field(default_factory=list)
    remarks: list[Diagnostic] = field(default_factory=list)
    timings: list[tuple[str, dict[str, float]]] = field(default_factory=list)
    hits: int = 0
    compilations: int = 0


def dryrun(plan: Plan, say: Say) -> None:
    """Print what :func:`run` would do, in nvcc's form."""
    for line in plan.environment:
        say(line)
    for job in plan.jobs:
        say(f"#$ {_shown(job)}")
    for delivery in plan.deliveries:
        say(f"#$ mv {shlex.quote(str(delivery.made))} {shlex.quote(str(delivery.final))}")


def clean(plan: Plan, say: Say, *, verbose: bool) -> None:
    """Remove what :func:`run` would make."""
    for delivery in plan.deliveries:
        if verbose:
            say(f"#$ rm {shlex.quote(str(delivery.final))}")
        if delivery.final.is_file():
            delivery.final.unlink()


def run(plan: Plan, invocation: Invocation, cache: Cache, say: Say) -> Report:
    """Raises ToolFailed, CasscError or InternalError; then nothing has been delivered."""
    return _Runner(plan, invocation, cache, say).run()


class _Runner:
    def __init__(self, plan: Plan, invocation: Invocation, cache: Cache, say: Say) -> None:
        self.plan = plan
        self.invocation = invocation
        self.cache = cache
        self._say = say
        self.report = Report()
        self.compiled: dict[Path, Future[float]] = {}
        self.made: dict[Path, Future[device.Outcome]] = {}
        self.ahead: dict[Path, Ahead] = {}
        self.running: set[subprocess.Popen[bytes]] = set()
        self.ended = False
        self.untouched: dict[str, str] = {}
        """What is used in the place of a translation: a file in which nothing had to be translated."""

    def say(self, text: str) -> None:
        with aside():
            self._say(text)

    def _progress(self, text: str) -> Progress:
        return Progress(text, enabled=not self.invocation.verbose)

    def run(self) -> Report:
        if self.invocation.verbose:
            for line in self.plan.environment:
                self.say(line)
        rules = None
        if self.invocation.policy:
            from cassc.driver import policy

            rules = policy.read(self.invocation.policy)
        workers = self.invocation.threads or os.cpu_count() or 1
        pool = ThreadPoolExecutor(max_workers=workers)
        try:
            for job in self.plan.jobs:
                if isinstance(job, Compile):
                    self.compiled[job.output] = pool.submit(self._compile, job)
                elif isinstance(job, FromSource):
                    self.made[job.output] = pool.submit(self._from_source, job)
            for job in self.plan.jobs:
                self._run(job)
            deliveries = [replace(d, made=Path(self.untouched.get(str(d.made), d.made))) for d in self.plan.deliveries]
            if rules is not None:
                for delivery in deliveries:
                    rules.enforce_file(str(delivery.made))
            deliver(deliveries)
        except BaseException:  # a terminated build does not wait for what it has started
            self.ended = True
            for process in list(self.running):
                process.terminate()
            raise
        finally:
            pool.shutdown(cancel_futures=True)
            self.cache.record()
        remark = self.cache.remark()
        if remark is not None:
            self.report.remarks.append(remark)
        return self.report

    def _run(self, job: Job) -> None:
        if isinstance(job, Compile):
            with self._progress(f"compiling {job.source}"):
                seconds = self.compiled[job.output].result()
            self.report.timings.append((job.source, {"nvcc": seconds}))
        elif isinstance(job, Translate):
            self._translate(job)
        elif isinstance(job, FromSource):
            if self.invocation.verbose:
                self.say(f"#$ {_shown(job)}")
            with self._progress(f"compiling {job.unit.source}"):
                outcome = self.made[job.output].result()
            self._take(outcome, job)
        elif isinstance(job, Dependencies):
            from cassc.driver import from_source

            from_source.dependencies(job)
        elif isinstance(job, DeviceLink):
            self._device_link(job)
        else:
            extra = [str(path) for path in job.optional if path.exists() or str(path) in self.untouched]
            command = [*job.command[: job.place], *extra, *job.command[job.place :]]
            command = [self.untouched.get(word, word) for word in command]
            seconds = self._start(command, nvcc=job.stage == "nvcc")
            self.report.timings.append((job.stage, {job.stage: seconds}))

    def _from_source(self, job: FromSource) -> device.Outcome:
        from cassc.driver import from_source

        return from_source.make(job, self._settings(), self.cache)

    def _settings(self) -> device.Settings:
        from cassc.driver import device

        wanted = self.invocation
        engines = device.sass_engines(wanted.engines)
        return device.Settings(
            wanted.targets, wanted.check_seconds, wanted.keep, engines=engines, exact_math=wanted.exact_math
        )

    def _compile(self, job: Compile) -> float:
        nvcc = self.plan.nvcc
        if nvcc is None or self.invocation.verbose:
            return self._start(job.command, nvcc=True)
        begin = time.perf_counter()
        done, hit = compilation.compile(job, nvcc, self.cache, lambda command: self._captured(job, command))
        if done.text:
            self.say(done.text.decode(errors="replace").removesuffix("\n"))
        _check(done.status)
        self.report.compilations += hit
        return time.perf_counter() - begin

    def _captured(self, job: Compile, command: list[str]) -> compilation.Run:
        """Start nvcc; what it prints is kept, so that a hit in the cache can say it again."""
        if sys.stderr.isatty() and "NO_COLOR" not in os.environ:
            command = [*command, "-Xcompiler", "-fdiagnostics-color=always"]
        environment = nvcc_environment()
        folder = job.output.with_suffix(".tmp")
        if job.translated:
            folder.mkdir()
            environment["TMPDIR"] = str(folder)
        # In memory, as the disk may be what is full; and no pipe, which would wait for what nvcc started, too.
        with open(os.memfd_create("said"), "w+b") as output:
            with self._started(command, env=environment, stdout=output, stderr=subprocess.STDOUT) as nvcc:
                if job.translated:
                    self.ahead[job.output] = Ahead(folder, self._settings, self.cache)
                status = nvcc.wait()
            output.seek(0)
            text = output.read()
        if job.translated:
            self.ahead[job.output].nvcc_ended()
            shutil.rmtree(folder, ignore_errors=True)
        return compilation.Run(status, text)

    @contextlib.contextmanager
    def _started(self, command: Sequence[str], **options: Any) -> Iterator[subprocess.Popen[bytes]]:
        """A process that is terminated if the build ends before it does."""
        try:
            process: subprocess.Popen[bytes] = subprocess.Popen(command, **options)
        except OSError as problem:
            raise _not_started(command[0], problem) from problem
        self.running.add(process)
        try:
            if self.ended:
                process.terminate()
            with process:
                try:
                    yield process
                except BaseException:
                    process.terminate()
                    raise
        finally:
            self.running.discard(process)

    def _start(self, command: Sequence[str], *, nvcc: bool = False) -> float:
        """Start a tool and wait; its output goes where ours goes. Returns the seconds it took."""
        if self.invocation.verbose:
            self.say(f"#$ {shlex.join(command)}")
        begin = time.perf_counter()
        if nvcc and self.invocation.verbose:
            status = self._start_verbose(command)
        else:
            with self._started(command, env=nvcc_environment()) as process:
                status = process.wait()
        _check(status)
        return time.perf_counter() - begin

    def _start_verbose(self, command: Sequence[str]) -> int:
        """nvcc says where its own toolkit is, before it says what it starts; ours has been said."""
        with self._started(command, env=nvcc_environment(), stderr=subprocess.PIPE) as process:
            assert process.stderr is not None
            for line in process.stderr:
                text = line.decode(errors="replace")
                if not _NVCC_VARIABLE.match(text):
                    self.say(text.rstrip("\n"))
        return process.returncode

    def _translate(self, job: Translate) -> None:
        if not job.input.exists() and job.input.parent == job.output.parent:
            return  # an optional product of an earlier job
        if self.invocation.verbose:
            self.say(f"#$ {_shown(job)}")
        from cassc.driver import device

        begun = self.ahead[job.input].result if job.input in self.ahead else None
        try:
            with self._progress(f"translating {job.title}"):
                outcome = device.translate_file(job.input, job.title, self._settings(), self.cache, begun)
        except CasscError as problem:
            if job.fallback is None:
                raise
            from cassc.driver import from_source

            self._take(from_source.instead(job.fallback, problem, self._settings(), self.cache), job.fallback)
            return
        except Exception as problem:
            if isinstance(problem, OSError):
                raise
            from cassc.driver.blame import blame

            stage, kernel = blame(problem)
            raise InternalError(stage or "translate", job.title, kernel) from problem
        if outcome.image is None:
            self.untouched[str(job.output)] = str(job.input)
        else:
            job.output.write_bytes(outcome.image)
        if self.invocation.keep:
            self._keep(job.stem, outcome)
        self.report.verdicts += outcome.verdicts
        self.report.remarks += outcome.remarks
        self.report.hits += outcome.hits
        if outcome.image is not None:
            self.report.timings.append((job.title, dict(outcome.timings)))

    def _take(self, outcome: device.Outcome, job: FromSource) -> None:
        """What the source engine made."""
        assert outcome.image is not None
        job.output.write_bytes(outcome.image)
        if self.invocation.keep:
            self._keep(job.stem, outcome)
        self.report.verdicts += outcome.verdicts
        self.report.remarks += outcome.remarks
        self.report.hits += outcome.hits
        self.report.timings.append((str(job.unit.source), dict(outcome.timings)))

    def _keep(self, stem: str, outcome: device.Outcome) -> None:
        """One file for each stage: ``stem.sm_80.cubin``; a second fat binary in one file gets a number."""
        folder = Path(self.invocation.keep_dir or ".")
        seen: dict[str, int] = {}
        for suffix, content in outcome.kept:
            number = seen[suffix] = seen.get(suffix, 0) + 1
            name = f"{stem}{suffix}" if number == 1 else f"{stem}.{number}{suffix}"
            try:
                (folder / name).write_bytes(content)
            except OSError as problem:
                raise _not_written(folder / name, problem) from problem

    def _device_link(self, job: DeviceLink) -> None:
        from cassc.driver import device
        from cassc.image import host

        inputs = [self.untouched.get(str(path), str(path)) for path in job.inputs]
        wanted = []
        for path in inputs:
            image = host.read(path)
            device.refuse_lto(image, path)
            if job.always or device.has_relocatable(image):
                wanted.append(path)
        if wanted:
            seconds = self._start([*job.command, *wanted], nvcc=True)
            self.report.timings.append(("device link", {"nvcc -dlink": seconds}))


def _not_started(program: str, problem: OSError) -> CasscError:
    return diag.error("tool-not-started", f"cannot start '{program}': {problem.strerror}")


def _check(status: int) -> None:
    """Raises ToolFailed; a negative status is a signal."""
    if status != 0:
        raise ToolFailed(status if status > 0 else 128 - status)


def deliver(deliveries: Sequence[Delivery]) -> None:
    """Move every product to its final name. Each is first copied beside it, so that the last step is one rename."""
    staged: list[tuple[str, Path]] = []
    try:
        for delivery in deliveries:
            if not delivery.made.exists():
                continue
            if delivery.final == STANDARD_OUTPUT or (delivery.final.exists() and not delivery.final.is_file()):
                _pour(delivery)
                continue
            folder = delivery.final.parent
            try:
                handle, name = tempfile.mkstemp(dir=folder, prefix=f".{delivery.final.name}-")
                os.close(handle)
                staged.append((name, delivery.final))
                shutil.copyfile(delivery.made, name)
                os.chmod(name, (os.stat(delivery.made).st_mode & 0o111) | (0o666 & ~_umask()))
            except OSError as problem:
                raise _not_written(delivery.final, problem) from problem
        while staged:
            name, final = staged[0]
            try:
                os.replace(name, final)
            except OSError as problem:
                raise _not_written(final, problem) from problem
            staged.pop(0)
    finally:
        for name, _ in staged:
            os.unlink(name)


def _pour(delivery: Delivery) -> None:
    """Write into a device (``-o /dev/null``): renaming over it would replace it."""
    if delivery.final == STANDARD_OUTPUT:
        sys.stdout.write(delivery.made.read_text())
        return
    try:
        with delivery.made.open("rb") as source, delivery.final.open("wb") as sink:
            shutil.copyfileobj(source, sink)
    except OSError as problem:
        raise _not_written(delivery.final, problem) from problem


def _not_written(path: Path, problem: OSError) -> CasscError:
    return diag.error("output-not-written", f"cannot write '{path}': {problem.strerror}")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _shown(job: Job) -> str:
    if isinstance(job, Translate):
        return shlex.join(["cassc-translate", str(job.input), "-o", str(job.output)])
    if isinstance(job, FromSource):
        virtual = (
            "-arch",
            f"compute_{job.unit.sm}",
        )  # in the words of cicc: CMake's default architecture comes from it
        return shlex.join(["cassc-source", *virtual, str(job.unit.source), *job.unit.arguments, "-o", str(job.output)])
    if isinstance(job, Dependencies):
        return shlex.join(["cassc-source", "-M", str(job.unit.source), *job.unit.arguments, "-o", str(job.output)])
    if isinstance(job, DeviceLink):
        return shlex.join([*job.command, *map(str, job.inputs)])
    if isinstance(job, Finish):
        return shlex.join([*job.command[: job.place], *map(str, job.optional), *job.command[job.place :]])
    return shlex.join(job.command)
