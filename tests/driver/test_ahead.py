"""Translation beside nvcc: which cubin is taken, when, and what becomes of it if nvcc fails or makes another."""

from __future__ import annotations

import struct
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from cassc import cli, toolchain
from cassc.driver import device
from cassc.driver.ahead import Ahead
from cassc.driver.cache import Cache
from cassc.target import DEFAULT_TARGET, SmArch


def elf(content: bytes) -> bytes:
    """A header with one section header at the end of the file."""
    place = 64 + len(content)
    header = b"\x7fELF\x02\x01".ljust(16, b"\0") + struct.pack(
        "<HHIQQQIHHHHHH", 2, 190, 1, 0, 0, place, 0, 64, 56, 0, 64, 1, 0
    )
    return header + content + bytes(64)


@pytest.fixture
def begin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Ahead]:
    """The translation of a cubin is its content in capitals."""

    def make(data: bytes, settings: device.Settings, cache: Cache) -> device.Made:
        if b"bad" in data:
            raise ValueError("bad")
        return device.Made(data.upper(), False, {})

    monkeypatch.setattr(device, "prepare", lambda: None)
    monkeypatch.setattr(device, "holds_something", lambda data: True)
    monkeypatch.setattr(device, "make_module", make)
    return lambda: Ahead(tmp_path, lambda: device.Settings((DEFAULT_TARGET,)), Cache(tmp_path / "cache", 0))


def finished(ahead: Ahead) -> None:
    """Wait until a cubin was taken."""
    for _ in range(200):
        if not ahead._thread.is_alive():
            return
        time.sleep(0.01)
    raise AssertionError("no cubin was taken")


def test_cubin_is_taken_when_it_is_whole(tmp_path: Path, begin: Callable[[], Ahead]) -> None:
    data = elf(b"code")
    place = tmp_path / "tmpxft_0001-8_a.sm_80.cubin"
    place.write_bytes(data[:-1])
    ahead = begin()
    time.sleep(0.1)
    assert ahead._thread.is_alive()
    place.write_bytes(data)
    finished(ahead)
    made = ahead.result(data)
    assert made is not None and b"CODE" in made.stored


def test_another_cubin_in_the_object(tmp_path: Path, begin: Callable[[], Ahead]) -> None:
    (tmp_path / "a.sm_80.cubin").write_bytes(elf(b"code"))
    ahead = begin()
    finished(ahead)
    assert ahead.result(elf(b"other")) is None


def test_nvcc_fails_before_there_is_a_cubin(begin: Callable[[], Ahead]) -> None:
    ahead = begin()
    ahead.nvcc_ended()
    finished(ahead)
    assert ahead.result(b"anything") is None


def test_what_the_translation_raises_is_raised_where_it_is_asked_for(
    tmp_path: Path, begin: Callable[[], Ahead]
) -> None:
    (tmp_path / "a.sm_80.cubin").write_bytes(elf(b"bad"))
    ahead = begin()
    finished(ahead)
    with pytest.raises(ValueError, match="bad"):
        ahead.result(elf(b"bad"))


def test_which_of_several(tmp_path: Path, begin: Callable[[], Ahead]) -> None:
    """Others than the default only when nvcc has made all of them."""
    for name in ("sm_75", "sm_86"):
        (tmp_path / f"a.{name}.cubin").write_bytes(elf(name.encode()))
    ahead = begin()
    time.sleep(0.1)
    assert ahead._thread.is_alive()
    (tmp_path / "a.fatbin.c").touch()
    finished(ahead)
    made = ahead.result(elf(b"sm_86"))
    assert made is not None and b"SM_86" in made.stored


def test_object_is_translated_beside_nvcc(
    nvcc: toolchain.Nvcc, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once, and not by the thread that waits for nvcc."""
    source = tmp_path / "a.cu"
    source.write_text("__global__ void k(int *p) { p[threadIdx.x] *= 3; }\n")
    by_main = []

    def make(data: bytes, settings: device.Settings, cache: Cache) -> device.Made:
        by_main.append(threading.current_thread() is threading.main_thread())
        return original(data, settings, cache)

    original = device.make_module
    monkeypatch.setattr(device, "make_module", make)
    monkeypatch.setenv("CASSC_CACHE_DIR", str(tmp_path / "cache"))
    assert cli.main(["-c", str(source), "-o", str(tmp_path / "a.o"), "--check-seconds=0"]) == 0
    assert by_main == [False]


@pytest.mark.parametrize(
    ("names", "complete", "expected"),
    [
        (["sm_75", "sm_80"], False, "sm_80"),
        (["sm_75"], False, None),
        (["sm_75", "sm_90", "sm_120"], True, "sm_90"),
        (["sm_75", "sm_100"], True, "sm_75"),
        (["sm_100", "sm_120"], True, "sm_120"),
        (["sm_90", "sm_90a"], True, "sm_90a"),
        ([], True, None),
    ],
)
def test_preferred_architecture(names: list[str], complete: bool, expected: str | None) -> None:
    found = device.preferred([SmArch.parse(name) for name in names], complete=complete)
    assert (found.name if found else None) == expected
