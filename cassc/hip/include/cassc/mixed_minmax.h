// min and max of two integers of different kinds, to the type that nvcc's overloads give; clang's header has the others.
#ifndef CASSC_MIXED_MINMAX_H
#define CASSC_MIXED_MINMAX_H
#define CASSC_MIXED(a_type, b_type, type)                                                                       \
  __host__ __device__ inline type min(a_type a, b_type b) { return (type)a < (type)b ? (type)a : (type)b; }     \
  __host__ __device__ inline type max(a_type a, b_type b) { return (type)a > (type)b ? (type)a : (type)b; }
CASSC_MIXED(unsigned, int, unsigned)
CASSC_MIXED(int, unsigned, unsigned)
CASSC_MIXED(unsigned long, long, unsigned long)
CASSC_MIXED(long, unsigned long, unsigned long)
CASSC_MIXED(unsigned long long, long long, unsigned long long)
CASSC_MIXED(long long, unsigned long long, unsigned long long)
#undef CASSC_MIXED
__host__ __device__ inline double min(float a, double b) { return __builtin_fmin(a, b); }
__host__ __device__ inline double min(double a, float b) { return __builtin_fmin(a, b); }
__host__ __device__ inline double max(float a, double b) { return __builtin_fmax(a, b); }
__host__ __device__ inline double max(double a, float b) { return __builtin_fmax(a, b); }
#ifdef __CUDA_ARCH__
#define CASSC_SAME(type)                                                          \
  __host__ __device__ inline type min(type a, type b) { return a < b ? a : b; }   \
  __host__ __device__ inline type max(type a, type b) { return a > b ? a : b; }
CASSC_SAME(unsigned)
CASSC_SAME(long)
CASSC_SAME(unsigned long)
CASSC_SAME(long long)
CASSC_SAME(unsigned long long)
#undef CASSC_SAME
// clang's header has these for the device only; host code is read along with device code.
__host__ inline float min(float a, float b) { return __builtin_fminf(a, b); }
__host__ inline float max(float a, float b) { return __builtin_fmaxf(a, b); }
__host__ inline double min(double a, double b) { return __builtin_fmin(a, b); }
__host__ inline double max(double a, double b) { return __builtin_fmax(a, b); }
#endif
__host__ __device__ inline unsigned umin(unsigned a, unsigned b) { return a < b ? a : b; }
__host__ __device__ inline unsigned umax(unsigned a, unsigned b) { return a > b ? a : b; }
__host__ __device__ inline long long llmin(long long a, long long b) { return a < b ? a : b; }
__host__ __device__ inline long long llmax(long long a, long long b) { return a > b ? a : b; }
__host__ __device__ inline unsigned long long ullmin(unsigned long long a, unsigned long long b) { return a < b ? a : b; }
__host__ __device__ inline unsigned long long ullmax(unsigned long long a, unsigned long long b) { return a > b ? a : b; }
#endif
