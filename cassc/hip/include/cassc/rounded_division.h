// Quotients and square roots rounded to zero, up and down, which older versions of AMD's device library lack: the result to
// nearest, moved by one where the exact remainder says so.
#ifndef CASSC_ROUNDED_DIVISION_H
#define CASSC_ROUNDED_DIVISION_H

namespace cassc {
CASSC_FN float neighbour(float x, bool up) {
  const int bits = __builtin_bit_cast(int, x);
  if (bits << 1 == 0) return __builtin_bit_cast(float, up ? 1 : static_cast<int>(0x80000001));
  return __builtin_bit_cast(float, bits + ((bits >= 0) == up ? 1 : -1));
}
CASSC_FN double neighbour(double x, bool up) {
  const long long bits = __builtin_bit_cast(long long, x);
  if (bits << 1 == 0) return __builtin_bit_cast(double, up ? 1ll : static_cast<long long>(0x8000000000000001));
  return __builtin_bit_cast(double, bits + ((bits >= 0) == up ? 1 : -1));
}
// direction: 0 to zero, 1 up, -1 down.
template <class T_>
CASSC_FN T_ directed_quotient(T_ a, T_ b, int direction) {
  const T_ nearest = a / b;
  if (nearest != nearest || __builtin_isinf(a) || __builtin_isinf(b) || b == 0 || a == 0) return nearest;
  const bool negative = __builtin_signbit(a) != __builtin_signbit(b);
  const bool up = direction == 1 || (direction == 0 && negative);
  if (__builtin_isinf(nearest)) return negative == up ? neighbour(nearest, up) : nearest;
  // Both operands to [0.5, 1), so that neither the product nor the remainder leaves the range.
  int of_a, of_b;
  T_ x, y, quotient;
  if constexpr (sizeof(T_) == 4) {
    x = frexpf(a, &of_a);
    y = frexpf(b, &of_b);
    quotient = ldexpf(nearest, of_b - of_a);
  } else {
    x = frexp(a, &of_a);
    y = frexp(b, &of_b);
    quotient = ldexp(nearest, of_b - of_a);
  }
  const T_ remainder = __builtin_elementwise_fma(-quotient, y, x);  // exact: a / b - nearest, times y
  const T_ side = __builtin_signbit(y) ? -remainder : remainder;
  if (up && side > 0) return neighbour(nearest, true);
  if (!up && side < 0) return neighbour(nearest, false);
  return nearest;
}
template <class T_>
CASSC_FN T_ directed_root(T_ a, bool up) {
  const T_ nearest = __builtin_elementwise_sqrt(a);
  if (!(a > 0) || __builtin_isinf(a)) return nearest;
  int exponent;
  T_ x, root;
  if constexpr (sizeof(T_) == 4) {
    x = frexpf(a, &exponent);
    if (exponent & 1) x *= 2;
    root = ldexpf(nearest, -(exponent >> 1));
  } else {
    x = frexp(a, &exponent);
    if (exponent & 1) x *= 2;
    root = ldexp(nearest, -(exponent >> 1));
  }
  const T_ remainder = __builtin_elementwise_fma(-root, root, x);  // exact
  if (up && remainder > 0) return neighbour(nearest, true);
  if (!up && remainder < 0) return neighbour(nearest, false);
  return nearest;
}
}  // namespace cassc

extern "C" {
#define CASSC_ROOT(mode, up)                                                                                      \
  __device__ inline __attribute__((always_inline)) float __ocml_sqrt_##mode##_f32(float a) {                      \
    return cassc::directed_root(a, up);                                                                           \
  }                                                                                                               \
  __device__ inline __attribute__((always_inline)) double __ocml_sqrt_##mode##_f64(double a) {                    \
    return cassc::directed_root(a, up);                                                                           \
  }
CASSC_ROOT(rtz, false)
CASSC_ROOT(rtp, true)
CASSC_ROOT(rtn, false)
#undef CASSC_ROOT
__device__ inline __attribute__((always_inline)) float __ocml_sqrt_rte_f32(float a) { return __builtin_sqrtf(a); }
__device__ inline __attribute__((always_inline)) double __ocml_sqrt_rte_f64(double a) { return __builtin_sqrt(a); }
__device__ inline __attribute__((always_inline)) float __ocml_div_rtz_f32(float a, float b) { return cassc::directed_quotient(a, b, 0); }
__device__ inline __attribute__((always_inline)) float __ocml_div_rtp_f32(float a, float b) { return cassc::directed_quotient(a, b, 1); }
__device__ inline __attribute__((always_inline)) float __ocml_div_rtn_f32(float a, float b) { return cassc::directed_quotient(a, b, -1); }
__device__ inline __attribute__((always_inline)) float __ocml_div_rte_f32(float a, float b) { return a / b; }
__device__ inline __attribute__((always_inline)) double __ocml_div_rtz_f64(double a, double b) { return cassc::directed_quotient(a, b, 0); }
__device__ inline __attribute__((always_inline)) double __ocml_div_rtp_f64(double a, double b) { return cassc::directed_quotient(a, b, 1); }
__device__ inline __attribute__((always_inline)) double __ocml_div_rtn_f64(double a, double b) { return cassc::directed_quotient(a, b, -1); }
__device__ inline __attribute__((always_inline)) double __ocml_div_rte_f64(double a, double b) { return a / b; }
}
#endif
