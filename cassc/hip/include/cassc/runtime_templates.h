// The C++ overloads of the runtime API that nvcc's cuda_runtime.h adds: typed pointers, symbols and kernels.
#ifndef CASSC_RUNTIME_TEMPLATES_H
#define CASSC_RUNTIME_TEMPLATES_H

#define CASSC_KERNEL(function) reinterpret_cast<const void*>(function)
#define CASSC_SYMBOL(symbol) const_cast<const void*>(static_cast<const volatile void*>(&symbol))

template <class T_>
cudaError_t cudaMalloc(T_** pointer, size_t size) {
  return cudaMalloc(reinterpret_cast<void**>(pointer), size);
}
template <class T_>
cudaError_t cudaMallocHost(T_** pointer, size_t size, unsigned flags = 0) {
  return cudaHostAlloc(reinterpret_cast<void**>(pointer), size, flags);
}
template <class T_>
cudaError_t cudaHostAlloc(T_** pointer, size_t size, unsigned flags) {
  return cudaHostAlloc(reinterpret_cast<void**>(pointer), size, flags);
}
template <class T_>
cudaError_t cudaHostGetDevicePointer(T_** device, void* host, unsigned flags) {
  return cudaHostGetDevicePointer(reinterpret_cast<void**>(device), host, flags);
}
template <class T_>
cudaError_t cudaMallocManaged(T_** pointer, size_t size, unsigned flags = cudaMemAttachGlobal) {
  return cudaMallocManaged(reinterpret_cast<void**>(pointer), size, flags);
}
template <class T_>
cudaError_t cudaMallocPitch(T_** pointer, size_t* pitch, size_t width, size_t height) {
  return cudaMallocPitch(reinterpret_cast<void**>(pointer), pitch, width, height);
}
template <class T_>
cudaError_t cudaMallocAsync(T_** pointer, size_t size, cudaStream_t stream) {
  return cudaMallocAsync(reinterpret_cast<void**>(pointer), size, stream);
}
template <class T_>
cudaError_t cudaMallocFromPoolAsync(T_** pointer, size_t size, cudaMemPool_t pool, cudaStream_t stream) {
  return cudaMallocFromPoolAsync(reinterpret_cast<void**>(pointer), size, pool, stream);
}
inline cudaError_t cudaMallocAsync(void** pointer, size_t size, cudaMemPool_t pool, cudaStream_t stream) {
  return cudaMallocFromPoolAsync(pointer, size, pool, stream);
}
template <class T_>
cudaError_t cudaMallocAsync(T_** pointer, size_t size, cudaMemPool_t pool, cudaStream_t stream) {
  return cudaMallocFromPoolAsync(reinterpret_cast<void**>(pointer), size, pool, stream);
}
template <class T_>
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T_* pointer, size_t length = 0,
                                     unsigned flags = cudaMemAttachSingle) {
  return cudaStreamAttachMemAsync(stream, static_cast<void*>(pointer), length, flags);
}

template <class T_>
cudaError_t cudaMemcpyToSymbol(const T_& symbol, const void* source, size_t count, size_t offset = 0,
                               cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return cudaMemcpyToSymbol(CASSC_SYMBOL(symbol), source, count, offset, kind);
}
template <class T_>
cudaError_t cudaMemcpyToSymbolAsync(const T_& symbol, const void* source, size_t count, size_t offset = 0,
                                    cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = 0) {
  return cudaMemcpyToSymbolAsync(CASSC_SYMBOL(symbol), source, count, offset, kind, stream);
}
template <class T_>
cudaError_t cudaMemcpyFromSymbol(void* target, const T_& symbol, size_t count, size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return cudaMemcpyFromSymbol(target, CASSC_SYMBOL(symbol), count, offset, kind);
}
template <class T_>
cudaError_t cudaMemcpyFromSymbolAsync(void* target, const T_& symbol, size_t count, size_t offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = 0) {
  return cudaMemcpyFromSymbolAsync(target, CASSC_SYMBOL(symbol), count, offset, kind, stream);
}
template <class T_>
cudaError_t cudaGetSymbolAddress(void** pointer, const T_& symbol) {
  return cudaGetSymbolAddress(pointer, CASSC_SYMBOL(symbol));
}
template <class T_>
cudaError_t cudaGetSymbolSize(size_t* size, const T_& symbol) {
  return cudaGetSymbolSize(size, CASSC_SYMBOL(symbol));
}

