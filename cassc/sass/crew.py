"""The threads of a CTA in the reference interpreter: registers, program counters, and which lanes run next.

All warps run in one vector, 32 lanes for each. Lanes have a program counter each; those at the lowest address execute
together, of whatever warp, unless others starve. What lanes of one warp do together looks at their own warp only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from random import Random
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from cassc.sass import externals
from cassc.sass.builder import I1, I32, I64, Space
from cassc.sass.cfg import is_indirect, target_of
from cassc.sass.evaluate import WARP, WINDOWS, BarrierWait, Evaluate, Lanes, Mask, Surroundings, Trap
from cassc.sass.execute import Machine as AnyMachine
from cassc.sass.execute import Write
from cassc.sass.fields import PT, REGISTERS, URZ, WORD_BYTES
from cassc.sass.groups import APART, WARP_WIDE, base, mask_operand
from cassc.sass.memory import AccessError, Memory
from cassc.sass.operand import Imm, Label, Named, Pred, Reg, UReg
from cassc.sass.row import Instruction

if TYPE_CHECKING:
    from cassc.sass.cta import Cta

# Instructions that lanes at the lowest address may run while others could run too.
_PATIENCE = 2000
# Rounds of polling, in which nothing changes, after which nothing will.
_VAIN = 16
_RUNNING, _AT_BSYNC, _AT_WARPSYNC, _AT_COLLECTIVE, _AT_BARRIER = range(5)
_ALL = np.uint32(0xFFFFFFFF)


class Order(Enum):
    """In which order the warps of a CTA run up to a barrier, and CTAs one after another.

    Results that depend on it are races; in `TOGETHER` all warps execute an instruction at once, which is fastest.
    """

    TOGETHER = "together"
    ASCENDING = "ascending"
    DESCENDING = "descending"


class Halt(Exception):
    """Ends the launch; the interpreter makes a `Fault` of it."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message


class Machine(Evaluate):
    """Evaluate with registers."""

    def __init__(self, around: Surroundings, lanes: int, registers: int, symbols: Mapping[str, int]) -> None:
        """``symbols``: addresses of module variables."""
        super().__init__(around, lanes)
        self.symbols = symbols
        self.registers = np.zeros((registers, lanes), np.uint32)
        self.uniforms = np.zeros((URZ + 1, lanes), np.uint32)
        self.predicates = np.zeros((8, lanes), bool)
        self.uniform_predicates = np.zeros((8, lanes), bool)
        self.predicates[PT] = self.uniform_predicates[PT] = True

    def register(self, register: Reg | UReg) -> Lanes:
        file = self.uniforms if isinstance(register, UReg) else self.registers
        return Lanes(I32, file[register.index])

    def predicate(self, index: int, *, uniform: bool = False) -> Lanes:
        file = self.uniform_predicates if uniform else self.predicates
        return Lanes(I1, file[index])

    def address_of(self, variable: str, addend: int) -> Lanes:
        address = self.symbols.get(variable)
        if address is None:
            raise Halt("instruction", f"the cubin has no variable {variable!r}")
        return self.const(I64, address + addend)

    def holds(self, p: Pred) -> Mask:
        value: Mask = (self.uniform_predicates if p.uniform else self.predicates)[p.index]
        return ~value if p.negated else value

    def write(self, write: Write) -> None:
        """In the lanes of the mask."""
        target = write.target
        if isinstance(target, Pred):
            predicates = self.uniform_predicates if target.uniform else self.predicates
            np.copyto(predicates[target.index], write.values[0].data, where=self.mask)  # type: ignore[attr-defined]
            return
        file = self.uniforms if isinstance(target, UReg) else self.registers
        for k, value in enumerate(write.values):
            if target.index + k < target.zero or target.index > target.zero:
                np.copyto(file[target.index + k], value.data, where=self.mask)  # type: ignore[attr-defined]


