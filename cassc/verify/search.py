"""Launches that are looked for rather than drawn: of those that went well some are changed, so that comparisons come
out otherwise and branches go their other ways.

Where a comparison was never seen with its operands equal, or one way round, the numbers that met in it are looked up
among the launch's scalars and in its buffers, and put next to each other. (Fuzzers call this input-to-state
correspondence.) Other changes are made at random.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from cassc.sass.disasm import SassFunction
from cassc.verify import comparisons, content, inputs
from cassc.verify.comparisons import EQUAL, GREATER, LESS, Comparisons, Numbers, Seen
from cassc.verify.content import Bytes, Manner
from cassc.verify.coverage import Coverage
from cassc.verify.flow import Facts
from cassc.verify.inputs import Buffer, Dim3, Generator, Launch, Slot

_DRAWN_FIRST = 3
"""Launches before the first that is looked for."""
_DRAWN = 0.5
"""Share of drawn launches among the others."""
_TRIES = 6
"""How often a relation of one comparison is tried."""
_MOST_QUEUED = 16
_NEAR = 2
_MULTIPLES = tuple(1 << k for k in range(1, 11))
_LARGEST_BOUND = 6000
_MOST_CTAS = 48
_FEW = 16
_MOST_SEEDS = 24
_MANNERS = (Manner.MIXED, Manner.EDGES, Manner.TAME, Manner.WILD)
Random = np.random.Generator
Change = Callable[[], Launch | None]


@dataclass(frozen=True, slots=True)
class _Idea:
    """A launch that may bring a comparison into a relation."""

    address: int
    relation: int
    launch: Launch


@dataclass(slots=True)
class Search:
    """Attributes:
    seeds: launches that went well and showed something new.
    stale: launches since the last that showed something new.
    drawn: launches that were drawn.
    """

    function: SassFunction
    generator: Generator
    coverage: Coverage
    comparisons: Comparisons
    seeds: list[Launch] = field(default_factory=list)
    stale: int = 0
    drawn: int = 0
    _queue: list[_Idea] = field(default_factory=list)
    _tried: Counter[tuple[int, int]] = field(default_factory=Counter)
    _known: int = 0
    _nearest: dict[tuple[int, int], float] = field(default_factory=dict)

    def launch(self, attempt: int) -> tuple[Launch, bool]:
        """The next launch, and whether it was drawn rather than looked for."""
        random = np.random.default_rng([self.generator.seed, attempt, 11])
        if attempt >= _DRAWN_FIRST and self.seeds and random.random() >= _DRAWN:
            found = self._planned() or self._varied(random)
            if found is not None:
                return replace(found, attempt=attempt, seed=self.generator.seed), False
        self.drawn += 1
        return replace(self.generator.launch(self.drawn - 1), attempt=attempt), True

    def succeeded(self, launch: Launch, *, new: bool) -> None:
        """After a launch that went well. ``new``: it reached code or sides of branches that none had."""
        total = self.comparisons.total
        new |= total > self._known
        self._known = total
        self.stale = 0 if new else self.stale + 1
        urgent: set[int] = set()
        for branch, _ in self.coverage.missed:
            urgent |= comparisons.deciding(self.function, branch)
        if new | self._nearer(urgent) or not self.seeds:
            self.seeds = [*self.seeds, launch][-_MOST_SEEDS:]
        self._plan(launch, urgent)

    def prefer(self, launch: Launch) -> None:
        """The launch showed what others did not: changes of it may, too."""
        if not self.seeds or launch is not self.seeds[-1]:
            self.seeds = [*self.seeds, launch][-_MOST_SEEDS:]

    def _nearer(self, urgent: set[int]) -> bool:
        """Whether comparisons that branches wait for came nearer to what they have not been."""
        found = False
        for address in urgent:
            seen = self.comparisons.seen[address]
            for relation, far in seen.nearest.items():
                if not seen.relations & relation and far < self._nearest.get((address, relation), np.inf):
                    self._nearest[address, relation] = far
                    found = True
        return found

    # Comparisons -------------------------------------------------------------------------------------------------
    def _planned(self) -> Launch | None:
        while self._queue:
            idea = self._queue.pop(0)
            if not self.comparisons.seen[idea.address].relations & idea.relation:
                return idea.launch
        return None

    def _plan(self, launch: Launch, urgent: set[int]) -> None:
        """Queue changes of a launch whose comparisons have just been watched."""
        random = np.random.default_rng([self.generator.seed, launch.attempt, 13])
        wanted = [
            (address, seen, relation)
            for address, seen in self.comparisons.seen.items()
            for relation in comparisons.RELATIONS
            if seen.pairs and not seen.relations & relation and self._tried[address, relation] < _TRIES
        ]
        random.shuffle(wanted)
        wanted.sort(key=lambda one: (one[0] not in urgent, self._tried[one[0], one[2]]))
        for address, seen, relation in wanted:
            if len(self._queue) >= _MOST_QUEUED:
                return
            made = self._related(random, launch, seen, relation)
            if made is not None:
                self._tried[address, relation] += 1
                idea = _Idea(address, relation, made)
                self._queue = [idea, *self._queue] if address in urgent else [*self._queue, idea]

    def _related(self, random: Random, launch: Launch, seen: Seen, relation: int) -> Launch | None:
        a, b = seen.pairs[int(random.integers(len(seen.pairs)))]
        mirrored = {LESS: GREATER, EQUAL: EQUAL, GREATER: LESS}[relation]
        changes = [
            *self._changes(random, launch, seen.numbers, a, _beside(seen.numbers, b, relation)),
            *self._changes(random, launch, seen.numbers, b, _beside(seen.numbers, a, mirrored)),
        ]
        if not changes:
            return None
        likely = np.array([weight for weight, _ in changes])
        return changes[int(random.choice(len(changes), p=likely / likely.sum()))][1]()

    def _changes(
        self, random: Random, launch: Launch, numbers: Numbers, old: int, new: int | None
    ) -> Iterator[tuple[float, Change]]:
        """Ways to have ``new`` where the kernel had ``old`` (bits of a number), and how promising they are."""
        if new is None or new == old:
            return
        size = 8 if numbers is Numbers.DOUBLE else 4
        pointers = {buffer.offset for buffer in launch.buffers}
        for slot in inputs.slots(self.generator.abi):
            if slot.offset in pointers:
                continue
            for value in self._scalars(launch, slot, numbers, old, new):
                yield 2.0, lambda slot=slot, value=value: _with_scalar(launch, slot, value)  # type: ignore[misc]
        if size == 4:
            for change in self._shapes(launch, old, new):
                yield 1.0, change
        for index, buffer in enumerate(launch.buffers):
            if buffer.holds >= 0 or buffer.links:
                continue
            narrow = self._facts(launch, index).sizes
            element = min(narrow & {1, 2, 4, 8}, default=size) if numbers is not Numbers.DOUBLE else 8
            element = min(element, size)
            if element < 4 and max(old, new) >= 1 << 8 * element:
                continue
            words = buffer.data.view({1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}[element])
            places = np.flatnonzero(words == old)
            if places.size:
                rare = 1.0 if places.size <= _FEW else 0.3
                yield rare, lambda i=index, p=places, e=element: _with_words(random, launch, i, e, p, new)  # type: ignore[misc]

    def _shapes(self, launch: Launch, old: int, new: int) -> Iterator[Change]:
        """Grids and CTAs so large that an index may be ``new``, or that have that size."""
        grid, block, abi = launch.grid, launch.block, self.generator.abi
        for axis in range(self.generator.hints.dimensions):
            if old <= grid[axis]:
                made = _with_axis(grid, axis, new + (old < grid[axis]))
                if 0 < made[0] * made[1] * made[2] <= _MOST_CTAS:
                    yield lambda made=made: replace(launch, grid=made)  # type: ignore[misc]
            for size in (1, 32) if not abi.required_threads else ():  # threads, warps
                made = _with_axis(block, axis, size * (new + (size * old < block[axis])))
                threads = made[0] * made[1] * made[2]
                if size * old <= block[axis] and 0 < threads <= min(abi.max_threads or 1024, 1024):
                    yield lambda made=made: replace(launch, block=made)  # type: ignore[misc]

    def _scalars(self, launch: Launch, slot: Slot, numbers: Numbers, old: int, new: int) -> Iterator[int]:
        """What the slot would hold; its value is ``old``, or near it, or a multiple."""
        value = int.from_bytes(launch.scalars[slot.offset : slot.offset + slot.size], "little")
        if numbers in (Numbers.SINGLE, Numbers.DOUBLE):
            if value == old and slot.size == (8 if numbers is Numbers.DOUBLE else 4):
                yield new
            return
        facts = self.generator.hints.word(slot.offset)
        wanted = []
        distance = _signed(value - old)
        if abs(distance) <= _NEAR:
            wanted.append(_signed(new) + distance)
        wanted += [_signed(new) * k for k in _MULTIPLES if value and value == old * k]
        wanted += [_signed(new) // k for k in _MULTIPLES if value and value * k == old]
        wanted += [_signed(new) * k for k in _MULTIPLES if old and value // k == old]
        for one in dict.fromkeys(wanted):
            if (facts.bounds or facts.indexes) and not 0 <= one <= _LARGEST_BOUND:
                continue
            yield one & (1 << 8 * slot.size) - 1

    # Changes at random -------------------------------------------------------------------------------------------
    def _varied(self, random: Random) -> Launch | None:
        seed = self.seeds[int(len(self.seeds) * random.random() ** 0.5)]
        for _ in range(int(random.integers(1, 4))):
            changes = (
                self._other_scalar,
                self._refilled,
                self._sprinkled,
                self._sprinkled,
                self._ordered,
                self._reshaped,
                self._crossed,
            )
            seed = changes[int(random.integers(len(changes)))](random, seed)
        return seed

    def _facts(self, launch: Launch, index: int) -> Facts:
        """Of a buffer's content."""
        offset = launch.buffers[index].offset
        if offset < 0 and index:
            offset = launch.buffers[index - 1].offset
        return self.generator.hints.behind(offset)

    def _other_scalar(self, random: Random, launch: Launch) -> Launch:
        pointers = {buffer.offset for buffer in launch.buffers}
        free = [slot for slot in inputs.slots(self.generator.abi) if slot.offset not in pointers]
        if not free:
            return launch
        slot = free[int(random.integers(len(free)))]
        value = int.from_bytes(launch.scalars[slot.offset : slot.offset + slot.size], "little")
        near = (value + 1, value - 1, 2 * value, value // 2, 0, -value)
        drawn = int(random.integers(2 * len(near)))
        if drawn < len(near):
            return _with_scalar(launch, slot, near[drawn] & (1 << 8 * slot.size) - 1)
        made = self.generator.scalar(random, slot, _MANNERS[int(random.integers(len(_MANNERS)))])
        return _with_scalar(launch, slot, int.from_bytes(made, "little"))

    def _plain(self, random: Random, launch: Launch) -> int | None:
        """A buffer that holds numbers."""
        fitting = [k for k, buffer in enumerate(launch.buffers) if buffer.holds < 0 and not buffer.links]
        return fitting[int(random.integers(len(fitting)))] if fitting else None

    def _refilled(self, random: Random, launch: Launch) -> Launch:
        index = self._plain(random, launch)
        if index is None:
            return launch
        manner = _MANNERS[int(random.integers(len(_MANNERS)))]
        made = self.generator.content(random, launch.buffers[index].data.size, self._facts(launch, index), manner)
        return _with_buffer(launch, index, made)

    def _sprinkled(self, random: Random, launch: Launch) -> Launch:
        """Some words become another's, another's neighbour, an extreme, or all of them sorted."""
        index = self._plain(random, launch)
        if index is None:
            return launch
        facts = self._facts(launch, index)
        element = min(facts.sizes & {1, 2, 4, 8}, default=4)
        data = launch.buffers[index].data.copy()
        words = data.view({1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}[element])
        # Most kernels look at the beginning of a buffer only.
        reach = min(words.size, (64, 1024, words.size)[int(random.integers(3))])
        if random.random() < 0.1:
            words[:reach].sort()
            return _with_buffer(launch, index, data)
        places = random.integers(0, reach, (1, 8, 64)[int(random.integers(3))])
        others: Any = words[random.integers(0, reach, places.size)]
        way = int(random.integers(4))
        if way == 0:
            others = others + words.dtype.type(1)
        elif way == 1:
            others = words[places] - words.dtype.type(1)
        elif way == 2 and not (facts.indexes or facts.bounds):
            others = content.make(random, 8 * places.size, facts, Manner.EDGES, 0, self.generator.hints.compared)
            others = others.view(words.dtype)[: places.size]
        words[places] = others
        return _with_buffer(launch, index, data)

    def _ordered(self, random: Random, launch: Launch) -> Launch:
        """Words become their own numbers, or a permutation of them, or another buffer's: what tables refer to."""
        index = self._plain(random, launch)
        if index is None:
            return launch
        element = min(self._facts(launch, index).sizes & {1, 2, 4, 8}, default=4)
        data = launch.buffers[index].data.copy()
        words = data.view({1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}[element])
        reach = min(words.size, (64, 1024, words.size)[int(random.integers(3))])
        way = int(random.integers(3))
        other = self._plain(random, launch)
        if way == 2 and other is not None and other != index:
            source = launch.buffers[other].data.view(words.dtype)[:reach]
        else:
            source = np.arange(reach).astype(words.dtype)
            if way == 1:
                random.shuffle(source)
        chosen = random.random(source.size) < (0.3, 0.9, 1.0)[int(random.integers(3))]
        words[: source.size][chosen] = source[chosen]
        return _with_buffer(launch, index, data)

    def _reshaped(self, random: Random, launch: Launch) -> Launch:
        other = self.generator.shape(int(random.integers(64)))
        return replace(launch, grid=other[0]) if random.random() < 0.5 else replace(launch, block=other[1])

    def _crossed(self, random: Random, launch: Launch) -> Launch:
        """Its numbers, and another launch's memory."""
        other = self.seeds[int(random.integers(len(self.seeds)))]
        if [b.offset for b in other.buffers] != [b.offset for b in launch.buffers]:
            return launch
        return replace(launch, buffers=other.buffers)


def _with_axis(sizes: Dim3, axis: int, size: int) -> Dim3:
    x, y, z = (size if k == axis else one for k, one in enumerate(sizes))
    return x, y, z


def _signed(value: int) -> int:
    """Of the low 32 bits."""
    value &= 0xFFFFFFFF
    return value - (value >> 31 << 32)


def _beside(numbers: Numbers, bits: int, relation: int) -> int | None:
    """The bits of a number that stands in a relation to another, as near as can be; None where there is none."""
    if numbers in (Numbers.SIGNED, Numbers.UNSIGNED):
        return bits + {LESS: -1, EQUAL: 0, GREATER: 1}[relation] & 0xFFFFFFFF
    whole = np.uint64 if numbers is Numbers.DOUBLE else np.uint32
    value = np.array([bits], whole).view(numbers.value)
    if not np.isfinite(value[0]):
        return None
    towards = {LESS: -np.inf, EQUAL: value[0], GREATER: np.inf}[relation]
    with np.errstate(over="ignore", under="ignore"):
        return int(np.nextafter(value, numbers.value(towards)).view(whole)[0])


def _with_scalar(launch: Launch, slot: Slot, value: int) -> Launch:
    made = value.to_bytes(slot.size, "little")
    return replace(launch, scalars=launch.scalars[: slot.offset] + made + launch.scalars[slot.offset + slot.size :])


def _with_buffer(launch: Launch, index: int, data: Bytes) -> Launch:
    made: list[Buffer] = list(launch.buffers)
    made[index] = replace(made[index], data=data)
    return replace(launch, buffers=tuple(made))


def _with_words(random: Random, launch: Launch, index: int, element: int, places: Any, new: int) -> Launch:
    """Of several places about half get the new value, so that comparisons come out both ways."""
    data = launch.buffers[index].data.copy()
    words = data.view({1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}[element])
    chosen = places[random.random(places.size) < 0.5] if places.size > 2 else places
    words[chosen] = new
    return _with_buffer(launch, index, data)
