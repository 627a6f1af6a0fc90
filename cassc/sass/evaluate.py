"""Evaluate: the reference builder, over the lanes of one or more warps as numpy vectors.

A value is a vector of unsigned integers, of booleans (I1), or of floats (BF16: uint16 patterns). What a lane outside
the mask holds is meaningless. Floating-point results are exact; `mufu` is NVIDIA's, bit for bit. Callers
switch numpy's floating-point warnings off (``np.errstate``).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from cassc import diag
from cassc.sass import rounding as soft
from cassc.sass import tensor_sum
from cassc.sass.builder import BF16, F16, F32, F64, I1, I8, I16, I32, I64, RN, RZ, Scope, Space, Type, Value
from cassc.sass.memory import Memory
from cassc.sass.mufu import approximate
from cassc.sass.races import Races
from cassc.sass.rounding import Array

Mask = NDArray[np.bool_]

WARP = 32
BITS = np.uint32(1) << np.arange(WARP, dtype=np.uint32)

_DTYPE: dict[Type, type[np.generic]] = {
    I1: np.bool_, I8: np.uint8, I16: np.uint16, I32: np.uint32, I64: np.uint64,
    F16: np.float16, BF16: np.uint16, F32: np.float32, F64: np.float64,
}  # fmt: skip
_SIGNED = {I8: np.int8, I16: np.int16, I32: np.int32, I64: np.int64}
_UNSIGNED_BY_BITS = {8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}
_INTEGER_BY_BITS = {8: I8, 16: I16, 32: I32, 64: I64}
_SIGN_BIT = {F16: 0x8000, BF16: 0x8000, F32: 1 << 31, F64: 1 << 63}


class Lanes:
    """One value per lane."""

    __slots__ = ("data", "type")

    def __init__(self, type: Type, data: Array) -> None:
        self.type = type
        self.data = data

    def __bool__(self) -> bool:
        raise TypeError("a meaning may not branch on a value; use Builder.select")

    def __repr__(self) -> str:
        return f"Lanes({self.type.name}, {self.data!r})"


class BarrierWait(Exception):
    """Raised by barriers for the lanes that execute them; the driver executes the instruction again when released.

    Attributes:
        id, threads: in each lane the barrier, and how many threads it waits for (0: all of the CTA).
        arrive: the lanes only count, and do not wait.
        vote: the I1 operand of a reduction, or None.
    """

    def __init__(self, id: Array, threads: Array, vote: Mask | None = None, *, arrive: bool = False) -> None:
        super().__init__()
        self.id = id
        self.threads = threads
        self.vote = vote
        self.arrive = arrive


class Trap(Exception):
    """The kernel ended itself, or did what ends it (`Builder.trap`)."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.kind = kind


class Surroundings(Protocol):
    """What the lanes stand in. The arithmetic needs none of it."""

    def special(self, name: str) -> Array | int: ...
    def bank(self, bank: int) -> Memory: ...
    def textures(self) -> int:
        """Address of the table of texture descriptors."""

    def memory(self, space: Space) -> Memory: ...
    def locate(self, space: Space, addresses: Array, lanes: NDArray[np.intp]) -> NDArray[np.uint64]:
        """Addresses as the memory of the space knows them (local memory: one slice for each thread)."""

    def passed(self) -> tuple[Array, Array] | None:
        """In each lane (threads whose vote was true, all threads) if they have passed the barrier, else None."""


