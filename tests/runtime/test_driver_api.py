"""The driver API: libcuda over the same core as the runtime API."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import pytest

from cassc import toolchain
from cassc.image import bundle, fatbin
from cassc.image.fatbin import EntryKind, FatBinary
from cassc.target import DEFAULT_TARGET, SmArch

PROGRAMS = Path(__file__).parent / "programs"
API = Path(__file__).parents[2] / "shims/cuda/api.def"


class Builder(Protocol):
    def program(self, *names: str, translated: bool = True) -> Path: ...


Execute = Callable[..., "subprocess.CompletedProcess[str]"]


def include_folder(nvcc: toolchain.Nvcc) -> Path:
    """Where cuda.h is: beside the compiler, or where it says."""
    done = subprocess.run([nvcc.path, "-dryrun", "-c", "x.cu"], capture_output=True, text=True, check=False)
    for place in re.findall(r'"-I([^"]+)"', done.stderr):
        if (Path(place) / "cuda.h").exists():
            return Path(place)
    pytest.skip("cuda.h is not installed beside nvcc")


@pytest.fixture(scope="session")
def program(nvcc: toolchain.Nvcc, gxx: str, emulated: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("driver") / "driver"
    options = ["-std=c++17", f"-I{include_folder(nvcc)}", f"-Wl,-rpath,{emulated}"]
    command = [gxx, *options, PROGRAMS / "driver.cpp", emulated / "libcuda.so.1", "-o", path]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return path


@pytest.fixture
def module(code_object: bytes, tmp_path: Path) -> Path:
    entry = fatbin.make_entry(EntryKind.CODE_OBJECTS, SmArch(80), bundle.pack({DEFAULT_TARGET: code_object}))
    path = tmp_path / "kernels.fatbin"
    path.write_bytes(fatbin.serialize(FatBinary((entry,))))
    return path


@pytest.mark.slow
def test_what_each_group_of_calls_gives(program: Path, module: Path, execute: Execute) -> None:
    done = execute(program, str(module))
    assert done.stdout.splitlines() == (PROGRAMS / "driver.expected").read_text().splitlines()
    assert done.returncode == 0


def test_every_name_is_exported(emulated: Path) -> None:
    done = subprocess.run(
        ["nm", "-D", "--defined-only", emulated / "libcuda.so.1"], capture_output=True, text=True, check=True
    )
    exported = {line.split()[-1] for line in done.stdout.splitlines()}
    wanted = set()
    for symbol, kind in re.findall(r"^CUDA\((\w+), \w+, \d+, (\w+)\)", API.read_text(), re.MULTILINE):
        wanted.add(symbol)
        if kind != "ONE":
            wanted.add(f"{symbol}_{kind.lower()}")
    assert wanted == exported


@pytest.mark.slow
def test_beside_the_runtime_api(builder: Builder, execute: Execute) -> None:
    done = execute(builder.program("both", translated=False))
    expected = ["malloc 0", "get 0 found 0", "fill 0", "value 41", "get 0 found 1 null 1"]
    assert (done.stdout.splitlines(), done.returncode) == (expected, 0)
