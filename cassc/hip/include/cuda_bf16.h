// bfloat16 (CUDA Math API, "Bfloat16 Precision Intrinsics"). RDNA3 has no such arithmetic: it is done in wider formats and rounded
// once.
#ifndef CASSC_CUDA_BF16_H
#define CASSC_CUDA_BF16_H
#define __CUDA_BF16_H__  // by which programs know that the header is there
#include "cuda_runtime.h"

#include "cassc/small_float.h"

#define __CUDA_BF16_TYPES_EXIST__ 1
struct __nv_bfloat16_raw {
  unsigned short x;
};
struct __nv_bfloat162_raw {
  unsigned short x, y;
};

#define CASSC_T __nv_bfloat16
#define CASSC_T2 __nv_bfloat162
#define CASSC_RAW __nv_bfloat16_raw
#define CASSC_RAW2 __nv_bfloat162_raw
#define CASSC_MANTISSA 7
#define CASSC_EXPONENT 8
#define CASSC_FROM_FLOAT(x) cassc::bfloat_bits(x)
#define CASSC_NAME(before, after) before##bfloat16##after
#define CASSC_NAME2(before, after) before##bfloat162##after
#define CASSC_NATIVE_HALF 0
#ifndef __CUDA_NO_BFLOAT16_OPERATORS__
#define CASSC_OPERATORS 1
#endif
#ifndef __CUDA_NO_BFLOAT162_OPERATORS__
#define CASSC_OPERATORS2 1
#endif
#include "cassc/small_float_api.h"

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

#define CUDART_INF_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x7F80U))
#define CUDART_NAN_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x7FFFU))
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x0001U))
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x7F7FU))
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x8000U))
#define CUDART_ZERO_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x0000U))
#define CUDART_ONE_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x3F80U))
#endif
