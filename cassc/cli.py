"""The command line: the only place that prints and exits.

``cassc file.cu ...`` is an nvcc-compatible compiler; ``cassc doctor``, ``verify``, ``inspect``, ``cache`` and ``run``
are subcommands. ``cassc --version`` must be quick, so nothing but the standard library is imported here.
"""

from __future__ import annotations

import atexit
import gc
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

    from cassc.diag import CasscError, Diagnostic
    from cassc.driver.invocation import Invocation
    from cassc.driver.jobs import Report
    from cassc.driver.prebuilt import Launch

SUBCOMMANDS = ("bench", "cache", "doctor", "first-use", "hipify", "inspect", "model", "rtc", "run", "toolkit", "verify")

_ERROR_LIMIT = 20
"""As clang's -ferror-limit: a kernel full of unknown instructions does not fill the screen."""

_INTERRUPTED = 130
_CANNOT_START = 126
"""As shells give for what is found and cannot be executed."""
_INTERNAL_ERROR = 70
"""EX_SOFTWARE of sysexits.h."""


def main(argv: Sequence[str] | None = None) -> int:
    """Entry point of the console script; returns the exit status."""
    if argv is None:  # the process ends with this
        atexit.register(_leave_garbage)
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        if arguments and arguments[0] in SUBCOMMANDS:
            return _subcommand(arguments)
        form = _diagnostics_format(arguments)
        said = Diagnostics(form)
        try:
            return _guarded(lambda: _compile(arguments, said), said)
        finally:
            said.close()
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()
        return 1


def _leave_garbage() -> None:
    """No last search for garbage, which takes 0.1 s. LIEF's binding would print pages about what is left then."""
    if "lief" not in sys.modules:
        gc.freeze()


class Diagnostics:
    """Where diagnostics go: as text to stderr at once, or in another form to stderr at the end."""

    def __init__(self, form: str = "text") -> None:
        self._form = form
        self._found: list[Diagnostic] = []

    @property
    def textual(self) -> bool:
        return self._form == "text"

    def say(self, diagnostic: Diagnostic) -> None:
        if self.textual:
            _to_stderr(_rendered(diagnostic))
        else:
            self._found.append(diagnostic)

    def error(self, problem: CasscError) -> None:
        if self.textual:
            _print_error(problem)
        else:
            self._found += problem.diagnostics

    def close(self) -> None:
        if self._form == "sarif":
            from cassc.driver import sarif

            _to_stderr(sarif.render(self._found))
        elif self._form == "json":
            from cassc import diag

            _to_stderr(diag.render_json(self._found))


def _diagnostics_format(arguments: list[str]) -> str:
    """As the options are read, since what is wrong with an option is a diagnostic, too."""
    form = "text"
    for word, following in zip(arguments, [*arguments, ""][1:], strict=True):
        name, equals, value = word.partition("=")
        if name == "--diagnostics-format":
            form = value if equals else following
    return form if form in ("json", "sarif") else "text"


def _guarded(action: Callable[[], int], said: Diagnostics | None = None) -> int:
    """Run an action; whatever it raises becomes text on stderr and an exit status."""
    from cassc.diag import CasscError

    try:
        return action()
    except CasscError as problem:
        (said or Diagnostics()).error(problem)
        return problem.status
    except (KeyboardInterrupt, BrokenPipeError):
        raise
    except Exception as problem:
        if isinstance(problem, OSError) and problem.errno in _machine_errors():
            written = problem.filename or _path_of(problem)
            where = f"'{written}'" if written else "standard output"
            print(f"cassc: error: {problem.strerror}: {where}", file=sys.stderr)
            return 1
        return _internal_error(problem)


def _path_of(problem: OSError) -> str:
    """What was written when the disk became full: write(2) names nothing, but pathlib's frame holds the path."""
    import traceback
    from pathlib import Path

    frames = [frame for frame, _ in traceback.walk_tb(problem.__traceback__)]
    return next((str(f.f_locals["self"]) for f in reversed(frames) if isinstance(f.f_locals.get("self"), Path)), "")


def _machine_errors() -> set[int]:
    """What the machine refuses is no defect of cassc: a full disk, a folder that may not be written."""
    import errno

    return {errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EROFS, errno.EMFILE, errno.ENFILE, errno.ENOMEM}


def _subcommand(arguments: list[str]) -> int:
    from cassc.driver import subcommands

    return _guarded(lambda: _finish(subcommands.run(arguments, say=print)))


def _finish(outcome: int | Launch | Report) -> int:
    """Print what a subcommand found, and become the program that it wants to start."""
    from cassc.driver.jobs import Report

    if isinstance(outcome, int):
        return outcome
    if isinstance(outcome, Report):
        _print_report(outcome, Diagnostics())
        return 0
    _print_report(outcome.report, Diagnostics())
    if outcome.finish is not None:
        return outcome.finish(_wait_for(outcome), _to_stderr)
    return _become(outcome.path, outcome.arguments, outcome.environment)


