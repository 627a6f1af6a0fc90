"""PTX without SASS, and images that a program loads itself."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cassc import toolchain
from cassc.diag import CasscError
from cassc.driver import ptx
from cassc.target import SmArch

PROGRAMS = Path(__file__).parent / "programs"
TEXT = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry nothing() { ret; }\n"


def test_architecture() -> None:
    newest = SmArch(90)
    assert ptx.architecture(SmArch(52), newest) == SmArch(80)
    assert ptx.architecture(SmArch(80), newest) == SmArch(80)
    assert ptx.architecture(SmArch(86), newest) == SmArch(86)
    assert ptx.architecture(SmArch(90, "a"), newest) == SmArch(90, "a")
    assert ptx.architecture(SmArch(120), newest) is None


def test_text_becomes_a_cubin(nvcc: toolchain.Nvcc) -> None:
    assert ptx.compile_text(TEXT, SmArch(80), "x").startswith(b"\x7fELF")


def test_what_ptxas_says_is_told(nvcc: toolchain.Nvcc) -> None:
    with pytest.raises(CasscError) as failed:
        ptx.compile_text(TEXT.replace("ret;", "nonsense;"), SmArch(80), "program")
    (problem,) = failed.value.diagnostics
    assert problem.id == "device-bad-ptx" and problem.location.file == "program"
    assert "line 4" in problem.message


def test_without_ptxas(monkeypatch: pytest.MonkeyPatch) -> None:
    bare = toolchain.Toolchain(None, None, None, None, None, False)
    monkeypatch.setattr(toolchain, "find", lambda: bare)
    with pytest.raises(CasscError) as failed:
        ptx.compile_text(TEXT, SmArch(80), "program")
    (problem,) = failed.value.diagnostics
    assert problem.id == "device-no-ptxas" and "pip install" in problem.notes[0].message


def run_program(program: Path, *arguments: Path, cache: Path) -> list[str]:
    command = [sys.executable, "-m", "cassc.cli", "run", str(program), *map(str, arguments)]
    environment = {**os.environ, "CASSC_CACHE_DIR": str(cache)}
    done = subprocess.run(command, cwd=program.parent, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.slow
def test_modules_of_every_form(nvcc: toolchain.Nvcc, tmp_path: Path) -> None:
    libraries = toolchain.find_runtime()
    if libraries is None or not (libraries / "libcuda.so.1").exists():
        pytest.skip("libcuda.so.1 is not built (CASSC_LIBDIR or cassc/lib)")
    images = []
    for form, arch in (("cubin", "sm_80"), ("fatbin", "sm_80"), ("ptx", "compute_75")):
        images.append(tmp_path / f"saxpy.{form}")
        command = [nvcc.path, f"-{form}", f"-arch={arch}", PROGRAMS / "saxpy.cu", "-o", images[-1]]
        subprocess.run([str(word) for word in command], check=True)
    program = tmp_path / "modules"
    # nvcc knows where cuda.h is; what it links is named by path.
    command = [nvcc.path, "-x", "cu", PROGRAMS / "modules.cpp", "-Xlinker", libraries / "libcuda.so.1", "-o", program]
    subprocess.run([str(word) for word in command], check=True)
    assert run_program(program, *images, cache=tmp_path / "cache") == ["0 0", "0 0", "0 0"]


@pytest.mark.slow
def test_program_that_holds_only_ptx(nvcc: toolchain.Nvcc, tmp_path: Path) -> None:
    if toolchain.find_runtime() is None:
        pytest.skip("cassc's runtime is not built (CASSC_LIBDIR or cassc/lib)")
    program = tmp_path / "program"
    command = [nvcc.path, "-gencode", "arch=compute_75,code=compute_75", PROGRAMS / "prebuilt.cu", "-o", program]
    subprocess.run([str(word) for word in command], check=True)
    assert run_program(program, cache=tmp_path / "cache")[-1] == "0 wrong, cudaSuccess"
