"""What of a kernel's code the launches reached."""

from __future__ import annotations

from dataclasses import dataclass, field

from cassc.sass.cfg import Cfg, always
from cassc.sass.disasm import SassFunction
from cassc.verify.execute import Run

_CONDITIONAL = ("branch", "call_rel", "ret", "exit")
"""Kinds of control transfer whose two ways count. What BRA.DIV and BRA.CONV ask is no matter of the program's."""


@dataclass(slots=True)
class Coverage:
    """Attributes:
    executed: byte offsets of the instructions that ran in any launch and lane.
    sides: (byte offset of a branch, whether it was taken) seen in any launch and lane.
    """

    function: SassFunction
    graph: Cfg
    executed: set[int] = field(default_factory=set)
    sides: set[tuple[int, bool]] = field(default_factory=set)

    def add(self, run: Run) -> bool:
        """True if something new ran."""
        before = len(self.executed) + len(self.sides)
        self.executed |= run.executed
        self.sides |= run.sides
        return len(self.executed) + len(self.sides) > before

    @property
    def instructions(self) -> float:
        """Share of the reachable instructions that ran, 0 to 1; NOPs are not counted."""
        code = {
            i.address for block in self.graph.blocks.values() for i in block.instructions if i.row.mnemonic != "NOP"
        }
        return len(self.executed & code) / max(len(code), 1)

    @property
    def branches(self) -> float:
        """Share of the ways out of conditional branches and exits that lanes went, 0 to 1; 1 without any."""
        ways = self._ways()
        return len(ways & self.sides) / len(ways) if ways else 1.0

    @property
    def missed(self) -> tuple[tuple[int, bool], ...]:
        """The ways that no lane went."""
        return tuple(sorted(self._ways() - self.sides))

    def _ways(self) -> set[tuple[int, bool]]:
        ways = set()
        for block in self.graph.blocks.values():
            for i in block.instructions:
                if i.row.control in _CONDITIONAL and not always(i) and not (i.guard.index == 7 and i.guard.negated):
                    ways |= {(i.address, True), (i.address, False)}
        return ways
