"""Units compiled from source alone: the points where nvcc's C++ and CUDA's library differ from plain HIP."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from cassc import toolchain
from cassc.hip import tools
from cassc.toolchain import Nvcc

pytestmark = pytest.mark.slow
Program = Callable[..., str]

CHECK = """
#include <cstdio>
#define CHECK(x) do { if (!(x)) printf("line %d: %s\\n", __LINE__, #x); } while (0)
template <class T> T* managed(int n) {
  T* p;
  cudaMallocManaged(&p, n * sizeof(T));
  for (int i = 0; i < n; ++i) p[i] = T();
  return p;
}
"""


def test_dialect(program: Program) -> None:
    """Launches in every form, alignas behind a space, lambdas, macros that tell host and device apart."""
    text = """
#if !defined(__CUDACC__) || !defined(__NVCC__) || __CUDACC_VER_MAJOR__ < 11 || defined(__HIP__) || defined(__HIPCC__)
#error "not what nvcc predefines"
#endif
__global__ void fill(int* p, int v) { p[blockIdx.x * blockDim.x + threadIdx.x] = v + warpSize; }
template <class T, int N> __global__ void __launch_bounds__(64) scale(T* p) { p[threadIdx.x] *= N; }
template <class F> __global__ void apply(int* p, F f) { p[threadIdx.x] = f(p[threadIdx.x]); }
namespace { __global__ void inner(int* p) { p[0] += 1000; } }
static __global__ void hidden(int* p) {
  __shared__ alignas(16) int x[4];
  extern __shared__ alignas(8) char raw[];
  x[threadIdx.x] = threadIdx.x; raw[threadIdx.x] = 1;
  __syncthreads();
  p[1] = x[3] + raw[2] + ((unsigned long long)x % 16 != 0);
}
__host__ __device__ int side() {
#ifdef __CUDA_ARCH__
  return __CUDA_ARCH__;
#else
  return -1;
#endif
}
__global__ void arch(int* p) { p[0] = side(); }
#define LAUNCH(kernel, ...) kernel<<<1, {32}>>>(__VA_ARGS__)
int main() {
  int* p = managed<int>(64);
  fill<<<{2, 1, 1}, {16, 1}>>>(p, 1);
  LAUNCH(fill, p + 32, 2);
  scale<int, 3><<<1, dim3{64}, 0, cudaStream_t(0)>>>(p);
  cudaDeviceSynchronize();
  CHECK(p[0] == 99); CHECK(p[31] == 99); CHECK(p[32] == 102);
  int k = 5;
  apply<<<1, 4>>>(p, [=] __device__(int x) { return x + k; });
  apply<<<1, 4>>>(p, [=] __host__ __device__(int x) { return x * 2; });
  auto launch = [&] { hidden<<<1, 4, 64>>>(p); inner<<<1, 1>>>(p); };
  launch();
  cudaDeviceSynchronize();
  CHECK(p[0] == 1208); CHECK(p[1] == 4); CHECK(p[2] == 208);
  arch<<<1, 1>>>(p);
  cudaDeviceSynchronize();
  CHECK(p[0] == 900); CHECK(side() == -1);
  void* arguments[] = {&p, &k};
  cudaLaunchKernel(fill, dim3(1), dim3(1), arguments, 0, 0);
  cudaDeviceSynchronize();
  CHECK(p[0] == 37);
  puts("done");
}
"""
    assert program(CHECK + text, "-arch=sm_90") == "done\n"


def test_masks_and_widths(program: Program) -> None:
    """32-bit masks are heeded, widths below the warp split it, and lanes outside the mask take no part."""
    text = """
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
__global__ void k(int* o) {
  int l = threadIdx.x, n = 0;
  auto put = [&](int v) { o[n++ * 32 + l] = v; };
  put(__shfl_up_sync(~0u, l, 3, 8));
  put(__shfl_down_sync(~0u, l, 3, 8));
  put(__shfl_xor_sync(~0u, l, 5, 16));
  put(__shfl_sync(~0u, l, 9, 4));
  put(__ballot_sync(0x0000ff0f, l % 2));
  put(l < 20 ? __reduce_add_sync(0x000fffff, l) : -1);
  put(__match_any_sync(~0u, l % 3));
  put(l < 7 ? __activemask() : 0);
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  put(cg::reduce(tile, l, cg::plus<int>()));
  put(cg::exclusive_scan(tile, l));
  auto part = cg::labeled_partition(tile, l % 3);
  put(part.size() * 100 + part.thread_rank() * 10 + part.meta_group_rank());
  if (l % 4 == 1) { auto some = cg::coalesced_threads(); put(some.size() * 100 + some.shfl(l, 2)); } else put(0);
  put((int)__shfl_sync(~0u, (long long)l << 33, 30) == 0 && __shfl_sync(~0u, 1.5 * l, 30) == 45.0);
}
int main() {
  int* o = managed<int>(32 * 16);
  k<<<1, 32>>>(o);
  cudaDeviceSynchronize();
  for (int l = 0; l < 32; ++l) {
    int n = 0, b = l / 8 * 8;
    auto got = [&] { return o[n++ * 32 + l]; };
    CHECK(got() == (l % 8 >= 3 ? l - 3 : l));
    CHECK(got() == (l % 8 + 3 < 8 ? l + 3 : l));
    CHECK(got() == (l ^ 5));
    CHECK(got() == l / 4 * 4 + 1);
    CHECK(got() == 0xaa0a);
    CHECK(got() == (l < 20 ? 190 : -1));
    CHECK((unsigned)got() == (0x49249249u << l % 3));
    CHECK(got() == (l < 7 ? 0x7f : 0));
    CHECK(got() == 8 * b + 28);
    int scan = 0; for (int i = b; i < l; ++i) scan += i;
    CHECK(got() == scan);
    int size = 0, rank = 0, group = 0;
    for (int i = b; i < b + 8; ++i) { if (i % 3 != l % 3) continue; size++; rank += i < l; }
    bool seen[3] = {}; for (int i = b; i % 3 != l % 3; ++i) if (!seen[i % 3]) { seen[i % 3] = true; group++; }
    CHECK(got() == size * 100 + rank * 10 + group);
    CHECK(got() == (l % 4 == 1 ? 809 : 0));
    CHECK(got() == 1);
  }
  puts("done");
}
"""
    assert program(CHECK + text) == "done\n"


def test_symbols(program: Program) -> None:
    """__constant__, __device__ and __managed__ variables, from both sides."""
    text = """
