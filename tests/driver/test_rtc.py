"""NVRTC by nvcc: the folder that libnvrtc and ``cassc rtc`` share, and the library itself."""

from __future__ import annotations

import ctypes
import os
import shlex
import sys
from pathlib import Path

import pytest

import cassc
from cassc import toolchain
from cassc.driver import libraries, rtc

SOURCE = """
#include "factor.h"
template <class T> __global__ void scale(T* p, T a) { p[threadIdx.x] *= a * FACTOR; }
namespace inner { __constant__ int table[4]; __global__ void plain(int* p) { *p = table[1]; } }
"""
EXPRESSIONS = ["scale<float>", "inner::plain", "&inner::table"]


@pytest.mark.parametrize(
    ("given", "architecture", "words"),
    [
        ([], "compute_75", ()),
        (["--gpu-architecture=sm_80", "-DX=1", "--no-cache"], "sm_80", ("-DX=1",)),
        (["-default-device"], "compute_75", ("--expt-relaxed-constexpr",)),
        (["-arch", "compute_90a", "-I", "/x", "--std=c++17"], "compute_90a", ("-I", "/x", "--std=c++17")),
    ],
)
def test_options(given: list[str], architecture: str, words: tuple[str, ...]) -> None:
    assert rtc.read_options(given) == rtc.Options(architecture, words)


@pytest.mark.parametrize("given", [["-pch"], ["-arch=80"], ["-arch"], ["-dlto"]])
def test_refused_options(given: list[str], tmp_path: Path) -> None:
    (tmp_path / "options").write_text("\n".join(given))
    assert rtc.compile_folder(tmp_path) == rtc.INVALID_OPTION
    assert given[0] in (tmp_path / "log").read_text() or "invalid value" in (tmp_path / "log").read_text()


def test_nvidia_is_preferred(tmp_path: Path) -> None:
    here = {"LD_LIBRARY_PATH": f"/nowhere:{tmp_path}"}
    (tmp_path / "libnvrtc.so.13").touch()
    assert libraries.has_nvrtc(here)


@pytest.fixture
def nvrtc(nvcc: toolchain.Nvcc, monkeypatch: pytest.MonkeyPatch) -> ctypes.CDLL:
    runtime = toolchain.find_runtime()
    if runtime is None or not (runtime / "nvrtc/libnvrtc.so.13").exists():
        pytest.skip("libnvrtc.so.13 is not built (set CASSC_LIBDIR, or install the package)")
    command = [sys.executable, str(Path(cassc.__file__).with_name("cli.py")), "rtc"]
    library = ctypes.CDLL(str(runtime / "nvrtc/libnvrtc.so.13"))
    ctypes.CDLL(None).setenv(b"CASSC_RTC", shlex.join(command).encode(), 1)
    monkeypatch.setitem(os.environ, "CASSC_RTC", shlex.join(command))
    return library


class Program:
    def __init__(self, library: ctypes.CDLL, source: str) -> None:
        self.library, self.handle = library, ctypes.c_void_p()
        headers, names = (ctypes.c_char_p * 1)(b"#define FACTOR 2\n"), (ctypes.c_char_p * 1)(b"factor.h")
        created = library.nvrtcCreateProgram(ctypes.byref(self.handle), source.encode(), b"mine.cu", 1, headers, names)
        assert created == 0

    def compile(self, *options: str) -> int:
        words = (ctypes.c_char_p * len(options))(*(word.encode() for word in options))
        return int(self.library.nvrtcCompileProgram(self.handle, len(options), words))

    def get(self, what: str) -> bytes:
        size = ctypes.c_size_t()
        assert getattr(self.library, f"nvrtcGet{what}Size")(self.handle, ctypes.byref(size)) == 0
        text = ctypes.create_string_buffer(max(size.value, 1))
        assert getattr(self.library, f"nvrtcGet{what}")(self.handle, text) == 0
        return text.raw[: size.value]

    def lowered(self, expression: str) -> str | None:
        name = ctypes.c_char_p()
        status = self.library.nvrtcGetLoweredName(self.handle, expression.encode(), ctypes.byref(name))
        return name.value.decode() if status == 0 and name.value is not None else None


@pytest.mark.slow
def test_a_program_is_compiled(nvrtc: ctypes.CDLL) -> None:
    program = Program(nvrtc, SOURCE)
    for expression in EXPRESSIONS:
        assert nvrtc.nvrtcAddNameExpression(program.handle, expression.encode()) == 0
    assert program.lowered(EXPRESSIONS[0]) is None
    assert program.compile("--gpu-architecture=sm_80", "--std=c++17") == 0, program.get("ProgramLog")
    assert b".entry _Z5scaleIfEvPT_S0_(" in program.get("PTX")
    assert program.get("CUBIN")[:4] == b"\x7fELF"
    assert b"__cassc" not in program.get("PTX")
    assert [program.lowered(expression) for expression in EXPRESSIONS] == [
        "_Z5scaleIfEvPT_S0_",
        "_ZN5inner5plainEPi",
        "_ZN5inner5tableE",
    ]
    assert nvrtc.nvrtcDestroyProgram(ctypes.byref(program.handle)) == 0


@pytest.mark.slow
def test_errors_name_the_program(nvrtc: ctypes.CDLL) -> None:
    program = Program(nvrtc, "__global__ void f() {\n  nonsense;\n}\n")
    assert program.compile("-arch=compute_80") == rtc.COMPILATION
    assert b'mine.cu(2): error: identifier "nonsense" is undefined' in program.get("ProgramLog")
    assert Program(nvrtc, "").compile("--optix-ir") == rtc.INVALID_OPTION
