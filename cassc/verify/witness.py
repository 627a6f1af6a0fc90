"""Second opinions: others that run the launches of a check, and what they leave behind."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import Protocol

from cassc.amdgpu.emulator import Emulator
from cassc.diag import CasscError
from cassc.target import Target
from cassc.verify import execute
from cassc.verify.execute import Variables
from cassc.verify.inputs import Space, linked
from cassc.verify.oracle import Case
from cassc.verify.recorded import Bytes, Replay


class Witness(Protocol):
    """``name`` is for people: who it is that left the memory. ``decides``: a difference is a rejection."""

    @property
    def name(self) -> str: ...

    @property
    def decides(self) -> bool: ...

    def left(self, case: Case) -> Mapping[str, Bytes] | None:
        """Content of the launch's buffers afterwards, with pointers as if they stood where the case has them; None if
        it cannot say."""
        ...


class RecordedWitness:
    """The device on which launches were recorded."""

    name = "the recording device"
    decides = True

    def __init__(self, replays: list[Replay]) -> None:
        self._left = {replay.launch.attempt: replay.left for replay in replays}

    def left(self, case: Case) -> Mapping[str, Bytes] | None:
        found = self._left.get(case.launch.attempt)
        if found is None:
            return None
        return {name: linked(data, links, case.addresses) for name, (data, links) in found.items()}


class TranslationWitness:
    """Another translation of the same kernel, on an emulator of its own. A context manager.

    It does not decide: engines may round otherwise where the language lets them.
    """

    decides = False

    def __init__(self, name: str, code_object: bytes, target: Target, kernel: str) -> None:
        self.name = name
        self._emulator = Emulator(target)
        self._module = self._emulator.load(code_object)
        self._kernel = self._module.kernels.get(kernel)

    def __enter__(self) -> TranslationWitness:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._emulator.close()

    def left(self, case: Case) -> Mapping[str, Bytes] | None:
        if self._kernel is None or case.variables.addresses:
            return None  # the module's variables stand elsewhere, and their values are not known there
        launch = case.launch
        addresses = [self._emulator.alloc(buffer.data.size) for buffer in launch.buffers]
        try:
            run = execute.on_emulator(
                self._emulator,
                self._module,
                self._kernel,
                launch,
                addresses,
                Variables({}, {}),
                max_instructions=case.run.instructions * 100 + 1_000_000,
            )
        except CasscError:
            return None  # its parameters are laid out in another way
        finally:
            for address in addresses:
                self._emulator.free(address)
        if run.fault:
            return None
        space = Space([(address, buffer.data.size) for address, buffer in zip(addresses, launch.buffers, strict=True)])
        return {name: linked(data, space.links(data), case.addresses) for name, data in run.memory.items()}
