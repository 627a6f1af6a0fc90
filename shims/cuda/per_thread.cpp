// The variants that programs compiled with CUDA_API_PER_THREAD_DEFAULT_STREAM call: handle 0 is the thread's own default stream.
#include "api.h"
#include "hints.h"

using namespace cassc::cuda;
namespace rt = cassc::rt;

#define PER_THREAD(name, suffix, parameters, arguments) \
  CASSC_API Result name parameters;                     \
  CASSC_API Result name##suffix parameters {            \
    const rt::PerThreadDefault in_force;                \
    return name arguments;                              \
  }

PER_THREAD(cuEventRecord, _ptsz, (Event* event, Stream* stream), (event, stream))
PER_THREAD(cuEventRecordWithFlags, _ptsz,
           (Event* handle, Stream* stream_handle, unsigned flags),
           (handle, stream_handle, flags))
PER_THREAD(cuGraphLaunch, _ptsz, (GraphExec* exec, Stream* handle), (exec, handle))
PER_THREAD(cuGraphUpload, _ptsz, (GraphExec* exec, Stream* handle), (exec, handle))
PER_THREAD(cuLaunchCooperativeKernel, _ptsz,
           (Kernel* kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z, unsigned dynamic_shared, Stream* stream, void** arguments),
           (kernel, grid_x, grid_y, grid_z, block_x, block_y, block_z, dynamic_shared, stream, arguments))
PER_THREAD(cuLaunchHostFunc, _ptsz, (Stream* handle, rt::HostFunction function, void* data), (handle, function, data))
PER_THREAD(cuLaunchKernel, _ptsz,
           (Kernel* kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z, unsigned dynamic_shared, Stream* stream, void** arguments, void** extra),
           (kernel, grid_x, grid_y, grid_z, block_x, block_y, block_z, dynamic_shared, stream, arguments, extra))
PER_THREAD(cuLaunchKernelEx, _ptsz,
           (const LaunchConfig* config, Kernel* kernel, void** arguments, void** extra),
           (config, kernel, arguments, extra))
PER_THREAD(cuMemAllocAsync, _ptsz, (DevicePointer* address, size_t bytes, Stream* stream), (address, bytes, stream))
PER_THREAD(cuMemAllocFromPoolAsync, _ptsz,
           (DevicePointer* address, size_t bytes, MemoryPool* pool, Stream* stream),
           (address, bytes, pool, stream))
PER_THREAD(cuMemFreeAsync, _ptsz, (DevicePointer address, Stream* handle), (address, handle))
PER_THREAD(cuMemPrefetchAsync, _ptsz,
           (DevicePointer address, size_t bytes, int index, Stream* stream),
           (address, bytes, index, stream))
PER_THREAD(cuMemPrefetchAsync_v2, _ptsz,
           (DevicePointer address, size_t bytes, rt::Place place, unsigned flags, Stream* handle),
           (address, bytes, place, flags, handle))
PER_THREAD(cuMemcpy, _ptds, (DevicePointer target, DevicePointer source, size_t bytes), (target, source, bytes))
PER_THREAD(cuMemcpy2DAsync_v2, _ptsz, (const Memcpy2D* parameters, Stream* stream), (parameters, stream))
PER_THREAD(cuMemcpy2DUnaligned_v2, _ptds, (const Memcpy2D* parameters), (parameters))
PER_THREAD(cuMemcpy2D_v2, _ptds, (const Memcpy2D* parameters), (parameters))
PER_THREAD(cuMemcpy3DAsync_v2, _ptsz, (const Memcpy3D* parameters, Stream* stream), (parameters, stream))
PER_THREAD(cuMemcpy3D_v2, _ptds, (const Memcpy3D* parameters), (parameters))
PER_THREAD(cuMemcpyAsync, _ptsz,
           (DevicePointer target, DevicePointer source, size_t bytes, Stream* stream),
           (target, source, bytes, stream))
PER_THREAD(cuMemcpyDtoDAsync_v2, _ptsz,
           (DevicePointer target, DevicePointer source, size_t bytes, Stream* stream),
           (target, source, bytes, stream))
PER_THREAD(cuMemcpyDtoD_v2, _ptds, (DevicePointer target, DevicePointer source, size_t bytes), (target, source, bytes))
PER_THREAD(cuMemcpyDtoHAsync_v2, _ptsz,
           (void* target, DevicePointer source, size_t bytes, Stream* stream),
           (target, source, bytes, stream))
