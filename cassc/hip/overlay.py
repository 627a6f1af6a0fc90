"""The files of a unit in clang's form, beside those on disk: what ``-ivfsoverlay`` lays over them."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from cassc.diag import Diagnostic
from cassc.hip import dialect, spin, tokens
from cassc.hip.tools import include_folder

_SYSTEM = ("/usr/include/", "/usr/lib/", "/usr/lib64/", "/usr/local/include/", "/usr/local/cuda", "/opt/rocm")
"""Folders whose files are nobody's own."""
_MOST_TO_ORDER = 1 << 18
"""Characters; larger files are libraries of one header, whose tokens take long to cut."""
_CONSTRUCTED = re.compile(
    r"^(.+?):(\d+):\d+: error: initialization is not supported for __shared__ variables", re.MULTILINE
)
_HOST_ONLY = re.compile(
    r"^(.+?):(\d+):\d+: error: reference to __host__ (?:function|variable) .* in __host__ __device__ function",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Overlay:
    """Attributes:
    path: the file for ``-ivfsoverlay``, None where no file differs.
    headers: those that the changed files need.
    refused: inline assembly that is not translated.
    waiting: loops that wait for another lane of their own warp.
    as_hip: whether the host's side is compiled as HIP: there are ``__managed__`` variables, or headers for HIP.
    """

    path: Path | None
    headers: tuple[str, ...] = ()
    refused: tuple[Diagnostic, ...] = ()
    as_hip: bool = False
    waiting: tuple[Diagnostic, ...] = ()

    def words(self) -> list[str]:
        """For clang's command line."""
        if self.path is None:
            return []
        return ["-ivfsoverlay", str(self.path), *(word for name in self.headers for word in ("-include", name))]


Places = frozenset[tuple[str, int]]
"""Absolute paths of files, and lines."""


@dataclass(frozen=True, slots=True)
class Repairs:
    """What clang calls an error and nvcc a warning, and only clang knows where it is.

    Attributes:
        constructed: ``__shared__`` variables whose constructors are not to be run.
        host_only: functions for host and device that call the host's; no code may be made of them for the device.
    """

    constructed: Places = frozenset()
    host_only: Places = frozenset()

    def lines(self, names: Collection[str]) -> dialect.Lines:
        """Of the file that has these names."""
        return dialect.Lines(
            frozenset(line for name, line in self.constructed if name in names),
            frozenset(line for name, line in self.host_only if name in names),
        )

    def __or__(self, other: Repairs) -> Repairs:
        return Repairs(self.constructed | other.constructed, self.host_only | other.host_only)


def repairs(output: str) -> Repairs:
    """From clang's words."""
    constructed, host_only = (
        frozenset((os.path.abspath(name), int(line)) for name, line in pattern.findall(output))
        for pattern in (_CONSTRUCTED, _HOST_ONLY)
    )
    return Repairs(constructed, host_only)


def make(
    files: Sequence[Path], folder: Path, wanted: Repairs, *, ordered: bool = True, as_hip: bool = False
) -> Overlay:
    """``ordered``: whether arguments in the host code of the user's files are evaluated as g++ does it.
    ``as_hip``: whether the unit has headers for HIP."""
    roots: list[dict[str, str]] = []
    refused: list[Diagnostic] = []
    waiting: list[Diagnostic] = []
    headers: dict[str, None] = {}
    own = include_folder().resolve()
    texts: list[tuple[Path, Path, str]] = []
    known = spin.Locks()
    for path in files:
        real = path.resolve()
        system = str(real).startswith(_SYSTEM) and "cccl" not in real.parts
        if own in real.parents or system:
            continue
        text = tokens.read(path)
        texts.append((path, real, text))
        if "cccl" not in real.parts:
            known |= dialect.locks(text)
    for number, (path, real, text) in enumerate(texts):
        lines = wanted.lines((os.path.abspath(path), str(real)))
        small = "cccl" not in real.parts and len(text) < _MOST_TO_ORDER
        made = dialect.rewrite(text, str(path), lines, known, ordered=ordered and small)
        refused += made.refused
        waiting += made.waiting
        as_hip = as_hip or made.managed
        if not made.edits:
            continue
        headers.update(dict.fromkeys(made.headers))
        copy = folder / f"{number}{path.suffix}"
        copy.write_bytes(made.text.encode(errors="surrogateescape"))
        for name in {os.path.abspath(path), str(real)}:
            roots.append({"type": "file", "name": name, "external-contents": str(copy)})
    if not roots:
        return Overlay(None, (), tuple(refused), as_hip, tuple(waiting))
    written = folder / "overlay.yaml"
    written.write_text(json.dumps({"version": 0, "use-external-names": "false", "roots": roots}))
    return Overlay(written, tuple(headers), tuple(refused), as_hip, tuple(waiting))
