from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from cassc.verify import compare

Bytes = NDArray[np.uint8]


def words(*values: int) -> Bytes:
    return np.frombuffer(np.array(values, np.uint32).tobytes(), np.uint8).copy()


def floats(*values: float, type: Any = np.float32) -> Bytes:
    return np.frombuffer(np.array(values, type).tobytes(), np.uint8).copy()


def test_equal_bits_do_not_differ() -> None:
    assert not compare.differing(words(1, 2, 3), words(1, 2, 3)).any()


def test_one_bit_differs() -> None:
    mask = compare.differing(words(1, 2, 3), words(1, 2, 7))
    found = compare.first(words(1, 2, 3), words(1, 2, 7), mask)
    assert found is not None
    assert (found.offset, found.count) == (8, 1)
    assert found.expected == words(3).tobytes()
    assert found.got == words(7).tobytes()


def test_nan_payloads_are_equal_but_nan_is_no_infinity() -> None:
    assert not compare.differing(words(0x7FFFFFFF), words(0xFFC00001)).any()
    assert compare.differing(words(0x7F800000), words(0x7FC00000)).any()


def test_double_nans_are_equal_in_both_words() -> None:
    one = np.frombuffer(np.array([0x7FF8000000000000], np.uint64).tobytes(), np.uint8)
    other = np.frombuffer(np.array([0xFFFFFFFF00000001], np.uint64).tobytes(), np.uint8)
    assert not compare.differing(one, other).any()


def test_half_nans_are_equal_only_where_halves_are_computed() -> None:
    assert compare.differing(words(0x7E003C00), words(0x7FFF3C00)).any()
    assert not compare.differing(words(0x7E003C00), words(0x7FFF3C00), halves=True).any()
    assert compare.differing(words(0x7E003C00), words(0x7FFF3C01), halves=True).any()


def test_denormals_differ_from_zero_and_small_integers_from_each_other() -> None:
    assert compare.differing(words(0x80000007, 3), words(0, 5)).all()


@pytest.mark.parametrize("type", [np.float32, np.float64])
def test_what_nudges_move_may_differ_by_a_few_times_as_much(type: Any) -> None:
    step = np.finfo(type).eps
    double = type is np.float64
    expected = floats(1.5, 1.5, type=type)
    samples = [floats(1.5 + step, 1.5, type=type), floats(1.5 - step, 1.5, type=type)]
    half = expected.size // 8
    near = compare.allowed(expected, floats(1.5 + 4 * step, 2.5, type=type), samples, doubles=double)
    assert near[:half].all() and not near[half:].any()
    far = compare.allowed(expected, floats(1.5 + 5 * step, 1.5, type=type), samples, doubles=double)
    assert not far[0]


def test_what_nudges_do_not_move_must_be_equal() -> None:
    expected, got = floats(1.5), floats(np.nextafter(np.float32(1.5), np.float32(2)))
    assert not compare.allowed(expected, got, [expected]).any()
    assert not compare.allowed(expected, got, []).any()


@pytest.mark.parametrize("type", [np.float32, np.float64])
def test_of_what_nudges_leave_no_digit_nothing_is_known(type: Any) -> None:
    expected, double = floats(1.5, 1.5, type=type), type is np.float64
    samples = [floats(-300.0, 1.75, type=type)]
    allowed = compare.allowed(expected, floats(np.nan, np.nan, type=type), samples, doubles=double)
    half = expected.size // 8
    assert allowed[:half].all() and not allowed[half:].any()


def test_units_in_the_last_place_reach_across_zero() -> None:
    assert compare.allowed(floats(1e-45), floats(-1e-45), [floats(0.0)])[0]


@given(st.binary(min_size=1, max_size=64), st.integers(0, 63))
def test_bytes_of_any_length(data: bytes, place: int) -> None:
    a = np.frombuffer(data, np.uint8)
    b = a.copy()
    assert not compare.differing(a, b).any()
    b[place % b.size] ^= 0x11
    assert compare.differing(a, b).any() or _holds_nan(a, b)


def _holds_nan(a: Bytes, b: Bytes) -> bool:
    padded = [np.zeros(-(-x.size // 8) * 8, np.uint8) for x in (a, b)]
    for target, source in zip(padded, (a, b), strict=True):
        target[: source.size] = source
    with np.errstate(all="ignore"):
        return any(bool(np.isnan(x.view(t)).any()) for x in padded for t in (np.float32, np.float64))
