"""Where the driver puts what a kernel knows of its launch: the words of constant bank 0 below the parameters.

Read off what nvcc makes of ``blockDim``, ``gridDim``, pointers to local variables and the stack for each architecture.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LaunchWords:
    """Byte offsets in constant bank 0.

    Attributes:
        block, grid: three words each.
        shared_window, local_window: generic addresses (64 bits) of shared and local memory; None where code takes it
            from a special register alone.
        stack: initial stack pointer.
        descriptors: memory descriptors (64 bits) that global accesses name; nothing depends on their value.
        size: of the words before the parameters, where a kernel has none.
    """

    block: int
    grid: int
    shared_window: int | None
    local_window: int
    stack: int
    descriptors: tuple[int, ...]
    size: int

    @classmethod
    def of(cls, sm: int) -> LaunchWords:
        return _SM_100 if sm >= 100 else _SM_75


_SM_75 = LaunchWords(
    block=0x0, grid=0xC, shared_window=0x18, local_window=0x20, stack=0x28, descriptors=(0x118, 0x208), size=0x400
)
_SM_100 = LaunchWords(
    block=0x360, grid=0x370, shared_window=None, local_window=0x2F8, stack=0x37C, descriptors=(0x358,), size=0x400
)
