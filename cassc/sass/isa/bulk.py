"""Copies in bulk between global and shared memory (PTX ISA, "cp.async.bulk"), without tensor maps.

An instruction of the uniform datapath, executed once for the warp. The copy is done at once, which the program can not
tell from one that is done later: groups of copies are over when they are waited for, and a barrier has had the
transactions of the copy, perhaps before it was told to expect them. Sizes are in units of 16 bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cassc.sass.builder import BF16, F16, F32, F64, I16, I32, I64, Builder, Scope, Space, Type, Value
from cassc.sass.fields import Field
from cassc.sass.isa.mbarrier import advance, lowest
from cassc.sass.row import Instruction, choice, control_row, effects, form, insn, undone

CLUSTER = "distributed shared memory"
_UNIT = 16


def _once(b: Builder, body: Callable[[], None]) -> None:
    def run() -> tuple[Value, ...]:
        body()
        return ()

    b.where(lowest(b), run, ())


def _offset(b: Builder, base: Value, unit: Value) -> Value:
    wide = b.zext(unit, base.type) if base.type is not unit.type else unit
    return b.add(base, b.mul(wide, b.const(base.type, _UNIT)))


HINT, NO_HINT = {Field(76, 1): 1}, {Field(76, 1): 0}
INWARD = {Field(73, 2): 1, Field(75, 1): 0, Field(81, 3): 0}
OUTWARD = {Field(73, 2): 2, Field(75, 1): 0, Field(81, 3): 0}
HERE: dict[str, Any] = {"uniform": True, "first_sm": 90}


@insn("UBLKCP.S.G", 0x1BA, "BulkTo:w2, BulkFrom:u64, URc", form(1), fixed={**INWARD, **NO_HINT}, **HERE)
@insn("UBLKCP.S.G", 0x1BA, "BulkTo:w2, BulkFrom:u64, URc, BulkHint", form(1), fixed={**INWARD, **HINT}, **HERE)
@effects
def copy_in(b: Builder, i: Instruction, to: tuple[Value, Value], source: Value, units: Value, *_: Value) -> None:
    """The second word of the destination is the address of the barrier."""
    place, barrier = to

    def copy() -> None:
        def one(unit: Value) -> None:
            words = b.load(Space.GLOBAL, _offset(b, source, unit), _UNIT)
            b.store(Space.SHARED, _offset(b, place, unit), words, _UNIT)

        b.repeat(units, one)
        done = b.neg(b.zext(b.mul(units, b.const(I32, _UNIT)), I64))
        advance(b, barrier, b.const(I64, 0), done)

    _once(b, copy)


@insn("UBLKCP.G.S", 0x1BA, "BulkTo:u64, BulkFrom, URc", form(1), fixed={**OUTWARD, **NO_HINT}, **HERE)
@insn("UBLKCP.G.S", 0x1BA, "BulkTo:u64, BulkFrom, URc, BulkHint", form(1), fixed={**OUTWARD, **HINT}, **HERE)
@effects
def copy_out(b: Builder, i: Instruction, to: Value, source: Value, units: Value, *_: Value) -> None:
    def one(unit: Value) -> None:
        words = b.load(Space.SHARED, _offset(b, source, unit), _UNIT)
        b.store(Space.GLOBAL, _offset(b, to, unit), words, _UNIT)

    _once(b, lambda: b.repeat(units, one))


REDUCE = (
    choice("op", 87, 3, "ADD MIN MAX INC DEC AND OR XOR"),
    choice("type", 81, 4, "_ S32 U64 S64 F16.RN F32.RN F32.FTZ.RN F64.RN BF16.RN"),
)
REDUCED = {Field(73, 2): 2, Field(75, 1): 0}
# Type of an element (two packed halves: I32), and whether minima and maxima are signed.
ELEMENTS: dict[str, tuple[Type, bool]] = {
    "": (I32, False), "S32": (I32, True), "U64": (I64, False), "S64": (I64, True), "F16.RN": (I32, True),
    "F32.RN": (F32, True), "F32.FTZ.RN": (F32, True), "F64.RN": (F64, True), "BF16.RN": (I32, True),
}  # fmt: skip
HALVES = {"F16.RN": F16, "BF16.RN": BF16}


@insn("UBLKRED.G.S", 0x1BB, "BulkTo:u64, BulkFrom, URc", form(1), *REDUCE, fixed={**REDUCED, **NO_HINT}, **HERE)
@insn("UBLKRED.G.S", 0x1BB, "BulkTo:u64, BulkFrom, URc, BulkHint", form(1), *REDUCE, fixed={**REDUCED, **HINT}, **HERE)
@effects
def reduce_out(b: Builder, i: Instruction, to: Value, source: Value, units: Value, *_: Value) -> None:
    """Every element is one atomic operation on global memory."""
    type, _signed = ELEMENTS[i.mods["type"]]
    step = type.bits // 32

    def one(unit: Value) -> None:
        words = b.load(Space.SHARED, _offset(b, source, unit), _UNIT)
        place = _offset(b, to, unit)
        for k in range(0, len(words), step):
            bits = words[k] if step == 1 else b.pair(words[k], words[k + 1])
            x = b.bitcast(bits, type) if type.is_float else bits
            _reduce(b, i, b.add(place, b.const(I64, 4 * k)), x)

    _once(b, lambda: b.repeat(units, one))


def _reduce(b: Builder, i: Instruction, place: Value, x: Value) -> None:
    type, signed = ELEMENTS[i.mods["type"]]
    operation = i.mods["op"].lower()
    half = HALVES.get(i.mods["type"])
    if i.mods["type"] == "F32.RN":
        # Subnormal numbers count, unlike in other atomic additions.
        b.update(Space.GLOBAL, I32, place, lambda old: _sum(b, old, x), Scope.GPU)
        return
    if half is not None and operation in ("min", "max"):
        b.update(Space.GLOBAL, I32, place, lambda old: _extremes(b, half, operation, old, x), Scope.GPU)
        return
    if half is not None:
        operation = f"fadd_{'bf16' if half is BF16 else 'f16'}x2"
    elif type.is_float:
        operation = "fadd"
    elif operation in ("min", "max"):
        operation = ("s" if signed else "u") + operation
    b.atomic(Space.GLOBAL, operation, place, x, Scope.GPU, returns=False)


def _sum(b: Builder, old: Value, x: Value) -> Value:
    return b.bitcast(b.fadd(b.bitcast(old, F32), x), I32)


def _extremes(b: Builder, half: Type, operation: str, x: Value, y: Value) -> Value:
    """Of two packed halves, each by itself."""
    found = b.const(I32, 0)
    for shift in (0, 16):
        amount = b.const(I32, shift)
        p, q = (b.bitcast(b.trunc(b.lshr(v, amount), I16), half) for v in (x, y))
        best = b.fmin(p, q) if operation == "min" else b.fmax(p, q)
        found = b.or_(found, b.shl(b.zext(b.bitcast(best, I16), I32), amount))
    return found


# Nothing is left to be done when a group of copies is committed, and a cache is filled when it is read from.
control_row("UTMACMDFLUSH", 0x1B7, "", form(4), control="nop", uniform=True, first_sm=90)
control_row("UBLKPF.L2", 0x1BC, "BulkFrom, URc", form(1), control="nop", fixed=NO_HINT, **HERE)
control_row("UBLKPF.L2", 0x1BC, "BulkFrom, URc, BulkHint", form(1), control="nop", fixed=HINT, **HERE)

# Not implemented ------------------------------------------------------------------------------------------------------
ELSEWHERE: dict[str, Any] = {**HERE, "todo": CLUSTER}
MULTICAST = {Field(73, 2): 1, Field(75, 1): 1, Field(81, 3): 0}
ACROSS = {Field(73, 2): 3, Field(75, 1): 0}
undone("UBLKCP.S.G.MULTICAST", 0x1BA, "BulkTo, BulkFrom, URc", form(1), fixed={**MULTICAST, **NO_HINT}, **ELSEWHERE)
undone("UBLKCP.S.S", 0x1BA, "BulkTo, BulkFrom, URc", form(1), fixed={**ACROSS, **NO_HINT, Field(81, 3): 0}, **ELSEWHERE)
undone("UBLKRED.S.S", 0x1BB, "BulkTo, BulkFrom, URc", form(1), *REDUCE, fixed={**ACROSS, **NO_HINT}, **ELSEWHERE)
