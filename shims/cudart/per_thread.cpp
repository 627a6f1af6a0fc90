// The variants that programs compiled with -default-stream per-thread call: handle 0 is the thread's own default stream.
#include "api.h"
#include "hints.h"
#include "memory.h"
#include "pool.h"

using namespace cassc::cudart;
namespace rt = cassc::rt;
using rt::MemoryPool;

#define PER_THREAD(name, suffix, parameters, arguments) \
  CASSC_API Error name parameters;                      \
  CASSC_API Error name##suffix parameters {             \
    const rt::PerThreadDefault in_force;                \
    return name arguments;                              \
  }

PER_THREAD(__cudaLaunchKernel, _ptsz,
           (const void* kernel, Dim3 grid, Dim3 block, void** arguments, size_t dynamic_shared, Stream* stream),
           (kernel, grid, block, arguments, dynamic_shared, stream))
PER_THREAD(cudaEventRecordWithFlags, _ptsz,
           (Event* handle, Stream* stream_handle, unsigned flags),
           (handle, stream_handle, flags))
PER_THREAD(cudaEventRecord, _ptsz, (Event* event, Stream* stream), (event, stream))
PER_THREAD(cudaFreeAsync, _ptsz, (void* pointer, Stream* handle), (pointer, handle))
PER_THREAD(cudaGetDriverEntryPointByVersion, _ptsz,
           (const char* name, void** function, unsigned p2, unsigned long long flags, int* result),
           (name, function, p2, flags, result))
#if CASSC_CUDART_MAJOR == 11
PER_THREAD(cudaGetDriverEntryPoint, _ptsz, (const char* name, void** function, unsigned long long p2), (name, function, p2))
#else
PER_THREAD(cudaGetDriverEntryPoint, _ptsz,
           (const char* name, void** function, unsigned long long p2, int* result),
           (name, function, p2, result))
#endif
PER_THREAD(cudaGraphInstantiateWithParams, _ptsz,
           (GraphExec** exec, Graph* graph, InstantiateParameters* parameters),
           (exec, graph, parameters))
PER_THREAD(cudaGraphLaunch, _ptsz, (GraphExec* handle, Stream* stream_handle), (handle, stream_handle))
PER_THREAD(cudaGraphUpload, _ptsz, (GraphExec* handle, Stream* stream_handle), (handle, stream_handle))
PER_THREAD(cudaLaunchCooperativeKernel, _ptsz,
           (const void* function, Dim3 grid, Dim3 block, void** arguments, size_t dynamic_shared, Stream* stream),
           (function, grid, block, arguments, dynamic_shared, stream))
PER_THREAD(cudaLaunchHostFunc, _ptsz, (Stream* handle, rt::HostFunction function, void* data), (handle, function, data))
PER_THREAD(cudaLaunchHostFunc_v2, _ptsz,
           (Stream* handle, rt::HostFunction function, void* data, unsigned p3),
           (handle, function, data, p3))
PER_THREAD(cudaLaunchKernelExC, _ptsz,
           (const LaunchConfig* config, const void* function, void** arguments),
           (config, function, arguments))
PER_THREAD(cudaLaunchKernel, _ptsz,
           (const void* function, Dim3 grid, Dim3 block, void** arguments, size_t dynamic_shared, Stream* stream),
           (function, grid, block, arguments, dynamic_shared, stream))
PER_THREAD(cudaMallocAsync, _ptsz, (void** pointer, size_t bytes, Stream* stream), (pointer, bytes, stream))
PER_THREAD(cudaMallocFromPoolAsync, _ptsz,
           (void** pointer, size_t bytes, MemoryPool* pool, Stream* stream),
           (pointer, bytes, pool, stream))
PER_THREAD(cudaMemcpy2DArrayToArray, _ptds,
           (Array* target, size_t target_x, size_t target_y, Array* source, size_t source_x, size_t source_y,
            size_t width, size_t height, CopyKind kind),
           (target, target_x, target_y, source, source_x, source_y, width, height, kind))
PER_THREAD(cudaMemcpy2DAsync, _ptsz,
           (void* target, size_t target_pitch, const void* source, size_t source_pitch, size_t width, size_t height,
            CopyKind kind, Stream* stream),
           (target, target_pitch, source, source_pitch, width, height, kind, stream))
PER_THREAD(cudaMemcpy2DFromArrayAsync, _ptsz,
           (void* target, size_t pitch, Array* array, size_t x, size_t y, size_t width, size_t height, CopyKind kind,
            Stream* stream),
           (target, pitch, array, x, y, width, height, kind, stream))
PER_THREAD(cudaMemcpy2DFromArray, _ptds,
           (void* target, size_t pitch, Array* array, size_t x, size_t y, size_t width, size_t height, CopyKind kind),
           (target, pitch, array, x, y, width, height, kind))
PER_THREAD(cudaMemcpy2DToArrayAsync, _ptsz,
           (Array* array, size_t x, size_t y, const void* source, size_t pitch, size_t width, size_t height,
            CopyKind kind, Stream* stream),
           (array, x, y, source, pitch, width, height, kind, stream))
