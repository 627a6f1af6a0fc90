"""Whole programs on the emulated device: values, faults, order, graphs."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

import pytest

Execute = Callable[..., "subprocess.CompletedProcess[str]"]


class Builder(Protocol):
    def program(self, *names: str, flags: Sequence[str] = (), translated: bool = True) -> Path: ...


FAULTS = {
    "far": (700, "illegal"),
    "null": (700, "illegal"),
    "misaligned": (716, "misaligned"),
    "trap": (719, "trap"),
    "assert": (710, ""),
}


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_fault_appears_at_the_next_synchronising_call_and_stays(builder: Builder, execute: Execute, fault: str) -> None:
    code, word = FAULTS[fault]
    done = execute(builder.program("faults"), fault)
    assert done.stdout.splitlines() == [
        "launch 0",
        "malloc before sync 0",
        f"sync {code}",
        f"sync again {code}",
        f"last {code}",
        f"malloc {code}",
        f"next launch {code}",
        f"query {code}",
        f"copy {code}",
        f"free {code}",
        "reset 0",
        "malloc after reset 46",
    ]
    assert done.returncode == 0
    if fault == "assert":
        expected = "err.cu:11: void asrt(int): block: [0,0,0], thread: [0,0,0] Assertion `!x` failed.\n"
        assert done.stderr == expected
    else:
        kernel = {"far": "write_far", "null": "set_value", "misaligned": "write_misaligned", "trap": "trap_now"}[fault]
        assert done.stderr.startswith("cassc: device fault: ") and done.stderr.count("\n") == 1
        assert kernel in done.stderr and word in done.stderr.lower()


@pytest.mark.slow
def test_a_kernel_that_does_not_assert_is_no_fault(builder: Builder, execute: Execute) -> None:
    done = execute(builder.program("faults"), "none")
    assert "sync 0" in done.stdout and done.stderr == ""


@pytest.mark.slow
def test_values(builder: Builder, execute: Execute) -> None:
    done = execute(builder.program("values"))
    assert done.stdout.splitlines() == [
        "indices 0 1 2 3 4 5 6 7 1000 1001 1002 1003 1004 1005 1006 1007",
        "mixed -3 4 5.5 -6 65535",
        "symbols 1 2 3 4 0 50 51 52 0 0 0 0 0 0 0 0 9 8 7 6",
        "after 104 100 150 151",
        "cleared 0 0 103",
        "value 10 and 2.50 text%",
        "value 11 and 2.50 text%",
        "value 12 and 2.50 text%",
        "value -1 and -0.12 text%",
        "device 8.0 8 warp 32 threads 1024 shared 49152 optin 65536",
        "grid 2147483647 65535 65535 name cassc RDNA3 emulator (gfx1100)",
    ]
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
def test_two_fat_binaries_in_one_program(builder: Builder, execute: Execute) -> None:
    done = execute(builder.program("units", "other"))
    assert (done.stdout, done.returncode) == ("log 2 1 6\n", 0)


@pytest.mark.slow
def test_managed_variable(builder: Builder, execute: Execute) -> None:
    done = execute(builder.program("managed"))
    assert (done.stdout, done.returncode) == ("7 8\n0: 12 20\n", 0)


@pytest.mark.slow
def test_order_of_stream_operations(builder: Builder, execute: Execute) -> None:
    done = execute(builder.program("order"))
    ready, busy = "cudaSuccess", "cudaErrorNotReady"
    assert done.stdout.splitlines() == [
        f"blocking_then_null: a {busy} b {busy} saw 1 after {ready} kept 0",
        f"null_then_blocking: a {busy} b {busy} saw 1 after {ready} kept 0",
        f"nonblocking_then_null: a {busy} b {ready} saw 0 after {ready} kept 0",
        f"null_then_nonblocking: a {busy} b {ready} saw 0 after {ready} kept 0",
        f"blocking_then_blocking: a {busy} b {ready} saw 0 after {ready} kept 0",
        f"null_then_null: a {busy} b {busy} saw 1 after {ready} kept 0",
        f"per_thread_then_null: a {busy} b {busy} saw 1 after {ready} kept 0",
        f"legacy_then_blocking: a {busy} b {busy} saw 1 after {ready} kept 0",
        "chain 12 0 1 2 3 4 5 6 7 8 9 10 11",
        "held 600 never 0 waiting 600",
        "sync 0 query 0",
        "unrecorded 400",
        "elapsed 1",
        "no timing 400",
        "calls 0 1 2 3 4 5 inside cudaErrorNotPermitted",
        "pageable 1 pinned 2",
        "destroyed 17 again 400 use 400",
        "policy 3 bad 1",
        "reused 1",
    ]
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
def test_default_stream_of_each_thread(builder: Builder, execute: Execute) -> None:
    """Compiled with -default-stream per-thread, handle 0 is a stream of the thread; the legacy stream waits for it."""
    done = execute(builder.program("threads", flags=["-default-stream", "per-thread"]))
    ready, busy = "cudaSuccess", "cudaErrorNotReady"
    assert done.stdout.splitlines() == [
        f"held {busy} other thread {ready} legacy {busy}",
        "value 7 seen by legacy 7",
        "last error of the other thread cudaErrorInvalidValue here cudaSuccess",
    ]


@pytest.mark.slow
def test_graphs(builder: Builder, execute: Execute) -> None:
    done = execute(builder.program("graphs"))
    assert done.stdout.splitlines() == [
        "captured 5 nodes 4 edges 1 roots, ran 0",
        "types 1 0 2 3 1",
        "out 1 4 0 calls 1",
        "out 31 4 0 calls 2",
        "out 61 4 0 calls 3",
        "forked 4 nodes 4 edges",
        "forked 4 4 9 4",
        "explicit 7 7 7 7 7 7 7 7",
        "exec changed 25 25 25 25 25 25 25 25",
        "disabled 2 2 2 2 2 2 2 2",
        "params grid 1 block 8 a 3 b 1 same 1",
        "update 0 topology 910 result 2 cycle 1",
        "null 1 1 1",
        "child 107 7 7 7 7 7 7 7",
        "calls 7",
        "second 801 clone 801 again 0",
        "own memory 6 6 6 6 6 6 6 6",
        "gone 1",
        "captured memory 5",
        "general 7 7 7 7 7 7 7 7",
        "unjoined 904 same 1 nodes 5",
        "captured behind 0 0 0 7",
        "graph gone 901 end 901",
        "conditional 801",
        "digraph graph_ {",
        '  n0 [label="graph"];',
        '  n1 [label="scale_add"];',
        "  n0 -> n1;",
        "}",
    ]
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
def test_a_program_without_code_objects_names_the_kernel(builder: Builder, execute: Execute) -> None:
    done = execute(builder.program("faults", translated=False), "none")
    assert done.stdout.startswith("launch 209\n")
    assert "kernel fail_assertion was not translated" in done.stderr


@pytest.mark.slow
def test_an_unknown_device_name_is_an_error(builder: Builder, execute: Execute) -> None:
    done = execute(builder.program("faults"), "none", CASSC_DEVICE="gpu")
    assert "cudaErrorNoDevice" in done.stdout and "CASSC_DEVICE is 'gpu'" in done.stderr


@pytest.mark.slow
def test_threads_call_at_will(builder: Builder, execute: Execute) -> None:
    done = execute(builder.program("stress"), "40")
    assert (done.stdout, done.returncode) == ("8 threads, 40 rounds, 0 wrong\n", 0), done.stderr
