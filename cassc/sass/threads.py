"""The threads of a CTA in the reference interpreter: registers, program counters, and what surrounds them.

All warps stand in one vector, 32 lanes for each; lanes have a program counter each.
"""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cassc.sass.builder import Space
from cassc.sass.cfg import target_of
from cassc.sass.cta import Cta
from cassc.sass.fields import REGISTERS
from cassc.sass.lanes import WARP, WINDOWS, Mask
from cassc.sass.launch import LaunchWords
from cassc.sass.machine import Halt, Machine
from cassc.sass.memory import AccessError, Memory
from cassc.sass.operand import Pred
from cassc.sass.reserved import own_shared
from cassc.sass.row import Instruction

# Why a lane does not run.
RUNNING, AT_BSYNC, AT_WARPSYNC, AT_COLLECTIVE, AT_BARRIER = range(5)
ALL = np.uint32(0xFFFFFFFF)


class Threads:
    """Attributes:
    running: lanes that have not exited.
    """

    def __init__(self, cta: Cta, shuffler: Random | None) -> None:
        self.cta = cta
        self.warps = -(-cta.threads // WARP)
        lanes = self.warps * WARP
        threads = np.arange(lanes, dtype=np.uint32)
        self.lanes = lanes
        self.running: Mask = threads < cta.threads
        self.pc = np.zeros(lanes, np.int64)
        self.wait = np.zeros(lanes, np.int8)
        self.group = np.full(lanes, ALL)  # the mask that put a lane apart from others (`sass.groups.APART`)
        self.apart = False  # whether some lane is
        self.released = np.zeros(lanes, bool)  # have passed a CTA barrier, and stand at its instruction
        self.votes = np.zeros((2, lanes), np.uint32)  # of a lane's last barrier: how many were true, and all
        self.machine = Machine(self, lanes, REGISTERS + 2, cta.program.symbols)
        self.machine.races = cta.races
        self.machine.shuffler = shuffler
        x, y, _ = cta.block
        lane = threads % WARP
        bit = np.uint32(1) << lane
        self._special: dict[str, NDArray[Any]] = {
            "tid.x": threads % x,
            "tid.y": threads // x % y,
            "tid.z": threads // (x * y),
            "laneid": lane,
            "warpid": threads // WARP,
            "virtid": threads // WARP,
            "lanemask.eq": bit,
            "lanemask.lt": bit - np.uint32(1),
            "lanemask.le": bit | (bit - np.uint32(1)),
            "lanemask.gt": ~(bit | (bit - np.uint32(1))),
            "lanemask.ge": ~(bit - np.uint32(1)),
        }

    @property
    def alive(self) -> int:
        return int(self.running.sum())

    @property
    def finished(self) -> bool:
        return not self.running.any()

    def thread(self, lane: int, axis: str) -> int:
        """The index of a lane's thread in the CTA along x, y or z."""
        return int(self._special[f"tid.{axis}"][lane])

    def _bits(self, mask: Mask) -> NDArray[np.uint32]:
        """In each lane the members of its warp, as a 32-bit mask."""
        packed = np.packbits(mask.reshape(-1, WARP), axis=1, bitorder="little").view(np.uint32)[:, 0]
        return np.repeat(packed, WARP)

    def _taken(self, i: Instruction, group: Mask) -> Mask:
        """The lanes in which guard and predicate operands hold."""
        taken = group
        for p in (i.guard, *(o for o in i.operands if isinstance(o, Pred))):
            if not p.is_true:
                taken = taken & self.machine.holds(p)
        return taken

    def _label(self, i: Instruction) -> int:
        target = target_of(i)
        if target is None:
            raise Halt("instruction", "a branch without a target")
        return target

    # Surroundings of Evaluate ------------------------------------------------------------------------------------
    def special(self, name: str) -> NDArray[Any] | int:
        found = self._special.get(name)
        if found is not None:
            return found
        base, _, part = name.partition(".")
        if base == "ctaid":
            return self.cta.index["xyz".index(part)]
        if name == "nwarpid":
            return self.warps
        if name in ("clocklo", "globaltimerlo"):
            return self.cta.instructions & 0xFFFFFFFF
        if name in ("clockhi", "globaltimerhi"):
            return self.cta.instructions >> 32
        if name == "swinhi":
            return WINDOWS[Space.SHARED] >> 32
        if name in ("cgactaid", "cgasize", "smid", "gridid", "stack_end"):
            return 0
        if name == "dynamic_smem_size":
            return self.cta.dynamic_shared
        if name == "total_smem_size":
            function = self.cta.program.function
            return self.cta.dynamic_shared + own_shared(function.abi, LaunchWords.of(function.arch.number))
        raise Halt("instruction", f"the special register {name} is not supported")

    def bank(self, bank: int) -> Memory:
        memory = self.cta.banks.get(bank)
        if memory is None:
            raise Halt("instruction", f"the cubin has no constant bank {bank}")
        return memory

    def textures(self) -> int:
        return self.cta.textures

    def memory(self, space: Space) -> Memory:
        return {Space.SHARED: self.cta.shared, Space.LOCAL: self.cta.local}.get(space, self.cta.memory)

    def locate(self, space: Space, addresses: NDArray[Any], lanes: NDArray[np.intp]) -> NDArray[np.uint64]:
        wide = addresses.astype(np.uint64)
        if space is not Space.LOCAL:
            return wide
        size = self.cta.local_size
        outside = wide >= size
        if outside.any():
            raise AccessError("local", int(wide[outside][0]), 1, write=False)
        return wide + (lanes * size).astype(np.uint64)

    def passed(self) -> tuple[NDArray[Any], NDArray[Any]] | None:
        return (self.votes[0].copy(), self.votes[1].copy()) if (self.machine.mask & self.released).any() else None
