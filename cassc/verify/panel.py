"""The launches of one kernel, kept, so that many translations of it can be judged: second targets, mutants."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import TracebackType

from cassc.amdgpu.emulator import Emulator, Kernel, Module
from cassc.image.cubin import Cubin
from cassc.sass.disasm import SassFunction
from cassc.target import Target
from cassc.verify import compare, execute, scout
from cassc.verify.check import Checker, Trial
from cassc.verify.execute import Run
from cassc.verify.inputs import Failure, Generator
from cassc.verify.oracle import Case, Oracle
from cassc.verify.scout import Sight
from cassc.verify.verdict import Status, Verdict

_LIMIT = 4_000_000
"""Wave-instructions of a launch that is compared with another translation's only."""


_FIRST = 1000
"""Attempt from which these launches count, so that they are none of the check's."""
_STEPS = 20_000
"""Of the interpreter, for a launch that tells two translations apart."""
_SEARCHED_SECONDS = 3.0
"""Work for launches that are looked for as a check does, with another seed."""


def _follow(case: Case, oracle: Oracle, module: Module) -> bool:
    """Let a case's variables stand where another module has them. False where their addresses are seen in memory, so
    that what the SASS side left behind would be another."""
    old = case.variables
    new = execute.place_variables(oracle.cubin, oracle.emulator, module, oracle.services)
    if new.addresses == old.addresses:
        return True
    if old.heap or any(oracle.cubin.relocations.get(name) for name in old.initial):
        return False
    run = _moved_run(case.run, old, new)
    if run is None:
        return False
    case.run = run
    case.variables = replace(old, addresses=new.addresses)
    return True


def _moved_run(run: Run, old: execute.Variables, new: execute.Variables) -> Run | None:
    """What is left behind where the variables stand elsewhere. None where that cannot be said."""
    printed = [_moved(record, old, new.addresses) for record in run.printed]
    kept = tuple(record for record in printed if record is not None)
    return replace(run, printed=kept) if len(kept) == len(printed) else None


def _moved(record: execute.Record, old: execute.Variables, addresses: Mapping[str, int]) -> execute.Record | None:
    """A call of vprintf, its format where the variables are now; None where an argument may be an address of theirs."""
    format_address, arguments = record

    def section(address: int) -> str | None:
        places = old.addresses.items()
        return next((name for name, base in places if 0 <= address - base < len(old.initial[name])), None)

    for position in range(0, len(arguments) - 7, 4):
        if section(int.from_bytes(arguments[position : position + 8], "little")) is not None:
            return None
    name = section(format_address)
    return None if name is None else (format_address - old.addresses[name] + addresses[name], arguments)


class Panel:
    """Judges translations of one kernel by the launches that a check of ``code_object`` uses. A context manager.

    Attributes:
        verdict: on ``code_object`` itself.
        work: steps of the interpreter that the launches took.
    """

    def __init__(
        self,
        function: SassFunction,
        cubin: Cubin,
        code_object: bytes,
        target: Target,
        *,
        seconds: float,
        seed: int = 1,
        second: bytes | None = None,
    ) -> None:
        """``second``: the second translation, if it is at hand already; empty for none."""
        self._function, self._cubin, self._target = function, cubin, target
        self._seconds, self._seed = seconds, seed
        self._emulator = Emulator(target)
        module = self._emulator.load(code_object)
        self._oracle = Oracle(function, cubin, self._emulator, module, seed=seed)
        self._oracle.scouted(scout.second(function, cubin, target) if second is None else second)
        trial = Trial(self._oracle, module, module.kernels[function.name], keeping=True)
        blank = Verdict(function.name, target.name, "lift", Status.UNVERIFIED)
        self._cases: list[Case] = []
        found = None
        for case in self._oracle.cases(seconds, keep=True):
            found = found or trial.compare(case)
            self._cases.append(case)
        self._sights: list[Sight] = []
        for sight in self._oracle.sights(seconds):
            self._sights.append(sight)
        found = found or trial.compare_sights(self._sights)
        self.verdict = trial.verdict(blank, found)
        self.work = self._oracle.spent
        self._emulator.unload(module)

    def __enter__(self) -> Panel:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._emulator.close()

    def judge(self, code_object: bytes, *, alone: bool = False) -> Verdict:
        """What a check of another translation says, which this one's launches decide.

        ``alone``: without the second translation, as that would have the same mistake.
        """
        module = self._emulator.load(code_object)
        try:
            kernel = module.kernels.get(self._function.name)
            if kernel is None or not all(_follow(case, self._oracle, module) for case in self._cases):
                return self._afresh(code_object)
            trial = Trial(self._oracle, module, kernel, keeping=True)
            found = None
            for case in self._cases:
                found = trial.compare(case)
                if found is not None:
                    break
            if found is None:
                found = trial.compare_sights(self._sights, alone=alone)
            return trial.verdict(replace(self.verdict, counterexample=None), found)
        finally:
            self._emulator.unload(module)

    def _afresh(self, code_object: bytes) -> Verdict:
        with Checker(self._cubin, code_object, self._target, seed=self._seed) as checker:
            return checker.check(self._function, self.verdict.engine, seconds=self._seconds)


