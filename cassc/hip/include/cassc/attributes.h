// CUDA's declaration keywords for clang, and how this header set writes device functions: CASSC_FN T f(...) CASSC_BODY(...)
// is that definition when device code is compiled. On the host's side, where device builtins are unknown, nothing is made of it; it
// has a body all the same, since templates over types without a name (of lambdas) may not be left undefined.
#ifndef CASSC_ATTRIBUTES_H
#define CASSC_ATTRIBUTES_H

#ifdef __CUDACC__
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#if defined(CASSC_HOST_MANAGED)  // the host's side of a unit with managed variables is compiled as HIP, which knows them
#define __managed__ __attribute__((managed))
#else
#define __managed__ __attribute__((device))
#endif
#else
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#endif
#define __forceinline__ inline __attribute__((always_inline))
#define __inline_hint__
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
// The most threads of a block, which the code object states, so that a launch with more fails. (The least number of blocks of a
// multiprocessor speaks of NVIDIA's register files.)
#if defined(__CUDA_ARCH__) && defined(__cplusplus)
namespace cassc {
__attribute__((host, device)) constexpr unsigned most_threads(unsigned most, unsigned = 0, unsigned = 0) { return most; }
}  // namespace cassc
#define __launch_bounds__(...) __attribute__((amdgpu_flat_work_group_size(1, cassc::most_threads(__VA_ARGS__))))
#else
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#endif
#define __maxnreg__(n)
#define __cluster_dims__(...) __attribute__((unavailable("thread block clusters are not supported")))
#define __grid_constant__
#define __nv_pure__ __attribute__((pure))
#define __device_builtin__
#define __device_builtin_texture_type__
#define __device_builtin_surface_type__
#define __cudart_builtin__
#define CUDARTAPI
#define CUDART_CB
#define CUDART_DEVICE
#ifndef __restrict
#define __restrict __restrict__
#endif

// nvcc's questions about the types of lambdas: clang's are ordinary closures, whose return types the host may ask for.
#define __nv_is_extended_device_lambda_closure_type(type) false
#define __nv_is_extended_host_device_lambda_closure_type(type) false
#define __nv_is_extended_device_lambda_with_preserved_return_type(type) false

#ifdef __CUDA_ARCH__
#define CASSC_FN __device__ inline __attribute__((always_inline))
#define CASSC_BODY(...) \
  { __VA_ARGS__ }
#else
#define CASSC_FN __device__ inline
#define CASSC_BODY(...) \
  { __builtin_trap(); }
#endif
#define CASSC_HD __host__ __device__ inline __attribute__((always_inline))

#endif
