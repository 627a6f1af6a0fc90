"""The driver's part of shared memory, with which a kernel's own starts from sm_90 on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from cassc.image.cubin import KernelAbi
from cassc.sass.launch import LaunchWords
from cassc.sass.operand import Const, Named
from cassc.sass.row import Instruction

DRIVER_SHARED = 1024
"""Bytes; kernels with shared memory count them as theirs, and keep nothing below."""


def with_driver_shared(abi: KernelAbi, sm: int, instructions: Iterable[Instruction]) -> KernelAbi:
    """The ABI with room for the driver's part where code looks for it though the kernel has no shared memory: by the
    word that says where cooperative groups talk, or by the window's address."""
    words = LaunchWords.of(sm)
    if words.reserved_at is None or abi.static_shared >= DRIVER_SHARED:
        return abi
    for instruction in instructions:
        for o in instruction.operands:
            if isinstance(o, Const) and o.bank == 0 and o.offset == words.reserved:
                return replace(abi, static_shared=DRIVER_SHARED)
            if isinstance(o, Named) and o.name == "SR_SWINHI":
                return replace(abi, static_shared=DRIVER_SHARED)
    return abi


def own_shared(abi: KernelAbi, words: LaunchWords) -> int:
    """Bytes of static shared memory without the driver's."""
    has_drivers = words.reserved_at is not None and abi.static_shared >= DRIVER_SHARED
    return abi.static_shared - (DRIVER_SHARED if has_drivers else 0)
