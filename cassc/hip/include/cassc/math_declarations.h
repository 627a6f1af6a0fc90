// The device's mathematical functions that the host's <cmath> lacks, declared where the host's side is compiled. Device code
// gets them from clang's __clang_hip_math.h.
#ifndef CASSC_MATH_DECLARATIONS_H
#define CASSC_MATH_DECLARATIONS_H

#define CASSC_D1(type, name) __device__ type name(type);
#define CASSC_D2(type, name) __device__ type name(type, type);
#define CASSC_FLOAT1(name) CASSC_D1(float, name)
#define CASSC_ROUNDED1(type, name) \
  CASSC_D1(type, name##_rn) CASSC_D1(type, name##_rz) CASSC_D1(type, name##_ru) CASSC_D1(type, name##_rd)
#define CASSC_ROUNDED2(type, name) \
  CASSC_D2(type, name##_rn) CASSC_D2(type, name##_rz) CASSC_D2(type, name##_ru) CASSC_D2(type, name##_rd)
#define CASSC_ROUNDED3(type, name)                                                              \
  __device__ type name##_rn(type, type, type); __device__ type name##_rz(type, type, type);     \
  __device__ type name##_ru(type, type, type); __device__ type name##_rd(type, type, type);

CASSC_FLOAT1(__cosf) CASSC_FLOAT1(__sinf) CASSC_FLOAT1(__tanf) CASSC_FLOAT1(__expf) CASSC_FLOAT1(__exp10f)
CASSC_FLOAT1(__logf) CASSC_FLOAT1(__log2f) CASSC_FLOAT1(__log10f) CASSC_FLOAT1(__saturatef) CASSC_FLOAT1(__frsqrt_rn)
CASSC_D2(float, __powf) CASSC_D2(float, __fdividef) CASSC_D2(float, fdividef)
__device__ void __sincosf(float, float*, float*);
CASSC_ROUNDED2(float, __fadd) CASSC_ROUNDED2(float, __fsub) CASSC_ROUNDED2(float, __fmul) CASSC_ROUNDED2(float, __fdiv)
CASSC_ROUNDED1(float, __frcp) CASSC_ROUNDED1(float, __fsqrt) CASSC_ROUNDED3(float, __fmaf)
CASSC_ROUNDED2(double, __dadd) CASSC_ROUNDED2(double, __dsub) CASSC_ROUNDED2(double, __dmul) CASSC_ROUNDED2(double, __ddiv)
CASSC_ROUNDED1(double, __drcp) CASSC_ROUNDED1(double, __dsqrt) CASSC_ROUNDED3(double, __fma)

// Functions of both kinds of floating point: name(double) and namef(float).
#define CASSC_BOTH1(name) CASSC_D1(double, name) CASSC_D1(float, name##f)
#define CASSC_BOTH2(name) CASSC_D2(double, name) CASSC_D2(float, name##f)
#define CASSC_BOTH3(name) \
  __device__ double name(double, double, double); __device__ float name##f(float, float, float);
#define CASSC_BOTH4(name) \
  __device__ double name(double, double, double, double); __device__ float name##f(float, float, float, float);
CASSC_BOTH1(rsqrt) CASSC_BOTH1(rcbrt) CASSC_BOTH1(sinpi) CASSC_BOTH1(cospi) CASSC_BOTH1(erfinv) CASSC_BOTH1(erfcinv)
CASSC_BOTH1(erfcx) CASSC_BOTH1(normcdf) CASSC_BOTH1(normcdfinv) CASSC_BOTH1(cyl_bessel_i0) CASSC_BOTH1(cyl_bessel_i1)
CASSC_BOTH2(rhypot) CASSC_BOTH3(norm3d) CASSC_BOTH3(rnorm3d) CASSC_BOTH4(norm4d) CASSC_BOTH4(rnorm4d)
__device__ void sincospi(double, double*, double*);
__device__ void sincospif(float, float*, float*);
__device__ double norm(int, const double*);
__device__ float normf(int, const float*);
__device__ double rnorm(int, const double*);
__device__ float rnormf(int, const float*);

// The C names with an f, which the host declares for itself only; and those that clang's forward declarations leave out.
CASSC_FLOAT1(acosf) CASSC_FLOAT1(acoshf) CASSC_FLOAT1(asinf) CASSC_FLOAT1(asinhf) CASSC_FLOAT1(atanf)
CASSC_FLOAT1(atanhf) CASSC_FLOAT1(cbrtf) CASSC_FLOAT1(ceilf) CASSC_FLOAT1(cosf) CASSC_FLOAT1(coshf) CASSC_FLOAT1(erff)
CASSC_FLOAT1(erfcf) CASSC_FLOAT1(expf) CASSC_FLOAT1(exp2f) CASSC_FLOAT1(exp10f) CASSC_FLOAT1(expm1f)
CASSC_FLOAT1(fabsf) CASSC_FLOAT1(floorf) CASSC_FLOAT1(j0f) CASSC_FLOAT1(j1f) CASSC_FLOAT1(lgammaf) CASSC_FLOAT1(logf)
CASSC_FLOAT1(log10f) CASSC_FLOAT1(log1pf) CASSC_FLOAT1(log2f) CASSC_FLOAT1(logbf) CASSC_FLOAT1(nearbyintf)
CASSC_FLOAT1(rintf) CASSC_FLOAT1(roundf) CASSC_FLOAT1(sinf) CASSC_FLOAT1(sinhf) CASSC_FLOAT1(sqrtf) CASSC_FLOAT1(tanf)
CASSC_FLOAT1(tanhf) CASSC_FLOAT1(tgammaf) CASSC_FLOAT1(truncf) CASSC_FLOAT1(y0f) CASSC_FLOAT1(y1f)
CASSC_D2(float, atan2f) CASSC_D2(float, copysignf) CASSC_D2(float, fdimf) CASSC_D2(float, fmaxf) CASSC_D2(float,
fminf) CASSC_D2(float, fmodf) CASSC_D2(float, hypotf) CASSC_D2(float, nextafterf) CASSC_D2(float, powf)
CASSC_D2(float, remainderf)
CASSC_D1(double, exp10) CASSC_D1(double, j0) CASSC_D1(double, j1) CASSC_D1(double, y0) CASSC_D1(double, y1)
__device__ float fmaf(float, float, float);
__device__ float frexpf(float, int*);
__device__ float ldexpf(float, int);
__device__ float modff(float, float*);
__device__ float nanf(const char*);
__device__ float remquof(float, float, int*);
__device__ float scalbnf(float, int);
__device__ float scalblnf(float, long);
__device__ int ilogbf(float);
__device__ long lrintf(float);
__device__ long lroundf(float);
__device__ long long llrintf(float);
__device__ long long llroundf(float);
__device__ void sincos(double, double*, double*);
__device__ void sincosf(float, float*, float*);
__device__ double jn(int, double);
__device__ double yn(int, double);
__device__ float jnf(int, float);
__device__ float ynf(int, float);
__device__ double remquo(double, double, int*);

#undef CASSC_BOTH1
#undef CASSC_BOTH2
#undef CASSC_BOTH3
#undef CASSC_BOTH4
#undef CASSC_ROUNDED1
#undef CASSC_ROUNDED2
#undef CASSC_ROUNDED3
#undef CASSC_FLOAT1
#undef CASSC_D1
#undef CASSC_D2

// min and max are declared for host and device alike, as nvcc does.
#define CASSC_MINMAX(type)                                          \
  __host__ __device__ inline type min(type a, type b) { return a < b ? a : b; } \
  __host__ __device__ inline type max(type a, type b) { return a > b ? a : b; }
CASSC_MINMAX(int)
CASSC_MINMAX(unsigned)
CASSC_MINMAX(long)
CASSC_MINMAX(unsigned long)
CASSC_MINMAX(long long)
CASSC_MINMAX(unsigned long long)
#undef CASSC_MINMAX
__host__ __device__ inline float min(float a, float b) { return __builtin_fminf(a, b); }
__host__ __device__ inline float max(float a, float b) { return __builtin_fmaxf(a, b); }
__host__ __device__ inline double min(double a, double b) { return __builtin_fmin(a, b); }
__host__ __device__ inline double max(double a, double b) { return __builtin_fmax(a, b); }
#endif
