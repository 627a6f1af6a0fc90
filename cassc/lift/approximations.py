"""MUFU in the emitting builder: the target's own instructions, or on request NVIDIA's results bit for bit.

The exact form is `cassc.sass.mufu`, written as LLVM IR; it takes some fifty instructions and a read of a table, where
the target's instruction is one whose results differ in the last place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cassc.lift.effects import Effects
from cassc.lift.text import Ir
from cassc.sass.builder import F32, I1, I32, I64
from cassc.sass.mufu_table import LOG_BITS, ONE, TANH_FIRST, TANH_PLACES, TANH_ROWS, TURN_BITS, UNITS, rows

_MANTISSA, _SIGN, _INFINITY, _NAN, _F32_ONE = 0x7FFFFF, 0x80000000, 0x7F800000, 0x7FFFFFFF, 0x3F800000
_HIGH_INFINITY = 0x7FF00000


class Approximations(Effects):
    """Attributes:
    exact: give NVIDIA's bits.
    """

    exact = False

    def mufu(self, op: str, x: Ir) -> Ir:
        if not self.exact:
            return super().mufu(op, x)
        bits = self.bitcast(x, I32)
        if op in ("rcp64h", "rsq64h"):
            return self.bitcast(self._high_word(op, bits), F32)
        functions: dict[str, Callable[[Ir], Ir]] = {
            "rcp": self._reciprocal,
            "rsq": self._reciprocal_root,
            "sqrt": self._root,
            "ex2": self._exponential,
            "lg2": self._logarithm,
            "sin": lambda b: self._sine(b, 0),
            "cos": lambda b: self._sine(b, 1),
            "tanh": self._tangent,
        }
        return self.bitcast(functions[op](bits), F32)

    # Short forms -------------------------------------------------------------------------------------------------
    def _i(self, value: int) -> Ir:
        return self.const(I32, value)

    def _up(self, x: Ir, n: int) -> Ir:
        return self.shl(x, self.const(x.type, n)) if n else x

    def _down(self, x: Ir, n: int) -> Ir:
        return self.lshr(x, self.const(x.type, n)) if n else x

    def _is(self, x: Ir, value: int) -> Ir:
        return self.compare("eq", x, self.const(x.type, value), signed=False)

    def _parts(self, bits: Ir) -> tuple[Ir, Ir, Ir]:
        """Sign in place, exponent, mantissa; denormals as zeros."""
        exponent = self.and_(self._down(bits, 23), self._i(255))
        mantissa = self.select(self._is(exponent, 0), self._i(0), self.and_(bits, self._i(_MANTISSA)))
        return self.and_(bits, self._i(_SIGN)), exponent, mantissa

    # The polynomial ----------------------------------------------------------------------------------------------
    def _polynomial(self, name: str, argument: Ir, half: Ir | None = None) -> Ir:
        """I64 in units of 2**-58; see `cassc.sass.mufu.polynomial`."""
        unit = UNITS[name]
        places = 23 - unit.index
        segment = self._down(argument, places)
        if half is not None:
            segment = self.add(segment, self._up(half, unit.index))
        constant, packed = self._row(name, segment)
        t = self.and_(argument, self._i((1 << places) - 1))
        linear = self.mul(self.sext(self.lo(packed), I64), self.zext(t, I64))
        squared = self.zext(self._square(t, places, unit.cut), I64)
        quadratic = self.mul(self.sext(self.hi(packed), I64), squared)
        total = self.add(constant, self._up(linear, ONE - unit.linear))
        return self.add(total, self._up(quadratic, ONE - unit.quadratic + unit.cut))

    def _row(self, name: str, segment: Ir) -> tuple[Ir, Ir]:
        """The constant, and the linear (low) and quadratic coefficient in one word."""
        table = rows()[name]
        symbol = f"@__cassc_mufu.{name}"
        words = ", ".join(f"i64 {c}, i64 {(q & 0xFFFFFFFF) << 32 | (b & 0xFFFFFFFF)}" for c, b, q in table)
        kind = "private unnamed_addr addrspace(4) constant"
        self.helpers[symbol] = f"{symbol} = {kind} [{2 * len(table)} x i64] [{words}], align 16"
        offset = self._up(self.zext(segment, I64), 4)
        place = self.raw(f"getelementptr i8, ptr addrspace(4) {symbol}, {offset.typed}")
        second = self.raw(f"getelementptr i8, ptr addrspace(4) {place}, i64 8")
        loads = [self.define(I64, f"load i64, ptr addrspace(4) {at}, align 8") for at in (place, second)]
        return loads[0], loads[1]

    def _square(self, t: Ir, places: int, cut: int) -> Ir:
        """I32: the square without its columns below ``cut``, which are zero, shifted right by as many."""
        total = self._i(0)
        for j in range(places):
            low = max(cut - 1 - j, 0)
            if low >= j and 2 * j < cut:
                continue
            term = self._i(1 << (2 * j - cut)) if 2 * j >= cut else self._i(0)
            if low < j:
                below = self.and_(self._down(t, low), self._i((1 << j - low) - 1))
                term = self.add(term, self._up(below, low + j + 1 - cut))
            chosen = self.trunc(self._down(t, j), I1)
            total = self.add(total, self.select(chosen, term, self._i(0)))
        return total

    def _cut_off(self, value: Ir, point: int, exponent: Ir) -> Ir:
        """Bits of the float ``value * 2**(exponent - point)``, positive, without rounding; zero if it is too small."""
        zeros = self.clz(value)
        mantissa = self.and_(self.trunc(self._down(self.shl(value, zeros), 40), I32), self._i(_MANTISSA))
        biased = self.add(self.sub(exponent, self.trunc(zeros, I32)), self._i(63 - point + 127))
        bits = self.or_(self._up(biased, 23), mantissa)
        small = self.compare("le", biased, self._i(0), signed=True)
        none = self.or_(small, self.compare("le", value, self.const(I64, 0), signed=True))
        large = self.compare("ge", biased, self._i(255), signed=True)
        return self.select(none, self._i(0), self.select(large, self._i(_INFINITY), bits))

    def _unless_nan(self, exponent: Ir, mantissa: Ir, bits: Ir) -> Ir:
        nan = self.and_(self._is(exponent, 255), self.not_(self._is(mantissa, 0)))
        return self.select(nan, self._i(_NAN), bits)

    # Functions ---------------------------------------------------------------------------------------------------
    def _reciprocal(self, x: Ir) -> Ir:
        sign, e, m = self._parts(x)
        whole = self._is(m, 0)
        power = self._up(self.sub(self._i(254), e), 23)
        smallest = self.select(self.and_(self._is(e, 253), whole), self._i(1 << 23), self._i(0))
        other = self._cut_off(self._polynomial("rcp", m), ONE, self.sub(self._i(127), e))
        bits = self.select(whole, power, other)
        bits = self.select(self.compare("ge", e, self._i(253), signed=False), smallest, bits)
        bits = self.select(self._is(e, 0), self._i(_INFINITY), bits)
        return self._unless_nan(e, m, self.or_(bits, sign))

    def _roots(self, name: str, e: Ir, m: Ir, direction: int) -> Ir:
        true = self.sub(e, self._i(127))
        odd = self.and_(true, self._i(1))
        exponent = self.ashr(self.sub(true, odd), self._i(1))
        if direction < 0:
            exponent = self.neg(exponent)
        bits = self._cut_off(self._polynomial(name, m, odd), ONE, exponent)
        whole = self.and_(self._is(m, 0), self._is(odd, 0))
        return self.select(whole, self._up(self.add(exponent, self._i(127)), 23), bits)

    def _reciprocal_root(self, x: Ir) -> Ir:
        sign, e, m = self._parts(x)
        bits = self.select(self._is(e, 255), self._i(0), self._roots("rsq", e, m, -1))
        bits = self.select(self._is(sign, 0), bits, self._i(_NAN))
        bits = self.select(self._is(e, 0), self.or_(sign, self._i(_INFINITY)), bits)
        return self._unless_nan(e, m, bits)

    def _root(self, x: Ir) -> Ir:
        sign, e, m = self._parts(x)
        bits = self.select(self._is(e, 255), self._i(_INFINITY), self._roots("sqrt", e, m, 1))
        bits = self.select(self._is(sign, 0), bits, self._i(_NAN))
        return self._unless_nan(e, m, self.select(self._is(e, 0), sign, bits))

    def _shifted(self, e: Ir, m: Ir, places: int) -> Ir:
        """I64: the number as a fixed-point one, cut off; far too large ones give zero."""
        whole = self.zext(self.select(self._is(e, 0), self._i(0), self.or_(m, self._i(1 << 23))), I64)
        left = self.sub(e, self._i(150 - places))
        up = self.shl(whole, self.sext(left, I64))
        down = self.lshr(whole, self.sext(self.neg(left), I64))
        return self.select(self.compare("ge", left, self._i(0), signed=True), up, down)

    def _exponential(self, x: Ir) -> Ir:
        sign, e, m = self._parts(x)
        fixed = self.trunc(self._shifted(e, m, 23), I32)
        integer = self._is(self.and_(fixed, self._i(_MANTISSA)), 0)
        negative = self.select(integer, self.neg(fixed), self.not_(fixed))
        positive = self._is(sign, 0)
        fixed = self.select(positive, fixed, negative)
        value = self._polynomial("ex2", self.and_(fixed, self._i(_MANTISSA)))
        bits = self._cut_off(value, ONE, self.ashr(fixed, self._i(23)))
        far = self.compare("ge", e, self._i(127 + 8), signed=False)
        bits = self.select(far, self.select(positive, self._i(_INFINITY), self._i(0)), bits)
        return self._unless_nan(e, m, bits)

    def _logarithm(self, x: Ir) -> Ir:
        sign, e, m = self._parts(x)
        whole = self._up(self.sext(self.sub(e, self._i(127)), I64), LOG_BITS)
        total = self.add(whole, self._down(self._polynomial("lg2", m), ONE - LOG_BITS))
        negative = self.compare("lt", total, self.const(I64, 0), signed=True)
        magnitude = self._cut_off(self.select(negative, self.not_(total), total), LOG_BITS, self._i(0))
        bits = self.or_(magnitude, self.select(negative, self._i(_SIGN), self._i(0)))
        bits = self.select(self._is(x, _F32_ONE), self._i(0), bits)
        bits = self.select(self._is(e, 255), self._i(_INFINITY), bits)
        bits = self.select(self._is(sign, 0), bits, self._i(_NAN))
        bits = self.select(self._is(e, 0), self._i(_INFINITY | _SIGN), bits)
        return self._unless_nan(e, m, bits)

    def _sine(self, x: Ir, quarters: int) -> Ir:
        sign, e, m = self._parts(x)
        fixed = self.trunc(self._shifted(e, m, TURN_BITS), I32)
        quadrant, place = self.add(self._down(fixed, 23), self._i(quarters)), self.and_(fixed, self._i(_MANTISSA))
        odd = self.trunc(quadrant, I1)
        argument = self.select(odd, self.sub(self._i(_MANTISSA), place), place)
        bits = self._cut_off(self._polynomial("sin", argument), ONE, self._i(0))
        bits = self.select(self._is(place, 0), self.select(odd, self._i(_F32_ONE), self._i(0)), bits)
        turned = self._up(self.and_(self._down(quadrant, 1), self._i(1)), 31)
        bits = self.or_(bits, turned if quarters else self.xor(sign, turned))
        return self.select(self._is(e, 255), self._i(_NAN), bits)

    def _tangent(self, x: Ir) -> Ir:
        magnitude = self.and_(x, self._i(_SIGN - 1))
        e, m = self._down(magnitude, 23), self.and_(x, self._i(_MANTISSA))
        last = len(TANH_ROWS) - 1
        binade = self.sub(e, self._i(TANH_FIRST))
        binade = self.select(self.compare("gt", binade, self._i(last), signed=False), self._i(last), binade)
        places, first = self._entry(TANH_PLACES, 4, binade), self._entry(TANH_ROWS, 6, binade)
        bits = 23 - UNITS["tanh"].index
        segment = self.add(first, self.lshr(m, self.sub(self._i(23), places)))
        rest = self.and_(self.lshr(m, self.sub(self._i(23 - bits), places)), self._i((1 << bits) - 1))
        argument = self.or_(self._up(segment, bits), rest)
        found = self._cut_off(self._polynomial("tanh", argument), ONE, self._i(0))
        far = self.compare("ge", e, self._i(TANH_FIRST + len(TANH_ROWS)), signed=False)
        found = self.select(far, self._i(_F32_ONE), found)
        found = self.select(self.compare("lt", e, self._i(TANH_FIRST), signed=False), magnitude, found)
        return self._unless_nan(e, m, self.or_(found, self.and_(x, self._i(_SIGN))))

    def _entry(self, values: Sequence[int], width: int, index: Ir) -> Ir:
        """I32: one of a few small numbers, which stand in one word."""
        packed = sum(value << width * k for k, value in enumerate(values))
        word = self.lshr(self.const(I64, packed), self.zext(self.mul(index, self._i(width)), I64))
        return self.and_(self.trunc(word, I32), self._i((1 << width) - 1))

    def _high_word(self, op: str, x: Ir) -> Ir:
        sign, e = self.and_(x, self._i(_SIGN)), self.and_(self._down(x, 20), self._i(0x7FF))
        m = self.select(self._is(e, 0), self._i(0), self.and_(x, self._i(0xFFFFF)))
        true = self.sub(e, self._i(1023))
        whole = self._is(m, 0)
        if op == "rcp64h":
            exponent = self.neg(true)
            value = self._polynomial("rcp", self._up(m, 3))
        else:
            odd = self.and_(true, self._i(1))
            exponent = self.neg(self.ashr(self.sub(true, odd), self._i(1)))
            value = self._polynomial("rsq", self._up(m, 3), odd)
            whole = self.and_(whole, self._is(odd, 0))
        low = self.and_(self.trunc(self._down(value, ONE - 21), I32), self._i(0xFFFFF))
        bits = self.or_(self._up(self.add(exponent, self._i(1022)), 20), low)
        bits = self.select(whole, self._up(self.add(exponent, self._i(1023)), 20), bits)
        bits = self.select(self.compare("lt", bits, self._i(1 << 20), signed=True), self._i(0), bits)
        bits = self.select(self._is(e, 0x7FF), self._i(0), bits)
        bits = self.or_(self.select(self._is(e, 0), self._i(_HIGH_INFINITY), bits), sign)
        nan = self.and_(self._is(e, 0x7FF), self.not_(self._is(m, 0)))
        if op == "rsq64h":
            nan = self.or_(nan, self.and_(self.not_(self._is(sign, 0)), self.not_(self._is(e, 0))))
        return self.select(nan, self._i(_NAN), bits)
