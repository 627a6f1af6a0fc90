// Device management, peer access, profiler control and versions. There is one device, number 0.
#include <dlfcn.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstring>
#include <string>

#include "api.h"
#include "capture.h"
#include "library.h"

using namespace cassc::cudart;
namespace rt = cassc::rt;

namespace {

constexpr size_t kNameBytes = 256, kUuidOffset = 256;
constexpr size_t kOldProperties = 728;  // cudaDeviceProp before CUDA 12: a prefix of the one of CUDA 12

struct Property {
  int attribute, offset12, offset13, bytes;
  int64_t value;
};

// All rows of properties.def for the device.
std::vector<Property> properties() {
  const rt::DeviceFacts& facts = device().facts();
  const int sm = static_cast<int>(rt::Registry::get().compute_capability());
  return {
#define PROPERTY(name, attribute, offset12, offset13, bytes, value) \
  {attribute, offset12, offset13, bytes, static_cast<int64_t>(value)},
#include "properties.def"
#undef PROPERTY
  };
}

void write(char* target, int bytes, int64_t value) {
  if (bytes == 8) {
    std::memcpy(target, &value, 8);
  } else {
    const auto narrow = static_cast<int32_t>(std::min<int64_t>(value, INT32_MAX));
    std::memcpy(target, &narrow, 4);
  }
}

// size bytes of the layout of CUDA 12 or 13.
Error pack(void* target, size_t size, bool layout13, int index) {
  return api([&] {
    if (index != 0) return Error::InvalidDevice;
    if (!target) return Error::InvalidValue;
    char* bytes = static_cast<char*>(target);
    std::memset(bytes, 0, size);
    const rt::DeviceFacts& facts = device().facts();
    std::snprintf(bytes, kNameBytes, "%s", facts.name.c_str());
    rt::device_uuid(facts, bytes + kUuidOffset);
    for (const Property& property : properties()) {
      const int offset = layout13 ? property.offset13 : property.offset12;
      if (offset >= 0 && static_cast<size_t>(offset + property.bytes) <= size)
        write(bytes + offset, property.bytes, property.value);
    }
    return Error::Success;
  });
}

Error check_device(int index) { return index == 0 ? Error::Success : Error::InvalidDevice; }

template <class Body>
Error for_device(int index, Body&& body) {
  return api([&] {
    const Error error = check_device(index);
    return error == Error::Success ? body() : error;
  });
}

constexpr unsigned kAllDeviceFlags = 0x1f;  // schedule (3 bits), map host, resize local memory; 0x80: sync memory operations
constexpr unsigned kSyncMemops = 0x80;

enum Limit { kStackSize, kPrintfFifo, kMallocHeap, kSyncDepth, kPendingLaunches, kFetchGranularity, kPersistingL2 };

}  // namespace

CASSC_API Error cudaGetDeviceCount(int* count) {
  if (!count) return without_device([] { return Error::InvalidValue; });
  *count = 0;
  return without_device([&] {
    const Error error = rt::Context::get().open(nullptr);
    if (error == Error::Success) *count = 1;
    return error;
  });
}

CASSC_API Error cudaGetDevice(int* index) {
  return without_device([&] {
    if (!index) return Error::InvalidValue;
    *index = 0;
    return Error::Success;
  });
}

CASSC_API Error cudaSetDevice(int index) {
  return for_device(index, [] { return Error::Success; });
}

CASSC_API Error cudaInitDevice(int index, unsigned, unsigned) { return cudaSetDevice(index); }

CASSC_API Error cudaSetValidDevices(int* indices, int count) {
  return api([&] {
    if (count < 0 || (count > 0 && !indices)) return Error::InvalidValue;
    for (int i = 0; i < count; ++i)
      if (indices[i] != 0) return Error::InvalidDevice;
    return Error::Success;
  });
}

CASSC_API Error cudaSetDeviceFlags(unsigned flags) {
  return without_device([&] {
    const unsigned schedule = flags & 7;
    if ((flags & ~(kAllDeviceFlags | kSyncMemops)) || (schedule & (schedule - 1))) return Error::InvalidValue;
    rt::Context::get().device_flags = flags;
    return Error::Success;
  });
}