template <class T_>
cudaError_t cudaLaunchKernel(T_* kernel, dim3 grid, dim3 block, void** arguments, size_t shared = 0,
                             cudaStream_t stream = 0) {
  return cudaLaunchKernel(CASSC_KERNEL(kernel), grid, block, arguments, shared, stream);
}
template <class T_>
cudaError_t cudaLaunchCooperativeKernel(T_* kernel, dim3 grid, dim3 block, void** arguments, size_t shared = 0,
                                        cudaStream_t stream = 0) {
  return cudaLaunchCooperativeKernel(CASSC_KERNEL(kernel), grid, block, arguments, shared, stream);
}
template <class... Parameters, class... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...), Arguments&&... arguments) {
  return [&](Parameters... values) {
    void* pointers[] = {const_cast<void*>(static_cast<const volatile void*>(&values))..., nullptr};
    return cudaLaunchKernelExC(config, CASSC_KERNEL(kernel), pointers);
  }(static_cast<Arguments&&>(arguments)...);
}
template <class T_>
cudaError_t cudaFuncSetCacheConfig(T_* kernel, cudaFuncCache config) {
  return cudaFuncSetCacheConfig(CASSC_KERNEL(kernel), config);
}
template <class T_>
cudaError_t cudaFuncSetSharedMemConfig(T_* kernel, cudaSharedMemConfig config) {
  return cudaFuncSetSharedMemConfig(CASSC_KERNEL(kernel), config);
}
template <class T_>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, T_* kernel) {
  return cudaFuncGetAttributes(attributes, CASSC_KERNEL(kernel));
}
template <class T_>
cudaError_t cudaFuncSetAttribute(T_* kernel, cudaFuncAttribute attribute, int value) {
  return cudaFuncSetAttribute(CASSC_KERNEL(kernel), attribute, value);
}
template <class T_>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, T_ kernel, int threads, size_t shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, CASSC_KERNEL(kernel), threads, shared);
}
template <class T_>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, T_ kernel, int threads, size_t shared,
                                                                   unsigned flags) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, CASSC_KERNEL(kernel), threads, shared, flags);
}

// The block size with which most threads are resident; of several, the largest (CUDA Runtime API, "Occupancy").
template <class Size, class T_>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int* grid, int* block, T_ kernel, Size shared,
                                                                    int limit = 0, unsigned flags = 0) {
  cudaFuncAttributes attributes;
  cudaError_t error = cudaFuncGetAttributes(&attributes, CASSC_KERNEL(kernel));
  int device = 0, processors = 0, best = 0;
  if (error == cudaSuccess) error = cudaGetDevice(&device);
  if (error == cudaSuccess) error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  if (error != cudaSuccess) return error;
  const int most = limit > 0 && limit < attributes.maxThreadsPerBlock ? limit : attributes.maxThreadsPerBlock;
  for (int threads = (most + 31) / 32 * 32; threads > 0; threads -= 32) {
    const int tried = threads < most ? threads : most;
    int blocks = 0;
    error = cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, CASSC_KERNEL(kernel), tried, shared(tried),
                                                                   flags);
    if (error != cudaSuccess) return error;
    if (blocks * tried <= best) continue;
    best = blocks * tried;
    *block = tried;
    *grid = blocks * processors;
  }
  return cudaSuccess;
}
template <class Size, class T_>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* grid, int* block, T_ kernel, Size shared, int limit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(grid, block, kernel, shared, limit, 0);
}
template <class T_>
cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, T_ kernel, size_t shared = 0, int limit = 0,
                                                        unsigned flags = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(grid, block, kernel, [=](int) { return shared; }, limit, flags);
}
template <class T_>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid, int* block, T_ kernel, size_t shared = 0, int limit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(grid, block, kernel, [=](int) { return shared; }, limit);
}
template <class T_>
cudaError_t cudaGetKernel(cudaKernel_t* handle, T_* kernel) {
  return cudaGetKernel(handle, CASSC_KERNEL(kernel));
}

