"""Meanings of SASS rows as expressions: a builder that computes nothing and remembers everything."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from cassc.sass.builder import I1, I16, I32, I64, Scope, Space, Type
from cassc.sass.operand import Reg, UReg


class Untaught(Exception):
    """The instruction has no translation in the dialect that the teacher would give."""


@dataclass(eq=False, slots=True)
class Node:
    """A value. ``method`` is a builder method, or one of: const, slot, register, predicate, launch, word, truth."""

    method: str
    type: Type
    arguments: tuple[Node, ...] = ()
    parameters: tuple[tuple[str, Any], ...] = ()
    bits: int = 0
    text: str = ""

    def __bool__(self) -> bool:
        raise TypeError("a meaning may not branch on a value; use Builder.select")

    @property
    def known(self) -> int | None:
        return self.bits if self.method == "const" else None


@dataclass(eq=False, slots=True)
class Effect:
    """Something that happens in order: a memory access, an exchange between lanes. ``words``: what it gives."""

    name: str
    operands: tuple[Node, ...]
    kinds: str
    words: list[Node] = field(default_factory=list)
    result: str = ""


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


class Expressions:
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

    def special(self, name: str) -> Node:
        from cassc.model.dialect import LAUNCH

        clocks = {
            "clocklo": "clock.lo",
            "clockhi": "clock.hi",
            "globaltimerlo": "timer.lo",
            "globaltimerhi": "timer.hi",
        }
        if name in clocks:
            return self._effect(clocks[name], (), "", "w")[0]
        text = next((token for token, special in LAUNCH.items() if special == name), None)
        if text is None:
            raise Untaught(f"special register {name}")
        return self._leaf("launch", I32, text)

    def constant(self, bank: int, offset: Node | int, size: int, *, signed: bool = False) -> Node:
        if isinstance(offset, Node) and offset.known is not None:
            offset = offset.known
        if isinstance(offset, Node):
            return self._indexed(bank, offset, size, signed)
        text = self.banks.get((bank, offset))
        if text is not None:
            if size == 8:
                return self._leaf("slot", I64, text)
            if size == 4:
                return self._leaf("slot", I32, text)
            return self.node(f"const_{'i' if signed else 'u'}{8 * size}", I32, self._leaf("slot", I32, text))
        first = self.banks.get((bank, offset - 4))
        if first is None or size != 4:
            raise Untaught("a constant that is no operand")
        return self._leaf("slot", I32, first + "h")

    def _indexed(self, bank: int, offset: Node, size: int, signed: bool) -> Node:
        base, displacement = split_offset(offset)
        if displacement is None or displacement.method != "slot":
            raise Untaught("an indexed constant without a slot")
        name = f"const_load_{('i' if signed else 'u') if size < 4 else 'b'}{8 * size}"
        words = self._effect(name, (displacement, base), "cw", "d" if size == 8 else "w")
        return self.pair(*words) if size == 8 else words[0]

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
            whole = _rejoined(x, y)
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
        """Sum of words; ``~x + 1`` is a subtraction."""
        plain = [t for t in terms if t.method != "not_" and t.known is None]
        inverted = [t.arguments[0] for t in terms if t.method == "not_"]
        constant = sum(t.known for t in terms if t.known is not None) & _WORD_BITS
        taken = min(len(inverted), constant) if constant < 4 else 0
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

    # Effects -----------------------------------------------------------------------------------------------------
    def _effect(self, name: str, operands: tuple[Node, ...], kinds: str, result: str) -> list[Node]:
        """``result``: kinds of what comes out; a ``d`` or ``q`` comes as its words."""
        effect = Effect(name, operands, kinds, result=result)
        count = {"": 0, "w": 1, "f": 1, "d": 2, "g": 2, "q": 4}.get(result)
        if count is None:
            effect.words = [Node("truth" if kind == "p" else "word", I1 if kind == "p" else I32) for kind in result]
        else:
            effect.words = [Node("word", I32) for _ in range(count)]
        self.effects.append(effect)
        return effect.words

    def _place(self, space: Space, address: Node) -> tuple[str, tuple[Node, Node], str]:
        from cassc.model.dialect import SPACES

        prefix, kind = SPACES[space.value]
        base, offset = split_offset(address)
        return prefix, (base, offset if offset is not None else self.const(address.type, 0)), kind + "o"

    def load(
        self, space: Space, address: Node, size: int, *, signed: bool = False, volatile: bool = False,
        where: Node | None = None,
    ) -> tuple[Node, ...]:  # fmt: skip
        prefix, place, kinds = self._place(space, address)
        if where is not None:
            if size != 4 or prefix != "global" or volatile:
                raise Untaught("such loads of some lanes")
            return tuple(self._effect("global_load_where_b32", (*place, where), kinds + "p", "w"))
        kind = ("i" if signed else "u") if size < 4 else "b"
        name = f"{prefix}_load_{kind}{8 * size}{'.volatile' if volatile else ''}"
        return tuple(self._effect(name, place, kinds, {8: "d", 16: "q"}.get(size, "w")))

    def store(
        self, space: Space, address: Node, words: tuple[Node, ...], size: int, *, volatile: bool = False
    ) -> None:  # fmt: skip
        prefix, place, kinds = self._place(space, address)
        name = f"{prefix}_store_b{8 * size}{'.volatile' if volatile else ''}"
        if size == 16:
            self._effect(name, (*place, *words), kinds + "q", "")
            return
        value = self.pair(words[0], words[1]) if size == 8 else words[0]
        self._effect(name, (*place, value), kinds + ("d" if size == 8 else "w"), "")

    def atomic(self, space: Space, op: str, address: Node, x: Node, scope: Scope, *, returns: bool) -> Node:
        from cassc.model.dialect import ATOMICS, FLOAT_ATOMICS, KIND_OF

        prefix, place, kinds = self._place(space, address)
        kind = KIND_OF[x.type]
        spelled = next((name for m, k, name in FLOAT_ATOMICS if m == op and k == kind), None)
        if spelled is None:
            spelled = f"{ATOMICS[op]}{x.type.bits}"
        words = self._effect(f"{prefix}_atomic_{spelled}.{scope.value}", (*place, x), kinds + kind, kind)
        whole = words[0] if len(words) == 1 else self.pair(words[0], words[1])
        return self.bitcast(whole, x.type)

    def compare_exchange(self, space: Space, address: Node, expected: Node, x: Node, scope: Scope) -> Node:
        from cassc.model.dialect import KIND_OF

        prefix, place, kinds = self._place(space, address)
        kind = KIND_OF[x.type]
        name = f"{prefix}_atomic_cmpswap_b{x.type.bits}.{scope.value}"
        words = self._effect(name, (*place, expected, x), kinds + kind * 2, kind)
        return words[0] if len(words) == 1 else self.pair(words[0], words[1])

    def in_space(self, space: Space, address: Node) -> Node:
        return self._effect(f"is_{space.value}", (address,), "d", "p")[0]

    def fence(self, scope: Scope) -> None:
        self._effect(f"fence.{scope.value}", (), "", "")

    def ballot(self, x: Node) -> Node:
        return self._effect("ballot", (x,), "p", "w")[0]

    def shuffle(self, x: Node, lane: Node) -> Node:
        place = self.shl(lane, self.const(I32, 2))
        return self._effect("ds_bpermute_b32", (place, x), "ww", "w")[0]

    def broadcast(self, x: Node) -> Node:
        return self._effect("v_readfirstlane_b32", (x,), "w", "w")[0]

    def reduce(self, op: str, x: Node) -> Node:
        return self._effect(f"wave_reduce.{op}", (x,), "w", "w")[0]

    def match_any(self, x: Node) -> Node:
        wide = x.type is I64
        return self._effect(f"match_any_b{64 if wide else 32}", (x,), "d" if wide else "w", "w")[0]

    def barrier(self, id: Node, threads: Node | None) -> None:
        if threads is None:
            self._effect("s_barrier", (), "", "")
        else:
            self._effect("barrier_part", (id, threads), "ww", "")

    def barrier_arrive(self, id: Node, threads: Node) -> None:
        self._effect("barrier_part_arrive", (id, threads), "ww", "")

    def barrier_reduce(self, op: str, x: Node, id: Node, threads: Node | None) -> None:
        if threads is None:
            self._effect(f"barrier_{op}", (x,), "p", "")
        else:
            self._effect(f"barrier_part_{op}", (x, id, threads), "pww", "")

    def matrix_product(self, name: str, kinds: str, words: tuple[Node, ...], result: str) -> list[Node]:
        """``words``: of A, B and C; those of a ``d`` as one node."""
        return self._effect(name, words, kinds, result)

    def barrier_result(self) -> tuple[Node, Node]:
        count, truth = self._effect("barrier_result", (), "", "wp")
        return count, truth

    def warp_sync(self) -> None:
        self._effect("wave_sync", (), "", "")

    def trap(self) -> None:
        raise Untaught("a trap inside a meaning")

    def sleep(self) -> None:
        self._effect("s_sleep", (), "", "")


def _rejoined(x: Node, y: Node) -> Node | None:
    """The word whose low half is ``x`` and whose high half, shifted to its place, is ``y``."""
    if x.method != "zext" or x.arguments[0].method != "trunc" or x.arguments[0].type is not I16:
        return None
    if y.method != "shl" or y.arguments[1].known != 16 or y.arguments[0].method != "zext":
        return None
    word = x.arguments[0].arguments[0]
    high = y.arguments[0].arguments[0]
    if high.method != "trunc" or high.arguments[0].method != "lshr" or high.arguments[0].arguments[1].known != 16:
        return None
    return word if high.arguments[0].arguments[0] is word else None


def split_offset(address: Node) -> tuple[Node, Node | None]:
    """Base and displacement of a sum."""
    if address.method == "add":
        base, offset = address.arguments
        if offset.method in ("const", "slot") and base.method not in ("const", "slot"):
            return base, offset
        if base.method == "slot" and offset.method not in ("const", "slot"):
            return offset, base
    return address, None


def sum_terms(x: Node) -> list[Node] | None:
    """The words whose zero extensions a 64-bit sum adds; constants are words too. None if it is another sum."""
    if x.method == "add":
        parts = [sum_terms(a) for a in x.arguments]
        return None if parts[0] is None or parts[1] is None else parts[0] + parts[1]
    if x.method == "zext" and x.arguments[0].type is I32:
        return [x.arguments[0]]
    if x.method == "pair" and x.arguments[1].known == 0:
        return [x.arguments[0]]
    if x.known is not None and x.known <= _WORD_BITS:
        return [Node("const", I32, bits=x.known)]
    return None
