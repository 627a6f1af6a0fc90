"""CUDA to HIP as text: what is replaced, what stays, and what is reported where."""

from __future__ import annotations

import re

import pytest

from cassc.diag import Severity
from cassc.hip import names
from cassc.hip.hipify import Converted, convert


@pytest.fixture(autouse=True)
def _lexer() -> None:
    from cassc.hip import tools

    if tools.find_lexer() is None:
        pytest.skip("libclang is not installed")


def body(text: str) -> str:
    """The converted text without what is put in front of it."""
    made = convert("// first\n" + text, "a.cu").text
    return made[made.index("// first\n") + 9 :].removeprefix("#include <hip/hip_runtime.h>\n")


def told(made: Converted) -> list[tuple[str, int, int, str]]:
    return [(d.severity.value, d.location.line, d.location.column, d.id) for d in made.diagnostics]


@pytest.mark.parametrize(
    ("cuda", "hip"),
    [
        ("cudaMalloc(&p, n);", "hipMalloc(&p, n);"),
        ("cudaError_t e = cudaErrorMemoryAllocation;", "hipError_t e = hipErrorOutOfMemory;"),
        ("cudaDeviceProp p; cudaMallocHost(&h, 4);", "hipDeviceProp_t p; hipHostMalloc(&h, 4);"),
        ("cudaDevAttrMultiProcessorCount", "hipDeviceAttributeMultiprocessorCount"),
        ("cuLaunchKernel(f);", "hipModuleLaunchKernel(f);"),
        ("CUdeviceptr d; cuMemcpyHtoD_v2(d, h, 4);", "hipDeviceptr_t d; hipMemcpyHtoD(d, h, 4);"),
        ("cublasHandle_t h; cublasSgemm_v2(h, CUBLAS_OP_N);", "hipblasHandle_t h; hipblasSgemm(h, HIPBLAS_OP_N);"),
        ("cufftExecC2C(p, a, b, CUFFT_FORWARD);", "hipfftExecC2C(p, a, b, HIPFFT_FORWARD);"),
        ("curandGenerateUniform(g, p, 4);", "hiprandGenerateUniform(g, p, 4);"),
        ("curandState s; curand_init(1, 2, 0, &s);", "hiprandState s; hiprand_init(1, 2, 0, &s);"),
        ("cusparseCreate(&h);", "hipsparseCreate(&h);"),
        ("cusolverDnCreate(&h);", "hipsolverDnCreate(&h);"),
        ("cudnnCreate(&h);", "miopenCreate(&h);"),
        ("ncclAllReduce(a, b);", "ncclAllReduce(a, b);"),
        ("nvrtcCompileProgram(p, 0, o);", "hiprtcCompileProgram(p, 0, o);"),
        ('nvtxRangePush("x");', 'roctxRangePush("x");'),
        ("cub::BlockReduce<int, 64> r;", "hipcub::BlockReduce<int, 64> r;"),
        ("thrust::sort(v.begin(), v.end());", "thrust::sort(v.begin(), v.end());"),
        ("__nv_bfloat16 b;", "__hip_bfloat16 b;"),
        ("cudaMemcpyToSymbol(s, p, 4);", "hipMemcpyToSymbol(HIP_SYMBOL(s), p, 4);"),
        ("cudaMemcpyFromSymbol(p, s[1], 4);", "hipMemcpyFromSymbol(p, HIP_SYMBOL(s[1]), 4);"),
        (
            "cudaFuncSetAttribute(k<int, 4>, cudaFuncAttributeMaxDynamicSharedMemorySize, n);",
            "hipFuncSetAttribute(reinterpret_cast<const void*>(k<int, 4>),"
            " hipFuncAttributeMaxDynamicSharedMemorySize, n);",
        ),
        ("cudaGraphInstantiate(&e, g, 0);", "hipGraphInstantiateWithFlags(&e, g, 0);"),
        ("k<<<{n, 2}, 4>>>(x);", "k<<<dim3(n, 2), 4>>>(x);"),
        ("using namespace cub; namespace c = ::cub;", "using namespace hipcub; namespace c = ::hipcub;"),
        ("::cub::BlockScan<int, 4> s; mine::cub::f();", "::hipcub::BlockScan<int, 4> s; mine::cub::f();"),
        ("ncclAlltoAll(a, b);", "ncclAllToAll(a, b);"),
        ("cudnnActivationForward(h, CUDNN_DATA_HALF);", "miopenActivationForward(h, miopenHalf);"),
        ("CUDNN_ATTR_TENSOR_STRIDES", "MIOPEN_ATTR_TENSOR_STRIDES"),
    ],
)
def test_names(cuda: str, hip: str) -> None:
    assert body(cuda) == hip


