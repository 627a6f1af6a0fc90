"""What checks find in small kernels, and that correct ones stay silent."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cassc.amdgpu.emulator import Emulator, EmulatorFault
from tests.emu.conftest import GFX1100, Frame, Machine

_HEAD = """
v_and_b32 v0, 0x3ff, v0
v_lshlrev_b32 v1, 2, v0
v_mov_b32 v5, 1
s_load_b128 s[8:11], s[0:1], 0
s_waitcnt lgkmcnt(0)
"""
_WAIT = "s_waitcnt vmcnt(0) lgkmcnt(0)\n"

Found = list[dict[str, Any]]
Observe = Callable[..., Found]


@pytest.fixture
def observe(machine: Machine, tmp_path: Path) -> Observe:
    """Runs a kernel under checks on buffers of 64 written and 64 unwritten dwords; what was found."""

    def run(body: str, *, checks: str = "mem race init sync", block: int = 64, grid: int = 1, **more: Any) -> Found:
        with Emulator(GFX1100, memory_bytes=1 << 26) as emulator:
            journal = tmp_path / "journal"
            journal.unlink(missing_ok=True)
            emulator.observe(checks.split(), journal)
            inner = Machine.__new__(Machine)
            inner.target, inner.emulator = GFX1100, emulator
            kernel = inner.build(_HEAD + body, Frame(kernarg=16, lds=512, scratch=16))
            written, unwritten = inner.buffer(np.zeros(64, np.uint32)), emulator.alloc(256)
            gone = emulator.alloc(256)
            emulator.free(gone)
            arguments = struct.pack("<2Q", written, gone if more.pop("freed", False) else unwritten)
            limit = more.pop("limit", 1 << 22)
            try:
                emulator.launch(kernel, (grid, 1, 1), (block, 1, 1), arguments, max_instructions=limit)
            except EmulatorFault as fault:
                assert more.pop("faults", False), str(fault)
            lines = [json.loads(line) for line in journal.read_text().splitlines()]
            return [line for line in lines if line["type"] not in ("module", "launch")]

    return run


def _only(found: Found, kind: str) -> dict[str, Any]:
    assert [f["type"] for f in found if f["type"] != "fault"] and all(f["type"] in (kind, "fault") for f in found), (
        found
    )
    return next(f for f in found if f["type"] == kind)


def test_out_of_bounds_names_every_lane(observe: Observe) -> None:
    found = observe("global_load_b32 v2, v1, s[8:9] offset:128", checks="mem", block=64, faults=True)
    reads = [f for f in found if f["type"] == "invalid"]
    assert len(reads) == 32 and {f["thread"][0] for f in reads} == set(range(32, 64))
    first = reads[0]
    assert (
        first["space"] == "global" and first["size"] == 4 and first["access"] == "read" and first["reason"] == "bounds"
    )
    assert first["at"] == first["base"] + 256 and first["bytes"] == 256 and not first["freed"]


@pytest.mark.parametrize(
    "body, space, reason",
    [
        ("ds_store_b32 v1, v5 offset:400", "shared", "bounds"),
        ("ds_load_b64 v[2:3], v1 offset:1020", "shared", "bounds"),
        ("scratch_store_b32 v1, v5, off", "local", "bounds"),
        ("v_lshlrev_b32 v1, 1, v0\nglobal_atomic_add_u32 v1, v5, s[8:9]", "global", "misaligned"),
        ("ds_add_u32 v1, v5 offset:2", "shared", "misaligned"),
    ],
)
def test_invalid_accesses(observe: Observe, body: str, space: str, reason: str) -> None:
    found = _only(observe(body, checks="mem", faults=True), "invalid")
    assert (found["space"], found["reason"]) == (space, reason)


def test_freed_memory_is_named(observe: Observe) -> None:
    found = _only(observe("global_store_b32 v1, v5, s[10:11]", checks="mem", freed=True, faults=True), "invalid")
    assert found["freed"] and found["bytes"] == 256 and found["access"] == "write"


@pytest.mark.parametrize(
    "body, space",
    [
        ("global_load_b32 v2, v1, s[10:11]", "global"),
        ("ds_load_b32 v2, v1", "shared"),
        ("scratch_load_b32 v2, off, off offset:4", "local"),
        ("s_load_b32 s12, s[10:11], 0", "global"),
    ],
)
def test_memory_never_written(observe: Observe, body: str, space: str) -> None:
    assert _only(observe(body + "\n" + _WAIT, checks="init"), "uninitialized")["space"] == space


def test_written_memory_is_silent(observe: Observe) -> None:
    body = """
    global_store_b32 v1, v5, s[10:11]
    ds_store_b32 v1, v5
    scratch_store_b32 off, v5, off
    s_waitcnt vmcnt(0) lgkmcnt(0)
    s_waitcnt_vscnt null, 0
    global_load_b32 v2, v1, s[10:11]
    ds_load_b32 v2, v1
    scratch_load_b32 v2, off, off
    """
    assert observe(body + _WAIT) == []


_NEIGHBOUR = "v_xor_b32 v6, 0x80, v1\n"  # the same lane of the other wave


def test_race_in_lds(observe: Observe) -> None:
    store, load = f"{_NEIGHBOUR}ds_store_b32 v1, v5\n", f"ds_load_b32 v2, v6\n{_WAIT}"
    found = _only(observe(store + load, checks="race"), "race")
    assert found["space"] == "shared" and found["count"] == 32
    assert {found["earlier_writes"], found["writes"]} == {0, 1}
    assert observe(f"{store}s_waitcnt lgkmcnt(0)\ns_barrier\n{load}", checks="race") == []


def test_race_between_workgroups(observe: Observe) -> None:
    body = "v_mov_b32 v2, s2\nglobal_store_b32 v1, v2, s[10:11]"
    found = _only(observe(body, checks="race", block=32, grid=2), "race")
    assert (
        found["space"] == "global"
        and found["earlier_writes"]
        and found["writes"]
        and found["group"] != found["earlier_group"]
    )


def test_a_loop_around_compare_and_exchange_does_not_race(observe: Observe) -> None:
    body = f"""
    v_mov_b32 v7, 0
    ds_load_b32 v2, v7
    {_WAIT}
    v_add_nc_u32 v3, 1, v2
    ds_cmpstore_rtn_b32 v4, v7, v3, v2
    {_WAIT}
    """
    assert observe(body, checks="race") == []
    counted = body.replace("ds_cmpstore_rtn_b32 v4, v7, v3, v2", "ds_add_u32 v7, v5")
    assert _only(observe(counted, checks="race"), "race")["space"] == "shared"


def test_equal_values_and_atomics_do_not_race(observe: Observe) -> None:
    body = "global_store_b32 v1, v5, s[10:11]\nglobal_atomic_add_u32 v1, v5, s[8:9]"
    assert observe(body, checks="race", block=32, grid=4) == []


_LAST_GROUP = """
v_mov_b32 v2, s2
v_lshl_add_u32 v3, s2, 2, 0
v_mov_b32 v7, 0
global_store_b32 v3, v2, s[10:11]
s_waitcnt_vscnt null, 0
global_atomic_add_u32 v4, v7, v5, s[8:9] offset:128 glc
s_waitcnt vmcnt(0)
v_readfirstlane_b32 s12, v4
s_cmp_lt_u32 s12, 3
s_cbranch_scc1 .Lend0
global_load_b128 v[8:11], v7, s[10:11]
s_waitcnt vmcnt(0)
.Lend0:
"""


def test_what_an_atomic_orders_does_not_race(observe: Observe) -> None:
    """The last of four workgroups reads what the others wrote."""
    one_lane = "s_mov_b32 exec_lo, 1\n"
    assert observe(one_lane + _LAST_GROUP, checks="race", block=32, grid=4) == []
    plain = _LAST_GROUP.replace("global_atomic_add_u32 v4, v7, v5, s[8:9] offset:128 glc", "v_mov_b32 v4, s2")
    assert _only(observe(one_lane + plain, checks="race", block=32, grid=4), "race")["count"]


def test_barrier_in_a_divergent_branch(observe: Observe) -> None:
    body = """
    v_cmp_gt_u32 vcc_lo, 16, v0
    s_and_saveexec_b32 s12, vcc_lo
    s_barrier
    s_mov_b32 exec_lo, s12
    global_store_b32 v1, v5, s[8:9]
    """
    found = _only(observe(body, checks="sync", block=32), "barrier")
    assert found["reason"] == "warp" and found["thread"] == [16, 0, 0]


def test_barriers_that_not_all_waves_reach(observe: Observe) -> None:
    skip = "v_cmp_gt_u32 vcc_lo, 32, v0\ns_cbranch_vccz .Lother\ns_barrier\ns_branch .Ldone\n.Lother:\n{}\n.Ldone:\n"
    assert _only(observe(skip.format("s_nop 0"), checks="sync"), "barrier")["reason"] == "exited"
    assert _only(observe(skip.format("s_barrier"), checks="sync"), "barrier")["reason"] == "block"
    assert observe("s_barrier\ns_barrier", checks="sync") == []


def test_lanes_that_end_early_are_no_divergence(observe: Observe) -> None:
    body = "v_cmp_gt_u32 vcc_lo, 20, v0\ns_and_b32 exec_lo, exec_lo, vcc_lo\ns_barrier\nglobal_store_b32 v1, v5, s[8:9]"
    assert observe(body, checks="sync", block=32) == []


def test_endless_loop_says_where_every_wave_is(observe: Observe) -> None:
    found = observe(
        "v_cmp_gt_u32 vcc_lo, 32, v0\ns_cbranch_vccz .Lloop\ns_barrier\n.Lloop: s_branch .Lloop",
        limit=20000,
        faults=True,
    )
    stuck = {f["wave"]: f for f in found if f["type"] == "stuck"}
    assert {stuck[0]["state"], stuck[1]["state"]} == {"barrier", "running"}
    assert stuck[0]["instruction"] == "s_barrier" and stuck[1]["instruction"] == "s_branch"
    (fault,) = [f for f in found if f["type"] == "fault"]
    assert fault["kind"] == 8


def test_profile_counts(observe: Observe, tmp_path: Path) -> None:
    body = f"""
    global_load_b32 v2, v1, s[8:9]
    v_lshlrev_b32 v6, 7, v0
    v_and_b32 v6, 0x1ff, v6
    ds_load_b32 v3, v6
    v_add_f32 v2, v2, v2
    s_cbranch_scc1 .Lskip
    .Lskip:
    {_WAIT}
    """
    observe(body, checks="profile")
    lines = [json.loads(line) for line in (tmp_path / "journal").read_text().splitlines()]
    (launch,) = [line for line in lines if line["type"] == "launch"]
    assert launch["waves"] == 2 and launch["load"] == 2 and launch["lds"] == 2 and launch["branch"] == 2
    assert launch["loads"] == [2, 64, 256, 8, 2]
    accesses, _, _, cycles, conflicts = launch["shared"]
    assert (accesses, cycles, conflicts) == (2, 8, 6)
    assert launch["vector_lanes"] == 32 * launch["vector_instructions"] and launch["partial"] == 0