def _become(path: str, arguments: Sequence[str], environment: dict[str, str]) -> int:
    import os

    sys.stdout.flush()
    try:
        os.execve(path, list(arguments), environment)
    except OSError as problem:
        _to_stderr(f"cassc: error: cannot start '{path}': {problem.strerror}")
    return _CANNOT_START


def _wait_for(launch: Launch) -> int:
    """Run the program to its end; its exit status as a shell gives it.

    A terminal interrupts it as well as this process, so that an interrupt is its own affair; requests to end are passed
    on.
    """
    import signal
    import subprocess

    child: subprocess.Popen[bytes] | None = None
    early: list[int] = []

    def pass_on(number: int, _: object) -> None:
        if child is None:
            early.append(number)
        else:
            child.send_signal(number)

    wanted = (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)
    before: dict[int, Any] = {n: signal.signal(n, pass_on) for n in wanted if signal.getsignal(n) is not signal.SIG_IGN}
    try:
        child = subprocess.Popen(launch.arguments, executable=launch.path, env=launch.environment)
        for number in early:
            child.send_signal(number)
        before |= {n: signal.signal(n, signal.SIG_IGN) for n in (signal.SIGINT, signal.SIGQUIT)}
        status = child.wait()
    except OSError as problem:
        _to_stderr(f"cassc: error: cannot start '{launch.path}': {problem.strerror}")
        return _CANNOT_START
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    return status if status >= 0 else 128 - status


