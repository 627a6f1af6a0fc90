from __future__ import annotations

import numpy as np
import pytest

from cassc.sass.memory import AccessError, Memory, Range


def addresses(*values: int) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    return np.array(values, np.uint64)


def test_reads_of_every_size() -> None:
    memory = Memory([Range(0x100, np.arange(64, dtype=np.uint8))])
    assert memory.read(addresses(0x101, 0x13F), 1).tolist() == [1, 63]
    assert memory.read(addresses(0x102), 2).tolist() == [0x0302]
    assert memory.read(addresses(0x104), 4).tolist() == [0x07060504]
    assert memory.read(addresses(0x108), 8).tolist() == [0x0F0E0D0C0B0A0908]
    assert memory.read(addresses(0x110), 16).tolist() == [[0x1716151413121110, 0x1F1E1D1C1B1A1918]]


def test_ranges_at_odd_bases() -> None:
    memory = Memory()
    memory.map(0x104, 12)
    memory.write(addresses(0x108, 0x10C), np.array([7, 8], np.uint32), 4)
    assert memory.read(addresses(0x10C, 0x108, 0x104), 4).tolist() == [8, 7, 0]
    assert memory.read(addresses(0x108), 8).tolist() == [8 << 32 | 7]


def test_lanes_in_different_ranges() -> None:
    memory = Memory()
    memory.map(0x1000, 16)[:] = 1
    memory.map(0x2000, 16)[:] = 2
    assert memory.read(addresses(0x2000, 0x1004, 0x2008), 4).tolist() == [0x02020202, 0x01010101, 0x02020202]


def test_the_highest_lane_wins() -> None:
    memory = Memory()
    memory.map(0, 16)
    memory.write(addresses(4, 4, 4), np.array([1, 2, 3], np.uint32), 4)
    assert memory.read_int(4, 4) == 3


@pytest.mark.parametrize(("address", "size"), [(0xFC, 4), (0x110, 1), (0x10C, 8), (0x110, 4)])
def test_accesses_outside(address: int, size: int) -> None:
    memory = Memory()
    memory.map(0x100, 16)
    with pytest.raises(AccessError) as caught:
        memory.read(addresses(0x100, address), size)
    assert (caught.value.address, caught.value.size, caught.value.write) == (address, size, False)


def test_an_access_may_not_span_two_ranges() -> None:
    memory = Memory()
    memory.map(0x100, 4)
    memory.map(0x104, 4)
    with pytest.raises(AccessError):
        memory.read(addresses(0x100), 8)


def test_misaligned_accesses() -> None:
    memory = Memory()
    memory.map(0x100, 16)
    with pytest.raises(AccessError) as caught:
        memory.write(addresses(0x102), np.zeros(1, np.uint32), 4)
    assert caught.value.misaligned


def test_read_only_ranges() -> None:
    memory = Memory([Range(0, np.zeros(8, np.uint8), writable=False)])
    memory.read(addresses(0), 8)
    with pytest.raises(AccessError):
        memory.write(addresses(0), np.zeros(1, np.uint32), 4)
    with pytest.raises(AccessError):
        memory.write_int(0, 1, 4)


def test_overlapping_ranges_are_refused() -> None:
    memory = Memory()
    memory.map(0x100, 16)
    with pytest.raises(ValueError, match="overlap"):
        memory.map(0x10F, 1)


def test_strings() -> None:
    memory = Memory([Range(0x10, np.frombuffer(b"abc\0def", np.uint8).copy())])
    assert memory.read_string(0x11) == b"bc"
    assert memory.read_string(0x14) == b"def"
