"""The device heap behind malloc and free: a run of units for each block, claimed in a bitmap.

The layout is the one that translated kernels work on, so that a checker can compare heaps byte by byte:
{u32 units, u32 hint, u32 withdrawals, u32 0, u64 address of unit 0}, from byte 64 on one bit for each unit of 16 bytes,
then the units. In the 16 bytes before a block's payload stand {u32 mark, u32 first unit, u32 units, u32 0}. The hint is
the bitmap word at which the next search begins.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cassc.sass.memory import Bytes

UNIT = 16
MARK = 0xCA55A110
BITMAP = 64
DEFAULT_BYTES = 8 << 20  # cudaLimitMallocHeapSize


class BadFree(Exception):
    """Of a pointer that malloc did not give, or that was freed before."""


def span(units: int) -> int:
    """Bytes of a heap with so many units (a multiple of 32)."""
    return _first_unit(units) + units * UNIT


def units_in(size: int) -> int:
    """Units of a heap whose payloads and headers together take ``size`` bytes."""
    return -(-size // (32 * UNIT)) * 32


def formatted(base: int, units: int) -> Bytes:
    """An empty heap that stands at ``base``."""
    data = np.zeros(span(units), np.uint8)
    data[:4] = np.frombuffer(units.to_bytes(4, "little"), np.uint8)
    data[16:24] = np.frombuffer((base + _first_unit(units)).to_bytes(8, "little"), np.uint8)
    return data


def _first_unit(units: int) -> int:
    return BITMAP + -(-units // 8 // 64) * 64


@dataclass(frozen=True, slots=True)
class Heap:
    """A formatted heap in memory; its bytes are changed in place."""

    base: int
    data: Bytes

    @property
    def units(self) -> int:
        return int(self.data[:4].view(np.uint32)[0])

    @property
    def payload_offset(self) -> int:
        """Of unit 0, from ``base``."""
        return _first_unit(self.units)

    def allocate(self, size: int, alignment: int = UNIT) -> int:
        """Address of a block, 0 where no run of units is free."""
        room = self.units * UNIT
        if size > room or alignment > room:
            return 0
        need = (size + alignment + UNIT - 1) // UNIT
        bits = np.unpackbits(self.data[BITMAP : BITMAP + self.units // 8], bitorder="little")
        hint = int(self.data[4:8].view(np.uint32)[0]) * 32
        start = _run(bits, hint, need)
        if start < 0:
            start = _run(bits, 0, need)
        if start < 0:
            return 0
        self._mark(start, need, taken=True)
        self.data[4:8].view(np.uint32)[0] = (start + need) // 32
        origin = self.base + self.payload_offset
        payload = -(-(origin + start * UNIT + UNIT) // alignment) * alignment
        header = payload - UNIT - self.base
        self.data[header : header + UNIT].view(np.uint32)[:] = (MARK, start, need, 0)
        return payload

    def free(self, pointer: int) -> None:
        """Raises BadFree; of 0 nothing happens."""
        if not pointer:
            return
        header = pointer - UNIT - self.base
        if not self.payload_offset <= header < self.data.size or header % UNIT:
            raise BadFree
        words = self.data[header : header + UNIT].view(np.uint32)
        if words[0] != MARK:
            raise BadFree
        words[0] = 0
        self._mark(int(words[1]), int(words[2]), taken=False)

    def _mark(self, start: int, count: int, *, taken: bool) -> None:
        first, end = start // 8, -(-(start + count) // 8)
        part = self.data[BITMAP + first : BITMAP + end]
        bits = np.unpackbits(part, bitorder="little")
        bits[start - 8 * first : start - 8 * first + count] = taken
        part[:] = np.packbits(bits, bitorder="little")


def _run(bits: Bytes, begin: int, need: int) -> int:
    """The first run of ``need`` clear bits from ``begin`` on, -1 if there is none."""
    taken = np.flatnonzero(bits[begin:]) + begin
    edges = np.concatenate(([begin - 1], taken, [bits.size]))
    wide = np.flatnonzero(np.diff(edges) > need)
    return int(edges[wide[0]]) + 1 if wide.size else -1
