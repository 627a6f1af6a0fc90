"""Small kernels in assembly for the emulator: a text frame, and a harness that runs instructions on arrays of lanes."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pytest

from cassc.amdgpu import assemble, emulator
from cassc.amdgpu.emulator import Emulator, Kernel
from cassc.diag import CasscError
from cassc.target import TARGETS, Target

GFX1100 = TARGETS["gfx1100"]


@dataclass(frozen=True, slots=True)
class Frame:
    """What the kernel descriptor and the metadata of a test kernel say; sizes in bytes."""

    kernarg: int = 64
    lds: int = 0
    scratch: int = 0
    vgprs: int = 96
    block: int = 1024
    round32: int = 0
    round64: int = 0
    denorm32: int = 3
    denorm64: int = 3
    ieee: int = 1
    dx10_clamp: int = 1


def kernel_text(body: str, frame: Frame = Frame(), name: str = "k") -> str:
    """A module with one kernel: s[0:1] kernarg, s2..s4 workgroup ids, v0 packed work-item ids."""
    return f"""
.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
.text
.globl {name}
.p2align 8
.type {name},@function
{name}:
{body}
s_endpgm
.Lend: .size {name}, .Lend-{name}
.rodata
.p2align 6
.amdhsa_kernel {name}
  .amdhsa_group_segment_fixed_size {frame.lds}
  .amdhsa_private_segment_fixed_size {frame.scratch}
  .amdhsa_enable_private_segment {1 if frame.scratch else 0}
  .amdhsa_kernarg_size {frame.kernarg}
  .amdhsa_user_sgpr_count 2
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_sgpr_workgroup_id_x 1
  .amdhsa_system_sgpr_workgroup_id_y 1
  .amdhsa_system_sgpr_workgroup_id_z 1
  .amdhsa_system_vgpr_workitem_id 2
  .amdhsa_next_free_vgpr {frame.vgprs}
  .amdhsa_next_free_sgpr 100
  .amdhsa_wavefront_size32 1
  .amdhsa_float_round_mode_32 {frame.round32}
  .amdhsa_float_round_mode_16_64 {frame.round64}
  .amdhsa_float_denorm_mode_32 {frame.denorm32}
  .amdhsa_float_denorm_mode_16_64 {frame.denorm64}
  .amdhsa_ieee_mode {frame.ieee}
  .amdhsa_dx10_clamp {frame.dx10_clamp}
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: {name}
    .symbol: {name}.kd
    .kernarg_segment_size: {frame.kernarg}
    .kernarg_segment_align: 8
    .group_segment_fixed_size: {frame.lds}
    .private_segment_fixed_size: {frame.scratch}
    .wavefront_size: 32
    .sgpr_count: 100
    .vgpr_count: {frame.vgprs}
    .max_flat_workgroup_size: {frame.block}
    .args:
      - .offset: 0
        .size: {frame.kernarg}
        .value_kind: by_value
...
.end_amdgpu_metadata
"""


class Machine:
    """An emulated device and an assembler for it."""

    def __init__(self, target: Target = GFX1100) -> None:
        self.target = target
        self.emulator = Emulator(target, memory_bytes=1 << 28)

    def build(self, body: str, frame: Frame = Frame()) -> Kernel:
        return self.load(kernel_text(body, frame).replace("gfx1100", self.target.name))

    def load(self, text: str) -> Kernel:
        """The kernel ``k`` of a module in assembly."""
        return self.emulator.load(assemble.assemble(text, self.target, form="asm")).kernels["k"]

    def buffer(self, data: np.ndarray) -> int:
        address = self.emulator.alloc(data.nbytes)
        self.emulator.write(address, data)
        return address

    def launch(self, kernel: Kernel, *pointers: int, grid: int = 1, block: int = 32, limit: int = 1 << 24) -> None:
        arguments = struct.pack(f"<{len(pointers)}Q", *pointers).ljust(kernel.kernarg_size, b"\0")
        self.emulator.launch(kernel, (grid, 1, 1), (block, 1, 1), arguments, max_instructions=limit)

    def lanes(
        self,
        body: str,
        inputs: Sequence[np.ndarray],
        outputs: int = 1,
        frame: Frame = Frame(),
        *,
        setup: str = "",
    ) -> list[np.ndarray]:
        """Run ``body`` once for each element: input i (32-bit words) is in v[10+i], output j is taken from v[40+j].

        A 64-bit value takes two inputs, low word first. v0 is the work-item id, s[8:9] and vcc are free.
        """
        count = len(inputs[0])
        words = [np.ascontiguousarray(x).view(np.uint32) for x in inputs]
        padded = (count + 31) // 32 * 32
        lines = [
            "s_mov_b32 s5, 0x3ff",
            "v_and_b32 v0, s5, v0",
            "v_lshl_add_u32 v1, s2, 5, v0",
            "v_lshlrev_b32 v1, 2, v1",
        ]
        for i in range(len(words)):
            lines += [
                f"s_load_b64 s[8:9], s[0:1], {8 * i}",
                "s_waitcnt lgkmcnt(0)",
                f"global_load_b32 v{10 + i}, v1, s[8:9]",
            ]
        lines += ["s_waitcnt vmcnt(0)"] + [f"v_mov_b32 v{40 + j}, 0" for j in range(outputs)] + [setup, body]
        for j in range(outputs):
            lines += [f"s_load_b64 s[8:9], s[0:1], {8 * (len(words) + j)}", "s_waitcnt lgkmcnt(0)"]
            lines += [f"global_store_b32 v1, v{40 + j}, s[8:9]"]
        slots = len(words) + outputs
        kernel = self.build("\n".join(lines), Frame(**{**_fields(frame), "kernarg": 8 * slots}))
        pointers = [self.buffer(np.pad(w, (0, padded - count))) for w in words]
        results = [self.emulator.alloc(4 * padded) for _ in range(outputs)]
        self.launch(kernel, *pointers, *results, grid=padded // 32)
        taken = [self.emulator.read_array(p, np.uint32, padded)[:count] for p in results]
        for p in (*pointers, *results):
            self.emulator.free(p)
        return taken


def _fields(frame: Frame) -> dict[str, int]:
    return {name: getattr(frame, name) for name in frame.__dataclass_fields__}


@pytest.fixture(scope="session")
def machine() -> Iterator[Machine]:
    """A gfx1100 device; skips where the emulator's library or LLVM is missing."""
    if emulator.library_path() is None:
        pytest.skip("libcassc_emu.so is not built")
    try:
        assemble.assemble(kernel_text("s_nop 0"), GFX1100, form="asm")
    except CasscError as refusal:
        pytest.skip(str(refusal))
    made = Machine()
    yield made
    made.emulator.close()


@pytest.fixture(scope="session")
def other_machine() -> Iterator[Callable[[str], Machine]]:
    """``other_machine("gfx1150")``: a device of another processor."""
    made: list[Machine] = []

    def create(name: str) -> Machine:
        made.append(Machine(TARGETS[name]))
        return made[-1]

    yield create
    for m in made:
        m.emulator.close()
