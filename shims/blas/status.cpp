// Names and texts of cublasStatus_t.
#include "handle.h"

namespace cassc::blas {

#define CASSC_STATUS(name, number, text) \
  case number: return named ? "CUBLAS_STATUS_" #name : text;
const char* describe(int status, bool named) {
  switch (status) {
    CASSC_STATUS(SUCCESS, 0, "success")
    CASSC_STATUS(NOT_INITIALIZED, 1, "the library was not initialized")
    CASSC_STATUS(ALLOC_FAILED, 3, "the resource allocation failed")
    CASSC_STATUS(INVALID_VALUE, 7, "an unsupported value or parameter was passed to the function")
    CASSC_STATUS(ARCH_MISMATCH, 8, "the function requires an architectural feature absent from the device")
    CASSC_STATUS(MAPPING_ERROR, 11, "an access to GPU memory space failed")
    CASSC_STATUS(EXECUTION_FAILED, 13, "the function failed to launch on the GPU")
    CASSC_STATUS(INTERNAL_ERROR, 14, "an internal operation failed")
    CASSC_STATUS(NOT_SUPPORTED, 15, "the requested functionality is not supported")
    CASSC_STATUS(LICENSE_ERROR, 16, "the license check failed")
  }
  return "unrecognized status";
}

}  // namespace cassc::blas
