"""The arithmetic of a builder that computes nothing and remembers everything, but for what it can simplify."""

from __future__ import annotations

from typing import Any

from cassc.model.train.node import Effect, Node, Untaught, rejoined, sum_terms
from cassc.sass.builder import I1, I16, I32, I64, Type
from cassc.sass.operand import Reg, UReg

_WORD_BITS = (1 << 32) - 1
_IDENTITY = {"add": 0, "or_": 0, "xor": 0, "mul": 1, "and_": -1}
_COMMUTES = ("add", "mul", "and_", "or_", "xor")
_FOLDS = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "and_": lambda x, y: x & y,
    "or_": lambda x, y: x | y,
    "xor": lambda x, y: x ^ y,
}


class Arithmetic:
    """Builds nodes for one instruction. ``slots``: sentinel -> text of the slot that stands for it."""

    def __init__(self, slots: dict[int, str], banks: dict[tuple[int, int], str]) -> None:
        self.slots = slots
        self.banks = banks
        self.effects: list[Effect] = []
        self._made: dict[Any, Node] = {}
        self.group = None

    def __getattr__(self, name: str) -> Any:
        raise Untaught(f"the dialect has nothing for '{name}'")

    def node(self, method: str, type: Type, *arguments: Node, **parameters: Any) -> Node:
        key = (method, type, tuple(id(a) for a in arguments), tuple(parameters.items()))
        found = self._made.get(key)
        if found is None:
            found = self._made[key] = Node(method, type, arguments, tuple(parameters.items()))
        return found

    def _leaf(self, method: str, type: Type, text: str, bits: int = 0) -> Node:
        key = (method, type, text, bits)
        if key not in self._made:
            self._made[key] = Node(method, type, bits=bits, text=text)
        return self._made[key]

    # Leaves ------------------------------------------------------------------------------------------------------
    def const(self, type: Type, bits: int) -> Node:
        slot = self.slots.get(bits)
        if slot is not None:
            return self._leaf("slot", type, slot)
        return self._leaf("const", type, "", bits & ((1 << type.bits) - 1))

    def register(self, register: Reg | UReg) -> Node:
        if register.is_zero:
            return self.const(I32, 0)
        return self._leaf("register", I32, f"{'UR' if isinstance(register, UReg) else 'R'}{register.index}")

    def predicate(self, index: int, *, uniform: bool = False) -> Node:
        if index == 7:
            return self.const(I1, 1)
        return self._leaf("predicate", I1, f"{'UP' if uniform else 'P'}{index}")

    # Width -------------------------------------------------------------------------------------------------------
    def zext(self, x: Node, type: Type) -> Node:
        if x.type is type:
            return x
        if x.known is not None:
            return self.const(type, x.known)
        if x.type is I1:
            if type is I64:
                return self.pair(self.zext(x, I32), self.const(I32, 0))
            return self.select(x, self.const(type, 1), self.const(type, 0))
        return self.node("zext", type, x)

    def sext(self, x: Node, type: Type) -> Node:
        if x.type is type:
            return x
        if x.known is not None:
            sign = x.known >> (x.type.bits - 1)
            return self.const(type, x.known - (sign << x.type.bits))
        return self.node("sext", type, x)

    def trunc(self, x: Node, type: Type) -> Node:
        if x.type is type:
            return x
        if x.known is not None:
            return self.const(type, x.known)
        if x.type is I64:
            return self.trunc(self.lo(x), type)
        if x.method in ("zext", "sext") and x.arguments[0].type is type:
            return x.arguments[0]
        return self.node("trunc", type, x)

    def bitcast(self, x: Node, type: Type) -> Node:
        if x.method == "bitcast":
            x = x.arguments[0]
        if x.type is type:
            return x
        if x.known is not None:
            return self.const(type, x.known)
        if x.method == "slot":
            return self._leaf("slot", type, x.text)
        return self.node("bitcast", type, x)

    def lo(self, x: Node) -> Node:
        if x.known is not None:
            return self.const(I32, x.known)
        if x.method == "slot":
            return self._leaf("slot", I32, x.text)
        if x.method == "pair":
            return x.arguments[0]
        if x.method in ("zext", "sext"):
            return self.zext(x.arguments[0], I32) if x.method == "zext" else self.sext(x.arguments[0], I32)
        if x.method == "add":
            terms = sum_terms(x)
            return self.node("lo", I32, x) if terms is None else self._low_sum(terms)
        if x.method in ("and_", "or_", "xor"):
            return self._binary(x.method, self.lo(x.arguments[0]), self.lo(x.arguments[1]))
        if x.method == "select":
            return self.select(x.arguments[0], self.lo(x.arguments[1]), self.lo(x.arguments[2]))
        if x.method == "not_":
            return self.not_(self.lo(x.arguments[0]))
        n = x.arguments[1].known if x.method in ("shl", "lshr") else None
        if n is not None and n < 32:
            low, high = self.lo(x.arguments[0]), self.hi(x.arguments[0])
            if x.method == "shl":
                return self.shl(low, self.const(I32, n))
            if high.known == 0:
                return self.lshr(low, self.const(I32, n))
            return low if n == 0 else self.funnel_right(high, low, self.const(I32, n))
        if n is not None:
            other = self.hi(x.arguments[0])
            return self.const(I32, 0) if x.method == "shl" else self.lshr(other, self.const(I32, n - 32))
        return self.node("lo", I32, x)

    def hi(self, x: Node) -> Node:
        if x.known is not None:
            return self.const(I32, x.known >> 32)
        if x.method == "slot":
            return self._leaf("slot", I32, x.text + "h")
        if x.method == "pair":
            return x.arguments[1]
        if x.method == "zext":
            return self.const(I32, 0)
        if x.method == "sext":
            return self.ashr(self.sext(x.arguments[0], I32), self.const(I32, 31))
        if x.method in ("and_", "or_", "xor"):
            return self._binary(x.method, self.hi(x.arguments[0]), self.hi(x.arguments[1]))
        if x.method == "select":
            return self.select(x.arguments[0], self.hi(x.arguments[1]), self.hi(x.arguments[2]))
        if x.method == "not_":
            return self.not_(self.hi(x.arguments[0]))
        n = x.arguments[1].known if x.method in ("shl", "lshr", "ashr") else None
        if n is not None:
            low, high = self.lo(x.arguments[0]), self.hi(x.arguments[0])
            if x.method == "lshr":
                return self.lshr(high, self.const(I32, n)) if n < 32 else self.const(I32, 0)
            if x.method == "ashr":
                return self.ashr(high, self.const(I32, min(n, 31)))
            if n >= 32:
                return self.shl(low, self.const(I32, n - 32))
            if n == 0:
                return high
            if low.known == 0:
                return self.shl(high, self.const(I32, n))
            if high.known == 0:
                return self.lshr(low, self.const(I32, 32 - n))
            return self.funnel_right(high, low, self.const(I32, 32 - n))
        return self.node("hi", I32, x)

    def pair(self, lo: Node, hi: Node) -> Node:
        if lo.known is not None and hi.known is not None:
            return self.const(I64, lo.known | hi.known << 32)
        if lo.method == "lo" and hi.method == "hi" and lo.arguments[0] is hi.arguments[0]:
            return lo.arguments[0]
        if lo.method == "slot" and hi.method == "slot" and hi.text == lo.text + "h":
            return self._leaf("slot", I64, lo.text)
        if hi.known == 0:
            return self.zext(lo, I64)
        return self.node("pair", I64, lo, hi)

    # Integers ----------------------------------------------------------------------------------------------------
    def _binary(self, method: str, x: Node, y: Node) -> Node:
        if x.known is not None and y.known is not None:
            return self.const(x.type, _FOLDS[method](x.known, y.known))
        ones = (1 << x.type.bits) - 1
        if method in _COMMUTES:
            if x.known is not None:
                x, y = y, x
            if y.known == _IDENTITY[method] & ones:
                return x
            if y.known == 0 and method in ("mul", "and_"):
                return y
            if y.known == ones and method == "or_":
                return y
            if y.known == ones and method == "xor":
                return self.not_(x)
        elif y.known == 0:
            return x
        if method in ("and_", "or_") and x is y:
            return x
        if method == "or_":
            whole = rejoined(x, y)
            if whole is not None:
                return whole
        if method == "add" and x.type is not I1:
            if y.method == "neg":
                return self._binary("sub", x, y.arguments[0])
            if x.method == "neg":
                return self._binary("sub", y, x.arguments[0])
            if y.known is not None and x.method == "add" and x.arguments[1].known is not None:
                return self._binary("add", x.arguments[0], self._binary("add", x.arguments[1], y))
        return self.node(method, x.type, x, y)

    def add(self, x: Node, y: Node) -> Node:
        return self._binary("add", x, y)

    def sub(self, x: Node, y: Node) -> Node:
        return self._binary("sub", x, y)

    def mul(self, x: Node, y: Node) -> Node:
        return self._binary("mul", x, y)

    def and_(self, x: Node, y: Node) -> Node:
        return self._binary("and_", x, y)

    def or_(self, x: Node, y: Node) -> Node:
        return self._binary("or_", x, y)

    def xor(self, x: Node, y: Node) -> Node:
        return self._binary("xor", x, y)

    def neg(self, x: Node) -> Node:
        if x.known is not None:
            return self.const(x.type, -x.known)
        return x.arguments[0] if x.method == "neg" else self.node("neg", x.type, x)

    def not_(self, x: Node) -> Node:
        if x.known is not None:
            return self.const(x.type, ~x.known)
        if x.method == "not_":
            return x.arguments[0]
        return self.node("not_", x.type, x)

    def _shift(self, method: str, x: Node, n: Node) -> Node:
        if n.known is not None:
            if n.known == 0:
                return x
            if x.known is not None and method != "ashr":
                return self.const(x.type, x.known << n.known if method == "shl" else x.known >> n.known)
            if n.known >= x.type.bits:
                if method != "ashr":
                    return self.const(x.type, 0)
                n = self.const(n.type, x.type.bits - 1)
        return self.node(method, x.type, x, n)

    def shl(self, x: Node, n: Node) -> Node:
        return self._shift("shl", x, n)

    def lshr(self, x: Node, n: Node) -> Node:
        return self._shift("lshr", x, n)

    def ashr(self, x: Node, n: Node) -> Node:
        return self._shift("ashr", x, n)

    def funnel_right(self, hi: Node, lo: Node, n: Node) -> Node:
        return self.node("funnel_right", I32, hi, lo, n)

    def byte_permute(self, x: Node, y: Node, selector: Node) -> Node:
        return self.node("byte_permute", I32, x, y, selector)

    def _unary(self, method: str, x: Node) -> Node:
        return self.node(method, x.type, x)

    def popcount(self, x: Node) -> Node:
        return self._unary("popcount", x)

    def clz(self, x: Node) -> Node:
        return self._unary("clz", x)

    def bit_reverse(self, x: Node) -> Node:
        return self._unary("bit_reverse", x)

    def abs(self, x: Node) -> Node:
        return self._unary("abs", x)

    def _extreme(self, method: str, x: Node, y: Node) -> Node:
        if x.known is not None and y.known is not None and method[0] == "u":
            return self.const(x.type, (min if method == "umin" else max)(x.known, y.known))
        return self.node(method, x.type, x, y)

    def umin(self, x: Node, y: Node) -> Node:
        return self._extreme("umin", x, y)

    def umax(self, x: Node, y: Node) -> Node:
        return self._extreme("umax", x, y)

    def smin(self, x: Node, y: Node) -> Node:
        return self._extreme("smin", x, y)

    def smax(self, x: Node, y: Node) -> Node:
        return self._extreme("smax", x, y)

    def compare(self, op: str, x: Node, y: Node, *, signed: bool) -> Node:
        if op in ("f", "t"):
            return self.const(I1, op == "t")
        carry = self._carry(op, x, y)
        if carry is not None:
            return carry
        if op in ("eq", "ne"):
            signed = False
        if x.known is not None and y.known is not None and not signed:
            truths = {"lt": x.known < y.known, "le": x.known <= y.known, "gt": x.known > y.known}
            truths |= {"ge": x.known >= y.known, "eq": x.known == y.known, "ne": x.known != y.known}
            return self.const(I1, truths[op])
        return self.node("compare", I1, x, y, op=op, signed=signed)

    def _low_sum(self, terms: list[Node]) -> Node:
        """Sum of words; ``~x + 1`` is a subtraction, so that the number that is left is the instruction's own."""
        plain = [t for t in terms if t.method != "not_" and t.known is None]
        inverted = [t.arguments[0] for t in terms if t.method == "not_"]
        constant = sum(t.known for t in terms if t.known is not None) & _WORD_BITS
        taken = min(len(inverted), constant)
        total: Node | None = None
        for term in plain:
            total = term if total is None else self.add(total, term)
        for k, term in enumerate(inverted):
            if k < taken:
                total = self.neg(term) if total is None else self.sub(total, term)
            else:
                total = self.not_(term) if total is None else self.add(total, self.not_(term))
        rest = self.const(I32, constant - taken)
        return rest if total is None else self.add(total, rest)

    def _carry(self, op: str, x: Node, y: Node) -> Node | None:
        """``hi(sum of words) >= k``, or ``!= 0``: the carry of an addition."""
        if x.method != "hi" or (op, y.known) not in (("ge", 1), ("ge", 2), ("ne", 0)):
            return None
        terms = sum_terms(x.arguments[0])
        if terms is None:
            return None
        terms = [t for t in terms if t.known != 0]
        wanted = 2 if (op, y.known) == ("ge", 2) else 1
        if len(terms) <= wanted:
            return self.const(I1, 0)
        inverted = [t for t in terms if t.method == "not_"]
        if wanted == 1 and len(terms) == 2:
            a, b = terms
            if a.known is not None:
                a, b = b, a
            if a.method == "not_" and b.known == 1:
                return self.compare("eq", a.arguments[0], self.const(I32, 0), signed=False)
            return self.compare("lt", self.add(a, b), a, signed=False)
        ones = [t for t in terms if t.known == 1]
        if wanted == 1 and len(terms) == 3 and len(inverted) == 1 and len(ones) == 1:
            minuend = next(t for t in terms if t is not inverted[0] and t is not ones[0])
            return self.compare("ge", minuend, inverted[0].arguments[0], signed=False)
        return None

    def select(self, c: Node, x: Node, y: Node) -> Node:
        if c.known is not None:
            return x if c.known else y
        if x is y:
            return x
        if c.method == "not_":
            return self.select(c.arguments[0], y, x)
        if x.type.is_float:
            whole = {16: I16, 32: I32, 64: I64}[x.type.bits]
            return self.bitcast(self.select(c, self.bitcast(x, whole), self.bitcast(y, whole)), x.type)
        return self.node("select", x.type, c, x, y)

    # Floats ------------------------------------------------------------------------------------------------------
    def fadd(self, x: Node, y: Node, rounding: str = "rn") -> Node:
        return self.node("fadd", x.type, x, y, rounding=rounding)

    def fmul(self, x: Node, y: Node, rounding: str = "rn") -> Node:
        return self.node("fmul", x.type, x, y, rounding=rounding)

    def fma(self, x: Node, y: Node, z: Node, rounding: str = "rn") -> Node:
        sign = 1 << (x.type.bits - 1)
        if x.known in (0, sign) and y.known in (0, sign) and x.known != y.known and rounding == "rn":
            return z  # -0 is what adds nothing: ptxas loads constants so
        return self.node("fma", x.type, x, y, z, rounding=rounding)

    def fneg(self, x: Node) -> Node:
        if x.known is not None:
            return self.const(x.type, x.known ^ (1 << (x.type.bits - 1)))
        return x.arguments[0] if x.method == "fneg" else self._unary("fneg", x)

    def fabs(self, x: Node) -> Node:
        return x if x.method == "fabs" else self._unary("fabs", x)

    def fmin(self, x: Node, y: Node) -> Node:
        return self.node("fmin", x.type, x, y)

    def fmax(self, x: Node, y: Node) -> Node:
        return self.node("fmax", x.type, x, y)

    def fcompare(self, op: str, x: Node, y: Node) -> Node:
        if op in ("f", "t"):
            return self.const(I1, op == "t")
        return self.node("fcompare", I1, x, y, op=op)

    def flush(self, x: Node) -> Node:
        return self._unary("flush", x)

    def saturate(self, x: Node) -> Node:
        return self._unary("saturate", x)

    def fround(self, x: Node, rounding: str) -> Node:
        return self.node("fround", x.type, x, rounding=rounding)

    def fconvert(self, x: Node, type: Type, rounding: str = "rn") -> Node:
        return x if x.type is type else self.node("fconvert", type, x, rounding=rounding)

    def int_to_float(self, x: Node, type: Type, *, signed: bool, rounding: str = "rn") -> Node:
        return self.node("int_to_float", type, x, signed=signed, rounding=rounding)

    def float_to_int(self, x: Node, type: Type, *, signed: bool, rounding: str = "rz") -> Node:
        return self.node("float_to_int", type, x, signed=signed, rounding=rounding)

    def mufu(self, op: str, x: Node) -> Node:
        return self.node("mufu", x.type, x, op=op)
