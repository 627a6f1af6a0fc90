// Arrays, texture and surface objects. An object of HIP is the address of an image descriptor of eight dwords, four more for what
// the device library asks of it, and (of textures) a sampler of four, which kernels read and use in image instructions of their own.
#include <algorithm>
#include <bit>
#include <map>
#include <mutex>

#include "../cudart/array.h"
#include "api.h"
#include "context.h"
#include "memory.h"

namespace rt = cassc::rt;
using cassc::cudart::Array;
using cassc::cudart::ChannelFormat;
using cassc::cudart::Extent;
using rt::Error;

HIP_AS(hipMallocArray, cudaMallocArray, (void** array, const void* format, size_t width, size_t height, unsigned flags),
       (array, format, width, height, flags))
HIP_AS(hipMalloc3DArray, cudaMalloc3DArray, (void** array, const void* format, Extent extent, unsigned flags),
       (array, format, extent, flags))
HIP_AS(hipFreeArray, cudaFreeArray, (void* array), (array))
HIP_AS(hipArrayGetInfo, cudaArrayGetInfo, (void* format, void* extent, unsigned* flags, void* array), (format, extent, flags, array))
HIP_AS(hipGetChannelDesc, cudaGetChannelDesc, (void* format, const void* array), (format, array))
HIP_AS(hipMemcpyToArray, cudaMemcpyToArray, (void* array, size_t x, size_t y, const void* source, size_t bytes, int kind),
       (array, x, y, source, bytes, kind))
HIP_AS(hipMemcpyFromArray, cudaMemcpyFromArray, (void* target, const void* array, size_t x, size_t y, size_t bytes, int kind),
       (target, array, x, y, bytes, kind))
HIP_AS(hipMemcpy2DToArray, cudaMemcpy2DToArray,
       (void* array, size_t x, size_t y, const void* source, size_t pitch, size_t width, size_t height, int kind),
       (array, x, y, source, pitch, width, height, kind))
HIP_AS(hipMemcpy2DToArrayAsync, cudaMemcpy2DToArrayAsync,
       (void* array, size_t x, size_t y, const void* source, size_t pitch, size_t width, size_t height, int kind, void* stream),
       (array, x, y, source, pitch, width, height, kind, stream))
HIP_AS(hipMemcpy2DFromArray, cudaMemcpy2DFromArray,
       (void* target, size_t pitch, const void* array, size_t x, size_t y, size_t width, size_t height, int kind),
       (target, pitch, array, x, y, width, height, kind))
HIP_AS(hipMemcpy2DFromArrayAsync, cudaMemcpy2DFromArrayAsync,
       (void* target, size_t pitch, const void* array, size_t x, size_t y, size_t width, size_t height, int kind, void* stream),
       (target, pitch, array, x, y, width, height, kind, stream))

HIP_API ChannelFormat hipCreateChannelDesc(int x, int y, int z, int w, int kind) { return {x, y, z, w, kind}; }

