"""What the tests make once for all of pytest's processes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import filelock


def made_once(path: Path, make: Callable[[Path], None]) -> Path:
    """``path``, which the first process that asks makes: ``make`` writes another file, renamed when it is done."""
    with filelock.FileLock(path.with_name(f"{path.name}.lock")):
        if not path.exists():
            part = path.with_name(f"part-{path.name}")
            make(part)
            part.rename(path)
    return path
