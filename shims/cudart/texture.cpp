// Texture and surface objects: what they show is checked, and written as a descriptor that kernels read.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <mutex>

#include "array.h"

namespace cassc::cudart {
namespace {

enum ResourceType { kArray, kMipmappedArray, kLinear, kPitch2D };
enum AddressMode { kWrap, kClamp, kMirror, kBorder };
enum ChannelKind { kSigned, kUnsigned, kFloat };

struct LinearResource {
  void* pointer;
  ChannelFormat format;
  size_t bytes;
};
struct PitchResource {
  void* pointer;
  ChannelFormat format;
  size_t width, height, pitch;
};
struct ResourceDescription {
  int type;
  union {
    Array* array;
    MipmappedArray* mipmap;
    LinearResource linear;
    PitchResource pitch;
#if CASSC_CUDART_MAJOR >= 13
    int reserved[32];
#endif
  };
#if CASSC_CUDART_MAJOR >= 13
  unsigned flags;
#endif
};
static_assert(sizeof(ResourceDescription) == (kMajor <= 12 ? 64 : 144));

struct TextureDescription {
  int address[3];
  int filter, read, srgb;
  float border[4];
  int normalized;
  unsigned max_anisotropy;
  int mipmap_filter;
  float bias, least, greatest;
  int no_trilinear_optimization, seamless;
};
static_assert(sizeof(TextureDescription) == 72);

struct ViewDescription {
  int format;
  size_t width, height, depth;
  unsigned first_level, last_level, first_layer, last_layer;
#if CASSC_CUDART_MAJOR >= 13
  unsigned reserved[16];
#endif
};

// The layout that cassc/sass/textures/descriptor.py reads.
struct Header {
  uint32_t format = 0, sampling = 0, levels = 0;
  float bias = 0, least = 0, greatest = 0;
  uint32_t layers = 1, zero = 0;
  uint32_t border[4] = {};
  uint32_t reserved[12] = {};
};
static_assert(sizeof(Header) == 96);
struct LevelEntry {
  uint64_t address;
  uint32_t width, height, depth, pitch;
  uint64_t slice;
};
static_assert(sizeof(LevelEntry) == 32);

enum FormatBit { kAsFloat = 1 << 16, kSrgb = 1 << 17 };
enum SamplingBit { kLinearFilter = 1 << 8, kMipLinear = 1 << 9, kNormalized = 1 << 10, kSeamless = 1 << 11 };

struct Object {
  ResourceDescription resource;
  TextureDescription texture;
  ViewDescription view;
};

std::mutex guard;
std::map<uint64_t, Object>& textures() {
  static auto* all = new std::map<uint64_t, Object>;
  return *all;
}
std::map<uint64_t, Object>& surfaces() {
  static auto* all = new std::map<uint64_t, Object>;
  return *all;
}

// What is looked at: format, levels, layers.
struct View {
  ChannelFormat format{};
  std::vector<LevelEntry> levels;
  uint32_t layers = 1;
};

void add_level(View& view, const Array& array) {
  const bool layers = array.flags & (kLayered | kCubemap);
  view.layers = layers ? static_cast<uint32_t>(array.layers()) : 1;
  view.levels.push_back({reinterpret_cast<uint64_t>(array.memory), static_cast<uint32_t>(array.extent.width),
                         static_cast<uint32_t>(array.rows()), layers ? 1u : static_cast<uint32_t>(array.layers()),
                         static_cast<uint32_t>(array.pitch), array.slice});
}

// Bound memory begins at a multiple of the texture alignment, counted from the allocation that it lies in.
bool aligned(const void* pointer) {
  constexpr uint64_t alignment = 512;
  const auto found = rt::Context::get().allocations.find(pointer);
  const auto address = reinterpret_cast<uint64_t>(pointer);
  return (found ? address - found->base : address) % alignment == 0;
}

Error look_at(const ResourceDescription& resource, View& view) {
  constexpr size_t most_linear = size_t{1} << 28, most_width = 131072, most_height = 65000, pitch_alignment = 32;
  size_t texel = 0;
  switch (resource.type) {
    case kArray:
      if (!arrays().known(resource.array)) return Error::InvalidResourceHandle;
      view.format = resource.array->format;
      add_level(view, *resource.array);
      return Error::Success;
    case kMipmappedArray:
      if (!mipmapped_arrays().known(resource.mipmap)) return Error::InvalidResourceHandle;
      for (const Array* level : resource.mipmap->levels) add_level(view, *level);
      view.format = resource.mipmap->levels.front()->format;
      return Error::Success;
    case kLinear: {
      view.format = resource.linear.format;
      if (const Error error = texel_bytes(view.format, texel); error != Error::Success) return error;
      const size_t width = resource.linear.bytes / texel;
      if (!aligned(resource.linear.pointer) || width > most_linear) return Error::InvalidValue;
      view.levels.push_back({reinterpret_cast<uint64_t>(resource.linear.pointer), static_cast<uint32_t>(width), 1, 1, 0, 0});
      return Error::Success;
    }
    case kPitch2D: {
      const PitchResource& pitch = resource.pitch;
      view.format = pitch.format;
      if (const Error error = texel_bytes(view.format, texel); error != Error::Success) return error;
      if (!aligned(pitch.pointer) || pitch.pitch % pitch_alignment || pitch.width > most_width || pitch.height > most_height)
        return Error::InvalidValue;
      view.levels.push_back({reinterpret_cast<uint64_t>(pitch.pointer), static_cast<uint32_t>(pitch.width),
                             static_cast<uint32_t>(pitch.height), 1, static_cast<uint32_t>(pitch.pitch), 0});
      return Error::Success;
    }
    default: return Error::InvalidValue;
  }
}

uint32_t format_word(const ChannelFormat& format) {
  const int bits[4] = {format.x, format.y, format.z, format.w};
  const auto channels = static_cast<uint32_t>(std::find(bits, bits + 4, 0) - bits);
  const auto bytes = static_cast<uint32_t>(format.x / 8);
  return static_cast<uint32_t>(std::countr_zero(channels * bytes)) | channels << 4 |
         static_cast<uint32_t>(std::countr_zero(bytes)) << 8 | static_cast<uint32_t>(format.kind) << 12;
}

// Half precision of a border colour: what does not fit is cut off.
float cut_to_half(float value) {
  const float limited = std::clamp(value, -65504.0f, 65504.0f);
  constexpr float least_normal = 6.103515625e-05f, denormal_step = 5.9604644775390625e-08f;
  if (std::fabs(limited) < least_normal) return std::trunc(limited / denormal_step) * denormal_step;
  return std::bit_cast<float>(std::bit_cast<uint32_t>(limited) & ~0x1fffu);
}

// A border colour as a texel of the format would hold it: extended integers, or floats.
uint32_t border_word(float colour, const ChannelFormat& format, bool as_float) {
  if (as_float && format.kind != kFloat) {
    const bool is_signed = format.kind == kSigned;
    const double most = std::pow(2.0, is_signed ? format.x - 1 : format.x) - 1;
    const double limited = std::clamp<double>(std::isnan(colour) ? 0 : colour, is_signed ? -1 : 0, 1);
    return static_cast<uint32_t>(static_cast<int32_t>(std::floor(limited * most + 0.5)));
  }
  return std::bit_cast<uint32_t>(format.kind == kFloat && format.x == 16 ? cut_to_half(colour) : colour);
}

Error check(const View& view, const TextureDescription& texture) {
  const auto in = [](int value, int last) { return value >= 0 && value <= last; };
  if (!in(texture.filter, 1) || !std::all_of(texture.address, texture.address + 3, [&](int a) { return in(a, kBorder); }))
    return Error::InvalidValue;
  const bool integer = view.format.kind != kFloat, narrow = view.format.x <= 16, as_float = texture.read == 1;
  if (texture.filter == 1 && integer && !(as_float && narrow)) return Error::InvalidFilterSetting;
  return as_float && !(integer && narrow) ? Error::InvalidNormSetting : Error::Success;
}

Header header_of(const View& view, const TextureDescription& texture) {
  Header header;
  const bool as_float = texture.read == 1;
  header.format = format_word(view.format) | (as_float ? kAsFloat : 0);
  if (texture.srgb && as_float && view.format.x == 8) header.format |= kSrgb;
  for (int axis = 0; axis < 3; ++axis) {
    int mode = texture.address[axis];
    if (!texture.normalized && (mode == kWrap || mode == kMirror)) mode = kClamp;
    header.sampling |= static_cast<uint32_t>(mode) << (2 * axis);
  }
  header.sampling |= (texture.filter ? kLinearFilter : 0) | (texture.mipmap_filter ? kMipLinear : 0) |
                     (texture.normalized ? kNormalized : 0) | (texture.seamless ? kSeamless : 0);
  header.levels = static_cast<uint32_t>(view.levels.size());
  header.bias = texture.bias;
  header.least = texture.least;
  header.greatest = texture.greatest;
  header.layers = view.layers;
  for (int k = 0; k < 4; ++k) header.border[k] = border_word(texture.border[k], view.format, as_float);
  return header;
}

Error publish(const Header& header, const View& view, uint64_t& handle) {
  std::vector<std::byte> bytes(sizeof header + view.levels.size() * sizeof(LevelEntry));
  std::memcpy(bytes.data(), &header, sizeof header);
  std::memcpy(bytes.data() + sizeof header, view.levels.data(), view.levels.size() * sizeof(LevelEntry));
  return rt::Context::get().textures.add(device(), bytes, handle);
}

// Kernels that use an object may still run when it is destroyed, so its slot is given back when they are done.
Error destroy(std::map<uint64_t, Object>& objects, uint64_t handle) {
  std::lock_guard lock(guard);
  const auto found = objects.find(handle);
  if (found == objects.end()) return Error::Success;
  objects.erase(found);
  const Error error = rt::Context::get().observe(device().synchronize());
  rt::Context::get().textures.remove(handle);
  return error;
}

template <class Member>
Error read_back(std::map<uint64_t, Object>& objects, uint64_t handle, Member* target, Member Object::* member) {
  return api([&] {
    if (!target) return Error::InvalidValue;
    std::lock_guard lock(guard);
    const auto found = objects.find(handle);
    if (found == objects.end()) return Error::InvalidValue;
    *target = found->second.*member;
    return Error::Success;
  });
}

}  // namespace
}  // namespace cassc::cudart

