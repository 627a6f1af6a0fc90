"""The device heap of the interpreter."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cassc.sass.heap import BadFree, Heap, formatted, units_in

BASE = 0x10000


def heap(size: int) -> Heap:
    return Heap(BASE, formatted(BASE, units_in(size)))


@settings(max_examples=40)
@given(st.lists(st.tuples(st.integers(0, 700), st.sampled_from([16, 32, 256]), st.booleans()), max_size=60))
def test_blocks_are_aligned_and_apart_and_freeing_all_empties_it(calls: list[tuple[int, int, bool]]) -> None:
    one = heap(8192)
    blocks: dict[int, int] = {}
    for size, alignment, free_first in calls:
        if free_first and blocks:
            pointer = next(iter(blocks))
            one.free(pointer)
            del blocks[pointer]
        pointer = one.allocate(size, alignment)
        if pointer:
            assert pointer % alignment == 0
            assert BASE + one.payload_offset < pointer <= BASE + one.data.size - size
            assert all(pointer - 16 >= p + s or p - 16 >= pointer + size for p, s in blocks.items())
            blocks[pointer] = size
    for pointer in blocks:
        one.free(pointer)
    assert not one.data[64 : one.payload_offset].any()


def test_all_of_it_can_be_had_at_once_and_no_more() -> None:
    one = heap(4096)
    assert one.allocate(4096) == 0
    pointer = one.allocate(4096 - 16)
    assert pointer == BASE + one.payload_offset + 16
    assert one.allocate(0) == 0
    one.free(pointer)
    assert one.allocate(0) != 0


@pytest.mark.parametrize("wrong", [8, BASE, BASE + 64, 1 << 50])
def test_only_blocks_can_be_freed(wrong: int) -> None:
    one = heap(4096)
    with pytest.raises(BadFree):
        one.free(wrong)
    pointer = one.allocate(10)
    with pytest.raises(BadFree):
        one.free(pointer + 16)
    one.free(0)
    one.free(pointer)
    with pytest.raises(BadFree):
        one.free(pointer)


def test_a_hint_at_the_end_does_not_hide_the_start() -> None:
    one = heap(1024)
    pointers = [one.allocate(240) for _ in range(4)]
    assert all(pointers) and one.allocate(1) == 0
    one.free(pointers[1])
    assert one.allocate(240) == pointers[1]
    assert np.count_nonzero(one.data[64:72]) == 8
