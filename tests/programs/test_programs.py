"""Whole programs, built by cassc and run on the device: the output that an NVIDIA GPU gave, byte for byte."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cassc import toolchain
from cassc.toolchain import Nvcc

FOLDER = Path(__file__).parent
NAMES = sorted(path.stem for path in FOLDER.glob("*.cu"))
KNOWN_FAILURES: dict[str, str] = {}


def test_every_program_has_a_recording() -> None:
    recorded = sorted(path.stem for path in (FOLDER / "expected").glob("*.out"))
    assert recorded == NAMES
    assert all((FOLDER / "expected" / f"{n}.out").read_text().rstrip().endswith("RESULT: PASS") for n in NAMES)
    assert set(KNOWN_FAILURES) <= set(NAMES)


def _cases() -> list[object]:
    def marks(name: str) -> list[pytest.MarkDecorator]:
        known = KNOWN_FAILURES.get(name)
        failure = [pytest.mark.xfail(reason=known, strict=True)] if known else []
        return [pytest.mark.slow, *failure]

    return [pytest.param(name, marks=marks(name), id=name) for name in NAMES]


@pytest.mark.parametrize("name", _cases())
def test_program(name: str, tmp_path: Path, nvcc: Nvcc) -> None:
    _check(name, tmp_path)


@pytest.mark.slow
def test_calls_through_pointers_before_a_barrier(tmp_path: Path, nvcc: Nvcc) -> None:
    _check("virtual_nodes", tmp_path, "-rdc=true")


def _check(name: str, tmp_path: Path, *options: str) -> None:
    if toolchain.find_runtime() is None:
        pytest.skip("cassc's runtime libraries are not built (set CASSC_LIBDIR, or install the package)")
    program = tmp_path / name
    source = str(FOLDER / f"{name}.cu")
    command = [sys.executable, "-m", "cassc.cli", "-std=c++17", "-arch=sm_90", *options, source, "-o", str(program)]
    package = str(Path(toolchain.__file__).parents[1])
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([package, os.environ.get("PYTHONPATH", "")])}
    built = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=900, check=False
    )
    assert built.returncode == 0, built.stderr
    ran = subprocess.run([program], env=environment, capture_output=True, timeout=900, check=False)
    assert ran.returncode == 0, ran.stderr.decode()
    assert ran.stdout == (FOLDER / "expected" / f"{name}.out").read_bytes()
