// Conversions with a rounding mode, and casts of bits (CUDA Math API, "Type Casting Intrinsics"). Out-of-range values convert
// to the nearest limit; NaN converts as on NVIDIA's hardware, to 0 from float to 32 bits and to the sign bit alone otherwise.
#ifndef CASSC_CONVERT_H
#define CASSC_CONVERT_H

CASSC_FN int __float_as_int(float x) CASSC_BODY(return __builtin_bit_cast(int, x);)
CASSC_FN unsigned __float_as_uint(float x) CASSC_BODY(return __builtin_bit_cast(unsigned, x);)
CASSC_FN float __int_as_float(int x) CASSC_BODY(return __builtin_bit_cast(float, x);)
CASSC_FN float __uint_as_float(unsigned x) CASSC_BODY(return __builtin_bit_cast(float, x);)
CASSC_FN long long __double_as_longlong(double x) CASSC_BODY(return __builtin_bit_cast(long long, x);)
CASSC_FN double __longlong_as_double(long long x) CASSC_BODY(return __builtin_bit_cast(double, x);)
CASSC_FN int __double2hiint(double x) CASSC_BODY(return static_cast<int>(__builtin_bit_cast(long long, x) >> 32);)
CASSC_FN int __double2loint(double x) CASSC_BODY(return static_cast<int>(__builtin_bit_cast(long long, x));)
CASSC_FN double __hiloint2double(int high, int low) CASSC_BODY(
    return __builtin_bit_cast(double, static_cast<unsigned long long>(static_cast<unsigned>(high)) << 32 | static_cast<unsigned>(low));)

#ifdef __CUDA_ARCH__
namespace cassc {
// To an integer of type To, the value being integral already.
template <class To, class From>
CASSC_FN To saturate(From x) {
  constexpr bool is_signed = static_cast<To>(-1) < 0;
  constexpr int bits = 8 * sizeof(To) - is_signed;
  constexpr To highest = static_cast<To>(~static_cast<To>(0)) ^ (is_signed ? static_cast<To>(static_cast<To>(1) << (8 * sizeof(To) - 1)) : 0);
  const From limit = __builtin_ldexp(1.0, bits);
  constexpr bool wide = sizeof(To) == 8 || sizeof(From) == 8;
  if (x != x) return wide ? static_cast<To>(static_cast<To>(1) << (8 * sizeof(To) - 1)) : static_cast<To>(0);
  if (x >= limit) return highest;
  if (is_signed ? x < -limit : x <= 0) return is_signed ? static_cast<To>(-highest - 1) : static_cast<To>(0);
  return static_cast<To>(x);
}
}  // namespace cassc
#endif

#define CASSC_TO_INTEGER(name, from, to, f)                                                          \
  CASSC_FN to name##_rn(from x) CASSC_BODY(return cassc::saturate<to>(__builtin_rint##f(x));)        \
  CASSC_FN to name##_rz(from x) CASSC_BODY(return cassc::saturate<to>(__builtin_trunc##f(x));)       \
  CASSC_FN to name##_ru(from x) CASSC_BODY(return cassc::saturate<to>(__builtin_ceil##f(x));)        \
  CASSC_FN to name##_rd(from x) CASSC_BODY(return cassc::saturate<to>(__builtin_floor##f(x));)
CASSC_TO_INTEGER(__float2int, float, int, f)
CASSC_TO_INTEGER(__float2uint, float, unsigned, f)
CASSC_TO_INTEGER(__float2ll, float, long long, f)
CASSC_TO_INTEGER(__float2ull, float, unsigned long long, f)
CASSC_TO_INTEGER(__double2int, double, int, )
CASSC_TO_INTEGER(__double2uint, double, unsigned, )
CASSC_TO_INTEGER(__double2ll, double, long long, )
CASSC_TO_INTEGER(__double2ull, double, unsigned long long, )
#undef CASSC_TO_INTEGER

