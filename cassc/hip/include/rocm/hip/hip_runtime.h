// HIP's names, as far as rocThrust, hipCUB and rocPRIM need them, in CUDA's: their headers are compiled against cassc's CUDA
// runtime, in which the program that includes them lives.
#ifndef CASSC_ROCM_HIP_RUNTIME_H
#define CASSC_ROCM_HIP_RUNTIME_H
#include <cassert>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_runtime.h"

#define HIP_INCLUDE_HIP_AMD_DETAIL_HOST_DEFINES_H  // by which rocThrust knows that __host__ is there
#define HIP_VERSION_MAJOR 6
#define HIP_VERSION_MINOR 4
#define HIP_VERSION_PATCH 0
#define HIP_VERSION 60400000
#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define HIP_DYNAMIC_SHARED(type, name) extern __shared__ type name[];

#define CASSC_ROCM_NAMES(X)                                                                                             \
  X(ChannelFormatDesc) X(Error_t) X(Event_t) X(MemcpyKind) X(ResourceDesc) X(Stream_t) X(TextureDesc) X(TextureObject_t)
#define CASSC_ROCM_TYPE(name) typedef cuda##name hip##name;
CASSC_ROCM_NAMES(CASSC_ROCM_TYPE)
#undef CASSC_ROCM_TYPE
#undef CASSC_ROCM_NAMES
typedef cudaPointerAttributes hipPointerAttribute_t;
typedef cudaSharedMemConfig hipSharedMemConfig;
typedef __nv_bfloat16 hip_bfloat16;
typedef __nv_bfloat16 __hip_bfloat16;

