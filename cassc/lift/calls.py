"""How calls are expressed: most callees are copied for every call site, the rest share one body.

SASS has no stack of return addresses: a caller puts one in a register, and RET jumps to it. A copy of the callee's
blocks for each call site makes RET a plain branch. That ends for recursion and for calls through a register; the
functions concerned get a single body each, and their RET chooses among all return points of such calls.

A body that several places enter and return into makes cycles with several entries, which LLVM's structurizer does not
always get right. So a dispatcher, which dominates the rest, is put in front of every block that would be the second
entry of a cycle: what remains are natural loops, and the one around the dispatcher.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from cassc.sass.cfg import Block, Cfg, Edge, direct_calls, is_indirect, reached

# Return addresses of the copies, innermost last; () in the kernel itself and in shared bodies.
Context = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Calls:
    """Attributes:
    shared: byte offsets of the functions with a single body.
    return_points: byte offsets to which their RET may go.
    targets: byte offsets that calls through a register may reach.
    dispatched: blocks (outside of copies) that are entered through the dispatcher only; empty where there is none.
    """

    shared: frozenset[int]
    return_points: tuple[int, ...]
    targets: tuple[int, ...]
    dispatched: frozenset[int] = frozenset()


def analyse(cfg: Cfg, single: frozenset[int] = frozenset(), places: frozenset[int] = frozenset()) -> Calls:
    """``single``: functions that are to have one body in any case. ``places``: blocks to which the dispatcher leads."""
    callees, indirect = {}, {}
    for entry in (0, *cfg.subroutines):
        callees[entry], indirect[entry] = direct_calls(cfg, entry)
    targets = tuple(sorted({place for block in cfg.blocks.values() for place in _chosen_by_register(block)}))
    edges = {f: callees[f] | (set(targets) if indirect[f] else set()) for f in callees}
    reach = {f: reached(edges, f) for f in edges}
    recursive = {f for f in edges if f in reach[f]}
    shared = {f for f in edges if f in recursive or f in targets or reach[f] & recursive or indirect[f]}
    shared = (shared | single) - {0}
    # A shared body is entered without a context, so whatever calls one has none either.
    while True:
        callers = {f for f in edges if f and f not in shared and callees[f] & shared}
        if not callers:
            break
        shared |= callers
    points = []
    for block in cfg.blocks.values():
        if Edge.CALL not in (kind for kind, _ in block.successors):
            continue
        called = {place for kind, place in block.successors if kind is Edge.CALL}
        if is_indirect(block.last) or called & shared:
            points += [place for kind, place in block.successors if kind is Edge.RETURN_POINT]
    found = Calls(frozenset(shared), tuple(dict.fromkeys(points)), targets)
    return replace(found, dispatched=_dispatched(cfg, found, places)) if shared or places else found


def _chosen_by_register(block: Block) -> list[int]:
    return [place for kind, place in block.successors if kind is Edge.CALL and is_indirect(block.last)]


def _dispatched(cfg: Cfg, calls: Calls, places: frozenset[int]) -> frozenset[int]:
    """The kernel's and the shared bodies' entries, the return points, the given places, and whatever else would enter a
    cycle."""
    found = {0, *calls.shared, *calls.return_points, *places}
    edges: dict[int, set[int]] = {}
    work = list(found)
    while work:
        place = work.pop()
        if place in edges or place not in cfg.blocks:
            continue
        successors = cfg.blocks[place].successors
        callees = {target for kind, target in successors if kind is Edge.CALL}
        elsewhere = bool(callees & calls.shared) or (bool(callees) and is_indirect(cfg.blocks[place].last))
        edges[place] = {
            target
            for kind, target in successors
            if kind is not Edge.CALL and not (elsewhere and kind is Edge.RETURN_POINT)
        }
        work += edges[place]
    parts = [set(edges)]
    while parts:
        part = parts.pop()
        for component in _cycles({place: (edges[place] & part) - found for place in part}):
            entries = {t for place, targets in edges.items() if place not in component for t in targets & component}
            if len(entries) > 1:
                found |= entries
            else:
                # A natural loop: without the edges back to its head, look for others inside.
                head = entries or {min(component)}
                for place in component:
                    edges[place] -= head
            parts.append(component)
    return frozenset(found)


def _cycles(edges: Mapping[int, set[int]]) -> list[set[int]]:
    """Strongly connected components with a cycle."""
    forward = {place: reached(edges, place) for place in edges}
    components: list[set[int]] = []
    done: set[int] = set()
    for place in sorted(edges):
        if place not in done and place in forward[place]:
            component = {other for other in forward[place] if place in forward[other]}
            done |= component
            components.append(component)
    return components
