"""libcusparse against numpy: matrices are made dense there."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from ctypes import byref, c_int, c_int64, c_size_t, c_void_p
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from tests.libraries.conftest import Array, Buffer, Device, checked

TYPES = {"f4": 0, "f8": 1, "f2": 2, "c8": 4, "c16": 5}
INDEX = {"i4": 2, "i8": 3}
COLUMNS, ROWS = 1, 2
INVALID, NOT_SUPPORTED = 3, 10
OPERATIONS: list[Callable[[Array], Array]] = [lambda a: a, lambda a: a.T, lambda a: a.conj().T]


@dataclass(frozen=True)
class Sparse:
    device: Device
    library: ctypes.CDLL
    handle: c_void_p

    def status(self, name: str, *arguments: Any) -> int:
        return int(getattr(self.library, name)(self.handle, *arguments))

    def __call__(self, name: str, *arguments: Any) -> None:
        assert self.status(name, *arguments) == 0, name

    def make(self, name: str, *arguments: Any) -> c_void_p:
        made = c_void_p()
        checked(getattr(self.library, f"cusparseCreate{name}"))(byref(made), *arguments)
        return made

    def vector(self, values: Buffer) -> c_void_p:
        return self.make("DnVec", c_int64(values.shape[0]), values, TYPES[values.dtype.str[1:]])

    def dense(self, values: Array, order: int) -> tuple[Buffer, c_void_p]:
        """A matrix with a row or column more than is used, and its descriptor."""
        rows, columns = values.shape
        padded = np.full((rows, columns + 1) if order == ROWS else (rows + 1, columns), 7, values.dtype)
        padded[:rows, :columns] = values
        buffer = self.device.put(padded.T if order == ROWS else padded)  # put stores columns first
        ld = columns + 1 if order == ROWS else rows + 1
        code = TYPES[values.dtype.str[1:]]
        return buffer, self.make("DnMat", c_int64(rows), c_int64(columns), c_int64(ld), buffer, code, order)

    def matrix(self, dense: Array, form: str, index: str = "i4", base: int = 0) -> c_void_p:
        """A sparse matrix in ``Csr``, ``Csc`` or ``Coo``."""
        lines = dense.T if form == "Csc" else dense
        first, second = np.nonzero(lines)
        values = self.device.put(lines[first, second])
        offsets = np.concatenate([[0], np.cumsum((lines != 0).sum(axis=1))])
        put = self.device.put
        leading = put((first if form == "Coo" else offsets).astype(index) + np.asarray(base, index))
        others = put(second.astype(index) + np.asarray(base, index))
        sizes = [c_int64(n) for n in (*dense.shape, len(first))]
        types = [INDEX[index]] * (1 if form == "Coo" else 2)
        return self.make(form, *sizes, leading, others, values, *types, base, TYPES[dense.dtype.str[1:]])

    def size(self, matrix: c_void_p) -> tuple[int, int, int]:
        found = [c_int64() for _ in range(3)]
        checked(self.library.cusparseSpMatGetSize)(matrix, *map(byref, found))
        return (found[0].value, found[1].value, found[2].value)


@pytest.fixture(scope="module")
def sparse(device: Device) -> Sparse:
    library, handle = device.library("libcusparse.so.12"), c_void_p()
    checked(library.cusparseCreate)(byref(handle))
    return Sparse(device, library, handle)


def scalar(value: complex, dtype: str) -> c_void_p:
    array = np.array([value if dtype[0] == "c" else value.real], dtype)
    pointer = c_void_p(array.ctypes.data)
    pointer.array = array  # type: ignore[attr-defined]
    return pointer


def values(dtype: str, *shape: int) -> Array:
    rng = np.random.default_rng(sum(shape))
    made: Array = rng.standard_normal(shape)
    if dtype[0] == "c":
        made = made + 1j * rng.standard_normal(shape)
    return made.astype(dtype)


def holes(dtype: str, rows: int, columns: int) -> Array:
    made = values(dtype, rows, columns)
    made[np.random.default_rng(rows).random((rows, columns)) < 0.6] = 0
    return made


def close(made: Array, expected: Array) -> bool:
    digits = {2: 2e-3, 4: 2e-6, 8: 1e-12}[made.real.dtype.itemsize]
    return bool(np.allclose(made, expected, rtol=digits, atol=digits * 10))


@pytest.mark.parametrize("form", ["Csr", "Csc", "Coo"])
@pytest.mark.parametrize(
    ("dtype", "index", "base"), [("f4", "i4", 0), ("f8", "i8", 1), ("c8", "i4", 1), ("c16", "i8", 0)]
)
@pytest.mark.parametrize("op", range(3))
def test_matrix_times_vector(sparse: Sparse, form: str, dtype: str, index: str, base: int, op: int) -> None:
    a = holes(dtype, 6, 9)
    changed = OPERATIONS[op](a)
    x, y = values(dtype, changed.shape[1]), values(dtype, changed.shape[0])
    out = sparse.device.put(y)
    matrix, left, right = sparse.matrix(a, form, index, base), sparse.vector(sparse.device.put(x)), sparse.vector(out)
    alpha, beta, code, size = scalar(2 - 1j, dtype), scalar(0.5 + 1j, dtype), TYPES[dtype], c_size_t()
    sparse("cusparseSpMV_bufferSize", op, alpha, matrix, left, beta, right, code, 0, byref(size))
    sparse("cusparseSpMV", op, alpha, matrix, left, beta, right, code, 0, None)
    assert close(out.get(), alpha.array[0] * (changed @ x) + beta.array[0] * y)  # type: ignore[attr-defined]
    assert sparse.status("cusparseSpMV", op, alpha, matrix, right, beta, left, code, 0, None) == INVALID


@pytest.mark.parametrize("dtype", ["f4", "f2", "c16"])
@pytest.mark.parametrize("order", [COLUMNS, ROWS])
@pytest.mark.parametrize(("op_a", "op_b"), [(0, 0), (1, 0), (0, 1), (2, 2)])
def test_matrix_times_dense(sparse: Sparse, dtype: str, order: int, op_a: int, op_b: int) -> None:
    a = holes(dtype, 5, 5)
    b = values(dtype, 5, 4) if op_b == 0 else values(dtype, 4, 5)
    c = values(dtype, 5, 4)
    (_, left), (out, right) = sparse.dense(b, order), sparse.dense(c, order)
    compute = "f4" if dtype == "f2" else dtype
    alpha, beta = scalar(1.5 + 1j, compute), scalar(-2, compute)
    code = TYPES[compute]
    sparse("cusparseSpMM", op_a, op_b, alpha, sparse.matrix(a, "Csr"), left, beta, right, code, 0, None)
    wide = np.promote_types(dtype, "f4")
    product = OPERATIONS[op_a](a).astype(wide) @ OPERATIONS[op_b](b).astype(wide)
    made = out.get().T if order == ROWS else out.get()
    assert close(made[:5, :4], alpha.array[0] * product + beta.array[0] * c)  # type: ignore[attr-defined]
    assert (made[:, 4:] == 7).all() and (made[5:] == 7).all()


def test_a_batch_of_dense_matrices(sparse: Sparse) -> None:
    a, b = holes("f4", 3, 4), values("f4", 4, 2, 3)
    left = sparse.make("DnMat", c_int64(4), c_int64(2), c_int64(4), sparse.device.put(b), 0, COLUMNS)
    out = sparse.device.zeros(18, "f4")
    right = sparse.make("DnMat", c_int64(3), c_int64(2), c_int64(3), out, 0, COLUMNS)
    checked(sparse.library.cusparseDnMatSetStridedBatch)(left, 3, c_int64(8))
    checked(sparse.library.cusparseDnMatSetStridedBatch)(right, 3, c_int64(6))
    one, none = scalar(1, "f4"), scalar(0, "f4")
    sparse("cusparseSpMM", 0, 0, one, sparse.matrix(a, "Coo"), left, none, right, 0, 0, None)
    assert close(out.get().reshape(3, 2, 3), np.stack([(a @ b[:, :, i]).T for i in range(3)]))


@pytest.mark.parametrize("dtype", ["f4", "c16"])
def test_sparse_times_sparse(sparse: Sparse, dtype: str) -> None:
    a, b = holes(dtype, 7, 5), holes(dtype, 5, 6)
    left, right = sparse.matrix(a, "Csr"), sparse.matrix(b, "Csr", base=1)
    offsets, code = sparse.device.zeros(8, "i4"), TYPES[dtype]
    out = sparse.make("Csr", c_int64(7), c_int64(6), c_int64(0), offsets, None, None, 2, 2, 0, code)
    state, size = c_void_p(), c_size_t(1)
    checked(sparse.library.cusparseSpGEMM_createDescr)(byref(state))
    head = (0, 0, scalar(2, dtype), left, right, scalar(0, dtype), out, code, 0, state)
    for step in ("workEstimation", "compute"):
        sparse(f"cusparseSpGEMM_{step}", *head, byref(size), None)
        sparse(f"cusparseSpGEMM_{step}", *head, byref(size), None)
    expected = 2 * (a @ b)
    pattern = (a != 0).astype(int) @ (b != 0).astype(int) != 0
    assert sparse.size(out) == (7, 6, pattern.sum())
    indices, products = sparse.device.zeros(int(pattern.sum()), "i4"), sparse.device.zeros(int(pattern.sum()), dtype)
    checked(sparse.library.cusparseCsrSetPointers)(out, offsets, indices, products)
    sparse("cusparseSpGEMM_copy", *head)
    rows, columns = np.nonzero(pattern)
    assert (indices.get() == columns).all() and (np.diff(offsets.get()) == pattern.sum(axis=1)).all()
    assert close(products.get(), expected[rows, columns])
    checked(sparse.library.cusparseSpGEMM_destroyDescr)(state)
    assert sparse.status("cusparseSpGEMM_compute", 1, *head[1:], byref(size), None) == NOT_SUPPORTED


@pytest.mark.parametrize("form", ["Csr", "Csc", "Coo"])
@pytest.mark.parametrize("order", [COLUMNS, ROWS])
def test_between_dense_and_sparse(sparse: Sparse, form: str, order: int) -> None:
    a = holes("f8", 5, 8)
    _, dense = sparse.dense(a, order)
    lines = 8 if form == "Csc" else 5
    first = sparse.device.zeros(lines + 1, "i4")
    types = [2] * (1 if form == "Coo" else 2)
    matrix = sparse.make(form, c_int64(5), c_int64(8), c_int64(0), first, None, None, *types, 0, 1)
    sparse("cusparseDenseToSparse_analysis", dense, matrix, 0, None)
    count = sparse.size(matrix)[2]
    assert count == np.count_nonzero(a)
    first = sparse.device.zeros(count, "i4") if form == "Coo" else first
    second, entries = sparse.device.zeros(count, "i4"), sparse.device.zeros(count, "f8")
    checked(getattr(sparse.library, f"cusparse{form}SetPointers"))(matrix, first, second, entries)
    sparse("cusparseDenseToSparse_convert", dense, matrix, 0, None)
    out, again = sparse.dense(np.full((5, 8), 3.0), order)
    sparse("cusparseSparseToDense", matrix, again, 0, None)
    made = out.get().T if order == ROWS else out.get()
    assert (made[:5, :8] == a).all()


@pytest.mark.parametrize("upper", [0, 1])
@pytest.mark.parametrize("unit", [0, 1])
@pytest.mark.parametrize("op", range(3))
def test_triangular_systems(sparse: Sparse, upper: int, unit: int, op: int) -> None:
    full = values("c16", 6, 6) + 4 * np.eye(6)
    triangle = np.triu(full) if upper else np.tril(full)
    if unit:
        np.fill_diagonal(triangle, 1)
    matrix = sparse.matrix(full, "Csr")  # the other triangle is not looked at
    for attribute, value in enumerate((upper, unit)):
        checked(sparse.library.cusparseSpMatSetAttribute)(matrix, attribute, byref(c_int(value)), c_size_t(4))
    x, b, alpha = values("c16", 6), values("c16", 6, 3), scalar(2, "c16")
    out, state = sparse.device.zeros(6, "c16"), c_void_p()
    vectors = sparse.vector(sparse.device.put(x)), sparse.vector(out)
    checked(sparse.library.cusparseSpSV_createDescr)(byref(state))
    sparse("cusparseSpSV_analysis", op, alpha, matrix, *vectors, 5, 0, state, None)
    sparse("cusparseSpSV_solve", op, alpha, matrix, *vectors, 5, 0, state)
    assert close(OPERATIONS[op](triangle) @ out.get(), 2 * x)
    (_, right), (solved, answer) = sparse.dense(b, ROWS), sparse.dense(b, ROWS)
    sparse("cusparseSpSM_solve", op, 0, alpha, matrix, right, answer, 5, 0, state)
    assert close(OPERATIONS[op](triangle) @ solved.get().T[:, :3], 2 * b)


def test_sampled_product(sparse: Sparse) -> None:
    a, b, c = values("f4", 4, 3), values("f4", 3, 5), holes("f4", 4, 5)
    matrix, entries = sparse.matrix(c, "Csr"), c_void_p()
    (_, left), (_, right) = sparse.dense(a, ROWS), sparse.dense(b, COLUMNS)
    sparse("cusparseSDDMM", 0, 0, scalar(2, "f4"), left, right, scalar(3, "f4"), matrix, 0, 0, None)
    checked(sparse.library.cusparseSpMatGetValues)(matrix, byref(entries))
    made = Buffer(sparse.device, entries, (int(np.count_nonzero(c)),), np.dtype("f4")).get()
    assert close(made, (2 * (a @ b) + 3 * c)[np.nonzero(c)])


def test_sparse_vectors(sparse: Sparse) -> None:
    put, indices = sparse.device.put, np.array([1, 4, 6], "i4")
    x, y = values("c8", 3), values("c8", 8)
    entries, out, result = put(x), put(y), np.zeros(1, "c8")
    vector = sparse.make("SpVec", c_int64(8), c_int64(3), put(indices), entries, 2, 0, 4)
    dense = sparse.vector(out)
    sparse("cusparseSpVV", 2, vector, dense, c_void_p(result.ctypes.data), 4, None)
    assert close(result, np.array([x.conj() @ y[indices]]))
    sparse("cusparseAxpby", scalar(2, "c8"), vector, scalar(3, "c8"), dense)
    expected = 3 * y
    expected[indices] += 2 * x
    assert close(out.get(), expected)
    sparse("cusparseGather", dense, vector)
    assert close(entries.get(), expected[indices])


def test_conversions_of_indices(sparse: Sparse) -> None:
    a = holes("f8", 6, 7)
    put, zeros = sparse.device.put, sparse.device.zeros
    rows, columns = (part.astype("i4") for part in np.nonzero(a))
    count = len(rows)
    shuffled = np.random.default_rng(1).permutation(count)
    first, second, permutation = put(rows[shuffled]), put(columns[shuffled]), zeros(count, "i4")
    sparse("cusparseCreateIdentityPermutation", count, permutation)
    sparse("cusparseXcoosortByRow", 6, 7, count, first, second, permutation, None)
    assert (first.get() == rows).all() and (second.get() == columns).all()
    assert (shuffled[permutation.get()] == np.arange(count)).all()
    offsets, back = zeros(7, "i4"), zeros(count, "i4")
    sparse("cusparseXcoo2csr", first, count, 6, offsets, 0)
    assert (offsets.get() == np.concatenate([[0], np.cumsum((a != 0).sum(axis=1))])).all()
    sparse("cusparseXcsr2coo", offsets, count, 6, back, 0)
    assert (back.get() == rows).all()
    entries, turned = put(a[rows, columns]), zeros(count, "f8")
    csc, below = zeros(8, "i4"), zeros(count, "i4")
    arrays = (entries, offsets, second, turned, csc, below)
    sparse("cusparseCsr2cscEx2", 6, 7, count, *arrays, 1, 1, 0, 1, None)
    assert (turned.get() == a.T[np.nonzero(a.T)]).all() and (below.get() == np.nonzero(a.T)[1]).all()


def test_sum_of_two(sparse: Sparse) -> None:
    a, b = holes("f4", 5, 6), holes("f4", 5, 6)[:, ::-1].copy()
    put, zeros, descr, total = sparse.device.put, sparse.device.zeros, sparse.make("MatDescr"), c_int()

    def compressed(m: Array) -> tuple[int, Buffer, Buffer, Buffer]:
        rows, columns = np.nonzero(m)
        offsets = np.concatenate([[0], np.cumsum((m != 0).sum(axis=1))]).astype("i4")
        return len(rows), put(m[rows, columns]), put(offsets), put(columns.astype("i4"))

    (na, va, oa, ia), (nb, vb, ob, ib), out = compressed(a), compressed(b), zeros(6, "i4")
    sparse("cusparseXcsrgeam2Nnz", 5, 6, descr, na, oa, ia, descr, nb, ob, ib, descr, out, byref(total), None)
    pattern = (a != 0) | (b != 0)
    assert total.value == pattern.sum()
    entries, indices = zeros(total.value, "f4"), zeros(total.value, "i4")
    left, right = (scalar(2, "f4"), descr, na, va, oa, ia), (scalar(-1, "f4"), descr, nb, vb, ob, ib)
    sparse("cusparseScsrgeam2", 5, 6, *left, *right, descr, entries, out, indices, None)
    assert close(entries.get(), (2 * a - b)[np.nonzero(pattern)]) and (indices.get() == np.nonzero(pattern)[1]).all()


def test_what_is_not_there_says_so(sparse: Sparse, capfd: pytest.CaptureFixture[str]) -> None:
    assert sparse.status("cusparseSgtsv2", 1, 1, None, None, None, None, 1, None) == NOT_SUPPORTED
    assert "cassc: cusparseSgtsv2 is not supported" in capfd.readouterr().err
    sparse.library.cusparseGetErrorString.restype = ctypes.c_char_p
    assert sparse.library.cusparseGetErrorString(INVALID) == b"invalid value"
