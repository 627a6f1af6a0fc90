"""Data races of a launch: accesses of different threads to one byte, at least one a write, that nothing orders.

Barriers of the CTA order the accesses of its threads; warp-level synchronisation (WARPSYNC, shuffles, votes) those of a
warp's lanes. What an asynchronous copy writes counts as written once the thread has waited for the copy's group (PTX
ISA, "cp.async"); who looks at it before races. Atomic operations are not looked at, and a write that changes nothing is
none for those that read. The result of a racing launch is undefined in CUDA (CUDA C++ Programming Guide, "Memory Fence
Functions" and "Synchronization Functions"), so it says nothing of a translation.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from cassc.sass.memory import Memory
from cassc.sass.operand import Imm
from cassc.sass.row import Instruction

_LANES = 32
_THREADS = 1024
_NOBODY = 1
"""In the place of a thread whose asynchronous copy is under way: no thread has this number."""
Numbers = NDArray[np.int64]


@dataclass(slots=True)
class _Shadow:
    """For each byte of a range: the last thread that accessed it (0 for none, as numbers start with 1024), and the
    phases of its CTA and warp. Zeros cost nothing where nobody looks."""

    thread: Numbers
    epoch: Numbers
    phase: Numbers

    @classmethod
    def of(cls, size: int) -> _Shadow:
        return cls(np.zeros(size, np.int64), np.zeros(size, np.int64), np.zeros(size, np.int64))

    def conflicts(self, places: NDArray[np.intp], threads: Numbers, epoch: int, phases: Numbers) -> bool:
        before = self.thread[places]
        other = (before > 0) & (before != threads)
        same_cta = before // _THREADS == threads // _THREADS
        same_warp = before // _LANES == threads // _LANES
        ordered = (same_cta & (self.epoch[places] < epoch)) | (same_warp & (self.phase[places] < phases))
        return bool((other & ~ordered).any())

    def set(self, places: NDArray[np.intp], threads: Numbers, epoch: int, phases: Numbers) -> None:
        self.thread[places], self.epoch[places], self.phase[places] = threads, epoch, phases


@dataclass(frozen=True, slots=True)
class _Access:
    """The part of an access in one range: ``indices`` of its lanes; bytes, threads and phases, one for each byte."""

    writes: _Shadow
    reads: _Shadow
    indices: NDArray[np.intp]
    places: NDArray[np.intp]
    threads: Numbers
    phases: Numbers


@dataclass(slots=True)
class _Copy:
    """Bytes that asynchronous copies write: places in a range, threads, and how many groups each had committed."""

    writes: _Shadow
    places: NDArray[np.intp]
    threads: Numbers
    groups: Numbers


@dataclass(slots=True)
class Races:
    """Watches one launch.

    Attributes:
        found: whether any race was seen.
        copying: the stores that follow are those of asynchronous copies.
    """

    found: bool = False
    copying: bool = False
    _copies: list[_Copy] = field(default_factory=list)
    _groups: Numbers = field(default_factory=lambda: np.zeros(_THREADS, np.int64))
    _ctas: int = 1
    _epoch: int = 0
    _phases: Numbers = field(default_factory=lambda: np.zeros(_THREADS // _LANES, np.int64))
    _shadows: dict[tuple[str, int, int], tuple[_Shadow, _Shadow]] = field(default_factory=dict)

    def enter_cta(self) -> None:
        """The accesses that follow are another CTA's; CTAs run one after another here."""
        self._ctas += 1
        self._epoch = 0
        self._phases[:] = 0
        self._copies.clear()
        self._groups[:] = 0

    def barrier(self) -> None:
        """All threads of the CTA have met."""
        self._epoch += 1

    def warps_met(self, lanes: NDArray[np.bool_]) -> None:
        """Lanes synchronised within their warps."""
        warps = np.unique(np.flatnonzero(lanes) // _LANES)
        self._phases[warps] += 1

    def watch(self, i: Instruction, lanes: NDArray[np.bool_]) -> None:
        """Threads are about to execute an instruction: an asynchronous copy, the end of a group, a wait for groups."""
        name = i.row.mnemonic
        self.copying = name.startswith("LDGSTS")
        if name == "LDGDEPBAR":
            self._groups[np.flatnonzero(lanes)] += 1
        elif name == "DEPBAR.LE":
            allowed = i.operands[1]
            assert isinstance(allowed, Imm)
            self._wait(lanes, allowed.bits)

    def _wait(self, lanes: NDArray[np.bool_], allowed: int) -> None:
        """Threads have waited until no more than so many of their groups are under way."""
        waiting = np.zeros(_THREADS, bool)
        waiting[: lanes.size] = lanes
        left = []
        for copy in self._copies:
            own = copy.threads % _THREADS
            done = waiting[own] & (copy.groups < self._groups[own] - allowed)
            if done.any():
                phases = self._phases[own[done] // _LANES]
                copy.writes.set(copy.places[done], copy.threads[done], self._epoch, phases)
            if not done.all():
                left.append(_Copy(copy.writes, copy.places[~done], copy.threads[~done], copy.groups[~done]))
        self._copies = left

    def record_load(self, memory: Memory, lanes: NDArray[np.intp], addresses: NDArray[np.uint64], size: int) -> None:
        """A load of several lanes; raises AccessError where the memory would."""
        for access in self._accesses(memory, lanes, addresses, size, write=False):
            self.found |= access.writes.conflicts(access.places, access.threads, self._epoch, access.phases)
            access.reads.set(access.places, access.threads, self._epoch, access.phases)

    def record_store(
        self,
        memory: Memory,
        lanes: NDArray[np.intp],
        addresses: NDArray[np.uint64],
        size: int,
        contents: NDArray[np.uint8] | None,
    ) -> None:
        """A store of several lanes; raises AccessError where the memory would.

        contents: a row of bytes for each lane; None if they are there already. Then the order matters only with regard
        to those who write other bytes later, as for a load.
        """
        for access in self._accesses(memory, lanes, addresses, size, write=True):
            if contents is None:
                access.reads.set(access.places, access.threads, self._epoch, access.phases)
                continue
            for shadow in (access.writes, access.reads):
                self.found |= shadow.conflicts(access.places, access.threads, self._epoch, access.phases)
            self.found |= _overlap(access.places, contents[access.indices].reshape(-1))
            if self.copying:
                groups = self._groups[access.threads % _THREADS]
                self._copies.append(_Copy(access.writes, access.places, access.threads, groups))
                access.writes.set(access.places, np.full_like(access.threads, _NOBODY), 0, access.phases)
            else:
                access.writes.set(access.places, access.threads, self._epoch, access.phases)

    def _accesses(
        self, memory: Memory, lanes: NDArray[np.intp], addresses: NDArray[np.uint64], size: int, *, write: bool
    ) -> Iterator[_Access]:
        if self.found or memory.space == "local":
            return
        cta = self._ctas if memory.space == "shared" else 0
        for one, indices in memory._locate(addresses, size, write):
            key = (memory.space, cta, one.base)
            if key not in self._shadows:
                self._shadows[key] = (_Shadow.of(one.data.size), _Shadow.of(one.data.size))
            writes, reads = self._shadows[key]
            starts = (addresses[indices] - np.uint64(one.base)).astype(np.intp)
            places = (starts[:, None] + np.arange(size)).reshape(-1)
            own = lanes[indices].astype(np.int64)
            threads = np.repeat(own + self._ctas * _THREADS, size)
            yield _Access(writes, reads, indices, places, threads, np.repeat(self._phases[own // _LANES], size))
            if self.found:
                return


def _overlap(places: NDArray[np.intp], contents: NDArray[np.uint8]) -> bool:
    """Two lanes of one store write different values to the same byte."""
    pairs = places.astype(np.int64) << 8 | contents
    return np.unique(places).size < np.unique(pairs).size
