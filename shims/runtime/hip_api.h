// The functions of libamdhip64 that the HIP device uses, declared here so that building needs no ROCm (HIP Runtime API
// Reference; numbers of flags and attributes as in HIP 6).
#ifndef CASSC_RUNTIME_HIP_API_H
#define CASSC_RUNTIME_HIP_API_H
#include <cstddef>
#include <cstdint>

namespace cassc::rt::hip {

using Status = int;
using Stream = struct StreamObject*;
using Event = struct EventObject*;
using Module = struct ModuleObject*;
using Function = struct FunctionObject*;

enum : unsigned {
  kStreamNonBlocking = 1,
  kEventDisableTiming = 2,
  kMemAttachGlobal = 1,
  kHostMallocMapped = 2,
  kHostMallocCoherent = 0x40000000,
  kHostRegisterMapped = 2
};
constexpr Status kNotReady = 600;
enum Attribute {
  kClockRate = 5,
  kIntegrated = 16,
  kL2CacheSize = 19,
  kMemoryBusWidth = 59,
  kMemoryClockRate = 60,
  kMultiprocessorCount = 63,
  kPciBusId = 67,
  kPciDeviceId = 68,
  kPciDomainId = 69
};
// Tags of the "extra" array of hipModuleLaunchKernel.
inline void* const kLaunchBuffer = reinterpret_cast<void*>(1);
inline void* const kLaunchSize = reinterpret_cast<void*>(2);
inline void* const kLaunchEnd = reinterpret_cast<void*>(3);

// X(name without "hip", parameters)
#define CASSC_HIP_FUNCTIONS(X)                                                                                       \
  X(Init, (unsigned))                                                                                                \
  X(GetDeviceCount, (int*))                                                                                          \
  X(SetDevice, (int))                                                                                                \
  X(DeviceGetName, (char*, int, int))                                                                                \
  X(DeviceGetAttribute, (int*, int, int))                                                                            \
  X(DeviceGetStreamPriorityRange, (int*, int*))                                                                      \
  X(DeviceSynchronize, ())                                                                                           \
  X(MemGetInfo, (size_t*, size_t*))                                                                                  \
  X(Malloc, (void**, size_t))                                                                                        \
  X(MallocManaged, (void**, size_t, unsigned))                                                                       \
  X(Free, (void*))                                                                                                   \
  X(HostMalloc, (void**, size_t, unsigned))                                                                          \
  X(HostFree, (void*))                                                                                               \
  X(HostRegister, (void*, size_t, unsigned))                                                                         \
  X(HostUnregister, (void*))                                                                                         \
  X(HostGetDevicePointer, (void**, void*, unsigned))                                                                 \
  X(StreamCreateWithPriority, (Stream*, unsigned, int))                                                              \
  X(StreamDestroy, (Stream))                                                                                         \
  X(StreamQuery, (Stream))                                                                                           \
  X(StreamSynchronize, (Stream))                                                                                     \
  X(StreamWaitEvent, (Stream, Event, unsigned))                                                                      \
  X(EventCreateWithFlags, (Event*, unsigned))                                                                        \
  X(EventDestroy, (Event))                                                                                           \
  X(EventRecord, (Event, Stream))                                                                                    \
  X(EventQuery, (Event))                                                                                             \
  X(EventSynchronize, (Event))                                                                                       \
  X(EventElapsedTime, (float*, Event, Event))                                                                        \
  X(MemcpyAsync, (void*, const void*, size_t, int, Stream))                                                          \
  X(Memcpy2DAsync, (void*, size_t, const void*, size_t, size_t, size_t, int, Stream))                                \
  X(Memset2DAsync, (void*, size_t, int, size_t, size_t, Stream))                                                     \
  X(MemsetD8Async, (void*, unsigned char, size_t, Stream))                                                           \
  X(MemsetD16Async, (void*, unsigned short, size_t, Stream))                                                         \
  X(MemsetD32Async, (void*, int, size_t, Stream))                                                                    \
  X(LaunchHostFunc, (Stream, void (*)(void*), void*))                                                                \
  X(ModuleLoadData, (Module*, const void*))                                                                          \
  X(ModuleUnload, (Module))                                                                                          \
  X(ModuleGetFunction, (Function*, Module, const char*))                                                             \
  X(ModuleGetGlobal, (void**, size_t*, Module, const char*))                                                         \
  X(ModuleLaunchKernel, (Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Stream,     \
                         void**, void**))                                                                            \
  X(ModuleLaunchCooperativeKernel,                                                                                   \
    (Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Stream, void**))

struct Api {
#define X(name, parameters) Status(*name) parameters = nullptr;
  CASSC_HIP_FUNCTIONS(X)
#undef X
  Status (*GetDeviceProperties)(void*, int) = nullptr;  // under either of its two names
};

}  // namespace cassc::rt::hip
#endif
