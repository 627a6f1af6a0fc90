"""Diagnostics: what is reported, where, and how it is rendered (clang's form, text and JSON)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum


class Severity(Enum):
    REMARK = "remark"
    NOTE = "note"
    WARNING = "warning"
    ERROR = "error"
    FATAL = "fatal error"


@dataclass(frozen=True, slots=True)
class Location:
    """A place in a host file, in device code, or both.

    Attributes:
        file: source or binary path, empty when unknown.
        line, column: 1-based, 0 when unknown.
        kernel: kernel name as it stands in the cubin (mangled).
        sm: ``sm_80`` ...
        address: byte offset in the kernel's text section, -1 when unknown.
        instruction: SASS text.
    """

    file: str = ""
    line: int = 0
    column: int = 0
    kernel: str = ""
    sm: str = ""
    address: int = -1
    instruction: str = ""


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One message with a stable id (``sass-unknown-encoding``), which has a page in docs/."""

    severity: Severity
    id: str
    message: str
    location: Location = field(default_factory=Location)
    notes: tuple[Diagnostic, ...] = ()


class CasscError(Exception):
    """An error that a user can act on; carries one or more diagnostics and the exit status."""

    def __init__(self, *diagnostics: Diagnostic, status: int = 1) -> None:
        super().__init__("; ".join(d.message for d in diagnostics))
        self.diagnostics = diagnostics
        self.status = status


def error(
    id: str, message: str, location: Location | None = None, notes: Iterable[Diagnostic] = (), *, status: int = 1
) -> CasscError:
    """A CasscError holding one error diagnostic."""
    diagnostic = Diagnostic(Severity.ERROR, id, message, location or Location(), tuple(notes))
    return CasscError(diagnostic, status=status)


def note(message: str, location: Location | None = None) -> Diagnostic:
    return Diagnostic(Severity.NOTE, "note", message, location or Location())


def counted(number: int, noun: str, plural: str = "s") -> str:
    """``1 file``, ``2 files``; ``plural`` is the ending."""
    return f"{number} {noun}{plural if number != 1 else ''}"


def _where(location: Location) -> str:
    text = location.file
    if text and location.line:
        text += f":{location.line}"
        if location.column:
            text += f":{location.column}"
    return f"{text}: " if text else ""


def _device(location: Location) -> str:
    parts = []
    if location.kernel:
        parts.append(f"in kernel '{location.kernel}'" + (f" ({location.sm})" if location.sm else ""))
    if location.address >= 0:
        parts.append(f"at 0x{location.address:04x}")
    if location.instruction:
        parts.append(f"'{location.instruction}'")
    return f" [{' '.join(parts)}]" if parts else ""


_BOLD, _PLAIN = "\x1b[1m", "\x1b[0m"
_COLOURS = {
    Severity.REMARK: "\x1b[34;1m",
    Severity.NOTE: "\x1b[36;1m",
    Severity.WARNING: "\x1b[35;1m",
    Severity.ERROR: "\x1b[31;1m",
    Severity.FATAL: "\x1b[31;1m",
}


def render(diagnostic: Diagnostic, *, tool: str = "cassc", colours: bool = False) -> str:
    """clang's form, and its colours; an ERROR without a file is prefixed by the tool's name."""
    location = diagnostic.location
    where = _where(location) or (f"{tool}: " if diagnostic.severity is not Severity.NOTE else "")
    tag = f" [{diagnostic.id}]" if diagnostic.severity is not Severity.NOTE else ""
    severity, message = f"{diagnostic.severity.value}: ", f"{diagnostic.message}{_device(location)}"
    if colours:
        emphasis = "" if diagnostic.severity is Severity.NOTE else _BOLD
        where = f"{_BOLD}{where}{_PLAIN}" if where else ""
        severity, message = f"{_COLOURS[diagnostic.severity]}{severity}{_PLAIN}", f"{emphasis}{message}{_PLAIN}"
    lines = [f"{where}{severity}{message}{tag}"]
    lines += [render(n, tool=tool, colours=colours) for n in diagnostic.notes]
    return "\n".join(lines)


def to_dict(diagnostic: Diagnostic) -> dict[str, object]:
    location = diagnostic.location
    return {
        "severity": diagnostic.severity.value,
        "id": diagnostic.id,
        "message": diagnostic.message,
        "location": {
            name: getattr(location, name)
            for name in ("file", "line", "column", "kernel", "sm", "address", "instruction")
        },
        "notes": [to_dict(n) for n in diagnostic.notes],
    }


def render_json(diagnostics: Iterable[Diagnostic]) -> str:
    return json.dumps([to_dict(d) for d in diagnostics], indent=2)