__constant__ float weights[4] = {1, 2, 3, 4};
__device__ int counter = 7;
static __device__ unsigned long long sums[2];
__managed__ int shared_by_both = 40;
__managed__ double table[3];
template <class T> __device__ T variable = T(3);
__global__ void k(float* o) {
  o[0] = weights[threadIdx.x + 1] + counter + variable<int>;
  atomicAdd(&sums[1], 5ull);
  shared_by_both += 2;
  table[1] = table[0] * 2;
}
int main() {
  int* at = &shared_by_both;
  table[0] = 1.25;
  CHECK(shared_by_both == 40);
  float w[2] = {10, 20}, *o = managed<float>(1);
  CHECK(cudaMemcpyToSymbol(weights, w, sizeof w, 4) == cudaSuccess);
  int c = 100;
  CHECK(cudaMemcpyToSymbolAsync(counter, &c, 4) == cudaSuccess);
  k<<<1, 1>>>(o);
  cudaDeviceSynchronize();
  CHECK(o[0] == 113); CHECK(shared_by_both == 42); CHECK(*at == 42); CHECK(table[1] == 2.5);
  unsigned long long s[2] = {1, 1};
  CHECK(cudaMemcpyFromSymbol(s, sums, sizeof s) == cudaSuccess);
  CHECK(s[0] == 0 && s[1] == 5);
  void* address = nullptr; size_t size = 0;
  CHECK(cudaGetSymbolAddress(&address, weights) == cudaSuccess && address);
  CHECK(cudaGetSymbolSize(&size, weights) == cudaSuccess && size == 16);
  puts("done");
}
"""
    assert program(CHECK + text) == "done\n"


def test_printf_heap_and_ptx(program: Program) -> None:
    """printf's conversions, device new and virtual calls, inline PTX with operands of all kinds."""
    text = """
struct Base { __device__ virtual int f() const = 0; __device__ virtual ~Base() {} };
struct Derived : Base {
  int v;
  __device__ Derived(int x) : v(x) {}
  __device__ int f() const override { return v * 2; }
};
__global__ void k(int* o) {
  Base* b = new Derived(21);
  o[0] = b->f();
  delete b;
  char* bytes = (char*)malloc(100);
  bytes[99] = 3; o[1] = bytes[99]; free(bytes);
  printf("%d %5.2f %s %c %llx %%\\n", -3, 2.5f, "text", 'z', 0x123456789abull);
  unsigned r; unsigned long long w; float f;
  asm("mad.wide.u32 %0, %1, %2, %3;" : "=l"(w) : "r"(0x80000000u), "r"(4u), "l"(5ull));
  asm volatile("{ .reg .pred p; setp.gt.s32 p, %1, 0; selp.u32 %0, 11, 22, p; }" : "=r"(r) : "r"(-1));
  asm("fma.rn.f32 %0, %1, %1, 0f3F800000;" : "=f"(f) : "f"(3.0f));
  o[2] = w == 0x200000005ull; o[3] = r; o[4] = (int)f;
  asm volatile("st.global.u32 [%0+4], %1;" ::"l"(o + 4), "r"(77) : "memory");
}
int main() {
  int* o = managed<int>(8);
  k<<<1, 1>>>(o);
  cudaDeviceSynchronize();
  CHECK(o[0] == 42); CHECK(o[1] == 3); CHECK(o[2] == 1); CHECK(o[3] == 22); CHECK(o[4] == 10); CHECK(o[5] == 77);
}
"""
    assert program(CHECK + text) == "-3  2.50 text z 123456789ab %\n"


