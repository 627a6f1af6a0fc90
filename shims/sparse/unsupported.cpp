// Functions of cuSPARSE without an implementation: each says so once by name. No argument is looked at.
#include "errors.h"

#define CUSPARSE_MISSING(name)                                                              \
  extern "C" __attribute__((visibility("default"), weak)) int name() {                      \
    cassc::rt::report(#name " is not supported", true);                                     \
    return 10; /* CUSPARSE_STATUS_NOT_SUPPORTED */                                          \
  }
#include "unsupported.def"
