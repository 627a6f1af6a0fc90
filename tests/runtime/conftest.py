"""Programs for the runtime's tests: host code by nvcc, device code by clang, joined as cassc joins them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

import cassc
from cassc import toolchain
from cassc.image import bundle, embed, fatbin, host
from cassc.image.fatbin import EntryKind
from cassc.target import DEFAULT_TARGET, SmArch
from tests import device, sharing

PROGRAMS = Path(__file__).parent / "programs"
_DEVICE_FLAGS = "-target amdgcn-amd-amdhsa -mcpu=gfx1100 -mcumode -mcode-object-version=5 -nogpulib -O2".split()


def run(command: Sequence[str | Path]) -> None:
    """Runs a tool that a test needs; its complaints end the test."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command[0]}: {done.stderr}"


@pytest.fixture(scope="session")
def libdir() -> Path:
    """The folder with libcassrt and the front ends."""
    places = [Path(os.environ["CASSC_LIBDIR"])] if "CASSC_LIBDIR" in os.environ else []
    for place in (*places, Path(cassc.__file__).parent / "lib"):
        if (place / "libcudart.so.13").exists():
            return place.resolve()
    pytest.skip("libcudart.so.13 is not built (CASSC_LIBDIR or cassc/lib)")


@pytest.fixture(scope="session")
def emulated(libdir: Path) -> Path:
    """The same folder, for tests that need the emulator too."""
    if not (libdir / "libcassc_emu.so").exists():
        pytest.skip("libcassc_emu.so is not built")
    return libdir


@pytest.fixture(scope="session")
def gxx() -> str:
    found = shutil.which("g++")
    if found is None:
        pytest.skip("g++ is not on PATH")
    return found


@pytest.fixture(scope="session")
def code_object(shared_folder: Path) -> bytes:
    """The kernels of programs/device.c for gfx1100."""
    clang = shutil.which("clang-19") or shutil.which("clang")
    linker = shutil.which("ld.lld-19") or shutil.which("ld.lld")
    if clang is None or linker is None:
        pytest.skip("clang and ld.lld, which make the test kernels, are not on PATH")

    def make(out: Path) -> None:
        assembly, relocatable = out.with_suffix(".ll"), out.with_suffix(".o")
        source = PROGRAMS / "device.c"
        run([clang, *_DEVICE_FLAGS, "-ffreestanding", "-S", "-emit-llvm", source, "-o", assembly])
        # C has no way to say __launch_bounds__(128), LLVM IR has.
        text, changed = re.subn(
            r"(define [^\n]*@bounded\([^\n]*\)[^\n{]*)",
            r'\1"amdgpu-flat-work-group-size"="1,128" ',
            assembly.read_text(),
        )
        assert changed == 1
        assembly.write_text(text)
        run([clang, *_DEVICE_FLAGS, "-c", assembly, "-o", relocatable])
        run([linker, "-shared", relocatable, "-o", out])

    return sharing.made_once(shared_folder / "device.hsaco", make).read_bytes()


@dataclass(frozen=True)
class Builder:
    """Builds a test program once."""

    nvcc: toolchain.Nvcc
    gxx: str
    libdir: Path
    out: Path
    code_object: bytes

    def object(self, name: str, *flags: str, translated: bool = True) -> Path:
        """``programs/NAME.cu`` as an object whose fat binary holds the test kernels as well."""

        def make(path: Path) -> None:
            source = PROGRAMS / f"{name}.cu"
            run([self.nvcc.path, "-std=c++17", "-arch=sm_80", *flags, "-c", source, "-o", path])
            if translated:
                image = host.read(path)
                entry = fatbin.make_entry(
                    EntryKind.CODE_OBJECTS, SmArch(80), bundle.pack({DEFAULT_TARGET: self.code_object})
                )
                additions = [(fat, [entry]) for fat in fatbin.extract(image)]
                path.write_bytes(embed.embed(image, additions).data)

        title = f"{name}{'' if translated else '-plain'}{''.join(flags).replace('/', '_')}.o"
        return sharing.made_once(self.out / title, make)

    def program(self, *names: str, flags: Sequence[str] = (), translated: bool = True) -> Path:
        """The objects of these sources, linked with g++ against our libcudart."""
        objects = [self.object(name, *flags, translated=translated) for name in names]

        def make(path: Path) -> None:
            libraries: list[str | Path] = [self.libdir / "libcudart.so.13", f"-Wl,-rpath,{self.libdir}"]
            run([self.gxx, *objects, "-o", path, *libraries])

        return sharing.made_once(self.out / "+".join(one.stem for one in objects), make)


@pytest.fixture(scope="session")
def builder(nvcc: toolchain.Nvcc, gxx: str, emulated: Path, code_object: bytes, shared_folder: Path) -> Builder:
    return Builder(nvcc, gxx, emulated, shared_folder, code_object)


Execute = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def execute() -> Execute:
    """``execute(program, *arguments, **environment)`` on the device, unless they name another."""

    def start(program: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        surroundings = {"PATH": "/usr/bin:/bin", **device.variables(), **environment}
        return subprocess.run(
            [str(program), *arguments], capture_output=True, text=True, timeout=60, check=False, env=surroundings
        )

    return start
