// Products of matrices of any element type that cuBLAS has, one or many.
#ifndef CASSC_BLAS_GEMM_H
#define CASSC_BLAS_GEMM_H
#include <functional>
#include <optional>

#include "backend.h"
#include "element.h"
#include "handle.h"

namespace cassc::blas {

template <class T>
struct TypeOf;
template <>
struct TypeOf<float> {
  static constexpr cudaDataType value = CUDA_R_32F;
};
template <>
struct TypeOf<double> {
  static constexpr cudaDataType value = CUDA_R_64F;
};
template <>
struct TypeOf<cuComplex> {
  static constexpr cudaDataType value = CUDA_C_32F;
};
template <>
struct TypeOf<cuDoubleComplex> {
  static constexpr cudaDataType value = CUDA_C_64F;
};
template <>
struct TypeOf<Half> {
  static constexpr cudaDataType value = CUDA_R_16F;
};

struct Shape {
  cublasOperation_t a, b;
  int64_t m, n, k, lda, ldb, ldc;
};

// The element types of a product, those of alpha and beta, and of what is added up.
struct Types {
  cudaDataType a, b, c, scalar;
  cublasComputeType_t compute;
};

// alpha or beta, of any type.
class Factor {
 public:
  Factor(const cublasContext& handle, cudaDataType type, const void* pointer);
  cuDoubleComplex get() const { return later_ ? load(type_, later_, 0) : value_; }

 private:
  const cudaDataType type_;
  const void* later_;
  cuDoubleComplex value_;
};

// The types, or nothing where cuBLAS has no such product (the table of cublasGemmEx, checked on an H200).
std::optional<Types> types_of(cudaDataType a, cudaDataType b, cudaDataType c, int compute);
bool sound(const Shape& shape);
// C = alpha op(A) op(B) + beta C, at once. What C held is not read when beta is 0.
void multiply(const Shape& shape, const Types& types, cuDoubleComplex alpha, const void* A, const void* B, cuDoubleComplex beta,
              void* C);

// Where the i-th matrices of a batch are, found when the work is done.
struct Places {
  const void *a, *b;
  void* c;
};
Status multiply_all(cublasHandle_t h, const Shape& shape, const std::optional<Types>& types, const void* alpha,
                    const void* beta, int64_t count, bool none, std::function<Places(int64_t)> places);

template <class T>
std::optional<Types> types_of() {
  constexpr cudaDataType type = TypeOf<T>::value;
  const bool doubles = type == CUDA_R_64F || type == CUDA_C_64F;
  return Types{type, type, type, type, doubles ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F};
}

inline Status one(cublasHandle_t h, const Shape& shape, const std::optional<Types>& types, const void* alpha, const void* A,
                  const void* B, const void* beta, void* C) {
  const bool none = (shape.k && (!A || !B)) || !C;
  return multiply_all(h, shape, types, alpha, beta, 1, none, [=](int64_t) { return Places{A, B, C}; });
}

template <class T>
Status gemm(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int64_t m, int64_t n, int64_t k, const T* alpha,
            const T* A, int64_t lda, const T* B, int64_t ldb, const T* beta, T* C, int64_t ldc) {
  return one(h, {ta, tb, m, n, k, lda, ldb, ldc}, types_of<T>(), alpha, A, B, beta, C);
}
template <class T>
Status gemm3m(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int64_t m, int64_t n, int64_t k, const T* alpha,
              const T* A, int64_t lda, const T* B, int64_t ldb, const T* beta, T* C, int64_t ldc) {
  return gemm(h, ta, tb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}

inline Places strided(const Types& types, const void* A, int64_t a, const void* B, int64_t b, void* C, int64_t c, int64_t i) {
  return {static_cast<const char*>(A) + i * a * static_cast<int64_t>(bytes_of(types.a)),
          static_cast<const char*>(B) + i * b * static_cast<int64_t>(bytes_of(types.b)),
          static_cast<char*>(C) + i * c * static_cast<int64_t>(bytes_of(types.c))};
}

template <class T>
Status gemmStridedBatched(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int64_t m, int64_t n, int64_t k,
                          const T* alpha, const T* A, int64_t lda, int64_t sa, const T* B, int64_t ldb, int64_t sb,
                          const T* beta, T* C, int64_t ldc, int64_t sc, int64_t count) {
  return multiply_all(h, {ta, tb, m, n, k, lda, ldb, ldc}, types_of<T>(), alpha, beta, count, (k && (!A || !B)) || !C,
                      [=](int64_t i) { return Places{A + i * sa, B + i * sb, C + i * sc}; });
}

template <class T>
Status gemmBatched(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int64_t m, int64_t n, int64_t k,
                   const T* alpha, const T* const* A, int64_t lda, const T* const* B, int64_t ldb, const T* beta,
                   T* const* C, int64_t ldc, int64_t count) {
  return multiply_all(h, {ta, tb, m, n, k, lda, ldb, ldc}, types_of<T>(), alpha, beta, count, (k && (!A || !B)) || !C,
                      [=](int64_t i) { return Places{A[i], B[i], C[i]}; });
}

template <class S>
Status gemmEx(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int64_t m, int64_t n, int64_t k, const S* alpha,
              const void* A, cudaDataType a, int64_t lda, const void* B, cudaDataType b, int64_t ldb, const S* beta, void* C,
              cudaDataType c, int64_t ldc) {
  return one(h, {ta, tb, m, n, k, lda, ldb, ldc}, types_of(a, b, c, CUBLAS_COMPUTE_32F), alpha, A, B, beta, C);
}

inline Status GemmEx(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int64_t m, int64_t n, int64_t k,
                     const void* alpha, const void* A, cudaDataType a, int64_t lda, const void* B, cudaDataType b, int64_t ldb,
                     const void* beta, void* C, cudaDataType c, int64_t ldc, cublasComputeType_t compute, cublasGemmAlgo_t) {
  return one(h, {ta, tb, m, n, k, lda, ldb, ldc}, types_of(a, b, c, compute), alpha, A, B, beta, C);
}

inline Status GemmStridedBatchedEx(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int64_t m, int64_t n, int64_t k,
                                   const void* alpha, const void* A, cudaDataType a, int64_t lda, int64_t sa, const void* B,
                                   cudaDataType b, int64_t ldb, int64_t sb, const void* beta, void* C, cudaDataType c,
                                   int64_t ldc, int64_t sc, int64_t count, cublasComputeType_t compute, cublasGemmAlgo_t) {
  const auto types = types_of(a, b, c, compute);
  return multiply_all(h, {ta, tb, m, n, k, lda, ldb, ldc}, types, alpha, beta, count, (k && (!A || !B)) || !C,
                      [=](int64_t i) { return strided(*types, A, sa, B, sb, C, sc, i); });
}

inline Status GemmBatchedEx(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int64_t m, int64_t n, int64_t k,
                            const void* alpha, const void* const* A, cudaDataType a, int64_t lda, const void* const* B,
                            cudaDataType b, int64_t ldb, const void* beta, void* const* C, cudaDataType c, int64_t ldc,
                            int64_t count, cublasComputeType_t compute, cublasGemmAlgo_t) {
  return multiply_all(h, {ta, tb, m, n, k, lda, ldb, ldc}, types_of(a, b, c, compute), alpha, beta, count,
                      (k && (!A || !B)) || !C, [=](int64_t i) { return Places{A[i], B[i], C[i]}; });
}

}  // namespace cassc::blas
#endif
