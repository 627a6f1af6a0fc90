// Floats of eight bits, as the Open Compute Project defines them: fp8 is E4M3, bf8 is E5M2.
#pragma once
#include "number.h"

namespace cassc::emu::CASSC_EMU_VARIANT {
namespace {

CASSC_INLINE float bf8_to_f32(u32 v) { return f16_to_f32(v << 8); }
CASSC_INLINE float fp8_to_f32(u32 v) {
  const u32 magnitude = v & 0x7f;
  // The exponent of an f16 is worth eight less.
  const float x = f16_to_f32(magnitude << 7) * 256.0f;
  return f32_of(select(magnitude == 0x7f, 0x7fc00000u, bits(x)) | (v & 0x80) << 24);
}
// To nearest, ties to even. What is too large becomes a NaN in fp8, which has no infinity, and an infinity in bf8.
CASSC_INLINE u32 f32_to_f8(float value, u32 mantissa, int bias, u32 most, u32 overflow) {
  const u32 b = bits(value), sign = b >> 24 & 0x80, magnitude = b & 0x7fffffff;
  if (magnitude > 0x7f800000) return sign | 0x7f;
  if (magnitude == 0x7f800000) return sign | overflow;
  const int least = 1 - bias, exponent = int(magnitude >> 23) - 127, at = exponent < least ? least : exponent;
  const double step = double(f64_of(u64(1023 + at - int(mantissa)) << 52));
  const double steps = __builtin_roundeven(double(f32_of(magnitude)) / step);  // exact: a power of two
  const u32 code = u32(steps) + (u32(at - least) << mantissa);  // the leading bit adds one to the exponent's field
  return sign | (code > most ? overflow : code);
}
CASSC_INLINE u32 f32_to_fp8(float x) { return f32_to_f8(x, 3, 7, 0x7e, 0x7f); }
CASSC_INLINE u32 f32_to_bf8(float x) { return f32_to_f8(x, 2, 15, 0x7b, 0x7c); }

}  // namespace
}  // namespace cassc::emu::CASSC_EMU_VARIANT
