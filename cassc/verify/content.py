"""What generated buffers hold: numbers of the type that the kernel uses them as, from harmless to nasty."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cassc.verify.flow import Facts, Kind

Bytes = NDArray[np.uint8]
Numbers = NDArray[Any]


class Manner(Enum):
    """TAME: what a program would use. MIXED: some of everything. WILD: any bits. EVEN: nearly always the same number.
    EDGES: extremes, ties, specials, and what the kernel compares with."""

    TAME = "tame"
    MIXED = "mixed"
    WILD = "wild"
    EVEN = "even"
    EDGES = "edges"


# How often ordinary, edge and random elements are drawn.
_SHARES = {
    Manner.TAME: (1.0, 0.0),
    Manner.MIXED: (0.6, 0.2),
    Manner.WILD: (0.1, 0.1),
    Manner.EDGES: (0.3, 0.6),
    Manner.EVEN: (1.0, 0.0),
}
_REPEATING = (Manner.MIXED, Manner.EDGES)
_REPEATED, _POOL = 0.4, 4
_UNSIGNED = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}
_FLOAT_BITS = {Kind.FLOAT16: (2, 5, 10), Kind.FLOAT32: (4, 8, 23), Kind.FLOAT64: (8, 11, 52)}
_SMALL = 48
_EVEN = 0.97
_COMPARED = 0.4
# How often an element is infinite, a NaN or huge: in most buffers hardly ever, as one decides a whole sum.
_SPOILT = (0.0, 0.0, 0.001, 0.02, 0.2)
_SPOILT_EDGES = (0.0, 0.01, 0.2, 0.2)
_PERIOD = 8168
"""Bytes after which content repeats, a multiple of 8 and of no other power of two: drawing takes long."""
# Where increasing values end, by the limit of the others.
_START_PER_LIMIT = 80


def make(
    random: np.random.Generator,
    size: int,
    facts: Facts,
    manner: Manner,
    limit: int,
    compared: Sequence[int],
    *,
    sought: bool = False,
    repeats: bool = False,
) -> Bytes:
    """``size`` bytes (a multiple of 8).

    Args:
        facts: how the kernel uses the memory.
        limit: if not 0, elements are integers from 0 to below it, as they serve as indices or counts.
        compared: values that the kernel compares with, to be met sometimes.
        sought: and often, as loops may end there.
        repeats: what is no index repeats after some kilobytes.
    """
    if limit:
        element = min(facts.sizes & {1, 2, 4, 8}, default=4)
        numbers = _indices(random, size // element, element, manner, limit)
        if sought and compared:
            ends = _patterns(compared, element)
            numbers = np.where(random.random(numbers.size) < 0.4, random.choice(ends, numbers.size), numbers)
        return _as_bytes(numbers)
    if repeats and size > _PERIOD:
        period = make(random, _PERIOD, facts, manner, 0, compared, sought=sought)
        return np.resize(period, size)
    kind = facts.kind
    element = _FLOAT_BITS[kind][0] if kind is not None else min(facts.sizes & {1, 2, 4, 8}, default=4)
    count = size // element
    ordinary = _ordinary_floats(random, count, kind) if kind is not None else _ordinary(random, count, element)
    if manner is Manner.EVEN:
        ordinary = np.where(random.random(count) < _EVEN, ordinary[0], ordinary)
    if manner in _REPEATING:
        # Equal elements, next to each other and apart: ties are where comparisons go wrong.
        again = ordinary[random.integers(0, min(count, _POOL), count)]
        ordinary = np.where(random.random(count) < _REPEATED, again, ordinary)
    share, edges = _SHARES[manner]
    if share < 1:
        drawn = random.random(count)
        special = _special_floats(random, count, kind) if kind is not None else _edges(random, count, element, compared)
        anything = random.integers(0, 256, size, dtype=np.uint8).view(ordinary.dtype)
        if kind is not None and manner is not Manner.WILD:
            anything = _close_floats(random, count, kind)
        ordinary = np.where(drawn < share, ordinary, np.where(drawn < share + edges, special, anything))
        if kind is not None:
            spoilt = random.random(count) < random.choice(_SPOILT_EDGES if manner is Manner.EDGES else _SPOILT)
            ordinary = np.where(spoilt, _spoiling_floats(random, count, kind), _unspoilt(ordinary, kind))
    return _as_bytes(ordinary)


def _as_bytes(numbers: Numbers) -> Bytes:
    return np.ascontiguousarray(numbers).view(np.uint8)


def _ordinary(random: np.random.Generator, count: int, element: int) -> Numbers:
    return random.integers(0, _SMALL, count).astype(_UNSIGNED[element])


def _edges(random: np.random.Generator, count: int, element: int, compared: Sequence[int]) -> Numbers:
    """Ends of the ranges, powers of two and their neighbours, and what the kernel compares with."""
    bits = 8 * element
    values = [0, 1, 2, (1 << bits) - 1, (1 << bits) - 2, 1 << (bits - 1), (1 << (bits - 1)) - 1]
    values += [(1 << k) + d for k in range(0, bits, max(bits // 16, 1)) for d in (-1, 0)]
    masked = _patterns(values, element)
    chosen = random.choice(masked, count)
    if not compared:
        return chosen
    wide = [c - (c >> 31 << 32) for c in compared]
    met = _patterns([w + d for w in wide for d in (-1, 0, 0, 1)], element)
    return np.where(random.random(count) < _COMPARED, random.choice(met, count), chosen)


def _patterns(values: Sequence[int], element: int) -> Numbers:
    """Numbers, cut to the size of an element in bytes."""
    return np.array([v & ((1 << 8 * element) - 1) for v in values], np.uint64).astype(_UNSIGNED[element])


def _indices(random: np.random.Generator, count: int, element: int, manner: Manner, limit: int) -> Numbers:
    """Increasing in small steps, as row starts are, or any below the limit."""
    limit = min(limit, 1 << (8 * element - 1))
    if manner is Manner.TAME and element >= 4 and limit > 4:
        steps = random.integers(0, 4, count)
        return np.minimum(np.cumsum(steps), _START_PER_LIMIT * limit).astype(_UNSIGNED[element])
    values = random.integers(0, limit, count)
    if manner is Manner.EVEN:  # lists that end at once
        values = np.where(random.random(count) < _EVEN, 0, values)
    return values.astype(_UNSIGNED[element])


def _ordinary_floats(random: np.random.Generator, count: int, kind: Kind) -> Numbers:
    type = {Kind.FLOAT16: np.float16, Kind.FLOAT32: np.float32, Kind.FLOAT64: np.float64}[kind]
    values = np.where(random.random(count) < 0.5, random.normal(0, 2, count), random.uniform(0, 1, count))
    bits: Numbers = values.astype(type).view(_UNSIGNED[_FLOAT_BITS[kind][0]])
    return bits


def _special_floats(random: np.random.Generator, count: int, kind: Kind) -> Numbers:
    """Zeros, denormals, the smallest, halves of integers, numbers next to one."""
    size, exponent, fraction = _FLOAT_BITS[kind]
    one = ((1 << (exponent - 1)) - 1) << fraction
    values = [0, 1, 5, (1 << fraction) - 1, 1 << fraction, one, one + 1, one - 1]
    values += [one + (1 << (fraction - 1)), one + (1 << fraction), one + (5 << (fraction - 2))]
    return _of_either_sign(random, count, values, size)


def _spoiling_floats(random: np.random.Generator, count: int, kind: Kind) -> Numbers:
    """The largest, infinities, NaN."""
    size, exponent, fraction = _FLOAT_BITS[kind]
    top = ((1 << exponent) - 1) << fraction
    return _of_either_sign(random, count, [top - 1, top, top | 1 << (fraction - 1)], size)


def _of_either_sign(random: np.random.Generator, count: int, values: Sequence[int], size: int) -> Numbers:
    both = [*values, *(v | 1 << (8 * size - 1) for v in values)]
    return random.choice(np.array(both, np.uint64).astype(_UNSIGNED[size]), count)


def _unspoilt(numbers: Numbers, kind: Kind) -> Numbers:
    """Infinities and NaN become numbers between one and two."""
    size, exponent, fraction = _FLOAT_BITS[kind]
    top = numbers.dtype.type(((1 << exponent) - 1) << fraction)
    one = numbers.dtype.type(1 << (exponent + fraction - 1))
    result: Numbers = np.where(numbers & top == top, numbers ^ one, numbers)
    return result


def _close_floats(random: np.random.Generator, count: int, kind: Kind) -> Numbers:
    """Random fractions with exponents near that of one: sums that round, cancel and tie."""
    size, exponent, fraction = _FLOAT_BITS[kind]
    bits = random.integers(0, 1 << 62, count, dtype=np.uint64)
    sparse = np.where(random.random(count) < 0.5, bits, bits & np.uint64(0x1111_1111_1111_1111))
    middle = (1 << (exponent - 1)) - 1
    spread = min(12, middle - 1)
    exponents = random.integers(middle - spread, middle + spread + 1, count).astype(np.uint64)
    signs = random.integers(0, 2, count).astype(np.uint64)
    mantissa = sparse & np.uint64((1 << fraction) - 1)
    whole = signs << np.uint64(exponent + fraction) | exponents << np.uint64(fraction) | mantissa
    result: Numbers = whole.astype(_UNSIGNED[size])
    return result
