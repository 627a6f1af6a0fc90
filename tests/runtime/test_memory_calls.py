"""Calls on memory, libraries and graphs by ctypes, in this process: CUDA 12's interface where none is named."""

from __future__ import annotations

import ctypes
from ctypes import byref, c_char_p, c_int, c_size_t, c_uint, c_void_p
from pathlib import Path

import pytest

from cassc.image import bundle, fatbin
from cassc.image.fatbin import EntryKind, FatBinary
from cassc.target import DEFAULT_TARGET, SmArch

PAGE = 4096
READ_MOSTLY, PREFERRED, ACCESSED_BY, LAST_PREFETCH, PREFERRED_TYPE = range(1, 6)
HOST, NOWHERE = -1, -2


@pytest.fixture(scope="module")
def cudart(emulated: Path) -> ctypes.CDLL:
    return ctypes.CDLL(str(emulated / "libcudart.so.12"))


@pytest.fixture
def managed(cudart: ctypes.CDLL) -> int:
    """Four pages."""
    pointer = c_void_p()
    assert cudart.cudaMallocManaged(byref(pointer), c_size_t(4 * PAGE), 1) == 0
    assert pointer.value is not None
    return pointer.value


def attribute(function: ctypes._NamedFuncPointer, which: int, first: int, pages: int, values: int = 1) -> list[int]:
    data = (c_int * values)()
    assert function(data, c_size_t(4 * values), which, c_void_p(first), c_size_t(pages * PAGE)) == 0
    return list(data)


def test_hints_hold_for_their_range(cudart: ctypes.CDLL, managed: int) -> None:
    def of(which: int, page: int, pages: int, values: int = 1) -> list[int]:
        return attribute(cudart.cudaMemRangeGetAttribute, which, managed + page * PAGE, pages, values)

    def advise(page: int, pages: int, advice: int, place: int) -> None:
        assert cudart.cudaMemAdvise(c_void_p(managed + page * PAGE), c_size_t(pages * PAGE), advice, place) == 0

    assert (of(READ_MOSTLY, 0, 4), of(PREFERRED, 0, 4), of(LAST_PREFETCH, 0, 4)) == ([0], [NOWHERE], [NOWHERE])
    advise(1, 2, 1, 0)  # read mostly
    assert [of(READ_MOSTLY, 0, 4), of(READ_MOSTLY, 1, 2), of(READ_MOSTLY, 2, 2)] == [[0], [1], [0]]
    advise(2, 1, 2, 0)
    assert [of(READ_MOSTLY, 1, 1), of(READ_MOSTLY, 2, 1)] == [[1], [0]]
    advise(0, 4, 3, 0)
    advise(3, 1, 3, HOST)
    assert [of(PREFERRED, 0, 3), of(PREFERRED, 3, 1), of(PREFERRED, 0, 4)] == [[0], [HOST], [NOWHERE]]
    assert [of(PREFERRED_TYPE, 0, 3), of(PREFERRED_TYPE, 3, 1), of(PREFERRED_TYPE, 0, 4)] == [[1], [2], [0]]
    advise(0, 4, 4, 0)
    assert of(PREFERRED, 0, 4) == [NOWHERE]
    advise(0, 4, 5, 0)
    advise(0, 1, 5, HOST)
    assert of(ACCESSED_BY, 0, 1, 3) == [0, HOST, NOWHERE]
    assert of(ACCESSED_BY, 0, 4, 3) == [0, NOWHERE, NOWHERE]
    assert cudart.cudaMemPrefetchAsync(c_void_p(managed), c_size_t(2 * PAGE), HOST, None) == 0
    assert [of(LAST_PREFETCH, 0, 2), of(LAST_PREFETCH, 0, 3)] == [[HOST], [NOWHERE]]


def test_attributes_of_ranges_that_have_none(cudart: ctypes.CDLL, managed: int) -> None:
    value, ordinary = c_int(), c_void_p()
    assert cudart.cudaMalloc(byref(ordinary), c_size_t(PAGE)) == 0
    for pointer, size, which, bytes_ in (
        (ordinary.value, 4, READ_MOSTLY, 4),
        (managed, 4, READ_MOSTLY, 5 * PAGE),
        (managed, 4, READ_MOSTLY, 0),
        (managed, 8, READ_MOSTLY, 4),
        (managed, 3, ACCESSED_BY, 4),
        (managed, 4, 9, 4),
    ):
        arguments = (byref(value), c_size_t(size), which, c_void_p(pointer), c_size_t(bytes_))
        assert cudart.cudaMemRangeGetAttribute(*arguments) == 1
    assert cudart.cudaMemAdvise(c_void_p(managed), c_size_t(PAGE), 1, 5) == 101
    assert cudart.cudaGetLastError() == 101


