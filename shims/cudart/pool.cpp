// Stream ordered memory allocator.
#include "pool.h"

#include <cstring>

#include "api.h"

using namespace cassc::cudart;
namespace rt = cassc::rt;
using rt::MemoryPool;

namespace {

enum PoolAttribute { kReuseFirst = 1, kReuseLast = 3, kThreshold, kReserved, kReservedHigh, kUsed, kUsedHigh };
constexpr int kPinned = 1;     // cudaMemAllocationTypePinned
constexpr int kReadWrite = 3;  // cudaMemAccessFlagsProtReadWrite

struct AccessDescription {
  MemoryLocation location;
  int flags;
};

template <class Body>
Error with_pool(MemoryPool* pool, Body&& body) {
  return api([&] { return rt::known_pool(pool) ? body(*pool) : Error::InvalidValue; });
}

Error allocate(void** pointer, size_t bytes, MemoryPool* pool, Stream* handle) {
  return on_stream(handle, [&](Stream& stream) {
    if (!pool) pool = rt::current_pool();
    if (!pointer || !rt::known_pool(pool)) return Error::InvalidValue;
    return rt::allocate_in_order(*pool, bytes, stream, pointer);
  });
}

Error give_pool(MemoryPool** result, int index, MemoryPool* (*which)()) {
  return api([&] {
    if (!result) return Error::InvalidValue;
    if (index != 0) return Error::InvalidDevice;
    *result = which();
    return Error::Success;
  });
}

}  // namespace

CASSC_API Error cudaMallocAsync(void** pointer, size_t bytes, Stream* stream) {
  return allocate(pointer, bytes, nullptr, stream);
}

CASSC_API Error cudaMallocFromPoolAsync(void** pointer, size_t bytes, MemoryPool* pool, Stream* stream) {
  if (!pool) return without_device([] { return Error::InvalidValue; });
  return allocate(pointer, bytes, pool, stream);
}

CASSC_API Error cudaFreeAsync(void* pointer, Stream* handle) {
  return on_stream(handle, [&](Stream& stream) { return rt::free_in_order(pointer, stream); });
}

CASSC_API Error cudaDeviceGetDefaultMemPool(MemoryPool** pool, int index) { return give_pool(pool, index, rt::default_pool); }
CASSC_API Error cudaDeviceGetMemPool(MemoryPool** pool, int index) { return give_pool(pool, index, rt::current_pool); }

CASSC_API Error cudaDeviceSetMemPool(int index, MemoryPool* pool) {
  return api([&] { return index == 0 ? rt::set_current_pool(pool) : Error::InvalidDevice; });
}

CASSC_API Error cudaMemPoolCreate(MemoryPool** pool, const PoolProperties* properties) {
  return api([&] {
    if (!pool || !properties || properties->allocation_type != kPinned) return Error::InvalidValue;
    if (properties->location.type != kLocationDevice) return Error::NotSupported;
    if (properties->handle_types != 0) return Error::NotSupported;
    return properties->location.id == 0 ? rt::create_pool(pool) : Error::InvalidDevice;
  });
}

CASSC_API Error cudaMemPoolDestroy(MemoryPool* pool) {
  return api([&] { return rt::destroy_pool(pool); });
}

CASSC_API Error cudaMemPoolTrimTo(MemoryPool* handle, size_t) {
  return with_pool(handle, [](MemoryPool& pool) { return rt::reclaim(pool); });
}

CASSC_API Error cudaMemPoolGetAttribute(MemoryPool* handle, int attribute, void* value) {
  return with_pool(handle, [&](MemoryPool& pool) {
    if (!value) return Error::InvalidValue;
    if (const Error error = rt::reclaim(pool); error != Error::Success) return error;
    std::lock_guard lock(pool.mutex);
    if (attribute >= kReuseFirst && attribute <= kReuseLast) {
      std::memcpy(value, &pool.reuse[attribute - kReuseFirst], sizeof(int));
      return Error::Success;
    }
    uint64_t number = 0;
    switch (attribute) {
      case kThreshold: number = pool.threshold; break;
      case kReserved: number = pool.used + pool.waiting; break;
      case kReservedHigh: number = pool.reserved_high; break;
      case kUsed: number = pool.used; break;
      case kUsedHigh: number = pool.used_high; break;
      default: return Error::InvalidValue;
    }
    std::memcpy(value, &number, sizeof number);
    return Error::Success;
  });
}

// The two high-water marks can only be set to zero: they start again from what is in use.
CASSC_API Error cudaMemPoolSetAttribute(MemoryPool* handle, int attribute, const void* value) {
  return with_pool(handle, [&](MemoryPool& pool) {
    if (!value) return Error::InvalidValue;
    std::lock_guard lock(pool.mutex);
    if (attribute >= kReuseFirst && attribute <= kReuseLast) {
      std::memcpy(&pool.reuse[attribute - kReuseFirst], value, sizeof(int));
      return Error::Success;
    }
    uint64_t number = 0;
    std::memcpy(&number, value, sizeof number);
    if (attribute == kThreshold) {
      pool.threshold = number;
      return Error::Success;
    }
    if ((attribute != kUsedHigh && attribute != kReservedHigh) || number != 0) return Error::InvalidValue;
    if (attribute == kUsedHigh) pool.used_high = pool.used;
    else pool.reserved_high = pool.used + pool.waiting;
    return Error::Success;
  });
}

// There is one device, and it always has access.
CASSC_API Error cudaMemPoolGetAccess(int* flags, MemoryPool* handle, const MemoryLocation* location) {
  return with_pool(handle, [&](const MemoryPool&) {
    if (!flags || !location || location->type != kLocationDevice) return Error::InvalidValue;
    if (location->id != 0) return Error::InvalidDevice;
    *flags = kReadWrite;
    return Error::Success;
  });
}

CASSC_API Error cudaMemPoolSetAccess(MemoryPool* handle, const AccessDescription* list, size_t count) {
  return with_pool(handle, [&](const MemoryPool&) {
    if (count && !list) return Error::InvalidValue;
    for (size_t i = 0; i < count; ++i) {
      if (list[i].location.type != kLocationDevice || list[i].location.id != 0) return Error::InvalidDevice;
      if (list[i].flags != kReadWrite) return Error::InvalidValue;
    }
    return Error::Success;
  });
}
