// What vector rows are made of beyond plain operators.
#pragma once
#include <cmath>

#include "lane.h"

namespace cassc::emu {
namespace {

CASSC_INLINE float u32_to_f32(u32 a) {
  // Both halves are exact, so that the addition is the one rounding (in the current mode).
  return float(i32(a >> 16)) * 65536.0f + float(i32(a & 0xffffu));
}
CASSC_INLINE double u32_to_f64(u32 a) { return f64_of(0x4330000000000000u | a) - 4503599627370496.0; }
CASSC_INLINE i32 low24(i32 a) { return i32(u32(a) << 8) >> 8; }
CASSC_INLINE bool either_zero(float a, float b) { return (a == 0.0f) | (b == 0.0f); }
CASSC_INLINE u32 pack(u32 low, u32 high) { return (low & 0xffffu) | high << 16; }
CASSC_INLINE u32 lo(u32 a) { return a & 0xffffu; }
CASSC_INLINE u32 hi(u32 a) { return a >> 16; }
CASSC_INLINE i32 slo(u32 a) { return i16(a); }
CASSC_INLINE i32 shi(u32 a) { return i32(a) >> 16; }
CASSC_INLINE float flo(u32 a) { return f16_to_f32(a & 0xffffu); }
CASSC_INLINE float fhi(u32 a) { return f16_to_f32(a >> 16); }
CASSC_INLINE u32 sat16s(i64 a) { return u32(saturate(a, -32768, 32767)); }
CASSC_INLINE u32 add_sat(u32 a, u32 b) { return a + b < a ? ~0u : a + b; }

CASSC_INLINE u32 pack_f16(float low, float high, u32 mode) {
  return mode ? pack(f32_to_f16(low, mode), f32_to_f16(high, mode)) : pack(f32_to_f16_nearest(low), f32_to_f16_nearest(high));
}
CASSC_INLINE u32 pack_fma(u32 a, u32 b, u32 c, u32 mode) {
  return pack_f16(fma16(flo(a), flo(b), flo(c)), fma16(fhi(a), fhi(b), fhi(c)), mode);
}
// Both products are exact in f32; the additions round one after the other.
CASSC_INLINE float dot2_f32(u32 a, u32 b, float c, u32) { return fma(fhi(a), fhi(b), fma(flo(a), flo(b), c)); }
CASSC_INLINE float dot2_f16(u32 a, u32 b, float c, u32 mode) {
  const float first = fma16(flo(a), flo(b), c);
  const u32 h = mode ? f32_to_f16(first, mode) : f32_to_f16_nearest(first);
  return fma16(fhi(a), fhi(b), f16_to_f32(h));
}
CASSC_INLINE u32 dot2_bf16(u32 a, u32 b, u32 c) {
  const float first = fma(bf16_to_f32(lo(a)), bf16_to_f32(lo(b)), bf16_to_f32(c));
  return f32_to_bf16(fma(bf16_to_f32(hi(a)), bf16_to_f32(hi(b)), bf16_to_f32(f32_to_bf16(first))));
}
// f32 sources: the product is exact in double, the sum is rounded to odd.
CASSC_INLINE double odd_fma_wide(float a, float b, float c) { return odd_fma(a, b, c); }

CASSC_INLINE i32 dot_bytes(u32 a, u32 b, u32 is_signed) {
  i32 sum = 0;
  for (int i = 0; i < 32; i += 8) {
    const i32 left = is_signed & 1 ? i32(i8(a >> i)) : i32(a >> i & 255), right = is_signed & 2 ? i32(i8(b >> i)) : i32(b >> i & 255);
    sum += left * right;
  }
  return sum;
}
CASSC_INLINE i32 dot_nibbles(u32 a, u32 b, u32 is_signed) {
  i32 sum = 0;
  for (int i = 0; i < 32; i += 4) {
    const i32 left = is_signed & 1 ? i32(a << (28 - i)) >> 28 : i32(a >> i & 15);
    const i32 right = is_signed & 2 ? i32(b << (28 - i)) >> 28 : i32(b >> i & 15);
    sum += left * right;
  }
  return sum;
}

CASSC_INLINE float fraction(float a) {
  const float r = a - __builtin_floorf(a);
  return select(is_nan(r), quiet(select(is_nan(a), a, f32_of(0x7fc00000u))), lesser(r, f32_of(0x3f7fffffu)));
}
CASSC_INLINE double fraction(double a) {
  const double r = a - __builtin_floor(a);
  return select(is_nan(r), quiet(select(is_nan(a), a, f64_of(0x7ff8000000000000u))), lesser(r, f64_of(0x3fefffffffffffffu)));
}
CASSC_INLINE float fraction16(float a) {
  const float r = a - __builtin_floorf(a);
  return select(is_nan(r), quiet(select(is_nan(a), a, f32_of(0x7fc00000u))), lesser(r, 0.99951171875f));
}
CASSC_INLINE u32 sign_run(u32 a) {
  const u32 same = a ^ u32(i32(a) >> 31);
  return same ? u32(__builtin_clz(same)) : ~0u;
}

// --- transcendental, in double
[[maybe_unused]] static double root(double a) { return __builtin_sqrt(a); }
[[maybe_unused]] static double power_of_two(double a) { return __builtin_exp2(a); }
[[maybe_unused]] static double log_of_two(double a) { return __builtin_log2(a); }
[[maybe_unused]] static double sine_of_turns(double a) {
  if (is_nan(a) || is_inf(a)) return is_nan(a) ? a : f64_of(0x7ff8000000000000u);
  const double r = a - __builtin_rint(a);
  if (r == 0) return a < 0 || sign(a) ? -0.0 : 0.0;
  return r == 0.5 || r == -0.5 ? (r < 0 ? -0.0 : 0.0) : __builtin_sin(r * 6.283185307179586);
}
[[maybe_unused]] static double cosine_of_turns(double a) {
  if (is_nan(a) || is_inf(a)) return is_nan(a) ? a : f64_of(0x7ff8000000000000u);
  const double r = abs_of(a - __builtin_rint(a));
  return r == 0.25 ? 0.0 : __builtin_cos(r * 6.283185307179586);
}

CASSC_INLINE i32 normalized(float a, float range, float low) {
  const float inside = is_nan(a) ? 0.0f : a < low ? low : a > 1.0f ? 1.0f : a;
  return i32(__builtin_roundevenf(inside * range));
}

CASSC_INLINE i32 field(u32 a, u32 offset, u32 width) {
  return width == 0 ? 0 : i32(a << (32 - (offset + width < 32 ? offset + width : 32))) >> (32 - (offset + width < 32 ? width : 32 - offset));
}
CASSC_INLINE u32 lerp_bytes(u32 a, u32 b, u32 c) {
  u32 r = 0;
  for (int i = 0; i < 32; i += 8) r |= ((a >> i & 255) + (b >> i & 255) + (c >> i & 1)) >> 1 << i;
  return r;
}
CASSC_INLINE u32 sad_bytes(u32 a, u32 b, bool masked) {
  u32 sum = 0;
  for (int i = 0; i < 32; i += 8) {
    const u32 p = a >> i & 255, q = b >> i & 255;
    sum += masked && q == 0 ? 0 : p > q ? p - q : q - p;
  }
  return sum;
}
CASSC_INLINE u32 sad_words(u32 a, u32 b) {
  return (lo(a) > lo(b) ? lo(a) - lo(b) : lo(b) - lo(a)) + (hi(a) > hi(b) ? hi(a) - hi(b) : hi(b) - hi(a));
}
CASSC_INLINE u64 quad_sad(u64 a, u32 b, u64 c, bool masked, bool clamped) {
  u64 r = 0;
  for (int i = 0; i < 4; ++i) {
    const u32 sum = sad_bytes(u32(a >> (8 * i)), b, masked) + u32(c >> (16 * i) & 0xffff);
    r |= u64(clamped && sum > 0xffff ? 0xffff : sum & 0xffff) << (16 * i);
  }
  return r;
}
CASSC_INLINE u32 permuted(u64 data, u32 selectors) {
  u32 r = 0;
  for (int i = 0; i < 32; i += 8) {
    const u32 s = selectors >> i & 255;
    u32 byte;
    if (s >= 13) byte = 255;
    else if (s == 12) byte = 0;
    else if (s >= 8) byte = data >> (16 * (s - 8) + 15) & 1 ? 255 : 0;
    else byte = u32(data >> (8 * s)) & 255;
    r |= byte << i;
  }
  return r;
}
CASSC_INLINE float cube(float x, float y, float z, int what) {
  const bool major_z = abs_of(z) >= abs_of(x) && abs_of(z) >= abs_of(y), major_y = !major_z && abs_of(y) >= abs_of(x);
  const float major = major_z ? z : major_y ? y : x;
  const bool minus = major < 0.0f;
  if (what == 0) return (major_z ? 4.0f : major_y ? 2.0f : 0.0f) + (minus ? 1.0f : 0.0f);
  if (what == 3) return major * 2.0f;
  if (what == 1) return major_z ? (minus ? -x : x) : major_y ? x : (minus ? z : -z);
  return major_y ? (minus ? -z : z) : -y;
}
CASSC_INLINE float mullit(float a, float b, float c) {
  const float lowest = -3.4028234663852886e38f;
  return b == lowest || (is_inf(b) && b < 0) || is_nan(b) || is_nan(c) || c <= 0.0f ? lowest : settle(a * b);
}

// --- division. The expansion scales numerator and denominator so that no intermediate leaves the normal range; the flag
// tells div_fmas that only one of the two was scaled.
// Exponent of the leading bit, biased, also below the normal numbers.
CASSC_INLINE int leading_exponent(float x) { return denormal(x) ? 9 - __builtin_clz(bits(x) & 0x7fffffu) : exponent(x); }
CASSC_INLINE int leading_exponent(double x) { return denormal(x) ? 12 - __builtin_clzll(bits(x) & 0xfffffffffffffu) : exponent(x); }
template <class T>
CASSC_INLINE T div_scale_with(T value, T denominator, T numerator, u32& flag, int margin, int step, int tiny) {
  flag = 0;
  if (numerator == T(0) || denominator == T(0)) return T(__builtin_nan(""));
  const bool is_denominator = bits(value) == bits(denominator), is_numerator = bits(value) == bits(numerator);
  // The reciprocal of a value from 2^(emax-1) upwards is below the smallest normal number.
  const int top = sizeof(T) == 4 ? 253 : 2045;
  const u64 fraction_bits = sizeof(T) == 4 ? bits(denominator) & 0x7fffffu : bits(denominator) & 0xfffffffffffffu;
  const bool reciprocal_denormal = exponent(denominator) > top || (exponent(denominator) == top && fraction_bits != 0);
  const T quotient = numerator / denominator;
  const bool quotient_denormal = denormal(quotient) || quotient == T(0);
  if (exponent(numerator) - exponent(denominator) >= margin) {
    flag = 1;
    return is_denominator ? scale(value, step) : value;
  }
  if (denormal(denominator)) return scale(value, step);
  if (reciprocal_denormal && quotient_denormal) {
    flag = 1;
    return is_denominator ? scale(value, -step) : value;
  }
  if (reciprocal_denormal) return scale(value, -step);
  if (quotient_denormal) {
    flag = 1;
    return is_numerator ? scale(value, step) : value;
  }
  if (exponent(numerator) <= tiny) return scale(value, step);
  return value;
}
CASSC_INLINE float div_scale(float value, float denominator, float numerator, u32& flag) {
  return div_scale_with(value, denominator, numerator, flag, 96, 64, 23);
}
CASSC_INLINE double div_scale(double value, double denominator, double numerator, u32& flag) {
  return div_scale_with(value, denominator, numerator, flag, 768, 128, 53);
}
// One operand was scaled by 2^64 (2^128): undo it on the quotient, whose size tells in which direction, with one rounding
// in all. A denormal result was rounded twice: the error of the first rounding (its sign is exact, because c is close to
// the quotient) decides where the second met a tie, or lost nothing in a directed mode.
template <class T>
CASSC_INLINE T div_fmas_with(T a, T b, T c, u32 flag, u32 rounding, int bias, T down, T up, T least, T normal) {
  const T q = fma(a, b, c);
  if (!flag) return q;
  if (exponent(c) > bias) return settle(q * up);
  const T result = q * down, first = fma(a, b, c - q);
  if (is_nan(q) || first == T(0) || abs_of(q) >= normal * up) return settle(result);
  const T second = q - result * up, half = least * up * T(0.5);
  if (rounding == kNearest) {
    return abs_of(second) == half && sign(first) == sign(second) ? result + (sign(second) ? -least : least) : result;
  }
  if (second != T(0)) return result;
  if (rounding == kUp) return first > T(0) ? result + least : result;
  if (rounding == kDown) return first < T(0) ? result - least : result;
  return sign(first) != sign(q) ? result + (sign(q) ? least : -least) : result;
}
CASSC_INLINE float div_fmas(float a, float b, float c, u32 flag, const LaneContext& x) {
  return div_fmas_with(a, b, c, flag, x.round32, 127, f32_of((127u - 64) << 23), f32_of((127u + 64) << 23), f32_of(1),
                       f32_of(1u << 23));
}
CASSC_INLINE double div_fmas(double a, double b, double c, u32 flag, const LaneContext& x) {
  return div_fmas_with(a, b, c, flag, x.round64, 1023, f64_of((1023ull - 128) << 52), f64_of((1023ull + 128) << 52), f64_of(1),
                       f64_of(1ull << 52));
}
template <class T>
CASSC_INLINE T div_fixup(T quotient, T denominator, T numerator, u32 rounding, int tiny, int huge) {
  const bool minus = sign(denominator) != sign(numerator);
  const T one = minus ? T(-1) : T(1);
  if (is_nan(numerator)) return quiet(numerator);
  if (is_nan(denominator)) return quiet(denominator);
  if ((denominator == 0 && numerator == 0) || (is_inf(denominator) && is_inf(numerator))) return T(-__builtin_nan(""));
  if (denominator == 0 || is_inf(numerator)) return one * T(__builtin_inf());
  if (is_inf(denominator) || numerator == 0) return one * T(0);
  // Quotients that are certainly too small or too large; the intermediates of the expansion may have overflowed there.
  const int size = leading_exponent(numerator) - leading_exponent(denominator);
  const bool away = rounding == (minus ? kDown : kUp), toward_zero = rounding == kZeroward || rounding == (minus ? kUp : kDown);
  if (size < -tiny) {
    const T least = sizeof(T) == 4 ? T(f32_of(1)) : T(f64_of(1));
    return away ? (minus ? -least : least) : one * T(0);
  }
  if (size > huge) {
    const T largest = sizeof(T) == 4 ? T(f32_of(0x7f7fffff)) : T(f64_of(0x7fefffffffffffff));
    return one * (toward_zero ? largest : T(__builtin_inf()));
  }
  return minus ? -abs_of(quotient) : abs_of(quotient);
}

// 2/pi to 1201 bits after the point, most significant word first.
constexpr u64 kTwoOverPi[] = {0xa2f9836e4e441529u, 0xfc2757d1f534ddc0u, 0xdb6295993c439041u, 0xfe5163abdebbc561u, 0xb7246e3a424dd2e0u,
                              0x06492eea09d1921cu, 0xfe1deb1cb129a73eu, 0xe88235f52ebb4484u, 0xe99c7026b45f7e41u, 0x3991d639835339f4u,
                              0x9c845f8bbdf9283bu, 0x1ff897ffde05980fu, 0xef2f118b5a0a6d1fu, 0x6d367ecf27cb09b7u, 0x4f463f669e5fea2du,
                              0x7527bac7ebe5f17bu, 0x3d0739f78a5292eau, 0x6bfb5fb11f8d5d08u, 0x56033046fc7b6babu, 0, 0};
CASSC_INLINE double trig_preop(double a, u32 selector) {
  u32 shift = (selector & 31) * 53;
  if (exponent(a) > 1077) shift += u32(exponent(a) - 1077);
  u64 window = 0;
  if (shift < 1201) {
    const u32 word = shift / 64, bit = shift % 64;
    window = kTwoOverPi[word] << bit | (bit ? kTwoOverPi[word + 1] >> (64 - bit) : 0);
    window >>= 11;
    // The table of the hardware ends after 1201 bits.
    const int over = int(shift) + 53 - 1201;
    if (over > 0) window &= ~((u64(1) << over) - 1);
  }
  const int power = -53 - int(shift) + (exponent(a) >= 1968 ? 128 : 0);
  return scale(double(i64(window)), power);
}

// --- classes: bit 0 signaling NaN, 1 quiet NaN, 2 -inf, 3 -normal, 4 -denormal, 5 -0, then the positive ones upwards
template <class T>
CASSC_INLINE u32 classify(T a) {
  if (is_nan(a)) return is_signaling(a) ? 0 : 1;
  if (is_inf(a)) return sign(a) ? 2 : 9;
  if (denormal(a)) return sign(a) ? 4 : 7;
  if (abs_of(a) == T(0)) return sign(a) ? 5 : 6;
  return sign(a) ? 3 : 8;
}
CASSC_INLINE u32 classify16(float a) {
  const u32 wide = classify(a);
  return (wide == 3 || wide == 8) && abs_of(a) < 6.103515625e-5f ? (sign(a) ? 4 : 7) : wide;
}
CASSC_INLINE bool class_matches(u32 number, u32 mask) { return mask >> number & 1; }

}  // namespace
}  // namespace cassc::emu
