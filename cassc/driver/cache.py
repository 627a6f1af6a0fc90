"""A content-addressed cache of what stages make; safe under ``make -j`` and after a killed build.

An entry is one file named by the SHA-256 of everything that its content depends on. It is written to a temporary name
and renamed, under a lock of its own, so that two builds that want the same entry make it once; it begins with the
digest of its content, so that a torn file is a miss and never a wrong answer.

The folder is ``$CASSC_CACHE_DIR``, else ``$XDG_CACHE_HOME/cassc``, else ``~/.cache/cassc``. ``$CASSC_CACHE_SIZE``
bounds it (``512M``, ``2G``; 1G by default; 0 switches the cache off): the entries that were used longest ago go first.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from cassc.diag import error

_DIGEST = 32
_SUFFIX = ".entry"
_OTHERS = ("translations/*/*.fatbin", "signatures/*.table")
"""What others keep in the folder, under names of their own: they count, and go, like entries."""
_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_DEFAULT_LIMIT = 1 << 30
_ROOM_LEFT = 0.8
"""Pruning goes below the limit, to this part of it, so that it is not done again for the next entry."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What ``cassc cache show`` prints; ``size`` and ``limit`` in bytes."""

    root: Path
    entries: int
    size: int
    limit: int


def key(stage: str, *parts: bytes | str) -> str:
    """The name of an entry. Each part is preceded by its length, so that no two lists of parts run together."""
    digest = hashlib.sha256()
    for part in (stage, *parts):
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()


class Cache:
    """Bytes by key. A folder that cannot be written makes every look-up a miss; it never fails a build."""

    def __init__(self, root: Path, limit: int) -> None:
        self.root = root
        self.limit = limit

    @classmethod
    def open(cls) -> Cache:
        """The cache that the environment names."""
        named = os.environ.get("CASSC_CACHE_DIR")
        home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
        return cls(Path(named) if named else Path(home, "cassc"), _limit(os.environ.get("CASSC_CACHE_SIZE", "")))

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
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".new-")
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(hashlib.sha256(data).digest())
                    file.write(data)
                os.replace(temporary, path)
            except BaseException:
                os.unlink(temporary)
                raise
            self._prune()

    def get_or_make(self, name: str, make: Callable[[], bytes]) -> tuple[bytes, bool]:
        """The entry and whether it was there. ``make`` runs under the entry's lock; what it raises is passed on, and
        nothing is stored."""
        if self.limit == 0:  # switched off
            return make(), False
        found = self.get(name)
        if found is not None:
            return found, True
        with self._locked(name):
            found = self.get(name)
            if found is not None:
                return found, True
            data = make()
            self.put(name, data)
            return data, False

    def usage(self) -> Usage:
        sizes = [size for _, size, _ in self._entries()]
        return Usage(self.root, len(sizes), sum(sizes), self.limit)

    def clear(self) -> Usage:
        """Remove every entry; returns what was there. Locks stay: another build may hold one."""
        before = self.usage()
        for path, _, _ in self._entries():
            path.unlink(missing_ok=True)
        for pattern in ("??/.new-*", "translations/*/.new-*", "translations/*/*.fatbin.*", "signatures/.new-*"):
            for left in self.root.glob(pattern):  # of builds that were killed
                left.unlink(missing_ok=True)
        return before

    def _path(self, name: str) -> Path:
        return self.root / name[:2] / (name[2:] + _SUFFIX)

    @contextlib.contextmanager
    def _locked(self, name: str) -> Iterator[None]:
        """One of 256 locks, by the key's first byte: the number of lock files stays bounded."""
        lock = FileLock(self.root / "locks" / name[:2])
        try:
            (self.root / "locks").mkdir(parents=True, exist_ok=True)
            lock.acquire()
        except OSError:
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

    def _prune(self) -> None:
        entries = self._entries()
        total = sum(size for _, size, _ in entries)
        if total <= self.limit:
            return
        with FileLock(self.root / "prune.lock"):
            for path, size, _ in sorted(entries, key=lambda entry: entry[2]):
                if total <= self.limit * _ROOM_LEFT:
                    break
                path.unlink(missing_ok=True)
                total -= size


def _limit(text: str) -> int:
    if not text:
        return _DEFAULT_LIMIT
    unit = _UNITS.get(text[-1].upper(), 0)
    digits = text[:-1] if unit else text
    if not digits.isdigit():
        raise error("cache-size", f"CASSC_CACHE_SIZE is '{text}'; expected a number of bytes, or one with K, M, G or T")
    return int(digits) * (unit or 1)
