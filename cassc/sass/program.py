"""What all CTAs of a launch share: the instructions by address, and the constant banks that the cubin determines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from cassc import diag
from cassc.image.cubin import Cubin
from cassc.sass import cfg
from cassc.sass.builder import Space
from cassc.sass.codespace import CodeSpace
from cassc.sass.disasm import SassFunction
from cassc.sass.execute import Plan
from cassc.sass.lanes import WINDOWS
from cassc.sass.launch import RESERVED_APART, LaunchWords
from cassc.sass.memory import Memory, Range
from cassc.sass.row import Instruction

# Functions of the device runtime, by the value that stands for their address in constant bank 4.
EXTERNAL_BASE = 0xCA55_0000_0000_0000


@dataclass(frozen=True, slots=True)
class Program:
    """Attributes:
    at: instructions by byte offset.
    banks: bank number -> memory, without banks 0 and 3.
    externals: value in bank 4 -> name of the undefined function.
    symbols: name -> address of module variables.
    stack: bytes of local memory of a thread.
    constants: generic address of constant bank 3.
    plans: of instructions that ran, by byte offset.
    """

    function: SassFunction
    at: Mapping[int, Instruction]
    banks: Mapping[int, Memory]
    externals: Mapping[int, str]
    symbols: Mapping[str, int]
    stack: int
    constants: int = 0
    plans: dict[int, Plan] = field(default_factory=dict)

    def plan(self, i: Instruction) -> Plan:
        """CasscError ``sass-no-meaning``."""
        found = self.plans.get(i.address)
        if found is None:
            found = self.plans[i.address] = Plan.of(i)
        return found

    @classmethod
    def of(cls, function: SassFunction, cubin: Cubin, addresses: Mapping[str, int]) -> Program:
        undefined = sorted({s.name for s in cubin.symbols if not s.section and s.kind == "FUNC"})
        externals = {EXTERNAL_BASE + index: name for index, name in enumerate(undefined, 1)}
        space = CodeSpace.of(cubin)
        banks = {}
        for number, name in ((2, f".nv.constant2.{function.name}"), (4, ".nv.constant4")):
            section = cubin.section(name)
            if section is None or not section.size:
                continue
            data = np.zeros(section.size, np.uint8)
            data[: len(section.data)] = np.frombuffer(section.data, np.uint8)
            for relocation in cubin.relocations.get(name, ()):
                symbol = cubin.symbol(relocation.symbol)
                if symbol is None:
                    raise diag.error("sass-bad-cubin", f"{name} refers to the unknown symbol {relocation.symbol!r}")
                if symbol.section:
                    code = space.address(symbol)
                    place = addresses.get(symbol.section, 0) + symbol.value if code is None else code
                    value = place + relocation.addend
                else:
                    value = next((v for v, n in externals.items() if n == symbol.name), 0)
                data[relocation.offset : relocation.offset + 8] = np.frombuffer(value.to_bytes(8, "little"), np.uint8)
            banks[number] = Memory([Range(0, data, name, writable=False)], f"c[{number:#x}]")
        stack = cfg.stack_bytes(cfg.build(function), function.abi.frame_size)
        symbols = {s.name: addresses[s.section] + s.value for s in cubin.symbols if s.section in addresses}
        return cls(
            function,
            {i.address: i for i in function.instructions},
            banks,
            externals,
            symbols,
            stack,
            addresses.get(".nv.constant3", 0),
        )

    def bank0(
        self,
        grid: tuple[int, int, int],
        block: tuple[int, int, int],
        parameters: bytes,
        *,
        dynamic_shared: int = 0,
        workspace: int = 0,
    ) -> Memory:
        """Launch dimensions, windows, stack pointer and parameters, as the driver lays them out.

        ``workspace``: of the grid, in a cooperative launch.
        """
        abi, at = self.function.abi, LaunchWords.of(self.function.arch.number)
        base = abi.param_base if abi.param_size else at.size
        data = np.zeros(base + len(parameters) + -len(parameters) % 8, np.uint8)
        words = data.view(np.uint32)[: base // 4] if data.size % 4 == 0 else data[: base // 4 * 4].view(np.uint32)
        for place, dimensions in ((at.block, block), (at.grid, grid)):
            words[place // 4 : place // 4 + 3] = dimensions
        for window, space in ((at.shared_window, Space.SHARED), (at.local_window, Space.LOCAL)):
            if window is not None:
                words[window // 4], words[window // 4 + 1] = WINDOWS[space] & 0xFFFFFFFF, WINDOWS[space] >> 32
        words[at.stack // 4] = self.stack
        words[at.dynamic // 4] = dynamic_shared
        words[at.multiprocessors // 4] = 1
        words[at.reserved // 4] = RESERVED_APART if at.reserved_at is None else at.reserved_at
        low, high = at.workspace
        words[low // 4], words[high // 4] = workspace & 0xFFFFFFFF, workspace >> 32
        if at.cluster is not None:
            for place, word in at.cluster.alone().items():
                words[place // 4] = word
            words[at.cluster.clusters // 4 : at.cluster.clusters // 4 + 3] = grid
        if at.constants is not None:
            words[at.constants // 4], words[at.constants // 4 + 1] = self.constants & 0xFFFFFFFF, self.constants >> 32
        data[base : base + len(parameters)] = np.frombuffer(parameters, np.uint8)
        return Memory([Range(0, data, writable=False)], "c[0x0]")
