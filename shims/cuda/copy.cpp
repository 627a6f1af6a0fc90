// Copies and fills.
#include "api.h"

using namespace cassc::cuda;
namespace rt = cassc::rt;
using rt::CopyKind;
using rt::Wait;

namespace {

Result copy_on(Stream* handle, rt::Copy copy, Wait wait) {
  return on_stream(handle, [&](Stream& stream) {
    bool empty = false;
    const Error error = rt::settle(copy, empty);
    return error != Error::Success || empty ? result_of(error) : result_of(rt::submit(stream, copy, wait));
  });
}

Result copy_line(Stream* stream, void* target, const void* source, size_t bytes, CopyKind kind, Wait wait) {
  rt::Copy copy;
  copy.target = target;
  copy.source = source;
  copy.width = bytes;
  copy.target_pitch = copy.source_pitch = bytes;
  copy.kind = kind;
  return copy_on(stream, copy, wait);
}

Result fill_on(Stream* handle, DevicePointer target, size_t pitch, uint32_t value, uint32_t element, size_t width, size_t height,
               Wait wait) {
  return on_stream(handle, [&](Stream& stream) {
    if (target % element || (height > 1 && (pitch % element || pitch < width * element))) return Result::InvalidValue;
    const rt::Fill fill{pointer_of(target), pitch, 0, value, element, width, height, 1};
    bool empty = false;
    const Error error = rt::settle(fill, empty);
    return error != Error::Success || empty ? result_of(error) : result_of(rt::submit(stream, fill, wait));
  });
}

struct Side {
  unsigned kind;
  const void* host;
  DevicePointer device;
  size_t x, y, z, pitch, height;
};

// The first byte of a side; arrays belong to the runtime API.
Result first_byte(const Side& side, size_t width, size_t depth, char** first, size_t* pitch, size_t* slice) {
  if (side.kind == kArray) return Result::NotSupported;
  if (side.kind < kHost || side.kind > kUnified) return Result::InvalidValue;
  const size_t row = side.pitch ? side.pitch : side.x + width;
  if (row < side.x + width) return Result::InvalidValue;
  if (depth > 1 && side.height == 0) return Result::InvalidValue;
  auto* base = side.kind == kHost ? static_cast<char*>(const_cast<void*>(side.host)) : static_cast<char*>(pointer_of(side.device));
  *pitch = row;
  *slice = row * side.height;
  *first = base + side.z * *slice + side.y * row + side.x;
  return Result::Success;
}

CopyKind kind_of(unsigned source, unsigned target) {
  if (source == kUnified || target == kUnified) return CopyKind::Default;
  if (source == kHost) return target == kHost ? CopyKind::HostToHost : CopyKind::HostToDevice;
  return target == kHost ? CopyKind::DeviceToHost : CopyKind::DeviceToDevice;
}

Result copy_box(Stream* stream, const Side& source, const Side& target, size_t width, size_t height, size_t depth, Wait wait) {
  rt::Copy copy;
  char *from = nullptr, *to = nullptr;
  if (const Result bad = first_byte(source, width, depth, &from, &copy.source_pitch, &copy.source_slice); bad != Result::Success)
    return bad;
  if (const Result bad = first_byte(target, width, depth, &to, &copy.target_pitch, &copy.target_slice); bad != Result::Success)
    return bad;
  copy.source = from;
  copy.target = to;
  copy.width = width;
  copy.height = height;
  copy.depth = depth;
  copy.kind = kind_of(source.kind, target.kind);
  return copy_on(stream, copy, wait);
}

Result copy_2d(Stream* stream, const Memcpy2D* p, Wait wait) {
  if (!p) return Result::InvalidValue;
  const Side source{p->source_kind, p->source_host, p->source_device, p->source_x, p->source_y, 0, p->source_pitch, 0};
  const Side target{p->target_kind, p->target_host, p->target_device, p->target_x, p->target_y, 0, p->target_pitch, 0};
  return copy_box(stream, source, target, p->width, p->height, 1, wait);
}

Result copy_3d(Stream* stream, const Memcpy3D* p, Wait wait) {
  if (!p || p->reserved0 || p->reserved1 || p->source_level || p->target_level) return Result::InvalidValue;
  const Side source{p->source_kind, p->source_host, p->source_device, p->source_x,
                    p->source_y,    p->source_z,    p->source_pitch,  p->source_height};
  const Side target{p->target_kind, p->target_host, p->target_device, p->target_x,
                    p->target_y,    p->target_z,    p->target_pitch,  p->target_height};
  return copy_box(stream, source, target, p->width, p->height, p->depth, wait);
}

}  // namespace

