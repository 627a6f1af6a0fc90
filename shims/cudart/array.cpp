// CUDA arrays: allocation and what is known of them.
#include "array.h"

#include <algorithm>
#include <bit>

#include "capture.h"

namespace cassc::cudart {

rt::Handles<Array>& arrays() {
  static auto* all = new rt::Handles<Array>;
  return *all;
}

rt::Handles<MipmappedArray>& mipmapped_arrays() {
  static auto* all = new rt::Handles<MipmappedArray>;
  return *all;
}

Error texel_bytes(const ChannelFormat& format, size_t& texel) {
  const int bits[4] = {format.x, format.y, format.z, format.w};
  const int channels = static_cast<int>(std::find(bits, bits + 4, 0) - bits);
  const bool good_count = channels == 1 || channels == 2 || channels == 4;
  const bool same = std::all_of(bits, bits + channels, [&](int b) { return b == bits[0]; }) &&
                    std::all_of(bits + channels, bits + 4, [](int b) { return b == 0; });
  const bool integer = format.kind == 0 || format.kind == 1;
  const bool good_bits = bits[0] == 32 || bits[0] == 16 || (integer && bits[0] == 8);
  if (!good_count || !same || !good_bits || !(integer || format.kind == 2)) return Error::InvalidChannelDescriptor;
  texel = static_cast<size_t>(channels * bits[0] / 8);
  return Error::Success;
}

namespace {

// Limits of compute capability 8.0 and 9.0 (CUDA Programming Guide, "Compute Capabilities"); what the real runtime refuses
// was recorded on such a GPU.
Error check_extent(const Extent& e, unsigned flags) {
  const bool layered = flags & kLayered, cube = flags & kCubemap, gather = flags & kGather;
  if (flags & ~0xfu || e.width == 0) return Error::InvalidValue;
  if (cube) {
    if (e.width != e.height || e.depth == 0 || e.depth % 6 || (!layered && e.depth != 6) || e.width > 32768)
      return Error::InvalidValue;
    return !layered || e.depth <= 2046 ? Error::Success : Error::InvalidValue;
  }
  if (layered) {
    if (e.depth == 0 || e.depth > 2048 || e.width > 32768 || e.height > 32768 || gather) return Error::InvalidValue;
    return Error::Success;
  }
  if (gather && (e.height == 0 || e.depth != 0 || e.width > 32768 || e.height > 32768)) return Error::InvalidValue;
  if (e.depth) {
    if (e.height == 0) return Error::InvalidValue;
    const auto in = [&](size_t w, size_t h, size_t d) { return e.width <= w && e.height <= h && e.depth <= d; };
    return in(16384, 16384, 16384) || in(8192, 8192, 32768) ? Error::Success : Error::InvalidValue;
  }
  return e.width <= 131072 && e.height <= 65536 ? Error::Success : Error::InvalidValue;
}

Error make(Array** handle, const ChannelFormat& format, Extent extent, unsigned flags) {
  auto array = std::make_unique<Array>();
  if (const Error error = check_extent(extent, flags); error != Error::Success) return error;
  if (const Error error = texel_bytes(format, array->texel); error != Error::Success) return error;
  array->format = format;
  array->extent = extent;
  array->flags = flags;
  array->pitch = extent.width * array->texel;
  array->slice = array->pitch * array->rows();
  const Error error = rt::allocate(array->slice * array->layers(), rt::Origin::Array, 0, &array->memory);
  if (error == Error::Success) *handle = arrays().add(std::move(array));
  return error;
}

Error make_one(Array** handle, const ChannelFormat* format, Extent extent, unsigned flags) {
  return api([&] {
    if (!handle || !format) return Error::InvalidValue;
    const Error error = rt::refuse_unsafe();
    return error == Error::Success ? make(handle, *format, extent, flags) : error;
  });
}

Error destroy(Array* handle) {
  const auto array = arrays().take(handle);
  if (!array) return Error::InvalidResourceHandle;
  rt::Context& context = rt::Context::get();
  const Error error = context.observe(context.device().synchronize());
  if (error != Error::Success) return error;
  context.allocations.erase(array->memory);
  return context.observe(context.device().release(array->memory));
}

Error destroy(const MipmappedArray& array) {
  Error result = Error::Success;
  for (Array* level : array.levels)
    if (const Error error = destroy(level); error != Error::Success) result = error;
  return result;
}

// Layers and faces stay, the other dimensions halve; no level is smaller than one texel.
Extent level_extent(const Extent& extent, unsigned level, unsigned flags) {
  const auto half = [&](size_t size) { return size ? std::max<size_t>(1, size >> level) : 0; };
  const bool layers = flags & (kLayered | kCubemap);
  return {half(extent.width), half(extent.height), layers ? extent.depth : half(extent.depth)};
}

unsigned most_levels(const Extent& extent, unsigned flags) {
  const bool layers = flags & (kLayered | kCubemap);
  const size_t largest = std::max({extent.width, extent.height, layers ? 0 : extent.depth});
  return static_cast<unsigned>(std::bit_width(largest));
}

Error make_levels(MipmappedArray** handle, const ChannelFormat& format, Extent extent, unsigned levels, unsigned flags) {
  auto array = std::make_unique<MipmappedArray>();
  levels = std::clamp(levels, 1u, std::max(1u, most_levels(extent, flags)));
  for (unsigned level = 0; level < levels; ++level) {
    Array* made = nullptr;
    const Error error = make(&made, format, level_extent(extent, level, flags), flags);
    if (error != Error::Success) {
      destroy(*array);
      return error;
    }
    array->levels.push_back(made);
  }
  *handle = mipmapped_arrays().add(std::move(array));
  return Error::Success;
}

}  // namespace
}  // namespace cassc::cudart

