"""Memory and lanes in the emitting builder.

A warp is a wave of 32 lanes with the same numbering. Global addresses become pointers of address space 1, shared ones
of address space 3 (the kernel's own LDS from address `lds_bias` on), local ones offsets into one private array, generic
ones flat pointers.
"""

from __future__ import annotations

from cassc.lift.atomics import Atomics
from cassc.lift.text import Ir
from cassc.sass.builder import I1, I8, I16, I32, I64, Space

_WAVE_REDUCE = {
    "add": "add", "umin": "umin", "umax": "umax", "smin": "min", "smax": "max", "and": "and", "or": "or", "xor": "xor",
}  # fmt: skip
_POINTER = {
    Space.GLOBAL: "ptr addrspace(1)",
    Space.SHARED: "ptr addrspace(3)",
    Space.LOCAL: "ptr addrspace(5)",
    Space.GENERIC: "ptr",
}
_ELEMENT = {1: I8, 2: I16, 4: I32, 8: I64}

MATCH_ANY = """\
define internal i32 @__cassc_match_any.{type}({type} %x) alwaysinline convergent nounwind {{
entry:
  br label %round
round:
  %first = call {type} @llvm.amdgcn.readfirstlane.{type}({type} %x)
  %same = icmp eq {type} %x, %first
  %mask = call i32 @llvm.amdgcn.ballot.i32(i1 %same)
  br i1 %same, label %found, label %round
found:
  ret i32 %mask
}}
"""

# Each group of lanes with one key in turn. The sum is formed where all lanes that are left execute, so that it can not
# be moved behind the loop, to lanes of several groups.
REDUCE_BY = """\
define internal i32 @__cassc_reduce_by.{op}(i32 %key, i32 %x) alwaysinline convergent nounwind {{
entry:
  br label %round
round:
  %first = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %key)
  %same = icmp eq i32 %key, %first
  %own = select i1 %same, i32 %x, i32 {neutral}
  %total = call i32 @llvm.amdgcn.wave.reduce.{op}.i32(i32 %own, i32 0)
  br i1 %same, label %found, label %round
found:
  ret i32 %total
}}
"""
_NEUTRAL = {
    "add": 0, "umin": -1, "umax": 0, "smin": 0x7FFFFFFF, "smax": -0x80000000, "and": -1, "or": 0, "xor": 0,
}  # fmt: skip


