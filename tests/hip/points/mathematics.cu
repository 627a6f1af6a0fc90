// Mathematical functions by CUDA's names, with their intrinsics; those that CUDA has on the host are there too.
#include "check.h"
#include <cmath>
#include <math_constants.h>
#define F1(X)                                                                                                          \
  X(acosf, 0.5f)                                                                                                       \
  X(acoshf, 1.5f)                                                                                                      \
  X(asinf, 0.5f) X(asinhf, 0.5f) X(atanf, 0.5f) X(atanhf, 0.5f) X(cbrtf, 2.f) X(ceilf, 1.2f) X(cosf, 1.f)              \
      X(coshf, 1.f) X(erff, 0.5f) X(erfcf, 0.5f) X(expf, 1.f) X(exp2f, 1.5f) X(expm1f, 0.1f) X(fabsf, -1.f)            \
          X(floorf, 1.7f) X(j0f, 1.f) X(j1f, 1.f) X(lgammaf, 2.5f) X(logf, 2.f) X(log10f, 2.f) X(log1pf, 0.5f)         \
              X(log2f, 3.f) X(logbf, 5.f) X(nearbyintf, 2.5f) X(rintf, 1.5f) X(roundf, 2.5f) X(sinf, 1.f)              \
                  X(sinhf, 1.f) X(sqrtf, 2.f) X(tanf, 1.f) X(tanhf, 1.f) X(tgammaf, 2.5f) X(truncf, -1.5f) X(y0f, 1.f) \
                      X(y1f, 1.f)
#define D1(X)                                                                                                         \
  X(acos, 0.5)                                                                                                        \
  X(acosh, 1.5)                                                                                                       \
  X(asin, 0.5) X(asinh, 0.5) X(atan, 0.5) X(atanh, 0.5) X(cbrt, 2.) X(ceil, 1.2) X(cos, 1.) X(cosh, 1.) X(erf, 0.5)   \
      X(erfc, 0.5) X(exp, 1.) X(exp2, 1.5) X(exp10, 1.5) X(expm1, 0.1) X(fabs, -1.) X(floor, 1.7) X(j0, 1.) X(j1, 1.) \
          X(lgamma, 2.5) X(log, 2.) X(log10, 2.) X(log1p, 0.5) X(log2, 3.) X(logb, 5.) X(nearbyint, 2.5) X(rint, 1.5) \
              X(round, 2.5) X(sin, 1.) X(sinh, 1.) X(sqrt, 2.) X(tan, 1.) X(tanh, 1.) X(tgamma, 2.5) X(trunc, -1.5)   \
                  X(y0, 1.) X(y1, 1.)
