"""Each number of a profile on a kernel whose counts are worked out by hand, and in each of the three forms."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
import pytest

from cassc.amdgpu.emulator import Emulator
from cassc.driver import journal, profile
from cassc.driver.profile import KernelProfile, Occupancy, Traffic
from tests.emu.conftest import GFX1100, Frame, Machine

# 4 waves in 2 workgroups. Behind each instruction: its class.
BODY = """
v_and_b32 v0, 0x3ff, v0             // valu
v_lshlrev_b32 v1, 2, v0             // valu
v_lshlrev_b32 v2, 7, v0             // valu
v_and_b32 v8, 15, v0                // valu
v_lshlrev_b32 v8, 7, v8             // valu
v_mov_b32 v11, 0x4000               // valu
s_load_b64 s[8:9], s[0:1], 0        // scalar_load
s_waitcnt lgkmcnt(0)                // wait
global_load_b32 v3, v1, s[8:9]      // load: consecutive words
global_load_b32 v4, v2, s[8:9]      // load: a word in each 128 bytes
s_waitcnt vmcnt(0)                  // wait
v_add_f64 v[6:7], v[6:7], v[6:7]    // valu_f64
v_rcp_f32 v5, v3                    // transcendental
v_mov_b32_dpp v5, v3 row_shl:1      // cross_lane
v_wmma_f32_16x16x16_f16 v[40:47], v[16:23], v[24:31], v[40:47] // matrix
ds_store_b32 v1, v3                 // lds: consecutive words
s_waitcnt lgkmcnt(0)                // wait
s_barrier                           // barrier
ds_load_b32 v5, v8                  // lds: 16 words of one bank
v_cmp_gt_u32 vcc_lo, 8, v0          // valu
s_and_saveexec_b32 s11, vcc_lo      // salu
s_cbranch_execz .Lout               // branch: taken by the second wave of each workgroup
v_mov_b32 v9, 1                     // valu: 8 lanes
global_atomic_add_u32 v11, v9, s[8:9]  // atomic: 8 lanes on one word
.Lout:
s_or_b32 exec_lo, exec_lo, s11      // salu
scratch_store_b64 off, v[3:4], off  // scratch
v_lshl_add_u32 v12, v0, 3, 0x2000   // valu
global_store_b64 v12, v[3:4], s[8:9] // store: consecutive pairs
"""  # and s_endpgm: salu
GROUPS, WAVES = 2, 4
FRAME = Frame(kernarg=8, lds=2048, scratch=16, vgprs=96)


@pytest.fixture(scope="module")
def recorded(machine: Machine, tmp_path_factory: pytest.TempPathFactory) -> journal.Journal:
    path = tmp_path_factory.mktemp("profile") / "journal"
    with Emulator(GFX1100, memory_bytes=1 << 26) as emulator:
        emulator.observe(["profile"], path)
        inner = Machine.__new__(Machine)
        inner.target, inner.emulator = GFX1100, emulator
        kernel = inner.build(BODY, FRAME)
        argument = struct.pack("<Q", inner.buffer(np.zeros(8192, np.uint32)))
        for _ in range(2):
            emulator.launch(kernel, (GROUPS, 1, 1), (64, 1, 1), argument)
    return journal.read(path)


@pytest.fixture(scope="module")
def kernel(recorded: journal.Journal) -> KernelProfile:
    (found,) = profile.summarize(recorded)
    return found


LAUNCHES = 2
EACH = LAUNCHES * WAVES  # times that an instruction which all waves reach is executed
FEW = LAUNCHES * GROUPS  # and one that only the first wave of a workgroup reaches


def test_launches_waves_and_instructions_by_class(kernel: KernelProfile) -> None:
    assert (kernel.kernel, kernel.launches, kernel.waves) == ("k", LAUNCHES, EACH)
    wanted = dict.fromkeys(profile.KINDS, 0)
    wanted |= {"valu": 8 * EACH + FEW, "valu_f64": EACH, "transcendental": EACH, "matrix": EACH, "cross_lane": EACH}
    wanted |= {"salu": 3 * EACH, "scalar_load": EACH, "branch": EACH, "barrier": EACH, "wait": 3 * EACH}
    wanted |= {"lds": 2 * EACH, "load": 2 * EACH, "store": EACH, "atomic": FEW, "scratch": EACH}
    assert kernel.instructions == wanted
    assert kernel.total == sum(wanted.values()) and kernel.seconds > 0


def test_divergence(kernel: KernelProfile) -> None:
    assert (kernel.branches, kernel.taken) == (EACH, EACH // 2)
    assert kernel.vector_instructions == 12 * EACH + FEW  # those of the arithmetic unit
    assert kernel.partial == FEW
    assert kernel.vector_lanes == 12 * EACH * 32 + FEW * 8
    assert kernel.active_lanes == pytest.approx((12 * 2 * 32 + 8) / (12 * 2 + 1))


def test_memory_transactions_and_coalescing(kernel: KernelProfile) -> None:
    # A wave's consecutive words are 128 bytes: 4 sectors of a line. Words 128 bytes apart: 32 sectors of as many lines.
    loads = Traffic(2 * EACH, 2 * 32 * EACH, 2 * 128 * EACH, (4 + 32) * EACH, (1 + 32) * EACH)
    assert kernel.traffic["loads"] == loads
    assert loads.efficiency == 2 * 128 / ((4 + 32) * 32)
    assert kernel.traffic["stores"] == Traffic(EACH, 32 * EACH, 256 * EACH, 8 * EACH, 2 * EACH)
    assert kernel.traffic["atomics"] == Traffic(FEW, 8 * FEW, 32 * FEW, FEW, FEW)
    # Scratch is interleaved: a dword of all lanes is a line.
    assert kernel.traffic["locals"] == Traffic(EACH, 32 * EACH, 256 * EACH, 8 * EACH, 2 * EACH)


def test_bank_conflicts(kernel: KernelProfile) -> None:
    assert (kernel.lds_accesses, kernel.lds_bytes) == (2 * EACH, 2 * 128 * EACH)
    assert (kernel.lds_cycles, kernel.lds_conflicts) == ((1 + 16) * EACH, 15 * EACH)


def test_occupancy(kernel: KernelProfile) -> None:
    assert (kernel.vgprs, kernel.lds) == (96, 2048)
    assert kernel.occupancy == Occupancy(32, "wave slots")
    # 1536 registers in steps of 24: 168 of them leave room for 9 waves of a SIMD, so for four workgroups of four waves
    assert profile.occupancy(vgprs=150, lds=0, waves_per_group=4) == Occupancy(16, "registers")
    assert profile.occupancy(vgprs=24, lds=20000, waves_per_group=4) == Occupancy(12, "shared memory")
    assert profile.occupancy(vgprs=24, lds=0, waves_per_group=5) == Occupancy(30, "wave slots")


def test_text_says_it_all(kernel: KernelProfile) -> None:
    text = profile.text([kernel])
    for part in (
        "k\n  launches 2, waves 8, wave instructions 224,",
        "valu 68, valu_f64 8, transcendental 8, matrix 8, cross_lane 8, salu 24, scalar_load 8, branch 8, barrier 8",
        "lanes at work: 31.0 of 32; 4% of the vector instructions with some off; 8 conditional branches, 50% taken",
        "global loads: 16 instructions, 2,048 bytes asked for, 288 sectors of 32 bytes, 264 lines of 128; 18.0 sectors"
        " an instruction, 22% of the bytes used",
        "shared memory: 16 instructions, 2,048 bytes, 136 cycles, 120 of them by bank conflicts",
        "occupancy: 32 of 32 waves of a compute unit (96 VGPRs, 2,048 bytes of LDS; limit: wave slots)",
    ):
        assert part in text, text


def test_json_and_trace_hold_the_same(kernel: KernelProfile, recorded: journal.Journal, tmp_path: Path) -> None:
    (plain,) = json.loads(profile.as_json([kernel]))
    assert plain["instructions"]["valu"] == kernel.instructions["valu"]
    assert plain["traffic"]["loads"]["sectors"] == 36 * EACH and plain["occupancy"]["limit"] == "wave slots"
    events = json.loads(profile.trace(recorded))["traceEvents"]
    slices = [event for event in events if event["ph"] == "X"]
    assert len(slices) == LAUNCHES and all(s["name"] == "k" and s["dur"] > 0 for s in slices)
    first, second = slices
    assert first["ts"] + first["dur"] <= second["ts"] and first["tid"] == second["tid"]
    assert first["args"]["waves"] == WAVES and first["args"]["valu"] == 8 * WAVES + GROUPS
    assert (first["args"]["grid"], first["args"]["block"]) == ([GROUPS, 1, 1], [64, 1, 1])
