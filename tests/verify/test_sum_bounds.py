from __future__ import annotations

import numpy as np
import pytest

from cassc.sass.memory import Memory
from cassc.verify import sums
from cassc.verify.sums import Sum


def noted(start: float, *summands: float) -> dict[int, Sum]:
    memory = Memory()
    memory.map(0x100, 16).view(np.float32)[0] = start
    found: dict[int, Sum] = {}
    for one in summands:
        sums.note(found, memory, np.array([0x100], np.uint64), np.array([one], np.float32))
    return found


def near(one: Sum, expected: float, got: float) -> list[bool]:
    a, b = (np.array([x, 0, 0, 0], np.float32).view(np.uint8) for x in (expected, got))
    return [bool(same) for same in sums.near(a, b, {0: one})]


def test_what_was_there_before_counts() -> None:
    (one,) = noted(-8.0, 1.0, 2.0).values()
    assert (one.count, one.magnitude) == (2, 11.0)


def test_roundings_are_forgiven_and_a_lost_summand_is_not() -> None:
    (one,) = noted(0.0, 1e8, 1.0, -1e8).values()
    assert near(one, 0.0, 1.0) == [True, False, False, False]
    (one,) = noted(0.0, 1.0, 2.0, 4.0).values()
    assert near(one, 7.0, 7.000001) == [True, False, False, False]
    assert near(one, 7.0, 6.0) == [False] * 4


@pytest.mark.parametrize("summand", [np.inf, np.nan])
def test_no_bound_where_there_is_no_number(summand: float) -> None:
    (one,) = noted(0.0, 1.0, summand).values()
    assert near(one, 1.0, 2.0) == [False] * 4


def test_additions_that_will_be_refused_are_not_noted() -> None:
    memory = Memory()
    memory.map(0x100, 16)
    found: dict[int, Sum] = {}
    sums.note(found, memory, np.array([0x102, 0x200], np.uint64), np.array([1.0, 1.0], np.float32))
    assert not found
