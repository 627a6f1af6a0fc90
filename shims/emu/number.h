// Arithmetic on single values, written so that a loop over 32 lanes of it vectorises. Internal linkage throughout: the
// files that include this are compiled once per x86-64 level and must not share functions.
#pragma once
#include "machine.h"

namespace cassc::emu {
namespace {

#define CASSC_INLINE [[maybe_unused]] static inline __attribute__((always_inline))

CASSC_INLINE u32 bits(float x) { return __builtin_bit_cast(u32, x); }
CASSC_INLINE u64 bits(double x) { return __builtin_bit_cast(u64, x); }
CASSC_INLINE float f32_of(u32 x) { return __builtin_bit_cast(float, x); }
CASSC_INLINE double f64_of(u64 x) { return __builtin_bit_cast(double, x); }

// Selection without a branch: a lane loop with branches does not become vector code.
CASSC_INLINE u32 select(bool c, u32 a, u32 b) {
  const u32 mask = 0u - u32(c);
  return (a & mask) | (b & ~mask);
}
CASSC_INLINE u64 select(bool c, u64 a, u64 b) {
  const u64 mask = u64(0) - u64(c);
  return (a & mask) | (b & ~mask);
}
CASSC_INLINE i32 select(bool c, i32 a, i32 b) { return i32(select(c, u32(a), u32(b))); }
CASSC_INLINE i64 select(bool c, i64 a, i64 b) { return i64(select(c, u64(a), u64(b))); }
CASSC_INLINE float select(bool c, float a, float b) { return f32_of(select(c, bits(a), bits(b))); }
CASSC_INLINE double select(bool c, double a, double b) { return f64_of(select(c, bits(a), bits(b))); }

enum Rounding : u32 { kNearest = 0, kUp = 1, kDown = 2, kZeroward = 3 };

constexpr u32 kF16Flush = 4, kF16FlushSource = 8;

// x86 makes a negative NaN for an invalid operation, AMD a positive one.
CASSC_INLINE float settle(float x) {
  const u32 b = bits(x);
  return f32_of(b ^ u32(b == 0xffc00000u) << 31);
}
CASSC_INLINE double settle(double x) {
  const u64 b = bits(x);
  return f64_of(b ^ u64(b == 0xfff8000000000000u) << 63);
}

CASSC_INLINE bool is_nan(float x) { return (bits(x) & 0x7fffffffu) > 0x7f800000u; }
CASSC_INLINE bool is_nan(double x) { return (bits(x) & 0x7fffffffffffffffu) > 0x7ff0000000000000u; }
CASSC_INLINE bool is_inf(float x) { return (bits(x) & 0x7fffffffu) == 0x7f800000u; }
CASSC_INLINE bool is_inf(double x) { return (bits(x) & 0x7fffffffffffffffu) == 0x7ff0000000000000u; }
CASSC_INLINE bool is_signaling(float x) { return is_nan(x) & !(bits(x) & 0x400000u); }
CASSC_INLINE bool is_signaling(double x) { return is_nan(x) & !(bits(x) & 0x8000000000000u); }
CASSC_INLINE float quiet(float x) { return f32_of(bits(x) | 0x400000u); }
CASSC_INLINE double quiet(double x) { return f64_of(bits(x) | 0x8000000000000u); }
CASSC_INLINE int exponent(float x) { return int(bits(x) >> 23 & 255); }
CASSC_INLINE int exponent(double x) { return int(bits(x) >> 52 & 2047); }
CASSC_INLINE bool sign(float x) { return bits(x) >> 31; }
CASSC_INLINE bool sign(double x) { return bits(x) >> 63; }
CASSC_INLINE bool denormal(float x) { return (bits(x) & 0x7fffffffu) - 1 < 0x7fffffu; }
CASSC_INLINE bool denormal(double x) { return (bits(x) & 0x7fffffffffffffffu) - 1 < 0xfffffffffffffu; }
CASSC_INLINE float abs_of(float x) { return f32_of(bits(x) & 0x7fffffffu); }
CASSC_INLINE double abs_of(double x) { return f64_of(bits(x) & 0x7fffffffffffffffu); }

// Denormals to zero of the same sign where mask is all ones.
CASSC_INLINE float flushed(float x, u32 mask) {
  const u32 b = bits(x);
  return f32_of(b & ~((0u - u32((b & 0x7f800000u) == 0)) & mask & 0x7fffffffu));
}
CASSC_INLINE float no_denormal(float x) { return flushed(x, ~0u); }

CASSC_INLINE float fma(float a, float b, float c) { return settle(__builtin_fmaf(a, b, c)); }
CASSC_INLINE double fma(double a, double b, double c) { return settle(__builtin_fma(a, b, c)); }

// --- 16-bit floats. Values travel as float, which holds every f16; results are rounded once, on the way out.

CASSC_INLINE float f16_to_f32(u32 h) {
  const u32 magnitude = h & 0x7fffu;
  const u32 normal = bits(f32_of(magnitude << 13) * 5192296858534827628530496329220096.0f);  // 2^112
  const u32 special = normal | 0x7f800000u;
  return f32_of(select(magnitude >= 0x7c00u, special, normal) | (h & 0x8000u) << 16);
}

CASSC_INLINE u32 f32_to_f16_nearest(float value) {
  const u32 b = bits(value), sign = b >> 16 & 0x8000u, x = b & 0x7fffffffu;
  const u32 rebased = x - 0x38000000u;
  const u32 normal = (rebased + 0xfffu + (rebased >> 13 & 1)) >> 13;
  const u32 raw_shift = 126u - (x >> 23), shift = select(raw_shift - 1 > 30, 31u, raw_shift);
  const u32 mantissa = (x & 0x7fffffu) | 0x800000u;
  const u32 kept = mantissa >> shift, rest = mantissa - (kept << shift), half = 1u << (shift - 1);
  const u32 tiny = kept + (u32(rest > half) | (u32(rest == half) & kept & 1));
  u32 r = select(x >= 0x38800000u, normal, tiny);
  r = select(x >= 0x47800000u, 0x7c00u, r);
  r = select(x > 0x7f800000u, 0x7e00u | (x >> 13 & 0x1ffu), r);
  return r | sign;
}

CASSC_INLINE u32 f32_to_f16(float value, u32 mode) {
  const u32 b = bits(value), sign = b >> 31, x = b & 0x7fffffffu, rounding = mode & 3;
  u32 r;
  if (x > 0x7f800000u) {
    r = 0x7e00u | (x >> 13 & 0x1ffu);
  } else if (x == 0x7f800000u) {
    r = 0x7c00u;
  } else {
    const bool away = rounding == (sign ? kDown : kUp);
    u32 kept, rest, half;
    if (x >= 0x38800000u) {
      kept = (x - 0x38000000u) >> 13;
      rest = x & 0x1fffu;
      half = 0x1000u;
    } else {
      const u32 raw_shift = 126u - (x >> 23), shift = raw_shift - 1 > 30 ? 31 : raw_shift;
      const u32 mantissa = x >> 23 ? (x & 0x7fffffu) | 0x800000u : x;
      kept = mantissa >> shift;
      rest = mantissa - (kept << shift);
      half = 1u << (shift - 1);
    }
    if (rounding == kNearest) kept += (rest > half) | ((rest == half) & kept & 1);
    else if (away) kept += rest != 0;
    r = kept;
    if (r >= 0x7c00u) r = (rounding == kNearest || away) ? 0x7c00u : 0x7bffu;
    if ((mode & kF16Flush) && r < 0x400u) r = 0;
  }
  return r | sign << 15;
}

// Truncates to 24 bits and keeps a trace of what was lost in the last bit (rounding to odd), so that a later rounding
// to 11 bits in any direction is right.
CASSC_INLINE float odd_f32(double x) {
  const u64 b = bits(x), magnitude = b & 0x7fffffffffffffffu;
  const u64 rebased = (magnitude - (896ull << 52)) >> 29 | u64((magnitude & 0x1fffffffu) != 0);
  u64 r = rebased;
  r = select(magnitude < (897ull << 52), u64(magnitude != 0), r);  // below every f32 normal: far below half an f16 step
  r = select(magnitude >= (1151ull << 52), u64(0x7f7fffffu), r);
  r = select(magnitude == 0x7ff0000000000000u, u64(0x7f800000u), r);
  r = select(magnitude > 0x7ff0000000000000u, 0x7fc00000u | (magnitude >> 29 & 0x3fffffu), r);
  return f32_of(u32(r) | u32(b >> 32 & 0x80000000u));
}

// a * b + c rounded to odd; the product of two f16 is exact in double, the sum need not be.
CASSC_INLINE double odd_fma(double a, double b, double c) {
  const double p = a * b, s = p + c;
  const double z = s - p, error = (p - (s - z)) + (c - z);
  const u64 sb = bits(s);
  const bool finite = (sb & 0x7ff0000000000000u) != 0x7ff0000000000000u;
  const bool inexact = finite & (error != 0);
  const u64 overshoot = u64(inexact) & (bits(error) ^ sb) >> 63;
  return settle(f64_of((sb - overshoot) | u64(inexact)));
}
CASSC_INLINE float fma16(float a, float b, float c) { return odd_f32(odd_fma(a, b, c)); }
CASSC_INLINE float add16(float a, float b) { return odd_f32(settle(double(a) + double(b))); }
CASSC_INLINE float mul16(float a, float b) { return settle(a * b); }

// --- bfloat16

CASSC_INLINE float bf16_to_f32(u32 h) { return f32_of(h << 16); }
CASSC_INLINE u32 f32_to_bf16(float value) {
  const u32 b = bits(value);
  const u32 r = (b + 0x7fffu + (b >> 16 & 1)) >> 16;
  return select((b & 0x7fffffffu) > 0x7f800000u, b >> 16 | 0x40u, r);
}

// --- minimum and maximum: -0 is below +0; a NaN gives way to a number; with MODE.IEEE a signaling NaN is quieted.

CASSC_INLINE i32 order(float x) {
  const i32 b = i32(bits(x));
  return b ^ ((b >> 31) & 0x7fffffff);
}
CASSC_INLINE i64 order(double x) {
  const i64 b = i64(bits(x));
  return b ^ ((b >> 63) & 0x7fffffffffffffff);
}
template <class T>
CASSC_INLINE T quiet_if(bool c, T x) { return select(c, quiet(x), x); }
template <class T>
CASSC_INLINE T pick_number(T a, T b, bool take_a, u32 ieee) {
  const bool signaling_a = is_signaling(a) & (ieee != 0), signaling_b = is_signaling(b) & (ieee != 0);
  T r = select(take_a, a, b);
  r = select(is_nan(a), b, r);
  r = select(is_nan(b), a, r);
  r = select(signaling_b, b, r);
  r = select(signaling_a, a, r);
  return quiet_if(is_nan(r), r);
}
template <class T>
CASSC_INLINE T min_num(T a, T b, u32 ieee) { return pick_number(a, b, order(a) < order(b), ieee); }
template <class T>
CASSC_INLINE T max_num(T a, T b, u32 ieee) { return pick_number(a, b, order(a) > order(b), ieee); }
template <class T>
CASSC_INLINE T med_num(T a, T b, T c, u32 ieee) {
  const T low = min_num(min_num(a, b, ieee), c, ieee), high = max_num(max_num(a, b, ieee), c, ieee);
  T r = max_num(a, b, ieee);
  r = select(order(high) == order(b), max_num(a, c, ieee), r);
  r = select(order(high) == order(a), max_num(b, c, ieee), r);
  return select(is_nan(a) | is_nan(b) | is_nan(c), low, r);
}
template <class T>
CASSC_INLINE T lesser(T a, T b) { return a < b ? a : b; }
template <class T>
CASSC_INLINE T greater(T a, T b) { return a > b ? a : b; }
template <class T>
CASSC_INLINE T median(T a, T b, T c) { return greater(lesser(a, b), lesser(greater(a, b), c)); }

template <class T>
CASSC_INLINE T clamp01(T x, u32 dx10) {
  const T inside = select(x <= T(0), T(0), select(x >= T(1), T(1), x));
  return select(is_nan(x), select(dx10 != 0, T(0), x), inside);
}

// --- conversions to integers: toward zero, saturating, NaN is 0

CASSC_INLINE i32 to_i32(float x) {
  const bool fits = (x >= -2147483648.0f) & (x < 2147483648.0f);
  const i32 inside = i32(select(fits, x, 0.0f));
  return select(x >= 2147483648.0f, i32(0x7fffffff), select(x < -2147483648.0f, i32(0x80000000), inside));
}
CASSC_INLINE u32 to_u32(float x) {
  const bool fits = (x > 0.0f) & (x < 4294967296.0f), high = x >= 2147483648.0f;
  const float kept = select(fits, x, 0.0f), low = kept - select(fits & high, 2147483648.0f, 0.0f);
  const u32 inside = u32(i32(low)) ^ (0u - u32(fits & high)) << 31;
  return select(x >= 4294967296.0f, ~0u, inside);
}
CASSC_INLINE i32 to_i32(double x) {
  const bool fits = (x > -2147483649.0) & (x < 2147483648.0);
  const i32 inside = i32(select(fits, x, 0.0));
  return select(x >= 2147483648.0, i32(0x7fffffff), select(x <= -2147483649.0, i32(0x80000000), inside));
}
CASSC_INLINE u32 to_u32(double x) {
  const bool fits = (x > 0.0) & (x < 4294967296.0), high = x >= 2147483648.0;
  const double kept = select(fits, x, 0.0), low = kept - select(fits & high, 2147483648.0, 0.0);
  const u32 inside = u32(i32(low)) ^ (0u - u32(fits & high)) << 31;
  return select(x >= 4294967296.0, ~0u, inside);
}
CASSC_INLINE i32 saturate(i64 x, i64 low, i64 high) { return i32(select(x < low, low, select(x > high, high, x))); }

// --- pieces of numbers

CASSC_INLINE float frexp_mantissa(float x) {
  if (x == 0 || is_nan(x) || is_inf(x)) return is_nan(x) ? quiet(x) : x;
  const float y = denormal(x) ? x * 16777216.0f : x;
  return f32_of((bits(y) & 0x807fffffu) | 126u << 23);
}
CASSC_INLINE i32 frexp_exponent(float x) {
  if ((bits(x) & 0x7fffffffu) == 0 || is_nan(x) || is_inf(x)) return 0;
  const u32 m = bits(x) & 0x7fffffu;
  return denormal(x) ? -117 - __builtin_clz(m) + 0 : exponent(x) - 126;
}
CASSC_INLINE double frexp_mantissa(double x) {
  if (x == 0 || is_nan(x) || is_inf(x)) return is_nan(x) ? quiet(x) : x;
  u64 m = bits(x) & 0xfffffffffffffu;
  if (denormal(x)) m = m << (__builtin_clzll(m) - 11) & 0xfffffffffffffu;
  return f64_of((bits(x) & 0x8000000000000000u) | 1022ull << 52 | m);
}
CASSC_INLINE i32 frexp_exponent(double x) {
  if ((bits(x) & 0x7fffffffffffffffu) == 0 || is_nan(x) || is_inf(x)) return 0;
  const u64 m = bits(x) & 0xfffffffffffffu;
  return denormal(x) ? -1010 - int(__builtin_clzll(m)) : exponent(x) - 1022;
}
// x * 2^n with one rounding.
CASSC_INLINE float scale(float x, i32 n) {
  n = n < -400 ? -400 : n > 400 ? 400 : n;
  const double wide = double(x) * f64_of(u64(1023 + n) << 52);  // exact: |n| + 149 is inside the range of double
  return float(wide);
}
CASSC_INLINE double scale(double x, i32 n) {
  n = n < -2200 ? -2200 : n > 2200 ? 2200 : n;
  if (x == 0 || is_nan(x) || is_inf(x)) return is_nan(x) ? quiet(x) : x;
  // To [1, 2) first, which is exact, so that at most the last multiplication rounds.
  const int e = frexp_exponent(x) - 1 + n;
  const double one = frexp_mantissa(x) * 2;
  if (e >= 1024) return one * f64_of(2046ull << 52) * 2;
  if (e >= -1022) return one * f64_of(u64(1023 + e) << 52);
  const int rest = e + 1022 < -60 ? -60 : e + 1022;
  return (one * f64_of(u64(1023 + rest) << 52)) * f64_of(1ull << 52);
}

CASSC_INLINE u32 reversed(u32 x) {
  x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
  x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
  x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
  return __builtin_bswap32(x);
}
CASSC_INLINE u32 ones(u32 x) {
  x = x - (x >> 1 & 0x55555555u);
  x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
  return (((x + (x >> 4)) & 0x0f0f0f0fu) * 0x01010101u) >> 24;
}
CASSC_INLINE u32 low_mask(u32 count) { return count >= 32 ? ~0u : (1u << count) - 1; }
CASSC_INLINE i32 sext(u32 x, u32 width) { return width == 0 ? 0 : i32(x << (32 - width)) >> (32 - width); }

}  // namespace
}  // namespace cassc::emu
