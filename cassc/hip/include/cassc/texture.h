// Texture and surface objects (CUDA C++ Programming Guide, "Texture Functions", "Surface Functions") over the descriptors that
// cassc's runtime writes; cassc/sass/textures/descriptor.py says what they hold. Filtering: weights of 8 bits, as NVIDIA's
// hardware has them. Of a mipmapped texture the Lod functions take the nearest level.
#ifndef CASSC_TEXTURE_H
#define CASSC_TEXTURE_H

#ifdef __CUDA_ARCH__
extern "C" {
// The table of descriptors; filled by the runtime.
inline __device__ __attribute__((used, visibility("protected"))) unsigned long long __cassc_textures[2] = {};
}

namespace cassc {
struct TextureLevel {
  unsigned long long address;
  unsigned width, height, depth, pitch;
  unsigned long long slice;
};
struct Texture {
  unsigned format, sampling, levels;
  float bias, least, greatest;
  unsigned layers, zero;
  unsigned border[4];
  unsigned reserved[12];
  TextureLevel level[1];

  CASSC_FN unsigned texel_shift() const { return format & 7; }
  CASSC_FN unsigned channels() const { return format >> 4 & 7; }
  CASSC_FN unsigned channel_shift() const { return format >> 8 & 3; }
  CASSC_FN unsigned kind() const { return format >> 12 & 3; }
  CASSC_FN bool as_float() const { return format >> 16 & 1; }
  CASSC_FN bool srgb() const { return format >> 17 & 1; }
  CASSC_FN unsigned mode(int axis) const { return sampling >> 2 * axis & 3; }
  CASSC_FN bool linear() const { return sampling >> 8 & 1; }
  CASSC_FN bool normalized() const { return sampling >> 10 & 1; }
};
struct Texel {
  unsigned word[4];
};
struct TexturePosition {
  int first;
  int weight;  // of the second neighbour, of 256
};

CASSC_FN const Texture& texture(unsigned long long handle) {
  return *reinterpret_cast<const Texture*>(__cassc_textures[0] + (handle & 0xffffffffu) * 128);
}
CASSC_FN TexturePosition texture_position(const Texture& t, int axis, float coordinate, unsigned size) {
  const unsigned mode = t.mode(axis);
  double x = coordinate;
  if (t.normalized()) {
    const double origin = mode == 0 ? __builtin_floor(x) : mode == 2 ? 2 * __builtin_floor(x / 2) : 0;
    x = (x - origin) * size;
  }
  if (x != x) x = 0;
  x = __builtin_fmin(__builtin_fmax(x, -256.0), 2.0 * size + 256);
  if (!t.linear()) return {static_cast<int>(__builtin_floor(x)), 0};
  if (mode == 1) x = __builtin_fmin(__builtin_fmax(x, 0.5), size - 0.5);
  const int fixed = static_cast<int>(__builtin_floor(x * 256 + 0.5)) - 128;
  return {fixed >> 8, fixed & 255};
}
// The texel that an index stands for; false where the border's colour does.
CASSC_FN bool texture_index(unsigned mode, int index, int size, int& found) {
  const int wrapped = (index % size + size) % size, turn = (index % (2 * size) + 2 * size) % (2 * size);
  const int clamped = index < 0 ? 0 : index >= size ? size - 1 : index;
  found = mode == 0 ? wrapped : mode == 2 ? (turn < size ? turn : 2 * size - 1 - turn) : clamped;
  return mode != 3 || index == clamped;
}
// Channels as 32-bit words: integers extended, floats as float; what a texel lacks is 0, 0 and 1.
CASSC_FN Texel texture_load(const Texture& t, const TextureLevel& l, int x, int y, int z) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(
      l.address + static_cast<unsigned long long>(z) * l.slice + static_cast<unsigned long long>(y) * l.pitch +
      (static_cast<unsigned long long>(x) << t.texel_shift()));
  Texel texel{{0, 0, 0, t.kind() == 2 ? 0x3f800000u : 1u}};
  for (unsigned k = 0; k < t.channels(); ++k) {
    if (t.channel_shift() == 0)
      texel.word[k] = t.kind() == 0 ? static_cast<unsigned>(static_cast<int>(static_cast<signed char>(bytes[k]))) : bytes[k];
    else if (t.channel_shift() == 1) {
      const unsigned short half = reinterpret_cast<const unsigned short*>(bytes)[k];
      texel.word[k] = t.kind() == 2   ? __builtin_bit_cast(unsigned, static_cast<float>(__builtin_bit_cast(_Float16, half)))
                      : t.kind() == 0 ? static_cast<unsigned>(static_cast<int>(static_cast<short>(half)))
                                      : half;
    } else {
      texel.word[k] = reinterpret_cast<const unsigned*>(bytes)[k];
    }
  }
  return texel;
}
CASSC_FN float texture_share(const Texture& t, unsigned word, unsigned k) {
  if (k >= t.channels()) return k == 3 ? 1.0f : 0.0f;
  if (t.srgb() && k < 3) return reinterpret_cast<const float*>(__cassc_textures[0])[word & 255];
  const bool bytes = t.channel_shift() == 0;
  if (t.kind() == 0)
    return static_cast<float>(__builtin_fmax(static_cast<int>(word) * (bytes ? 1.0 / 127 : 1.0 / 32767), -1.0));
  return static_cast<float>(word * (bytes ? 1.0 / 255 : 1.0 / 65535));
}
CASSC_FN Texel texture_texel(const Texture& t, const TextureLevel& l, int axes, int x, int y, int z, int layer) {
  int at[3] = {0, 0, layer};
  bool inside = texture_index(t.mode(0), x, static_cast<int>(l.width), at[0]);
  if (axes > 1) inside = texture_index(t.mode(1), y, static_cast<int>(l.height), at[1]) && inside;
  if (axes > 2) inside = texture_index(t.mode(2), z, static_cast<int>(l.depth), at[2]) && inside;
  if (!inside) return Texel{{t.border[0], t.border[1], t.border[2], t.border[3]}};
  Texel texel = texture_load(t, l, at[0], at[1], at[2]);
  if (t.as_float())
    for (unsigned k = 0; k < 4; ++k) texel.word[k] = __builtin_bit_cast(unsigned, texture_share(t, texel.word[k], k));
  return texel;
}
static __device__ __attribute__((noinline)) Texel texture_sample(unsigned long long handle, int axes, float x, float y, float z,
                                                                 int layer, float level) {
  const Texture& t = texture(handle);
  level = __builtin_fminf(__builtin_fmaxf(level + t.bias, t.least), t.greatest);
  int number = static_cast<int>(__builtin_floorf(level + 0.5f));
  number = number < 0 ? 0 : number >= static_cast<int>(t.levels) ? static_cast<int>(t.levels) - 1 : number;
  const TextureLevel& l = t.level[number];
  const int layers = static_cast<int>(t.layers);
  layer = layer < 0 ? 0 : layer >= layers ? layers - 1 : layer;
  const TexturePosition px = texture_position(t, 0, x, l.width);
  const TexturePosition py = axes > 1 ? texture_position(t, 1, y, l.height) : TexturePosition{0, 0};
  const TexturePosition pz = axes > 2 ? texture_position(t, 2, z, l.depth) : TexturePosition{0, 0};
  if (!t.linear()) return texture_texel(t, l, axes, px.first, py.first, pz.first, layer);
  float sum[4] = {};
  for (int corner = 0; corner < 1 << axes; ++corner) {
    const int dx = corner & 1, dy = corner >> 1 & 1, dz = corner >> 2 & 1;
    const float share = (dx ? px.weight : 256 - px.weight) / 256.0f * ((dy ? py.weight : 256 - py.weight) / 256.0f) *
                        ((dz ? pz.weight : 256 - pz.weight) / 256.0f);
    if (share == 0) continue;
    const Texel texel = texture_texel(t, l, axes, px.first + dx, py.first + dy, pz.first + dz, layer);
    for (int k = 0; k < 4; ++k) sum[k] += share * __builtin_bit_cast(float, texel.word[k]);
  }
  Texel result;
  for (int k = 0; k < 4; ++k) result.word[k] = __builtin_bit_cast(unsigned, sum[k]);
  return result;
}
static __device__ __attribute__((noinline)) Texel texture_fetch(unsigned long long handle, int x) {
  const Texture& t = texture(handle);
  const TextureLevel& l = t.level[0];
  if (x < 0 || x >= static_cast<int>(l.width)) return Texel{};
  Texel texel = texture_load(t, l, x, 0, 0);
  if (t.as_float())
    for (unsigned k = 0; k < 4; ++k) texel.word[k] = __builtin_bit_cast(unsigned, texture_share(t, texel.word[k], k));
  return texel;
}

