"""What the model reads: SASS as tokens, with everything that is a mere copy behind slots.

Addresses, scheduling, reuse marks, operands at their defaults and the compiler's alternative spellings of one
operation (IMAD.MOV) are dropped. Large immediates, constant bank places and branch targets become slot tokens of their
instruction; the slots' values go around the model, to the finishing pass.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass

from cassc.model.dialect import LARGEST_NUMBER, SLOTS, SMALLEST_NUMBER, Slots
from cassc.sass import cfg
from cassc.sass.cfg import Cfg
from cassc.sass.decode import shown
from cassc.sass.disasm import SassFunction
from cassc.sass.fields import WORD_BYTES
from cassc.sass.operand import Address, Const, Imm, Label, Named, Operand, Pred, Reg, Symbolic, UReg
from cassc.sass.row import Instruction
from cassc.sass.syntax import Token

_NUMBERED = re.compile(r"S?B[0-9]+")
# Words of constant bank 0 below the parameters: block and grid dimensions, windows, stack pointer.
_DRIVER = {
    0x0: "ntid.x", 0x4: "ntid.y", 0x8: "ntid.z", 0xC: "nctaid.x", 0x10: "nctaid.y", 0x14: "nctaid.z",
    0x18: "shared", 0x1C: "shared.hi", 0x20: "local", 0x24: "local.hi", 0x28: "stack",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Source:
    """A kernel as the model reads it; one entry in each list for each reachable instruction, in address order.

    Attributes:
        addresses: byte offsets.
        tokens: what is read.
        slots: what the slots stand for; labels as positions in these lists.
    """

    addresses: tuple[int, ...]
    tokens: tuple[tuple[str, ...], ...]
    slots: tuple[Slots, ...]


def is_small(bits: int) -> bool:
    """Whether a 32-bit number is written as itself."""
    return SMALLEST_NUMBER <= _signed(bits) <= LARGEST_NUMBER


def _signed(bits: int) -> int:
    return bits - (1 << 32) if bits >> 31 == 1 else bits


def slot_names(i: Instruction) -> dict[int, str]:
    """Slot of each operand (by position) that has one."""
    names: dict[int, str] = {}
    count = {"I": 0, "C": 0, "L": 0}
    for position, (token, operand) in enumerate(zip(i.row.tokens, i.operands, strict=True)):
        letter = ""
        if (
            isinstance(operand, Imm)
            and token.type != "int"
            and not is_small(operand.bits)
            or isinstance(operand, Address)
            and not is_small(operand.offset)
        ):
            letter = "I"
        elif isinstance(operand, Const):
            letter = "C"
        elif isinstance(operand, Label):
            letter = "L"
        if letter and count[letter] < SLOTS:
            names[position] = f"{letter}{count[letter]}"
            count[letter] += 1
    return names


def read(function: SassFunction, graph: Cfg) -> Source:
    """The reachable instructions of a kernel."""
    entries = set(graph.subroutines)
    reached = sorted({i.address: i for block in graph.blocks.values() for i in block.instructions}.items())
    position = {address: n for n, (address, _) in enumerate(reached)}
    leaders = set(graph.blocks)
    base = function.abi.param_base
    return Source(
        tuple(address for address, _ in reached),
        tuple(tuple(tokens_of(i, base, address in leaders, entries)) for address, i in reached),
        tuple(_slots(i, position, graph.indirect.get(address, ())) for address, i in reached),
    )


def _slots(i: Instruction, position: dict[int, int], targets: Sequence[int]) -> Slots:
    names = slot_names(i)
    immediates, constants, labels = [], [], []
    for place in sorted(names):
        operand, token = i.operands[place], i.row.tokens[place]
        if isinstance(operand, Imm):
            immediates.append((operand.bits & 0xFFFFFFFF, _as_wide(token, operand.bits)))
        elif isinstance(operand, Address):
            immediates.append((operand.offset & 0xFFFFFFFF, operand.offset & (1 << 64) - 1))
        elif isinstance(operand, Const):
            constants.append((operand.bank, operand.offset))
        elif isinstance(operand, Label):
            labels.append(position.get(operand.target, -1))
    return Slots(tuple(immediates), tuple(constants), tuple(labels), _table(i, position, targets))


def _table(i: Instruction, position: dict[int, int], targets: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """Values of the register of an indirect branch."""
    offset = next((o.bits if isinstance(o, Imm) else o.target for o in i.operands if isinstance(o, Imm | Label)), 0)
    base = i.address + WORD_BYTES + offset
    return tuple((target - base & 0xFFFFFFFF, position[target]) for target in dict.fromkeys(targets))


def _as_wide(token: Token, bits: int) -> int:
    """The immediate where the instruction takes 64 bits."""
    return (bits - (bits >> 31 << 32) if token.type == "s64" else bits) & (1 << 64) - 1


def tokens_of(i: Instruction, param_base: int, leader: bool, entries: Container[int] = ()) -> Iterator[str]:
    """What is read of one instruction; ``leader``: a branch leads there. ``entries``: of subroutines."""
    if leader:
        yield "L:"
    if i.guard.index == 7 and i.guard.negated:
        yield "NOP"
        return
    if not i.guard.is_true:
        yield "@" + _predicate(i.guard)
    yield i.row.mnemonic
    for modifier in i.row.modifiers:
        text = i.mods[modifier.name]
        if text:
            yield f".{text}" if modifier.printed else f".{modifier.name}={text}"
    names = slot_names(i)
    for position, (token, operand) in enumerate(zip(i.row.tokens, i.operands, strict=True)):
        if shown(token, operand, i.mods):
            yield from _operand(operand, names.get(position, ""), param_base)
            if isinstance(operand, Label) and operand.target in entries:
                yield "entry"


def _predicate(p: Pred) -> str:
    name = "PT" if p.index == 7 else f"P{p.index}"
    return ("!" if p.negated else "") + ("U" if p.uniform else "") + name


def _operand(operand: Operand, slot: str, param_base: int) -> Iterator[str]:
    if isinstance(operand, Pred):
        yield _predicate(operand)
    elif isinstance(operand, Imm):
        yield slot or str(_signed(operand.bits))
    elif isinstance(operand, Label):
        yield slot
    elif isinstance(operand, Named):
        # Which convergence barrier or scoreboard it is says nothing about the translation.
        yield operand.name.rstrip("0123456789") if _NUMBERED.fullmatch(operand.name) else operand.name
    elif isinstance(operand, Address):
        yield from _address(operand, slot)
    elif isinstance(operand, Symbolic):
        yield "symbol"  # no training data has one
    else:
        if operand.negated:
            yield "-"
        if operand.inverted:
            yield "~"
        if operand.absolute:
            yield "|"
        if isinstance(operand, Const):
            yield f"c{operand.bank}:{_place(operand, param_base)}"
            if operand.register is not None and not operand.register.is_zero:
                yield _register(operand.register)
            yield slot
        else:
            yield _register(operand)
        if operand.suffix:
            yield operand.suffix
        if operand.swizzle:
            yield "." + operand.swizzle


def _place(operand: Const, param_base: int) -> str:
    if operand.bank or operand.register is not None and not operand.register.is_zero:
        return "x"
    return _DRIVER.get(operand.offset, "param" if operand.offset >= param_base else "driver")


def _register(register: Reg | UReg) -> str:
    letter = "UR" if isinstance(register, UReg) else "R"
    return f"{letter}Z" if register.is_zero else f"{letter}{register.index}"


def _address(a: Address, slot: str) -> Iterator[str]:
    yield "["
    if a.register is not None:
        yield _register(a.register)
        if a.wide:
            yield ".64"
        if a.unsigned:
            yield ".U32"
        if a.scale > 1:
            yield f".X{a.scale}"
    if a.uregister is not None:
        yield _register(a.uregister)
        if a.uwide:
            yield ".64"
    if slot:
        yield slot
    elif a.offset:
        yield str(a.offset)
    yield "]"


def reachable(function: SassFunction, graph: Cfg | None = None) -> dict[int, Instruction]:
    """The instructions of a `Source`, by address."""
    graph = graph or cfg.build(function)
    return {i.address: i for block in graph.blocks.values() for i in block.instructions}
