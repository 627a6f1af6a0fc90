// Copies and fills: checked against the known allocations, then put on a stream.
#ifndef CASSC_CUDART_COPIES_H
#define CASSC_CUDART_COPIES_H
#include "api.h"

namespace cassc::cudart {

inline rt::Copy line(void* target, const void* source, size_t bytes, CopyKind kind) {
  rt::Copy copy;
  copy.target = target;
  copy.source = source;
  copy.target_pitch = copy.source_pitch = copy.width = bytes;
  copy.kind = kind;
  return copy;
}

inline Error copy_on(Stream* handle, rt::Copy copy, rt::Wait wait) {
  return on_stream(handle, [&](Stream& stream) {
    bool empty = false;
    const Error error = rt::settle(copy, empty);
    return error != Error::Success || empty ? error : rt::submit(stream, copy, wait);
  });
}

inline Error fill_on(Stream* handle, const rt::Fill& fill, rt::Wait wait) {
  return on_stream(handle, [&](Stream& stream) {
    bool empty = false;
    const Error error = rt::settle(fill, empty);
    return error != Error::Success || empty ? error : rt::submit(stream, fill, wait);
  });
}

// The contents of p as one copy: pitches, slices and positions worked out. Errors as cudaMemcpy3D gives them.
Error box_of(const Memcpy3DParameters& parameters, rt::Copy& copy);

}  // namespace cassc::cudart
#endif