PER_THREAD(cudaMemcpy2DToArray, _ptds,
           (Array* array, size_t x, size_t y, const void* source, size_t pitch, size_t width, size_t height,
            CopyKind kind),
           (array, x, y, source, pitch, width, height, kind))
PER_THREAD(cudaMemcpy2D, _ptds,
           (void* target, size_t target_pitch, const void* source, size_t source_pitch, size_t width, size_t height,
            CopyKind kind),
           (target, target_pitch, source, source_pitch, width, height, kind))
PER_THREAD(cudaMemcpy3DAsync, _ptsz, (const Memcpy3DParameters* parameters, Stream* stream), (parameters, stream))
PER_THREAD(cudaMemcpy3DPeerAsync, _ptsz, (const Memcpy3DPeerParameters* parameters, Stream* stream), (parameters, stream))
PER_THREAD(cudaMemcpy3DPeer, _ptds, (const Memcpy3DPeerParameters* parameters), (parameters))
PER_THREAD(cudaMemcpy3D, _ptds, (const Memcpy3DParameters* parameters), (parameters))
PER_THREAD(cudaMemcpyArrayToArray, _ptds,
           (Array* target, size_t target_x, size_t target_y, Array* source, size_t source_x, size_t source_y,
            size_t bytes, CopyKind kind),
           (target, target_x, target_y, source, source_x, source_y, bytes, kind))
PER_THREAD(cudaMemcpyAsync, _ptsz,
           (void* target, const void* source, size_t bytes, CopyKind kind, Stream* stream),
           (target, source, bytes, kind, stream))
PER_THREAD(cudaMemcpyFromArrayAsync, _ptsz,
           (void* target, Array* array, size_t x, size_t y, size_t bytes, CopyKind kind, Stream* stream),
           (target, array, x, y, bytes, kind, stream))
PER_THREAD(cudaMemcpyFromArray, _ptds,
           (void* target, Array* array, size_t x, size_t y, size_t bytes, CopyKind kind),
           (target, array, x, y, bytes, kind))
PER_THREAD(cudaMemcpyFromSymbolAsync, _ptsz,
           (void* target, const void* symbol, size_t bytes, size_t offset, CopyKind kind, Stream* stream),
           (target, symbol, bytes, offset, kind, stream))
PER_THREAD(cudaMemcpyFromSymbol, _ptds,
           (void* target, const void* symbol, size_t bytes, size_t offset, CopyKind kind),
           (target, symbol, bytes, offset, kind))
PER_THREAD(cudaMemcpyToArrayAsync, _ptsz,
           (Array* array, size_t x, size_t y, const void* source, size_t bytes, CopyKind kind, Stream* stream),
           (array, x, y, source, bytes, kind, stream))
PER_THREAD(cudaMemcpyToArray, _ptds,
           (Array* array, size_t x, size_t y, const void* source, size_t bytes, CopyKind kind),
           (array, x, y, source, bytes, kind))
PER_THREAD(cudaMemcpyToSymbolAsync, _ptsz,
           (const void* symbol, const void* source, size_t bytes, size_t offset, CopyKind kind, Stream* stream),
           (symbol, source, bytes, offset, kind, stream))
PER_THREAD(cudaMemcpyToSymbol, _ptds,
           (const void* symbol, const void* source, size_t bytes, size_t offset, CopyKind kind),
           (symbol, source, bytes, offset, kind))
PER_THREAD(cudaMemcpy, _ptds,
           (void* target, const void* source, size_t bytes, CopyKind kind),
           (target, source, bytes, kind))
PER_THREAD(cudaMemset2DAsync, _ptsz,
           (void* target, size_t pitch, int value, size_t width, size_t height, Stream* stream),
           (target, pitch, value, width, height, stream))
PER_THREAD(cudaMemset2D, _ptds,
           (void* target, size_t pitch, int value, size_t width, size_t height),
           (target, pitch, value, width, height))
PER_THREAD(cudaMemset3DAsync, _ptsz,
           (PitchedPointer memory, int value, Extent box, Stream* stream),
           (memory, value, box, stream))
PER_THREAD(cudaMemset3D, _ptds, (PitchedPointer memory, int value, Extent box), (memory, value, box))
PER_THREAD(cudaMemsetAsync, _ptsz,
           (void* target, int value, size_t bytes, Stream* stream),
           (target, value, bytes, stream))
PER_THREAD(cudaMemset, _ptds, (void* target, int value, size_t bytes), (target, value, bytes))
PER_THREAD(cudaStreamAddCallback, _ptsz,
           (Stream* handle, StreamCallback callback, void* data, unsigned flags),
           (handle, callback, data, flags))
PER_THREAD(cudaStreamAttachMemAsync, _ptsz,
           (Stream* handle, void* pointer, size_t p2, unsigned flags),
           (handle, pointer, p2, flags))
