"""HIP programs, built by clang without HIP's own headers, on libamdhip64 over the emulator."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from cassc.amdgpu import emulator
from cassc.hip import tools
from cassc.image import bundle
from cassc.target import DEFAULT_TARGET

PROGRAMS = Path(__file__).parent / "programs"


def _run(command: Sequence[str | Path], **environment: str) -> str:
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, check=False, env={**os.environ, **environment})
    assert done.returncode == 0, f"{words[0]}: {done.stderr}"
    return done.stdout


@dataclass(frozen=True)
class Clang:
    """clang as a HIP compiler: device code, an offload bundle of it, and a host object that holds the bundle."""

    path: str
    gxx: str
    library: Path
    out: Path

    def device(self, source: Path, *flags: str, libraries: Path | None = None) -> Path:
        """libraries: AMD's device library; None: without it."""
        code = self.out / f"{source.stem}{''.join(flags)}.co"
        library = "-nogpulib" if libraries is None else f"--rocm-device-lib-path={libraries}"
        _run([*self._common(source, *flags), "--cuda-device-only", "--no-gpu-bundle-output", library, "-o", code])
        return code

    def program(self, source: Path, libraries: Path | None = None) -> Path:
        packed, made, program = (self.out / f"{source.stem}{suffix}" for suffix in (".hipfb", ".o", ""))
        packed.write_bytes(bundle.pack({DEFAULT_TARGET: self.device(source, libraries=libraries).read_bytes()}))
        include = ["--cuda-host-only", "-Xclang", "-fcuda-include-gpubinary", "-Xclang", str(packed)]
        _run([*self._common(source), *include, "-c", "-o", str(made)])
        _run([self.gxx, made, "-o", program, self.library / "libamdhip64.so.6", f"-Wl,-rpath,{self.library}"])
        return program

    def _common(self, source: Path, *flags: str) -> list[str | Path]:
        return [self.path, "-x", "hip", "--offload-arch=gfx1100", "-nogpuinc", "-O2", "-std=c++17", *flags, source]


@pytest.fixture(scope="module")
def clang(tmp_path_factory: pytest.TempPathFactory) -> Clang:
    path, gxx, lld = shutil.which("clang++-19"), shutil.which("g++"), shutil.which("ld.lld-19")
    if path is None or gxx is None or lld is None:
        pytest.skip("clang++-19, ld.lld-19 and g++, which build HIP programs, are not all on PATH")
    library = emulator.library_path()
    if library is None or not (library.parent / "hip" / "libamdhip64.so.6").exists():
        pytest.skip("hip/libamdhip64.so is not built")
    return Clang(path, gxx, (library.parent / "hip").resolve(), tmp_path_factory.mktemp("hip"))


@pytest.mark.slow
def test_values(clang: Clang) -> None:
    program = clang.program(PROGRAMS / "hip_values.hip")
    # A HIP program asks for HIP, and must not be led in a circle.
    lines = _run([program, "far"], CASSC_DEVICE="hip").splitlines()
    assert lines == [
        "devices 1, gfx1100, gfx1100, warp 32",
        "scale 2 12 796",
        "reverse 127 0",
        "unaligned 7000000 7",
        "sum 8960, counter 1317, calls 1, time ok",
        "occupancy 16",
        "hipErrorOutOfMemory, out of memory",
        "last hipErrorOutOfMemory, then hipSuccess",
        "too many threads: hipErrorInvalidValue",
        "far: hipErrorIllegalAddress",
    ]


@pytest.mark.slow
def test_services_and_textures(clang: Clang) -> None:
    libraries = tools.find_device_libraries(19)
    if libraries is None or not (libraries / "ockl.bc").exists():
        pytest.skip("AMD's device library is not there")
    text = _run([clang.program(PROGRAMS / "hip_services.hip", libraries)])
    said, lines = sorted(text.splitlines()[:4]), text.splitlines()[4:]
    assert said == sorted(
        f"thread {t:2} of block {block}: hello, {t / 2:.3f}, {-1 << 40}, {chr(97 + t % 26)}%"
        for block in (0, 1)
        for t in (3, 19)
    )
    assert lines == [
        *(f"blocks of {size}: 0 wrong" for size in (64, 1024, 65536)),
        "point: 0 81 961",
        f"linear: {(0 + 1) / 2:g} {(81 + 100) / 2:g} 961",
        # HSA's channel type 15 is a float, its channel order 1 is red alone
        *(f"surface: {115000:g} {115000 + 81 * times:g} {115000 + 961 * times:g}" for times in (1, 2)),
    ]


@pytest.mark.slow
def test_modules(clang: Clang) -> None:
    code = clang.device(PROGRAMS / "hip_module.hip", "-DDEVICE")
    lines = _run([clang.program(PROGRAMS / "hip_module.hip"), code]).splitlines()
    first, last = (int((int((i + 5 + 5) * 2) + 1 + 5) * 0.5) for i in (0, 31))
    assert lines == [f"{first} {last} 4", "hipErrorNotFound", "hipErrorFileNotFound"]


@pytest.mark.slow
def test_run_takes_hip_programs(clang: Clang, tmp_path: Path) -> None:
    """Also one that was linked with another libamdhip64 and says nothing of where ours is."""
    program = clang.program(PROGRAMS / "hip_values.hip")
    bare = program.with_name("bare")
    object_file = program.with_name("hip_values.o")
    _run([clang.gxx, object_file, "-o", bare, f"-L{clang.library}", "-l:libamdhip64.so.6"])
    command = [sys.executable, "-m", "cassc.cli", "run", "--check=mem", "--print-limit", "1", str(bare), "far"]
    done = subprocess.run(command, cwd=bare.parent, capture_output=True, text=True, check=False)
    assert "far: hipErrorIllegalAddress" in done.stdout, done.stderr
    assert "Invalid __global__ write of size 4 bytes" in done.stderr


@pytest.mark.slow
def test_checks_see_hip_programs(clang: Clang, tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    _run([clang.program(PROGRAMS / "hip_values.hip"), "far"], CASSC_EMU_OBSERVE="mem", CASSC_EMU_JOURNAL=str(journal))
    assert '"type": "invalid"' in journal.read_text()
