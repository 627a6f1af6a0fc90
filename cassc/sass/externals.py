"""What the device runtime's functions do when a lane of the reference interpreter calls them.

Arguments stand in R4 and up, 64-bit ones in even pairs; a result goes to R4, or R4 and R5.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from cassc.sass.builder import I64, Space
from cassc.sass.heap import UNIT, BadFree
from cassc.sass.vprintf import argument_bytes, argument_sizes

if TYPE_CHECKING:
    from cassc.sass.crew import Crew


class Stop(Exception):
    """Ends the launch: (kind of the fault, message)."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message


def call(crew: Crew, function: str, lane: int) -> None:
    """Raises Stop."""
    implementation = _FUNCTIONS.get(function)
    if implementation is None:
        raise Stop("instruction", f"the device runtime function {function} is not supported")
    implementation(crew, lane)


def _argument(crew: Crew, lane: int, index: int) -> int:
    registers = crew.machine.registers
    return int(registers[index, lane]) | int(registers[index + 1, lane]) << 32


def _return_pair(crew: Crew, lane: int, value: int) -> None:
    registers = crew.machine.registers
    registers[4, lane], registers[5, lane] = value & 0xFFFFFFFF, value >> 32


def _bytes(crew: Crew, lane: int, address: int, size: int) -> bytes:
    """Of a generic address."""
    machine = crew.machine
    machine.mask = np.arange(crew.lanes) == lane
    words = []
    for k in range(0, size, 4):
        wide = machine.const(I64, address + k)
        words.append(int(machine.load(Space.GENERIC, wide, 4)[0].data[lane]))
    return b"".join(w.to_bytes(4, "little") for w in words)


def _print(crew: Crew, lane: int) -> None:
    address = _argument(crew, lane, 4)
    format = crew.cta.memory.read_string(address)
    arguments = _bytes(crew, lane, _argument(crew, lane, 6), argument_bytes(format))
    crew.cta.printed.append((format, address, arguments))
    crew.machine.registers[4, lane] = len(argument_sizes(format))


def _fail(crew: Crew, lane: int) -> None:
    memory = crew.cta.memory
    message, file, function = (
        memory.read_string(_argument(crew, lane, k)).decode(errors="replace") for k in (4, 6, 10)
    )
    line = int(crew.machine.registers[8, lane])
    block = ",".join(map(str, crew.cta.index))
    thread = ",".join(str(crew.thread(lane, axis)) for axis in "xyz")
    raise Stop(
        "assert", f"{file}:{line}: {function}: block: [{block}], thread: [{thread}] Assertion `{message}` failed"
    )


def _malloc(crew: Crew, lane: int) -> None:
    _allocate(crew, lane, UNIT)


def _aligned_malloc(crew: Crew, lane: int) -> None:
    _allocate(crew, lane, _argument(crew, lane, 6))


def _allocate(crew: Crew, lane: int, alignment: int) -> None:
    heap = crew.cta.heap
    if heap is None or alignment & (alignment - 1) or not alignment:
        _return_pair(crew, lane, 0)
        return
    _return_pair(crew, lane, heap.allocate(_argument(crew, lane, 4), max(alignment, UNIT)))


def _free(crew: Crew, lane: int) -> None:
    pointer = _argument(crew, lane, 4)
    try:
        if crew.cta.heap is not None:
            crew.cta.heap.free(pointer)
        elif pointer:
            raise BadFree
    except BadFree:
        raise Stop("trap", f"free of {pointer:#x}, which malloc did not give or which was freed before") from None


_FUNCTIONS: Mapping[str, Callable[[Crew, int], None]] = {
    "vprintf": _print,
    "__assertfail": _fail,
    "malloc": _malloc,
    "free": _free,
    "__cuda_syscall_aligned_malloc": _aligned_malloc,
}
HEAP_FUNCTIONS = frozenset({"malloc", "free", "__cuda_syscall_aligned_malloc"})
