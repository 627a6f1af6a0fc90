"""One CTA of a launch: shared memory, named barriers, and its threads."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

import numpy as np

from cassc.sass.crew import Crew, Halt, Order
from cassc.sass.evaluate import WARP
from cassc.sass.heap import Heap
from cassc.sass.launch import RESERVED_APART, RESERVED_BYTES, LaunchWords
from cassc.sass.memory import Bytes, Memory, Range
from cassc.sass.program import Program
from cassc.sass.races import Races

# What shared and local memory hold at first: anything, but the same in every run.
UNDEFINED = 0xCD


@dataclass(slots=True)
class _Barrier:
    """``needed``: threads that it waits for; 0: all that have not exited. ``present``: those that arrived."""

    needed: int
    arrived: int = 0
    present: int = 0
    votes: int = 0


class Cta:
    def __init__(
        self,
        program: Program,
        grid: tuple[int, int, int],
        block: tuple[int, int, int],
        index: tuple[int, int, int],
        dynamic_shared: int,
        parameters: bytes,
        memory: Memory,
        bank3: Bytes,
        *,
        order: Order = Order.TOGETHER,
        undefined: int = UNDEFINED,
        races: Races | None = None,
        shuffler: Random | None = None,
        heap: Heap | None = None,
        workspace: int = 0,
        textures: int = 0,
    ) -> None:
        abi = program.function.abi
        self.program = program
        self.block = block
        self.index = index
        self.threads = block[0] * block[1] * block[2]
        self.dynamic_shared = dynamic_shared
        self.memory = memory
        self.heap = heap
        self.textures = textures
        # nvcc puts dynamic shared memory at the next multiple of its alignment behind the static part.
        size = -(-abi.static_shared // 16) * 16 + dynamic_shared
        self.shared = Memory([Range(0, np.full(size, undefined, np.uint8))] if size else [], "shared")
        if LaunchWords.of(program.function.arch.number).reserved_at is None:
            self.shared.add(Range(RESERVED_APART, np.full(RESERVED_BYTES, undefined, np.uint8), "reserved"))
        self.local_size = max(-(-program.stack // 16) * 16, 16)
        local = np.full(self.local_size * self.threads, undefined, np.uint8)
        self.local = Memory([Range(0, local)], "local")
        self.banks = {**program.banks, 0: program.bank0(grid, block, parameters, workspace)}
        if bank3.size:
            self.banks[3] = Memory([Range(0, bank3, writable=False)], "c[0x3]")
        self.races = races
        if races is not None:
            races.enter_cta()
        self.crew = Crew(self, order=order, shuffler=shuffler)
        self.barriers: dict[int, _Barrier] = {}
        self.printed: list[tuple[bytes, int, bytes]] = []
        self.executed: set[int] = set()
        self.sides: set[tuple[int, bool]] = set()
        self.instructions = 0
        self.steps = 0
        self.address = 0
        self.stuck = False

    @property
    def finished(self) -> bool:
        return self.crew.finished

    def take_printed(self) -> list[tuple[bytes, int, bytes]]:
        taken, self.printed = self.printed, []
        return taken

    def turn(self, budget: int) -> None:
        """Run for a while. ``stuck`` tells that nothing can run any more, unless another CTA has written since."""
        before = self.steps
        self.crew.run(budget)
        self.stuck = (self.steps == before or self.crew.stalled) and not self._release_all()

    # Barriers ----------------------------------------------------------------------------------------------------
    def arrive(self, id: int, threads: int, arriving: int, present: int, votes: int) -> None:
        """``present`` threads reach a barrier, and count as ``arriving``. It opens when all that it waits for are here.

        ``threads``: that it waits for; 0: all of the CTA. Raises Halt where that cannot come out.
        """
        needed = -(-threads // WARP) * WARP
        barrier = self.barriers.setdefault(id, _Barrier(needed))
        barrier.arrived += arriving
        if needed != barrier.needed or 0 < needed < barrier.arrived:
            waited = barrier.needed or "all"
            raise Halt("barrier", f"{barrier.arrived} threads arrived at barrier {id}, which waits for {waited}")
        barrier.present += present
        barrier.votes += votes
        self._release(id)

    def exited(self) -> None:
        """Threads ended: barriers that wait for all of the CTA may open."""
        self._release_all()

    def _release_all(self) -> bool:
        return sum(self._release(id) for id in list(self.barriers)) > 0

    def _release(self, id: int) -> bool:
        barrier = self.barriers[id]
        if barrier.arrived < (barrier.needed or self.crew.alive) or not barrier.arrived:
            return False
        del self.barriers[id]
        self.crew.release(id, (barrier.votes, barrier.present))
        if self.races is not None:
            self.races.barrier()
        return True


__all__ = ["UNDEFINED", "Cta", "Halt"]
