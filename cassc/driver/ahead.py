"""Translation that begins while nvcc is still at work.

nvcc has the device code when about half of its time has passed; then it compiles the host's side. It leaves its
intermediate files in ``TMPDIR``, which is a folder of ours, so the cubin is taken from there as soon as it is whole.
What is translated is found again by the cubin's content: should another one come out in the end, nothing but the work
is lost.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from cassc.target import SmArch

if TYPE_CHECKING:
    from cassc.driver.cache import Cache
    from cassc.driver.device import Made, Settings

_STEP = 0.02
"""Seconds between looks into the folder."""

_CUBIN = re.compile(r".*\.(sm_\d+[af]?)\.cubin")
_COMPLETE = "*.fatbin.c"
"""nvcc writes this file when there are all cubins."""


class Ahead:
    """Of one compilation. ``folder`` is nvcc's ``TMPDIR``."""

    def __init__(self, folder: Path, settings: Callable[[], Settings], cache: Cache) -> None:
        self._folder = folder
        self._settings = settings
        self._cache = cache
        self._ended = threading.Event()
        self._digest = b""
        self._made: Made | None = None
        self._problem: Exception | None = None
        self._thread = threading.Thread(target=self._work, daemon=True)  # a failed build does not wait for it
        self._thread.start()

    def nvcc_ended(self) -> None:
        self._ended.set()

    def result(self, cubin: bytes) -> Made | None:
        """What became of this cubin; None if its translation was not begun. Raises what the translation raised."""
        self._ended.set()
        if self._digest or self._thread.is_alive():
            self._thread.join()
        if hashlib.sha256(cubin).digest() != self._digest:
            return None
        if self._problem is not None:
            raise self._problem
        return self._made

    def _work(self) -> None:
        from cassc.driver import device

        with contextlib.suppress(Exception):  # the translation itself will say what is missing
            device.prepare(self._settings())
        while not self._ended.wait(_STEP):
            cubin = self._cubin()
            if cubin is None:
                continue
            self._digest = hashlib.sha256(cubin).digest()
            try:
                if device.holds_something(cubin):
                    self._made = device.make_module(cubin, self._settings(), self._cache)
            except Exception as problem:
                self._problem = problem
            return

    def _cubin(self) -> bytes | None:
        """The one that will be chosen from the fat binary, once it is whole."""
        from cassc.driver import device

        try:
            found = {SmArch.parse(m[1]): path for path in self._folder.iterdir() if (m := _CUBIN.fullmatch(path.name))}
            arch = device.preferred(list(found), complete=any(self._folder.glob(_COMPLETE)))
            data = found[arch].read_bytes() if arch is not None else b""
        except OSError:  # gone again: nvcc has ended
            return None
        return data if _is_whole(data) else None


def _is_whole(elf: bytes) -> bool:
    """Whether a 64-bit ELF file reaches as far as its header says that its section and program headers do."""
    if len(elf) < 64 or not elf.startswith(b"\x7fELF\x02\x01"):
        return False

    def field(offset: int, size: int) -> int:
        return int.from_bytes(elf[offset : offset + size], "little")

    segments = field(32, 8) + field(54, 2) * field(56, 2)
    sections = field(40, 8) + field(58, 2) * field(60, 2)
    return field(40, 8) > 0 and max(segments, sections) <= len(elf)
