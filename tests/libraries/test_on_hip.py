"""On a HIP device the mathematical libraries call ROCm's. Stand-ins of those record what reaches them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SHIMS = Path(__file__).parents[2] / "shims"
SONAMES = ["libhipblas.so.3", "libhipsolver.so.1", "libhipfft.so.0", "libhiprand.so.1", "libhipsparse.so.4"]
PRELUDE = """
import ctypes, sys
from ctypes import byref, c_double, c_float, c_int, c_longlong, c_size_t, c_ulonglong, c_void_p
folder = sys.argv[1]
runtime = ctypes.CDLL(folder + "/libcudart.so.13")
def library(name): return ctypes.CDLL(folder + "/" + name)
def say(*words): print(*words, flush=True)
def memory(size):
    pointer = c_void_p()
    assert runtime.cudaMalloc(byref(pointer), c_size_t(size)) == 0
    return pointer
handle, stream, p = c_void_p(), c_void_p(), memory(1024)
assert runtime.cudaStreamCreate(byref(stream)) == 0
"""
Script = Callable[..., "list[str]"]


def build(source: Path, target: Path, *flags: str) -> None:
    gxx = shutil.which("g++")
    if gxx is None:
        pytest.skip("g++ is not on PATH")
    command = [gxx, "-std=c++17", "-O1", "-shared", "-fPIC", str(source), "-o", str(target), *flags]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def script(libdir: Path, tmp_path_factory: pytest.TempPathFactory) -> Script:
    """``script(text)``: its lines and those of the stand-ins, in order, run where HIP finds a device."""
    folder = tmp_path_factory.mktemp("rocm")
    emulator = [str(libdir / "libcassc_emu.so"), f"-Wl,-rpath,{libdir}", f"-I{SHIMS / 'include'}"]
    build(HERE.parent / "runtime" / "programs" / "fake_hip.cpp", folder / "libamdhip64.so", *emulator)
    build(HERE / "programs" / "rocm_recorder.cpp", folder / SONAMES[0])
    for name in SONAMES[1:]:
        shutil.copy(folder / SONAMES[0], folder / name)

    def start(text: str, rocm: bool = True) -> list[str]:
        paths = folder
        if not rocm:
            paths = tmp_path_factory.mktemp("hip")
            shutil.copy(folder / "libamdhip64.so", paths)
        environment = {**os.environ, "LD_LIBRARY_PATH": str(paths), "CASSC_DEVICE": "hip"}
        done = subprocess.run(
            [sys.executable, "-c", PRELUDE + text, str(libdir)],
            capture_output=True, text=True, env=environment, check=False, timeout=60,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return [*done.stdout.splitlines(), *(line for line in done.stderr.splitlines() if line.startswith("cassc:"))]

    return start


def test_cublas(script: Script) -> None:
    made = script("""
blas = library("libcublas.so.13")
say(blas.cublasCreate_v2(byref(handle)))
x, y = memory(16), memory(16)
both = (c_float * 4)(1, 2, 3, 4)
for pointer in (x, y): runtime.cudaMemcpy(pointer, both, c_size_t(16), 1)
blas.cublasSaxpy_v2(handle, 4, byref(c_float(10)), x, 1, y, 1)
runtime.cudaMemcpy(both, y, c_size_t(16), 2)
say(*both)
blas.cublasSetStream_v2(handle, stream)
blas.cublasSetPointerMode_v2(handle, 1)
blas.cublasStrsm_v2(handle, 1, 0, 2, 1, 5, 6, p, p, 7, p, 8)
blas.cublasSetPointerMode_v2(handle, 0)
blas.cublasSetAtomicsMode(handle, 1)
blas.cublasDgemm_v2(handle, 0, 1, 2, 3, 4, byref(c_double(1.5)), p, 5, p, 6, byref(c_double(0.5)), p, 7)
blas.cublasCgemm3m(handle, 0, 0, 2, 3, 4, p, p, 5, p, 6, p, p, 7)
blas.cublasGemmEx(handle, 1, 0, 2, 3, 4, p, p, 2, 5, p, 2, 6, p, p, 0, 7, 77, -1)
say(blas.cublasSscal_v2_64(handle, c_longlong(1), byref(c_float(1)), p, c_longlong(1)))
say(blas.cublasDscal_v2(handle, 1, byref(c_double(1)), p, 1))
say(blas.cublasDestroy_v2(handle))
""")
    settings = ["hipblasSetStream handle pointer", "hipblasSetAtomicsMode handle 1", "hipblasSetPointerMode handle 0"]
    assert made == [
        "hipblasCreate", "0",
        "hipblasSetStream handle null", "hipblasSetAtomicsMode handle 0", "hipblasSetPointerMode handle 0",
        "hipblasSaxpy handle 4 10 1 1", "11.0 22.0 33.0 44.0",
        "hipblasSetStream handle pointer", "hipblasSetAtomicsMode handle 0", "hipblasSetPointerMode handle 1",
        "hipblasStrsm handle 142 122 113 132 5 6 7 8",
        *settings, "hipblasDgemm handle 111 112 2 3 4 1.5 5 6 0.5 7",
        *settings, "hipblasCgemm handle 111 111 2 3 4 5 6 7",
        *settings, "hipblasGemmEx_v2 handle 112 111 2 3 4 2 5 2 6 0 7 6 160",
        *settings, "15",
        *settings, "15",
        "hipblasDestroy handle", "0",
        "cassc: hipBLAS has no function hipblasDscal",
    ]  # fmt: skip


def test_a_captured_stream_is_refused(script: Script) -> None:
    made = script("""
