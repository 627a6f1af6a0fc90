"""Which of a CTA's lanes run next, in the reference interpreter.

Lanes at the lowest address execute together, of whatever warp, unless others starve.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from random import Random
from typing import cast

import numpy as np

from cassc.sass.cta import Cta
from cassc.sass.execute import Machine as AnyMachine
from cassc.sass.fields import WORD_BYTES
from cassc.sass.groups import APART, WARP_WIDE, base
from cassc.sass.jumps import Jumps
from cassc.sass.lanes import WARP, Mask
from cassc.sass.machine import Halt
from cassc.sass.row import Instruction
from cassc.sass.surroundings import BarrierWait, Trap
from cassc.sass.threads import ALL, RUNNING

# Instructions that lanes at the lowest address may run while others could run too.
_PATIENCE = 2000
# Rounds of polling, in which nothing changes, after which nothing will.
_VAIN = 16


class Order(Enum):
    """In which order the warps of a CTA run up to a barrier, and CTAs one after another.

    Results that depend on it are races; in `TOGETHER` all warps execute an instruction at once, which is fastest.
    """

    TOGETHER = "together"
    ASCENDING = "ascending"
    DESCENDING = "descending"


class Crew(Jumps):
    """The lanes of a CTA, which take turns.

    Attributes:
        stuck: nothing could run any more in the last turn, unless another CTA has written since.
    """

    def __init__(self, cta: Cta, *, order: Order = Order.TOGETHER, shuffler: Random | None = None) -> None:
        super().__init__(cta, shuffler)
        self.order = order
        self.stuck = False
        self.last_turn = np.zeros(self.lanes, np.int64)
        self.dozing = np.zeros(self.lanes, bool)  # wait for something by polling, and let the others go first
        self._vain = 0  # rounds of this turn in which all lanes polled, and nothing changed
        self._wrote = False
        self._clock = 0
        self._any = cast(AnyMachine, self.machine)  # its methods take the narrower type Lanes
        self._control: dict[str, Callable[[Instruction, Mask], None]] = {
            name.removeprefix("_on_"): getattr(self, name) for name in dir(self) if name.startswith("_on_")
        }

    def turn(self, budget: int) -> None:
        """Run for a while: about ``budget`` steps."""
        before = self.cta.steps
        self._run(budget)
        self.stuck = (self.cta.steps == before or self._vain >= _VAIN) and not self._open_barriers()

    def _run(self, budget: int) -> None:
        """At most about ``budget`` steps; fewer when all lanes wait or have exited."""
        cta = self.cta
        end = cta.steps + budget
        self._vain = 0
        self._wrote = self.machine.changed = False
        while cta.steps < end:
            ready = self.running & (self.wait == RUNNING)
            if not ready.any():
                return
            awake = ready & ~self.dozing
            if awake.any():
                ready = awake
            elif not self._wake():
                return
            group = self._choose(ready if self.order is Order.TOGETHER else self._one_warp(ready))
            used = self._together(group, ready & ~group, min(end - cta.steps, _PATIENCE))
            self._clock += used
            self.last_turn[group] = self._clock

    def _one_warp(self, ready: Mask) -> Mask:
        """Of the ready lanes those of one warp, in turns where lanes wait for others by polling."""
        first = int(np.flatnonzero(ready)[-1 if self.order is Order.DESCENDING else 0]) // WARP * WARP
        neglected = np.flatnonzero(ready & (self._clock - self.last_turn > 4 * _PATIENCE))
        if neglected.size:
            first = int(neglected[np.argmin(self.last_turn[neglected])]) // WARP * WARP
        chosen = np.zeros(self.lanes, bool)
        chosen[first : first + WARP] = ready[first : first + WARP]
        return chosen

    def _choose(self, ready: Mask) -> Mask:
        """The lanes at the lowest address, or where one has waited for long, those at that one's; any, if shuffled."""
        place = int(self.pc[ready].min())
        if self.machine.shuffler is not None:
            place = self.machine.shuffler.choice(np.unique(self.pc[ready]).tolist())
        neglected = ready & (self._clock - self.last_turn > 2 * _PATIENCE)
        if neglected.any():
            oldest = int(np.flatnonzero(neglected)[np.argmin(self.last_turn[neglected])])
            place = int(self.pc[oldest])
        group: Mask = ready & (self.pc == place)
        released = group & self.released
        return released if released.any() else group

    def _together(self, group: Mask, others: Mask, budget: int) -> int:
        """Run the lanes of a group until they part, wait, end, or meet others. Gives the instructions used."""
        cta = self.cta
        at = cta.program.at
        place = int(self.pc[np.flatnonzero(group)[0]])
        meeting = set(self.pc[others].tolist())
        warps = int(group.reshape(-1, WARP).any(axis=1).sum())
        used = 0
        while used < budget:
            cta.address = place
            instruction = at.get(place)
            if instruction is None:
                raise Halt("instruction", f"no instruction is known at {place:#x}")
            used += 1
            cta.steps += 1
            cta.instructions += warps
            handler = self._control.get(instruction.row.control)
            if handler is not None:
                cta.executed.add(place)
                if self.apart and instruction.row.control not in APART:
                    self.group[group] = ALL
                    self.apart = bool((self.group != ALL).any())
                handler(instruction, group)
                return used
            if not self._step(instruction, group):
                return used
            place += WORD_BYTES
            if place in meeting or self._doze():
                break
        self.pc[group] = place
        return used

    def _wake(self) -> bool:
        """All lanes that could run wait by polling: let them look again, unless they did so long enough in vain."""
        self.dozing[:] = False
        self._vain = 0 if self.machine.changed else self._vain + 1
        self._wrote |= self.machine.changed
        self.machine.changed = False
        return self._vain < _VAIN

    @property
    def wrote(self) -> bool:
        """Whether memory was written in this turn, which other CTAs may wait for."""
        return self._wrote or self.machine.changed

    def _doze(self) -> bool:
        """Whether some lanes have gone to sleep by the last instruction."""
        if not self.machine.slept.any():
            return False
        self.dozing |= self.machine.slept
        self.machine.slept[:] = False
        return True

    def _step(self, i: Instruction, group: Mask) -> bool:
        """One instruction without transfer of control; False if the lanes part at it."""
        machine = self.machine
        mask = group if i.guard.is_true else group & machine.holds(i.guard)
        machine.mask = mask
        if not mask.any():
            return True
        self.cta.executed.add(i.address)
        machine.group = self.group if self.apart else None
        if self.cta.races is not None:
            self.cta.races.watch(i, mask)
        try:
            writes = self.cta.program.plan(i).run(self._any)
        except BarrierWait as wait:
            self._wait_for_cta(i, group, mask, wait)
            return False
        except Trap as trap:
            message = "the kernel trapped" if trap.kind == "trap" else "more threads arrived than a barrier waits for"
            raise Halt(trap.kind, message) from None
        if len(writes) > 1 or (writes and len(writes[0].values) > 1):
            # A value may be a register itself, which an earlier write would change.
            for write in writes:
                for value in write.values:
                    value.data = value.data.copy()  # type: ignore[attr-defined]
        for write in writes:
            machine.write(write)
        if self.released.any():
            self.released &= ~mask
        if self.cta.races is not None and base(i) in WARP_WIDE:
            self.cta.races.warps_met(mask)
        return True

    def _on_nop(self, i: Instruction, group: Mask) -> None:
        if self.cta.races is not None:
            self.cta.races.watch(i, group if i.guard.is_true else group & self.machine.holds(i.guard))
        self.pc[group] = i.address + WORD_BYTES
        if i.row.mnemonic == "YIELD":
            self.dozing |= group

    _on_bsync_free = _on_nop
