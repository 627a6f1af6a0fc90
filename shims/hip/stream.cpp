// Streams, events, host functions, graphs.
#include "api.h"

namespace {
constexpr unsigned kEventFlags = 0x7;  // the others ask for fences, which every event is here
}

HIP_AS(hipStreamCreate, cudaStreamCreate, (void** stream), (stream))
HIP_AS(hipStreamCreateWithFlags, cudaStreamCreateWithFlags, (void** stream, unsigned flags), (stream, flags))
HIP_AS(hipStreamCreateWithPriority, cudaStreamCreateWithPriority, (void** stream, unsigned flags, int priority), (stream, flags, priority))
HIP_AS(hipStreamDestroy, cudaStreamDestroy, (void* stream), (stream))
HIP_AS(hipStreamQuery, cudaStreamQuery, (void* stream), (stream))
HIP_AS(hipStreamSynchronize, cudaStreamSynchronize, (void* stream), (stream))
HIP_AS(hipStreamWaitEvent, cudaStreamWaitEvent, (void* stream, void* event, unsigned flags), (stream, event, flags))
HIP_AS(hipStreamGetFlags, cudaStreamGetFlags, (void* stream, unsigned* flags), (stream, flags))
HIP_AS(hipStreamGetPriority, cudaStreamGetPriority, (void* stream, int* priority), (stream, priority))
HIP_AS(hipStreamAddCallback, cudaStreamAddCallback, (void* stream, void (*function)(void*, int, void*), void* data, unsigned flags),
       (stream, function, data, flags))
HIP_AS(hipLaunchHostFunc, cudaLaunchHostFunc, (void* stream, void (*function)(void*), void* data), (stream, function, data))
HIP_AS(hipEventCreate, cudaEventCreate, (void** event), (event))
HIP_AS(hipEventDestroy, cudaEventDestroy, (void* event), (event))
HIP_AS(hipEventRecord, cudaEventRecord, (void* event, void* stream), (event, stream))
HIP_AS(hipEventQuery, cudaEventQuery, (void* event), (event))
HIP_AS(hipEventSynchronize, cudaEventSynchronize, (void* event), (event))
HIP_AS(hipEventElapsedTime, cudaEventElapsedTime, (float* milliseconds, void* start, void* end), (milliseconds, start, end))

extern "C" int cudaEventCreateWithFlags(void** event, unsigned flags);
HIP_API int hipEventCreateWithFlags(void** event, unsigned flags) {
  return cassc::hip::hip_code(cudaEventCreateWithFlags(event, flags & kEventFlags));
}

HIP_AS(hipStreamBeginCapture, cudaStreamBeginCapture, (void* stream, int mode), (stream, mode))
HIP_AS(hipStreamEndCapture, cudaStreamEndCapture, (void* stream, void** graph), (stream, graph))
HIP_AS(hipStreamIsCapturing, cudaStreamIsCapturing, (void* stream, int* status), (stream, status))
HIP_AS(hipGraphCreate, cudaGraphCreate, (void** graph, unsigned flags), (graph, flags))
HIP_AS(hipGraphDestroy, cudaGraphDestroy, (void* graph), (graph))
HIP_AS(hipGraphLaunch, cudaGraphLaunch, (void* exec, void* stream), (exec, stream))
HIP_AS(hipGraphExecDestroy, cudaGraphExecDestroy, (void* exec), (exec))
HIP_AS(hipGraphInstantiateWithFlags, cudaGraphInstantiateWithFlags, (void** exec, void* graph, unsigned long long flags), (exec, graph, flags))

HIP_AS(hipGraphGetNodes, cudaGraphGetNodes, (void* graph, void** nodes, size_t* count), (graph, nodes, count))
HIP_API int hipGetStreamDeviceId(void*) { return 0; }  // the one device

HIP_API int hipGraphInstantiate(void** exec, void* graph, void** error_node, char* log, size_t size) {
  if (error_node) *error_node = nullptr;
  if (log && size) log[0] = 0;
  return hipGraphInstantiateWithFlags(exec, graph, 0);
}
