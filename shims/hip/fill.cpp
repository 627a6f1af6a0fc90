// Fills of wider elements, and what is known of a pointer.
#include <cstring>

#include "api.h"
#include "context.h"
#include "operation.h"
#include "stream.h"

namespace rt = cassc::rt;
using rt::Error;

namespace {

// hipPointerAttribute_t.
struct PointerAttributes {
  int type, device;
  void *device_pointer, *host_pointer;
  int is_managed;
  unsigned flags;
};
struct CudaPointerAttributes {
  int type, device;
  void *device_pointer, *host_pointer;
  long reserved[8];
};

int fill(void* target, uint32_t value, uint32_t element, size_t count, void* stream_handle, rt::Wait wait) {
  rt::Stream* stream = nullptr;
  Error error = rt::Context::get().open(nullptr);
  if (error == Error::Success) error = rt::Context::get().state();
  if (error == Error::Success) error = rt::find_stream(static_cast<rt::Stream*>(stream_handle), &stream);
  if (error == Error::Success && count) {
    rt::Fill fill;
    fill.target = target;
    fill.value = value;
    fill.element = element;
    fill.width = count;
    fill.pitch = count * element;
    bool empty = false;
    error = rt::settle(fill, empty);
    if (error == Error::Success && !empty) error = rt::submit(*stream, fill, wait);
  }
  rt::remember(error);
  return cassc::hip::hip_code(static_cast<int>(error));
}

}  // namespace

HIP_API int hipMemsetD16Async(void* target, unsigned short value, size_t count, void* stream) {
  return fill(target, value, 2, count, stream, rt::Wait::No);
}
HIP_API int hipMemsetD32Async(void* target, int value, size_t count, void* stream) {
  return fill(target, static_cast<uint32_t>(value), 4, count, stream, rt::Wait::No);
}
HIP_API int hipMemsetD16(void* target, unsigned short value, size_t count) { return fill(target, value, 2, count, nullptr, rt::Wait::Yes); }
HIP_API int hipMemsetD32(void* target, int value, size_t count) {
  return fill(target, static_cast<uint32_t>(value), 4, count, nullptr, rt::Wait::Yes);
}

extern "C" int cudaPointerGetAttributes(CudaPointerAttributes* attributes, const void* pointer);

HIP_API int hipPointerGetAttributes(PointerAttributes* attributes, const void* pointer) {
  if (!attributes) return 1;
  CudaPointerAttributes found{};
  if (const int error = cudaPointerGetAttributes(&found, pointer)) return cassc::hip::hip_code(error);
  if (found.type == 0) return 1;  // hipErrorInvalidValue: HIP does not know it
  *attributes = {found.type, found.device, found.device_pointer, found.host_pointer, found.type == 3, 0};
  return 0;
}
