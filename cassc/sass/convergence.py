"""Where lanes of the reference interpreter wait for others: convergence barriers, masks of a warp, barriers of the CTA.

What lanes of one warp do together looks at their own warp only.
"""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cassc.sass.builder import I32
from cassc.sass.cta import Cta
from cassc.sass.execute import Write
from cassc.sass.fields import WORD_BYTES
from cassc.sass.groups import APART, mask_operand
from cassc.sass.lanes import WARP, Lanes, Mask
from cassc.sass.named_barriers import NamedBarriers
from cassc.sass.operand import Imm, Named, Reg, UReg
from cassc.sass.row import Instruction
from cassc.sass.surroundings import BarrierWait
from cassc.sass.threads import ALL, AT_BARRIER, AT_BSYNC, AT_COLLECTIVE, AT_WARPSYNC, RUNNING, Threads


class Convergence(Threads):
    """Methods named ``_on_X`` execute instructions whose control is X, for the lanes that stand there."""

    def __init__(self, cta: Cta, shuffler: Random | None) -> None:
        super().__init__(cta, shuffler)
        self.wait_mask = np.zeros(self.lanes, np.uint32)
        self.wait_barrier = np.zeros(self.lanes, np.int8)
        self.convergence = np.zeros((16, self.lanes), np.uint32)
        self.resume = np.zeros(self.lanes, np.int64)  # where a lane goes on behind a collective sequence
        self.barriers = NamedBarriers()

    # Barriers of the CTA -----------------------------------------------------------------------------------------
    def _wait_for_cta(self, i: Instruction, group: Mask, mask: Mask, wait: BarrierWait) -> None:
        self.pc[group] = i.address + WORD_BYTES
        if not wait.arrive:
            self.pc[mask] = i.address
            self.wait[mask] = AT_BARRIER
            self.wait_barrier[mask] = wait.id[mask]
        # Warps count as whole ones where the barrier names a number of threads (PTX ISA, ``barrier``).
        missing = (self.running & ~mask).reshape(-1, WARP).any(axis=1)
        lanes = mask.reshape(-1, WARP).sum(axis=1)
        whole = np.repeat(np.where(missing | (lanes == 0), 0, WARP - lanes), WARP)
        for id, threads in sorted({(int(wait.id[k]), int(wait.threads[k])) for k in np.flatnonzero(mask)}):
            here = mask & (wait.id == id) & (wait.threads == threads)
            present = int(here.sum())
            firsts = here & (np.cumsum(here.reshape(-1, WARP), axis=1).reshape(-1) == 1)
            arriving = present + int(whole[firsts].sum()) if threads else present
            votes = int((wait.vote & here).sum()) if wait.vote is not None else 0
            self.barriers.arrive(id, threads, arriving, present, votes)
            self._open_barriers()

    def release(self, id: int, result: tuple[int, int]) -> None:
        """A CTA barrier opened: its lanes execute their instruction again, with the result at hand."""
        waiting = self.running & (self.wait == AT_BARRIER) & (self.wait_barrier == id)
        self.wait[waiting] = RUNNING
        self.released |= waiting
        self.votes[:, waiting] = np.array(result, np.uint32)[:, None]

    def _open_barriers(self) -> bool:
        """Whether a barrier opened: threads came or exited."""
        opened = self.barriers.open(self.alive)
        for id, votes, present in opened:
            self.release(id, (votes, present))
            if self.cta.races is not None:
                self.cta.races.barrier()
        return bool(opened)

    # Convergence barriers and masks ------------------------------------------------------------------------------
    def _barrier(self, i: Instruction) -> int:
        return next(o.index for o in i.operands if isinstance(o, Named))

    def _assign(self, i: Instruction, group: Mask, words: tuple[Any, ...]) -> None:
        self.pc[group] = i.address + WORD_BYTES
        self.machine.mask = group if i.guard.is_true else group & self.machine.holds(i.guard)
        target = i.operands[0]
        assert isinstance(target, Reg | UReg)
        if not target.is_zero:
            values = [w if isinstance(w, np.ndarray) else np.full(self.lanes, w, np.uint32) for w in words]
            self.machine.write(Write(target, tuple(Lanes(I32, v) for v in values)))

    def _on_bssy(self, i: Instruction, group: Mask) -> None:
        self.pc[group] = i.address + WORD_BYTES
        entering = self._taken(i, group)
        self.convergence[self._barrier(i), entering] = self._bits(entering)[entering]

    def _on_bsync(self, i: Instruction, group: Mask) -> None:
        taken = self._taken(i, group)
        self.pc[group] = i.address + WORD_BYTES
        index = self._barrier(i)
        self._meet(taken, self.convergence[index], AT_BSYNC, index)

    def _meet(self, lanes: Mask, masks: NDArray[np.uint32], kind: int, index: int) -> None:
        """``lanes`` wait for the running lanes of their ``masks``; those that have all of them here go on."""
        here = self._bits(lanes)
        missing = masks & self._bits(self.running) & ~here
        waiting = lanes & (missing != 0)
        if not waiting.any():
            return
        self.wait[waiting] = kind
        self.wait_mask[waiting] = (masks if kind == AT_COLLECTIVE else masks | here)[waiting]
        self.wait_barrier[waiting] = index
        self._reconverge()

    def _reconverge(self) -> None:
        """Let go the lanes for which all those that they wait for have come."""
        running = self._bits(self.running)
        for kind in (AT_BSYNC, AT_WARPSYNC, AT_COLLECTIVE):
            waiting = self.running & (self.wait == kind)
            for index in set(self.wait_barrier[waiting].tolist()):
                here = waiting & (self.wait_barrier == index)
                missing = self.wait_mask & running & ~self._bits(here)
                free = here & (missing == 0)
                self.wait[free] = RUNNING
                if kind != AT_BSYNC and self.cta.races is not None:
                    self.cta.races.warps_met(free)
                if kind == AT_COLLECTIVE:
                    self._gather(free)

    def _gather(self, lanes: Mask) -> None:
        """Lanes of one mask, of whatever place, execute the sequence of the lowest one."""
        for lane in np.flatnonzero(lanes):
            first = lane // WARP * WARP
            members = np.flatnonzero(
                lanes[first : first + WARP] & (self.group[first : first + WARP] == self.group[lane])
            )
            self.pc[lane] = self.pc[first + members[0]]

    def _on_break(self, i: Instruction, group: Mask) -> None:
        """The lanes leave a convergence barrier: nobody waits for them there any more."""
        taken = self._taken(i, group)
        self.pc[group] = i.address + WORD_BYTES
        index = self._barrier(i)
        leaving = self._bits(taken)
        self.convergence[index] &= ~leaving
        waiting = (self.wait == AT_BSYNC) & (self.wait_barrier == index)
        self.wait_mask[waiting] &= ~leaving[waiting]
        self._reconverge()

    def _on_bmov_read(self, i: Instruction, group: Mask) -> None:
        index = self._barrier(i)
        self._assign(i, group, (self.convergence[index].copy(),))
        self.convergence[index, self.machine.mask] = 0

    def _on_bmov_write(self, i: Instruction, group: Mask) -> None:
        taken = self._taken(i, group)
        self.pc[group] = i.address + WORD_BYTES
        source = next(o for o in i.operands if isinstance(o, Reg))
        self.convergence[self._barrier(i), taken] = self.machine.registers[source.index, taken]

    def _on_warpsync(self, i: Instruction, group: Mask) -> None:
        self._synchronise(i, group, AT_WARPSYNC)

    def _synchronise(self, i: Instruction, group: Mask, kind: int) -> None:
        taken = self._taken(i, group)
        self.pc[group] = i.address + WORD_BYTES
        operand = mask_operand(i)
        masks = np.full(self.lanes, operand.bits if isinstance(operand, Imm) else ALL, np.uint32)
        if isinstance(operand, Reg):
            masks = self.machine.register(operand).data
        if i.row.control in APART:
            self.group[taken] = masks[taken]
            self.apart = True
        self._meet(taken, masks, kind, 0)
        if self.cta.races is not None:
            self.cta.races.warps_met(taken)

    _on_warpsync_exclusive = _on_warpsync

    def _on_warpsync_collective(self, i: Instruction, group: Mask) -> None:
        """Lanes of one mask that come from several places run one of the sequences, and go on where each asks for."""
        self.resume[group] = self._label(i)
        self._synchronise(i, group, AT_COLLECTIVE)

    def _on_endcollective(self, i: Instruction, group: Mask) -> None:
        self.pc[group] = self.resume[group]
