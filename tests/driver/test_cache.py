"""The cache: right, shared, bounded, and never a reason to fail."""

from __future__ import annotations

import os
import threading
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


def test_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = Cache(tmp_path / "file" / "cache", 1 << 20)
    assert cache.get_or_make(NAME, lambda: b"made") == (b"made", False)


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
