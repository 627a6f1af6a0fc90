// The functions that half and bfloat16 share, for the type that CASSC_T and the other macros name. Included once for each.
// Arithmetic is done in a format wide enough that one rounding is left.
struct CASSC_T2;

struct __align__(2) CASSC_T {
  unsigned short __x;

  CASSC_T() = default;
  CASSC_HD CASSC_T(CASSC_RAW raw) : __x(raw.x) {}
  CASSC_HD CASSC_T(float value) : __x(CASSC_FROM_FLOAT(value)) {}
  CASSC_HD CASSC_T(double value) : __x(cassc::round_to<CASSC_MANTISSA, CASSC_EXPONENT>(value, cassc::Round::nearest)) {}
  CASSC_HD CASSC_T(int value) : CASSC_T(static_cast<double>(value)) {}
  CASSC_HD CASSC_T(unsigned value) : CASSC_T(static_cast<double>(value)) {}
  CASSC_HD CASSC_T(short value) : CASSC_T(static_cast<float>(value)) {}
  CASSC_HD CASSC_T(unsigned short value) : CASSC_T(static_cast<float>(value)) {}
  CASSC_HD CASSC_T(long value) : CASSC_T(static_cast<double>(value)) {}
  CASSC_HD CASSC_T(unsigned long value) : CASSC_T(static_cast<double>(value)) {}
  CASSC_HD CASSC_T(long long value) : CASSC_T(static_cast<double>(value)) {}
  CASSC_HD CASSC_T(unsigned long long value) : CASSC_T(static_cast<double>(value)) {}
  static CASSC_HD CASSC_T from_bits(unsigned short bits) { return CASSC_T(CASSC_RAW{bits}); }

  CASSC_HD operator CASSC_RAW() const { return CASSC_RAW{__x}; }
  CASSC_HD operator CASSC_RAW() const volatile { return CASSC_RAW{__x}; }
  CASSC_HD operator float() const { return cassc::widen<CASSC_MANTISSA, CASSC_EXPONENT>(__x); }
  explicit CASSC_HD operator double() const { return static_cast<float>(*this); }
  explicit CASSC_HD operator int() const { return static_cast<int>(static_cast<float>(*this)); }
  explicit CASSC_HD operator unsigned() const { return static_cast<unsigned>(static_cast<float>(*this)); }
  explicit CASSC_HD operator short() const { return static_cast<short>(static_cast<float>(*this)); }
  explicit CASSC_HD operator unsigned short() const { return static_cast<unsigned short>(static_cast<float>(*this)); }
  explicit CASSC_HD operator char() const { return static_cast<char>(static_cast<float>(*this)); }
  explicit CASSC_HD operator signed char() const { return static_cast<signed char>(static_cast<float>(*this)); }
  explicit CASSC_HD operator unsigned char() const { return static_cast<unsigned char>(static_cast<float>(*this)); }
  explicit CASSC_HD operator long() const { return static_cast<long>(static_cast<float>(*this)); }
  explicit CASSC_HD operator unsigned long() const { return static_cast<unsigned long>(static_cast<float>(*this)); }
  explicit CASSC_HD operator long long() const { return static_cast<long long>(static_cast<float>(*this)); }
  explicit CASSC_HD operator unsigned long long() const { return static_cast<unsigned long long>(static_cast<float>(*this)); }
  explicit CASSC_HD operator bool() const { return (__x & 0x7fff) != 0; }
};

struct __align__(4) CASSC_T2 {
  CASSC_T x, y;

  CASSC_T2() = default;
  CASSC_HD CASSC_T2(CASSC_T low, CASSC_T high) : x(low), y(high) {}
  CASSC_HD CASSC_T2(CASSC_RAW2 raw) : x(CASSC_RAW{raw.x}), y(CASSC_RAW{raw.y}) {}
  CASSC_HD operator CASSC_RAW2() const { return CASSC_RAW2{x.__x, y.__x}; }
};