CASSC_API Error cudaGetDeviceFlags(unsigned* flags) {
  return without_device([&] {
    if (!flags) return Error::InvalidValue;
    constexpr unsigned map_host = 8;  // always so
    *flags = rt::Context::get().device_flags | map_host;
    return Error::Success;
  });
}

#if CASSC_CUDART_MAJOR <= 12
CASSC_API Error cudaGetDeviceProperties(void* properties, int index) { return pack(properties, kOldProperties, false, index); }
CASSC_API Error cudaGetDeviceProperties_v2(void* properties, int index) { return pack(properties, 1032, false, index); }
#else
CASSC_API Error cudaGetDeviceProperties(void* properties, int index) { return pack(properties, 1008, true, index); }
#endif

CASSC_API Error cudaChooseDevice(int* index, const void* wanted) {
  return api([&] {
    if (!index || !wanted) return Error::InvalidValue;
    *index = 0;
    return Error::Success;
  });
}

CASSC_API Error cudaDeviceGetAttribute(int* value, int attribute, int index) {
  return for_device(index, [&] {
    if (!value || attribute <= 0) return Error::InvalidValue;
    for (const Property& property : properties()) {
      if (property.attribute != attribute) continue;
      *value = static_cast<int>(std::min<int64_t>(property.value, INT32_MAX));
      return Error::Success;
    }
    return Error::InvalidValue;
  });
}

CASSC_API Error cudaDeviceGetPCIBusId(char* text, int length, int index) {
  return for_device(index, [&] {
    if (!text || length < 13) return Error::InvalidValue;
    std::strcpy(text, rt::pci_text(device().facts()).c_str());
    return Error::Success;
  });
}

CASSC_API Error cudaDeviceGetByPCIBusId(int* index, const char* text) {
  return api([&] {
    if (!index || !text) return Error::InvalidValue;
    const std::optional<bool> ours = rt::is_at(device().facts(), text);
    if (!ours) return Error::InvalidValue;
    if (!*ours) return Error::InvalidDevice;
    *index = 0;
    return Error::Success;
  });
}

CASSC_API Error cudaDeviceSynchronize() {
  return api([] { return rt::synchronize_device(); });
}

CASSC_API Error cudaDeviceReset() {
  return without_device([] { return rt::Context::get().reset(); });
}

CASSC_API Error cudaDeviceGetLimit(size_t* value, int limit) {
  return api([&] {
    if (!value || limit < 0) return Error::InvalidValue;
    if (limit >= rt::kLimits || limit == kSyncDepth) return Error::UnsupportedLimit;
    *value = rt::Context::get().limits[static_cast<size_t>(limit)];
    return Error::Success;
  });
}

// The stack grows as kernels need it, so its limit is only kept; the printf FIFO's takes effect for code objects that are loaded
// later, and the heap's until a kernel that allocates has been loaded.
CASSC_API Error cudaDeviceSetLimit(int limit, size_t value) {
  return api([&] {
    if (limit < 0 || limit >= rt::kLimits) return Error::InvalidValue;
    return rt::Context::get().set_limit(static_cast<size_t>(limit), value);
  });
}

CASSC_API Error cudaDeviceGetCacheConfig(int* config) {
  return api([&] {
    if (!config) return Error::InvalidValue;
    *config = rt::Context::get().cache_config;
    return Error::Success;
  });
}

CASSC_API Error cudaDeviceSetCacheConfig(int config) {
  return api([&] {
    if (config < 0 || config > 3) return Error::InvalidValue;
    rt::Context::get().cache_config = config;
    return Error::Success;
  });
}

CASSC_API Error cudaDeviceGetSharedMemConfig(int* config) {
  return api([&] {
    if (!config) return Error::InvalidValue;
    *config = rt::Context::get().shared_config;
    return Error::Success;
  });
}

CASSC_API Error cudaDeviceSetSharedMemConfig(int config) {
  return api([&] {
    if (config < 0 || config > 2) return Error::InvalidValue;
    rt::Context::get().shared_config = config;
    return Error::Success;
  });
}

CASSC_API Error cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return api([&] {
    if (least) *least = rt::kLeastPriority;
    if (greatest) *greatest = rt::kGreatestPriority;
    return Error::Success;
  });
}

