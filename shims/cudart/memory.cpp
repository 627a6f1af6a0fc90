// Memory management: allocations, host memory, one-dimensional copies and fills, managed memory hints, pointer attributes.
#include "memory.h"

#include <cstring>

#include "api.h"
#include "capture.h"
#include "copies.h"
#include "hints.h"

using namespace cassc::cudart;
namespace rt = cassc::rt;

namespace {

constexpr size_t kPitchAlignment = 512;  // as on NVIDIA's GPUs; programs print it

enum HostAllocFlag { kPortable = 1, kMapped = 2, kWriteCombined = 4 };
constexpr unsigned kHostRegisterFlags = 0xf;  // portable, mapped, I/O memory, read only

// cudaMalloc and its kin, which a capture forbids.
template <class Body>
Error allocating(Body&& body) {
  return api([&] {
    const Error error = rt::refuse_unsafe();
    return error == Error::Success ? body() : error;
  });
}

Error prefetch_on(const void* pointer, size_t bytes, rt::Place place, Stream* handle) {
  return on_stream(handle, [&](Stream&) { return rt::prefetch(pointer, bytes, place); });
}

Error advise_on(const void* pointer, size_t bytes, int advice, rt::Place place) {
  return api([&] { return rt::advise(pointer, bytes, advice, place); });
}

}  // namespace

CASSC_API Error cudaMalloc(void** pointer, size_t bytes) {
  return allocating([&] {
    return pointer ? rt::allocate(bytes, rt::Origin::Malloc, 0, pointer) : Error::InvalidValue;
  });
}

CASSC_API Error cudaMallocManaged(void** pointer, size_t bytes, unsigned flags) {
  return allocating([&] {
    if (!pointer || (flags != 1 && flags != 2)) return Error::InvalidValue;
    return rt::allocate(bytes, rt::Origin::Managed, flags, pointer);
  });
}

CASSC_API Error cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
  return allocating([&] {
    if (!pointer || !pitch) return Error::InvalidValue;
    *pitch = (width + kPitchAlignment - 1) / kPitchAlignment * kPitchAlignment;
    if (width > SIZE_MAX - kPitchAlignment || (height && *pitch > SIZE_MAX / height)) return Error::MemoryAllocation;
    return rt::allocate(*pitch * height, rt::Origin::Malloc, 0, pointer);
  });
}

CASSC_API Error cudaMalloc3D(PitchedPointer* pitched, Extent extent) {
  if (!pitched) return without_device([] { return Error::InvalidValue; });
  pitched->xsize = extent.width;
  pitched->ysize = extent.height;
  return cudaMallocPitch(&pitched->pointer, &pitched->pitch, extent.width, extent.height * extent.depth);
}

CASSC_API Error cudaFree(void* pointer) {
  return allocating([&] { return rt::release(pointer); });
}

CASSC_API Error cudaHostAlloc(void** pointer, size_t bytes, unsigned flags) {
  return allocating([&] {
    if (!pointer || (flags & ~7u)) return Error::InvalidValue;
    return rt::allocate(bytes, rt::Origin::HostAlloc, flags | kMapped, pointer);
  });
}

CASSC_API Error cudaMallocHost(void** pointer, size_t bytes) { return cudaHostAlloc(pointer, bytes, 0); }

CASSC_API Error cudaFreeHost(void* pointer) {
  return allocating([&] { return rt::release_host(pointer); });
}

CASSC_API Error cudaHostRegister(void* pointer, size_t bytes, unsigned flags) {
  return allocating([&] {
    return flags & ~kHostRegisterFlags ? Error::InvalidValue : rt::register_host(pointer, bytes, flags);
  });
}

CASSC_API Error cudaHostUnregister(void* pointer) {
  return allocating([&] { return rt::unregister_host(pointer); });
}