// Arithmetic. The result of +, -, * and / on floats rounds correctly to these widths (a float holds more than twice the bits).
#if CASSC_NATIVE_HALF
#define CASSC_ARITHMETIC(a, op, b)                                                                     \
  CASSC_T::from_bits(cassc::bits_of<unsigned short>(static_cast<_Float16>(                             \
      cassc::bits_of<_Float16>((a).__x) op cassc::bits_of<_Float16>((b).__x))))
#else
#define CASSC_ARITHMETIC(a, op, b) CASSC_T(static_cast<float>(a) op static_cast<float>(b))
#endif
#define CASSC_BINARY(name, op) \
  CASSC_HD CASSC_T name(CASSC_T a, CASSC_T b) { return CASSC_ARITHMETIC(a, op, b); }
CASSC_BINARY(__hadd, +)
CASSC_BINARY(__hsub, -)
CASSC_BINARY(__hmul, *)
CASSC_BINARY(__hdiv, /)
#undef CASSC_BINARY
#undef CASSC_ARITHMETIC
CASSC_HD CASSC_T __hneg(CASSC_T a) { return CASSC_T::from_bits(a.__x ^ 0x8000); }
CASSC_HD CASSC_T __habs(CASSC_T a) { return CASSC_T::from_bits(a.__x & 0x7fff); }
CASSC_HD bool __hisnan(CASSC_T a) { return static_cast<float>(a) != static_cast<float>(a); }
CASSC_HD int __hisinf(CASSC_T a) {
  return __builtin_isinf(static_cast<float>(a)) ? (a.__x >> 15 ? -1 : 1) : 0;
}
CASSC_HD CASSC_T __hfma(CASSC_T a, CASSC_T b, CASSC_T c) {
  const double product = static_cast<double>(static_cast<float>(a)) * static_cast<double>(static_cast<float>(b));
#if CASSC_NATIVE_HALF && defined(__CUDA_ARCH__)
  return CASSC_T::from_bits(cassc::bits_of<unsigned short>(__builtin_fmaf16(cassc::bits_of<_Float16>(a.__x),
      cassc::bits_of<_Float16>(b.__x), cassc::bits_of<_Float16>(c.__x))));
#else
  return CASSC_T(cassc::add_to_odd(product, static_cast<float>(c)));
#endif
}
namespace cassc {
CASSC_HD CASSC_T saturated(CASSC_T a) {
  const float value = a;
  return value != value ? CASSC_T(0.0f) : value < 0 ? CASSC_T(0.0f) : value > 1 ? CASSC_T(1.0f) : a;
}
CASSC_HD CASSC_T rectified(CASSC_T a) { return __hisnan(a) ? CASSC_T::from_bits(0x7fff) : a.__x >> 15 ? CASSC_T(0.0f) : a; }
}  // namespace cassc
#pragma clang fp contract(off)
CASSC_HD CASSC_T __hadd_rn(CASSC_T a, CASSC_T b) { return CASSC_T(static_cast<float>(a) + static_cast<float>(b)); }
CASSC_HD CASSC_T __hsub_rn(CASSC_T a, CASSC_T b) { return CASSC_T(static_cast<float>(a) - static_cast<float>(b)); }
CASSC_HD CASSC_T __hmul_rn(CASSC_T a, CASSC_T b) { return CASSC_T(static_cast<float>(a) * static_cast<float>(b)); }
#pragma clang fp contract(fast)
CASSC_HD CASSC_T __hadd_sat(CASSC_T a, CASSC_T b) { return cassc::saturated(__hadd(a, b)); }
CASSC_HD CASSC_T __hsub_sat(CASSC_T a, CASSC_T b) { return cassc::saturated(__hsub(a, b)); }
CASSC_HD CASSC_T __hmul_sat(CASSC_T a, CASSC_T b) { return cassc::saturated(__hmul(a, b)); }
CASSC_HD CASSC_T __hfma_sat(CASSC_T a, CASSC_T b, CASSC_T c) { return cassc::saturated(__hfma(a, b, c)); }
CASSC_HD CASSC_T __hfma_relu(CASSC_T a, CASSC_T b, CASSC_T c) { return cassc::rectified(__hfma(a, b, c)); }
// min and max: a number wins over NaN; of two zeros, -0 is the smaller. The _nan forms give NaN if either is.
CASSC_HD CASSC_T __hmin(CASSC_T a, CASSC_T b) {
  if (__hisnan(a)) return __hisnan(b) ? CASSC_T::from_bits(0x7fff) : b;
  if (__hisnan(b)) return a;
  if (((a.__x | b.__x) & 0x7fff) == 0) return a.__x ? a : b;
  return static_cast<float>(a) < static_cast<float>(b) ? a : b;
}
CASSC_HD CASSC_T __hmax(CASSC_T a, CASSC_T b) {
  if (__hisnan(a)) return __hisnan(b) ? CASSC_T::from_bits(0x7fff) : b;
  if (__hisnan(b)) return a;
  if (((a.__x | b.__x) & 0x7fff) == 0) return a.__x ? b : a;
  return static_cast<float>(a) > static_cast<float>(b) ? a : b;
}
CASSC_HD CASSC_T __hmin_nan(CASSC_T a, CASSC_T b) { return __hisnan(a) || __hisnan(b) ? CASSC_T::from_bits(0x7fff) : __hmin(a, b); }
CASSC_HD CASSC_T __hmax_nan(CASSC_T a, CASSC_T b) { return __hisnan(a) || __hisnan(b) ? CASSC_T::from_bits(0x7fff) : __hmax(a, b); }