class Evaluate:
    """Implements `Builder`. ``mask`` are the executing lanes; set it before each instruction."""

    def __init__(self, surroundings: Surroundings | None = None, lanes: int = 32) -> None:
        self.lanes = lanes
        self.mask: Mask = np.ones(lanes, bool)
        self.slept: Mask = np.zeros(lanes, bool)  # lanes that have slept since it was emptied
        self.changed = False  # memory was written since it was reset
        self.races: Races | None = None
        # Shuffles the lanes of an atomic operation, whose order is nobody's to rely on; None: ascending.
        self.shuffler: random.Random | None = None
        self.chained = False  # sums of products are rounded one after the other, as other devices do it
        self.group: Array | None = None  # in each lane, mask of those that it joins in exchanges; None: all executing
        self._around = surroundings
        self._constants: dict[tuple[Type, int], Lanes] = {}
        self._bank_words: dict[tuple[int, int, int, bool], Lanes] = {}
        self._barrier_count = np.zeros(lanes, np.uint32)
        self._barrier_truth = np.zeros(lanes, bool)

    @property
    def around(self) -> Surroundings:
        if self._around is None:
            raise diag.error("sass-no-surroundings", "memory and launch state need a launch")
        return self._around

    # Constants and width -----------------------------------------------------------------------------------------
    def const(self, type: Type, bits: int) -> Lanes:
        bits &= (1 << type.bits) - 1
        known = self._constants.get((type, bits))
        if known is None:
            if type is I1:
                data: Array = np.full(self.lanes, bool(bits))
            else:
                data = np.full(self.lanes, bits, _UNSIGNED_BY_BITS[type.bits]).view(_DTYPE[type])
            data.flags.writeable = False
            known = self._constants[type, bits] = Lanes(type, data)
        return known

    def zext(self, x: Lanes, type: Type) -> Lanes:
        return Lanes(type, x.data.astype(_DTYPE[type]))

    def sext(self, x: Lanes, type: Type) -> Lanes:
        if x.type is I1:
            return Lanes(type, np.where(x.data, _all_ones(type), _DTYPE[type](0)))
        return Lanes(type, x.data.view(_SIGNED[x.type]).astype(_SIGNED[type]).view(_DTYPE[type]))

    def trunc(self, x: Lanes, type: Type) -> Lanes:
        if type is I1:
            return Lanes(I1, (x.data & x.data.dtype.type(1)) != 0)
        return Lanes(type, x.data.astype(_DTYPE[type]))

    def bitcast(self, x: Lanes, type: Type) -> Lanes:
        return Lanes(type, x.data.view(_DTYPE[type]))

    def lo(self, x: Lanes) -> Lanes:
        return Lanes(I32, x.data.astype(np.uint32))

    def hi(self, x: Lanes) -> Lanes:
        return Lanes(I32, (x.data >> np.uint64(32)).astype(np.uint32))

    def pair(self, lo: Lanes, hi: Lanes) -> Lanes:
        return Lanes(I64, lo.data.astype(np.uint64) | (hi.data.astype(np.uint64) << np.uint64(32)))

    # Integers ----------------------------------------------------------------------------------------------------
    def add(self, x: Lanes, y: Lanes) -> Lanes:
        return Lanes(x.type, x.data ^ y.data if x.type is I1 else x.data + y.data)

    def sub(self, x: Lanes, y: Lanes) -> Lanes:
        return Lanes(x.type, x.data ^ y.data if x.type is I1 else x.data - y.data)

    def mul(self, x: Lanes, y: Lanes) -> Lanes:
        return Lanes(x.type, x.data & y.data if x.type is I1 else x.data * y.data)

    def neg(self, x: Lanes) -> Lanes:
        return x if x.type is I1 else Lanes(x.type, np.negative(x.data))

    def and_(self, x: Lanes, y: Lanes) -> Lanes:
        return Lanes(x.type, x.data & y.data)

    def or_(self, x: Lanes, y: Lanes) -> Lanes:
        return Lanes(x.type, x.data | y.data)

    def xor(self, x: Lanes, y: Lanes) -> Lanes:
        return Lanes(x.type, x.data ^ y.data)

    def not_(self, x: Lanes) -> Lanes:
        return Lanes(x.type, ~x.data)

    # numpy defines shifts by the width or more: zeros, and copies of the sign.
    def shl(self, x: Lanes, n: Lanes) -> Lanes:
        return Lanes(x.type, np.left_shift(x.data, n.data))

    def lshr(self, x: Lanes, n: Lanes) -> Lanes:
        return Lanes(x.type, np.right_shift(x.data, n.data))

    def ashr(self, x: Lanes, n: Lanes) -> Lanes:
        signed = _SIGNED[x.type]
        amount = np.minimum(n.data, n.data.dtype.type(x.type.bits - 1)).view(signed)
        return Lanes(x.type, np.right_shift(x.data.view(signed), amount).view(_DTYPE[x.type]))

    def funnel_right(self, hi: Lanes, lo: Lanes, n: Lanes) -> Lanes:
        amount = (n.data & np.uint32(31)).astype(np.uint64)
        return self.lo(Lanes(I64, self.pair(lo, hi).data >> amount))

    def popcount(self, x: Lanes) -> Lanes:
        return Lanes(x.type, np.bitwise_count(x.data).astype(_DTYPE[x.type]))

    def clz(self, x: Lanes) -> Lanes:
        if x.type is I64:
            high, low = self.clz(self.hi(x)).data, self.clz(self.lo(x)).data
            return Lanes(I64, np.where(high == 32, high + low, high).astype(np.uint64))
        exponent = np.frexp(x.data.astype(np.float64))[1]
        return Lanes(x.type, (x.type.bits - exponent).astype(_DTYPE[x.type]))

    def bit_reverse(self, x: Lanes) -> Lanes:
        bytes_ = np.ascontiguousarray(x.data).view(np.uint8).reshape(self.lanes, -1)
        bits = np.unpackbits(bytes_, axis=1, bitorder="little")
        reversed_ = np.packbits(bits[:, ::-1], axis=1, bitorder="little")
        return Lanes(x.type, np.ascontiguousarray(reversed_).view(_DTYPE[x.type]).reshape(self.lanes))

    def byte_permute(self, x: Lanes, y: Lanes, selector: Lanes) -> Lanes:
        source = np.ascontiguousarray(self.pair(x, y).data).view(np.uint8).reshape(self.lanes, 8)
        nibbles = (selector.data[:, None] >> np.arange(0, 16, 4, dtype=np.uint32)) & np.uint32(15)
        chosen = np.take_along_axis(source, (nibbles & 7).astype(np.intp), axis=1)
        signs = np.where(chosen & 0x80, np.uint8(0xFF), np.uint8(0))
        result = np.where(nibbles & 8, signs, chosen).astype(np.uint8)
        return Lanes(I32, np.ascontiguousarray(result).view(np.uint32).reshape(self.lanes))

    def abs(self, x: Lanes) -> Lanes:
        return Lanes(x.type, np.where(x.data.view(_SIGNED[x.type]) < 0, np.negative(x.data), x.data))

    def umin(self, x: Lanes, y: Lanes) -> Lanes:
        return Lanes(x.type, np.minimum(x.data, y.data))

    def umax(self, x: Lanes, y: Lanes) -> Lanes:
        return Lanes(x.type, np.maximum(x.data, y.data))

    def smin(self, x: Lanes, y: Lanes) -> Lanes:
        signed = _SIGNED[x.type]
        return Lanes(x.type, np.minimum(x.data.view(signed), y.data.view(signed)).view(_DTYPE[x.type]))

    def smax(self, x: Lanes, y: Lanes) -> Lanes:
        signed = _SIGNED[x.type]
        return Lanes(x.type, np.maximum(x.data.view(signed), y.data.view(signed)).view(_DTYPE[x.type]))

    def compare(self, op: str, x: Lanes, y: Lanes, *, signed: bool) -> Lanes:
        if op in ("f", "t"):
            return self.const(I1, op == "t")
        a, b = x.data, y.data
        if signed and x.type is not I1:
            a, b = a.view(_SIGNED[x.type]), b.view(_SIGNED[x.type])
        return Lanes(I1, _COMPARE[op](a, b))

    def select(self, c: Lanes, x: Lanes, y: Lanes) -> Lanes:
        return Lanes(x.type, np.where(c.data, x.data, y.data))

    # Floating point ----------------------------------------------------------------------------------------------
    def fadd(self, x: Lanes, y: Lanes, rounding: str = RN) -> Lanes:
        return Lanes(x.type, soft.add(x.data, y.data, x.type, rounding))

    def fmul(self, x: Lanes, y: Lanes, rounding: str = RN) -> Lanes:
        return Lanes(x.type, soft.mul(x.data, y.data, x.type, rounding))

    def fma(self, x: Lanes, y: Lanes, z: Lanes, rounding: str = RN) -> Lanes:
        return Lanes(x.type, soft.fma(x.data, y.data, z.data, x.type, rounding))

    def _bits(self, x: Lanes) -> NDArray[np.unsignedinteger]:
        bits: NDArray[np.unsignedinteger] = x.data.view(_UNSIGNED_BY_BITS[x.type.bits])
        return bits

    def fneg(self, x: Lanes) -> Lanes:
        bits = self._bits(x)
        return Lanes(x.type, (bits ^ bits.dtype.type(_SIGN_BIT[x.type])).view(_DTYPE[x.type]))

    def fabs(self, x: Lanes) -> Lanes:
        bits = self._bits(x)
        return Lanes(x.type, (bits & bits.dtype.type(_SIGN_BIT[x.type] - 1)).view(_DTYPE[x.type]))

    def _extreme(self, x: Lanes, y: Lanes, *, smaller: bool) -> Lanes:
        a, b = soft.widen(x.data, x.type), soft.widen(y.data, y.type)
        better = (a < b) | ((a == b) & np.signbit(a)) if smaller else (a > b) | ((a == b) & ~np.signbit(a))
        first = (better | np.isnan(b)) & ~np.isnan(a)
        bits = np.where(first, self._bits(x), self._bits(y))
        return Lanes(x.type, bits.view(_DTYPE[x.type]))

    def fmin(self, x: Lanes, y: Lanes) -> Lanes:
        return self._extreme(x, y, smaller=True)

    def fmax(self, x: Lanes, y: Lanes) -> Lanes:
        return self._extreme(x, y, smaller=False)

    def fcompare(self, op: str, x: Lanes, y: Lanes) -> Lanes:
        if op in ("f", "t"):
            return self.const(I1, op == "t")
        a, b = x.data, y.data
        if x.type is BF16:
            a, b = soft.widen(a, BF16), soft.widen(b, BF16)
        if op in ("num", "nan"):
            unordered = np.isnan(a) | np.isnan(b)
            return Lanes(I1, unordered if op == "nan" else ~unordered)
        if op.endswith("u"):
            return Lanes(I1, _COMPARE[op[:-1]](a, b) | np.isnan(a) | np.isnan(b))
        if op == "ne":
            return Lanes(I1, (a < b) | (a > b))
        return Lanes(I1, _COMPARE[op](a, b))

    def flush(self, x: Lanes) -> Lanes:
        bits = self._bits(x)
        exponent = bits.dtype.type({F32: 0x7F800000, F16: 0x7C00, BF16: 0x7F80, F64: 0x7FF << 52}[x.type])
        sign = bits & bits.dtype.type(_SIGN_BIT[x.type])
        return Lanes(x.type, np.where(bits & exponent, bits, sign).view(_DTYPE[x.type]))

    def saturate(self, x: Lanes) -> Lanes:
        value = soft.widen(x.data, x.type)
        clamped = np.where(value > 0, np.where(value < 1, value, 1.0), 0.0)
        return Lanes(x.type, soft.narrow(clamped, x.type))

    def fround(self, x: Lanes, rounding: str) -> Lanes:
        return Lanes(x.type, soft.narrow(soft.integral(soft.widen(x.data, x.type), rounding), x.type))

    def fconvert(self, x: Lanes, type: Type, rounding: str = RN) -> Lanes:
        return Lanes(type, soft.narrow(soft.widen(x.data, x.type), type, rounding))

    def int_to_float(self, x: Lanes, type: Type, *, signed: bool, rounding: str = RN) -> Lanes:
        wide = self.sext(x, I64).data.view(np.int64) if signed else x.data.astype(np.uint64)
        return Lanes(type, soft.from_integer(wide, type, rounding))

    def float_to_int(self, x: Lanes, type: Type, *, signed: bool, rounding: str = RZ) -> Lanes:
        return Lanes(type, soft.to_integer(soft.widen(x.data, x.type), type.bits, signed, rounding))

    def mufu(self, op: str, x: Lanes) -> Lanes:
        """As NVIDIA's hardware has it."""
        return Lanes(F32, approximate(op, x.data.view(np.uint32)).view(np.float32))

    def tensor_sum(self, total: Lanes, xs: Sequence[Lanes], ys: Sequence[Lanes], least: int) -> Lanes:
        if self.chained:
            for x, y in zip(xs, ys, strict=True):
                total = self.fma(x, y, total)
            return total
        rows, columns = np.stack([x.data for x in xs]), np.stack([y.data for y in ys])
        return Lanes(F32, tensor_sum.of_lanes(total.data, rows, columns, least))

    # Parts of a meaning ------------------------------------------------------------------------------------------
    def where(
        self, condition: Lanes, body: Callable[[], tuple[Lanes, ...]], otherwise: tuple[Lanes, ...]
    ) -> tuple[Lanes, ...]:
        outer = self.mask
        self.mask = outer & condition.data
        try:
            if not self.mask.any():
                return otherwise
            found = body()
        finally:
            self.mask = outer
        return tuple(self.select(condition, x, y) for x, y in zip(found, otherwise, strict=True))

    def repeat(self, count: Lanes, body: Callable[[Lanes], None]) -> None:
        outer = self.mask
        try:
            for k in range(int(count.data[outer].max(initial=0))):
                self.mask = outer & (count.data > k)
                body(Lanes(I32, np.full(self.lanes, k, np.uint32)))
        finally:
            self.mask = outer

    def subroutine(
        self, name: str, body: Callable[..., tuple[Lanes, ...]], arguments: tuple[Lanes, ...]
    ) -> tuple[Lanes, ...]:
        return body(self, *arguments)

    def texture_table(self) -> Lanes:
        return self.const(I64, self.around.textures())

    # Launch state ------------------------------------------------------------------------------------------------
    def special(self, name: str) -> Lanes:
        value = self.around.special(name)
        return self.const(I32, value) if isinstance(value, int) else Lanes(I32, value)

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
            narrow = Lanes(_INTEGER_BY_BITS[size * 8], values.astype(_UNSIGNED_BY_BITS[size * 8]))
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
            values: Array = words[0].data.astype(_UNSIGNED_BY_BITS[size * 8])
        elif size == 4:
            values = words[0].data
        else:
            values = np.stack([w.data for w in words], axis=1)
        self._watch_stores(groups, values, size)
        for memory, lanes, addresses in groups:
            memory.write(addresses, values[lanes], size)

    def _each(self, space: Space, address: Lanes, type: Type, change: Callable[[int, int], int | None]) -> Lanes:
        """Lane after lane: old value, ``change(lane, old)`` written unless None."""
        size = type.bits // 8
        self.changed = True
        old = np.zeros(self.lanes, _UNSIGNED_BY_BITS[type.bits])
        for memory, lanes, addresses in self._targets(space, address):
            places = list(zip(lanes.tolist(), addresses.tolist(), strict=True))
            if self.shuffler is not None:
                self.shuffler.shuffle(places)
            for lane, place in places:
                value = memory.read_int(place, size)
                old[lane] = value
                new = change(lane, value)
                if new is not None:
                    memory.write_int(place, new, size)
        return Lanes(type, old.view(_DTYPE[type]))

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
                    bits = summands[first : first + 1].view(_UNSIGNED_BY_BITS[x.type.bits])
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
        before = np.array([old], _UNSIGNED_BY_BITS[x.type.bits]).view(_DTYPE[x.type])
        one = x.data[lane : lane + 1]
        if x.type is F32:
            before, one = self.flush(Lanes(F32, before)).data, self.flush(Lanes(F32, one)).data
        after = soft.add(before, one, x.type)
        if x.type is F32:
            after = self.flush(Lanes(F32, after)).data
        return int(after.view(_UNSIGNED_BY_BITS[x.type.bits])[0])

    def compare_exchange(self, space: Space, address: Lanes, expected: Lanes, x: Lanes, scope: Scope) -> Lanes:
        wanted, new = expected.data.tolist(), x.data.tolist()
        return self._each(space, address, x.type, lambda lane, old: new[lane] if old == wanted[lane] else None)

    def update(self, space: Space, type: Type, address: Lanes, change: Callable[[Lanes], Lanes], scope: Scope) -> Lanes:
        def changed(lane: int, old: int) -> int:
            everywhere = np.full(self.lanes, old, _UNSIGNED_BY_BITS[type.bits])
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

    # Warp and CTA ------------------------------------------------------------------------------------------------
    def _by_warp(self, x: Array) -> Array:
        return x.reshape(-1, min(self.lanes, WARP))

    def _to_lanes(self, per_warp: Array) -> Array:
        return np.repeat(per_warp, min(self.lanes, WARP))

    def ballot(self, x: Lanes) -> Lanes:
        votes = np.where(self._by_warp(x.data & self.mask), BITS[: min(self.lanes, WARP)], np.uint32(0))
        return self._joined(self._to_lanes(votes.sum(axis=1, dtype=np.uint32)))

    def _joined(self, lanes: Array) -> Lanes:
        return Lanes(I32, lanes if self.group is None else lanes & self.group)

    def shuffle(self, x: Lanes, lane: Lanes) -> Lanes:
        source = self._by_warp((lane.data & np.uint32(min(self.lanes, WARP) - 1)).astype(np.intp))
        values = np.where(self.mask, x.data, np.uint32(0))
        return Lanes(I32, np.take_along_axis(self._by_warp(values), source, axis=1).reshape(-1))

    def broadcast(self, x: Lanes) -> Lanes:
        if self.group is not None:
            return self.shuffle(x, self.popcount(self._below_lowest(self.ballot(self.const(I1, 1)))))
        first = self._by_warp(self.mask).argmax(axis=1)
        values = np.take_along_axis(self._by_warp(x.data), first[:, None], axis=1)[:, 0]
        return Lanes(x.type, self._to_lanes(values))

    def _below_lowest(self, x: Lanes) -> Lanes:
        """The bits below the lowest one that is set."""
        return self.and_(self.not_(x), self.sub(x, self.const(I32, 1)))

    def reduce(self, op: str, x: Lanes) -> Lanes:
        if self.group is None:
            return self._reduced(op, x)
        result = np.zeros(self.lanes, np.uint32)
        keys, executing = self.group, self.mask
        for key in np.unique(keys[executing]):
            self.mask = executing & (keys == key)
            result[self.mask] = self._reduced(op, x).data[self.mask]
        self.mask = executing
        return Lanes(I32, result)

    def _reduced(self, op: str, x: Lanes) -> Lanes:
        function, neutral = _REDUCE[op]
        data = x.data.view(np.int32) if op in ("smin", "smax") else x.data
        values = self._by_warp(np.where(self.mask, data, data.dtype.type(neutral)))
        return Lanes(I32, self._to_lanes(function.reduce(values, axis=1).astype(data.dtype)).view(np.uint32))

    def match_any(self, x: Lanes) -> Lanes:
        data, mask = self._by_warp(x.data), self._by_warp(self.mask)
        equal = (data[:, :, None] == data[:, None, :]) & mask[:, None, :]
        bits = np.where(equal, BITS[: data.shape[1]], np.uint32(0))
        return self._joined(bits.sum(axis=2, dtype=np.uint32).reshape(-1))

    def barrier(self, id: Lanes, threads: Lanes | None) -> None:
        if self.mask.any() and self.around.passed() is None:
            raise BarrierWait(id.data, self._threads(threads))

    def _threads(self, threads: Lanes | None) -> Array:
        return self.const(I32, 0).data if threads is None else threads.data

    def barrier_arrive(self, id: Lanes, threads: Lanes) -> None:
        if self.mask.any():
            raise BarrierWait(id.data, threads.data, arrive=True)

    def barrier_reduce(self, op: str, x: Lanes, id: Lanes, threads: Lanes | None) -> Lanes:
        result = self.around.passed()
        if result is None:
            if self.mask.any():
                raise BarrierWait(id.data, self._threads(threads), x.data)
            return self.const(I32 if op == "popc" else I1, 0)
        true, all_ = result
        truth = true == all_ if op == "and" else true > 0
        self._barrier_count[self.mask] = true[self.mask]
        self._barrier_truth[self.mask] = truth[self.mask]
        return Lanes(I32, true) if op == "popc" else Lanes(I1, truth)

    def barrier_result(self) -> tuple[Lanes, Lanes]:
        """Of each lane's last `barrier_reduce`: the count (I32) and the truth (I1)."""
        return Lanes(I32, self._barrier_count.copy()), Lanes(I1, self._barrier_truth.copy())

    def warp_sync(self) -> None:
        """The driver brings the lanes together."""

    def trap(self, kind: str = "trap") -> None:
        if self.mask.any():
            raise Trap(kind)

    def sleep(self) -> None:
        self.slept |= self.mask


