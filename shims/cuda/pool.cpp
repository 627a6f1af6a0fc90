// Stream ordered memory allocation.
#include "api.h"
#include "pool.h"

using namespace cassc::cuda;
namespace rt = cassc::rt;

namespace {

template <class Body>
Result with_pool(MemoryPool* pool, Body&& body) {
  return after_init([&] { return rt::known_pool(pool) ? body(*pool) : Result::InvalidValue; });
}

Result give_pool(MemoryPool** pool, int index, MemoryPool* (*which)()) {
  return after_init([&] {
    if (!pool) return Result::InvalidValue;
    if (index != 0) return Result::InvalidDevice;
    *pool = which();
    return Result::Success;
  });
}

Result allocate(MemoryPool& pool, DevicePointer* address, size_t bytes, Stream* handle) {
  return on_stream(handle, [&](Stream& stream) {
    void* pointer = nullptr;
    if (!address || bytes == 0) return Result::InvalidValue;
    const Error error = rt::allocate_in_order(pool, bytes, stream, &pointer);
    if (error == Error::Success) *address = address_of(pointer);
    return result_of(error);
  });
}

enum PoolAttribute { kReuseFirst = 1, kReuseLast = 3, kThreshold = 4, kReserved, kReservedHigh, kUsed, kUsedHigh };

}  // namespace

CASSC_API Result cuMemAllocAsync(DevicePointer* address, size_t bytes, Stream* stream) {
  return in_context([&] { return allocate(*rt::current_pool(), address, bytes, stream); });
}

CASSC_API Result cuMemAllocFromPoolAsync(DevicePointer* address, size_t bytes, MemoryPool* pool, Stream* stream) {
  return with_pool(pool, [&](MemoryPool& known) { return allocate(known, address, bytes, stream); });
}

CASSC_API Result cuMemFreeAsync(DevicePointer address, Stream* handle) {
  return on_stream(handle, [&](Stream& stream) { return result_of(rt::free_in_order(pointer_of(address), stream)); });
}

CASSC_API Result cuDeviceGetDefaultMemPool(MemoryPool** pool, int index) { return give_pool(pool, index, rt::default_pool); }
CASSC_API Result cuDeviceGetMemPool(MemoryPool** pool, int index) { return give_pool(pool, index, rt::current_pool); }
CASSC_API Result cuDeviceSetMemPool(int index, MemoryPool* pool) {
  if (index != 0) return Result::InvalidDevice;
  return with_pool(pool, [](MemoryPool& known) { return result_of(rt::set_current_pool(&known)); });
}

CASSC_API Result cuMemPoolCreate(MemoryPool** pool, const PoolProperties* properties) {
  return after_init([&] {
    constexpr int pinned = 1;
    if (!pool || !properties || properties->allocation_type != pinned) return Result::InvalidValue;
    if (properties->location.type != kLocationDevice || properties->location.id != 0) return Result::InvalidDevice;
    if (properties->handle_types) return Result::NotSupported;
    return result_of(rt::create_pool(pool));
  });
}

CASSC_API Result cuMemPoolDestroy(MemoryPool* pool) {
  return with_pool(pool, [](MemoryPool& known) { return result_of(rt::destroy_pool(&known)); });
}

CASSC_API Result cuMemPoolTrimTo(MemoryPool* pool, size_t) {
  return with_pool(pool, [](MemoryPool& known) { return result_of(rt::reclaim(known)); });
}

CASSC_API Result cuMemPoolGetAttribute(MemoryPool* handle, int attribute, void* value) {
  return with_pool(handle, [&](MemoryPool& pool) {
    if (!value) return Result::InvalidValue;
    std::lock_guard lock(pool.mutex);
    auto* wide = static_cast<uint64_t*>(value);
    switch (attribute) {
      case kThreshold: *wide = pool.threshold; break;
      case kReserved: *wide = pool.used + pool.waiting; break;
      case kReservedHigh: *wide = pool.reserved_high; break;
      case kUsed: *wide = pool.used; break;
      case kUsedHigh: *wide = pool.used_high; break;
      default:
        if (attribute < kReuseFirst || attribute > kReuseLast) return Result::InvalidValue;
        *static_cast<int*>(value) = pool.reuse[attribute - kReuseFirst];
    }
    return Result::Success;
  });
}

CASSC_API Result cuMemPoolSetAttribute(MemoryPool* handle, int attribute, const void* value) {
  return with_pool(handle, [&](MemoryPool& pool) {
    if (!value) return Result::InvalidValue;
    std::lock_guard lock(pool.mutex);
    const auto wide = attribute >= kThreshold ? *static_cast<const uint64_t*>(value) : 0;
    switch (attribute) {
      case kThreshold: pool.threshold = wide; break;
      case kReservedHigh:
        if (wide) return Result::InvalidValue;
        pool.reserved_high = pool.used + pool.waiting;
        break;
      case kUsedHigh:
        if (wide) return Result::InvalidValue;
        pool.used_high = pool.used;
        break;
      default:
        if (attribute < kReuseFirst || attribute > kReuseLast) return Result::InvalidValue;
        pool.reuse[attribute - kReuseFirst] = *static_cast<const int*>(value);
    }
    return Result::Success;
  });
}
