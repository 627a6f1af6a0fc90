"""What of a kernel's code the launches reached."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, field

from cassc.sass.cfg import Cfg, Edge
from cassc.sass.disasm import SassFunction


@dataclass(slots=True)
class Coverage:
    """Attributes:
    executed: byte offsets of the instructions that ran in any launch.
    """

    function: SassFunction
    graph: Cfg
    executed: set[int] = field(default_factory=set)

    def add(self, executed: Set[int]) -> bool:
        """True if something new ran."""
        before = len(self.executed)
        self.executed |= executed
        return len(self.executed) > before

    @property
    def instructions(self) -> float:
        """Share of the reachable instructions that ran, 0 to 1; NOPs are not counted."""
        code = {
            i.address for block in self.graph.blocks.values() for i in block.instructions if i.row.mnemonic != "NOP"
        }
        return len(self.executed & code) / max(len(code), 1)

    @property
    def branches(self) -> float:
        """Share of the sides of conditional branches whose first instruction ran, 0 to 1; 1 without any branch."""
        sides = set()
        for block in self.graph.blocks.values():
            if len(block.successors) > 1 and Edge.CALL not in (kind for kind, _ in block.successors):
                sides |= {(block.last.address, target) for _, target in block.successors}
        taken = {(place, target) for place, target in sides if place in self.executed and target in self.executed}
        return len(taken) / len(sides) if sides else 1.0
