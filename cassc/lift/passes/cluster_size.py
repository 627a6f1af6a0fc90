"""Launch words that code for sm_100 and later reads at an offset that depends on the size of the cluster.

nvcc reads SR_CgaSize, multiplies it by -160, and adds that to the offset of a word in constant bank 0. Without clusters
the special register counts as 0 here, and the word stands where `LaunchWords` says; which value NVIDIA's GPUs give it,
and where they put the word then, is not known, and does not matter as long as nothing else depends on it. So all the
uses are followed, and code that does anything else with the number is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from cassc import diag
from cassc.sass.cfg import Cfg
from cassc.sass.disasm import SassFunction
from cassc.sass.execute import words_of
from cassc.sass.groups import base
from cassc.sass.operand import Const, Imm, Named, Operand, Reg, UReg
from cassc.sass.row import Instruction

_SIZE = "SR_CgaSize"
_STRIDE = -160 & 0xFFFFFFFF
Place = tuple[type, int]  # kind and number of a register


class _Unknown(Exception):
    """The instruction that is the argument does something else with the size."""


def fixed(graph: Cfg, function: SassFunction) -> dict[int, Instruction]:
    """Byte offset of a load of such a word -> the same load without the register.

    Raises CasscError ``lift-unsupported`` for another use.
    """
    try:
        return _fixed(graph, function.abi.param_base)
    except _Unknown as unknown:
        place = function.location(unknown.args[0])
        message = "the instruction depends on the size of the cluster in a way that is not known"
        raise diag.error("lift-unsupported", message, place) from None


def _fixed(graph: Cfg, param_base: int) -> dict[int, Instruction]:
    found: dict[int, Instruction] = {}
    bodies = [block.instructions for block in graph.blocks.values()]
    if not any(_reads_size(i) for body in bodies for i in body):
        return found
    for body in bodies:
        for position, i in enumerate(body):
            if _reads_size(i):
                for load in _loads(body, position):
                    found[load.address] = _without_register(load)
    for body in bodies:
        for i in body:
            word = _indexed(i)
            if word is not None and word.bank == 0 and word.offset < param_base and i.address not in found:
                raise _Unknown(i)
    return found


def _reads_size(i: Instruction) -> bool:
    return any(isinstance(o, Named) and o.name == _SIZE for o in i.operands)


def _loads(body: Sequence[Instruction], position: int) -> list[Instruction]:
    """The loads of the block whose index comes from the size that is read at ``position``."""
    loads: list[Instruction] = []
    sizes: set[Place] = set(_written(body[position]))
    offsets: set[Place] = set()
    for i in body[position + 1 :]:
        used = {place for o in _sources(i) if (place := _place(o)) is not None}
        scaled = offset = False
        if used & sizes:
            if not _scales(i):
                raise _Unknown(i)
            scaled = True
        elif used & offsets:
            offset = base(i) in ("R2UR", "MOV", "UMOV")
            if not offset and not _indexes(i, offsets):
                raise _Unknown(i)
            loads += [] if offset else [i]
        if i.guard.is_true:
            sizes -= set(_written(i))
            offsets -= set(_written(i))
        if scaled or offset:
            offsets |= set(_written(i))
        if not sizes and not offsets:
            return loads
    if sizes:
        raise _Unknown(body[position])
    return loads


def _scales(i: Instruction) -> bool:
    """The product with the distance of two sets of launch words."""
    sources = _sources(i)
    factors = [o for o in sources if isinstance(o, Imm)]
    return base(i) in ("IMAD", "UIMAD") and [o.bits & 0xFFFFFFFF for o in factors] == [_STRIDE]


def _indexes(i: Instruction, offsets: set[Place]) -> bool:
    word = _indexed(i)
    return word is not None and word.bank == 0 and word.register is not None and _place(word.register) in offsets


def _indexed(i: Instruction) -> Const | None:
    return next((o for o in i.operands if isinstance(o, Const) and o.register is not None), None)


def _without_register(i: Instruction) -> Instruction:
    return replace(i, operands=tuple(replace(o, register=None) if isinstance(o, Const) else o for o in i.operands))


def _sources(i: Instruction) -> list[Operand]:
    return [o for token, o in zip(i.row.tokens, i.operands, strict=True) if not token.dest]


def _place(operand: Operand) -> Place | None:
    if isinstance(operand, Const) and operand.register is not None:
        return _place(operand.register)
    if isinstance(operand, Reg | UReg) and not operand.is_zero:
        return type(operand), operand.index
    return None


def _written(i: Instruction) -> list[Place]:
    return [
        (type(o), o.index + k)
        for token, o in zip(i.row.tokens, i.operands, strict=True)
        if token.dest and isinstance(o, Reg | UReg)
        for k in range(words_of(token, i))
    ]
