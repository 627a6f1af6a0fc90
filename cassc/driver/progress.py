"""A line on the terminal while something takes long; nothing where there is no terminal."""

from __future__ import annotations

import os
import shutil
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import ClassVar

_QUIET_SECONDS = 2.0
_STEP = 0.5
_CLEAR = "\r\x1b[K"
_terminal_lock = threading.RLock()


@contextmanager
def aside() -> Iterator[None]:
    """While something else is printed: the line makes room for it."""
    with _terminal_lock:
        if Progress.shown:
            sys.stderr.write(_CLEAR)
            sys.stderr.flush()
            Progress.shown = False
        yield


class Progress:
    """``with Progress("translating a.cu"):`` shows text and seconds, after two of them, until the block ends."""

    shown: ClassVar[bool] = False

    def __init__(self, text: str, *, enabled: bool) -> None:
        self._text = text
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._show, daemon=True) if enabled and _terminal() else None

    def __enter__(self) -> Progress:
        if self._thread:
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._thread:
            self._done.set()
            self._thread.join()

    def _show(self) -> None:
        begin = time.monotonic()
        step = _QUIET_SECONDS
        while not self._done.wait(step):
            step = _STEP
            width = shutil.get_terminal_size().columns
            line = f"cassc: {self._text}, {time.monotonic() - begin:.0f} s"
            with _terminal_lock:
                sys.stderr.write(f"{_CLEAR}{line[: max(width - 1, 1)]}")
                sys.stderr.flush()
                Progress.shown = True
        with aside():
            pass


def _terminal() -> bool:
    return sys.stderr.isatty() and os.environ.get("TERM", "dumb") != "dumb"