// Comparisons: __hequ is true also when unordered; __heq2 gives 1.0 and 0.0, __hbeq2 both, _mask bits.
#define CASSC_COMPARE(name, op)                                                                                         \
  CASSC_HD bool __h##name(CASSC_T a, CASSC_T b) { return static_cast<float>(a) op static_cast<float>(b); }              \
  CASSC_HD bool __h##name##u(CASSC_T a, CASSC_T b) { return __hisnan(a) || __hisnan(b) || __h##name(a, b); }            \
  CASSC_HD CASSC_T2 __h##name##2(CASSC_T2 a, CASSC_T2 b) {                                                              \
    return {CASSC_T(__h##name(a.x, b.x) ? 1.0f : 0.0f), CASSC_T(__h##name(a.y, b.y) ? 1.0f : 0.0f)};                    \
  }                                                                                                                     \
  CASSC_HD CASSC_T2 __h##name##u2(CASSC_T2 a, CASSC_T2 b) {                                                             \
    return {CASSC_T(__h##name##u(a.x, b.x) ? 1.0f : 0.0f), CASSC_T(__h##name##u(a.y, b.y) ? 1.0f : 0.0f)};              \
  }                                                                                                                     \
  CASSC_HD bool __hb##name##2(CASSC_T2 a, CASSC_T2 b) { return __h##name(a.x, b.x) && __h##name(a.y, b.y); }            \
  CASSC_HD bool __hb##name##u2(CASSC_T2 a, CASSC_T2 b) { return __h##name##u(a.x, b.x) && __h##name##u(a.y, b.y); }     \
  CASSC_HD unsigned __h##name##2_mask(CASSC_T2 a, CASSC_T2 b) {                                                         \
    return (__h##name(a.x, b.x) ? 0xffffu : 0u) | (__h##name(a.y, b.y) ? 0xffff0000u : 0u);                             \
  }                                                                                                                     \
  CASSC_HD unsigned __h##name##u2_mask(CASSC_T2 a, CASSC_T2 b) {                                                        \
    return (__h##name##u(a.x, b.x) ? 0xffffu : 0u) | (__h##name##u(a.y, b.y) ? 0xffff0000u : 0u);                       \
  }
CASSC_COMPARE(eq, ==)
CASSC_COMPARE(lt, <)
CASSC_COMPARE(le, <=)
CASSC_COMPARE(gt, >)
CASSC_COMPARE(ge, >=)
#undef CASSC_COMPARE
// "Not equal" is false for NaN in __hne and true in __hneu.
CASSC_HD bool __hneu(CASSC_T a, CASSC_T b) { return static_cast<float>(a) != static_cast<float>(b); }
CASSC_HD bool __hne(CASSC_T a, CASSC_T b) { return !__hisnan(a) && !__hisnan(b) && __hneu(a, b); }
CASSC_HD CASSC_T2 __hne2(CASSC_T2 a, CASSC_T2 b) {
  return {CASSC_T(__hne(a.x, b.x) ? 1.0f : 0.0f), CASSC_T(__hne(a.y, b.y) ? 1.0f : 0.0f)};
}
CASSC_HD CASSC_T2 __hneu2(CASSC_T2 a, CASSC_T2 b) {
  return {CASSC_T(__hneu(a.x, b.x) ? 1.0f : 0.0f), CASSC_T(__hneu(a.y, b.y) ? 1.0f : 0.0f)};
}
CASSC_HD bool __hbne2(CASSC_T2 a, CASSC_T2 b) { return __hne(a.x, b.x) && __hne(a.y, b.y); }
CASSC_HD bool __hbneu2(CASSC_T2 a, CASSC_T2 b) { return __hneu(a.x, b.x) && __hneu(a.y, b.y); }
CASSC_HD unsigned __hne2_mask(CASSC_T2 a, CASSC_T2 b) {
  return (__hne(a.x, b.x) ? 0xffffu : 0u) | (__hne(a.y, b.y) ? 0xffff0000u : 0u);
}
CASSC_HD unsigned __hneu2_mask(CASSC_T2 a, CASSC_T2 b) {
  return (__hneu(a.x, b.x) ? 0xffffu : 0u) | (__hneu(a.y, b.y) ? 0xffff0000u : 0u);
}

// The operators, unless the source asks for none (__CUDA_NO_HALF_OPERATORS__ and its kin): it has its own then.
#if CASSC_OPERATORS
#define CASSC_OPERATOR(op, name)                                                              \
  CASSC_HD CASSC_T operator op(const CASSC_T& a, const CASSC_T& b) { return name(a, b); }     \
  CASSC_HD CASSC_T& operator op##=(CASSC_T& a, const CASSC_T& b) { return a = name(a, b); }
#define CASSC_COMPARISON(op, name) \
  CASSC_HD bool operator op(const CASSC_T& a, const CASSC_T& b) { return name(a, b); }
CASSC_OPERATOR(+, __hadd)
CASSC_OPERATOR(-, __hsub)
CASSC_OPERATOR(*, __hmul)
CASSC_OPERATOR(/, __hdiv)
CASSC_COMPARISON(==, __heq)
CASSC_COMPARISON(!=, __hneu)
CASSC_COMPARISON(<, __hlt)
CASSC_COMPARISON(<=, __hle)
CASSC_COMPARISON(>, __hgt)
CASSC_COMPARISON(>=, __hge)
CASSC_HD CASSC_T operator-(const CASSC_T& a) { return __hneg(a); }
CASSC_HD CASSC_T operator+(const CASSC_T& a) { return a; }
CASSC_HD CASSC_T& operator++(CASSC_T& a) { return a = __hadd(a, CASSC_T(1.0f)); }
CASSC_HD CASSC_T& operator--(CASSC_T& a) { return a = __hsub(a, CASSC_T(1.0f)); }
CASSC_HD CASSC_T operator++(CASSC_T& a, int) { const CASSC_T old = a; ++a; return old; }
CASSC_HD CASSC_T operator--(CASSC_T& a, int) { const CASSC_T old = a; --a; return old; }
#undef CASSC_COMPARISON
#undef CASSC_OPERATOR
#endif
#if CASSC_OPERATORS2
#define CASSC_OPERATOR(op, name)                                                                                          \
  CASSC_HD CASSC_T2 operator op(const CASSC_T2& a, const CASSC_T2& b) { return {name(a.x, b.x), name(a.y, b.y)}; }        \
  CASSC_HD CASSC_T2& operator op##=(CASSC_T2& a, const CASSC_T2& b) { return a = {name(a.x, b.x), name(a.y, b.y)}; }
#define CASSC_COMPARISON(op, name) \
  CASSC_HD bool operator op(const CASSC_T2& a, const CASSC_T2& b) { return name(a, b); }
CASSC_OPERATOR(+, __hadd)
CASSC_OPERATOR(-, __hsub)
CASSC_OPERATOR(*, __hmul)
CASSC_OPERATOR(/, __hdiv)
CASSC_COMPARISON(==, __hbeq2)
CASSC_COMPARISON(!=, __hbneu2)
CASSC_COMPARISON(<, __hblt2)
CASSC_COMPARISON(<=, __hble2)
CASSC_COMPARISON(>, __hbgt2)
CASSC_COMPARISON(>=, __hbge2)
CASSC_HD CASSC_T2 operator-(const CASSC_T2& a) { return {__hneg(a.x), __hneg(a.y)}; }
CASSC_HD CASSC_T2 operator+(const CASSC_T2& a) { return a; }
CASSC_HD CASSC_T2& operator++(CASSC_T2& a) { return a = {__hadd(a.x, CASSC_T(1.0f)), __hadd(a.y, CASSC_T(1.0f))}; }
CASSC_HD CASSC_T2& operator--(CASSC_T2& a) { return a = {__hsub(a.x, CASSC_T(1.0f)), __hsub(a.y, CASSC_T(1.0f))}; }
CASSC_HD CASSC_T2 operator++(CASSC_T2& a, int) { const CASSC_T2 old = a; ++a; return old; }
CASSC_HD CASSC_T2 operator--(CASSC_T2& a, int) { const CASSC_T2 old = a; --a; return old; }
#undef CASSC_COMPARISON
#undef CASSC_OPERATOR
#endif

#define CASSC_PAIR2(name, scalar) \
  CASSC_HD CASSC_T2 name(CASSC_T2 a, CASSC_T2 b) { return {scalar(a.x, b.x), scalar(a.y, b.y)}; }
CASSC_PAIR2(__hadd2, __hadd)
CASSC_PAIR2(__hsub2, __hsub)
CASSC_PAIR2(__hmul2, __hmul)
CASSC_PAIR2(__h2div, __hdiv)
CASSC_PAIR2(__hadd2_rn, __hadd_rn)
CASSC_PAIR2(__hsub2_rn, __hsub_rn)
CASSC_PAIR2(__hmul2_rn, __hmul_rn)
CASSC_PAIR2(__hadd2_sat, __hadd_sat)
CASSC_PAIR2(__hsub2_sat, __hsub_sat)
CASSC_PAIR2(__hmul2_sat, __hmul_sat)
CASSC_PAIR2(__hmin2, __hmin)
CASSC_PAIR2(__hmax2, __hmax)
CASSC_PAIR2(__hmin2_nan, __hmin_nan)
CASSC_PAIR2(__hmax2_nan, __hmax_nan)
#undef CASSC_PAIR2
#define CASSC_PAIR3(name, scalar)                                                                   \
  CASSC_HD CASSC_T2 name(CASSC_T2 a, CASSC_T2 b, CASSC_T2 c) {                                      \
    return {scalar(a.x, b.x, c.x), scalar(a.y, b.y, c.y)};                                          \
  }
CASSC_PAIR3(__hfma2, __hfma)
CASSC_PAIR3(__hfma2_sat, __hfma_sat)
CASSC_PAIR3(__hfma2_relu, __hfma_relu)
#undef CASSC_PAIR3
CASSC_HD CASSC_T2 __hneg2(CASSC_T2 a) { return {__hneg(a.x), __hneg(a.y)}; }
CASSC_HD CASSC_T2 __habs2(CASSC_T2 a) { return {__habs(a.x), __habs(a.y)}; }
CASSC_HD CASSC_T2 __hisnan2(CASSC_T2 a) {
  return {CASSC_T(__hisnan(a.x) ? 1.0f : 0.0f), CASSC_T(__hisnan(a.y) ? 1.0f : 0.0f)};
}
CASSC_HD CASSC_T2 __hcmadd(CASSC_T2 a, CASSC_T2 b, CASSC_T2 c) {
  return {__hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x)), __hfma(a.y, b.x, __hfma(a.x, b.y, c.y))};
}

