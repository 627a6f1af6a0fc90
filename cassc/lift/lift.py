"""The lifter: one kernel's SASS to LLVM IR, block by block.

Guarded instructions without effects become a choice between new and old value; a run of them with effects becomes one
branch around the run. Branches stay branches: LLVM's structurizer forms the execution masks.

Convergence. A warp becomes a wave, whose lanes meet at post-dominators, as BSSY/BSYNC pairs ask. BSYNC is kept as a
convergent no-op: without it LLVM may move the body of a critical section behind the loop that spins for the lock, and
the winner would wait for the losers. BRA.DIV and BRA.CONV lead lanes that are not converged, or name different masks,
to paths that tell them apart (``sass.groups``). Lanes that meet at post-dominators can only disagree about the mask;
the other path is taken where they do and it matters. Where lanes do not all meet so, they wait for each other in the
dispatcher, and the other path is taken where it is on the hardware (``lift.passes.meetings``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import cast

from cassc import diag
from cassc.diag import CasscError
from cassc.image.cubin import Cubin
from cassc.lift import external, globals, kernel
from cassc.lift.calls import Context
from cassc.lift.dispatch import Dispatcher
from cassc.lift.emit import EmitLlvm, predicate_name
from cassc.lift.kernel import LiftedKernel
from cassc.lift.passes import cluster_size, meetings, progress
from cassc.lift.passes.merges import Guard, Merges, Step, Trace
from cassc.lift.passes.wide import Wide
from cassc.lift.text import Ir
from cassc.sass import cfg
from cassc.sass.builder import I1, I32, I64
from cassc.sass.cfg import Block, Edge
from cassc.sass.disasm import SassFunction
from cassc.sass.execute import Machine, Write, execute
from cassc.sass.fields import PT, WORD_BYTES
from cassc.sass.groups import APART, joins_groups, mask_operand
from cassc.sass.launch import LaunchWords
from cassc.sass.operand import Imm, Label, Pred, Reg, UReg
from cassc.sass.reserved import DRIVER_SHARED
from cassc.sass.row import Instruction

_MAX_BLOCKS = 20000
_BARRIERS = frozenset({"bssy", "break", "bmov_read", "bmov_write"})  # say who meets at a BSYNC
_SYNCHRONISING = frozenset({"bsync", "bsync_free", "warpsync", "endcollective"}) | APART


def lift_kernel(function: SassFunction, cubin: Cubin, *, exact: bool = False) -> LiftedKernel:
    """LLVM IR of a kernel.

    ``exact``: MUFU and products of matrices give NVIDIA's bits, by many instructions, and not what the target's
    instructions give.

    Raises CasscError with kernel, address and instruction text: ``lift-unsupported`` for what cannot be expressed,
    ``sass-unknown-encoding`` for reached words without a row.
    """
    return _Lifter(function, cubin, _Flow.of(function), exact=exact).lift()


@dataclass(frozen=True, slots=True)
class _Flow:
    """Control flow of a kernel."""

    spins: tuple[progress.Spin, ...]
    plan: meetings.Plan

    @classmethod
    def of(cls, function: SassFunction) -> _Flow:
        graph, spins = progress.spins(cfg.build(function))
        return cls(spins, meetings.plan(graph))


class _Lifter:
    def __init__(self, function: SassFunction, cubin: Cubin, flow: _Flow, *, exact: bool) -> None:
        self.trace = Trace()
        self._merges: Merges | None = None  # known once all blocks were seen; every guarded write keeps the old value
        self.function = function
        self.cubin = cubin
        self.abi = function.abi
        self.at = {i.address: i for i in function.instructions}
        self.spins = flow.spins
        self.graph, self.calls, self.meetings = flow.plan.graph, flow.plan.calls, flow.plan.meetings
        self.cluster_words = cluster_size.fixed(self.graph, function)
        self.abi = replace(self.abi, frame_size=cfg.stack_bytes(self.graph, self.abi.frame_size))
        self.shared = globals.module_globals(cubin)
        self.definitions = dict(self.shared.definitions)
        banks = globals.kernel_banks(cubin, self.abi.name, self.shared, self.definitions)
        words = LaunchWords.of(function.arch.number)
        self.m = EmitLlvm(self.abi, words, banks, self._lds_bias(), globals.addresses(cubin))
        self.m.exact = exact
        self.machine = cast(Machine, self.m)  # its methods take the narrower type Ir
        self.wide = Wide(self.m)
        self.work: list[tuple[int, Context]] = [(0, ())]
        self.done: dict[tuple[int, Context], list[str]] = {}  # lines of each block that is written
        self.dispatcher = Dispatcher(self.m)
        self._source: tuple[int, Context] = (0, ())  # block that is written
        self._negated: dict[str, Ir] = {}  # value of a predicate -> its negation
        self._left: dict[str, list[str]] = {}  # loop that lanes leave together (its label) -> where they go
        self._places: dict[tuple[str, int], int] = {}
        # Blocks behind an instruction at which lanes meet that are apart from others: that instruction.
        self._apart = {
            block.last.address + WORD_BYTES: block.last
            for block in self.graph.blocks.values()
            if block.last.address in self.meetings and block.last.row.control in APART
        }

    def _lds_bias(self) -> int:
        """What barriers need stands below address zero of the kernel's shared memory, or where nothing else does."""
        barriers = [i for i in self.function.instructions if i.row.mnemonic == "BAR"]
        named = any(sum(not isinstance(o, Pred) for o in i.operands) > 1 for i in barriers)
        reserved = self.function.arch.number >= 90 and self.abi.static_shared >= DRIVER_SHARED
        return 0 if reserved else kernel.barrier_bytes(any(i.mod("mode") == "RED" for i in barriers), named)

    def lift(self) -> LiftedKernel:
        if self.abi.cluster != (1, 1, 1):
            x, y, z = self.abi.cluster
            raise self._unsupported(None, f"the kernel asks for clusters of {x}x{y}x{z} blocks")
        self._check_words()
        while self.work:
            key = self.work.pop()
            if key in self.done:
                continue
            if len(self.done) >= _MAX_BLOCKS:
                raise self._unsupported(None, "the copies of subroutines have too many blocks")
            self._write(key)
        if self.trace.has_guards:
            self._merges = Merges(self.trace)
            for key in self.done:
                if self._merges.spares(key):
                    self._write(key)
        m = self.m
        m.lines = []
        m.mark = ""
        self._source = (-1, ())
        first = self.dispatcher.first if 0 in self.calls.dispatched else _label(0, ())
        for name in self._left:
            m.slots |= {f"%{name}.left": I1, f"%{name}.place": I32}
            m.declare("llvm.amdgcn.wave.barrier", "void @()")
        m.group = None
        dispatcher = self.dispatcher.lines()
        blocks = [line for lines in self.done.values() for line in lines]
        lines = kernel.prologue(m, first) + blocks + self._loop_ends() + dispatcher + ["exit:", "  ret void"]
        self.definitions.update(m.helpers)
        return LiftedKernel(
            self.abi.name,
            kernel.definition(self.abi, "#attributes", lines, grid="grid" in m.needs),
            self.definitions,
            dict(m.declarations),
            kernel.attributes(self.abi, m.lds_bias, reserved="reserved" in m.needs),
            tuple(self._places),
        )

    def _check_words(self) -> None:
        missing = set(self.graph.missing)
        reached = [d for d in self.function.undecodable if d.location.address in missing]
        if reached:
            raise CasscError(*reached)
        if missing:
            raise self._unsupported(None, f"control reaches {min(missing):#x}, where there is no instruction")

    def _unsupported(self, i: Instruction | None, message: str) -> CasscError:
        location = diag.Location(kernel=self.abi.name, sm=self.function.arch.name)
        return diag.error("lift-unsupported", message, self.function.location(i) if i is not None else location)

    # Blocks ------------------------------------------------------------------------------------------------------
    def _write(self, key: tuple[int, Context]) -> None:
        self.m.lines = self.done[key] = []
        self._block(self.graph.blocks[key[0]], key[1])

    def goto(self, address: int, context: Context) -> str:
        """The label of a block, which will be written."""
        self.work.append((address, context))
        self.trace.successors.setdefault(self._source, set()).add((address, context))
        dispatched = not context and address in self.calls.dispatched
        label = self.dispatcher.enter(address) if dispatched else _label(address, context)
        return f"label %{self._by_loop(address, context, label)}"

    def _by_loop(self, address: int, context: Context, label: str) -> str:
        """The label by which lanes leave a loop together, or begin it anew, where the edge does that."""
        source, own = self._source
        for spin in self.spins:
            name = _label(spin.header, own)
            if own == context and spin.again(source, address):
                self._left.setdefault(name, [])
                return f"{name}.again"
            if spin.leaves(source, address):
                places = self._left.setdefault(name, [])
                if label not in places:
                    places.append(label)
                return f"{name}.to{places.index(label)}"
        return label

    def _loop_ends(self) -> list[str]:
        """Where lanes that have left a loop wait for those that have not (see ``lift.passes.progress``)."""
        lines = []
        for name, places in self._left.items():
            left, place = (f"ptr addrspace(5) %{name}.{what}" for what in ("left", "place"))
            lines += [f"{name}.again:", f"  store i1 false, {left}", f"  br label %{name}.end"]
            for index, _ in enumerate(places):
                lines += [f"{name}.to{index}:", f"  store i32 {index}, {place}", f"  store i1 true, {left}"]
                lines.append(f"  br label %{name}.end")
            lines += [f"{name}.end:", "  call void @llvm.amdgcn.wave.barrier()", f"  %{name}.out = load i1, {left}"]
            lines += [f"  br i1 %{name}.out, label %{name}.behind, label %{name}", f"{name}.behind:"]
            cases = " ".join(f"i32 {index}, label %{label}" for index, label in enumerate(places))
            lines += [f"  %{name}.next = load i32, {place}"]
            lines += [f"  switch i32 %{name}.next, label %{name}.none [ {cases} ]", f"{name}.none:", "  unreachable"]
        return lines

    def _jump(self, i: Instruction, base: int, targets: Sequence[int]) -> None:
        """To the code offset ``base`` + register, by the dispatcher."""
        m = self.m
        register = next(o for o in i.operands if isinstance(o, Reg | UReg))
        place = m.add(m.register(register), m.const(I32, base))
        self.trace.open.add(self._source)
        for target in targets:
            self.work.append((target, ()))
            self.dispatcher.places.add(target)
        self.dispatcher.jump(place)

    def _block(self, block: Block, context: Context) -> None:
        self._source = (block.start, context)
        self.m.new_block()
        self.m.group = None
        self.m.lines.append(f"{_label(block.start, context)}:")
        if block.start in self._apart:
            self.m.group = self.dispatcher.group(self._apart[block.start])
        body = list(block.instructions)
        ends = block.last.row.control in cfg.ENDS or block.last.address in self.meetings
        if ends:
            body.pop()
        self.trace.steps[self._source] = []
        position = 0
        while position < len(body):
            run = self._run(body, position)
            position += len(run)
            with _Located(self, run[0]):
                self._guarded(run)
        if not ends:
            self.m.line(f"br {self.goto(block.successors[0][1], context)}")
            return
        with self._step(None, kills=False), _Located(self, block.last):
            self._end(block, context)

    @contextmanager
    def _step(self, guard: Guard, *, kills: bool = True) -> Iterator[None]:
        """Notes what an instruction reads and writes."""
        m = self.m
        m.reads, m.writes = set(), set()
        yield
        self.trace.steps[self._source].append(Step(guard, m.reads, m.writes, kills))

    def _merged(self, guard: Guard, before: int) -> Callable[[str], bool]:
        """Whether a slot that is written under a guard keeps its old value; ``before``: steps of the block so far."""
        if self._merges is None:
            return lambda slot: True
        return partial(self._merges.needed, self._source, before, guard)

    def _run(self, body: Sequence[Instruction], start: int) -> list[Instruction]:
        """Instructions from ``start`` on that share a guard, up to one that changes it."""
        first = body[start]
        run = [first]
        if first.guard.index == 7:
            return run
        while start + len(run) < len(body) and not _writes(run[-1], first.guard):
            following = body[start + len(run)]
            if following.guard != first.guard:
                break
            run.append(following)
        return run

    def _guarded(self, run: Sequence[Instruction]) -> None:
        m = self.m
        g = run[0].guard
        if g.index == PT:
            if not g.negated:
                with self._step(None):
                    self._execute(run[0])
            return
        literal = (predicate_name(g.index, g.uniform), g.negated)
        condition = self._holds(g)
        steps = self.trace.steps[self._source]
        if not any(self._has_effects(i) for i in run):
            for i in run:
                with self._step(literal):
                    self._execute(i, condition, self._merged(literal, len(steps)))
            return
        inside, behind = m.name()[1:], m.name()[1:]
        branch = len(m.lines)
        m.line(f"br {condition.typed}, label %{inside}, label %{behind}")
        m.lines.append(f"{inside}:")
        before = m.snapshot()
        written: dict[str, None] = {}
        for i in run:
            with self._step(literal):
                self._execute(i)
            written |= dict.fromkeys(sorted(m.writes))
        m.line(f"br label %{behind}")
        merged = self._merged(literal, len(steps) - 1)
        unmerged = [slot for slot in written if not merged(slot)]
        if unmerged:
            beside = m.name()[1:]
            m.lines[branch] = m.lines[branch].replace(f"label %{behind}", f"label %{beside}")
            m.lines.append(f"{beside}:")
            for slot in unmerged:
                m.line(f"store {m.slots[slot].llvm} poison, ptr addrspace(5) {slot}")
            m.line(f"br label %{behind}")
        m.lines.append(f"{behind}:")
        m.restore(before)
        m.group = None

    def _holds(self, guard: Pred) -> Ir:
        value = self.m.predicate(guard.index, uniform=guard.uniform)
        if not guard.negated:
            return value
        if value.text not in self._negated:
            self._negated[value.text] = self.m.not_(value)
        return self._negated[value.text]

    def _has_effects(self, i: Instruction) -> bool:
        """Also reads of a constant bank at an index, which other lanes may have out of bounds, and control."""
        if i.row.control in _BARRIERS:
            return bool(self.meetings) or i.row.control == "bmov_read"
        if i.row.control:
            return i.row.control != "nop"
        return not i.row.pure or any(getattr(o, "register", None) is not None for o in i.operands)

    def _execute(
        self, i: Instruction, condition: Ir | None = None, merged: Callable[[str], bool] = lambda slot: True
    ) -> None:
        """One instruction that does not end its block."""
        m = self.m
        self._mark(i)
        kind = i.row.control
        try:
            if not kind:
                self._compute(i, condition, merged)
            elif kind in _SYNCHRONISING:
                m.warp_sync()
                mask = mask_operand(i) if kind in APART else None
                m.group = m.register(mask) if isinstance(mask, Reg) else None
            elif kind == "lepc":
                place = cfg.target_of(i)
                value = m.const(I64, i.address if place is None else place)
                self._assign(i, (m.lo(value), m.hi(value)), condition, merged)
            elif kind in _BARRIERS:
                self._convergence(i)
            elif kind != "nop":
                raise self._unsupported(i, f"control transfer of kind {kind} is not supported")
        except CasscError as problem:
            raise self._located(problem, i) from None

    def _convergence(self, i: Instruction) -> None:
        """Masks of the lanes that meet at a BSYNC; no matter where joining paths are enough."""
        m, kind = self.m, i.row.control
        if not self.meetings:
            if kind == "bmov_read":
                self._assign(i, (m.const(I32, 0),))
            return
        m.group = None
        index = meetings.barrier_index(i)
        if kind == "bssy":
            self.dispatcher.set_barrier(index)
        elif kind == "break":
            self.dispatcher.leave_barrier(index)
        elif kind == "bmov_read":
            self._assign(i, (self.dispatcher.take_barrier(index),))
        else:
            self.dispatcher.set_barrier(index, m.register(next(o for o in i.operands if isinstance(o, Reg))))

    def _mark(self, i: Instruction) -> None:
        """What is written from now on comes from this instruction's source line, where the cubin tells it."""
        place = self.cubin.line_at(f".text.{self.abi.name}", i.address)
        number = None if place is None else self._places.setdefault(place, len(self._places))
        self.m.mark = "" if number is None else f", !dbg !?{number}"

    def _compute(
        self, i: Instruction, condition: Ir | None = None, merged: Callable[[str], bool] = lambda slot: True
    ) -> None:
        i = self.cluster_words.get(i.address, i)
        writes = self.wide.rewritten(i, condition)
        half = None
        if writes is None:
            half = self.wide.low_half(i)
            writes = execute(self.machine, i)
        for write in writes:
            self.m.write(write, condition, merged)
        if half is not None:
            self.wide.remember(i, half, condition)

    def _assign(
        self,
        i: Instruction,
        words: tuple[Ir, ...],
        condition: Ir | None = None,
        merged: Callable[[str], bool] = lambda slot: True,
    ) -> None:
        target = i.operands[0]
        assert isinstance(target, Reg | UReg)
        if not target.is_zero:
            self.m.write(Write(target, words), condition, merged)

    def _located(self, problem: CasscError, i: Instruction) -> CasscError:
        """The same diagnostics, with the instruction as their place where they have none."""
        place = self.function.location(i)
        return CasscError(
            *(d if d.location.kernel else replace(d, id=_own_id(d.id), location=place) for d in problem.diagnostics),
            status=problem.status,
        )

    # Ends of blocks ----------------------------------------------------------------------------------------------
    def _end(self, block: Block, context: Context) -> None:
        i = block.last
        self._mark(i)
        follower = i.address + WORD_BYTES
        kind = i.row.control
        if i.guard.index == 7 and i.guard.negated:
            self.m.line(f"br {self.goto(follower, context)}")
            return
        if kind in ("branch_div", "branch_conv"):
            self._converged(block, context, follower)
            return
        if i.address in self.meetings:
            self._meeting(block)
            return
        condition = self._condition(i)
        if condition is not None:
            taken = self.m.name()[1:]
            self.m.line(f"br {condition.typed}, label %{taken}, {self.goto(follower, context)}")
            self.m.lines.append(f"{taken}:")
        self._transfer(block, context, follower)

    def _converged(self, block: Block, context: Context, follower: int) -> None:
        """Where the guard, which says that lanes agree about their mask, does not hold in all: to the other path."""
        i, m = block.last, self.m
        target = block.successors[0][1]
        together, apart = (target, follower) if i.row.control == "branch_conv" else (follower, target)
        agreed = self._condition(i)
        if self.meetings:
            m.group = None
            mask = next((o for o in i.operands if isinstance(o, UReg)), None)
            asked = m.const(I32, -1) if mask is None else m.register(mask)
            asked = m.not_(asked) if mask is not None and mask.inverted else asked
            present = self.dispatcher.converged(asked, m.const(I1, 1) if agreed is None else agreed)
            m.line(f"br {present.typed}, {self.goto(together, context)}, {self.goto(apart, context)}")
            return
        if agreed is None or not joins_groups(self.at, apart):
            m.line(f"br {self.goto(together, context)}")
            return
        disagreed = m.compare("ne", m.ballot(m.not_(agreed)), m.const(I32, 0), signed=False)
        m.line(f"br {disagreed.typed}, {self.goto(apart, context)}, {self.goto(together, context)}")

    def _meeting(self, block: Block) -> None:
        """The lanes wait for each other, and go on by the dispatcher."""
        i, m = block.last, self.m
        follower = i.address + WORD_BYTES
        m.group = None
        condition = self._condition(i) if i.row.control else None if i.guard.is_true else self._holds(i.guard)
        self.trace.open.add(self._source)
        if condition is not None:
            taken, other = m.name()[1:], m.name()[1:]
            m.line(f"br {condition.typed}, label %{taken}, label %{other}")
            m.lines.append(f"{other}:")
            self.dispatcher.together()
            m.line(f"br {self.goto(follower, ())}")
            m.lines.append(f"{taken}:")
        if i.row.control == "warpsync_collective":
            resume = cfg.target_of(i)
            assert resume is not None
            self.dispatcher.resume_at(resume)
            self.work.append((resume, ()))
            self.dispatcher.places.add(resume)
        if i.row.control != "endcollective":
            self.work.append((follower, ()))
        self.dispatcher.meet(i, follower)
        behind = self.dispatcher.behind(i)
        if behind is not None:
            m.new_block()
            m.lines.append(f"{behind}:")
            m.present = self.dispatcher.present()
            self._compute(i)
            m.present = None
            m.line(f"br {self.goto(follower, ())}")

    def _condition(self, i: Instruction) -> Ir | None:
        """Guard and predicate operands together; None if always."""
        m = self.m
        condition: Ir | None = None
        for p in (i.guard, *(o for o in i.operands if isinstance(o, Pred))):
            if p.is_true:
                continue
            value = m.predicate(p.index, uniform=p.uniform)
            value = m.not_(value) if p.negated else value
            condition = value if condition is None else m.and_(condition, value)
        return condition

    def _transfer(self, block: Block, context: Context, follower: int) -> None:
        i, m = block.last, self.m
        kind = i.row.control
        if kind == "exit":
            m.line(f"br label %{self._by_loop(-1, context, 'exit')}")
        elif kind == "branch":
            m.line(f"br {self.goto(block.successors[0][1], context)}")
        elif kind == "trap":
            m.trap()
            m.line("unreachable")
        elif kind == "brx":
            base = (i.address + WORD_BYTES + self._offset(i)) & 0xFFFFFFFF
            targets = [place for edge, place in block.successors if edge is Edge.INDIRECT]
            if not targets:
                raise self._unsupported(i, "the targets of the indirect branch are not known")
            self._switch(i, base, targets, context)
        elif kind == "ret":
            self._return(i, context)
        elif kind in cfg.CALLS and any(edge is Edge.CALL for edge, _ in block.successors) or kind == "call_rel":
            self._call(block, context, follower)
        elif kind == "call_abs":
            external.call(self.m, self.cubin, i)
            m.line(f"br {self.goto(follower, context)}")
        else:
            raise self._unsupported(i, f"control transfer of kind {kind} is not supported")

    def _offset(self, i: Instruction) -> int:
        for operand in i.operands:
            if isinstance(operand, Imm):
                return operand.bits
            if isinstance(operand, Label):
                return operand.target
        return 0

    def _switch(self, i: Instruction, base: int, targets: Sequence[int], context: Context) -> None:
        """Branch to the code offset ``base`` + register, which is one of the targets."""
        m = self.m
        register = next(o for o in i.operands if isinstance(o, Reg | UReg))
        place = m.add(m.register(register), m.const(I32, base))
        cases = " ".join(f"i32 {target}, {self.goto(target, context)}" for target in targets)
        lost = m.name()[1:]
        m.line(f"switch {place.typed}, label %{lost} [ {cases} ]")
        m.lines.append(f"{lost}:")
        m.line("unreachable")

    def _return(self, i: Instruction, context: Context) -> None:
        if context:
            self.m.line(f"br {self.goto(context[-1], context[:-1])}")
        elif self.calls.return_points:
            self._jump(i, self._offset(i), self.calls.return_points)
        else:
            raise self._unsupported(i, "a return that no call leads to")

    def _call(self, block: Block, context: Context, follower: int) -> None:
        i = block.last
        callees = [place for kind, place in block.successors if kind is Edge.CALL]
        if cfg.is_indirect(i):
            if not callees:
                raise self._unsupported(i, "a call through a register in a kernel without functions")
            self._jump(i, self._offset(i), callees)
        elif not callees:
            self.m.line(f"br {self.goto(block.successors[0][1], context)}")
        elif callees[0] in self.calls.shared:
            self.m.line(f"br {self.goto(callees[0], ())}")
        else:
            self.m.line(f"br {self.goto(callees[0], (*context, follower))}")


class _Located:
    """Gives errors raised inside the instruction as their place."""

    def __init__(self, lifter: _Lifter, i: Instruction) -> None:
        self._lifter = lifter
        self._instruction = i

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, problem: BaseException | None, trace: object) -> None:
        if isinstance(problem, CasscError):
            raise self._lifter._located(problem, self._instruction) from None


def _own_id(id: str) -> str:
    return "lift-unsupported" if id == "sass-no-meaning" else id


def _label(address: int, context: Context) -> str:
    return "_".join([f"b{address:x}", *(f"{place:x}" for place in context)])


def _writes(i: Instruction, p: Pred) -> bool:
    return any(
        isinstance(operand, Pred) and token.dest and (operand.index, operand.uniform) == (p.index, p.uniform)
        for token, operand in zip(i.row.tokens, i.operands, strict=True)
    ) or i.row.mnemonic in ("R2P", "UR2P")
