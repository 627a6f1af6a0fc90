"""Loads, stores and atomics in every address space."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tests.emu.conftest import Frame, Machine

LANE = np.arange(32, dtype=np.uint32)
TWO_POINTERS = Frame(kernarg=16)
HEAD = "v_and_b32 v0, 0x3ff, v0\ns_load_b128 s[8:11], s[0:1], 0\nv_lshlrev_b32 v1, 2, v0\ns_waitcnt lgkmcnt(0)\n"


def run(machine: Machine, body: str, source: np.ndarray, result: np.ndarray, frame: Frame = TWO_POINTERS) -> np.ndarray:
    """s[8:9] points to source, s[10:11] to result, v0 is the lane, v1 four times that. Gives result afterwards."""
    kernel = machine.build(HEAD + body, frame)
    a, b = machine.buffer(source), machine.buffer(result)
    machine.launch(kernel, a, b)
    after = machine.emulator.read_array(b, result.dtype, result.size)
    machine.emulator.free(a)
    machine.emulator.free(b)
    return after


WIDTHS = {"b32": 1, "b64": 2, "b96": 3, "b128": 4}


@pytest.mark.parametrize("space", ["global", "global-saddr", "flat", "lds", "scratch", "buffer"])
@pytest.mark.parametrize("width", WIDTHS)
def test_widths_go_through_every_space(machine: Machine, space: str, width: str) -> None:
    count = WIDTHS[width]
    data = np.random.default_rng(count).integers(0, 1 << 32, 32 * count, dtype=np.uint64).astype(np.uint32)
    reg = "v8" if count == 1 else f"v[8:{7 + count}]"
    load = f"v_mul_u32_u24 v2, {4 * count}, v0\nglobal_load_{width} {reg}, v2, s[8:9]\ns_waitcnt vmcnt(0)\n"
    wipe = "\n".join(f"v_mov_b32 v{8 + i}, 0" for i in range(count)) + "\n"
    middle = {
        "global": "v_add_co_u32 v4, vcc_lo, s10, v2\nv_add_co_ci_u32_e64 v5, null, s11, 0, vcc_lo\n"
        f"global_store_{width} v[4:5], {reg}, off\n{wipe}global_load_{width} {reg}, v[4:5], off\n",
        "global-saddr": f"global_store_{width} v2, {reg}, s[10:11]\n{wipe}global_load_{width} {reg}, v2, s[10:11]\n",
        "flat": "v_add_co_u32 v4, vcc_lo, s10, v2\nv_add_co_ci_u32_e64 v5, null, s11, 0, vcc_lo\n"
        f"flat_store_{width} v[4:5], {reg}\n{wipe}flat_load_{width} {reg}, v[4:5]\n",
        "lds": f"ds_store_{width} v2, {reg} offset:16\n{wipe}ds_load_{width} {reg}, v2 offset:16\n",
        "scratch": f"scratch_store_{width} off, {reg}, off offset:32\n{wipe}s_mov_b32 s6, 16\n"
        f"scratch_load_{width} {reg}, off, s6 offset:16\n",
        "buffer": "s_mov_b32 s12, s10\ns_and_b32 s13, s11, 0xffff\ns_movk_i32 s14, 0x200\ns_mov_b32 s15, 0\n"
        f"buffer_store_{width} {reg}, v2, s[12:15], 0 offen\n{wipe}buffer_load_{width} {reg}, v2, s[12:15], 0 offen\n",
    }[space]  # fmt: skip
    body = load + middle + f"s_waitcnt vmcnt(0) lgkmcnt(0)\nglobal_store_{width} v2, {reg}, s[10:11]"
    got = run(machine, body, data, np.zeros(32 * count, np.uint32), Frame(kernarg=16, lds=1024, scratch=64))
    assert (got == data).all()


SMALL: dict[str, Callable[[int, int], int]] = {
    "u8": lambda x, old: x & 255,
    "i8": lambda x, old: ((x & 255) ^ 128) - 128,
    "u16": lambda x, old: x & 65535,
    "i16": lambda x, old: ((x & 65535) ^ 32768) - 32768,
    "d16_u8": lambda x, old: old & 0xFFFF0000 | x & 255,
    "d16_i8": lambda x, old: old & 0xFFFF0000 | (((x & 255) ^ 128) - 128) & 0xFFFF,
    "d16_b16": lambda x, old: old & 0xFFFF0000 | x & 65535,
    "d16_hi_u8": lambda x, old: old & 0xFFFF | (x & 255) << 16,
    "d16_hi_i8": lambda x, old: old & 0xFFFF | ((((x & 255) ^ 128) - 128) & 0xFFFF) << 16,
    "d16_hi_b16": lambda x, old: old & 0xFFFF | (x & 65535) << 16,
}


@pytest.mark.parametrize("kind", SMALL)
def test_small_loads_extend_or_keep_the_other_half(machine: Machine, kind: str) -> None:
    data = np.random.default_rng(9).integers(0, 1 << 32, 32, dtype=np.uint64).astype(np.uint32)
    ds_kind = {"d16_b16": "u16_d16", "d16_hi_b16": "u16_d16_hi"}.get(kind, kind)
    if kind.startswith("d16") and kind in ("d16_u8", "d16_i8", "d16_hi_u8", "d16_hi_i8"):
        ds_kind = f"{kind[-2:]}_d16" + ("_hi" if "hi" in kind else "")
    body = f"""
    v_mov_b32 v8, 0x12345678
    v_mov_b32 v9, 0x12345678
    global_load_{kind} v8, v1, s[8:9] offset:1
    global_load_b32 v10, v1, s[8:9]
    s_waitcnt vmcnt(0)
    ds_store_b32 v1, v10
    ds_load_{ds_kind} v9, v1 offset:1
    s_waitcnt lgkmcnt(0)
    global_store_b32 v1, v8, s[10:11]
    global_store_b32 v1, v9, s[10:11] offset:128
    """
    got = run(machine, body, data, np.zeros(64, np.uint32), Frame(kernarg=16, lds=256))
    want = [SMALL[kind](int(x) >> 8, 0x12345678) & 0xFFFFFFFF for x in data]
    assert got[:32].tolist() == want and got[32:].tolist() == want


def test_small_stores(machine: Machine) -> None:
    data = np.full(32, 0xAABBCCDD, np.uint32)
    body = """
    global_load_b32 v8, v1, s[8:9]
    s_waitcnt vmcnt(0)
    global_store_b8 v1, v8, s[10:11]
    global_store_d16_hi_b8 v1, v8, s[10:11] offset:1
    global_store_b16 v1, v8, s[10:11] offset:128
    global_store_d16_hi_b16 v1, v8, s[10:11] offset:130
    """
    got = run(machine, body, data, np.zeros(64, np.uint32))
    assert (got[:32] == 0x0000BBDD).all() and (got[32:] == 0xAABBCCDD).all()


def test_inactive_lanes_neither_load_nor_store(machine: Machine) -> None:
    body = """
    v_mov_b32 v8, 5
    s_mov_b32 exec_lo, 0x55555555
    global_load_b32 v8, v1, s[8:9]
    s_waitcnt vmcnt(0)
    s_mov_b32 exec_lo, 0x0000ffff
    global_store_b32 v1, v8, s[10:11]
    """
    got = run(machine, body, LANE + np.uint32(100), np.zeros(32, np.uint32))
    assert got.tolist() == [0 if n >= 16 else n + 100 if n % 2 == 0 else 5 for n in range(32)]


ATOMICS: dict[str, Callable[[int, int], int]] = {
    "add_u32": lambda old, a: old + a,
    "sub_u32": lambda old, a: old - a,
    "min_u32": min,
    "max_i32": lambda old, a: max(old - (old >> 31 << 32), a - (a >> 31 << 32)),
    "and_b32": lambda old, a: old & a,
    "or_b32": lambda old, a: old | a,
    "xor_b32": lambda old, a: old ^ a,
    "inc_u32": lambda old, a: 0 if old >= a else old + 1,
    "dec_u32": lambda old, a: a if old == 0 or old > a else old - 1,
    "swap_b32": lambda old, a: a,
}


@pytest.mark.parametrize("name", ATOMICS)
def test_atomics_run_lane_after_lane(machine: Machine, name: str) -> None:
    data = np.random.default_rng(4).integers(0, 1 << 32, 32, dtype=np.uint64).astype(np.uint32)
    if name[:3] in ("inc", "dec"):
        data %= np.uint32(7)
    ds = "storexchg_rtn_b32" if name == "swap_b32" else name.replace("_", "_rtn_", 1)
    body = f"""
    v_mov_b32 v2, 0
    v_mov_b32 v3, 3
    global_load_b32 v8, v1, s[8:9]
    s_waitcnt vmcnt(0)
    global_atomic_{name} v9, v2, v8, s[10:11] glc
    ds_store_b32 v2, v3
    ds_{ds} v10, v2, v8
    s_waitcnt vmcnt(0) lgkmcnt(0)
    ds_load_b32 v11, v2
    s_waitcnt lgkmcnt(0)
    global_store_b32 v1, v9, s[10:11] offset:128
    global_store_b32 v1, v10, s[10:11] offset:256
    global_store_b32 v1, v11, s[10:11] offset:384
    """
    result = np.zeros(128, np.uint32)
    result[0] = 3
    got = run(machine, body, data, result, Frame(kernarg=16, lds=64))
    old, returned = 3, []
    for a in data.tolist():
        returned.append(old)
        old = ATOMICS[name](old, a) & 0xFFFFFFFF
    assert int(got[0]) == old and got[32:64].tolist() == returned
    assert got[64:96].tolist() == returned and (got[96:] == old).all()


def test_64_bit_and_compare_atomics(machine: Machine) -> None:
    body = """
    v_mov_b32 v2, 0
    v_mov_b32 v8, v0
    v_mov_b32 v9, 1
    global_atomic_add_u64 v2, v[8:9], s[10:11]
    v_add_nc_u32 v12, 1, v0
    v_mov_b32 v13, v0
    global_atomic_cmpswap_b32 v2, v[12:13], s[10:11] offset:8
    v_mov_b32 v14, v0
    v_mov_b32 v15, 7
    v_mov_b32 v12, v0
    v_mov_b32 v13, 7
    v_add_nc_u32 v12, 1, v12
    global_atomic_cmpswap_b64 v[16:17], v2, v[12:15], s[10:11] offset:16 glc
    s_waitcnt vmcnt(0)
    v_lshlrev_b32 v3, 3, v0
    global_store_b64 v3, v[16:17], s[10:11] offset:32
    """
    result = np.zeros(4 + 32, np.uint64)
    result[2] = 7 << 32
    got = run(machine, body, LANE, result)
    assert int(got[0]) == sum(n + (1 << 32) for n in range(32))
    assert int(got[1]) == 32
    assert int(got[2]) == 32 | 7 << 32
    assert got[4:].tolist() == [n | 7 << 32 for n in range(32)]


def test_float_atomics(machine: Machine) -> None:
    data = np.random.default_rng(5).normal(size=32).astype(np.float32)
    body = """
    v_mov_b32 v2, 0
    global_load_b32 v8, v1, s[8:9]
    s_waitcnt vmcnt(0)
    global_atomic_add_f32 v2, v8, s[10:11]
    global_atomic_min_f32 v2, v8, s[10:11] offset:4
    global_atomic_max_f32 v2, v8, s[10:11] offset:8
    """
    got = run(machine, body, data, np.zeros(3, np.float32))
    total = np.float32(0)
    for x in data:
        total += x
    assert got.tolist() == [total, min(0, data.min()), max(0, data.max())]


def test_two_address_ds(machine: Machine) -> None:
    body = """
    v_lshlrev_b32 v2, 3, v0
    v_add_nc_u32 v8, 100, v0
    v_add_nc_u32 v9, 200, v0
    ds_store_2addr_b32 v2, v8, v9 offset0:0 offset1:1
    ds_store_2addr_stride64_b32 v1, v8, v9 offset0:4 offset1:5
    ds_load_2addr_b32 v[10:11], v2 offset0:1 offset1:0
    ds_load_2addr_stride64_b32 v[12:13], v1 offset0:5 offset1:4
    ds_storexchg_2addr_rtn_b32 v[14:15], v2, v9, v8 offset0:0 offset1:1
    s_waitcnt lgkmcnt(0)
    v_lshlrev_b32 v3, 3, v0
    global_store_b64 v3, v[10:11], s[10:11]
    global_store_b64 v3, v[12:13], s[10:11] offset:256
    global_store_b64 v3, v[14:15], s[10:11] offset:512
    """
    got = run(machine, body, LANE, np.zeros(192, np.uint32), Frame(kernarg=16, lds=2048)).reshape(3, 32, 2)
    high, low = LANE + np.uint32(200), LANE + np.uint32(100)
    assert (got[0] == np.stack([high, low], 1)).all() and (got[1] == np.stack([high, low], 1)).all()
    assert (got[2] == np.stack([low, high], 1)).all()


def test_flat_apertures_lead_to_lds_and_scratch(machine: Machine) -> None:
    body = """
    s_mov_b64 s[12:13], src_shared_base
    s_mov_b64 s[14:15], src_private_base
    v_mov_b32 v4, v1
    v_mov_b32 v5, s13
    v_mov_b32 v6, 8
    v_mov_b32 v7, s15
    v_add_nc_u32 v8, 10, v0
    v_add_nc_u32 v9, 20, v0
    flat_store_b32 v[4:5], v8
    flat_store_b32 v[6:7], v9
    s_waitcnt vmcnt(0) lgkmcnt(0)
    ds_load_b32 v10, v1
    scratch_load_b32 v11, off, off offset:8
    s_waitcnt vmcnt(0) lgkmcnt(0)
    global_store_b32 v1, v10, s[10:11]
    global_store_b32 v1, v11, s[10:11] offset:128
    """
    got = run(machine, body, LANE, np.zeros(64, np.uint32), Frame(kernarg=16, lds=128, scratch=16))
    assert (got[:32] == LANE + np.uint32(10)).all() and (got[32:] == LANE + np.uint32(20)).all()


def test_buffers_drop_what_is_outside(machine: Machine) -> None:
    body = """
    s_mov_b32 s12, s10
    s_and_b32 s13, s11, 0xffff
    s_or_b32 s13, s13, 0x80000
    s_mov_b32 s14, 10
    s_mov_b32 s15, 0
    v_add_nc_u32 v8, 1, v0
    buffer_store_b32 v8, v0, s[12:15], 0 idxen offset:4
    v_mov_b32 v9, -1
    buffer_load_b32 v9, v0, s[12:15], 0 idxen offset:4
    s_waitcnt vmcnt(0)
    global_store_b32 v1, v9, s[10:11] offset:256
    """
    got = run(machine, body, LANE, np.zeros(96, np.uint32))
    assert got[:64].tolist() == [n // 2 + 1 if n % 2 and n < 20 else 0 for n in range(64)]
    assert got[64:].tolist() == [n + 1 if n < 10 else 0 for n in range(32)]


def test_scalar_loads(machine: Machine) -> None:
    data = np.arange(100, 164, dtype=np.uint32)
    body = """
    s_load_b512 s[16:31], s[8:9], 0x40
    s_mov_b32 s6, 8
    s_load_b32 s7, s[8:9], s6 offset:0x4
    s_mov_b32 s12, s8
    s_and_b32 s13, s9, 0xffff
    s_movk_i32 s14, 12
    s_mov_b32 s15, 0
    s_buffer_load_b128 s[32:35], s[12:15], 0x4
    s_waitcnt lgkmcnt(0)
    v_mov_b32 v2, 0
    v_mov_b32 v8, s16
    v_mov_b32 v9, s31
    v_mov_b32 v10, s7
    v_mov_b32 v11, s33
    v_mov_b32 v12, s34
    global_store_b128 v2, v[8:11], s[10:11]
    global_store_b32 v2, v12, s[10:11] offset:16
    """
    got = run(machine, body, data, np.zeros(8, np.uint32))
    assert got[:5].tolist() == [116, 131, 103, 102, 0]


def test_wide_scalar_load_may_end_past_the_allocation_in_its_block(machine: Machine) -> None:
    body = """
    s_load_b128 s[16:19], s[8:9], 0
    s_waitcnt lgkmcnt(0)
    v_mov_b32 v2, 0
    v_mov_b32 v8, s18
    v_mov_b32 v9, s19
    global_store_b64 v2, v[8:9], s[10:11]
    """
    assert run(machine, body, np.array([1, 2, 3], np.uint32), np.ones(2, np.uint32)).tolist() == [3, 0]


def test_registered_host_memory_is_reachable(machine: Machine) -> None:
    host = np.arange(64, dtype=np.uint32)
    library, device = machine.emulator._library, machine.emulator._device
    register = library.cassc_emu_register_host
    register.argtypes = [*library.cassc_emu_free.argtypes, library.cassc_emu_free.argtypes[1]]
    library.cassc_emu_unregister_host.argtypes = library.cassc_emu_free.argtypes
    assert register(device, host.ctypes.data, host.nbytes) == 0
    assert register(device, host.ctypes.data + 4, 4) == 1  # overlaps
    kernel = machine.build(
        HEAD
        + """
        global_load_b32 v8, v1, s[8:9]
        s_waitcnt vmcnt(0)
        v_add_nc_u32 v8, 1, v8
        global_store_b32 v1, v8, s[8:9] offset:128
        """,
        Frame(kernarg=16),
    )
    machine.launch(kernel, host.ctypes.data, 0)
    assert (host[32:] == np.arange(1, 33)).all()
    assert library.cassc_emu_unregister_host(device, host.ctypes.data) == 0
    assert library.cassc_emu_unregister_host(device, host.ctypes.data) == 1


def test_allocations(machine: Machine) -> None:
    e = machine.emulator
    before, total = e.memory_info()
    blocks = [e.alloc(size) for size in (1, 255, 256, 257, 100000)]
    assert all(b % 256 == 0 for b in blocks) and len(set(blocks)) == 5
    for block, length in zip(blocks, (1, 255, 256, 257, 100000), strict=True):
        e.write(block, bytes(length))
        with pytest.raises(Exception, match="access"):
            e.write(block, bytes(length + 1))
    for block in blocks:
        e.free(block)
    assert e.memory_info() == (before, total)
    with pytest.raises(Exception, match="free"):
        e.free(blocks[0])
    with pytest.raises(Exception, match="allocate"):
        e.alloc(total + 1)
