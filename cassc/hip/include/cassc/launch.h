// What clang calls for kernel<<<...>>>(...). Device code is compiled as HIP, whose function has another name but is never called
// there.
#ifndef CASSC_LAUNCH_H
#define CASSC_LAUNCH_H
namespace cassc {
// A grid or block that a macro gave, which may be a number or braces.
CASSC_HD dim3 as_dim3(dim3 size) { return size; }
}  // namespace cassc
extern "C" unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = 0);
extern "C" cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared, void* stream);
#ifdef __CUDA_ARCH__
extern "C" unsigned __hipPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = 0);
extern "C" cudaError_t hipLaunchKernel(const void* stub, dim3 grid, dim3 block, void** arguments, size_t shared,
                                       cudaStream_t stream);
#elif defined(CUDA_API_PER_THREAD_DEFAULT_STREAM) && !defined(CASSC_HOST_MANAGED)
// clang knows the launching function by one name only.
#pragma push_macro("cudaLaunchKernel")
#undef cudaLaunchKernel
extern "C" {
static cudaError_t cudaLaunchKernel(const void* stub, dim3 grid, dim3 block, void** arguments, size_t shared,
                                    cudaStream_t stream) __asm__("cudaLaunchKernel");
__attribute__((used)) static cudaError_t cudaLaunchKernel(const void* stub, dim3 grid, dim3 block, void** arguments,
                                                          size_t shared, cudaStream_t stream) {
  return cudaLaunchKernel_ptsz(stub, grid, block, arguments, shared, stream);
}
}
#pragma pop_macro("cudaLaunchKernel")
#elif defined(CASSC_HOST_MANAGED)
#include "cassc/managed.h"
#endif
#endif
