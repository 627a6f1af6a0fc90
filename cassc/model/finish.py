"""The back half: the model's groups to LLVM IR, without a look at the SASS.

What is read is the answer, the values of its slots, the kernel's ABI and the cubin's constant banks. RDNA3's vector
instructions go into the IR as inline assembly under the name that the model chose (``Form.ASSEMBLY``), or as the IR
operations that they stand for (``Form.IR``), from which LLVM chooses again. Macros, memory, control flow and barriers
are IR in both. LLVM allocates registers, makes the EXEC masks and inserts waits.
"""

from __future__ import annotations

from dataclasses import dataclass

from cassc.image.cubin import Cubin, KernelAbi
from cassc.lift import globals, kernel
from cassc.lift.emit import EmitLlvm
from cassc.lift.kernel import LiftedKernel
from cassc.lift.text import Ir
from cassc.model.dialect import Group, Line, Slots
from cassc.model.operations import BARRIER_OF_PART, REDUCING, Form, Operations, unusable
from cassc.sass.launch import LaunchWords
from cassc.sass.reserved import DRIVER_SHARED

_MAX_BLOCKS = 20000
_ENDS = frozenset({"s_branch", "s_cbranch", "s_call", "s_return", "s_trap", "s_endpgm", "s_cendpgm", "s_switch"})
_ALWAYS_ENDS = _ENDS - {"s_cbranch", "s_cendpgm"}


@dataclass(frozen=True, slots=True)
class Answer:
    """A kernel in the dialect: one group and its slots for each reachable SASS instruction, in address order.

    ``adjacent``: whether the next group follows in the code; control that reaches the end of a run that does not is
    wrong, and traps.
    """

    groups: tuple[Group, ...]
    slots: tuple[Slots, ...]
    adjacent: tuple[bool, ...]


def finish(answer: Answer, abi: KernelAbi, cubin: Cubin, form: Form = Form.ASSEMBLY) -> LiftedKernel:
    """LLVM IR of the kernel. Raises CasscError ``model-unusable`` for an answer that stands for no kernel."""
    return _Finisher(answer, abi, cubin, form).finish()


Context = tuple[int, ...]


