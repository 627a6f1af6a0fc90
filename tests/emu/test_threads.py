"""Workgroups on several threads, launches at the same time, and orders that are asked for."""

from __future__ import annotations

import os
import struct
import threading

import numpy as np
import pytest

from cassc.amdgpu import assemble
from cassc.amdgpu.emulator import Emulator, EmulatorFault
from tests.emu.conftest import Frame, Machine, kernel_text

_COUNT = """
s_load_b128 s[8:11], s[0:1], 0
v_mov_b32 v1, 0
v_mov_b32 v2, 1
v_mov_b32 v3, 0x3f800000
s_movk_i32 s6, 200
s_waitcnt lgkmcnt(0)
.Lloop:
global_atomic_add_u32 v1, v2, s[8:9]
global_atomic_add_f32 v1, v3, s[10:11]
s_sub_i32 s6, s6, 1
s_cmp_lg_u32 s6, 0
s_cbranch_scc1 .Lloop
"""

_SPIN = """
s_load_b64 s[8:9], s[0:1], 0
v_mov_b32 v1, 0
s_waitcnt lgkmcnt(0)
.Lwait:
global_load_b32 v2, v1, s[8:9] glc
s_waitcnt vmcnt(0)
v_cmp_eq_u32 vcc_lo, 0, v2
s_cbranch_vccnz .Lwait
"""

_RAISE = """
s_load_b64 s[8:9], s[0:1], 0
v_mov_b32 v1, 0
v_mov_b32 v2, 1
s_waitcnt lgkmcnt(0)
global_store_b32 v1, v2, s[8:9]
"""

_ORDER = """
v_and_b32 v0, 0x3ff, v0
v_cmp_eq_u32 vcc_lo, 0, v0
s_and_b32 exec_lo, exec_lo, vcc_lo
s_load_b128 s[8:11], s[0:1], 0
v_mov_b32 v1, 0
v_mov_b32 v2, 1
s_waitcnt lgkmcnt(0)
global_atomic_add_u32 v3, v1, v2, s[8:9] glc
s_waitcnt vmcnt(0)
v_lshlrev_b32 v3, 2, v3
v_mov_b32 v4, s2
global_store_b32 v3, v4, s[10:11]
"""


@pytest.mark.parametrize("threads", [0, 1])
def test_atomics_of_all_workgroups_count(machine: Machine, threads: int) -> None:
    kernel = machine.build(_COUNT, Frame(kernarg=16))
    integers, floats = machine.buffer(np.zeros(1, np.uint32)), machine.buffer(np.zeros(1, np.float32))
    arguments = struct.pack("<2Q", integers, floats)
    machine.emulator.launch(kernel, (64, 1, 1), (64, 1, 1), arguments, threads=threads)
    total = 64 * 64 * 200
    assert machine.emulator.read_array(integers, np.uint32, 1)[0] == total
    assert machine.emulator.read_array(floats, np.float32, 1)[0] == total


def test_a_launch_takes_as_many_threads_as_it_has_workgroups_for(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CASSC_EMU_THREADS", "6")
    code = assemble.assemble(kernel_text(_COUNT, Frame(kernarg=16)), machine.target, form="asm")

    def started(groups: int) -> int:
        before = len(os.listdir("/proc/self/task"))
        with Emulator(machine.target, memory_bytes=1 << 20) as emulator:
            arguments = struct.pack("<2Q", emulator.alloc(4), emulator.alloc(4))
            emulator.launch(emulator.load(code).kernels["k"], (groups, 1, 1), (1024, 1, 1), arguments, threads=0)
            return len(os.listdir("/proc/self/task")) - before

    assert started(64) == 5
    assert started(3) <= 2


def test_a_kernel_that_waits_does_not_hold_up_another(machine: Machine) -> None:
    waits, ends = machine.build(_SPIN, Frame(kernarg=8)), machine.build(_RAISE, Frame(kernarg=8))
    flag = machine.buffer(np.zeros(1, np.uint32))
    waiting = threading.Thread(target=lambda: machine.launch(waits, flag, limit=1 << 40))
    waiting.start()
    waiting.join(0.05)
    assert waiting.is_alive()
    machine.launch(ends, flag)
    waiting.join(20)
    assert not waiting.is_alive()


def _begun(machine: Machine, **order: object) -> list[int]:
    """Numbers of the workgroups in the order in which they ran."""
    kernel = machine.build(_ORDER, Frame(kernarg=16))
    counter, places = machine.buffer(np.zeros(1, np.uint32)), machine.buffer(np.zeros(40, np.uint32))
    machine.emulator.launch(kernel, (40, 1, 1), (32, 1, 1), struct.pack("<2Q", counter, places), **order)  # type: ignore[arg-type]
    return [int(number) for number in machine.emulator.read_array(places, np.uint32, 40)]


def test_orders(machine: Machine) -> None:
    assert _begun(machine) == list(range(40))
    assert _begun(machine, descending=True) == list(range(39, -1, -1))
    first = _begun(machine, shuffle=1)
    assert sorted(first) == list(range(40)) and first != list(range(40))
    assert _begun(machine, shuffle=1) == first
    assert _begun(machine, shuffle=2) != first


@pytest.mark.parametrize(
    "wide, offset, faults", [("b32", 2, True), ("b64", 4, False), ("u16", 1, True), ("u16", 2, False)]
)
def test_strict_alignment(machine: Machine, wide: str, offset: int, faults: bool) -> None:
    data = machine.buffer(np.zeros(64, np.uint32))
    target = "v[2:3]" if wide == "b64" else "v2"
    address = f"s_load_b64 s[8:9], s[0:1], 0\nv_mov_b32 v1, {offset}\ns_waitcnt lgkmcnt(0)\n"
    kernel = machine.build(f"{address}global_load_{wide} {target}, v1, s[8:9]", Frame(kernarg=8))

    def run(emulator: Emulator, strict: bool) -> None:
        emulator.launch(kernel, (1, 1, 1), (32, 1, 1), struct.pack("<Q", data), strict_alignment=strict)

    run(machine.emulator, strict=False)
    if not faults:
        run(machine.emulator, strict=True)
        return
    with pytest.raises(EmulatorFault) as caught:
        run(machine.emulator, strict=True)
    assert caught.value.kind == "misaligned"
