// What a fetch from a texture gives, over the descriptors that cassc's runtime writes (cassc/sass/textures/descriptor.py): by the rules
// that recordings of an H200 show, which lifted code follows, too (cassc/sass/textures), so that the two agree bit for bit.
#ifndef CASSC_TEXTURE_SAMPLE_H
#define CASSC_TEXTURE_SAMPLE_H

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
  CASSC_FN bool is_signed() const { return (format >> 12 & 3) == 0; }
  CASSC_FN bool is_float() const { return (format >> 12 & 3) == 2; }
  CASSC_FN bool scaled() const { return (format >> 16 & 1) && !is_float(); }
  CASSC_FN bool srgb(unsigned k) const { return (format >> 17 & 1) && k < 3; }
  CASSC_FN unsigned mode(int axis) const { return sampling >> 2 * axis & 3; }
  CASSC_FN bool filters() const { return (sampling >> 8 & 1) && (is_float() || scaled()); }
  CASSC_FN bool between_levels() const { return sampling >> 9 & 1; }
  CASSC_FN bool normalized() const { return sampling >> 10 & 1; }
  CASSC_FN unsigned size(const TextureLevel& l, int axis) const { return axis == 0 ? l.width : axis == 1 ? l.height : l.depth; }
};
struct Texel {
  unsigned word[4];
};
// A texel index before the address mode; the weight of the next one, of 256.
struct TexturePosition {
  int first, weight;
};
// Where to read: coordinates along the axes, or a direction whose longest component is 1 or -1; a layer, or a cube.
struct TexturePlace {
  float x, y, z;
  int layer;
  bool cube;
};

CASSC_FN const Texture& texture(unsigned long long handle) {
  return *reinterpret_cast<const Texture*>(__cassc_textures[0] + (handle & 0xffffffffu) * 128);
}
CASSC_FN float texture_flush(float x) { return __builtin_fabsf(x) < 0x1p-126f ? __builtin_copysignf(0.0f, x) : x; }