class _Finisher(Operations):
    def __init__(self, answer: Answer, abi: KernelAbi, cubin: Cubin, form: Form) -> None:
        self.answer = answer
        self.abi = abi
        self.shared = globals.module_globals(cubin)
        self.definitions = dict(self.shared.definitions)
        banks = globals.kernel_banks(cubin, abi.name, self.shared, self.definitions)
        super().__init__(EmitLlvm(abi, LaunchWords.of(cubin.arch.number), banks, self._bias(cubin)), cubin, form)
        self.leaders = self._leaders()
        self.lost = False
        self.work: list[tuple[int, Context]] = []
        self.done: set[tuple[int, Context]] = set()

    def _bias(self, cubin: Cubin) -> int:
        """What barriers need stands below address zero of the kernel's shared memory, or where nothing else does."""
        if cubin.arch.number >= 90 and self.abi.static_shared >= DRIVER_SHARED:
            return 0
        names = {line.op.name for group in self.answer.groups for line in group.lines}
        return kernel.barrier_bytes(bool(names & REDUCING), any(name.startswith(BARRIER_OF_PART) for name in names))

    def _leaders(self) -> set[int]:
        found = {0}
        for position, (group, slots) in enumerate(zip(self.answer.groups, self.answer.slots, strict=True)):
            if any(line.op.name in _ENDS for line in group.lines):
                found |= {position + 1, *(slots.labels[int(t[1:])] for t in _labels(group))}
            if any(line.op.name == "s_switch" for line in group.lines):
                found |= {place for _, place in slots.table}
        return found

    def finish(self) -> LiftedKernel:
        first = self._goto(0, ()).removeprefix("label %")
        while self.work:
            key = self.work.pop()
            if key in self.done:
                continue
            self.done.add(key)
            if len(self.done) > _MAX_BLOCKS:
                raise unusable("the copies of subroutines have too many blocks")
            self._block(*key)
        end = ["exit:", "  ret void"]
        if self.lost:
            self.m.declare("llvm.trap", "void @()")
            end += ["lost:", "  call void @llvm.trap()", "  unreachable"]
        lines = [*kernel.prologue(self.m, first), *self.m.lines, *end]
        self.definitions.update(self.m.helpers)
        return LiftedKernel(
            self.abi.name,
            kernel.definition(self.abi, "#attributes", lines, grid="grid" in self.m.needs),
            self.definitions,
            dict(self.m.declarations),
            kernel.attributes(self.abi, self.m.lds_bias, reserved="reserved" in self.m.needs),
        )

    # Blocks ------------------------------------------------------------------------------------------------------
    def _goto(self, position: int, context: Context) -> str:
        if not 0 <= position < len(self.answer.groups):
            self.lost = True
            return "label %lost"
        self.work.append((position, context))
        return f"label %{_label(position, context)}"

    def _follow(self, position: int, context: Context) -> str:
        """To the group behind ``position``."""
        return self._goto(position + 1 if self.answer.adjacent[position] else -1, context)

    def _block(self, start: int, context: Context) -> None:
        self.m.new_block()
        self.m.lines.append(f"{_label(start, context)}:")
        position = start
        while True:
            group = self.answer.groups[position]
            if group.lines and group.lines[-1].op.name in _ENDS:
                self._end(position, context)
                return
            run = self._run(position)
            self._guarded(range(position, position + run))
            position += run
            if position in self.leaders or not self.answer.adjacent[position - 1]:
                self.m.line(f"br {self._follow(position - 1, context)}")
                return

    def _run(self, start: int) -> int:
        """How many groups from ``start`` on stand under one guard that none of them changes."""
        groups = self.answer.groups
        guard = groups[start].guard
        count = 1
        while guard and start + count < len(groups) and start + count not in self.leaders:
            before, following = groups[start + count - 1], groups[start + count]
            if guard.lstrip("!") in {r for line in before.lines for r in line.results}:
                break
            ends = bool(following.lines) and following.lines[-1].op.name in _ENDS
            if following.guard != guard or ends or not self.answer.adjacent[start + count - 1]:
                break
            count += 1
        return count

    def _guarded(self, run: range) -> None:
        groups = [self.answer.groups[k] for k in run]
        if not groups[0].guard:
            self._group(run[0])
            return
        condition = self.operand(groups[0].guard, "p")
        if not any(group.effects for group in groups):
            for k in run:
                self._group(k, condition)
            return
        with self.within(condition):
            for k in run:
                self._group(k)

    def _end(self, position: int, context: Context) -> None:
        """A group whose last line leaves the block."""
        m = self.m
        group = self.answer.groups[position]
        if group.guard:
            taken = m.name()[1:]
            condition = self.operand(group.guard, "p")
            m.line(f"br {condition.typed}, label %{taken}, {self._follow(position, context)}")
            m.lines.append(f"{taken}:")
        self.open(self.answer.slots[position])
        for line in group.lines[:-1]:
            self.line(line, None)
        self._transfer(group.lines[-1], position, context)

    def _transfer(self, line: Line, position: int, context: Context) -> None:
        m, name = self.m, line.op.name
        if name in ("s_cbranch", "s_cendpgm"):
            condition = self.operand(line.sources[0], "p")
            place = "label %exit" if name == "s_cendpgm" else self._goto(self._label_of(line.sources[1]), context)
            m.line(f"br {condition.typed}, {place}, {self._follow(position, context)}")
        elif name == "s_branch":
            m.line(f"br {self._goto(self._label_of(line.sources[0]), context)}")
        elif name == "s_endpgm":
            m.line("br label %exit")
        elif name == "s_switch":
            self._switch(line, context)
        elif name == "s_trap":
            m.trap()
            m.line("unreachable")
        elif name == "s_call":
            if len(context) > 16:
                raise unusable("calls are nested too deeply")
            m.line(f"br {self._goto(self._label_of(line.sources[0]), (*context, position + 1))}")
        else:
            m.line(f"br {self._goto(context[-1] if context else -1, context[:-1])}")

    def _switch(self, line: Line, context: Context) -> None:
        m = self.m
        value = self.operand(line.sources[0], "w")
        cases = " ".join(f"i32 {number}, {self._goto(place, context)}" for number, place in self.slots.table)
        lost = m.name()[1:]
        m.line(f"switch {value.typed}, label %{lost} [ {cases} ]")
        m.lines.append(f"{lost}:")
        m.line("unreachable")

    def _label_of(self, text: str) -> int:
        return self.slots.labels[int(text[1:])]

    # Groups ------------------------------------------------------------------------------------------------------
    def _group(self, position: int, condition: Ir | None = None) -> None:
        self.open(self.answer.slots[position])
        for line in self.answer.groups[position].lines:
            self.line(line, condition)


def _labels(group: Group) -> list[str]:
    return [
        source
        for line in group.lines
        for source, kind in zip(line.sources, line.op.sources, strict=True)
        if kind == "l"
    ]


def _label(position: int, context: Context) -> str:
    return "_".join([f"g{position}", *(str(place) for place in context)])
