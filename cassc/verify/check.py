"""The checker: generated launches on the emulator and in the reference interpreter, compared."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from types import TracebackType

import numpy as np

from cassc.amdgpu.emulator import Emulator, Kernel, Module
from cassc.diag import CasscError
from cassc.image.cubin import Cubin
from cassc.sass import cfg, interp
from cassc.sass.cta import UNDEFINED
from cassc.sass.disasm import SassFunction
from cassc.sass.races import Races
from cassc.target import Target
from cassc.verify import compare, execute, hints
from cassc.verify.compare import Mask
from cassc.verify.coverage import Coverage
from cassc.verify.disturb import disturbed
from cassc.verify.execute import Run, Variables
from cassc.verify.hints import Hints
from cassc.verify.inputs import Failure, Generator, Launch
from cassc.verify.verdict import Counterexample, Status, Verdict

MAX_ATTEMPTS = 40
ENOUGH_LAUNCHES = 6
MOST_LAUNCHES = 16
# Steps of the interpreter for one launch; it does about twenty thousand in a second.
_BUDGET = 10_000
# A wave that needs more than this many instructions for each of the warp's is stuck.
_EXPANSION = 50
_SLACK = 200_000
_FAULTS_OF_THE_PROGRAM = {"trap": "trap", "assert": "trap"}
# On a busy machine a check may last this many times its processor time.
_PATIENT_WITH_OTHERS = 6
_NUDGES = 4
# Runs that tell what depends on the order of warps, or on memory that nobody has written.
_OTHER_RUNS = ((interp.Order.ASCENDING, 0x00), (interp.Order.DESCENDING, 0xFF))


class Checker:
    """Checks the kernels of one code object. Use as a context manager."""

    def __init__(self, cubin: Cubin | None, code_object: bytes, target: Target, *, seed: int = 1) -> None:
        self._cubin = cubin
        self._target = target
        self._seed = seed
        self._code_object = code_object
        self._emulator: Emulator | None = None
        self._module: Module | None = None
        self._problem = ""

    def __enter__(self) -> Checker:
        try:
            self._emulator = Emulator(self._target)
            self._module = self._emulator.load(self._code_object)
        except CasscError as problem:
            self._problem = str(problem)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._emulator is not None:
            self._emulator.close()

    def check(self, function: SassFunction, engine: str, *, seconds: float, attempt: int | None = None) -> Verdict:
        """Run launches until enough agree, one differs, or the time is up.

        ``seconds``: of processor time, so that verdicts do not depend on what else the machine does.
        ``attempt``: compare that launch only; those before it are run for what they teach, whatever the time.

        Rejected: a launch that is right on the SASS side differs or faults on the other. Unverified: none could be
        run, with the reason.
        """
        verdict = Verdict(function.name, self._target.name, engine, Status.UNVERIFIED)
        if seconds <= 0:
            return replace(verdict, reason="checking is switched off")
        if self._emulator is None or self._module is None or self._cubin is None:
            return replace(verdict, reason=self._problem or "no emulator")
        kernel = self._module.kernels.get(function.name)
        if kernel is None:
            return replace(verdict, status=Status.REJECTED, reason="the code object does not hold the kernel")
        found = hints.of(function, self._cubin)
        session = _Session(
            self._emulator,
            self._module,
            kernel,
            self._cubin,
            function,
            found,
            Generator(function.abi, found, self._seed),
            Coverage(function, cfg.build(function, self._cubin.kernel(function.name))),
        )
        return session.run(verdict, seconds, attempt)


class _NotComparable(Exception):
    """The launch has no defined result."""


@dataclass(frozen=True, slots=True)
class _Placed:
    """A launch with its buffers and the module's variables at their addresses."""

    launch: Launch
    addresses: list[int]
    variables: Variables


