"""Device memory of the reference interpreter: address ranges backed by numpy arrays, checked on every access."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
_WORDS = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


class AccessError(Exception):
    """An access outside every range, or a misaligned one. The interpreter turns it into a `Fault`."""

    def __init__(self, space: str, address: int, size: int, *, write: bool, misaligned: bool = False) -> None:
        super().__init__(space, address, size)
        self.space = space
        self.address = address
        self.size = size
        self.write = write
        self.misaligned = misaligned


@dataclass(frozen=True, slots=True)
class Range:
    """``data`` (uint8, written in place) stands at ``base``. Writes to a read-only range are errors."""

    base: int
    data: Bytes
    name: str = ""
    writable: bool = True

    @property
    def end(self) -> int:
        return self.base + self.data.size


class Memory:
    """A byte-addressed space made of ranges.

    Accesses must be aligned to their size, as on the GPU, and lie inside one range.
    """

    def __init__(self, ranges: Iterable[Range] = (), space: str = "global") -> None:
        self.space = space
        self._ranges: list[Range] = []
        for one in ranges:
            self.add(one)

    def __iter__(self) -> Iterator[Range]:
        return iter(self._ranges)

    def add(self, added: Range) -> None:
        """ValueError if the range overlaps another, or its array is not a contiguous uint8 vector."""
        if added.data.dtype != np.uint8 or added.data.ndim != 1 or not added.data.flags.c_contiguous:
            raise ValueError("a range needs a contiguous vector of uint8")
        for other in self._ranges:
            if added.base < other.end and other.base < added.end:
                raise ValueError(f"ranges overlap at {max(added.base, other.base):#x}")
        self._ranges.append(added)
        self._ranges.sort(key=lambda r: r.base)

    def map(self, base: int, size: int, name: str = "") -> Bytes:
        """A new zeroed range; its array."""
        data = np.zeros(size, np.uint8)
        self.add(Range(base, data, name))
        return data

    def find(self, address: int, size: int = 1) -> Range | None:
        for one in self._ranges:
            if one.base <= address and address + size <= one.end:
                return one
        return None

    def _locate(self, addresses: NDArray[np.uint64], size: int, write: bool) -> list[tuple[Range, NDArray[np.intp]]]:
        """The range of each access: (range, indices into ``addresses``), together all of them."""
        misaligned = addresses & np.uint64(size - 1)
        if misaligned.any():
            raise AccessError(
                self.space, int(addresses[np.flatnonzero(misaligned)[0]]), size, write=write, misaligned=True
            )
        low, high = int(addresses.min()), int(addresses.max())
        one = self.find(low, size)
        if one is not None and high + size <= one.end and (one.writable or not write):
            return [(one, np.arange(addresses.size))]
        pieces: dict[int, list[int]] = {}
        for index, address in enumerate(addresses.tolist()):
            one = self.find(address, size)
            if one is None or (write and not one.writable):
                raise AccessError(self.space, address, size, write=write)
            pieces.setdefault(one.base, []).append(index)
        found = {r.base: r for r in self._ranges}
        return [(found[base], np.array(indices)) for base, indices in pieces.items()]

    def read(self, addresses: NDArray[np.uint64], size: int) -> NDArray[np.unsignedinteger]:
        """Elements of 1, 2, 4 or 8 bytes, or of 16 as rows of two uint64. Raises AccessError."""
        element = min(size, 8)
        shape = (addresses.size, size // 8) if size > 8 else (addresses.size,)
        result = np.zeros(shape, _WORDS[element])
        for one, indices in self._locate(addresses, size, write=False):
            offsets = (addresses[indices] - np.uint64(one.base)).astype(np.intp)
            result[indices] = _gather(one.data, offsets, size, element)
        return result

    def write(self, addresses: NDArray[np.uint64], values: NDArray[np.unsignedinteger], size: int) -> None:
        """The opposite of `read`; of equal addresses the highest lane wins. Raises AccessError, writing nothing."""
        for one, indices in self._locate(addresses, size, write=True):
            offsets = (addresses[indices] - np.uint64(one.base)).astype(np.intp)
            rows = np.ascontiguousarray(values[indices]).view(np.uint8).reshape(indices.size, size)
            if one.base % size == 0:
                whole = one.data[: one.data.size // size * size].reshape(-1, size)
                whole[offsets // size] = rows
            else:
                one.data[offsets[:, None] + np.arange(size)] = rows

    def read_int(self, address: int, size: int) -> int:
        one = self._single(address, size, write=False)
        offset = address - one.base
        return int.from_bytes(one.data[offset : offset + size].tobytes(), "little")

    def write_int(self, address: int, value: int, size: int) -> None:
        one = self._single(address, size, write=True)
        offset = address - one.base
        one.data[offset : offset + size] = np.frombuffer(value.to_bytes(size, "little"), np.uint8)

    def note_additions(self, addresses: NDArray[np.uint64], summands: NDArray[np.floating]) -> None:
        """Told of atomic additions of floats before they are done."""

    def read_string(self, address: int) -> bytes:
        """The bytes up to a NUL or the end of the range. Raises AccessError."""
        one = self._single(address, 1, write=False)
        return one.data[address - one.base :].tobytes().partition(b"\0")[0]

    def _single(self, address: int, size: int, *, write: bool) -> Range:
        if address & (size - 1) and size in _WORDS:
            raise AccessError(self.space, address, size, write=write, misaligned=True)
        one = self.find(address, size)
        if one is None or (write and not one.writable):
            raise AccessError(self.space, address, size, write=write)
        return one


def _gather(data: Bytes, offsets: NDArray[np.intp], size: int, element: int) -> NDArray[np.unsignedinteger]:
    if not (offsets % size).any():
        whole = data[: data.size // size * size].view(_WORDS[element])
        if whole.size * element == data.size // size * size:
            if size > 8:
                return whole.reshape(-1, size // 8)[offsets // size]
            return whole[offsets // element]
    rows = np.ascontiguousarray(data[offsets[:, None] + np.arange(size)])
    return rows.view(_WORDS[element]) if size > 8 else rows.view(_WORDS[element]).reshape(offsets.size)
