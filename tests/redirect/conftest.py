"""Programs with NVIDIA's CUDA runtime, linked every way that nvcc has."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

import cassc
from cassc import toolchain
from tests import device

PROGRAMS = Path(__file__).parent / "programs"
LINKS = {
    "static": (),
    "shared": ("-cudart", "shared"),
    "static-fixed": ("-Xcompiler", "-no-pie", "-Xlinker", "-no-pie"),
    "library": ("-shared", "-Xcompiler", "-fPIC", "-DLIBRARY"),
}


def build(command: Sequence[str | Path]) -> None:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command[0]}: {done.stderr}"


@pytest.fixture(scope="session")
def libdir() -> Path:
    """The folder with the audit library and the front ends."""
    places = [Path(os.environ["CASSC_LIBDIR"])] if "CASSC_LIBDIR" in os.environ else []
    for place in (*places, Path(cassc.__file__).parent / "lib"):
        if (place / "libcassc_redirect.so").exists() and (place / "libcassc_emu.so").exists():
            return place.resolve()
    pytest.skip("libcassc_redirect.so and libcassc_emu.so are not built (CASSC_LIBDIR or cassc/lib)")


Linked = Callable[[str], Path]


@pytest.fixture(scope="session")
def linked(nvcc: toolchain.Nvcc, tmp_path_factory: pytest.TempPathFactory) -> Linked:
    """``linked("static")``: programs/version.cu linked in one of the ways of LINKS; ``-stripped`` behind it strips."""
    out = tmp_path_factory.mktemp("linked")

    def make(way: str) -> Path:
        path = out / way
        if not path.exists() and way.endswith("-stripped"):
            strip = shutil.which("strip")
            if strip is None:
                pytest.skip("strip is not on PATH")
            build([strip, "-s", make(way.removesuffix("-stripped")), "-o", path])
        elif not path.exists():
            build([nvcc.path, "-arch=sm_80", *LINKS[way], PROGRAMS / "version.cu", "-o", path])
        return path

    return make


@pytest.fixture(scope="session")
def opener(nvcc: toolchain.Nvcc, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """programs/open.c, a program without CUDA."""
    path = tmp_path_factory.mktemp("opener") / "open"
    build(["g++", "-x", "c", PROGRAMS / "open.c", "-o", path, "-ldl"])
    return path


Execute = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def execute() -> Execute:
    """``execute(program, *arguments, **environment)`` on the device."""

    def start(program: Path, *arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
        command = [str(word) for word in (program, *arguments)]
        surroundings = {"PATH": "/usr/bin:/bin", **device.variables(), **environment}
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, env=surroundings)

    return start
