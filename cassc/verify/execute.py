"""One launch on both sides: the reference interpreter, and the assembled code object on the emulator.

Buffers and module variables stand at the same addresses on both, so that stored pointers can be compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from cassc.amdgpu.emulator import Emulator, EmulatorFault, Kernel, Module
from cassc.image.cubin import Cubin
from cassc.sass import heap as heaps
from cassc.sass import interp
from cassc.sass.codespace import CodeSpace
from cassc.sass.cta import UNDEFINED
from cassc.sass.disasm import SassFunction
from cassc.sass.externals import HEAP_FUNCTIONS
from cassc.sass.grid import WORKSPACE_BYTES, synchronises
from cassc.sass.memory import Bytes, Memory, Range
from cassc.sass.program import Program
from cassc.sass.races import Races
from cassc.verify import sums, textures
from cassc.verify.inputs import Launch, Stored, linked
from cassc.verify.sums import Sum

PRINTF = "__cassc_printf"
_PRINTF_BYTES = 1 << 20
_PRINTF_HEADER = 8
_RECORD_HEADER = 16
_HEAP = "__cassc_heap"
_TEXTURES = "__cassc_textures"
_HEAP_BYTES = 1 << 20
_UNPLACED = 0x7E00_0000_0000
_SPACES = {"illegal-address": "global", "lds-address": "shared"}
Record = tuple[int, bytes]
"""A vprintf call: address of the format string, argument bytes."""


@dataclass(frozen=True, slots=True)
class Variables:
    """The module's variables: for each section its address on both sides and its content before a launch.

    ``heap``: address of the device heap, 0 where the module has none.
    ``workspace``: of the grid, for kernels whose CTAs wait for each other; their launches are cooperative.
    ``textures``, ``images``: the table of texture descriptors and what they show, for kernels that fetch texels.
    """

    addresses: Mapping[str, int]
    initial: Mapping[str, Bytes]
    heap: int = 0
    workspace: int = 0
    textures: int = 0
    images: int = 0

    def fill(self, contents: Sequence[Stored], addresses: Sequence[int]) -> None:
        """Put recorded values in place; ``addresses`` are those of the launch's buffers."""
        for one in contents:
            if one.section in self.initial:
                room = self.initial[one.section][one.offset : one.offset + one.data.size]
                room[:] = linked(one.data, one.links, addresses)[: room.size]


@dataclass(frozen=True, slots=True)
class Run:
    """What one side left behind.

    Attributes:
        memory: name of a buffer or section -> content after the launch.
        fault: empty, or what stopped it: ``trap``, ``assert``, ``address``, ``budget``, ...
        message: the fault's text.
        printed: calls of vprintf.
        executed: byte offsets of the SASS instructions that ran; empty for the emulator.
        sides: (byte offset of a branch, whether it was taken), as lanes went; empty for the emulator.
        instructions: of warps or waves.
        steps: of the interpreter.
        touched: bases of the ranges that were accessed; empty for the emulator.
        address, space: of the access that faulted.
        sums: name of a buffer or section -> byte offset -> floats that were added to there; empty for the emulator.
    """

    memory: Mapping[str, Bytes]
    fault: str = ""
    message: str = ""
    printed: tuple[Record, ...] = ()
    executed: frozenset[int] = frozenset()
    sides: frozenset[tuple[int, bool]] = frozenset()
    instructions: int = 0
    steps: int = 0
    touched: frozenset[int] = field(default=frozenset())
    address: int = 0
    space: str = ""
    sums: Mapping[str, Mapping[int, Sum]] = field(default_factory=dict)


class TracingMemory(Memory):
    """Remembers which ranges were accessed, and which floats were added to."""

    def __init__(self) -> None:
        super().__init__()
        self.touched: set[int] = set()
        self._sums: dict[int, Sum] = {}

    def note_additions(self, addresses: NDArray[np.uint64], summands: NDArray[np.floating]) -> None:
        sums.note(self._sums, self, addresses, summands)

    def sums(self) -> dict[str, dict[int, Sum]]:
        """By name of the range and byte offset in it; see `Run.sums`."""
        found: dict[str, dict[int, Sum]] = {}
        for address, one in self._sums.items():
            place = self.find(address)
            if place is not None and place.name:
                found.setdefault(place.name, {})[address - place.base] = one
        return found

    def _locate(self, addresses: NDArray[np.uint64], size: int, write: bool) -> list[tuple[Range, NDArray[np.intp]]]:
        found = super()._locate(addresses, size, write)
        self.touched.update(one.base for one, _ in found)
        return found

    def _single(self, address: int, size: int, *, write: bool) -> Range:
        """Of one lane: atomic operations."""
        one = super()._single(address, size, write=write)
        self.touched.add(one.base)
        return one