// Functions: computed in float and rounded.
#ifdef __CUDA_ARCH__
#define CASSC_FUNCTION(name, name2, expression)                                                       \
  CASSC_FN CASSC_T name(CASSC_T a) { const float v = a; return CASSC_T(expression); }                 \
  CASSC_FN CASSC_T2 name2(CASSC_T2 a) { return {name(a.x), name(a.y)}; }
#else
#define CASSC_FUNCTION(name, name2, expression) __device__ CASSC_T name(CASSC_T); __device__ CASSC_T2 name2(CASSC_T2);
#endif
CASSC_FUNCTION(hsqrt, h2sqrt, __builtin_sqrtf(v))
CASSC_FUNCTION(hrsqrt, h2rsqrt, rsqrtf(v))
CASSC_FUNCTION(hrcp, h2rcp, 1.0f / v)
CASSC_FUNCTION(hexp, h2exp, expf(v))
CASSC_FUNCTION(hexp2, h2exp2, exp2f(v))
CASSC_FUNCTION(hexp10, h2exp10, exp10f(v))
CASSC_FUNCTION(hlog, h2log, logf(v))
CASSC_FUNCTION(hlog2, h2log2, log2f(v))
CASSC_FUNCTION(hlog10, h2log10, log10f(v))
CASSC_FUNCTION(hsin, h2sin, sinf(v))
CASSC_FUNCTION(hcos, h2cos, cosf(v))
CASSC_FUNCTION(htanh, h2tanh, tanhf(v))
CASSC_FUNCTION(htanh_approx, h2tanh_approx, tanhf(v))
CASSC_FUNCTION(hfloor, h2floor, __builtin_floorf(v))
CASSC_FUNCTION(hceil, h2ceil, __builtin_ceilf(v))
CASSC_FUNCTION(htrunc, h2trunc, __builtin_truncf(v))
CASSC_FUNCTION(hrint, h2rint, __builtin_rintf(v))
#undef CASSC_FUNCTION

