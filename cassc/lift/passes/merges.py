"""Which registers still need their old value where a guarded instruction writes them.

A guarded write leaves the old value in the lanes whose guard does not hold: a choice, or two ways that meet. Mostly
nobody reads it there, because what follows has the same guard. Backward dataflow finds, for each register and place,
the guard under which its value is still read: never, under one literal (a predicate or its negation), or always. Where
that is the write's own guard the old value is not needed, and the new one may stand in all lanes.

Blocks are lifted once to see what each instruction reads and writes; those that can do with less, a second time.
"""

from __future__ import annotations

import heapq
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field

# Slot of the predicate, and whether it is negated; None is always.
Guard = tuple[str, bool] | None
# Register or predicate slot -> the guard under which it is read before it is written; never, if it is not in it.
Live = dict[str, Guard]


@dataclass(slots=True)
class Step:
    """What an instruction does with registers and predicates, by their slots.

    Attributes:
        guard: reads and writes happen under it. The guard itself is read always.
        kills: whether the writes happen on every way behind it.
    """

    guard: Guard
    reads: set[str] = field(default_factory=set)
    writes: set[str] = field(default_factory=set)
    kills: bool = True


@dataclass(slots=True)
class Trace:
    """What one lifting of a kernel saw: steps and successors of each block.

    Attributes:
        open: blocks that lanes leave by a place that is not known: all is read behind them.
    """

    steps: dict[Hashable, list[Step]] = field(default_factory=dict)
    successors: dict[Hashable, set[Hashable]] = field(default_factory=dict)
    open: set[Hashable] = field(default_factory=set)

    @property
    def has_guards(self) -> bool:
        return any(step.guard is not None for steps in self.steps.values() for step in steps)


class Merges:
    """Answers for each guarded step of a trace."""

    def __init__(self, trace: Trace) -> None:
        self._guards = {step.guard[0] for steps in trace.steps.values() for step in steps if step.guard is not None}
        self._slots = {s for steps in trace.steps.values() for step in steps for s in step.reads | step.writes}
        self._behind: dict[tuple[Hashable, int], Live] = {}
        self._spared: set[Hashable] = set()
        before = self._solve(trace)
        for block, steps in trace.steps.items():
            live = self._at_end(trace, block, before)
            written = {slot for step in steps if step.guard is not None for slot in step.writes}
            for number in range(len(steps) - 1, -1, -1):
                step = steps[number]
                if step.guard is not None:
                    _forget(step.writes & self._guards, live)
                    self._behind[block, number] = dict(live)
                    if not all(self.needed(block, number, step.guard, slot) for slot in written):
                        self._spared.add(block)
                _backward(step, live, self._guards)

    def spares(self, block: Hashable) -> bool:
        """Whether there may be a guarded write in the block whose old value is not needed."""
        return block in self._spared

    def needed(self, block: Hashable, number: int, guard: Guard, slot: str) -> bool:
        """Whether somebody reads ``slot``, as it stands behind a step, where the step's ``guard`` did not hold."""
        live = self._behind.get((block, number))
        if live is None:
            return True
        return slot in live and live[slot] != guard

    def _at_end(self, trace: Trace, block: Hashable, before: Mapping[Hashable, Live]) -> Live:
        if block in trace.open:
            return dict.fromkeys(self._slots)
        live: Live = {}
        for successor in trace.successors.get(block, ()):
            there = before.get(successor, {})
            if not live:
                live = dict(there)
                continue
            for slot, guard in there.items():
                if live.setdefault(slot, guard) != guard:
                    live[slot] = None
        return live

    def _solve(self, trace: Trace) -> dict[Hashable, Live]:
        predecessors: dict[Hashable, set[Hashable]] = {}
        for block, followers in trace.successors.items():
            for follower in followers:
                predecessors.setdefault(follower, set()).add(block)
        before: dict[Hashable, Live] = {}
        order = _ends_first(trace)
        rank = {block: number for number, block in enumerate(order)}
        waiting = list(range(len(order)))  # a heap
        queued = set(order)
        while waiting:
            block = order[heapq.heappop(waiting)]
            queued.remove(block)
            live = self._at_end(trace, block, before)
            for step in reversed(trace.steps[block]):
                _backward(step, live, self._guards)
            if live != before.get(block, {}):
                before[block] = live
                for other in predecessors.get(block, set()) & rank.keys() - queued:
                    heapq.heappush(waiting, rank[other])
                    queued.add(other)
        return before


def _ends_first(trace: Trace) -> list[Hashable]:
    """The blocks, each behind its successors where there is no cycle."""
    order: dict[Hashable, None] = {}
    entered: set[Hashable] = set()
    for start in trace.steps:
        stack = [start]
        while stack:
            block = stack[-1]
            ahead = [b for b in trace.successors.get(block, ()) if b in trace.steps and b not in entered]
            if block not in entered and ahead:
                stack += ahead
            else:
                order[stack.pop()] = None
            entered.add(block)
    return list(order)


def _join(live: Live, slot: str, guard: Guard) -> None:
    if slot not in live:
        live[slot] = guard
    elif live[slot] != guard:
        live[slot] = None


def _forget(predicates: set[str], live: Live) -> None:
    """The predicates get new values: before that, what is read under the new ones may be read always."""
    if not predicates:
        return
    for slot, guard in live.items():
        if guard is not None and guard[0] in predicates:
            live[slot] = None


def _backward(step: Step, live: Live, guards: set[str]) -> None:
    """From what is live behind a step to what is live before it. Monotone: no more before if no more behind.

    ``guards``: the predicates under which anything is read or written.
    """
    guard = step.guard
    _forget(step.writes & guards, live)
    for slot in step.writes & live.keys() if step.kills else ():
        if guard is None or live[slot] == guard:
            del live[slot]
        elif guard[0] not in step.writes:
            live[slot] = (guard[0], not guard[1])
    for slot in step.reads:
        _join(live, slot, guard)
    if guard is not None:
        live[guard[0]] = None
