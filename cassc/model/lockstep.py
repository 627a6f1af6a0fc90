"""Groups beside the instructions that they stand for, on one launch: which of them do the same.

The launch runs in the reference interpreter. Where an instruction has computed its results, and they are not written
yet, groups compute theirs from the same registers. What the instruction asks of memory is remembered: a group must ask
for the same, and is told the same. Branches, barriers, calls and clocks are not looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from cassc.diag import CasscError
from cassc.image.cubin import Cubin
from cassc.lift.emit import EmitLlvm
from cassc.model.canonical import Source
from cassc.model.dialect import Group, Slots
from cassc.model.operations import Form, Operations
from cassc.sass.builder import I32
from cassc.sass.disasm import SassFunction
from cassc.sass.execute import Machine as AnyMachine
from cassc.sass.execute import Plan, Write
from cassc.sass.lanes import Lanes, Mask
from cassc.sass.machine import Halt, Machine
from cassc.sass.memory import AccessError
from cassc.sass.operand import Pred, Reg, UReg
from cassc.sass.program import Program
from cassc.verify import execute
from cassc.verify.oracle import Case

_PASSED_OVER = ("s_barrier", "barrier", "call_external", "s_sleep", "clock", "timer", "fence", "wave_sync")
_ENOUGH_VISITS, _ENOUGH_LEFT = 8, 8
"""Of more groups that have agreed at as many executions of the instruction, the others are not followed further."""

Key = tuple[str, int]
"""A register or predicate."""


def compared(group: Group) -> bool:
    """Whether groups like this one are looked at."""
    return not any(line.op.control or line.op.name.startswith(_PASSED_OVER) for line in group.lines)


def agreeing(
    function: SassFunction, cubin: Cubin, source: Source, case: Case, choices: Mapping[int, Sequence[Group]]
) -> dict[int, list[Group]]:
    """By position in ``source``, those of the groups that did as the instruction did whenever the launch executed it.

    Those that are not looked at, and those of instructions that the launch did not execute, are all among them.
    """
    program = Program.of(function, cubin, case.variables.addresses)
    watches: dict[int, _Watch] = {}
    for position, groups in choices.items():
        instruction = program.at[source.addresses[position]]
        alive = [group for group in groups if compared(group)]
        if alive and not instruction.row.control and instruction.row.meaning is not None and not instruction.row.todo:
            watches[position] = _Watch(Plan.of(instruction), cubin, source.slots[position], alive)
    # The interpreter asks a plan for nothing but to be run.
    plans = {source.addresses[position]: cast(Plan, watch) for position, watch in watches.items()}
    execute.on_reference(
        function,
        cubin,
        case.launch,
        case.addresses,
        case.variables,
        budget=case.budget,
        program=replace(program, plans=plans),
    )
    return {
        position: [g for g in groups if position not in watches or not compared(g) or g in watches[position].alive]
        for position, groups in choices.items()
    }


@dataclass(slots=True)
class _Watch:
    """A plan that looks at groups when it is run."""

    plan: Plan
    cubin: Cubin
    slots: Slots
    alive: list[Group]
    visits: int = 0

    def run(self, m: AnyMachine) -> tuple[Write, ...]:
        machine = cast(Machine, m)
        told = _Told(machine)
        writes = self.plan.run(cast(AnyMachine, told))
        self.visits += 1
        expected = _by_register(writes)
        self.alive = [group for group in self.alive if self._agrees(group, machine, told.requests, expected)]
        if self.visits >= _ENOUGH_VISITS:
            self.alive = self.alive[:_ENOUGH_LEFT]
        return writes

    def _agrees(
        self, group: Group, machine: Machine, requests: Sequence[_Request], expected: Mapping[Key, Lanes]
    ) -> bool:
        copy = _Copy(machine, list(requests))
        operations = Operations(cast(EmitLlvm, copy), self.cubin, Form.IR)
        try:
            operations.open(self.slots)
            if not _same_mask(machine, operations, self.plan.instruction.guard, group.guard):
                return False
            for line in group.lines:
                operations.line(line, None)
        except (_Differs, Halt, AccessError, CasscError, KeyError, IndexError):
            return False
        if any(request.changes for request in copy.waiting):
            return False
        return all(
            _same(machine.mask, copy.behind(copy.written, key), copy.behind(expected, key))
            for key in copy.written.keys() | expected.keys()
        )


def _same_mask(machine: Machine, operations: Operations, guard: Pred, text: str) -> bool:
    theirs = cast(Lanes, operations.operand(text, "p")).data if text else np.ones(machine.lanes, bool)
    return bool((machine.holds(guard) == theirs).all())


def _same(mask: Mask, a: Lanes, b: Lanes) -> bool:
    return bool((a.data[mask] == b.data[mask]).all())


def _by_register(writes: Sequence[Write]) -> dict[Key, Lanes]:
    found: dict[Key, Lanes] = {}
    for write in writes:
        target = write.target
        for k, value in enumerate(write.values):
            if isinstance(target, Pred):
                found["UP" if target.uniform else "P", target.index] = cast(Lanes, value)
            elif target.index + k != target.zero:
                found["UR" if isinstance(target, UReg) else "R", target.index + k] = cast(Lanes, value)
    return found


class _Differs(Exception):
    """A group asks for what the instruction has not asked for."""


@dataclass(frozen=True, slots=True)
class _Request:
    """What was asked of memory: ``operands`` are the bits in the lanes that asked. ``changes``: it writes."""

    what: tuple[Any, ...]
    lanes: bytes
    operands: tuple[bytes, ...]
    result: Any
    changes: bool


_CHANGING = ("store", "atomic", "compare_exchange")


def _request(
    machine: Machine, method: str, arguments: Sequence[Any], named: Mapping[str, Any], result: Any
) -> _Request:
    """Of a call of the builder's. What the lanes hold that did not ask is left out."""
    where = named.get("where")
    mask = machine.mask if where is None else machine.mask & where.data
    what: list[Any] = [method]
    operands: list[bytes] = []
    size = arguments[3] if method == "store" else 4
    for argument in arguments:
        if isinstance(argument, tuple | Lanes):
            for one in argument if isinstance(argument, tuple) else (argument,):
                bits = one.data[mask]
                operands.append((bits & ((1 << 8 * size) - 1) if size < 4 and one.type is I32 else bits).tobytes())
        else:
            what.append(argument)
    what += [(name, value) for name, value in sorted(named.items()) if name in ("signed",)]
    return _Request(tuple(what), mask.tobytes(), tuple(operands), result, method in _CHANGING)


