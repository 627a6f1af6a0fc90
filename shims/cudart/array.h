// CUDA arrays: here, rows of texels in device memory.
#ifndef CASSC_CUDART_ARRAY_H
#define CASSC_CUDART_ARRAY_H
#include "api.h"
#include "handles.h"

namespace cassc::cudart {

enum ArrayFlag : unsigned { kLayered = 1, kSurface = 2, kCubemap = 4, kGather = 8 };

struct Array {
  ChannelFormat format{};
  Extent extent{};  // in texels, as it was asked for
  unsigned flags = 0;
  size_t texel = 0, pitch = 0, slice = 0;  // bytes
  void* memory = nullptr;
  size_t rows() const { return extent.height ? extent.height : 1; }
  size_t layers() const { return extent.depth ? extent.depth : 1; }
};

// Levels, each half the size of the one before; owned by the mipmapped array.
struct MipmappedArray {
  std::vector<Array*> levels;
};

rt::Handles<Array>& arrays();
rt::Handles<MipmappedArray>& mipmapped_arrays();
// InvalidChannelDescriptor for a format that no array can have. texel: bytes.
Error texel_bytes(const ChannelFormat& format, size_t& texel);

}  // namespace cassc::cudart
#endif
