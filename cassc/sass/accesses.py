"""Memory of the reference interpreter: loads, stores and atomic operations of the executing lanes."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from cassc import diag
from cassc.sass import rounding as soft
from cassc.sass.arithmetic import Arithmetic
from cassc.sass.builder import BF16, F16, F32, I1, I32, I64, Scope, Space, Type, Value
from cassc.sass.lanes import DTYPE, INTEGER, UNSIGNED, WINDOW_SIZE, WINDOWS, Lanes, Mask
from cassc.sass.memory import Memory
from cassc.sass.races import Races
from cassc.sass.rounding import Array
from cassc.sass.surroundings import Surroundings


class Accesses(Arithmetic):
    """The operations of `Builder` on memory. ``mask`` are the executing lanes."""

    def __init__(self, surroundings: Surroundings | None, lanes: int) -> None:
        super().__init__(lanes)
        self.mask: Mask = np.ones(lanes, bool)
        self.changed = False  # memory was written since it was reset
        self.races: Races | None = None
        # Shuffles the lanes of an atomic operation, whose order is nobody's to rely on; None: ascending.
        self.shuffler: random.Random | None = None
        self._around = surroundings
        self._bank_words: dict[tuple[int, int, int, bool], Lanes] = {}

    @property
    def around(self) -> Surroundings:
        if self._around is None:
            raise diag.error("sass-no-surroundings", "memory and launch state need a launch")
        return self._around

    # Constant banks ----------------------------------------------------------------------------------------------
    def constant(self, bank: int, offset: Value | int, size: int, *, signed: bool = False) -> Lanes:
        memory = self.around.bank(bank)
        if isinstance(offset, int):
            # Banks do not change during a launch.
            known = self._bank_words.get((bank, offset, size, signed))
            if known is None:
                data = np.full(self.lanes, memory.read_int(offset, size), np.uint64)
                known = self._bank_words[bank, offset, size, signed] = self._extended(data, size, signed)
            return known
        assert isinstance(offset, Lanes)
        values = np.zeros(self.lanes, np.uint64)
        if self.mask.any():
            values[self.mask] = memory.read(offset.data[self.mask].astype(np.uint64), size)
        return self._extended(values, size, signed)

    def _extended(self, values: NDArray[np.uint64], size: int, signed: bool) -> Lanes:
        if size == 8:
            return Lanes(I64, values)
        if size < 4:
            narrow = Lanes(INTEGER[size * 8], values.astype(UNSIGNED[size * 8]))
            return self.sext(narrow, I32) if signed else self.zext(narrow, I32)
        return Lanes(I32, values.astype(np.uint32))

    # Memory ------------------------------------------------------------------------------------------------------
    def _targets(
        self, space: Space, address: Lanes, where: Mask | None = None
    ) -> list[tuple[Memory, NDArray[np.intp], NDArray[np.uint64]]]:
        """Groups of executing lanes by memory: (memory, lanes, addresses)."""
        lanes = np.flatnonzero(self.mask if where is None else self.mask & where)
        if not lanes.size:
            return []
        addresses = address.data[lanes]
        if space is not Space.GENERIC:
            return [(self.around.memory(space), lanes, self.around.locate(space, addresses, lanes))]
        groups = []
        remaining = np.ones(lanes.size, bool)
        for window in (Space.SHARED, Space.LOCAL):
            base = np.uint64(WINDOWS[window])
            inside = (addresses >= base) & (addresses < base + np.uint64(WINDOW_SIZE))
            if inside.any():
                offsets = (addresses[inside] - base).astype(np.uint32)
                located = self.around.locate(window, offsets, lanes[inside])
                groups.append((self.around.memory(window), lanes[inside], located))
                remaining &= ~inside
        if remaining.any():
            groups.append((self.around.memory(Space.GLOBAL), lanes[remaining], addresses[remaining]))
        return groups

    def _watch_stores(
        self, groups: list[tuple[Memory, NDArray[np.intp], NDArray[np.uint64]]], values: Array, size: int
    ) -> None:
        """Stores that change nothing are no writes for those that read at the same time."""
        if self.races is None:
            return
        for memory, lanes, addresses in groups:
            memory._locate(addresses, size, True)
            new = np.ascontiguousarray(values[lanes]).view(np.uint8).reshape(lanes.size, size)
            old = np.ascontiguousarray(memory.read(addresses, size)).view(np.uint8).reshape(lanes.size, -1)[:, :size]
            silent = (new == old).all(axis=1)
            for part, writes in ((silent, None), (~silent, new[~silent])):
                if part.any():
                    self.races.record_store(memory, lanes[part], addresses[part], size, writes)

    def load(
        self,
        space: Space,
        address: Lanes,
        size: int,
        *,
        signed: bool = False,
        volatile: bool = False,
        where: Lanes | None = None,
    ) -> tuple[Lanes, ...]:
        groups = self._targets(space, address, None if where is None else where.data)
        if self.races is not None:
            for memory, lanes, addresses in groups:
                self.races.record_load(memory, lanes, addresses, size)
        if size == 16:
            quads = np.zeros((self.lanes, 2), np.uint64)
            for memory, lanes, addresses in groups:
                quads[lanes] = memory.read(addresses, 16)
            words = quads.view(np.uint32)
            return tuple(Lanes(I32, np.ascontiguousarray(words[:, k])) for k in range(4))
        values = np.zeros(self.lanes, np.uint64)
        for memory, lanes, addresses in groups:
            values[lanes] = memory.read(addresses, size)
        result = self._extended(values, size, signed)
        return (self.lo(result), self.hi(result)) if size == 8 else (result,)

    def store(
        self, space: Space, address: Lanes, words: tuple[Lanes, ...], size: int, *, volatile: bool = False
    ) -> None:
        groups = self._targets(space, address)
        self.changed = True
        if size < 4:
            values: Array = words[0].data.astype(UNSIGNED[size * 8])
        elif size == 4:
            values = words[0].data
        else:
            values = np.stack([w.data for w in words], axis=1)
        self._watch_stores(groups, values, size)
        for memory, lanes, addresses in groups:
            memory.write(addresses, values[lanes], size)

    def _each(self, space: Space, address: Lanes, type: Type, change: Callable[[int, int], int | None]) -> Lanes:
        """Lane after lane: old value, ``change(lane, old)`` written unless None."""
        old = np.zeros(self.lanes, UNSIGNED[type.bits])

        def kept(lane: int, value: int) -> int | None:
            old[lane] = value
            return change(lane, value)

        self._one_by_one(space, address, type.bits // 8, kept)
        return Lanes(type, old.view(DTYPE[type]))

    def _one_by_one(self, space: Space, address: Lanes, size: int, change: Callable[[int, int], int | None]) -> None:
        self.changed = True
        for memory, lanes, addresses in self._targets(space, address):
            places = list(zip(lanes.tolist(), addresses.tolist(), strict=True))
            if self.shuffler is not None:
                self.shuffler.shuffle(places)
            for lane, place in places:
                new = change(lane, memory.read_int(place, size))
                if new is not None:
                    memory.write_int(place, new, size)

    def atomic(self, space: Space, op: str, address: Lanes, x: Lanes, scope: Scope, *, returns: bool) -> Lanes:
        halves = _PACKED_ADDS.get(op)
        if halves is not None:
            return self._each(space, address, I32, lambda lane, old: _packed_sum(int(x.data[lane]), old, halves))
        if op == "fadd" and not returns and self.shuffler is not None and self.shuffler.random() < 0.5:
            x = self._combined(space, address, x)
        if op == "fadd":
            for memory, lanes, addresses in self._targets(space, address):
                memory.note_additions(addresses, x.data[lanes])
            return self._each(space, address, x.type, lambda lane, old: self._float_sum(x, lane, old))
        at_once = _AT_ONCE.get(op)
        if at_once is not None:
            old = self._distinct(space, address, x, at_once)
            if old is not None:
                return old
        bits = x.type.bits
        operands = x.data.tolist()
        return self._each(space, address, x.type, lambda lane, old: _ATOMIC[op](old, operands[lane], bits))

    def _distinct(
        self, space: Space, address: Lanes, x: Lanes, change: Callable[[Array, Array], Array]
    ) -> Lanes | None:
        """All lanes at once, where no two have the same address; else None."""
        groups = self._targets(space, address)
        if any(np.unique(addresses).size < addresses.size for _, _, addresses in groups):
            return None
        self.changed = True
        old = np.zeros(self.lanes, x.data.dtype)
        for memory, lanes, addresses in groups:
            old[lanes] = memory.read(addresses, x.type.bits // 8)
            memory.write(addresses, change(old[lanes], x.data[lanes]), x.type.bits // 8)
        return Lanes(x.type, old)

    def _combined(self, space: Space, address: Lanes, x: Lanes) -> Lanes:
        """Summands such that one of the lanes with the same address adds what all of them add, and the others zero: as
        a compiler or the hardware may do it, where no lane asks for the old value."""
        assert self.shuffler is not None
        summands = x.data.copy()
        for _, lanes, addresses in self._targets(space, address):
            for place in np.unique(addresses).tolist():
                first, *others = self._shuffled(lanes[addresses == place].tolist())
                for other in others:
                    bits = summands[first : first + 1].view(UNSIGNED[x.type.bits])
                    summed = self._float_sum(Lanes(x.type, summands), other, int(bits[0]))
                    bits[0] = summed
                    summands[other] = -0.0
        return Lanes(x.type, summands)

    def _shuffled(self, lanes: list[int]) -> list[int]:
        if self.shuffler is not None:
            self.shuffler.shuffle(lanes)
        return lanes

    def _float_sum(self, x: Lanes, lane: int, old: int) -> int:
        """Atomic additions of floats flush denormals, on both sides; those of doubles do not."""
        before = np.array([old], UNSIGNED[x.type.bits]).view(DTYPE[x.type])
        one = x.data[lane : lane + 1]
        if x.type is F32:
            before, one = self.flush(Lanes(F32, before)).data, self.flush(Lanes(F32, one)).data
        after = soft.add(before, one, x.type)
        if x.type is F32:
            after = self.flush(Lanes(F32, after)).data
        return int(after.view(UNSIGNED[x.type.bits])[0])

    def compare_exchange(self, space: Space, address: Lanes, expected: Lanes, x: Lanes, scope: Scope) -> Lanes:
        wanted, new = expected.data.tolist(), x.data.tolist()
        return self._each(space, address, x.type, lambda lane, old: new[lane] if old == wanted[lane] else None)

    def exchange_wide(
        self, space: Space, address: Lanes, expected: tuple[Lanes, ...] | None, words: tuple[Lanes, ...]
    ) -> tuple[Lanes, ...]:
        new = np.stack([w.data for w in words], axis=1)
        wanted = None if expected is None else np.stack([w.data for w in expected], axis=1)
        old = np.zeros((self.lanes, 4), np.uint32)

        def change(lane: int, before: int) -> int | None:
            held = before.to_bytes(16, "little")
            old[lane] = np.frombuffer(held, np.uint32)
            if wanted is not None and held != wanted[lane].tobytes():
                return None
            return int.from_bytes(new[lane].tobytes(), "little")

        self._one_by_one(space, address, 16, change)
        return tuple(Lanes(I32, np.ascontiguousarray(old[:, k])) for k in range(4))

    def update(self, space: Space, type: Type, address: Lanes, change: Callable[[Lanes], Lanes], scope: Scope) -> Lanes:
        def changed(lane: int, old: int) -> int:
            everywhere = np.full(self.lanes, old, UNSIGNED[type.bits])
            return int(change(Lanes(type, everywhere)).data[lane])

        return self._each(space, address, type, changed)

    def synchronised(self, where: Lanes) -> None:
        if self.races is not None and (self.mask & where.data).any():
            self.races.barrier()

    def in_space(self, space: Space, address: Lanes) -> Lanes:
        inside = {
            window: (address.data >= np.uint64(base)) & (address.data < np.uint64(base + WINDOW_SIZE))
            for window, base in WINDOWS.items()
        }
        if space in inside:
            return Lanes(I1, inside[space])
        return Lanes(I1, ~(inside[Space.SHARED] | inside[Space.LOCAL]))

    def fence(self, scope: Scope) -> None:
        """Lanes and warps run one after another: memory is always consistent."""


_PACKED_ADDS = {"fadd_f16x2": F16, "fadd_bf16x2": BF16}


def _packed_sum(x: int, y: int, type: Type) -> int:
    """Two packed halves, added each for itself."""
    halves = [np.array([v & 0xFFFF, v >> 16], np.uint16).view(DTYPE[type]) for v in (x, y)]
    total = soft.add(halves[0], halves[1], type).view(np.uint16)
    return int(total[0]) | int(total[1]) << 16


def _as_signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> (bits - 1) else value


_ATOMIC: dict[str, Callable[[int, int, int], int]] = {
    "add": lambda old, x, bits: (old + x) & ((1 << bits) - 1),
    "umin": lambda old, x, bits: min(old, x),
    "umax": lambda old, x, bits: max(old, x),
    "smin": lambda old, x, bits: old if _as_signed(old, bits) <= _as_signed(x, bits) else x,
    "smax": lambda old, x, bits: old if _as_signed(old, bits) >= _as_signed(x, bits) else x,
    "inc": lambda old, x, bits: 0 if old >= x else old + 1,
    "dec": lambda old, x, bits: x if old == 0 or old > x else old - 1,
    "and": lambda old, x, bits: old & x,
    "or": lambda old, x, bits: old | x,
    "xor": lambda old, x, bits: old ^ x,
    "exch": lambda old, x, bits: x,
}


_AT_ONCE: dict[str, Callable[[Array, Array], Array]] = {
    "add": np.add, "umin": np.minimum, "umax": np.maximum, "and": np.bitwise_and, "or": np.bitwise_or,
    "xor": np.bitwise_xor, "exch": lambda old, x: x,
}  # fmt: skip
