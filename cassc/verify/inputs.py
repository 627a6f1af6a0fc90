"""Generated launches: shapes, scalars and buffers, from the kernel's ABI and from hints in its code."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from cassc.image.cubin import KernelAbi
from cassc.verify.hints import Hints, Use

BUFFER_BYTES = 1 << 16
DYNAMIC_SHARED_BYTES = 8192
Dim3 = tuple[int, int, int]
Bytes = NDArray[np.uint8]

_SMALL = (1, 2, 3, 4, 5, 7, 8, 16, 17, 31, 32, 33, 48, 64, 100, 128)
_FLOATS = (0.5, 1.0, 1.5, -2.0, 3.25, 0.0078125, 100.0)
_BLOCKS = {
    1: ((32, 1, 1), (64, 1, 1), (128, 1, 1), (256, 1, 1), (48, 1, 1)),
    2: ((16, 16, 1), (32, 8, 1), (8, 8, 1), (32, 32, 1), (32, 4, 1)),
    3: ((8, 8, 4), (4, 4, 4), (32, 2, 2), (16, 4, 2)),
}
_GRIDS = {1: ((1, 1, 1), (2, 1, 1), (3, 1, 1)), 2: ((1, 1, 1), (2, 2, 1), (2, 1, 1)), 3: ((1, 1, 1), (2, 1, 2))}


@dataclass(frozen=True, slots=True)
class Slot:
    """Four or eight bytes (or fewer) of the parameter block that are given one value."""

    offset: int
    size: int
    ordinal: int


@dataclass(frozen=True, slots=True)
class Buffer:
    """Device memory that a parameter points to. ``data`` is its content before the launch."""

    offset: int
    name: str
    data: Bytes


@dataclass(frozen=True, slots=True)
class Launch:
    """A launch whose pointers are not placed yet: ``scalars`` is the parameter block with zeros for them."""

    seed: int
    attempt: int
    grid: Dim3
    block: Dim3
    dynamic_shared: int
    scalars: bytes
    buffers: tuple[Buffer, ...] = field(default=())

    def parameters(self, addresses: Sequence[int]) -> bytes:
        """The parameter block, given the address of each buffer."""
        block = bytearray(self.scalars)
        for buffer, address in zip(self.buffers, addresses, strict=True):
            struct.pack_into("<Q", block, buffer.offset, address)
        return bytes(block)


def slots(abi: KernelAbi) -> tuple[Slot, ...]:
    """The parameters, cut where a pointer could stand: eight bytes each where aligned, then four, then the rest."""
    found = []
    for parameter in abi.parameters:
        offset, end = parameter.offset, parameter.offset + parameter.size
        while offset < end:
            size = next(s for s in (8, 4, 2, 1) if offset % s == 0 and offset + s <= end)
            found.append(Slot(offset, size, parameter.ordinal))
            offset += size
    return tuple(found)


@dataclass(slots=True)
class Generator:
    """Launches of one kernel; ``refused`` holds offsets of eight-byte slots that turned out to be no pointers."""

    abi: KernelAbi
    hints: Hints
    seed: int = 1
    refused: set[int] = field(default_factory=set)

    def launch(self, attempt: int) -> Launch:
        """The same for the same seed, attempt and refused slots."""
        random = np.random.default_rng([self.seed, attempt])
        scalars = bytearray(self.abi.param_size)
        buffers = []
        for slot in slots(self.abi):
            if slot.size == 8 and self._may_point(slot):
                style = int(random.integers(0, 5)) if attempt else 0
                buffers.append(Buffer(slot.offset, f"parameter {slot.ordinal}", content(random, style)))
            else:
                scalars[slot.offset : slot.offset + slot.size] = self._scalar(random, slot, attempt)
        block = self._block(random, attempt)
        grids = _GRIDS[self.hints.dimensions]
        grid = grids[attempt % len(grids)]
        return Launch(self.seed, attempt, grid, block, self._dynamic_shared(), bytes(scalars), tuple(buffers))

    def _may_point(self, slot: Slot) -> bool:
        if self.hints.pointer(slot.offset):
            return True
        uses = self.hints.uses.get(slot.offset, frozenset())
        return Use.FLOAT64 not in uses and slot.offset not in self.refused

    def _scalar(self, random: np.random.Generator, slot: Slot, attempt: int) -> bytes:
        uses = self.hints.uses.get(slot.offset, frozenset())
        if slot.size == 8:
            if Use.FLOAT64 in uses:
                return struct.pack("<d", float(random.choice(_FLOATS)))
            return struct.pack("<Q", int(random.choice(_SMALL)))
        if slot.size == 4 and Use.FLOAT32 in uses:
            return struct.pack("<f", float(random.choice(_FLOATS)))
        return int(random.choice(_SMALL)).to_bytes(4, "little")[: slot.size]

    def _block(self, random: np.random.Generator, attempt: int) -> Dim3:
        if self.abi.required_threads:
            return self.abi.required_threads
        limit = self.abi.max_threads or 1024
        fitting = [b for b in _BLOCKS[self.hints.dimensions] if b[0] * b[1] * b[2] <= limit]
        if not fitting:
            return (min(limit, 32), 1, 1)
        # Larger CTAs first: kernels with a fixed CTA size read what the missing threads would have written.
        order = sorted(fitting, key=lambda b: -(b[0] * b[1] * b[2]))
        return order[attempt % len(order)]

    def _dynamic_shared(self) -> int:
        return DYNAMIC_SHARED_BYTES if self.abi.static_shared + DYNAMIC_SHARED_BYTES <= 48 << 10 else 0


def content(random: np.random.Generator, style: int) -> Bytes:
    """Buffer contents: 0 small integers, 1 floats near one, 2 doubles, 3 random bits, 4 integers and special floats."""
    words = BUFFER_BYTES // 4
    if style == 1:
        return np.frombuffer(random.normal(0, 2, words).astype(np.float32).tobytes(), np.uint8).copy()
    if style == 2:
        return np.frombuffer(random.normal(0, 2, words // 2).tobytes(), np.uint8).copy()
    if style == 3:
        return random.integers(0, 256, BUFFER_BYTES, dtype=np.uint8)
    values = random.integers(0, 48, words, dtype=np.uint32)
    if style == 4:
        special = np.array([0, 0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000, 1, 0x007FFFFF, 0x7F7FFFFF], np.uint32)
        chosen = random.random(words) < 0.02
        values[chosen] = random.choice(special, int(chosen.sum()))
    return np.frombuffer(values.tobytes(), np.uint8).copy()
