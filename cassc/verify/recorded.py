"""Launches that ``cassc run --record`` wrote: a program's own, with the memory that they reach before and after.

The file's format stands in shims/runtime/recorder.h. Where a launch is replayed its memory stands at other addresses:
every aligned word that was the address of a byte of it is taken for a pointer, and follows.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cassc import diag
from cassc.diag import Location
from cassc.image.cubin import Cubin
from cassc.verify.inputs import Buffer, Launch, Link, Space, Stored

_CONTAINER, _LAUNCH, _SKIPPED = 1, 2, 3
_VERSION = 1
Bytes = NDArray[np.uint8]
Left = Mapping[str, tuple[Bytes, tuple[Link, ...]]]


@dataclass(frozen=True, slots=True)
class Container:
    """A fat binary of the program: its bytes, and the entries that a translation added: (kind, SM, payload)."""

    digest: str
    data: bytes
    entries: tuple[tuple[int, int, bytes], ...]


@dataclass(frozen=True, slots=True)
class Memory:
    """An allocation, or a variable of the module, at its address on the recording device; ``after`` is None where the
    launch changed nothing."""

    variable: str
    address: int
    before: Bytes
    after: Bytes | None


@dataclass(frozen=True, slots=True)
class Recorded:
    """One launch. ``status``: the cudaError that it ended with. ``parameters``: with addresses of the recording."""

    container: str
    kernel: str
    sm: int
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    dynamic_shared: int
    cooperative: bool
    status: int
    parameters: bytes
    memories: tuple[Memory, ...]


@dataclass(frozen=True, slots=True)
class Recording:
    """``skipped``: kernels whose launches were not recorded, with the reason."""

    containers: tuple[Container, ...]
    launches: tuple[Recorded, ...]
    skipped: tuple[tuple[str, str], ...]


class _Reader:
    def __init__(self, data: memoryview) -> None:
        self._data = data
        self._position = 0

    @property
    def left(self) -> int:
        return len(self._data) - self._position

    def take(self, size: int) -> memoryview:
        if size > self.left:
            raise ValueError("the file ends within a chunk")
        self._position += size
        return self._data[self._position - size : self._position]

    def u32(self) -> int:
        return int.from_bytes(self.take(4), "little")

    def u64(self) -> int:
        return int.from_bytes(self.take(8), "little")

    def blob(self) -> memoryview:
        return self.take(self.u64())

    def text(self) -> str:
        return bytes(self.blob()).decode(errors="replace")

    def dim(self) -> tuple[int, int, int]:
        x, y, z = struct.unpack("<3I", self.take(12))
        return x, y, z


def read(path: str) -> Recording:
    """The launches in a file. Raises CasscError ``verify-bad-recording``."""
    try:
        data = memoryview(Path(path).read_bytes())
    except OSError as problem:
        raise diag.error("verify-bad-recording", f"cannot read: {problem.strerror}", Location(file=path)) from problem
    containers, launches, skipped = [], [], []
    try:
        reader = _Reader(data)
        while reader.left:
            kind, version = reader.u32(), reader.u32()
            if version != _VERSION or kind not in (_CONTAINER, _LAUNCH, _SKIPPED):
                raise ValueError(f"unknown chunk of kind {kind}, version {version}")
            chunk = _Reader(reader.blob())
            if kind == _CONTAINER:
                containers.append(_container(chunk))
            elif kind == _LAUNCH:
                launches.append(_launch(chunk))
            else:
                skipped.append((chunk.text(), chunk.text()))
    except ValueError as problem:
        message = f"no recording of launches, or a damaged one: {problem}"
        raise diag.error("verify-bad-recording", message, Location(file=path)) from problem
    return Recording(tuple(containers), tuple(launches), tuple(skipped))


def _container(chunk: _Reader) -> Container:
    digest, data = chunk.text(), bytes(chunk.blob())
    entries = tuple((chunk.u32(), chunk.u32(), bytes(chunk.blob())) for _ in range(chunk.u32()))
    return Container(digest, data, entries)


def _launch(chunk: _Reader) -> Recorded:
    head = (chunk.text(), chunk.text(), chunk.u32(), chunk.dim(), chunk.dim(), chunk.u32(), bool(chunk.u32()))
    status, parameters = chunk.u32(), bytes(chunk.blob())
    return Recorded(*head, status, parameters, tuple(_memory(chunk) for _ in range(chunk.u32())))


def _memory(chunk: _Reader) -> Memory:
    name, address = chunk.text(), chunk.u64()
    before = np.frombuffer(chunk.blob(), np.uint8)
    after = np.frombuffer(chunk.blob(), np.uint8) if chunk.u32() else None
    if after is not None and after.size != before.size:
        raise ValueError("memory changed its size")
    return Memory(name, address, before, after)


@dataclass(frozen=True, slots=True)
class Replay:
    """A recorded launch, ready to be placed.

    Attributes:
        launch: ``attempt`` is the number of the launch in the recording.
        left: what the recording device left behind: by the name of a buffer, its bytes and the pointers in them; None
            where the launch failed there.
    """

    launch: Launch
    left: Left | None


def replay(recorded: Recorded, cubin: Cubin, number: int) -> Replay:
    """``cubin``: tells where the module's variables are."""
    buffers = [memory for memory in recorded.memories if not memory.variable]
    space = Space([(memory.address, memory.before.size) for memory in buffers])
    names = [f"memory {k} (recorded at {memory.address:#x})" for k, memory in enumerate(buffers)]
    placed = tuple(
        Buffer(-1, name, _padded(memory.before), links=space.links(memory.before))
        for name, memory in zip(names, buffers, strict=True)
    )
    variables = []
    for memory in recorded.memories:
        symbol = cubin.symbol(memory.variable) if memory.variable else None
        if symbol is not None and symbol.section:
            variables.append(Stored(symbol.section, symbol.value, memory.before, space.links(memory.before)))
    parameters = np.frombuffer(recorded.parameters, np.uint8)
    kernel = cubin.kernel(recorded.kernel)
    size = kernel.abi.param_size if kernel is not None else 0
    launch = Launch(
        0,
        number,
        recorded.grid,
        recorded.block,
        recorded.dynamic_shared,
        recorded.parameters[:size].ljust(size, b"\0"),
        placed,
        tuple(link for link in space.links(parameters) if link.offset + 8 <= size),
        tuple(variables),
    )
    left = None
    if recorded.status == 0:
        ends = [memory.before if memory.after is None else memory.after for memory in buffers]
        left = {name: (_padded(end), space.links(end)) for name, end in zip(names, ends, strict=True)}
    return Replay(launch, left)


def _padded(data: Bytes) -> Bytes:
    """At least one byte, since memory of none has no address."""
    return data if data.size else np.zeros(1, np.uint8)
