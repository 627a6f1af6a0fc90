// cuBLAS's functions by hipBLAS, on a HIP device: names, numbers of enumerations and statuses (hipBLAS API Reference,
// hipblas-common.h). Parameters and their order are the same.
#ifndef CASSC_BLAS_HIPBLAS_H
#define CASSC_BLAS_HIPBLAS_H
#include "../rocm/rocm.h"
#include "backend.h"
#include "handle.h"

namespace cassc::blas {

const rocm::Library& hipblas();
Status status_of_hipblas(int status);
// Gives the handle's settings to hipBLAS's handle.
Status pass_settings(cublasHandle_t handle);
// hipBLAS's name of a function, which is cuBLAS's with another prefix and no _v2.
std::string hipblas_name(std::string symbol);

// Numbers of hipBLAS's enumerations are CBLAS's, where they are not cuBLAS's.
inline void* for_hipblas(cublasHandle_t x) { return x->hip; }
inline int for_hipblas(cublasOperation_t x) { return flag(x); }
inline int for_hipblas(cublasFillMode_t x) { return flag(x); }
inline int for_hipblas(cublasDiagType_t x) { return flag(x); }
inline int for_hipblas(cublasSideMode_t x) { return flag(x); }
int for_hipblas(cublasComputeType_t x);
inline int for_hipblas(cublasGemmAlgo_t) { return 160; }  // HIPBLAS_GEMM_DEFAULT
template <class T>
T for_hipblas(T x) {
  return x;
}

struct ByHipblas {
  const char* symbol;
  template <class... A>
  Status operator()(cublasHandle_t handle, A... arguments) const {
    if (const Status status = pass_settings(handle); status != Status::Success) return status;
    constexpr int kNotSupported = 7;
    return status_of_hipblas(hipblas().call(kNotSupported, hipblas_name(symbol), for_hipblas(handle), for_hipblas(arguments)...));
  }
};

}  // namespace cassc::blas
#endif
