"""The cache: right, shared, bounded, and never a reason to fail."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from cassc.diag import CasscError
from cassc.driver.cache import Cache, key

NAME = key("stage", b"input")


def test_key_separates_parts() -> None:
    assert key("s", b"ab", b"c") != key("s", b"a", b"bc")
    assert key("s", "ab") == key("s", b"ab")
    assert key("s", b"a") != key("t", b"a")


def test_made_once_then_found(tmp_path: Path) -> None:
    cache = Cache(tmp_path, 1 << 20)
    assert cache.get_or_make(NAME, lambda: b"made") == (b"made", False)
    assert cache.get_or_make(NAME, lambda: b"other") == (b"made", True)


def test_nothing_is_stored_when_making_fails(tmp_path: Path) -> None:
    cache = Cache(tmp_path, 1 << 20)

    def fail() -> bytes:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        cache.get_or_make(NAME, fail)
    assert cache.usage().entries == 0
    assert cache.get_or_make(NAME, lambda: b"made") == (b"made", False)


@pytest.mark.parametrize("damage", [lambda d: d[:-1], lambda d: d + b"x", lambda d: b"", lambda d: d[:-1] + b"?"])
def test_damaged_entry_is_a_miss(tmp_path: Path, damage: object) -> None:
    cache = Cache(tmp_path, 1 << 20)
    cache.put(NAME, b"content")
    (path,) = tmp_path.glob("*/*.entry")
    path.write_bytes(damage(path.read_bytes()))  # type: ignore[operator]
    assert cache.get(NAME) is None


def test_two_builds_make_an_entry_once(tmp_path: Path) -> None:
    made: list[int] = []
    results: list[tuple[bytes, bool]] = []
    start = threading.Barrier(4)

    def make() -> bytes:
        made.append(1)
        return b"content"

    def build() -> None:
        start.wait()
        results.append(Cache(tmp_path, 1 << 20).get_or_make(NAME, make))

    threads = [threading.Thread(target=build) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1
    assert [content for content, _ in results] == [b"content"] * 4


def test_oldest_entries_go_first(tmp_path: Path) -> None:
    cache = Cache(tmp_path, 4000)
    names = [key("s", str(number)) for number in range(5)]
    for age, name in enumerate(names[:4]):
        cache.put(name, bytes(900))
        os.utime(cache._path(name), (1000 + age, 1000 + age))
    assert cache.get(names[0]) is not None  # used just now
    cache.put(names[4], bytes(900))
    assert cache.get(names[0]) is not None
    assert cache.get(names[1]) is None
    assert cache.get(names[4]) is not None
    assert cache.usage().size <= 4000


def test_limit_of_zero_switches_off(tmp_path: Path) -> None:
    cache = Cache(tmp_path, 0)
    cache.put(NAME, b"content")
    assert cache.get(NAME) is None


def test_folder_that_cannot_be_made_is_a_warning(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = Cache(tmp_path / "file" / "cache", 1 << 20)
    assert cache.get_or_make(NAME, lambda: b"made") == (b"made", False)
    warning = cache.remark()
    assert warning and warning.message == f"nothing is kept in the cache '{cache.root}': Not a directory"


def test_folder_that_vanishes_between_two_entries(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache", 1 << 20)
    cache.put(NAME, b"one")
    shutil.rmtree(tmp_path / "cache")
    assert cache.get_or_make(NAME, lambda: b"two") == (b"two", False)
    assert cache.get(NAME) == b"two"
    assert cache.remark() is None


def test_folder_that_vanishes_while_an_entry_is_made(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache", 1 << 20)

    def make() -> bytes:
        shutil.rmtree(tmp_path / "cache")
        return b"made"

    assert cache.get_or_make(NAME, make) == (b"made", False)
    assert Cache(tmp_path / "cache", 1 << 20).get(NAME) == b"made"


def test_full_disk_leaves_no_half_entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = Cache(tmp_path, 1 << 20)

    def full(source: str, target: Path) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(target))

    monkeypatch.setattr(os, "replace", full)
    assert cache.get_or_make(NAME, lambda: b"made") == (b"made", False)
    assert [path for path in tmp_path.rglob("*") if path.is_file() and path.parent.name != "locks"] == []
    warning = cache.remark()
    assert warning and warning.message.endswith("No space left on device")


def test_entry_is_found_in_a_folder_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Cache(tmp_path, 1 << 20).put(NAME, b"content")

    def refuse(*arguments: object, **more: object) -> None:
        raise PermissionError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(os, "utime", refuse)
    monkeypatch.setattr(os, "replace", refuse)
    cache = Cache(tmp_path, 1 << 20)
    assert cache.get_or_make(NAME, lambda: b"other") == (b"content", True)
    assert cache.remark() is None


KILLED = """
import os, sys
from cassc.driver.cache import Cache
from pathlib import Path
def make():
    print("making", flush=True)
    sys.stdin.readline()
    return b"content" * 100000
