// Two- and three-dimensional copies and fills, and copies from and to CUDA arrays.
#include "array.h"
#include "copies.h"

namespace cassc::cudart {
namespace {

// One side of a copy: where its first byte is, and how far apart rows and slices are.
struct Side {
  char* first;
  size_t pitch, slice;
};

// A corner in an array, x in bytes; InvalidValue when the box leaves the array.
Error in_array(Array* array, Position at, const Extent& box, Side& side) {
  if (!arrays().known(array)) return Error::InvalidResourceHandle;
  const size_t row = array->pitch;
  if (at.x > row || box.width > row - at.x || at.y > array->rows() || box.height > array->rows() - at.y ||
      at.z > array->layers() || box.depth > array->layers() - at.z)
    return Error::InvalidValue;
  side = {static_cast<char*>(array->memory) + at.z * array->slice + at.y * array->pitch + at.x, array->pitch, array->slice};
  return Error::Success;
}

Error in_memory(const PitchedPointer& memory, Position at, const Extent& box, Side& side) {
  if (box.width > memory.pitch) return Error::InvalidPitchValue;
  if (at.x > memory.pitch - box.width) return Error::InvalidValue;
  if (box.depth > 1 && box.height > memory.ysize) return Error::InvalidValue;
  const size_t slice = memory.pitch * memory.ysize;
  side = {static_cast<char*>(memory.pointer), memory.pitch, slice};
  if (memory.pointer) side.first += at.z * slice + at.y * memory.pitch + at.x;
  return Error::Success;
}

rt::Copy between(const Side& target, const Side& source, const Extent& box, CopyKind kind) {
  rt::Copy copy;
  copy.target = target.first;
  copy.target_pitch = target.pitch;
  copy.target_slice = target.slice;
  copy.source = source.first;
  copy.source_pitch = source.pitch;
  copy.source_slice = source.slice;
  copy.width = box.width;
  copy.height = box.height;
  copy.depth = box.depth;
  copy.kind = kind;
  return copy;
}

bool empty(const Extent& box) { return box.width == 0 || box.height == 0 || box.depth == 0; }

Error copy_box(const Memcpy3DParameters* parameters, Stream* stream, rt::Wait wait) {
  rt::Copy copy;
  const Error error = api([&] { return parameters ? box_of(*parameters, copy) : Error::InvalidValue; });
  return error == Error::Success ? copy_on(stream, copy, wait) : error;
}

// There is one device, so a copy between two is one within it.
Error copy_peers(const Memcpy3DPeerParameters* p, Stream* stream, rt::Wait wait) {
  if (p && (p->source_device != 0 || p->target_device != 0)) return api([] { return Error::InvalidDevice; });
  if (!p) return copy_box(nullptr, stream, wait);
  const Memcpy3DParameters same{p->source_array, p->source_position, p->source, p->target_array,
                                p->target_position, p->target, p->extent, CopyKind::DeviceToDevice};
  return copy_box(&same, stream, wait);
}

Error copy_rows(void* target, size_t target_pitch, const void* source, size_t source_pitch, size_t width, size_t height,
                CopyKind kind, Stream* stream, rt::Wait wait) {
  if (width > target_pitch || width > source_pitch) return api([] { return Error::InvalidPitchValue; });
  const Side to{static_cast<char*>(target), target_pitch, 0};
  const Side from{static_cast<char*>(const_cast<void*>(source)), source_pitch, 0};
  return copy_on(stream, between(to, from, {width, height, 1}, kind), wait);
}

Error to_array(Array* array, size_t x, size_t y, const void* source, size_t pitch, size_t width, size_t height, CopyKind kind,
               Stream* stream, rt::Wait wait) {
  rt::Copy copy;
  const Error error = api([&] {
    const Extent box{width, height, 1};
    Side to{}, from{};
    if (const Error bad = in_array(array, {x, y, 0}, box, to); bad != Error::Success) return bad;
    const PitchedPointer memory{const_cast<void*>(source), pitch, width, height};
    if (const Error bad = in_memory(memory, {0, 0, 0}, box, from); bad != Error::Success) return bad;
    copy = between(to, from, box, kind);
    return Error::Success;
  });
  return error == Error::Success ? copy_on(stream, copy, wait) : error;
}

Error from_array(void* target, size_t pitch, Array* array, size_t x, size_t y, size_t width, size_t height, CopyKind kind,
                 Stream* stream, rt::Wait wait) {
  rt::Copy copy;
  const Error error = api([&] {
    const Extent box{width, height, 1};
    Side to{}, from{};
    if (const Error bad = in_array(array, {x, y, 0}, box, from); bad != Error::Success) return bad;
    if (const Error bad = in_memory({target, pitch, width, height}, {0, 0, 0}, box, to); bad != Error::Success) return bad;
    copy = between(to, from, box, kind);
    return Error::Success;
  });
  return error == Error::Success ? copy_on(stream, copy, wait) : error;
}

// The linear forms run on from row to row of the array: whole rows are one box, so at most three are copied.
template <class CopyPart>
Error along_array(Array* array, size_t x, size_t y, size_t bytes, CopyPart&& copy_part) {
  if (!arrays().known(array)) return api([] { return Error::InvalidResourceHandle; });
  for (size_t done = 0; done < bytes;) {
    const size_t part = std::min(bytes - done, array->pitch - std::min(x, array->pitch));
    if (part == 0) return api([] { return Error::InvalidValue; });
    if (const Error error = copy_part(x, y, done, part); error != Error::Success) return error;
    done += part;
    x = 0;
    ++y;
  }
  return Error::Success;
}

}  // namespace

Error box_of(const Memcpy3DParameters& p, rt::Copy& copy) {
  if ((p.source_array != nullptr) == (p.source.pointer != nullptr)) return Error::InvalidValue;
  if ((p.target_array != nullptr) == (p.target.pointer != nullptr)) return Error::InvalidValue;
  for (Array* array : {p.source_array, p.target_array})
    if (array && !arrays().known(array)) return Error::InvalidResourceHandle;
  // The extent and both positions count texels when an array takes part, bytes otherwise.
  const size_t texel = p.source_array ? p.source_array->texel : p.target_array ? p.target_array->texel : 1;
  const Extent box{p.extent.width * texel, p.extent.height, p.extent.depth};
  if (empty(box)) {
    copy = between({}, {}, {0, 0, 0}, p.kind);
    return Error::Success;
  }
  auto side_of = [&](Array* array, const PitchedPointer& memory, Position at, Side& side) {
    at.x *= texel;
    return array ? in_array(array, at, box, side) : in_memory(memory, at, box, side);
  };
  Side to{}, from{};
  if (const Error error = side_of(p.target_array, p.target, p.target_position, to); error != Error::Success) return error;
  if (const Error error = side_of(p.source_array, p.source, p.source_position, from); error != Error::Success) return error;
  copy = between(to, from, box, p.kind);
  return Error::Success;
}

}  // namespace cassc::cudart

