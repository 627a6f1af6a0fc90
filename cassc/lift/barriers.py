"""Barriers of the CTA in the emitting builder.

A barrier of all threads is the target's own, whatever its number: CUDA lets all threads pass barriers in one order. One
of a part of the CTA is kept in LDS (``devicelib/named_barriers.ll``). It counts threads as CUDA does: those that the
last warp of a CTA lacks count as being there, and so do lanes that have exited. A wave does not tell these from lanes
that are elsewhere, but the dispatcher does, by which lanes come to such barriers where some may exit before.
"""

from __future__ import annotations

from cassc.lift import devicelib
from cassc.lift.parts import Parts
from cassc.lift.text import Ir
from cassc.sass.builder import I1, I32

# LDS below address zero of the kernel's shared memory: a word for reductions over all threads, then the named barriers.
REDUCTION_BYTES = 16
NAMED_BYTES = 16 * 32
_REDUCTION_SLOT = 0
_WARP = 32
_HELPERS = "named_barriers.ll"


class Barriers(Parts):
    """Attributes:
    present: lanes of the wave that have not exited, where that is known.
    """

    present: Ir | None = None

    def barrier(self, id: Ir, threads: Ir | None) -> None:
        if threads is None:
            self.wait()
        else:
            self._await(id, self._arrive(id, threads, self.const(I32, 0)))

    def wait(self) -> None:
        """All waves of the workgroup, with their memory."""
        self.effects = True
        self.declare("llvm.amdgcn.s.barrier", "void @()")
        self.line('fence syncscope("workgroup") release')
        self.line("call void @llvm.amdgcn.s.barrier()")
        self.line('fence syncscope("workgroup") acquire')
        self.loaded = self.stored = False

    def barrier_arrive(self, id: Ir, threads: Ir) -> None:
        self._arrive(id, threads, self.const(I32, 0))

    def barrier_reduce(self, op: str, x: Ir, id: Ir, threads: Ir | None) -> Ir:
        """For "and" the votes against are counted: how many threads there are does not matter then."""
        self.needs.add("barrier_result")
        votes = self.popcount(self.ballot(self.not_(x) if op == "and" else x))
        total = self._sum_over_all(votes) if threads is None else self._await(id, self._arrive(id, threads, votes))
        none = self.compare("eq", total, self.const(I32, 0), signed=False)
        truth = none if op == "and" else self.not_(none)
        self.line(f"store {total.typed}, ptr addrspace(5) %barrier.count, align 4")
        self.line(f"store {truth.typed}, ptr addrspace(5) %barrier.truth, align 1")
        return total if op == "popc" else truth

    def barrier_result(self) -> tuple[Ir, Ir]:
        self.effects = True
        self.needs.add("barrier_result")
        count = self.define(I32, "load i32, ptr addrspace(5) %barrier.count, align 4")
        return count, self.define(I1, "load i1, ptr addrspace(5) %barrier.truth, align 1")

    def _sum_over_all(self, votes: Ir) -> Ir:
        """Each wave adds its votes to an LDS word, reads the sum behind a barrier, and takes its votes back.

        The word is zero before and after, and needs no further barrier: a wave that is early for the next reduction
        only adds before the others have subtracted.
        """
        self.needs.add("barrier_sum")
        executing = self.ballot(self.const(I1, 1))
        below = self.call(I32, "llvm.amdgcn.mbcnt.lo", (executing, self.const(I32, 0)))
        leader = self.compare("eq", below, self.const(I32, 0), signed=False)
        own = self.select(leader, votes, self.const(I32, 0))
        slot = f"ptr addrspace(3) {self.raw(f'inttoptr i32 {_REDUCTION_SLOT} to ptr addrspace(3)')}"
        self.line(f'{self.name()} = atomicrmw add {slot}, {own.typed} syncscope("workgroup") monotonic, align 4')
        self.wait()
        total = self.define(I32, f"load volatile i32, {slot}, align 4")
        self.wait()
        self.line(f'{self.name()} = atomicrmw sub {slot}, {own.typed} syncscope("workgroup") monotonic, align 4')
        return total

    # Named barriers ----------------------------------------------------------------------------------------------
    def _arrive(self, id: Ir, threads: Ir, votes: Ir) -> Ir:
        """The phase that the wave's threads arrived for."""
        self.effects = True
        self.needs.add("barrier_named")
        self.helpers[_HELPERS] = devicelib.text(_HELPERS)
        needed, count = self._needed(threads), self._count()
        operands = ", ".join(x.typed for x in (self.broadcast(id), needed, count, votes))
        return self.define(I32, f"call i32 @__cassc_barrier_arrive({operands})")

    def _await(self, id: Ir, phase: Ir) -> Ir:
        """The votes of the phase."""
        return self.define(I32, f"call i32 @__cassc_barrier_wait({self.broadcast(id).typed}, {phase.typed})")

    def _needed(self, threads: Ir) -> Ir:
        """Whole warps; a register may say 0 for all threads."""
        if threads.known:
            return self.const(I32, -(-threads.known // _WARP) * _WARP)
        named = self.broadcast(threads)
        none = self.compare("eq", named, self.const(I32, 0), signed=False)
        chosen = self.select(none, self._threads(), named)
        return self.and_(self.add(chosen, self.const(I32, _WARP - 1)), self.const(I32, -_WARP))

    def _count(self) -> Ir:
        """The executing lanes, or a whole warp where no lane of the wave is missing but those that are no more."""
        executing = self.popcount(self.ballot(self.const(I1, 1)))
        if self.present is not None:
            alone = self.compare("eq", executing, self.popcount(self.present), signed=False)
            return self.select(alone, self.const(I32, _WARP), executing)
        before = self.shl(self.special("warpid"), self.const(I32, 5))
        here = self.umin(self.sub(self._threads(), self.broadcast(before)), self.const(I32, _WARP))
        whole = self.compare("eq", executing, here, signed=False)
        return self.select(whole, self.const(I32, _WARP), executing)

    def _threads(self) -> Ir:
        """Of the CTA."""
        return self.mul(self.mul(self.special("ntid.x"), self.special("ntid.y")), self.special("ntid.z"))

    def special(self, name: str) -> Ir:
        raise NotImplementedError