inline cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned flags) { return cudaEventCreateWithFlags(event, flags); }
#if CASSC_CUDART_MAJOR >= 13
inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, cudaGraphNode_t*, char*, size_t) {
  return cudaGraphInstantiate(executable, graph, 0);
}
#endif

inline cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) { return cudaExtent{width, height, depth}; }
inline cudaPos make_cudaPos(size_t x, size_t y, size_t z) { return cudaPos{x, y, z}; }
inline cudaPitchedPtr make_cudaPitchedPtr(void* pointer, size_t pitch, size_t xsize, size_t ysize) {
  return cudaPitchedPtr{pointer, pitch, xsize, ysize};
}

namespace cassc {
template <class T_>
struct ChannelOf {
  static constexpr int count = 0, bits = 0;
  static constexpr cudaChannelFormatKind kind = cudaChannelFormatKindNone;
};
#define CASSC_CHANNEL(type, members, format)                        \
  template <>                                                       \
  struct ChannelOf<type> {                                          \
    static constexpr int count = members;                           \
    static constexpr int bits = 8 * sizeof(type) / members;         \
    static constexpr cudaChannelFormatKind kind = format;           \
  };
#define CASSC_CHANNELS(name, scalar, format) \
  CASSC_CHANNEL(scalar, 1, format) CASSC_CHANNEL(name##1, 1, format) CASSC_CHANNEL(name##2, 2, format) \
  CASSC_CHANNEL(name##4, 4, format)
CASSC_CHANNELS(char, char, cudaChannelFormatKindSigned)
CASSC_CHANNEL(signed char, 1, cudaChannelFormatKindSigned)
CASSC_CHANNELS(uchar, unsigned char, cudaChannelFormatKindUnsigned)
CASSC_CHANNELS(short, short, cudaChannelFormatKindSigned)
CASSC_CHANNELS(ushort, unsigned short, cudaChannelFormatKindUnsigned)
CASSC_CHANNELS(int, int, cudaChannelFormatKindSigned)
CASSC_CHANNELS(uint, unsigned, cudaChannelFormatKindUnsigned)
CASSC_CHANNELS(float, float, cudaChannelFormatKindFloat)
#undef CASSC_CHANNELS
#undef CASSC_CHANNEL
}  // namespace cassc

template <class T_>
cudaChannelFormatDesc cudaCreateChannelDesc() {
  using Channel = cassc::ChannelOf<T_>;
  auto bits = [](int member) { return member < Channel::count ? Channel::bits : 0; };
  return cudaCreateChannelDesc(bits(0), bits(1), bits(2), bits(3), Channel::kind);
}
inline cudaChannelFormatDesc cudaCreateChannelDescHalf() {
  return cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat);
}
inline cudaChannelFormatDesc cudaCreateChannelDescHalf1() { return cudaCreateChannelDescHalf(); }
inline cudaChannelFormatDesc cudaCreateChannelDescHalf2() {
  return cudaCreateChannelDesc(16, 16, 0, 0, cudaChannelFormatKindFloat);
}
inline cudaChannelFormatDesc cudaCreateChannelDescHalf4() {
  return cudaCreateChannelDesc(16, 16, 16, 16, cudaChannelFormatKindFloat);
}
#undef CASSC_KERNEL
#undef CASSC_SYMBOL
#endif
