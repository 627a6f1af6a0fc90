"""libcusolver's dense functions against numpy."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from tests.libraries.conftest import Array, Buffer, Device, checked

DTYPES = {"S": "f4", "D": "f8", "C": "c8", "Z": "c16"}
LOWER, UPPER = 0, 1
letters = pytest.mark.parametrize("t", DTYPES)


@dataclass(frozen=True)
class Solver:
    device: Device
    library: ctypes.CDLL
    handle: ctypes.c_void_p
    info: Buffer

    def __call__(self, name: str, *arguments: Any) -> int:
        """Calls a function, with a workspace of the size that it asks for first. Gives info."""
        checked(getattr(self.library, f"cusolverDn{name}"))(self.handle, *arguments)
        return int(self.info.get()[0])


@pytest.fixture(scope="module")
def solver(device: Device) -> Solver:
    library, handle = device.library("libcusolver.so.12"), ctypes.c_void_p()
    checked(library.cusolverDnCreate)(ctypes.byref(handle))
    return Solver(device, library, handle, device.put(np.full(4, -77, "i4")))


def values(dtype: str, *shape: int) -> Array:
    rng = np.random.default_rng(sum(shape) + len(shape))
    made: Array = rng.standard_normal(shape)
    if dtype[0] == "c":
        made = made + 1j * rng.standard_normal(shape)
    return made.astype(dtype)


def positive(dtype: str, n: int) -> Array:
    a = values(dtype, n, n)
    full: Array = a @ a.conj().T + n * np.eye(n, dtype=dtype)
    return full


def close(made: Array, expected: Array) -> bool:
    digits = 1e-4 if made.dtype in (np.float32, np.complex64) else 1e-10
    return bool(np.allclose(made, expected, rtol=digits, atol=digits * max(1, np.abs(expected).max(initial=0))))


def test_workspaces_have_a_size(solver: Solver) -> None:
    size = ctypes.c_int(-1)
    solver("Dgetrf_bufferSize", 4, 4, None, 4, ctypes.byref(size))
    assert size.value > 0
    solver("Dgesvd_bufferSize", 4, 4, ctypes.byref(size))
    assert size.value > 0


@letters
@pytest.mark.parametrize("uplo", [LOWER, UPPER])
def test_cholesky(solver: Solver, t: str, uplo: int) -> None:
    dtype, put = DTYPES[t], solver.device.put
    a, b = positive(dtype, 5), values(dtype, 5, 3)
    factor, right = put(a), put(b)
    assert solver(f"{t}potrf", uplo, 5, factor, 5, None, 0, solver.info) == 0
    r = factor.get()
    r = np.triu(r) if uplo == UPPER else np.tril(r).conj().T
    assert close(r.conj().T @ r, a)
    assert solver(f"{t}potrs", uplo, 5, 3, factor, 5, right, 5, solver.info) == 0
    assert close(a @ right.get(), b)
    assert solver(f"{t}potri", uplo, 5, factor, 5, None, 0, solver.info) == 0
    inverse = np.linalg.inv(a)
    half = np.triu if uplo == UPPER else np.tril
    assert close(half(factor.get()), half(inverse))
    indefinite = put(np.diag(np.array([1, 1, -1, 1], dtype)))
    assert solver(f"{t}potrf", uplo, 4, indefinite, 4, None, 0, solver.info) == 3
    two = [put(a), put(np.diag(np.array([1, -1, 1, 1, 1], dtype)))]
    solver(f"{t}potrfBatched", uplo, 5, solver.device.pointers(*two), 5, solver.info, 2)
    assert solver.info.get()[:2].tolist() == [0, 2]


@letters
def test_lu(solver: Solver, t: str) -> None:
    dtype, put = DTYPES[t], solver.device.put
    a, b = values(dtype, 5, 5), values(dtype, 5, 2)
    factor, pivots = put(a), solver.device.zeros(5, "i4")
    assert solver(f"{t}getrf", 5, 5, factor, 5, None, pivots, solver.info) == 0
    for op, matrix in enumerate((a, a.T, a.conj().T)):
        right = put(b)
        assert solver(f"{t}getrs", op, 5, 2, factor, 5, pivots, right, 5, solver.info) == 0
        assert close(matrix @ right.get(), b)
    steady = a + 5 * np.eye(5, dtype=dtype)
    plain = put(steady)
    assert solver(f"{t}getrf", 5, 5, plain, 5, None, None, solver.info) == 0
    lu = plain.get()
    assert close((np.tril(lu, -1) + np.eye(5, dtype=dtype)) @ np.triu(lu), steady)
    assert solver(f"{t}getrf", 3, 3, put(np.zeros((3, 3), dtype)), 3, None, pivots, solver.info) == 1


@letters
def test_qr(solver: Solver, t: str) -> None:
    dtype, put = DTYPES[t], solver.device.put
    make, apply = ("ungqr", "unmqr") if t in "CZ" else ("orgqr", "ormqr")
    a, c = values(dtype, 6, 4), values(dtype, 6, 3)
    factor, tau, target = put(a), solver.device.zeros(4, dtype), put(c)
    assert solver(f"{t}geqrf", 6, 4, factor, 6, tau, None, 0, solver.info) == 0
    r = np.triu(factor.get()[:4])
    assert (
        solver(f"{t}{apply}", 0, 2 if t in "CZ" else 1, 6, 3, 4, factor, 6, tau, target, 6, None, 0, solver.info) == 0
    )
    assert solver(f"{t}{make}", 6, 4, 4, factor, 6, tau, None, 0, solver.info) == 0
    q = factor.get()
    assert close(q @ r, a)
    assert close(q.conj().T @ q, np.eye(4, dtype=dtype))
    assert close(target.get()[:4], q.conj().T @ c)


@letters
def test_singular_values(solver: Solver, t: str) -> None:
    dtype, put, real = DTYPES[t], solver.device.put, "f4" if t in "SC" else "f8"
    a = values(dtype, 6, 4)
    expected = np.linalg.svd(a, compute_uv=False)
    s, u, vt = solver.device.zeros(4, real), put(np.zeros((6, 6), dtype)), put(np.zeros((4, 4), dtype))
    arguments = (6, 4, put(a), 6, s, u, 6, vt, 4, None, 0, None, solver.info)
    assert solver(f"{t}gesvd", ctypes.c_byte(ord("A")), ctypes.c_byte(ord("A")), *arguments) == 0
    assert close(s.get(), expected)
    assert close(u.get()[:, :4] @ np.diag(s.get()) @ vt.get(), a)
    params = ctypes.c_void_p()
    checked(solver.library.cusolverDnCreateGesvdjInfo)(ctypes.byref(params))
    for given, econ in ((a, 1), (a.T.copy(), 1), (a, 0)):
        m, n = given.shape
        columns = min(m, n) if econ else 0
        left, right = put(np.zeros((m, columns or m), dtype)), put(np.zeros((n, columns or n), dtype))
        status = solver(f"{t}gesvdj", 1, econ, m, n, put(given), m, s, left, m, right, n, None, 0, solver.info, params)
        assert status == 0
        assert close(left.get()[:, :4] @ np.diag(s.get()) @ right.get()[:, :4].conj().T, given)


@letters
@pytest.mark.parametrize("uplo", [LOWER, UPPER])
def test_eigenvalues(solver: Solver, t: str, uplo: int) -> None:
    dtype, put, real = DTYPES[t], solver.device.put, "f4" if t in "SC" else "f8"
    kind = "heev" if t in "CZ" else "syev"
    a = positive(dtype, 5)
    expected = np.linalg.eigvalsh(a)
    half = np.triu(a) if uplo == UPPER else np.tril(a)
    w = solver.device.zeros(10, real)
    vectors = put(half)
    assert solver(f"{t}{kind}d", 1, uplo, 5, vectors, 5, w, None, 0, solver.info) == 0
    v = vectors.get()
    assert close(w.get()[:5], expected)
    assert close(a @ v, v @ np.diag(expected).astype(dtype))
    params = ctypes.c_void_p()
    checked(solver.library.cusolverDnCreateSyevjInfo)(ctypes.byref(params))
    assert solver(f"{t}{kind}j", 0, uplo, 5, put(half), 5, w, None, 0, solver.info, params) == 0
    assert close(w.get()[:5], expected)
    if t in "DZ":
        number, size, real_size = {"D": 1, "Z": 5}[t], ctypes.c_size_t(), ctypes.c_int64(5)
        vectors = put(half)
        settings = (None, 1, uplo, real_size, number, vectors, real_size, 1, w, number)
        solver("Xsyevd_bufferSize", *settings, ctypes.byref(size), ctypes.byref(size))
        assert solver("Xsyevd", *settings, None, size, None, size, solver.info) == 0
        assert close(w.get()[:5], expected)
        assert close(a @ vectors.get(), vectors.get() @ np.diag(expected).astype(dtype))
    both = put(np.concatenate([half.T.ravel(), 2 * half.T.ravel()]))
    assert solver(f"{t}{kind}jBatched", 1, uplo, 5, both, 5, w, None, 0, solver.info, params, 2) == 0
    assert close(w.get(), np.concatenate([expected, 2 * expected]))


def test_statuses(solver: Solver) -> None:
    library = solver.library
    assert library.cusolverDnDpotrf(None, 0, 1, None, 1, None, 0, solver.info) == 1
    assert library.cusolverDnDpotrf(solver.handle, 0, 4, None, 3, None, 0, solver.info) == 3
    assert library.cusolverDnXgetrf(solver.handle) == 9
