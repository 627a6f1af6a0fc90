"""What the reference interpreter's lanes stand in, and how an instruction tells that it stops them."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from cassc.sass.builder import Space
from cassc.sass.lanes import Mask
from cassc.sass.memory import Memory
from cassc.sass.rounding import Array


class BarrierWait(Exception):
    """Raised by barriers for the lanes that execute them; the driver executes the instruction again when released.

    Attributes:
        id, threads: in each lane the barrier, and how many threads it waits for (0: all of the CTA).
        arrive: the lanes only count, and do not wait.
        vote: the I1 operand of a reduction, or None.
    """

    def __init__(self, id: Array, threads: Array, vote: Mask | None = None, *, arrive: bool = False) -> None:
        super().__init__()
        self.id = id
        self.threads = threads
        self.vote = vote
        self.arrive = arrive


class Trap(Exception):
    """The kernel ended itself, or did what ends it (`Builder.trap`)."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.kind = kind


class Surroundings(Protocol):
    """What the lanes stand in. The arithmetic needs none of it."""

    def special(self, name: str) -> Array | int: ...
    def bank(self, bank: int) -> Memory: ...
    def textures(self) -> int:
        """Address of the table of texture descriptors."""

    def memory(self, space: Space) -> Memory: ...
    def locate(self, space: Space, addresses: Array, lanes: NDArray[np.intp]) -> NDArray[np.uint64]:
        """Addresses as the memory of the space knows them (local memory: one slice for each thread)."""

    def passed(self) -> tuple[Array, Array] | None:
        """In each lane (threads whose vote was true, all threads) if they have passed the barrier, else None."""
