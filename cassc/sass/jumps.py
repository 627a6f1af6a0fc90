"""Branches, calls and exits of the reference interpreter's lanes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cassc.sass import externals
from cassc.sass.cfg import is_indirect, target_of
from cassc.sass.convergence import Convergence
from cassc.sass.fields import WORD_BYTES
from cassc.sass.lanes import Mask
from cassc.sass.machine import Halt
from cassc.sass.operand import Imm, Label, Named, Reg, UReg
from cassc.sass.row import Instruction


class Jumps(Convergence):
    """Methods named ``_on_X`` execute instructions whose control is X, for the lanes that stand there."""

    def _jump(self, i: Instruction, group: Mask, taken: Mask, target: Any) -> None:
        self._sides(i, group, taken)
        self.pc[group] = i.address + WORD_BYTES
        self.pc[taken] = target if isinstance(target, int) else target[taken]

    def _sides(self, i: Instruction, group: Mask, taken: Mask) -> None:
        """Remember which ways lanes went."""
        if taken.any():
            self.cta.sides.add((i.address, True))
        if taken is not group and (group & ~taken).any():
            self.cta.sides.add((i.address, False))

    def _register_target(self, i: Instruction, base: int) -> NDArray[np.int64]:
        register = next(o for o in i.operands if isinstance(o, Reg | UReg))
        value = self.machine.register(register).data if not register.is_zero else np.zeros(self.lanes, np.uint32)
        return ((value.astype(np.int64) + base) & 0xFFFFFFFF).astype(np.int64)

    def _on_branch(self, i: Instruction, group: Mask) -> None:
        self._jump(i, group, self._taken(i, group), self._label(i))

    def _converged(self, i: Instruction, group: Mask) -> Mask:
        """The lanes in whose warp those under the guard are all of the asked ones that have not exited."""
        operand = next((o for o in i.operands if isinstance(o, UReg)), None)
        asked = np.full(self.lanes, 0xFFFFFFFF if operand is None else 0, np.uint32)
        if operand is not None and not operand.is_zero:
            asked = self.machine.register(operand).data
        if operand is not None and operand.inverted:
            asked = ~asked
        converged: Mask = (asked & self._bits(self.running)) == self._bits(self._taken(i, group))
        return converged

    def _on_branch_div(self, i: Instruction, group: Mask) -> None:
        self._jump(i, group, group & ~self._converged(i, group), self._label(i))

    def _on_branch_conv(self, i: Instruction, group: Mask) -> None:
        self._jump(i, group, group & self._converged(i, group), self._label(i))

    def _on_brx(self, i: Instruction, group: Mask) -> None:
        offset = next(o.bits for o in i.operands if isinstance(o, Imm))
        self._jump(i, group, self._taken(i, group), self._register_target(i, i.address + WORD_BYTES + offset))

    def _on_call_rel(self, i: Instruction, group: Mask) -> None:
        target: Any = self._register_target(i, self._label(i)) if is_indirect(i) else self._label(i)
        self._jump(i, group, self._taken(i, group), target)

    def _on_ret(self, i: Instruction, group: Mask) -> None:
        base = next(o.target if isinstance(o, Label) else o.bits for o in i.operands if isinstance(o, Label | Imm))
        self._jump(i, group, self._taken(i, group), self._register_target(i, base))

    def _on_call_abs(self, i: Instruction, group: Mask) -> None:
        """A function of the device runtime, or a place in the code."""
        taken = self._taken(i, group)
        self.pc[group] = i.address + WORD_BYTES
        target = i.operands[-1]
        if isinstance(target, Label):
            self.pc[taken] = target.target
        elif isinstance(target, Named):
            for lane in np.flatnonzero(taken):
                externals.call(self, target.name, int(lane))
        elif isinstance(target, Reg):
            machine = self.machine
            wide = machine.pair(machine.register(target), machine.register(Reg(target.index + 1))).data
            for lane in np.flatnonzero(taken):
                function = self.cta.program.externals.get(int(wide[lane]))
                if function is None:
                    self.pc[lane] = int(wide[lane])
                else:
                    externals.call(self, function, int(lane))
        else:
            raise Halt("instruction", "a call of an address that no relocation names")

    def _on_exit(self, i: Instruction, group: Mask) -> None:
        taken = self._taken(i, group)
        self._sides(i, group, taken)
        self.pc[group] = i.address + WORD_BYTES
        if taken.any():
            self.running = self.running & ~taken
            self._reconverge()
            self._open_barriers()

    def _on_trap(self, i: Instruction, group: Mask) -> None:
        if self._taken(i, group).any():
            raise Halt("trap", "the kernel trapped")
        self.pc[group] = i.address + WORD_BYTES

    def _on_lepc(self, i: Instruction, group: Mask) -> None:
        target = target_of(i)
        value = i.address if target is None else target
        self._assign(i, group, (value & 0xFFFFFFFF, value >> 32))
