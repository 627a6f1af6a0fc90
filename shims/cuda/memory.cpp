// Memory management: allocations, host memory, managed memory hints, what a pointer is.
#include "memory.h"

#include "api.h"
#include "capture.h"
#include "hints.h"

using namespace cassc::cuda;
namespace rt = cassc::rt;

namespace {

constexpr size_t kPitchAlignment = 512;  // as on NVIDIA's GPUs; programs print it
constexpr unsigned kHostAllocFlags = 7, kHostRegisterFlags = 0xf, kMapped = 2;

template <class Body>
Result allocating(Body&& body) {
  return in_context([&] {
    const Error error = rt::refuse_unsafe();
    return error == Error::Success ? body() : result_of(error);
  });
}

Result allocate(void** pointer, size_t bytes, rt::Origin origin, unsigned flags) {
  if (!pointer || bytes == 0) return Result::InvalidValue;
  const Error error = rt::allocate(bytes, origin, flags, pointer);
  if (error == Error::Success) own(*pointer);
  return result_of(error);
}

Result allocate(DevicePointer* address, size_t bytes, rt::Origin origin, unsigned flags) {
  void* pointer = nullptr;
  if (!address) return Result::InvalidValue;
  const Result result = allocate(&pointer, bytes, origin, flags);
  if (result == Result::Success) *address = address_of(pointer);
  return result;
}

enum PointerAttribute {
  kContext = 1,
  kMemoryType = 2,
  kDevicePointer = 3,
  kHostPointer = 4,
  kSyncMemops = 6,
  kBufferId = 7,
  kIsManaged = 8,
  kOrdinal = 9,
  kIpcCapable = 10,
  kRangeStart = 11,
  kRangeSize = 12,
  kIsMapped = 13,
  kHandleTypes = 14,
  kRdmaCapable = 15,
  kAccessFlags = 16,
  kPool = 17
};

template <class T>
Result give(void* target, T value) {
  *static_cast<T*>(target) = value;
  return Result::Success;
}

Result describe(void* data, int attribute, DevicePointer address) {
  void* pointer = pointer_of(address);
  const auto found = rt::Context::get().allocations.find(pointer);
  if (!data) return Result::InvalidValue;
  if (!found) return attribute == kIsMapped ? give(data, false) : Result::InvalidValue;
  const rt::MemoryType type = found->type();
  const bool on_host = type == rt::MemoryType::Host;
  switch (attribute) {
    case kContext: return give<DriverContext*>(data, owner_of(reinterpret_cast<void*>(found->base)));
    case kMemoryType: return give<unsigned>(data, on_host ? kHost : kDevice);
    case kDevicePointer: {
      void* target = pointer;
      if (on_host)
        if (const Error e = device().host_to_device_pointer(pointer, &target); e != Error::Success) return result_of(e);
      return give(data, address_of(target));
    }
    case kHostPointer:
      return type == rt::MemoryType::Device ? Result::InvalidValue : give<void*>(data, pointer);
    case kSyncMemops: return give<unsigned>(data, 0);
    case kBufferId: return give<unsigned long long>(data, found->base);  // unique as long as it lives
    case kIsManaged: return give<unsigned>(data, type == rt::MemoryType::Managed);
    case kOrdinal: return give<int>(data, 0);
    case kIpcCapable: return give<unsigned>(data, 0);
    case kRangeStart: return give<DevicePointer>(data, found->base);
    case kRangeSize: return give<size_t>(data, found->size);
    case kIsMapped: return give(data, true);
    case kHandleTypes: return give<unsigned long long>(data, 0);
    case kRdmaCapable: return give<unsigned>(data, 0);
    case kAccessFlags: return give<int>(data, 3);  // read and write
    case kPool: return give<MemoryPool*>(data, found->pool);
    default: return Result::InvalidValue;
  }
}

}  // namespace

CASSC_API Result cuMemGetInfo_v2(size_t* free_bytes, size_t* total_bytes) {
  return in_context([&] {
    size_t free_now = 0, total = 0;
    const Error error = device().memory_info(&free_now, &total);
    if (free_bytes) *free_bytes = free_now;
    if (total_bytes) *total_bytes = total;
    return result_of(error);
  });
}

CASSC_API Result cuMemAlloc_v2(DevicePointer* address, size_t bytes) {
  return allocating([&] { return allocate(address, bytes, rt::Origin::Malloc, 0); });
}

CASSC_API Result cuMemAllocManaged(DevicePointer* address, size_t bytes, unsigned flags) {
  return allocating([&] {
    return flags == 1 || flags == 2 ? allocate(address, bytes, rt::Origin::Managed, flags) : Result::InvalidValue;
  });
}

CASSC_API Result cuMemAllocPitch_v2(DevicePointer* address, size_t* pitch, size_t width, size_t height, unsigned element) {
  return allocating([&] {
    if (!pitch || (element != 4 && element != 8 && element != 16)) return Result::InvalidValue;
    if (width > SIZE_MAX - kPitchAlignment) return Result::OutOfMemory;
    const size_t row = (width + kPitchAlignment - 1) / kPitchAlignment * kPitchAlignment;
    if (height && row > SIZE_MAX / height) return Result::OutOfMemory;
    const Result result = allocate(address, row * height, rt::Origin::Malloc, 0);
    if (result == Result::Success) *pitch = row;
    return result;
  });
}

CASSC_API Result cuMemFree_v2(DevicePointer address) {
  return allocating([&] {
    disown(pointer_of(address));
    return result_of(rt::release(pointer_of(address)));
  });
}