@dataclass(slots=True)
class _Sample:
    """A launch that one translation runs to the same end in two orders.

    ``defined``: the SASS side runs it without a fault and without races; None: not asked yet, as it takes long.
    """

    case: Case
    run: Run
    defined: bool | None = None


class Differential:
    """Compares translations with one of them, on many launches, without the SASS: to tell mutants that no check could
    reject from those that one should have. A context manager."""

    def __init__(
        self, function: SassFunction, cubin: Cubin, code_object: bytes, target: Target, *, launches: int, seed: int = 2
    ) -> None:
        self._function, self._cubin = function, cubin
        self._emulator = Emulator(target)
        self._module = self._emulator.load(code_object)
        self._oracle = Oracle(function, cubin, self._emulator, self._module, seed=seed)
        kernel = self._module.kernels[function.name]
        self._samples: list[_Sample] = []
        for case in self._oracle.cases(_SEARCHED_SECONDS, keep=True):
            self._take(kernel, case, defined=True)
        self._collect(kernel, self._oracle.generator, launches)
        self._emulator.unload(self._module)

    def _collect(self, kernel: Kernel, generator: Generator, launches: int) -> None:
        """Further launches, which the SASS side has not seen, up to so many in all."""
        for attempt in range(4 * launches):
            if len(self._samples) >= launches:
                return
            generator.scale = attempt % 4
            case = self._oracle.place(generator.launch(_FIRST + attempt))
            run = self._take(kernel, case)
            if run is not None:
                if run.space:
                    # Which buffers were touched is not known: all of them are pointers.
                    failure = Failure("address", run.address, run.space)
                    generator.learn(case.launch, case.addresses, frozenset(case.addresses), failure)
                self._oracle.release(case)

    def _take(self, kernel: Kernel, case: Case, *, defined: bool | None = None) -> Run | None:
        """Keep a launch that two orders run to the same end; otherwise what one of them left."""
        runs = [self._run(self._module, kernel, case, descending=way) for way in (False, True)]
        if runs[0].fault or runs[1].fault or self._differ(*runs):
            return runs[0]
        self._samples.append(_Sample(case, runs[0], defined))
        return None

    def __enter__(self) -> Differential:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._emulator.close()

    @property
    def launches(self) -> int:
        return len(self._samples)

    def tells(self, code_object: bytes) -> bool:
        """Whether any launch gives another result."""
        module = self._emulator.load(code_object)
        try:
            kernel = module.kernels.get(self._function.name)
            return kernel is None or any(
                self._other(module, kernel, sample) and self._defined(sample) for sample in self._samples
            )
        finally:
            self._emulator.unload(module)

    def reaches(self, code_object: bytes) -> bool:
        """Whether any launch ends in a fault: of a translation that traps at one place."""
        module = self._emulator.load(code_object)
        try:
            kernel = module.kernels[self._function.name]
            return any(
                _follow(sample.case, self._oracle, module) and bool(self._run(module, kernel, sample.case).fault)
                for sample in self._samples
            )
        finally:
            self._emulator.unload(module)

    def _defined(self, sample: _Sample) -> bool:
        if sample.defined is None:
            run, racing = self._oracle.watched(sample.case, _STEPS)
            sample.defined = run.fault in ("", "budget") and not racing
        return sample.defined

    def _other(self, module: Module, kernel: Kernel, sample: _Sample) -> bool:
        before = sample.case.variables
        if not _follow(sample.case, self._oracle, module):
            return False
        expected = _moved_run(sample.run, before, sample.case.variables)
        if expected is None:
            return False
        sample.run = expected
        run = self._run(module, kernel, sample.case)
        return bool(run.fault) or self._differ(expected, run)

    def _run(self, module: Module, kernel: Kernel, case: Case, *, descending: bool = False) -> Run:
        return execute.on_emulator(
            self._emulator,
            module,
            kernel,
            case.launch,
            case.addresses,
            case.variables,
            max_instructions=_LIMIT,
            descending=descending,
        )

    def _differ(self, a: Run, b: Run) -> bool:
        halves = self._oracle.hints.halves
        return a.printed != b.printed or any(
            compare.differing(content, b.memory[name], halves=halves).any() for name, content in a.memory.items()
        )