class _Told:
    """The machine, and what is asked of its memory."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self.requests: list[_Request] = []

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._machine, name)
        return self._asked(name, method) if name in ("load", *_CHANGING) else method

    def _asked(self, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        def asked(*arguments: Any, **named: Any) -> Any:
            known = _request(self._machine, name, arguments, named, None)
            result = method(*arguments, **named)
            self.requests.append(replace(known, result=result))
            return result

        return asked


class _Copy:
    """The machine before the instruction, for a group: registers change here only, memory answers what it has answered.

    Attributes:
        written: by the group.
        waiting: what the instruction asked, and the group has not.
    """

    def __init__(self, machine: Machine, requests: list[_Request]) -> None:
        self._machine = machine
        self.waiting = requests
        self.written: dict[Key, Lanes] = {}
        self.effects = False

    def __getattr__(self, name: str) -> Any:
        if name in ("load", *_CHANGING):
            return lambda *arguments, **named: self._answer(_request(self._machine, name, arguments, named, None))
        if not hasattr(self._machine, name):
            raise _Differs  # the operation is none that a single instruction stands for
        return getattr(self._machine, name)

    def _answer(self, asked: _Request) -> Any:
        for k, known in enumerate(self.waiting):
            if (known.what, known.lanes, known.operands) == (asked.what, asked.lanes, asked.operands):
                return self.waiting.pop(k).result
        raise _Differs

    def register(self, register: Reg | UReg) -> Lanes:
        return self.behind(self.written, ("UR" if isinstance(register, UReg) else "R", register.index))

    def predicate(self, index: int, *, uniform: bool = False) -> Lanes:
        return self.behind(self.written, ("UP" if uniform else "P", index))

    def behind(self, written: Mapping[Key, Lanes], key: Key) -> Lanes:
        """What a register or predicate holds once these are written."""
        if key in written:
            return written[key]
        kind, index = key
        if kind in ("P", "UP"):
            return self._machine.predicate(index, uniform=kind == "UP")
        return self._machine.register(UReg(index) if kind == "UR" else Reg(index))

    def write(self, write: Write, condition: object) -> None:
        self.written.update(_by_register([write]))

    def call(self, type: object, name: str, arguments: tuple[Lanes, Lanes]) -> Lanes:
        """``ds_bpermute_b32``: the only operation that is written as a function of LLVM's."""
        place, value = arguments
        m = self._machine
        return m.shuffle(value, m.and_(m.lshr(place, m.const(I32, 2)), m.const(I32, 31)))
