"""libcublas against numpy."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from tests.libraries.conftest import Array, Buffer, Device, checked

DTYPES = {"S": "f4", "D": "f8", "C": "c8", "Z": "c16"}
LOWER, UPPER = 0, 1
OPERATIONS: list[Callable[[Array], Array]] = [lambda a: a, lambda a: a.T, lambda a: a.conj().T]
INVALID, NOT_SUPPORTED = 7, 15


@dataclass(frozen=True)
class Blas:
    device: Device
    library: ctypes.CDLL
    handle: ctypes.c_void_p

    def status(self, name: str, *arguments: Any) -> int:
        return int(getattr(self.library, name)(self.handle, *arguments))

    def __call__(self, name: str, *arguments: Any) -> None:
        assert self.status(name, *arguments) == 0, name


@pytest.fixture(scope="module")
def blas(device: Device) -> Blas:
    library, handle = device.library("libcublas.so.13"), ctypes.c_void_p()
    checked(library.cublasCreate_v2)(ctypes.byref(handle))
    return Blas(device, library, handle)


def host(value: complex, dtype: str) -> ctypes.c_void_p:
    """A scalar of the host; the array is kept alive by the pointer."""
    array = np.array([value if dtype[0] == "c" else value.real], dtype)
    pointer = ctypes.c_void_p(array.ctypes.data)
    pointer.array = array  # type: ignore[attr-defined]
    return pointer


def values(dtype: str, *shape: int) -> Array:
    rng = np.random.default_rng(sum(shape) + len(shape))
    made: Array = rng.standard_normal(shape)
    if dtype[0] == "c":
        made = made + 1j * rng.standard_normal(shape)
    return made.astype(dtype)


def close(made: Array, expected: Array) -> bool:
    digits = 2e-5 if made.dtype in (np.float32, np.complex64) else 1e-12
    return bool(np.allclose(made, expected, rtol=digits, atol=digits * max(1, np.abs(expected).max(initial=0))))


def hermitian(a: Array) -> Array:
    full: Array = a + a.conj().T
    return full


letters = pytest.mark.parametrize("t", DTYPES)


@letters
def test_vectors(blas: Blas, t: str) -> None:
    dtype = DTYPES[t]
    x, y, alpha = values(dtype, 12), values(dtype, 14), 1.5 - (0.5j if t in "CZ" else 0)
    put = blas.device.put
    out = put(y)
    blas(f"cublas{t}axpy_v2", 6, host(alpha, dtype), put(x), 2, out, 1)
    assert close(out.get()[:6], y[:6] + np.asarray(alpha, dtype) * x[::2])
    blas(f"cublas{t}scal_v2", 3, host(alpha, dtype), out := put(x), 4)
    assert close(out.get()[::4], np.asarray(alpha, dtype) * x[::4])
    assert close(out.get()[1::4], x[1::4])
    a, b = put(x), put(y)
    blas(f"cublas{t}swap_v2", 12, a, 1, b, -1)
    assert close(a.get(), y[:12][::-1])
    blas(f"cublas{t}copy_v2", 5, a, 2, b, 1)
    assert close(b.get()[:5], a.get()[:10:2])


@letters
def test_results_of_vectors(blas: Blas, t: str) -> None:
    dtype = DTYPES[t]
    x, y = values(dtype, 9), values(dtype, 9)[::-1].copy()
    a, b = blas.device.put(x), blas.device.put(y)
    real = "f4" if t in "SC" else "f8"
    letter = {"S": "S", "D": "D", "C": "Sc", "Z": "Dz"}[t]
    for name, expected in (("nrm2", np.linalg.norm(x)), ("asum", np.abs(x.view(real)).sum())):
        out = np.zeros(1, real)
        blas(f"cublas{letter}{name}_v2", 9, a, 1, ctypes.c_void_p(out.ctypes.data))
        assert close(out, np.array([expected]))
    for name, expected in (("dotu", x @ y), ("dotc", x.conj() @ y)) if t in "CZ" else (("dot", x @ y),):
        out = np.zeros(1, dtype)
        blas(f"cublas{t}{name}_v2", 9, a, 1, b, 1, ctypes.c_void_p(out.ctypes.data))
        assert close(out, np.array([expected]))
    sizes = np.abs(x.real) + np.abs(x.imag)
    for name, index in (("amax", np.argmax(sizes)), ("amin", np.argmin(sizes))):
        found = ctypes.c_int()
        blas(f"cublasI{t.lower()}{name}_v2", 9, a, 1, ctypes.byref(found))
        assert found.value == index + 1


def test_what_is_no_number_is_not_the_largest(blas: Blas) -> None:
    """The values, and the answers to odd calls, are those of an H200."""
    x = blas.device.put(np.array([1, np.nan, 3, -9, 9], "f4"))
    found = ctypes.c_int(-5)
    answers = []
    for name, n, step in (("amax", 5, 1), ("amin", 5, 1), ("amax", 0, 1), ("amax", 5, 0), ("amax", 5, -1)):
        blas(f"cublasIs{name}_v2", n, x, step, ctypes.byref(found))
        answers.append(found.value)
    assert answers == [4, 1, 0, 0, 0]
    one, out = host(1, "f4"), ctypes.c_float(7)
    blas("cublasSaxpy_v2", -1, one, x, 1, x, 1)
    blas("cublasSnrm2_v2", 0, x, 1, ctypes.byref(out))
    assert out.value == 0
    blas("cublasSdot_v2", -1, x, 1, x, 1, ctypes.byref(out))
    assert out.value == 0


@letters
def test_rotations(blas: Blas, t: str) -> None:
    dtype, real = DTYPES[t], "f4" if t in "SC" else "f8"
    x, y = values(dtype, 5), values(dtype, 6)[:5]
    a, b = blas.device.put(x), blas.device.put(y)
    blas(f"cublas{t}rot_v2", 5, a, 1, b, 1, host(0.6, real), host(0.8, dtype))
    assert close(a.get(), 0.6 * x + 0.8 * y)
    assert close(b.get(), 0.6 * y - 0.8 * x)
    if t in "SD":
        p, q, c, s = (np.array([v], dtype) for v in (3, 4, 0, 0))
        blas(f"cublas{t}rotg_v2", *(ctypes.c_void_p(v.ctypes.data) for v in (p, q, c, s)))
        assert close(np.concatenate([p, c, s]), np.array([5, 0.6, 0.8]))


def test_scalars_of_the_device_are_read_when_the_work_is_done(blas: Blas) -> None:
    """Pointer mode: the factor is written by the stream itself, after the call and before its work."""
    device = blas.device
    stream, graph, executable = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    device.cudaStreamCreate(ctypes.byref(stream))
    x, y, alpha, source, out = (device.put(np.full(n, v, "f4")) for n, v in ((3, 2), (3, 1), (1, 0), (1, 10), (1, 0)))
    blas("cublasSetStream_v2", stream)
    blas("cublasSetPointerMode_v2", 1)
    device.cudaStreamBeginCapture(stream, 0)
    device.cudaMemcpyAsync(alpha, source, ctypes.c_size_t(4), 3, stream)
    blas("cublasSaxpy_v2", 3, alpha, x, 1, y, 1)
    blas("cublasSdot_v2", 3, x, 1, y, 1, out)
    device.cudaStreamEndCapture(stream, ctypes.byref(graph))
    blas("cublasSetPointerMode_v2", 0)
    blas("cublasSetStream_v2", None)
    device.cudaGraphInstantiate(ctypes.byref(executable), graph, ctypes.c_ulonglong(0))
    for step in (1, 2):
        device.cudaGraphLaunch(executable, stream)
        device.cudaStreamSynchronize(stream)
        assert y.get().tolist() == [1 + 20 * step] * 3
        assert out.get()[0] == 2 * 3 * (1 + 20 * step)


@letters
@pytest.mark.parametrize("op", [0, 1, 2])
def test_matrix_times_vector(blas: Blas, t: str, op: int) -> None:
    dtype, put = DTYPES[t], blas.device.put
    a, alpha, beta = values(dtype, 5, 3), 1.5, -0.5
    m = OPERATIONS[op](a)
    x, y = values(dtype, m.shape[1]), values(dtype, m.shape[0] + 1)[:-1]
    out = put(y)
    blas(f"cublas{t}gemv_v2", op, 5, 3, host(alpha, dtype), put(a), 5, put(x), 1, host(beta, dtype), out, 1)
    assert close(out.get(), alpha * m @ x + beta * y)
    # a band matrix: one diagonal below, two above, stored column by column
    band = np.triu(np.tril(values(dtype, 5, 5), 2), -1)
    stored = np.zeros((4, 5), dtype)
    for i in range(5):
        for j in range(max(0, i - 1), min(5, i + 3)):
            stored[2 + i - j, j] = band[i, j]
    x, out = values(dtype, 5), put(np.zeros(5, dtype))
    blas(f"cublas{t}gbmv_v2", op, 5, 5, 1, 2, host(1, dtype), put(stored), 4, put(x), 1, host(0, dtype), out, 1)
    assert close(out.get(), OPERATIONS[op](band) @ x)


def packed(a: Array, uplo: int) -> Array:
    return np.concatenate([a[: j + 1, j] if uplo == UPPER else a[j:, j] for j in range(len(a))])


def triangle(a: Array, uplo: int) -> Array:
    return np.triu(a) if uplo == UPPER else np.tril(a)


@letters
@pytest.mark.parametrize("uplo", [LOWER, UPPER])
def test_symmetric_matrices_and_vectors(blas: Blas, t: str, uplo: int) -> None:
    dtype, put, real = DTYPES[t], blas.device.put, "f4" if t in "SC" else "f8"
    a, x, y = values(dtype, 6, 6), values(dtype, 6), values(dtype, 7)[:6]
    one, half = host(1, dtype), host(0.5, dtype)
    kinds: list[tuple[str, Array, Callable[[Array], Array]]] = [("sy", a + a.T, lambda v: v)]
    if t in "CZ":
        kinds.append(("he", hermitian(a), lambda v: v.conj()))
    for kind, full, turned in kinds:
        stored, out = triangle(full, uplo), put(y)
        blas(f"cublas{t}{kind}mv_v2", uplo, 6, one, put(stored), 6, put(x), 1, half, out, 1)
        assert close(out.get(), full @ x + 0.5 * y)
        scale = host(2, real if kind == "he" else dtype)
        blas(f"cublas{t}{kind}r_v2", uplo, 6, scale, put(x), 1, out := put(stored), 6)
        assert close(out.get(), triangle(full + 2 * np.outer(x, turned(x)), uplo))
        blas(f"cublas{t}{kind}r2_v2", uplo, 6, one, put(x), 1, put(y), 1, out := put(stored), 6)
        assert close(out.get(), triangle(full + np.outer(x, turned(y)) + np.outer(y, turned(x)), uplo))
    kind, full, turned = kinds[-1]
    letter = "h" if t in "CZ" else "s"
    out = put(y)
    blas(f"cublas{t}{letter}pmv_v2", uplo, 6, one, put(packed(full, uplo)), put(x), 1, half, out, 1)
    assert close(out.get(), full @ x + 0.5 * y)
    blas(f"cublas{t}{letter}pr_v2", uplo, 6, host(2, real), put(x), 1, out := put(packed(full, uplo)))
    assert close(out.get(), packed(full + 2 * np.outer(x, turned(x)), uplo))
    blas(f"cublas{t}{letter}pr2_v2", uplo, 6, one, put(x), 1, put(y), 1, out := put(packed(full, uplo)))
    assert close(out.get(), packed(full + np.outer(x, turned(y)) + np.outer(y, turned(x)), uplo))
    diagonal = np.diag(full.diagonal())
    blas(f"cublas{t}{letter}bmv_v2", uplo, 6, 0, one, put(full.diagonal().copy()), 1, put(x), 1, half, out := put(y), 1)
    assert close(out.get(), diagonal @ x + 0.5 * y)
    for suffix, other in (("u", y), ("c", y.conj())) if t in "CZ" else (("", y),):
        blas(f"cublas{t}ger{suffix}_v2", 6, 6, one, put(x), 1, put(y), 1, out := put(a), 6)
        assert close(out.get(), a + np.outer(x, other))


@letters
@pytest.mark.parametrize("uplo", [LOWER, UPPER])
@pytest.mark.parametrize("op", [0, 1, 2])
def test_triangular_matrices(blas: Blas, t: str, uplo: int, op: int) -> None:
    dtype, put = DTYPES[t], blas.device.put
    full = values(dtype, 5, 5) / 4 + 2 * np.eye(5, dtype=dtype)
    x, b = values(dtype, 5), values(dtype, 5, 4)
    for unit in (0, 1):
        a = triangle(full, uplo)
        if unit:
            a = a - np.diag(a.diagonal()) + np.eye(5, dtype=dtype)
        m, shape = OPERATIONS[op](a), (uplo, op, unit)
        for name, matrix in (("r", (put(full), 5)), ("p", (put(packed(full, uplo)),))):
            blas(f"cublas{t}t{name}mv_v2", *shape, 5, *matrix, out := put(x), 1)
            assert close(out.get(), m @ x)
            blas(f"cublas{t}t{name}sv_v2", *shape, 5, *matrix, out := put(m @ x), 1)
            assert close(out.get(), x)
        stored = put(np.ones((1, 5), dtype) * 2)
        blas(f"cublas{t}tbmv_v2", *shape, 5, 0, stored, 1, out := put(x), 1)
        assert close(out.get(), x if unit else 2 * x)
        blas(f"cublas{t}tbsv_v2", *shape, 5, 0, stored, 1, out := put(x), 1)
        assert close(out.get(), x if unit else x / 2)
        for side, expected in ((0, m @ b), (1, b.T @ m)):
            rows, columns = expected.shape
            given = b if side == 0 else b.T.copy()
            source, out = put(given), put(np.zeros_like(expected))
            size = (side, *shape, rows, columns, host(2, dtype), put(full), 5)
            blas(f"cublas{t}trmm_v2", *size, source, rows, out, rows)
            assert close(out.get(), 2 * expected)
            blas(f"cublas{t}trsm_v2", *size, out := put(expected), rows)
            assert close(out.get(), 2 * given)
            several = [put(expected), put(2 * expected)]
            both = put(full)
            arrays = blas.device.pointers(both, both), blas.device.pointers(*several)
            blas(f"cublas{t}trsmBatched", *size[:-2], arrays[0], 5, arrays[1], rows, 2)
            assert close(several[1].get(), 4 * given)


@letters
@pytest.mark.parametrize("ops", [(0, 0), (1, 0), (0, 1), (2, 2), (1, 2)])
def test_products(blas: Blas, t: str, ops: tuple[int, int]) -> None:
    dtype, put = DTYPES[t], blas.device.put
    shapes = [(4, 3), (3, 5)]
    a, b = (values(dtype, *(s if op == 0 else s[::-1])) for s, op in zip(shapes, ops, strict=True))
    c = values(dtype, 4, 5)
    product = OPERATIONS[ops[0]](a) @ OPERATIONS[ops[1]](b)
    alpha, beta = host(1.25, dtype), host(-2, dtype)
    size = (*ops, 4, 5, 3, alpha)
    names = ["gemm_v2"] + (["gemm3m"] if t in "CZ" else [])
    for name in names:
        blas(f"cublas{t}{name}", *size, put(a), len(a), put(b), len(b), beta, out := put(c), 4)
        assert close(out.get(), 1.25 * product - 2 * c)
    # 64-bit sizes, and a C that is not a number but is not read either
    big = [ctypes.c_int64(n) for n in (4, 5, 3, len(a), len(b), 4)]
    out = put(np.full((4, 5), np.nan, dtype))
    blas(f"cublas{t}gemm_v2_64", *ops, *big[:3], alpha, put(a), big[3], put(b), big[4], host(0, dtype), out, big[5])
    assert close(out.get(), 1.25 * product)
    # batches: at equal distances, and by addresses
    many = put(np.concatenate([c.T.ravel(), 2 * c.T.ravel()]))
    step = [ctypes.c_longlong(n) for n in (0, 0, 20)]
    blas(
        f"cublas{t}gemmStridedBatched",
        *size,
        put(a),
        len(a),
        step[0],
        put(b),
        len(b),
        step[1],
        beta,
        many,
        4,
        step[2],
        2,
    )
    assert close(many.get()[20:].reshape(5, 4).T, 1.25 * product - 4 * c)
    left, right, several = put(a), put(b), [put(c), put(2 * c)]
    pointers = blas.device.pointers
    arrays = pointers(left, left), pointers(right, right), pointers(*several)
    blas(f"cublas{t}gemmBatched", *size, arrays[0], len(a), arrays[1], len(b), beta, arrays[2], 4, 2)
    assert close(several[1].get(), 1.25 * product - 4 * c)


@letters
@pytest.mark.parametrize("uplo", [LOWER, UPPER])
@pytest.mark.parametrize("flat", [True, False])
def test_symmetric_products(blas: Blas, t: str, uplo: int, flat: bool) -> None:
    dtype, put, real = DTYPES[t], blas.device.put, "f4" if t in "SC" else "f8"
    a, b = values(dtype, 5, 3), values(dtype, 3, 5).T.copy()
    given = [put(m if flat else m.T.copy()) for m in (a, b)]
    ld = 5 if flat else 3
    kinds: list[tuple[str, Callable[[Array], Array], int, Array]]
    kinds = [("sy", lambda m: m.T, 1, values(dtype, 5, 5))]
    if t in "CZ":
        given_h = [put(m if flat else m.conj().T.copy()) for m in (a, b)]
        kinds.append(("he", lambda m: m.conj().T, 2, hermitian(values(dtype, 5, 5))))
    for kind, turned, other, c in kinds:
        source = given_h if kind == "he" else given
        scalar = real if kind == "he" else dtype
        shape = (uplo, 0 if flat else other, 5, 3)
        symmetric = c + turned(c)
        start, ends = triangle(symmetric, uplo), (host(2, scalar), host(0.5, scalar))
        blas(f"cublas{t}{kind}rk_v2", *shape, ends[0], source[0], ld, ends[1], out := put(start), 5)
        assert close(out.get(), triangle(2 * a @ turned(a) + 0.5 * symmetric, uplo))
        two = (*shape, host(2, dtype), source[0], ld, source[1], ld, ends[1])
        blas(f"cublas{t}{kind}r2k_v2", *two, out := put(start), 5)
        assert close(out.get(), triangle(2 * (a @ turned(b) + b @ turned(a)) + 0.5 * symmetric, uplo))
        blas(f"cublas{t}{kind}rkx", *two[:7], source[0], ld, ends[1], out := put(start), 5)
        assert close(out.get(), triangle(2 * a @ turned(a) + 0.5 * symmetric, uplo))
        m, stored = values(dtype, 5, 5), put(start)
        blas(f"cublas{t}{kind}mm_v2", 0, uplo, 5, 5, host(2, dtype), stored, 5, put(m), 5, host(0, dtype), out, 5)
        assert close(out.get(), 2 * symmetric @ m)
        blas(f"cublas{t}{kind}mm_v2", 1, uplo, 5, 5, host(2, dtype), stored, 5, put(m), 5, host(0, dtype), out, 5)
        assert close(out.get(), 2 * m @ symmetric)


@letters
def test_extensions(blas: Blas, t: str) -> None:
    dtype, put = DTYPES[t], blas.device.put
    a, b, x = values(dtype, 4, 3), values(dtype, 3, 4), values(dtype, 8)
    out = put(a)
    blas(f"cublas{t}geam", 0, 2, 4, 3, host(2, dtype), out, 4, host(-1, dtype), put(b), 3, out, 4)
    assert close(out.get(), 2 * a - b.conj().T)
    blas(f"cublas{t}dgmm", 0, 4, 3, put(a), 4, put(x), 2, out, 4)
    assert close(out.get(), np.diag(x[::2]) @ a)
    blas(f"cublas{t}dgmm", 1, 4, 3, put(a), 4, put(x), 1, out, 4)
    assert close(out.get(), a @ np.diag(x[:3]))


@letters
def test_batched_lapack(blas: Blas, t: str) -> None:
    dtype, put, pointers = DTYPES[t], blas.device.put, blas.device.pointers
    matrices = [values(dtype, 4, 4), values(dtype, 4, 4).T + np.eye(4, dtype=dtype), np.zeros((4, 4), dtype)]
    factors, right = [put(m) for m in matrices], [put(values(dtype, 4, 2)) for _ in matrices]
    array, pivots, info = pointers(*factors), blas.device.zeros(12, "i4"), blas.device.zeros(3, "i4")
    blas(f"cublas{t}getrfBatched", 4, array, 4, pivots, info, 3)
    assert info.get().tolist() == [0, 0, 1]
    inverses = [put(np.zeros((4, 4), dtype)) for _ in matrices]
    blas(f"cublas{t}getriBatched", 4, array, 4, pivots, pointers(*inverses), 4, info, 2)
    assert close(inverses[1].get() @ matrices[1], np.eye(4))
    wrong = ctypes.c_int(9)
    blas(f"cublas{t}getrsBatched", 0, 4, 2, array, 4, pivots, pointers(*right), 4, ctypes.byref(wrong), 2)
    assert wrong.value == 0
    assert close(matrices[0] @ right[0].get(), values(dtype, 4, 2))
    originals = [put(m) for m in matrices]
    blas(f"cublas{t}matinvBatched", 4, pointers(*originals), 4, pointers(*inverses), 4, info, 3)
    assert info.get().tolist() == [0, 0, 1]
    assert close(inverses[0].get() @ matrices[0], np.eye(4))
    plain = put(steady := matrices[1] + 4 * np.eye(4, dtype=dtype))
    blas(f"cublas{t}getrfBatched", 4, pointers(plain), 4, None, info, 1)
    lu = plain.get()
    assert close((np.tril(lu, -1) + np.eye(4, dtype=dtype)) @ np.triu(lu), steady)
    tau = [put(np.zeros(4, dtype)) for _ in matrices[:2]]
    originals = [put(m) for m in matrices[:2]]
    blas(f"cublas{t}geqrfBatched", 4, 4, pointers(*originals), 4, pointers(*tau), ctypes.byref(wrong), 2)
    r = np.triu(originals[1].get())
    assert close(r.conj().T @ r, matrices[1].conj().T @ matrices[1])


CUDA_TYPES = {"f4": 0, "f8": 1, "f2": 2, "i1": 3, "c8": 4, "c16": 5, "i4": 10, "bf16": 14}
# What an H200 accepts: (compute type, type of A and B, type of C, type of alpha and beta)
GEMM_EX = [
    (64, "f2", "f2", "f2"),
    (68, "f4", "f4", "f4"),
    (68, "f2", "f4", "f4"),
    (68, "f2", "f2", "f4"),
    (68, "bf16", "f4", "f4"),
    (68, "bf16", "bf16", "f4"),
    (68, "i1", "f4", "f4"),
    (68, "c8", "c8", "c8"),
    (70, "f8", "f8", "f8"),
    (70, "c16", "c16", "c16"),
    (72, "i1", "i4", "i4"),
    (74, "f4", "f4", "f4"),
    (77, "f4", "f4", "f4"),
]


def stored_as(array: Array, kind: str) -> Array:
    if kind != "bf16":
        return array.astype(kind)
    bits = np.ascontiguousarray(array.astype("f4")).view("u4")
    rounded: Array = ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype("u2")
    return rounded


def read_as(array: Array, kind: str) -> Array:
    widened: Array = (np.ascontiguousarray(array).astype("u4") << 16).view("f4") if kind == "bf16" else array
    return widened


@pytest.mark.parametrize(("compute", "ab", "c", "scalar"), GEMM_EX)
def test_products_of_other_types(blas: Blas, compute: int, ab: str, c: str, scalar: str) -> None:
    rng, put = np.random.default_rng(compute), blas.device.put
    whole = ab == "i1"
    a, b, start = (rng.integers(-99, 99, s) if whole else rng.standard_normal(s) for s in ((4, 7), (7, 3), (4, 3)))
    given = [stored_as(m, kind) for m, kind in ((a, ab), (b, ab), (start, c))]
    a, b, start = (read_as(m, kind) for m, kind in zip(given, (ab, ab, c), strict=True))
    expected = 2 * a.astype("c16") @ b.astype("c16") + 3 * start
    ends = host(2, scalar), host(3, scalar)
    kinds = CUDA_TYPES[ab], CUDA_TYPES[c]
    left, right = put(given[0]), put(given[1])
    out = put(given[2])
    blas(
        "cublasGemmEx",
        0,
        0,
        4,
        3,
        7,
        ends[0],
        left,
        kinds[0],
        4,
        right,
        kinds[0],
        7,
        ends[1],
        out,
        kinds[1],
        4,
        compute,
        -1,
    )
    made = read_as(out.get(), c)
    digits = {"f2": 2e-3, "bf16": 1e-2, "i4": 0}.get(c, 1e-5)
    assert np.allclose(made, expected, rtol=digits, atol=digits * 20)
    many = put(np.concatenate([given[2].T.ravel()] * 2))
    none, step = ctypes.c_longlong(0), ctypes.c_longlong(12)
    size = (0, 0, 4, 3, 7, ends[0], left, kinds[0], 4, none, right, kinds[0], 7, none, ends[1])
    blas("cublasGemmStridedBatchedEx", *size, many, kinds[1], 4, step, 2, compute, -1)
    assert np.array_equal(read_as(many.get(), c)[12:].reshape(3, 4).T, made)
    several = [put(given[2]), put(given[2])]
    arrays = [blas.device.pointers(*pair) for pair in ([left, left], [right, right], several)]
    by_address = (0, 0, 4, 3, 7, ends[0], arrays[0], kinds[0], 4, arrays[1], kinds[0], 7, ends[1])
    blas("cublasGemmBatchedEx", *by_address, arrays[2], kinds[1], 4, 2, compute, -1)
    assert np.array_equal(read_as(several[1].get(), c), made)


def test_half_products_round_once(blas: Blas) -> None:
    """The sum is made in float, so a sum that half cannot hold on the way is right in the end."""
    a, b = np.full((1, 3), 256, "f2"), np.array([[256], [-256], [1]], "f2")
    out = blas.device.zeros(1, "f2")
    put = blas.device.put
    blas("cublasHgemm", 0, 0, 1, 1, 3, host(1, "f2"), put(a), 1, put(b), 3, host(0, "f2"), out, 1)
    assert out.get()[0] == 256
    assert blas.status(
        "cublasGemmEx", 0, 0, 1, 1, 1, host(1, "f4"), out, 1, 1, out, 2, 1, host(1, "f4"), out, 1, 1, 68, -1
    ) == (NOT_SUPPORTED)


def test_statuses_are_those_of_an_h200(blas: Blas) -> None:
    one, m = host(1, "f4"), blas.device.zeros(64, "f4")

    def gemm(size: tuple[int, int, int], lds: tuple[int, int, int], op: int = 0, alpha: Any = one, a: Any = m) -> int:
        return blas.status("cublasSgemm_v2", op, 0, *size, alpha, a, lds[0], m, lds[1], one, m, lds[2])

    fours = (4, 4, 4)
    assert [gemm((-1, 4, 4), fours), gemm(fours, (3, 4, 4)), gemm(fours, fours, op=5)] == [INVALID] * 3
    assert [gemm((0, 0, 0), (0, 0, 0)), gemm(fours, fours, alpha=None), gemm(fours, fours, a=None)] == [INVALID] * 3
    assert [gemm(fours, fours), gemm((0, 4, 4), fours)] == [0, 0]
    assert blas.status("cublasStrsm_v2", 0, 0, 0, 0, 4, 4, one, m, 3, m, 4) == INVALID
    assert blas.library.cublasSaxpy_v2(None, 1, one, m, 1, m, 1) == 1
    name = blas.library.cublasGetStatusName
    name.restype = ctypes.c_char_p
    assert [name(13), name(2)] == [b"CUBLAS_STATUS_EXECUTION_FAILED", b"unrecognized status"]
    assert blas.status("cublasXtSgemm") == NOT_SUPPORTED


def test_transfers(blas: Blas) -> None:
    matrix = np.arange(20, dtype="f4").reshape(4, 5).T.copy()
    source = np.ascontiguousarray(matrix.T)
    there: Buffer = blas.device.zeros(12, "f4")
    library = blas.library
    checked(library.cublasSetMatrix)(3, 4, 4, ctypes.c_void_p(source.ctypes.data), 5, there, 3)
    assert np.array_equal(there.get().reshape(4, 3).T, matrix[:3])
    back = np.zeros(8, "f4")
    checked(library.cublasGetVector)(4, 4, there, 3, ctypes.c_void_p(back.ctypes.data), 2)
    assert back.tolist() == [0, 0, 5, 0, 10, 0, 15, 0]
    assert library.cublasSetVector(4, 0, None, 1, there, 1) == INVALID
