"""Instructions with the addresses that the loader of a cubin would put into them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from cassc.image.cubin import Relocation
from cassc.sass.codespace import CALL_TARGETS, HIGH_IMMEDIATE, LOW_IMMEDIATE, CodeSpace
from cassc.sass.decode import decode
from cassc.sass.operand import Imm, Label, Named, Operand, Symbolic
from cassc.sass.row import Instruction

_IMMEDIATE = 32  # first bit of the 32-bit immediate
_MARK = 0x5EA1C0DE


def relocated(i: Instruction, relocation: Relocation, space: CodeSpace) -> Instruction | None:
    """The instruction with the address of the relocation's symbol in it; None where it cannot be put there."""
    symbol = space.symbols.get(relocation.symbol)
    if symbol is None:
        return None
    code = space.address(symbol)
    if relocation.type in CALL_TARGETS:
        if i.row.control != "call_abs":
            return None
        target = Named(symbol.name) if code is None else Label(code + relocation.addend)
        return _with(i, lambda place, operand: target if isinstance(operand, Imm) else operand)
    if relocation.type not in (LOW_IMMEDIATE, HIGH_IMMEDIATE):
        return None
    # The operand that stands in the immediate's bits is the one that a change of them changes.
    marked = decode(i.word & ~(0xFFFFFFFF << _IMMEDIATE) | _MARK << _IMMEDIATE, i.sm, i.address)
    if marked is None:
        return None
    high = relocation.type == HIGH_IMMEDIATE
    value = None if code is None else code + relocation.addend
    address = Symbolic(symbol.name, relocation.addend, high, value)
    changed = [k for k, operand in enumerate(marked.operands) if operand != i.operands[k]]
    if len(changed) != 1 or not isinstance(i.operands[changed[0]], Imm):
        return None
    return _with(i, lambda place, operand: address if place == changed[0] else operand)


def _with(i: Instruction, change: Callable[[int, Operand], Operand]) -> Instruction:
    return replace(i, operands=tuple(change(place, operand) for place, operand in enumerate(i.operands)))
