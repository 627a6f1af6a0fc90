"""Arithmetic of the reference interpreter: what every operation of the builder gives in each lane.

Floating-point results are exact; `mufu` is NVIDIA's, bit for bit. Callers switch numpy's floating-point warnings off
(``np.errstate``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from cassc.sass import rounding as soft
from cassc.sass import tensor_sum
from cassc.sass.builder import BF16, F16, F32, F64, I1, I32, I64, RN, RZ, Type
from cassc.sass.lanes import DTYPE, SIGN_BIT, SIGNED, UNSIGNED, Lanes, all_ones
from cassc.sass.mufu import approximate
from cassc.sass.rounding import Array

_COMPARE: dict[str, Callable[[Array, Array], Array]] = {
    "lt": np.less, "eq": np.equal, "le": np.less_equal, "gt": np.greater, "ne": np.not_equal, "ge": np.greater_equal,
}  # fmt: skip


class Arithmetic:
    """The operations of `Builder` that look at nothing but their operands."""

    def __init__(self, lanes: int) -> None:
        self.lanes = lanes
        self.chained = False  # sums of products are rounded one after the other, as other devices do it
        self._constants: dict[tuple[Type, int], Lanes] = {}

    # Constants and width -----------------------------------------------------------------------------------------
    def const(self, type: Type, bits: int) -> Lanes:
        bits &= (1 << type.bits) - 1
        known = self._constants.get((type, bits))
        if known is None:
            if type is I1:
                data: Array = np.full(self.lanes, bool(bits))
            else:
                data = np.full(self.lanes, bits, UNSIGNED[type.bits]).view(DTYPE[type])
            data.flags.writeable = False
            known = self._constants[type, bits] = Lanes(type, data)
        return known

    def zext(self, x: Lanes, type: Type) -> Lanes:
        return Lanes(type, x.data.astype(DTYPE[type]))

    def sext(self, x: Lanes, type: Type) -> Lanes:
        if x.type is I1:
            return Lanes(type, np.where(x.data, all_ones(type), DTYPE[type](0)))
        return Lanes(type, x.data.view(SIGNED[x.type]).astype(SIGNED[type]).view(DTYPE[type]))

    def trunc(self, x: Lanes, type: Type) -> Lanes:
        if type is I1:
            return Lanes(I1, (x.data & x.data.dtype.type(1)) != 0)
        return Lanes(type, x.data.astype(DTYPE[type]))

    def bitcast(self, x: Lanes, type: Type) -> Lanes:
        return Lanes(type, x.data.view(DTYPE[type]))

    def lo(self, x: Lanes) -> Lanes:
        return Lanes(I32, x.data.astype(np.uint32))

    def hi(self, x: Lanes) -> Lanes:
        return Lanes(I32, (x.data >> np.uint64(32)).astype(np.uint32))

    def pair(self, lo: Lanes, hi: Lanes) -> Lanes:
        return Lanes(I64, lo.data.astype(np.uint64) | (hi.data.astype(np.uint64) << np.uint64(32)))

    # Integers ----------------------------------------------------------------------------------------------------
    def add(self, x: Lanes, y: Lanes) -> Lanes:
        return Lanes(x.type, x.data ^ y.data if x.type is I1 else x.data + y.data)

    def sub(self, x: Lanes, y: Lanes) -> Lanes:
        return Lanes(x.type, x.data ^ y.data if x.type is I1 else x.data - y.data)

    def mul(self, x: Lanes, y: Lanes) -> Lanes:
        return Lanes(x.type, x.data & y.data if x.type is I1 else x.data * y.data)

    def neg(self, x: Lanes) -> Lanes:
        return x if x.type is I1 else Lanes(x.type, np.negative(x.data))

    def and_(self, x: Lanes, y: Lanes) -> Lanes:
        return Lanes(x.type, x.data & y.data)

    def or_(self, x: Lanes, y: Lanes) -> Lanes:
        return Lanes(x.type, x.data | y.data)

    def xor(self, x: Lanes, y: Lanes) -> Lanes:
        return Lanes(x.type, x.data ^ y.data)

    def not_(self, x: Lanes) -> Lanes:
        return Lanes(x.type, ~x.data)

    # numpy defines shifts by the width or more: zeros, and copies of the sign.
    def shl(self, x: Lanes, n: Lanes) -> Lanes:
        return Lanes(x.type, np.left_shift(x.data, n.data))

    def lshr(self, x: Lanes, n: Lanes) -> Lanes:
        return Lanes(x.type, np.right_shift(x.data, n.data))

    def ashr(self, x: Lanes, n: Lanes) -> Lanes:
        signed = SIGNED[x.type]
        amount = np.minimum(n.data, n.data.dtype.type(x.type.bits - 1)).view(signed)
        return Lanes(x.type, np.right_shift(x.data.view(signed), amount).view(DTYPE[x.type]))

    def funnel_right(self, hi: Lanes, lo: Lanes, n: Lanes) -> Lanes:
        amount = (n.data & np.uint32(31)).astype(np.uint64)
        return self.lo(Lanes(I64, self.pair(lo, hi).data >> amount))

    def popcount(self, x: Lanes) -> Lanes:
        return Lanes(x.type, np.bitwise_count(x.data).astype(DTYPE[x.type]))

    def clz(self, x: Lanes) -> Lanes:
        if x.type is I64:
            high, low = self.clz(self.hi(x)).data, self.clz(self.lo(x)).data
            return Lanes(I64, np.where(high == 32, high + low, high).astype(np.uint64))
        exponent = np.frexp(x.data.astype(np.float64))[1]
        return Lanes(x.type, (x.type.bits - exponent).astype(DTYPE[x.type]))

    def bit_reverse(self, x: Lanes) -> Lanes:
        bytes_ = np.ascontiguousarray(x.data).view(np.uint8).reshape(self.lanes, -1)
        bits = np.unpackbits(bytes_, axis=1, bitorder="little")
        reversed_ = np.packbits(bits[:, ::-1], axis=1, bitorder="little")
        return Lanes(x.type, np.ascontiguousarray(reversed_).view(DTYPE[x.type]).reshape(self.lanes))

    def byte_permute(self, x: Lanes, y: Lanes, selector: Lanes) -> Lanes:
        source = np.ascontiguousarray(self.pair(x, y).data).view(np.uint8).reshape(self.lanes, 8)
        nibbles = (selector.data[:, None] >> np.arange(0, 16, 4, dtype=np.uint32)) & np.uint32(15)
        chosen = np.take_along_axis(source, (nibbles & 7).astype(np.intp), axis=1)
        signs = np.where(chosen & 0x80, np.uint8(0xFF), np.uint8(0))
        result = np.where(nibbles & 8, signs, chosen).astype(np.uint8)
        return Lanes(I32, np.ascontiguousarray(result).view(np.uint32).reshape(self.lanes))

    def abs(self, x: Lanes) -> Lanes:
        return Lanes(x.type, np.where(x.data.view(SIGNED[x.type]) < 0, np.negative(x.data), x.data))

    def umin(self, x: Lanes, y: Lanes) -> Lanes:
        return Lanes(x.type, np.minimum(x.data, y.data))

    def umax(self, x: Lanes, y: Lanes) -> Lanes:
        return Lanes(x.type, np.maximum(x.data, y.data))

    def smin(self, x: Lanes, y: Lanes) -> Lanes:
        signed = SIGNED[x.type]
        return Lanes(x.type, np.minimum(x.data.view(signed), y.data.view(signed)).view(DTYPE[x.type]))

    def smax(self, x: Lanes, y: Lanes) -> Lanes:
        signed = SIGNED[x.type]
        return Lanes(x.type, np.maximum(x.data.view(signed), y.data.view(signed)).view(DTYPE[x.type]))

    def compare(self, op: str, x: Lanes, y: Lanes, *, signed: bool) -> Lanes:
        if op in ("f", "t"):
            return self.const(I1, op == "t")
        a, b = x.data, y.data
        if signed and x.type is not I1:
            a, b = a.view(SIGNED[x.type]), b.view(SIGNED[x.type])
        return Lanes(I1, _COMPARE[op](a, b))

    def select(self, c: Lanes, x: Lanes, y: Lanes) -> Lanes:
        return Lanes(x.type, np.where(c.data, x.data, y.data))

    # Floating point ----------------------------------------------------------------------------------------------
    def fadd(self, x: Lanes, y: Lanes, rounding: str = RN) -> Lanes:
        return Lanes(x.type, soft.add(x.data, y.data, x.type, rounding))

    def fmul(self, x: Lanes, y: Lanes, rounding: str = RN) -> Lanes:
        return Lanes(x.type, soft.mul(x.data, y.data, x.type, rounding))

    def fma(self, x: Lanes, y: Lanes, z: Lanes, rounding: str = RN) -> Lanes:
        return Lanes(x.type, soft.fma(x.data, y.data, z.data, x.type, rounding))

    def _bits(self, x: Lanes) -> NDArray[np.unsignedinteger]:
        bits: NDArray[np.unsignedinteger] = x.data.view(UNSIGNED[x.type.bits])
        return bits

    def fneg(self, x: Lanes) -> Lanes:
        bits = self._bits(x)
        return Lanes(x.type, (bits ^ bits.dtype.type(SIGN_BIT[x.type])).view(DTYPE[x.type]))

    def fabs(self, x: Lanes) -> Lanes:
        bits = self._bits(x)
        return Lanes(x.type, (bits & bits.dtype.type(SIGN_BIT[x.type] - 1)).view(DTYPE[x.type]))

    def _extreme(self, x: Lanes, y: Lanes, *, smaller: bool) -> Lanes:
        a, b = soft.widen(x.data, x.type), soft.widen(y.data, y.type)
        better = (a < b) | ((a == b) & np.signbit(a)) if smaller else (a > b) | ((a == b) & ~np.signbit(a))
        first = (better | np.isnan(b)) & ~np.isnan(a)
        bits = np.where(first, self._bits(x), self._bits(y))
        return Lanes(x.type, bits.view(DTYPE[x.type]))

    def fmin(self, x: Lanes, y: Lanes) -> Lanes:
        return self._extreme(x, y, smaller=True)

    def fmax(self, x: Lanes, y: Lanes) -> Lanes:
        return self._extreme(x, y, smaller=False)

    def fcompare(self, op: str, x: Lanes, y: Lanes) -> Lanes:
        if op in ("f", "t"):
            return self.const(I1, op == "t")
        a, b = x.data, y.data
        if x.type is BF16:
            a, b = soft.widen(a, BF16), soft.widen(b, BF16)
        if op in ("num", "nan"):
            unordered = np.isnan(a) | np.isnan(b)
            return Lanes(I1, unordered if op == "nan" else ~unordered)
        if op.endswith("u"):
            return Lanes(I1, _COMPARE[op[:-1]](a, b) | np.isnan(a) | np.isnan(b))
        if op == "ne":
            return Lanes(I1, (a < b) | (a > b))
        return Lanes(I1, _COMPARE[op](a, b))

    def flush(self, x: Lanes) -> Lanes:
        bits = self._bits(x)
        exponent = bits.dtype.type({F32: 0x7F800000, F16: 0x7C00, BF16: 0x7F80, F64: 0x7FF << 52}[x.type])
        sign = bits & bits.dtype.type(SIGN_BIT[x.type])
        return Lanes(x.type, np.where(bits & exponent, bits, sign).view(DTYPE[x.type]))

    def saturate(self, x: Lanes) -> Lanes:
        value = soft.widen(x.data, x.type)
        clamped = np.where(value > 0, np.where(value < 1, value, 1.0), 0.0)
        return Lanes(x.type, soft.narrow(clamped, x.type))

    def fround(self, x: Lanes, rounding: str) -> Lanes:
        return Lanes(x.type, soft.narrow(soft.integral(soft.widen(x.data, x.type), rounding), x.type))

    def fconvert(self, x: Lanes, type: Type, rounding: str = RN) -> Lanes:
        return Lanes(type, soft.narrow(soft.widen(x.data, x.type), type, rounding))

    def int_to_float(self, x: Lanes, type: Type, *, signed: bool, rounding: str = RN) -> Lanes:
        wide = self.sext(x, I64).data.view(np.int64) if signed else x.data.astype(np.uint64)
        return Lanes(type, soft.from_integer(wide, type, rounding))

    def float_to_int(self, x: Lanes, type: Type, *, signed: bool, rounding: str = RZ) -> Lanes:
        return Lanes(type, soft.to_integer(soft.widen(x.data, x.type), type.bits, signed, rounding))

    def mufu(self, op: str, x: Lanes) -> Lanes:
        """As NVIDIA's hardware has it."""
        return Lanes(F32, approximate(op, x.data.view(np.uint32)).view(np.float32))

    def tensor_sum(self, total: Lanes, xs: Sequence[Lanes], ys: Sequence[Lanes], least: int) -> Lanes:
        if self.chained:
            for x, y in zip(xs, ys, strict=True):
                total = self.fma(x, y, total)
            return total
        rows, columns = np.stack([x.data for x in xs]), np.stack([y.data for y in ys])
        return Lanes(F32, tensor_sum.of_lanes(total.data, rows, columns, least))
