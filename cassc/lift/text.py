"""The ground of the emitting builder: values as LLVM operands, lines of IR, declarations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Flag, auto

from cassc.sass.builder import BF16, F16, F64, I1, I32, I64, Type

_INTEGER = {8: "i8", 16: "i16", 32: "i32", 64: "i64"}
# Of a function with arithmetic, as kernels have them.
FUNCTION_ATTRIBUTES = '"denormal-fp-math"="ieee,ieee" "denormal-fp-math-f32"="ieee,ieee" "amdgpu-ieee"="false"'


class Fact(Flag):
    """What the making of a float tells about its value.

    The last three are the steps of a division of 32-bit integers, whose float reciprocal is scaled by an addition to
    its exponent.
    """

    NONE = 0
    UNIT = auto()  # in [0, 1]
    NORMAL = auto()  # not subnormal
    WHOLE = auto()  # a 32-bit integer rounded
    INVERSE = auto()  # reciprocal of WHOLE
    SCALED = auto()  # INVERSE times 2**32, less a few units in the last place: below 2**32; or a tiny normal number


@dataclass(slots=True, eq=False)
class Ir:
    """An LLVM operand; never changed (not ``frozen``, which would make each of a kernel's many thousands cost more).

    Attributes:
        text: ``%v7``, a literal, or a constant expression.
        known: the bit pattern of a constant, else None.
        origin: the value of another type that this one is the same bits of, else None; for the halves of an I64 that
            I64, with ``half`` 0 (low) or 1 (high).
        fact: what is known of a float.
    """

    type: Type
    text: str
    known: int | None = None
    origin: Ir | None = None
    half: int = -1
    fact: Fact = Fact.NONE

    def __bool__(self) -> bool:
        raise TypeError("a meaning may not branch on a value; use Builder.select")

    @property
    def typed(self) -> str:
        return f"{self.type.llvm} {self.text}"


def quoted(name: str) -> str:
    """A symbol as LLVM writes it, with its sigil: ``@"$str"``."""
    escaped = "".join(c if c.isascii() and c.isprintable() and c not in '"\\' else f"\\{ord(c):02X}" for c in name)
    return f'@"{escaped}"'


class Text:
    """Collects lines; subclasses add the vocabulary."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.mark = ""  # appended to every instruction: where it comes from
        self.declarations: dict[str, str] = {}
        self.effects = False
        self._names = 0

    def name(self) -> str:
        self._names += 1
        return f"%v{self._names}"

    def line(self, text: str) -> None:
        self.lines.append(f"  {text}{self.mark}")

    def define(self, type: Type, text: str, *, fact: Fact = Fact.NONE) -> Ir:
        """A new value computed by an LLVM instruction."""
        name = self.name()
        self.line(f"{name} = {text}")
        return Ir(type, name, fact=fact)

    def raw(self, text: str) -> str:
        """The name of a new value that has no `Type` (pointers, vectors)."""
        name = self.name()
        self.line(f"{name} = {text}")
        return name

    def declare(self, name: str, signature: str) -> None:
        """``signature``: result type, and argument types with ``@`` in the place of the name: ``i32 @(i32, i32)``."""
        self.declarations[name] = "declare " + signature.replace("@", f"@{name}", 1)

    def call(self, type: Type, name: str, arguments: Sequence[Ir]) -> Ir:
        """Call of an intrinsic whose types are those of the operands."""
        self.declare(name, f"{type.llvm} @({', '.join(a.type.llvm for a in arguments)})")
        return self.define(type, f"call {type.llvm} @{name}({', '.join(a.typed for a in arguments)})")

    # Constants and width -----------------------------------------------------------------------------------------
    def const(self, type: Type, bits: int) -> Ir:
        bits &= (1 << type.bits) - 1
        if type is I1:
            return Ir(I1, "true" if bits else "false", bits)
        if not type.is_float:
            return Ir(type, str(bits), bits)
        if type is F64:
            return Ir(F64, f"0x{bits:016X}", bits)
        if type in (F16, BF16):
            return Ir(type, f"0x{'H' if type is F16 else 'R'}{bits:04X}", bits)
        # A float literal is written as a double, which has no room for the payload of a signalling NaN.
        return Ir(type, f"bitcast (i32 {bits} to float)", bits)

    def zext(self, x: Ir, type: Type) -> Ir:
        if x.known is not None:
            return self.const(type, x.known)
        return x if x.type is type else self.define(type, f"zext {x.typed} to {type.llvm}")

    def sext(self, x: Ir, type: Type) -> Ir:
        if x.known is not None:
            sign = x.known >> (x.type.bits - 1)
            return self.const(type, x.known - (sign << x.type.bits))
        return x if x.type is type else self.define(type, f"sext {x.typed} to {type.llvm}")

    def trunc(self, x: Ir, type: Type) -> Ir:
        if x.known is not None:
            return self.const(type, x.known)
        return x if x.type is type else self.define(type, f"trunc {x.typed} to {type.llvm}")

    def bitcast(self, x: Ir, type: Type) -> Ir:
        if x.type is type:
            return x
        if x.known is not None:
            return self.const(type, x.known)
        if x.origin is not None and x.half < 0 and x.origin.type is type:
            return x.origin
        cast = self.define(type, f"bitcast {x.typed} to {type.llvm}")
        return Ir(type, cast.text, origin=x, fact=x.fact)

    def lo(self, x: Ir) -> Ir:
        if x.known is not None:
            return self.const(I32, x.known)
        half = self.define(I32, f"trunc {x.typed} to i32")
        return Ir(I32, half.text, origin=x, half=0)

    def hi(self, x: Ir) -> Ir:
        if x.known is not None:
            return self.const(I32, x.known >> 32)
        shifted = self.define(I64, f"lshr {x.typed}, 32")
        half = self.define(I32, f"trunc {shifted.typed} to i32")
        return Ir(I32, half.text, origin=x, half=1)

    def pair(self, lo: Ir, hi: Ir) -> Ir:
        if lo.known is not None and hi.known is not None:
            return self.const(I64, lo.known | hi.known << 32)
        if lo.origin is not None and lo.origin is hi.origin and (lo.half, hi.half) == (0, 1):
            return lo.origin
        if hi.known == 0:
            return self.zext(lo, I64)
        if lo.known == 0:
            return self.define(I64, f"shl {self.zext(hi, I64).typed}, 32")
        half = self.raw(f"insertelement <2 x i32> poison, {lo.typed}, i32 0")
        whole = self.raw(f"insertelement <2 x i32> {half}, {hi.typed}, i32 1")
        return self.define(I64, f"bitcast <2 x i32> {whole} to i64")
