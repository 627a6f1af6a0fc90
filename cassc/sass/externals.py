"""What the device runtime's functions do when a lane of the reference interpreter calls them.

Arguments stand in R4 and up, 64-bit ones in even pairs; a result goes to R4, or R4 and R5.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from cassc.sass.builder import I64, Space
from cassc.sass.heap import UNIT, BadFree
from cassc.sass.machine import Halt
from cassc.sass.threads import Threads
from cassc.sass.vprintf import argument_bytes, argument_sizes


def call(threads: Threads, function: str, lane: int) -> None:
    """Raises Halt."""
    implementation = _FUNCTIONS.get(function)
    if implementation is None:
        raise Halt("instruction", f"the device runtime function {function} is not supported")
    implementation(threads, lane)


def _argument(threads: Threads, lane: int, index: int) -> int:
    registers = threads.machine.registers
    return int(registers[index, lane]) | int(registers[index + 1, lane]) << 32


def _return_pair(threads: Threads, lane: int, value: int) -> None:
    registers = threads.machine.registers
    registers[4, lane], registers[5, lane] = value & 0xFFFFFFFF, value >> 32


def _bytes(threads: Threads, lane: int, address: int, size: int) -> bytes:
    """Of a generic address."""
    machine = threads.machine
    machine.mask = np.arange(threads.lanes) == lane
    words = []
    for k in range(0, size, 4):
        wide = machine.const(I64, address + k)
        words.append(int(machine.load(Space.GENERIC, wide, 4)[0].data[lane]))
    return b"".join(w.to_bytes(4, "little") for w in words)


def _print(threads: Threads, lane: int) -> None:
    address = _argument(threads, lane, 4)
    format = threads.cta.memory.read_string(address)
    arguments = _bytes(threads, lane, _argument(threads, lane, 6), argument_bytes(format))
    threads.cta.printed.append((format, address, arguments))
    threads.machine.registers[4, lane] = len(argument_sizes(format))


def _fail(threads: Threads, lane: int) -> None:
    memory = threads.cta.memory
    message, file, function = (
        memory.read_string(_argument(threads, lane, k)).decode(errors="replace") for k in (4, 6, 10)
    )
    line = int(threads.machine.registers[8, lane])
    block = ",".join(map(str, threads.cta.index))
    thread = ",".join(str(threads.thread(lane, axis)) for axis in "xyz")
    raise Halt(
        "assert", f"{file}:{line}: {function}: block: [{block}], thread: [{thread}] Assertion `{message}` failed"
    )


def _malloc(threads: Threads, lane: int) -> None:
    _allocate(threads, lane, UNIT)


def _aligned_malloc(threads: Threads, lane: int) -> None:
    _allocate(threads, lane, _argument(threads, lane, 6))


def _allocate(threads: Threads, lane: int, alignment: int) -> None:
    heap = threads.cta.heap
    if heap is None or alignment & (alignment - 1) or not alignment:
        _return_pair(threads, lane, 0)
        return
    _return_pair(threads, lane, heap.allocate(_argument(threads, lane, 4), max(alignment, UNIT)))


def _free(threads: Threads, lane: int) -> None:
    pointer = _argument(threads, lane, 4)
    try:
        if threads.cta.heap is not None:
            threads.cta.heap.free(pointer)
        elif pointer:
            raise BadFree
    except BadFree:
        raise Halt("trap", f"free of {pointer:#x}, which malloc did not give or which was freed before") from None


_FUNCTIONS: Mapping[str, Callable[[Threads, int], None]] = {
    "vprintf": _print,
    "__assertfail": _fail,
    "malloc": _malloc,
    "free": _free,
    "__cuda_syscall_aligned_malloc": _aligned_malloc,
}
HEAP_FUNCTIONS = frozenset({"malloc", "free", "__cuda_syscall_aligned_malloc"})
