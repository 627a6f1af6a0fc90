// make_int2 and the like (CUDA C++ Programming Guide, "Built-in Vector Types").
#ifndef CASSC_VECTOR_FUNCTIONS_H
#define CASSC_VECTOR_FUNCTIONS_H
#define __VECTOR_FUNCTIONS_H__  // by which programs know that the header is there
#include "vector_types.h"

#define CASSC_MAKE(name, type)                                                                                    \
  CASSC_HD name##1 make_##name##1(type x) { return name##1{x}; }                                                  \
  CASSC_HD name##2 make_##name##2(type x, type y) { return name##2{x, y}; }                                       \
  CASSC_HD name##3 make_##name##3(type x, type y, type z) { return name##3{x, y, z}; }                            \
  CASSC_HD name##4 make_##name##4(type x, type y, type z, type w) { return name##4{x, y, z, w}; }
#define CASSC_MAKE_WIDE(name, type)                                                                               \
  CASSC_MAKE(name, type)                                                                                          \
  CASSC_HD name##4_16a make_##name##4_16a(type x, type y, type z, type w) { return name##4_16a{x, y, z, w}; }     \
  CASSC_HD name##4_32a make_##name##4_32a(type x, type y, type z, type w) { return name##4_32a{x, y, z, w}; }

CASSC_MAKE(char, char)
CASSC_MAKE(uchar, unsigned char)
CASSC_MAKE(short, short)
CASSC_MAKE(ushort, unsigned short)
CASSC_MAKE(int, int)
CASSC_MAKE(uint, unsigned int)
CASSC_MAKE_WIDE(long, long)
CASSC_MAKE_WIDE(ulong, unsigned long)
CASSC_MAKE_WIDE(longlong, long long)
CASSC_MAKE_WIDE(ulonglong, unsigned long long)
CASSC_MAKE(float, float)
CASSC_MAKE_WIDE(double, double)

#undef CASSC_MAKE
#undef CASSC_MAKE_WIDE
#endif
