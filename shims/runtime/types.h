// Plain types of the runtime core. Values equal those of the CUDA runtime API (CUDA Runtime API manual, "Data types used
// by CUDA Runtime"), so the front ends pass them through.
#ifndef CASSC_RUNTIME_TYPES_H
#define CASSC_RUNTIME_TYPES_H
#include <cstddef>
#include <cstdint>

#define CASSC_EXPORT __attribute__((visibility("default")))

namespace cassc::rt {

enum class Error : int {
  Success = 0,
#define CASSC_ERROR(code, name, text) name = code,
#include "errors.def"
#undef CASSC_ERROR
};

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t volume() const { return uint64_t{x} * y * z; }
};

enum class CopyKind : int { HostToHost = 0, HostToDevice = 1, DeviceToHost = 2, DeviceToDevice = 3, Default = 4 };

// Numbers of cudaMemoryType.
enum class MemoryType : int { Unregistered = 0, Host = 1, Device = 2, Managed = 3 };

}  // namespace cassc::rt
#endif
