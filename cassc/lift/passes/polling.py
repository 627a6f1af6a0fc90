"""Loops in which lanes wait for a barrier that is an object in memory (an mbarrier).

What such a lane waits for may be done by another lane of its warp, on the other side of a branch or behind the loop.
The lanes of a wave do not run apart, so each round of the loop begins in the dispatcher, where the others have their
turn (see ``lift.dispatch``).
"""

from __future__ import annotations

from collections.abc import Iterable

from cassc.sass.cfg import Cfg, Edge
from cassc.sass.execute import words_of
from cassc.sass.groups import base
from cassc.sass.operand import Address, Reg
from cassc.sass.row import Instruction

_OBJECTS = frozenset({"SYNCS", "ARRIVES"})
_LOADS = frozenset({"LD", "LDS"})


def headers(graph: Cfg) -> frozenset[int]:
    """Byte offsets of the blocks by which lanes begin another round of such a loop."""
    instructions = [i for block in graph.blocks.values() for i in block.instructions]
    if not any(base(i) in _OBJECTS or "ARRIVE" in i.mnemonic.split(".") for i in instructions):
        return frozenset()
    edges = {
        place: {t for kind, t in block.successors if kind is not Edge.CALL} for place, block in graph.blocks.items()
    }
    found = set()
    for place in graph.blocks:
        for header in edges[place]:
            if header <= place and header in graph.blocks:
                body = _loop(edges, header, place)
                if _polls([i for inside in body for i in graph.blocks[inside].instructions]):
                    found.add(header)
    return frozenset(found)


def _loop(edges: dict[int, set[int]], header: int, latch: int) -> set[int]:
    """The blocks from which the latch is reached without the header."""
    before: dict[int, set[int]] = {place: set() for place in edges}
    for place, targets in edges.items():
        for target in targets & edges.keys():
            before[target].add(place)
    found = {header, latch}
    work = [latch] if latch != header else []
    while work:
        for place in before[work.pop()] - found:
            found.add(place)
            work.append(place)
    return found


def _polls(body: Iterable[Instruction]) -> bool:
    """Whether the loop asks for the phase of an object: by the instruction for it, or, before sm_90, by loading a word
    from one place again and again, and changing nothing."""
    listed = list(body)
    if any(i.row.mnemonic.startswith("SYNCS.PHASECHK") for i in listed):
        return not any(_changes(i) for i in listed)
    loads = [i for i in listed if base(i) in _LOADS]
    written = {register for i in listed for register in _written(i)}
    fixed = all(register not in written for i in loads for register in _places(i))
    return bool(loads) and fixed and not any(_changes(i) for i in listed)


def _changes(i: Instruction) -> bool:
    return base(i) in ("ST", "STS", "STG", "STL", "ATOM", "ATOMG", "ATOMS", "RED", "REDG", "BAR") or (
        base(i) in ("SYNCS", "ARRIVES") and "PHASECHK" not in i.mnemonic
    )


def _places(i: Instruction) -> list[int]:
    return [
        o.register.index + k
        for o in i.operands
        if isinstance(o, Address) and isinstance(o.register, Reg) and not o.register.is_zero
        for k in range(2 if o.wide else 1)
    ]


def _written(i: Instruction) -> list[int]:
    return [
        o.index + k
        for token, o in zip(i.row.tokens, i.operands, strict=True)
        if token.dest and isinstance(o, Reg) and not o.is_zero
        for k in range(words_of(token, i))
    ]
