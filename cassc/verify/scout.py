"""A second translation of the SASS, run beside the one that is checked, on launches too many for the interpreter.

It is made anew from the SASS, and not optimised, so that what went wrong behind the lifter shows as a difference. The
emulator runs a launch hundreds of times faster than the reference interpreter does. Where the two differ the
interpreter decides; where they agree the launch counts for nothing. The second translation also tells beforehand which
launches do not end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from cassc.amdgpu.assemble import assemble
from cassc.amdgpu.emulator import Emulator, Kernel, Module
from cassc.diag import CasscError
from cassc.image.cubin import Cubin
from cassc.lift.globals import module_globals
from cassc.lift.lift import lift_kernel
from cassc.lift.module import link_text
from cassc.sass.disasm import SassFunction
from cassc.target import Target
from cassc.verify import compare, execute
from cassc.verify.compare import Bytes, Mask
from cassc.verify.execute import Run, Services, Variables
from cassc.verify.hints import Hints
from cassc.verify.inputs import Launch
from cassc.verify.repeated import Repeated

_RUN_STEPS, _INSTRUCTIONS_PER_STEP = 15, 2000
"""What a launch on the emulator costs, in steps of the interpreter: always, and one for so many wave-instructions."""
_LIMIT = 2_000_000
"""Wave-instructions of the second translation."""
_LARGEST = 4000
"""SASS instructions of a kernel that is translated twice."""
_SLACK = 20_000
_EXPANSION = 15
"""Wave-instructions of the second translation for one of a warp, mostly fewer."""
_GAP = 1 << 20
Vary = Callable[[Variables, Launch], bool]
"""Fills a module's variables for a launch."""


def second(function: SassFunction, cubin: Cubin, target: Target) -> bytes:
    """A code object of the kernel alone; empty where the lifter or LLVM refuses it, or it would take too long."""
    if len(function.instructions) > _LARGEST:
        return b""
    try:
        kernel = lift_kernel(function, cubin)
        return assemble(link_text([kernel], target, module_globals(cubin).definitions), target, opt_level=0)
    except CasscError:
        return b""


@dataclass(slots=True, eq=False)
class Sight:
    """A launch that the second translation runs to its end.

    Attributes:
        run: what it leaves behind.
        moving: words that depend on the order of waves, or on where the module's variables stand.
        probed: the interpreter ran it, whatever a translation makes of it.
        usable: what the interpreter said of the launch; None before it was asked.
    """

    launch: Launch
    addresses: list[int]
    run: Run
    instructions: int
    moving: Mapping[str, Mask] = field(default_factory=dict)
    probed: bool = False
    usable: bool | None = None
    repeated: Repeated | None = None


