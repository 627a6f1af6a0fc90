// CUDA's vector types (CUDA C++ Programming Guide, "Built-in Vector Types": members and alignments) and dim3.
#ifndef CASSC_VECTOR_TYPES_H
#define CASSC_VECTOR_TYPES_H
#include "cassc/attributes.h"

#define CASSC_VECTOR1(name, type) \
  struct name##1 {                \
    type x;                       \
  };                              \
  typedef struct name##1 name##1;
#define CASSC_VECTOR2(name, type, align)    \
  struct __align__(align) name##2 {         \
    type x, y;                              \
  };                                        \
  typedef struct name##2 name##2;
#define CASSC_VECTOR3(name, type) \
  struct name##3 {                \
    type x, y, z;                 \
  };                              \
  typedef struct name##3 name##3;
#define CASSC_VECTOR4(name, suffix, type, align) \
  struct __align__(align) name##suffix {         \
    type x, y, z, w;                             \
  };                                             \
  typedef struct name##suffix name##suffix;

CASSC_VECTOR1(char, char)
CASSC_VECTOR2(char, char, 2)
CASSC_VECTOR3(char, char)
CASSC_VECTOR4(char, 4, char, 4)
CASSC_VECTOR1(uchar, unsigned char)
CASSC_VECTOR2(uchar, unsigned char, 2)
CASSC_VECTOR3(uchar, unsigned char)
CASSC_VECTOR4(uchar, 4, unsigned char, 4)
CASSC_VECTOR1(short, short)
CASSC_VECTOR2(short, short, 4)
CASSC_VECTOR3(short, short)
CASSC_VECTOR4(short, 4, short, 8)
CASSC_VECTOR1(ushort, unsigned short)
CASSC_VECTOR2(ushort, unsigned short, 4)
CASSC_VECTOR3(ushort, unsigned short)
CASSC_VECTOR4(ushort, 4, unsigned short, 8)
CASSC_VECTOR1(int, int)
CASSC_VECTOR2(int, int, 8)
CASSC_VECTOR3(int, int)
CASSC_VECTOR4(int, 4, int, 16)
CASSC_VECTOR1(uint, unsigned int)
CASSC_VECTOR2(uint, unsigned int, 8)
CASSC_VECTOR3(uint, unsigned int)
CASSC_VECTOR4(uint, 4, unsigned int, 16)
CASSC_VECTOR1(long, long)
CASSC_VECTOR2(long, long, 16)
CASSC_VECTOR3(long, long)
CASSC_VECTOR4(long, 4, long, 16)
CASSC_VECTOR4(long, 4_16a, long, 16)
CASSC_VECTOR4(long, 4_32a, long, 32)
CASSC_VECTOR1(ulong, unsigned long)
CASSC_VECTOR2(ulong, unsigned long, 16)
CASSC_VECTOR3(ulong, unsigned long)
CASSC_VECTOR4(ulong, 4, unsigned long, 16)
CASSC_VECTOR4(ulong, 4_16a, unsigned long, 16)
CASSC_VECTOR4(ulong, 4_32a, unsigned long, 32)
CASSC_VECTOR1(longlong, long long)
CASSC_VECTOR2(longlong, long long, 16)
CASSC_VECTOR3(longlong, long long)
CASSC_VECTOR4(longlong, 4, long long, 16)
CASSC_VECTOR4(longlong, 4_16a, long long, 16)
CASSC_VECTOR4(longlong, 4_32a, long long, 32)
CASSC_VECTOR1(ulonglong, unsigned long long)
CASSC_VECTOR2(ulonglong, unsigned long long, 16)
CASSC_VECTOR3(ulonglong, unsigned long long)
CASSC_VECTOR4(ulonglong, 4, unsigned long long, 16)
CASSC_VECTOR4(ulonglong, 4_16a, unsigned long long, 16)
CASSC_VECTOR4(ulonglong, 4_32a, unsigned long long, 32)
CASSC_VECTOR1(float, float)
CASSC_VECTOR2(float, float, 8)
CASSC_VECTOR3(float, float)
CASSC_VECTOR4(float, 4, float, 16)
CASSC_VECTOR1(double, double)
CASSC_VECTOR2(double, double, 16)
CASSC_VECTOR3(double, double)
CASSC_VECTOR4(double, 4, double, 16)
CASSC_VECTOR4(double, 4_16a, double, 16)
CASSC_VECTOR4(double, 4_32a, double, 32)

#undef CASSC_VECTOR1
#undef CASSC_VECTOR2
#undef CASSC_VECTOR3
#undef CASSC_VECTOR4

struct dim3 {
  unsigned int x, y, z;
#ifdef __cplusplus
  __host__ __device__ constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1) : x(vx), y(vy), z(vz) {}
  __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
#endif
};
typedef struct dim3 dim3;

#endif
