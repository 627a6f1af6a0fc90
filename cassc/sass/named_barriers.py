"""The named barriers of a CTA: who has arrived, and which may open."""

from __future__ import annotations

from dataclasses import dataclass

from cassc.sass.lanes import WARP
from cassc.sass.machine import Halt


@dataclass(slots=True)
class _Barrier:
    """``needed``: threads that it waits for; 0: all that have not exited. ``present``: those that arrived."""

    needed: int
    arrived: int = 0
    present: int = 0
    votes: int = 0


class NamedBarriers:
    def __init__(self) -> None:
        self._barriers: dict[int, _Barrier] = {}

    def arrive(self, id: int, threads: int, arriving: int, present: int, votes: int) -> None:
        """``present`` threads reach a barrier, and count as ``arriving``; of their votes so many are true.

        ``threads``: that it waits for; 0: all of the CTA. Raises Halt where that cannot come out.
        """
        needed = -(-threads // WARP) * WARP
        barrier = self._barriers.setdefault(id, _Barrier(needed))
        barrier.arrived += arriving
        if needed != barrier.needed or 0 < needed < barrier.arrived:
            waited = barrier.needed or "all"
            raise Halt("barrier", f"{barrier.arrived} threads arrived at barrier {id}, which waits for {waited}")
        barrier.present += present
        barrier.votes += votes

    def open(self, alive: int) -> list[tuple[int, int, int]]:
        """Takes away the barriers that nobody is missing from: (id, true votes, threads). ``alive``: threads that have
        not exited."""
        opened = [id for id, b in self._barriers.items() if b.arrived and b.arrived >= (b.needed or alive)]
        return [(id, (barrier := self._barriers.pop(id)).votes, barrier.present) for id in opened]