CASSC_API Error cudaHostGetDevicePointer(void** target, void* host, unsigned flags) {
  return api([&] {
    if (!target || flags != 0) return Error::InvalidValue;
    const auto allocation = rt::Context::get().allocations.find(host);
    if (!allocation || allocation->type() != rt::MemoryType::Host) return Error::InvalidValue;
    return device().host_to_device_pointer(host, target);
  });
}

CASSC_API Error cudaHostGetFlags(unsigned* flags, void* host) {
  return api([&] {
    const auto allocation = rt::Context::get().allocations.find(host);
    if (!flags || !allocation || allocation->origin != rt::Origin::HostAlloc) return Error::InvalidValue;
    *flags = allocation->flags;
    return Error::Success;
  });
}

CASSC_API Error cudaMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
  return api([&] {
    size_t free_now = 0, total = 0;
    const Error error = device().memory_info(&free_now, &total);
    if (free_bytes) *free_bytes = free_now;
    if (total_bytes) *total_bytes = total;
    return error;
  });
}

CASSC_API Error cudaMemcpy(void* target, const void* source, size_t bytes, CopyKind kind) {
  return copy_on(nullptr, line(target, source, bytes, kind), rt::Wait::Yes);
}

CASSC_API Error cudaMemcpyAsync(void* target, const void* source, size_t bytes, CopyKind kind, Stream* stream) {
  return copy_on(stream, line(target, source, bytes, kind), rt::Wait::No);
}

CASSC_API Error cudaMemcpyPeerAsync(void* target, int target_device, const void* source, int source_device, size_t bytes,
                                    Stream* stream) {
  if (target_device != 0 || source_device != 0) return without_device([] { return Error::InvalidDevice; });
  return copy_on(stream, line(target, source, bytes, CopyKind::DeviceToDevice), rt::Wait::No);
}

CASSC_API Error cudaMemcpyPeer(void* target, int target_device, const void* source, int source_device, size_t bytes) {
  if (target_device != 0 || source_device != 0) return without_device([] { return Error::InvalidDevice; });
  return copy_on(nullptr, line(target, source, bytes, CopyKind::DeviceToDevice), rt::Wait::Yes);
}

CASSC_API Error cudaMemset(void* target, int value, size_t bytes) {
  return fill_on(nullptr, {target, bytes, 0, static_cast<uint32_t>(value), 1, bytes, 1, 1}, rt::Wait::Yes);
}

CASSC_API Error cudaMemsetAsync(void* target, int value, size_t bytes, Stream* stream) {
  return fill_on(stream, {target, bytes, 0, static_cast<uint32_t>(value), 1, bytes, 1, 1}, rt::Wait::No);
}

CASSC_API Error cudaPointerGetAttributes(PointerAttributes* attributes, const void* pointer) {
  return api([&] {
    if (!attributes) return Error::InvalidValue;
    std::memset(attributes, 0, sizeof *attributes);
    void* same = const_cast<void*>(pointer);
    const auto allocation = rt::Context::get().allocations.find(pointer);
    if (!allocation) {
      constexpr int no_device = -2;  // cudaInvalidDeviceId
      attributes->device = no_device;
      attributes->host_pointer = same;
      return Error::Success;
    }
    const rt::MemoryType type = allocation->type();
    attributes->type = static_cast<int>(type);
    attributes->device_pointer = same;
    if (type != rt::MemoryType::Device) attributes->host_pointer = same;
    return type == rt::MemoryType::Host ? device().host_to_device_pointer(same, &attributes->device_pointer) : Error::Success;
  });
}