using namespace cassc::cudart;
namespace rt = cassc::rt;

static Error create_texture(uint64_t* handle, const ResourceDescription* resource, const TextureDescription* texture,
                            const ViewDescription* wanted) {
  return api([&] {
    if (!handle || !resource) return Error::InvalidValue;
    if (!texture) return Error::InvalidResourceHandle;
    View view;
    Error error = look_at(*resource, view);
    if (error == Error::Success) error = check(view, *texture);
    if (error != Error::Success) return error;
    if (wanted || texture->seamless) {
      rt::report(wanted ? "resource views of textures are not supported" : "seamless cubemaps are not supported", true);
      return Error::NotSupported;
    }
    uint64_t made = 0;
    if (error = publish(header_of(view, *texture), view, made); error != Error::Success) return error;
    std::lock_guard lock(guard);
    textures()[made] = {*resource, *texture, {}};
    *handle = made;
    return Error::Success;
  });
}

#if CASSC_CUDART_MAJOR == 11
// CUDA 11 has a shorter description, without its last field, and the whole one under other names.
constexpr size_t kOldTextureDescription = 68;
CASSC_API Error cudaCreateTextureObject(uint64_t* handle, const ResourceDescription* resource, const void* texture,
                                        const ViewDescription* wanted) {
  TextureDescription whole{};
  if (texture) std::memcpy(&whole, texture, kOldTextureDescription);
  return create_texture(handle, resource, texture ? &whole : nullptr, wanted);
}
CASSC_API Error cudaCreateTextureObject_v2(uint64_t* handle, const ResourceDescription* resource,
                                           const TextureDescription* texture, const ViewDescription* wanted) {
  return create_texture(handle, resource, texture, wanted);
}
#else
CASSC_API Error cudaCreateTextureObject(uint64_t* handle, const ResourceDescription* resource, const TextureDescription* texture,
                                        const ViewDescription* wanted) {
  return create_texture(handle, resource, texture, wanted);
}
#endif