class Scout:
    """Attributes:
    spent: steps of the interpreter that took as long.
    fault: why the last launch that was looked at was no use; empty if it wrote nothing, or all depends on the order.
    """

    def __init__(
        self,
        function: SassFunction,
        cubin: Cubin,
        emulator: Emulator,
        services: Services,
        hints: Hints,
        code_object: bytes,
    ) -> None:
        self._cubin, self._emulator, self._services, self._hints = cubin, emulator, services, hints
        # Twice, so that what depends on where the module's variables stand is told apart.
        self._modules = [emulator.load(code_object) for _ in range(2)]
        self._kernels = [module.kernels[function.name] for module in self._modules]
        variables = execute.place_variables(cubin, emulator, self._modules[0], services)
        prints = emulator.global_variable(self._modules[0], execute.PRINTF) is not None
        self._simple = not (variables.addresses or prints or services != Services())
        self.spent = 0
        self.fault = Run({})

    def endless(self, launch: Launch, addresses: list[int], vary: Vary, steps: int) -> bool:
        """Whether the launch takes far longer than that many steps of the interpreter."""
        x, y, z = launch.grid
        limit = steps * launch.warps * x * y * z * _EXPANSION + _SLACK
        return self._run(launch, addresses, 0, vary, limit).fault == "instruction-limit"

    def look(self, launch: Launch, addresses: list[int], vary: Vary) -> Sight | None:
        """None for a launch that goes wrong, or that writes nothing."""
        before = self._emulator.instruction_count()
        run = self._run(launch, addresses, 0, vary, _LIMIT)
        self.fault = run
        if run.fault or self._idle(launch, addresses, run):
            return None
        sight = Sight(launch, addresses, run, self._emulator.instruction_count() - before)
        again = self._run(launch, addresses, 1, vary, _LIMIT, descending=True)
        if again.fault or _printed(again) != _printed(run):
            return None
        masks = {
            name: compare.differing(content, again.memory[name], halves=self._hints.halves)
            for name, content in run.memory.items()
            if not np.array_equal(content, again.memory[name])
        }
        sight.moving = masks
        return sight

    def differs(self, sight: Sight, module: Module, kernel: Kernel, vary: Vary) -> bool:
        """Whether a translation leaves something else behind, by more than approximations may."""
        limit = 2 * sight.instructions + _SLACK
        others = self._others(sight, module, kernel, vary, limit)
        if others is None:
            return True
        for name, got in others.items():
            content = sight.run.memory[name]
            mask = compare.differing(content, got, halves=self._hints.halves)
            if name in sight.moving:
                mask &= ~sight.moving[name]
            if mask.any() and not (self._hints.approximate and compare.close(content, got, mask)):
                return True
        return False

    def _others(
        self, sight: Sight, module: Module, kernel: Kernel, vary: Vary, limit: int
    ) -> Mapping[str, Bytes] | None:
        """Memory with other content than the second translation left; None if a fault ends it, or it prints others."""
        launch, expected = sight.launch, sight.run
        if self._simple:
            if sight.repeated is None:
                sight.repeated = Repeated(self._emulator, launch, sight.addresses, expected)
            return sight.repeated.run(kernel, limit)
        run = self._on(module, kernel, launch, sight.addresses, vary, limit)
        if run.fault or _printed(run) != _printed(expected):
            return None
        memory = expected.memory
        return {name: got for name, got in run.memory.items() if not np.array_equal(memory[name], got)}

    def _run(
        self, launch: Launch, addresses: list[int], which: int, vary: Vary, limit: int, *, descending: bool = False
    ) -> Run:
        module, kernel = self._modules[which], self._kernels[which]
        before = self._emulator.instruction_count()
        run = self._on(module, kernel, launch, addresses, vary, limit, descending=descending)
        self.spent += _RUN_STEPS + (self._emulator.instruction_count() - before) // _INSTRUCTIONS_PER_STEP
        return run

    def _on(
        self,
        module: Module,
        kernel: Kernel,
        launch: Launch,
        addresses: list[int],
        vary: Vary,
        limit: int,
        *,
        descending: bool = False,
    ) -> Run:
        variables = execute.place_variables(self._cubin, self._emulator, module, self._services)
        vary(variables, launch)
        try:
            return execute.on_emulator(
                self._emulator,
                module,
                kernel,
                launch,
                addresses,
                variables,
                max_instructions=limit,
                descending=descending,
            )
        except CasscError as problem:
            return Run({}, "impossible", str(problem))

    def _idle(self, launch: Launch, addresses: list[int], run: Run) -> bool:
        """Whether it writes nothing."""
        return not run.printed and all(
            np.array_equal(launch.content(k, addresses), run.memory[buffer.name])
            for k, buffer in enumerate(launch.buffers)
        )


def _printed(run: Run) -> Counter[bytes]:
    """Arguments of the calls of vprintf; formats stand at other addresses in each module."""
    return Counter(arguments for _, arguments in run.printed)


def make(
    function: SassFunction, cubin: Cubin, emulator: Emulator, services: Services, hints: Hints, code_object: bytes
) -> Scout | None:
    """None without a second translation."""
    if not code_object:
        return None
    try:
        return Scout(function, cubin, emulator, services, hints, code_object)
    except (CasscError, KeyError):
        return None
