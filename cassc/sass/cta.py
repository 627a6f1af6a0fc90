"""One CTA of a launch: its place in the grid, its memories, and what its threads did so far."""

from __future__ import annotations

import numpy as np

from cassc.sass.heap import Heap
from cassc.sass.launch import RESERVED_APART, RESERVED_BYTES, LaunchWords
from cassc.sass.memory import Bytes, Memory, Range
from cassc.sass.program import Program
from cassc.sass.races import Races

# What shared and local memory hold at first: anything, but the same in every run.
UNDEFINED = 0xCD


class Cta:
    def __init__(
        self,
        program: Program,
        grid: tuple[int, int, int],
        block: tuple[int, int, int],
        index: tuple[int, int, int],
        dynamic_shared: int,
        parameters: bytes,
        memory: Memory,
        bank3: Bytes,
        *,
        undefined: int = UNDEFINED,
        races: Races | None = None,
        heap: Heap | None = None,
        workspace: int = 0,
        textures: int = 0,
    ) -> None:
        abi = program.function.abi
        self.program = program
        self.block = block
        self.index = index
        self.threads = block[0] * block[1] * block[2]
        self.dynamic_shared = dynamic_shared
        self.memory = memory
        self.heap = heap
        self.textures = textures
        # nvcc puts dynamic shared memory at the next multiple of its alignment behind the static part.
        size = -(-abi.static_shared // 16) * 16 + dynamic_shared
        self.shared = Memory([Range(0, np.full(size, undefined, np.uint8))] if size else [], "shared")
        if LaunchWords.of(program.function.arch.number).reserved_at is None:
            self.shared.add(Range(RESERVED_APART, np.full(RESERVED_BYTES, undefined, np.uint8), "reserved"))
        self.local_size = max(-(-program.stack // 16) * 16, 16)
        local = np.full(self.local_size * self.threads, undefined, np.uint8)
        self.local = Memory([Range(0, local)], "local")
        self.banks = {
            **program.banks,
            0: program.bank0(grid, block, parameters, dynamic_shared=dynamic_shared, workspace=workspace),
        }
        if bank3.size:
            self.banks[3] = Memory([Range(0, bank3, writable=False)], "c[0x3]")
        self.races = races
        if races is not None:
            races.enter_cta()
        self.printed: list[tuple[bytes, int, bytes]] = []
        self.executed: set[int] = set()
        self.sides: set[tuple[int, bool]] = set()
        self.instructions = 0
        self.steps = 0
        self.address = 0

    def take_printed(self) -> list[tuple[bytes, int, bytes]]:
        taken, self.printed = self.printed, []
        return taken