class Effects(Atomics):
    """Attributes that the kernel's driver sets: ``lds_bias``, ``local`` (the private array)."""

    def __init__(self) -> None:
        super().__init__()
        self.lds_bias = 0
        self.loaded = self.stored = False  # from, or to, memory that lanes share, since `_keep_order` wrote its fence
        self.local = "%local"
        self.needs: set[str] = set()
        self.group: Ir | None = None  # in each lane, mask of those that it joins in exchanges; None: all executing

    # Memory ------------------------------------------------------------------------------------------------------
    def pointer(self, space: Space, address: Ir, *, loads: bool = True, stores: bool = True) -> str:
        """``ptr ... %v``: a typed pointer operand, of an access that loads, or stores, or both."""
        self.effects = True
        if space is not Space.LOCAL:
            self._keep_order(loads, stores)
        kind = _POINTER[space]
        if space is Space.LOCAL:
            self.needs.add("local")
            return f"{kind} {self.raw(f'getelementptr i8, {kind} {self.local}, {address.typed}')}"
        if space is Space.SHARED and self.lds_bias:
            address = self.add(address, self.const(I32, self.lds_bias))
        return f"{kind} {self.raw(f'inttoptr {address.typed} to {kind}')}"

    def load(
        self,
        space: Space,
        address: Ir,
        size: int,
        *,
        signed: bool = False,
        volatile: bool = False,
        where: Ir | None = None,
    ) -> tuple[Ir, ...]:
        if where is None:
            return self.load_from(self.pointer(space, address, stores=False), size, signed=signed, volatile=volatile)
        before, inside, behind = (self.name()[1:] for _ in range(3))
        for line in (f"  br label %{before}", f"{before}:", f"  br {where.typed}, label %{inside}, label %{behind}"):
            self.lines.append(line)
        self.lines.append(f"{inside}:")
        words = self.load_from(self.pointer(space, address, stores=False), size, signed=signed, volatile=volatile)
        self.line(f"br label %{behind}")
        self.lines.append(f"{behind}:")
        return tuple(self.define(I32, f"phi i32 [ {w.text}, %{inside} ], [ 0, %{before} ]") for w in words)

    def _keep_order(self, loads: bool, stores: bool) -> None:
        """Lanes of a warp talk through memory without more than the order of their instructions; to LLVM a lane's load
        has nothing to do with its store to another address. No instruction comes of the fence.
        """
        if (loads and self.stored) or (stores and self.loaded):
            self.line('fence syncscope("wavefront") acq_rel')
            self.loaded = self.stored = False
        self.loaded |= loads
        self.stored |= stores

    def in_space(self, space: Space, address: Ir) -> Ir:
        if space is Space.GLOBAL:
            return self.not_(self.or_(self.in_space(Space.SHARED, address), self.in_space(Space.LOCAL, address)))
        name = f"llvm.amdgcn.is.{'shared' if space is Space.SHARED else 'private'}"
        self.declare(name, "i1 @(ptr)")
        return self.define(I1, f"call i1 @{name}(ptr {self.raw(f'inttoptr {address.typed} to ptr')})")

    def load_from(
        self, pointer: str, size: int, *, signed: bool = False, volatile: bool = False, extra: str = ""
    ) -> tuple[Ir, ...]:
        """Words behind a typed pointer; ``extra`` is appended to the load."""
        op = "load volatile" if volatile else "load"
        if size == 16:
            vector = self.raw(f"{op} <4 x i32>, {pointer}, align 16{extra}")
            return tuple(self.define(I32, f"extractelement <4 x i32> {vector}, i32 {k}") for k in range(4))
        value = self.define(_ELEMENT[size], f"{op} {_ELEMENT[size].llvm}, {pointer}, align {size}{extra}")
        if size == 8:
            return self.lo(value), self.hi(value)
        return (self.sext(value, I32) if signed else self.zext(value, I32),)

    def store(self, space: Space, address: Ir, words: tuple[Ir, ...], size: int, *, volatile: bool = False) -> None:
        pointer = self.pointer(space, address, loads=False)
        op = "store volatile" if volatile else "store"
        if size == 16:
            self.line(f"{op} {self._vector(words)}, {pointer}, align 16")
            return
        value = self.pair(words[0], words[1]) if size == 8 else self.trunc(words[0], _ELEMENT[size])
        self.line(f"{op} {value.typed}, {pointer}, align {size}")

    # Lanes -------------------------------------------------------------------------------------------------------
    def ballot(self, x: Ir) -> Ir:
        self.effects = True
        return self._joined(self.call(I32, "llvm.amdgcn.ballot.i32", (x,)))

    def _joined(self, lanes: Ir) -> Ir:
        return lanes if self.group is None else self.and_(lanes, self.group)

    def shuffle(self, x: Ir, lane: Ir) -> Ir:
        self.effects = True
        return self.call(I32, "llvm.amdgcn.ds.bpermute", (self.shl(lane, self.const(I32, 2)), x))

    def broadcast(self, x: Ir) -> Ir:
        self.effects = True
        if self.group is not None:
            lowest = self.call(I32, "llvm.cttz.i32", (self.ballot(self.const(I1, 1)), self.const(I1, 0)))
            return self.shuffle(x, lowest)
        return self.call(x.type, f"llvm.amdgcn.readfirstlane.{x.type.llvm}", (x,))

    def reduce(self, op: str, x: Ir) -> Ir:
        if self.group is not None:
            return self.reduce_by(self.group, op, x)
        self.effects = True
        return self.call(
            I32, f"llvm.amdgcn.wave.reduce.{_WAVE_REDUCE[op]}.i32", (self._unfolded(op, x), self.const(I32, 0))
        )

    def _unfolded(self, op: str, x: Ir) -> Ir:
        """LLVM takes the sum of a constant over the lanes for the constant; so it must not know that it is one."""
        if op not in ("add", "xor"):
            return x
        zero = self.define(I32, 'call i32 asm "s_mov_b32 $0, 0", "=s"()')
        return self.define(I32, f"or {x.typed}, {zero.text}")

    def reduce_by(self, key: Ir, op: str, x: Ir) -> Ir:
        """`reduce` over the executing lanes that hold the same key (I32)."""
        self.effects = True
        name = _WAVE_REDUCE[op]
        self.declare("llvm.amdgcn.readfirstlane.i32", "i32 @(i32)")
        self.declare(f"llvm.amdgcn.wave.reduce.{name}.i32", "i32 @(i32, i32)")
        self.helpers[f"__cassc_reduce_by.{name}"] = REDUCE_BY.format(op=name, neutral=_NEUTRAL[op])
        return self.define(I32, f"call i32 @__cassc_reduce_by.{name}({key.typed}, {self._unfolded(op, x).typed})")

    def match_any(self, x: Ir) -> Ir:
        self.effects = True
        type = x.type.llvm
        self.declare(f"llvm.amdgcn.readfirstlane.{type}", f"{type} @({type})")
        self.declare("llvm.amdgcn.ballot.i32", "i32 @(i1)")
        self.helpers[f"__cassc_match_any.{type}"] = MATCH_ANY.format(type=type)
        return self._joined(self.define(I32, f"call i32 @__cassc_match_any.{type}({x.typed})"))

    def warp_sync(self) -> None:
        """Keeps LLVM from moving code across: lanes meet here (see ``lift.lift`` about spin locks)."""
        self.effects = True
        self.declare("llvm.amdgcn.wave.barrier", "void @()")
        self.line("call void @llvm.amdgcn.wave.barrier()")

    def trap(self, kind: str = "trap") -> None:
        self.effects = True
        self.declare("llvm.trap", "void @()")
        self.line("call void @llvm.trap()")

    def sleep(self) -> None:
        self.effects = True
        self.declare("llvm.amdgcn.s.sleep", "void @(i32 immarg)")
        self.line("call void @llvm.amdgcn.s.sleep(i32 1)")
