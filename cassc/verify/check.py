"""The checker: generated launches on the emulator and in the reference interpreter, compared."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field, replace
from types import TracebackType

import numpy as np
from numpy.typing import NDArray

from cassc.amdgpu.emulator import Emulator, Kernel, Module
from cassc.diag import CasscError
from cassc.image.cubin import Cubin
from cassc.sass import interp
from cassc.sass.disasm import SassFunction
from cassc.target import Target
from cassc.verify import compare, execute, hints
from cassc.verify.execute import Run, Variables
from cassc.verify.inputs import Generator, Launch
from cassc.verify.verdict import Counterexample, Status, Verdict

MAX_ATTEMPTS = 24
WANTED_LAUNCHES = 5
# Warp instructions that the interpreter is given for each second of the time limit; it does about twice as many.
_BUDGET_PER_SECOND = 20_000
_MINIMUM_BUDGET = 4_000
# Waves that need more than this many instructions for each of the warp's are stuck.
_EXPANSION = 50
_SLACK = 200_000
_FAULTS_OF_THE_PROGRAM = {"trap": "trap", "assert": "trap"}


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

    def check(self, function: SassFunction, engine: str, *, seconds: float) -> Verdict:
        """Run launches until enough agree, one differs, or the time is up.

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
        session = _Session(self._emulator, self._module, kernel, self._cubin, function, self._seed)
        return session.run(verdict, time.monotonic() + seconds, seconds)


@dataclass(slots=True)
class _Session:
    """One kernel: launches tried so far and what they told."""

    emulator: Emulator
    module: Module
    kernel: Kernel
    cubin: Cubin
    function: SassFunction
    seed: int
    executed: set[int] = field(default_factory=set)
    launches: int = 0
    order_dependent: bool = False
    approximate: tuple[str, ...] = ()
    last_refusal: str = ""

    def run(self, verdict: Verdict, deadline: float, seconds: float) -> Verdict:
        found = hints.of(self.function)
        self.approximate = found.approximate
        generator = Generator(self.function.abi, found, self.seed)
        for attempt in range(MAX_ATTEMPTS):
            left = deadline - time.monotonic()
            if left <= 0 or self.launches >= WANTED_LAUNCHES:
                break
            budget = max(_MINIMUM_BUDGET, int(_BUDGET_PER_SECOND * min(left, seconds / 2)))
            try:
                counterexample = self._attempt(generator, attempt, budget)
            except CasscError as problem:
                return replace(verdict, reason=f"the reference cannot run it: {problem}")
            if counterexample is not None:
                return self._finish(verdict, Status.REJECTED, _reason(counterexample), counterexample)
        if not self.launches:
            reason = f"no generated launch could be run ({self.last_refusal or 'time is up'})"
            return self._finish(verdict, Status.UNVERIFIED, reason, None)
        return self._finish(verdict, Status.ACCEPTED, "", None)

    def _finish(self, verdict: Verdict, status: Status, reason: str, found: Counterexample | None) -> Verdict:
        code = {i.address for i in self.function.instructions if i.row.mnemonic != "NOP"}
        return replace(
            verdict,
            status=status,
            reason=reason,
            launches=self.launches,
            coverage=len(self.executed & code) / max(len(code), 1),
            approximate=self.approximate,
            order_dependent=self.order_dependent,
            counterexample=found,
        )

    def _attempt(self, generator: Generator, attempt: int, budget: int) -> Counterexample | None:
        launch = generator.launch(attempt)
        addresses = [self.emulator.alloc(buffer.data.size) for buffer in launch.buffers]
        try:
            variables = execute.place_variables(self.cubin, self.emulator, self.module)
            _vary_constants(variables, self.seed, attempt)
            reference = self._reference(launch, addresses, variables, budget)
            if reference.fault and reference.fault not in _FAULTS_OF_THE_PROGRAM:
                self.last_refusal = reference.message
                _learn(generator, launch, addresses, reference, attempt)
                return None
            limit = reference.instructions * _EXPANSION + _SLACK
            translated = execute.on_emulator(
                self.emulator, self.module, self.kernel, launch, addresses, variables, max_instructions=limit
            )
            difference = self._compare(launch, addresses, variables, reference, translated, budget)
            if difference is None:
                self.launches += 1
                self.executed |= reference.executed
            return difference
        finally:
            for address in addresses:
                self.emulator.free(address)

    def _reference(
        self,
        launch: Launch,
        addresses: list[int],
        variables: Variables,
        budget: int,
        order: interp.Order = interp.Order.TOGETHER,
    ) -> Run:
        return execute.on_reference(self.function, self.cubin, launch, addresses, variables, budget=budget, order=order)

    def _compare(
        self,
        launch: Launch,
        addresses: list[int],
        variables: Variables,
        reference: Run,
        translated: Run,
        budget: int,
    ) -> Counterexample | None:
        """None if nothing differs that does not depend on the order of warps."""
        expected_fault = _FAULTS_OF_THE_PROGRAM.get(reference.fault, reference.fault)
        if expected_fault != translated.fault:
            got = translated.message or "no fault"
            return self._example(launch, addresses, "", 0, reference.message or "no fault", got)
        if reference.fault:
            return None
        differing = self._differing(reference, translated)
        printed_differ = _records_differ(reference, translated)
        if not differing and not printed_differ:
            return None
        for order in (interp.Order.ASCENDING, interp.Order.DESCENDING):
            other = self._reference(launch, addresses, variables, budget * 2, order)
            if other.fault:
                continue
            for name, mask in self._differing(reference, other).items():
                self.order_dependent = True
                if name in differing:
                    differing[name] &= ~mask
            printed_differ = printed_differ and not _records_differ(reference, other)
        for name, mask in differing.items():
            first = compare.first(reference.memory[name], translated.memory[name], mask)
            if first is not None:
                return self._example(launch, addresses, name, first.offset, first.expected.hex(), first.got.hex())
        if printed_differ:
            return self._example(launch, addresses, "printf", 0, str(reference.printed), str(translated.printed))
        return None

    def _differing(self, expected: Run, got: Run) -> dict[str, NDArray[np.bool_]]:
        result = {}
        for name, content in got.memory.items():
            mask = compare.differing(expected.memory[name], content, approximate=bool(self.approximate))
            if mask.any():
                result[name] = mask
        return result

    def _example(
        self, launch: Launch, addresses: list[int], buffer: str, offset: int, expected: str, got: str
    ) -> Counterexample:
        parameters = launch.parameters(addresses).hex()
        shape = (launch.grid, launch.block, launch.dynamic_shared)
        return Counterexample(launch.seed, launch.attempt, *shape, parameters, buffer, offset, expected, got)


