"""How much approximating instructions move a result: the same SASS with their results nudged within the stated error.

What does not move must agree in every bit; what does may differ by a few times as much as it moved.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from cassc.sass.builder import F32, I32
from cassc.sass.disasm import SassFunction
from cassc.sass.lanes import Lanes
from cassc.sass.operand import Imm, Reg
from cassc.sass.row import Instruction, Row

_ULPS = 2
_TANH_ULPS = 4096  # a relative error of 2^-11, as CUDA states it
_ABSOLUTE = 2.0**-20
"""Least error of sines, cosines and logarithms: it does not shrink with the result."""
_ADDING = ("IADD3", "VIADD", "IADD")
_LESS_TWO = 0x0FFFFFFE
_SMALLEST_NORMAL = np.float32(2.0**-126)


def disturbed(function: SassFunction, seed: int) -> SassFunction:
    """The function with every approximating instruction nudged at random; for the reference interpreter only.

    Of two seeds, one after the other, one puts tiny results above zero and one below.
    """
    random = np.random.default_rng(seed)
    side = 1 - 2 * (seed % 2)
    divisions = _of_integer_divisions(function)
    changed = tuple(
        replace(i, row=_nudging(i.row, random, side))
        if i.row.approx and i.row.meaning is not None and i.address not in divisions
        else i
        for i in function.instructions
    )
    return replace(function, instructions=changed)


def _of_integer_divisions(function: SassFunction) -> set[int]:
    """Byte offsets of reciprocals that an integer division starts from: it lowers their bits by two, so that the
    quotient comes out exactly whatever their error; a nudge beyond that makes wild addresses of indices."""
    found = set()
    for place, i in enumerate(function.instructions):
        targets = [o for t, o in zip(i.row.tokens, i.operands, strict=True) if t.dest and isinstance(o, Reg)]
        if i.row.mnemonic != "MUFU" or i.mod("op") != "RCP" or not targets:
            continue
        for later in function.instructions[place + 1 : place + 48]:
            sources = [o for t, o in zip(later.row.tokens, later.operands, strict=True) if not t.dest]
            if any(isinstance(o, Reg) and o.index == targets[0].index for o in sources):
                if later.row.mnemonic in _ADDING and any(isinstance(o, Imm) and o.bits == _LESS_TWO for o in sources):
                    found.add(i.address)
                break
    return found


def _nudging(row: Row, random: np.random.Generator, side: int) -> Row:
    meaning = row.meaning
    assert meaning is not None

    def nudged(b: Any, i: Instruction, *sources: Any) -> Any:
        return _nudge(meaning(b, i, *sources), i.mod("op"), random, side)

    if getattr(meaning, "effects", False):
        nudged.effects = True  # type: ignore[attr-defined]
    return replace(row, meaning=nudged)


def _nudge(result: Any, operation: str, random: np.random.Generator, side: int) -> Any:
    if isinstance(result, tuple):
        return tuple(_nudge(one, operation, random, side) for one in result)
    if not isinstance(result, Lanes):
        return result
    if result.type is F32:
        return Lanes(F32, _nudge_float(result.data, operation, random, side))
    if result.type is I32:
        return Lanes(I32, _nudge_float(result.data.view(np.float32), operation, random, side).view(np.uint32))
    return result


def _nudge_float(values: Any, operation: str, random: np.random.Generator, side: int) -> Any:
    """float32 in, float32 out; infinities and NaN stay. Denormals and zeros go to a ``side`` of zero, 1 or -1."""
    tiny = np.abs(values) < _SMALLEST_NORMAL
    values = np.where(tiny, _SMALLEST_NORMAL * side, values).astype(np.float32)
    ordinary = np.isfinite(values) & (np.abs(values) >= _SMALLEST_NORMAL)
    if operation in ("SIN", "COS", "LG2"):
        step = np.maximum(_ABSOLUTE, _ULPS * np.spacing(np.abs(values)))
        values = np.where(ordinary, values + step * _signs(random, values.size), values)
        return values.astype(np.float32)
    ulps = _TANH_ULPS if operation == "TANH" else _ULPS
    steps = (ulps * _signs(random, values.size)).astype(np.int32)
    moved = (values.view(np.int32) + steps).view(np.float32)
    kept = np.isfinite(moved) & (np.abs(moved) >= _SMALLEST_NORMAL)
    return np.where(ordinary & kept, moved, values).astype(np.float32)


def _signs(random: np.random.Generator, count: int) -> Any:
    """1 or -1: every nudge is as large as it may be, so that few runs show how far results move."""
    return 2 * random.integers(0, 2, count) - 1
