"""The values of the reference interpreter: one number for each lane of one or more warps, as a numpy vector.

A value is a vector of unsigned integers, of booleans (I1), or of floats (BF16: uint16 patterns).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cassc.sass.builder import BF16, F16, F32, F64, I1, I8, I16, I32, I64, Space, Type
from cassc.sass.rounding import Array

Mask = NDArray[np.bool_]

WARP = 32
BITS = np.uint32(1) << np.arange(WARP, dtype=np.uint32)

DTYPE: dict[Type, type[np.generic]] = {
    I1: np.bool_, I8: np.uint8, I16: np.uint16, I32: np.uint32, I64: np.uint64,
    F16: np.float16, BF16: np.uint16, F32: np.float32, F64: np.float64,
}  # fmt: skip
SIGNED = {I8: np.int8, I16: np.int16, I32: np.int32, I64: np.int64}
UNSIGNED = {8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}
INTEGER = {8: I8, 16: I16, 32: I32, 64: I64}
SIGN_BIT = {F16: 0x8000, BF16: 0x8000, F32: 1 << 31, F64: 1 << 63}


class Lanes:
    """One value per lane."""

    __slots__ = ("data", "type")

    def __init__(self, type: Type, data: Array) -> None:
        self.type = type
        self.data = data

    def __bool__(self) -> bool:
        raise TypeError("a meaning may not branch on a value; use Builder.select")

    def __repr__(self) -> str:
        return f"Lanes({self.type.name}, {self.data!r})"


def all_ones(type: Type) -> np.generic:
    return DTYPE[type]((1 << type.bits) - 1)


# Generic addresses of shared and local memory: outside of what a 64-bit process can map, low word zero.
WINDOWS = {Space.SHARED: 0x1_0000_0000_0000, Space.LOCAL: 0x1_0001_0000_0000}
WINDOW_SIZE = 1 << 24
