"""One launch, run again and again by translations that differ little: memory is put back only where it changed."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cassc.amdgpu.emulator import Emulator, EmulatorFault, Kernel
from cassc.verify.content import Bytes
from cassc.verify.execute import Run
from cassc.verify.inputs import Launch

_memcmp = ctypes.CDLL(None).memcmp
_memcmp.argtypes, _memcmp.restype = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t), ctypes.c_int


@dataclass(slots=True)
class _Part:
    """A buffer: its bytes before and after the launch, and the first and last place that changes."""

    name: str
    address: int
    before: Bytes
    after: Bytes
    begin: int
    end: int


class Repeated:
    """For launches of kernels without variables of their module. ``run``: what is in the buffers now."""

    def __init__(self, emulator: Emulator, launch: Launch, addresses: Sequence[int], run: Run) -> None:
        self._emulator, self._launch = emulator, launch
        self._arguments = launch.parameters(addresses)
        self._parts = []
        for index, (buffer, address) in enumerate(zip(launch.buffers, addresses, strict=True)):
            before, after = launch.content(index, addresses), run.memory[buffer.name]
            changed = np.flatnonzero(before != after)
            begin, end = (int(changed[0]), int(changed[-1]) + 1) if changed.size else (0, 0)
            self._parts.append(_Part(buffer.name, address, before, after, begin, end))
        self._put_back(whole=False)

    def run(self, kernel: Kernel, limit: int) -> dict[str, Bytes] | None:
        """Buffers with other content than ``run`` left; None if the launch ends in a fault."""
        launch = self._launch
        try:
            self._emulator.launch(
                kernel,
                launch.grid,
                launch.block,
                self._arguments,
                dynamic_lds=launch.dynamic_shared,
                max_instructions=limit,
            )
        except EmulatorFault:
            self._put_back(whole=True)
            return None
        found = {p.name: self._read(p) for p in self._parts if _memcmp(p.address, p.after.ctypes.data, p.after.size)}
        self._put_back(whole=bool(found))
        return found

    def _read(self, part: _Part) -> Bytes:
        return np.frombuffer(self._emulator.read(part.address, part.before.size), np.uint8)

    def _put_back(self, *, whole: bool) -> None:
        for part in self._parts:
            begin, end = (0, part.before.size) if whole else (part.begin, part.end)
            if end > begin:
                self._emulator.write(part.address + begin, part.before[begin:end])
