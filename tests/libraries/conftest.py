"""The mathematical libraries by ctypes, on the emulator, whose memory is this process's."""

from __future__ import annotations

import ctypes
import os
from ctypes.util import find_library
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import cassc
from cassc.driver import libraries

Array = NDArray[Any]


@pytest.fixture(scope="session")
def libdir() -> Path:
    """The folder with libcassrt, the emulator and the libraries."""
    places = [Path(os.environ["CASSC_LIBDIR"])] if "CASSC_LIBDIR" in os.environ else []
    for place in (*places, Path(cassc.__file__).parent / "lib"):
        if (place / "libcublas.so.13").exists() and (place / "libcassc_emu.so").exists():
            return place.resolve()
    pytest.skip("libcublas.so.13 or libcassc_emu.so is not built (CASSC_LIBDIR or cassc/lib)")


@dataclass(frozen=True)
class Device:
    """Memory of the device, and the runtime's functions. Each checks that it was successful."""

    runtime: ctypes.CDLL
    libdir: Path

    def __getattr__(self, name: str) -> Any:
        return checked(getattr(self.runtime, name))

    def library(self, name: str) -> ctypes.CDLL:
        return ctypes.CDLL(str(self.libdir / name))

    def zeros(self, count: int, dtype: str) -> Buffer:
        return self.put(np.zeros(count, dtype))

    def put(self, values: Array) -> Buffer:
        values = np.asarray(values)
        pointer = ctypes.c_void_p()
        self.cudaMalloc(ctypes.byref(pointer), ctypes.c_size_t(max(values.nbytes, 1)))
        flat = np.ascontiguousarray(values.T).ravel()  # columns first
        self.cudaMemcpy(pointer, ctypes.c_void_p(flat.ctypes.data), ctypes.c_size_t(flat.nbytes), 1)
        return Buffer(self, pointer, values.shape, values.dtype)

    def pointers(self, *buffers: Buffer) -> Buffer:
        """An array of the device that holds the buffers' addresses."""
        return self.put(np.array([buffer.pointer.value for buffer in buffers], "u8"))


@dataclass(frozen=True)
class Buffer:
    device: Device
    pointer: ctypes.c_void_p
    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    @property
    def _as_parameter_(self) -> ctypes.c_void_p:
        return self.pointer

    def get(self) -> Array:
        flat = np.empty(int(np.prod(self.shape)), self.dtype)
        self.device.cudaMemcpy(ctypes.c_void_p(flat.ctypes.data), self.pointer, ctypes.c_size_t(flat.nbytes), 2)
        return flat.reshape(self.shape[::-1]).T


def checked(function: Any) -> Any:
    def call(*arguments: Any) -> None:
        status = function(*arguments)
        assert status == 0, f"{function.__name__} answered {status}"

    return call


@pytest.fixture(scope="session")
def device(libdir: Path) -> Device:
    if os.environ["CASSC_DEVICE"] == "hip" and not (
        find_library("hipblas") or Path("/opt/rocm/lib/libhipblas.so").exists()
    ):
        pytest.skip("ROCm's mathematical libraries are not there")
    if blas := libraries.blas():
        os.environ.setdefault("CASSC_BLAS", str(blas))
    return Device(ctypes.CDLL(str(libdir / "libcudart.so.13")), libdir)