// A texel as the type that the caller names: a scalar, or a vector of one, two or four.
template <class T_>
CASSC_FN T_ texture_channel(unsigned word) {
  if constexpr (__is_same(T_, float)) return __builtin_bit_cast(float, word);
  else return static_cast<T_>(word);
}
template <class T_, class = void>
struct TextureResult {
  static CASSC_FN T_ make(const Texel& texel) { return texture_channel<T_>(texel.word[0]); }
};
template <class T_>
struct TextureResult<T_, decltype(void(T_{}.x))> {
  using Scalar = decltype(T_{}.x);
  static CASSC_FN T_ make(const Texel& texel) {
    T_ result{};
    Scalar* members = &result.x;
    for (unsigned k = 0; k < sizeof(T_) / sizeof(Scalar); ++k) members[k] = texture_channel<Scalar>(texel.word[k]);
    return result;
  }
};
// The bytes of a surface's texel; null where an access is outside and the mode says that nothing happens.
CASSC_FN unsigned char* surface_place(unsigned long long handle, int x, int y, int z, int bytes, int mode) {
  const Texture& t = texture(handle);
  const TextureLevel& l = t.level[0];
  const int width = static_cast<int>(l.width << t.texel_shift()), height = static_cast<int>(l.height);
  const int depth = static_cast<int>(l.depth > 1 ? l.depth : t.layers);
  const bool inside = x >= 0 && x + bytes <= width && y >= 0 && y < (height ? height : 1) && z >= 0 && z < (depth ? depth : 1);
  if (!inside) {
    if (mode == cudaBoundaryModeTrap) __builtin_trap();
    if (mode == cudaBoundaryModeZero) return nullptr;
    x = x < 0 ? 0 : x > width - bytes ? width - bytes : x;
    y = y < 0 ? 0 : y >= height ? height - 1 : y;
    z = z < 0 ? 0 : z >= depth ? depth - 1 : z;
  }
  return reinterpret_cast<unsigned char*>(l.address + static_cast<unsigned long long>(z) * l.slice +
                                          static_cast<unsigned long long>(y) * l.pitch + static_cast<unsigned>(x));
}
template <class T_>
CASSC_FN T_ surface_read(unsigned long long handle, int x, int y, int z, int mode) {
  const unsigned char* const place = surface_place(handle, x, y, z, sizeof(T_), mode);
  return place ? *reinterpret_cast<const T_*>(place) : T_{};
}
template <class T_>
CASSC_FN void surface_write(T_ value, unsigned long long handle, int x, int y, int z, int mode) {
  if (unsigned char* const place = surface_place(handle, x, y, z, sizeof(T_), mode)) *reinterpret_cast<T_*>(place) = value;
}
}  // namespace cassc
#endif