def test_textures_and_surfaces(program: Program) -> None:
    """Texture objects over arrays and linear memory; a surface that is written and read."""
    text = """
__global__ void k(cudaTextureObject_t point, cudaTextureObject_t smooth, cudaTextureObject_t line,
                  cudaSurfaceObject_t s, float* o) {
  o[0] = tex2D<unsigned char>(point, 2.5f, 1.5f);
  o[1] = tex2D<unsigned char>(point, -3.0f, 9.0f);
  o[2] = tex2D<float>(smooth, 0.25f, 0.125f) * 255;
  o[3] = tex2D<float>(smooth, 1.25f, -0.875f) * 255;
  o[4] = tex1Dfetch<float2>(line, 1).y;
  surf2Dwrite((unsigned char)200, s, 3, 0);
  o[5] = surf2Dread<unsigned char>(s, 3, 0);
}
int main() {
  unsigned char pixels[16];
  for (int i = 0; i < 16; ++i) pixels[i] = i * 10;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<unsigned char>();
  cudaArray_t array;
  CHECK(cudaMallocArray(&array, &format, 4, 4, cudaArraySurfaceLoadStore) == cudaSuccess);
  cudaMemcpy2DToArray(array, 0, 0, pixels, 4, 4, 4, cudaMemcpyHostToDevice);
  cudaResourceDesc r = {}; r.resType = cudaResourceTypeArray; r.res.array.array = array;
  cudaTextureDesc t = {}; t.addressMode[0] = t.addressMode[1] = cudaAddressModeClamp;
  cudaTextureObject_t point = 0, smooth = 0, line = 0; cudaSurfaceObject_t surface = 0;
  CHECK(cudaCreateTextureObject(&point, &r, &t, nullptr) == cudaSuccess);
  t.addressMode[0] = t.addressMode[1] = cudaAddressModeWrap; t.filterMode = cudaFilterModeLinear;
  t.readMode = cudaReadModeNormalizedFloat; t.normalizedCoords = 1;
  CHECK(cudaCreateTextureObject(&smooth, &r, &t, nullptr) == cudaSuccess);
  CHECK(cudaCreateSurfaceObject(&surface, &r) == cudaSuccess);
  float2* pairs; cudaMalloc(&pairs, 16);
  float2 values[2] = {{1, 2}, {3, 4}};
  cudaMemcpy(pairs, values, 16, cudaMemcpyHostToDevice);
  cudaResourceDesc l = {}; l.resType = cudaResourceTypeLinear; l.res.linear.devPtr = pairs;
  l.res.linear.desc = cudaCreateChannelDesc<float2>(); l.res.linear.sizeInBytes = 16;
  cudaTextureDesc plain = {};
  CHECK(cudaCreateTextureObject(&line, &l, &plain, nullptr) == cudaSuccess);
  float* o = managed<float>(6);
  k<<<1, 1>>>(point, smooth, line, surface, o);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(o[0] == 60); CHECK(o[1] == 120);
  CHECK(o[2] > 4.9f && o[2] < 5.1f); CHECK(o[3] > 4.9f && o[3] < 5.1f);
  CHECK(o[4] == 4); CHECK(o[5] == 200);
  puts("done");
}
"""
    assert program(CHECK + text) == "done\n"


