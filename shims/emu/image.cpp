// Image instructions: descriptors, texels, samplers. Images are linear in memory and have one level, as the runtimes over
// this emulator make them; what else a descriptor may ask for is refused by name.
#include "image_fields.h"
#include "lane_memory.h"
#include "meaning.h"
#include "texel.h"
#include "vector.h"

namespace cassc::emu::CASSC_EMU_VARIANT {
namespace {

enum class Shape { line, plane, volume, cube, lines, planes };

// An image resource descriptor (RDNA3 ISA, "Image Resource Descriptor"; the fields are those that ROCr's runtime writes).
struct Image {
  u64 base = 0, slice = 0;      // bytes
  u32 pitch = 0;                // bytes
  u32 width = 1, height = 1, depth = 1, first_layer = 0, select = 0;
  Shape shape = Shape::line;
  TexelFormat format;
};

const Op* refuse(Wave& w, const Op* op, const char* why) { return raise(w, op, 5, 0, 0, false, 0, why); }

const char* describe(const u32* d, bool gfx12, Image& image) {
  const u32 type = d[3] >> 28, mode = d[3] >> 20 & 31;
  image.base = (u64(d[1] & 0xff) << 32 | d[0]) << 8;
  const u32 format = gfx12 ? d[1] >> 17 & 0xff : d[1] >> 20 & 0xff;
  const u32 first = gfx12 ? d[1] >> 25 & 31 : d[3] >> 12 & 15, last = gfx12 ? d[3] >> 15 & 31 : d[3] >> 16 & 15;
  image.format = texel_format(format);
  image.width = (d[1] >> 30 | (d[2] & (gfx12 ? 0x3fff : 0xfff)) << 2) + 1;
  image.height = (gfx12 ? d[2] >> 14 & 0xffff : d[2] >> 14 & 0x3fff) + 1;
  image.select = d[3] & 0xfff;
  if (image.format.numeric == Numeric::none) return "image format without a texel layout (sRGB, packed or compressed)";
  if (mode != 0) return "tiled image";
  if (last > first) return "image with several levels";
  switch (type) {
    case 8: image.shape = Shape::line; break;
    case 9: image.shape = Shape::plane; break;
    case 10: image.shape = Shape::volume; break;
    case 11: image.shape = Shape::cube; break;
    case 12: image.shape = Shape::lines; break;
    case 13: image.shape = Shape::planes; break;
    case 14: case 15: return "multisampled image";
    default: return "descriptor that is not of an image";
  }
  const u32 depth = d[4] & (gfx12 ? 0x3fff : 0x1fff), bytes = image.format.bytes();
  // Rows are at multiples of 256 bytes; one- and two-dimensional images say the distance themselves.
  image.pitch = (image.width * bytes + 255) / 256 * 256;
  const bool layered = image.shape == Shape::lines || image.shape == Shape::planes || image.shape == Shape::cube;
  if (layered) {
    image.first_layer = d[4] >> 16 & 0x1fff;
    image.depth = depth < image.first_layer ? 0 : depth - image.first_layer + 1;
  } else if (image.shape == Shape::volume) {
    image.depth = depth + 1;
  } else if (const u32 pitch = d[4] & (gfx12 ? 0xffff : 0x3fff)) {
    image.pitch = (pitch + 1) * bytes;
  }
  if (image.shape == Shape::line || image.shape == Shape::lines) image.height = 1;
  image.slice = u64(image.pitch) * image.height;
  return nullptr;
}

u64 texel_at(const Image& m, u32 x, u32 y, u32 z) {
  return m.base + u64(m.first_layer + z) * m.slice + u64(y) * m.pitch + u64(x) * m.format.bytes();
}

// The address registers, wherever they are.
struct Addresses {
  const Wave& w;
  const Op* op;
  const ImageFields f;
  u32 at = 0, half = 0;  // next dword, next half of it
  Addresses(const Wave& wave, const Op* o) : w(wave), op(o), f(o->dpp) {}
  u32 dword(u32 i, u32 lane) const {
    const u32 first = op->src[0] / (4 * kLanes);
    u32 number = first + i;
    if (f.separate > 1 && i) number = i < f.separate ? op->imm >> (8 * (i - 1)) & 255 : (op->imm >> (8 * (f.separate - 2)) & 255) + i - (f.separate - 1);
    return registers(w, number * kLanes * 4)[lane];
  }
  u32 take(u32 lane) { return dword(at++, lane); }
  // Of the coordinates and what follows them, which may be 16 bits each.
  u32 integer(u32 lane, bool is_signed = false) {
    if (!f.short_addresses) return take(lane);
    const u32 v = dword(at, lane) >> (16 * half) & 0xffff;
    at += half;
    half ^= 1;
    return is_signed ? u32(i32(i16(v))) : v;
  }
  float real(u32 lane) { return f.short_addresses ? f16_to_f32(integer(lane)) : f32_of(take(lane)); }
};

void put(const Wave& w, const Op* op, u32 lane, u32 index, u32 value, const TexelFormat& format) {
  const ImageFields f(op->dpp);
  u32* d = registers_out(w, op->dst);
  if (!f.short_data) {
    d[index * kLanes + lane] = value;
    return;
  }
  u32& to = d[index / 2 * kLanes + lane];
  const u32 half = narrowed(format, value, w.context.f16_mode), shift = 16 * (index & 1);
  to = (to & ~(0xffffu << shift)) | half << shift;
}

// The status dword says that all texels were there.
void put_status(const Wave& w, const Op* op, u32 exec) {
  const ImageFields f(op->dpp);
  if (!f.status) return;
  u32* d = registers_out(w, op->dst) + f.data_dwords(op->memory->flags) * kLanes;
  for (u32 l = 0; l < kLanes; ++l) d[l] = exec >> l & 1 ? 0 : d[l];
}

bool reachable(Wave& w, const Op* op, const Lanes& p, u32 size, bool write) { return !global_faults(w, op, p, size, write, 1); }

const char* place_texels(Wave& w, const Op* op, Image& image, Lanes& p) {
  if (const char* why = describe(w.s + op->src[2], gfx12_code(w), image)) return why;
  p.live = 0;
  p.unit = false;
  const u32 exec = w.s[kExec];
  const ImageFields f(op->dpp);
  for (u32 l = 0; l < kLanes; ++l) {
    if (!(exec >> l & 1)) continue;
    Addresses a(w, op);
    u32 c[4] = {};
    for (u32 i = 0; i < f.coordinates(); ++i) c[i] = a.integer(l);
    const u32 level = op->memory->flags & kMip ? a.integer(l) : 0;
    u32 x = c[0], y = c[1], z = c[2];
    if (image.shape == Shape::line) y = z = 0;
    if (image.shape == Shape::lines) z = y, y = 0;
    if (image.shape == Shape::plane) z = 0;
    if (x >= image.width || y >= image.height || z >= image.depth || level) continue;
    p.live |= 1u << l;
    p.at[l] = texel_at(image, x, y, z);
  }
  return nullptr;
}

bool place_image(Wave& w, const Op* op, Lanes& p, u32 size, bool write) {
  Image image;
  const char* why = place_texels(w, op, image, p);
  if (!why && image.format.bytes() != size) why = "atomic on texels of another size";
  if (why) return refuse(w, op, why), false;
  return reachable(w, op, p, size, write);
}

const Op* image_load(Wave& w, const Op* op) {
  if (op->memory->flags & kPacked) return refuse(w, op, "packed image access");
  Image image;
  Lanes p;
  if (const char* why = place_texels(w, op, image, p)) return refuse(w, op, why);
  const u32 size = image.format.bytes(), exec = w.s[kExec];
  if (!reachable(w, op, p, size, false)) return kFault;
  if constexpr (kObserved) observe_access(w, op, p.at, p.live, size, Access::read, 0);
  const ImageFields f(op->dpp);
  for (u32 l = 0; l < kLanes; ++l) {
    if (!(exec >> l & 1)) continue;
    u32 texel[4] = {}, index = 0;
    const bool inside = p.live >> l & 1;
    if (inside) read_texel(image.format, p.at[l], texel);
    for (u32 i = 0; i < 4; ++i) {
      if (!((f.dmask ? f.dmask : 1) >> i & 1)) continue;
      put(w, op, l, index++, inside ? selected(image.select >> (3 * i) & 7, texel, image.format.integer()) : 0, image.format);
    }
  }
  put_status(w, op, exec);
  return next(op);
}

const Op* image_store(Wave& w, const Op* op) {
  if (op->memory->flags & kPacked) return refuse(w, op, "packed image access");
  Image image;
  Lanes p;
  if (const char* why = place_texels(w, op, image, p)) return refuse(w, op, why);
  const u32 size = image.format.bytes();
  if (!reachable(w, op, p, size, true)) return kFault;
  const ImageFields f(op->dpp);
  const u32* data = registers(w, op->src[1]);
  if constexpr (kObserved) observe_access(w, op, p.at, p.live, size, Access::write, ~0u);
  for (u32 l = 0; l < kLanes; ++l) {
    if (!(p.live >> l & 1)) continue;
    u32 given[4] = {}, texel[4] = {}, index = 0;
    for (u32 i = 0; i < 4; ++i) {
      if (!((f.dmask ? f.dmask : 1) >> i & 1)) continue;
      given[i] = f.short_data ? widened(image.format, data[index / 2 * kLanes + l] >> (16 * (index & 1)) & 0xffff) : data[index * kLanes + l];
      ++index;
    }
    // A component that the descriptor's selection shows in several places is taken from the first.
    for (u32 c = 0; c < 4; ++c) {
      for (u32 i = 4; i-- > 0;) {
        if ((image.select >> (3 * i) & 7) == 4 + c) texel[c] = given[i];
      }
    }
    write_texel(image.format, p.at[l], texel);
  }
  return next(op);
}

const Op* image_resinfo(Wave& w, const Op* op) {
  Image m;
  if (const char* why = describe(w.s + op->src[2], gfx12_code(w), m)) return refuse(w, op, why);
  const ImageFields f(op->dpp);
  const bool lines = m.shape == Shape::lines;
  const u32 layers = m.shape == Shape::cube ? m.depth / 6 : m.depth;
  const u32 values[4] = {m.width, m.shape == Shape::line ? 1 : lines ? layers : m.height, m.shape == Shape::line || m.shape == Shape::plane || lines ? 1 : layers, 1};
  for (u32 l = 0; l < kLanes; ++l) {
    if (!(w.s[kExec] >> l & 1)) continue;
    Addresses a(w, op);
    const bool level = a.integer(l) == 0;
    TexelFormat integers;
    integers.numeric = Numeric::uint;
    u32 index = 0;
    for (u32 i = 0; i < 4; ++i) {
      if ((f.dmask ? f.dmask : 1) >> i & 1) put(w, op, l, index++, level || i == 3 ? values[i] : 0, integers);
    }
  }
  put_status(w, op, w.s[kExec]);
  return next(op);
}

// --- samplers

enum Wrap : u32 { kWrap, kMirror, kClampLast, kMirrorOnceLast, kClampHalfBorder, kMirrorOnceHalfBorder, kClampBorder, kMirrorOnceBorder };

struct Sampler {
  u32 wrap[3], compare, border, mode;
  bool unnormalized, linear, linear_z;
};

// One axis: the texels on both sides and the weight of the second. -1: the border.
struct Taps {
  i32 at[2];
  float weight;
};

i32 wrapped(i64 i, i64 n, u32 mode) {
  switch (mode) {
    case kWrap: return i32((i % n + n) % n);
    case kMirror: i = (i % (2 * n) + 2 * n) % (2 * n); return i32(i < n ? i : 2 * n - 1 - i);
    case kMirrorOnceLast: i = i < 0 ? -1 - i : i; return i32(i < n ? i : n - 1);
    case kMirrorOnceHalfBorder: case kMirrorOnceBorder: i = i < 0 ? -1 - i : i; return i < n ? i32(i) : -1;
    case kClampHalfBorder: case kClampBorder: return i >= 0 && i < n ? i32(i) : -1;
    default: return i32(i < 0 ? 0 : i < n ? i : n - 1);
  }
}

// A position in texels as the hardware has it, with eight bits behind the point. Rounded: AMD's device library, for the nearest
// texel, passes on the edge of that texel as a quotient that may be a bit too small.
double fixed(double u) { return __builtin_floor(u * 256 + 0.5) / 256; }

Taps taps_of(float coordinate, u32 size, u32 mode, bool normalized, bool linear, i32 offset) {
  double u = is_nan(coordinate) ? 0.0 : double(coordinate);
  const double n = double(size);
  if (normalized) {
    if (mode == kWrap) u -= __builtin_floor(u);
    else if (mode == kMirror) u -= 2 * __builtin_floor(u / 2);
    u = double(float(u * n));
  }
  u = u < -1e9 ? -1e9 : u > 1e9 ? 1e9 : u;
  if (mode == kClampHalfBorder) u = u < 0 ? 0 : u > n ? n : u;
  if (mode == kMirrorOnceHalfBorder) u = u < -n ? -n : u > n ? n : u;
  u += offset;
  Taps t;
  if (linear) {
    u = fixed(u - 0.5);
    const double low = __builtin_floor(u);
    t.weight = float(u - low);
    t.at[0] = wrapped(i64(low), size, mode);
    t.at[1] = wrapped(i64(low) + 1, size, mode);
  } else {
    t.weight = 0;
    t.at[0] = t.at[1] = wrapped(i64(__builtin_floor(fixed(u))), size, mode);
  }
  return t;
}

// A texel beyond the edge of a cube's face, on the neighbour that it lies over.
void over_edge(i32 n, i32& x, i32& y, u32& face) {
  if (x >= 0 && x < n && y >= 0 && y < n) return;
  const float s = 2 * (float(x) + 0.5f) / float(n) - 1, t = 2 * (float(y) + 0.5f) / float(n) - 1;
  float v[3];
  switch (face) {
    case 0: v[0] = 1, v[1] = -t, v[2] = -s; break;
    case 1: v[0] = -1, v[1] = -t, v[2] = s; break;
    case 2: v[0] = s, v[1] = 1, v[2] = t; break;
    case 3: v[0] = s, v[1] = -1, v[2] = -t; break;
    case 4: v[0] = s, v[1] = -t, v[2] = 1; break;
    default: v[0] = -s, v[1] = -t, v[2] = -1; break;
  }
  const float major = cube(v[0], v[1], v[2], 3);
  face = u32(cube(v[0], v[1], v[2], 0));
  const auto place = [&](float c) { return i32(wrapped(i64(__builtin_floorf((c / abs_of(major) + 0.5f) * float(n))), n, kClampLast)); };
  x = place(cube(v[0], v[1], v[2], 1));
  y = place(cube(v[0], v[1], v[2], 2));
}

bool compares(u32 function, float reference, float value) {
  switch (function) {
    case 0: return false;
    case 1: return reference < value;
    case 2: return reference == value;
    case 3: return reference <= value;
    case 4: return reference > value;
    case 5: return reference != value;
    case 6: return reference >= value;
    default: return true;
  }
}

// Everything that one lane's sample needs, and the texels that it reads.
class LaneSample {
 public:
  LaneSample(Wave& w, const Op* op, const Image& m, const Sampler& s, u32 lane) : w_(w), op_(op), m_(m), s_(s), lane_(lane), flags_(op->memory->flags) {}

