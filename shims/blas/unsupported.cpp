// Functions of cuBLAS without an implementation: each says so once by name. No argument is looked at.
#include <string>

#include "errors.h"
#include "types.h"

#define CUBLAS_MISSING(name)                                                                 \
  extern "C" __attribute__((visibility("default"), weak)) cassc::blas::Status name() {           \
    cassc::rt::report(#name " is not supported", true);                                      \
    return cassc::blas::Status::NotSupported;                                                \
  }
#include "unsupported.def"
