"""What the code says of its parameters: which are pointers and which floats, and what shape the launch should have.

A linear scan: a register that was loaded from the parameter block remembers where from, until it is written again. It
misses what flows through arithmetic, and it need not be right: hints only make generated launches more useful.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum

from cassc.sass.disasm import SassFunction
from cassc.sass.execute import words_of
from cassc.sass.operand import Address, Const, Named, Operand, Reg, UReg
from cassc.sass.row import Instruction
from cassc.sass.syntax import Token


class Use(Enum):
    POINTER = "pointer"
    FLOAT32 = "float32"
    FLOAT64 = "float64"


@dataclass(frozen=True, slots=True)
class Hints:
    """
    Attributes:
        uses: byte offset in the parameter block -> how the four (or eight) bytes there are used.
        dimensions: 1 to 3, the highest dimension of thread or CTA index that is read.
        approximate: mnemonics in the code whose rows state an approximation.
    """

    uses: Mapping[int, frozenset[Use]] = field(default_factory=dict)
    dimensions: int = 1
    approximate: tuple[str, ...] = ()

    def pointer(self, offset: int) -> bool:
        return Use.POINTER in self.uses.get(offset, ())


_FLOAT_TYPES = {"f32": Use.FLOAT32, "f64": Use.FLOAT64}
_GLOBAL_SPACES = ("LoadAddr", "StoreAddr", "ReduceAddr", "AtomAddr", "PlainAddr")
_DIMENSION = {"X": 1, "Y": 2, "Z": 3}


def of(function: SassFunction) -> Hints:
    base, size = function.abi.param_base, function.abi.param_size
    uses: dict[int, set[Use]] = {}
    origin: dict[tuple[type, int], int] = {}
    dimensions = 1
    approximate: set[str] = set()

    def note(offset: int | None, use: Use) -> None:
        if offset is not None and 0 <= offset < size:
            uses.setdefault(offset, set()).add(use)

    def parameter(operand: Operand) -> int | None:
        if isinstance(operand, Const) and operand.bank == 0 and operand.register is None and operand.offset >= base:
            return operand.offset - base
        if isinstance(operand, Const) and operand.bank == 0 and isinstance(operand.register, Reg | UReg):
            return operand.offset - base if operand.register.is_zero and operand.offset >= base else None
        if isinstance(operand, Reg | UReg) and not operand.is_zero:
            return origin.get((type(operand), operand.index))
        return None

    for instruction in function.instructions:
        if instruction.row.approx:
            approximate.add(instruction.row.mnemonic)
        for token, operand in _sources(instruction):
            if isinstance(operand, Address) and token.name in _GLOBAL_SPACES and operand.register is not None:
                note(parameter(operand.register), Use.POINTER)
            elif token.type in _FLOAT_TYPES:
                note(parameter(operand), _FLOAT_TYPES[token.type])
            elif isinstance(operand, Named) and operand.name.startswith(("SR_TID.", "SR_CTAID.")):
                dimensions = max(dimensions, _DIMENSION[operand.name[-1]])
        moved = _moved_from(instruction, parameter)
        for target, word in _written(instruction):
            if moved is None:
                origin.pop(target, None)
            else:
                origin[target] = moved + 4 * word
    frozen = {offset: frozenset(found) for offset, found in uses.items()}
    return Hints(frozen, dimensions, tuple(sorted(approximate)))


def _sources(instruction: Instruction) -> list[tuple[Token, Operand]]:
    pairs = zip(instruction.row.tokens, instruction.operands, strict=True)
    return [(token, operand) for token, operand in pairs if not token.dest]


def _written(instruction: Instruction) -> list[tuple[tuple[type, int], int]]:
    found = []
    for token, operand in zip(instruction.row.tokens, instruction.operands, strict=True):
        if token.dest and isinstance(operand, Reg | UReg) and not operand.is_zero:
            found += [((type(operand), operand.index + k), k) for k in range(words_of(token, instruction))]
    return found


def _moved_from(instruction: Instruction, parameter: Callable[[Operand], int | None]) -> int | None:
    """Parameter offset that an instruction copies unchanged: loads of constants, moves, and IMAD used as one."""
    sources = [operand for _, operand in _sources(instruction)]
    name = instruction.mnemonic
    if instruction.row.mnemonic in ("LDC", "ULDC", "MOV", "UMOV", "R2UR"):
        return parameter(sources[0]) if sources else None
    if name.startswith(("IMAD.MOV", "IMAD.U32")) and getattr(sources[0], "is_zero", False):
        return parameter(sources[2])
    return None
