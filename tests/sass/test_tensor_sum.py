"""Sums of products of the tensor cores: rational arithmetic, and the two ways in which they are written."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cassc.sass import tensor_sum
from cassc.sass.builder import F32
from cassc.sass.evaluate import Evaluate
from cassc.sass.lanes import Lanes

Floats = NDArray[np.float32]
COUNT, LANES = 16, 96


def random_floats(random: Any, shape: tuple[int, ...], spread: int) -> Floats:
    """Numbers with 11 significant bits, zeros among them."""
    mantissas = random.integers(-2047, 2048, shape) * (random.random(shape) < 0.9)
    found: Floats = np.ldexp(mantissas, random.integers(-spread, spread + 1, shape)).astype(np.float32)
    return found


def operands(least: int) -> tuple[Floats, Floats, Floats]:
    random = np.random.default_rng(3)
    if least == -14:
        halves = random.integers(0, 0x7C00, (2, COUNT, LANES)) | random.integers(0, 2, (2, COUNT, LANES)) << 15
        xs, ys = halves.astype(np.uint16).view(np.float16).astype(np.float32)
    else:
        xs, ys = random_floats(random, (COUNT, LANES), 30), random_floats(random, (COUNT, LANES), 30)
    total = random_floats(random, (LANES,), 20) * np.float32(1 + 2**-20)
    return total, xs, ys


def exponent(x: Fraction, least: int) -> int:
    magnitude = abs(x)
    e = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    e -= magnitude < Fraction(2) ** e
    return max(e, least)


def expected(total: float, xs: Floats, ys: Floats, least: int) -> float:
    terms = [(Fraction(float(total)), exponent(Fraction(float(total)), -126) if total else None)]
    for x, y in zip(xs.tolist(), ys.tolist(), strict=True):
        v, w = Fraction(x), Fraction(y)
        terms.append((v * w, exponent(v, least) + exponent(w, least) if v and w else None))
    highest = max((e for _, e in terms if e is not None), default=0)
    unit = Fraction(2) ** (highest - 25)
    result = sum((int(value / unit) for value, _ in terms), start=0) * unit
    if not result:
        return 0.0
    last = Fraction(2) ** max(exponent(result, -10_000) - 23, -149)
    return float(int(result / last) * last)


@pytest.mark.parametrize("least", [-14, -126])
def test_rational_arithmetic_gives_the_same(least: int) -> None:
    total, xs, ys = operands(least)
    got = tensor_sum.of_lanes(total, xs, ys, least)
    wanted = [expected(total[k], xs[:, k], ys[:, k], least) for k in range(LANES)]
    assert got.tolist() == wanted


@pytest.mark.parametrize("least", [-14, -126])
def test_both_ways_agree(least: int) -> None:
    total, xs, ys = operands(least)
    special = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0, 1.0, 2.0**-126, 65504.0], np.float32)
    random = np.random.default_rng(4)
    for array in (total, xs, ys):
        some = random.random(array.shape) < 0.02
        array[some] = random.choice(special, int(some.sum()))
    b: Any = Evaluate(lanes=LANES)
    lanes = [Lanes(F32, np.ascontiguousarray(x)) for x in (total, *xs, *ys)]
    with np.errstate(all="ignore"):
        found: Any = tensor_sum.matrix_sum(b, least, *lanes)[0]
    np.testing.assert_array_equal(found.data, tensor_sum.of_lanes(total, xs, ys, least))


@pytest.mark.parametrize(
    ("x", "y", "total", "result"),
    [
        (np.inf, 0.0, 1.0, np.nan),
        (np.inf, -2.0, np.inf, np.nan),
        (np.inf, -2.0, 3.0, -np.inf),
        (3e38, 3e38, -np.inf, -np.inf),
        (3e38, -3e38, 0.0, -np.inf),
        (1.0, 1.0, np.nan, np.nan),
        (-0.0, 1.0, -0.0, 0.0),
    ],
)
def test_special_numbers(x: float, y: float, total: float, result: float) -> None:
    column = np.array([[x]], np.float32), np.array([[y]], np.float32)
    got = tensor_sum.of_lanes(np.array([total], np.float32), *column, -126)
    np.testing.assert_array_equal(got, np.array([result], np.float32))