// Each function also in the form that stores its result through a pointer.
#define CASSC_TEXTURE(name, parameters, arguments, texel)                                    \
  template <class T_>                                                                         \
  CASSC_FN T_ name parameters CASSC_BODY(return cassc::TextureResult<T_>::make(texel);)        \
  template <class T_>                                                                         \
  CASSC_FN void name(T_* result, CASSC_UNPACK parameters) CASSC_BODY(*result = name<T_> arguments;)
#define CASSC_UNPACK(...) __VA_ARGS__
CASSC_TEXTURE(tex1Dfetch, (cudaTextureObject_t object, int x), (object, x), cassc::texture_fetch(object, x))
CASSC_TEXTURE(tex1D, (cudaTextureObject_t object, float x), (object, x), cassc::texture_sample(object, 1, x, 0, 0, 0, 0))
CASSC_TEXTURE(tex2D, (cudaTextureObject_t object, float x, float y), (object, x, y),
              cassc::texture_sample(object, 2, x, y, 0, 0, 0))
CASSC_TEXTURE(tex3D, (cudaTextureObject_t object, float x, float y, float z), (object, x, y, z),
              cassc::texture_sample(object, 3, x, y, z, 0, 0))
CASSC_TEXTURE(tex1DLayered, (cudaTextureObject_t object, float x, int layer), (object, x, layer),
              cassc::texture_sample(object, 1, x, 0, 0, layer, 0))
CASSC_TEXTURE(tex2DLayered, (cudaTextureObject_t object, float x, float y, int layer), (object, x, y, layer),
              cassc::texture_sample(object, 2, x, y, 0, layer, 0))
CASSC_TEXTURE(tex1DLod, (cudaTextureObject_t object, float x, float level), (object, x, level),
              cassc::texture_sample(object, 1, x, 0, 0, 0, level))
CASSC_TEXTURE(tex2DLod, (cudaTextureObject_t object, float x, float y, float level), (object, x, y, level),
              cassc::texture_sample(object, 2, x, y, 0, 0, level))
CASSC_TEXTURE(tex3DLod, (cudaTextureObject_t object, float x, float y, float z, float level), (object, x, y, z, level),
              cassc::texture_sample(object, 3, x, y, z, 0, level))
#undef CASSC_TEXTURE
#undef CASSC_UNPACK

#define CASSC_SURFACE(name, parameters, x, y, z)                                                                     \
  template <class T_>                                                                                                 \
  CASSC_FN T_ name##read(cudaSurfaceObject_t object, CASSC_UNPACK parameters,                                         \
                        cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) CASSC_BODY(                             \
      return cassc::surface_read<T_>(object, x, y, z, mode);)                                                         \
  template <class T_>                                                                                                 \
  CASSC_FN void name##read(T_* result, cudaSurfaceObject_t object, CASSC_UNPACK parameters,                           \
                           cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) CASSC_BODY(                          \
      *result = cassc::surface_read<T_>(object, x, y, z, mode);)                                                      \
  template <class T_>                                                                                                 \
  CASSC_FN void name##write(T_ value, cudaSurfaceObject_t object, CASSC_UNPACK parameters,                            \
                            cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) CASSC_BODY(                         \
      cassc::surface_write(value, object, x, y, z, mode);)
#define CASSC_UNPACK(...) __VA_ARGS__
CASSC_SURFACE(surf1D, (int x), x, 0, 0)
CASSC_SURFACE(surf2D, (int x, int y), x, y, 0)
CASSC_SURFACE(surf3D, (int x, int y, int z), x, y, z)
CASSC_SURFACE(surf1DLayered, (int x, int layer), x, 0, layer)
CASSC_SURFACE(surf2DLayered, (int x, int y, int layer), x, y, layer)
#undef CASSC_SURFACE
#undef CASSC_UNPACK
#endif
