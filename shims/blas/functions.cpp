// The entry points of functions.def and small_functions.def, for int and for int64_t.
#include "batched_lapack.h"
#include "gemm.h"
#include "hipblas.h"
#include "level3.h"

#define ENTRY(symbol, implementation, parameters, arguments)                                      \
  extern "C" __attribute__((visibility("default"))) cassc::blas::Status cublas##symbol parameters { \
    return cassc::blas::guarded(handle, [&] {                                                     \
      if (handle->hip) return cassc::blas::ByHipblas{#symbol} arguments;                          \
      return cassc::blas::implementation arguments;                                               \
    });                                                                                           \
  }

#define INT int
#define CUBLAS_V2(symbol, implementation, parameters, arguments) ENTRY(symbol##_v2, implementation, parameters, arguments)
#define CUBLAS(symbol, implementation, parameters, arguments) ENTRY(symbol, implementation, parameters, arguments)
#include <cassc/functions.def>
#include <cassc/small_functions.def>
#undef INT
#undef CUBLAS_V2
#undef CUBLAS

#define INT int64_t
#define CUBLAS_V2(symbol, implementation, parameters, arguments) ENTRY(symbol##_v2_64, implementation, parameters, arguments)
#define CUBLAS(symbol, implementation, parameters, arguments) ENTRY(symbol##_64, implementation, parameters, arguments)
#include <cassc/functions.def>
