"""Where things stand in the 128-bit instruction word of sm_75 and later.

Positions were read off words and NVIDIA's disassembler. They stand here once; rows name them.
"""

from __future__ import annotations

from dataclasses import dataclass

WORD_BYTES = 16


@dataclass(frozen=True, slots=True)
class Field:
    """``width`` bits of the word from bit ``lo``."""

    lo: int
    width: int

    @property
    def mask(self) -> int:
        return ((1 << self.width) - 1) << self.lo

    def get(self, word: int) -> int:
        return (word >> self.lo) & ((1 << self.width) - 1)

    def get_signed(self, word: int) -> int:
        value = self.get(word)
        return value - (1 << self.width) if value >> (self.width - 1) else value

    def put(self, word: int, value: int) -> int:
        if value >> self.width:
            raise ValueError(f"{value:#x} does not fit in {self.width} bits")
        return (word & ~self.mask) | (value << self.lo)


@dataclass(frozen=True, slots=True)
class SplitField:
    """A field in pieces; the first piece holds the lowest bits."""

    pieces: tuple[Field, ...]

    @property
    def lo(self) -> int:
        return self.pieces[0].lo

    @property
    def width(self) -> int:
        return sum(piece.width for piece in self.pieces)

    @property
    def mask(self) -> int:
        return sum(piece.mask for piece in self.pieces)

    def get(self, word: int) -> int:
        value = shift = 0
        for piece in self.pieces:
            value |= piece.get(word) << shift
            shift += piece.width
        return value

    def put(self, word: int, value: int) -> int:
        for piece in self.pieces:
            word = piece.put(word, value & ((1 << piece.width) - 1))
            value >>= piece.width
        return word


OPCODE = Field(0, 9)
FORM = Field(9, 3)
GUARD = Field(12, 3)
GUARD_NOT = Field(15, 1)

# Registers: destination, and the slots of the three sources.
RD = Field(16, 8)
RA = Field(24, 8)
RB = Field(32, 8)  # the wide slot: register, uniform register, immediate or constant
RC = Field(64, 8)
# Uniform registers: the low six bits of a slot, URZ being 63; since sm_100 the whole slot, URZ being 255.
UNIFORM_WIDTH, WIDE_UNIFORM_WIDTH = 6, 8
FIRST_WIDE_UNIFORM = 100
USES_UNIFORM = Field(91, 1)  # set when a source is a uniform register

IMMEDIATE = Field(32, 32)
CONST_OFFSET = Field(38, 16)  # bytes
CONST_WORD = Field(40, 14)  # of arithmetic operands: four bytes each
CONST_BANK = Field(54, 5)
ADDRESS_OFFSET = Field(40, 24)  # bytes, signed

# Source modifiers of each slot: negate, absolute value, register reuse cache.
NEG_A, ABS_A, REUSE_A = Field(72, 1), Field(73, 1), Field(122, 1)
NEG_B, ABS_B, REUSE_B = Field(63, 1), Field(62, 1), Field(123, 1)
NEG_C, ABS_C, REUSE_C = Field(75, 1), Field(74, 1), Field(124, 1)
NEG_HALF_C, ABS_HALF_C = Field(84, 1), Field(83, 1)  # of packed halves

# Predicates: destinations Pu and Pv; sources with their "not" bit.
PU = Field(81, 3)
PV = Field(84, 3)
PP, PP_NOT = Field(87, 3), Field(90, 1)
PQ, PQ_NOT = Field(77, 3), Field(80, 1)
PR, PR_NOT = Field(68, 3), Field(71, 1)

# Scheduling (control.py).
STALL = Field(105, 4)
YIELD = Field(109, 1)
WRITE_BARRIER = Field(110, 3)
READ_BARRIER = Field(113, 3)
WAIT_MASK = Field(116, 6)
REUSE = Field(122, 4)

REGISTERS = 256  # and RZ among them
RZ = URZ = 255  # as operands; see UNIFORM_WIDTH for the word
PT = 7