def test_cub_of_cccl(program: Program) -> None:
    """NVIDIA's own CUB, its inline PTX translated on the way."""
    if tools.find_cccl() is None:
        pytest.skip("CCCL is not installed")
    text = """
#include <cub/block/block_reduce.cuh>
#include <cub/detail/nvtx.cuh>
#include <nvtx3/nvToolsExt.h>
__global__ void k(int* o) {
  using Reduce = cub::BlockReduce<int, 64>;
  __shared__ typename Reduce::TempStorage storage;
  const int sum = Reduce(storage).Sum((int)threadIdx.x);
  if (threadIdx.x == 0) *o = sum;
}
int main() {
  int* o = managed<int>(1);
  k<<<1, 64>>>(o);
  cudaDeviceSynchronize();
  CHECK(*o == 2016);
  puts("done");
}
"""
    assert program(CHECK + text) == "done\n"


def test_refusals_have_a_place(
    cassc: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path, source_tools: object
) -> None:
    """Untranslated PTX and plain mistakes: file, line and column of the user's file, and no product."""
    (tmp_path / "deep.h").write_text('__device__ void wait() {\n  asm volatile("bar.sync 3, 64;");\n}\n')
    (tmp_path / "a.cu").write_text('#include "deep.h"\n__global__ void k() { wait(); }\n')
    failed = cassc("--engine=source", "-c", "a.cu", "-o", "a.o")
    assert failed.returncode != 0
    told, hint = failed.stderr.splitlines()  # nothing of clang's, which shows what the user did not write
    assert "deep.h:2:3: error: inline PTX is not translated: 'bar.sync 3, 64'" in told
    assert hint.startswith("note: with --engine=lift")
    (tmp_path / "b.cu").write_text("__global__ void k(int* p) {\n  k2<<<1, {2}>>>(p);   int y = p;\n}\n")
    failed = cassc("--engine=source", "-c", "b.cu", "-o", "b.o")
    assert failed.returncode != 0
    assert "b.cu:2:3: error:" in failed.stderr
    (tmp_path / "c.cu").write_text("extern __device__ int far;\n__global__ void k(int* p) { *p = far; }\n")
    failed = cassc("--engine=source", "-c", "c.cu", "-o", "c.o")
    assert failed.returncode != 0
    assert "c.cu:1:23: error: device code of another file is used: 'far'" in failed.stderr
    assert not list(tmp_path.glob("*.o"))


