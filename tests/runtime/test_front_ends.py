"""libcudart.so.12 and .13 as libraries: names, version nodes, error texts, structure layouts."""

from __future__ import annotations

import ctypes
import re
import subprocess
import sys
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.gnuversions import GNUVerDefSection, GNUVerSymSection
from elftools.elf.sections import SymbolTableSection

from cassc import toolchain
from tests.runtime.conftest import Builder, Execute

CUDART = Path(__file__).parents[2] / "shims" / "cudart"
MAJORS = (12, 13)


def api(major: int) -> set[str]:
    rows = re.findall(r"^CUDART\((\w+), (\d+), (\d+)\)$", (CUDART / "api.def").read_text(), re.MULTILINE)
    return {name for name, first, last in rows if int(first) <= major <= int(last)}


def exports(path: Path) -> dict[str, str]:
    """Defined dynamic symbols and their version nodes."""
    with path.open("rb") as stream:
        elf = ELFFile(stream)
        symbols, versions, nodes = (elf.get_section_by_name(n) for n in (".dynsym", ".gnu.version", ".gnu.version_d"))
        assert isinstance(symbols, SymbolTableSection)
        assert isinstance(versions, GNUVerSymSection) and isinstance(nodes, GNUVerDefSection)
        names = {definition["vd_ndx"]: next(iter(aux)).name for definition, aux in nodes.iter_versions()}
        found = {}
        for index, symbol in enumerate(symbols.iter_symbols()):
            if symbol["st_shndx"] not in ("SHN_UNDEF", "SHN_ABS") and symbol.name:
                number = versions.get_symbol(index)["ndx"]
                found[symbol.name] = names.get(number, str(number)) if isinstance(number, int) else str(number)
        return found


@pytest.mark.parametrize(("major", "count"), [(12, 435), (13, 458)])
def test_every_name_with_its_version_node(libdir: Path, major: int, count: int) -> None:
    names = api(major)
    assert len(names) == count
    assert exports(libdir / f"libcudart.so.{major}") == dict.fromkeys(names, f"libcudart.so.{major}")