# Generic addresses of shared and local memory: outside of what a 64-bit process can map, low word zero.
WINDOWS = {Space.SHARED: 0x1_0000_0000_0000, Space.LOCAL: 0x1_0001_0000_0000}
WINDOW_SIZE = 1 << 24

_COMPARE: dict[str, Callable[[Array, Array], Array]] = {
    "lt": np.less, "eq": np.equal, "le": np.less_equal, "gt": np.greater, "ne": np.not_equal, "ge": np.greater_equal,
}  # fmt: skip

# With the value that changes nothing.
_REDUCE: dict[str, tuple[np.ufunc, int]] = {
    "add": (np.add, 0), "umin": (np.minimum, 0xFFFFFFFF), "umax": (np.maximum, 0), "smin": (np.minimum, 0x7FFFFFFF),
    "smax": (np.maximum, -0x80000000), "and": (np.bitwise_and, 0xFFFFFFFF), "or": (np.bitwise_or, 0),
    "xor": (np.bitwise_xor, 0),
}  # fmt: skip


_PACKED_ADDS = {"fadd_f16x2": F16, "fadd_bf16x2": BF16}


def _packed_sum(x: int, y: int, type: Type) -> int:
    """Two packed halves, added each for itself."""
    halves = [np.array([v & 0xFFFF, v >> 16], np.uint16).view(_DTYPE[type]) for v in (x, y)]
    total = soft.add(halves[0], halves[1], type).view(np.uint16)
    return int(total[0]) | int(total[1]) << 16


def _all_ones(type: Type) -> np.generic:
    return _DTYPE[type]((1 << type.bits) - 1)


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
