// Mathematical functions that CUDA has on the host too, and the C library lacks (CUDA Math API: "host and device").
#ifndef CASSC_HOST_MATH_H
#define CASSC_HOST_MATH_H

namespace cassc {
// sin(pi x), or its cosine for `quarter` 1. The nearest half is taken off exactly.
__host__ inline double host_sine_of_pi(double x, int quarter) {
  if (__builtin_isinf(x) || x != x) return __builtin_nan("");
  const double halves = ::rint(::fmod(x, 2.0) * 2.0), rest = (::fmod(x, 2.0) - halves * 0.5) * 3.14159265358979323846;
  const int turn = (static_cast<int>(halves) + quarter) & 3;
  const double value = turn & 1 ? ::cos(rest) : ::sin(rest);
  return turn & 2 ? 0.0 - value : value;
}
// The x of which erf is y, or erfc is y: Newton's steps from a start with an error of about 1e-3 (by Winitzki's formula).
__host__ inline double host_inverse_of_erf(double y, double complement) {
  if (y != y || y < -1 || y > 1) return __builtin_nan("");
  if (complement == 0) return __builtin_inf();
  if (complement == 2) return -__builtin_inf();
  if (y == 0) return y;
  const double logarithm = ::log(complement * (2 - complement)), a = 4.3307467508 + logarithm * 0.5;  // 2 / (pi 0.147)
  double x = ::copysign(::sqrt(::sqrt(a * a - logarithm / 0.147) - a), y);
  for (int step = 0; step < 40; ++step) {
    // Where erf is near 1 or -1, its complement tells more.
    const double off = complement < 0.5   ? complement - ::erfc(x)
                       : complement > 1.5 ? ::erfc(-x) - (2 - complement)
                                          : ::erf(x) - y;
    const double change = off * 0.886226925452758014 * ::exp(x * x);
    x -= change;
    if (::fabs(change) <= 1e-16 * ::fabs(x)) break;
  }
  return x;
}
}  // namespace cassc

#define CASSC_HOST1(name, expression)                                                \
  __host__ inline double name(double x) { return expression; }                       \
  __host__ inline float name##f(float single) {                                      \
    const double x = single;                                                         \
    return static_cast<float>(expression);                                           \
  }
CASSC_HOST1(rsqrt, 1.0 / ::sqrt(x))
CASSC_HOST1(rcbrt, 1.0 / ::cbrt(x))
CASSC_HOST1(sinpi, cassc::host_sine_of_pi(x, 0))
CASSC_HOST1(cospi, cassc::host_sine_of_pi(x, 1))
CASSC_HOST1(normcdf, 0.5 * ::erfc(x * -0.70710678118654752440))
CASSC_HOST1(erfinv, cassc::host_inverse_of_erf(x, 1.0 - x))
CASSC_HOST1(erfcinv, cassc::host_inverse_of_erf(1.0 - x, x))
CASSC_HOST1(normcdfinv, -1.41421356237309504880 * cassc::host_inverse_of_erf(1.0 - 2.0 * x, 2.0 * x))
#undef CASSC_HOST1
__host__ inline void sincospi(double x, double* sine, double* cosine) { *sine = sinpi(x), *cosine = cospi(x); }
__host__ inline void sincospif(float x, float* sine, float* cosine) { *sine = sinpif(x), *cosine = cospif(x); }
__host__ inline double rhypot(double x, double y) { return 1.0 / ::hypot(x, y); }
__host__ inline float rhypotf(float x, float y) { return static_cast<float>(1.0 / ::hypot((double)x, (double)y)); }
__host__ inline double norm3d(double x, double y, double z) { return ::hypot(::hypot(x, y), z); }
__host__ inline float norm3df(float x, float y, float z) { return static_cast<float>(norm3d((double)x, y, z)); }
__host__ inline double rnorm3d(double x, double y, double z) { return 1.0 / norm3d(x, y, z); }
__host__ inline float rnorm3df(float x, float y, float z) { return static_cast<float>(rnorm3d((double)x, y, z)); }
__host__ inline double norm4d(double x, double y, double z, double w) { return ::hypot(::hypot(x, y), ::hypot(z, w)); }
__host__ inline float norm4df(float x, float y, float z, float w) { return static_cast<float>(norm4d((double)x, y, z, w)); }
__host__ inline double rnorm4d(double x, double y, double z, double w) { return 1.0 / norm4d(x, y, z, w); }
__host__ inline float rnorm4df(float x, float y, float z, float w) { return static_cast<float>(rnorm4d((double)x, y, z, w)); }
__host__ inline float fdividef(float x, float y) { return x / y; }
#endif