// Conversions.
#define CASSC_MODES(before, after, from, value)                                                                        \
  CASSC_HD CASSC_T CASSC_NAME(before, _rn)(from v) { return CASSC_T::from_bits(cassc::round_to<CASSC_MANTISSA, CASSC_EXPONENT>(value, cassc::Round::nearest)); } \
  CASSC_HD CASSC_T CASSC_NAME(before, _rz)(from v) { return CASSC_T::from_bits(cassc::round_to<CASSC_MANTISSA, CASSC_EXPONENT>(value, cassc::Round::zero)); }    \
  CASSC_HD CASSC_T CASSC_NAME(before, _ru)(from v) { return CASSC_T::from_bits(cassc::round_to<CASSC_MANTISSA, CASSC_EXPONENT>(value, cassc::Round::up)); }      \
  CASSC_HD CASSC_T CASSC_NAME(before, _rd)(from v) { return CASSC_T::from_bits(cassc::round_to<CASSC_MANTISSA, CASSC_EXPONENT>(value, cassc::Round::down)); }
// A 64-bit integer to a double whose last bit tells that it is not exact.
#ifndef CASSC_WIDE_TO_ODD
#define CASSC_WIDE_TO_ODD
namespace cassc {
template <class T_>
CASSC_HD double wide_to_odd(T_ v) {
  return add_to_odd(static_cast<double>(v >> 32) * 4294967296.0, static_cast<double>(static_cast<uint32_t>(v)));
}
}  // namespace cassc
#endif
CASSC_HD CASSC_T CASSC_NAME(__float2, )(float v) { return CASSC_T(v); }
CASSC_HD CASSC_T CASSC_NAME(__double2, )(double v) { return CASSC_T(v); }
CASSC_HD CASSC_T CASSC_NAME(__float2, _rn)(float v) { return CASSC_T(v); }
CASSC_HD CASSC_T CASSC_NAME(__float2, _rz)(float v) { return CASSC_T::from_bits(cassc::round_to<CASSC_MANTISSA, CASSC_EXPONENT>(v, cassc::Round::zero)); }
CASSC_HD CASSC_T CASSC_NAME(__float2, _ru)(float v) { return CASSC_T::from_bits(cassc::round_to<CASSC_MANTISSA, CASSC_EXPONENT>(v, cassc::Round::up)); }
CASSC_HD CASSC_T CASSC_NAME(__float2, _rd)(float v) { return CASSC_T::from_bits(cassc::round_to<CASSC_MANTISSA, CASSC_EXPONENT>(v, cassc::Round::down)); }
CASSC_MODES(__int2, , int, v)
CASSC_MODES(__uint2, , unsigned, v)
CASSC_MODES(__short2, , short, v)
CASSC_MODES(__ushort2, , unsigned short, v)
CASSC_MODES(__ll2, , long long, cassc::wide_to_odd(v))
CASSC_MODES(__ull2, , unsigned long long, cassc::wide_to_odd(v))
#undef CASSC_MODES
CASSC_HD float CASSC_NAME(__, 2float)(CASSC_T v) { return v; }
#define CASSC_INTEGERS(to, type, function)                                                         \
  CASSC_FN type CASSC_NAME(__, 2##to##_rn)(CASSC_T v) CASSC_BODY(return static_cast<type>(function##_rn(v));)  \
  CASSC_FN type CASSC_NAME(__, 2##to##_rz)(CASSC_T v) CASSC_BODY(return static_cast<type>(function##_rz(v));)  \
  CASSC_FN type CASSC_NAME(__, 2##to##_ru)(CASSC_T v) CASSC_BODY(return static_cast<type>(function##_ru(v));)  \
  CASSC_FN type CASSC_NAME(__, 2##to##_rd)(CASSC_T v) CASSC_BODY(return static_cast<type>(function##_rd(v));)
CASSC_INTEGERS(int, int, __float2int)
CASSC_INTEGERS(uint, unsigned, __float2uint)
CASSC_INTEGERS(ll, long long, __float2ll)
CASSC_INTEGERS(ull, unsigned long long, __float2ull)
#undef CASSC_INTEGERS
#ifdef __CUDA_ARCH__
namespace cassc {
CASSC_FN short to_short(CASSC_T v, float rounded) {
  return v != v ? short(0) : rounded > 32767.0f ? short(32767) : rounded < -32768.0f ? short(-32768) : static_cast<short>(rounded);
}
CASSC_FN unsigned short to_ushort(CASSC_T v, float rounded) {
  using Short = unsigned short;
  return v != v ? Short(0) : rounded > 65535.0f ? Short(65535) : rounded < 0.0f ? Short(0) : static_cast<Short>(rounded);
}
}  // namespace cassc
#endif
#define CASSC_SHORTS(mode, round)                                                                                       \
  CASSC_FN short CASSC_NAME(__, 2short_##mode)(CASSC_T v) CASSC_BODY(return cassc::to_short(v, round(float(v)));)       \
  CASSC_FN unsigned short CASSC_NAME(__, 2ushort_##mode)(CASSC_T v) CASSC_BODY(return cassc::to_ushort(v, round(float(v)));)
CASSC_FN signed char CASSC_NAME(__, 2char_rz)(CASSC_T v) CASSC_BODY(
    return v != v ? 0 : static_cast<signed char>(__builtin_fminf(__builtin_fmaxf(v, -128.0f), 127.0f));)
CASSC_FN unsigned char CASSC_NAME(__, 2uchar_rz)(CASSC_T v) CASSC_BODY(
    return v != v ? 0 : static_cast<unsigned char>(__builtin_fminf(__builtin_fmaxf(v, 0.0f), 255.0f));)
CASSC_SHORTS(rn, __builtin_rintf)
CASSC_SHORTS(rz, __builtin_truncf)
CASSC_SHORTS(ru, __builtin_ceilf)
CASSC_SHORTS(rd, __builtin_floorf)
#undef CASSC_SHORTS

// Bits and pairs.
CASSC_HD short CASSC_NAME(__, _as_short)(CASSC_T v) { return static_cast<short>(v.__x); }
CASSC_HD unsigned short CASSC_NAME(__, _as_ushort)(CASSC_T v) { return v.__x; }
CASSC_HD CASSC_T CASSC_NAME(__short_as_, )(short v) { return CASSC_T::from_bits(static_cast<unsigned short>(v)); }
CASSC_HD CASSC_T CASSC_NAME(__ushort_as_, )(unsigned short v) { return CASSC_T::from_bits(v); }
CASSC_HD CASSC_T2 CASSC_NAME2(__float2, _rn)(float v) { return {CASSC_T(v), CASSC_T(v)}; }
CASSC_HD CASSC_T2 CASSC_NAME2(__floats2, _rn)(float low, float high) { return {CASSC_T(low), CASSC_T(high)}; }
CASSC_HD CASSC_T2 CASSC_NAME2(__float22, _rn)(float2 v) { return {CASSC_T(v.x), CASSC_T(v.y)}; }
CASSC_HD float2 CASSC_NAME2(__, 2float2)(CASSC_T2 v) { return float2{v.x, v.y}; }
CASSC_HD float __low2float(CASSC_T2 v) { return v.x; }
CASSC_HD float __high2float(CASSC_T2 v) { return v.y; }
CASSC_HD CASSC_T CASSC_NAME(__low2, )(CASSC_T2 v) { return v.x; }
CASSC_HD CASSC_T CASSC_NAME(__high2, )(CASSC_T2 v) { return v.y; }
CASSC_HD CASSC_T2 CASSC_NAME2(__low2, )(CASSC_T2 v) { return {v.x, v.x}; }
CASSC_HD CASSC_T2 CASSC_NAME2(__high2, )(CASSC_T2 v) { return {v.y, v.y}; }
CASSC_HD CASSC_T2 CASSC_NAME2(__lows2, )(CASSC_T2 a, CASSC_T2 b) { return {a.x, b.x}; }
CASSC_HD CASSC_T2 CASSC_NAME2(__highs2, )(CASSC_T2 a, CASSC_T2 b) { return {a.y, b.y}; }
CASSC_HD CASSC_T2 __lowhigh2highlow(CASSC_T2 v) { return {v.y, v.x}; }
#if CASSC_NATIVE_HALF
CASSC_HD CASSC_T2 __halves2half2(CASSC_T low, CASSC_T high) { return {low, high}; }
CASSC_HD CASSC_T2 __half2half2(CASSC_T v) { return {v, v}; }
CASSC_HD CASSC_T2 make_half2(CASSC_T low, CASSC_T high) { return {low, high}; }
#else
CASSC_HD CASSC_T2 __halves2bfloat162(CASSC_T low, CASSC_T high) { return {low, high}; }
CASSC_HD CASSC_T2 __bfloat162bfloat162(CASSC_T v) { return {v, v}; }
CASSC_HD CASSC_T2 make_bfloat162(CASSC_T low, CASSC_T high) { return {low, high}; }
#endif

#define CASSC_LOAD(name) \
  CASSC_FN CASSC_T name(const CASSC_T* p) CASSC_BODY(return *p;) CASSC_FN CASSC_T2 name(const CASSC_T2* p) CASSC_BODY(return *p;)
CASSC_LOAD(__ldg)
CASSC_LOAD(__ldcg)
CASSC_LOAD(__ldca)
CASSC_LOAD(__ldcs)
#undef CASSC_LOAD
CASSC_SHUFFLES(CASSC_T)
CASSC_SHUFFLES(CASSC_T2)
CASSC_FN CASSC_T atomicAdd(CASSC_T* address, CASSC_T value) CASSC_BODY(
    return (cassc::update<__HIP_MEMORY_SCOPE_AGENT>(address, [=](CASSC_T old) { return __hadd_rn(old, value); }));)
CASSC_FN CASSC_T2 atomicAdd(CASSC_T2* address, CASSC_T2 value) CASSC_BODY(
    return (cassc::update<__HIP_MEMORY_SCOPE_AGENT>(address, [=](CASSC_T2 old) { return __hadd2_rn(old, value); }));)

#undef CASSC_T
#undef CASSC_T2
#undef CASSC_RAW
#undef CASSC_RAW2
#undef CASSC_MANTISSA
#undef CASSC_EXPONENT
#undef CASSC_FROM_FLOAT
#undef CASSC_NAME
#undef CASSC_NAME2
#undef CASSC_NATIVE_HALF
#undef CASSC_OPERATORS
#undef CASSC_OPERATORS2