blas = library("libcublas.so.12")
blas.cublasCreate_v2(byref(handle)); blas.cublasSetStream_v2(handle, stream)
runtime.cudaStreamBeginCapture(stream, 0)
say(blas.cublasDgemm_v2(handle, 0, 1, 2, 3, 4, byref(c_double(1.5)), p, 5, p, 6, byref(c_double(0.5)), p, 7))
graph = c_void_p()
say(runtime.cudaStreamEndCapture(stream, byref(graph)))
""")
    assert made == ["hipblasCreate", "13", "901"]


def test_cusolver(script: Script) -> None:
    made = script("""
solver = library("libcusolver.so.12")
solver.cusolverDnCreate(byref(handle)); solver.cusolverDnSetStream(handle, stream)
size, info = c_int(), c_void_p()
solver.cusolverDnSpotrf_bufferSize(handle, 1, 3, p, 4, byref(size))
say(size.value, solver.cusolverDnSpotrf(handle, 1, 3, p, 4, p, size, p))
solver.cusolverDnCreateSyevjInfo(byref(info)); solver.cusolverDnXsyevjSetTolerance(info, c_double(0.25))
solver.cusolverDnDsyevj(handle, 1, 0, 3, p, 4, p, p, 9, p, info)
solver.cusolverDnDestroySyevjInfo(info)
n, one = c_longlong(3), c_size_t(1)
say(solver.cusolverDnXsyevd(handle, None, 1, 0, n, 0, p, n, 0, p, 0, p, one, p, one, p))
solver.cusolverDnDestroy(handle)
""")
    stream = "hipsolverDnSetStream handle pointer"
    assert made == [
        "hipsolverDnCreate", stream, "hipsolverDnSpotrf_bufferSize handle 121 3 4",
        stream, "hipsolverDnSpotrf handle 121 3 4 77", "77 0",
        stream, "hipsolverDnCreateSyevjInfo", "hipsolverDnXsyevjSetTolerance handle 0.25",
        "hipsolverDnXsyevjSetMaxSweeps handle 100", "hipsolverDnXsyevjSetSortEig handle 1",
        "hipsolverDnDsyevj handle 202 122 3 4 9 handle", "hipsolverDnDestroySyevjInfo handle",
        "9", "hipsolverDnDestroy handle",
        "cassc: cusolverDnXsyevd is not supported on a HIP device; cusolverDnSsyevd and the like are",
    ]  # fmt: skip


def test_cufft(script: Script) -> None:
    made = script("""