def _place_heap(cubin: Cubin, emulator: Emulator) -> int:
    """Memory on the emulator for a device heap; 0 for a cubin that does not allocate."""
    if not any(symbol.name in HEAP_FUNCTIONS and not symbol.section for symbol in cubin.symbols):
        return 0
    return emulator.alloc(heaps.span(heaps.units_in(_HEAP_BYTES)))


@dataclass(frozen=True, slots=True)
class Services:
    """Memory on the emulator of what kernels take from the runtime; 0 where a kernel does without."""

    heap: int = 0
    workspace: int = 0
    textures: int = 0
    images: int = 0

    @classmethod
    def place(cls, function: SassFunction, cubin: Cubin, emulator: Emulator) -> Services:
        workspace = emulator.alloc(WORKSPACE_BYTES) if synchronises(function) else 0
        table = pictures = 0
        if textures.fetches(function):
            pictures = emulator.alloc(textures.images().size)
            content = textures.table(pictures)
            table = emulator.alloc(content.size)
            emulator.write(table, content)
        return cls(_place_heap(cubin, emulator), workspace, table, pictures)


def place_variables(cubin: Cubin, emulator: Emulator, module: Module, services: Services | None = None) -> Variables:
    """Where the emulator has the sections that hold variables; sections that it cannot name stand elsewhere."""
    addresses: dict[str, int] = {}
    free = _UNPLACED
    for name in interp.VARIABLES:
        section = cubin.section(name)
        if section is None or not section.size:
            continue
        addresses[name] = free
        free += section.size + 4096
        for symbol in cubin.symbols:
            if symbol.section == name and symbol.kind == "OBJECT":
                found = emulator.global_variable(module, symbol.name)
                if found is not None:
                    addresses[name] = found[0] - symbol.value
                    break
    initial = {}
    space = CodeSpace.of(cubin)
    for name in addresses:
        section = cubin.sections[name]
        data = np.zeros(section.size, np.uint8)
        data[: len(section.data)] = np.frombuffer(section.data, np.uint8)
        for relocation in cubin.relocations.get(name, ()):
            value = interp.symbol_address(space, addresses, relocation.symbol) + relocation.addend
            data[relocation.offset : relocation.offset + 8] = np.frombuffer(value.to_bytes(8, "little"), np.uint8)
        initial[name] = data
    s = services or Services()
    return Variables(addresses, initial, s.heap, s.workspace, s.textures, s.images)


def on_reference(
    function: SassFunction,
    cubin: Cubin,
    launch: Launch,
    addresses: Sequence[int],
    variables: Variables,
    *,
    budget: int,
    order: interp.Order = interp.Order.TOGETHER,
    undefined: int = UNDEFINED,
    races: Races | None = None,
    shuffle: int | None = None,
    exact: bool = False,
    program: Program | None = None,
) -> Run:
    """The launch in the interpreter.

    Args:
        budget: steps of the interpreter.
        order: of warps and CTAs.
        undefined: what the bytes of shared and local memory are at first.
        shuffle: seed of the order of an atomic operation's lanes.
        exact: products of matrices are summed as NVIDIA's H100 does, and not one after the other.
        program: of the function, with the variables at their addresses, where it is at hand.
    """
    memory = TracingMemory()
    contents: dict[str, Bytes] = {}
    for index, (buffer, address) in enumerate(zip(launch.buffers, addresses, strict=True)):
        contents[buffer.name] = data = launch.content(index, addresses)
        memory.add(Range(address, data, buffer.name))
    for name, initial in variables.initial.items():
        contents[name] = data = initial.copy()
        memory.add(Range(variables.addresses[name], data, name))
    bank3 = contents.get(".nv.constant3", np.zeros(0, np.uint8))
    device = interp.Device(memory, bank3, variables.addresses)
    if variables.heap:
        device.heap = interp.place_heap(memory, variables.heap, _HEAP_BYTES)
        contents[interp.HEAP] = device.heap.data
    parameters = launch.parameters(addresses)
    if variables.textures:
        device.textures = variables.textures
        contents[textures.IMAGES] = pictures = textures.images()
        memory.add(Range(variables.textures, textures.table(variables.images), writable=False))
        memory.add(Range(variables.images, pictures, textures.IMAGES))
    if variables.workspace:
        memory.map(variables.workspace, WORKSPACE_BYTES)
    shape = interp.Launch(
        launch.grid,
        launch.block,
        launch.dynamic_shared,
        parameters,
        undefined,
        variables.workspace,
        chained=not exact,
    )
    try:
        outcome = interp.run(
            function, cubin, shape, device, budget=budget, order=order, races=races, shuffle=shuffle, program=program
        )
        run = Run(contents)
    except interp.Fault as fault:
        outcome = fault.until
        run = Run(contents, fault.kind, str(fault), address=fault.address, space=fault.space)
    return replace(
        run,
        printed=tuple((p.format_address, p.arguments) for p in outcome.printed),
        executed=outcome.executed,
        sides=outcome.sides,
        instructions=outcome.instructions,
        steps=outcome.steps,
        touched=frozenset(memory.touched),
        sums=memory.sums(),
    )