  void run() {
    const ImageFields f(op_->dpp);
    Addresses a(w_, op_);
    i32 offset[3] = {};
    if (flags_ & kOffset) {
      const u32 packed = a.take(lane_);
      for (int i = 0; i < 3; ++i) offset[i] = i32(packed << (26 - 8 * i)) >> 26;
    }
    if (flags_ & kBias) ++a.at;  // only moves between levels, of which there is one
    if (flags_ & kCompare) reference_ = f32_of(a.take(lane_));
    a.at += f.gradient_dwords(flags_);
    float c[3] = {};
    for (u32 i = 0; i < f.coordinates() && i < 3; ++i) c[i] = a.real(lane_);
    const bool normalized = !s_.unnormalized, gather = flags_ & kGather, linear = s_.linear || gather;
    u32 layer = 0;
    const auto layer_of = [&](float v) {
      const float r = is_nan(v) ? 0 : __builtin_roundevenf(v);
      return r < 0 ? 0u : r > float(m_.depth - 1) ? m_.depth - 1 : u32(r);
    };
    if (m_.shape == Shape::cube) {
      const float r = is_nan(c[2]) || c[2] < 0 ? 0 : __builtin_roundevenf(c[2]);
      const u32 both = r > 65535 ? 65535 : u32(r);
      face_ = both % 8 < 6 ? both % 8 : 5;
      layer = both / 8 * 6;
      if (layer + 6 > m_.depth) layer = m_.depth < 6 ? 0 : m_.depth - 6;
      c[0] -= 1.0f;
      c[1] -= 1.0f;
    } else if (m_.shape == Shape::lines) {
      layer = layer_of(c[1]);
    } else if (m_.shape == Shape::planes) {
      layer = layer_of(c[2]);
    }
    const bool flat = m_.shape == Shape::line || m_.shape == Shape::lines;
    const u32 edge = m_.shape == Shape::cube ? u32(kFree) : 0;
    x_ = axis(c[0], m_.width, edge ? edge : s_.wrap[0], normalized, linear, offset[0]);
    y_ = flat ? Taps{{0, 0}, 0} : axis(c[1], m_.height, edge ? edge : s_.wrap[1], normalized, linear, offset[1]);
    z_ = m_.shape == Shape::volume ? axis(c[2], m_.depth, s_.wrap[2], normalized, s_.linear_z && !gather, offset[2])
                                   : Taps{{i32(layer), i32(layer)}, 0};
    if (gather) return gathered(f);
    filtered(f);
  }

