// Memory: allocation, copies, fills, symbols, pools.
#include "api.h"
#include "context.h"

namespace {

// HIP's own flags of coherence, which say nothing here: all memory is coherent.
constexpr unsigned kHostFlags = 0x7;
enum Kind { kHostToDevice = 1, kDeviceToHost = 2, kDeviceToDevice = 3, kDefault = 4 };

// HIP copies from and to any memory of the device, also what belongs to a code object and is no allocation of the program.
// Memory is the same on both sides, so for such a place the copy's kind does not matter.
int kind_of(const void* target, const void* source, int kind) {
  const auto& allocations = cassc::rt::Context::get().allocations;
  const bool unknown = (kind == kDeviceToHost && !allocations.find(source)) || (kind == kHostToDevice && !allocations.find(target));
  return unknown ? int{kDefault} : kind;
}

}  // namespace

extern "C" int cudaMemcpy(void* target, const void* source, size_t size, int kind);
extern "C" int cudaMemcpyAsync(void* target, const void* source, size_t size, int kind, void* stream);

HIP_API int hipMemcpy(void* target, const void* source, size_t size, int kind) {
  return cassc::hip::hip_code(cudaMemcpy(target, source, size, kind_of(target, source, kind)));
}
HIP_API int hipMemcpyAsync(void* target, const void* source, size_t size, int kind, void* stream) {
  return cassc::hip::hip_code(cudaMemcpyAsync(target, source, size, kind_of(target, source, kind), stream));
}

HIP_AS(hipMalloc, cudaMalloc, (void** pointer, size_t size), (pointer, size))
HIP_AS(hipFree, cudaFree, (void* pointer), (pointer))
HIP_AS(hipMallocPitch, cudaMallocPitch, (void** pointer, size_t* pitch, size_t width, size_t height), (pointer, pitch, width, height))
HIP_AS(hipMallocManaged, cudaMallocManaged, (void** pointer, size_t size, unsigned flags), (pointer, size, flags))
HIP_AS(hipMallocAsync, cudaMallocAsync, (void** pointer, size_t size, void* stream), (pointer, size, stream))
HIP_AS(hipFreeAsync, cudaFreeAsync, (void* pointer, void* stream), (pointer, stream))
HIP_AS(hipHostFree, cudaFreeHost, (void* pointer), (pointer))
HIP_AS(hipHostUnregister, cudaHostUnregister, (void* pointer), (pointer))
HIP_AS(hipHostGetDevicePointer, cudaHostGetDevicePointer, (void** device, void* host, unsigned flags), (device, host, flags))
HIP_AS(hipHostGetFlags, cudaHostGetFlags, (unsigned* flags, void* host), (flags, host))
HIP_AS(hipMemGetInfo, cudaMemGetInfo, (size_t* free_bytes, size_t* total), (free_bytes, total))
HIP_AS(hipMemcpy2D, cudaMemcpy2D,
       (void* target, size_t target_pitch, const void* source, size_t source_pitch, size_t width, size_t height, int kind),
       (target, target_pitch, source, source_pitch, width, height, kind))
HIP_AS(hipMemcpy2DAsync, cudaMemcpy2DAsync,
       (void* target, size_t target_pitch, const void* source, size_t source_pitch, size_t width, size_t height, int kind, void* stream),
       (target, target_pitch, source, source_pitch, width, height, kind, stream))
HIP_AS(hipMemset, cudaMemset, (void* target, int value, size_t size), (target, value, size))
HIP_AS(hipMemsetAsync, cudaMemsetAsync, (void* target, int value, size_t size, void* stream), (target, value, size, stream))
HIP_AS(hipMemset2D, cudaMemset2D, (void* target, size_t pitch, int value, size_t width, size_t height), (target, pitch, value, width, height))
HIP_AS(hipMemset2DAsync, cudaMemset2DAsync, (void* target, size_t pitch, int value, size_t width, size_t height, void* stream),
       (target, pitch, value, width, height, stream))
