"""Device heaps of two runs compared by what the blocks hold, since who comes first decides which block stands where.

Blocks of both runs belong together when pointers to them stand at the same place, in a buffer or in blocks that belong
together. The second run's memory is then written as if its blocks stood where the first run's do.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from cassc.sass.heap import MARK, UNIT, Heap
from cassc.sass.memory import Bytes

CENSUS = "blocks of the device heap"
_LARGEST = 1 << 12
Contents = Mapping[str, Bytes]


@dataclass(frozen=True, slots=True)
class _Blocks:
    """Live blocks: payload addresses in order, and the bytes of each payload."""

    heap: Heap
    starts: list[int]
    sizes: list[int]

    @classmethod
    def of(cls, base: int, data: Bytes) -> _Blocks:
        heap = Heap(base, data)
        origin = heap.payload_offset
        bits = np.unpackbits(data[64 : 64 + heap.units // 8], bitorder="little")
        words = data[origin : origin + heap.units * UNIT].view(np.uint32).reshape(-1, 4)
        starts, sizes = [], []
        for unit in np.flatnonzero((words[:, 0] == MARK) & (bits != 0)).tolist():
            first, count = int(words[unit, 1]), int(words[unit, 2])
            if first <= unit < first + count <= heap.units:
                starts.append(base + origin + (unit + 1) * UNIT)
                sizes.append((first + count - unit - 1) * UNIT)
        return cls(heap, starts, sizes)

    def find(self, address: int) -> int:
        """Index of the block that holds an address, -1 if none does."""
        index = bisect_right(self.starts, address) - 1
        return index if index >= 0 and address - self.starts[index] < self.sizes[index] else -1

    def content(self, index: int) -> Bytes:
        at = self.starts[index] - self.heap.base
        return self.heap.data[at : at + self.sizes[index]]

    def census(self) -> Bytes:
        """How many blocks there are of each size."""
        counts = np.bincount([min(size // UNIT, _LARGEST) for size in self.sizes], minlength=_LARGEST + 1)
        return counts.astype(np.uint32).view(np.uint8)


def matched(name: str, base: int, expected: Contents, got: Contents) -> tuple[Contents, Contents]:
    """Both runs' memory, with the heap ``name`` at ``base`` reduced to blocks that belong together."""
    mine, theirs = _Blocks.of(base, expected[name]), _Blocks.of(base, got[name])
    pairs: dict[int, int] = {}
    partners: set[int] = set()
    renamed: dict[str, Bytes] = {}
    work: list[tuple[str, Bytes, Bytes]] = [(key, expected[key], got[key]) for key in got if key != name]
    image_mine, image_theirs = np.zeros_like(expected[name]), np.zeros_like(got[name])
    while work:
        key, a, b = work.pop()
        b = b.copy()
        count = min(a.size, b.size) // 8
        x, y = a[: 8 * count].view(np.uint64), b[: 8 * count].view(np.uint64)
        low, high = np.uint64(base), np.uint64(base + expected[name].size)
        for k in np.flatnonzero((x >= low) & (x < high) & (y >= low) & (y < high)).tolist():
            i, j = mine.find(int(x[k])), theirs.find(int(y[k]))
            if i < 0 or j < 0 or mine.sizes[i] != theirs.sizes[j]:
                continue
            if int(x[k]) - mine.starts[i] != int(y[k]) - theirs.starts[j]:
                continue
            if i not in pairs and j not in partners:
                pairs[i] = j
                partners.add(j)
                work.append((f"block {i}", mine.content(i), theirs.content(j)))
            if pairs.get(i) == j:
                y[k] = x[k]
        if key.startswith("block ") and key not in got:
            at = mine.starts[int(key.removeprefix("block "))] - base
            image_mine[at : at + a.size] = a
            image_theirs[at : at + b.size] = b
        else:
            renamed[key] = b
    return (
        {**expected, name: image_mine, CENSUS: mine.census()},
        {**renamed, name: image_theirs, CENSUS: theirs.census()},
    )
