"""What clang's and lld's words mean for a CUDA source, where they do not say it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from cassc import toolchain
from cassc.diag import Diagnostic, Location, Severity, note
from cassc.hip import dialect, names, tokens
from cassc.hip.tools import find_cccl, find_rocthrust

_UNDEFINED = re.compile(r"undefined (?:hidden |protected )?symbol: (.+)")
_REFUSAL = re.compile(
    r"^(?:In file included from .*\n)*.*: error: call to 'cassc_refused_\w+\(\)' declared with .*\n"
    r"(?: +\d* *\|.*\n|.*: note: expanded from macro .*\n)*",
    re.MULTILINE,
)
"""With the lines that it shows."""
_COUNT = re.compile(r"\d+ errors? generated when compiling for \w+\.\n")
_NO_HEADER = re.compile(r"^(.+?):(\d+):(\d+): fatal error: '([^']+)' file not found", re.MULTILINE)
_CCCL = ("thrust/", "cub/", "cuda/", "nv/")
_ROCTHRUST = ("thrust/", "cub/")
_TOGETHER = (
    "the source engine compiles each file alone: to link device code of several files, translate what nvcc makes of"
    " them (--engine=lift -rdc=true), or include the definitions"
)

_LIFT = "with --engine=lift, and nvcc, what ptxas makes of it is translated"


def explain(output: str, source: Path, refused: Sequence[Diagnostic] = ()) -> list[Diagnostic]:
    """``refused``: the inline assembly of the unit that is not translated."""
    return [*_assembly(output, refused), *_other_files(output, source), *_headers(output)]


def _assembly(output: str, refused: Sequence[Diagnostic]) -> Iterator[Diagnostic]:
    """What device code was to be made of."""
    for told in refused:
        place = told.location
        if f"{dialect.refusal(place.file, place.line, place.column)}()" in output:
            yield replace(told, notes=(note(_LIFT),))


def without_refusals(output: str) -> str:
    """clang's words without those on inline assembly that is not translated: they show text that nobody wrote, and its
    columns."""
    rest = _REFUSAL.sub("", output)
    return "" if _COUNT.fullmatch(rest) else rest


def _other_files(output: str, source: Path) -> Iterator[Diagnostic]:
    """Device functions and variables that the file uses and does not define, where it first names them."""
    for name in dict.fromkeys(_UNDEFINED.findall(output)):
        message = f"device code of another file is used: '{name}'"
        yield Diagnostic(Severity.ERROR, "source-relocatable", message, _first(source, name), (note(_TOGETHER),))


def _first(source: Path, name: str) -> Location:
    """``name`` as the linker writes it, with namespaces and parameters."""
    text = tokens.read(source)
    word = re.sub(r"[(<].*", "", name).rpartition("::")[2]
    found = next((token.offset for token in tokens.lex(text) if token.text == word), None)
    if found is None:  # in a header
        return Location(file=str(source))
    return Location(str(source), *tokens.Lines(text).place(found))


def _headers(output: str) -> Iterator[Diagnostic]:
    """Headers of CUDA's that are not there: what brings them, or that nothing does."""
    table = names.load()
    for file, line, column, name in dict.fromkeys(_NO_HEADER.findall(output)):
        place = Location(file=file, line=int(line), column=int(column))
        if name.startswith(_CCCL) and find_cccl() is None:
            mend = toolchain.load("source")["mend"]
            commands = [mend["cccl"]]
            if name.startswith(_ROCTHRUST) and find_rocthrust() is None:
                commands.append(mend["rocthrust"])
            notes = tuple(note(f"to install: {command}") for command in commands)
            yield Diagnostic(Severity.ERROR, "source-no-cccl", f"<{name}> is one of NVIDIA's CCCL", place, notes)
        elif name in table.headers or name in table.lacking_headers:
            message = f"<{name}> is not supported by the source engine"
            yield Diagnostic(Severity.ERROR, "source-no-header", message, place)
