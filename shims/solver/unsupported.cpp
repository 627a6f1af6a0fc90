// Functions of cuSOLVER without an implementation: each says so once by name. No argument is looked at.
#include <string>

#include "dense.h"
#include "errors.h"

#define CUSOLVER_MISSING(name)                                                               \
  extern "C" __attribute__((visibility("default"), weak)) cassc::solver::Status name() {         \
    cassc::rt::report(#name " is not supported", true);                                      \
    return cassc::solver::Status::NotSupported;                                              \
  }
#include "unsupported.def"
