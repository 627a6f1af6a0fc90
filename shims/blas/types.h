// Types of cuBLAS's API (cuBLAS manual, "cuBLAS Datatypes Reference"), by the names that functions.def uses.
#ifndef CASSC_BLAS_TYPES_H
#define CASSC_BLAS_TYPES_H
#include <complex>
#include <cstdint>

enum cublasOperation_t : int { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1, CUBLAS_OP_C = 2 };
enum cublasFillMode_t : int { CUBLAS_FILL_MODE_LOWER = 0, CUBLAS_FILL_MODE_UPPER = 1 };
enum cublasDiagType_t : int { CUBLAS_DIAG_NON_UNIT = 0, CUBLAS_DIAG_UNIT = 1 };
enum cublasSideMode_t : int { CUBLAS_SIDE_LEFT = 0, CUBLAS_SIDE_RIGHT = 1 };
enum cudaDataType : int {
  CUDA_R_32F = 0, CUDA_R_64F = 1, CUDA_R_16F = 2, CUDA_R_8I = 3, CUDA_C_32F = 4, CUDA_C_64F = 5, CUDA_R_32I = 10, CUDA_R_16BF = 14,
};
enum cublasComputeType_t : int { CUBLAS_COMPUTE_16F = 64, CUBLAS_COMPUTE_32F = 68, CUBLAS_COMPUTE_64F = 70, CUBLAS_COMPUTE_32I = 72 };
enum cublasGemmAlgo_t : int {};

using cuComplex = std::complex<float>;
using cuDoubleComplex = std::complex<double>;

namespace cassc::blas {

struct Half {
  uint16_t bits;
};
struct BFloat {
  uint16_t bits;
};
float widen(Half x);
float widen(BFloat x);
Half to_half(float x);      // to the nearest, ties to even
BFloat to_bfloat(float x);  // the same

// cublasStatus_t.
enum class Status : int {
  Success = 0, NotInitialized = 1, AllocFailed = 3, InvalidValue = 7, ArchMismatch = 8, MappingError = 11, ExecutionFailed = 13,
  InternalError = 14, NotSupported = 15, LicenseError = 16,
};

template <class T>
struct RealOf {
  using type = T;
};
template <class T>
struct RealOf<std::complex<T>> {
  using type = T;
};
template <class T>
using Real = typename RealOf<T>::type;
template <class T>
constexpr bool kComplex = !std::is_same_v<T, Real<T>>;

template <class T>
T conjugate(T x) {
  if constexpr (kComplex<T>) return std::conj(x);
  else return x;
}

}  // namespace cassc::blas

using __half = cassc::blas::Half;
#endif