using namespace cassc::cudart;
namespace rt = cassc::rt;

CASSC_API ChannelFormat cudaCreateChannelDesc(int x, int y, int z, int w, int kind) { return {x, y, z, w, kind}; }

CASSC_API Error cudaMallocArray(Array** array, const ChannelFormat* format, size_t width, size_t height, unsigned flags) {
  return make_one(array, format, {width, height, 0}, flags);
}

CASSC_API Error cudaMalloc3DArray(Array** array, const ChannelFormat* format, Extent extent, unsigned flags) {
  return make_one(array, format, extent, flags);
}

CASSC_API Error cudaFreeArray(Array* array) {
  return api([&] { return array ? destroy(array) : Error::Success; });
}

CASSC_API Error cudaMallocMipmappedArray(MipmappedArray** array, const ChannelFormat* format, Extent extent, unsigned levels,
                                         unsigned flags) {
  return api([&] {
    if (!array || !format) return Error::InvalidValue;
    const Error error = rt::refuse_unsafe();
    return error == Error::Success ? make_levels(array, *format, extent, levels, flags) : error;
  });
}

CASSC_API Error cudaGetMipmappedArrayLevel(Array** level, MipmappedArray* array, unsigned index) {
  return api([&] {
    if (!mipmapped_arrays().known(array)) return Error::InvalidResourceHandle;
    if (!level || index >= array->levels.size()) return Error::InvalidValue;
    *level = array->levels[index];
    return Error::Success;
  });
}

CASSC_API Error cudaFreeMipmappedArray(MipmappedArray* handle) {
  return api([&] {
    if (!handle) return Error::Success;
    const auto array = mipmapped_arrays().take(handle);
    return array ? destroy(*array) : Error::InvalidResourceHandle;
  });
}

CASSC_API Error cudaArrayGetInfo(ChannelFormat* format, Extent* extent, unsigned* flags, Array* array) {
  return api([&] {
    if (!arrays().known(array)) return Error::InvalidResourceHandle;
    if (format) *format = array->format;
    if (extent) *extent = array->extent;
    if (flags) *flags = array->flags;
    return Error::Success;
  });
}

CASSC_API Error cudaGetChannelDesc(ChannelFormat* format, Array* array) {
  return api([&] {
    if (!format) return Error::InvalidValue;
    if (!arrays().known(array)) return Error::InvalidResourceHandle;
    *format = array->format;
    return Error::Success;
  });
}
