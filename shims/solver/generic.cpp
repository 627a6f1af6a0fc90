// cuSOLVER's functions that are given element types by number (cuSOLVER manual, "64-bit API").
#include "dense.h"
#include "errors.h"

#define CASSC_API extern "C" __attribute__((visibility("default")))

using namespace cassc::solver;

namespace {

// Advanced options, of which there are none here.
struct Parameters {};

template <class T>
Status eigen(cusolverDnHandle_t h, cusolverEigMode_t jobz, cublasFillMode_t uplo, int64_t n, void* A, int64_t lda, void* W, int* info) {
  if (n > INT32_MAX || lda > INT32_MAX) return Status::NotSupported;
  if (h->hip) {
    cassc::rt::report("cusolverDnXsyevd is not supported on a HIP device; cusolverDnSsyevd and the like are", true);
    return Status::NotSupported;
  }
  return syevd(h, jobz, uplo, static_cast<int>(n), static_cast<T*>(A), static_cast<int>(lda), static_cast<Real<T>*>(W),
               static_cast<T*>(nullptr), 0, info);
}

}  // namespace

CASSC_API Status cusolverDnCreateParams(Parameters** parameters) {
  if (!parameters) return Status::InvalidValue;
  *parameters = new (std::nothrow) Parameters;
  return *parameters ? Status::Success : Status::AllocFailed;
}
CASSC_API Status cusolverDnDestroyParams(Parameters* parameters) {
  delete parameters;
  return Status::Success;
}

CASSC_API Status cusolverDnXsyevd_bufferSize(cusolverDnHandle_t handle, Parameters*, cusolverEigMode_t, cublasFillMode_t, int64_t,
                                             int, const void*, int64_t, int, const void*, int, size_t* device, size_t* host) {
  return guarded(handle, [&] {
    if (!device || !host) return Status::InvalidValue;
    *device = *host = 1;
    return Status::Success;
  });
}

CASSC_API Status cusolverDnXsyevd(cusolverDnHandle_t handle, Parameters*, cusolverEigMode_t jobz, cublasFillMode_t uplo, int64_t n,
                                  int type, void* A, int64_t lda, int, void* W, int, void*, size_t, void*, size_t, int* info) {
  return guarded(handle, [&] {
    switch (type) {
      case CUDA_R_32F: return eigen<float>(handle, jobz, uplo, n, A, lda, W, info);
      case CUDA_R_64F: return eigen<double>(handle, jobz, uplo, n, A, lda, W, info);
      case CUDA_C_32F: return eigen<cuComplex>(handle, jobz, uplo, n, A, lda, W, info);
      case CUDA_C_64F: return eigen<cuDoubleComplex>(handle, jobz, uplo, n, A, lda, W, info);
      default: return Status::NotSupported;
    }
  });
}
