"""A content-addressed cache of what stages make; safe under ``make -j`` and after a killed build.

An entry is one file named by the SHA-256 of everything that its content depends on. It is written to a temporary name
and renamed, under a lock of its own, so that two builds that want the same entry make it once; it begins with the
digest of its content, so that a torn file is a miss and never a wrong answer.

The folder is ``$CASSC_CACHE_DIR``, else ``$XDG_CACHE_HOME/cassc``, else ``~/.cache/cassc``. Its size is bounded by
``$CASSC_CACHE_SIZE``, else by what ``cassc cache limit`` has set (``512M``, ``2G``; 1G by default; 0 switches the cache
off): the entries that were used longest ago go first.

A folder that cannot be written, or a disk that is full, never fails a build: it is a warning.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from cassc.diag import Diagnostic, Severity, error

if TYPE_CHECKING:
    from filelock import BaseFileLock

_DIGEST = 32
_SUFFIX = ".entry"
_OTHERS = ("translations/*/*.fatbin", "signatures/*.table")
"""What others keep in the folder, under names of their own: they count, and go, like entries."""
_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_DEFAULT_LIMIT = 1 << 30
_ROOM_LEFT = 0.8
"""Pruning goes below the limit, to this part of it, so that it is not done again for the next entry."""
_FOLDERS = 256
_LIMIT_FILE = "limit"
_COUNTS_FILE = "counts"
_LEFT_BEHIND = (".new-*", "??/.new-*", "translations/*/.new-*", "translations/*/*.fatbin.*", "signatures/.new-*")
"""Half-written files of builds that were killed."""
_ABANDONED = 3600.0
"""Seconds after which such a file has nobody who writes it."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What ``cassc cache stats`` prints; ``size`` and ``limit`` in bytes; look-ups since the cache was cleared."""

    root: Path
    entries: int
    size: int
    limit: int
    hits: int = 0
    misses: int = 0


def key(stage: str, *parts: bytes | str) -> str:
    """The name of an entry. Each part is preceded by its length, so that no two lists of parts run together."""
    digest = hashlib.sha256()
    for part in (stage, *parts):
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()