fft, plan, work = library("libcufft.so.12"), c_int(), c_size_t()
say(fft.cufftPlan1d(byref(plan), 64, 0x29, 3)); fft.cufftSetStream(plan, stream)
say(fft.cufftExecC2C(plan, p, p, 1), fft.cufftExecD2Z(plan, p, p))
fft.cufftDestroy(plan)
fft.cufftCreate(byref(plan))
two, layout = (c_int * 2)(4, 8), (c_int * 2)(9, 10)
fft.cufftMakePlanMany(plan, 2, two, layout, 2, 90, layout, 1, 45, 0x6a, 5, byref(work))
say(work.value, fft.cufftExecD2Z(plan, p, p))
fft.cufftDestroy(plan)
""")
    assert made == [
        "hipfftCreate", "hipfftMakePlanMany64 handle 1 64 null 1 0 null 1 0 41 3", "0",
        "hipfftSetStream handle pointer", "hipfftExecC2C handle 1", "0 3", "hipfftDestroy handle",
        "hipfftCreate", "hipfftMakePlanMany64 handle 2 8 [9] 2 90 [9] 1 45 106 5",
        "hipfftSetStream handle null", "hipfftExecD2Z handle", "4096 0", "hipfftDestroy handle",
    ]  # fmt: skip


def test_curand(script: Script) -> None:
    made = script("""
rand = library("libcurand.so.10")
say(rand.curandCreateGenerator(byref(handle), 161)); rand.curandSetStream(handle, stream)
rand.curandSetPseudoRandomGeneratorSeed(handle, c_ulonglong(1 << 40))
rand.curandGenerateUniform(handle, p, c_size_t(12))
rand.curandGenerateNormal(handle, p, c_size_t(12), c_float(2), c_float(0.5))
say(rand.curandGenerateLogNormal(handle, p, c_size_t(12), c_float(2), c_float(0.5)))
rand.curandDestroyGenerator(handle)
""")
    stream = "hiprandSetStream handle pointer"
    assert made == [
        "hiprandCreateGenerator 405", "0", "hiprandSetPseudoRandomGeneratorSeed handle 1099511627776",
        stream, "hiprandGenerateUniform handle 12", stream, "hiprandGenerateNormal handle 12 2 0.5",
        stream, "999", "hiprandDestroyGenerator handle",
        "cassc: cuRAND's numbers are hipRAND's on a HIP device, and not NVIDIA's",
        "cassc: hipRAND has no function hiprandGenerateLogNormal",
    ]  # fmt: skip


def test_cusparse(script: Script) -> None:
    made = script("""
sparse, matrix = library("libcusparse.so.12"), c_void_p()
sparse.cusparseCreate(byref(handle)); sparse.cusparseSetStream(handle, stream); sparse.cusparseSetPointerMode(handle, 1)
for order in (1, 2): sparse.cusparseCreateDnMat(byref(matrix), c_longlong(2), c_longlong(3), c_longlong(4), p, 1, order)
say(sparse.cusparseSpMV(handle, 2, p, matrix, p, p, p, 1, 3, p))
say(sparse.cusparseSpSM_solve(handle, 0, 0, p, matrix, p, p, 1, 0, p))
sparse.cusparseDestroy(handle)
""")
    settings = ["hipsparseSetStream handle pointer", "hipsparseSetPointerMode handle 1"]
    assert made == [
        "hipsparseCreate", "hipsparseCreateDnMat 2 3 4 1 1", "hipsparseCreateDnMat 2 3 4 1 0",
        *settings, "hipsparseSpMV handle 2 handle 1 3 pointer", "0", *settings, "10", "hipsparseDestroy handle",
        "cassc: cusparseSpSM_solve is not supported on a HIP device",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("call", "status", "title"),
    [
        ('library("libcublas.so.13").cublasCreate_v2(byref(handle))', 8, "hipBLAS"),
        ('library("libcusolver.so.12").cusolverDnCreate(byref(handle))', 4, "hipSOLVER"),
        ('library("libcufft.so.12").cufftPlan1d(byref(handle), 64, 0x29, 1)', 16, "hipFFT"),
        ('library("libcusparse.so.12").cusparseCreate(byref(handle))', 4, "hipSPARSE"),
        ('library("libcurand.so.10").curandCreateGenerator(byref(handle), 100)', 203, "hipRAND"),
    ],
)
def test_without_rocms_library(script: Script, call: str, status: int, title: str) -> None:
    made = script(f"say({call})", rocm=False)
    assert made[0] == str(status)
    assert made[1].startswith(f"cassc: the device is a HIP device and {title} was not found")
