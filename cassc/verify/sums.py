"""How far the order of atomic additions may move a sum of floats.

Every addition rounds by at most half a unit in the last place of a partial sum, which no order makes larger than the
sum of the magnitudes. So any two orders agree within that bound, which is exact for few summands; for many it would
forgive too much, and orders that were tried tell more (see ``compare.allowed``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cassc.sass.memory import Bytes, Memory

_FEW = 9
_UNIT = {4: 2.0**-24, 8: 2.0**-53}
_DTYPE = {4: np.float32, 8: np.float64}
# What flushing a subnormal number may take away, once for each summand and each sum.
_FLUSHED = {4: 2 * 2.0**-126, 8: 0.0}


@dataclass(slots=True)
class Sum:
    """Attributes:
    size: bytes of the float.
    count: additions.
    magnitude: of all summands and of the value before them.
    """

    size: int
    magnitude: float
    count: int = 0

    @property
    def bound(self) -> float:
        """Largest difference between the results of two orders."""
        most = min(self.count, _FEW)
        return 2 * most * (_UNIT[self.size] * self.magnitude * (1 + 1e-6) + _FLUSHED[self.size])


def note(sums: dict[int, Sum], memory: Memory, addresses: NDArray[np.uint64], summands: NDArray[np.floating]) -> None:
    """Enter additions of ``summands`` to floats at ``addresses``, before they are done."""
    dtype = summands.dtype
    size = dtype.itemsize
    for address, magnitude in zip(addresses.tolist(), np.abs(summands.astype(np.float64)).tolist(), strict=True):
        one = sums.get(address)
        if memory.find(address, size) is None or address % size:
            continue  # the addition itself will be refused
        if one is None or one.size != size:
            before = np.frombuffer(memory.read_int(address, size).to_bytes(size, "little"), dtype)
            one = sums[address] = Sum(size, abs(float(before[0])))
        one.count += 1
        one.magnitude += magnitude


def near(expected: Bytes, got: Bytes, sums: Mapping[int, Sum]) -> NDArray[np.bool_]:
    """For each 32-bit word (an even number of them) whether it belongs to a sum that lies within its bound.

    ``sums``: by byte offset.
    """
    mask = np.zeros(-(-expected.size // 8) * 2, bool)
    for offset, one in sums.items():
        place = slice(offset, offset + one.size)
        a, b = (float(x[place].view(_DTYPE[one.size])[0]) for x in (expected, got))
        if abs(a - b) <= one.bound < np.inf:
            mask[offset // 4 : (offset + one.size) // 4] = True
    return mask