def on_emulator(
    emulator: Emulator,
    module: Module,
    kernel: Kernel,
    launch: Launch,
    addresses: Sequence[int],
    variables: Variables,
    *,
    max_instructions: int,
    descending: bool = False,
    shuffle: int | None = None,
) -> Run:
    """The launch of the translated kernel; the buffers at ``addresses`` are overwritten first.

    ``descending``: CTAs and waves have their turns from the last to the first; ``shuffle``: in an order of that seed.
    """
    for index, address in enumerate(addresses):
        emulator.write(address, launch.content(index, addresses))
    placed = {name: at for name, at in variables.addresses.items() if at < _UNPLACED or at >= _UNPLACED + (1 << 32)}
    for name, address in placed.items():
        emulator.write(address, variables.initial[name])
    if variables.workspace:
        emulator.write(variables.workspace, bytes(WORKSPACE_BYTES))
    heap = heaps.formatted(variables.heap, heaps.units_in(_HEAP_BYTES)) if variables.heap else None
    symbol = emulator.global_variable(module, _TEXTURES)
    if variables.textures and symbol is not None:
        emulator.write(symbol[0], variables.textures.to_bytes(8, "little") + bytes(8))
        emulator.write(variables.images, textures.images())
    named = emulator.global_variable(module, _HEAP)
    if heap is not None and named is not None:
        emulator.write(variables.heap, heap)
        emulator.write(named[0], variables.heap.to_bytes(8, "little") + bytes(8))
    fifo = _Fifo(emulator, module)
    fault = message = space = ""
    address = 0
    try:
        emulator.launch(
            kernel,
            launch.grid,
            launch.block,
            _arguments(kernel, launch.parameters(addresses), variables.workspace),
            dynamic_lds=launch.dynamic_shared,
            max_instructions=max_instructions,
            descending=descending,
            shuffle=shuffle,
        )
    except EmulatorFault as problem:
        fault, message = problem.kind, str(problem)
        address, space = problem.address, _SPACES.get(problem.kind, "")
    contents = {
        buffer.name: np.frombuffer(emulator.read(address, buffer.data.size), np.uint8)
        for buffer, address in zip(launch.buffers, addresses, strict=True)
    }
    for name, address in placed.items():
        contents[name] = np.frombuffer(emulator.read(address, variables.initial[name].size), np.uint8)
    if variables.textures:
        size = textures.images().size
        contents[textures.IMAGES] = np.frombuffer(emulator.read(variables.images, size), np.uint8)
    if heap is not None:
        contents[interp.HEAP] = np.frombuffer(emulator.read(variables.heap, heap.size), np.uint8)
    return Run(contents, fault, message, fifo.take(), address=address, space=space)


def _arguments(kernel: Kernel, parameters: bytes, workspace: int) -> bytes:
    """The kernel's explicit arguments: CUDA's parameters, and behind them the grid's workspace where it takes that."""
    behind = [a.offset for a in kernel.arguments if not a.hidden and a.offset >= len(parameters)]
    if not workspace or not behind:
        return parameters
    return parameters.ljust(behind[-1], b"\0") + workspace.to_bytes(8, "little")


class _Fifo:
    """The printf buffer of a code object, if it has one."""

    def __init__(self, emulator: Emulator, module: Module) -> None:
        self._emulator = emulator
        found = emulator.global_variable(module, PRINTF)
        self._address = 0
        if found is not None:
            self._address = emulator.alloc(_PRINTF_HEADER + _PRINTF_BYTES)
            emulator.write(self._address, bytes(4) + _PRINTF_BYTES.to_bytes(4, "little"))
            emulator.write(found[0], self._address.to_bytes(8, "little") + bytes(8))

    def take(self) -> tuple[Record, ...]:
        """The records, and the memory is given back."""
        if not self._address:
            return ()
        data = self._emulator.read(self._address, _PRINTF_HEADER + _PRINTF_BYTES)
        self._emulator.free(self._address)
        end = _PRINTF_HEADER + min(int.from_bytes(data[:4], "little"), _PRINTF_BYTES)
        records = []
        position = _PRINTF_HEADER
        while position + _RECORD_HEADER <= end:
            size = int.from_bytes(data[position : position + 4], "little")
            used = int.from_bytes(data[position + 4 : position + 8], "little")
            if size < _RECORD_HEADER or position + size > end:
                break
            format = int.from_bytes(data[position + 8 : position + 16], "little")
            records.append((format, data[position + 16 : position + 16 + min(used, size - _RECORD_HEADER)]))
            position += size
        return tuple(records)