@dataclass(slots=True)
class _Session:
    """One kernel: launches tried so far and what they told."""

    emulator: Emulator
    module: Module
    kernel: Kernel
    cubin: Cubin
    function: SassFunction
    hints: Hints
    generator: Generator
    coverage: Coverage
    launches: int = 0
    traps: int = 0
    in_a_row: int = 0
    order_dependent: bool = False
    vary_variables: bool = True
    last_refusal: str = ""

    def run(self, verdict: Verdict, seconds: float, only: int | None) -> Verdict:
        begin, wall = time.process_time(), time.monotonic()
        for attempt in range(MAX_ATTEMPTS if only is None else only + 1):
            spent = max(time.process_time() - begin, (time.monotonic() - wall) / _PATIENT_WITH_OTHERS)
            if only is None and (spent >= seconds or self._enough(spent / seconds)):
                break
            try:
                found = self._attempt(attempt, compared=only in (None, attempt))
            except CasscError as problem:
                return replace(verdict, reason=f"the reference cannot run it: {problem}")
            if found is not None:
                return self._finish(verdict, Status.REJECTED, _reason(found), found)
        if self.launches:
            return self._finish(verdict, Status.ACCEPTED, "", None)
        reason = f"no generated launch could be run ({self.last_refusal or 'time is up'})"
        if self.traps:
            reason = f"each of {self.traps} generated launches ended in a trap, on both sides"
        return self._finish(verdict, Status.UNVERIFIED, reason, None)

    def _enough(self, share: float) -> bool:
        """``share``: of the time that is gone."""
        if self.launches >= MOST_LAUNCHES:
            return True
        return self.launches >= ENOUGH_LAUNCHES and share > 0.4

    def _finish(self, verdict: Verdict, status: Status, reason: str, found: Counterexample | None) -> Verdict:
        return replace(
            verdict,
            status=status,
            reason=reason,
            launches=self.launches,
            coverage=self.coverage.instructions,
            branches=self.coverage.branches,
            approximate=self.hints.approximate,
            order_dependent=self.order_dependent,
            counterexample=found,
        )

    def _attempt(self, attempt: int, *, compared: bool) -> Counterexample | None:
        launch = self.generator.launch(attempt)
        addresses = [self.emulator.alloc(buffer.data.size) for buffer in launch.buffers]
        try:
            variables = execute.place_variables(self.cubin, self.emulator, self.module)
            varied = self._vary(variables, attempt)
            placed = _Placed(launch, addresses, variables)
            reference = self._reference(placed)
            if reference.fault and reference.fault not in _FAULTS_OF_THE_PROGRAM:
                self._failed(placed, reference, varied)
                return None
            if not compared:
                return None
            return self._compared(placed, reference)
        finally:
            for address in addresses:
                self.emulator.free(address)

    def _failed(self, placed: _Placed, run: Run, varied: bool) -> None:
        self.last_refusal = run.message
        self.in_a_row = 0
        if varied:
            self.vary_variables = False
            return
        failure = Failure(run.fault, run.address, run.space)
        self.generator.learn(placed.launch, placed.addresses, run.touched, failure)

    def _vary(self, variables: Variables, attempt: int) -> bool:
        """Variables that are all zero are filled by the host in real programs; zeros would test nothing."""
        varied = False
        random = np.random.default_rng([self.generator.seed, attempt, 3])
        for name, bank in variables.initial.items():
            constant = name == ".nv.constant3"
            if not attempt or bank.any() or not self.vary_variables or not (constant or attempt % 4 == 3):
                continue
            words = random.integers(0, 16 if attempt % 4 < 3 else 4, -(-bank.size // 4)).astype(np.uint32)
            if attempt % 2 and constant:
                words = random.normal(0, 2, words.size).astype(np.float32).view(np.uint32)
            bank[:] = words.view(np.uint8)[: bank.size]
            varied |= not constant
        return varied

    def _reference(
        self,
        placed: _Placed,
        order: interp.Order = interp.Order.TOGETHER,
        undefined: int = UNDEFINED,
        function: SassFunction | None = None,
        races: Races | None = None,
    ) -> Run:
        budget = _BUDGET * self.generator.patience
        return execute.on_reference(
            function or self.function,
            self.cubin,
            placed.launch,
            placed.addresses,
            placed.variables,
            budget=budget if order is interp.Order.TOGETHER else budget * (placed.launch.warps + 1),
            order=order,
            undefined=undefined,
            races=races,
        )

    def _others(self, placed: _Placed) -> Iterator[Run]:
        for order, undefined in _OTHER_RUNS:
            yield self._reference(placed, order, undefined)

    # Comparison --------------------------------------------------------------------------------------------------
    def _compared(self, placed: _Placed, reference: Run) -> Counterexample | None:
        """None if nothing differs, or only what the order of warps or undefined memory decides."""
        limit = reference.instructions * _EXPANSION + _SLACK
        translated = execute.on_emulator(
            self.emulator,
            self.module,
            self.kernel,
            placed.launch,
            placed.addresses,
            placed.variables,
            max_instructions=limit,
            descending=placed.launch.attempt % 2 == 1,
        )
        expected_fault = _FAULTS_OF_THE_PROGRAM.get(reference.fault, reference.fault)
        if expected_fault != translated.fault:
            if any(other.fault != reference.fault for other in self._others(placed)):
                self.last_refusal = "whether the launch ends well depends on the order of warps or undefined memory"
                return None
            got = translated.message or "no fault"
            return _example(placed, "", 0, reference.message or "no fault", got)
        if reference.fault:
            self.traps += 1
            return None
        try:
            found = self._difference(placed, reference, translated)
        except _NotComparable:
            return None
        if found is None:
            self.launches += 1
            self.in_a_row += 1
            self.coverage.add(reference.executed)
            if self.in_a_row % 2 == 0:
                self.generator.encourage()
        return found

    def _difference(self, placed: _Placed, reference: Run, translated: Run) -> Counterexample | None:
        differing = self._differing(reference, translated)
        printed = _records_differ(reference, translated)
        if not differing and not printed:
            return None
        if self.hints.approximate:
            runs = [self._reference(placed, function=disturbed(self.function, k)) for k in range(_NUDGES)]
            runs = [run for run in runs if not run.fault]
            printed &= not any(_records_differ(reference, run) for run in runs)
            for name, mask in differing.items():
                samples = [run.memory[name] for run in runs]
                mask &= ~compare.allowed(
                    reference.memory[name],
                    translated.memory[name],
                    samples,
                    halves=self.hints.halves,
                    doubles=self.hints.doubles,
                )
        if not printed and not any(mask.any() for mask in differing.values()):
            return None
        for other in self._others(placed):
            if other.fault:
                continue
            for name, mask in self._differing(reference, other).items():
                self.order_dependent = True
                if name in differing:
                    differing[name] &= ~mask
            printed = printed and not _records_differ(reference, other)
        if not printed and not any(mask.any() for mask in differing.values()):
            return None
        if self._races(placed):
            self.last_refusal = "its threads race for memory, so its results are undefined"
            raise _NotComparable
        for name, mask in differing.items():
            first = compare.first(reference.memory[name], translated.memory[name], mask)
            if first is not None:
                return _example(placed, name, first.offset, first.expected.hex(), first.got.hex())
        if printed:
            return _example(placed, "printf", 0, str(reference.printed), str(translated.printed))
        return None

    def _races(self, placed: _Placed) -> bool:
        races = Races()
        self._reference(placed, races=races)
        return races.found

    def _differing(self, expected: Run, got: Run) -> dict[str, Mask]:
        result = {}
        for name, content in got.memory.items():
            flushed = self.hints.atomic_floats
            mask = compare.differing(expected.memory[name], content, halves=self.hints.halves, flushed=flushed)
            if mask.any():
                result[name] = mask
        return result


def _example(placed: _Placed, buffer: str, offset: int, expected: str, got: str) -> Counterexample:
    launch = placed.launch
    parameters = launch.parameters(placed.addresses).hex()
    shape = (launch.grid, launch.block, launch.dynamic_shared)
    return Counterexample(launch.seed, launch.attempt, *shape, parameters, buffer, offset, expected, got)


def _reason(found: Counterexample) -> str:
    where = f"{found.buffer} + {found.offset}" if found.buffer else "the launch"
    return f"{where}: expected {found.expected}, got {found.got}"


def _records_differ(a: Run, b: Run) -> bool:
    """Calls of vprintf, in any order; the arguments as far as both sides kept them."""
    if len(a.printed) != len(b.printed):
        return True
    if Counter(format for format, _ in a.printed) != Counter(format for format, _ in b.printed):
        return True
    for (_, x), (_, y) in zip(sorted(a.printed), sorted(b.printed), strict=True):
        size = min(len(x), len(y))
        if x[:size] != y[:size]:
            return True
    return False