def test_units_mix(
    cassc: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path, source_tools: object, nvcc: Nvcc
) -> None:
    """One unit by its SASS, one from source out of a static library, one by plain nvcc: one program."""
    if toolchain.find_runtime() is None:
        pytest.skip("cassc's runtime libraries are not built (set CASSC_LIBDIR, or install the package)")
    unit = "__global__ void {0}(int* p) {{ p[{1}] = {1} + 1; }}\nvoid run_{0}(int* p) {{ {0}<<<1, 1>>>(p); }}\n"
    for number, name in enumerate(("lifted", "sourced", "plain")):
        (tmp_path / f"{name}.cu").write_text(unit.format(name, number))
    main = (
        "void run_lifted(int*); void run_sourced(int*); void run_plain(int*);\nint main() { int* p = managed<int>(3);\n"
    )
    main += "run_lifted(p); run_sourced(p); run_plain(p); cudaDeviceSynchronize();\n"
    main += 'printf("%d%d%d\\n", p[0], p[1], p[2]); }\n'
    (tmp_path / "main.cu").write_text(CHECK + main)
    assert cassc("--engine=source", "-c", "sourced.cu").returncode == 0
    assert cassc("-lib", "sourced.o", "-o", "libsourced.a").returncode == 0
    subprocess.run([nvcc.path, "-c", "-arch=sm_80", "plain.cu"], cwd=tmp_path, check=True)
    linked = cassc("--check-seconds=0", "main.cu", "lifted.cu", "plain.o", "-L.", "-lsourced", "-o", "mixed")
    assert linked.returncode == 0, linked.stderr
    ran = subprocess.run([tmp_path / "mixed"], env=os.environ, capture_output=True, text=True)
    assert ran.stdout == "123\n", ran.stderr


def test_no_nvcc_is_needed(
    cassc: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path, source_tools: object
) -> None:
    """With nothing of NVIDIA's to be found, a .cu and a .cpp build and run; the dependency file is written."""
    if toolchain.find_runtime() is None:
        pytest.skip("cassc's runtime libraries are not built (set CASSC_LIBDIR, or install the package)")
    (tmp_path / "wide.h").write_text("#define WIDTH 8\n")
    (tmp_path / "a.cu").write_text(
        CHECK + '#include "wide.h"\n__global__ void k(int* p) { *p = WIDTH; }\nvoid run(int* p) { k<<<1, 1>>>(p); }\n'
    )
    (tmp_path / "b.cpp").write_text(
        "#include <cuda_runtime.h>\n#include <cstdio>\nvoid run(int*);\nint main() {\n"
        'int* p, h; cudaMalloc(&p, 4); run(p); cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost); printf("%d\\n", h); }\n'
    )
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("g++", "gcc", "ar", "ld", "as", "clang++-19", "ld.lld-19"):
        found = shutil.which(name)
        if found:
            (folder / name).symlink_to(found)
    hidden = {"PATH": str(folder), "CUDA_HOME": "", "CUDA_PATH": ""}
    if "nvcc " not in cassc("doctor", **hidden).stdout.partition("MISSING")[2]:
        pytest.skip("an nvcc is installed among Python's packages")
    built = cassc("-c", "a.cu", "-MD", "-MF", "a.d", **hidden)
    assert built.returncode == 0, built.stderr
    built = cassc("a.o", "b.cpp", "-o", "prog", **hidden)
    assert built.returncode == 0, built.stderr
    assert "wide.h" in (tmp_path / "a.d").read_text()
    ran = subprocess.run([tmp_path / "prog"], env=os.environ, capture_output=True, text=True)
    assert ran.stdout == "8\n", ran.stderr
