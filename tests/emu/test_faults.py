"""Every kind of fault: what it says, and that the device goes on."""

from __future__ import annotations

import numpy as np
import pytest

from cassc.amdgpu.emulator import EmulatorFault
from tests.emu.conftest import Frame, Machine

HEAD = "v_and_b32 v0, 0x3ff, v0\ns_load_b64 s[8:9], s[0:1], 0\nv_lshlrev_b32 v1, 2, v0\ns_waitcnt lgkmcnt(0)\n"
FRAME = Frame(kernarg=8, lds=128, scratch=16)


def fault(
    machine: Machine, body: str, *, words: int = 32, block: int = 32, grid: int = 1, limit: int = 100000
) -> EmulatorFault:
    kernel = machine.build(HEAD + body, FRAME)
    data = machine.buffer(np.zeros(words, np.uint32))
    try:
        with pytest.raises(EmulatorFault) as caught:
            machine.launch(kernel, data, grid=grid, block=block, limit=limit)
    finally:
        machine.emulator.free(data)
    assert caught.value.kernel == "k"
    assert "kernel k" in str(caught.value)
    return caught.value


@pytest.mark.parametrize(("width", "size"), [("u8", 1), ("u16", 2), ("b32", 4), ("b64", 8), ("b96", 12), ("b128", 16)])
def test_read_past_the_end(machine: Machine, width: str, size: int) -> None:
    reg = "v8" if size <= 4 else f"v[8:{7 + size // 4}]"
    f = fault(machine, f"v_mul_u32_u24 v2, {size}, v0\nglobal_load_{width} {reg}, v2, s[8:9]", words=16 * size // 4)
    assert (f.kind, f.lane, f.access_size, f.is_write) == ("illegal-address", 16, size, False)
    assert f.instruction.startswith(f"global_load_{width} dc")
    assert f"0x{f.address:x}" in str(f)


def test_write_just_past_an_odd_size(machine: Machine) -> None:
    kernel = machine.build(HEAD + "v_mov_b32 v8, 1\nglobal_store_b8 v0, v8, s[8:9]", FRAME)
    address = machine.emulator.alloc(31)
    with pytest.raises(EmulatorFault) as caught:
        machine.launch(kernel, address)
    assert caught.value.lane == 31 and caught.value.is_write and caught.value.address == address + 31


@pytest.mark.parametrize("address", [0, 8, 0x1000, 1 << 47, (1 << 64) - 4])
def test_wild_pointers(machine: Machine, address: int) -> None:
    body = f"v_mov_b32 v4, 0x{address & 0xFFFFFFFF:x}\nv_mov_b32 v5, 0x{address >> 32:x}\n"
    assert fault(machine, body + "global_load_b32 v8, v[4:5], off").address == address
    assert fault(machine, body + "flat_store_b32 v[4:5], v8").is_write
    assert (
        fault(
            machine,
            f"s_mov_b32 s6, 0x{address & 0xFFFFFFFF:x}\ns_mov_b32 s7, 0x{address >> 32:x}\ns_load_b32 s10, s[6:7], 0",
        ).kind
        == "illegal-address"
    )


def test_freed_memory(machine: Machine) -> None:
    kernel = machine.build(HEAD + "global_load_b32 v8, v1, s[8:9]", FRAME)
    address = machine.buffer(np.zeros(32, np.uint32))
    machine.launch(kernel, address)
    machine.emulator.free(address)
    with pytest.raises(EmulatorFault, match="illegal address"):
        machine.launch(kernel, address)


@pytest.mark.parametrize(
    "body",
    [
        "ds_load_b32 v8, v1 offset:4",
        "ds_store_b64 v1, v[2:3]",
        "ds_add_u32 v1, v2 offset:128",
        "ds_load_2addr_b32 v[8:9], v1 offset0:0 offset1:1",
    ],
)
def test_lds_past_the_allocation(machine: Machine, body: str) -> None:
    f = fault(machine, body)
    assert f.kind == "lds-address" and f.address + f.access_size > 128


def test_scratch_past_the_private_segment(machine: Machine) -> None:
    f = fault(machine, "v_mov_b32 v2, 14\nscratch_store_b32 v2, v0, off")
    assert (f.kind, f.address, f.is_write) == ("scratch-address", 14, True)
    assert (
        fault(
            machine, "v_mov_b32 v2, 16\ns_mov_b64 s[6:7], src_private_base\nv_mov_b32 v3, s7\nflat_load_b32 v4, v[2:3]"
        ).kind
        == "scratch-address"
    )
    assert (
        fault(
            machine, "v_mov_b32 v2, 125\ns_mov_b64 s[6:7], src_shared_base\nv_mov_b32 v3, s7\nflat_load_b32 v4, v[2:3]"
        ).kind
        == "lds-address"
    )


def test_misaligned_atomics(machine: Machine) -> None:
    f = fault(machine, "v_mov_b32 v2, 2\nglobal_atomic_add_u32 v2, v0, s[8:9]")
    assert f.kind == "misaligned" and f.address % 4 == 2
    assert fault(machine, "v_mov_b32 v2, 4\nds_add_u64 v2, v[0:1]").kind == "misaligned"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (".long 0xf0600104\n.long 0", "image_msaa_load"),
        (".long 0xd7ff0000\n.long 0", "unknown VOP3"),
        ("s_mov_b32 s11, 0\nbuffer_load_format_x v1, off, s[8:11], 0", "without a layout"),
        ("ds_gws_barrier v1 gds", "DS"),
        ("v_mov_b32 v200, 0", "outside the kernel's registers"),
        (".long 0xbfa07fff", "branch leaves the code"),
        ("s_mov_b64 s[6:7], 0\ns_setpc_b64 s[6:7]", "holds no code"),
    ],
)
def test_illegal_instructions_are_named(machine: Machine, body: str, words: str) -> None:
    f = fault(machine, body)
    assert f.kind == "illegal-instruction" and words in str(f)


def test_trap(machine: Machine) -> None:
    f = fault(machine, "s_trap 2", block=96, grid=3)
    assert (f.kind, f.wave, f.workgroup) == ("trap", 0, (0, 0, 0))
    assert f.instruction == "s_trap bf900002"
    assert f.pc_offset > 0
    machine.launch(machine.build("s_trap 3"))  # the debugger's, with nobody attached


def test_endless_loop_meets_the_limit(machine: Machine) -> None:
    f = fault(machine, ".Lx:\ns_branch .Lx", limit=5000)
    assert f.kind == "instruction-limit"


def test_where_a_fault_happened(machine: Machine) -> None:
    """The second wave of the third workgroup, in one lane."""
    body = """
    s_cmp_eq_u32 s2, 2
    s_cbranch_scc0 .Lout
    v_cmpx_eq_u32 40, v0
    s_cbranch_execz .Lout
    v_mov_b32 v4, 64
    v_mov_b32 v5, 0
    global_store_b32 v[4:5], v0, off
    .Lout:
    """
    f = fault(machine, body, block=64, grid=4)
    assert (f.workgroup, f.wave, f.lane, f.address) == ((2, 0, 0), 1, 8, 64)


def test_the_device_survives_a_fault(machine: Machine) -> None:
    fault(machine, "s_trap 2")
    (got,) = machine.lanes("v_add_nc_u32 v40, 1, v10", [np.arange(32, dtype=np.uint32)])
    assert (got == np.arange(1, 33)).all()