class Cache:
    """Bytes by key.

    Attributes:
        root: the folder.
        limit: bytes; 0 switches the cache off.
        hits, misses: look-ups through this object.
        problem: why the first entry that could not be stored was not.
    """

    def __init__(self, root: Path, limit: int) -> None:
        self.root = root
        self.limit = limit
        self.hits = 0
        self.misses = 0
        self.problem: OSError | None = None

    @classmethod
    def open(cls) -> Cache:
        """The cache that the environment names."""
        named = os.environ.get("CASSC_CACHE_DIR")
        home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
        root = Path(named) if named else Path(home, "cassc")
        size = os.environ.get("CASSC_CACHE_SIZE", "")
        return cls(root, parse_size(size, "CASSC_CACHE_SIZE") if size else _limit(root))

    def get(self, name: str) -> bytes | None:
        path = self._path(name)
        try:
            data = path.read_bytes()
        except OSError:
            return None
        if hashlib.sha256(data[_DIGEST:]).digest() != data[:_DIGEST]:
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)
            return None
        with contextlib.suppress(OSError):
            os.utime(path)
        return data[_DIGEST:]

    def put(self, name: str, data: bytes) -> None:
        path = self._path(name)
        if self.limit == 0:
            return
        try:
            self._write(path, hashlib.sha256(data).digest() + data)
            self._prune(path.parent)
        except OSError as problem:
            self.problem = self.problem or problem

    def _write(self, path: Path, data: bytes) -> None:
        """All of it or nothing, in one step."""
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".new-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            os.replace(temporary, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise

    def remark(self) -> Diagnostic | None:
        """A warning, if something could not be stored."""
        if self.problem is None:
            return None
        text = f"nothing is kept in the cache '{self.root}': {self.problem.strerror or self.problem}"
        return Diagnostic(Severity.WARNING, "cache-not-written", text)

    def record(self) -> None:
        """Add this object's look-ups to those that ``cassc cache stats`` shows. They are counted for people: a count
        that cannot be written is lost."""
        if self.limit == 0 or not (self.hits or self.misses):
            return
        from filelock import Timeout

        with contextlib.suppress(OSError, Timeout, NotImplementedError), _lock(self.root / "counts.lock", timeout=1):
            hits, misses = self._counts()
            content = json.dumps([hits + self.hits, misses + self.misses]).encode()
            self._write(self.root / _COUNTS_FILE, content)
            self.hits = self.misses = 0

    def _counts(self) -> tuple[int, int]:
        try:
            hits, misses = json.loads((self.root / _COUNTS_FILE).read_bytes())
            return int(hits), int(misses)
        except (OSError, ValueError, TypeError):
            return 0, 0

    def set_limit(self, limit: int) -> None:
        """For all later builds that use this folder. Raises OSError."""
        self._write(self.root / _LIMIT_FILE, str(limit).encode())
        self.limit = limit
        if limit:
            self._prune_to_limit()

    def get_or_make(self, name: str, make: Callable[[], bytes]) -> tuple[bytes, bool]:
        """The entry and whether it was there. ``make`` runs under the entry's lock; what it raises is passed on, and
        nothing is stored."""
        if self.limit == 0:  # switched off
            return make(), False
        found = self.get(name)
        if found is None:
            with self._locked(name):
                found = self.get(name)
                if found is None:
                    self.misses += 1
                    data = make()
                    self.put(name, data)
                    return data, False
        self.hits += 1
        return found, True

    def usage(self) -> Usage:
        """Makes the folder, if there is none. Raises CasscError ``cache-no-folder`` where there can be none."""
        try:
            self.root.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise error("cache-no-folder", f"'{self.root}' is no folder for the cache: {problem.strerror}") from problem
        sizes = [size for _, size, _ in self._entries()]
        return Usage(self.root, len(sizes), sum(sizes), self.limit, *self._counts())

    def clear(self) -> Usage:
        """Remove every entry; returns what was there. Locks stay: another build may hold one."""
        before = self.usage()
        for path, _, _ in self._entries():
            path.unlink(missing_ok=True)
        self._remove_left_behind(0)
        (self.root / _COUNTS_FILE).unlink(missing_ok=True)
        return before

    def _remove_left_behind(self, age: float) -> None:
        oldest = time.time() - age
        for pattern in _LEFT_BEHIND:
            for path in self.root.glob(pattern):
                with contextlib.suppress(OSError):
                    if path.stat().st_mtime <= oldest:
                        path.unlink()

    def _path(self, name: str) -> Path:
        return self.root / name[:2] / (name[2:] + _SUFFIX)

    @contextlib.contextmanager
    def _locked(self, name: str) -> Iterator[None]:
        """One of 256 locks, by the key's first byte: the number of lock files stays bounded."""
        lock = _lock(self.root / "locks" / name[:2])
        try:
            (self.root / "locks").mkdir(parents=True, exist_ok=True)
            lock.acquire()
        except (OSError, NotImplementedError):  # a file system without locks: an entry may be made twice
            yield
            return
        try:
            yield
        finally:
            lock.release()

    def _entries(self) -> list[tuple[Path, int, float]]:
        """Path, bytes and time of last use of every entry."""
        entries = []
        for pattern in (f"??/*{_SUFFIX}", *_OTHERS):
            for path in self.root.glob(pattern):
                with contextlib.suppress(FileNotFoundError):
                    status = path.stat()
                    entries.append((path, status.st_size, status.st_mtime))
        return entries

    def _prune(self, folder: Path) -> None:
        """After an entry was stored in ``folder``. Keys are spread evenly, so one folder tells whether the whole may be
        too large, and not every entry needs a look at every other."""
        with os.scandir(folder) as listing:
            size = sum(item.stat().st_size for item in listing if item.name.endswith(_SUFFIX))
        if size * _FOLDERS > self.limit:
            self._prune_to_limit()

    def _prune_to_limit(self) -> None:
        entries = self._entries()
        total = sum(size for _, size, _ in entries)
        if total <= self.limit:
            return
        with _lock(self.root / "prune.lock"):
            self._remove_left_behind(_ABANDONED)
            for path, size, _ in sorted(entries, key=lambda entry: entry[2]):
                if total <= self.limit * _ROOM_LEFT:
                    break
                path.unlink(missing_ok=True)
                total -= size


def _lock(path: Path, timeout: float = -1) -> BaseFileLock:
    from filelock import FileLock  # takes longer to load than everything else that a compilation begins with

    return FileLock(path, timeout=timeout)


def _limit(root: Path) -> int:
    """What was set for the folder, else the default."""
    try:
        return int((root / _LIMIT_FILE).read_text())
    except (OSError, ValueError):
        return _DEFAULT_LIMIT


def parse_size(text: str, name: str) -> int:
    """``512M`` to bytes. Raises CasscError ``cache-size``, which says what ``name`` is."""
    unit = _UNITS.get(text[-1:].upper(), 0)
    digits = text[:-1] if unit else text
    if not digits.isascii() or not digits.isdigit():
        raise error("cache-size", f"{name} is '{text}'; expected a number of bytes, or one with K, M, G or T")
    return int(digits) * (unit or 1)