PER_THREAD(cuMemcpyDtoH_v2, _ptds, (void* target, DevicePointer source, size_t bytes), (target, source, bytes))
PER_THREAD(cuMemcpyHtoDAsync_v2, _ptsz,
           (DevicePointer target, const void* source, size_t bytes, Stream* stream),
           (target, source, bytes, stream))
PER_THREAD(cuMemcpyHtoD_v2, _ptds, (DevicePointer target, const void* source, size_t bytes), (target, source, bytes))
PER_THREAD(cuMemcpyPeer, _ptds,
           (DevicePointer target, DriverContext* to, DevicePointer source, DriverContext* from, size_t bytes),
           (target, to, source, from, bytes))
PER_THREAD(cuMemcpyPeerAsync, _ptsz,
           (DevicePointer target, DriverContext* to, DevicePointer source, DriverContext* from, size_t bytes, Stream* stream),
           (target, to, source, from, bytes, stream))
PER_THREAD(cuMemsetD16Async, _ptsz,
           (DevicePointer target, unsigned short value, size_t count, Stream* stream),
           (target, value, count, stream))
PER_THREAD(cuMemsetD16_v2, _ptds, (DevicePointer target, unsigned short value, size_t count), (target, value, count))
PER_THREAD(cuMemsetD2D16Async, _ptsz,
           (DevicePointer target, size_t pitch, unsigned short value, size_t width, size_t height, Stream* stream),
           (target, pitch, value, width, height, stream))
PER_THREAD(cuMemsetD2D16_v2, _ptds,
           (DevicePointer target, size_t pitch, unsigned short value, size_t width, size_t height),
           (target, pitch, value, width, height))
PER_THREAD(cuMemsetD2D32Async, _ptsz,
           (DevicePointer target, size_t pitch, unsigned value, size_t width, size_t height, Stream* stream),
           (target, pitch, value, width, height, stream))
PER_THREAD(cuMemsetD2D32_v2, _ptds,
           (DevicePointer target, size_t pitch, unsigned value, size_t width, size_t height),
           (target, pitch, value, width, height))
PER_THREAD(cuMemsetD2D8Async, _ptsz,
           (DevicePointer target, size_t pitch, unsigned char value, size_t width, size_t height, Stream* stream),
           (target, pitch, value, width, height, stream))
PER_THREAD(cuMemsetD2D8_v2, _ptds,
           (DevicePointer target, size_t pitch, unsigned char value, size_t width, size_t height),
           (target, pitch, value, width, height))
PER_THREAD(cuMemsetD32Async, _ptsz,
           (DevicePointer target, unsigned value, size_t count, Stream* stream),
           (target, value, count, stream))
PER_THREAD(cuMemsetD32_v2, _ptds, (DevicePointer target, unsigned value, size_t count), (target, value, count))
PER_THREAD(cuMemsetD8Async, _ptsz,
           (DevicePointer target, unsigned char value, size_t count, Stream* stream),
           (target, value, count, stream))
PER_THREAD(cuMemsetD8_v2, _ptds, (DevicePointer target, unsigned char value, size_t count), (target, value, count))
PER_THREAD(cuStreamAddCallback, _ptsz,
           (Stream* handle, StreamCallback callback, void* data, unsigned flags),
           (handle, callback, data, flags))
PER_THREAD(cuStreamBeginCapture, _ptsz, (Stream* stream), (stream))
PER_THREAD(cuStreamBeginCapture_v2, _ptsz, (Stream* handle, int mode), (handle, mode))
PER_THREAD(cuStreamEndCapture, _ptsz, (Stream* handle, Graph** graph), (handle, graph))
PER_THREAD(cuStreamGetCtx, _ptsz, (Stream* handle, DriverContext** context), (handle, context))
PER_THREAD(cuStreamGetDevice, _ptsz, (Stream* handle, int* index), (handle, index))
PER_THREAD(cuStreamGetFlags, _ptsz, (Stream* handle, unsigned* flags), (handle, flags))
PER_THREAD(cuStreamGetId, _ptsz, (Stream* handle, unsigned long long* id), (handle, id))
PER_THREAD(cuStreamGetPriority, _ptsz, (Stream* handle, int* priority), (handle, priority))
PER_THREAD(cuStreamIsCapturing, _ptsz, (Stream* handle, int* status), (handle, status))
PER_THREAD(cuStreamQuery, _ptsz, (Stream* handle), (handle))
PER_THREAD(cuStreamSynchronize, _ptsz, (Stream* handle), (handle))
PER_THREAD(cuStreamWaitEvent, _ptsz, (Stream* handle, Event* event_handle, unsigned flags), (handle, event_handle, flags))
