"""Atomic operations in the emitting builder.

A float that is added to global memory. NVIDIA's GPUs take subnormal numbers for zeros there, before and after the sum,
whatever the kernel's own mode is; what an AMD GPU's memory does depends on the chip. Neither matters if the summand is
at least 2^-101 in magnitude: a subnormal old value is then below half of its last place, and a sum is either zero or a
multiple of 2^-125. So such summands are added by the target's instruction. Others are added by compare and swap, if
they change the value at all; most are zeros, which do not.
"""

from __future__ import annotations

from collections.abc import Callable

from cassc.lift import locked
from cassc.lift.floats import Floats
from cassc.lift.text import FUNCTION_ATTRIBUTES, Ir
from cassc.sass.builder import F32, I32, Scope, Space, Type

# LLVM's memory model of AMDGPU (AMDGPUUsage, "Memory Scopes"); system scope has no name.
SYNC_SCOPE = {Scope.CTA: ' syncscope("workgroup")', Scope.GPU: ' syncscope("agent")', Scope.SYSTEM: ""}
_ATOMIC = {
    "add": "add", "umin": "umin", "umax": "umax", "smin": "min", "smax": "max", "inc": "uinc_wrap",
    "dec": "udec_wrap", "and": "and", "or": "or", "xor": "xor", "exch": "xchg", "fadd": "fadd",
}  # fmt: skip
_PACKED_ADDS = {"fadd_f16x2": "<2 x half>", "fadd_bf16x2": "<2 x bfloat>"}
# Promises about the memory, without which LLVM writes a compare-and-swap loop.
_PROMISES = ", !amdgpu.no.fine.grained.memory !0, !amdgpu.no.remote.memory !0"
_SINGLE = f", align 4{_PROMISES}, !amdgpu.ignore.denormal.mode !0"

_LARGE = (127 - 101) << 23  # 2^-101
ADD_FLOAT = f"""\
define internal float @__cassc_add_float.{{name}}({{pointer}} %p, float %x)
    alwaysinline nounwind {FUNCTION_ATTRIBUTES} {{{{
entry:
  %bits = bitcast float %x to i32
  %magnitude = and i32 %bits, 2147483647
  %large = icmp uge i32 %magnitude, {_LARGE}
  br i1 %large, label %add, label %look
add:
  %before = atomicrmw fadd {{pointer}} %p, float %x{{scope}} monotonic{_SINGLE}
  br label %done
look:
  %x.sign = and i32 %bits, -2147483648
  %x.subnormal = icmp ult i32 %magnitude, 8388608
  %x.bits = select i1 %x.subnormal, i32 %x.sign, i32 %bits
  %x.flushed = bitcast i32 %x.bits to float
  %seen = load atomic i32, {{pointer}} %p{{scope}} monotonic, align 4
  br label %try
try:
  %old = phi i32 [ %seen, %look ], [ %found, %swap ]
  %old.exponent = and i32 %old, 2139095040
  %old.sign = and i32 %old, -2147483648
  %old.subnormal = icmp eq i32 %old.exponent, 0
  %old.bits = select i1 %old.subnormal, i32 %old.sign, i32 %old
  %old.flushed = bitcast i32 %old.bits to float
  %sum = fadd float %old.flushed, %x.flushed
  %sum.bits = bitcast float %sum to i32
  %sum.exponent = and i32 %sum.bits, 2139095040
  %sum.sign = and i32 %sum.bits, -2147483648
  %sum.subnormal = icmp eq i32 %sum.exponent, 0
  %new = select i1 %sum.subnormal, i32 %sum.sign, i32 %sum.bits
  %same = icmp eq i32 %new, %old
  br i1 %same, label %end, label %swap
swap:
  %both = cmpxchg {{pointer}} %p, i32 %old, i32 %new{{scope}} monotonic monotonic, align 4
  %found = extractvalue {{{{ i32, i1 }}}} %both, 0
  %swapped = extractvalue {{{{ i32, i1 }}}} %both, 1
  br i1 %swapped, label %end, label %try
end:
  %old.float = bitcast i32 %old to float
  br label %done
done:
  %result = phi float [ %before, %add ], [ %old.float, %end ]
  ret float %result
}}}}
"""


