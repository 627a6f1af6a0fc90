"""Floating-point vocabulary of the emitting builder.

AMDGPU rounds by a mode register that LLVM does not model, so directed rounding is made from nearest: r = RN(exact),
then the exact sign of the residual exact - r decides whether r moves by one unit in the last place. For half, bfloat
and float the residual comes from double arithmetic, where it is exact; for double from error-free transformations on
operands scaled by powers of two, so that nothing underflows on the way.

References: Boldo and Muller, "Exact and approximated error of the FMA" (IEEE TC 60(2), 2011); Knuth's TwoSum.
"""

from __future__ import annotations

import struct
from dataclasses import replace

from cassc.lift.integers import Integers
from cassc.lift.text import Fact, Ir
from cassc.sass.builder import BF16, F16, F32, F64, I1, I8, I16, I32, I64, RM, RN, RP, RZ, Type

_SUFFIX = {F16: "f16", BF16: "bf16", F32: "f32", F64: "f64"}
_INTEGER = {16: I16, 32: I32, 64: I64}
_ORDERED = {"lt": "olt", "le": "ole", "gt": "ogt", "ge": "oge", "eq": "oeq", "ne": "one", "num": "ord"}
_UNORDERED = {"ltu": "ult", "leu": "ule", "gtu": "ugt", "geu": "uge", "equ": "ueq", "neu": "une", "nan": "uno"}
_ONE = {F16: 0x3C00, BF16: 0x3F80, F32: 0x3F800000, F64: 0x3FF0000000000000}
_SMALLEST = {F16: 0x0400, BF16: 0x0080, F32: 0x00800000, F64: 0x0010000000000000}  # normal numbers
_INTEGRAL = {RN: "roundeven", RZ: "trunc", RM: "floor", RP: "ceil"}
# LLVM's names of directions, for the conversions that take one (LangRef, "llvm.fptrunc.round").
_MODES = {RP: "upward", RM: "downward", RZ: "towardzero"}
_MUFU = {"rcp": "rcp", "rsq": "rsq", "sqrt": "sqrt", "ex2": "exp2", "lg2": "log", "sin": "sin", "cos": "cos"}
_SUBNORMAL = 0x90  # classes of llvm.is.fpclass: negative and positive subnormal
# An operand this many binades below the other counts by its sign alone.
_FAR_BELOW = -300
_NO_EXPONENT = -100000


def _float32(bits: int) -> float:
    value: float = struct.unpack("<f", struct.pack("<I", bits))[0]
    return value