CASSC_API Result cuMemcpy(DevicePointer target, DevicePointer source, size_t bytes) {
  return copy_line(nullptr, pointer_of(target), pointer_of(source), bytes, CopyKind::Default, Wait::Yes);
}
CASSC_API Result cuMemcpyAsync(DevicePointer target, DevicePointer source, size_t bytes, Stream* stream) {
  return copy_line(stream, pointer_of(target), pointer_of(source), bytes, CopyKind::Default, Wait::No);
}
CASSC_API Result cuMemcpyPeer(DevicePointer target, DriverContext* to, DevicePointer source, DriverContext* from, size_t bytes) {
  if (!known_context(to) || !known_context(from)) return Result::InvalidContext;
  return cuMemcpy(target, source, bytes);
}
CASSC_API Result cuMemcpyPeerAsync(DevicePointer target, DriverContext* to, DevicePointer source, DriverContext* from,
                                   size_t bytes, Stream* stream) {
  if (!known_context(to) || !known_context(from)) return Result::InvalidContext;
  return cuMemcpyAsync(target, source, bytes, stream);
}
CASSC_API Result cuMemcpyHtoD_v2(DevicePointer target, const void* source, size_t bytes) {
  return copy_line(nullptr, pointer_of(target), source, bytes, CopyKind::HostToDevice, Wait::Yes);
}
CASSC_API Result cuMemcpyHtoDAsync_v2(DevicePointer target, const void* source, size_t bytes, Stream* stream) {
  return copy_line(stream, pointer_of(target), source, bytes, CopyKind::HostToDevice, Wait::No);
}
CASSC_API Result cuMemcpyDtoH_v2(void* target, DevicePointer source, size_t bytes) {
  return copy_line(nullptr, target, pointer_of(source), bytes, CopyKind::DeviceToHost, Wait::Yes);
}
CASSC_API Result cuMemcpyDtoHAsync_v2(void* target, DevicePointer source, size_t bytes, Stream* stream) {
  return copy_line(stream, target, pointer_of(source), bytes, CopyKind::DeviceToHost, Wait::No);
}
CASSC_API Result cuMemcpyDtoD_v2(DevicePointer target, DevicePointer source, size_t bytes) {
  return copy_line(nullptr, pointer_of(target), pointer_of(source), bytes, CopyKind::DeviceToDevice, Wait::Yes);
}
CASSC_API Result cuMemcpyDtoDAsync_v2(DevicePointer target, DevicePointer source, size_t bytes, Stream* stream) {
  return copy_line(stream, pointer_of(target), pointer_of(source), bytes, CopyKind::DeviceToDevice, Wait::No);
}

CASSC_API Result cuMemcpy2D_v2(const Memcpy2D* parameters) { return copy_2d(nullptr, parameters, Wait::Yes); }
CASSC_API Result cuMemcpy2DUnaligned_v2(const Memcpy2D* parameters) { return copy_2d(nullptr, parameters, Wait::Yes); }
CASSC_API Result cuMemcpy2DAsync_v2(const Memcpy2D* parameters, Stream* stream) { return copy_2d(stream, parameters, Wait::No); }
CASSC_API Result cuMemcpy3D_v2(const Memcpy3D* parameters) { return copy_3d(nullptr, parameters, Wait::Yes); }
CASSC_API Result cuMemcpy3DAsync_v2(const Memcpy3D* parameters, Stream* stream) { return copy_3d(stream, parameters, Wait::No); }

#define FILL(bits, type)                                                                                                   \
  CASSC_API Result cuMemsetD##bits##_v2(DevicePointer target, type value, size_t count) {                                 \
    return fill_on(nullptr, target, count * (bits / 8), value, bits / 8, count, 1, Wait::Yes);                             \
  }                                                                                                                        \
  CASSC_API Result cuMemsetD##bits##Async(DevicePointer target, type value, size_t count, Stream* stream) {               \
    return fill_on(stream, target, count * (bits / 8), value, bits / 8, count, 1, Wait::No);                               \
  }                                                                                                                        \
  CASSC_API Result cuMemsetD2D##bits##_v2(DevicePointer target, size_t pitch, type value, size_t width, size_t height) {  \
    return fill_on(nullptr, target, pitch, value, bits / 8, width, height, Wait::Yes);                                     \
  }                                                                                                                        \
  CASSC_API Result cuMemsetD2D##bits##Async(DevicePointer target, size_t pitch, type value, size_t width, size_t height,  \
                                            Stream* stream) {                                                              \
    return fill_on(stream, target, pitch, value, bits / 8, width, height, Wait::No);                                       \
  }
FILL(8, unsigned char)
FILL(16, unsigned short)
FILL(32, unsigned)