// A normalized coordinate keeps 22 bits behind the point along axes whose size is a power of two, else 21.
CASSC_FN TexturePosition texture_position(const Texture& t, int axis, double x, unsigned size, bool normalized, bool linear) {
  const unsigned mode = t.mode(axis);
  if (normalized) {
    const double scale = size & (size - 1) ? 0x1p21 : 0x1p22;
    const double kept = __builtin_floor(x * scale) / scale;
    const double origin = mode == 0 ? __builtin_floor(kept) : mode == 2 ? 2 * __builtin_floor(kept / 2) : 0;
    x = (kept - origin) * size;
  }
  if (x != x) x = 0;
  x = __builtin_fmin(__builtin_fmax(x, -16.0), 2.0 * size + 16);
  if (!linear) return {static_cast<int>(__builtin_floor(x)), 0};
  if (mode == 1) x = __builtin_fmin(__builtin_fmax(x, 0.5), size - 0.5);
  const int fixed = static_cast<int>(__builtin_floor(__builtin_fma(x, 256.0, 0.5))) - 128;
  return {fixed >> 8, fixed & 255};
}
// The texel that an index stands for; false where the border's colour does.
CASSC_FN bool texture_index(unsigned mode, int index, int size, int& found) {
  const int wrapped = (index % size + size) % size, turn = (index % (2 * size) + 2 * size) % (2 * size);
  const int clamped = index < 0 ? 0 : index >= size ? size - 1 : index;
  found = mode == 0 ? wrapped : mode == 2 ? (turn < size ? turn : 2 * size - 1 - turn) : clamped;
  return mode != 3 || index == clamped;
}
// Channels as 32-bit words: integers extended, floats as float, zeros for what a texel does not have.
CASSC_FN Texel texture_load(const Texture& t, const TextureLevel& l, int x, int y, int z) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(
      l.address + static_cast<unsigned long long>(z) * l.slice + static_cast<unsigned long long>(y) * l.pitch +
      (static_cast<unsigned long long>(x) << t.texel_shift()));
  Texel texel{};
  for (unsigned k = 0; k < t.channels(); ++k) {
    if (t.channel_shift() == 0) {
      texel.word[k] = t.is_signed() ? static_cast<unsigned>(static_cast<int>(static_cast<signed char>(bytes[k]))) : bytes[k];
    } else if (t.channel_shift() == 1) {
      const unsigned short half = reinterpret_cast<const unsigned short*>(bytes)[k];
      texel.word[k] = t.is_float()    ? __builtin_bit_cast(unsigned, static_cast<float>(__builtin_bit_cast(_Float16, half)))
                      : t.is_signed() ? static_cast<unsigned>(static_cast<int>(static_cast<short>(half)))
                                      : half;
    } else {
      texel.word[k] = reinterpret_cast<const unsigned*>(bytes)[k];
    }
  }
  return texel;
}
CASSC_FN double texture_integer(const Texture& t, unsigned word) {
  return t.is_signed() ? static_cast<double>(static_cast<int>(word)) : static_cast<double>(word);
}
CASSC_FN float texture_curved(unsigned word) { return reinterpret_cast<const float*>(__cassc_textures[0])[word & 255]; }
// What a fetch of one texel returns: numbers in [0, 1] or [-1, 1] for integers that are read as floats.
CASSC_FN Texel texture_fetched(const Texture& t, Texel texel) {
  if (!t.scaled()) return texel;
  const bool bytes = t.channel_shift() == 0;
  const double scale = t.is_signed() ? (bytes ? 1.0 / 127 : 1.0 / 32767) : (bytes ? 1.0 / 255 : 1.0 / 65535);
  for (unsigned k = 0; k < 4; ++k) {
    const float share = static_cast<float>(__builtin_fmax(texture_integer(t, texel.word[k]) * scale, -1.0));
    texel.word[k] = __builtin_bit_cast(unsigned, t.srgb(k) ? texture_curved(texel.word[k]) : share);
  }
  return texel;
}
// What a filter weighs: integers that are read as floats as integers of 16 bits.
CASSC_FN double texture_summand(const Texture& t, unsigned word, unsigned k) {
  if (!t.scaled()) return texture_flush(__builtin_bit_cast(float, word));
  if (t.srgb(k)) return texture_curved(word);
  return texture_integer(t, word) * (t.channel_shift() != 0 ? 1.0 : t.is_signed() ? 32767.0 / 127 : 257.0);
}
// A number without its lowest bits, halves away from zero.
CASSC_FN double texture_dropped(double x, int bits) {
  const long long pattern = __builtin_bit_cast(long long, x) + (1ll << (bits - 1));
  return __builtin_bit_cast(double, pattern & -(1ll << bits));
}
// A sum of shares, rounded to what the format can hold.
CASSC_FN unsigned texture_weighed(const Texture& t, double total, unsigned k) {
  if (total != total) return 0x7fffffff;
  const float single = texture_flush(static_cast<float>(texture_dropped(total, 29)));
  float result = single;
  if (t.scaled() && !t.srgb(k)) {
    const double integer = __builtin_fmax(__builtin_floor(total + 0.5), -32767.0);
    result = static_cast<float>(integer * (t.is_signed() ? 1.0 / 32767 : 1.0 / 65535));
  } else if (!t.scaled() && t.channel_shift() == 1) {
    result = static_cast<float>(static_cast<_Float16>(texture_dropped(total, 42)));
  }
  return __builtin_bit_cast(unsigned, result);
}