CASSC_API Error cudaDestroyTextureObject(uint64_t handle) {
  return api([&] { return destroy(textures(), handle); });
}

CASSC_API Error cudaGetTextureObjectResourceDesc(ResourceDescription* resource, uint64_t handle) {
  return read_back(textures(), handle, resource, &Object::resource);
}

#if CASSC_CUDART_MAJOR == 11
CASSC_API Error cudaGetTextureObjectTextureDesc(void* texture, uint64_t handle) {
  TextureDescription whole{};
  const Error error = read_back(textures(), handle, texture ? &whole : nullptr, &Object::texture);
  if (error == Error::Success) std::memcpy(texture, &whole, kOldTextureDescription);
  return error;
}
CASSC_API Error cudaGetTextureObjectTextureDesc_v2(TextureDescription* texture, uint64_t handle) {
#else
CASSC_API Error cudaGetTextureObjectTextureDesc(TextureDescription* texture, uint64_t handle) {
#endif
  return read_back(textures(), handle, texture, &Object::texture);
}

CASSC_API Error cudaGetTextureObjectResourceViewDesc(ViewDescription* view, uint64_t handle) {
  return read_back(textures(), handle, view, &Object::view);
}

CASSC_API Error cudaCreateSurfaceObject(uint64_t* handle, const ResourceDescription* resource) {
  return api([&] {
    if (!handle || !resource || resource->type != kArray) return Error::InvalidValue;
    View view;
    if (const Error error = look_at(*resource, view); error != Error::Success) return error;
    Header header;
    header.format = format_word(view.format);
    header.levels = 1;
    header.layers = view.layers;
    uint64_t made = 0;
    if (const Error error = publish(header, view, made); error != Error::Success) return error;
    std::lock_guard lock(guard);
    surfaces()[made] = {*resource, {}, {}};
    *handle = made;
    return Error::Success;
  });
}

CASSC_API Error cudaDestroySurfaceObject(uint64_t handle) {
  return api([&] { return destroy(surfaces(), handle); });
}

CASSC_API Error cudaGetSurfaceObjectResourceDesc(ResourceDescription* resource, uint64_t handle) {
  return read_back(surfaces(), handle, resource, &Object::resource);
}

CASSC_API Error cudaDeviceGetTexture1DLinearMaxWidth(size_t* width, const ChannelFormat* format, int index) {
  return api([&] {
    size_t texel = 0;
    if (index != 0) return Error::InvalidDevice;
    if (!width || !format) return Error::InvalidValue;
    const Error error = texel_bytes(*format, texel);
    if (error == Error::Success) *width = size_t{1} << 28;
    return error;
  });
}
