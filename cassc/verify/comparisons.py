"""What the comparisons of a kernel saw: which side was the larger, and numbers that met. A search goes by it.

The SASS runs in the reference interpreter with rows that look at their operands first; results do not change.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cassc.sass.disasm import SassFunction
from cassc.sass.operand import Pred
from cassc.sass.row import Instruction, Row

LESS, EQUAL, GREATER = 1, 2, 4
"""Of the first operand, as bits of a set."""
RELATIONS = (LESS, EQUAL, GREATER)
_ALL = LESS | EQUAL | GREATER
_COMPARING = frozenset("ISETP UISETP FSETP UFSETP DSETP IMNMX UIMNMX VIMNMX UVIMNMX FMNMX DMNMX FSET.BF".split())
_MOST_PAIRS = 6


class Numbers(Enum):
    """How the bits of a comparison's operands are read."""

    SIGNED = np.int32
    UNSIGNED = np.uint32
    SINGLE = np.float32
    DOUBLE = np.float64


@dataclass(slots=True)
class Seen:
    """Attributes:
    numbers: what kind is compared.
    relations: that occurred in any launch.
    pairs: operands that met in the last launch, as bits.
    met: how often the instruction ran in the last launch.
    nearest: relation that did not occur -> how far the operands were from it at best, in any launch.
    """

    numbers: Numbers
    relations: int = 0
    nearest: dict[int, float] = field(default_factory=dict)
    pairs: list[tuple[int, int]] = field(default_factory=list)
    met: int = 0

    def note(self, mask: NDArray[np.bool_], first: NDArray[Any], second: NDArray[Any]) -> None:
        self.met += 1
        sample = self.met & (self.met - 1) == 0 and len(self.pairs) < _MOST_PAIRS
        if self.relations == _ALL and not sample:
            return
        a, b = (_bits(x)[mask] for x in (first, second))
        if not a.size:
            return
        if sample:
            for place in {0, a.size // 2, a.size - 1}:
                self.pairs.append((int(a[place]), int(b[place])))
        if self.relations == _ALL:
            return
        x, y = a.view(self.numbers.value), b.view(self.numbers.value)
        distance = x.astype(np.float64) - y
        least, most = float(distance.min()), float(distance.max())
        self.relations |= LESS * (least < 0) | EQUAL * bool((x == y).any()) | GREATER * (most > 0)
        if self.relations == _ALL:
            return
        for relation, far in ((LESS, least), (EQUAL, max(least, -most)), (GREATER, -most)):
            if far >= 0:
                self.nearest[relation] = min(far, self.nearest.get(relation, far))


@dataclass(slots=True)
class Comparisons:
    """``seen``: by the byte offset of the instruction."""

    seen: dict[int, Seen] = field(default_factory=dict)

    def begin(self) -> None:
        """Another launch follows."""
        for one in self.seen.values():
            one.pairs, one.met = [], 0

    @property
    def total(self) -> int:
        """How many relations of all comparisons occurred."""
        return sum(one.relations.bit_count() for one in self.seen.values())

    def watched(self, function: SassFunction) -> SassFunction:
        """The function, to be run in the place of the original."""
        changed = []
        for i in function.instructions:
            numbers = _numbers(i)
            if numbers is not None:
                self.seen[i.address] = seen = Seen(numbers)
                i = replace(i, row=_looking(i.row, seen))
            changed.append(i)
        return replace(function, instructions=tuple(changed))


def deciding(function: SassFunction, branch: int) -> set[int]:
    """Comparisons right before a branch whose results it may depend on, by predicates."""
    at = {i.address: k for k, i in enumerate(function.instructions)}
    place = at.get(branch)
    if place is None:
        return set()
    last = function.instructions[place]
    wanted = {_key(o) for o in (last.guard, *last.operands) if isinstance(o, Pred) and o.index != 7}
    found = set()
    for i in reversed(function.instructions[max(place - 96, 0) : place]):
        operands = list(zip(i.row.tokens, i.operands, strict=True))
        written = {_key(o) for t, o in operands if t.dest and isinstance(o, Pred)} & wanted
        if not written:
            continue
        if _numbers(i) is not None:
            found.add(i.address)
        if i.guard.is_true:
            wanted -= written
        wanted |= {_key(o) for t, o in operands if not t.dest and isinstance(o, Pred) and o.index != 7}
    return found


def _key(p: Pred) -> tuple[bool, int]:
    return p.uniform, p.index


def _numbers(i: Instruction) -> Numbers | None:
    """None for an instruction that compares nothing."""
    name = i.row.mnemonic
    if name not in _COMPARING or i.row.meaning is None:
        return None
    if name.startswith("D"):
        return Numbers.DOUBLE
    if name.startswith(("F", "UF")):
        return Numbers.SINGLE
    return Numbers.UNSIGNED if "U32" in i.mods.values() else Numbers.SIGNED


def _looking(row: Row, seen: Seen) -> Row:
    meaning = row.meaning
    assert meaning is not None

    def looked(b: Any, i: Instruction, first: Any, second: Any, *others: Any) -> Any:
        if hasattr(first, "data") and hasattr(second, "data"):
            seen.note(b.mask, first.data, second.data)
        return meaning(b, i, first, second, *others)

    if getattr(meaning, "effects", False):
        looked.effects = True  # type: ignore[attr-defined]
    return replace(row, meaning=looked)


def _bits(data: NDArray[Any]) -> NDArray[Any]:
    return data.view(np.uint64 if data.dtype.itemsize == 8 else np.uint32)