CASSC_API Result cuMemGetAddressRange_v2(DevicePointer* base, size_t* bytes, DevicePointer address) {
  return in_context([&] {
    const auto found = rt::Context::get().allocations.find(pointer_of(address));
    if (!found || found->type() == rt::MemoryType::Host) return Result::NotFound;
    if (base) *base = found->base;
    if (bytes) *bytes = found->size;
    return Result::Success;
  });
}

CASSC_API Result cuMemHostAlloc(void** pointer, size_t bytes, unsigned flags) {
  return allocating([&] {
    return flags & ~kHostAllocFlags ? Result::InvalidValue : allocate(pointer, bytes, rt::Origin::HostAlloc, flags | kMapped);
  });
}
CASSC_API Result cuMemAllocHost_v2(void** pointer, size_t bytes) { return cuMemHostAlloc(pointer, bytes, 0); }

CASSC_API Result cuMemFreeHost(void* pointer) {
  return allocating([&] {
    disown(pointer);
    return result_of(rt::release_host(pointer));
  });
}

CASSC_API Result cuMemHostRegister_v2(void* pointer, size_t bytes, unsigned flags) {
  return allocating([&] {
    return flags & ~kHostRegisterFlags ? Result::InvalidValue : result_of(rt::register_host(pointer, bytes, flags));
  });
}

CASSC_API Result cuMemHostUnregister(void* pointer) {
  return allocating([&] { return result_of(rt::unregister_host(pointer)); });
}

CASSC_API Result cuMemHostGetDevicePointer_v2(DevicePointer* address, void* host, unsigned flags) {
  return in_context([&] {
    const auto allocation = rt::Context::get().allocations.find(host);
    if (!address || flags || !allocation || allocation->type() != rt::MemoryType::Host) return Result::InvalidValue;
    void* target = nullptr;
    const Error error = device().host_to_device_pointer(host, &target);
    if (error == Error::Success) *address = address_of(target);
    return result_of(error);
  });
}

CASSC_API Result cuMemHostGetFlags(unsigned* flags, void* host) {
  return in_context([&] {
    const auto allocation = rt::Context::get().allocations.find(host);
    if (!flags || !allocation || allocation->origin != rt::Origin::HostAlloc) return Result::InvalidValue;
    *flags = allocation->flags;
    return Result::Success;
  });
}

CASSC_API Result cuPointerGetAttribute(void* data, int attribute, DevicePointer address) {
  return in_context([&] { return describe(data, attribute, address); });
}

// An attribute that the pointer does not have is given as zero.
CASSC_API Result cuPointerGetAttributes(unsigned count, const int* attributes, void** data, DevicePointer address) {
  return in_context([&] {
    if (count && (!attributes || !data)) return Result::InvalidValue;
    for (unsigned i = 0; i < count; ++i) {
      if (attributes[i] < kContext || attributes[i] > kPool || !data[i]) return Result::InvalidValue;
      if (describe(data[i], attributes[i], address) == Result::Success) continue;
      const bool wide = attributes[i] == kContext || attributes[i] == kDevicePointer || attributes[i] == kHostPointer ||
                        attributes[i] == kBufferId || attributes[i] == kRangeStart || attributes[i] == kRangeSize ||
                        attributes[i] == kHandleTypes || attributes[i] == kPool;
      if (wide)
        give<uint64_t>(data[i], 0);
      else
        give<int>(data[i], attributes[i] == kOrdinal ? -2 : 0);
    }
    return Result::Success;
  });
}

CASSC_API Result cuPointerSetAttribute(const void* value, int attribute, DevicePointer address) {
  return in_context([&] {
    if (!value || attribute != kSyncMemops) return Result::InvalidValue;
    return rt::Context::get().allocations.find(pointer_of(address)) ? Result::Success : Result::InvalidValue;
  });
}

CASSC_API Result cuMemPrefetchAsync_v2(DevicePointer address, size_t bytes, rt::Place place, unsigned flags, Stream* handle) {
  return in_context([&] {
    Stream* stream = nullptr;
    if (flags) return Result::InvalidValue;
    const Error error = rt::find_stream(handle, &stream);
    return result_of(error == Error::Success ? rt::prefetch(pointer_of(address), bytes, place) : error);
  });
}
CASSC_API Result cuMemPrefetchAsync(DevicePointer address, size_t bytes, int index, Stream* stream) {
  return cuMemPrefetchAsync_v2(address, bytes, rt::place_of(index), 0, stream);
}

CASSC_API Result cuMemAdvise_v2(DevicePointer address, size_t bytes, int advice, rt::Place place) {
  return in_context([&] { return result_of(rt::advise(pointer_of(address), bytes, advice, place)); });
}
CASSC_API Result cuMemAdvise(DevicePointer address, size_t bytes, int advice, int index) {
  return cuMemAdvise_v2(address, bytes, advice, rt::place_of(index));
}

CASSC_API Result cuMemRangeGetAttribute(void* data, size_t size, int attribute, DevicePointer address, size_t bytes) {
  return in_context([&] { return result_of(rt::range_attribute(data, size, attribute, pointer_of(address), bytes)); });
}

CASSC_API Result cuMemRangeGetAttributes(void** data, size_t* sizes, const int* attributes, size_t count, DevicePointer address,
                                         size_t bytes) {
  if (!data || !sizes || !attributes || count == 0) return in_context([] { return Result::InvalidValue; });
  for (size_t i = 0; i < count; ++i) {
    const Result result = cuMemRangeGetAttribute(data[i], sizes[i], attributes[i], address, bytes);
    if (result != Result::Success) return result;
  }
  return Result::Success;
}
