"""libcufft against numpy."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest

from tests.libraries.conftest import Array, Device, checked

TYPES = {"C2C": 0x29, "R2C": 0x2A, "C2R": 0x2C, "Z2Z": 0x69, "D2Z": 0x6A, "Z2D": 0x6C}
SHAPES = [(8,), (1,), (7,), (61,), (67,), (1000,), (1009,), (4096,), (12, 10), (67, 5), (3, 4, 5), (8, 9, 134)]


@pytest.fixture(scope="module")
def cufft(device: Device) -> ctypes.CDLL:
    return device.library("libcufft.so.12")


def plan_many(cufft: ctypes.CDLL, shape: tuple[int, ...], kind: str, batch: int, layouts: tuple[Any, ...] = ()) -> int:
    plan = ctypes.c_int()
    sizes = (ctypes.c_int * len(shape))(*shape)
    layouts = layouts or (None, 1, 0, None, 1, 0)
    checked(cufft.cufftPlanMany)(ctypes.byref(plan), len(shape), sizes, *layouts, TYPES[kind], batch)
    return plan.value


def sample(shape: tuple[int, ...], kind: str, batch: int) -> tuple[Array, Array]:
    """Input and expected output, row-major."""
    rng = np.random.default_rng(len(shape) + batch)
    axes = tuple(range(1, len(shape) + 1))
    real = rng.standard_normal((batch, *shape))
    if kind in ("C2C", "Z2Z"):
        values = real + 1j * rng.standard_normal(real.shape)
        return values, np.fft.fftn(values, axes=axes)
    if kind in ("R2C", "D2Z"):
        return real, np.fft.rfftn(real, axes=axes)
    return np.fft.rfftn(real, axes=axes), real * np.prod(shape)


def element(kind: str, side: int) -> str:
    return {"C": "c8", "R": "f4", "Z": "c16", "D": "f8"}[kind[::2][side]]


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_every_type_and_size(device: Device, cufft: ctypes.CDLL, shape: tuple[int, ...], kind: str) -> None:
    for batch in (1, 3):
        values, expected = sample(shape, kind, batch)
        plan = plan_many(cufft, shape, kind, batch)
        source = device.put(values.astype(element(kind, 0)).ravel())
        target = device.zeros(expected.size, element(kind, 1))
        direction = (-1,) if kind in ("C2C", "Z2Z") else ()
        checked(getattr(cufft, f"cufftExec{kind}"))(plan, source, target, *direction)
        error = np.abs(target.get().reshape(expected.shape) - expected).max() / np.abs(expected).max()
        assert error < (1e-13 if element(kind, 1) in ("c16", "f8") else 1e-6)
        checked(cufft.cufftDestroy)(plan)


def test_in_place_real_transforms_are_padded(device: Device, cufft: ctypes.CDLL) -> None:
    values, expected = sample((6, 5), "D2Z", 1)
    padded = np.zeros((6, 6))
    padded[:, :5] = values[0]
    buffer = device.put(padded.ravel())
    checked(cufft.cufftExecD2Z)(plan_many(cufft, (6, 5), "D2Z", 1), buffer, buffer)
    assert np.allclose(buffer.get().view("c16").reshape(6, 3), expected[0])
    checked(cufft.cufftExecZ2D)(plan_many(cufft, (6, 5), "Z2D", 1), buffer, buffer)
    assert np.allclose(buffer.get().reshape(6, 6)[:, :5], values[0] * 30)


def test_advanced_layouts(device: Device, cufft: ctypes.CDLL) -> None:
    """Every second element, batches far apart, rows longer than the transform."""
    values, expected = sample((4, 3), "Z2Z", 2)
    source = np.full((2, 60), np.nan, complex)
    target = np.zeros((2, 100), complex)
    for batch in range(2):
        for row in range(4):
            source[batch, 2 * (5 * row) : 2 * (5 * row + 3) : 2] = values[batch, row]
    embed_in, embed_out = (ctypes.c_int * 2)(4, 5), (ctypes.c_int * 2)(4, 7)
    plan = plan_many(cufft, (4, 3), "Z2Z", 2, (embed_in, 2, 60, embed_out, 3, 100))
    result = device.put(target.ravel())
    checked(cufft.cufftExecZ2Z)(plan, device.put(source.ravel()), result, -1)
    written = result.get().reshape(2, 100)
    for batch in range(2):
        for row in range(4):
            assert np.allclose(written[batch, 3 * 7 * row : 3 * (7 * row + 3) : 3], expected[batch, row])
    assert np.count_nonzero(written) == 24


def test_an_inverse_returns(device: Device, cufft: ctypes.CDLL) -> None:
    values, _ = sample((45,), "Z2Z", 2)
    buffer = device.put(values.ravel())
    plan = plan_many(cufft, (45,), "Z2Z", 2)
    checked(cufft.cufftExecZ2Z)(plan, buffer, buffer, -1)
    checked(cufft.cufftExecZ2Z)(plan, buffer, buffer, 1)
    assert np.allclose(buffer.get().reshape(values.shape) / 45, values)


def test_statuses_are_those_of_an_h200(cufft: ctypes.CDLL, device: Device) -> None:
    plan = ctypes.c_int()
    target = ctypes.byref(plan)
    c2c = TYPES["C2C"]
    assert [cufft.cufftPlan1d(target, n, c2c, batch) for n, batch in ((0, 1), (-3, 1), (8, 0), (8, -1))] == [8] * 4
    assert cufft.cufftPlan1d(target, 8, 0x30, 1) == 3
    assert cufft.cufftPlan2d(target, 0, 4, c2c) == 8
    assert cufft.cufftExecC2C(9999, None, None, -1) == 1
    assert cufft.cufftPlan1d(target, 8, c2c, 1) == 0
    buffer = device.zeros(8, "c8")
    assert [cufft.cufftExecC2C(plan, buffer, buffer, sign) for sign in (0, 2)] == [4, 4]
    assert [cufft.cufftDestroy(plan), cufft.cufftDestroy(plan)] == [0, 1]
    assert cufft.cufftSetStream(plan, None) == 1
    assert cufft.cufftXtSetGPUs(plan) == 16  # not supported, and says so
