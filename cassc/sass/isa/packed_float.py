"""Two single-precision floats in a register pair (sm_100): each half is computed as FADD, FMUL and FFMA do."""

from __future__ import annotations

from collections.abc import Callable

from cassc.sass.builder import F32, Builder, Value
from cassc.sass.isa.float32 import FTZ, ROUNDING, ZEROS, fadd, ffma, fmul, signed_as
from cassc.sass.row import AB, ABC, Instruction, insn, only

Words = tuple[Value, ...]

PAIRS = "PTX add, mul and fma of .f32x2: elementwise"


def _each(b: Builder, i: Instruction, operate: Callable[..., Value], *sources: Words) -> tuple[Words]:
    operands = i.operands[1:]
    results = []
    for column in zip(*sources, strict=True):
        values = (signed_as(b, o, b.bitcast(word, F32)) for o, word in zip(operands, column, strict=True))
        results.append(operate(b, i, *values))
    return (tuple(results),)


@insn(
    "FADD2",
    0x04B,
    "Rd:w2, -|A:w2pairs, -|B:w2pairs",
    only(AB, 1),
    FTZ,
    ROUNDING,
    first_sm=100,
    last_sm=103,
    argued=PAIRS,
)
def fadd2(b: Builder, i: Instruction, x: Words, y: Words) -> tuple[Words]:
    return _each(b, i, fadd, x, y)


@insn(
    "FMUL2",
    0x04A,
    "Rd:w2, -|A:w2pairs, -|B:w2pairs",
    only(AB, 1),
    ZEROS,
    ROUNDING,
    first_sm=100,
    last_sm=103,
    argued=PAIRS,
)
def fmul2(b: Builder, i: Instruction, x: Words, y: Words) -> tuple[Words]:
    return _each(b, i, fmul, x, y)


FFMA2 = "Rd:w2, -|A:w2pairs, -|B:w2pairs, -|C:w2pairs"


@insn("FFMA2", 0x049, FFMA2, only(ABC, 1), ZEROS, ROUNDING, first_sm=100, last_sm=103, argued=PAIRS)
def ffma2(b: Builder, i: Instruction, x: Words, y: Words, z: Words) -> tuple[Words]:
    return _each(b, i, ffma, x, y, z)