// CUDA's vector of an element's type.
namespace cassc {
template <class T_, unsigned Size>
struct vector_of {
  struct alignas(sizeof(T_) * Size) type {
    T_ element[Size];
  };
};
#define CASSC_ROCM_VECTOR(element, name)                     \
  template <>                                                \
  struct vector_of<element, 1> { using type = name##1; };    \
  template <>                                                \
  struct vector_of<element, 2> { using type = name##2; };    \
  template <>                                                \
  struct vector_of<element, 3> { using type = name##3; };    \
  template <>                                                \
  struct vector_of<element, 4> { using type = name##4; };
CASSC_ROCM_VECTOR(signed char, char)
CASSC_ROCM_VECTOR(char, char)
CASSC_ROCM_VECTOR(unsigned char, uchar)
CASSC_ROCM_VECTOR(short, short)
CASSC_ROCM_VECTOR(unsigned short, ushort)
CASSC_ROCM_VECTOR(int, int)
CASSC_ROCM_VECTOR(unsigned, uint)
CASSC_ROCM_VECTOR(long, long)
CASSC_ROCM_VECTOR(unsigned long, ulong)
CASSC_ROCM_VECTOR(long long, longlong)
CASSC_ROCM_VECTOR(unsigned long long, ulonglong)
CASSC_ROCM_VECTOR(float, float)
CASSC_ROCM_VECTOR(double, double)
#undef CASSC_ROCM_VECTOR
}  // namespace cassc
template <class T_, unsigned Size>
using HIP_vector_type = typename cassc::vector_of<T_, Size>::type;

#define hipDeviceAttributeMultiprocessorCount cudaDevAttrMultiProcessorCount
#define hipErrorApiFailureBase cudaErrorApiFailureBase
#define hipErrorAssert cudaErrorAssert
#define hipErrorHostMemoryAlreadyRegistered cudaErrorHostMemoryAlreadyRegistered
#define hipErrorHostMemoryNotRegistered cudaErrorHostMemoryNotRegistered
#define hipErrorInitializationError cudaErrorInitializationError
#define hipErrorInvalidConfiguration cudaErrorInvalidConfiguration
#define hipErrorInvalidDevice cudaErrorInvalidDevice
#define hipErrorInvalidDeviceFunction cudaErrorInvalidDeviceFunction
#define hipErrorInvalidDevicePointer cudaErrorInvalidDevicePointer
#define hipErrorInvalidHandle cudaErrorInvalidResourceHandle
#define hipErrorInvalidMemcpyDirection cudaErrorInvalidMemcpyDirection
#define hipErrorInvalidResourceHandle cudaErrorInvalidResourceHandle
#define hipErrorInvalidSymbol cudaErrorInvalidSymbol
#define hipErrorInvalidValue cudaErrorInvalidValue
#define hipErrorLaunchFailure cudaErrorLaunchFailure
#define hipErrorLaunchOutOfResources cudaErrorLaunchOutOfResources
#define hipErrorLaunchTimeOut cudaErrorLaunchTimeout
#define hipErrorLaunchTimeout cudaErrorLaunchTimeout
#define hipErrorMapBufferObjectFailed cudaErrorMapBufferObjectFailed
#define hipErrorMemoryAllocation cudaErrorMemoryAllocation
#define hipErrorMissingConfiguration cudaErrorMissingConfiguration
#define hipErrorNoDevice cudaErrorNoDevice
#define hipErrorNotReady cudaErrorNotReady
#define hipErrorPeerAccessAlreadyEnabled cudaErrorPeerAccessAlreadyEnabled
#define hipErrorPeerAccessNotEnabled cudaErrorPeerAccessNotEnabled
#define hipErrorPriorLaunchFailure cudaErrorPriorLaunchFailure
#define hipErrorSetOnActiveProcess cudaErrorSetOnActiveProcess
#define hipErrorSharedObjectInitFailed cudaErrorSharedObjectInitFailed
#define hipErrorSharedObjectSymbolNotFound cudaErrorSharedObjectSymbolNotFound
#define hipErrorTbd cudaErrorUnknown
#define hipErrorUnknown cudaErrorUnknown
#define hipErrorUnsupportedLimit cudaErrorUnsupportedLimit
#define hipMemcpyDefault cudaMemcpyDefault
#define hipMemcpyDeviceToDevice cudaMemcpyDeviceToDevice
#define hipMemcpyDeviceToHost cudaMemcpyDeviceToHost
#define hipMemcpyHostToDevice cudaMemcpyHostToDevice
#define hipMemcpyHostToHost cudaMemcpyHostToHost
#define hipReadModeElementType cudaReadModeElementType
#define hipResourceTypeLinear cudaResourceTypeLinear
#define hipSharedMemBankSizeFourByte cudaSharedMemBankSizeFourByte
#define hipSuccess cudaSuccess
#define hipEventDisableTiming cudaEventDisableTiming
#define hipHostMallocMapped cudaHostAllocMapped
#define hipMemAttachGlobal cudaMemAttachGlobal
#define hipStreamDefault cudaStreamDefault
#define hipStreamLegacy cudaStreamLegacy
#define hipStreamNonBlocking cudaStreamNonBlocking
#define hipStreamPerThread cudaStreamPerThread

#define hipCreateTextureObject cudaCreateTextureObject
#define hipDestroyTextureObject cudaDestroyTextureObject
#define hipCreateChannelDesc cudaCreateChannelDesc
#define hipDeviceGetAttribute cudaDeviceGetAttribute
#define hipDeviceSynchronize cudaDeviceSynchronize
#define hipEventCreateWithFlags cudaEventCreateWithFlags
#define hipEventDestroy cudaEventDestroy
#define hipEventQuery cudaEventQuery
#define hipEventRecord cudaEventRecord
#define hipEventSynchronize cudaEventSynchronize
#define hipFree cudaFree
#define hipGetDevice cudaGetDevice
#define hipGetErrorName cudaGetErrorName
#define hipGetErrorString cudaGetErrorString
#define hipGetLastError cudaGetLastError
#define hipHostFree cudaFreeHost
#define hipHostMalloc cudaHostAlloc
#define hipHostRegister cudaHostRegister
#define hipMalloc cudaMalloc
#define hipMallocHost cudaMallocHost
#define hipMallocManaged cudaMallocManaged
#define hipMemcpy cudaMemcpy
#define hipMemcpyAsync cudaMemcpyAsync
#define hipMemset cudaMemset
#define hipMemsetAsync cudaMemsetAsync
#define hipOccupancyMaxActiveBlocksPerMultiprocessor cudaOccupancyMaxActiveBlocksPerMultiprocessor
#define hipOccupancyMaxPotentialBlockSize cudaOccupancyMaxPotentialBlockSize
#define hipPeekAtLastError cudaPeekAtLastError
#define hipPointerGetAttributes cudaPointerGetAttributes
#define hipSetDevice cudaSetDevice
#define hipStreamCreateWithFlags cudaStreamCreateWithFlags
#define hipStreamDestroy cudaStreamDestroy
#define hipStreamQuery cudaStreamQuery
#define hipStreamSynchronize cudaStreamSynchronize
#define hipStreamWaitEvent cudaStreamWaitEvent
#define hipLaunchKernelGGL(kernel, grid, block, shared, stream, ...) \
  kernel<<<dim3(grid), dim3(block), shared, stream>>>(__VA_ARGS__)

// rocPRIM chooses its configurations by the chip's name. They are tuning alone; host and device must agree.
struct hipDeviceProp_t : cudaDeviceProp {
  char gcnArchName[256];
  int gcnArch, asicRevision;
};
inline hipError_t hipGetDeviceProperties(hipDeviceProp_t* properties, int device) {
  const hipError_t status = cudaGetDeviceProperties(static_cast<cudaDeviceProp*>(properties), device);
  strcpy(properties->gcnArchName, CASSC_ROCM_PROCESSOR);
  properties->gcnArch = properties->asicRevision = 0;  // asked for by what only an old CDNA needs
  return status;
}
inline int hipGetStreamDeviceId(hipStream_t) {
  int device = -1;
  return cudaGetDevice(&device) == cudaSuccess ? device : -1;
}
inline hipError_t hipMemcpyWithStream(void* to, const void* from, size_t size, hipMemcpyKind kind, hipStream_t stream) {
  const hipError_t status = cudaMemcpyAsync(to, from, size, kind, stream);
  return status == cudaSuccess ? cudaStreamSynchronize(stream) : status;
}

#define hipThreadIdx_x threadIdx.x
#define hipThreadIdx_y threadIdx.y
#define hipThreadIdx_z threadIdx.z
#define hipBlockIdx_x blockIdx.x
#define hipBlockDim_x blockDim.x
CASSC_FN unsigned __lane_id() CASSC_BODY(return cassc::lane();)
CASSC_FN unsigned long long __ballot(int predicate) CASSC_BODY(return __builtin_amdgcn_ballot_w32(predicate);)
CASSC_FN int __any(int predicate) CASSC_BODY(return __builtin_amdgcn_ballot_w32(predicate) != 0;)
CASSC_FN int __all(int predicate) CASSC_BODY(return __builtin_amdgcn_ballot_w32(!predicate) == 0;)
template <class T_>
CASSC_FN T_ __shfl(T_ value, int lane, int width = 32) CASSC_BODY(return cassc::permute(value, cassc::source_lane(lane, width));)
template <class T_>
CASSC_FN T_ __shfl_up(T_ value, unsigned delta, int width = 32) CASSC_BODY(return cassc::permute(value, cassc::source_up(delta, width));)
template <class T_>
CASSC_FN T_ __shfl_down(T_ value, unsigned delta, int width = 32) CASSC_BODY(return cassc::permute(value, cassc::source_down(delta, width));)
template <class T_>
CASSC_FN T_ __shfl_xor(T_ value, int bits, int width = 32) CASSC_BODY(return cassc::permute(value, cassc::source_xor(bits, width));)
CASSC_FN unsigned __bitinsert_u32(unsigned into, unsigned bits, unsigned offset, unsigned width) CASSC_BODY(
    const unsigned mask = (1u << (width & 31)) - 1;
    return (into & ~(mask << (offset & 31))) | ((bits & mask) << (offset & 31));)
#endif
