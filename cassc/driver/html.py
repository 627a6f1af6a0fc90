"""The page of ``cassc inspect --html``: one file that holds its data, style and script, and loads nothing."""

from __future__ import annotations

import html
import json
from importlib import resources
from pathlib import Path
from typing import Any

from cassc import diag
from cassc.diag import Location
from cassc.driver.demangle import demangle
from cassc.driver.report import Kernel, Report, digest


def write(report: Report, path: str) -> None:
    """Raises CasscError ``inspect-html`` if the file cannot be written."""
    try:
        Path(path).write_text(page(report))
    except OSError as problem:
        raise diag.error("inspect-html", f"cannot write: {problem.strerror}", Location(file=path)) from problem


def page(report: Report) -> str:
    """The whole page."""
    files = resources.files("cassc.driver") / "page"
    text = (files / "report.html").read_text()
    parts = {
        "/*TITLE*/": html.escape(f"{Path(report.file).name}: translation report"),
        "/*STYLE*/": (files / "style.css").read_text(),
        "/*SCRIPT*/": (files / "script.js").read_text(),
        # No text in the data can end the script element that holds it.
        "/*DATA*/": json.dumps(_data(report), separators=(",", ":")).replace("<", "\\u003c"),
    }
    for mark, content in parts.items():
        before, _, behind = text.partition(mark)
        text = f"{before}{content}{behind}"
    return text


def _data(report: Report) -> dict[str, Any]:
    return {
        "file": report.file,
        "digest": digest(report),
        "version": report.version,
        "kernels": [_kernel(kernel) for kernel in report.kernels],
        "refused": [{"title": demangle(r.kernel), "sm": r.sm, "reason": r.reason} for r in report.refused],
    }


def _kernel(kernel: Kernel) -> dict[str, Any]:
    """Lists in the place of objects where there are many: [address, text, file, line] and [address, text, SASS]."""
    files = {source.file: number for number, source in enumerate(kernel.sources)}
    return {
        "name": kernel.name,
        "title": demangle(kernel.name),
        "sm": kernel.sm,
        "target": kernel.target,
        "verdict": dict(kernel.verdict),
        "facts": dict(kernel.facts),
        "waves": kernel.occupancy.waves,
        "sass": [
            [s.address, s.text, files[s.place[0]] if s.place else -1, s.place[1] if s.place else 0] for s in kernel.sass
        ],
        "machine": [[m.address, m.text, m.sass] for m in kernel.machine],
        "linked": kernel.linked,
        "graph": [[node.start, node.end, [list(edge) for edge in node.successors]] for node in kernel.graph],
        "sources": [{"file": s.file, "first": s.first, "lines": list(s.lines)} for s in kernel.sources],
        "profile": dict(kernel.profile),
    }
