"""Heaps that differ only in where blocks stand are equal; others are not."""

from __future__ import annotations

import numpy as np

from cassc.sass.heap import Heap, formatted, units_in
from cassc.sass.memory import Bytes
from cassc.verify.blocks import CENSUS, matched

BASE = 0x4000_0000


def run(order: list[int], *, last: int = 7, leak: bool = False) -> dict[str, Bytes]:
    """A list of three blocks, allocated in an order; each holds the next one's address and a number."""
    heap = Heap(BASE, formatted(BASE, units_in(4096)))
    at = {k: heap.allocate(32) for k in order}
    if leak:
        heap.allocate(100)
    for k in range(3):
        words = heap.data[at[k] - BASE : at[k] - BASE + 32].view(np.uint64)
        words[0] = at.get(k + 1, 0)
        words[1] = last if k == 2 else k
    buffer = np.array([5, at[0] + 8, 0], np.uint64).view(np.uint8)
    return {"parameter 0": buffer, "heap": heap.data}


def differing(a: dict[str, Bytes], b: dict[str, Bytes]) -> set[str]:
    x, y = matched("heap", BASE, a, b)
    assert set(x) == set(y)
    return {name for name in x if not np.array_equal(x[name], y[name])}


def test_places_do_not_matter() -> None:
    assert not np.array_equal(run([0, 1, 2])["parameter 0"], run([2, 0, 1])["parameter 0"])
    assert differing(run([0, 1, 2]), run([2, 0, 1])) == set()


def test_contents_matter_also_behind_several_pointers() -> None:
    assert differing(run([0, 1, 2]), run([2, 0, 1], last=8)) == {"heap"}


def test_blocks_that_nobody_points_to_are_counted() -> None:
    assert differing(run([0, 1, 2]), run([0, 1, 2], leak=True)) == {CENSUS}
