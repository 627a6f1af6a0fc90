"""Generated launches: shapes, scalars and buffers, from the kernel's ABI and from hints in its code.

A generator learns from launches that went wrong (`Generator.learn`): how large buffers must be, how small indices,
which eight bytes are no pointer after all.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np

from cassc.image.cubin import KernelAbi
from cassc.verify import content
from cassc.verify.content import Bytes, Manner
from cassc.verify.flow import Facts, Kind
from cassc.verify.hints import Hints

BUFFER_BYTES = 1 << 16
LARGEST_BUFFER = 1 << 22
DYNAMIC_SHARED_BYTES = 8192
SHARED_LIMIT = 48 << 10
_REGISTERS = 1 << 16
Dim3 = tuple[int, int, int]

_MANNERS = (
    *(Manner.TAME, Manner.MIXED, Manner.WILD, Manner.EVEN, Manner.EDGES, Manner.TAME),
    *(Manner.MIXED, Manner.EDGES, Manner.WILD),
)
_SCALARS = (
    *(1, 2, 3, 4, 5, 6, 7, 8, 10, 13, 16, 17, 23, 27, 31, 32, 33, 47, 48, 63, 64, 95, 100, 127, 128),
    *(200, 256, 300, 411, 512, 777, 1024, 2500, 4096, 6000),
)
_SCALES = (2, 4, 33, 128, 1024, 6000)
"""Largest integer scalar, by how large scalars have turned out to be possible."""
_USUAL_SCALE = 3
_SHORTEST, _LONGEST = 3_000, 40_000
"""Steps of the interpreter after which a launch is given up: fewer at first, as launches that never end are common."""
_LONGER = 2
_SLACK_OF_LENGTH = 4
_INDEX_LIMITS = (2, 4, 12, 48, 200)
_USUAL_LIMIT = 3
_SMALLEST = 0.25
"""How often a scalar is one of the very first: loops that run once or not at all."""
_LARGEST = 0.4
"""How often it is one of the last in bold launches: unrolled loops."""
_COMPARED = 0.2
"""How often it is a number that the kernel compares with, or next to it: flags, modes, sizes of tiles."""
_ROUNDED = 0.7
_BOLDNESS = {Manner.MIXED: 1, Manner.EDGES: 2}
_FLOATS = (0.5, 1.0, 1.5, -2.0, -0.75, 3.25, 0.0078125, 0.001, 0.1, 100.0)
_RARE_FLOATS = (0.0, -0.0, float("inf"), float("-inf"), float("nan"), 1e-40, 3e38, -1e-20)
_BLOCKS = {
    1: ((256, 1, 1), (64, 1, 1), (128, 1, 1), (32, 1, 1), (96, 1, 1), (48, 1, 1), (512, 1, 1), (1024, 1, 1)),
    2: ((16, 16, 1), (32, 8, 1), (32, 32, 1), (8, 8, 1), (32, 4, 1), (9, 5, 1), (64, 4, 1)),
    3: ((8, 8, 4), (4, 4, 4), (32, 2, 2), (16, 4, 2), (5, 3, 3)),
}
# Most launches have one CTA: the work allowed goes further, and different numbers show more than different CTAs.
_GRIDS = {
    1: ((1, 1, 1), (2, 1, 1), (1, 1, 1), (3, 1, 1), (1, 1, 1)),
    2: ((1, 1, 1), (2, 2, 1), (1, 1, 1), (2, 1, 1), (1, 3, 1)),
    3: ((1, 1, 1), (2, 1, 2), (1, 1, 1), (1, 2, 1), (1, 1, 1)),
}


@dataclass(frozen=True, slots=True)
class Slot:
    """Eight bytes of the parameter block, or fewer, that are given one value."""

    offset: int
    size: int
    ordinal: int


@dataclass(frozen=True, slots=True)
class Link:
    """A pointer: where it stands, and where it points to: the number of a buffer and a byte inside of it."""

    offset: int
    buffer: int
    inside: int


class Space:
    """Memory of one device, by which pointers are known: (address, bytes) of each buffer."""

    def __init__(self, buffers: Sequence[tuple[int, int]]) -> None:
        self._numbers = sorted(range(len(buffers)), key=lambda k: buffers[k])
        self._starts = np.array([buffers[k][0] for k in self._numbers], np.uint64)
        self._ends = np.array([sum(buffers[k]) for k in self._numbers], np.uint64)

    def links(self, data: Bytes) -> tuple[Link, ...]:
        """The pointers among some bytes, a buffer's end being one too."""
        if not self._starts.size:
            return ()
        words = np.ascontiguousarray(data[: data.size // 8 * 8]).view(np.uint64)
        index = np.searchsorted(self._starts, words, "right").astype(np.int64) - 1
        hits = np.flatnonzero((index >= 0) & (words <= self._ends[np.maximum(index, 0)]))
        return tuple(self._link(int(k), int(words[k]), int(index[k])) for k in hits)

    def _link(self, word: int, value: int, index: int) -> Link:
        return Link(8 * word, self._numbers[index], value - int(self._starts[index]))


def linked(data: Bytes, links: Sequence[Link], addresses: Sequence[int]) -> Bytes:
    """A copy with its pointers in place, given the address of each buffer."""
    placed = data.copy()
    for link in links:
        pointer = addresses[link.buffer] + link.inside
        placed[link.offset : link.offset + 8] = np.frombuffer(pointer.to_bytes(8, "little"), np.uint8)
    return placed


@dataclass(frozen=True, slots=True)
class Stored:
    """Recorded bytes of a module's variable: section of the cubin, offset in it, and pointers among the bytes."""

    section: str
    offset: int
    data: Bytes
    links: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True)
class Buffer:
    """Device memory that a parameter points to.

    Attributes:
        offset: of the pointer in the parameter block; -1 if other memory points there.
        name: for people, unique within the launch.
        data: content before the launch; zeros where pointers go.
        holds: the buffer whose address stands in every eight bytes of this one, -1 for none.
        links: pointers in it.
    """

    offset: int
    name: str
    data: Bytes
    holds: int = -1
    links: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True)