namespace {

enum ResourceType { kArray, kMipmappedArray, kLinear, kPitch2D };
struct Resource {  // hipResourceDesc
  int type;
  union {
    Array* array;
    struct {
      void* pointer;
      ChannelFormat format;
      size_t bytes;
    } linear;
    struct {
      void* pointer;
      ChannelFormat format;
      size_t width, height, pitch;
    } pitch;
  };
};
struct Sampling {  // hipTextureDesc
  int address[3];
  int filter, read, srgb;
  float border[4];
  int normalized;
  unsigned max_anisotropy;
  int mipmap_filter;
  float bias, least, greatest;
};

struct Texture {
  uint32_t image[12], sampler[8];
};
static_assert(sizeof(Texture) == 80);

struct Object {
  Resource resource;
  Sampling sampling;
};
std::mutex guard;
std::map<void*, Object>& objects() {
  static auto* all = new std::map<void*, Object>;
  return *all;
}

Error refuse(const char* what) {
  rt::report(std::string(what) + " are not supported", true);
  return Error::NotSupported;
}

// RDNA3's number of a format: of one, two or four channels of 8, 16 or 32 bits. 0: there is none.
uint32_t format_number(const ChannelFormat& format, bool as_float) {
  const int bits[4] = {format.x, format.y, format.z, format.w};
  const auto channels = std::find(bits, bits + 4, 0) - bits;
  static constexpr struct { int channels, bits; uint32_t first; } kFirst[] = {
      {1, 8, 1}, {1, 16, 7}, {2, 8, 14}, {1, 32, 20}, {2, 16, 23}, {4, 8, 42}, {2, 32, 48}, {4, 16, 51}, {4, 32, 61}};
  enum { kSigned, kUnsigned, kReal };
  for (const auto& run : kFirst) {
    if (run.channels != channels || run.bits != bits[0]) continue;
    // In order: unorm, snorm, uscaled, sscaled, uint, sint, float; of 32 bits only the last three.
    if (run.bits == 32) return run.first + (format.kind == kUnsigned ? 0u : format.kind == kSigned ? 1u : 2u);
    if (format.kind == kReal) return run.first + 6;
    return run.first + (as_float ? 0u : 4u) + (format.kind == kSigned ? 1u : 0u);
  }
  return 0;
}

// What HIP's surface functions ask of the format: HSA's channel type and order (hsa_ext_image.h).
void name_format(const ChannelFormat& format, bool as_float, Texture& made) {
  enum { kUnsigned = 1, kReal = 2 };
  constexpr uint32_t kSnorm8 = 0, kUnorm8 = 2, kSigned8 = 8, kUnsigned8 = 11, kHalf = 14, kR = 1, kRg = 3, kRgba = 8;
  const uint32_t size = format.x == 8 ? 0 : format.x == 16 ? 1 : 2;
  const bool normalized = as_float && format.x < 32;
  made.image[8] = format.kind == kReal       ? kHalf + (size == 2 ? 1 : 0)
                  : format.kind == kUnsigned ? (normalized ? kUnorm8 : kUnsigned8) + size
                                             : (normalized ? kSnorm8 : kSigned8) + size;
  made.image[9] = format.w ? kRgba : format.y ? kRg : kR;
}

uint32_t selection(const ChannelFormat& format) {
  constexpr uint32_t first = 4;  // 0 is a zero
  return first | (format.y ? (first + 1) << 3 : 0) | (format.z ? (first + 2) << 6 : 0) | (format.w ? (first + 3) << 9 : 0);
}

Error describe_buffer(const Resource& resource, uint32_t number, size_t texel, Texture& made) {
  const auto base = reinterpret_cast<uint64_t>(resource.linear.pointer);
  made.image[0] = static_cast<uint32_t>(base);
  made.image[1] = static_cast<uint32_t>(base >> 32) | static_cast<uint32_t>(texel) << 16;
  made.image[2] = static_cast<uint32_t>(resource.linear.bytes / texel);
  made.image[3] = selection(resource.linear.format) | number << 12;
  return Error::Success;
}

Error describe_image(const void* memory, size_t width, size_t height, size_t depth, size_t pitch, unsigned flags, const ChannelFormat& format,
                     uint32_t number, size_t texel, Texture& made) {
  constexpr size_t kAlignment = 256, kMost = 16384;
  enum : uint32_t { kLine = 8, kPlane = 9, kVolume = 10, kCube = 11, kLines = 12, kPlanes = 13 };
  const auto base = reinterpret_cast<uint64_t>(memory);
  const bool layered = flags & cassc::cudart::kLayered, cube = flags & cassc::cudart::kCubemap;
  const uint32_t shape = cube ? kCube : layered ? (height ? kPlanes : kLines) : depth ? kVolume : height ? kPlane : kLine;
  if (width > kMost || height > kMost || base % kAlignment || pitch % texel || pitch / texel > kMost)
    return refuse("textures of more than 16384 texels, or at odd addresses,");
  const bool rows_apart = shape == kLine || shape == kPlane;  // the descriptor says how far
  if (!rows_apart && pitch % kAlignment) return refuse("textures in three dimensions or layers with rows that are no multiple of 256 bytes");
  const auto w = static_cast<uint32_t>(width - 1), h = static_cast<uint32_t>(std::max<size_t>(height, 1) - 1);
  made.image[0] = static_cast<uint32_t>(base >> 8);
  made.image[1] = static_cast<uint32_t>(base >> 40) | number << 20 | (w & 3) << 30;
  made.image[2] = w >> 2 | h << 14;
  made.image[3] = selection(format) | shape << 28;
  made.image[4] = static_cast<uint32_t>(rows_apart ? pitch / texel - 1 : std::max<size_t>(depth, 1) - 1);
  made.image[10] = static_cast<uint32_t>(width);
  return Error::Success;
}

Error describe_sampler(const Sampling& sampling, uint32_t* words) {
  static constexpr uint32_t kWraps[] = {0, 2, 1, 6};  // wrap, clamp to the edge, mirror, border
  for (int axis = 0; axis < 3; ++axis) {
    int mode = sampling.address[axis];
    if (mode < 0 || mode > 3) return Error::InvalidValue;
    if (!sampling.normalized && mode != 3) mode = 1;
    words[0] |= kWraps[mode] << (3 * axis);
  }
  words[0] |= sampling.normalized ? 0 : 1u << 15;
  constexpr uint32_t kAllLevels = 0xfff << 12;
  words[1] = kAllLevels;
  words[2] = sampling.filter ? 5u << 20 | 2u << 24 : 1u << 24;
  const auto all = [&](float value) { return std::all_of(sampling.border, sampling.border + 4, [&](float c) { return c == value; }); };
  const bool uses_border = std::any_of(sampling.address, sampling.address + 3, [](int mode) { return mode == 3; });
  if (uses_border && !all(0) && !all(1)) return refuse("border colours of textures other than all zeros and all ones");
  words[3] = all(1) ? 2u << 30 : 0;
  return Error::Success;
}

// as_float: integers are read as fractions of their greatest value.
Error describe(const Resource& resource, bool as_float, Texture& made) {
  if (resource.type == kMipmappedArray) return refuse("mipmapped textures");
  if (resource.type < kArray || resource.type > kPitch2D) return Error::InvalidValue;
  if (resource.type == kArray && !cassc::cudart::arrays().known(resource.array)) return Error::InvalidResourceHandle;
  const ChannelFormat& format = resource.type == kArray ? resource.array->format : resource.type == kLinear ? resource.linear.format : resource.pitch.format;
  size_t texel = 0;
  if (const Error error = cassc::cudart::texel_bytes(format, texel); error != Error::Success) return error;
  const uint32_t number = format_number(format, as_float);
  if (!number) return Error::InvalidChannelDescriptor;
  name_format(format, as_float, made);
  if (resource.type == kLinear) return describe_buffer(resource, number, texel, made);
  if (resource.type == kPitch2D) {
    return describe_image(resource.pitch.pointer, resource.pitch.width, std::max<size_t>(resource.pitch.height, 1), 0, resource.pitch.pitch, 0, format,
                          number, texel, made);
  }
  const Array& array = *resource.array;
  return describe_image(array.memory, array.extent.width, array.extent.height, array.extent.depth, array.pitch, array.flags, format, number, texel, made);
}

Error keep(const Texture& made, const Object& object, void** handle) {
  void* memory = nullptr;
  Error error = cassc::cudart::device().allocate(sizeof made, false, &memory);
  if (error == Error::Success) error = cassc::cudart::device().poke(reinterpret_cast<uint64_t>(memory), &made, sizeof made);
  if (error != Error::Success) return error;
  const std::lock_guard lock(guard);
  objects()[memory] = object;
  *handle = memory;
  return Error::Success;
}

// Kernels that use it may still run.
int destroy(void* handle) {
  return cassc::hip::hip_code(static_cast<int>(cassc::cudart::api([&] {
    if (!handle) return Error::Success;
    const std::lock_guard lock(guard);
    if (!objects().erase(handle)) return Error::InvalidValue;
    rt::Context& context = rt::Context::get();
    const Error error = context.observe(context.device().synchronize());
    return error == Error::Success ? context.observe(context.device().release(handle)) : error;
  })));
}

}  // namespace