def test_several_attributes_and_those_of_the_driver(cudart: ctypes.CDLL, emulated: Path, managed: int) -> None:
    assert cudart.cudaMemAdvise(c_void_p(managed), c_size_t(PAGE), 3, HOST) == 0
    first, second = c_int(), (c_int * 2)()
    data = (c_void_p * 2)(ctypes.addressof(first), ctypes.addressof(second))
    arguments = (data, (c_size_t * 2)(4, 8), (c_int * 2)(PREFERRED, ACCESSED_BY), c_size_t(2))
    where = (c_void_p(managed), c_size_t(PAGE))
    for function in (
        cudart.cudaMemRangeGetAttributes,
        ctypes.CDLL(str(emulated / "libcuda.so.1")).cuMemRangeGetAttributes,
    ):
        first.value = 7
        assert function(*arguments, *where) == 0
        assert (first.value, list(second)) == (HOST, [NOWHERE, NOWHERE])


class Pitched(ctypes.Structure):
    _fields_ = [("pointer", c_void_p), ("pitch", c_size_t), ("width", c_size_t), ("height", c_size_t)]


class Peers(ctypes.Structure):
    """cudaMemcpy3DPeerParms."""

    _fields_ = [
        ("source_array", c_void_p),
        ("source_at", c_size_t * 3),
        ("source", Pitched),
        ("source_device", c_int),
        ("target_array", c_void_p),
        ("target_at", c_size_t * 3),
        ("target", Pitched),
        ("target_device", c_int),
        ("extent", c_size_t * 3),
    ]


def test_boxes_between_peers(cudart: ctypes.CDLL) -> None:
    """A box of 2 by 2 by 2 bytes out of the corner of one of 4 by 3 by 2."""
    assert ctypes.sizeof(Peers) == 168
    pointers = [c_void_p(), c_void_p()]
    for pointer in pointers:
        assert cudart.cudaMalloc(byref(pointer), c_size_t(24)) == 0
    assert cudart.cudaMemcpy(pointers[0], bytes(range(24)), c_size_t(24), 1) == 0
    parameters = Peers(source=Pitched(pointers[0], 4, 4, 3), target=Pitched(pointers[1], 2, 2, 2))
    parameters.source_at[:], parameters.extent[:] = [2, 1, 0], [2, 2, 2]
    back = ctypes.create_string_buffer(8)
    for name, *stream in (("cudaMemcpy3DPeer",), ("cudaMemcpy3DPeerAsync", None)):
        assert cudart.cudaMemset(pointers[1], 0, c_size_t(8)) == 0
        assert cudart[str(name)](byref(parameters), *stream) == 0
        assert cudart.cudaMemcpy(back, pointers[1], c_size_t(8), 2) == 0
        assert list(back.raw) == [6, 7, 10, 11, 18, 19, 22, 23]
    parameters.target_device = 1
    assert cudart.cudaMemcpy3DPeer(byref(parameters)) == 101


def test_batches_of_copies(cudart: ctypes.CDLL, emulated: Path) -> None:
    stream, target = c_void_p(), c_void_p()
    assert cudart.cudaStreamCreate(byref(stream)) == 0
    assert cudart.cudaMalloc(byref(target), c_size_t(16)) == 0
    start = target.value
    assert start is not None
    source, failed = ctypes.create_string_buffer(b"0123456789abcdef", 16), c_size_t(5)
    attributes, index = (c_int * 6)(1), c_size_t(0)

    def copy(library: ctypes.CDLL, sizes: list[int], *more: object) -> int:
        at = ctypes.addressof(source)
        targets, sources = (c_void_p * 2)(start, start + 8), (c_void_p * 2)(at + 8, at)
        arguments = (
            targets,
            sources,
            (c_size_t * 2)(*sizes),
            c_size_t(2),
            byref(attributes),
            byref(index),
            c_size_t(1),
        )
        return int(library.cudaMemcpyBatchAsync(*arguments, *more, stream))

    def held() -> bytes:
        assert cudart.cudaStreamSynchronize(stream) == 0
        back = ctypes.create_string_buffer(16)
        assert cudart.cudaMemcpy(back, target, c_size_t(16), 2) == 0
        return back.raw

    assert copy(cudart, [8, 8], byref(failed)) == 0
    assert (failed.value, held()) == (2**64 - 1, b"89abcdef01234567")
    assert copy(cudart, [8, 9], byref(failed)) == 1  # leaves the allocation
    assert failed.value == 1
    assert copy(ctypes.CDLL(str(emulated / "libcudart.so.13")), [4, 8]) == 0
    assert held() == b"89abcdef01234567"


