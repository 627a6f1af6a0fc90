"""The SASS side of a check: launches of a kernel and what the reference interpreter makes of them.

Launches depend on the kernel, the seed and the amount of work allowed, and on nothing else: neither on the translation
that they will be compared with nor on how busy the machine is. So a verdict can be had again anywhere, and one oracle
serves many translations (two targets, two engines, hundreds of mutants).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from cassc.amdgpu.emulator import Emulator, Kernel, Module
from cassc.image.cubin import Cubin
from cassc.sass import cfg, interp
from cassc.sass.cta import UNDEFINED
from cassc.sass.disasm import SassFunction
from cassc.sass.program import Program
from cassc.sass.races import Races
from cassc.verify import execute, hints, scout
from cassc.verify.comparisons import Comparisons
from cassc.verify.coverage import Coverage
from cassc.verify.disturb import disturbed
from cassc.verify.execute import Run, Variables
from cassc.verify.inputs import Failure, Generator, Launch
from cassc.verify.scout import Scout, Sight
from cassc.verify.search import Search
from cassc.verify.shapes import Shapes

STEPS_PER_SECOND = 40_000
"""Steps of the interpreter that stand for one second, of a small CTA: about what it does on one core of 2020."""
_THREADS_PER_STEP = 1024
"""Threads that make a step as much longer again."""
MAX_ATTEMPTS = 200
MOST_LAUNCHES = 64
"""Enough, unless launches keep showing something new."""
_STALE, _DRAWN = 24, 27
_FAR_TOO_MANY = 120
FAULTS_OF_THE_PROGRAM = ("trap", "assert")
_LOOKED_SHARE = 0.6
"""Of the work, for launches that a second translation is compared on; this comes on top."""
LOOKED_AT = 10_000
"""Number of the first launch that is looked at."""
_MOST_SIGHTS = 400
_FEWEST_SIGHTS = 80
"""Of a kernel without instructions; each of them asks for one more."""
_LONGEST_SIGHT = 20_000
"""Steps of the interpreter for one."""
_PROBED_SHARE = 0.1
"""Of the work, for those of them that the interpreter runs, too."""
_PROBED = (12, 2, 25)
"""Up to a number of these one in so many, and later one in so many, is run in the interpreter whatever it shows: that
tells which CTAs the kernel is made for."""
_FAR = 0.75
"""Share of the instructions that any launch has reached; what reaches less says nothing of its CTA."""
# What making a launch is worth, in steps.
_ATTEMPT_STEPS = 300
_GAP = 1 << 20
# Runs that tell what depends on the order of warps and of an atomic operation's lanes, or on memory that nobody has
# written: order, undefined bytes, seed.
_OTHER_RUNS = (
    (interp.Order.ASCENDING, 0x00, 1),
    (interp.Order.DESCENDING, 0xFF, 2),
    (interp.Order.TOGETHER, UNDEFINED, 7),
)
# More orders of sums of floats, to see how far rounding moves them, and of CTAs that run at the same time.
_MORE_ORDERS = tuple((interp.Order.TOGETHER, UNDEFINED, seed) for seed in range(3, 7))


@dataclass(slots=True, eq=False)
class Case:
    """A launch that the SASS side runs to a defined end, with its buffers in place.

    Attributes:
        addresses: of the launch's buffers, in their order.
        run: what the SASS leaves behind.
        budget: steps that its other runs may take.
        varied: module variables hold made-up numbers.
        racing: its threads race, so that its results are undefined.
    """

    launch: Launch
    addresses: list[int]
    variables: Variables
    run: Run
    budget: int
    varied: bool = False
    racing: bool = False
    nudged: list[Run] = field(default_factory=list)
    reordered: tuple[Run, ...] | None = None
    exact: Run | None = None

    @property
    def work(self) -> int:
        """Of its first run, in steps of a small CTA."""
        x, y, z = self.launch.block
        return self.run.steps + self.run.steps * x * y * z // _THREADS_PER_STEP


class Oracle:
    """Attributes:
    generator: of launches, with what they taught.
    coverage: what the cases reached so far.
    last_refusal: why the last launch that could not be used could not be.
    spent: work done, in steps of a small CTA.
    """

    def __init__(
        self, function: SassFunction, cubin: Cubin, emulator: Emulator, module: Module, *, seed: int = 1
    ) -> None:
        self.function = function
        self.cubin = cubin
        self.emulator = emulator
        self.module = module
        self.hints = hints.of(function)
        self.coverage = Coverage(function, cfg.build(function))
        self.last_refusal = ""
        self.spent = 0
        self.services = execute.Services.place(function, cubin, emulator)
        self.generator = Generator(function.abi, self.hints, seed)
        self.comparisons = Comparisons()
        self.search = Search(function, self.generator, self.coverage, self.comparisons)
        self._looking = self.comparisons.watched(function)
        self._programs: dict[tuple[int, tuple[tuple[str, int], ...]], Program] = {}
        self._vary_variables = True
        self._seen: dict[int, Case] = {}
        self.scout: Scout | None = None

    def scouted(self, code_object: bytes) -> None:
        """From now on launches are looked at by a second translation; none if it is empty."""
        self.scout = scout.make(self.function, self.cubin, self.emulator, self.services, self.hints, code_object)

    def cases(self, seconds: float, only: int | None = None, *, keep: bool = False) -> Iterator[Case]:
        """Generated launches, until there are enough, or the work is done that ``seconds`` stand for.

        ``only``: that attempt alone; those before it are run for what they teach. ``keep``: the buffers stay where
        they are when the next case is asked for. Raises CasscError for SASS that the interpreter cannot run.
        """
        found = in_a_row = 0
        work = seconds * STEPS_PER_SECOND
        whole = only is None or only >= LOOKED_AT
        for attempt in range(MAX_ATTEMPTS if whole or only is None else only + 1):
            if whole and self._enough(found, self.spent / work):
                return
            launch, drawn = self.search.launch(attempt)
            if self._given_up(launch, drawn):
                continue
            self.comparisons.begin()
            case = self._attempt(launch)
            self.spent += case.work + _ATTEMPT_STEPS
            if case.run.fault and case.run.fault not in FAULTS_OF_THE_PROGRAM:
                if drawn:  # what was looked for goes wrong more often, and teaches less
                    in_a_row = 0
                    self._failed(case)
                self.release(case)
                continue
            if drawn:
                self.generator.judge(case.launch, case.run.steps, racing=case.racing)
            if case.racing:
                self.last_refusal = "its threads race for memory, so its results are undefined"
                self.release(case)
                continue
            new = self.coverage.add(case.run)
            if not case.run.fault:
                self.search.succeeded(launch, new=new)
                found += 1
                in_a_row += 1
                if in_a_row % 2 == 0:
                    self.generator.encourage()
            if only is None or attempt == only:
                yield case
            if not keep:
                self.release(case)

    def _given_up(self, launch: Launch, drawn: bool) -> bool:
        """Whether the launch is given up at once, as the second translation does not come to an end."""
        if self.scout is None:
            return False
        case = self.place(launch)
        before = self.scout.spent
        endless = self.scout.endless(launch, case.addresses, self._vary, self.generator.patience)
        self.spent += self.scout.spent - before
        if endless and drawn:
            case.run = Run({}, "budget", "the launch does not end", touched=frozenset(case.addresses))
            self._failed(case)
        self.release(case)
        return endless

    def sights(self, seconds: float) -> Iterator[Sight]:
        """Launches for a second translation, to be asked for after the cases. Their buffers stay in place; `forget`
        gives them back. What it makes of them and the interpreter's lessons decide which follow, and nothing else."""
        if self.scout is None:
            return
        shapes = Shapes(self.generator.most_threads, self.hints.dimensions)
        fixed = bool(self.generator.abi.required_threads or self.hints.barriers)
        end = self.scout.spent + _LOOKED_SHARE * seconds * STEPS_PER_SECOND
        most_spent = self.spent + _PROBED_SHARE * seconds * STEPS_PER_SECOND
        found = 0
        reached = set(self.coverage.executed)
        most = min(_FEWEST_SIGHTS + len(self.function.instructions), _MOST_SIGHTS)
        for attempt in range(LOOKED_AT, LOOKED_AT + 2 * most + 100):
            if self.scout.spent >= end or found >= most:
                return
            random = np.random.default_rng([self.generator.seed, attempt, 19])
            with self.generator.at_scale(int(random.integers(6)), cautious=random.random() < 0.5):
                launch, drawn = self.search.launch(attempt)
            if not fixed and (drawn or random.random() < 0.5):
                launch = shapes.shaped(random, launch, self.generator.dynamic_shared)
            case = self.place(launch)
            sight = self.scout.look(launch, case.addresses, self._vary)
            if sight is None:
                if self.scout.fault.fault:
                    shapes.note(launch, right=False)
                    self._lesson(case, self.scout.fault)
                self.release(case)
                continue
            found += 1
            few, often, seldom = _PROBED
            if found % (often if found <= few else seldom) == 1 and self.spent < most_spent:
                sight.probed = True
                case = self.at(sight, self.module, learn=True)
                self.spent += case.work + _ATTEMPT_STEPS
                reached |= case.run.executed
                if len(case.run.executed) >= _FAR * len(reached):
                    shapes.note(launch, right=bool(sight.usable))
                if sight.usable:
                    new = self.coverage.add(case.run)
                    self.search.succeeded(launch, new=new)
            yield sight

    def at(self, sight: Sight, module: Module, *, learn: bool = False) -> Case:
        """The launch of a sight, run, for a translation. ``sight.usable``: whether the SASS comes to a defined end.

        ``learn``: the search is told what was seen. Not of launches that a translation is the reason for, since those
        that follow must not depend on it.
        """
        variables = execute.place_variables(self.cubin, self.emulator, module, self.services)
        known = self._seen.get(id(sight))
        if known is not None and known.variables.addresses == variables.addresses:
            return known
        varied = self._vary(variables, sight.launch)
        case = Case(sight.launch, sight.addresses, variables, Run({}), _LONGEST_SIGHT, varied)
        if learn:
            self.comparisons.begin()
            case.run, case.racing = self.watched(case, _LONGEST_SIGHT)
        else:
            races = Races()
            case.run = self._run(case, races=races)
            case.racing = races.found
        sight.usable = not case.racing and not case.run.fault
        self._seen[id(sight)] = case
        return case

    def suspicious(self, sight: Sight, module: Module, kernel: Kernel) -> bool:
        """Whether a translation differs from the second one."""
        return self.scout is not None and self.scout.differs(sight, module, kernel, self._vary)

    def forget(self, sight: Sight) -> None:
        self._seen.pop(id(sight), None)
        for address in sight.addresses:
            self.emulator.free(address)

    def _lesson(self, case: Case, run: Run) -> None:
        """Of a fault of the second translation; which buffers were touched is not known."""
        if run.space:
            failure = Failure("address", run.address, run.space)
            self.generator.learn(case.launch, case.addresses, frozenset(case.addresses), failure)

    def recorded(self, launches: Iterable[Launch], budget: int) -> Iterator[Case]:
        """Launches that were recorded; they may end in any fault. ``budget``: steps for each."""
        for launch in launches:
            case = self._attempt(launch, budget)
            self.spent += case.work
            self.coverage.add(case.run)
            yield case
            self.release(case)

    def _enough(self, found: int, share: float) -> bool:
        """``share``: of the work that may be done."""
        if share >= 1 or found >= _FAR_TOO_MANY:
            return True
        stale = self.search.stale >= (_STALE if self.coverage.missed else _STALE // 2)
        return stale and found >= MOST_LAUNCHES and self.search.drawn >= _DRAWN

    def _attempt(self, launch: Launch, budget: int = 0) -> Case:
        case = self.place(launch, budget)
        case.run, case.racing = self.watched(case, case.budget)
        return case

    def watched(self, case: Case, budget: int) -> tuple[Run, bool]:
        """The launch in the interpreter, and whether its threads race."""
        races = Races()
        case.budget = budget
        return self._run(case, races=races, function=self._looking), races.found

    def place(self, launch: Launch, budget: int = 0) -> Case:
        """The launch with its buffers in place, not run yet. ``budget``: of recorded launches, in steps."""
        addresses = self._apart([buffer.data.size for buffer in launch.buffers])
        variables = execute.place_variables(self.cubin, self.emulator, self.module, self.services)
        variables.fill(launch.variables, addresses)
        varied = not budget and self._vary(variables, launch)
        steps = budget or self.generator.patience
        return Case(launch, addresses, variables, Run({}), steps, varied)

    def _apart(self, sizes: Sequence[int]) -> list[int]:
        """Memory with nothing close behind, so that what runs over the end does not land in the next buffer."""
        addresses, gaps = [], []
        for size in sizes:
            addresses.append(self.emulator.alloc(size))
            gaps.append(self.emulator.alloc(_GAP))
        for gap in gaps:
            self.emulator.free(gap)
        return addresses

    def release(self, case: Case) -> None:
        """Give its buffers back."""
        for address in case.addresses:
            self.emulator.free(address)

    def _failed(self, case: Case) -> None:
        run = case.run
        self.last_refusal = run.message
        if case.varied:
            self._vary_variables = False
            return
        self.generator.learn(case.launch, case.addresses, run.touched, Failure(run.fault, run.address, run.space))

    def _vary(self, variables: Variables, launch: Launch) -> bool:
        """Variables that are all zero are filled by the host in real programs; zeros would test nothing.

        True if others than constants were filled: that may be what makes the launch go wrong.
        """
        varied = False
        attempt = launch.attempt
        random = np.random.default_rng([launch.seed, attempt, 3])
        for name, bank in variables.initial.items():
            constant = name == ".nv.constant3"
            if not attempt or bank.any() or not self._vary_variables or not (constant or attempt % 4 == 3):
                continue
            words = random.integers(0, 16 if attempt % 4 < 3 else 4, -(-bank.size // 4)).astype(np.uint32)
            if attempt % 2 and constant:
                words = random.normal(0, 2, words.size).astype(np.float32).view(np.uint32)
            bank[:] = words.view(np.uint8)[: bank.size]
            varied |= not constant
        return varied

    # Further runs of a case, made when they are asked for first ---------------------------------------------------
    def nudged(self, case: Case, count: int) -> list[Run]:
        """``count`` with approximating instructions off by their stated error; of these those that end well."""
        for k in range(len(case.nudged), count):
            case.nudged.append(self._run(case, function=disturbed(self.function, k)))
        return [run for run in case.nudged if not run.fault]

    def exact(self, case: Case) -> Run:
        """With products of matrices that are summed as NVIDIA's H100 does."""
        if case.exact is None:
            case.exact = self._run(case, exact=True)
        return case.exact

    def reordered(self, case: Case) -> tuple[Run, ...]:
        """In other orders of warps and CTAs, with other bytes in memory that nobody has written."""
        if case.reordered is None:
            runs = _OTHER_RUNS + (_MORE_ORDERS if self.hints.atomic_floats or case.variables.workspace else ())
            case.reordered = tuple(self._run(case, *run) for run in runs)
        return case.reordered

    def _run(
        self,
        case: Case,
        order: interp.Order = interp.Order.TOGETHER,
        undefined: int = UNDEFINED,
        shuffle: int | None = None,
        function: SassFunction | None = None,
        races: Races | None = None,
        exact: bool = False,
    ) -> Run:
        budget = case.budget if order is interp.Order.TOGETHER else case.budget * (case.launch.warps + 1)
        function = function or self.function
        return execute.on_reference(
            function,
            self.cubin,
            case.launch,
            case.addresses,
            case.variables,
            budget=budget,
            order=order,
            undefined=undefined,
            races=races,
            shuffle=shuffle,
            exact=exact,
            program=self._program(function, case.variables),
        )

    def _program(self, function: SassFunction, variables: Variables) -> Program | None:
        """Kept for the two forms of the function that run again and again."""
        if function is not self.function and function is not self._looking:
            return None
        key = (id(function), tuple(variables.addresses.items()))
        if key not in self._programs:
            self._programs[key] = Program.of(function, self.cubin, variables.addresses)
        return self._programs[key]
