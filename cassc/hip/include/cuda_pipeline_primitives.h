// Asynchronous copies to shared memory (CUDA C++ Programming Guide, "Pipeline Primitives"). RDNA3 has no such engine: the copy
// is done at once, so that committing and waiting have nothing left to do but to order memory.
#ifndef CASSC_CUDA_PIPELINE_PRIMITIVES_H
#define CASSC_CUDA_PIPELINE_PRIMITIVES_H
#include "cuda_runtime.h"

CASSC_FN void __pipeline_memcpy_async(void* target, const void* source, size_t size, size_t zero_fill = 0) CASSC_BODY(
    const size_t copied = zero_fill < size ? size - zero_fill : 0;
    unsigned char* const bytes = static_cast<unsigned char*>(target);
    if (zero_fill == 0 && size == 16)
      *static_cast<uint4*>(target) = *static_cast<const uint4*>(source);
    else if (zero_fill == 0 && size == 8)
      *static_cast<uint2*>(target) = *static_cast<const uint2*>(source);
    else if (zero_fill == 0 && size == 4)
      *static_cast<unsigned*>(target) = *static_cast<const unsigned*>(source);
    else
      for (size_t i = 0; i < size; ++i) bytes[i] = i < copied ? static_cast<const unsigned char*>(source)[i] : 0;)
CASSC_FN void __pipeline_commit() CASSC_BODY(__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");)
CASSC_FN void __pipeline_wait_prior(size_t) CASSC_BODY(__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");)
#endif
