"""``cassc run --check`` and ``--profile``: the program runs on the emulator, which tells what its launches did."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from cassc import diag
from cassc.diag import Location
from cassc.driver import findings, journal, prebuilt, profile
from cassc.driver.prebuilt import Launch

DEFAULT_PRINT_LIMIT = 100
DEFAULT_CHECKED_LIMIT = 10**10
"""Wave-instructions of one launch after which a checked kernel counts as endless: some minutes."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked of a run.

    Attributes:
        checks: of `findings.CHECKS`.
        profile: empty, ``text``, ``json``, or ``json:FILE`` and ``trace:FILE``.
        error_status: exit status when a check found an error; 0 keeps the program's own.
        print_limit: reports that are shown; 0 for all.
        log_file: for what would go to stderr; empty for stderr.
        instruction_limit: of one launch, in wave-instructions; 0 for none.
        order: of workgroups and waves, as CASSC_EMU_ORDER takes it; empty for as it comes.
    """

    checks: tuple[str, ...] = ()
    profile: str = ""
    error_status: int = 0
    print_limit: int = DEFAULT_PRINT_LIMIT
    log_file: str = ""
    instruction_limit: int = 0
    order: str = ""

    @property
    def observes(self) -> bool:
        return bool(self.checks or self.profile)


def checks(text: str) -> tuple[str, ...]:
    """``mem,race`` to names. Raises CasscError ``run-check``."""
    names = tuple(dict.fromkeys(text.split(",")))
    unknown = [name for name in names if name not in findings.CHECKS]
    if unknown:
        raise diag.error("run-check", f"there is no check '{unknown[0]}'; the checks are {', '.join(findings.CHECKS)}")
    return names


def check_profile(text: str) -> str:
    """The same text. Raises CasscError ``run-profile`` for a form that does not exist."""
    form, _, file = text.partition(":")
    if form not in ("text", "json", "trace") or (form == "trace") > bool(file):
        raise diag.error("run-profile", f"'{text}' is none of text, json, json:FILE, trace:FILE")
    return text


def check_order(text: str) -> str:
    """The same text. Raises CasscError ``run-order`` for an order that does not exist."""
    if not re.fullmatch(r"ascending|descending|shuffled:[0-9]{1,19}", text):
        raise diag.error("run-order", f"'{text}' is none of ascending, descending, shuffled:SEED (a number)")
    return text


def prepare(launch: Launch, wanted: Wanted) -> Launch:
    """The same program with what the emulator must know in its environment, and a report to follow."""
    environment = dict(launch.environment)
    if wanted.order:
        environment["CASSC_EMU_ORDER"] = wanted.order
    limit = wanted.instruction_limit or (DEFAULT_CHECKED_LIMIT if wanted.checks else 0)
    if limit:
        environment["CASSC_EMU_INSTRUCTION_LIMIT"] = str(limit)
    if wanted.observes or environment.get("CASSC_DEVICE") == "emu":
        prebuilt.with_emulated_hip(environment)
    if not wanted.observes:
        return replace(launch, environment=environment)
    folder = Path(tempfile.mkdtemp(prefix="cassc-run-"))
    file = folder / "journal"
    environment["CASSC_DEVICE"] = "emu"
    environment["CASSC_EMU_OBSERVE"] = ",".join([*wanted.checks, *(["profile"] if wanted.profile else [])])
    environment["CASSC_EMU_JOURNAL"] = str(file)

    def finish(status: int, say: Callable[[str], None]) -> int:
        try:
            return _report(journal.read(file), wanted, status, say)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    return replace(launch, environment=environment, finish=finish)


def _report(found: journal.Journal, wanted: Wanted, status: int, say: Callable[[str], None]) -> int:
    texts: list[str] = []
    if wanted.checks:
        errors = findings.findings(found)
        texts.append(findings.render(errors, wanted.print_limit))
        if errors.errors and wanted.error_status:
            status = wanted.error_status
    if wanted.profile:
        texts += _profile(found, wanted.profile)
    if wanted.log_file:
        _write(wanted.log_file, "".join(f"{text}\n" for text in texts))
    else:
        for text in texts:
            say(text)
    return status


def _profile(found: journal.Journal, form: str) -> Sequence[str]:
    kind, _, file = form.partition(":")
    if kind == "text":
        return [profile.text(profile.summarize(found))]
    text = profile.trace(found) if kind == "trace" else profile.as_json(profile.summarize(found))
    if not file:
        return [text]
    _write(file, text + "\n")
    return []


def _write(file: str, text: str) -> None:
    try:
        Path(file).write_text(text)
    except OSError as problem:
        raise diag.error("run-report", f"cannot write: {problem.strerror}", Location(file=file)) from problem
