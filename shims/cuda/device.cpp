// Devices. There is one, number 0. Its attributes have the numbers of cudaDeviceAttr, so the runtime API's table serves.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>

#include "api.h"

using namespace cassc::cuda;
namespace rt = cassc::rt;

namespace {

template <class Body>
Result for_device(int index, Body&& body) {
  return after_init([&] { return index == 0 ? body() : Result::InvalidDevice; });
}

struct Attribute {
  int number;
  int64_t value;
};

std::vector<Attribute> attributes() {
  const rt::DeviceFacts& facts = device().facts();
  const int sm = static_cast<int>(rt::Registry::get().compute_capability());
  return {
#define PROPERTY(name, attribute, offset12, offset13, bytes, value) {attribute, static_cast<int64_t>(value)},
#include "../cudart/properties.def"
#undef PROPERTY
  };
}

Result attribute(int number, int* value) {
  for (const Attribute& one : attributes()) {
    if (one.number != number) continue;
    *value = static_cast<int>(std::min<int64_t>(one.value, INT32_MAX));
    return Result::Success;
  }
  return Result::InvalidValue;
}

}  // namespace

CASSC_API Result cuDeviceGet(int* handle, int index) {
  return for_device(index, [&] {
    if (!handle) return Result::InvalidValue;
    *handle = index;
    return Result::Success;
  });
}

CASSC_API Result cuDeviceGetCount(int* count) {
  return after_init([&] {
    if (!count) return Result::InvalidValue;
    *count = 1;
    return Result::Success;
  });
}

CASSC_API Result cuDeviceGetName(char* name, int length, int index) {
  return for_device(index, [&] {
    if (!name || length <= 0) return Result::InvalidValue;
    std::snprintf(name, static_cast<size_t>(length), "%s", device().facts().name.c_str());
    return Result::Success;
  });
}

CASSC_API Result cuDeviceGetUuid(char* uuid, int index) {
  return for_device(index, [&] {
    if (!uuid) return Result::InvalidValue;
    rt::device_uuid(device().facts(), uuid);
    return Result::Success;
  });
}
CASSC_API Result cuDeviceGetUuid_v2(char* uuid, int index) { return cuDeviceGetUuid(uuid, index); }

CASSC_API Result cuDeviceTotalMem_v2(size_t* bytes, int index) {
  return for_device(index, [&] {
    if (!bytes) return Result::InvalidValue;
    *bytes = device().facts().memory_bytes;
    return Result::Success;
  });
}

CASSC_API Result cuDeviceGetAttribute(int* value, int number, int index) {
  return for_device(index, [&] { return value && number > 0 ? attribute(number, value) : Result::InvalidValue; });
}

CASSC_API Result cuDeviceComputeCapability(int* major, int* minor, int index) {
  return for_device(index, [&] {
    if (!major || !minor) return Result::InvalidValue;
    const int sm = static_cast<int>(rt::Registry::get().compute_capability());
    *major = sm / 10;
    *minor = sm % 10;
    return Result::Success;
  });
}

// CUdevprop: ten numbers, the old short list.
CASSC_API Result cuDeviceGetProperties(int* properties, int index) {
  return for_device(index, [&] {
    if (!properties) return Result::InvalidValue;
    constexpr int numbers[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
    for (const int number : numbers)
      if (const Result result = attribute(number, properties++); result != Result::Success) return result;
    return Result::Success;
  });
}

CASSC_API Result cuDeviceGetPCIBusId(char* text, int length, int index) {
  return for_device(index, [&] {
    if (!text || length < 13) return Result::InvalidValue;
    std::strcpy(text, rt::pci_text(device().facts()).c_str());
    return Result::Success;
  });
}

CASSC_API Result cuDeviceGetByPCIBusId(int* index, const char* text) {
  return after_init([&] {
    if (!index || !text) return Result::InvalidValue;
    const std::optional<bool> ours = rt::is_at(device().facts(), text);
    if (!ours) return Result::InvalidValue;
    if (!*ours) return Result::InvalidDevice;
    *index = 0;
    return Result::Success;
  });
}

CASSC_API Result cuDeviceCanAccessPeer(int* can, int index, int peer) {
  return after_init([&] {
    if (!can) return Result::InvalidValue;
    if (index != 0 || peer != 0) return Result::InvalidDevice;
    *can = 0;
    return Result::Success;
  });
}

CASSC_API Result cuDeviceGetP2PAttribute(int* value, int number, int source, int target) {
  return after_init([&] {
    if (!value || number < 1 || number > 5) return Result::InvalidValue;
    return source == target || source != 0 || target != 0 ? Result::InvalidDevice : Result::Success;
  });
}

CASSC_API Result cuProfilerStart() {
  return in_context([] { return Result::Success; });
}

CASSC_API Result cuProfilerStop() {
  return in_context([] { return Result::Success; });
}
