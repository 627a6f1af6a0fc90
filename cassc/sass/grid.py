"""Kernels whose CTAs wait for each other.

CUDA's cooperative_groups (details/driver_abi.h, sync.h) finds a workspace {u32 size, u32 barrier} by the special
registers envreg1 (high word of its address) and envreg2 (low word), which ptxas reads from constant bank 0.
"""

from __future__ import annotations

from cassc.sass.disasm import SassFunction
from cassc.sass.launch import LaunchWords
from cassc.sass.operand import Const

WORKSPACE_BYTES = 64


def synchronises(function: SassFunction) -> bool:
    """Whether the kernel looks at its grid's workspace."""
    words = LaunchWords.of(function.arch.number).workspace
    return any(
        isinstance(o, Const) and o.bank == 0 and (o.offset in words or o.offset + 4 in words)
        for i in function.instructions
        for o in i.operands
    )
