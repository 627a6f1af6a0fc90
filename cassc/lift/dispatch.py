"""The dispatcher: a loop around a kernel through which lanes go to places that are entered from several others.

A lane leaves the code offset of its place in a slot, and goes to the head of the loop, where all lanes of the wave come
together that have not exited. So it is there that lanes can wait for each other (see ``lift.passes.meetings``): one
that waits leaves what for, and the mask of its mates, and stays at the head for another round while one of these is
elsewhere. The rules are those of the reference interpreter (``sass.convergence``): a mate must have come to a wait of
the same kind, not to the same place; the lanes of a mask that a collective sequence gathers go on at the place of the
lowest.
"""

from __future__ import annotations

from cassc.lift.emit import EmitLlvm
from cassc.lift.passes.meetings import barrier_index, of_all_threads, of_some_threads, runs_behind
from cassc.lift.text import Ir
from cassc.sass.builder import I1, I32
from cassc.sass.groups import APART, mask_operand
from cassc.sass.operand import Imm, Reg
from cassc.sass.row import Instruction

NEXT = "%next"  # slot: the code offset to which a lane goes
_WAIT = "%wait"  # what a lane waits for: 0, or a kind of wait
_MATES = "%mates"  # for which lanes
_RESUME = "%resume"  # where a lane goes on behind a collective sequence
_LEFT = "%left"  # convergence barriers that the lane has left since it was at the head: a bit each
_PRESENT = "%present"  # lanes that had not exited when the wave was at the head
# Kinds of wait: below these, 1 + number of the convergence barrier that BSYNC names.
_WARPSYNC, _COLLECTIVE, _BARRIER, _REDUCTION, _COUNTED = 17, 18, 19, 20, 21
_BEHIND = 8  # added to the offset of an instruction that lanes execute when they have met at it


def label(place: int) -> str:
    """Of a block outside of copies."""
    return f"b{place:x}"