#if CASSC_CUDART_MAJOR <= 12
CASSC_API Error cudaMemPrefetchAsync(const void* pointer, size_t bytes, int index, Stream* stream) {
  return prefetch_on(pointer, bytes, rt::place_of(index), stream);
}
CASSC_API Error cudaMemPrefetchAsync_v2(const void* pointer, size_t bytes, rt::Place place, unsigned, Stream* stream) {
  return prefetch_on(pointer, bytes, place, stream);
}
CASSC_API Error cudaMemAdvise(const void* pointer, size_t bytes, int advice, int index) {
  return advise_on(pointer, bytes, advice, rt::place_of(index));
}
CASSC_API Error cudaMemAdvise_v2(const void* pointer, size_t bytes, int advice, rt::Place place) {
  return advise_on(pointer, bytes, advice, place);
}
#else
CASSC_API Error cudaMemPrefetchAsync(const void* pointer, size_t bytes, rt::Place place, unsigned, Stream* stream) {
  return prefetch_on(pointer, bytes, place, stream);
}
CASSC_API Error cudaMemAdvise(const void* pointer, size_t bytes, int advice, rt::Place place) {
  return advise_on(pointer, bytes, advice, place);
}
#endif

CASSC_API Error cudaMemRangeGetAttribute(void* data, size_t size, int attribute, const void* pointer, size_t bytes) {
  return api([&] { return rt::range_attribute(data, size, attribute, pointer, bytes); });
}

CASSC_API Error cudaMemRangeGetAttributes(void** data, size_t* sizes, const int* attributes, size_t count, const void* pointer,
                                          size_t bytes) {
  return api([&] {
    if (!data || !sizes || !attributes || count == 0) return Error::InvalidValue;
    for (size_t i = 0; i < count; ++i)
      if (const Error error = rt::range_attribute(data[i], sizes[i], attributes[i], pointer, bytes); error != Error::Success)
        return error;
    return Error::Success;
  });
}

#if CASSC_CUDART_MAJOR >= 12
// cudaMemcpyAttributes.
struct CopyAttributes {
  int source_order;  // cudaMemcpySrcAccessOrder
  MemoryLocation source_hint, target_hint;
  unsigned flags;
};
static_assert(sizeof(CopyAttributes) == 24);

struct CopyBatch {
  void* const* targets;
  const void* const* sources;
  const size_t* sizes;
  size_t count;
  const CopyAttributes* attributes;  // each from the copy of its index on
  const size_t* first;
  size_t attribute_count;
};

static Error submit(const CopyBatch& batch, size_t* failed, Stream* stream) {
  constexpr int during_call = 2;  // cudaMemcpySrcAccessOrderDuringApiCall
  if (failed) *failed = SIZE_MAX;
  if (!batch.targets || !batch.sources || !batch.sizes || batch.count == 0 || !batch.attributes || !batch.first ||
      batch.attribute_count == 0 || batch.attribute_count > batch.count || batch.first[0] != 0)
    return api([] { return Error::InvalidValue; });
  for (size_t i = 0, which = 0; i < batch.count; ++i) {
    while (which + 1 < batch.attribute_count && batch.first[which + 1] <= i) ++which;
    const bool now = batch.attributes[which].source_order == during_call;
    const rt::Copy copy = line(batch.targets[i], batch.sources[i], batch.sizes[i], CopyKind::Default);
    const Error error = copy_on(stream, copy, now ? rt::Wait::Yes : rt::Wait::No);
    if (error == Error::Success) continue;
    if (failed) *failed = i;
    return error;
  }
  return Error::Success;
}

#if CASSC_CUDART_MAJOR == 12
CASSC_API Error cudaMemcpyBatchAsync(void** targets, void** sources, size_t* sizes, size_t count, CopyAttributes* attributes,
                                     size_t* first, size_t attribute_count, size_t* failed, Stream* stream) {
  return submit({targets, sources, sizes, count, attributes, first, attribute_count}, failed, stream);
}
#else
CASSC_API Error cudaMemcpyBatchAsync(void* const* targets, const void* const* sources, const size_t* sizes, size_t count,
                                     CopyAttributes* attributes, size_t* first, size_t attribute_count, Stream* stream) {
  return submit({targets, sources, sizes, count, attributes, first, attribute_count}, nullptr, stream);
}
#endif
#endif