  bool failed() const { return failed_; }

 private:
  static constexpr u32 kFree = 8;  // no wrapping: cubes go over their edges
  Wave& w_;
  const Op* op_;
  const Image& m_;
  const Sampler& s_;
  const u32 lane_, flags_;
  float reference_ = 0;
  u32 face_ = 0;
  Taps x_{}, y_{}, z_{};
  bool failed_ = false;

  Taps axis(float c, u32 size, u32 mode, bool normalized, bool linear, i32 offset) const {
    if (mode != kFree) return taps_of(c, size, mode, normalized, linear, offset);
    const double u = double(float((is_nan(c) ? 0.0f : c < 0.0f ? 0.0f : c > 1.0f ? 1.0f : c) * float(size)));
    if (!linear) {
      const i32 at = i32(wrapped(i64(__builtin_floor(fixed(u))), size, kClampLast));
      return {{at, at}, 0};
    }
    const double v = fixed(u - 0.5), low = __builtin_floor(v);
    return {{i32(low), i32(low) + 1}, float(v - low)};
  }

  void border(u32* texel) const {
    const u32 one = m_.format.integer() ? 1u : 0x3f800000u;
    texel[0] = texel[1] = texel[2] = s_.border == 2 ? one : 0;
    texel[3] = s_.border == 0 ? 0 : one;
  }

