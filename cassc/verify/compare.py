"""Two memories after a launch: equal bits, with an allowance where approximations are seen to move the result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Mask = NDArray[np.bool_]

ALLOWANCE = 4
"""A result may differ by this many times what nudged approximations moved it by."""

_FARTHEST = 1 << 60
_NEVER = _FARTHEST + 1
_FEW_UNITS = 64
_MOST_OF_A_SINGLE = 1 << 17
_LOST_SINGLE, _LOST_DOUBLE = 1 << 23, 1 << 52
"""Units in the last place by which a number has changed as much as its own size."""


@dataclass(frozen=True, slots=True)
class Difference:
    """First differing word: byte offset in the buffer, and the eight bytes from there (or fewer)."""

    offset: int
    expected: bytes
    got: bytes
    count: int


def differing(expected: Bytes, got: Bytes, *, halves: bool = False) -> Mask:
    """For each 32-bit word (the last may be padded) whether it differs.

    A NaN equals any NaN, as single or as double, and with ``halves`` as half.
    """
    a, b = _words(expected), _words(got)
    different: Mask = a != b
    if not different.any():
        return different
    different &= ~(_nan(a, 0x7F800000) & _nan(b, 0x7F800000))
    a64, b64 = a.view(np.uint64), b.view(np.uint64)
    different &= ~np.repeat(_nan(a64, 0x7FF0000000000000) & _nan(b64, 0x7FF0000000000000), 2)
    if halves:
        a16, b16 = a.view(np.uint16), b.view(np.uint16)
        different &= ((a16 != b16) & ~(_nan(a16, 0x7C00) & _nan(b16, 0x7C00))).reshape(-1, 2).any(axis=1)
    return different


def allowed(
    expected: Bytes, got: Bytes, samples: Sequence[Bytes], *, halves: bool = False, doubles: bool = False
) -> Mask:
    """For each 32-bit word whether it lies where nudged approximations put it (``samples``), with the allowance.

    Words are compared as singles and as parts of doubles, in units in the last place. With ``doubles`` a word that
    moved far is no single: it may be the low half of a double. Of a number that moved so far that no digit is left of
    it (an iteration that diverges) nothing is known, and anything may stand there.
    """
    a, b = _words(expected), _words(got)
    moved = [_words(sample) for sample in samples]
    farthest = _MOST_OF_A_SINGLE if doubles else _FARTHEST
    lost = (_NEVER, _LOST_DOUBLE) if doubles else (_LOST_SINGLE, _NEVER)
    result = _within(a, b, moved, np.int32, farthest, lost[0])
    wide = [m.view(np.uint64) for m in moved]
    result |= np.repeat(_within(a.view(np.uint64), b.view(np.uint64), wide, np.int64, _FARTHEST, lost[1]), 2)
    if halves:
        narrow = _within(a.view(np.uint16), b.view(np.uint16), [m.view(np.uint16) for m in moved], np.int16)
        same = a.view(np.uint16) == b.view(np.uint16)
        result |= (narrow | same).reshape(-1, 2).all(axis=1)
    return result


def close(expected: Bytes, got: Bytes, mask: Mask) -> bool:
    """Whether all the words of the mask lie within a few units in the last place, as singles or as doubles."""
    a, b = _words(expected), _words(got)
    near: Mask = _distance(_ordered(a, np.int32), _ordered(b, np.int32)) <= _FEW_UNITS
    wide = _distance(_ordered(a.view(np.uint64), np.int64), _ordered(b.view(np.uint64), np.int64)) <= _FEW_UNITS
    return bool((near | np.repeat(wide, 2))[mask].all())


def same_set(a: Bytes, b: Bytes, mask: Mask) -> bool:
    """Whether the words of the mask are the same, in whatever order."""
    return bool(np.array_equal(np.sort(_words(a)[mask]), np.sort(_words(b)[mask])))


def first(expected: Bytes, got: Bytes, mask: Mask) -> Difference | None:
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


def _nan(x: NDArray[Any], infinity: int) -> Mask:
    magnitude = x.dtype.type((1 << (8 * x.dtype.itemsize - 1)) - 1)
    result: Mask = (x & magnitude) > x.dtype.type(infinity)
    return result


def _ordered(x: NDArray[Any], signed: Any) -> NDArray[np.int64]:
    """Bit patterns of floats as numbers that count units in the last place, both zeros being 0."""
    whole = x.view(signed).astype(np.int64)
    result: NDArray[np.int64] = np.where(whole < 0, np.int64(np.iinfo(signed).min) - whole, whole)
    return result


def _distance(a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.int64]:
    """At most `_FARTHEST`; differences of large numbers of two signs do not fit 64 bits."""
    far = np.abs(a.astype(np.float64) - b.astype(np.float64)) > _FARTHEST
    result: NDArray[np.int64] = np.where(far, _FARTHEST, np.abs(np.where(far, 0, a) - np.where(far, 0, b)))
    return result


def _within(
    a: NDArray[Any],
    b: NDArray[Any],
    samples: Sequence[NDArray[Any]],
    signed: Any,
    farthest: int = _FARTHEST,
    lost: int = _NEVER,
) -> Mask:
    origin = _ordered(a, signed)
    spread = np.zeros(a.size, np.int64)
    for sample in samples:
        spread = np.maximum(spread, _distance(_ordered(sample, signed), origin))
    near = _distance(_ordered(b, signed), origin) <= ALLOWANCE * np.minimum(spread, _FARTHEST // ALLOWANCE)
    result: Mask = (spread > 0) & (spread <= farthest) & near | (spread >= lost)
    return result