// The texel a step away from a position along each axis.
CASSC_FN Texel texture_neighbour(const Texture& t, const TextureLevel& l, int axes, const TexturePosition* at, int step, int layer) {
  int found[3] = {0, 0, layer};
  bool inside = true;
  for (int axis = 0; axis < axes; ++axis)
    inside &= texture_index(t.mode(axis), at[axis].first + (step >> axis & 1), static_cast<int>(t.size(l, axis)), found[axis]);
  return inside ? texture_load(t, l, found[0], found[1], found[2])
                : Texel{{t.border[0], t.border[1], t.border[2], t.border[3]}};
}
// Shares of the neighbours, by the bits x, y and z of their steps, in a total of 256 or less: along x and z first, then along y, each
// product rounded half up, the rest by subtraction.
CASSC_FN void texture_weights(int total, int axes, const TexturePosition* at, int* shares) {
  const auto product = [](int p, int q) { return (p * q + 128) >> 8; };
  const int x = product(at[0].weight, total), y = axes > 1 ? at[1].weight : 0;
  int left[2] = {total - x, 0}, right[2] = {x, 0};
  if (axes > 2) {
    const int z = at[2].weight, both = product(x, z), near = product(x, 256 - z), far = product(z, total);
    left[1] = far - both, right[1] = both;
    left[0] = total - far - near, right[0] = near;
  }
  for (int plane = 0; plane < 2; ++plane) {
    const int upper = product(right[plane], y), lower = product(left[plane], 256 - y);
    shares[plane * 4 + 3] = upper, shares[plane * 4 + 1] = right[plane] - upper;
    shares[plane * 4 + 0] = lower, shares[plane * 4 + 2] = left[plane] - lower;
  }
}
// The face of a cube, and coordinates on it in [0, 1].
CASSC_FN int texture_face(TexturePlace p, double* found) {
  const float sizes[3] = {__builtin_fabsf(p.x), __builtin_fabsf(p.y), __builtin_fabsf(p.z)};
  const bool by_z = sizes[2] >= sizes[0] && sizes[2] >= sizes[1], by_y = !by_z && sizes[1] >= sizes[0];
  const bool below = (by_z ? p.z : by_y ? p.y : p.x) < 0;
  const float s = by_z ? (below ? -p.x : p.x) : by_y ? p.x : below ? p.z : -p.z;
  const float t = by_z ? -p.y : by_y ? (below ? -p.z : p.z) : -p.y;
  const float both[2] = {s, t};
  for (int axis = 0; axis < 2; ++axis) found[axis] = (__builtin_floor(both[axis] * 0x1p30) + 0x1p30) * 0x1p-31;
  return (by_z ? 4 : by_y ? 2 : 0) + below;
}
struct TexturePlane {
  double coordinates[3];
  int layer;
};
CASSC_FN TexturePlane texture_plane(const Texture& t, TexturePlace p) {
  p.x = texture_flush(p.x), p.y = texture_flush(p.y), p.z = texture_flush(p.z);
  const unsigned last = t.layers - 1, layer = static_cast<unsigned>(p.layer);
  TexturePlane plane{{p.x, p.y, p.z}, static_cast<int>(layer < last ? layer : last)};
  if (p.cube) {
    const unsigned face = static_cast<unsigned>(texture_face(p, plane.coordinates));
    // The last face belongs to the last cube.
    const unsigned first = (layer < 0xffff ? layer : 0xffff) * 6 >= last ? (last > 5 ? last - 5 : 0) : layer * 6;
    plane.layer = static_cast<int>(first + face < last ? first + face : last);
  }
  return plane;
}
// Adds to the sums what one level has at a place; the first texel as a fetch of it alone returns it.
static __device__ __attribute__((noinline)) Texel texture_level(const Texture& t, int axes, const TexturePlane& plane, bool normalized,
                                                                int number, int total, double* sums) {
  const TextureLevel& l = t.level[number];
  TexturePosition at[3];
  for (int axis = 0; axis < axes; ++axis)
    at[axis] = texture_position(t, axis, plane.coordinates[axis], t.size(l, axis), normalized, t.filters());
  const Texel first = texture_neighbour(t, l, axes, at, 0, plane.layer);
  int shares[8];
  texture_weights(total, axes, at, shares);
  double level[4] = {-0.0, -0.0, -0.0, -0.0};
  for (int place = 0; place < 8; ++place) {
    const int step = (place >> 2 & 1) | (place & 2) | (place & 1) << 2;  // x is the slowest
    if (step >> axes || shares[step] == 0) continue;
    const Texel texel = step ? texture_neighbour(t, l, axes, at, step, plane.layer) : first;
    for (unsigned k = 0; k < 4; ++k)
      level[k] = __builtin_fma(static_cast<double>(shares[step]), texture_summand(t, texel.word[k], k), level[k]);
  }
  for (unsigned k = 0; k < 4; ++k) sums[k] += level[k] * 0x1p-8;
  return texture_fetched(t, first);
}
CASSC_FN int texture_fixed(float x) {
  return x != x ? 0 : static_cast<int>(__builtin_fminf(__builtin_fmaxf(x, -0x1p20f), 0x1p20f) * 256.0f);
}
static __device__ __attribute__((noinline)) Texel texture_sample(unsigned long long handle, int axes, TexturePlace place, float lod) {
  const Texture& t = texture(handle);
  const int most = static_cast<int>(t.levels - 1) << 8, least = texture_fixed(t.least), greatest = texture_fixed(t.greatest);
  int found = texture_fixed(lod) + texture_fixed(t.bias);
  found = found > greatest ? greatest : found;
  found = found < least ? least : found;
  found = found < 0 ? 0 : found > most ? most : found;
  const int level = t.between_levels() ? found >> 8 : (found + 128) >> 8, share = t.between_levels() ? found & 255 : 0;
  const TexturePlane plane = texture_plane(t, place);
  const bool normalized = t.normalized() || place.cube;
  double sums[4] = {-0.0, -0.0, -0.0, -0.0};
  Texel texel = texture_level(t, axes, plane, normalized, level, 256 - share, sums);
  if (share) texture_level(t, axes, plane, normalized, level + 1, share, sums);
  if (t.filters() || share)
    for (unsigned k = 0; k < 4; ++k) texel.word[k] = texture_weighed(t, sums[k], k);
  return texel;
}
// One channel of the four texels that a linear filter would weigh, from the lower left one against the clock.
static __device__ __attribute__((noinline)) Texel texture_gather(unsigned long long handle, TexturePlace place, int component) {
  const Texture& t = texture(handle);
  const TexturePlane plane = texture_plane(t, place);
  TexturePosition at[2];
  for (int axis = 0; axis < 2; ++axis)
    at[axis] = texture_position(t, axis, plane.coordinates[axis], t.size(t.level[0], axis), t.normalized() || place.cube, true);
  Texel result;
  const int steps[4] = {2, 3, 1, 0};
  for (int k = 0; k < 4; ++k)
    result.word[k] = texture_fetched(t, texture_neighbour(t, t.level[0], 2, at, steps[k], plane.layer)).word[component & 3];
  return result;
}
static __device__ __attribute__((noinline)) Texel texture_fetch(unsigned long long handle, int x) {
  const Texture& t = texture(handle);
  const TextureLevel& l = t.level[0];
  return texture_fetched(t, x < 0 || x >= static_cast<int>(l.width) ? Texel{} : texture_load(t, l, x, 0, 0));
}
// The level of detail of steps along x and y of the screen: the logarithm of the longer one, in texels.
CASSC_FN float texture_detail(unsigned long long handle, int axes, const float* along_x, const float* along_y) {
  const TextureLevel& l = texture(handle).level[0];
  float squares[2] = {0, 0};
  for (int axis = 0; axis < axes; ++axis) {
    const float size = static_cast<float>(texture(handle).size(l, axis));
    const float steps[2] = {along_x[axis] * size, along_y[axis] * size};
    for (int k = 0; k < 2; ++k) squares[k] = __builtin_fmaf(steps[k], steps[k], squares[k]);
  }
  return 0.5f * log2f(__builtin_fmaxf(squares[0], squares[1]));
}
// A direction so that its longest component is 1 or -1.
CASSC_FN TexturePlace texture_direction(float x, float y, float z, int cube) {
  const float longest = __builtin_fmaxf(__builtin_fmaxf(__builtin_fabsf(x), __builtin_fabsf(y)), __builtin_fabsf(z));
  const float scale = 1 / longest;
  return {x * scale, y * scale, z * scale, cube, true};
}
}  // namespace cassc
#endif
#endif
