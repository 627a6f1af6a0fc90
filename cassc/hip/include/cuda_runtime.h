// What every CUDA source sees first (nvcc includes it unasked; so does the source engine): the runtime API and the device
// functions that CUDA declares without a header of their own.
#ifndef CASSC_CUDA_RUNTIME_H
#define CASSC_CUDA_RUNTIME_H
#define __CUDA_RUNTIME_H__  // by which programs know that the header is there
#include "cassc/attributes.h"
#include "cuda_runtime_api.h"
#include "library_types.h"
#if defined(__cplusplus) && !defined(__CUDACC__)  // a host compiler: the runtime API, and no device functions
#include "cassc/runtime_templates.h"
#include "vector_functions.h"
#elif defined(__cplusplus)
#include "cassc/math.h"
#include "cassc/launch.h"
#include "cassc/runtime_templates.h"
#include "vector_functions.h"
#include "cassc/builtin_variables.h"
#include "cassc/synchronize.h"
#include "cassc/integer.h"
#include "cassc/simd.h"
#include "cassc/convert.h"
#include "cassc/warp.h"
#include "cassc/atomic.h"
#include "cassc/memory.h"
#include "cassc/output.h"
#include "cassc/texture.h"
#ifdef __CUDACC_EXTENDED_LAMBDA__
#include <functional>
#endif
// Sources take nvcc's branches, not HIP's: the macros have done their work in clang's own headers.
#undef __HIP__
#undef __HIPCC__
#undef __HIP_DEVICE_COMPILE__
#undef __HIP_PLATFORM_AMD__
#endif
#endif
