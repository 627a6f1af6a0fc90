// CUDA's vector types (CUDA C++ Programming Guide, "Built-in Vector Types": members and alignments) and dim3.
#ifndef CASSC_VECTOR_TYPES_H
#define CASSC_VECTOR_TYPES_H
#define __VECTOR_TYPES_H__  // by which programs know that the header is there
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

// All sizes of a type, with the alignments of two and of four members.
#define CASSC_VECTORS(name, type, of_two, of_four) \
  CASSC_VECTOR1(name, type)                        \
  CASSC_VECTOR2(name, type, of_two)                \
  CASSC_VECTOR3(name, type)                        \
  CASSC_VECTOR4(name, 4, type, of_four)
// Types of eight bytes have three forms of four members.
#define CASSC_WIDE_VECTORS(name, type)  \
  CASSC_VECTORS(name, type, 16, 16)     \
  CASSC_VECTOR4(name, 4_16a, type, 16)  \
  CASSC_VECTOR4(name, 4_32a, type, 32)

CASSC_VECTORS(char, char, 2, 4)
CASSC_VECTORS(uchar, unsigned char, 2, 4)
CASSC_VECTORS(short, short, 4, 8)
CASSC_VECTORS(ushort, unsigned short, 4, 8)
CASSC_VECTORS(int, int, 8, 16)
CASSC_VECTORS(uint, unsigned int, 8, 16)
CASSC_VECTORS(float, float, 8, 16)
CASSC_WIDE_VECTORS(long, long)
CASSC_WIDE_VECTORS(ulong, unsigned long)
CASSC_WIDE_VECTORS(longlong, long long)
CASSC_WIDE_VECTORS(ulonglong, unsigned long long)
CASSC_WIDE_VECTORS(double, double)

#undef CASSC_WIDE_VECTORS
#undef CASSC_VECTORS
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
