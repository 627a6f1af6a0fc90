// The device: there is one, the emulated one.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>

#include "api.h"
#include "context.h"
#include "operation.h"

namespace rt = cassc::rt;
using rt::Error;

namespace {

constexpr size_t kOldSize = 792, kSize = 1472, kOldArchName = 396, kArchName = 1160, kNameBytes = 256;
constexpr int kVersion = 60443484;  // HIP 6.4: major * 10^7 + minor * 10^5 + patch
// hipDeviceArch_t: 32- and 64-bit atomics, double, shuffles, votes, barriers, 3D grids.
constexpr uint32_t kArchBits = 0x17fff;

struct Property {
  int attribute, offset5, offset6, bytes;
  int64_t value;
};

std::vector<Property> properties(const rt::DeviceFacts& facts) {
  return {
#define PROPERTY(attribute, offset5, offset6, bytes, value) {attribute, offset5, offset6, bytes, static_cast<int64_t>(value)},
#include "properties.def"
#undef PROPERTY
  };
}

template <class Body>
int with_device(int index, Body&& body) {
  Error error = rt::Context::get().open(nullptr);
  if (error == Error::Success && index != 0) error = Error::InvalidDevice;
  if (error == Error::Success) error = body(rt::Context::get().device().facts());
  rt::remember(error);
  return cassc::hip::hip_code(static_cast<int>(error));
}

int describe(char* target, size_t size, size_t arch_name, bool old, int index) {
  return with_device(index, [&](const rt::DeviceFacts& facts) {
    if (!target) return Error::InvalidValue;
    std::memset(target, 0, size);
    std::snprintf(target, kNameBytes, "%s", facts.name.c_str());
    std::snprintf(target + arch_name, kNameBytes, "%s", facts.gfx.c_str());
    for (const Property& p : properties(facts)) {
      const int offset = old ? p.offset5 : p.offset6;
      if (offset < 0) continue;
      const auto narrow = static_cast<int32_t>(std::min<int64_t>(p.value, INT32_MAX));
      std::memcpy(target + offset, p.bytes == 8 ? static_cast<const void*>(&p.value) : &narrow, static_cast<size_t>(p.bytes));
    }
    return Error::Success;
  });
}

}  // namespace

HIP_AS(hipGetDeviceCount, cudaGetDeviceCount, (int* count), (count))
HIP_AS(hipSetDevice, cudaSetDevice, (int device), (device))
HIP_AS(hipGetDevice, cudaGetDevice, (int* device), (device))
HIP_AS(hipDeviceSynchronize, cudaDeviceSynchronize, (), ())
HIP_AS(hipDeviceReset, cudaDeviceReset, (), ())
HIP_AS(hipDeviceGetLimit, cudaDeviceGetLimit, (size_t* value, int limit), (value, limit))
HIP_AS(hipDeviceSetLimit, cudaDeviceSetLimit, (int limit, size_t value), (limit, value))
HIP_AS(hipDeviceGetStreamPriorityRange, cudaDeviceGetStreamPriorityRange, (int* least, int* greatest), (least, greatest))
HIP_AS(hipDeviceCanAccessPeer, cudaDeviceCanAccessPeer, (int* can, int device, int peer), (can, device, peer))
HIP_AS(hipDeviceSetCacheConfig, cudaDeviceSetCacheConfig, (int config), (config))
HIP_AS(hipSetDeviceFlags, cudaSetDeviceFlags, (unsigned flags), (flags))
HIP_AS(hipGetDeviceFlags, cudaGetDeviceFlags, (unsigned* flags), (flags))
HIP_AS(hipDeviceGetPCIBusId, cudaDeviceGetPCIBusId, (char* text, int size, int device), (text, size, device))

HIP_API int hipInit(unsigned flags) {
  return flags ? 1 : with_device(0, [](const rt::DeviceFacts&) { return Error::Success; });
}
HIP_API int hipDriverGetVersion(int* version) {
  if (!version) return 1;
  *version = kVersion;
  return 0;
}
HIP_API int hipRuntimeGetVersion(int* version) { return hipDriverGetVersion(version); }

HIP_API int hipGetDeviceProperties(void* properties, int index) {
  return describe(static_cast<char*>(properties), kOldSize, kOldArchName, true, index);
}
HIP_API int hipGetDevicePropertiesR0600(void* properties, int index) {
  return describe(static_cast<char*>(properties), kSize, kArchName, false, index);
}

HIP_API int hipDeviceGetAttribute(int* value, int attribute, int index) {
  return with_device(index, [&](const rt::DeviceFacts& facts) {
    if (!value || attribute < 0) return Error::InvalidValue;
    const auto all = properties(facts);
    const auto found = std::find_if(all.begin(), all.end(), [&](const Property& p) { return p.attribute == attribute; });
    if (found == all.end()) return Error::InvalidValue;
    *value = static_cast<int>(std::min<int64_t>(found->value, INT32_MAX));
    return Error::Success;
  });
}

HIP_API int hipDeviceGet(int* device, int index) {
  return with_device(index, [&](const rt::DeviceFacts&) {
    if (!device) return Error::InvalidValue;
    *device = 0;
    return Error::Success;
  });
}
HIP_API int hipDeviceGetName(char* name, int size, int index) {
  return with_device(index, [&](const rt::DeviceFacts& facts) {
    if (!name || size <= 0) return Error::InvalidValue;
    std::snprintf(name, static_cast<size_t>(size), "%s", facts.name.c_str());
    return Error::Success;
  });
}
HIP_API int hipDeviceTotalMem(size_t* bytes, int index) {
  return with_device(index, [&](const rt::DeviceFacts& facts) {
    if (!bytes) return Error::InvalidValue;
    *bytes = facts.memory_bytes;
    return Error::Success;
  });
}
HIP_API int hipDeviceComputeCapability(int* major, int* minor, int index) {
  return with_device(index, [&](const rt::DeviceFacts&) {
    if (!major || !minor) return Error::InvalidValue;
    *major = 11;
    *minor = 0;
    return Error::Success;
  });
}
