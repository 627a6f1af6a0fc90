"""Where lanes of a warp must wait for each other, although the places where their paths join do not make them.

The lanes of a wave meet where their paths join. That is enough where BSSY and BSYNC enclose branches. It is not

* in kernels with calls through registers or recursion, if lanes skip such a call: the others go on by the dispatcher
  (see ``lift.calls``), in its next round;
* where a mask may be used from both sides of a branch: its lanes meet at instructions in different places;
* where lanes wait in a loop for what others may do meanwhile (see ``lift.passes.polling``);
* where lanes may exit and leave the rest of their warp to a barrier for a part of the CTA: it counts whole warps, once
  all lanes have come that have not exited (PTX ISA, ``barrier``).

There every BSYNC, WARPSYNC and BAR that may find lanes missing becomes a meeting: lanes wait for each other in the
dispatcher (see ``lift.dispatch``), by the rules that the reference interpreter follows (``sass.convergence``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from cassc.lift import calls
from cassc.lift.calls import Calls
from cassc.lift.passes import polling, varying
from cassc.sass.cfg import CALLS, Block, Cfg, Edge, is_indirect, own_blocks, target_of
from cassc.sass.fields import WORD_BYTES
from cassc.sass.groups import SYNCHRONISING, WARP_WIDE, base
from cassc.sass.operand import Named, Pred
from cassc.sass.row import Instruction

_ASKS = frozenset({"branch_div", "branch_conv"})
_WAITS = SYNCHRONISING | {"endcollective"}


@dataclass(frozen=True, slots=True)
class Plan:
    """Attributes:
    graph: its blocks end at meetings.
    calls: functions with meetings have single bodies.
    meetings: byte offsets of the instructions; empty where joining paths are enough.
    """

    graph: Cfg
    calls: Calls
    meetings: frozenset[int] = frozenset()


def plan(graph: Cfg) -> Plan:
    """How lanes of the kernel meet."""
    plain = calls.analyse(graph)
    instructions = [i for block in graph.blocks.values() for i in block.instructions]
    polled = polling.headers(graph)
    counted = {i.address for i in instructions if of_some_threads(i)} if _left_behind(graph) else set()
    two_sided = _two_sided(graph) or (bool(plain.shared) and any(map(_exchanges, instructions)))
    if not polled and not counted and not two_sided:
        return Plan(graph, plain)
    fixed = counted | {i.address for i in instructions if i.row.control in _WAITS or of_all_threads(i)}
    meetings = fixed | _matched(graph, set())[1]
    while True:
        holding = {
            f for f in graph.subroutines if (own := own_blocks(graph, f)) & polled or meetings & _addresses(graph, own)
        }
        cut = _cut(graph, meetings)
        places = {target for block in cut.blocks.values() for target in _behind(block, meetings)}
        found = calls.analyse(cut, frozenset(holding), polled | places)
        more = meetings | _matched(graph, _parting(cut, found, meetings))[0]
        if more == meetings:
            return Plan(cut, found, frozenset(meetings))
        meetings = more


def of_all_threads(i: Instruction) -> bool:
    """Whether it is a barrier that waits for the whole CTA."""
    numbers = [o for o in i.operands if not isinstance(o, Pred)]
    return base(i) == "BAR" and i.mod("mode") in ("SYNC", "RED") and len(numbers) == 1


def of_some_threads(i: Instruction) -> bool:
    """Whether it is a barrier that names how many threads it waits for."""
    return base(i) == "BAR" and sum(not isinstance(o, Pred) for o in i.operands) > 1


def runs_behind(i: Instruction) -> bool:
    """Whether the lanes that have met execute the instruction itself, and not only what follows."""
    return of_some_threads(i) or (of_all_threads(i) and i.mod("mode") == "RED")


def barrier_index(i: Instruction) -> int:
    """Of the convergence barrier that the instruction names."""
    return next(o.index for o in i.operands if isinstance(o, Named))


def _exchanges(i: Instruction) -> bool:
    return base(i) in WARP_WIDE or of_all_threads(i) or i.row.control in SYNCHRONISING


def _addresses(graph: Cfg, places: Iterable[int]) -> set[int]:
    return {i.address for place in places for i in graph.blocks[place].instructions}


# Barriers of a part of the CTA ---------------------------------------------------------------------------------------
def _left_behind(graph: Cfg) -> bool:
    """Whether lanes may exit at a place from which others of their warp may come to a barrier for some threads."""
    ways = {place: {target for _, target in block.successors} for place, block in graph.blocks.items()}
    counting = {place for place, block in graph.blocks.items() if any(map(of_some_threads, block.instructions))}
    if not counting:
        return False
    before: dict[int, set[int]] = {place: set() for place in ways}
    for place, targets in ways.items():
        for target in targets & before.keys():
            before[target].add(place)
    exits = {place for place, block in graph.blocks.items() if block.last.row.control == "exit"}
    guarded = {place for place in exits if ways[place]}
    leading = _leading(before, counting)
    ending = _leading({place: origins - counting for place, origins in before.items()}, exits - counting)
    return any(ways[place] & leading for place in guarded) or any(
        ways[place] & leading and ways[place] & ending for place in ways if len(ways[place]) > 1
    )


def _leading(before: Mapping[int, set[int]], places: Iterable[int]) -> set[int]:
    """The places themselves, and those from which they can be reached."""
    found: set[int] = set()
    work = list(places)
    while work:
        place = work.pop()
        if place not in found:
            found.add(place)
            work += before[place]
    return found


# Both sides of a branch ----------------------------------------------------------------------------------------------
def _two_sided(graph: Cfg) -> bool:
    """Whether lanes that a branch parts may come to exchanges or waits for the same lanes before they join again."""
    asking = {place for place, block in graph.blocks.items() if any(map(_asks, block.instructions))}
    if not asking:
        return False
    functions = {f: own_blocks(graph, f) for f in (0, *graph.subroutines)}
    callers = {f: {t for place in own for t in _callees(graph.blocks[place])} for f, own in functions.items()}
    inside = {f for f, own in functions.items() if own & asking}
    while more := {f for f, callees in callers.items() if callees & inside} - inside:
        inside |= more
    marked = asking | {place for place, block in graph.blocks.items() if _callees(block) & inside}
    ways: dict[int, set[int]] = {}
    joins: dict[int, int | None] = {}
    for own in functions.values():
        edges = {place: _own_edges(graph.blocks[place]) & own for place in own}
        ways |= edges
        joins |= _joins(edges)
    suspects = {place for place in ways if len(ways[place]) > 1 and _both(ways, marked, place, joins[place])}
    return bool(suspects) and not suspects.isdisjoint(varying.parting(graph, joins, ways))


def _asks(i: Instruction) -> bool:
    return i.row.control in _ASKS or i.row.control in SYNCHRONISING


def _both(edges: Mapping[int, set[int]], marked: set[int], place: int, join: int | None) -> bool:
    sides = [_until(edges, target, join) & marked for target in edges[place]]
    return any(a - b and b - a for k, a in enumerate(sides) for b in sides[k + 1 :])


def _until(edges: Mapping[int, set[int]], start: int, end: int | None) -> set[int]:
    found: set[int] = set()
    work = [start]
    while work:
        place = work.pop()
        if place != end and place not in found:
            found.add(place)
            work += edges[place]
    return found


def _own_edges(block: Block) -> set[int]:
    """Successors in the same function, as converged lanes go: not those to the paths for lanes that are not."""
    found = {target for kind, target in block.successors if kind is not Edge.CALL}
    if block.last.row.control == "branch_div" and len(found) > 1:
        found.discard(block.successors[0][1])
    return found


def _callees(block: Block) -> set[int]:
    return {target for kind, target in block.successors if kind is Edge.CALL}


def _joins(edges: Mapping[int, set[int]]) -> dict[int, int | None]:
    """The nearest place through which all paths from a place go; None if that is only the end."""
    order = _postorder(edges)
    number = {place: k for k, place in enumerate(order)}
    end = -1
    nearest: dict[int, int] = {place: end for place in order if not edges[place]}
    nearest[end] = end
    depth = {**number, end: -1}
    changed = True
    while changed:
        changed = False
        for place in order:
            known = [target for target in edges[place] if target in nearest]
            if not known:
                continue
            meeting = known[0]
            for other in known[1:]:
                meeting = _common(nearest, depth, meeting, other)
            if nearest.get(place) != meeting:
                nearest[place] = meeting
                changed = True
    return {place: None if nearest.get(place, end) == end else nearest[place] for place in edges}


def _common(nearest: Mapping[int, int], depth: Mapping[int, int], a: int, b: int) -> int:
    while a != b:
        while depth[a] > depth[b]:
            a = nearest[a]
        while depth[b] > depth[a]:
            b = nearest[b]
    return a


def _postorder(edges: Mapping[int, set[int]]) -> list[int]:
    """The places in an order in which those that a place leads to come first, but for loops."""
    before: dict[int, set[int]] = {place: set() for place in edges}
    for place, targets in edges.items():
        for target in targets:
            before[target].add(place)
    order: list[int] = []
    seen: set[int] = set()
    for start in sorted(edges):
        if edges[start]:
            continue
        seen.add(start)
        stack = [(start, iter(sorted(before[start])))]
        while stack:
            place, rest = stack[-1]
            following = next((p for p in rest if p not in seen), None)
            if following is None:
                order.append(place)
                stack.pop()
            else:
                seen.add(following)
                stack.append((following, iter(sorted(before[following]))))
    return order[::-1]


# Meetings ------------------------------------------------------------------------------------------------------------
def _cut(graph: Cfg, meetings: set[int]) -> Cfg:
    """Every meeting ends a block; the lanes of a collective sequence go on where each of them asks for."""
    resumed = {
        target: None
        for block in graph.blocks.values()
        for i in block.instructions
        if i.row.control == "warpsync_collective" and (target := target_of(i)) is not None
    }
    known = _addresses(graph, graph.blocks)
    blocks: dict[int, Block] = {}
    for block in graph.blocks.values():
        body = block.instructions
        cuts = [k + 1 for k, i in enumerate(body) if i.address in meetings or i.address + WORD_BYTES in resumed]
        bounds = [0, *(k for k in cuts if k < len(body)), len(body)]
        for start, end in zip(bounds, bounds[1:], strict=False):
            part = body[start:end]
            successors = block.successors if end == len(body) else ((Edge.FALL, body[end].address),)
            if part[-1].row.control == "endcollective":
                successors = tuple((Edge.INDIRECT, place) for place in resumed if place in known)
            blocks[part[0].address] = Block(part[0].address, part, successors)
    return replace(graph, blocks=blocks)


def _behind(block: Block, meetings: set[int]) -> tuple[int, ...]:
    """Where lanes go on that have met at the end of the block."""
    return tuple(target for _, target in block.successors) if block.last.address in meetings else ()


def _parting(cut: Cfg, found: Calls, meetings: set[int]) -> set[int]:
    """Instructions at which lanes go by the dispatcher, so that others may overtake them."""
    parting = set(meetings) | set(found.dispatched)
    for block in cut.blocks.values():
        callees = _callees(block)
        if block.last.row.control in CALLS and callees and (is_indirect(block.last) or callees & found.shared):
            parting.add(block.last.address)
    return parting


def _matched(graph: Cfg, parting: set[int]) -> tuple[set[int], set[int]]:
    """The BSYNCs that end a region in which lanes part by the dispatcher, and those of which no BSSY is found."""
    syncs = {i.address for block in graph.blocks.values() for i in block.instructions if i.row.control == "bsync"}
    meetings: set[int] = set()
    unmatched = set(syncs)
    for block in graph.blocks.values():
        for position, i in enumerate(block.instructions):
            if i.row.control == "bssy":
                region, ends = _region(graph, block, position)
                unmatched -= ends
                if region & parting:
                    meetings |= ends
    return meetings, unmatched


def _region(graph: Cfg, first: Block, position: int) -> tuple[set[int], set[int]]:
    """Instructions behind a BSSY, up to the BSYNCs of its barrier; and those."""
    index = barrier_index(first.instructions[position])
    region: set[int] = set()
    ends: set[int] = set()
    seen: set[int] = set()
    work = [(first, position + 1)]
    while work:
        block, start = work.pop()
        for i in block.instructions[start:]:
            if i.row.control == "bsync" and barrier_index(i) == index:
                ends.add(i.address)
                if not i.guard.is_true:
                    continue
                break
            region.add(i.address)
        else:
            for kind, target in block.successors:
                if kind is not Edge.CALL and target in graph.blocks and target not in seen:
                    seen.add(target)
                    work.append((graph.blocks[target], 0))
    return region, ends
