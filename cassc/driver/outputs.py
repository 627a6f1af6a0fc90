"""No output takes the place of an input: what is written over is lost."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path

from cassc import diag


def check(inputs: Iterable[str | Path], outputs: Iterable[str | Path], mend: str = "") -> None:
    """Raises CasscError ``output-is-input`` where an output is one of the inputs, by whatever name. Empty names, files
    that are not there yet, and devices (``/dev/null``) are no input's. ``mend``: a note for the user."""
    known = {_identity(path): path for path in inputs}
    for output in outputs:
        identity = _identity(output)
        if identity is not None and identity in known:
            raise diag.error(
                "output-is-input",
                f"input file '{known[identity]}' is the same as output file '{output}'",
                notes=[diag.note(mend)] if mend else [],
            )


def _identity(path: str | Path) -> tuple[int, int] | None:
    """Of a regular file, behind links."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None