class Launch:
    """A launch whose pointers are not placed yet: ``scalars`` is the parameter block with zeros for them.

    Attributes:
        links: further pointers of the parameter block.
        variables: what the module's variables held when the launch was recorded.
    """

    seed: int
    attempt: int
    grid: Dim3
    block: Dim3
    dynamic_shared: int
    scalars: bytes
    buffers: tuple[Buffer, ...] = field(default=())
    links: tuple[Link, ...] = ()
    variables: tuple[Stored, ...] = ()

    @property
    def warps(self) -> int:
        """Of a CTA."""
        return -(-self.block[0] * self.block[1] * self.block[2] // 32)

    def parameters(self, addresses: Sequence[int]) -> bytes:
        """The parameter block, given the address of each buffer."""
        block = bytearray(self.scalars)
        for buffer, address in zip(self.buffers, addresses, strict=True):
            if buffer.offset >= 0:
                struct.pack_into("<Q", block, buffer.offset, address)
        for link in self.links:
            struct.pack_into("<Q", block, link.offset, addresses[link.buffer] + link.inside)
        return bytes(block)

    def content(self, index: int, addresses: Sequence[int]) -> Bytes:
        """A copy of what the buffer holds before the launch."""
        buffer = self.buffers[index]
        if buffer.holds < 0:
            return linked(buffer.data, buffer.links, addresses)
        return np.full(buffer.data.size // 8, addresses[buffer.holds], np.uint64).view(np.uint8).copy()


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


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a launch could not be used: the kind of fault, and for a bad address where and in what space."""

    kind: str
    address: int = 0
    space: str = ""


@dataclass(slots=True)
class Generator:
    """Launches of one kernel.

    Attributes:
        refused: offsets of eight-byte slots that turned out to be no pointers.
        sizes: bytes of the buffers that need more than usual, by slot offset.
        scale: index into the sizes of integer scalars.
        limit: index into the sizes of values that may be indices.
        cautious: scalars are never arbitrary; contents of unknown use are taken for indices if not all use is known.
        dynamic_shared: bytes.
        threads: most of a CTA; steps go with the number of ways that threads take.
        unfit: numbers of threads with which barriers for a part of the CTA did not come right.
        stalled: launches that were given up, less those that ended.
        longest: steps of the longest that ended.
        races: how much more often threads of a CTA of that shape raced than not; kernels are made for few shapes.
        crowds: the same of launches with several CTAs.
        roomy: large CTAs only, since small ones go through their loops more often.
        followed: offsets of eight-byte slots whose number was once taken for an address.
        repeats: contents repeat, as drawing them takes long.
        rounded: most numbers are multiples of 16, since accesses were misaligned.
    """

    abi: KernelAbi
    hints: Hints
    seed: int = 1
    refused: set[int] = field(default_factory=set)
    sizes: dict[int, int] = field(default_factory=dict)
    scale: int = _USUAL_SCALE
    limit: int = _USUAL_LIMIT
    cautious: bool = False
    dynamic_shared: int = 0
    threads: int = 1024
    unfit: set[int] = field(default_factory=set)
    stalled: int = 0
    longest: int = 0
    races: dict[Dim3, int] = field(default_factory=dict)
    crowds: int = 0
    roomy: bool = False
    followed: set[int] = field(default_factory=set)
    rounded: bool = False
    repeats: bool = False

    def launch(self, attempt: int) -> Launch:
        """The same for the same seed, attempt and what was learnt before."""
        random = np.random.default_rng([self.seed, attempt])
        manner = _MANNERS[attempt % len(_MANNERS)]
        scalars = bytearray(self.abi.param_size)
        buffers: list[Buffer] = []
        for slot in slots(self.abi):
            if slot.size == 8 and self._points(slot):
                self._buffer(random, slot, manner, buffers)
            else:
                scalars[slot.offset : slot.offset + slot.size] = self.scalar(random, slot, manner)
        grid, block = self.shape(attempt)
        return Launch(self.seed, attempt, grid, block, self.dynamic_shared, bytes(scalars), tuple(buffers))

    @contextmanager
    def at_scale(self, scale: int, *, cautious: bool) -> Iterator[None]:
        """Launches with scalars up to that size, with no arbitrary ones if ``cautious``, and made in less time."""
        before = self.scale, self.cautious
        self.repeats = True
        self.scale, self.cautious = min(scale, len(_SCALES) - 1), self.cautious or cautious
        try:
            yield
        finally:
            self.scale, self.cautious = before
            self.repeats = False

    def shape(self, attempt: int) -> tuple[Dim3, Dim3]:
        """Grid and CTA."""
        grids = _GRIDS[self.hints.dimensions] if self.crowds <= 0 else ((1, 1, 1),)
        return grids[attempt % len(grids)], self._block(attempt)

    def _points(self, slot: Slot) -> bool:
        if slot.offset in self.followed:
            return True
        if self.hints.surely_points(slot.offset):
            return slot.offset not in self.refused
        double = self.hints.word(slot.offset).kind is Kind.FLOAT64
        return not double and self.hints.may_point(slot.offset) and slot.offset not in self.refused

    def _buffer(self, random: np.random.Generator, slot: Slot, manner: Manner, buffers: list[Buffer]) -> None:
        facts = self.hints.behind(slot.offset)
        size = self.sizes.get(slot.offset, BUFFER_BYTES)
        name = f"parameter {slot.ordinal} (offset {slot.offset})"
        data = self.content(random, size, facts, manner)
        if not facts.points:
            buffers.append(Buffer(slot.offset, name, data))
            return
        buffers.append(Buffer(slot.offset, name, np.zeros(size, np.uint8), len(buffers) + 1))
        buffers.append(Buffer(-1, f"behind {name}", data))

    def content(self, random: np.random.Generator, size: int, facts: Facts, manner: Manner) -> Bytes:
        """Of a buffer of ``size`` bytes, used as ``facts`` tell."""
        limit = 0
        unknown = facts.indexes or (self.cautious and not self.hints.complete)
        bold = manner is Manner.WILD and not self.cautious and not facts.bounds
        if facts.kind is None and (facts.bounds or unknown) and not bold:
            limit = _INDEX_LIMITS[self.limit]
        sought = facts.bounds and not facts.indexes
        return content.make(
            random, size, facts, manner, limit, self.hints.compared, sought=sought, repeats=self.repeats
        )

    def scalar(self, random: np.random.Generator, slot: Slot, manner: Manner) -> bytes:
        """Of the slot's size."""
        facts = self.hints.word(slot.offset)
        rare = manner is not Manner.TAME and random.random() < 0.15
        if facts.kind in (Kind.FLOAT32, Kind.FLOAT64) and slot.size >= 4:
            value = float(random.choice(_RARE_FLOATS if rare else _FLOATS))
            double = slot.size == 8 and facts.kind is Kind.FLOAT64
            with np.errstate(all="ignore"):
                return struct.pack("<d", value) if double else np.float32(value).tobytes().ljust(slot.size, b"\0")
        free = not (facts.bounds or facts.indexes or self.cautious)
        if self.rounded and random.random() < _ROUNDED:
            free = False
        if free and random.random() < (0.2 if manner is Manner.TAME else 0.5):
            width = int(random.integers(1, 8 * slot.size + 1))
            whole = int.from_bytes(random.bytes(slot.size), "little") & ((1 << width) - 1)
            return (-whole if random.random() < 0.3 else whole).to_bytes(slot.size + 1, "little", signed=True)[:-1]
        if self.hints.compared and slot.size >= 4 and random.random() < _COMPARED:
            near = int(random.choice(self.hints.compared)) + int(random.choice((-1, 0, 0, 0, 1)))
            if free or 0 <= near <= _SCALES[self.scale]:
                return (near & 0xFFFFFFFF).to_bytes(4, "little").ljust(slot.size, b"\0")
        if rare:
            return bytes(slot.size)
        boldness = 0 if self.cautious else _BOLDNESS.get(manner, 0)
        largest = _SCALES[min(self.scale + boldness, len(_SCALES) - 1)]
        fitting = [s for s in _SCALARS if s <= largest]
        drawn = random.random()
        if drawn < _SMALLEST:
            fitting = fitting[:5]
        elif boldness and drawn > 1 - _LARGEST:
            fitting = fitting[-4:]
        value = int(random.choice(fitting))
        if self.rounded and random.random() < _ROUNDED:
            value = -(-value // 16) * 16
        return (value & ((1 << 8 * slot.size) - 1)).to_bytes(slot.size, "little")

    @property
    def most_threads(self) -> int:
        """Of a CTA."""
        # A multiprocessor has 64 K registers and hands them out eight at a time to each lane of a warp.
        warps = _REGISTERS // (32 * max(-(-self.abi.registers // 8) * 8, 8))
        return min(self.abi.max_threads or 1024, self.threads, 32 * max(warps, 1))

    def _block(self, attempt: int) -> Dim3:
        if self.abi.required_threads:
            return self.abi.required_threads
        limit = self.most_threads
        if self.hints.barriers:
            return self._block_for_barriers(attempt, limit)
        shapes = [b for dimensions in range(self.hints.dimensions, 0, -1) for b in _BLOCKS[dimensions]]
        fitting = [b for b in shapes if b[0] * b[1] * b[2] <= limit]
        if not fitting:
            few = min(limit, 32)
            return (few, 1, 1) if self.hints.dimensions == 1 else (-(-few // 2), 2, 1)
        least = min(self.races.get(b, 0) for b in fitting)
        fitting = [b for b in fitting if self.races.get(b, 0) <= max(least, 0)]
        if self.roomy:
            most = max(b[0] * b[1] * b[2] for b in fitting)
            fitting = [b for b in fitting if 4 * b[0] * b[1] * b[2] >= most]
        # Full CTAs first: kernels of a fixed CTA size read what the missing threads would have written.
        fitting.sort(key=lambda b: limit >= 1024 or b[0] * b[1] * b[2] < limit)
        return fitting[attempt % len(fitting)]

    def _block_for_barriers(self, attempt: int, limit: int) -> Dim3:
        """Warps whose number suits named barriers: what they wait for together or at most, and then anything."""
        counts = self.hints.barriers
        sizes = [sum(counts), max(counts), 2 * max(counts), *range(32, 1025, 32)]
        fitting = [n for n in dict.fromkeys(sizes) if 0 < n <= limit and n % 32 == 0 and n not in self.unfit]
        size = fitting[attempt % min(len(fitting), 4)] if fitting else 32
        return (size, 1, 1) if self.hints.dimensions == 1 else (32, size // 32, 1)

    # Learning ----------------------------------------------------------------------------------------------------
    def learn(self, launch: Launch, addresses: Sequence[int], touched: frozenset[int], failure: Failure) -> None:
        """After a launch that went wrong. ``touched``: addresses of the buffers that were accessed."""
        self._doubt_pointers(launch, addresses, touched)
        if failure.kind in ("address", "misaligned") and failure.space != "shared" and self._followed(launch, failure):
            return
        if failure.kind == "misaligned":
            self.rounded = True
        if failure.kind == "budget":
            self.stalled += 1
            if not self.scale and not self.limit:
                # Where threads part, steps go with their number; but most kernels are made for full CTAs.
                self.threads = max(self.threads // 8, 4)
            if self.roomy:
                self.scale = max(self.scale - 1, 0)
                self.limit = max(self.limit - 1, 0)
            self.roomy = True
        elif failure.kind in ("barrier", "deadlock") and self.hints.barriers:
            x, y, z = launch.block
            self.unfit.add(x * y * z)
        elif failure.kind in ("address", "misaligned"):
            roomy = (SHARED_LIMIT - self.abi.static_shared) // 16 * 16
            if failure.space == "shared" and self.dynamic_shared < roomy:
                self.dynamic_shared = roomy if self.dynamic_shared else min(roomy, DYNAMIC_SHARED_BYTES)
            elif failure.space != "global" or not self._grow(launch, addresses, failure.address):
                if self.cautious:  # small numbers may be what is wrong, too
                    self.limit = max(self.limit - 1, 0)
                    self.scale = self.scale - 1 if self.scale else len(_SCALES) - 1
                self.cautious = True

    def _followed(self, launch: Launch, failure: Failure) -> bool:
        """Whether a number was taken for an address: it is a pointer then."""
        pointers = {buffer.offset for buffer in launch.buffers}
        found = {
            slot.offset
            for slot in slots(self.abi)
            if slot.size == 8
            and slot.offset not in pointers
            and 0 <= failure.address - int.from_bytes(launch.scalars[slot.offset :][:8], "little") < BUFFER_BYTES
        }
        self.followed |= found
        self.refused -= found
        return bool(found)

    @property
    def patience(self) -> int:
        """Steps that a launch may take."""
        grown = _SHORTEST * _LONGER ** min(self.stalled, 10)
        return int(min(max(grown, _SLACK_OF_LENGTH * self.longest), _LONGEST))

    def judge(self, launch: Launch, steps: int, *, racing: bool) -> None:
        """After a launch of so many steps that went well, or would have if its threads did not race."""
        self.stalled = max(self.stalled - 1, 0)
        self.longest = max(self.longest, steps)
        change = 1 if racing else -2
        if launch.grid != (1, 1, 1):
            self.crowds += change
        else:
            self.races[launch.block] = self.races.get(launch.block, 0) + change

    def encourage(self) -> None:
        """After launches that went well: larger numbers again, up to the usual, and then bolder ones."""
        self.cautious = self.cautious and self.scale < _USUAL_SCALE
        self.scale = min(self.scale + 1, _USUAL_SCALE)

    def _grow(self, launch: Launch, addresses: Sequence[int], fault: int) -> bool:
        """A fault a little behind a buffer: it must be larger. False if none is near, or it is large already."""
        for buffer, address in zip(launch.buffers, addresses, strict=True):
            behind = fault - (address + buffer.data.size)
            if 0 <= behind < LARGEST_BUFFER and buffer.offset >= 0:
                size = buffer.data.size
                while size <= buffer.data.size + behind:
                    size *= 2
                if size <= LARGEST_BUFFER:
                    self.sizes[buffer.offset] = size
                    return True
        return False

    def _doubt_pointers(self, launch: Launch, addresses: Sequence[int], touched: frozenset[int]) -> None:
        """Slots never used as pointers become integers, in changing combinations."""
        offsets = [buffer.offset for buffer in launch.buffers]
        used = {offset for offset, address in zip(offsets, addresses, strict=True) if address in touched}
        sure = {offset for offset in offsets if offset < 0 or self.hints.surely_points(offset)}
        sure |= self.followed
        doubtful = [offset for offset in [*offsets, *self.refused] if offset not in used and offset not in sure]
        random = np.random.default_rng([self.seed, launch.attempt, 7])
        self.refused = {o for o in doubtful if launch.attempt == 0 or random.random() < 0.5}
