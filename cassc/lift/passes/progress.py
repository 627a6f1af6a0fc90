"""Loops in which a lane waits for what another lane of its warp does behind the loop.

From sm_100 on nvcc takes a lock in a loop of its own and releases it behind that: the hardware lets lanes run apart.
The lanes of a wave do not: those that have left a loop stand still until the last one has. So the code behind such a
loop, as far as it can be run by some lanes without the others, is made a part of the loop (see ``lift.lift``): a lane
runs it before the loop goes round again, and then waits at the end of the loop, where all lanes meet.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from cassc.sass.cfg import Block, Cfg, Edge
from cassc.sass.execute import words_of
from cassc.sass.groups import WARP_WIDE, base
from cassc.sass.operand import Pred, Reg
from cassc.sass.row import Instruction

_ATOMIC = frozenset({"ATOM", "ATOMG", "ATOMS"})
_VOTES = frozenset({"VOTE", "VOTEU"})
_EXCHANGES = frozenset({"CAS", "CAST.SPIN", "EXCH"})
# Kinds of `Row.control` at which lanes meet, or that lead out of the function's own blocks.
_MEETINGS = frozenset(
    {"bsync", "warpsync", "warpsync_exclusive", "warpsync_collective", "endcollective", "branch_div", "branch_conv"}
    | {"brx", "ret", "call_rel", "call_abs", "trap"}
)


@dataclass(frozen=True, slots=True)
class Spin:
    """Attributes:
    header: byte offset of the only block by which the loop is entered.
    loop: its blocks.
    behind: blocks that are reached from the loop alone and need no other lane.
    """

    header: int
    loop: frozenset[int]
    behind: frozenset[int]

    def leaves(self, source: int, target: int) -> bool:
        """Whether an edge leads out of loop and code behind."""
        inside = self.loop | self.behind
        return source in inside and target not in inside

    def again(self, source: int, target: int) -> bool:
        return source in self.loop and target == self.header


def spins(graph: Cfg) -> tuple[Cfg, tuple[Spin, ...]]:
    """The loops, and the graph with blocks cut where lanes meet; the given graph where there are none."""
    if not any(_free(i) for block in graph.blocks.values() for i in block.instructions):
        return graph, ()
    cut = replace(graph, blocks=_cut(graph.blocks))
    before = _predecessors(cut.blocks)
    found = (_spin(cut.blocks, before, block) for block in cut.blocks.values())
    chosen: dict[int, Spin] = {}
    for spin in found:
        if spin is not None:
            chosen.setdefault(spin.header, spin)
    return (cut, tuple(chosen.values())) if chosen else (graph, ())


def _free(i: Instruction) -> bool:
    return i.row.control == "bsync_free"


def _meets(i: Instruction) -> bool:
    if base(i) in _VOTES and isinstance(i.operands[-1], Pred) and i.operands[-1].is_true:
        return False  # who is there? Behind a BSYNC that does not make lanes converge it may be any of them.
    return i.row.control in _MEETINGS or base(i) in WARP_WIDE or base(i) in ("BAR", "B2R")


def _cut(blocks: Mapping[int, Block]) -> dict[int, Block]:
    """Every instruction at which lanes meet begins a block."""
    result: dict[int, Block] = {}
    for block in blocks.values():
        starts = [k for k, i in enumerate(block.instructions) if k and _meets(i)]
        bounds = [0, *starts, len(block.instructions)]
        for start, end in zip(bounds, bounds[1:], strict=False):
            part = block.instructions[start:end]
            last = end == len(block.instructions)
            successors = block.successors if last else ((Edge.FALL, block.instructions[end].address),)
            result[part[0].address] = Block(part[0].address, part, successors)
    return result


def _predecessors(blocks: Mapping[int, Block]) -> dict[int, set[int]]:
    before: dict[int, set[int]] = {start: set() for start in blocks}
    for block in blocks.values():
        for _, target in block.successors:
            before.setdefault(target, set()).add(block.start)
    return before


def _spin(blocks: Mapping[int, Block], before: Mapping[int, set[int]], latch: Block) -> Spin | None:
    """The innermost loop that a backward branch closes, if it waits and something can be run behind it."""
    headers = [target for kind, target in latch.successors if kind is Edge.BRANCH and target <= latch.start]
    if not headers:
        return None
    header = headers[0]
    loop = {header, latch.start}
    work = [latch.start] if latch.start != header else []
    while work:
        for place in before[work.pop()] - loop:
            loop.add(place)
            work.append(place)
    entered = any(before[place] - loop for place in loop - {header})
    instructions = [i for place in loop for i in blocks[place].instructions]
    if entered or 0 in loop or any(_meets(i) for i in instructions) or not _waits(instructions):
        return None
    exits = {target for place in loop for _, target in blocks[place].successors} - loop
    if not any(_free(blocks[place].instructions[0]) for place in exits):
        return None
    behind: set[int] = set()
    candidates = set(exits)
    while candidates:
        place = candidates.pop()
        fits = place in blocks and not _meets(blocks[place].instructions[0]) and before[place] <= loop | behind
        if fits and place not in behind:
            behind.add(place)
            candidates |= {target for _, target in blocks[place].successors} - loop - behind
    return Spin(header, frozenset(loop), frozenset(behind)) if behind else None


def _waits(instructions: Iterable[Instruction]) -> bool:
    """Whether some exchange is tried again with operands that do not come out of memory, so that only another thread
    can end the loop. Loops that exchange for a value computed from the old one end by themselves."""
    listed = list(instructions)
    loaded: set[int] = set()
    before = -1
    while before != len(loaded):
        before = len(loaded)
        for i in listed:
            if getattr(i.row.meaning, "effects", False) or loaded & _registers(i, written=False):
                loaded |= _registers(i, written=True)
    return any(_exchanges(i) and not loaded & _registers(i, written=False) for i in listed)


def _exchanges(i: Instruction) -> bool:
    return base(i) in _ATOMIC and (i.mod("cas") in _EXCHANGES or i.mod("op") in _EXCHANGES)


def _registers(i: Instruction, *, written: bool) -> set[int]:
    """General registers that are written, or read as values (not as addresses)."""
    found: set[int] = set()
    for token, operand in zip(i.row.tokens, i.operands, strict=True):
        if token.dest == written and isinstance(operand, Reg) and not operand.is_zero:
            found.update(range(operand.index, operand.index + words_of(token, i)))
    return found