  void fetch(i32 x, i32 y, i32 z, u32* texel) {
    u32 raw[4];
    if (m_.shape == Shape::cube) {
      u32 face = face_;
      over_edge(i32(m_.width), x, y, face);
      z += i32(face);
    }
    if (x < 0 || y < 0 || z < 0) {
      border(raw);
    } else {
      Lanes p;
      p.live = 1u << lane_;
      p.at[lane_] = texel_at(m_, u32(x), u32(y), u32(z));
      const u32 size = m_.format.bytes();
      if (!reachable(w_, op_, p, size, false)) {
        failed_ = true;
        return;
      }
      if constexpr (kObserved) observe_access(w_, op_, p.at, p.live, size, Access::read, 0);
      read_texel(m_.format, p.at[lane_], raw);
    }
    for (u32 i = 0; i < 4; ++i) texel[i] = selected(m_.select >> (3 * i) & 7, raw, m_.format.integer());
    if (flags_ & kCompare) texel[0] = compares(s_.compare, reference_, f32_of(texel[0])) ? 0x3f800000u : 0;
  }

  void filtered(const ImageFields& f) {
    const i32 nx = x_.weight != 0 ? 2 : 1, ny = y_.weight != 0 ? 2 : 1, nz = z_.weight != 0 ? 2 : 1;
    u32 result[4] = {};
    float sum[4] = {};
    for (i32 k = 0; k < nz && !failed_; ++k) {
      for (i32 j = 0; j < ny && !failed_; ++j) {
        for (i32 i = 0; i < nx && !failed_; ++i) {
          u32 texel[4] = {};
          fetch(x_.at[i], y_.at[j], z_.at[k], texel);
          const float weight = (i ? x_.weight : 1 - x_.weight) * (j ? y_.weight : 1 - y_.weight) * (k ? z_.weight : 1 - z_.weight);
          const bool first = !i && !j && !k;
          for (u32 c = 0; c < 4; ++c) {
            const float v = f32_of(texel[c]);
            if (m_.format.integer() || nx * ny * nz == 1) result[c] = first ? texel[c] : result[c];
            else if (s_.mode == 0) sum[c] += weight * v;
            else if (first || (s_.mode == 1 ? v < sum[c] : v > sum[c])) sum[c] = v;
          }
        }
      }
    }
    if (!m_.format.integer() && nx * ny * nz > 1) {
      for (u32 c = 0; c < 4; ++c) result[c] = bits(sum[c]);
    }
    u32 index = 0;
    for (u32 c = 0; c < 4; ++c) {
      if ((f.dmask ? f.dmask : 1) >> c & 1) put(w_, op_, lane_, index++, result[c], m_.format);
    }
  }

