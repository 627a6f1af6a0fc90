"""The checker: launches on the emulator and in the reference interpreter, compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from types import TracebackType

import numpy as np

from cassc.amdgpu.emulator import Emulator, Kernel, Module
from cassc.diag import CasscError
from cassc.image.cubin import Cubin
from cassc.sass import interp
from cassc.sass.disasm import SassFunction
from cassc.target import Target
from cassc.verify import blocks, compare, execute, scout, sums
from cassc.verify.compare import Mask
from cassc.verify.execute import Record, Run
from cassc.verify.inputs import Launch
from cassc.verify.oracle import LOOKED_AT, STEPS_PER_SECOND, Case, Oracle
from cassc.verify.scout import Sight
from cassc.verify.verdict import Counterexample, Status, Verdict
from cassc.verify.witness import Witness

# A wave that needs more than this many instructions for each of the warp's is stuck. Few need the second try's: where
# one SASS instruction, or a call of the device runtime, stands for hundreds, or a product of matrices that is summed
# as NVIDIA's hardware does it for thousands.
_EXPANSIONS = (50, 5000)
_SLACK = 200_000
_MOST_ASKED = 24
"""Launches on which two translations differ, and the interpreter is asked."""
_NUDGES = (4, 12, 36)
"""Runs with nudged approximations: more where all that is left differs by little."""
_COUNTERPARTS = {"trap": "trap", "assert": "trap"}
"""Faults of the program in the interpreter -> the same on the emulator."""


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
        self.shown: Case | None = None
        """The launch that the last kernel checked was rejected by."""

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

    def check(
        self,
        function: SassFunction,
        engine: str,
        *,
        seconds: float,
        attempt: int | None = None,
        recorded: Sequence[Launch] | None = None,
        witnesses: Sequence[Witness] = (),
    ) -> Verdict:
        """Run launches until enough agree, one differs, or the work is done.

        Args:
            seconds: an amount of work, `STEPS_PER_SECOND` steps of the interpreter each: verdicts depend neither
                on the machine nor on what else it does.
            attempt: compare that launch only; those before it are run for what they teach, however long.
            recorded: compare these launches instead of generated ones; ``seconds`` is for each of them.
            witnesses: others that run the same launches, and must agree too.

        Rejected: a launch that is right on the SASS side differs or faults on the other. Unverified: none could be
        run, with the reason.
        """
        if seconds <= 0:
            return Verdict.unchecked(function.name, self._target.name, engine)
        verdict = Verdict(function.name, self._target.name, engine, Status.UNVERIFIED)
        if self._emulator is None or self._module is None or self._cubin is None:
            return replace(verdict, reason=self._problem or "no emulator")
        kernel = self._module.kernels.get(function.name)
        if kernel is None:
            return replace(verdict, status=Status.REJECTED, reason="the code object does not hold the kernel")
        oracle = Oracle(function, self._cubin, self._emulator, self._module, seed=self._seed)
        if recorded is not None:
            cases: Iterable[Case] = oracle.recorded(recorded, int(seconds * STEPS_PER_SECOND))
        else:
            oracle.scouted(scout.second(function, self._cubin, self._target))
            cases = oracle.cases(seconds, attempt)
        trial = Trial(oracle, self._module, kernel)
        found = self.shown = None
        try:
            for case in cases:
                found = trial.compare(case) or trial.ask(case, witnesses)
                if found is not None:
                    trial.shown = case
                    break
            else:
                if recorded is None and (attempt is None or attempt >= LOOKED_AT):
                    found = trial.compare_sights(oracle.sights(seconds), attempt, witnesses=witnesses)
        except CasscError as problem:
            return replace(verdict, reason=f"the reference cannot run it: {problem}")
        self.shown = trial.shown
        return trial.verdict(verdict, found)


class _NotComparable(Exception):
    """The launch has no defined result."""


@dataclass(slots=True)
class Trial:
    """One translation against the launches of an oracle.

    Attributes:
        module, kernel: the translation, loaded in the oracle's emulator.
        launches: that agreed.
        traps: launches that ended in a trap on both sides.
        order_dependent: words were left out, since they depend on the order of warps or on undefined memory.
        keeping: sights are looked at again by others.
        looked_at: launches that a second translation was compared on.
        agreed: name of a witness -> launches in which it agreed.
        dissent: name of a witness that does not decide -> the first difference.
        shown: the launch that differed.
    """

    oracle: Oracle
    module: Module
    kernel: Kernel
    shown: Case | None = None
    launches: int = 0
    traps: int = 0
    order_dependent: bool = False
    keeping: bool = False
    looked_at: int = 0
    agreed: dict[str, int] = field(default_factory=dict)
    dissent: dict[str, str] = field(default_factory=dict)

    def verdict(self, blank: Verdict, found: Counterexample | None) -> Verdict:
        """``found``: the difference, if there was any."""
        if found is not None:
            status, reason = Status.REJECTED, _reason(found)
        elif self.launches:
            status, reason = Status.ACCEPTED, ""
        elif self.traps:
            status = Status.UNVERIFIED
            reason = f"each of {self.traps} generated launches ended in a trap, on both sides"
        else:
            status = Status.UNVERIFIED
            reason = f"no launch could be run ({self.oracle.last_refusal or 'the work allowed was done'})"
        coverage = self.oracle.coverage
        return replace(
            blank,
            status=status,
            reason=reason,
            launches=self.launches,
            coverage=coverage.instructions,
            branches=coverage.branches,
            approximate=self.oracle.hints.approximate,
            order_dependent=self.order_dependent,
            witnesses=dict(self.agreed),
            dissent=dict(self.dissent),
            counterexample=found,
        )

    def compare(self, case: Case) -> Counterexample | None:
        """None if nothing differs, or only what the order of warps or undefined memory decides."""
        oracle, reference = self.oracle, case.run
        translated = self._translated(case, _EXPANSIONS[oracle.hints.matrices])
        if translated.fault == "instruction-limit" and not reference.fault:
            translated = self._translated(case, _EXPANSIONS[1])
        if reference.fault == "budget":
            oracle.last_refusal = reference.message
            return None
        if _COUNTERPARTS.get(reference.fault, reference.fault) != translated.fault:
            if any(other.fault != reference.fault for other in oracle.reordered(case)):
                oracle.last_refusal = "whether the launch ends well depends on the order of warps or undefined memory"
                return None
            return _example(case, "", 0, reference.message or "no fault", translated.message or "no fault")
        if reference.fault:
            self.traps += 1
            return None
        try:
            found = self._difference(case, translated)
            if found is not None and oracle.hints.matrices and not oracle.exact(case).fault:
                found = self._difference(replace(case, run=oracle.exact(case)), translated)
        except _NotComparable:
            return None
        if found is None:
            self.launches += 1
        return found

    def compare_sights(
        self,
        sights: Iterable[Sight],
        attempt: int | None = None,
        *,
        alone: bool = False,
        witnesses: Sequence[Witness] = (),
    ) -> Counterexample | None:
        """Those that the interpreter has run are compared, and those where the translation differs from the second one.

        ``attempt``: that launch is compared only, and whether or not it differs. ``alone``: the second translation is
        not looked at. ``witnesses`` are asked of what is compared.
        """
        asked = 0
        found = None
        for sight in sights:
            self.looked_at += 1
            if attempt is not None:
                chosen = sight.launch.attempt == attempt
            elif sight.probed or alone:
                chosen = sight.probed
            else:
                chosen = sight.usable is not False and asked < _MOST_ASKED and self._suspicious(sight)
                asked += chosen
            if chosen:
                case = self.oracle.at(sight, self.module)
                found = (self.compare(case) or self.ask(case, witnesses)) if sight.usable else None
                self.shown = case if found is not None else None
            if not self.keeping:
                self.oracle.forget(sight)
            if found is not None:
                break
        return found

    def _suspicious(self, sight: Sight) -> bool:
        return self.oracle.suspicious(sight, self.module, self.kernel)

    def _translated(self, case: Case, expansion: int) -> Run:
        launch = case.launch
        return execute.on_emulator(
            self.oracle.emulator,
            self.module,
            self.kernel,
            launch,
            case.addresses,
            case.variables,
            max_instructions=case.run.instructions * expansion + _SLACK,
            descending=launch.attempt % 3 == 1,
            shuffle=launch.attempt if launch.attempt % 3 == 2 else None,
        )

    def ask(self, case: Case, witnesses: Sequence[Witness]) -> Counterexample | None:
        """The same of what others make of the launch; those that cannot run it are passed over."""
        ours = case.variables.heap or case.variables.textures  # which no other device has
        if case.run.fault or case.racing or ours or self._computes_with_addresses(case):
            return None
        for witness in witnesses:
            memory = witness.left(case)
            if memory is None:
                continue
            found = self._difference(case, replace(case.run, memory=memory))
            if found is not None:
                found = replace(found, buffer=f"{found.buffer}, as {witness.name} left it")
                if witness.decides:
                    return found
                self.dissent.setdefault(witness.name, _reason(found))
                continue
            self.agreed[witness.name] = self.agreed.get(witness.name, 0) + 1
        return None

    def _computes_with_addresses(self, case: Case) -> bool:
        """Whether what may be no pointer was given one that was never followed: it is a number to the kernel then, and
        another on another device."""
        buffers = zip(case.launch.buffers, case.addresses, strict=True)
        return any(
            buffer.offset >= 0
            and address not in case.run.touched
            and not self.oracle.hints.surely_points(buffer.offset)
            for buffer, address in buffers
        )

    def _difference(self, case: Case, translated: Run) -> Counterexample | None:
        oracle = self.oracle
        reference, translated = self._matched(case, translated)
        differing = self._differing(reference, translated)
        printed = _records_differ(reference, translated)
        if not differing and not printed:
            return None
        if oracle.hints.approximate:
            for count in _NUDGES:
                runs = oracle.nudged(case, count)
                printed &= not any(_records_differ(reference, run) for run in runs)
                self._allow(case, reference, translated, differing, runs)
                if not self._close(reference, translated, differing):
                    break
        for name in differing.keys() & reference.sums.keys() - {interp.HEAP}:
            differing[name] &= ~sums.near(reference.memory[name], translated.memory[name], reference.sums[name])
        if not printed and not any(mask.any() for mask in differing.values()):
            return None
        others = [run for run in oracle.reordered(case) if not run.fault]
        for run in others:
            printed = printed and not _records_differ(reference, run)
        self._leave_out(case, reference, translated, differing, others)
        if not printed and not any(mask.any() for mask in differing.values()):
            return None
        if case.racing:
            raise _NotComparable
        for name, mask in differing.items():
            first = compare.first(reference.memory[name], translated.memory[name], mask)
            if first is not None:
                return _example(case, name, first.offset, first.expected.hex(), first.got.hex())
        if printed:
            return _example(case, "printf", 0, *_calls_that_differ(reference, translated))
        return None

    def _leave_out(
        self, case: Case, reference: Run, translated: Run, differing: dict[str, Mask], others: Sequence[Run]
    ) -> None:
        """Take out the words that depend on the order of warps and lanes, or on memory that nobody has written.

        Where every order leaves the same words, only at other places (queues, tickets), the translation must do so.
        """
        memories = [self._matched(case, run) for run in others]
        moving = [self._differing(*pair) for pair in memories]
        self.order_dependent |= any(moving)
        if self.oracle.hints.atomic_floats:
            self._allow(case, reference, translated, differing, others)
        for name in list(differing):
            masks = [masks[name] for masks in moving if name in masks]
            if not masks and self.oracle.hints.tickets and name in reference.memory:
                # Orders are many, and those tried may agree by chance.
                masks = [np.zeros_like(differing[name])]
            if not masks:
                continue
            mask = np.logical_or.reduce(masks)
            content = reference.memory[name]
            if all(compare.same_set(content, other.memory[name], mask) for _, other in memories):
                if compare.same_set(content, translated.memory[name], mask | differing[name]):
                    del differing[name]
            elif self.oracle.hints.partial_sums and mask.any():
                del differing[name]  # some of its words hold sums over whatever came before, and those are many
            elif not self.oracle.hints.atomic_floats:
                differing[name] &= ~mask

    def _matched(self, case: Case, got: Run) -> tuple[Run, Run]:
        """What the SASS left and ``got``, as if blocks of the device heap stood in the same places."""
        if not case.variables.heap:
            return case.run, got
        mine, theirs = blocks.matched(interp.HEAP, case.variables.heap, case.run.memory, got.memory)
        return replace(case.run, memory=mine), replace(got, memory=theirs)

    def _allow(
        self, case: Case, reference: Run, translated: Run, differing: dict[str, Mask], samples: Sequence[Run]
    ) -> None:
        """Take out the words that lie about where ``samples`` have them."""
        hints = self.oracle.hints
        memories = [self._matched(case, run)[1].memory for run in samples]
        for name, mask in differing.items():
            mask &= ~compare.allowed(
                reference.memory[name],
                translated.memory[name],
                [memory[name] for memory in memories],
                halves=hints.halves,
                doubles=hints.doubles,
            )

    def _close(self, reference: Run, translated: Run, differing: dict[str, Mask]) -> bool:
        """Whether words are left that differ, and all of them by little: a few nudges may not have moved them."""
        left = [(name, mask) for name, mask in differing.items() if mask.any()]
        return bool(left) and all(
            compare.close(reference.memory[name], translated.memory[name], mask) for name, mask in left
        )

    def _differing(self, expected: Run, got: Run) -> dict[str, Mask]:
        result = {}
        hints = self.oracle.hints
        for name, content in got.memory.items():
            mask = compare.differing(expected.memory[name], content, halves=hints.halves)
            if mask.any():
                result[name] = mask
        return result


def _example(case: Case, buffer: str, offset: int, expected: str, got: str) -> Counterexample:
    launch = case.launch
    parameters = launch.parameters(case.addresses).hex()
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


def _calls_that_differ(a: Run, b: Run) -> tuple[str, str]:
    """How often both sides called vprintf, and the arguments of the first call that differs, sorted by their bytes."""
    left, right = sorted(a.printed), sorted(b.printed)
    differing = next((k for k, (x, y) in enumerate(zip(left, right, strict=False)) if x != y), None)

    def said(calls: list[Record]) -> str:
        arguments = f", arguments {calls[differing][1].hex()}" if differing is not None else ""
        return f"{len(calls)} calls{arguments}"

    return said(left), said(right)