@pytest.fixture
def library(cudart: ctypes.CDLL, code_object: bytes) -> c_void_p:
    """The kernels of programs/device.c, loaded by the program itself."""
    entry = fatbin.make_entry(EntryKind.CODE_OBJECTS, SmArch(80), bundle.pack({DEFAULT_TARGET: code_object}))
    made, image = c_void_p(), fatbin.serialize(FatBinary((entry,)))
    assert cudart.cudaLibraryLoadData(byref(made), image, None, None, 0, None, None, 0) == 0
    return made


def kernel_of(cudart: ctypes.CDLL, library: c_void_p, name: bytes) -> c_void_p:
    kernel = c_void_p()
    assert cudart.cudaLibraryGetKernel(byref(kernel), library, c_char_p(name)) == 0
    return kernel


class KernelNode(ctypes.Structure):
    """cudaKernelNodeParams."""

    _fields_ = [
        ("function", c_void_p),
        ("grid", c_uint * 3),
        ("block", c_uint * 3),
        ("shared", c_uint),
        ("arguments", c_void_p),
        ("extra", c_void_p),
    ]


def test_libraries(cudart: ctypes.CDLL, library: c_void_p) -> None:
    count = c_uint()
    assert cudart.cudaLibraryGetKernelCount(byref(count), library) == 0
    kernels = (c_void_p * count.value)()
    assert cudart.cudaLibraryEnumerateKernels(kernels, count, library) == 0
    assert kernel_of(cudart, library, b"set_value").value in list(kernels)
    assert cudart.cudaLibraryGetKernel(byref(c_void_p()), library, c_char_p(b"absent")) == 500
    assert cudart.cudaLibraryGetGlobal(byref(c_void_p()), None, library, c_char_p(b"absent")) == 500
    assert cudart.cudaLibraryUnload(library) == 0
    assert cudart.cudaLibraryUnload(library) == 400


def test_attributes_of_kernel_nodes(cudart: ctypes.CDLL, library: c_void_p) -> None:
    target, value, graph = c_void_p(), c_int(7), c_void_p()
    assert cudart.cudaMalloc(byref(target), c_size_t(4)) == 0
    arguments = (c_void_p * 2)(ctypes.addressof(target), ctypes.addressof(value))
    parameters = KernelNode(kernel_of(cudart, library, b"set_value"), (1, 1, 1), (1, 1, 1), 0)
    parameters.arguments = ctypes.addressof(arguments)
    assert cudart.cudaGraphCreate(byref(graph), 0) == 0
    nodes = [c_void_p(), c_void_p()]
    for node in nodes:
        assert cudart.cudaGraphAddKernelNode(byref(node), graph, None, c_size_t(0), byref(parameters)) == 0
    attribute = (c_int * 16)(3)
    priority, cooperative, cluster, memory = 8, 2, 4, 100
    assert cudart.cudaGraphKernelNodeSetAttribute(nodes[0], priority, attribute) == 0
    attribute[0] = 1
    assert cudart.cudaGraphKernelNodeSetAttribute(nodes[0], cooperative, attribute) == 0
    assert cudart.cudaGraphKernelNodeSetAttribute(nodes[0], memory, attribute) == 1
    attribute[:3] = [2, 1, 1]
    assert cudart.cudaGraphKernelNodeSetAttribute(nodes[0], cluster, attribute) == 801

    def given(node: c_void_p, which: int) -> int:
        assert cudart.cudaGraphKernelNodeGetAttribute(node, which, attribute) == 0
        return int(attribute[0])

    assert [given(nodes[0], priority), given(nodes[0], cooperative)] == [3, 1]
    assert [given(nodes[1], priority), given(nodes[1], cooperative)] == [0, 0]
    assert cudart.cudaGraphKernelNodeCopyAttributes(nodes[1], nodes[0]) == 0
    assert [given(nodes[1], priority), given(nodes[1], cooperative)] == [3, 1]
    clone, twin = c_void_p(), c_void_p()
    assert cudart.cudaGraphClone(byref(clone), graph) == 0
    assert cudart.cudaGraphNodeFindInClone(byref(twin), nodes[0], clone) == 0
    assert given(twin, priority) == 3
    executable = c_void_p()
    assert cudart.cudaGraphInstantiate(byref(executable), graph, ctypes.c_ulonglong(0)) == 0
    assert cudart.cudaGraphLaunch(executable, None) == 0
    back = c_int()
    assert cudart.cudaMemcpy(byref(back), target, c_size_t(4), 2) == 0
    assert back.value == 7