class Floats(Integers):
    def _fop(self, op: str, x: Ir, y: Ir) -> Ir:
        return self.define(x.type, f"{op} {x.typed}, {y.text}")

    def _float(self, type: Type, value: float) -> Ir:
        """A constant; for float and double."""
        if type is F64:
            return self.const(F64, struct.unpack("<Q", struct.pack("<d", value))[0])
        return self.const(F32, struct.unpack("<I", struct.pack("<f", value))[0])

    def _intrinsic(self, name: str, *arguments: Ir) -> Ir:
        return self.call(arguments[0].type, f"llvm.{name}.{_SUFFIX[arguments[0].type]}", arguments)

    def _wide(self, x: Ir) -> Ir:
        return x if x.type is F64 else self.define(F64, f"fpext {x.typed} to double")

    # Sums and products -------------------------------------------------------------------------------------------
    def fadd(self, x: Ir, y: Ir, rounding: str = RN) -> Ir:
        if rounding == RN:
            for value, zero in ((x, y), (y, x)):
                if zero.known == 1 << (zero.type.bits - 1):  # -0 changes nothing, and LLVM knows it, too
                    return value
            return self._fop("fadd", x, y)
        if x.type is F64:
            return self._directed_sum(x, y, rounding)
        return self._narrow_sum(self._wide(x), self._wide(y), x.type, rounding)

    def fmul(self, x: Ir, y: Ir, rounding: str = RN) -> Ir:
        if rounding == RN:
            return self._fop("fmul", x, y)
        if x.type is F64:
            return self._directed_product(x, y, rounding)
        return self.fconvert(self._fop("fmul", self._wide(x), self._wide(y)), x.type, rounding)

    def fma(self, x: Ir, y: Ir, z: Ir, rounding: str = RN) -> Ir:
        if rounding == RN:
            if x.type is BF16:
                product = self._fop("fmul", self._wide(x), self._wide(y))
                return self.fconvert(self._odd(*self._two_sum(product, self._wide(z))), BF16)
            return self._intrinsic("fma", x, y, z)
        if x.type is F64:
            return self._directed_fma(x, y, z, rounding)
        if self._addend_dominates(x, y, z, rounding):
            r = self._intrinsic("fma", x, y, z)
            rest = self._intrinsic("fma", x, y, self.fneg(self._fop("fsub", r, z)))
            return self._moved(r, rest, rounding)
        product = self._fop("fmul", self._wide(x), self._wide(y))
        return self._narrow_sum(product, self._wide(z), x.type, rounding)

    def _addend_dominates(self, x: Ir, y: Ir, z: Ir, rounding: str) -> bool:
        """0 <= x <= 1, 0 < 2y <= z, rounding down: the residual is x*y - (r - z), with r - z exact.

        The exponential function's reduction is of this form (adding a magic number to take the integral part).
        """
        if x.type is not F32 or rounding != RM or not x.fact & Fact.UNIT or y.known is None or z.known is None:
            return False
        return 0 < 2 * _float32(y.known) <= _float32(z.known) < float("inf")

    def _two_sum(self, x: Ir, y: Ir) -> tuple[Ir, Ir]:
        s = self._fop("fadd", x, y)
        t = self._fop("fsub", s, x)
        left = self._fop("fsub", x, self._fop("fsub", s, t))
        return s, self._fop("fadd", left, self._fop("fsub", y, t))

    def _narrow_sum(self, x: Ir, y: Ir, type: Type, rounding: str) -> Ir:
        """x + y of doubles, which hold the operands exactly, rounded to a narrower type."""
        s, error = self._two_sum(x, y)
        r = self.fconvert(s, type)
        rest = self._fop("fadd", self._fop("fsub", s, self._wide(r)), error)
        return self._signed_zero(self._moved(r, rest, rounding), s, x, y, rounding)

    def _signed_zero(self, r: Ir, sum: Ir, x: Ir, y: Ir, rounding: str) -> Ir:
        """An exact zero sum (``sum`` is zero) is -0 when rounding down, unless both addends are +0."""
        if rounding != RM:
            return r
        integer = _INTEGER[x.type.bits]
        signs = self.or_(self.bitcast(x, integer), self.bitcast(y, integer))
        negative = self.compare("lt", signs, self.const(integer, 0), signed=True)
        zero = self.const(r.type, 0)
        signed = self.select(negative, self.fneg(zero), zero)
        return self.select(self.fcompare("eq", sum, self.const(sum.type, 0)), signed, r)

    def _moved(self, r: Ir, rest: Ir, rounding: str) -> Ir:
        """r moved by one unit where the sign of the residual says that it lies on the wrong side."""
        integer = _INTEGER[r.type.bits]
        bits = self.bitcast(r, integer)
        below = self.fcompare("lt", rest, self.const(rest.type, 0))
        above = self.fcompare("gt", rest, self.const(rest.type, 0))
        if rounding == RZ:
            zero = self.const(r.type, 0)
            too_high = self.and_(below, self.fcompare("gt", r, zero))
            too_low = self.and_(above, self.fcompare("lt", r, zero))
            moved = self.sub(bits, self.const(integer, 1))
            wrong = self.or_(too_high, too_low)
        else:
            sign = self.ashr(bits, self.const(integer, r.type.bits - 1))
            outward = self.or_(sign, self.const(integer, 1))
            moved = self.add(bits, outward) if rounding == RP else self.sub(bits, outward)
            wrong = above if rounding == RP else below
        return self.bitcast(self.select(wrong, moved, bits), r.type)

    def _odd(self, s: Ir, error: Ir) -> Ir:
        """The double s + error rounded to odd, ready to be rounded to a narrower type."""
        bits = self.bitcast(s, I64)
        zero = self.const(F64, 0)
        even = self.compare("eq", self.and_(bits, self.const(I64, 1)), self.const(I64, 0), signed=False)
        inexact = self.and_(even, self.fcompare("ne", error, zero))
        same = self.compare("eq", self.fcompare("gt", error, zero), self.fcompare("gt", s, zero), signed=False)
        moved = self.add(bits, self.select(same, self.const(I64, 1), self.const(I64, -1)))
        return self.bitcast(self.select(inexact, moved, bits), F64)

    # Directed rounding of doubles --------------------------------------------------------------------------------
    def _directed_sum(self, x: Ir, y: Ir, rounding: str) -> Ir:
        s, error = self._two_sum(x, y)
        # An overflow's error is not a number; it points back to zero.
        infinity = self.const(F64, 0x7FF0000000000000)
        overflow = self.fcompare("eq", self.fabs(s), infinity)
        for operand in (x, y):
            overflow = self.and_(overflow, self.fcompare("lt", self.fabs(operand), infinity))
        rest = self.select(overflow, self.fneg(s), error)
        return self._signed_zero(self._moved(s, rest, rounding), s, x, y, rounding)

    def _split(self, x: Ir) -> tuple[Ir, Ir]:
        """Mantissa in [0.5, 1) and exponent (I32)."""
        self.declare("llvm.frexp.f64.i32", "{ double, i32 } @(double)")
        both = self.raw(f"call {{ double, i32 }} @llvm.frexp.f64.i32({x.typed})")
        mantissa = self.define(F64, f"extractvalue {{ double, i32 }} {both}, 0")
        return mantissa, self.define(I32, f"extractvalue {{ double, i32 }} {both}, 1")

    def _scale(self, x: Ir, exponent: Ir) -> Ir:
        return self.call(F64, "llvm.ldexp.f64.i32", (x, exponent))

    def _directed_product(self, x: Ir, y: Ir, rounding: str) -> Ir:
        r = self._fop("fmul", x, y)
        (mx, ex), (my, ey) = self._split(x), self._split(y)
        scaled = self._scale(r, self.neg(self.add(ex, ey)))
        return self._moved(r, self._intrinsic("fma", mx, my, self.fneg(scaled)), rounding)

    def _directed_fma(self, x: Ir, y: Ir, z: Ir, rounding: str) -> Ir:
        r = self._intrinsic("fma", x, y, z)
        (mx, ex), (my, ey), (mz, ez) = self._split(x), self._split(y), self._split(z)
        zero, none = self.const(F64, 0), self.const(I32, _NO_EXPONENT)
        no_product = self.fcompare("eq", self._fop("fmul", mx, my), zero)
        exponent = self.select(no_product, none, self.add(ex, ey))
        addend_exponent = self.select(self.fcompare("eq", mz, zero), none, ez)
        top = self.smax(exponent, addend_exponent)
        far = self.const(I32, _FAR_BELOW)
        a = self._scale(mx, self.smax(self.sub(exponent, top), far))
        c = self._scale(mz, self.smax(self.sub(addend_exponent, top), far))
        scaled = self._scale(r, self.neg(top))
        # The error of the fused operation as a sum; only its sign is needed.
        u1 = self._fop("fmul", a, my)
        u2 = self._intrinsic("fma", a, my, self.fneg(u1))
        a1, a2 = self._two_sum(c, u2)
        b1, b2 = self._two_sum(u1, a1)
        rest = self._fop("fadd", self._fop("fadd", self._fop("fsub", b1, scaled), b2), a2)
        moved = self._moved(r, rest, rounding)
        # Zero exactly if r is, and nothing was lost to underflow.
        whole = self._fop("fadd", self.fabs(r), self.fabs(rest))
        return self._signed_zero(moved, whole, self._fop("fmul", x, y), z, rounding)

    # Signs, choice, comparison -----------------------------------------------------------------------------------
    def fneg(self, x: Ir) -> Ir:
        if x.known is not None:
            return self.const(x.type, x.known ^ (1 << (x.type.bits - 1)))
        return self.define(x.type, f"fneg {x.typed}", fact=x.fact & Fact.NORMAL)

    def fabs(self, x: Ir) -> Ir:
        return replace(self._intrinsic("fabs", x), fact=x.fact & Fact.NORMAL)

    def fmin(self, x: Ir, y: Ir) -> Ir:
        return self._intrinsic("minimumnum", x, y)

    def fmax(self, x: Ir, y: Ir) -> Ir:
        return self._intrinsic("maximumnum", x, y)

    def fcompare(self, op: str, x: Ir, y: Ir) -> Ir:
        if op in ("f", "t"):
            return self.const(I1, op == "t")
        return self.define(I1, f"fcmp {_ORDERED.get(op) or _UNORDERED[op]} {x.typed}, {y.text}")

    def flush(self, x: Ir) -> Ir:
        if x.fact & Fact.NORMAL:
            return x
        if x.known is not None:
            top = 1 << (x.type.bits - 1)
            return x if x.known & ~top >= _SMALLEST[x.type] else self.const(x.type, x.known & top)
        name = f"llvm.is.fpclass.{_SUFFIX[x.type]}"
        self.declare(name, f"i1 @({x.type.llvm}, i32)")
        subnormal = self.define(I1, f"call i1 @{name}({x.typed}, i32 {_SUBNORMAL})")
        integer = _INTEGER[x.type.bits]
        sign = self.and_(self.bitcast(x, integer), self.const(integer, 1 << (x.type.bits - 1)))
        flushed = self.select(subnormal, self.bitcast(sign, x.type), x)
        return replace(flushed, fact=x.fact | Fact.NORMAL)

    def saturate(self, x: Ir) -> Ir:
        clamped = self.fmin(self.fmax(x, self.const(x.type, 0)), self.const(x.type, _ONE[x.type]))
        return replace(clamped, fact=Fact.UNIT)

    # Conversions -------------------------------------------------------------------------------------------------
    def fround(self, x: Ir, rounding: str) -> Ir:
        if x.type is BF16:
            return self.fconvert(self.fround(self.fconvert(x, F32), rounding), BF16)
        return self._intrinsic(_INTEGRAL[rounding], x)

    def fconvert(self, x: Ir, type: Type, rounding: str = RN) -> Ir:
        if x.type is type:
            return x
        if x.type.bits == type.bits:
            x = self.fconvert(x, F32)
        if x.type.bits < type.bits:
            return self.define(type, f"fpext {x.typed} to {type.llvm}")
        # Of double to float LLVM would do that, too, but then conversions to nearest may be left in the other mode.
        if rounding in _MODES and (x.type, type) == (F32, F16):
            name = f"llvm.fptrunc.round.{_SUFFIX[type]}.{_SUFFIX[x.type]}"
            self.declare(name, f"{type.llvm} @({x.type.llvm}, metadata)")
            return self.define(type, f'call {type.llvm} @{name}({x.typed}, metadata !"round.{_MODES[rounding]}")')
        r = self.define(type, f"fptrunc {x.typed} to {type.llvm}")
        if rounding == RN:
            return r
        return self._moved(r, self._fop("fsub", x, self.fconvert(r, x.type)), rounding)

    def int_to_float(self, x: Ir, type: Type, *, signed: bool, rounding: str = RN) -> Ir:
        op = "sitofp" if signed else "uitofp"
        if x.type in (I8, I16):
            x = self.sext(x, I32) if signed else self.zext(x, I32)
        fact = Fact.WHOLE | Fact.NORMAL if (x.type, type) == (I32, F32) else Fact.NONE
        if type in (F16, BF16) or (x.type is I32 and rounding != RN):
            found = self._wide_to_float(x, type, signed, rounding)
            return replace(found, fact=fact)
        if rounding == RN or x.type is I32:
            return self.define(type, f"{op} {x.typed} to {type.llvm}", fact=fact)
        return self._wide_to_float(x, type, signed, rounding)

    def _wide_to_float(self, x: Ir, type: Type, signed: bool, rounding: str) -> Ir:
        """By way of doubles: one that holds an I32, two that hold an I64."""
        op = "sitofp" if signed else "uitofp"
        if x.type is I32:
            return self.fconvert(self.define(F64, f"{op} {x.typed} to double"), type, rounding)
        top = self.ashr(x, self.const(I64, 32)) if signed else self.lshr(x, self.const(I64, 32))
        high = self.define(F64, f"{op} {self.trunc(top, I32).typed} to double")
        low = self.define(F64, f"uitofp {self.lo(x).typed} to double")
        high = self._fop("fmul", high, self._float(F64, 2.0**32))
        if type is F64:
            return self.fadd(high, low, rounding)
        if rounding == RN:
            return self.fconvert(self._odd(*self._two_sum(high, low)), type)
        return self._narrow_sum(high, low, type, rounding)

    def float_to_int(self, x: Ir, type: Type, *, signed: bool, rounding: str = RZ) -> Ir:
        if x.type is BF16:
            x = self.fconvert(x, F32)
        if rounding != RZ:
            x = self.fround(x, rounding)
        if x.fact & Fact.SCALED and type is I32 and not signed:
            return self.define(I32, f"fptoui {self.fmax(x, self.const(F32, 0)).typed} to i32")
        name = f"llvm.fpto{'s' if signed else 'u'}i.sat.{type.llvm}.{_SUFFIX[x.type]}"
        return self.call(type, name, (x,))

    # Approximations ----------------------------------------------------------------------------------------------
    def mufu(self, op: str, x: Ir) -> Ir:
        if op in ("rcp64h", "rsq64h"):
            double = self.bitcast(self.pair(self.const(I32, 0), self.bitcast(x, I32)), F64)
            result = self.call(F64, f"llvm.amdgcn.{op[:3]}.f64", (self.flush(double),))
            result = self.flush(result) if op == "rcp64h" else result
            return self.bitcast(self.hi(self.bitcast(result, I64)), F32)
        if op in ("sin", "cos"):
            # The instruction is exact in a limited range only; whole turns do not matter.
            x = self._fop("fsub", x, self._intrinsic("roundeven", x))
        elif op not in ("ex2", "tanh"):
            # Denormals count as zeros, but for the hyperbolic tangent; to the exponential they are the same anyway.
            x = self.flush(x)
        if op == "tanh":
            return self._tanh(x)
        result = self.call(F32, f"llvm.amdgcn.{_MUFU[op]}.f32", (x,))
        if op == "ex2":
            small = self.fcompare("lt", result, self.const(F32, 0x00800000))
            result = self.select(small, self.const(F32, 0), result)
        if op == "rcp":
            return replace(result, fact=Fact.INVERSE | Fact.NORMAL) if x.fact & Fact.WHOLE else self.flush(result)
        return replace(result, fact=Fact.NONE if op in ("sin", "cos") else Fact.NORMAL)

    def _tanh(self, x: Ir) -> Ir:
        """(1 - t) / (1 + t) with t = exp(-2|x|); near zero x - x**3 / 3, where the quotient would cancel."""
        magnitude = self.fabs(x)
        t = self.mufu("ex2", self._fop("fmul", magnitude, self._float(F32, -2.8853900817779268)))
        one = self._float(F32, 1.0)
        quotient = self._fop("fmul", self._fop("fsub", one, t), self.mufu("rcp", self._fop("fadd", one, t)))
        square = self._fop("fmul", magnitude, magnitude)
        cubic = self._intrinsic("fma", self._fop("fmul", square, magnitude), self._float(F32, -1 / 3), magnitude)
        small = self.fcompare("lt", magnitude, self._float(F32, 0.03))
        return self.call(F32, "llvm.copysign.f32", (self.select(small, cubic, quotient), x))