class Crew:
    """Attributes:
    running: lanes that have not exited.
    """

    def __init__(self, cta: Cta, *, order: Order = Order.TOGETHER, shuffler: Random | None = None) -> None:
        self.cta = cta
        self.order = order
        self.warps = -(-cta.threads // WARP)
        lanes = self.warps * WARP
        threads = np.arange(lanes, dtype=np.uint32)
        self.lanes = lanes
        self.running: Mask = threads < cta.threads
        self.pc = np.zeros(lanes, np.int64)
        self.wait = np.zeros(lanes, np.int8)
        self.wait_mask = np.zeros(lanes, np.uint32)
        self.wait_barrier = np.zeros(lanes, np.int8)
        self.convergence = np.zeros((16, lanes), np.uint32)
        self.group = np.full(lanes, _ALL)  # the mask that put a lane apart from others (`sass.groups.APART`)
        self.apart = False  # whether some lane is
        self.resume = np.zeros(lanes, np.int64)  # where a lane goes on behind a collective sequence
        self.last_turn = np.zeros(lanes, np.int64)
        self._vain = 0  # rounds of this turn in which all lanes polled, and nothing changed
        self._wrote = False
        self.dozing = np.zeros(lanes, bool)  # wait for something by polling, and let the others go first
        self.released = np.zeros(lanes, bool)  # have passed a CTA barrier, and stand at its instruction
        self.votes = np.zeros((2, lanes), np.uint32)  # of a lane's last barrier: how many were true, and all
        self.machine = Machine(self, lanes, REGISTERS + 2, cta.program.symbols)
        self.machine.races = cta.races
        self.machine.shuffler = shuffler
        self._any = cast(AnyMachine, self.machine)  # its methods take the narrower type Lanes
        x, y, _ = cta.block
        lane = threads % WARP
        bit = np.uint32(1) << lane
        self._special: dict[str, NDArray[Any]] = {
            "tid.x": threads % x,
            "tid.y": threads // x % y,
            "tid.z": threads // (x * y),
            "laneid": lane,
            "warpid": threads // WARP,
            "virtid": threads // WARP,
            "lanemask.eq": bit,
            "lanemask.lt": bit - np.uint32(1),
            "lanemask.le": bit | (bit - np.uint32(1)),
            "lanemask.gt": ~(bit | (bit - np.uint32(1))),
            "lanemask.ge": ~(bit - np.uint32(1)),
        }
        self._clock = 0
        self._control: dict[str, Callable[[Instruction, Mask], None]] = {
            name.removeprefix("_on_"): getattr(self, name) for name in dir(self) if name.startswith("_on_")
        }

    def _bits(self, mask: Mask) -> NDArray[np.uint32]:
        """In each lane the members of its warp, as a 32-bit mask."""
        packed = np.packbits(mask.reshape(-1, WARP), axis=1, bitorder="little").view(np.uint32)[:, 0]
        return np.repeat(packed, WARP)

    @property
    def alive(self) -> int:
        return int(self.running.sum())

    @property
    def finished(self) -> bool:
        return not self.running.any()

    # Surroundings of Evaluate ------------------------------------------------------------------------------------
    def special(self, name: str) -> NDArray[Any] | int:
        found = self._special.get(name)
        if found is not None:
            return found
        base, _, part = name.partition(".")
        if base == "ctaid":
            return self.cta.index["xyz".index(part)]
        if name == "nwarpid":
            return self.warps
        if name in ("clocklo", "globaltimerlo"):
            return self.cta.instructions & 0xFFFFFFFF
        if name in ("clockhi", "globaltimerhi"):
            return self.cta.instructions >> 32
        if name == "swinhi":
            return WINDOWS[Space.SHARED] >> 32
        if name in ("cgactaid", "cgasize", "smid", "gridid", "stack_end"):
            return 0
        if name == "dynamic_smem_size":
            return self.cta.dynamic_shared
        if name == "total_smem_size":
            return self.cta.dynamic_shared + self.cta.program.function.abi.static_shared
        raise Halt("instruction", f"the special register {name} is not supported")

    def bank(self, bank: int) -> Memory:
        memory = self.cta.banks.get(bank)
        if memory is None:
            raise Halt("instruction", f"the cubin has no constant bank {bank}")
        return memory

    def textures(self) -> int:
        return self.cta.textures

    def memory(self, space: Space) -> Memory:
        return {Space.SHARED: self.cta.shared, Space.LOCAL: self.cta.local}.get(space, self.cta.memory)

    def locate(self, space: Space, addresses: NDArray[Any], lanes: NDArray[np.intp]) -> NDArray[np.uint64]:
        wide = addresses.astype(np.uint64)
        if space is not Space.LOCAL:
            return wide
        size = self.cta.local_size
        outside = wide >= size
        if outside.any():
            raise AccessError("local", int(wide[outside][0]), 1, write=False)
        return wide + (lanes * size).astype(np.uint64)

    def passed(self) -> tuple[NDArray[Any], NDArray[Any]] | None:
        return (self.votes[0].copy(), self.votes[1].copy()) if (self.machine.mask & self.released).any() else None

    # Scheduling --------------------------------------------------------------------------------------------------
    def run(self, budget: int) -> None:
        """At most about ``budget`` steps; fewer when all lanes wait or have exited."""
        cta = self.cta
        end = cta.steps + budget
        self._vain = 0
        self._wrote = self.machine.changed = False
        while cta.steps < end:
            ready = self.running & (self.wait == _RUNNING)
            if not ready.any():
                return
            awake = ready & ~self.dozing
            if awake.any():
                ready = awake
            elif not self._wake():
                return
            group = self._choose(ready if self.order is Order.TOGETHER else self._one_warp(ready))
            used = self._together(group, ready & ~group, min(end - cta.steps, _PATIENCE))
            self._clock += used
            self.last_turn[group] = self._clock

    def _one_warp(self, ready: Mask) -> Mask:
        """Of the ready lanes those of one warp, in turns where lanes wait for others by polling."""
        first = int(np.flatnonzero(ready)[-1 if self.order is Order.DESCENDING else 0]) // WARP * WARP
        neglected = np.flatnonzero(ready & (self._clock - self.last_turn > 4 * _PATIENCE))
        if neglected.size:
            first = int(neglected[np.argmin(self.last_turn[neglected])]) // WARP * WARP
        chosen = np.zeros(self.lanes, bool)
        chosen[first : first + WARP] = ready[first : first + WARP]
        return chosen

    def _choose(self, ready: Mask) -> Mask:
        """The lanes at the lowest address, or where one has waited for long, those at that one's; any, if shuffled."""
        place = int(self.pc[ready].min())
        if self.machine.shuffler is not None:
            place = self.machine.shuffler.choice(np.unique(self.pc[ready]).tolist())
        neglected = ready & (self._clock - self.last_turn > 2 * _PATIENCE)
        if neglected.any():
            oldest = int(np.flatnonzero(neglected)[np.argmin(self.last_turn[neglected])])
            place = int(self.pc[oldest])
        group: Mask = ready & (self.pc == place)
        released = group & self.released
        return released if released.any() else group

    def _together(self, group: Mask, others: Mask, budget: int) -> int:
        """Run the lanes of a group until they part, wait, end, or meet others. Gives the instructions used."""
        cta = self.cta
        at = cta.program.at
        place = int(self.pc[np.flatnonzero(group)[0]])
        meeting = set(self.pc[others].tolist())
        warps = int(group.reshape(-1, WARP).any(axis=1).sum())
        used = 0
        while used < budget:
            cta.address = place
            instruction = at.get(place)
            if instruction is None:
                raise Halt("instruction", f"no instruction is known at {place:#x}")
            used += 1
            cta.steps += 1
            cta.instructions += warps
            handler = self._control.get(instruction.row.control)
            if handler is not None:
                cta.executed.add(place)
                if self.apart and instruction.row.control not in APART:
                    self.group[group] = _ALL
                    self.apart = bool((self.group != _ALL).any())
                handler(instruction, group)
                return used
            if not self._step(instruction, group):
                return used
            place += WORD_BYTES
            if place in meeting or self._doze():
                break
        self.pc[group] = place
        return used

    def _wake(self) -> bool:
        """All lanes that could run wait by polling: let them look again, unless they did so long enough in vain."""
        self.dozing[:] = False
        self._vain = 0 if self.machine.changed else self._vain + 1
        self._wrote |= self.machine.changed
        self.machine.changed = False
        return self._vain < _VAIN

    @property
    def wrote(self) -> bool:
        """Whether memory was written in this turn, which other CTAs may wait for."""
        return self._wrote or self.machine.changed

    @property
    def stalled(self) -> bool:
        return self._vain >= _VAIN

    def _doze(self) -> bool:
        """Whether some lanes have gone to sleep by the last instruction."""
        if not self.machine.slept.any():
            return False
        self.dozing |= self.machine.slept
        self.machine.slept[:] = False
        return True

    def _step(self, i: Instruction, group: Mask) -> bool:
        """One instruction without transfer of control; False if the lanes part at it."""
        machine = self.machine
        mask = group if i.guard.is_true else group & machine.holds(i.guard)
        machine.mask = mask
        if not mask.any():
            return True
        self.cta.executed.add(i.address)
        machine.group = self.group if self.apart else None
        if self.cta.races is not None:
            self.cta.races.watch(i, mask)
        try:
            writes = self.cta.program.plan(i).run(self._any)
        except BarrierWait as wait:
            self._wait_for_cta(i, group, mask, wait)
            return False
        except Trap as trap:
            message = "the kernel trapped" if trap.kind == "trap" else "more threads arrived than a barrier waits for"
            raise Halt(trap.kind, message) from None
        if len(writes) > 1 or (writes and len(writes[0].values) > 1):
            # A value may be a register itself, which an earlier write would change.
            for write in writes:
                for value in write.values:
                    value.data = value.data.copy()  # type: ignore[attr-defined]
        for write in writes:
            machine.write(write)
        if self.released.any():
            self.released &= ~mask
        if self.cta.races is not None and base(i) in WARP_WIDE:
            self.cta.races.warps_met(mask)
        return True

    def _wait_for_cta(self, i: Instruction, group: Mask, mask: Mask, wait: BarrierWait) -> None:
        self.pc[group] = i.address + WORD_BYTES
        if not wait.arrive:
            self.pc[mask] = i.address
            self.wait[mask] = _AT_BARRIER
            self.wait_barrier[mask] = wait.id[mask]
        # Warps count as whole ones where the barrier names a number of threads (PTX ISA, ``barrier``).
        missing = (self.running & ~mask).reshape(-1, WARP).any(axis=1)
        lanes = mask.reshape(-1, WARP).sum(axis=1)
        whole = np.repeat(np.where(missing | (lanes == 0), 0, WARP - lanes), WARP)
        for id, threads in sorted({(int(wait.id[k]), int(wait.threads[k])) for k in np.flatnonzero(mask)}):
            here = mask & (wait.id == id) & (wait.threads == threads)
            present = int(here.sum())
            firsts = here & (np.cumsum(here.reshape(-1, WARP), axis=1).reshape(-1) == 1)
            arriving = present + int(whole[firsts].sum()) if threads else present
            votes = int((wait.vote & here).sum()) if wait.vote is not None else 0
            self.cta.arrive(id, threads, arriving, present, votes)

    def release(self, id: int, result: tuple[int, int]) -> None:
        """A CTA barrier opened: its lanes execute their instruction again, with the result at hand."""
        waiting = self.running & (self.wait == _AT_BARRIER) & (self.wait_barrier == id)
        self.wait[waiting] = _RUNNING
        self.released |= waiting
        self.votes[:, waiting] = np.array(result, np.uint32)[:, None]

    def _reconverge(self) -> None:
        """Let go the lanes for which all those that they wait for have come."""
        running = self._bits(self.running)
        for kind in (_AT_BSYNC, _AT_WARPSYNC, _AT_COLLECTIVE):
            waiting = self.running & (self.wait == kind)
            for index in set(self.wait_barrier[waiting].tolist()):
                here = waiting & (self.wait_barrier == index)
                missing = self.wait_mask & running & ~self._bits(here)
                free = here & (missing == 0)
                self.wait[free] = _RUNNING
                if kind != _AT_BSYNC and self.cta.races is not None:
                    self.cta.races.warps_met(free)
                if kind == _AT_COLLECTIVE:
                    self._gather(free)

    def _gather(self, lanes: Mask) -> None:
        """Lanes of one mask, of whatever place, execute the sequence of the lowest one."""
        for lane in np.flatnonzero(lanes):
            first = lane // WARP * WARP
            members = np.flatnonzero(
                lanes[first : first + WARP] & (self.group[first : first + WARP] == self.group[lane])
            )
            self.pc[lane] = self.pc[first + members[0]]

    # Control -----------------------------------------------------------------------------------------------------
    def _taken(self, i: Instruction, group: Mask) -> Mask:
        """The lanes in which guard and predicate operands hold."""
        taken = group
        for p in (i.guard, *(o for o in i.operands if isinstance(o, Pred))):
            if not p.is_true:
                taken = taken & self.machine.holds(p)
        return taken

    def _jump(self, i: Instruction, group: Mask, taken: Mask, target: Any) -> None:
        self._sides(i, group, taken)
        self.pc[group] = i.address + WORD_BYTES
        self.pc[taken] = target if isinstance(target, int) else target[taken]

    def _sides(self, i: Instruction, group: Mask, taken: Mask) -> None:
        """Remember which ways lanes went."""
        if taken.any():
            self.cta.sides.add((i.address, True))
        if taken is not group and (group & ~taken).any():
            self.cta.sides.add((i.address, False))

    def _label(self, i: Instruction) -> int:
        target = target_of(i)
        if target is None:
            raise Halt("instruction", "a branch without a target")
        return target

    def _register_target(self, i: Instruction, base: int) -> NDArray[np.int64]:
        register = next(o for o in i.operands if isinstance(o, Reg | UReg))
        value = self.machine.register(register).data if not register.is_zero else np.zeros(self.lanes, np.uint32)
        return ((value.astype(np.int64) + base) & 0xFFFFFFFF).astype(np.int64)

    def _on_nop(self, i: Instruction, group: Mask) -> None:
        if self.cta.races is not None:
            self.cta.races.watch(i, group if i.guard.is_true else group & self.machine.holds(i.guard))
        self.pc[group] = i.address + WORD_BYTES
        if i.row.mnemonic == "YIELD":
            self.dozing |= group

    _on_bsync_free = _on_nop

    def _on_branch(self, i: Instruction, group: Mask) -> None:
        self._jump(i, group, self._taken(i, group), self._label(i))

    def _converged(self, i: Instruction, group: Mask) -> Mask:
        """The lanes in whose warp those under the guard are all of the asked ones that have not exited."""
        operand = next((o for o in i.operands if isinstance(o, UReg)), None)
        asked = np.full(self.lanes, 0xFFFFFFFF if operand is None else 0, np.uint32)
        if operand is not None and not operand.is_zero:
            asked = self.machine.register(operand).data
        if operand is not None and operand.inverted:
            asked = ~asked
        converged: Mask = (asked & self._bits(self.running)) == self._bits(self._taken(i, group))
        return converged

    def _on_branch_div(self, i: Instruction, group: Mask) -> None:
        self._jump(i, group, group & ~self._converged(i, group), self._label(i))

    def _on_branch_conv(self, i: Instruction, group: Mask) -> None:
        self._jump(i, group, group & self._converged(i, group), self._label(i))

    def _on_brx(self, i: Instruction, group: Mask) -> None:
        offset = next(o.bits for o in i.operands if isinstance(o, Imm))
        self._jump(i, group, self._taken(i, group), self._register_target(i, i.address + WORD_BYTES + offset))

    def _on_call_rel(self, i: Instruction, group: Mask) -> None:
        target: Any = self._register_target(i, self._label(i)) if is_indirect(i) else self._label(i)
        self._jump(i, group, self._taken(i, group), target)

    def _on_ret(self, i: Instruction, group: Mask) -> None:
        base = next(o.target if isinstance(o, Label) else o.bits for o in i.operands if isinstance(o, Label | Imm))
        self._jump(i, group, self._taken(i, group), self._register_target(i, base))

    def _on_call_abs(self, i: Instruction, group: Mask) -> None:
        """A function of the device runtime, or a place in the code."""
        taken = self._taken(i, group)
        self.pc[group] = i.address + WORD_BYTES
        target = i.operands[-1]
        if isinstance(target, Label):
            self.pc[taken] = target.target
        elif isinstance(target, Named):
            for lane in np.flatnonzero(taken):
                self._external(target.name, int(lane))
        elif isinstance(target, Reg):
            machine = self.machine
            wide = machine.pair(machine.register(target), machine.register(Reg(target.index + 1))).data
            for lane in np.flatnonzero(taken):
                function = self.cta.program.externals.get(int(wide[lane]))
                if function is None:
                    self.pc[lane] = int(wide[lane])
                else:
                    self._external(function, int(lane))
        else:
            raise Halt("instruction", "a call of an address that no relocation names")

    def _external(self, function: str, lane: int) -> None:
        try:
            externals.call(self, function, lane)
        except externals.Stop as stop:
            raise Halt(stop.kind, stop.message) from None

    def thread(self, lane: int, axis: str) -> int:
        """The index of a lane's thread in the CTA along x, y or z."""
        return int(self._special[f"tid.{axis}"][lane])

    def _on_exit(self, i: Instruction, group: Mask) -> None:
        taken = self._taken(i, group)
        self._sides(i, group, taken)
        self.pc[group] = i.address + WORD_BYTES
        if taken.any():
            self.running = self.running & ~taken
            self._reconverge()
            self.cta.exited()

    def _on_trap(self, i: Instruction, group: Mask) -> None:
        if self._taken(i, group).any():
            raise Halt("trap", "the kernel trapped")
        self.pc[group] = i.address + WORD_BYTES

    def _on_lepc(self, i: Instruction, group: Mask) -> None:
        target = target_of(i)
        value = i.address if target is None else target
        self._assign(i, group, (value & 0xFFFFFFFF, value >> 32))

    def _assign(self, i: Instruction, group: Mask, words: tuple[Any, ...]) -> None:
        self.pc[group] = i.address + WORD_BYTES
        self.machine.mask = group if i.guard.is_true else group & self.machine.holds(i.guard)
        target = i.operands[0]
        assert isinstance(target, Reg | UReg)
        if not target.is_zero:
            values = [w if isinstance(w, np.ndarray) else np.full(self.lanes, w, np.uint32) for w in words]
            self.machine.write(Write(target, tuple(Lanes(I32, v) for v in values)))

    # Convergence -------------------------------------------------------------------------------------------------
    def _barrier(self, i: Instruction) -> int:
        return next(o.index for o in i.operands if isinstance(o, Named))

    def _on_bssy(self, i: Instruction, group: Mask) -> None:
        self.pc[group] = i.address + WORD_BYTES
        entering = self._taken(i, group)
        self.convergence[self._barrier(i), entering] = self._bits(entering)[entering]

    def _on_bsync(self, i: Instruction, group: Mask) -> None:
        taken = self._taken(i, group)
        self.pc[group] = i.address + WORD_BYTES
        index = self._barrier(i)
        self._meet(taken, self.convergence[index], _AT_BSYNC, index)

    def _meet(self, lanes: Mask, masks: NDArray[np.uint32], kind: int, index: int) -> None:
        """``lanes`` wait for the running lanes of their ``masks``; those that have all of them here go on."""
        here = self._bits(lanes)
        missing = masks & self._bits(self.running) & ~here
        waiting = lanes & (missing != 0)
        if not waiting.any():
            return
        self.wait[waiting] = kind
        self.wait_mask[waiting] = (masks if kind == _AT_COLLECTIVE else masks | here)[waiting]
        self.wait_barrier[waiting] = index
        self._reconverge()

    def _on_break(self, i: Instruction, group: Mask) -> None:
        """The lanes leave a convergence barrier: nobody waits for them there any more."""
        taken = self._taken(i, group)
        self.pc[group] = i.address + WORD_BYTES
        index = self._barrier(i)
        leaving = self._bits(taken)
        self.convergence[index] &= ~leaving
        waiting = (self.wait == _AT_BSYNC) & (self.wait_barrier == index)
        self.wait_mask[waiting] &= ~leaving[waiting]
        self._reconverge()

    def _on_bmov_read(self, i: Instruction, group: Mask) -> None:
        index = self._barrier(i)
        self._assign(i, group, (self.convergence[index].copy(),))
        self.convergence[index, self.machine.mask] = 0

    def _on_bmov_write(self, i: Instruction, group: Mask) -> None:
        taken = self._taken(i, group)
        self.pc[group] = i.address + WORD_BYTES
        source = next(o for o in i.operands if isinstance(o, Reg))
        self.convergence[self._barrier(i), taken] = self.machine.registers[source.index, taken]

    def _on_warpsync(self, i: Instruction, group: Mask) -> None:
        self._synchronise(i, group, _AT_WARPSYNC)

    def _synchronise(self, i: Instruction, group: Mask, kind: int) -> None:
        taken = self._taken(i, group)
        self.pc[group] = i.address + WORD_BYTES
        operand = mask_operand(i)
        masks = np.full(self.lanes, operand.bits if isinstance(operand, Imm) else _ALL, np.uint32)
        if isinstance(operand, Reg):
            masks = self.machine.register(operand).data
        if i.row.control in APART:
            self.group[taken] = masks[taken]
            self.apart = True
        self._meet(taken, masks, kind, 0)
        if self.cta.races is not None:
            self.cta.races.warps_met(taken)

    _on_warpsync_exclusive = _on_warpsync

    def _on_warpsync_collective(self, i: Instruction, group: Mask) -> None:
        """Lanes of one mask that come from several places run one of the sequences, and go on where each asks for."""
        self.resume[group] = self._label(i)
        self._synchronise(i, group, _AT_COLLECTIVE)

    def _on_endcollective(self, i: Instruction, group: Mask) -> None:
        self.pc[group] = self.resume[group]
