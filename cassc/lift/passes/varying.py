"""Branches at which the lanes of a warp may part: those whose condition need not be the same in all of them.

A value is the same in all lanes if everything is that it is made of, and if all lanes took the same way to it: what is
written on one side of a parting branch differs behind the place where the sides join. What is loaded from one address
is one value. Uniform registers hold one by their nature.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from cassc.sass.cfg import Block, Cfg, Edge, own_blocks
from cassc.sass.execute import words_of
from cassc.sass.groups import base
from cassc.sass.operand import Address, Const, Imm, Named, Operand, Pred, Reg
from cassc.sass.row import Instruction

# A set of registers and predicates as bits: registers from 0 on, then the predicates.
_PREDICATES = 256
_ALL_PREDICATES = 0x7F << _PREDICATES
_EVERYTHING = (1 << _PREDICATES + 7) - 1
# What differs from lane to lane by itself; names of special registers that begin so.
_BY_LANE = ("SR_TID", "SR_LANEID", "SR_EQMASK", "SR_LTMASK", "SR_LEMASK", "SR_GTMASK", "SR_GEMASK")
_BY_TIME = ("SR_CLOCK", "SR_GLOBALTIMER")
_VARYING = frozenset(
    {"ATOM", "ATOMG", "ATOMS", "MATCH", "LD", "LDL", "SHFL", "LDSM", "HMMA", "IMMA", "DMMA", "BMMA", "MOVM", "RPCMOV"}
)
_UNIFORM = frozenset({"VOTE", "ELECT", "B2R"})


@dataclass(frozen=True, slots=True)
class _Effect:
    """Attributes:
    reads, writes: sets.
    guarded: what was there before may stay.
    varies, uniform: the results differ, or not, whatever is read.
    """

    reads: int
    writes: int
    guarded: bool
    varies: bool = False
    uniform: bool = False

    def after(self, varying: int) -> int:
        if self.varies or (not self.uniform and self.reads & varying):
            return varying | self.writes
        return varying if self.guarded else varying & ~self.writes


def parting(graph: Cfg, joins: Mapping[int, int | None], ways: Mapping[int, set[int]]) -> set[int]:
    """Blocks that lanes of one warp may leave in several directions.

    Args:
        joins: for each block, where all paths from it come together.
        ways: the successors of each block in its own function.
    """
    effects = {place: [_effect(i) for i in block.instructions] for place, block in graph.blocks.items()}
    written = {place: _written(effects[place]) for place in graph.blocks}
    called = {f: _united(written[place] for place in own_blocks(graph, f)) for f in graph.subroutines}
    found: set[int] = set()
    at_joins: dict[int, int] = {}
    while True:
        ends = _ends(graph, effects, called, at_joins)
        more = {place for place, block in graph.blocks.items() if _condition(block.last) & ends[place]} - found
        if not more:
            return found
        found |= more
        for place in more:
            join = joins.get(place)
            sides = _between(ways, place, join)
            both = _united(written[side] | _callees(graph.blocks[side], called) for side in sides)
            if join is not None:
                at_joins[join] = at_joins.get(join, 0) | both


def _ends(
    graph: Cfg, effects: Mapping[int, list[_Effect]], called: Mapping[int, int], at_joins: Mapping[int, int]
) -> dict[int, int]:
    """What varies at the end of each block."""
    starts: dict[int, int] = {place: at_joins.get(place, 0) for place in graph.blocks}
    ends: dict[int, int] = dict.fromkeys(graph.blocks, -1)
    work = list(graph.blocks)
    while work:
        place = work.pop()
        varying = starts[place]
        for effect in effects[place]:
            varying = effect.after(varying)
        if varying == ends[place]:
            continue
        ends[place] = varying
        block = graph.blocks[place]
        for kind, target in block.successors:
            handed = varying | (_callees(block, called) if kind is Edge.RETURN_POINT else 0)
            if target in starts and (handed & ~starts[target] or ends[target] < 0):
                starts[target] |= handed
                work.append(target)
    return ends


def _callees(block: Block, called: Mapping[int, int]) -> int:
    """What the functions write that the block calls, and those that they call."""
    callees = [target for kind, target in block.successors if kind is Edge.CALL]
    if not callees:
        return _EVERYTHING if any(kind is Edge.RETURN_POINT for kind, _ in block.successors) else 0
    return _united(called.get(target, _EVERYTHING) for target in callees) if len(callees) == 1 else _EVERYTHING


def _between(ways: Mapping[int, set[int]], start: int, end: int | None) -> set[int]:
    found: set[int] = set()
    work = list(ways.get(start, ()))
    while work:
        place = work.pop()
        if place != end and place not in found:
            found.add(place)
            work += ways[place]
    return found


def _written(effects: Iterable[_Effect]) -> int:
    return _united(effect.writes for effect in effects)


def _united(sets: Iterable[int]) -> int:
    result = 0
    for one in sets:
        result |= one
    return result


def _condition(i: Instruction) -> int:
    """What decides which way a lane goes at the end of a block."""
    if i.row.control == "brx":
        return _united(_read(o) for o in i.operands) | _read(i.guard)
    if i.row.control != "branch" or i.row.mnemonic.startswith("BRA.U"):
        return 0
    return _united(_read(o) for o in i.operands if isinstance(o, Pred)) | _read(i.guard)


def _effect(i: Instruction) -> _Effect:
    reads = _read(i.guard)
    writes = 0
    for token, operand in zip(i.row.tokens, i.operands, strict=True):
        if token.dest and isinstance(operand, Reg):
            writes |= _run(operand, words_of(token, i))
        elif token.dest and isinstance(operand, Pred) and not operand.uniform and operand.index < 7:
            writes |= 1 << _PREDICATES + operand.index
        elif not token.dest:
            reads |= _read(operand, words_of(token, i))
    name = base(i)
    if name == "R2P":
        writes |= _ALL_PREDICATES
    if name == "P2R":
        reads |= _ALL_PREDICATES
    varies = name in _VARYING and not _broadcasts(i) or _special(i)
    return _Effect(reads, writes, not i.guard.is_true, varies, name in _UNIFORM)


def _broadcasts(i: Instruction) -> bool:
    """A shuffle in which all lanes of the warp read from one given by a number."""
    lane, clamp = i.operands[-2:]
    whole = isinstance(clamp, Imm) and clamp.bits == 31
    return base(i) == "SHFL" and i.mod("mode") == "IDX" and whole and isinstance(lane, Imm | Reg) and _fixed(lane)


def _fixed(lane: Imm | Reg) -> bool:
    return isinstance(lane, Imm) or lane.is_zero


def _special(i: Instruction) -> bool:
    return any(isinstance(o, Named) and o.name.startswith(_BY_LANE + _BY_TIME) for o in i.operands)


def _read(operand: Operand, words: int = 1) -> int:
    if isinstance(operand, Reg):
        return _run(operand, words)
    if isinstance(operand, Pred):
        return 0 if operand.uniform or operand.index == 7 else 1 << _PREDICATES + operand.index
    if isinstance(operand, Address) and isinstance(operand.register, Reg):
        return _run(operand.register, 2 if operand.wide else 1)
    if isinstance(operand, Const) and isinstance(operand.register, Reg):
        return _run(operand.register, 1)
    return 0


def _run(register: Reg, words: int) -> int:
    return 0 if register.is_zero else (1 << words) - 1 << register.index & (1 << _PREDICATES) - 1
