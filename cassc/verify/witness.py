"""Second opinions: others that run the launches of a check, and what they leave behind."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import Protocol

from cassc.amdgpu.emulator import Emulator
from cassc.verify import execute
from cassc.verify.inputs import linked
from cassc.verify.oracle import Case
from cassc.verify.recorded import Bytes, Replay


class Witness(Protocol):
    """``name`` is for people: who it is that left the memory."""

    @property
    def name(self) -> str: ...

    def left(self, case: Case) -> Mapping[str, Bytes] | None:
        """Content of the launch's buffers afterwards, with pointers as if they stood where the case has them; None if
        it cannot say."""
        ...


class RecordedWitness:
    """The device on which launches were recorded."""

    name = "the recording device"

    def __init__(self, replays: list[Replay]) -> None:
        self._left = {replay.launch.attempt: replay.left for replay in replays}

    def left(self, case: Case) -> Mapping[str, Bytes] | None:
        found = self._left.get(case.launch.attempt)
        if found is None:
            return None
        return {name: linked(data, links, case.addresses) for name, (data, links) in found.items()}


class TranslationWitness:
    """Another translation of the same kernel, by another engine, on the emulator that the check uses. A context
    manager."""

    def __init__(self, name: str, emulator: Emulator, code_object: bytes, kernel: str) -> None:
        self.name = name
        self._emulator = emulator
        self._module = emulator.load(code_object)
        self._kernel = self._module.kernels.get(kernel)

    def __enter__(self) -> TranslationWitness:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._emulator.unload(self._module)

    def left(self, case: Case) -> Mapping[str, Bytes] | None:
        if self._kernel is None or case.variables.addresses:
            return None  # its module's variables stand elsewhere
        run = execute.on_emulator(
            self._emulator,
            self._module,
            self._kernel,
            case.launch,
            case.addresses,
            case.variables,
            max_instructions=case.run.instructions * 100 + 1_000_000,
        )
        return None if run.fault else run.memory
