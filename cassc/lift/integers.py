"""Integer vocabulary of the emitting builder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from cassc.lift.text import Fact, Ir, Text
from cassc.sass.builder import I1, I32

_PREDICATES = {
    ("lt", True): "slt", ("le", True): "sle", ("gt", True): "sgt", ("ge", True): "sge",
    ("lt", False): "ult", ("le", False): "ule", ("gt", False): "ugt", ("ge", False): "uge",
    ("eq", True): "eq", ("eq", False): "eq", ("ne", True): "ne", ("ne", False): "ne",
}  # fmt: skip

_FOLD: dict[str, Callable[[int, int], int]] = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "and": lambda x, y: x & y,
    "or": lambda x, y: x | y,
    "xor": lambda x, y: x ^ y,
}


# Added to the bits of a reciprocal by the division of 32-bit integers.
_TIMES_2_32 = 0x0FFFFFFE
# The operand that changes nothing.
_NEUTRAL = {"add": 0, "sub": 0, "mul": 1, "and": -1, "or": 0, "xor": 0}


class Integers(Text):
    def _binary(self, op: str, x: Ir, y: Ir) -> Ir:
        if x.known is not None and y.known is not None:
            return self.const(x.type, _FOLD[op](x.known, y.known))
        if y.known is not None and y.known == _NEUTRAL[op] & ((1 << y.type.bits) - 1):
            return x
        if x.known is not None and op != "sub" and x.known == _NEUTRAL[op] & ((1 << x.type.bits) - 1):
            return y
        return self.define(x.type, f"{op} {x.typed}, {y.text}")

    def add(self, x: Ir, y: Ir) -> Ir:
        total = self._binary("add", x, y)
        if _TIMES_2_32 in (x.known, y.known) and (x.fact | y.fact) & Fact.INVERSE:
            return replace(total, fact=Fact.SCALED | Fact.NORMAL)
        return total

    def sub(self, x: Ir, y: Ir) -> Ir:
        return self._binary("sub", x, y)

    def mul(self, x: Ir, y: Ir) -> Ir:
        return self._binary("mul", x, y)

    def neg(self, x: Ir) -> Ir:
        return self._binary("sub", self.const(x.type, 0), x)

    def and_(self, x: Ir, y: Ir) -> Ir:
        return self._binary("and", x, y)

    def or_(self, x: Ir, y: Ir) -> Ir:
        return self._binary("or", x, y)

    def xor(self, x: Ir, y: Ir) -> Ir:
        return self._binary("xor", x, y)

    def not_(self, x: Ir) -> Ir:
        return self._binary("xor", x, self.const(x.type, -1))

    def _shift(self, op: str, x: Ir, n: Ir) -> Ir:
        """LLVM's shifts are poison from the width on; the amount is clamped or the result replaced."""
        width = x.type.bits
        if n.known is not None and x.known is not None:
            signed = op == "ashr" and x.known >> (width - 1)
            number = x.known - (signed << width)
            amount = min(n.known, width)
            return self.const(x.type, number << amount if op == "shl" else number >> amount)
        if n.known is not None:
            if n.known < width:
                return x if n.known == 0 else self.define(x.type, f"{op} {x.typed}, {n.known}")
            if op == "ashr":
                return self.define(x.type, f"ashr {x.typed}, {width - 1}")
            return self.const(x.type, 0)
        if op == "ashr":
            return self.define(x.type, f"ashr {x.typed}, {self.umin(n, self.const(n.type, width - 1)).text}")
        inside = self.compare("lt", n, self.const(n.type, width), signed=False)
        masked = self.and_(n, self.const(n.type, width - 1))
        shifted = self.define(x.type, f"{op} {x.typed}, {masked.text}")
        return self.select(inside, shifted, self.const(x.type, 0))

    def shl(self, x: Ir, n: Ir) -> Ir:
        return self._shift("shl", x, n)

    def lshr(self, x: Ir, n: Ir) -> Ir:
        return self._shift("lshr", x, n)

    def ashr(self, x: Ir, n: Ir) -> Ir:
        return self._shift("ashr", x, n)

    def funnel_right(self, hi: Ir, lo: Ir, n: Ir) -> Ir:
        return self.call(I32, "llvm.fshr.i32", (hi, lo, n))

    def popcount(self, x: Ir) -> Ir:
        return self.call(x.type, f"llvm.ctpop.{x.type.llvm}", (x,))

    def clz(self, x: Ir) -> Ir:
        return self.call(x.type, f"llvm.ctlz.{x.type.llvm}", (x, self.const(I1, 0)))

    def bit_reverse(self, x: Ir) -> Ir:
        return self.call(x.type, f"llvm.bitreverse.{x.type.llvm}", (x,))

    def byte_permute(self, x: Ir, y: Ir, selector: Ir) -> Ir:
        """Nibbles are spread to the bytes that the target's permute takes; signs are made from the chosen bytes.

        v_perm_b32 numbers the bytes of its second operand 0-3 and of its first 4-7 (RDNA3 ISA, "V_PERM_B32").
        """
        narrow = None if selector.known is None else _sign_extension(selector.known)
        if narrow is not None:
            first, bits = narrow
            word = self.shl(y if first > 3 else x, self.const(I32, 32 - bits - 8 * (first & 3)))
            return self.ashr(word, self.const(I32, 32 - bits))
        chosen = self._permuted(x, y, self._spread(self.and_(selector, self.const(I32, 0x7777))))
        if selector.known is not None and not selector.known & 0x8888:
            return chosen
        signed = self._spread(self.lshr(self.and_(selector, self.const(I32, 0x8888)), self.const(I32, 3)))
        mask = self.mul(signed, self.const(I32, 0xFF))
        signs = self.and_(self.lshr(chosen, self.const(I32, 7)), self.const(I32, 0x01010101))
        filled = self.sub(self.shl(signs, self.const(I32, 8)), signs)
        return self.or_(self.and_(chosen, self.not_(mask)), self.and_(filled, mask))

    def _spread(self, nibbles: Ir) -> Ir:
        """Nibble k of the low half to byte k."""
        if nibbles.known is not None:
            return self.const(I32, sum((nibbles.known >> 4 * k & 15) << 8 * k for k in range(4)))
        pairs = self.or_(nibbles, self.shl(nibbles, self.const(I32, 8)))
        pairs = self.and_(pairs, self.const(I32, 0x00FF00FF))
        single = self.or_(pairs, self.shl(pairs, self.const(I32, 4)))
        return self.and_(single, self.const(I32, 0x0F0F0F0F))

    def _permuted(self, x: Ir, y: Ir, bytes_: Ir) -> Ir:
        return self.call(I32, "llvm.amdgcn.perm", (y, x, bytes_))

    def abs(self, x: Ir) -> Ir:
        return self.call(x.type, f"llvm.abs.{x.type.llvm}", (x, self.const(I1, 0)))

    def umin(self, x: Ir, y: Ir) -> Ir:
        return self.call(x.type, f"llvm.umin.{x.type.llvm}", (x, y))

    def umax(self, x: Ir, y: Ir) -> Ir:
        return self.call(x.type, f"llvm.umax.{x.type.llvm}", (x, y))

    def smin(self, x: Ir, y: Ir) -> Ir:
        return self.call(x.type, f"llvm.smin.{x.type.llvm}", (x, y))

    def smax(self, x: Ir, y: Ir) -> Ir:
        return self.call(x.type, f"llvm.smax.{x.type.llvm}", (x, y))

    def compare(self, op: str, x: Ir, y: Ir, *, signed: bool) -> Ir:
        if op in ("f", "t"):
            return self.const(I1, op == "t")
        return self.define(I1, f"icmp {_PREDICATES[op, signed]} {x.typed}, {y.text}")

    def select(self, c: Ir, x: Ir, y: Ir) -> Ir:
        if c.known is not None:
            return x if c.known else y
        if x is y:
            return x
        return self.define(x.type, f"select {c.typed}, {x.typed}, {y.typed}")


def _sign_extension(selector: int) -> tuple[int, int] | None:
    """(first byte, bits) if a permute's selector extends the bytes from there on, of one word, by their sign."""
    nibbles = [selector >> 4 * k & 15 for k in range(4)]
    first = nibbles[0]
    for count in (1, 2, 3):
        last = first + count - 1
        one_word = first < 8 and first >> 2 == last >> 2
        if one_word and nibbles == [*range(first, last + 1), *[last | 8] * (4 - count)]:
            return first, 8 * count
    return None
