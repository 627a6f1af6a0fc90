"""The reference interpreter: a kernel launch on SASS, with nothing assumed of the target of a translation.

CTAs run one after another (or several at a time, for kernels that wait for each other), the warps of a CTA in turns. A
warp's lanes have a program counter each; those at the lowest one run together, unless others starve. BSSY/BSYNC,
WARPSYNC and the collective sequences make lanes wait for each other as the hardware does. What CUDA leaves undefined
gives some result; what the hardware would report is a `Fault`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableSequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np

from cassc import diag
from cassc.diag import CasscError, Diagnostic, Location, Severity
from cassc.image.cubin import Cubin
from cassc.sass.codespace import CodeSpace
from cassc.sass.crew import Crew
from cassc.sass.crew import Order as Order
from cassc.sass.cta import UNDEFINED, Cta
from cassc.sass.disasm import SassFunction, disassemble
from cassc.sass.externals import HEAP_FUNCTIONS
from cassc.sass.heap import DEFAULT_BYTES, Heap, formatted, units_in
from cassc.sass.machine import Halt
from cassc.sass.memory import AccessError, Bytes, Memory, Range
from cassc.sass.program import Program
from cassc.sass.races import Races

Dim = tuple[int, int, int]

DEFAULT_BUDGET = 20_000_000
# Steps after which other CTAs have their turn, if there are any: those that wait for others do so by polling.
_TURN, _SHARED_TURN = 100_000, 200


@dataclass(frozen=True, slots=True)
class Launch:
    """Attributes:
    grid, block: as in CUDA, x y z.
    dynamic_shared: bytes behind the static shared memory.
    parameters: the parameter block, at least `KernelAbi.param_size` bytes.
    undefined: what every byte of shared and local memory holds at first.
    workspace: address of `grid.WORKSPACE_BYTES` zeros in a cooperative launch, whose CTAs all run at the same time;
        0 in others.
    chained: products of matrices are added and rounded one after the other, as translations may do it, and not as the
        hardware does (`cassc.sass.tensor_sum`).
    """

    grid: Dim
    block: Dim
    dynamic_shared: int = 0
    parameters: bytes = b""
    undefined: int = UNDEFINED
    workspace: int = 0
    chained: bool = False


@dataclass(frozen=True, slots=True)
class Printed:
    """A call of vprintf: device addresses of format and arguments, and the argument bytes as CUDA lays them out."""

    format: bytes
    format_address: int
    arguments: bytes


@dataclass(frozen=True, slots=True)
class Outcome:
    """Attributes:
    instructions: executed, counted for each warp.
    executed: byte offsets of the instructions that ran in any lane (coverage).
    printed: in order of execution.
    steps: what `run`'s budget counts.
    sides: (byte offset of a transfer of control, whether it was taken), as lanes went.
    """

    instructions: int
    executed: frozenset[int]
    printed: tuple[Printed, ...] = ()
    steps: int = 0
    sides: frozenset[tuple[int, bool]] = frozenset()


class Fault(CasscError):
    """What the hardware would report as an error of the launch.

    Attributes:
        kind: ``address``, ``misaligned``, ``trap``, ``assert``, ``budget``, ``deadlock``, ``barrier`` (more
            threads than it waits for), ``instruction``.
        address, space: of the access (``global``, ``shared``, ``local``, ``c[0x3]``), 0 and empty where there is none.
        until: what ran up to the fault.
    """

    def __init__(self, kind: str, message: str, location: Location, address: int = 0, space: str = "") -> None:
        super().__init__(Diagnostic(Severity.ERROR, f"sass-fault-{kind}", message, location))
        self.kind = kind
        self.address = address
        self.space = space
        self.until = Outcome(0, frozenset())


@dataclass(slots=True)
class Device:
    """A module's variables in memory, with their addresses; kept between launches.

    Attributes:
        memory: global memory; `load_module` adds the module's variables to it.
        bank3: bytes of ``__constant__`` variables (writable by the host between launches).
        addresses: section name -> base address of ``.nv.global``, ``.nv.global.init``, ``.nv.constant3``.
        heap: behind malloc and free; a program that needs one and has none gets one of the usual size.
        textures: address of the table of texture descriptors (``sass.textures.descriptor``).
    """

    memory: Memory
    bank3: Bytes = field(default_factory=lambda: np.zeros(0, np.uint8))
    addresses: Mapping[str, int] = field(default_factory=dict)
    heap: Heap | None = None
    textures: int = 0


HEAP = "device heap"
VARIABLES = (".nv.global", ".nv.global.init", ".nv.constant3")
DEFAULT_MODULE_BASE = 0x7F00_0000_0000
DEFAULT_HEAP_BASE = 0x7E80_0000_0000


def load_module(cubin: Cubin, memory: Memory | None = None, base: int = DEFAULT_MODULE_BASE) -> Device:
    """Places a cubin's variables, initialised, from ``base`` on; relocated words get their addresses."""
    memory = memory if memory is not None else Memory()
    addresses: dict[str, int] = {}
    arrays: dict[str, Bytes] = {}
    place = base
    for name in VARIABLES:
        section = cubin.section(name)
        if section is None or not section.size:
            continue
        align = max(section.align, 16)
        place = -(-place // align) * align
        data = np.zeros(section.size, np.uint8)
        data[: len(section.data)] = np.frombuffer(section.data, np.uint8)
        memory.add(Range(place, data, name))
        addresses[name], arrays[name] = place, data
        place += section.size + 256
    space = CodeSpace.of(cubin)
    for name, data in arrays.items():
        for relocation in cubin.relocations.get(name, ()):
            value = symbol_address(space, addresses, relocation.symbol) + relocation.addend
            data[relocation.offset : relocation.offset + 8] = np.frombuffer(value.to_bytes(8, "little"), np.uint8)
    return Device(memory, arrays.get(".nv.constant3", np.zeros(0, np.uint8)), addresses)


def symbol_address(space: CodeSpace, addresses: Mapping[str, int], name: str) -> int:
    """Device address of a variable, or the code address of a function. KeyError if the cubin does not define it."""
    symbol = space.symbols[name]
    if not symbol.section:
        raise KeyError(name)
    code = space.address(symbol)
    return addresses.get(symbol.section, 0) + symbol.value if code is None else code


def place_heap(memory: Memory, base: int, size: int) -> Heap:
    """An empty heap at ``base`` that has ``size`` bytes for blocks."""
    data = formatted(base, units_in(size))
    memory.add(Range(base, data, HEAP))
    return Heap(base, data)


def run(
    function: SassFunction | str,
    cubin: Cubin,
    launch: Launch,
    device: Device | Memory,
    *,
    budget: int = DEFAULT_BUDGET,
    resident: int = 1,
    order: Order = Order.TOGETHER,
    races: Races | None = None,
    shuffle: int | None = None,
    program: Program | None = None,
) -> Outcome:
    """Execute a launch; global memory changes in place.

    Args:
        function: a kernel of the cubin, disassembled, or its name.
        device: memory and module variables (`load_module`); a bare Memory is taken to hold no variables, and those of
            the cubin are placed in it.
        budget: steps after which the launch is given up. A step is one instruction, executed by all the warps of a CTA
            that stand at it; time goes with steps.
        resident: CTAs that run at the same time; more than one for kernels whose CTAs wait for each other.
        order: of warps and CTAs, to find out what depends on it.
        races: watches the accesses; needs ``resident`` to be 1.
        shuffle: seed of the order in which lanes perform an atomic operation, of which lanes run first where they have
            parted, and of the turns of CTAs that run at the same time; None: in ascending order. Where ``order``
            descends, the lanes of an atomic operation do.
        program: of the function, cubin and variables' addresses, where it is at hand: making it takes as long as
            some launches.

    Raises Fault, and other CasscErrors for instructions that have no meaning.
    """
    if isinstance(function, str):
        found = disassemble(cubin).function(function)
        if found is None:
            raise diag.error("sass-no-kernel", f"the cubin has no kernel '{function}'")
        function = found
    if isinstance(device, Memory):
        device = load_module(cubin, device)
    if program is None:
        program = Program.of(function, cubin, device.addresses)
    if device.heap is None and HEAP_FUNCTIONS & set(program.externals.values()):
        device.heap = place_heap(device.memory, DEFAULT_HEAP_BASE, DEFAULT_BYTES)
    if len(launch.parameters) < function.abi.param_size:
        raise diag.error(
            "sass-bad-launch",
            f"the parameter block has {len(launch.parameters)} bytes, the kernel takes {function.abi.param_size}",
        )
    if function.abi.cluster != (1, 1, 1):
        raise diag.error("sass-bad-launch", f"clusters of {function.abi.cluster} blocks are not supported")
    threads = launch.block[0] * launch.block[1] * launch.block[2]
    if not 1 <= threads <= 1024 or min(launch.grid) < 1:
        raise diag.error("sass-bad-launch", f"impossible launch: grid {launch.grid}, block {launch.block}")
    shuffler = None if shuffle is None else _Backwards(shuffle) if order is Order.DESCENDING else Random(shuffle)
    if launch.workspace:
        races = None  # which watches one CTA at a time
        resident = max(resident, launch.grid[0] * launch.grid[1] * launch.grid[2])
    return _Run(program, launch, device, budget, order, races, shuffler).all(resident)


class _Backwards(Random):
    """Gives lists back in reverse, for an order that has nothing in common with the plain one."""

    def shuffle(self, x: MutableSequence[Any]) -> None:
        x.reverse()


class _Run:
    def __init__(
        self,
        program: Program,
        launch: Launch,
        device: Device,
        budget: int,
        order: Order,
        races: Races | None,
        shuffler: Random | None,
    ) -> None:
        self.program = program
        self.launch = launch
        self.device = device
        self.budget = budget
        self.order = order
        self.races = races
        self.shuffler = shuffler
        self.printed: list[Printed] = []
        self.executed: set[int] = set()
        self.sides: set[tuple[int, bool]] = set()
        self.instructions = 0
        self.steps = 0

    @property
    def outcome(self) -> Outcome:
        return Outcome(
            self.instructions, frozenset(self.executed), tuple(self.printed), self.steps, frozenset(self.sides)
        )

    def _ctas(self) -> Iterator[Crew]:
        nx, ny, nz = self.launch.grid
        count = nx * ny * nz
        for number in reversed(range(count)) if self.order is Order.DESCENDING else range(count):
            yield self._crew((number % nx, number // nx % ny, number // (nx * ny)))

    def _crew(self, index: Dim) -> Crew:
        launch, device = self.launch, self.device
        cta = Cta(
            self.program,
            launch.grid,
            launch.block,
            index,
            launch.dynamic_shared,
            launch.parameters,
            device.memory,
            device.bank3,
            undefined=launch.undefined,
            races=self.races,
            heap=device.heap,
            workspace=launch.workspace,
            textures=device.textures,
        )
        crew = Crew(cta, order=self.order, shuffler=self.shuffler)
        crew.machine.chained = launch.chained
        return crew

    def all(self, resident: int) -> Outcome:
        waiting = self._ctas()
        active: list[Crew] = []
        try:
            with np.errstate(all="ignore"):
                while True:
                    while len(active) < resident and (crew := next(waiting, None)) is not None:
                        active.append(crew)
                    if not active:
                        return self.outcome
                    turns = list(active)
                    length = _TURN if len(active) == 1 else _SHARED_TURN
                    if len(active) > 1 and self.shuffler is not None:
                        self.shuffler.shuffle(turns)
                        length = self.shuffler.randint(1, length)
                    for crew in turns:
                        self._turn(crew, length)
                    if all(crew.stuck and not crew.finished and not crew.wrote for crew in active):
                        raise self._fault("deadlock", "every thread waits for another one", active[0].cta)
                    active = [crew for crew in active if not crew.finished]
        except Fault as fault:
            fault.until = self.outcome
            raise

    def _turn(self, crew: Crew, length: int) -> None:
        cta = crew.cta
        before, steps = cta.instructions, cta.steps
        try:
            crew.turn(min(length, self.budget - self.steps))
        except Halt as halt:
            raise self._fault(halt.kind, halt.message, cta) from None
        except AccessError as problem:
            what = "write" if problem.write else "read"
            kind = "misaligned" if problem.misaligned else "address"
            quality = "misaligned" if problem.misaligned else "invalid"
            message = f"{quality} {problem.space} {what} of {problem.size} bytes at {problem.address:#x}"
            raise self._fault(kind, message, cta, problem.address, problem.space) from None
        except CasscError as problem:
            raise self._located(problem, cta) from None
        finally:
            self.instructions += cta.instructions - before
            self.steps += cta.steps - steps
            self.executed |= cta.executed
            self.sides |= cta.sides
            self.printed += [Printed(*record) for record in cta.take_printed()]
        if self.steps >= self.budget:
            raise self._fault("budget", f"the launch was given up after {self.budget} steps", cta)

    def _location(self, cta: Cta) -> Location:
        instruction = self.program.at.get(cta.address)
        function = self.program.function
        if instruction is not None:
            return function.location(instruction)
        return Location(kernel=function.name, sm=function.arch.name, address=cta.address)

    def _fault(self, kind: str, message: str, cta: Cta, address: int = 0, space: str = "") -> Fault:
        x, y, z = cta.index
        return Fault(kind, f"{message} (block {x},{y},{z})", self._location(cta), address, space)

    def _located(self, problem: CasscError, cta: Cta) -> CasscError:
        place = self._location(cta)
        return CasscError(
            *(
                d if d.location.kernel else Diagnostic(d.severity, d.id, d.message, place, d.notes)
                for d in problem.diagnostics
            ),
            status=problem.status,
        )