@pytest.mark.parametrize(
    "text",
    [
        'puts("cudaMalloc failed");',
        "/* cudaFree(p) */ int x;",
        "wrapper.cudaFree(p); object->cudaMalloc(q);",
        "int cudaOk = 0, cudaCheckedCalls = 1;",
        "#define cudaMallocArray(x) mine(x)\n",
        "int cub = 3; x.cub = cub;",
        '#include "mine/cuda_runtime_helper.h"',
    ],
)
def test_what_is_not_cudas_stays(text: str) -> None:
    assert body(text) == text


def test_layout_macros_and_bytes_stay() -> None:
    text = b"#define DO(x)  \\\n\t{ if ((x) != cudaSuccess)  die(); }  // \xe9\r\nint  a ;\r\n".decode(
        errors="surrogateescape"
    )
    made = body(text)
    assert made == text.replace("cudaSuccess", "hipSuccess")


def test_braces_that_macros_make() -> None:
    text = """#define GRID {n, 2}
#define SIZE 4
#define LAUNCH(k, g, b) k<<<g, b>>>()
#define PLAIN(k, g) k<<<g, SIZE>>>()
"""
    made = body(text + "k<<<GRID, SIZE>>>(); LAUNCH(k, GRID, 4); PLAIN(k, 3);")
    assert "k<<<dim3(GRID), SIZE>>>()" in made
    assert "#define LAUNCH(k, g, b) k<<<dim3(g), dim3(b)>>>()" in made
    assert "#define PLAIN(k, g) k<<<g, SIZE>>>()" in made


def test_names_that_macros_put_together_are_errors() -> None:
    text = "#define CALL(f) cuda##f()\n#define TWO(a, b) a##b\nvoid f(bool cuda) { TWO(cuda, Free)(0); g(cuda); }\n"
    assert told(convert(text, "a.cu")) == [("error", 1, 17, "hipify-pasted"), ("error", 3, 25, "hipify-pasted")]


def test_what_a_library_lacks_or_has_with_other_parameters() -> None:
    made = convert(
        "void f() { ncclCommGrow(c); cudnnSoftmaxForward(h); cub::DeviceMerge m; cub::BlockLoadType t; }", "a.cu"
    )
    assert told(made) == [
        ("error", 1, 12, "hipify-missing"),
        ("error", 1, 29, "hipify-missing"),
        ("warning", 1, 58, "hipify-changed"),
        ("error", 1, 78, "hipify-missing"),
    ]
    assert "'miopenSoftmaxForward_V2', which has other parameters" in made.diagnostics[1].message


def test_masks_are_kept_and_widened() -> None:
    made = convert("int f(unsigned m) { return __shfl_sync(0xffffffff, 1, 2) + __any_sync(m, 1); }", "a.cu").text
    assert "__shfl_sync(0xffffffffull, 1, 2)" in made
    assert "__any_sync(static_cast<unsigned long long>(static_cast<unsigned>(m)), 1)" in made
    assert made.startswith("#define HIP_ENABLE_WARP_SYNC_BUILTINS")
    assert body("x = __all_sync(~0u, y) + __any_sync(__activemask(), y);").endswith(
        "x = __all_sync(0xffffffffull, y) + __any_sync(__activemask(), y);"
    )


def test_masks_of_what_hip_7_has_and_6_has_not() -> None:
    """HIP 7's functions insist on 64 bits, too; before 7 the gaps' header has them."""
    made = convert("void f() { __syncwarp(); __syncwarp(0xff); x = __reduce_add_sync(~0u, x); }", "a.cu")
    assert "__syncwarp(); __syncwarp(0xffull); x = __reduce_add_sync(0xffffffffull, x);" in made.text
    assert made.gaps == {"__syncwarp", "__reduce_add_sync"}
    assert "HIP_ENABLE_WARP_SYNC_BUILTINS" not in made.text