HIP_AS(hipMemcpyToSymbol, cudaMemcpyToSymbol, (const void* symbol, const void* source, size_t size, size_t offset, int kind),
       (symbol, source, size, offset, kind))
HIP_AS(hipMemcpyToSymbolAsync, cudaMemcpyToSymbolAsync,
       (const void* symbol, const void* source, size_t size, size_t offset, int kind, void* stream),
       (symbol, source, size, offset, kind, stream))
HIP_AS(hipMemcpyFromSymbol, cudaMemcpyFromSymbol, (void* target, const void* symbol, size_t size, size_t offset, int kind),
       (target, symbol, size, offset, kind))
HIP_AS(hipMemcpyFromSymbolAsync, cudaMemcpyFromSymbolAsync,
       (void* target, const void* symbol, size_t size, size_t offset, int kind, void* stream),
       (target, symbol, size, offset, kind, stream))
HIP_AS(hipGetSymbolAddress, cudaGetSymbolAddress, (void** pointer, const void* symbol), (pointer, symbol))
HIP_AS(hipGetSymbolSize, cudaGetSymbolSize, (size_t* size, const void* symbol), (size, symbol))
HIP_AS(hipMemPrefetchAsync, cudaMemPrefetchAsync, (const void* pointer, size_t size, int device, void* stream), (pointer, size, device, stream))
HIP_AS(hipMemAdvise, cudaMemAdvise, (const void* pointer, size_t size, int advice, int device), (pointer, size, advice, device))

extern "C" int cudaHostAlloc(void** pointer, size_t size, unsigned flags);
extern "C" int cudaHostRegister(void* pointer, size_t size, unsigned flags);

HIP_API int hipHostMalloc(void** pointer, size_t size, unsigned flags) {
  return cassc::hip::hip_code(cudaHostAlloc(pointer, size, flags & kHostFlags));
}
HIP_API int hipHostAlloc(void** pointer, size_t size, unsigned flags) { return hipHostMalloc(pointer, size, flags); }
HIP_API int hipMallocHost(void** pointer, size_t size) { return hipHostMalloc(pointer, size, 0); }
HIP_API int hipFreeHost(void* pointer) { return hipHostFree(pointer); }
HIP_API int hipHostRegister(void* pointer, size_t size, unsigned flags) {
  return cassc::hip::hip_code(cudaHostRegister(pointer, size, flags & kHostFlags));
}

HIP_API int hipStreamSynchronize(void* stream);
HIP_API int hipMemcpyWithStream(void* target, const void* source, size_t size, int kind, void* stream) {
  const int error = hipMemcpyAsync(target, source, size, kind, stream);
  return error ? error : hipStreamSynchronize(stream);
}
HIP_API int hipMemcpyHtoD(void* target, void* source, size_t size) { return hipMemcpy(target, source, size, kHostToDevice); }
HIP_API int hipMemcpyDtoH(void* target, void* source, size_t size) { return hipMemcpy(target, source, size, kDeviceToHost); }
HIP_API int hipMemcpyDtoD(void* target, void* source, size_t size) { return hipMemcpy(target, source, size, kDeviceToDevice); }
HIP_API int hipMemcpyHtoDAsync(void* target, void* source, size_t size, void* stream) {
  return hipMemcpyAsync(target, source, size, kHostToDevice, stream);
}
HIP_API int hipMemcpyDtoHAsync(void* target, void* source, size_t size, void* stream) {
  return hipMemcpyAsync(target, source, size, kDeviceToHost, stream);
}
HIP_API int hipMemcpyDtoDAsync(void* target, void* source, size_t size, void* stream) {
  return hipMemcpyAsync(target, source, size, kDeviceToDevice, stream);
}

HIP_API int hipMemsetD8Async(void* target, unsigned char value, size_t count, void* stream) { return hipMemsetAsync(target, value, count, stream); }
HIP_API int hipMemsetD8(void* target, unsigned char value, size_t count) { return hipMemset(target, value, count); }
