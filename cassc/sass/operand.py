"""Decoded operands, and how they are printed (NVIDIA's notation)."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from cassc.sass.fields import PT, REGISTERS, RZ, URZ


@dataclass(frozen=True, slots=True)
class Register:
    """A register, or the first of a run of them.

    Attributes:
        inverted: bitwise not.
        suffix: printed after the name: the part that is used (``.H1``, ``.B2``), ``.SIGN``, ``.COL``.
        swizzle: which half of a packed pair is used twice: ``H0_H0``, ``H1_H1``, or empty.
    """

    letters: ClassVar[str]
    zero: ClassVar[int]

    index: int
    negated: bool = False
    absolute: bool = False
    inverted: bool = False
    reuse: bool = False
    suffix: str = ""
    swizzle: str = ""

    @property
    def is_zero(self) -> bool:
        return self.index == self.zero

    def __str__(self) -> str:
        return _decorate(f"{self.letters}{'Z' if self.is_zero else self.index}{self.suffix}", self)


class Reg(Register):
    """A general register, one value in each lane; RZ reads as zero."""

    __slots__ = ()
    letters = "R"
    zero = RZ


class CoordinateReg(Reg):
    """The first of the registers that say where in a surface: ``[R4]``."""

    __slots__ = ()

    def __str__(self) -> str:
        return f"[{Register.__str__(self)}]"


class UReg(Register):
    """A uniform register, one value for the warp; URZ (255, whatever its number in the word) reads as zero."""

    __slots__ = ()
    letters = "UR"
    zero = URZ


class AddressUReg(UReg):
    """The first of the uniform registers that hold an address: ``[UR4]``."""

    __slots__ = ()

    def __str__(self) -> str:
        return f"[{Register.__str__(self)}]"


class DescriptorUReg(UReg):
    """The first of the uniform registers that say how caches are used: ``desc[UR4]``."""

    __slots__ = ()

    def __str__(self) -> str:
        return f"desc[{Register.__str__(self)}]"


class ReturnReg(Reg):
    """Half of a place beside the registers, where code keeps one of them for a while; numbered behind them."""

    __slots__ = ()

    def __str__(self) -> str:
        return "Rpc.HI" if self.index > REGISTERS else "Rpc.LO"


@dataclass(frozen=True, slots=True)
class Const:
    """Constant bank operand ``c[bank][register + offset]``; ``offset`` in bytes, signed as it is printed.

    Without a register an offset counts modulo the 64 KiB of a bank.

    ``spaced``: NVIDIA prints a blank between the brackets where only a part of the word is used.
    """

    bank: int
    offset: int
    register: Reg | UReg | None = None
    negated: bool = False
    absolute: bool = False
    inverted: bool = False
    reuse: bool = False
    suffix: str = ""
    swizzle: str = ""
    spaced: bool = False

    def __str__(self) -> str:
        if self.register is None:
            inside = _signed(self.offset)
        elif self.offset:
            inside = f"{self.register}+{_signed(self.offset)}"
        else:
            inside = str(self.register)
        return _decorate(f"c[{self.bank:#x}]{' ' if self.spaced else ''}[{inside}]" + self.suffix, self)


@dataclass(frozen=True, slots=True)
class Pred:
    """A predicate register; 7 is PT. ``negated`` as a guard or a source."""

    index: int
    negated: bool = False
    uniform: bool = False

    @property
    def is_true(self) -> bool:
        return self.index == PT and not self.negated

    def __str__(self) -> str:
        name = "PT" if self.index == PT else f"P{self.index}"
        return ("!" if self.negated else "") + ("U" if self.uniform else "") + name


@dataclass(frozen=True, slots=True)
class Imm:
    """An immediate. ``bits`` is the pattern as it enters the operation; ``style`` says how it prints."""

    bits: int
    style: str = "u32"

    def __str__(self) -> str:
        return _STYLES[self.style](self.bits)


@dataclass(frozen=True, slots=True)
class Symbolic:
    """Low or high half of a symbol's address, as an immediate.

    Attributes:
        value: the whole address where it is known: that of code. Addresses of variables are known when they are loaded.
    """

    name: str
    addend: int = 0
    high: bool = False
    value: int | None = None

    def __str__(self) -> str:
        place = f"({self.name} + {self.addend:#x})" if self.addend else self.name
        return f"32@{'hi' if self.high else 'lo'}({place})"


@dataclass(frozen=True, slots=True)
class Address:
    """``[register + uregister + offset]``, in bytes.

    Attributes:
        register: base, or None; ``wide``: it is a 64-bit pair; ``scale``: factor of the register (shared memory).
        uregister: uniform base, or None; ``uwide``: 64-bit pair.
        unsigned: the 32-bit register is zero-extended and added to the uniform base (``.U32``).
        descriptor: uniform register of the memory descriptor, or None; ``printed``: it is shown (since sm_90).
        suffixed: ``.64`` or ``.U32`` is shown.
    """

    register: Reg | None
    offset: int = 0
    wide: bool = False
    scale: int = 1
    uregister: UReg | None = None
    uwide: bool = False
    unsigned: bool = False
    descriptor: UReg | None = None
    printed: bool = False
    suffixed: bool = False

    def __str__(self) -> str:
        parts = []
        if self.register is not None:
            suffix = (".64" if self.wide else ".U32") if self.suffixed else ""
            parts.append(str(self.register) + suffix + (f".X{self.scale}" if self.scale > 1 else ""))
        if self.uregister is not None:
            parts.append(str(self.uregister))
        if self.offset or not parts:
            parts.append(_signed(self.offset) if parts else f"{self.offset & 0xFFFFFF:#x}")
        text = "[" + "+".join(parts) + "]"
        return f"desc[{self.descriptor}]{text}" if self.printed else text


@dataclass(frozen=True, slots=True)
class Label:
    """A code address: byte offset in the section. Printed by the disassembler, which knows the names."""

    target: int

    def __str__(self) -> str:
        return f"`({self.target:#x})"


@dataclass(frozen=True, slots=True)
class Named:
    """A special register, a convergence barrier (``B0``), or a keyword (``PR``)."""

    name: str
    index: int = 0

    def __str__(self) -> str:
        return self.name


Operand = Reg | UReg | Const | Pred | Imm | Symbolic | Address | Label | Named


def _decorate(text: str, operand: Register | Const) -> str:
    if operand.absolute:
        text = f"|{text}|"
    if operand.inverted:
        text = f"~{text}"
    elif operand.negated:
        text = f"-{text}"
    return text + (".reuse" if operand.reuse else "") + (f".{operand.swizzle}" if operand.swizzle else "")


def _signed(value: int) -> str:
    return f"-{-value:#x}" if value < 0 else f"{value:#x}"


def _hex(bits: int) -> str:
    return f"{bits:#x}"


def _hex_signed(bits: int) -> str:
    return _signed(bits - (1 << 32) if bits >> 31 else bits)


def _hex_signed_64(bits: int) -> str:
    return _signed(bits - (1 << 64) if bits >> 63 else bits)


def _float(value: float) -> str:
    """NVIDIA's text of a float immediate: ``%.20g`` below 1e9, ``%.20e`` from there on; specials end in a blank."""
    if value == 0 and math.copysign(1, value) < 0:
        return "-0.0 "
    return f"{value:.20e}" if abs(value) >= 1e9 else f"{value:.20g}"


