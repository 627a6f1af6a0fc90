"""How calls are expressed: most callees are copied for every call site, the rest share one body.

SASS has no stack of return addresses: a caller puts one in a register, and RET jumps to it. A copy of the callee's
blocks for each call site makes RET a plain branch. That ends for recursion and for calls through a register; the
functions concerned get a single body each, and their RET chooses among all return points of such calls.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cassc.sass.cfg import Cfg, Edge, is_indirect

Context = tuple[
    int, ...
]  # return addresses of the copies, innermost last; () in the kernel itself and in shared bodies


@dataclass(frozen=True, slots=True)
class Calls:
    """Attributes:
    shared: byte offsets of the functions with a single body.
    return_points: byte offsets to which their RET may go.
    targets: byte offsets that calls through a register may reach.
    """

    shared: frozenset[int]
    return_points: tuple[int, ...]
    targets: tuple[int, ...]


def analyse(cfg: Cfg) -> Calls:
    callees, indirect = {}, {}
    for entry in (0, *cfg.subroutines):
        callees[entry], indirect[entry] = _direct_calls(cfg, entry)
    targets = tuple(cfg.subroutines) if any(indirect.values()) else ()
    edges = {f: callees[f] | (set(targets) if indirect[f] else set()) for f in callees}
    reach = {f: _closure(edges, f) for f in edges}
    recursive = {f for f in edges if f in reach[f]}
    shared = {f for f in edges if f in recursive or f in targets or reach[f] & recursive or indirect[f]} - {0}
    # A shared body is entered without a context, so whatever calls one has none either.
    while True:
        callers = {f for f in edges if f and f not in shared and callees[f] & shared}
        if not callers:
            break
        shared |= callers
    points = []
    for block in cfg.blocks.values():
        if block.last.row.control != "call_rel" or Edge.CALL not in (kind for kind, _ in block.successors):
            continue
        called = {place for kind, place in block.successors if kind is Edge.CALL}
        if is_indirect(block.last) or called & shared:
            points += [place for kind, place in block.successors if kind is Edge.RETURN_POINT]
    return Calls(frozenset(shared), tuple(dict.fromkeys(points)), targets)


def _direct_calls(cfg: Cfg, entry: int) -> tuple[set[int], bool]:
    """Functions called from the blocks that belong to the one at ``entry``, and whether it calls through a register."""
    callees: set[int] = set()
    indirect = False
    work, seen = [entry], set()
    while work:
        place = work.pop()
        if place in seen or place not in cfg.blocks:
            continue
        seen.add(place)
        block = cfg.blocks[place]
        through_register = block.last.row.control == "call_rel" and is_indirect(block.last)
        indirect |= through_register
        for kind, target in block.successors:
            if kind is not Edge.CALL:
                work.append(target)
            elif not through_register:
                callees.add(target)
    return callees, indirect


def _closure(edges: Mapping[int, set[int]], start: int) -> set[int]:
    """What is reached from ``start`` by at least one edge."""
    reached: set[int] = set()
    work = list(edges[start])
    while work:
        place = work.pop()
        if place not in reached:
            reached.add(place)
            work += edges.get(place, ())
    return reached