class Dispatcher:
    """Attributes:
    places: code offsets to which it leads.
    """

    def __init__(self, m: EmitLlvm) -> None:
        self._m = m
        self.places: set[int] = set()
        self._kinds: set[int] = set()
        self._left: set[int] = set()  # convergence barriers that some lanes leave by BREAK
        self._asked = False  # which lanes are present is used

    @property
    def first(self) -> str:
        """The label by which the kernel's entry, the place at offset 0, is entered at first."""
        self.places.add(0)
        self._m.slots[NEXT] = I32  # 0
        return "dispatch"

    def enter(self, place: int) -> str:
        """The label by which a place is entered from elsewhere."""
        self.places.add(place)
        return f"to{place:x}"

    def jump(self, place: Ir) -> None:
        """To a place known at run time, which is one of ``places``."""
        m = self._m
        m.slots[NEXT] = I32
        m.line(f"store {place.typed}, ptr addrspace(5) {NEXT}")
        m.line("br label %again")

    # Meetings ----------------------------------------------------------------------------------------------------
    def meet(self, i: Instruction, follower: int) -> None:
        """The executing lanes wait as the instruction says, and then go to its follower."""
        m, kind = self._m, i.row.control
        if kind == "endcollective":
            self.jump(self._load(_RESUME))
            return
        mates = m.const(I32, -1)
        place = follower
        if kind == "bsync":
            index = barrier_index(i)
            wait, mates = 1 + index, self._load(_barrier(index))
        elif of_all_threads(i):
            wait = _REDUCTION if runs_behind(i) else _BARRIER
        elif of_some_threads(i):
            wait = _COUNTED
        else:
            wait = _COLLECTIVE if kind == "warpsync_collective" else _WARPSYNC
            operand = mask_operand(i)
            mates = m.register(operand) if isinstance(operand, Reg) else mates
            mates = m.const(I32, operand.bits) if isinstance(operand, Imm) else mates
        if runs_behind(i):
            place = i.address + _BEHIND
        self._kinds.add(wait)
        self.places.add(place)
        self._store(_WAIT, m.const(I32, wait))
        self._store(_MATES, mates)
        self.jump(m.const(I32, place))

    def behind(self, i: Instruction) -> str | None:
        """The label of the code that executes an instruction for lanes that have met at it."""
        return label(i.address + _BEHIND) if runs_behind(i) else None

    def present(self) -> Ir:
        """The lanes of the wave that had not exited when those that execute were at the head."""
        self._asked = True
        return self._load(_PRESENT)

    def resume_at(self, place: int) -> None:
        """Where the executing lanes are to go on behind the collective sequence that they wait for."""
        self._store(_RESUME, self._m.const(I32, place))

    def group(self, before: Instruction) -> Ir | None:
        """Behind an instruction that puts the lanes of one mask apart: that mask."""
        return self._load(_MATES) if before.row.control in APART and isinstance(mask_operand(before), Reg) else None

    def together(self) -> None:
        """The executing lanes are in no group: they did not wait."""
        self._store(_MATES, self._m.const(I32, -1))

    def converged(self, asked: Ir, taken: Ir) -> Ir:
        """Whether the lanes for which ``taken`` holds are all of the asked ones that are present."""
        m = self._m
        return m.compare("eq", m.and_(asked, self.present()), m.ballot(taken), signed=False)

    # Convergence barriers ----------------------------------------------------------------------------------------
    def set_barrier(self, index: int, lanes: Ir | None = None) -> None:
        """Lanes of a mask, or the executing ones, are those that meet at the barrier."""
        self._store(_barrier(index), self._m.ballot(self._m.const(I1, 1)) if lanes is None else lanes)

    def take_barrier(self, index: int) -> Ir:
        """The mask, which is cleared."""
        found = self._load(_barrier(index))
        self._store(_barrier(index), self._m.const(I32, 0))
        return found

    def leave_barrier(self, index: int) -> None:
        """Nobody waits for the executing lanes there any more; the others learn that at the head."""
        self._left.add(index)
        self._store(_LEFT, self._m.or_(self._load(_LEFT), self._m.const(I32, 1 << index)))

    # The loop ----------------------------------------------------------------------------------------------------
    def lines(self) -> list[str]:
        """The loop, and the labels by which places are entered; empty without places.

        All lanes come back to the head in one block, which is kept by a convergent no-op. With several such blocks LLVM
        might make several loops, one in the other, and the lanes in the inner one would not meet the rest.
        """
        if not self.places:
            return []
        m = self._m
        before = len(m.lines)
        m.mark = ""
        for place in sorted(self.places):
            m.lines.append(f"to{place:x}:")
            self.jump(m.const(I32, place))
        m.lines.append("again:")
        m.warp_sync()
        m.line("br label %dispatch")
        m.lines.append("dispatch:")
        if self._kinds or self._asked:
            self._sort_out()
        chosen = self._load(NEXT)
        cases = " ".join(f"i32 {place}, label %{label(place)}" for place in sorted(self.places))
        m.line(f"switch {chosen.typed}, label %nowhere [ {cases} ]")
        m.lines.append("nowhere:")
        m.line("unreachable")
        written = m.lines[before:]
        del m.lines[before:]
        return written

    def _sort_out(self) -> None:
        """Lanes that must wait any longer go round again."""
        m = self._m
        present = m.ballot(m.const(I1, 1))
        self._store(_PRESENT, present)
        wait = self._load(_WAIT)
        for index in sorted(self._left):
            self._take_out(index, wait)
        self._store(_LEFT, m.const(I32, 0))
        mates = self._load(_MATES)
        free = m.compare("eq", wait, m.const(I32, 0), signed=False)
        for kind in sorted(self._kinds):
            waits = m.compare("eq", wait, m.const(I32, kind), signed=False)
            here = m.ballot(waits)
            if kind in (_BARRIER, _REDUCTION, _COUNTED):
                complete = m.compare("eq", here, present, signed=False)
                if kind == _BARRIER:
                    self._pass_barrier(complete)
            else:
                missing = m.and_(m.and_(mates, present), m.not_(here))
                complete = m.compare("eq", missing, m.const(I32, 0), signed=False)
            freed = m.and_(waits, complete)
            if kind == _COLLECTIVE:
                self._gather(freed, mates, present)
            free = m.or_(free, freed)
        m.line(f"br {free.typed}, label %go, label %again")
        m.lines.append("go:")
        self._store(_WAIT, m.const(I32, 0))

    def _take_out(self, index: int, wait: Ir) -> None:
        """Lanes that have left a convergence barrier, from the masks of the others."""
        m = self._m
        flag = m.and_(self._load(_LEFT), m.const(I32, 1 << index))
        stay = m.not_(m.ballot(m.compare("ne", flag, m.const(I32, 0), signed=False)))
        self._store(_barrier(index), m.and_(self._load(_barrier(index)), stay))
        here = m.compare("eq", wait, m.const(I32, 1 + index), signed=False)
        mates = self._load(_MATES)
        self._store(_MATES, m.select(here, m.and_(mates, stay), mates))

    def _pass_barrier(self, complete: Ir) -> None:
        """All lanes of the wave wait for the CTA: at one place or several, it is one barrier."""
        m = self._m
        m.line(f"br {complete.typed}, label %cta, label %past")
        m.lines.append("cta:")
        m.wait()
        m.line("br label %past")
        m.lines.append("past:")

    def _gather(self, freed: Ir, mates: Ir, present: Ir) -> None:
        m = self._m
        own = self._load(NEXT)
        lowest = m.call(I32, "llvm.cttz.i32", (m.and_(mates, present), m.const(I1, 0)))
        self._store(NEXT, m.select(freed, m.shuffle(own, lowest), own))

    # Slots -------------------------------------------------------------------------------------------------------
    def _load(self, slot: str) -> Ir:
        self._m.slots[slot] = I32
        return self._m.define(I32, f"load i32, ptr addrspace(5) {slot}")

    def _store(self, slot: str, value: Ir) -> None:
        self._m.slots[slot] = I32
        self._m.line(f"store {value.typed}, ptr addrspace(5) {slot}")


def _barrier(index: int) -> str:
    return f"%convergence.{index}"
