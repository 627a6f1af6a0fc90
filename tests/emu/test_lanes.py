"""Movement between lanes: DPP, permlane, readlane, LDS-free DS permutations."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tests.emu.conftest import Machine

LANE = np.arange(32, dtype=np.uint32)
DATA = LANE * np.uint32(0x01010101) + np.uint32(7)

# control -> source lane, or None outside the row
CONTROLS: dict[str, Callable[[int], int | None]] = {
    "quad_perm:[3,1,0,2]": lambda n: n & ~3 | (3, 1, 0, 2)[n & 3],
    "row_shl:3": lambda n: n + 3 if n % 16 + 3 < 16 else None,
    "row_shr:1": lambda n: n - 1 if n % 16 >= 1 else None,
    "row_shr:15": lambda n: n - 15 if n % 16 >= 15 else None,
    "row_ror:5": lambda n: n & 16 | (n - 5) % 16,
    "row_mirror": lambda n: n & 16 | 15 - n % 16,
    "row_half_mirror": lambda n: n & 24 | 7 - n % 8,
    "row_share:6": lambda n: n & 16 | 6,
    "row_xmask:9": lambda n: n ^ 9,
}


@pytest.mark.parametrize("control", CONTROLS)
@pytest.mark.parametrize("bound", [False, True])
def test_dpp16(machine: Machine, control: str, bound: bool) -> None:
    body = f"v_mov_b32 v40, -1\ns_nop 1\nv_mov_b32_dpp v40, v10 {control} row_mask:0xf bank_mask:0xf" + (
        " bound_ctrl:1" if bound else ""
    )
    (got,) = machine.lanes(body, [DATA])
    for lane in range(32):
        source = CONTROLS[control](lane)
        want = int(DATA[source]) if source is not None else 0 if bound else 0xFFFFFFFF
        assert int(got[lane]) == want, lane


def test_dpp16_masks_and_inactive_lanes(machine: Machine) -> None:
    body = """
    v_mov_b32 v40, -1
    v_mov_b32 v41, -1
    v_mov_b32 v42, -1
    v_mov_b32_dpp v40, v10 row_xmask:0 row_mask:0x2 bank_mask:0x5
    s_mov_b32 exec_lo, 0x0000ffff
    s_mov_b32 exec_lo, 0xfffffff0
    v_mov_b32_dpp v41, v10 row_xmask:4 row_mask:0xf bank_mask:0xf bound_ctrl:1
    v_mov_b32_dpp v42, v10 row_xmask:4 row_mask:0xf bank_mask:0xf bound_ctrl:1 fi:1
    s_mov_b32 exec_lo, -1
    """
    masked, closed, open_ = machine.lanes(body, [DATA], 3)
    for lane in range(32):
        written = lane >= 16 and lane // 4 % 4 in (0, 2)
        assert int(masked[lane]) == (int(DATA[lane]) if written else 0xFFFFFFFF)
        active, source = lane >= 4, lane ^ 4
        assert int(open_[lane]) == (int(DATA[source]) if active else 0xFFFFFFFF)
        assert int(closed[lane]) == (0xFFFFFFFF if not active else int(DATA[source]) if source >= 4 else 0)


def test_dpp_on_arithmetic_with_modifiers(machine: Machine) -> None:
    x = (LANE.astype(np.float32) - 9).view(np.uint32)
    (got, flags) = machine.lanes(
        "v_add_f32_dpp v40, -|v10|, v11 row_share:2 row_mask:0xf bank_mask:0xf\n"
        "v_cmp_lt_f32_dpp vcc_lo, v10, v11 row_share:2 row_mask:0xf bank_mask:0xf\nv_cndmask_b32_e64 v41, 0, 1, vcc_lo",
        [x, x],
        2,
    )
    f = x.view(np.float32)
    shared = f[LANE & 16 | 2]
    assert (got.view(np.float32) == f - np.abs(shared)).all()
    assert (flags == (shared < f)).all()


def test_dpp8(machine: Machine) -> None:
    (got,) = machine.lanes("v_mov_b32_dpp v40, v10 dpp8:[7,6,5,4,3,2,1,0]", [DATA])
    assert (got == DATA[LANE ^ 7]).all()


def test_permlane16(machine: Machine) -> None:
    body = """
    s_mov_b32 s10, 0x76543210
    s_mov_b32 s11, 0x89abcdef
    v_mov_b32 v41, v10
    v_permlane16_b32 v40, v10, s10, s11
    v_permlanex16_b32 v41, v10, s11, s10
    """
    same, other = machine.lanes(body, [DATA], 2)
    low, high = [*range(8), 15, 14, 13, 12, 11, 10, 9, 8], [15, 14, 13, 12, 11, 10, 9, 8, *range(8)]
    assert same.tolist() == [int(DATA[n & 16 | low[n & 15]]) for n in range(32)]
    assert other.tolist() == [int(DATA[(n & 16) ^ 16 | high[n & 15]]) for n in range(32)]


def test_readlane_writelane(machine: Machine) -> None:
    body = """
    s_mov_b32 s10, 37
    v_readlane_b32 s11, v10, 13
    v_readlane_b32 s12, v10, s10
    v_mov_b32 v40, s11
    v_mov_b32 v41, s12
    v_mov_b32 v42, v10
    v_writelane_b32 v42, s10, 3
    s_mov_b32 exec_lo, 0xff00
    v_readfirstlane_b32 s13, v10
    s_mov_b32 exec_lo, -1
    v_mov_b32 v43, s13
    """
    first, second, written, leader = machine.lanes(body, [DATA], 4)
    assert int(first[0]) == DATA[13] and int(second[0]) == DATA[5] and int(leader[0]) == DATA[8]
    want = DATA.copy()
    want[3] = 37
    assert (written == want).all()


def test_mbcnt_counts_lanes_below(machine: Machine) -> None:
    (got,) = machine.lanes("v_mbcnt_lo_u32_b32 v40, 0xf0f0f0f1, 0\nv_mbcnt_hi_u32_b32 v40, -1, v40", [DATA])
    assert got.tolist() == [(0xF0F0F0F1 & (1 << n) - 1).bit_count() for n in range(32)]


def test_ds_permutations(machine: Machine) -> None:
    index = ((LANE * np.uint32(5) + np.uint32(3)) & np.uint32(31)) * np.uint32(4)
    body = """
    ds_bpermute_b32 v40, v11, v10
    ds_permute_b32 v41, v11, v10
    ds_swizzle_b32 v42, v10 offset:swizzle(BITMASK_PERM, "0p1i0")
    ds_swizzle_b32 v43, v10 offset:swizzle(QUAD_PERM, 1, 3, 0, 2)
    ds_swizzle_b32 v44, v10 offset:swizzle(BROADCAST, 8, 3)
    s_mov_b32 exec_lo, 0x0000ffff
    ds_bpermute_b32 v45, v11, v10
    s_mov_b32 exec_lo, -1
    s_waitcnt lgkmcnt(0)
    """
    gather, scatter, masked, quad, broadcast, half = machine.lanes(body, [DATA, index], 6)
    source = index // 4
    assert (gather == DATA[source]).all()
    want = np.zeros(32, np.uint32)
    want[source] = DATA
    assert (scatter == want).all()
    # "0p1i0": bit 4 clear, bit 3 kept, bit 2 set, bit 1 inverted, bit 0 clear
    assert masked.tolist() == [int(DATA[n & 8 | 4 | (~n & 2)]) for n in range(32)]
    assert quad.tolist() == [int(DATA[n & ~3 | (1, 3, 0, 2)[n & 3]]) for n in range(32)]
    assert broadcast.tolist() == [int(DATA[n & ~7 | 3]) for n in range(32)]
    assert half.tolist() == [int(DATA[source[n]]) if n < 16 and source[n] < 16 else 0 for n in range(32)]


def test_wmma_f32_f16(machine: Machine) -> None:
    rng = np.random.default_rng(1)
    a, b = (rng.integers(-4, 5, (16, 16)).astype(np.float16) for _ in range(2))
    # Lane n holds row n % 16 of A and column n % 16 of B, two elements to a register.
    rows = np.tile(a.view(np.uint32), (2, 1))
    columns = np.tile(np.ascontiguousarray(b.T).view(np.uint32), (2, 1))
    inputs = [np.ascontiguousarray(rows[:, i]) for i in range(8)] + [
        np.ascontiguousarray(columns[:, i]) for i in range(8)
    ]
    body = "v_wmma_f32_16x16x16_f16 v[40:47], v[10:17], v[18:25], 1.0"
    got = machine.lanes(body, inputs, 8)
    want = a.astype(np.float32) @ b.astype(np.float32) + 1
    for i in range(8):
        for lane in range(32):
            assert got[i].view(np.float32)[lane] == want[2 * i + lane // 16, lane % 16]


def test_wmma_i32_iu8(machine: Machine) -> None:
    rng = np.random.default_rng(2)
    a, b = (rng.integers(-128, 128, (16, 16)).astype(np.int8) for _ in range(2))
    rows, columns = np.tile(a.view(np.uint32), (2, 1)), np.tile(np.ascontiguousarray(b.T).view(np.uint32), (2, 1))
    inputs = [np.ascontiguousarray(m[:, i]) for m in (rows, columns) for i in range(4)]
    got = machine.lanes("v_wmma_i32_16x16x16_iu8 v[40:47], v[10:13], v[14:17], 0 neg_lo:[1,1,0]", inputs, 8)
    want = a.astype(np.int32) @ b.astype(np.int32)
    for i in range(8):
        assert (got[i].view(np.int32).reshape(2, 16) == want[2 * i : 2 * i + 2]).all()
