"""Control flow, EXEC, barriers, the order of waves, launch set-up."""

from __future__ import annotations

import struct
from collections.abc import Callable

import numpy as np
import pytest

from cassc.amdgpu import assemble
from cassc.amdgpu.emulator import EmulatorFault
from cassc.diag import CasscError
from tests.emu.conftest import GFX1100, Frame, Machine, kernel_text

SMALL_FRAME = Frame(kernarg=8)
INDEX = """
v_and_b32 v0, 0x3ff, v0
s_load_b64 s[10:11], s[0:1], 0
v_lshlrev_b32 v1, 2, v0
s_waitcnt lgkmcnt(0)
"""


def run(
    machine: Machine, body: str, count: int, *, grid: int = 1, block: int = 32, frame: Frame = SMALL_FRAME
) -> np.ndarray:
    """s[10:11] points to ``count`` zero words, v0 is the work-item, v1 four times that. Gives the words afterwards."""
    kernel = machine.build(INDEX + body, frame)
    result = machine.buffer(np.zeros(count, np.uint32))
    machine.launch(kernel, result, grid=grid, block=block)
    after = machine.emulator.read_array(result, np.uint32, count)
    machine.emulator.free(result)
    return after


def test_divergent_loop(machine: Machine) -> None:
    body = """
    v_mov_b32 v2, 0
    v_mov_b32 v3, v0
    s_mov_b32 s6, exec_lo
    .Lloop:
    v_cmpx_ne_u32 0, v3
    s_cbranch_execz .Ldone
    v_add_nc_u32 v2, v2, v3
    v_subrev_nc_u32 v3, 1, v3
    s_branch .Lloop
    .Ldone:
    s_mov_b32 exec_lo, s6
    global_store_b32 v1, v2, s[10:11]
    """
    assert run(machine, body, 32).tolist() == [n * (n + 1) // 2 for n in range(32)]


def test_saveexec_nests(machine: Machine) -> None:
    body = """
    v_mov_b32 v2, 0
    v_cmp_gt_u32 vcc_lo, 16, v0
    s_and_saveexec_b32 s6, vcc_lo
    v_add_nc_u32 v2, 1, v2
    v_and_b32 v3, 1, v0
    v_cmp_eq_u32 vcc_lo, 1, v3
    s_and_saveexec_b32 s7, vcc_lo
    v_add_nc_u32 v2, 10, v2
    s_xor_b32 exec_lo, exec_lo, s7
    v_add_nc_u32 v2, 100, v2
    s_or_b32 exec_lo, exec_lo, s7
    s_and_not1_saveexec_b32 s8, s6
    s_mov_b32 exec_lo, s6
    global_store_b32 v1, v2, s[10:11]
    """
    assert run(machine, body, 32).tolist() == [(11 if n % 2 else 101) if n < 16 else 0 for n in range(32)]


@pytest.mark.parametrize(
    ("setup", "branch", "taken"),
    [
        ("s_cmp_eq_u32 s4, s4", "s_cbranch_scc1", True),
        ("s_cmp_eq_u32 s4, s4", "s_cbranch_scc0", False),
        ("s_mov_b32 vcc_lo, 0", "s_cbranch_vccz", True),
        ("s_mov_b32 vcc_lo, 4", "s_cbranch_vccnz", True),
        ("s_mov_b32 vcc_lo, 4", "s_cbranch_vccz", False),
        ("s_nop 0", "s_cbranch_execz", False),
        ("s_nop 0", "s_cbranch_execnz", True),
    ],
)
def test_branches(machine: Machine, setup: str, branch: str, taken: bool) -> None:
    body = f"{setup}\nv_mov_b32 v2, 1\n{branch} .Lto\nv_mov_b32 v2, 2\n.Lto:\nglobal_store_b32 v1, v2, s[10:11]"
    assert (run(machine, body, 32) == (1 if taken else 2)).all()


def test_calls_and_computed_jumps(machine: Machine) -> None:
    body = """
    v_mov_b32 v2, 0
    s_getpc_b64 s[12:13]
    .Lhere:
    s_add_u32 s12, s12, .Lfunction-.Lhere
    s_addc_u32 s13, s13, 0
    s_swappc_b64 s[30:31], s[12:13]
    s_swappc_b64 s[30:31], s[12:13]
    s_call_b64 s[30:31], .Lfunction
    global_store_b32 v1, v2, s[10:11]
    s_endpgm
    .Lfunction:
    v_add_nc_u32 v2, 7, v2
    s_setpc_b64 s[30:31]
    """
    assert (run(machine, body, 32) == 21).all()


def test_barrier_orders_lds(machine: Machine) -> None:
    body = """
    s_movk_i32 s7, 0x3fc
    ds_store_b32 v1, v0
    s_waitcnt lgkmcnt(0)
    s_barrier
    v_sub_nc_u32 v3, s7, v1
    ds_load_b32 v2, v3
    s_waitcnt lgkmcnt(0)
    s_barrier
    ds_store_b32 v1, v2
    s_waitcnt lgkmcnt(0)
    s_barrier
    ds_load_b32 v4, v3
    s_waitcnt lgkmcnt(0)
    v_lshl_add_u32 v4, v2, 16, v4
    global_store_b32 v1, v4, s[10:11]
    """
    got = run(machine, body, 256, block=256, frame=Frame(kernarg=8, lds=1024))
    assert got.tolist() == [(255 - n) << 16 | n for n in range(256)]


def test_ended_waves_do_not_hold_a_barrier(machine: Machine) -> None:
    body = """
    v_cmp_gt_u32 vcc_lo, 64, v0
    s_cbranch_vccnz .Lout
    s_barrier
    v_mov_b32 v2, 1
    global_store_b32 v1, v2, s[10:11]
    .Lout:
    """
    got = run(machine, body, 128, block=128)
    assert got.tolist() == [0] * 64 + [1] * 64


SPIN = """
v_mov_b32 v2, 0
v_mov_b32 v3, 1
{who}
s_cbranch_scc1 .Lwait
global_store_b32 v2, v3, s[10:11]
s_endpgm
.Lwait:
{pause}
global_load_b32 v4, v2, s[10:11] glc dlc
s_waitcnt vmcnt(0)
v_readfirstlane_b32 s7, v4
s_cmp_eq_u32 s7, 0
s_cbranch_scc1 .Lwait
global_store_b32 v1, v3, s[10:11] offset:4
"""


@pytest.mark.parametrize("pause", ["s_sleep 1", "s_nop 0"])
def test_waves_that_wait_for_later_waves_make_progress(machine: Machine, pause: str) -> None:
    """The first wave spins until the last one writes."""
    who = "v_readfirstlane_b32 s6, v0\ns_cmp_eq_u32 s6, 0"
    got = run(machine, SPIN.format(who=who, pause=pause), 33, block=64)
    assert got[0] == 1 and (got[1:] == 1).all()


def test_workgroups_that_wait_for_later_workgroups_make_progress(machine: Machine) -> None:
    got = run(machine, SPIN.format(who="s_cmp_lg_u32 s2, 63", pause="s_sleep 1"), 33, grid=64)
    assert got[0] == 1 and (got[1:] == 1).all()


def test_results_are_the_same_every_time(machine: Machine) -> None:
    body = """
    v_mov_b32 v2, 0
    v_mov_b32 v3, s2
    global_atomic_swap_b32 v4, v2, v3, s[10:11] glc
    s_waitcnt vmcnt(0)
    s_lshl_b32 s6, s2, 2
    v_mov_b32 v5, s6
    global_store_b32 v5, v4, s[10:11] offset:4
    """
    first = run(machine, body, 65, grid=64)
    assert (first == run(machine, body, 65, grid=64)).all()


def test_workgroup_and_work_item_ids(machine: Machine) -> None:
    body = """
    s_load_b64 s[10:11], s[0:1], 0
    v_and_b32 v1, 0x3ff, v0
    v_bfe_u32 v2, v0, 10, 10
    v_bfe_u32 v3, v0, 20, 10
    v_mad_u32_u24 v4, v3, 3, v2
    v_mad_u32_u24 v4, v4, 5, v1
    s_mul_i32 s6, s4, 3
    s_add_u32 s6, s6, s3
    s_mul_i32 s6, s6, 2
    s_add_u32 s6, s6, s2
    s_mulk_i32 s6, 30
    v_add_nc_u32 v5, s6, v4
    v_lshlrev_b32 v6, 2, v5
    s_waitcnt lgkmcnt(0)
    global_store_b32 v6, v0, s[10:11]
    """
    kernel = machine.build(body, Frame(kernarg=8))
    count = 2 * 3 * 2 * 30
    result = machine.buffer(np.zeros(count, np.uint32))
    machine.emulator.launch(kernel, (2, 3, 2), (5, 3, 2), struct.pack("<Q", result))
    got = machine.emulator.read_array(result, np.uint32, count).reshape(12, 30)
    want = [x | y << 10 | z << 20 for z in range(2) for y in range(3) for x in range(5)]
    assert (got == np.array(want, np.uint32)).all()


HIDDEN = {
    **{f"block_count_{axis}": 4 for axis in "xyz"},
    **{f"group_size_{axis}": 2 for axis in "xyz"},
    "remainder_x": 2,
    "grid_dims": 2,
    "dynamic_lds_size": 4,
    "global_offset_x": 8,
    "shared_base": 4,
}


def test_hidden_arguments(machine: Machine) -> None:
    offset, entries, places = 8, [], []
    for name, size in HIDDEN.items():
        offset = (offset + size - 1) // size * size
        entries.append(f"      - {{.offset: {offset}, .size: {size}, .value_kind: hidden_{name}}}\n")
        places.append((offset, size))
        offset += size
    body = """
    s_load_b64 s[10:11], s[0:1], 0
    v_lshlrev_b32 v1, 2, v0
    v_and_b32 v1, 0xff, v1
    global_load_b32 v2, v1, s[0:1]
    s_waitcnt vmcnt(0) lgkmcnt(0)
    global_store_b32 v1, v2, s[10:11]
    """
    text = kernel_text(body, Frame(kernarg=128))
    text = text.replace(
        "        .size: 128\n        .value_kind: by_value\n",
        "        .size: 8\n        .value_kind: global_buffer\n" + "".join(entries),
    )
    kernel = machine.emulator.load(assemble.assemble(text, GFX1100, form="asm")).kernels["k"]
    assert [a.hidden for a in kernel.arguments] == [False] + [True] * len(HIDDEN)
    result = machine.buffer(np.zeros(32, np.uint32))
    machine.emulator.launch(kernel, (3, 2, 1), (32, 2, 1), struct.pack("<Q", result), dynamic_lds=100)
    raw = machine.emulator.read(result, 128)
    got = [int.from_bytes(raw[o : o + n], "little") for o, n in places]
    assert got == [3, 2, 1, 32, 2, 1, 0, 2, 100, 0, 0x10000]


def test_mode_registers_and_clock(machine: Machine) -> None:
    body = """
    s_getreg_b32 s6, hwreg(HW_REG_MODE, 0, 8)
    s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), 0
    s_movk_i32 s7, 2
    s_setreg_b32 hwreg(HW_REG_MODE, 2, 2), s7
    s_getreg_b32 s8, hwreg(HW_REG_MODE, 0, 8)
    s_getreg_b32 s12, hwreg(HW_REG_SHADER_CYCLES, 0, 20)
    s_getreg_b32 s13, hwreg(HW_REG_SHADER_CYCLES, 0, 20)
    s_sub_u32 s14, s13, s12
    v_mov_b32 v2, 0
    v_mov_b32 v8, s6
    v_mov_b32 v9, s8
    v_mov_b32 v10, s14
    global_store_b96 v2, v[8:10], s[10:11]
    """
    mode, changed, cycles = run(machine, body, 3).tolist()
    assert mode == 0xF0 and changed == 0x08 and 0 < cycles < 1 << 19


def test_global_variables_and_relocations(machine: Machine) -> None:
    ir = """
target triple = "amdgcn-amd-amdhsa"
@table = protected addrspace(1) externally_initialized global [4 x i32] [i32 1, i32 2, i32 3, i32 4]
@pointer = protected addrspace(1) externally_initialized global ptr addrspace(1)
  getelementptr (i8, ptr addrspace(1) @table, i64 8)
define amdgpu_kernel void @k(ptr addrspace(1) %out) {
  %p = load ptr addrspace(1), ptr addrspace(1) @pointer
  %v = load i32, ptr addrspace(1) %p
  store i32 %v, ptr addrspace(1) %out
  ret void
}
"""
    module = machine.emulator.load(assemble.assemble(ir, GFX1100))
    address, size = machine.emulator.global_variable(module, "table") or (0, 0)
    assert size == 16 and machine.emulator.read_array(address, np.uint32, 4).tolist() == [1, 2, 3, 4]
    machine.emulator.write(address, np.array([9, 8, 7, 6], np.uint32))
    result = machine.buffer(np.zeros(1, np.uint32))
    machine.emulator.launch(module.kernels["k"], (1, 1, 1), (1, 1, 1), struct.pack("<Q", result))
    assert machine.emulator.read_array(result, np.uint32, 1)[0] == 7
    assert machine.emulator.global_variable(module, "absent") is None


def test_scalar_float_is_for_gfx1150(machine: Machine, other_machine: Callable[[str], Machine]) -> None:
    newer = other_machine("gfx1150")
    body = INDEX + "s_mov_b32 s6, 2.0\ns_fmac_f32 s6, s6, s6\nv_mov_b32 v2, s6\nglobal_store_b32 v1, v2, s[10:11]"
    kernel = newer.build(body, Frame(kernarg=8))
    result = newer.buffer(np.zeros(32, np.float32))
    newer.launch(kernel, result)
    assert (newer.emulator.read_array(result, np.float32, 32) == 6).all()
    with pytest.raises(CasscError, match="made for gfx1150"):
        machine.emulator.load(
            assemble.assemble(kernel_text("s_nop 0").replace("gfx1100", "gfx1150"), newer.target, form="asm")
        )
    with pytest.raises(EmulatorFault, match="gfx1150"):  # the same word on the older processor
        machine.launch(machine.build(".long 0xa3860606"))


@pytest.mark.parametrize(
    ("grid", "block", "lds", "size", "words"),
    [
        ((0, 1, 1), (32, 1, 1), 0, 64, "empty"),
        ((1, 1, 1), (32, 0, 1), 0, 64, "empty"),
        ((1, 1, 1), (1024, 2, 1), 0, 64, "2048 work-items"),
        ((1, 1, 1), (512, 1, 1), 0, 64, "at most 256"),
        ((1, 1, 1), (32, 1, 1), 65537, 64, "LDS"),
        ((1, 1, 1), (32, 1, 1), 0, 8, "64 bytes of arguments, got 8"),
    ],
)
def test_impossible_launches_are_refused(
    machine: Machine, grid: tuple[int, int, int], block: tuple[int, int, int], lds: int, size: int, words: str
) -> None:
    kernel = machine.build("s_nop 0", Frame(block=256))
    with pytest.raises(CasscError, match=words):
        machine.emulator.launch(kernel, grid, block, bytes(size), dynamic_lds=lds)


def test_instructions_are_counted(machine: Machine) -> None:
    kernel = machine.build("s_nop 0\ns_nop 0\ns_nop 0")
    before = machine.emulator.instruction_count()
    machine.launch(kernel, grid=5, block=64)
    assert machine.emulator.instruction_count() - before == 5 * 2 * 4