using namespace cassc::cudart;
namespace rt = cassc::rt;
using rt::Wait;

CASSC_API Error cudaMemcpy2D(void* target, size_t target_pitch, const void* source, size_t source_pitch, size_t width,
                             size_t height, CopyKind kind) {
  return copy_rows(target, target_pitch, source, source_pitch, width, height, kind, nullptr, Wait::Yes);
}

CASSC_API Error cudaMemcpy2DAsync(void* target, size_t target_pitch, const void* source, size_t source_pitch, size_t width,
                                  size_t height, CopyKind kind, Stream* stream) {
  return copy_rows(target, target_pitch, source, source_pitch, width, height, kind, stream, Wait::No);
}

CASSC_API Error cudaMemcpy3D(const Memcpy3DParameters* parameters) { return copy_box(parameters, nullptr, Wait::Yes); }

CASSC_API Error cudaMemcpy3DAsync(const Memcpy3DParameters* parameters, Stream* stream) {
  return copy_box(parameters, stream, Wait::No);
}

CASSC_API Error cudaMemcpy3DPeer(const Memcpy3DPeerParameters* parameters) {
  return copy_peers(parameters, nullptr, Wait::Yes);
}

CASSC_API Error cudaMemcpy3DPeerAsync(const Memcpy3DPeerParameters* parameters, Stream* stream) {
  return copy_peers(parameters, stream, Wait::No);
}

CASSC_API Error cudaMemset2D(void* target, size_t pitch, int value, size_t width, size_t height) {
  return fill_on(nullptr, {target, pitch, 0, static_cast<uint32_t>(value), 1, width, height, 1}, Wait::Yes);
}

CASSC_API Error cudaMemset2DAsync(void* target, size_t pitch, int value, size_t width, size_t height, Stream* stream) {
  return fill_on(stream, {target, pitch, 0, static_cast<uint32_t>(value), 1, width, height, 1}, Wait::No);
}

CASSC_API Error cudaMemset3DAsync(PitchedPointer memory, int value, Extent box, Stream* stream) {
  return fill_on(stream,
                 {memory.pointer, memory.pitch, memory.pitch * memory.ysize, static_cast<uint32_t>(value), 1, box.width,
                  box.height, box.depth},
                 Wait::No);
}