class Atomics(Floats):
    """Atomic operations. They keep an order where one is asked for; else any order of lanes is as good."""

    def __init__(self) -> None:
        super().__init__()
        self.helpers: dict[str, str] = {}

    def pointer(self, space: Space, address: Ir, *, loads: bool = True, stores: bool = True) -> str:
        raise NotImplementedError

    def atomic(self, space: Space, op: str, address: Ir, x: Ir, scope: Scope, *, returns: bool) -> Ir:
        vector = _PACKED_ADDS.get(op)
        if vector is not None:
            operand = f"{vector} {self.raw(f'bitcast {x.typed} to {vector}')}"
            pointer = self.pointer(space, address)
            old = self.raw(f"atomicrmw fadd {pointer}, {operand}{SYNC_SCOPE[scope]} monotonic, align 4")
            return self.define(I32, f"bitcast {vector} {old} to i32")
        pointer = self.pointer(space, address)
        if op == "fadd" and x.type is F32:
            return self._add_float(pointer, space, scope, x)
        text = f"atomicrmw {_ATOMIC[op]} {pointer}, {x.typed}{SYNC_SCOPE[scope]} monotonic, align {x.type.bits // 8}"
        return self.define(x.type, text + (_PROMISES if op == "fadd" else ""))

    def _add_float(self, pointer: str, space: Space, scope: Scope, x: Ir) -> Ir:
        name = f"{space.name.lower()}.{scope.name.lower()}"
        kind = pointer.rpartition(" ")[0]
        self.helpers[f"__cassc_add_float.{name}"] = ADD_FLOAT.format(name=name, pointer=kind, scope=SYNC_SCOPE[scope])
        return self.define(F32, f"call float @__cassc_add_float.{name}({pointer}, {x.typed})")

    def compare_exchange(self, space: Space, address: Ir, expected: Ir, x: Ir, scope: Scope) -> Ir:
        pointer = self.pointer(space, address)
        align = x.type.bits // 8
        order = f"{SYNC_SCOPE[scope]} monotonic monotonic, align {align}"
        both = self.raw(f"cmpxchg {pointer}, {expected.typed}, {x.typed}{order}")
        return self.define(x.type, f"extractvalue {{ {x.type.llvm}, i1 }} {both}, 0")

    def exchange_wide(
        self, space: Space, address: Ir, expected: tuple[Ir, ...] | None, words: tuple[Ir, ...]
    ) -> tuple[Ir, ...]:
        pointer = self.pointer(space, address)
        kind = pointer.rpartition(" ")[0]
        for name, declaration in locked.DECLARATIONS.items():
            self.declare(name, declaration)
        size = "i32" if space is Space.SHARED else "i64"
        self.helpers["@__cassc_locks"] = locked.LOCKS
        symbol = f"__cassc_exchange_128.{space.name.lower()}"
        self.helpers[symbol] = locked.EXCHANGE_128.format(name=space.name.lower(), pointer=kind, size=size)
        always = "true" if expected is None else "false"
        wanted, new = self._vector(expected or words), self._vector(words)
        old = self.raw(f"call <4 x i32> @{symbol}({pointer}, {wanted}, {new}, i1 {always})")
        return tuple(self.define(I32, f"extractelement <4 x i32> {old}, i32 {k}") for k in range(4))

    def _vector(self, words: tuple[Ir, ...]) -> str:
        vector = "poison"
        for k, word in enumerate(words):
            vector = self.raw(f"insertelement <4 x i32> {vector}, {word.typed}, i32 {k}")
        return f"<4 x i32> {vector}"

    def update(self, space: Space, type: Type, address: Ir, change: Callable[[Ir], Ir], scope: Scope) -> Ir:
        """A loop around a compare and swap."""
        pointer = self.pointer(space, address)
        order = f"{SYNC_SCOPE[scope]} monotonic"
        align = type.bits // 8
        seen = self.raw(f"load atomic {type.llvm}, {pointer}{order}, align {align}")
        before, again, behind = (self.name()[1:] for _ in range(3))
        found, old = self.name(), Ir(type, self.name())
        for line in (f"  br label %{before}", f"{before}:", f"  br label %{again}", f"{again}:"):
            self.lines.append(line)
        self.line(f"{old.text} = phi {type.llvm} [ {seen}, %{before} ], [ {found}, %{again} ]")
        both = self.raw(f"cmpxchg {pointer}, {old.typed}, {change(old).typed}{order} monotonic, align {align}")
        self.line(f"{found} = extractvalue {{ {type.llvm}, i1 }} {both}, 0")
        swapped = self.raw(f"extractvalue {{ {type.llvm}, i1 }} {both}, 1")
        self.line(f"br i1 {swapped}, label %{behind}, label %{again}")
        self.lines.append(f"{behind}:")
        return old

    def synchronised(self, where: Ir) -> None:
        """In all lanes: those in which it does not hold will look again."""
        self.effects = True
        self.line('fence syncscope("workgroup") acquire')

    def fence(self, scope: Scope) -> None:
        self.effects = True
        self.line(f"fence{SYNC_SCOPE[scope]} seq_cst")