HIP_API int hipCreateTextureObject(void** texture, const Resource* resource, const Sampling* sampling, const void* view) {
  return cassc::hip::hip_code(static_cast<int>(cassc::cudart::api([&] {
    if (!texture || !resource || !sampling) return Error::InvalidValue;
    if (view) return refuse("resource views of textures");
    if (sampling->srgb) return refuse("sRGB textures");
    Texture made{};
    Error error = describe(*resource, sampling->read == 1, made);
    if (error == Error::Success) error = describe_sampler(*sampling, made.sampler);
    return error == Error::Success ? keep(made, {*resource, *sampling}, texture) : error;
  })));
}
HIP_API int hipCreateSurfaceObject(void** surface, const Resource* resource) {
  return cassc::hip::hip_code(static_cast<int>(cassc::cudart::api([&] {
    if (!surface || !resource || resource->type != kArray) return Error::InvalidValue;
    Texture made{};
    const Error error = describe(*resource, false, made);
    return error == Error::Success ? keep(made, {*resource, {}}, surface) : error;
  })));
}
HIP_API int hipDestroyTextureObject(void* texture) { return destroy(texture); }
HIP_API int hipDestroySurfaceObject(void* surface) { return destroy(surface); }

HIP_API int hipGetTextureObjectResourceDesc(Resource* resource, void* texture) {
  const std::lock_guard lock(guard);
  const auto found = objects().find(texture);
  if (!resource || found == objects().end()) return 1;
  *resource = found->second.resource;
  return 0;
}
HIP_API int hipGetTextureObjectTextureDesc(Sampling* sampling, void* texture) {
  const std::lock_guard lock(guard);
  const auto found = objects().find(texture);
  if (!sampling || found == objects().end()) return 1;
  *sampling = found->second.sampling;
  return 0;
}