__global__ void k(float* f, double* d, int* e) {
  int n = 0;
#define X(g, x) f[n++] = g(x);
  F1(X)
#undef X
  n = 0;
#define X(g, x) d[n++] = g(x);
  D1(X)
#undef X
  n = 0;
  auto put = [&](double x, double w) {
    if (!(fabs(x - w) <= 1e-5 * fabs(w) + 1e-7)) e[n] = 1;
    n++;
  };
  put(rsqrtf(4.f), 0.5);
  put(rsqrt(4.), 0.5);
  put(rcbrtf(8.f), 0.5);
  put(sinpif(0.5f), 1);
  put(cospi(1.), -1);
  put(erfinvf(0.f), 0);
  put(normcdff(0.f), 0.5);
  put(normcdfinv(0.5), 0);
  put(erfcinv(1.), 0);
  put(erfcxf(0.f), 1);
  put(hypotf(3, 4), 5);
  put(rhypot(3., 4.), 0.2);
  put(norm3df(1, 2, 2), 3);
  put(norm4d(1., 1., 1., 1.), 2);
  put(rnorm3d(1., 2., 2.), 1 / 3.);
  put(cyl_bessel_i0f(0.f), 1);
  put(cyl_bessel_i1(0.), 0);  // 10-16
  float s, c;
  sincosf(0.5f, &s, &c);
  put(s * s + c * c, 1);
  double sd, cd;
  sincospi(0.5, &sd, &cd);
  put(sd, 1);
  __sincosf(0.f, &s, &c);
  put(c, 1);
  put(powf(2, 10), 1024);
  put(pow(2., 0.5), 1.41421356);
  put(pow(2.f, 3), 8);
  put(fmodf(5.5f, 2), 1.5);
  put(remainder(5.5, 2.), -0.5);
  put(fmaf(2, 3, 4), 10);
  put(fdimf(5, 3), 2);
  put(ldexpf(1, 4), 16);
  int q;
  put(frexp(8., &q), 0.5);
  put(q, 4);
  put(remquof(7, 2, &q), -1);
  put(modf(2.5, &sd), 0.5);
  put(copysignf(1, -2), -1);
  put(nextafterf(1, 2) > 1, 1);
  put(ilogbf(8), 3);
  put(scalbnf(1, 3), 8);
  put(lroundf(2.5f), 3);
  put(lrint(2.5), 2);
  put(llroundf(-2.5f), -3);
  put(__fdividef(1, 4), 0.25);
  put(__expf(1), 2.7182818);
  put(__logf(2.f), 0.693147);
  put(__powf(2, 3), 8);
  put(__sinf(0.5f), 0.479426);
  put(__tanf(0.5f), 0.546302);
  put(__log10f(100), 2);
  put(__exp10f(2), 100);
  put(__saturatef(3), 1);
  put(__fadd_rn(1, 2) + __fmul_rz(2, 3) + __fsub_rd(1, 1) + __fdiv_ru(1, 2), 9.5);
  put(__fmaf_rn(1, 2, 3), 5);
  put(__frcp_rn(4), 0.25);
  put(__fsqrt_rn(9), 3);
  put(__frsqrt_rn(4), 0.5);
  put(__dadd_rn(1, 2) + __ddiv_rn(1, 2) + __dsqrt_rn(4) + __drcp_rn(2) + __dmul_rn(2, 2) + __fma_rn(1, 1, 1), 12);
  put(__float2int_rn(2.5f) + __float2int_rz(2.9f) + __float2int_ru(2.1f) + __float2uint_rd(2.9f), 9);
  put(__int2float_rn(7) + __uint2float_rz(7u) + __ll2float_rn(7), 21);
  put(__double2int_rn(2.5) + __double2ll_rd(2.9) + __int2double_rn(3), 7);
  put(__float_as_int(1.f) == 0x3f800000 && __int_as_float(0x40000000) == 2.f &&
          __double_as_longlong(1.) == 0x3ff0000000000000ll,
      1);
  put(__hiloint2double(0x3ff00000, 0), 1);
  put(__double2hiint(1.) == 0x3ff00000 && __double2loint(1.) == 0, 1);
  put(__clz(1) + __clzll(1) + __ffs(8) + __ffsll(8) + __popc(7) + __popcll(7), 31 + 63 + 4 + 4 + 3 + 3);
  put(__brev(1u) == 0x80000000u && __brevll(1) == 1ull << 63, 1);
  put(__byte_perm(0x12345678, 0, 0x0123) == 0x78563412, 1);
  put(__mulhi(1 << 30, 8) + __umulhi(1u << 31, 4) + __mul64hi(1ll << 62, 4) + (int)__umul64hi(1ull << 63, 2),
      2 + 2 + 1 + 1);
  put(__mul24(3, 4) + __umul24(3, 4) + __sad(1, 5, 2) + __usad(1u, 5u, 2u) + __hadd(3, 5) + __rhadd(3, 4),
      12 + 12 + 6 + 6 + 4 + 4);
  put(__funnelshift_l(0, 1, 4) + __funnelshift_r(16, 0, 4), 17);
  put(__dp4a(0x01020304, 0x01010101, 5) + __dp2a_lo(0x00010002, 0x0101, 0), 15 + 3);
  put(__vadd4(0x01010101, 0x01010101) == 0x02020202 && __vabsdiffu4(0x05, 0x03) == 2 && __vmaxs2(1, 2) == 2, 1);
  put(abs(-3) + labs(-3l) + llabs(-3ll) + fabs(-3.f), 12);
  put(fmax(1.f, 2.f) + fmin(1., 2.) + fmaxf(1, NAN), 4);
  put(isfinite(1.f) + isnan(NAN) + isinf(INFINITY) + signbit(-1.), 4);
  put(std::sqrt(4.f) + std::pow(2.f, 2.f) + std::abs(-1.f) + std::exp(0.), 8);
  put(nan("") != nan(""), 1);
  put(max(1, 2) + max(1u, 2) + min(1.f, 2.f) + max(1ll, 2ll) + min(2ul, 1ul), 8);
  put(umin(1u, 2u), 1);
  put(jn(0, 1.0), 0.765197686);
  put(ynf(1, 1.f), -0.781212821);
  put(normf(3, (const float*)f) > 0, 1);
  put(fdividef(1.f, 2.f), .5);
  put(exp10f(2.f), 100);
  put(CUDART_PI > 3, 1);
  put(CUDART_INF_F > 3, 1);
}
#undef X
int main() {
  float* f = managed<float>(64);
  double* d = managed<double>(64);
  int* e = managed<int>(256);
  k<<<1, 1>>>(f, d, e);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  int n = 0;
#define X(g, x)                                                                            \
  if (fabsf(f[n] - g(x)) > 1e-5f * fabsf(g(x)) + 1e-6f) printf(#g " %g %g\n", f[n], g(x)); \
  n++;
  F1(X)
#undef X
  n = 0;
#define X(g, x)                                                                        \
  if (fabs(d[n] - g(x)) > 1e-12 * fabs(g(x))) printf(#g " %.17g %.17g\n", d[n], g(x)); \
  n++;
  D1(X)
  for (int i = 0; i < 256; ++i)
    if (e[i]) printf("check %d\n", i);
  CHECK(rsqrtf(4.f) == .5f && rsqrt(4.) == .5 && fabs(sinpi(0.5) - 1) < 1e-12 && exp10(2.) == 100 &&
        normcdf(0.) == 0.5);
  done();
}
