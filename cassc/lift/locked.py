"""Atomic operations on 128 bits, which RDNA3's memory does not have: a lock makes them take turns.

The locks are words of the module's global memory, chosen by the address. Lanes take theirs one after the other, so that
no lane waits for one of its own wave. They hold off each other and nothing else: PTX promises no more, since operations
of another size on the same bytes race (PTX ISA, "Memory Consistency Model", morally strong operations), but for plain
128-bit stores that are atomic by themselves.
"""

from __future__ import annotations

from cassc.lift.text import FUNCTION_ATTRIBUTES

LOCKS = "@__cassc_locks = internal addrspace(1) global [64 x i32] zeroinitializer, align 4"

EXCHANGE_128 = f"""\
define internal <4 x i32> @__cassc_exchange_128.{{name}}(
    {{pointer}} %p, <4 x i32> %expected, <4 x i32> %new, i1 %always)
    convergent nounwind alwaysinline {FUNCTION_ATTRIBUTES} {{{{
entry:
  %place = ptrtoint {{pointer}} %p to {{size}}
  %line = lshr {{size}} %place, 4
  %number = and {{size}} %line, 63
  %lock = getelementptr [64 x i32], ptr addrspace(1) @__cassc_locks, i32 0, {{size}} %number
  %lane = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %waiting = call i32 @llvm.amdgcn.ballot.i32(i1 true)
  br label %turn
turn:
  %left = phi i32 [ %waiting, %entry ], [ %rest, %next ]
  %result = phi <4 x i32> [ zeroinitializer, %entry ], [ %found, %next ]
  %first = call i32 @llvm.cttz.i32(i32 %left, i1 false)
  %mine = icmp eq i32 %first, %lane
  br i1 %mine, label %take, label %next
take:
  %both = cmpxchg ptr addrspace(1) %lock, i32 0, i32 1 syncscope("agent") acquire monotonic, align 4
  %taken = extractvalue {{{{ i32, i1 }}}} %both, 1
  br i1 %taken, label %taken.it, label %take
taken.it:
  %old = load volatile <4 x i32>, {{pointer}} %p, align 16
  %equal = icmp eq <4 x i32> %old, %expected
  %all = call i1 @llvm.vector.reduce.and.v4i1(<4 x i1> %equal)
  %change = or i1 %all, %always
  br i1 %change, label %store, label %release
store:
  store volatile <4 x i32> %new, {{pointer}} %p, align 16
  br label %release
release:
  store atomic i32 0, ptr addrspace(1) %lock syncscope("agent") release, align 4
  br label %next
next:
  %found = phi <4 x i32> [ %result, %turn ], [ %old, %release ]
  %below = sub i32 %left, 1
  %rest = and i32 %left, %below
  %more = icmp ne i32 %rest, 0
  br i1 %more, label %turn, label %done
done:
  ret <4 x i32> %found
}}}}
"""
DECLARATIONS = {
    "llvm.amdgcn.mbcnt.lo": "i32 @(i32, i32)",
    "llvm.amdgcn.ballot.i32": "i32 @(i1)",
    "llvm.cttz.i32": "i32 @(i32, i1 immarg)",
    "llvm.vector.reduce.and.v4i1": "i1 @(<4 x i1>)",
}