def _to_stderr(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _compile(arguments: list[str], said: Diagnostics) -> int:
    from cassc.toolchain import check_not_inside

    check_not_inside()
    if arguments in (["--version"], ["-V"]):  # build systems ask often: the option table is not even loaded
        print(_version())
        return 0
    from cassc.driver.arguments import CommandLineError
    from cassc.driver.invocation import Phase, parse

    try:
        invocation = parse(arguments)
    except CommandLineError:
        if {"-v", "--verbose", "-dryrun", "--dryrun"} & set(
            arguments
        ):  # as nvcc: "-v x" is how CMake asks where TOP is
            _say_environment()
        raise
    if invocation.phase is Phase.VERSION:
        print(_version())
        return 0
    if invocation.phase is Phase.HELP:
        from cassc.driver.options import usage

        print(usage(), end="")
        return 0
    return _build(invocation, said)


def _say_environment() -> None:
    from cassc import toolchain
    from cassc.driver import toolkit

    for line in toolkit.environment(toolkit.find(toolchain.find())):
        _to_stderr(line)


def _version() -> str:
    """nvcc's own text, which CMake and others read, and a line of ours."""
    import cassc
    from cassc.toolchain import OWN_CUDA, find_nvcc

    nvcc = find_nvcc()
    if nvcc:
        return f"{nvcc.banner.rstrip()}\ncassc {cassc.__version__}: runs this compiler's device code on AMD GPUs"
    release = ".".join(map(str, OWN_CUDA))
    return (
        f"cassc {cassc.__version__} in the place of nvcc: NVIDIA (R) Cuda compiler driver\n"
        f"Cuda compilation tools, release {release.rpartition('.')[0]}, V{release}\n"
        "(no nvcc was found; see 'cassc doctor')"
    )


def _build(invocation: Invocation, said: Diagnostics) -> int:
    import os
    import signal
    import tempfile
    from pathlib import Path

    from cassc import toolchain
    from cassc.driver import jobs, toolkit
    from cassc.driver.cache import Cache
    from cassc.driver.invocation import Phase
    from cassc.driver.plan import plan

    for remark in invocation.remarks:
        if not invocation.quiet:
            _say_remark(remark, said)
    # A terminated build takes its scratch folder with it.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    if invocation.phase is Phase.RUN:
        from cassc.driver import prebuilt

        settings = prebuilt.settings([target.name for target in invocation.targets], invocation.check_seconds)
        return _finish(prebuilt.launch([os.path.abspath(invocation.inputs[0].path), *invocation.run_args], settings))
    if invocation.phase is Phase.CONVERT:
        from cassc.driver import prebuilt

        report = prebuilt.convert(invocation)
        _print_report(report, said, verbose=invocation.verbose, quiet=invocation.quiet)
        return 0
    found = toolchain.find()
    wants_kit = invocation.verbose or invocation.dryrun or invocation.phase in (Phase.LINK, Phase.DEVICE_LINK)
    kit = toolkit.find(found) if wants_kit else None
    if invocation.dryrun:
        jobs.dryrun(plan(invocation, found, kit, Path(tempfile.gettempdir(), "cassc-dryrun")), _to_stderr)
        return 0
    if invocation.clean:
        jobs.clean(plan(invocation, found, kit, Path("cassc")), _to_stderr, verbose=invocation.verbose)
        return 0
    with tempfile.TemporaryDirectory(prefix="cassc-", ignore_cleanup_errors=True) as scratch:
        report = jobs.run(plan(invocation, found, kit, Path(scratch)), invocation, Cache.open(), _to_stderr)
    _print_report(report, said, verbose=invocation.verbose, quiet=invocation.quiet)
    if invocation.run and invocation.phase is Phase.LINK:
        path = os.path.abspath(invocation.output or "a.out")
        return _become(path, [path, *invocation.run_args], dict(os.environ))
    return 0


def _say_remark(remark: Diagnostic, said: Diagnostics) -> None:
    """Warnings about the command line are in nvcc's form."""
    from cassc.diag import Severity

    if remark.severity is Severity.WARNING and said.textual:
        _to_stderr(f"nvcc warning : {remark.message}")
    else:
        said.say(remark)


def _print_report(report: Report, said: Diagnostics, *, verbose: bool = False, quiet: bool = False) -> None:
    from cassc.diag import Severity

    say = _to_stderr

    for remark in report.remarks:
        loud = remark.severity is not Severity.REMARK
        if verbose or (loud and not quiet):
            said.say(remark)
    if not verbose:
        return
    for title, seconds in report.timings:
        for stage, value in seconds.items():
            place = "" if title == stage else f"{title}: "
            say(f"cassc: time: {place}{stage:<12} {value * 1e3:9.1f} ms")
    if report.verdicts:
        counts: dict[str, int] = {}
        for verdict in report.verdicts:
            status = str(verdict.get("status", "unverified"))
            counts[status] = counts.get(status, 0) + 1
        say("cassc: verdicts: " + ", ".join(f"{number} {status}" for status, number in sorted(counts.items())))
    if report.hits:
        say(f"cassc: {report.hits} of the modules came from the cache")
    if report.compilations:
        say(f"cassc: {report.compilations} of the compilations came from the cache")


def _print_error(problem: CasscError) -> None:
    from cassc.diag import Severity
    from cassc.driver.arguments import CommandLineError

    for diagnostic in problem.diagnostics[:_ERROR_LIMIT]:
        if isinstance(problem, CommandLineError) and diagnostic.severity is Severity.FATAL:
            print(f"nvcc fatal   : {diagnostic.message}", file=sys.stderr)
        else:
            print(_rendered(diagnostic), file=sys.stderr)
    left = len(problem.diagnostics) - _ERROR_LIMIT
    if left > 0:
        print(f"cassc: {left} more error{'s' if left > 1 else ''} not shown", file=sys.stderr)


def _rendered(diagnostic: Diagnostic) -> str:
    """As ``diag.render``, with the kernels' names demangled."""
    from dataclasses import replace

    from cassc import diag
    from cassc.driver.demangle import demangle

    def named(d: Diagnostic) -> Diagnostic:
        location = replace(d.location, kernel=demangle(d.location.kernel))
        return replace(d, location=location, notes=tuple(named(note) for note in d.notes))

    return diag.render(named(diagnostic), colours=_colours())


def _colours() -> bool:
    """On a terminal, unless NO_COLOR (no-color.org) says otherwise; CLICOLOR_FORCE also elsewhere."""
    import os

    if os.environ.get("NO_COLOR"):
        return False
    forced = os.environ.get("CLICOLOR_FORCE", "0") != "0"
    return forced or (sys.stderr.isatty() and os.environ.get("TERM", "dumb") != "dumb")


def _internal_error(problem: BaseException) -> int:
    """Write the cause to a folder and name it: a user has no use for a traceback, a maintainer has."""
    import os
    import platform
    import traceback

    import cassc
    from cassc import reports
    from cassc.driver.demangle import demangle

    folder = reports.folder()
    chain = "".join(traceback.format_exception(type(problem), problem, problem.__traceback__))
    facts = [
        f"cassc {cassc.__version__}, Python {platform.python_version()}, {platform.platform()}",
        f"folder: {os.getcwd()}",
        "command: " + " ".join(sys.argv),
    ]
    (folder / "report.txt").write_text("\n".join(facts) + "\n\n" + chain)
    stage = getattr(problem, "stage", "driver")
    title = getattr(problem, "title", "")
    kernel = demangle(getattr(problem, "kernel", ""))
    where = f" of {title}" if title else ""
    where += f", kernel '{kernel}'" if kernel else ""
    print(f"cassc: internal error in stage '{stage}'{where}", file=sys.stderr)
    print(f"note: please report it with the files in {folder}", file=sys.stderr)
    return _INTERNAL_ERROR


if __name__ == "__main__":
    sys.exit(main())