  // One component of the four texels, counter-clockwise from the lower left.
  void gathered(const ImageFields& f) {
    const u32 component = f.dmask ? u32(__builtin_ctz(f.dmask)) : 0;
    static constexpr int kOrder[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    for (u32 i = 0; i < 4 && !failed_; ++i) {
      u32 texel[4] = {};
      fetch(x_.at[kOrder[i][0]], y_.at[kOrder[i][1]], z_.at[0], texel);
      put(w_, op_, lane_, i, texel[component], m_.format);
    }
  }
};

const Op* image_sample(Wave& w, const Op* op) {
  Image m;
  if (const char* why = describe(w.s + op->src[2], gfx12_code(w), m)) return refuse(w, op, why);
  const u32* d = w.s + op->carry_in;
  const u32 near = d[2] >> 20 & 3, far = d[2] >> 22 & 3, z = d[2] >> 24 & 3, flags = op->memory->flags;
  if (d[0] >> 9 & 7 && near > 1) return refuse(w, op, "anisotropic filter");
  if (d[3] >> 30 == 3) return refuse(w, op, "border colour from a table");
  if ((near & 1) != (far & 1) && !(flags & (kLevelZero | kGather))) return refuse(w, op, "filters that differ between magnification and minification");
  if (m.shape == Shape::cube && m.width != m.height) return refuse(w, op, "cube whose faces are not square");
  Sampler s;
  s.unnormalized = (d[0] >> 15 & 1) || ImageFields(op->dpp).unnormalized;
  for (int i = 0; i < 3; ++i) {
    s.wrap[i] = d[0] >> (3 * i) & 7;
    // Unnormalized coordinates cannot wrap.
    if (s.unnormalized && s.wrap[i] < kClampLast) s.wrap[i] = kClampLast;
  }
  s.compare = d[0] >> 12 & 7;
  s.mode = d[0] >> 29 & 3;
  s.linear = near & 1;
  s.linear_z = z == 2 || (z == 0 && s.linear);
  s.border = d[3] >> 30;
  if (s.mode == 3) return refuse(w, op, "unknown filter mode");
  for (u32 l = 0; l < kLanes; ++l) {
    if (!(w.s[kExec] >> l & 1)) continue;
    LaneSample sample(w, op, m, s, l);
    sample.run();
    if (sample.failed()) return kFault;
  }
  put_status(w, op, w.s[kExec]);
  return next(op);
}

const Op* image_refused(Wave& w, const Op* op) { return refuse(w, op, op->name); }

template <class Narrow, class Wide>
const Op* image_atomic(Wave& w, const Op* op) {
  // The data mask has a bit for each dword of data: twice as many where a comparand follows.
  const u32 dwords = ImageFields(op->dpp).components();
  return dwords == 2 * Narrow::operands ? atomic_at<Wide, place_image>(w, op) : atomic_at<Narrow, place_image>(w, op);
}

template <class Row>
const Op* image_atomic32(Wave& w, const Op* op) {
  if (ImageFields(op->dpp).components() != 1) return refuse(w, op, "atomic of 32 bits on more than one component");
  return atomic_at<Row, place_image>(w, op);
}

#define ATOMIC(n, suffix, type, count, ...)                                                                              \
  struct suffix##_atomic { using T = type; static constexpr int operands = count;                                        \
    CASSC_INLINE void eval(T& r, [[maybe_unused]] T old, T a, [[maybe_unused]] T b) { __VA_ARGS__; } };
#include "isa/atomic.def"
#undef ATOMIC
struct pk_add_f16_atomic {
  using T = u32;
  static constexpr int operands = 1;
  CASSC_INLINE void eval(T& r, T old, T a, T) { r = pack_f16(add16(flo(old), flo(a)), add16(fhi(old), fhi(a)), 0); }
};
struct pk_add_bf16_atomic {
  using T = u32;
  static constexpr int operands = 1;
  CASSC_INLINE void eval(T& r, T old, T a, T) { r = u32(f32_to_bf16(bf16_to_f32(lo(old)) + bf16_to_f32(lo(a)))) | u32(f32_to_bf16(bf16_to_f32(hi(old)) + bf16_to_f32(hi(a)))) << 16; }
};

}  // namespace

void enter_image(Tables& t) {
  constexpr u32 load = LD, store = ST, resinfo = LD, sample = u32(LD) | kSampler, gather = u32(LD) | kSampler | kGather, refused = kRefused;
  const Handler handlers[] = {&image_load, &image_store, &image_resinfo, &image_sample, &image_sample, &image_refused};
  enum { at_load, at_store, at_resinfo, at_sample, at_gather, at_refused };
#define IMAGE(n, suffix, what, flags) t.image[n] = {"image_" #suffix, handlers[at_##what], 0, 0, 0, u32(what) | u32(flags)};
#define IMAGE_ATOMIC(n, suffix, narrow, wide) t.image[n] = {"image_atomic_" #suffix, &image_atomic<narrow##_atomic, wide##_atomic>, 0, narrow##_atomic::operands, 0, AT};
#include "isa/image.def"
#undef IMAGE
#undef IMAGE_ATOMIC
}

void enter_image12(Tables& t) {
  t.image[0x83] = {"image_atomic_add_flt", &image_atomic32<add_f32_atomic>, 0, 1, 0, AT};
  t.image[0x84] = {"image_atomic_min_flt", &image_atomic32<min_f32_atomic>, 0, 1, 0, AT};
  t.image[0x85] = {"image_atomic_max_flt", &image_atomic32<max_f32_atomic>, 0, 1, 0, AT};
  t.image[0x86] = {"image_atomic_pk_add_f16", &image_atomic32<pk_add_f16_atomic>, 0, 1, 0, AT};
  t.image[0x87] = {"image_atomic_pk_add_bf16", &image_atomic32<pk_add_bf16_atomic>, 0, 1, 0, AT};
}

}  // namespace cassc::emu::CASSC_EMU_VARIANT
