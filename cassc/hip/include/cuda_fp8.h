// 8-bit floating point (CUDA Math API, "FP8 Intrinsics"): E4M3 and E5M2, converted by integer arithmetic on both sides, since
// RDNA3 has no instruction for it. E8M0 is not there.
#ifndef CASSC_CUDA_FP8_H
#define CASSC_CUDA_FP8_H
#define __CUDA_FP8_H__  // by which programs know that the header is there
#define __CUDA_FP8_TYPES_EXIST__ 1
#include "cuda_bf16.h"
#include "cuda_fp16.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

namespace cassc {
// To the nearest, ties to even. E4M3 has no infinity: what is beyond 448 is NaN there, unless it is saturated.
CASSC_HD unsigned char fp8_bits(double value, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
  const bool e4m3 = kind == __NV_E4M3;
  const uint64_t bits = bits_of<uint64_t>(value);
  const unsigned char sign = static_cast<unsigned char>(bits >> 63 << 7);
  const unsigned char largest = e4m3 ? 0x7e : 0x7b, beyond = e4m3 ? 0x7f : 0x7c;
  if (value != value) return sign | static_cast<unsigned char>(e4m3 ? 0x7f : 0x7e | (bits >> 50 & 3));
  if (bits << 1 == 0) return sign;
  const uint64_t result = __builtin_isinf(value) ? ~0ull
                          : e4m3                 ? round_magnitude<3, 4>(value, Round::nearest)
                                                 : round_magnitude<2, 5>(value, Round::nearest);
  if (result <= largest) return sign | static_cast<unsigned char>(result);
  return sign | (saturate == __NV_SATFINITE ? largest : beyond);
}
// Of narrower types a NaN loses its sign and payload.
CASSC_HD unsigned char fp8_bits_of_float(float value, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
  return value != value ? 0x7f : fp8_bits(value, saturate, kind);
}
CASSC_HD unsigned short fp8_to_half_bits(unsigned char x, __nv_fp8_interpretation_t kind) {
  const unsigned magnitude = x & 0x7f;
  if (kind == __NV_E4M3 ? magnitude == 0x7f : magnitude > 0x7c) return 0x7fff;
  if (kind == __NV_E5M2) return static_cast<unsigned short>(x << 8);
  // As a half's bits the value is 2^8 times too small.
  const float value = static_cast<float>(bits_of<_Float16>(static_cast<unsigned short>(magnitude << 7))) * 256.0f;
  return static_cast<unsigned short>((x & 0x80) << 8) | half_bits(value);
}
CASSC_HD float fp8_to_float(unsigned char x, __nv_fp8_interpretation_t kind) {
  const float value = bits_of<_Float16>(fp8_to_half_bits(x, kind));
  return value != value ? bits_of<float>(0x7fffffffu) : value;
}
// Towards zero, within the type's range. NaN is 0, and 2^63 in 64 bits.
template <class Integer>
CASSC_HD Integer saturated_integer(float value) {
  constexpr bool is_signed = static_cast<Integer>(-1) < static_cast<Integer>(0);
  constexpr int bits = sizeof(Integer) * 8;
  constexpr unsigned long long top = 1ull << (bits - 1);
  constexpr Integer largest = static_cast<Integer>(is_signed ? top - 1 : top - 1 + top);
  constexpr Integer smallest = is_signed ? static_cast<Integer>(top) : 0;
  if (value != value) return bits == 64 ? static_cast<Integer>(top) : 0;
  if (value >= static_cast<float>(top) * (is_signed ? 1.0f : 2.0f)) return largest;
  if (value <= static_cast<float>(smallest)) return smallest;
  return static_cast<Integer>(value);
}
CASSC_HD unsigned short pair_of(unsigned char low, unsigned char high) {
  return static_cast<unsigned short>(low | high << 8);
}
}  // namespace cassc

CASSC_HD __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
  return cassc::fp8_bits(x, saturate, kind);
}
CASSC_HD __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
  return cassc::fp8_bits_of_float(x, saturate, kind);
}
CASSC_HD __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
  return cassc::fp8_bits_of_float(static_cast<float>(__half(x)), saturate, kind);
}
CASSC_HD __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x, __nv_saturation_t saturate,
                                                        __nv_fp8_interpretation_t kind) {
  return cassc::fp8_bits_of_float(static_cast<float>(__nv_bfloat16(x)), saturate, kind);
}
#define CASSC_PAIR(name, pair, element, raw)                                                                             \
  CASSC_HD __nv_fp8x2_storage_t name(pair x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {               \
    return cassc::pair_of(element(raw(x.x), saturate, kind), element(raw(x.y), saturate, kind));                         \
  }
CASSC_PAIR(__nv_cvt_double2_to_fp8x2, double2, __nv_cvt_double_to_fp8, double)
CASSC_PAIR(__nv_cvt_float2_to_fp8x2, float2, __nv_cvt_float_to_fp8, float)
#undef CASSC_PAIR
CASSC_HD __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(__half2_raw x, __nv_saturation_t saturate,
                                                         __nv_fp8_interpretation_t kind) {
  return cassc::pair_of(__nv_cvt_halfraw_to_fp8(__half_raw{x.x}, saturate, kind),
                        __nv_cvt_halfraw_to_fp8(__half_raw{x.y}, saturate, kind));
}
CASSC_HD __nv_fp8x2_storage_t __nv_cvt_bfloat16raw2_to_fp8x2(__nv_bfloat162_raw x, __nv_saturation_t saturate,
                                                             __nv_fp8_interpretation_t kind) {
  return cassc::pair_of(__nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw{x.x}, saturate, kind),
                        __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw{x.y}, saturate, kind));
}
CASSC_HD __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind) {
  return __half_raw{cassc::fp8_to_half_bits(x, kind)};
}
CASSC_HD __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x, __nv_fp8_interpretation_t kind) {
  return __half2_raw{cassc::fp8_to_half_bits(static_cast<unsigned char>(x), kind),
                     cassc::fp8_to_half_bits(static_cast<unsigned char>(x >> 8), kind)};
}

#define CASSC_KIND __NV_E4M3
#define CASSC_T __nv_fp8_e4m3
#define CASSC_T2 __nv_fp8x2_e4m3
#define CASSC_T4 __nv_fp8x4_e4m3
#include "cassc/fp8_types.h"
#define CASSC_KIND __NV_E5M2
#define CASSC_T __nv_fp8_e5m2
#define CASSC_T2 __nv_fp8x2_e5m2
#define CASSC_T4 __nv_fp8x4_e5m2
#include "cassc/fp8_types.h"
#endif