@pytest.mark.parametrize("major", MAJORS)
def test_what_is_not_implemented_says_so_once(libdir: Path, major: int) -> None:
    script = f"import ctypes; l = ctypes.CDLL({str(libdir / f'libcudart.so.{major}')!r});" + (
        "print(l.cudaIpcGetMemHandle(), l.cudaIpcGetMemHandle(), l.cudaGetLastError(), l.cudaGetLastError())"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["801", "801", "801", "0"]
    assert done.stderr == "cassc: cudaIpcGetMemHandle is not supported\n"


def texts(library: ctypes.CDLL, code: int) -> tuple[bytes, bytes]:
    library.cudaGetErrorName.restype = library.cudaGetErrorString.restype = ctypes.c_char_p
    return library.cudaGetErrorName(code), library.cudaGetErrorString(code)


@pytest.mark.parametrize("major", MAJORS)
def test_error_names_and_texts(libdir: Path, major: int) -> None:
    library = ctypes.CDLL(str(libdir / f"libcudart.so.{major}"))
    assert texts(library, 0) == (b"cudaSuccess", b"no error")
    assert texts(library, 700) == (b"cudaErrorIllegalAddress", b"an illegal memory access was encountered")
    assert texts(library, 999) == (b"cudaErrorUnknown", b"unknown error")
    assert texts(library, 11) == texts(library, -1) == (b"unrecognized error code",) * 2


def test_error_texts_are_those_of_the_real_runtime(libdir: Path, nvcc: toolchain.Nvcc) -> None:
    candidates = [path for folder in ("lib64", "lib") for path in nvcc.root.glob(f"{folder}/libcudart.so.1[23]")]
    if not candidates:
        pytest.skip("the toolkit has no shared libcudart")
    real, ours = ctypes.CDLL(str(candidates[0])), ctypes.CDLL(str(libdir / "libcudart.so.13"))
    known = [code for code in range(-2, 11000) if texts(real, code)[0] != b"unrecognized error code"]
    assert len(known) > 130
    assert [texts(ours, code) for code in known] == [texts(real, code) for code in known]


@pytest.mark.parametrize(("major", "version"), [(12, 12090), (13, 13050)])
def test_version(libdir: Path, major: int, version: int) -> None:
    library, value = ctypes.CDLL(str(libdir / f"libcudart.so.{major}")), ctypes.c_int()
    assert (library.cudaRuntimeGetVersion(ctypes.byref(value)), value.value) == (0, version)


PARTS = {"maxBlockDimX": "maxThreadsDim", "maxGridDimX": "maxGridSize"}


def test_properties_lie_where_the_toolkit_has_them(nvcc: toolchain.Nvcc, gxx: str, tmp_path: Path) -> None:
    """Each field of properties.def that the toolkit's cudaDeviceProp has by the same name, by its compiler."""
    rows = re.findall(r"^PROPERTY\((\w+), (\d+), (-?\d+), (-?\d+), (\d)", (CUDART / "properties.def").read_text(), re.M)
    include = next(
        (p for p in (nvcc.root / "include", nvcc.root.parent / "include") if (p / "driver_types.h").exists()), None
    )
    if include is None:
        pytest.skip("the toolkit's headers are not there")
    header = (include / "driver_types.h").read_text()
    body = header[header.index("cudaDeviceProp\n") :]
    body = body[: body.index("};")]
    column = 3 if nvcc.version[0] >= 13 else 2
    checked, lines = 0, []
    for row in rows:
        name = PARTS.get(row[0], row[0])
        if re.search(rf"\b{name}(\[\d+\])?;", body) and int(row[column]) >= 0:
            checked += 1
            lines.append(f'static_assert(offsetof(cudaDeviceProp, {name}) == {row[column]}, "{name}");')
    assert checked > 60
    source = tmp_path / "layout.cpp"
    source.write_text("#include <cstddef>\n#include <driver_types.h>\n" + "\n".join(lines))
    command = [gxx, "-fsyntax-only", f"-I{include}", str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


PROPERTIES = """
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
buffer = (ctypes.c_ubyte * 2048)(*[0xEE] * 2048)
print(getattr(library, sys.argv[2])(buffer, 0))
size = max(i for i in range(2048) if buffer[i] != 0xEE) + 1
read = lambda at, kind: kind.from_buffer(buffer, at).value
name = bytes(buffer[:256]).split(b"\\0")[0].decode()
print(size, name, *(read(offset, ctypes.c_int) for offset in (308, 320, 360)))
print(getattr(library, sys.argv[2])(buffer, 1))
"""


@pytest.mark.parametrize(
    ("major", "name", "size"),
    [
        (12, "cudaGetDeviceProperties", 728),
        (12, "cudaGetDeviceProperties_v2", 1032),
        (13, "cudaGetDeviceProperties", 1008),
    ],
)
def test_properties_fill_exactly_their_structure(emulated: Path, major: int, name: str, size: int) -> None:
    command = [sys.executable, "-c", PROPERTIES, str(emulated / f"libcudart.so.{major}"), name]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={"CASSC_DEVICE": "emu"})
    assert done.stdout.splitlines() == ["0", f"{size} cassc RDNA3 emulator (gfx1100) 32 1024 8", "101"]


CALLS = """
import ctypes, sys
runtime, driver = (ctypes.CDLL(sys.argv[1] + name) for name in ("/libcudart.so.13", "/libcuda.so.1"))
pointer, size = ctypes.c_void_p(), ctypes.c_size_t
runtime.cudaMalloc(ctypes.byref(pointer), size(64))
runtime.cudaMemset(pointer, -1, size(64))
runtime.cudaFree(ctypes.c_void_p(16))
runtime.cudaMemcpyAsync_ptsz(pointer, pointer, size(4), 3, None)
runtime.cudaIpcGetMemHandle()
runtime.cudaGetErrorName.restype = ctypes.c_char_p
assert runtime.cudaGetErrorName(1) == b"cudaErrorInvalidValue"
driver.cuInit(0)
driver.cuDeviceGet(ctypes.byref(ctypes.c_int()), 7)
"""


def test_trace_has_a_line_for_each_call(emulated: Path) -> None:
    def traced(**more: str) -> list[str]:
        environment = {"CASSC_DEVICE": "emu", **more}
        command = [sys.executable, "-c", CALLS, str(emulated)]
        return subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stderr.splitlines()

    lines = [
        re.sub(r"^cassc: \[\d+\] |0x[0-9a-f]{5,}", lambda m: "" if "[" in m[0] else "P", x)
        for x in traced(CASSC_TRACE="1")
    ]
    assert lines == [
        "cudaMalloc(P, 64) = cudaSuccess",
        "cudaMemset(P, -1, 64) = cudaSuccess",
        "cudaFree(0x10) = cudaErrorInvalidValue",
        "cudaMemcpyAsync_ptsz(P, P, 4, 3, null) = cudaSuccess",
        "cassc: cudaIpcGetMemHandle is not supported",
        "cudaIpcGetMemHandle(...) = cudaErrorNotSupported",
        "cudaGetErrorName(1) = P",
        "cuInit(0) = CUDA_SUCCESS",
        "cuDeviceGet(P, 7) = CUDA_ERROR_INVALID_DEVICE",
    ]
    assert traced() == traced(CASSC_TRACE="0") == ["cassc: cudaIpcGetMemHandle is not supported"]


@pytest.mark.slow
def test_trace_of_a_program_with_threads(builder: Builder, execute: Execute) -> None:
    """Launches, graphs and callbacks of eight threads: whole lines, and the same results."""
    done = execute(builder.program("stress"), "4", CASSC_TRACE="1")
    assert (done.stdout, done.returncode) == ("8 threads, 4 rounds, 0 wrong\n", 0)
    lines = done.stderr.splitlines()
    assert all(re.match(r"cassc: \[\d+\] \w+\(.*\)( = \w+)?$", line) for line in lines)
    launches = [
        line for line in lines if re.search(r"\] (__)?cudaLaunchKernel\(0x\w+, \{1, 1, 1\}, \{1, 1, 1\}, ", line)
    ]
    assert len(launches) == 8 * (4 + 1)
