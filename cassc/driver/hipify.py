"""``cassc hipify``: which files, where the results go, and what is said."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from cassc import diag
from cassc.diag import Diagnostic, Severity
from cassc.driver import outputs
from cassc.hip import cmake, dialect, hipify, tokens

Say = Callable[[str], None]

_CUDA = (".cu", ".cuh")
_HOST = (".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx", ".inl", ".inc", *_CUDA)
_CMAKE = ("CMakeLists.txt",)
_CONTROL = re.compile(r"[\x00-\x07\x0e-\x1a\x1c-\x1f\x7f]")
_GAPS = "hip_gaps.h"


@dataclass(frozen=True, slots=True)
class Wanted:
    """``paths``: files and folders. ``output``: a file or a folder, None for none. Of ``check``, ``diff`` and
    ``in_place`` at most one."""

    paths: tuple[Path, ...]
    output: Path | None = None
    check: bool = False
    diff: bool = False
    in_place: bool = False


@dataclass(frozen=True, slots=True)
class _File:
    """``source`` as it is, and where its text goes below an output folder."""

    source: Path
    below: Path
    folder: Path | None = None
    """Of the command line, in which it was found."""


def run(wanted: Wanted, say: Say, tell: Say) -> int:
    """Convert; ``say`` takes what was asked for, ``tell`` the report. The status is 1 where there was an error, and
    with ``check`` also where a file would change."""
    found = list(_files(wanted.paths))
    files = [file for file in found if not _is_own_output(file, wanted)]
    if len(files) < len(found):
        tell(f"cassc hipify: '{wanted.output}' is left out: the results go there")
    if not files:
        raise diag.error("hipify-no-files", f"no sources in '{wanted.paths[0]}'" if wanted.paths else "no sources")
    folders = any(path.is_dir() for path in wanted.paths)
    if (folders or len(files) > 1) and not (wanted.check or wanted.diff or wanted.in_place or wanted.output):
        raise diag.error(
            "hipify-no-output", "several files: name a folder with -o, or say --in-place, --diff or --check"
        )
    targets = [_target(file, wanted, folders or len(files) > 1) for file in files]
    if not wanted.in_place:
        mend = "--in-place replaces the files"
        outputs.check([file.source for file in files], [target for target in targets if target], mend)
    counts = dict.fromkeys(Severity, 0)
    changed = 0
    needs_gaps: set[Path] = set()
    texts = [_text(file.source) for file in files]
    macros = [
        macro
        for file, text in zip(files, texts, strict=True)
        if not _is_cmake(file.source)
        for macro in dialect.macros(text)
    ]
    for number, (file, before, target) in enumerate(zip(files, texts, targets, strict=True), 1):
        if len(files) > 1:
            tell(f"[{number}/{len(files)}] {file.source}")
        after, diagnostics, gaps = _convert(file, before, macros)
        for diagnostic in diagnostics:
            counts[diagnostic.severity] += 1
            tell(diag.render(diagnostic))
        changed += after != before
        if wanted.diff:
            _say_difference(file, before, after, say)
        elif wanted.in_place or wanted.output:
            assert target is not None
            _write(target, after)
            if gaps:
                needs_gaps.add(target.parent)
            if wanted.in_place and target != file.source:
                file.source.unlink()
        elif not wanted.check:
            say(after.removesuffix("\n"))
    for folder in sorted(needs_gaps):
        _write(folder / _GAPS, (Path(hipify.__file__).parent / "gaps" / _GAPS).read_text())
    errors, warnings = counts[Severity.ERROR], counts[Severity.WARNING]
    told = f"{diag.counted(errors, 'error')}, {diag.counted(warnings, 'warning')}"
    tell(f"cassc hipify: {diag.counted(len(files), 'file')}, {changed} changed, {told}")
    return 1 if errors or (wanted.check and changed) else 0


def _files(paths: Iterable[Path]) -> Iterator[_File]:
    """Raises CasscError ``source-not-read`` for what is not there."""
    for path in paths:
        if path.is_dir():
            found = sorted(p for p in path.rglob("*") if p.is_file() and (p.suffix in _HOST or _is_cmake(p)))
            found = [p for p in found if p.name != _GAPS]  # written by an earlier run
            yield from (_File(p, p.relative_to(path), path) for p in found)
        elif path.is_file():
            yield _File(path, Path(path.name))
        else:
            raise diag.error("source-not-read", f"cannot read '{path}': no such file or folder")


def _is_own_output(file: _File, wanted: Wanted) -> bool:
    """Whether it lies where an earlier run wrote to: an output folder inside the folder that is read."""
    if wanted.output is None or file.folder is None:
        return False
    output, folder = wanted.output.resolve(), file.folder.resolve()
    return output != folder and output.is_relative_to(folder) and file.source.parent.resolve().is_relative_to(output)


def _text(path: Path) -> str:
    """Raises CasscError ``hipify-no-text`` for what no editor has written."""
    text = tokens.read(path)
    found = _CONTROL.search(text)
    if found:
        line = text.count("\n", 0, found.start()) + 1
        raise diag.error(
            "hipify-no-text", f"'{path}' is no source text: it has the byte {ord(found[0]):#04x} in line {line}"
        )
    return text


def _is_cmake(path: Path) -> bool:
    return path.name in _CMAKE or path.suffix == ".cmake"


def _convert(
    file: _File, text: str, macros: Collection[dialect.Macro]
) -> tuple[str, Sequence[Diagnostic], frozenset[str]]:
    if _is_cmake(file.source):
        made = cmake.convert(text, str(file.source))
        return made.text, made.diagnostics, frozenset()
    converted = hipify.convert(text, str(file.source), macros)
    return converted.text, converted.diagnostics, frozenset(g for g in converted.gaps if g in hipify.GAPS)


def _target(file: _File, wanted: Wanted, many: bool) -> Path | None:
    renamed = _renamed(file.below)
    if wanted.in_place:
        return file.source.parent / renamed.name
    if wanted.output is None:
        return None
    return wanted.output / renamed if many or wanted.output.is_dir() else wanted.output


def _renamed(path: Path) -> Path:
    return path.with_suffix(".hip") if path.suffix == ".cu" else path


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode(errors="surrogateescape"))
    except OSError as problem:
        raise diag.error("output-not-written", f"cannot write '{path}': {problem.strerror}") from problem


def _say_difference(file: _File, before: str, after: str, say: Say) -> None:
    old, new = str(file.source), str(_renamed(file.source))
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), old, new, lineterm="")
    for line in lines:
        say(line.encode(errors="replace").decode())
