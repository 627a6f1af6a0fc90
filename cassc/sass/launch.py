"""Where the driver puts what a kernel knows of its launch: the words of constant bank 0 below the parameters.

Read off what nvcc makes of ``blockDim``, ``gridDim``, pointers to local variables and the stack for each architecture.
"""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class ClusterWords:
    """Byte offsets of what a kernel knows of its cluster.

    Attributes:
        launched: 1 in a launch with clusters, else 0.
        dimensions: CTAs of a cluster, three words.
        reciprocals: of these, as floats.
        clusters: of the grid, three words.
        size: CTAs of a cluster.
    """

    launched: int
    dimensions: int
    reciprocals: int
    clusters: int
    size: int

    def alone(self) -> dict[int, int]:
        """Offset -> word, in a launch without clusters, where each CTA is one; those of ``clusters`` are the grid's."""
        found = {self.launched: 0, self.size: 1}
        for axis in range(3):
            found[self.dimensions + 4 * axis] = 1
            found[self.reciprocals + 4 * axis] = _ONE
        return found


_ONE = 0x3F800000  # as a float

RESERVED_BYTES = 288  # of the reserved memory; cooperative_groups/details/memory.h asks for no more
# Where that is, in a launch by the reference interpreter before sm_90: beyond any shared memory of a kernel.
RESERVED_APART = 0x40000


@dataclass(frozen=True, slots=True)
class LaunchWords:
    """Byte offsets in constant bank 0.

    Attributes:
        block, grid: three words each.
        shared_window, local_window: generic addresses (64 bits) of shared and local memory; None where code takes it
            from a special register alone.
        stack: initial stack pointer.
        workspace: low and high word of the address of a cooperative launch's workspace (envreg2 and envreg1; zeros in
            another launch).
        descriptors: memory descriptors (64 bits) that global accesses name; nothing depends on their value.
        constants: generic address (64 bits) of constant bank 3, as debug builds read it; None where that is not known.
        reserved: shared address of the memory that cooperative groups of several warps talk through (PTX
            ``%reserved_smem_offset_1``).
        reserved_at: that address, from sm_90 on, where a kernel's static shared memory starts with 1024 bytes of the
            driver's; behind what the lifter keeps there for barriers. None before: it lies behind all that is the
            kernel's.
        dynamic: bytes of dynamic shared memory (PTX ``%dynamic_smem_size``).
        not_counted: bytes that code takes away from the size of all shared memory (PTX ``%total_smem_size``): the
            driver's, which the size does not have here.
        multiprocessors: their number (PTX ``%nsmid``); one here, since all CTAs say that they run on the first.
        size: of the words before the parameters, where a kernel has none.
        cluster: None before sm_90. What they hold was recorded on an H200; that of sm_100 is taken to be the same.
    """

    block: int
    grid: int
    shared_window: int | None
    local_window: int
    stack: int
    workspace: tuple[int, int]
    descriptors: tuple[int, ...]
    constants: int | None
    reserved: int
    reserved_at: int | None
    dynamic: int
    not_counted: int
    multiprocessors: int
    size: int
    cluster: ClusterWords | None = None

    @classmethod
    def of(cls, sm: int) -> LaunchWords:
        return _SM_100 if sm >= 100 else _SM_90 if sm >= 90 else _SM_75


_SM_75 = LaunchWords(
    block=0x0,
    grid=0xC,
    shared_window=0x18,
    local_window=0x20,
    stack=0x28,
    workspace=(0x90, 0x8C),
    descriptors=(0x118, 0x208),
    constants=0x50,
    reserved=0x124,
    reserved_at=None,
    dynamic=0x2C,
    not_counted=0x114,
    multiprocessors=0x10C,
    size=0x400,
)
_SM_90 = replace(
    _SM_75,
    workspace=(0x48, 0x44),
    constants=0xD0,
    reserved=0x6C,
    reserved_at=544,
    cluster=ClusterWords(0x140, 0x144, 0x150, 0x15C, 0x188),
)
_SM_100 = LaunchWords(
    block=0x360,
    grid=0x370,
    shared_window=None,
    local_window=0x2F8,
    stack=0x37C,
    workspace=(0x258, 0x254),
    descriptors=(0x358,),
    constants=None,
    reserved=0x27C,
    reserved_at=544,
    dynamic=0x2AC,
    not_counted=0x16C,
    multiprocessors=0x2D0,
    size=0x400,
    cluster=ClusterWords(0x36C, 0x2A0, 0x2B0, 0x2C0, 0x2CC),
)
