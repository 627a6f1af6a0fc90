"""libcudart.so.11.0: where the interface of CUDA 11 is not that of 12."""

from __future__ import annotations

import ctypes
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

from cassc import toolchain


@pytest.fixture(scope="module")
def path() -> Path:
    runtime = toolchain.find_runtime()
    if runtime is None or not (runtime / "libcudart.so.11.0").exists():
        pytest.skip("libcudart.so.11.0 is not built (set CASSC_LIBDIR, or install the package)")
    return runtime / "libcudart.so.11.0"


@pytest.fixture(scope="module")
def cudart(path: Path) -> ctypes.CDLL:
    return ctypes.CDLL(str(path))


def test_names_and_version(path: Path, cudart: ctypes.CDLL) -> None:
    with path.open("rb") as stream:
        file = ELFFile(stream)
        nodes = [next(aux).name for _, aux in file.get_section_by_name(".gnu.version_d").iter_versions()]
        names = {symbol.name for symbol in file.get_section_by_name(".dynsym").iter_symbols()}
    assert "libcudart.so.11.0" in nodes
    assert {"cudaBindTexture", "__cudaRegisterTexture", "cudaCreateTextureObject_v2", "cudaThreadExit"} <= names
    assert "cudaGetDeviceProperties_v2" not in names  # of CUDA 12
    version = ctypes.c_int()
    assert cudart.cudaRuntimeGetVersion(ctypes.byref(version)) == 0
    assert version.value == 11080


def test_properties_end_where_those_of_cuda_11_end(cudart: ctypes.CDLL) -> None:
    properties = (ctypes.c_ubyte * 800)(*[0xAB] * 800)
    assert cudart.cudaGetDeviceProperties(properties, 0) == 0
    assert bytes(properties[728:]) == b"\xab" * 72
    assert ctypes.c_int.from_buffer(properties, 308).value == 32  # warpSize


def test_graphs(cudart: ctypes.CDLL) -> None:
    graph, other, executable = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    for made in (graph, other):
        assert cudart.cudaGraphCreate(ctypes.byref(made), 0) == 0
        assert cudart.cudaGraphAddEmptyNode(ctypes.byref(ctypes.c_void_p()), made, None, ctypes.c_size_t(0)) == 0
    log, bad = ctypes.create_string_buffer(b"unset", 16), ctypes.c_void_p(1)
    arguments = (ctypes.byref(executable), graph, ctypes.byref(bad), log, ctypes.c_size_t(16))
    assert cudart.cudaGraphInstantiate(*arguments) == 0
    assert (bad.value, log.value) == (None, b"")
    result = ctypes.c_int(-1)
    assert cudart.cudaGraphExecUpdate(executable, other, ctypes.byref(bad), ctypes.byref(result)) == 0
    assert result.value == 0
    assert cudart.cudaGraphAddEmptyNode(ctypes.byref(ctypes.c_void_p()), other, None, ctypes.c_size_t(0)) == 0
    assert cudart.cudaGraphExecUpdate(executable, other, ctypes.byref(bad), ctypes.byref(result)) == 910
    assert result.value == 2  # cudaGraphExecUpdateErrorTopologyChanged
    assert cudart.cudaGraphLaunch(executable, None) == 0


def test_entry_points_take_three_arguments(cudart: ctypes.CDLL) -> None:
    function = ctypes.c_void_p()
    assert cudart.cudaGetDriverEntryPoint(b"cuInit", ctypes.byref(function), ctypes.c_ulonglong(0)) == 0
    assert function.value
    assert cudart.cudaGetDriverEntryPoint(b"cuNothing", ctypes.byref(function), ctypes.c_ulonglong(0)) == 500


def test_textures_have_the_short_description(cudart: ctypes.CDLL) -> None:
    """What lies behind its 68 bytes is not read, nor written."""
    memory, texture = ctypes.c_void_p(), ctypes.c_ulonglong()
    assert cudart.cudaMalloc(ctypes.byref(memory), ctypes.c_size_t(1024)) == 0
    resource = (ctypes.c_ubyte * 64)()
    ctypes.c_int.from_buffer(resource, 0).value = 2  # linear
    ctypes.c_void_p.from_buffer(resource, 8).value = memory.value
    for i, number in enumerate((32, 0, 0, 0, 2)):  # one float
        ctypes.c_int.from_buffer(resource, 16 + 4 * i).value = number
    ctypes.c_size_t.from_buffer(resource, 40).value = 1024
    description = (ctypes.c_ubyte * 72)(*[0] * 68, *[0xFF] * 4)
    assert cudart.cudaCreateTextureObject(ctypes.byref(texture), resource, description, None) == 0
    back = (ctypes.c_ubyte * 72)(*[0xCD] * 72)
    assert cudart.cudaGetTextureObjectTextureDesc(back, texture) == 0
    assert bytes(back) == bytes(68) + b"\xcd" * 4
    assert cudart.cudaCreateTextureObject_v2(ctypes.byref(texture), resource, description, None) == 801  # seamless


def test_texture_references_are_refused(cudart: ctypes.CDLL) -> None:
    assert cudart.cudaBindTexture(None, None, None, None, ctypes.c_size_t(0)) == 801