def _special(bits: int, exponent: int, fraction: int) -> str | None:
    """Text of an infinity or NaN whose format has the given field widths; None for finite values."""
    mantissa = bits & ((1 << fraction) - 1)
    if bits >> fraction & ((1 << exponent) - 1) != (1 << exponent) - 1:
        return None
    sign = "-" if bits >> (exponent + fraction) else "+"
    if not mantissa:
        return f"{sign}INF "
    return f"{sign}{'QNAN' if mantissa >> (fraction - 1) else 'SNAN'} "


def _f32(bits: int) -> str:
    return _special(bits, 8, 23) or _float(struct.unpack("<f", struct.pack("<I", bits))[0])


def _f64(bits: int) -> str:
    return _special(bits, 11, 52) or _float(struct.unpack("<d", struct.pack("<Q", bits))[0])


def _f16(bits: int) -> str:
    return _special(bits, 5, 10) or _float(struct.unpack("<e", struct.pack("<H", bits))[0])


def _bf16(bits: int) -> str:
    return _f32(bits << 16)


def _halves(bits: int) -> str:
    return f"{_f16(bits >> 16)}, {_f16(bits & 0xFFFF)}"


def _bfloats(bits: int) -> str:
    return f"{_bf16(bits >> 16)}, {_bf16(bits & 0xFFFF)}"


def _high_word(bits: int) -> str:
    return _f64(bits << 32)


_STYLES: Mapping[str, Callable[[int], str]] = {
    "u32": _hex,
    "s32": _hex_signed,
    "s64": _hex_signed_64,
    "f32": _f32,
    "f64": _f64,
    "h2": _halves,
    "b2": _bfloats,
    "high": _high_word,
}
