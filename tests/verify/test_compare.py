from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cassc.verify import compare


def words(*values: int) -> np.ndarray:
    return np.frombuffer(np.array(values, np.uint32).tobytes(), np.uint8).copy()


def test_equal_bits_do_not_differ() -> None:
    assert not compare.differing(words(1, 2, 3), words(1, 2, 3), approximate=False).any()


def test_one_bit_differs() -> None:
    mask = compare.differing(words(1, 2, 3), words(1, 2, 7), approximate=False)
    found = compare.first(words(1, 2, 3), words(1, 2, 7), mask)
    assert found is not None
    assert (found.offset, found.count) == (8, 1)
    assert found.expected == words(3).tobytes()
    assert found.got == words(7).tobytes()


def test_nan_payloads_are_equal_but_nan_is_no_infinity() -> None:
    assert not compare.differing(words(0x7FFFFFFF), words(0xFFC00001), approximate=False).any()
    assert compare.differing(words(0x7F800000), words(0x7FC00000), approximate=True).any()


def test_double_nans_are_equal_in_both_words() -> None:
    one = np.frombuffer(np.array([0x7FF8000000000000], np.uint64).tobytes(), np.uint8)
    other = np.frombuffer(np.array([0xFFFFFFFF00000001], np.uint64).tobytes(), np.uint8)
    assert not compare.differing(one, other, approximate=False).any()


@pytest.mark.parametrize("relative", [1e-7, 1e-6])
def test_tolerance_only_for_approximations(relative: float) -> None:
    one = np.array([1.5], np.float32)
    other = one * np.float32(1 + relative)
    a, b = (np.frombuffer(x.tobytes(), np.uint8) for x in (one, other))
    assert compare.differing(a, b, approximate=False).any()
    assert not compare.differing(a, b, approximate=True).any()


def test_a_large_error_is_no_approximation() -> None:
    a, b = (np.frombuffer(np.array([x], np.float32).tobytes(), np.uint8) for x in (1.0, 1.001))
    assert compare.differing(a, b, approximate=True).any()


def test_small_integers_are_never_close() -> None:
    assert compare.differing(words(5), words(6), approximate=True).any()


@given(st.binary(min_size=1, max_size=64), st.integers(0, 63))
def test_bytes_of_any_length(data: bytes, place: int) -> None:
    a = np.frombuffer(data, np.uint8)
    b = a.copy()
    assert not compare.differing(a, b, approximate=True).any()
    b[place % b.size] ^= 0x11
    differs = compare.differing(a, b, approximate=False).any()
    as_float = a.view(np.uint8)
    assert differs or _holds_nan(as_float, b)


def _holds_nan(a: np.ndarray, b: np.ndarray) -> bool:
    padded = [np.zeros(-(-x.size // 8) * 8, np.uint8) for x in (a, b)]
    for target, source in zip(padded, (a, b), strict=True):
        target[: source.size] = source
    with np.errstate(all="ignore"):
        return any(np.isnan(x.view(t)).any() for x in padded for t in (np.float32, np.float64))
