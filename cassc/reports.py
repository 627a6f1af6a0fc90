"""Folders for bug reports: what a failure is seen by, kept in the temporary folder for a while."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

_PREFIX = "cassc-report-"
MOST = 20
"""Folders that are kept of one user; the oldest go when another is made."""


def folder() -> Path:
    """A new one, empty. OSError where none can be made."""
    made = Path(tempfile.mkdtemp(prefix=_PREFIX))
    old = []
    for other in made.parent.glob(f"{_PREFIX}*"):
        with suppress(OSError):
            if other != made and other.is_dir() and not other.is_symlink() and other.owner() == made.owner():
                old.append((other.stat().st_mtime, other))
    for _, other in sorted(old)[: max(len(old) - (MOST - 1), 0)]:
        shutil.rmtree(other, ignore_errors=True)
    return made