PER_THREAD(cudaStreamBeginCaptureToGraph, _ptsz,
           (Stream* handle, Graph* graph, Node* const* nodes, const EdgeData* p3, size_t count, int mode),
           (handle, graph, nodes, p3, count, mode))
PER_THREAD(cudaStreamBeginCapture, _ptsz, (Stream* handle, int mode), (handle, mode))
PER_THREAD(cudaStreamCopyAttributes, _ptsz,
           (Stream* target_handle, Stream* source_handle),
           (target_handle, source_handle))
PER_THREAD(cudaStreamEndCapture, _ptsz, (Stream* handle, Graph** graph), (handle, graph))
PER_THREAD(cudaStreamGetAttribute, _ptsz,
           (Stream* handle, int attribute, AttributeValue* value),
           (handle, attribute, value))
PER_THREAD(cudaStreamGetDevice, _ptsz, (Stream* handle, int* index), (handle, index))
PER_THREAD(cudaStreamGetFlags, _ptsz, (Stream* handle, unsigned* flags), (handle, flags))
PER_THREAD(cudaStreamGetId, _ptsz, (Stream* handle, unsigned long long* id), (handle, id))
PER_THREAD(cudaStreamGetPriority, _ptsz, (Stream* handle, int* priority), (handle, priority))
PER_THREAD(cudaStreamIsCapturing, _ptsz, (Stream* handle, int* status), (handle, status))
PER_THREAD(cudaStreamQuery, _ptsz, (Stream* handle), (handle))
PER_THREAD(cudaStreamSetAttribute, _ptsz,
           (Stream* handle, int attribute, const AttributeValue* value),
           (handle, attribute, value))
PER_THREAD(cudaStreamSynchronize, _ptsz, (Stream* handle), (handle))
PER_THREAD(cudaStreamWaitEvent, _ptsz,
           (Stream* handle, Event* event_handle, unsigned flags),
           (handle, event_handle, flags))

struct CopyAttributes;  // see memory.cpp
#if CASSC_CUDART_MAJOR == 12
PER_THREAD(cudaMemcpyBatchAsync, _ptsz,
           (void** targets, void** sources, size_t* sizes, size_t count, CopyAttributes* attributes, size_t* first,
            size_t attribute_count, size_t* failed, Stream* stream),
           (targets, sources, sizes, count, attributes, first, attribute_count, failed, stream))
#elif CASSC_CUDART_MAJOR == 13
PER_THREAD(cudaMemcpyBatchAsync, _ptsz,
           (void* const* targets, const void* const* sources, const size_t* sizes, size_t count, CopyAttributes* attributes,
            size_t* first, size_t attribute_count, Stream* stream),
           (targets, sources, sizes, count, attributes, first, attribute_count, stream))
#endif

#if CASSC_CUDART_MAJOR <= 12
PER_THREAD(cudaMemPrefetchAsync, _ptsz,
           (const void* pointer, size_t bytes, int index, Stream* stream),
           (pointer, bytes, index, stream))
PER_THREAD(cudaMemPrefetchAsync_v2, _ptsz,
           (const void* pointer, size_t bytes, rt::Place place, unsigned p3, Stream* stream),
           (pointer, bytes, place, p3, stream))
PER_THREAD(cudaStreamGetCaptureInfo, _ptsz, (Stream* stream, int* status, unsigned long long* id), (stream, status, id))
PER_THREAD(cudaStreamGetCaptureInfo_v2, _ptsz,
           (Stream* stream, int* status, unsigned long long* id, Graph** graph, const Node* const** frontier,
            size_t* count),
           (stream, status, id, graph, frontier, count))
PER_THREAD(cudaStreamGetCaptureInfo_v3, _ptsz,
           (Stream* stream, int* status, unsigned long long* id, Graph** graph, const Node* const** frontier,
            const EdgeData** edges, size_t* count),
           (stream, status, id, graph, frontier, edges, count))
PER_THREAD(cudaStreamUpdateCaptureDependencies, _ptsz,
           (Stream* stream, Node* const* nodes, size_t count, unsigned flags),
           (stream, nodes, count, flags))
PER_THREAD(cudaStreamUpdateCaptureDependencies_v2, _ptsz,
           (Stream* stream, Node* const* nodes, const EdgeData* p2, size_t count, unsigned flags),
           (stream, nodes, p2, count, flags))
#else
PER_THREAD(cudaMemPrefetchAsync, _ptsz,
           (const void* pointer, size_t bytes, rt::Place place, unsigned p3, Stream* stream),
           (pointer, bytes, place, p3, stream))
PER_THREAD(cudaStreamGetCaptureInfo, _ptsz,
           (Stream* stream, int* status, unsigned long long* id, Graph** graph, const Node* const** frontier,
            const EdgeData** edges, size_t* count),
           (stream, status, id, graph, frontier, edges, count))
PER_THREAD(cudaStreamUpdateCaptureDependencies, _ptsz,
           (Stream* stream, Node* const* nodes, const EdgeData* p2, size_t count, unsigned flags),
           (stream, nodes, p2, count, flags))
#endif
