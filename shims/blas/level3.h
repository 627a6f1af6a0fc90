// Level 3 but for general products (gemm.h), and cuBLAS's extensions.
#ifndef CASSC_BLAS_LEVEL3_H
#define CASSC_BLAS_LEVEL3_H
#include <vector>

#include "level2.h"

namespace cassc::blas {

// C = alpha A B + beta C with a symmetric or Hermitian A on one side.
template <class T>
Status one_sided(cublasHandle_t h, const char* name, cublasSideMode_t side, cublasFillMode_t uplo, int64_t m, int64_t n,
                 const T* alpha, const T* A, int64_t lda, const T* B, int64_t ldb, const T* beta, T* C, int64_t ldc) {
  if (!valid(side) || !valid(uplo) || m < 0 || n < 0 || !leads(lda, side == CUBLAS_SIDE_LEFT ? m : n) || !leads(ldb, m) ||
      !leads(ldc, m) || !alpha || !beta)
    return Status::InvalidValue;
  if (!m || !n) return Status::Success;
  return start(h, [=, a = Scalar<T>(*h, alpha), b = Scalar<T>(*h, beta)] {
    const T alpha = a.get(), beta = b.get();
    cblas(named<T>(name), kColumns, flag(side), flag(uplo), m, n, scalar(alpha), A, lda, B, ldb, scalar(beta), C, ldc);
  });
}
template <class T>
Status symm(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo, int64_t m, int64_t n, const T* alpha, const T* A,
            int64_t lda, const T* B, int64_t ldb, const T* beta, T* C, int64_t ldc) {
  return one_sided(h, "symm", side, uplo, m, n, alpha, A, lda, B, ldb, beta, C, ldc);
}
template <class T>
Status hemm(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo, int64_t m, int64_t n, const T* alpha, const T* A,
            int64_t lda, const T* B, int64_t ldb, const T* beta, T* C, int64_t ldc) {
  return one_sided(h, "hemm", side, uplo, m, n, alpha, A, lda, B, ldb, beta, C, ldc);
}

inline bool bad_rank_k(cublasFillMode_t uplo, cublasOperation_t trans, int64_t n, int64_t k, int64_t lda, int64_t ldc) {
  return !valid(uplo) || !valid(trans) || n < 0 || k < 0 || !leads(lda, trans == CUBLAS_OP_N ? n : k) || !leads(ldc, n);
}

// One triangle of C = alpha A A' + beta C; S is the type of both scalars.
template <class S, class T>
Status rank_k(cublasHandle_t h, const char* name, cublasFillMode_t uplo, cublasOperation_t trans, int64_t n, int64_t k,
              const S* alpha, const T* A, int64_t lda, const S* beta, T* C, int64_t ldc) {
  if (bad_rank_k(uplo, trans, n, k, lda, ldc) || !alpha || !beta) return Status::InvalidValue;
  if (!n) return Status::Success;
  return start(h, [=, a = Scalar<S>(*h, alpha), b = Scalar<S>(*h, beta)] {
    const S alpha = a.get(), beta = b.get();
    cblas(named<T>(name), kColumns, flag(uplo), flag(trans), n, k, scalar(alpha), A, lda, scalar(beta), C, ldc);
  });
}
// Of complex symmetric matrices only the transpose is meant, of Hermitian ones only the conjugate one.
template <class T>
Status syrk(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, int64_t n, int64_t k, const T* alpha, const T* A,
            int64_t lda, const T* beta, T* C, int64_t ldc) {
  if (kComplex<T> && trans == CUBLAS_OP_C) return Status::InvalidValue;
  return rank_k(h, "syrk", uplo, trans, n, k, alpha, A, lda, beta, C, ldc);
}
template <class T>
Status herk(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, int64_t n, int64_t k, const Real<T>* alpha,
            const T* A, int64_t lda, const Real<T>* beta, T* C, int64_t ldc) {
  if (trans == CUBLAS_OP_T) return Status::InvalidValue;
  return rank_k(h, "herk", uplo, trans, n, k, alpha, A, lda, beta, C, ldc);
}

// The same of two matrices; S is the type of beta.
template <class S, class T>
Status rank_2k(cublasHandle_t h, const char* name, cublasFillMode_t uplo, cublasOperation_t trans, int64_t n, int64_t k,
               const T* alpha, const T* A, int64_t lda, const T* B, int64_t ldb, const S* beta, T* C, int64_t ldc) {
  if (bad_rank_k(uplo, trans, n, k, lda, ldc) || bad_rank_k(uplo, trans, n, k, ldb, ldc) || !alpha || !beta)
    return Status::InvalidValue;
  if (!n) return Status::Success;
  return start(h, [=, a = Scalar<T>(*h, alpha), b = Scalar<S>(*h, beta)] {
    const T alpha = a.get();
    const S beta = b.get();
    cblas(named<T>(name), kColumns, flag(uplo), flag(trans), n, k, scalar(alpha), A, lda, B, ldb, scalar(beta), C, ldc);
  });
}
template <class T>
Status syr2k(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, int64_t n, int64_t k, const T* alpha,
             const T* A, int64_t lda, const T* B, int64_t ldb, const T* beta, T* C, int64_t ldc) {
  if (kComplex<T> && trans == CUBLAS_OP_C) return Status::InvalidValue;
  return rank_2k(h, "syr2k", uplo, trans, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}
template <class T>
Status her2k(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, int64_t n, int64_t k, const T* alpha,
             const T* A, int64_t lda, const T* B, int64_t ldb, const Real<T>* beta, T* C, int64_t ldc) {
  if (trans == CUBLAS_OP_T) return Status::InvalidValue;
  return rank_2k(h, "her2k", uplo, trans, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}

// One triangle of C = alpha A B' + beta C, which the caller knows to be symmetric: a whole product, of which half is kept.
template <class S, class T>
Status rank_kx(cublasHandle_t h, bool hermitian, cublasFillMode_t uplo, cublasOperation_t trans, int64_t n, int64_t k,
               const T* alpha, const T* A, int64_t lda, const T* B, int64_t ldb, const S* beta, T* C, int64_t ldc) {
  if (bad_rank_k(uplo, trans, n, k, lda, ldc) || bad_rank_k(uplo, trans, n, k, ldb, ldc) || !alpha || !beta)
    return Status::InvalidValue;
  if (!n) return Status::Success;
  return start(h, [=, a = Scalar<T>(*h, alpha), b = Scalar<S>(*h, beta)] {
    const T alpha = a.get(), zero{};
    const S beta = b.get();
    std::vector<T> product(static_cast<size_t>(n * n));
    const int other = hermitian ? flag(CUBLAS_OP_C) : flag(CUBLAS_OP_T), same = flag(CUBLAS_OP_N);
    const bool flat = trans == CUBLAS_OP_N;
    cblas(named<T>("gemm"), kColumns, flat ? same : other, flat ? other : same, n, n, k, scalar(alpha), A, lda, B, ldb,
          scalar(zero), product.data(), n);
    for (int64_t j = 0; j < n; ++j)
      for (int64_t i = uplo == CUBLAS_FILL_MODE_UPPER ? 0 : j; i <= (uplo == CUBLAS_FILL_MODE_UPPER ? j : n - 1); ++i) {
        T& c = C[i + j * ldc];
        c = product[i + j * n] + (beta == S{} ? T{} : beta * c);
        if constexpr (kComplex<T>)
          if (hermitian && i == j) c = c.real();
      }
  });
}
template <class T>
Status syrkx(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, int64_t n, int64_t k, const T* alpha,
             const T* A, int64_t lda, const T* B, int64_t ldb, const T* beta, T* C, int64_t ldc) {
  return rank_kx(h, false, uplo, trans, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}
template <class T>
Status herkx(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, int64_t n, int64_t k, const T* alpha,
             const T* A, int64_t lda, const T* B, int64_t ldb, const Real<T>* beta, T* C, int64_t ldc) {
  return rank_kx(h, true, uplo, trans, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}

inline bool bad_triangular(cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int64_t m,
                           int64_t n, int64_t lda, int64_t ldb) {
  return !valid(side) || !valid(uplo) || !valid(trans) || !valid(diag) || m < 0 || n < 0 ||
         !leads(lda, side == CUBLAS_SIDE_LEFT ? m : n) || !leads(ldb, m);
}

// C = alpha op(A) B or alpha B op(A); unlike in BLAS the result may go elsewhere.
template <class T>
Status trmm(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag,
            int64_t m, int64_t n, const T* alpha, const T* A, int64_t lda, const T* B, int64_t ldb, T* C, int64_t ldc) {
  if (bad_triangular(side, uplo, trans, diag, m, n, lda, ldb) || !leads(ldc, m) || !alpha) return Status::InvalidValue;
  if (!m || !n) return Status::Success;
  return start(h, [=, a = Scalar<T>(*h, alpha)] {
    const T alpha = a.get();
    if (B != C)
      for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < m; ++i) C[i + j * ldc] = B[i + j * ldb];
    cblas(named<T>("trmm"), kColumns, flag(side), flag(uplo), flag(trans), flag(diag), m, n, scalar(alpha), A, lda, C, ldc);
  });
}

template <class T>
Status trsm(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag,
            int64_t m, int64_t n, const T* alpha, const T* A, int64_t lda, T* B, int64_t ldb) {
  if (bad_triangular(side, uplo, trans, diag, m, n, lda, ldb) || !alpha) return Status::InvalidValue;
  if (!m || !n) return Status::Success;
  return start(h, [=, a = Scalar<T>(*h, alpha)] {
    const T alpha = a.get();
    cblas(named<T>("trsm"), kColumns, flag(side), flag(uplo), flag(trans), flag(diag), m, n, scalar(alpha), A, lda, B, ldb);
  });
}
template <class T>
Status trsmBatched(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag,
                   int64_t m, int64_t n, const T* alpha, const T* const* A, int64_t lda, T* const* B, int64_t ldb, int64_t count) {
  if (bad_triangular(side, uplo, trans, diag, m, n, lda, ldb) || !alpha || count < 0) return Status::InvalidValue;
  if (!m || !n) return Status::Success;
  return start(h, [=, a = Scalar<T>(*h, alpha)] {
    const T alpha = a.get();
    for (int64_t i = 0; i < count; ++i)
      cblas(named<T>("trsm"), kColumns, flag(side), flag(uplo), flag(trans), flag(diag), m, n, scalar(alpha), A[i], lda, B[i],
            ldb);
  });
}

// C = alpha op(A) + beta op(B).
template <class T>
Status geam(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int64_t m, int64_t n, const T* alpha, const T* A,
            int64_t lda, const T* beta, const T* B, int64_t ldb, T* C, int64_t ldc) {
  if (!valid(ta) || !valid(tb) || m < 0 || n < 0 || !leads(lda, ta == CUBLAS_OP_N ? m : n) ||
      !leads(ldb, tb == CUBLAS_OP_N ? m : n) || !leads(ldc, m) || !alpha || !beta)
    return Status::InvalidValue;
  if (!m || !n) return Status::Success;
  return start(h, [=, a = Scalar<T>(*h, alpha), b = Scalar<T>(*h, beta)] {
    const T alpha = a.get(), beta = b.get();
    const auto element = [](cublasOperation_t op, const T* M, int64_t ld, int64_t i, int64_t j) {
      return op == CUBLAS_OP_N ? M[i + j * ld] : op == CUBLAS_OP_T ? M[j + i * ld] : conjugate(M[j + i * ld]);
    };
    std::vector<T> sum(static_cast<size_t>(m * n));  // C may be A or B
    for (int64_t j = 0; j < n; ++j)
      for (int64_t i = 0; i < m; ++i) {
        T value{};
        if (alpha != T{}) value += alpha * element(ta, A, lda, i, j);
        if (beta != T{}) value += beta * element(tb, B, ldb, i, j);
        sum[i + j * m] = value;
      }
    for (int64_t j = 0; j < n; ++j)
      for (int64_t i = 0; i < m; ++i) C[i + j * ldc] = sum[i + j * m];
  });
}

// C = diag(x) A or A diag(x).
template <class T>
Status dgmm(cublasHandle_t h, cublasSideMode_t side, int64_t m, int64_t n, const T* A, int64_t lda, const T* x, int64_t incx, T* C,
            int64_t ldc) {
  if (!valid(side) || m < 0 || n < 0 || !leads(lda, m) || !leads(ldc, m)) return Status::InvalidValue;
  if (!m || !n) return Status::Success;
  return start(h, [=] {
    const T* d = first(x, side == CUBLAS_SIDE_LEFT ? m : n, incx);
    for (int64_t j = 0; j < n; ++j)
      for (int64_t i = 0; i < m; ++i) C[i + j * ldc] = A[i + j * lda] * d[(side == CUBLAS_SIDE_LEFT ? i : j) * incx];
  });
}

}  // namespace cassc::blas
#endif