CASSC_API Error cudaCtxResetPersistingL2Cache() {
  return api([] { return Error::Success; });
}

CASSC_API Error cudaDeviceFlushGPUDirectRDMAWrites(int, int) {
  return api([] { return Error::NotSupported; });
}

CASSC_API Error cudaDeviceCanAccessPeer(int* can, int index, int peer) {
  return api([&] {
    if (!can) return Error::InvalidValue;
    if (index != 0 || peer != 0) return Error::InvalidDevice;
    *can = 0;
    return Error::Success;
  });
}

CASSC_API Error cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  return api([&] {
    if (flags != 0) return Error::InvalidValue;
    return peer == 0 ? Error::PeerAccessUnsupported : Error::InvalidDevice;
  });
}

CASSC_API Error cudaDeviceDisablePeerAccess(int peer) {
  return api([&] { return peer == 0 ? Error::PeerAccessNotEnabled : Error::InvalidDevice; });
}

CASSC_API Error cudaDeviceGetP2PAttribute(int* value, int attribute, int source, int target) {
  return api([&] {
    if (!value || attribute < 1 || attribute > 5) return Error::InvalidValue;
    return source == target || source != 0 || target != 0 ? Error::InvalidDevice : Error::Success;
  });
}

CASSC_API Error cudaProfilerStart() {
  return api([] { return Error::Success; });
}

CASSC_API Error cudaProfilerStop() {
  return api([] { return Error::Success; });
}

CASSC_API Error cudaRuntimeGetVersion(int* version) {
  return without_device([&] {
    if (!version) return Error::InvalidValue;
    *version = kRuntimeVersion;
    return Error::Success;
  });
}

// The driver that a program may count on: never older than the runtime.
CASSC_API Error cudaDriverGetVersion(int* version) { return cudaRuntimeGetVersion(version); }

namespace {

// Functions of the driver API come from the libcuda beside this library, whose handles are the same objects.
Error driver_entry_point(const char* name, void** function, int version, uint64_t flags, int* status) {
  using Find = int (*)(const char*, void**, int, uint64_t, int*);
  static const Find find = [] {
    std::string why;
    void* library = rt::open_beside_us("libcuda.so.1", why);
    auto* init = library ? reinterpret_cast<int (*)(unsigned)>(dlsym(library, "cuInit")) : nullptr;
    if (!init || init(0) != 0) return Find{nullptr};
    return reinterpret_cast<Find>(dlsym(library, "cuGetProcAddress_v2"));
  }();
  constexpr int not_found = 1;
  int found = not_found;
  *function = nullptr;
  if (find && find(name, function, version, flags, &found) != 0) return Error::InvalidValue;
  if (status) *status = found;
  return Error::Success;
}

}  // namespace

CASSC_API Error cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned version, unsigned long long flags,
                                                 int* result) {
  return api([&] {
    if (!name || !function) return Error::InvalidValue;
    return driver_entry_point(name, function, static_cast<int>(version), flags, result);
  });
}

#if CASSC_CUDART_MAJOR == 11
CASSC_API Error cudaGetDriverEntryPoint(const char* name, void** function, unsigned long long flags) {
  int found = 0;
  const Error error = cudaGetDriverEntryPointByVersion(name, function, kRuntimeVersion, flags, &found);
  return error == Error::Success && found ? Error::SymbolNotFound : error;
}
#else
CASSC_API Error cudaGetDriverEntryPoint(const char* name, void** function, unsigned long long flags, int* result) {
  return cudaGetDriverEntryPointByVersion(name, function, kRuntimeVersion, flags, result);
}
#endif

#if CASSC_CUDART_MAJOR <= 12
CASSC_API Error cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
CASSC_API Error cudaThreadExit() { return cudaDeviceReset(); }
CASSC_API Error cudaThreadGetLimit(size_t* value, int limit) { return cudaDeviceGetLimit(value, limit); }
CASSC_API Error cudaThreadSetLimit(int limit, size_t value) { return cudaDeviceSetLimit(limit, value); }
CASSC_API Error cudaThreadGetCacheConfig(int* config) { return cudaDeviceGetCacheConfig(config); }
CASSC_API Error cudaThreadSetCacheConfig(int config) { return cudaDeviceSetCacheConfig(config); }
#endif
