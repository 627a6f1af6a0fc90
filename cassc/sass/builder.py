"""Builder: the whole vocabulary in which SASS rows say what an instruction means.

A row's meaning is a pure function of its operand values. It is run by two builders: ``sass.interp.Evaluate`` computes
with numpy arrays over the 32 lanes of a warp (the reference), ``lift.emit.EmitLlvm`` writes LLVM IR. What is said here
about a method binds both.

Values carry a `Type`; a method's operands have the same type unless stated. Integers wrap. Nothing here is undefined:
shift amounts beyond the width, division-free, NaN and out-of-range conversions all have the value written below.
Meanings must not branch on a Value (``Value.__bool__`` raises): `Builder.select` is the only choice between values.
Side effects (memory, votes, barriers) apply to the lanes for which the instruction executes; the driver arranges that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from typing import Protocol


class Type(Enum):
    """Types of values; the value is (LLVM name, bits)."""

    I1 = ("i1", 1)
    I8 = ("i8", 8)
    I16 = ("i16", 16)
    I32 = ("i32", 32)
    I64 = ("i64", 64)
    F16 = ("half", 16)
    BF16 = ("bfloat", 16)
    F32 = ("float", 32)
    F64 = ("double", 64)

    def __init__(self, llvm: str, bits: int) -> None:  # attributes, as they are asked for millions of times
        self.llvm = llvm
        self.bits = bits
        self.is_float = not llvm.startswith("i")


I1, I8, I16, I32, I64 = Type.I1, Type.I8, Type.I16, Type.I32, Type.I64
F16, BF16, F32, F64 = Type.F16, Type.BF16, Type.F32, Type.F64


class Value(Protocol):
    """One value per lane; opaque to meanings but for its type."""

    @property
    def type(self) -> Type: ...

    def __bool__(self) -> bool:
        """Raises TypeError: a meaning may not branch on a value."""


class Space(Enum):
    """State spaces. Addresses are I64 byte addresses in GLOBAL and GENERIC, I32 byte offsets in SHARED and LOCAL."""

    GLOBAL = "global"
    GENERIC = "generic"
    SHARED = "shared"
    LOCAL = "local"


class Scope(Enum):
    """Scope of a fence or of an atomic operation (PTX ISA, "Memory Consistency Model")."""

    CTA = "cta"
    GPU = "gpu"
    SYSTEM = "system"


# Rounding of floating-point results: nearest even, toward zero, down, up.
RN, RZ, RM, RP = "rn", "rz", "rm", "rp"


class Builder(Protocol):
    # Constants and width -----------------------------------------------------------------------------------------
    def const(self, type: Type, bits: int) -> Value:
        """The same bit pattern in every lane (``bits`` is taken modulo 2**width; floats by their IEEE pattern)."""

    def zext(self, x: Value, type: Type) -> Value: ...
    def sext(self, x: Value, type: Type) -> Value: ...
    def trunc(self, x: Value, type: Type) -> Value: ...
    def bitcast(self, x: Value, type: Type) -> Value: ...
    def lo(self, x: Value) -> Value:
        """Low I32 of an I64."""

    def hi(self, x: Value) -> Value:
        """High I32 of an I64."""

    def pair(self, lo: Value, hi: Value) -> Value:
        """I64 from two I32."""

    # Integers (I1 too where it makes sense) ----------------------------------------------------------------------
    def add(self, x: Value, y: Value) -> Value: ...
    def sub(self, x: Value, y: Value) -> Value: ...
    def mul(self, x: Value, y: Value) -> Value: ...
    def neg(self, x: Value) -> Value: ...
    def and_(self, x: Value, y: Value) -> Value: ...
    def or_(self, x: Value, y: Value) -> Value: ...
    def xor(self, x: Value, y: Value) -> Value: ...
    def not_(self, x: Value) -> Value: ...
    def shl(self, x: Value, n: Value) -> Value:
        """n unsigned, same type as x; n >= width gives 0."""

    def lshr(self, x: Value, n: Value) -> Value:
        """n >= width gives 0."""

    def ashr(self, x: Value, n: Value) -> Value:
        """n >= width gives the sign in every bit."""

    def funnel_right(self, hi: Value, lo: Value, n: Value) -> Value:
        """Low I32 of {hi:lo} >> (n mod 32); all I32."""

    def popcount(self, x: Value) -> Value: ...
    def clz(self, x: Value) -> Value:
        """Leading zeros; the width for 0."""

    def bit_reverse(self, x: Value) -> Value: ...
    def byte_permute(self, x: Value, y: Value, selector: Value) -> Value:
        """I32: byte k of the result is byte n of {y:x}, n in bits 0-2 of selector nibble k; bit 3 repeats its sign."""

    def abs(self, x: Value) -> Value:
        """Of a signed integer; the most negative value stays."""

    def umin(self, x: Value, y: Value) -> Value: ...
    def umax(self, x: Value, y: Value) -> Value: ...
    def smin(self, x: Value, y: Value) -> Value: ...
    def smax(self, x: Value, y: Value) -> Value: ...
    def compare(self, op: str, x: Value, y: Value, *, signed: bool) -> Value:
        """I1; op is one of f lt eq le gt ne ge t (f: never, t: always)."""

    def select(self, c: Value, x: Value, y: Value) -> Value:
        """c (I1) ? x : y."""

    # Floating point ----------------------------------------------------------------------------------------------
    # IEEE 754, denormals kept; a NaN result has any payload (comparison treats all NaNs alike).
    def fadd(self, x: Value, y: Value, rounding: str = RN) -> Value: ...
    def fmul(self, x: Value, y: Value, rounding: str = RN) -> Value: ...
    def fma(self, x: Value, y: Value, z: Value, rounding: str = RN) -> Value:
        """x*y+z rounded once."""

    def fneg(self, x: Value) -> Value:
        """Sign bit flipped, also of NaN."""

    def fabs(self, x: Value) -> Value:
        """Sign bit cleared, also of NaN."""

    def fmin(self, x: Value, y: Value) -> Value:
        """IEEE 754-2019 minimumNumber: a NaN loses against a number; -0 < +0."""

    def fmax(self, x: Value, y: Value) -> Value: ...
    def fcompare(self, op: str, x: Value, y: Value) -> Value:
        """I1; op: lt le gt ge eq ne (false if unordered), ltu leu gtu geu equ neu (true then), num, nan, f, t."""

    def flush(self, x: Value) -> Value:
        """Denormals to zero of the same sign (F32, F16)."""

    def saturate(self, x: Value) -> Value:
        """Clamp to [+0, 1]; NaN and -0 give +0."""

    def fround(self, x: Value, rounding: str) -> Value:
        """To an integral value of the same type, by the given rounding."""

    def fconvert(self, x: Value, type: Type, rounding: str = RN) -> Value:
        """Between float types; widening is exact."""

    def int_to_float(self, x: Value, type: Type, *, signed: bool, rounding: str = RN) -> Value: ...
    def float_to_int(self, x: Value, type: Type, *, signed: bool, rounding: str = RZ) -> Value:
        """Rounded, then clamped to the range of the type; NaN gives 0."""

    def mufu(self, op: str, x: Value) -> Value:
        """F32 approximations: rcp rsq sqrt ex2 lg2 sin cos tanh (sin and cos of x revolutions, x = angle / 2 pi).

        Denormal operands and results are zeros, but for tanh's.
        """

    # Launch state ------------------------------------------------------------------------------------------------
    def special(self, name: str) -> Value:
        """I32: tid.x .y .z, ctaid.x .y .z, laneid, warpid, nwarpid, smid, clocklo, clockhi, globaltimerlo,
        globaltimerhi, lanemask.eq .lt .le .gt .ge, swinhi, cgactaid, gridid, dynamic_smem_size, total_smem_size,
        stack_end (the lowest local address that the stack may reach)."""

    def constant(self, bank: int, offset: Value | int, size: int, *, signed: bool = False) -> Value:
        """Constant bank read of 1, 2, 4 (I32, extended) or 8 (I64) bytes at a byte offset (int, or I32 Value)."""

    # Memory ------------------------------------------------------------------------------------------------------
    def load(
        self,
        space: Space,
        address: Value,
        size: int,
        *,
        signed: bool = False,
        volatile: bool = False,
        where: Value | None = None,
    ) -> tuple[Value, ...]:
        """I32 words of 1, 2, 4, 8 or 16 bytes: one extended word for sizes up to 4, else 2 or 4 words.

        Lanes in which ``where`` (I1) is false read nothing and get zeros.
        """

    def store(
        self, space: Space, address: Value, words: tuple[Value, ...], size: int, *, volatile: bool = False
    ) -> None: ...
    def atomic(self, space: Space, op: str, address: Value, x: Value, scope: Scope, *, returns: bool) -> Value:
        """Old value. op: add umin umax smin smax inc dec and or xor exch (I32, I64), fadd (F32, F64), fadd_f16x2 and
        fadd_bf16x2 (I32: two packed halves are added each for itself). inc/dec wrap as CUDA's atomicInc/atomicDec.
        ``returns``: False when nobody reads the result (RED)."""

    def compare_exchange(self, space: Space, address: Value, expected: Value, x: Value, scope: Scope) -> Value:
        """Old value; I32 or I64."""

    def exchange_wide(
        self, space: Space, address: Value, expected: tuple[Value, ...] | None, words: tuple[Value, ...]
    ) -> tuple[Value, ...]:
        """The four old I32 words, replaced by ``words`` if they are the ``expected`` ones, or (None) whatever they are;
        16-byte aligned. Atomic among such operations."""

    def update(self, space: Space, type: Type, address: Value, change: Callable[[Value], Value], scope: Scope) -> Value:
        """The old I32 or I64, which is atomically replaced by ``change`` of it; that has no effects, and may be asked
        more than once."""

    def synchronised(self, where: Value) -> None:
        """Lanes in which ``where`` (I1) holds have learned, by other means than a barrier, that others came so far:
        what those did before they may rely on from here on."""

    def in_space(self, space: Space, address: Value) -> Value:
        """I1: whether a generic address is in the shared window, in the local window, or (GLOBAL) in neither."""

    def fence(self, scope: Scope) -> None:
        """Sequentially consistent fence."""

    def texture_table(self) -> Value:
        """I64: address of the table of texture and surface descriptors (`cassc.sass.textures.descriptor`)."""

    # Parts of a meaning ------------------------------------------------------------------------------------------
    def where(
        self, condition: Value, body: Callable[[], tuple[Value, ...]], otherwise: tuple[Value, ...]
    ) -> tuple[Value, ...]:
        """What ``body`` gives in the lanes in which ``condition`` (I1) holds, which alone have its effects; in the
        others ``otherwise``."""

    def repeat(self, count: Value, body: Callable[[Value], None]) -> None:
        """``body`` for each I32 from 0 to below ``count``, in this order, which may be another in each lane."""

    def subroutine(
        self, name: str, body: Callable[..., tuple[Value, ...]], arguments: tuple[Value, ...]
    ) -> tuple[Value, ...]:
        """``body(builder, *arguments)``, which depends on nothing else but memory. The same name always means the
        same body, so that one copy can serve all uses."""

    def tensor_sum(self, total: Value, xs: Sequence[Value], ys: Sequence[Value], least: int) -> Value:
        """F32: ``total`` and the products of xs with ys (F32, of formats with at most 11 significant bits and ``least``
        as the exponent of their smallest normal number), as NVIDIA's H100 adds them (`cassc.sass.tensor_sum`); a
        builder that cannot do that cheaply may add and round one after the other."""

    # Warp and CTA ------------------------------------------------------------------------------------------------
    # Where WARPSYNC has put the lanes of one mask apart, these are the executing ones (``sass.groups``).
    def ballot(self, x: Value) -> Value:
        """I32 mask of the executing lanes in which x (I1) is true; `const(I1, 1)` gives the executing lanes."""

    def shuffle(self, x: Value, lane: Value) -> Value:
        """x (I32) of the given lane (I32, 0..31); 0 of a lane that does not execute."""

    def broadcast(self, x: Value) -> Value:
        """x of the lowest executing lane."""

    def reduce(self, op: str, x: Value) -> Value:
        """Over the executing lanes: add umin umax smin smax and or xor (I32)."""

    def match_any(self, x: Value) -> Value:
        """I32 mask of the executing lanes that hold the same x (I32 or I64)."""

    def barrier(self, id: Value, threads: Value | None) -> None:
        """CTA barrier ``id`` (I32) for all threads, or for ``threads`` of them."""

    def barrier_arrive(self, id: Value, threads: Value) -> None: ...
    def barrier_reduce(self, op: str, x: Value, id: Value, threads: Value | None) -> Value:
        """Barrier with reduction of x (I1): popc (I32), and, or (I1)."""

    def warp_sync(self) -> None:
        """Lanes of the mask wait for each other (WARPSYNC, BSYNC)."""

    def trap(self, kind: str = "trap") -> None:
        """Ends the launch with an error; ``kind`` as in `cassc.sass.interp.Fault`."""

    def sleep(self) -> None: ...
