"""How calls are expressed: most callees are copied for every call site, the rest share one body.

SASS has no stack of return addresses: a caller puts one in a register, and RET jumps to it. A copy of the callee's
blocks for each call site makes RET a plain branch. That ends for recursion and for calls through a register; the
functions concerned get a single body each, and their RET chooses among all return points of such calls.
"""

from __future__ import annotations

from dataclasses import dataclass

from cassc.sass.cfg import Cfg, Edge, direct_calls, is_indirect, reached

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
        callees[entry], indirect[entry] = direct_calls(cfg, entry)
    targets = tuple(cfg.subroutines) if any(indirect.values()) else ()
    edges = {f: callees[f] | (set(targets) if indirect[f] else set()) for f in callees}
    reach = {f: reached(edges, f) for f in edges}
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
