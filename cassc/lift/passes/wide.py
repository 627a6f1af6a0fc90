"""64-bit operations again, where SASS has pairs of 32-bit ones that hand a carry or a comparison on in a predicate.

IADD3 with IADD3.X or IMAD.X, LEA with LEA.HI.X, ISETP with ISETP.EX. LLVM does not find these by itself. The low half
is remembered by the predicate value that it made; at the high half the whole is computed at once, and the low register,
if it still holds the low half, is written again from the same 64-bit value, so that the pair stays one value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

from cassc.lift.emit import EmitLlvm, named, register_name
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
    """Low words of a sum that made a carry: of the positive terms, and of one that is subtracted.

    ``shifted``: the first positive term is this word, shifted left by ``shift``.
    """

    plus: tuple[Ir, ...]
    minus: tuple[Ir, ...]
    slot: str
    low: Ir
    shifted: Ir | None = None
    shift: int = 0


@dataclass(frozen=True, slots=True)
class _Comparison:
    operation: str
    x: Ir
    y: Ir


class Wide:
    """The state of one kernel. ``rewritten`` and then, if that gives None, ``seen`` are called for each instruction."""

    def __init__(self, m: EmitLlvm) -> None:
        self._m = m
        self._machine = cast(Machine, m)
        self._sums: dict[str, _Sum] = {}
        self._comparisons: dict[str, _Comparison] = {}

    # Low halves --------------------------------------------------------------------------------------------------
    def seen(self, i: Instruction, writes: Sequence[Write]) -> None:
        """Remember an unguarded instruction that may be a low half, by what it wrote."""
        name = i.row.mnemonic
        if name in _COMPARE:
            self._seen_comparison(i, writes)
        elif name in _ADD and not i.has("X"):
            terms = [t for t in i.operands[3:6] if not _is_zero(t)]
            plus = [t for t in terms if not getattr(t, "negated", False)]
            minus = [t for t in terms if getattr(t, "negated", False)]
            # More terms could carry twice.
            if len(terms) <= 2 and len(minus) <= 1 and _unused(i.operands[2]):
                self._remember(i, writes, plus, minus)
        elif name in _SHIFT_ADD and not i.has("X"):
            x, y, shift = i.operands[2:5]
            if isinstance(shift, Imm) and not getattr(x, "negated", False) and not getattr(y, "negated", False):
                self._remember(i, writes, [y], [], shifted=x, shift=shift.bits)

    def _remember(
        self,
        i: Instruction,
        writes: Sequence[Write],
        plus: Sequence[Operand],
        minus: Sequence[Operand],
        *,
        shifted: Operand | None = None,
        shift: int = 0,
    ) -> None:
        low = next((w for w in writes if not isinstance(w.target, Pred)), None)
        carry = next((w for w in writes if isinstance(w.target, Pred)), None)
        if low is None or carry is None:
            return
        ((slot, value),) = named(low)
        assert isinstance(value, Ir)
        self._sums[_text(carry)] = _Sum(
            tuple(self._word(i, t) for t in plus),
            tuple(self._word(i, t) for t in minus),
            slot,
            value,
            None if shifted is None else self._word(i, shifted),
            shift,
        )

    def _seen_comparison(self, i: Instruction, writes: Sequence[Write]) -> None:
        plain = not i.has("EX") and i.has("U32") and i.mods["bool"] == "AND" and _is_true(i.operands[4])
        first = next((w for w in writes if w.target == i.operands[0]), None)
        if plain and first is not None:
            x, y = (self._word(i, t) for t in i.operands[2:4])
            self._comparisons[_text(first)] = _Comparison(i.mods["cmp"].lower(), x, y)

    def _word(self, i: Instruction, operand: Operand) -> Ir:
        """The operand's value without negation or inversion."""
        if isinstance(operand, Reg | UReg | Const):
            operand = replace(operand, negated=False, inverted=False)
        token = replace(next(t for t in i.row.tokens if t.name[-1] in "ABC"), type="u32")
        return cast(Ir, source(self._machine, i, token, operand))

    # High halves -------------------------------------------------------------------------------------------------
    def rewritten(self, i: Instruction) -> tuple[Write, ...] | None:
        """The writes of an unguarded high half, and of its low half; None if the instruction is none."""
        name = i.row.mnemonic
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
        return None if value is None else self._sums.get(value.text)

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
        for low, high in self._paired(found.plus, plus):
            total = m.add(total, m.pair(low, high))
        for low, high in zip(found.minus, minus, strict=True):
            total = m.sub(total, m.pair(low, high))
        return self._written(i, found, total)

    def _paired(self, low: Sequence[Ir], high: Sequence[Ir]) -> list[tuple[Ir, Ir]]:
        """Low with high words: halves of one value where possible. The sum is the same however they are paired."""
        zero = self._m.const(I32, 0)
        rest = list(high)
        pairs = []
        left = []
        for word in low:
            mate = next((h for h in rest if word.origin is not None and h.origin is word.origin and h.half == 1), None)
            if mate is None:
                left.append(word)
            else:
                rest.remove(mate)
                pairs.append((word, mate))
        for k in range(max(len(left), len(rest))):
            pairs.append((left[k] if k < len(left) else zero, rest[k] if k < len(rest) else zero))
        return pairs

    def _shift_add(self, i: Instruction) -> tuple[Write, ...] | None:
        sign_extended = "SX32" in i.mods
        found = self._found(i.operands[-1])
        shift = i.operands[-2]
        if found is None or found.shifted is None or not isinstance(shift, Imm) or shift.bits != found.shift:
            return None
        x, y = i.operands[2:4]
        if any(getattr(t, flag, False) for t in (x, y) for flag in ("negated", "inverted")):
            return None
        m = self._m
        if self._word(i, x) is not found.shifted or not _unused(i.operands[1]):
            return None
        if sign_extended:
            wide = m.sext(found.shifted, I64) if i.has("SX32") else None
        else:
            wide = m.pair(found.shifted, self._word(i, i.operands[4]))
        if wide is None:
            return None
        total = m.add(m.shl(wide, m.const(I64, found.shift)), m.pair(found.plus[0], self._word(i, y)))
        return self._written(i, found, total)

    def _written(self, i: Instruction, found: _Sum, total: Ir) -> tuple[Write, ...]:
        m = self._m
        target = i.operands[0]
        assert isinstance(target, Reg | UReg)
        low = m.lo(total)
        writes = []
        if m.holds(found.slot, found.low):
            kind = UReg if found.slot.startswith("%u") else Reg
            writes.append(Write(kind(int(found.slot[2:])), (low,)))
            self._sums = {k: s for k, s in self._sums.items() if s is not found}
        if not target.is_zero and register_name(target) != found.slot:
            writes.append(Write(target, (m.hi(total),)))
        elif not target.is_zero:
            writes = [Write(target, (m.hi(total),))]
        return tuple(writes)

    def _compare(self, i: Instruction) -> tuple[Write, ...] | None:
        low = i.operands[5]
        if not isinstance(low, Pred) or low.negated or low.index == PT or not _unused(i.operands[1]):
            return None
        value = self._m.known_predicate(low)
        found = None if value is None else self._comparisons.get(value.text)
        operation = i.mods["cmp"].lower()
        if found is None or found.operation != operation or i.mods["bool"] != "AND":
            return None
        m = self._m
        x, y = (self._word(i, t) for t in i.operands[2:4])
        whole = m.compare(operation, m.pair(found.x, x), m.pair(found.y, y), signed=not i.has("U32"))
        condition = i.operands[4]
        assert isinstance(condition, Pred)
        if not _is_true(condition):
            other = m.predicate(condition.index, uniform=condition.uniform)
            whole = m.and_(whole, m.not_(other) if condition.negated else other)
        target = i.operands[0]
        assert isinstance(target, Pred)
        return () if target.index == PT else (Write(target, (whole,)),)


def _text(write: Write) -> str:
    value = write.values[0]
    assert isinstance(value, Ir)
    return value.text


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
