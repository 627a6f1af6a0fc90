"""libcublasLt against numpy."""

from __future__ import annotations

import ctypes
import math
from ctypes import byref, c_int, c_int64, c_size_t, c_uint32, c_uint64, c_void_p
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from tests.libraries.conftest import Array, Buffer, Device, checked

TYPES = {"f4": 0, "f8": 1, "f2": 2}
COMPUTE = {"f4": 68, "f8": 70, "f2": 68}
TRANSA, TRANSB, EPILOGUE, BIAS_POINTER = 3, 4, 7, 8
PLAIN, RELU, BIAS, RELU_BIAS, GELU_BIAS, AUXILIARY = 1, 2, 4, 6, 36, 130
NOT_SUPPORTED, INVALID = 15, 7


@dataclass(frozen=True)
class Lt:
    device: Device
    library: ctypes.CDLL
    handle: c_void_p

    def __call__(self, name: str, *arguments: Any) -> None:
        checked(getattr(self.library, f"cublasLt{name}"))(*arguments)

    def layout(self, matrix: Buffer, batch: int = 1) -> c_void_p:
        made = c_void_p()
        rows, columns = matrix.shape[:2]
        self(
            "MatrixLayoutCreate",
            byref(made),
            TYPES[matrix.dtype.str[1:]],
            c_uint64(rows),
            c_uint64(columns),
            c_int64(rows),
        )
        self("MatrixLayoutSetAttribute", made, 5, byref(c_int(batch)), c_size_t(4))
        self("MatrixLayoutSetAttribute", made, 6, byref(c_int64(rows * columns)), c_size_t(8))
        return made

    def product(self, dtype: str, **attributes: Any) -> c_void_p:
        made = c_void_p()
        self("MatmulDescCreate", byref(made), COMPUTE[dtype], TYPES["f8" if dtype == "f8" else "f4"])
        for number, value in attributes.values():
            self("MatmulDescSetAttribute", made, number, byref(value), c_size_t(ctypes.sizeof(value)))
        return made

    def status(
        self, product: c_void_p, a: Buffer, b: Buffer, c: Buffer, d: Buffer, scalars: Array, batch: int = 1
    ) -> int:
        """Of D = scalars[0] A B + scalars[1] C, or of the choice of an algorithm where that fails."""
        layouts = [self.layout(x, batch) for x in (a, b, c, d)]
        found, result = c_int(), (ctypes.c_byte * 256)()
        status = self.library.cublasLtMatmulAlgoGetHeuristic(
            self.handle, product, *layouts, None, 1, result, byref(found)
        )
        if status:
            return int(status)
        assert found.value == 1
        one, two = c_void_p(scalars.ctypes.data), c_void_p(scalars.ctypes.data + scalars.itemsize)
        places = (one, a, layouts[0], b, layouts[1], two, c, layouts[2], d, layouts[3])
        return int(self.library.cublasLtMatmul(self.handle, product, *places, result, None, c_size_t(0), None))


@pytest.fixture(scope="module")
def lt(device: Device) -> Lt:
    library, handle = device.library("libcublasLt.so.13"), c_void_p()
    checked(library.cublasLtCreate)(byref(handle))
    return Lt(device, library, handle)


def values(dtype: str, *shape: int) -> Array:
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(dtype)


def epilogue(which: int, x: Array, bias: Array) -> Array:
    made: Array = x + bias[:, None] if which & BIAS else x
    if which & RELU:
        return np.maximum(made, 0)
    return 0.5 * made * (1 + np.vectorize(math.erf)(made / math.sqrt(2))) if which & 32 else made


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("which", [PLAIN, RELU, BIAS, RELU_BIAS, GELU_BIAS])
@pytest.mark.parametrize(("op_a", "op_b"), [(0, 0), (1, 0), (0, 1)])
def test_product_with_epilogue(lt: Lt, dtype: str, which: int, op_a: int, op_b: int) -> None:
    a, b = values(dtype, *((5, 4) if op_a else (4, 5))), values(dtype, *((3, 5) if op_b else (5, 3)))
    c, bias = values(dtype, 4, 3), values(dtype, 4)
    put = lt.device.put
    bias_on_device, out = put(bias), lt.device.put(np.zeros((4, 3), dtype))
    product = lt.product(
        dtype, a=(TRANSA, c_int(op_a)), b=(TRANSB, c_int(op_b)), epilogue=(EPILOGUE, c_uint32(which)),
        bias=(BIAS_POINTER, bias_on_device.pointer),
    )  # fmt: skip
    scalars = np.array([2, 0.5], "f8" if dtype == "f8" else "f4")
    assert lt.status(product, put(a), put(b), put(c), out, scalars) == 0
    exact = [x.astype("f8") for x in (a.T if op_a else a, b.T if op_b else b, c)]
    expected = epilogue(which, 2 * (exact[0] @ exact[1]) + 0.5 * exact[2], bias.astype("f8"))
    # GELU is its approximation by a hyperbolic tangent.
    assert np.allclose(out.get(), expected, rtol=2e-3 if dtype == "f2" else 1e-5, atol=3e-3 if which & 32 else 1e-5)


def test_a_batch_in_place(lt: Lt) -> None:
    a, b, c = values("f4", 2, 3, 4), values("f4", 3, 5, 4), values("f4", 2, 5, 4)
    out = lt.device.put(c)
    assert lt.status(lt.product("f4"), lt.device.put(a), lt.device.put(b), out, out, np.array([1, -1], "f4"), 4) == 0
    assert np.allclose(out.get(), np.einsum("ikz,kjz->ijz", a, b) - c, atol=1e-5)


def test_refusals(lt: Lt, capfd: pytest.CaptureFixture[str]) -> None:
    a, b = lt.device.put(values("f4", 4, 5)), lt.device.put(values("f4", 5, 3))
    out, scalars = lt.device.zeros(12, "f4"), np.array([1, 0], "f4")
    out = Buffer(lt.device, out.pointer, (4, 3), out.dtype)
    auxiliary = lt.product("f4", epilogue=(EPILOGUE, c_uint32(AUXILIARY)))
    assert lt.status(auxiliary, a, b, out, out, scalars) == NOT_SUPPORTED
    assert lt.status(lt.product("f4"), b, a, out, out, scalars) == INVALID
    assert lt.status(lt.product("f4", epilogue=(EPILOGUE, c_uint32(BIAS))), a, b, out, out, scalars) == INVALID
    scale = lt.library.cublasLtMatmulDescSetAttribute(auxiliary, 17, byref(c_void_p()), c_size_t(8))
    assert scale == NOT_SUPPORTED and "attribute 17 of a product is not supported" in capfd.readouterr().err
    assert lt.library.cublasLtMatrixTransform(None) == NOT_SUPPORTED