CASSC_API Error cudaMemset3D(PitchedPointer memory, int value, Extent box) {
  return fill_on(nullptr,
                 {memory.pointer, memory.pitch, memory.pitch * memory.ysize, static_cast<uint32_t>(value), 1, box.width,
                  box.height, box.depth},
                 Wait::Yes);
}

CASSC_API Error cudaMemcpy2DToArray(Array* array, size_t x, size_t y, const void* source, size_t pitch, size_t width,
                                    size_t height, CopyKind kind) {
  return to_array(array, x, y, source, pitch, width, height, kind, nullptr, Wait::Yes);
}

CASSC_API Error cudaMemcpy2DToArrayAsync(Array* array, size_t x, size_t y, const void* source, size_t pitch, size_t width,
                                         size_t height, CopyKind kind, Stream* stream) {
  return to_array(array, x, y, source, pitch, width, height, kind, stream, Wait::No);
}

CASSC_API Error cudaMemcpy2DFromArray(void* target, size_t pitch, Array* array, size_t x, size_t y, size_t width, size_t height,
                                      CopyKind kind) {
  return from_array(target, pitch, array, x, y, width, height, kind, nullptr, Wait::Yes);
}

CASSC_API Error cudaMemcpy2DFromArrayAsync(void* target, size_t pitch, Array* array, size_t x, size_t y, size_t width,
                                           size_t height, CopyKind kind, Stream* stream) {
  return from_array(target, pitch, array, x, y, width, height, kind, stream, Wait::No);
}

CASSC_API Error cudaMemcpy2DArrayToArray(Array* target, size_t target_x, size_t target_y, Array* source, size_t source_x,
                                         size_t source_y, size_t width, size_t height, CopyKind kind) {
  rt::Copy copy;
  const Error error = api([&] {
    const Extent box{width, height, 1};
    Side to{}, from{};
    if (const Error bad = in_array(target, {target_x, target_y, 0}, box, to); bad != Error::Success) return bad;
    if (const Error bad = in_array(source, {source_x, source_y, 0}, box, from); bad != Error::Success) return bad;
    copy = between(to, from, box, kind);
    return Error::Success;
  });
  return error == Error::Success ? copy_on(nullptr, copy, Wait::Yes) : error;
}

CASSC_API Error cudaMemcpyToArray(Array* array, size_t x, size_t y, const void* source, size_t bytes, CopyKind kind) {
  return along_array(array, x, y, bytes, [&](size_t px, size_t py, size_t done, size_t part) {
    return to_array(array, px, py, static_cast<const char*>(source) + done, part, part, 1, kind, nullptr, Wait::Yes);
  });
}

CASSC_API Error cudaMemcpyToArrayAsync(Array* array, size_t x, size_t y, const void* source, size_t bytes, CopyKind kind,
                                       Stream* stream) {
  return along_array(array, x, y, bytes, [&](size_t px, size_t py, size_t done, size_t part) {
    return to_array(array, px, py, static_cast<const char*>(source) + done, part, part, 1, kind, stream, Wait::No);
  });
}

CASSC_API Error cudaMemcpyFromArray(void* target, Array* array, size_t x, size_t y, size_t bytes, CopyKind kind) {
  return along_array(array, x, y, bytes, [&](size_t px, size_t py, size_t done, size_t part) {
    return from_array(static_cast<char*>(target) + done, part, array, px, py, part, 1, kind, nullptr, Wait::Yes);
  });
}

CASSC_API Error cudaMemcpyFromArrayAsync(void* target, Array* array, size_t x, size_t y, size_t bytes, CopyKind kind,
                                         Stream* stream) {
  return along_array(array, x, y, bytes, [&](size_t px, size_t py, size_t done, size_t part) {
    return from_array(static_cast<char*>(target) + done, part, array, px, py, part, 1, kind, stream, Wait::No);
  });
}

CASSC_API Error cudaMemcpyArrayToArray(Array* target, size_t target_x, size_t target_y, Array* source, size_t source_x,
                                       size_t source_y, size_t bytes, CopyKind kind) {
  if (!arrays().known(target) || !arrays().known(source)) return api([] { return Error::InvalidResourceHandle; });
  if (target_x > target->pitch || source_x > source->pitch) return api([] { return Error::InvalidValue; });
  // Both sides run on from row to row, each at its own width.
  while (bytes) {
    const size_t part = std::min({bytes, target->pitch - target_x, source->pitch - source_x});
    const Error error = cudaMemcpy2DArrayToArray(target, target_x, target_y, source, source_x, source_y, part, 1, kind);
    if (error != Error::Success) return error;
    bytes -= part;
    target_x += part;
    source_x += part;
    if (target_x == target->pitch) target_x = 0, ++target_y;
    if (source_x == source->pitch) source_x = 0, ++source_y;
  }
  return Error::Success;
}
