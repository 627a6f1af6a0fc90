"""The approximations of MUFU against an H200 (driver 580.159.04, 2026-11-30; tanh 2026-12-01).

data/mufu.npz has, for each function, arguments and results, from all segments of the tables and binades of all sizes.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cassc.sass.mufu import approximate, square, tables

RECORDED = np.load(Path(__file__).parent / "data" / "mufu.npz")
NAN, INFINITY, SIGN = 0x7FFFFFFF, 0x7F800000, 0x80000000


@pytest.mark.parametrize("op", sorted(RECORDED.files))
def test_recorded(op: str) -> None:
    arguments, results = RECORDED[op]
    got = approximate(op, arguments)
    assert arguments.size > 400
    assert np.flatnonzero(got != results).tolist() == []


def _bits(values: list[float]) -> np.ndarray[Any, np.dtype[np.uint32]]:
    return np.array(values, np.float32).view(np.uint32)


@pytest.mark.parametrize(
    ("op", "argument", "result"),
    [
        ("rcp", 0.0, INFINITY),
        ("rcp", -0.0, INFINITY | SIGN),
        ("rcp", 1e-39, INFINITY),
        ("rcp", np.inf, 0),
        ("rcp", -np.inf, SIGN),
        ("rcp", 2.0**126, 0x00800000),
        ("rcp", 1.5 * 2.0**126, 0),
        ("rcp", np.nan, NAN),
        ("rsq", 0.0, INFINITY),
        ("rsq", -1.0, NAN),
        ("rsq", np.inf, 0),
        ("sqrt", -0.0, SIGN),
        ("sqrt", -1.0, NAN),
        ("sqrt", np.inf, INFINITY),
        ("sqrt", 4.0, 0x40000000),
        ("ex2", 128.0, INFINITY),
        ("ex2", -127.0, 0),
        ("ex2", -np.inf, 0),
        ("ex2", np.nan, NAN),
        ("lg2", 0.0, INFINITY | SIGN),
        ("lg2", -2.0, NAN),
        ("lg2", -np.inf, NAN),
        ("lg2", np.inf, INFINITY),
        ("lg2", 1.0, 0),
        ("sin", np.inf, NAN),
        ("cos", 0.0, 0x3F800000),
        ("tanh", -0.0, SIGN),
        ("tanh", 1e-39, 0x000AE398),
        ("tanh", 8.0, 0x3F800000),
        ("tanh", -np.inf, 0xBF800000),
        ("tanh", np.nan, NAN),
    ],
)
def test_ends_of_the_range(op: str, argument: float, result: int) -> None:
    assert int(approximate(op, _bits([argument]))[0]) == result


def test_within_two_units_of_the_function() -> None:
    x = np.linspace(0.5, 8, 4001, dtype=np.float32)
    got = approximate("rsq", x.view(np.uint32)).view(np.float32).astype(np.float64)
    assert np.max(np.abs(got * np.sqrt(x.astype(np.float64)) - 1)) < 2.0**-22.5


def test_the_squarer_leaves_out_low_columns() -> None:
    t = np.arange(1 << 10, dtype=np.int64)
    assert np.array_equal(square(t, 10, 0), t * t)
    missing = t * t - square(t, 10, 8)
    assert np.all(missing >= 0)
    assert 0 < missing.max() < 8 << 8


def test_sizes_of_the_tables() -> None:
    assert {name: len(rows) for name, rows in tables().items()} == {
        "rcp": 128,
        "rsq": 128,
        "sqrt": 128,
        "ex2": 64,
        "lg2": 64,
        "sin": 64,
        "tanh": 51,
    }