#ifdef __CUDA_ARCH__
namespace cassc {
// The neighbour of a finite value, by its bits.
CASSC_FN float step(float x, int direction) {
  int bits = __builtin_bit_cast(int, x);
  if (bits << 1 == 0) return direction > 0 ? __builtin_bit_cast(float, 1) : __builtin_bit_cast(float, static_cast<int>(0x80000001));
  return __builtin_bit_cast(float, bits + ((bits >= 0) == (direction > 0) ? 1 : -1));
}
CASSC_FN double step(double x, int direction) {
  long long bits = __builtin_bit_cast(long long, x);
  if (bits << 1 == 0) return direction > 0 ? __builtin_bit_cast(double, 1ll) : __builtin_bit_cast(double, static_cast<long long>(0x8000000000000001));
  return __builtin_bit_cast(double, bits + ((bits >= 0) == (direction > 0) ? 1 : -1));
}
// Compares an integer with the float that it was rounded to: sign of (value - rounded). What it was rounded to may lie behind
// the type's range, by rounding up.
template <class Integer, class Float>
CASSC_FN int compare_rounded(Integer value, Float rounded) {
  constexpr bool is_signed = static_cast<Integer>(-1) < 0;
  if (rounded >= static_cast<Float>(__builtin_ldexp(1.0, 8 * sizeof(Integer) - is_signed))) return -1;
  const Integer back = static_cast<Integer>(rounded);
  return value < back ? -1 : value > back;
}
template <class Float, class Integer>
CASSC_FN Float from_integer(Integer value, int mode) {  // mode: 0 nearest, 1 to zero, 2 up, 3 down
  const Float rounded = static_cast<Float>(value);
  const int side = compare_rounded(value, rounded);
  const int wanted = mode == 1 ? (rounded > 0 ? 3 : 2) : mode;
  if (wanted == 2 && side > 0) return step(rounded, 1);
  if (wanted == 3 && side < 0) return step(rounded, -1);
  return rounded;
}
CASSC_FN float narrow(double value, int mode) {
  const float rounded = static_cast<float>(value);
  if (value != value || __builtin_isinf(value)) return rounded;
  const int wanted = mode == 1 ? (value > 0 ? 3 : 2) : mode;
  if (wanted == 2 && static_cast<double>(rounded) < value) return step(rounded, 1);
  if (wanted == 3 && static_cast<double>(rounded) > value) return step(rounded, -1);
  return rounded;
}
}  // namespace cassc
#endif

#define CASSC_FROM_INTEGER(name, from, to)                                                        \
  CASSC_FN to name##_rn(from x) CASSC_BODY(return static_cast<to>(x);)                            \
  CASSC_FN to name##_rz(from x) CASSC_BODY(return cassc::from_integer<to>(x, 1);)                 \
  CASSC_FN to name##_ru(from x) CASSC_BODY(return cassc::from_integer<to>(x, 2);)                 \
  CASSC_FN to name##_rd(from x) CASSC_BODY(return cassc::from_integer<to>(x, 3);)
CASSC_FROM_INTEGER(__int2float, int, float)
CASSC_FROM_INTEGER(__uint2float, unsigned, float)
CASSC_FROM_INTEGER(__ll2float, long long, float)
CASSC_FROM_INTEGER(__ull2float, unsigned long long, float)
CASSC_FROM_INTEGER(__ll2double, long long, double)
CASSC_FROM_INTEGER(__ull2double, unsigned long long, double)
#undef CASSC_FROM_INTEGER
CASSC_FN double __int2double_rn(int x) CASSC_BODY(return x;)
CASSC_FN double __uint2double_rn(unsigned x) CASSC_BODY(return x;)
CASSC_FN float __double2float_rn(double x) CASSC_BODY(return static_cast<float>(x);)
CASSC_FN float __double2float_rz(double x) CASSC_BODY(return cassc::narrow(x, 1);)
CASSC_FN float __double2float_ru(double x) CASSC_BODY(return cassc::narrow(x, 2);)
CASSC_FN float __double2float_rd(double x) CASSC_BODY(return cassc::narrow(x, 3);)
#endif