def test_host_branches_are_not_taken_on_the_device() -> None:
    text = "#ifdef __CUDA_ARCH__\n#endif\n#ifndef __CUDA_ARCH__\n#endif\n#if defined(__CUDA_ARCH__) && X\n#endif\n"
    made = body(text).splitlines()
    assert made[0] == "#if __HIP_DEVICE_COMPILE__"
    assert made[2] == "#if !__HIP_DEVICE_COMPILE__"
    assert made[4] == "#if __HIP_DEVICE_COMPILE__ && X"


def test_architectures_are_reported() -> None:
    made = convert("#if __CUDA_ARCH__ >= 700\n#elif __CUDA_ARCH__ < 600\n#endif\n", "a.cu")
    assert "#if __HIP_DEVICE_COMPILE__\n#elif !__HIP_DEVICE_COMPILE__\n" in made.text
    assert told(made) == [("warning", 1, 5, "hipify-arch"), ("warning", 2, 7, "hipify-arch")]


def test_headers() -> None:
    text = "#include <cuda_runtime.h>\n#include <cuda.h>\n  #include <cublas_v2.h>\n"
    text += "#include <device_functions.h>\nint x;\n"
    assert convert(text, "a.cu").text == "#include <hip/hip_runtime.h>\n  #include <hipblas/hipblas.h>\nint x;\n"
    assert (
        convert("// c\n__global__ void k();\n", "a.cu").text
        == "// c\n#include <hip/hip_runtime.h>\n__global__ void k();\n"
    )


def test_gaps_bring_their_header() -> None:
    made = convert("#include <cuda_pipeline.h>\n__global__ void k() { __syncwarp(); }\n", "a.cu")
    assert '#include "hip_gaps.h"\n' in made.text
    assert not made.diagnostics


def test_masks_and_warps_of_32_lanes_are_remarked() -> None:
    made = convert("int f(int lane) { return __any_sync(~0u, lane & 31) + threadIdx.x / 32 + x % 32; }", "a.cu")
    assert told(made) == [
        ("remark", 1, 37, "hipify-mask"),
        ("remark", 1, 49, "hipify-warp-size"),
        ("remark", 1, 69, "hipify-warp-size"),
    ]


def test_additions_of_pairs_of_halves_are_brought() -> None:
    text = "#include <cuda_fp16.h>\n__global__ void k(__half2* p) { atomicAdd(p, *p); }\n"
    assert convert(text, "a.cu").gaps == {"atomicAdd"}
    assert not convert(text.replace("#include <cuda_fp16.h>", ""), "a.cu").gaps


def test_what_has_no_counterpart_is_an_error_with_its_place() -> None:
    text = """#include <mma.h>
__global__ void k(unsigned* p) {
  asm volatile("bar.sync 1, 64;");
  p[0] = __CUDA_ARCH__ + __vadd4(p[1], 2);
}
void f() { cudaCtxResetPersistingL2Cache(); cublasFrobnicate(); }
"""
    made = convert(text, "a.cu")
    assert told(made) == [
        ("error", 1, 10, "hipify-header"),
        ("error", 3, 3, "hipify-inline-ptx"),
        ("error", 4, 10, "hipify-arch"),
        ("error", 4, 26, "hipify-lacking"),
        ("error", 6, 12, "hipify-missing"),
        ("error", 6, 45, "hipify-missing"),
    ]


def test_what_means_something_else_is_a_warning() -> None:
    made = convert("int f() { return threadIdx.x / warpSize; }\nauto t = tex2D<float>(x, 1, 2);\n", "a.cu")
    assert [(d.severity, d.location.line) for d in made.diagnostics] == [(Severity.WARNING, 1), (Severity.WARNING, 2)]


def test_the_table_is_sound() -> None:
    table = names.load()
    assert len(table.renamed) > 3000
    assert not set(table.renamed) & (set(table.missing) | set(table.other))
    assert all(
        re.fullmatch(r"(__)?(make_)?(hip|HIP|roctx|miopen|MIOPEN|nccl|NCCL|__HIPCC__)\w*|roctx_range_id_t", n)
        for n in table.renamed.values()
    )
