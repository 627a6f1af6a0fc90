"""One instruction on any builder: read the operands, compute, hand out what to write.

The reference interpreter and the lifter share this, so that source modifiers, register pairs, addresses, RZ and PT
exist once. Neither the guard nor control transfer is looked at here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from cassc import diag
from cassc.sass.builder import F32, F64, I1, I16, I32, I64, Builder, Value
from cassc.sass.fields import PT
from cassc.sass.operand import Address, Const, Imm, Label, Named, Operand, Pred, Reg, Symbolic, UReg
from cassc.sass.row import Instruction
from cassc.sass.syntax import Token


class Machine(Builder, Protocol):
    """A builder that has registers."""

    def register(self, register: Reg | UReg) -> Value:
        """The I32 in a register, without its source modifiers; 0 for RZ and URZ."""

    def predicate(self, index: int, *, uniform: bool = False) -> Value:
        """The I1 in a predicate; true for PT."""

    def address_of(self, variable: str, addend: int) -> Value:
        """I64: global address of a module variable, and ``addend``."""


@dataclass(frozen=True, slots=True)
class Write:
    """``values``: an I1 for a predicate, else I32 words for consecutive registers. Never of RZ, URZ, PT or UPT."""

    target: Reg | UReg | Pred
    values: tuple[Value, ...]


_WORDS = {"u64": 2, "s64": 2, "f64": 2, "w1": 1, "w2": 2, "w4": 4, "w8": 8, "w16": 16}
_SIZE_WORDS = {
    "64": 2, "S64": 2, "F64.RN": 2, "128": 4,
    "F16x4.RN": 2, "BF16x4.RN": 2, "F16x8.RN": 4, "BF16x8.RN": 4,
    "F32x2.RN": 2, "F32x2.FTZ.RN": 2, "F32x4.RN": 4, "F32x4.FTZ.RN": 4,
}  # fmt: skip
_FLOATS = {"f32": F32, "f64": F64}
_SHARED_OR_LOCAL = ("Shared", "Local")


def words_of(token: Token, i: Instruction) -> int:
    """Registers that an operand takes; of a ``w`` operand by the modifier ``size`` or ``type``."""
    if token.type == "w":
        return _SIZE_WORDS.get(i.mod("size") or i.mod("type"), 1)
    return _WORDS.get(token.type, 1)


@dataclass(frozen=True, slots=True)
class Plan:
    """An instruction prepared for repeated execution.

    Attributes:
        instruction: what it is made of.
        readers: give the arguments of the meaning, in order.
        targets: destinations, those too that write nothing.
    """

    instruction: Instruction
    readers: tuple[Callable[[Machine], Any], ...]
    targets: tuple[Operand, ...]

    @classmethod
    def of(cls, i: Instruction) -> Plan:
        """CasscError ``sass-no-meaning`` for an instruction that is refused."""
        row = i.row
        if row.meaning is None or row.todo:
            reason = row.todo or "the instruction has no meaning"
            raise diag.error("sass-no-meaning", f"unsupported instruction: {reason}")
        operands = list(zip(row.tokens, i.operands, strict=True))
        readers = (_reader(i, token, operand) for token, operand in operands if not token.dest or token.name == "PRd")
        return cls(i, tuple(readers), tuple(operand for token, operand in operands if token.dest))

    def run(self, m: Machine) -> tuple[Write, ...]:
        """Effects happen on ``m``; what the destinations get is returned."""
        meaning = self.instruction.row.meaning
        assert meaning is not None
        result = meaning(m, self.instruction, *[read(m) for read in self.readers])
        targets = self.targets
        if not targets:
            return ()
        results = (result,) if len(targets) == 1 and not _one_of_one(result) else result
        writes = []
        for target, value in zip(targets, results, strict=True):
            if isinstance(target, Pred):
                if target.index != PT:
                    writes.append(Write(target, (value,)))
            elif isinstance(target, Named):
                writes += [Write(Pred(k), (_bit(m, value, k),)) for k in range(PT)]
            elif isinstance(target, Reg | UReg) and not target.is_zero:
                writes.append(Write(target, to_words(m, value)))
        return tuple(writes)


def execute(m: Machine, i: Instruction) -> tuple[Write, ...]:
    """`Plan.run` of one instruction, once."""
    return Plan.of(i).run(m)


def _reader(i: Instruction, token: Token, operand: Operand) -> Callable[[Machine], Any]:
    """`source` with the frequent cases told apart beforehand."""
    if isinstance(operand, Pred) and not operand.negated:
        return lambda m: m.predicate(operand.index, uniform=operand.uniform)
    if isinstance(operand, Reg | UReg) and token.type in ("u32", "s32"):
        if operand.is_zero and not (operand.negated or operand.inverted):
            return lambda m: m.const(I32, 0)
        if not (operand.negated or operand.inverted or operand.absolute):
            return lambda m: m.register(operand)
    if isinstance(operand, Imm) and token.type in ("u32", "s32"):
        return lambda m: m.const(I32, operand.bits)
    return lambda m: source(m, i, token, operand)


def _one_of_one(result: Any) -> bool:
    """A tuple of one tuple: the only destination's words, wrapped."""
    return isinstance(result, tuple) and len(result) == 1 and isinstance(result[0], tuple)


def to_words(b: Builder, value: Value | tuple[Value, ...]) -> tuple[Value, ...]:
    """A value as the I32 words of consecutive registers."""
    if isinstance(value, tuple):
        return tuple(word for one in value for word in to_words(b, one))
    if value.type is I32:
        return (value,)
    if value.type is F32:
        return (b.bitcast(value, I32),)
    if value.type is F64:
        value = b.bitcast(value, I64)
    if value.type is I64:
        return b.lo(value), b.hi(value)
    if value.type.is_float:
        value = b.bitcast(value, I16)
    return (b.zext(value, I32),)


