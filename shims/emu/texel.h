// Data formats of buffers and images: bits in memory to components and back. Internal linkage.
#pragma once
#include "number.h"

namespace cassc::emu::CASSC_EMU_VARIANT {
namespace {

enum class Numeric : u8 { none, unorm, snorm, uscaled, sscaled, uint, sint, real };

// Components from the least significant bit on; all lie within one dword each.
struct TexelFormat {
  Numeric numeric = Numeric::none;
  u8 bits[4] = {};
  u32 count() const { return bits[3] ? 4 : bits[2] ? 3 : bits[1] ? 2 : 1; }
  u32 bytes() const { return (bits[0] + bits[1] + bits[2] + bits[3]) / 8u; }
  bool integer() const { return numeric == Numeric::uint || numeric == Numeric::sint; }
};

// The unified format numbers of gfx11 and gfx12 (1..63), which buffers and images share; those of LLVM's BUF_FMT_ names.
TexelFormat texel_format(u32 number) {
  using N = Numeric;
  struct Run { u8 first; u8 bits[4]; N kinds[7]; };
  constexpr N o = N::none;
  static constexpr Run kRuns[] = {
      {1, {8}, {N::unorm, N::snorm, N::uscaled, N::sscaled, N::uint, N::sint, o}},
      {7, {16}, {N::unorm, N::snorm, N::uscaled, N::sscaled, N::uint, N::sint, N::real}},
      {14, {8, 8}, {N::unorm, N::snorm, N::uscaled, N::sscaled, N::uint, N::sint, o}},
      {20, {32}, {N::uint, N::sint, N::real, o, o, o, o}},
      {23, {16, 16}, {N::unorm, N::snorm, N::uscaled, N::sscaled, N::uint, N::sint, N::real}},
      {30, {11, 11, 10}, {N::real, o, o, o, o, o, o}},
      {31, {10, 11, 11}, {N::real, o, o, o, o, o, o}},
      {32, {2, 10, 10, 10}, {N::unorm, N::snorm, N::uint, N::sint, o, o, o}},
      {36, {10, 10, 10, 2}, {N::unorm, N::snorm, N::uscaled, N::sscaled, N::uint, N::sint, o}},
      {42, {8, 8, 8, 8}, {N::unorm, N::snorm, N::uscaled, N::sscaled, N::uint, N::sint, o}},
      {48, {32, 32}, {N::uint, N::sint, N::real, o, o, o, o}},
      {51, {16, 16, 16, 16}, {N::unorm, N::snorm, N::uscaled, N::sscaled, N::uint, N::sint, N::real}},
      {58, {32, 32, 32}, {N::uint, N::sint, N::real, o, o, o, o}},
      {61, {32, 32, 32, 32}, {N::uint, N::sint, N::real, o, o, o, o}},
  };
  TexelFormat f;
  for (const Run& run : kRuns) {
    if (number < run.first || number >= u32(run.first) + 7) continue;
    const N kind = run.kinds[number - run.first];
    if (kind == o) continue;
    f.numeric = kind;
    for (int i = 0; i < 4; ++i) f.bits[i] = run.bits[i];
  }
  return f;
}

// Floats of 11 and 10 bits: no sign, five bits of exponent.
float small_float(u32 v, u32 bits) { return f16_to_f32(v << (15 - bits)); }
u32 to_small_float(float x, u32 bits) {
  if (is_nan(x)) return (1u << bits) - 1;
  if (sign(x)) return 0;
  // Toward zero, as for all conversions to these formats; infinity stays.
  return f32_to_f16(x, kZeroward) >> (15 - bits);
}

// One component as a register sees it: the bits of a float, or an integer of 32 bits.
u32 unpack(Numeric numeric, u32 raw, u32 bits) {
  const i32 value = bits == 32 ? i32(raw) : i32(raw << (32 - bits)) >> (32 - bits);
  switch (numeric) {
    case Numeric::unorm: return emu::bits(float(double(raw) / ((u64(1) << bits) - 1)));
    case Numeric::snorm: {
      const float x = float(double(value) / ((u64(1) << (bits - 1)) - 1));
      return emu::bits(x < -1.0f ? -1.0f : x);
    }
    case Numeric::uscaled: return emu::bits(float(raw));
    case Numeric::sscaled: return emu::bits(float(value));
    case Numeric::sint: return u32(value);
    case Numeric::real: return bits == 32 ? raw : bits == 16 ? emu::bits(f16_to_f32(raw)) : emu::bits(small_float(raw, bits));
    default: return raw;
  }
}

// Values outside a format's range become its nearest; NaN becomes zero.
u32 pack_component(Numeric numeric, u32 value, u32 bits) {
  const u64 top = (u64(1) << bits) - 1, half = top >> 1;
  const double x = is_nan(f32_of(value)) ? 0.0 : double(f32_of(value));
  const auto nearest = [](double v, double low, double high) { return i64(__builtin_nearbyint(v < low ? low : v > high ? high : v)); };
  switch (numeric) {
    case Numeric::unorm: return u32(nearest(x * double(top), 0, double(top)));
    case Numeric::snorm: return u32(u64(nearest(x * double(half), -double(half), double(half))) & top);
    case Numeric::uscaled: return u32(nearest(__builtin_trunc(x), 0, double(top)));
    case Numeric::sscaled: return u32(u64(nearest(__builtin_trunc(x), -double(half) - 1, double(half))) & top);
    case Numeric::uint: return value > top ? u32(top) : value;
    case Numeric::sint: {
      const i64 v = i32(value), low = -i64(half) - 1;
      return u32(u64(v < low ? low : v > i64(half) ? i64(half) : v) & top);
    }
    case Numeric::real:
      return bits == 32 ? value : bits == 16 ? f32_to_f16_nearest(f32_of(value)) : to_small_float(f32_of(value), bits);
    default: return 0;
  }
}

// Four components of the texel at a host address. What the format lacks is 0, and 1 in the last.
void read_texel(const TexelFormat& f, u64 at, u32* out) {
  u32 words[4] = {};
  __builtin_memcpy(words, reinterpret_cast<const void*>(at), f.bytes());
  out[0] = out[1] = out[2] = 0;
  out[3] = f.integer() ? 1 : 0x3f800000u;
  u32 place = 0;
  for (u32 i = 0; i < f.count(); ++i) {
    const u32 n = f.bits[i], raw = n == 32 ? words[place / 32] : words[place / 32] >> (place & 31) & ((1u << n) - 1);
    out[i] = unpack(f.numeric, raw, n);
    place += n;
  }
}

void write_texel(const TexelFormat& f, u64 at, const u32* in) {
  u32 words[4] = {}, place = 0;
  for (u32 i = 0; i < f.count(); ++i) {
    words[place / 32] |= pack_component(f.numeric, in[i], f.bits[i]) << (place & 31);
    place += f.bits[i];
  }
  __builtin_memcpy(reinterpret_cast<void*>(at), words, f.bytes());
}

// DST_SEL of a descriptor: three bits for each component.
u32 selected(u32 select, const u32* texel, bool integer) {
  if (select >= 4) return texel[select - 4];
  return select == 1 ? (integer ? 1u : 0x3f800000u) : 0u;
}

// A component in half a register.
u32 narrowed(const TexelFormat& f, u32 value, u32 mode) { return f.integer() ? value & 0xffffu : f32_to_f16(f32_of(value), mode & 3); }
u32 widened(const TexelFormat& f, u32 half) {
  return f.integer() ? (f.numeric == Numeric::sint ? u32(i32(i16(half))) : half) : bits(f16_to_f32(half));
}

}  // namespace
}  // namespace cassc::emu::CASSC_EMU_VARIANT
