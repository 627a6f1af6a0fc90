// Half precision (CUDA Math API, "FP16 Intrinsics").
#ifndef CASSC_CUDA_FP16_H
#define CASSC_CUDA_FP16_H
#define __CUDA_FP16_H__  // by which programs know that the header is there
#include "cuda_runtime.h"

#include "cassc/small_float.h"

#define CUDA_FP16_HPP 1
#define __CUDA_FP16_TYPES_EXIST__ 1
struct __half_raw {
  unsigned short x;
};
struct __half2_raw {
  unsigned short x, y;
};

#define CASSC_T __half
#define CASSC_T2 __half2
#define CASSC_RAW __half_raw
#define CASSC_RAW2 __half2_raw
#define CASSC_MANTISSA 10
#define CASSC_EXPONENT 5
#define CASSC_FROM_FLOAT(x) cassc::half_bits(x)
#define CASSC_NAME(before, after) before##half##after
#define CASSC_NAME2(before, after) before##half2##after
#define CASSC_NATIVE_HALF 1
#ifndef __CUDA_NO_HALF_OPERATORS__
#define CASSC_OPERATORS 1
#endif
#ifndef __CUDA_NO_HALF2_OPERATORS__
#define CASSC_OPERATORS2 1
#endif
#include "cassc/small_float_api.h"

typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;
typedef __half nv_half;
typedef __half2 nv_half2;

#define CUDART_INF_FP16 __ushort_as_half(static_cast<unsigned short>(0x7C00U))
#define CUDART_NAN_FP16 __ushort_as_half(static_cast<unsigned short>(0x7FFFU))
#define CUDART_MIN_DENORM_FP16 __ushort_as_half(static_cast<unsigned short>(0x0001U))
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half(static_cast<unsigned short>(0x7BFFU))
#define CUDART_NEG_ZERO_FP16 __ushort_as_half(static_cast<unsigned short>(0x8000U))
#define CUDART_ZERO_FP16 __ushort_as_half(static_cast<unsigned short>(0x0000U))
#define CUDART_ONE_FP16 __ushort_as_half(static_cast<unsigned short>(0x3C00U))
#endif