def source(m: Machine, i: Instruction, token: Token, operand: Operand) -> Any:
    """The argument of a meaning: a Value, a tuple of words, or for operands that are no values the operand itself."""
    if isinstance(operand, Pred):
        value = m.predicate(operand.index, uniform=operand.uniform)
        return m.not_(value) if operand.negated else value
    if isinstance(operand, Named):
        return _predicate_file(m, uniform=token.name == "UPR") if token.name in ("PR", "PRd", "UPR") else operand
    if isinstance(operand, Label):
        return operand
    if isinstance(operand, Const) and token.name.endswith("Const"):
        return operand.bank, _constant_offset(m, operand, 0)
    if token.type == "int":
        return operand.bits if isinstance(operand, Imm) else operand
    if isinstance(operand, Address):
        return address(m, token, operand)
    if isinstance(operand, Imm):
        return _immediate(m, token, operand)
    if isinstance(operand, Symbolic):
        whole = m.address_of(operand.name, operand.addend) if operand.value is None else m.const(I64, operand.value)
        half = m.hi(whole) if operand.high else m.lo(whole)
        return (half,) if token.type.startswith("w") else half
    count = words_of(token, i)
    if token.type.startswith("w"):
        return tuple(_word(m, operand, k) for k in range(count))
    value = _pair(m, operand) if count == 2 else _word(m, operand, 0)
    if token.type in _FLOATS:
        value = m.bitcast(value, _FLOATS[token.type])
    return _modified(m, token, operand, value)


def _immediate(m: Machine, token: Token, operand: Imm) -> Any:
    if token.type in _FLOATS:
        return m.const(_FLOATS[token.type], operand.bits)
    if token.type == "u64":
        return m.const(I64, operand.bits)
    if token.type == "s64":
        return m.const(I64, operand.bits - (operand.bits >> 31 << 32))
    value = m.const(I32, operand.bits)
    return (value,) if token.type.startswith("w") else value


def _word(m: Machine, operand: Reg | UReg | Const, k: int) -> Value:
    if isinstance(operand, Const):
        return m.constant(operand.bank, _constant_offset(m, operand, 4 * k), 4)
    if operand.is_zero:
        return m.const(I32, 0)
    return m.register(operand if k == 0 else type(operand)(operand.index + k))


def _constant_offset(m: Machine, operand: Const, further: int) -> Value | int:
    """In bytes; a number where no register takes part."""
    if operand.register is None or operand.register.is_zero:
        return operand.offset + further & 0xFFFF
    return m.add(m.register(operand.register), m.const(I32, operand.offset + further))


def _bit(m: Machine, x: Value, k: int) -> Value:
    return m.trunc(m.lshr(x, m.const(I32, k)), I1)


def _predicate_file(m: Machine, *, uniform: bool) -> Value:
    """P0 to P6, or UP0 to UP6, as bits 0 to 6."""
    packed = m.const(I32, 0)
    for k in range(PT):
        packed = m.or_(packed, m.shl(m.zext(m.predicate(k, uniform=uniform), I32), m.const(I32, k)))
    return packed


def _pair(m: Machine, operand: Reg | UReg | Const) -> Value:
    if isinstance(operand, Const) and operand.register is None:
        if operand.offset % 8 == 0:
            return m.constant(operand.bank, _constant_offset(m, operand, 0), 8)
    elif not isinstance(operand, Const) and operand.is_zero:
        return m.const(I64, 0)
    return m.pair(_word(m, operand, 0), _word(m, operand, 1))


def _modified(m: Machine, token: Token, operand: Reg | UReg | Const, value: Value) -> Value:
    """Absolute value, then negation or bitwise not; of a part of a register the meaning does it."""
    if token.type in ("part", "raw2"):
        return value
    if token.type in _FLOATS:
        if operand.absolute:
            value = m.fabs(value)
        return m.fneg(value) if operand.negated else value
    if token.type in ("h2", "m2"):
        if operand.absolute:
            value = m.and_(value, m.const(I32, 0x7FFF7FFF))
        return m.xor(value, m.const(I32, 0x80008000)) if operand.negated else value
    if operand.absolute:
        value = m.abs(value)
    if operand.inverted:
        return m.not_(value)
    return m.neg(value) if operand.negated else value


def address(m: Machine, token: Token, a: Address) -> Value:
    """I32 in shared and local memory, else I64; the sum of the operand's parts."""
    if any(space in token.name for space in _SHARED_OR_LOCAL):
        total = m.const(I32, 0)
        if a.register is not None and not a.register.is_zero:
            total = m.register(a.register)
            if a.scale > 1:
                total = m.shl(total, m.const(I32, a.scale.bit_length() - 1))
        if a.uregister is not None and not a.uregister.is_zero:
            total = m.add(total, m.register(a.uregister))
        return m.add(total, m.const(I32, a.offset)) if a.offset else total
    wide = m.const(I64, 0)
    if a.register is not None and not a.register.is_zero:
        wide = m.zext(m.register(a.register), I64) if a.unsigned else _pair(m, a.register)
    if a.uregister is not None and not a.uregister.is_zero:
        uniform = _pair(m, a.uregister) if a.uwide else m.zext(m.register(a.uregister), I64)
        wide = m.add(wide, uniform)
    return m.add(wide, m.const(I64, a.offset)) if a.offset else wide


def guard(m: Machine, i: Instruction) -> Value:
    """The I1 under which the instruction executes."""
    value = m.predicate(i.guard.index, uniform=i.guard.uniform)
    return m.not_(value) if i.guard.negated else value
