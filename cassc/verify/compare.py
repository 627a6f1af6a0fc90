"""Two memories after a launch: bits, with the allowance that the rows state."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]

APPROXIMATE_TOLERANCE = 2.0**-18
"""Relative error allowed for a float that an approximating instruction may have entered. One ulp of a reciprocal,
square root, exponential or logarithm grows by the few operations that compilers put around it."""

_QUIET_32 = np.uint32(0x7F800000)


@dataclass(frozen=True, slots=True)
class Difference:
    """First differing word: byte offset in the buffer, and the eight bytes from there (or fewer)."""

    offset: int
    expected: bytes
    got: bytes
    count: int


def differing(expected: Bytes, got: Bytes, *, approximate: bool) -> NDArray[np.bool_]:
    """For each 32-bit word (the last may be padded) whether it differs more than it may.

    A NaN equals any NaN, as single or as double. With ``approximate``, values close as singles or as doubles are equal.
    """
    a, b = _words(expected), _words(got)
    different = a != b
    if not different.any():
        return different
    different &= ~_both_nan_32(a, b)
    pairs = a.size // 2
    a64, b64 = a[: 2 * pairs].view(np.uint64), b[: 2 * pairs].view(np.uint64)
    same64 = _both_nan_64(a64, b64)
    if approximate:
        different &= ~_close(a.view(np.float32), b.view(np.float32), APPROXIMATE_TOLERANCE)
        same64 |= _close(a64.view(np.float64), b64.view(np.float64), APPROXIMATE_TOLERANCE)
    different[: 2 * pairs] &= ~np.repeat(same64, 2)
    return different


def first(expected: Bytes, got: Bytes, mask: NDArray[np.bool_]) -> Difference | None:
    places = np.flatnonzero(mask)
    if not places.size:
        return None
    offset = int(places[0]) * 4
    end = min(offset + 8, expected.size)
    return Difference(offset, expected[offset:end].tobytes(), got[offset:end].tobytes(), int(places.size))


def _words(data: Bytes) -> NDArray[np.uint32]:
    padded = np.zeros(-(-data.size // 8) * 8, np.uint8)
    padded[: data.size] = data
    return padded.view(np.uint32)


def _both_nan_32(a: NDArray[np.uint32], b: NDArray[np.uint32]) -> NDArray[np.bool_]:
    def nan(x: NDArray[np.uint32]) -> NDArray[np.bool_]:
        return (x & np.uint32(0x7FFFFFFF)) > _QUIET_32

    return nan(a) & nan(b)


def _both_nan_64(a: NDArray[np.uint64], b: NDArray[np.uint64]) -> NDArray[np.bool_]:
    limit = np.uint64(0x7FF0000000000000)

    def nan(x: NDArray[np.uint64]) -> NDArray[np.bool_]:
        return (x & np.uint64(0x7FFFFFFFFFFFFFFF)) > limit

    return nan(a) & nan(b)


def _close(
    a: NDArray[np.floating], b: NDArray[np.floating], tolerance: float
) -> NDArray[np.bool_]:
    with np.errstate(all="ignore"):
        scale = np.maximum(np.abs(a), np.abs(b))
        ordinary = (scale >= np.finfo(a.dtype).tiny) & np.isfinite(scale)
        result: NDArray[np.bool_] = ordinary & (np.abs(a - b) <= tolerance * scale)
        return result
