"""The HIP device, executed end to end over a libamdhip64 that runs on the emulator."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import pytest

PROGRAMS = Path(__file__).parent / "programs"
INCLUDE = Path(__file__).parents[2] / "shims" / "include"
Execute = Callable[..., "subprocess.CompletedProcess[str]"]


class Builder(Protocol):
    def program(self, *names: str, translated: bool = True) -> Path: ...


@pytest.fixture(scope="module")
def fake_hip(gxx: str, emulated: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder with libamdhip64.so."""
    folder = tmp_path_factory.mktemp("hip")
    emulator = [str(emulated / "libcassc_emu.so"), f"-Wl,-rpath,{emulated}"]
    command = [gxx, "-std=c++17", "-O1", "-shared", "-fPIC", f"-I{INCLUDE}", str(PROGRAMS / "fake_hip.cpp")]
    done = subprocess.run(
        [*command, "-o", str(folder / "libamdhip64.so"), *emulator], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return str(folder)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["values", "graphs"])
def test_same_results_as_on_the_emulator(builder: Builder, execute: Execute, fake_hip: str, name: str) -> None:
    program = builder.program(name)
    on_hip = execute(program, LD_LIBRARY_PATH=fake_hip, CASSC_DEVICE="hip")
    emulated = execute(program)
    assert on_hip.returncode == emulated.returncode == 0
    assert on_hip.stdout.replace("fake Radeon", "cassc RDNA3 emulator (gfx1100)") == emulated.stdout
    assert ("fake Radeon" in on_hip.stdout) == (name == "values")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["values", "graphs", "order"])
def test_the_same_on_our_own_hip_library(builder: Builder, execute: Execute, emulated: Path, name: str) -> None:
    """Through hip.cpp, libamdhip64 over the emulator, and a second runtime core in the same process."""
    program = builder.program(name)
    alone = execute(program)
    on_hip = execute(program, LD_LIBRARY_PATH=str(emulated / "hip"), CASSC_DEVICE="hip")
    assert alone.returncode == on_hip.returncode == 0, on_hip.stderr
    # Whether a short copy has ended 20 ms later is a matter of how busy the machine is.
    timed = re.compile(r" b cuda\w+")
    assert timed.sub("", on_hip.stdout) == timed.sub("", alone.stdout)


@pytest.mark.slow
@pytest.mark.parametrize(("fault", "code"), [("far", 700), ("trap", 719), ("assert", 710)])
def test_faults_on_our_own_hip_library(
    builder: Builder, execute: Execute, emulated: Path, fault: str, code: int
) -> None:
    done = execute(builder.program("faults"), fault, LD_LIBRARY_PATH=str(emulated / "hip"), CASSC_DEVICE="hip")
    assert done.stdout.splitlines()[2] == f"sync {code}", done.stderr


@pytest.mark.slow
def test_wrong_calls_give_the_recorded_errors_on_hip(builder: Builder, execute: Execute, fake_hip: str) -> None:
    done = execute(builder.program("calls"), LD_LIBRARY_PATH=fake_hip, CASSC_DEVICE="hip")
    assert done.stdout.splitlines() == (PROGRAMS / "calls.expected").read_text().splitlines()


@pytest.mark.slow
@pytest.mark.parametrize(("fault", "code"), [("far", 700), ("trap", 719), ("assert", 710)])
def test_faults_on_hip(builder: Builder, execute: Execute, fake_hip: str, fault: str, code: int) -> None:
    done = execute(builder.program("faults"), fault, LD_LIBRARY_PATH=fake_hip, CASSC_DEVICE="hip")
    assert done.stdout.splitlines()[:3] == ["launch 0", "malloc before sync 0", f"sync {code}"]
    assert ("Assertion `!x` failed." in done.stderr) == (fault == "assert")


@pytest.mark.slow
@pytest.mark.parametrize(("gfx", "name"), [("gfx1100", "fake Radeon"), ("gfx90a", "emulator"), ("", "emulator")])
def test_hip_is_taken_when_it_has_a_gfx11_device(
    builder: Builder, execute: Execute, fake_hip: str, gfx: str, name: str
) -> None:
    done = execute(builder.program("values"), LD_LIBRARY_PATH=fake_hip, CASSC_DEVICE="", FAKE_HIP_GFX=gfx)
    assert name in done.stdout


@pytest.mark.slow
def test_hip_that_is_not_there_is_an_error_when_asked_for(builder: Builder, execute: Execute) -> None:
    done = execute(builder.program("values"), CASSC_DEVICE="hip")
    assert "libamdhip64.so is not there" in done.stderr and "cudaErrorNoDevice" in done.stdout


@pytest.mark.slow
def test_managed_variables_are_refused_by_name_on_hip(builder: Builder, execute: Execute, fake_hip: str) -> None:
    done = execute(builder.program("managed"), LD_LIBRARY_PATH=fake_hip, CASSC_DEVICE="hip")
    assert "__managed__ variable managed_value is not supported on fake Radeon" in done.stderr
