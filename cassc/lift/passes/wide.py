"""64-bit operations again, where SASS has pairs of 32-bit ones that hand a carry or a comparison on in a predicate.

IADD3 with IADD3.X or IMAD.X, LEA with LEA.HI.X, ISETP with ISETP.EX. LLVM does not find these by itself. The low half
is remembered by the predicate value that it made; at the high half the whole is computed at once, and the low register,
if it still holds the low half, is written again from the same 64-bit value, so that the pair stays one value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

from cassc.lift.emit import EmitLlvm, register_name
from cassc.lift.text import Ir
from cassc.sass.builder import I32, I64
from cassc.sass.execute import Machine, Write, source
from cassc.sass.fields import PT
from cassc.sass.operand import Const, Imm, Operand, Pred, Reg, UReg
from cassc.sass.row import Instruction

_ADD = ("IADD3", "UIADD3")
_MULTIPLY_ADD = ("IMAD", "UIMAD")
_SHIFT_ADD = ("LEA", "ULEA")
_SHIFT_ADD_HIGH = ("LEA.HI", "ULEA.HI")
_COMPARE = ("ISETP", "UISETP")


@dataclass(frozen=True, slots=True)
class _Sum:
    """A sum that made a carry: its positive terms, and one that is subtracted.

    ``slot``, ``low``, ``carry``: where the sum went, and its value and carry as stored, under ``condition``.
    ``shifted``: the first positive term is this word, shifted left by ``shift``.
    """

    plus: tuple[Ir, ...]
    minus: tuple[Ir, ...]
    shifted: Ir | None = None
    shift: int = 0
    slot: str = ""
    low: Ir | None = None
    condition: Ir | None = None


@dataclass(frozen=True, slots=True)
class _Comparison:
    operation: str
    x: Ir
    y: Ir
    condition: Ir | None = None


class Wide:
    """The state of one kernel.

    For each instruction `rewritten` is called; if it gives None, `low_half` before the results are written and
    `remember` after that.
    """

    def __init__(self, m: EmitLlvm) -> None:
        self._m = m
        self._machine = cast(Machine, m)
        self._sums: dict[str, _Sum] = {}
        self._comparisons: dict[str, _Comparison] = {}
        self._condition: Ir | None = None

    # Low halves --------------------------------------------------------------------------------------------------
    def low_half(self, i: Instruction) -> _Sum | _Comparison | None:
        """The instruction's operands, if it may be a low half."""
        name = i.row.mnemonic
        if name in _COMPARE:
            if i.has("EX") or not i.has("U32") or i.mods["bool"] != "AND" or not _is_true(i.operands[4]):
                return None
            x, y = (self._word(i, t) for t in i.operands[2:4])
            return _Comparison(i.mods["cmp"].lower(), x, y)
        if i.has("X") or name not in (*_ADD, *_SHIFT_ADD) or _unused(i.operands[1]):
            return None
        if name in _ADD:
            terms = [t for t in i.operands[3:6] if not _is_zero(t)]
            plus = [t for t in terms if not getattr(t, "negated", False)]
            minus = [t for t in terms if getattr(t, "negated", False)]
            # More terms could carry twice.
            if len(terms) > 2 or len(minus) > 1 or not _unused(i.operands[2]):
                return None
            return _Sum(tuple(self._word(i, t) for t in plus), tuple(self._word(i, t) for t in minus))
        a, b, shift = i.operands[2:5]
        if not isinstance(shift, Imm) or getattr(a, "negated", False) or getattr(b, "negated", False):
            return None
        return _Sum((self._word(i, b),), (), self._word(i, a), shift.bits)

    def remember(self, i: Instruction, half: _Sum | _Comparison, condition: Ir | None) -> None:
        """``half`` was executed and its results stored, by choice if there is a condition."""
        position = 0 if isinstance(half, _Comparison) else 1
        predicate, target = i.operands[position], i.operands[0]
        made = self._m.known_predicate(predicate) if isinstance(predicate, Pred) else None
        if made is None:
            return
        if isinstance(half, _Comparison):
            self._comparisons[made.text] = replace(half, condition=condition)
        elif isinstance(target, Reg | UReg) and not target.is_zero:
            slot = register_name(target)
            self._sums[made.text] = replace(half, slot=slot, low=self._m.known(slot), condition=condition)

    def _word(self, i: Instruction, operand: Operand) -> Ir:
        """The operand's value without negation or inversion."""
        if isinstance(operand, Reg | UReg | Const):
            operand = replace(operand, negated=False, inverted=False)
        token = replace(next(t for t in i.row.tokens if t.name[-1] in "ABC"), type="u32")
        return cast(Ir, source(self._machine, i, token, operand))

    # High halves -------------------------------------------------------------------------------------------------
    def rewritten(self, i: Instruction, condition: Ir | None) -> tuple[Write, ...] | None:
        """The writes of a high half, and of its low half; None if the instruction is none."""
        name = i.row.mnemonic
        self._condition = condition
        if name in _COMPARE and i.has("EX"):
            return self._compare(i)
        if not i.has("X"):
            return None
        if name in _ADD:
            carry, other = i.operands[6:8]
            if not _never(other) or not (_unused(i.operands[1]) and _unused(i.operands[2])):
                return None
            return self._add(i, carry, [t for t in i.operands[3:6] if not _is_zero(t)])
        if name in _MULTIPLY_ADD and "WIDE" not in name:
            x, y, z = i.operands[-4:-1]
            terms = [] if _is_zero(x) or _is_zero(y) else [x]
            if terms and not (isinstance(y, Imm) and y.bits == 1):
                return None
            return self._add(i, i.operands[-1], terms + [t for t in (z,) if not _is_zero(t)])
        if name in _SHIFT_ADD_HIGH:
            return self._shift_add(i)
        return None

    def _found(self, carry: Operand) -> _Sum | None:
        if not isinstance(carry, Pred) or carry.negated or carry.index == PT:
            return None
        value = self._m.known_predicate(carry)
        found = None if value is None else self._sums.get(value.text)
        return found if found is not None and found.condition is self._condition else None

    def _add(self, i: Instruction, carry: Operand, terms: Sequence[Operand]) -> tuple[Write, ...] | None:
        found = self._found(carry)
        if found is None or found.shifted is not None:
            return None
        plus = [self._word(i, t) for t in terms if not getattr(t, "inverted", False)]
        minus = [self._word(i, t) for t in terms if getattr(t, "inverted", False)]
        if len(minus) != len(found.minus) or any(getattr(t, "negated", False) for t in terms):
            return None
        m = self._m
        total = m.const(I64, 0)
        for whole in self._paired(found.plus, plus):
            total = m.add(total, whole)
        for term, high in zip(found.minus, minus, strict=True):
            total = m.sub(total, self._m.pair(term, high))
        return self._written(i, found, total)

    def _paired(self, low: Sequence[Ir], high: Sequence[Ir]) -> list[Ir]:
        """Low with high words: halves of one value where possible. The sum is the same however they are paired."""
        zero = self._m.const(I32, 0)
        rest = list(high)
        pairs, left = [], []
        for term in low:
            mate = next((h for h in rest if _belong(term, h)), None)
            if mate is None:
                left.append(term)
            else:
                rest.remove(mate)
                pairs.append(self._m.pair(term, mate))
        for k in range(max(len(left), len(rest))):
            low_word = left[k] if k < len(left) else zero
            pairs.append(self._m.pair(low_word, rest[k] if k < len(rest) else zero))
        return pairs

    def _shift_add(self, i: Instruction) -> tuple[Write, ...] | None:
        sign_extended = "SX32" in i.mods
        found = self._found(i.operands[-1])
        shift = i.operands[-2]
        if found is None or not isinstance(shift, Imm):
            return None
        x, y = i.operands[2:4]
        if any(getattr(t, flag, False) for t in (x, y) for flag in ("negated", "inverted")):
            return None
        m = self._m
        if found.shifted is None and sign_extended and shift.bits == 1:
            return self._add_extended(i, found, self._word(i, x), self._word(i, y))
        if found.shifted is None or shift.bits != found.shift:
            return None
        if self._word(i, x) is not found.shifted or not _unused(i.operands[1]):
            return None
        if sign_extended:
            wide = m.sext(found.shifted, I64)
        else:
            wide = self._m.pair(found.shifted, self._word(i, i.operands[4]))
        total = m.add(m.shl(wide, m.const(I64, found.shift)), self._m.pair(found.plus[0], self._word(i, y)))
        return self._written(i, found, total)

    def _add_extended(self, i: Instruction, found: _Sum, x: Ir, high: Ir) -> tuple[Write, ...] | None:
        """LEA.HI.X.SX32 by 1 of a term of the sum: that term's sign is its high word."""
        mates = [term for term in found.plus if term is not x]
        if found.minus or len(mates) != len(found.plus) - 1 or not _unused(i.operands[1]):
            return None
        m = self._m
        low = mates[0] if mates else m.const(I32, 0)
        return self._written(i, found, m.add(m.sext(x, I64), m.pair(low, high)))

    def _written(self, i: Instruction, found: _Sum, total: Ir) -> tuple[Write, ...]:
        m = self._m
        target = i.operands[0]
        assert isinstance(target, Reg | UReg)
        low, high = m.lo(total), m.hi(total)
        name = "" if target.is_zero else register_name(target)
        if found.low is None or m.known(found.slot) is not found.low or name == found.slot:
            return (Write(target, (high,)),) if name else ()
        kind = UReg if found.slot.startswith("%u") else Reg
        first = kind(int(found.slot[2:]))
        return (Write(first, (low,)), Write(target, (high,))) if name else (Write(first, (low,)),)

    def _compare(self, i: Instruction) -> tuple[Write, ...] | None:
        low = i.operands[5]
        if not isinstance(low, Pred) or low.negated or low.index == PT or not _unused(i.operands[1]):
            return None
        value = self._m.known_predicate(low)
        found = None if value is None else self._comparisons.get(value.text)
        operation = i.mods["cmp"].lower()
        if found is None or found.operation != operation or i.mods["bool"] != "AND":
            return None
        if found.condition is not self._condition:
            return None
        m = self._m
        x, y = (self._word(i, t) for t in i.operands[2:4])
        whole = m.compare(operation, self._m.pair(found.x, x), self._m.pair(found.y, y), signed=not i.has("U32"))
        condition = i.operands[4]
        assert isinstance(condition, Pred)
        if not _is_true(condition):
            other = m.predicate(condition.index, uniform=condition.uniform)
            whole = m.and_(whole, m.not_(other) if condition.negated else other)
        target = i.operands[0]
        assert isinstance(target, Pred)
        return () if target.index == PT else (Write(target, (whole,)),)


def _belong(low: Ir, high: Ir) -> bool:
    """Whether the words are halves of one value."""
    return low.origin is not None and high.origin is low.origin and (low.half, high.half) == (0, 1)


def _is_zero(operand: Operand) -> bool:
    """RZ or 0 that adds nothing; a negated or inverted zero adds a carry or ones."""
    if isinstance(operand, Imm):
        return operand.bits == 0
    return isinstance(operand, Reg | UReg) and operand.is_zero and not operand.negated and not operand.inverted


def _unused(operand: Operand) -> bool:
    return isinstance(operand, Pred) and operand.index == PT


def _is_true(operand: Operand) -> bool:
    return isinstance(operand, Pred) and operand.is_true


def _never(operand: Operand) -> bool:
    return isinstance(operand, Pred) and operand.index == PT and operand.negated
