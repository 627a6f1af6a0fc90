"""Control flow of a kernel: basic blocks, edges, calls, and which instructions can be reached."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from cassc.sass.disasm import SassFunction
from cassc.sass.fields import WORD_BYTES
from cassc.sass.operand import Label, Pred, Reg, UReg
from cassc.sass.row import Instruction


class Edge(Enum):
    FALL = "fall"
    BRANCH = "branch"
    INDIRECT = "indirect"
    CALL = "call"
    RETURN_POINT = "return point"


@dataclass(frozen=True, slots=True)
class Block:
    """Straight-line code.

    Attributes:
        instructions: in address order; only the last may transfer control.
        successors: (kind, byte offset). A call has its callee and its return point; a return has none.
    """

    start: int
    instructions: tuple[Instruction, ...]
    successors: tuple[tuple[Edge, int], ...]

    @property
    def last(self) -> Instruction:
        return self.instructions[-1]


@dataclass(frozen=True, slots=True)
class Cfg:
    """Attributes:
    name: of the kernel.
    blocks: by byte offset, reachable ones only.
    subroutines: byte offset -> name of the functions that are reached.
    indirect: byte offset of an indirect branch -> its targets.
    missing: byte offsets that are reached but hold no instruction.
    """

    name: str
    blocks: Mapping[int, Block]
    subroutines: Mapping[int, str]
    indirect: Mapping[int, tuple[int, ...]]
    missing: tuple[int, ...] = ()

    def dot(self) -> str:
        """Graphviz text."""
        lines = [f'digraph "{self.name}" {{', "  node [shape=box, fontname=monospace];"]
        for block in self.blocks.values():
            body = "".join(f"{i.address:04x}  {i.text or i.mnemonic}\\l" for i in block.instructions)
            title = f"{self.subroutines[block.start]}\\l" if block.start in self.subroutines else ""
            lines.append(f'  b{block.start:x} [label="{title}{body}"];')
            for kind, target in block.successors:
                style = {Edge.BRANCH: "", Edge.FALL: " [style=dashed]"}.get(kind, f' [label="{kind.value}"]')
                lines.append(f"  b{block.start:x} -> b{target:x}{style};")
        return "\n".join([*lines, "}", ""])


# Stack of kernels whose depth of calls is not known: CUDA gives 1024 bytes, or what the program asks for at run time.
UNBOUNDED_STACK = 16384
STACK_POINTER = 1  # R1


def own_blocks(graph: Cfg, entry: int) -> set[int]:
    """The blocks of the function at ``entry``, without those of functions that it calls."""
    work, seen = [entry], set()
    while work:
        place = work.pop()
        if place not in seen and place in graph.blocks:
            seen.add(place)
            work += [target for kind, target in graph.blocks[place].successors if kind is not Edge.CALL]
    return seen


def direct_calls(graph: Cfg, entry: int) -> tuple[set[int], bool]:
    """Functions called from the blocks that belong to the one at ``entry``, and whether it calls through a register."""
    callees: set[int] = set()
    indirect = False
    for place in own_blocks(graph, entry):
        block = graph.blocks[place]
        called = {target for kind, target in block.successors if kind is Edge.CALL}
        if called and is_indirect(block.last):
            indirect = True
        else:
            callees |= called
    return callees, indirect


def reached(edges: Mapping[int, set[int]], start: int) -> set[int]:
    """What is reached from ``start`` by at least one edge."""
    found: set[int] = set()
    work = list(edges[start])
    while work:
        place = work.pop()
        if place not in found:
            found.add(place)
            work += edges.get(place, ())
    return found


def stack_bytes(graph: Cfg, stated: int) -> int:
    """Local memory of a thread: as the cubin states it, or `UNBOUNDED_STACK` where that cannot cover the need: calls
    recurse or are indirect, or a number from a register is taken off the stack pointer."""
    if any(_resizes_stack(i) for block in graph.blocks.values() for i in block.instructions):
        return max(stated, UNBOUNDED_STACK)
    if not graph.subroutines:
        return stated
    calls = {entry: direct_calls(graph, entry) for entry in (0, *graph.subroutines)}
    edges = {entry: callees for entry, (callees, _) in calls.items()}
    unbounded = any(indirect for _, indirect in calls.values()) or any(f in reached(edges, f) for f in edges)
    return max(stated, UNBOUNDED_STACK) if unbounded else stated


def _resizes_stack(i: Instruction) -> bool:
    """``R1 = R1 - Rn``, as alloca does."""
    if not i.operands or not isinstance(i.operands[0], Reg) or i.operands[0].index != STACK_POINTER:
        return False
    sources = [o for o in i.operands[1:] if isinstance(o, Reg | UReg) and not o.is_zero]
    pointer = [o for o in sources if isinstance(o, Reg) and o.index == STACK_POINTER]
    return bool(pointer) and len(sources) > len(pointer)


CALLS = frozenset({"call_rel", "call_abs"})
# Kinds of `Row.control` that end a block.
ENDS = frozenset({"branch", "branch_div", "branch_conv", "brx", "call_rel", "call_abs", "ret", "exit", "trap"})


def target_of(instruction: Instruction) -> int | None:
    """Byte offset of the label operand, None without one."""
    return next((o.target for o in instruction.operands if isinstance(o, Label)), None)


def always(instruction: Instruction) -> bool:
    """Neither a guard nor a predicate operand makes the transfer conditional."""
    conditions = [instruction.guard, *(o for o in instruction.operands if isinstance(o, Pred))]
    return all(c.is_true for c in conditions)


def is_indirect(instruction: Instruction) -> bool:
    return any(token.name == "Ra" for token in instruction.row.tokens)


def build(function: SassFunction) -> Cfg:
    """The graph of what is reachable from the entry, through subroutines and indirect branches too."""
    at = {i.address: i for i in function.instructions}
    entries = {offset: name for name, offset in function.subroutines.items()}
    successors: dict[int, tuple[tuple[Edge, int], ...]] = {}
    leaders = {0}
    missing = set()
    work = [0]
    seen: set[int] = set()
    while work:
        address = work.pop()
        if address in seen:
            continue
        seen.add(address)
        instruction = at.get(address)
        if instruction is None:
            missing.add(address)
            continue
        edges = _successors(instruction, entries, function.indirect, function.pointed_to)
        successors[address] = edges
        if instruction.row.control in ENDS:
            leaders.update(target for _, target in edges)
        work += [target for _, target in edges]
    blocks = {}
    for leader in sorted(leaders & set(successors)):
        address, body = leader, []
        while True:
            body.append(at[address])
            follower = address + WORD_BYTES
            if at[address].row.control in ENDS or follower in leaders or follower not in successors:
                break
            address = follower
        blocks[leader] = Block(leader, tuple(body), successors[address])
    reached = {offset: name for offset, name in entries.items() if offset in blocks}
    return Cfg(function.name, blocks, reached, function.indirect, tuple(sorted(missing)))


def _successors(
    i: Instruction,
    entries: Mapping[int, str],
    indirect: Mapping[int, tuple[int, ...]],
    pointed_to: frozenset[int],
) -> tuple[tuple[Edge, int], ...]:
    fall = (Edge.FALL, i.address + WORD_BYTES)
    kind = i.row.control
    if kind not in ENDS or i.guard.index == 7 and i.guard.negated:
        return (fall,)
    target = target_of(i)
    edges: list[tuple[Edge, int]] = []
    if kind in ("branch", "branch_div", "branch_conv"):
        edges = [(Edge.BRANCH, target)] if target is not None else []
    elif kind == "brx":
        edges = [(Edge.INDIRECT, place) for place in dict.fromkeys(indirect.get(i.address, ()))]
    elif kind == "call_rel":
        if is_indirect(i):
            edges = [(Edge.CALL, place) for place in entries]
            edges.append((Edge.RETURN_POINT, i.address + WORD_BYTES))
        elif target is not None and target in entries:
            edges = [(Edge.CALL, target), (Edge.RETURN_POINT, i.address + WORD_BYTES)]
        elif target is not None:
            # ptxas jumps to plain labels by CALL too; nothing returns from there.
            edges = [(Edge.BRANCH, target)]
    elif kind == "call_abs":
        # Through a register, of functions outside of the section; others are of the device runtime.
        callees = sorted(pointed_to) if is_indirect(i) else [target] if target is not None else []
        edges = [(Edge.CALL, place) for place in callees]
        edges.append((Edge.RETURN_POINT, i.address + WORD_BYTES))
    conditional = not always(i) or kind in ("branch_div", "branch_conv")
    if conditional and fall[1] not in (t for _, t in edges):
        edges.append(fall)
    return tuple(edges)
