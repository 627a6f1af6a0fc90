// Complex numbers of CUDA's C interface, for the host and the device.
#ifndef CASSC_CUCOMPLEX_H
#define CASSC_CUCOMPLEX_H
#define CU_COMPLEX_H_  // by which programs know that the header is there
#include <math.h>

#include "vector_types.h"
#ifdef __cplusplus
#include "cuda_runtime.h"
#define CASSC_COMPLEX_FN __host__ __device__ static __inline__
#else
#define CASSC_COMPLEX_FN static __inline__
#endif

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

// cuC*f of floats, cuC* of doubles. Quotients and absolute values are scaled, so that they overflow only where the result does.
#define CASSC_COMPLEX(type, maker, real, suffix, root, absolute)                                                           \
  CASSC_COMPLEX_FN real cuCreal##suffix(type x) { return x.x; }                                                       \
  CASSC_COMPLEX_FN real cuCimag##suffix(type x) { return x.y; }                                                       \
  CASSC_COMPLEX_FN type maker(real r, real i) {                                                            \
    type x;                                                                                                           \
    x.x = r;                                                                                                          \
    x.y = i;                                                                                                          \
    return x;                                                                                                         \
  }                                                                                                                   \
  CASSC_COMPLEX_FN type cuConj##suffix(type x) { return maker(x.x, -x.y); }                                \
  CASSC_COMPLEX_FN type cuCadd##suffix(type x, type y) { return maker(x.x + y.x, x.y + y.y); }             \
  CASSC_COMPLEX_FN type cuCsub##suffix(type x, type y) { return maker(x.x - y.x, x.y - y.y); }             \
  CASSC_COMPLEX_FN type cuCmul##suffix(type x, type y) {                                                              \
    return maker(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x);                                            \
  }                                                                                                                   \
  CASSC_COMPLEX_FN type cuCdiv##suffix(type x, type y) {                                                              \
    const real scale = 1 / (absolute(y.x) + absolute(y.y));                                                           \
    const real xr = x.x * scale, xi = x.y * scale, yr = y.x * scale, yi = y.y * scale;                                \
    const real inverse = 1 / (yr * yr + yi * yi);                                                                     \
    return maker((xr * yr + xi * yi) * inverse, (xi * yr - xr * yi) * inverse);                            \
  }                                                                                                                   \
  CASSC_COMPLEX_FN real cuCabs##suffix(type x) {                                                                      \
    const real a = absolute(x.x), b = absolute(x.y), large = a > b ? a : b, small = a > b ? b : a;                    \
    if (large == 0 || large - large != 0) return large + small; /* 0, infinity or no number */                        \
    const real ratio = small / large;                                                                                 \
    return large * root(1 + ratio * ratio);                                                                           \
  }
CASSC_COMPLEX(cuFloatComplex, make_cuFloatComplex, float, f, sqrtf, fabsf)
CASSC_COMPLEX(cuDoubleComplex, make_cuDoubleComplex, double, , sqrt, fabs)
#undef CASSC_COMPLEX

CASSC_COMPLEX_FN cuComplex make_cuComplex(float r, float i) { return make_cuFloatComplex(r, i); }
CASSC_COMPLEX_FN cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex x) { return make_cuDoubleComplex(x.x, x.y); }
CASSC_COMPLEX_FN cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex x) {
  return make_cuFloatComplex((float)x.x, (float)x.y);
}
// x y + d, each part by two fused steps.
CASSC_COMPLEX_FN cuComplex cuCfmaf(cuComplex x, cuComplex y, cuComplex d) {
  return make_cuComplex(fmaf(-x.y, y.y, fmaf(x.x, y.x, d.x)), fmaf(x.y, y.x, fmaf(x.x, y.y, d.y)));
}
CASSC_COMPLEX_FN cuDoubleComplex cuCfma(cuDoubleComplex x, cuDoubleComplex y, cuDoubleComplex d) {
  return make_cuDoubleComplex(fma(-x.y, y.y, fma(x.x, y.x, d.x)), fma(x.y, y.x, fma(x.x, y.y, d.y)));
}
#undef CASSC_COMPLEX_FN
#endif
