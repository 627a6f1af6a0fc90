"""EmitLlvm: the builder that writes LLVM IR for one kernel, with its registers, launch state and constant banks."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from cassc import diag
from cassc.image.cubin import KernelAbi
from cassc.lift.barriers import Barriers
from cassc.lift.text import Ir
from cassc.sass.builder import I1, I8, I16, I32, I64, Type, Value
from cassc.sass.execute import Write
from cassc.sass.launch import RESERVED_BYTES, LaunchWords
from cassc.sass.operand import Pred, Reg, UReg
from cassc.sass.reserved import own_shared

# Implicit kernel arguments of code object version 5 (AMDGPUUsage, "Code Object V5 Metadata"): offset and bytes.
_GRID = ((0, 4), (4, 4), (8, 4))
_BLOCK = ((12, 2), (14, 2), (16, 2))
# The target's cycle counter has 20 bits; its steady counter, at 100 MHz, has 64. CUDA's clock runs at about 2 GHz.
_CYCLES_PER_TICK = 20
_NANOSECONDS_PER_TICK = 10
_DYNAMIC_LDS = 120
_DIMENSIONS = "xyz"
# Last argument of kernels that synchronise their grid: the workspace's address, 0 if the launch is not cooperative.
GRID_ARGUMENT = "__cassc_grid"
LDS_ALIGN = 16  # dynamic shared memory follows the static part; nvcc aligns it to at least this
RESERVED_LDS = RESERVED_BYTES + LDS_ALIGN  # what reserved memory takes behind the dynamic one, aligned
_ELEMENT = {1: I8, 2: I16, 4: I32, 8: I64}


@dataclass(frozen=True, slots=True)
class Banks:
    """LLVM symbols (with sigil) of the constant banks other than 0; an absent bank is not in it."""

    symbols: dict[int, str]


def register_name(register: Reg | UReg) -> str:
    return f"%{'u' if isinstance(register, UReg) else 'r'}{register.index}"


def predicate_name(index: int, uniform: bool) -> str:
    return f"%{'up' if uniform else 'p'}{index}"


class EmitLlvm(Barriers):
    """Registers are stack slots (LLVM makes values of them); what a block wrote or read already is not read again."""

    def __init__(
        self,
        abi: KernelAbi,
        words: LaunchWords,
        banks: Banks,
        lds_bias: int = 0,
        variables: Mapping[str, str] | None = None,
    ) -> None:
        """``variables``: name -> LLVM constant of the address."""
        super().__init__()
        self._variables = {name: Ir(I64, text) for name, text in (variables or {}).items()}
        self.abi = abi
        self.words = words
        self.banks = banks
        self.lds_bias = lds_bias
        self.slots: dict[str, Type] = {}
        self._cache: dict[str, Ir] = {}  # of slots and of parameters
        self.reads: set[str] = set()  # slots read since the set was emptied
        self.writes: set[str] = set()

    # Registers ---------------------------------------------------------------------------------------------------
    def new_block(self) -> None:
        """Forget the registers' values: other paths lead here, on which memory was read and written."""
        self._cache.clear()
        self.loaded = self.stored = True

    def snapshot(self) -> dict[str, Ir]:
        """What is known of the registers, before a branch around some instructions."""
        known, self._cache = self._cache, dict(self._cache)
        return known

    def restore(self, known: dict[str, Ir]) -> None:
        """Where the paths meet again: what was known before and not written on the way."""
        self._cache = {name: value for name, value in known.items() if self._cache.get(name) is value}

    def _read(self, name: str, type: Type) -> Ir:
        self.reads.add(name)
        return self._value(name, type)

    def _value(self, name: str, type: Type) -> Ir:
        self.slots[name] = type
        value = self._cache.get(name)
        if value is None:
            value = self.define(type, f"load {type.llvm}, ptr addrspace(5) {name}")
            self._cache[name] = value
        return value

    def register(self, register: Reg | UReg) -> Ir:
        if register.is_zero:
            return self.const(I32, 0)
        return self._read(register_name(register), I32)

    def predicate(self, index: int, *, uniform: bool = False) -> Ir:
        if index == 7:
            return self.const(I1, 1)
        return self._read(predicate_name(index, uniform), I1)

    def address_of(self, variable: str, addend: int) -> Ir:
        base = self._variables.get(variable)
        if base is None:
            raise diag.error("lift-unsupported", f"the address of {variable!r} is not known")
        return self.add(base, self.const(I64, addend)) if addend else base

    def known_predicate(self, p: Pred) -> Ir | None:
        """The value of a predicate that was written or read in this block.

        It counts as read, though what comes of it may not depend on it.
        """
        self.reads.add(predicate_name(p.index, p.uniform))
        return self._cache.get(predicate_name(p.index, p.uniform))

    def known(self, name: str) -> Ir | None:
        """The value of a register that was written or read in this block."""
        return self._cache.get(name)

    def assign(self, name: str, value: Ir) -> None:
        self.writes.add(name)
        self.slots[name] = value.type
        self.line(f"store {value.typed}, ptr addrspace(5) {name}")
        self._cache[name] = value

    def write(self, write: Write, guard: Ir | None = None, merged: Callable[[str], bool] = lambda slot: True) -> None:
        """Store the values; under a guard by choice between new and old in slots that are to be ``merged``."""
        for name, value in named(write):
            assert isinstance(value, Ir)
            if guard is not None and merged(name):
                value = self.select(guard, value, self._value(name, value.type))
            self.assign(name, value)

    # Launch state ------------------------------------------------------------------------------------------------
    def _implicit(self, offset: int, size: int) -> Ir:
        self.needs.add("implicit")
        pointer = f"ptr addrspace(4) {self.raw(f'getelementptr i8, ptr addrspace(4) %implicit, i64 {offset}')}"
        return self._invariant(pointer, size)

    def _invariant(self, pointer: str, size: int, align: int = 0) -> Ir:
        type = _ELEMENT[size]
        value = self.define(type, f"load {type.llvm}, {pointer}, align {align or size}, !invariant.load !0")
        return value if size == 8 else self.zext(value, I32)

    def special(self, name: str) -> Ir:
        base, _, part = name.partition(".")
        if base == "tid":
            return self.call(I32, f"llvm.amdgcn.workitem.id.{part}", ())
        if base == "ctaid":
            return self.call(I32, f"llvm.amdgcn.workgroup.id.{part}", ())
        if base == "ntid":
            return self._implicit(*_BLOCK[_DIMENSIONS.index(part)])
        if base == "nctaid":
            return self._implicit(*_GRID[_DIMENSIONS.index(part)])
        if name == "laneid":
            return self.call(I32, "llvm.amdgcn.mbcnt.lo", (self.const(I32, -1), self.const(I32, 0)))
        if base == "lanemask":
            return self._lane_mask(part)
        if name in ("warpid", "virtid"):
            return self.lshr(self._linear_thread(), self.const(I32, 5))
        if name == "nwarpid":
            threads = self.mul(self.mul(self.special("ntid.x"), self.special("ntid.y")), self.special("ntid.z"))
            return self.lshr(self.add(threads, self.const(I32, 31)), self.const(I32, 5))
        if name in ("clocklo", "clockhi"):
            return self._counter(_CYCLES_PER_TICK, name.endswith("hi"))
        if name in ("globaltimerlo", "globaltimerhi"):
            return self._counter(_NANOSECONDS_PER_TICK, name.endswith("hi"))
        if name == "swinhi" and not self.lds_bias:
            return self.hi(self._shared_window())
        if name in ("cgactaid", "cgasize", "smid", "gridid", "stack_end"):
            return self.const(I32, 0)
        if name == "dynamic_smem_size":
            return self._dynamic()
        if name == "total_smem_size":
            return self.add(self._dynamic(), self.const(I32, own_shared(self.abi, self.words)))
        raise diag.error("lift-unsupported", f"the special register {name} has no counterpart on the target")

    def _counter(self, scale: int, high: bool) -> Ir:
        self.effects = True
        value = self.mul(self.call(I64, "llvm.readsteadycounter", ()), self.const(I64, scale))
        return self.hi(value) if high else self.lo(value)

    def _lane_mask(self, relation: str) -> Ir:
        lane = self.special("laneid")
        own = self.shl(self.const(I32, 1), lane)
        below = self.sub(own, self.const(I32, 1))
        return {
            "eq": lambda: own,
            "lt": lambda: below,
            "le": lambda: self.or_(below, own),
            "gt": lambda: self.not_(self.or_(below, own)),
            "ge": lambda: self.not_(below),
        }[relation]()

    def _linear_thread(self) -> Ir:
        plane = self.add(self.mul(self.special("tid.z"), self.special("ntid.y")), self.special("tid.y"))
        return self.add(self.mul(plane, self.special("ntid.x")), self.special("tid.x"))

    def _shared_window(self) -> Ir:
        """Generic address of the shared address 0."""
        self.declare("llvm.amdgcn.addrspacecast.nonnull.p0.p3", "ptr @(ptr addrspace(3))")
        lds = f"ptr addrspace(3) inttoptr (i32 {self.lds_bias} to ptr addrspace(3))"
        flat = self.raw(f"call ptr @llvm.amdgcn.addrspacecast.nonnull.p0.p3({lds})")
        return self.define(I64, f"ptrtoint ptr {flat} to i64")

    def _local_window(self) -> Ir:
        self.needs.add("local")
        flat = self.raw(f"addrspacecast ptr addrspace(5) {self.local} to ptr")
        return self.define(I64, f"ptrtoint ptr {flat} to i64")

    def _dynamic(self) -> Ir:
        """Bytes of dynamic shared memory, which LLVM gives a kernel only if that uses the address of some."""
        self.effects = True
        self.line(f'call void asm sideeffect "", "s"(i32 {self._behind()})')
        return self._implicit(_DYNAMIC_LDS, 4)

    def _behind(self) -> str:
        """Shared address of what lies behind all the rest, of which LLVM thinks as the kernel's dynamic memory."""
        symbol = "@__cassc_dynamic"
        self.helpers[symbol] = f"{symbol} = external addrspace(3) global [0 x i8], align {LDS_ALIGN}"
        return f"ptrtoint (ptr addrspace(3) {symbol} to i32)"

    def _reserved(self) -> Ir:
        """Shared address of the reserved memory."""
        if self.words.reserved_at is not None:
            return self.const(I32, self.words.reserved_at)
        self.needs.add("reserved")
        dynamic = self.add(self._implicit(_DYNAMIC_LDS, 4), self.const(I32, LDS_ALIGN - 1))
        rounded = self.and_(dynamic, self.const(I32, -LDS_ALIGN & 0xFFFFFFFF))
        return self.sub(self.add(rounded, Ir(I32, self._behind())), self.const(I32, self.lds_bias + RESERVED_LDS))

    def _constants(self) -> Ir:
        """Generic address of constant bank 3."""
        symbol = self.banks.symbols.get(3)
        return self.const(I64, 0) if symbol is None else Ir(I64, f"ptrtoint (ptr addrspace(4) {symbol} to i64)")

    # Constant banks ----------------------------------------------------------------------------------------------
    def constant(self, bank: int, offset: Value | int, size: int, *, signed: bool = False) -> Ir:
        if isinstance(offset, Ir) and offset.known is not None:
            offset = offset.known
        if isinstance(offset, int):
            value = self._launch_constant(offset, size) if bank == 0 else self._bank(bank, offset, size)
        else:
            assert isinstance(offset, Ir)
            value = self._indexed_constant(bank, offset, size)
        if signed and size < 4:
            return self.sext(self.trunc(value, _ELEMENT[size]), I32)
        return value

    def _launch_constant(self, offset: int, size: int) -> Ir:
        start = offset - self.abi.param_base
        if self.abi.param_size and start >= 0:
            if start + size > self.abi.param_size + (-self.abi.param_size % 4):
                raise diag.error("lift-unsupported", f"c[0x0][{offset:#x}] lies behind the kernel's parameters")
            return self._parameter(start, size)
        if size == 8:
            if offset == self.words.shared_window:
                return self._shared_window()
            if offset == self.words.local_window:
                return self._local_window()
            if offset == self.words.constants:
                return self._constants()
            return self.pair(self._driver_word(offset), self._driver_word(offset + 4))
        word = self._driver_word(offset & ~3)
        if size == 4:
            return word
        part = self.lshr(word, self.const(I32, 8 * (offset & 3)))
        return self.and_(part, self.const(I32, (1 << 8 * size) - 1))

    def _parameter(self, start: int, size: int) -> Ir:
        """Read once in each block, so that combined instructions see the same value."""
        self.needs.add("kernarg")
        name = f"parameter {start} {size}"
        value = self._cache.get(name)
        if value is None:
            pointer = f"ptr addrspace(4) {self.raw(f'getelementptr i8, ptr addrspace(4) %kernarg, i64 {start}')}"
            value = self._cache[name] = self._invariant(pointer, size, math.gcd(start, size) or size)
        return value

    def _driver_word(self, offset: int) -> Ir:
        cluster = self.words.cluster
        clusters = self.words.grid if cluster is None else cluster.clusters
        for base, dimensions in ((self.words.block, _BLOCK), (self.words.grid, _GRID), (clusters, _GRID)):
            index = (offset - base) // 4
            if 0 <= index < 3:
                return self._implicit(*dimensions[index])
        windows = (
            (self.words.shared_window, self._shared_window),
            (self.words.local_window, self._local_window),
            (self.words.constants, self._constants),
        )
        for place, window in windows:
            if place is not None and offset in (place, place + 4):
                whole = window()
                return self.hi(whole) if offset > place else self.lo(whole)
        if offset == self.words.stack:
            return self.const(I32, self.abi.frame_size)
        if offset == self.words.dynamic:
            return self.special("dynamic_smem_size")
        if offset == self.words.multiprocessors:
            return self.const(I32, 1)
        if offset == self.words.not_counted:
            return self.const(I32, 0)
        if offset == self.words.reserved:
            return self._reserved()
        if offset in self.words.workspace:
            self.needs.add("grid")
            address = Ir(I64, f"%{GRID_ARGUMENT}")
            return self.lo(address) if offset == self.words.workspace[0] else self.hi(address)
        if cluster is not None and offset in cluster.alone():
            return self.const(I32, cluster.alone()[offset])
        if offset - offset % 8 in self.words.descriptors:
            return self.const(I32, 0)
        raise diag.error(
            "lift-unsupported", f"c[0x0][{offset:#x}] is launch state that has no counterpart on the target"
        )

    def _bank(self, bank: int, offset: int, size: int) -> Ir:
        base = self._bank_base(bank)
        pointer = f"ptr addrspace(4) {self.raw(f'getelementptr i8, ptr addrspace(4) {base}, i64 {offset}')}"
        return self._extended(pointer, size, math.gcd(offset, size) or size)

    def _bank_base(self, bank: int) -> str:
        """A kernel is linked with the banks of what it calls; pointers may lead nowhere else, and end there."""
        base = self.banks.symbols.get(bank)
        if base is None:
            self.trap()
            return "null"
        return base

    def _extended(self, pointer: str, size: int, align: int) -> Ir:
        type = _ELEMENT[size]
        value = self.define(type, f"load {type.llvm}, {pointer}, align {align}")
        return value if size == 8 else self.zext(value, I32)

    def _indexed_constant(self, bank: int, offset: Ir, size: int) -> Ir:
        """An index that only executing lanes guarantee, so that the read is like one of memory."""
        self.effects = True
        if bank == 0:
            self.needs.add("kernarg")
            index = self.sub(self.zext(offset, I64), self.const(I64, self.abi.param_base))
            pointer = f"ptr addrspace(4) {self.raw(f'getelementptr i8, ptr addrspace(4) %kernarg, {index.typed}')}"
            return self._invariant(pointer, size, size)
        index = self.zext(offset, I64)
        base = self._bank_base(bank)
        pointer = f"ptr addrspace(4) {self.raw(f'getelementptr i8, ptr addrspace(4) {base}, {index.typed}')}"
        return self._extended(pointer, size, size)


def named(write: Write) -> list[tuple[str, Value]]:
    """(slot, value) of each register or predicate that a write covers."""
    target = write.target
    if isinstance(target, Pred):
        return [(predicate_name(target.index, target.uniform), write.values[0])]
    return [
        (register_name(type(target)(target.index + k)), value)
        for k, value in enumerate(write.values)
        if not type(target)(target.index + k).is_zero
    ]
