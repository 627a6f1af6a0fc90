"""Evaluate: the reference builder, over the lanes of one or more warps as numpy vectors (`sass.lanes`).

What a lane outside the mask holds is meaningless. Callers switch numpy's floating-point warnings off (``np.errstate``).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cassc.sass.accesses import Accesses
from cassc.sass.builder import I1, I32, I64
from cassc.sass.lanes import BITS, WARP, Lanes, Mask
from cassc.sass.rounding import Array
from cassc.sass.surroundings import BarrierWait, Surroundings, Trap


class Evaluate(Accesses):
    """Implements `Builder`. ``mask`` are the executing lanes; set it before each instruction."""

    def __init__(self, surroundings: Surroundings | None = None, lanes: int = 32) -> None:
        super().__init__(surroundings, lanes)
        self.slept: Mask = np.zeros(lanes, bool)  # lanes that have slept since it was emptied
        self.group: Array | None = None  # in each lane, mask of those that it joins in exchanges; None: all executing
        self._barrier_count = np.zeros(lanes, np.uint32)
        self._barrier_truth = np.zeros(lanes, bool)

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


# With the value that changes nothing.
_REDUCE: dict[str, tuple[np.ufunc, int]] = {
    "add": (np.add, 0), "umin": (np.minimum, 0xFFFFFFFF), "umax": (np.maximum, 0), "smin": (np.minimum, 0x7FFFFFFF),
    "smax": (np.maximum, -0x80000000), "and": (np.bitwise_and, 0xFFFFFFFF), "or": (np.bitwise_or, 0),
    "xor": (np.bitwise_xor, 0),
}  # fmt: skip
