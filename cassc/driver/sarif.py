"""Diagnostics and verdicts as SARIF 2.1.0 (OASIS, "Static Analysis Results Interchange Format"), for code scanners."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import cassc
from cassc.diag import Diagnostic, Location, Severity
from cassc.driver.demangle import demangle

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {
    Severity.REMARK: "note",
    Severity.NOTE: "note",
    Severity.WARNING: "warning",
    Severity.ERROR: "error",
    Severity.FATAL: "error",
}
_STATUS_LEVELS = {"rejected": Severity.ERROR, "unverified": Severity.WARNING}


def render(diagnostics: Iterable[Diagnostic]) -> str:
    """One run with a result for each diagnostic, as JSON text."""
    found = list(diagnostics)
    rules = list(dict.fromkeys(d.id for d in found))
    log = {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "cassc",
                        "version": cassc.__version__,
                        "rules": [{"id": rule} for rule in rules],
                    }
                },
                "results": [_result(d, rules) for d in found],
            }
        ],
    }
    return json.dumps(log, indent=2)


def of_verdicts(file: str, records: Sequence[Mapping[str, Any]]) -> list[Diagnostic]:
    """What is to be said of the kernels in a file: of rejected, unverified and refused ones."""
    found = []
    for record in records:
        sm = str(record.get("sm", ""))
        for kernel in record.get("kernels", ()):
            severity = _STATUS_LEVELS.get(kernel.get("status", ""))
            if severity is not None:
                place = Location(file=file, kernel=kernel["kernel"], sm=sm)
                found.append(Diagnostic(severity, f"check-{kernel['status']}", kernel.get("reason", ""), place))
        for refused in record.get("refused", ()):
            place = Location(file=file, kernel=refused["kernel"], sm=sm)
            found.append(Diagnostic(Severity.WARNING, "not-translated", refused["reason"], place))
    return found


def _result(diagnostic: Diagnostic, rules: Sequence[str]) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": diagnostic.id,
        "ruleIndex": rules.index(diagnostic.id),
        "level": _LEVELS[diagnostic.severity],
        "message": {"text": diagnostic.message or diagnostic.id},
    }
    location = _location(diagnostic.location)
    if location:
        result["locations"] = [location]
    place = diagnostic.location
    device = {"sm": place.sm, "instruction": place.instruction}
    properties: dict[str, Any] = {name: value for name, value in device.items() if value}
    if place.address >= 0:
        properties["address"] = place.address
    if properties:
        result["properties"] = properties
    related = [
        {"id": number, "message": {"text": note.message}, **_location(note.location)}
        for number, note in enumerate(diagnostic.notes)
    ]
    if related:
        result["relatedLocations"] = related
    return result


def _location(place: Location) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if place.file:
        path = Path(place.file)
        uri = path.as_uri() if path.is_absolute() else path.as_posix()
        physical: dict[str, Any] = {"artifactLocation": {"uri": uri}}
        if place.line:
            physical["region"] = {"startLine": place.line}
            if place.column:
                physical["region"]["startColumn"] = place.column
        found["physicalLocation"] = physical
    if place.kernel:
        found["logicalLocations"] = [
            {"name": demangle(place.kernel), "fullyQualifiedName": place.kernel, "kind": "function"}
        ]
    return found