def _reason(found: Counterexample) -> str:
    where = f"{found.buffer} + {found.offset}" if found.buffer else "the launch"
    return f"{where}: expected {found.expected}, got {found.got}"


def _vary_constants(variables: Variables, seed: int, attempt: int) -> None:
    """``__constant__`` memory that is all zero is filled by the host in real programs; zeros would test nothing."""
    bank = variables.initial.get(".nv.constant3")
    if bank is None or not attempt or bank.any():
        return
    random = np.random.default_rng([seed, attempt, 3])
    words = np.zeros(-(-bank.size // 4), np.uint32)
    words[:] = random.integers(0, 16, words.size)
    if attempt % 2:
        words[:] = random.normal(0, 2, words.size).astype(np.float32).view(np.uint32)
    bank[:] = words.view(np.uint8)[: bank.size]


def _learn(generator: Generator, launch: Launch, addresses: list[int], reference: Run, attempt: int) -> None:
    """After a launch that went wrong: slots never used as pointers become integers, in changing combinations."""
    offsets = [buffer.offset for buffer in launch.buffers]
    used = {offset for offset, address in zip(offsets, addresses, strict=True) if address in reference.touched}
    unused = [offset for offset in offsets if offset not in used]
    unused += [offset for offset in generator.refused if offset not in used]
    random = np.random.default_rng([generator.seed, attempt, 7])
    generator.refused = {offset for offset in unused if attempt == 0 or random.random() < 0.5}


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