Cache(Path(sys.argv[1]), 1 << 30).get_or_make(sys.argv[2], make)
"""


def test_killed_build_holds_no_lock(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", KILLED, str(tmp_path), NAME]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"making\n"
        process.kill()
    begin = time.monotonic()
    assert Cache(tmp_path, 1 << 20).get_or_make(NAME, lambda: b"mine") == (b"mine", False)
    assert time.monotonic() - begin < 5


def test_what_killed_builds_leave_goes_when_room_is_made(tmp_path: Path) -> None:
    cache = Cache(tmp_path, 2000)
    left = tmp_path / NAME[:2] / ".new-killed"
    left.parent.mkdir()
    for age, remains in ((10, True), (7200, False)):
        left.write_bytes(b"half")
        os.utime(left, (time.time() - age, time.time() - age))
        for number in range(3):
            cache.put(key("s", str(number), str(age)), bytes(900))
        assert left.exists() is remains


def test_look_ups_are_counted_for_all_builds(tmp_path: Path) -> None:
    for _ in range(3):
        cache = Cache(tmp_path, 1 << 20)
        cache.get_or_make(NAME, lambda: b"made")
        cache.record()
    usage = Cache(tmp_path, 1 << 20).usage()
    assert (usage.hits, usage.misses, usage.entries) == (2, 1, 1)
    cache.clear()
    assert (cache.usage().hits, cache.usage().misses) == (0, 0)


def test_limit_of_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CASSC_CACHE_DIR", str(tmp_path))
    for number in range(3):
        Cache.open().put(key("s", str(number)), bytes(900))
    Cache.open().set_limit(2000)
    assert Cache.open().limit == 2000
    assert Cache.open().usage().entries == 1
    monkeypatch.setenv("CASSC_CACHE_SIZE", "1M")
    assert Cache.open().limit == 1 << 20


def test_usage_of_what_can_be_no_folder_is_an_error(tmp_path: Path) -> None:
    assert Cache(tmp_path / "new", 1 << 20).usage().entries == 0
    (tmp_path / "file").write_bytes(b"")
    for place in (tmp_path / "file", tmp_path / "file/below"):
        with pytest.raises(CasscError, match=f"'{place}' is no folder for the cache"):
            Cache(place, 1 << 20).usage()


def test_clear(tmp_path: Path) -> None:
    cache = Cache(tmp_path, 1 << 20)
    cache.put(NAME, b"content")
    (tmp_path / NAME[:2] / ".new-killed").write_bytes(b"half")
    assert cache.clear().entries == 1
    assert cache.usage().entries == 0
    assert not list(tmp_path.glob("*/.new-*"))


@pytest.mark.parametrize(("text", "limit"), [("", 1 << 30), ("100", 100), ("2k", 2048), ("3M", 3 << 20), ("0", 0)])
def test_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, limit: int) -> None:
    monkeypatch.delenv("CASSC_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("CASSC_CACHE_SIZE", text)
    cache = Cache.open()
    assert (cache.root, cache.limit) == (tmp_path / "cassc", limit)


def test_bad_size_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CASSC_CACHE_SIZE", "lots")
    with pytest.raises(CasscError, match="CASSC_CACHE_SIZE is 'lots'"):
        Cache.open()


def test_a_limit_of_zero_neither_reads_nor_writes(tmp_path: Path) -> None:
    Cache(tmp_path, 1 << 20).put("ab" * 32, b"stored")
    off = Cache(tmp_path, 0)
    assert off.get_or_make("ab" * 32, lambda: b"made") == (b"made", False)
    assert Cache(tmp_path, 1 << 20).get("ab" * 32) == b"stored"
