"""``cassc run --check`` and ``--profile`` on a CUDA program: a planted fault for each check, and silence without."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from cassc import toolchain
from cassc.amdgpu import emulator

SOURCE = Path(__file__).parent / "programs" / "planted.cu"
LINES = SOURCE.read_text().splitlines()

PLANTED = {
    "global-bounds": (
        "global-bounds",
        "Invalid __global__ write of size 4 bytes",
        "1 byte after the nearest allocation",
    ),
    "global-before": ("global-before", "Invalid __global__ read of size 4 bytes", "is out of bounds"),
    "misaligned": ("misaligned", "Invalid __global__ write of size 4 bytes", "is misaligned"),
    "freed": ("global-bounds", "Invalid __global__ write of size 4 bytes", "0 bytes inside a freed allocation"),
    "freed-in-order": (
        "global-bounds",
        "Invalid __global__ write of size 4 bytes",
        "0 bytes inside a freed allocation",
    ),
    "heap-freed": ("heap-freed", "Invalid __global__ read of size 4 bytes", "in no block of the device's heap"),
    "shared-bounds": ("shared-bounds", "Invalid __shared__ read of size 4 bytes", "is out of bounds"),
    "local-bounds": ("local-bounds", "Invalid __local__ read of size 4 bytes", "is out of bounds"),
    "shared-misaligned": ("shared-misaligned", "Invalid __shared__ read of size 4 bytes", "is misaligned"),
    "local-misaligned": ("local-misaligned", "Invalid __local__ read of size 4 bytes", "is misaligned"),
    "local-unwritten": ("local-unwritten", "Uninitialized __local__ memory read of size 4 bytes", "thread ("),
    "global-unwritten": (
        "global-unwritten",
        "Uninitialized __global__ memory read of size 4 bytes",
        "by thread (0,0,0)",
    ),
    "shared-unwritten": ("shared-unwritten", "Uninitialized __shared__ memory read of size 4 bytes", "thread (40,0,0)"),
    "shared-race": ("shared-race", "Error: Race reported between Write access", "in __shared__ memory"),
    "shared-zero": ("shared-zero", "Error: Race reported between Write access", "in __shared__ memory"),
    "global-race": ("global-race", "Error: Race reported between", "in __global__ memory"),
    "barrier-warp": ("barrier", "Barrier error detected. Divergent thread(s) in warp.", "by thread (16,0,0)"),
    "barrier-block": ("barrier", "Barrier error detected. Divergent thread(s) in block", "wave 1 has ended"),
    "endless": ("endless", "Kernel stopped: instruction limit reached", "block (0,0,0), wave 0 is at"),
    "deadlock": ("deadlock", "Kernel stopped: instruction limit reached", "block (1,0,0), wave 0 is at"),
    "spin": ("spin", "Kernel stopped: instruction limit reached", "block (0,0,0), wave 1 is at"),
}
LAUNCHED = {"endless": "wait_for_ever", "deadlock": "two_locks", "spin": "take_turns"}


@pytest.fixture(scope="module")
def program(nvcc: toolchain.Nvcc, tmp_path_factory: pytest.TempPathFactory) -> Path:
    library = emulator.library_path()
    if library is None or not (library.parent / "libcassc_redirect.so").exists():
        pytest.skip("cassc's libraries are not built")
    out = tmp_path_factory.mktemp("planted") / "planted"
    command = [
        str(nvcc.path),
        "-lineinfo",
        "-std=c++17",
        "-arch=sm_80",
        "-cudart",
        "shared",
        str(SOURCE),
        "-o",
        str(out),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return out


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return {**os.environ, "CASSC_CACHE_DIR": str(tmp_path_factory.mktemp("cache"))}


def _run(program: Path, environment: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    options, name = words[:-1], words[-1]
    command = [sys.executable, "-m", "cassc.cli", "run", "--check-seconds", "0", *options, str(program), name]
    folder = program.parent  # not a checkout, whose package has no libraries
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, env=environment, timeout=120
    )


@pytest.mark.slow
@pytest.mark.parametrize("fault", PLANTED)
def test_planted_fault_is_found_where_it_is(program: Path, environment: dict[str, str], fault: str) -> None:
    mark, title, detail = PLANTED[fault]
    line = next(number for number, text in enumerate(LINES, 1) if text.endswith(f"// {mark}"))
    stopped = fault in ("endless", "deadlock", "spin")
    limit = ["--instruction-limit", "200000"] if stopped else []
    done = _run(program, environment, "--check", "--error-exitcode", "3", *limit, fault)
    assert done.returncode == 3, done.stderr
    assert f"========= {title}" in done.stderr
    assert detail in done.stderr
    assert f"planted.cu:{line}" in done.stderr
    assert "ERROR SUMMARY: 0 errors" not in done.stderr
    if stopped:  # kernel, source line and instruction of each wave
        where = rf"wave 0 is at {LAUNCHED[fault]}\(.*\)\+0x[0-9a-f]+ (in|near) \S*planted.cu:{line} \(`\w+`\)"
        assert re.search(where, done.stderr), done.stderr


@pytest.mark.slow
def test_correct_kernels_are_silent(program: Path, environment: dict[str, str]) -> None:
    done = _run(program, environment, "--check=mem,race,init,sync", "--error-exitcode", "3", "clean")
    assert (done.returncode, done.stdout) == (0, "cudaSuccess\n"), done.stderr
    assert done.stderr.splitlines() == ["========= CASSC CHECK", "========= ERROR SUMMARY: 0 errors"]


@pytest.mark.slow
def test_one_check_alone_and_a_log_file(program: Path, environment: dict[str, str], tmp_path: Path) -> None:
    done = _run(program, environment, "--check=sync", "shared-race")
    assert done.returncode == 0 and "ERROR SUMMARY: 0 errors" in done.stderr
    log = tmp_path / "log"
    done = _run(program, environment, "--check=race", "--log-file", str(log), "--print-limit", "1", "shared-race")
    assert "=========" not in done.stderr and "Race reported" in log.read_text()


@pytest.mark.slow
def test_profiles(program: Path, environment: dict[str, str], tmp_path: Path) -> None:
    done = _run(program, environment, "--profile", "clean")
    assert (
        "reverse(int*, bool)" in done.stderr
        and "bank conflicts" in done.stderr
        and "occupancy: 32 of 32" in done.stderr
    )
    trace = tmp_path / "trace.json"
    _run(program, environment, f"--profile=trace:{trace}", "clean")
    slices = [e for e in json.loads(trace.read_text())["traceEvents"] if e["ph"] == "X"]
    assert len(slices) == 13 and all(e["dur"] > 0 for e in slices)
    numbers = tmp_path / "profile.json"
    _run(program, environment, f"--profile=json:{numbers}", "clean")
    kernels = {k["kernel"]: k for k in json.loads(numbers.read_text())}
    stores = kernels["write_past(int*)"]["traffic"]["stores"]
    assert (stores["accesses"], stores["bytes"], stores["sectors"]) == (3, 384, 12)


def test_options_that_make_no_sense() -> None:
    for option, word in (("--check=speed", "speed"), ("--profile=xml", "xml"), ("--profile=trace", "trace")):
        command = [sys.executable, "-m", "cassc.cli", "run", option, "true"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 1 and f"'{word}'" in done.stderr and "Traceback" not in done.stderr
