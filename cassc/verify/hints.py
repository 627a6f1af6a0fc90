"""What the code says of the launches it wants: the flow of its parameters, and the shape of grid and CTA."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from cassc.sass import cfg
from cassc.sass.disasm import SassFunction
from cassc.sass.isa.tensor import HMMA_APPROX
from cassc.sass.operand import Imm, Named, Pred
from cassc.verify import flow
from cassc.verify.flow import Facts, Kind

_NOTHING = Facts()
_DOUBLES = frozenset("DADD DFMA DMUL DSETP DMNMX".split())
_DIMENSION = {"X": 1, "Y": 2, "Z": 3}


@dataclass(frozen=True, slots=True)
class Hints:
    """
    Attributes:
        words: byte offset in the parameter block (a multiple of 4) -> what is known of the word there.
        memory: byte offset of a pointer in the parameter block -> what is known of the memory behind it.
        compared: immediates that values are compared with.
        complete: the flow of all values is known.
        dimensions: 1 to 3, the highest dimension of thread or CTA index that is read.
        approximate: mnemonics in the code whose rows state an approximation.
        matrices: products of matrices of floats, whose additions a translation may round in one of two ways.
        halves, doubles: floats of these types are computed with.
        atomic_floats: atomic additions of floats, whose rounding depends on their order.
        tickets: atomic operations that give the old value: who comes first decides what threads get.
        partial_sums: some of ``atomic_floats`` give the old value, the sum of those that came before.
        barriers: numbers of threads that barriers for a part of the CTA wait for; 0 for a number in a register.
    """

    words: Mapping[int, Facts] = field(default_factory=dict)
    memory: Mapping[int, Facts] = field(default_factory=dict)
    compared: tuple[int, ...] = ()
    complete: bool = False
    dimensions: int = 1
    approximate: tuple[str, ...] = ()
    halves: bool = False
    doubles: bool = False
    atomic_floats: bool = False
    barriers: tuple[int, ...] = ()
    tickets: bool = False
    partial_sums: bool = False
    matrices: bool = False

    def word(self, offset: int) -> Facts:
        return self.words.get(offset - offset % 4, _NOTHING)

    def behind(self, offset: int) -> Facts:
        return self.memory.get(offset, _NOTHING)

    def may_point(self, offset: int) -> bool:
        """Whether the eight bytes at an offset are a pointer, as far as is known."""
        low, high = self.word(offset), self.word(offset + 4)
        if low.points and high.points:
            return True
        return not self.complete or low.indexes or high.indexes

    def surely_points(self, offset: int) -> bool:
        return self.word(offset).points and self.word(offset + 4).points


def of(function: SassFunction) -> Hints:
    dimensions = 1
    approximate: set[str] = set()
    halves = doubles = atomic_floats = tickets = partial_sums = False
    # A function that is compiled by itself stands with all others of its module, of which it calls few.
    reached = [i for block in cfg.build(function).blocks.values() for i in block.instructions]
    for instruction in reached:
        if instruction.row.approx:
            approximate.add(instruction.row.mnemonic)
        halves |= instruction.row.mnemonic.startswith(("HADD2", "HFMA2", "HMUL2", "HMNMX2", "F2F", "F2FP", "HMMA"))
        kind = flow.atomic_kind(instruction)
        halves |= kind is Kind.FLOAT16
        atomic_floats |= kind is not None
        gives_old = instruction.row.mnemonic.startswith("ATOM")
        tickets |= gives_old
        partial_sums |= gives_old and kind is not None
        doubles |= instruction.row.mnemonic in _DOUBLES
        for operand in instruction.operands:
            if isinstance(operand, Named) and operand.name.startswith(("SR_TID.", "SR_CTAID.")):
                dimensions = max(dimensions, _DIMENSION[operand.name[-1]])
    found = flow.analyse(function)
    return Hints(
        found.words,
        found.memory,
        found.compared,
        found.complete,
        dimensions,
        tuple(sorted(approximate)),
        halves,
        doubles,
        atomic_floats,
        tickets=tickets,
        partial_sums=partial_sums,
        matrices=any(i.row.approx == HMMA_APPROX for i in reached),
        barriers=barrier_counts(function),
    )


def barrier_counts(function: SassFunction) -> tuple[int, ...]:
    """See `Hints.barriers`."""
    found = set()
    for instruction in function.instructions:
        if instruction.row.mnemonic == "BAR":
            counts = [o for o in instruction.operands if not isinstance(o, Pred)][1:]
            found |= {o.bits if isinstance(o, Imm) else 0 for o in counts}
    return tuple(sorted(found))
