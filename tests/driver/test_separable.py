"""Relocatable device code: what a device link takes, in every order, and what comes out of it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cassc import toolchain
from cassc.driver import toolkit

SOURCES = Path(__file__).parents[1] / "buildsystems" / "cmake_separable"
Cassc = Callable[[str], subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, nvcc: toolchain.Nvcc) -> Path:
    """Objects of two files that need each other, an archive of one, and the object of the C++ program."""
    if toolchain.find_runtime() is None:
        pytest.skip("cassc's runtime libraries are not built (CASSC_LIBDIR or cassc/lib)")
    place = tmp_path_factory.mktemp("separable")
    for name in ("parts.cu", "parts.h", "kernel.cu", "main.cpp"):
        shutil.copy(SOURCES / name, place)
    assert _start(place, "-dc parts.cu kernel.cu").returncode == 0
    subprocess.run(["g++", "-c", "main.cpp"], cwd=place, check=True)
    subprocess.run(["ar", "rcs", "libparts.a", "parts.o"], cwd=place, check=True)
    (place / "inputs").write_text("main.o libparts.a\n")
    return place


def _start(folder: Path, words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    environment["CASSC_CACHE_DIR"] = str(folder / "cache")  # what is linked alike is translated once
    command = [sys.executable, "-m", "cassc.cli", "--check-seconds=0", *words.split()]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture
def cassc(folder: Path) -> Cassc:
    def start(words: str) -> subprocess.CompletedProcess[str]:
        return _start(folder, words)

    return start


def runs(program: Path) -> bool:
    environment = {name: value for name, value in os.environ.items() if name != "LD_LIBRARY_PATH"}
    done = subprocess.run([program], env={**environment}, capture_output=True, text=True, check=False)
    return (done.returncode, done.stdout) == (0, "separable: 0 wrong\n")


@pytest.mark.slow
@pytest.mark.parametrize(
    "inputs",
    [
        "main.o parts.o kernel.o",
        "libparts.a kernel.o main.o",
        "main.o kernel.o libparts.a",
        "main.o kernel.o -L. -lparts",
        "-optf inputs kernel.o",
        "-rdc=true main.cpp kernel.cu parts.o",
    ],
)
def test_program(cassc: Cassc, folder: Path, inputs: str) -> None:
    """Functions, templates, variables and constants of one file, used in another."""
    done = cassc(f"{inputs} -o prog")
    assert done.returncode == 0, done.stderr
    assert runs(folder / "prog")


@pytest.mark.slow
@pytest.mark.parametrize(
    "objects", ["kernel.o parts.o", "parts.o kernel.o", "kernel.o libparts.a", "libparts.a kernel.o"]
)
def test_device_link_gives_an_object_for_cxx(cassc: Cassc, folder: Path, objects: str) -> None:
    done = cassc(f"-dlink {objects} -o linked.o")
    assert done.returncode == 0, done.stderr
    kit = toolkit.find(toolchain.find())
    command = ["g++", "main.o", "linked.o", *objects.split(), f"-L{kit.lib}", "-lcudadevrt", "-lcudart_static"]
    subprocess.run([*command, "-o", "prog"], cwd=folder, check=True)
    assert runs(folder / "prog")


@pytest.mark.slow
def test_what_is_missing_is_named(cassc: Cassc, folder: Path) -> None:
    """In nvlink's words, by the names of the user's own files; and nothing is made."""
    done = cassc("main.o kernel.o -o incomplete")
    assert done.returncode == 255
    assert "Undefined reference to 'addend' in 'kernel.o'" in done.stderr
    assert not (folder / "incomplete").exists()


@pytest.mark.slow
def test_lto_is_accepted_and_lto_objects_are_refused(cassc: Cassc, folder: Path, nvcc: toolchain.Nvcc) -> None:
    assert cassc("-dc -dlto parts.cu -o without.o").returncode == 0
    done = cassc("-dlto main.o kernel.o without.o -o prog")
    assert done.returncode == 0
    assert "option '-dlto' has no effect" in done.stderr
    assert runs(folder / "prog")
    subprocess.run([nvcc.path, "-dc", "-arch=lto_80", "-dlto", "parts.cu", "-o", "lto.o"], cwd=folder, check=True)
    done = cassc("main.o kernel.o lto.o -o prog")
    assert done.returncode == 1
    assert "lto.o: error: the object holds LTO code, and no SASS" in done.stderr
    subprocess.run(["ar", "rcs", "liblto.a", "lto.o"], cwd=folder, check=True)
    (folder / "link.rsp").write_text("kernel.o liblto.a\n")
    done = cassc("-dlink -optf link.rsp -o linked.o")
    assert done.returncode == 1
    assert "liblto.a(lto.o): error: the object holds LTO code, and no SASS" in done.stderr
