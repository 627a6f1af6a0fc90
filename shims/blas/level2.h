// Level 2: matrices and vectors.
#ifndef CASSC_BLAS_LEVEL2_H
#define CASSC_BLAS_LEVEL2_H
#include "level1.h"

namespace cassc::blas {

// y = alpha op(A) x + beta y by a CBLAS function: its flags, sizes and matrix come first.
template <class T, class... A>
Status times_vector(cublasHandle_t h, const char* name, const T* alpha, const T* x, int64_t incx, const T* beta, T* y,
                    int64_t incy, int64_t ld, const T* matrix, A... shape) {
  return start(h, [=, a = Scalar<T>(*h, alpha), b = Scalar<T>(*h, beta)] {
    const T alpha = a.get(), beta = b.get();
    if (ld) cblas(named<T>(name), kColumns, shape..., scalar(alpha), matrix, ld, x, incx, scalar(beta), y, incy);
    else cblas(named<T>(name), kColumns, shape..., scalar(alpha), matrix, x, incx, scalar(beta), y, incy);  // packed
  });
}

template <class T>
Status gemv(cublasHandle_t h, cublasOperation_t trans, int64_t m, int64_t n, const T* alpha, const T* A, int64_t lda,
            const T* x, int64_t incx, const T* beta, T* y, int64_t incy) {
  if (!valid(trans) || m < 0 || n < 0 || !leads(lda, m) || !incx || !incy || !alpha || !beta) return Status::InvalidValue;
  if (!m || !n) return Status::Success;
  return times_vector(h, "gemv", alpha, x, incx, beta, y, incy, lda, A, flag(trans), m, n);
}

template <class T>
Status gbmv(cublasHandle_t h, cublasOperation_t trans, int64_t m, int64_t n, int64_t kl, int64_t ku, const T* alpha,
            const T* A, int64_t lda, const T* x, int64_t incx, const T* beta, T* y, int64_t incy) {
  if (!valid(trans) || m < 0 || n < 0 || kl < 0 || ku < 0 || !leads(lda, kl + ku + 1) || !incx || !incy || !alpha || !beta)
    return Status::InvalidValue;
  if (!m || !n) return Status::Success;
  return times_vector(h, "gbmv", alpha, x, incx, beta, y, incy, lda, A, flag(trans), m, n, kl, ku);
}

template <class T>
bool bad_square(cublasFillMode_t uplo, int64_t n, const T* alpha, int64_t incx, int64_t incy, int64_t ld, int64_t rows) {
  return !valid(uplo) || n < 0 || !alpha || !incx || !incy || !leads(ld, rows);
}

// An element of a symmetric matrix of which one triangle is stored.
template <class T>
T symmetric(const T* A, int64_t lda, cublasFillMode_t uplo, int64_t i, int64_t j) {
  return (uplo == CUBLAS_FILL_MODE_UPPER) == (i <= j) ? A[i + j * lda] : A[j + i * lda];
}

template <class T>
Status symv(cublasHandle_t h, cublasFillMode_t uplo, int64_t n, const T* alpha, const T* A, int64_t lda, const T* x,
            int64_t incx, const T* beta, T* y, int64_t incy) {
  if (bad_square(uplo, n, alpha, incx, incy, lda, n) || !beta) return Status::InvalidValue;
  if (!n) return Status::Success;
  if constexpr (!kComplex<T>) return times_vector(h, "symv", alpha, x, incx, beta, y, incy, lda, A, flag(uplo), n);
  // CBLAS has no complex symmetric products.
  return start(h, [=, a = Scalar<T>(*h, alpha), b = Scalar<T>(*h, beta)] {
    const T alpha = a.get(), beta = b.get();
    const T* from = first(x, n, incx);
    T* to = first(y, n, incy);
    for (int64_t i = 0; i < n; ++i) {
      T sum{};
      for (int64_t j = 0; j < n; ++j) sum += symmetric(A, lda, uplo, i, j) * from[j * incx];
      to[i * incy] = alpha * sum + (beta == T{} ? T{} : beta * to[i * incy]);
    }
  });
}

template <class T>
Status hemv(cublasHandle_t h, cublasFillMode_t uplo, int64_t n, const T* alpha, const T* A, int64_t lda, const T* x,
            int64_t incx, const T* beta, T* y, int64_t incy) {
  if (bad_square(uplo, n, alpha, incx, incy, lda, n) || !beta) return Status::InvalidValue;
  if (!n) return Status::Success;
  return times_vector(h, "hemv", alpha, x, incx, beta, y, incy, lda, A, flag(uplo), n);
}

template <class T>
Status banded(cublasHandle_t h, const char* name, cublasFillMode_t uplo, int64_t n, int64_t k, const T* alpha, const T* A,
              int64_t lda, const T* x, int64_t incx, const T* beta, T* y, int64_t incy) {
  if (bad_square(uplo, n, alpha, incx, incy, lda, k + 1) || k < 0 || !beta) return Status::InvalidValue;
  if (!n) return Status::Success;
  return times_vector(h, name, alpha, x, incx, beta, y, incy, lda, A, flag(uplo), n, k);
}
template <class T>
Status sbmv(cublasHandle_t h, cublasFillMode_t uplo, int64_t n, int64_t k, const T* alpha, const T* A, int64_t lda, const T* x,
            int64_t incx, const T* beta, T* y, int64_t incy) {
  return banded(h, "sbmv", uplo, n, k, alpha, A, lda, x, incx, beta, y, incy);
}
template <class T>
Status hbmv(cublasHandle_t h, cublasFillMode_t uplo, int64_t n, int64_t k, const T* alpha, const T* A, int64_t lda, const T* x,
            int64_t incx, const T* beta, T* y, int64_t incy) {
  return banded(h, "hbmv", uplo, n, k, alpha, A, lda, x, incx, beta, y, incy);
}

template <class T>
Status packed(cublasHandle_t h, const char* name, cublasFillMode_t uplo, int64_t n, const T* alpha, const T* AP, const T* x,
              int64_t incx, const T* beta, T* y, int64_t incy) {
  if (bad_square(uplo, n, alpha, incx, incy, 1, 1) || !beta) return Status::InvalidValue;
  if (!n) return Status::Success;
  return times_vector(h, name, alpha, x, incx, beta, y, incy, 0, AP, flag(uplo), n);
}
template <class T>
Status spmv(cublasHandle_t h, cublasFillMode_t uplo, int64_t n, const T* alpha, const T* AP, const T* x, int64_t incx,
            const T* beta, T* y, int64_t incy) {
  return packed(h, "spmv", uplo, n, alpha, AP, x, incx, beta, y, incy);
}
template <class T>
Status hpmv(cublasHandle_t h, cublasFillMode_t uplo, int64_t n, const T* alpha, const T* AP, const T* x, int64_t incx,
            const T* beta, T* y, int64_t incy) {
  return packed(h, "hpmv", uplo, n, alpha, AP, x, incx, beta, y, incy);
}

// x = op(A) x, or the solution of op(A) x = b: the triangular functions.
template <class T>
Status triangular(cublasHandle_t h, const char* name, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag,
                  int64_t n, int64_t k, const T* A, int64_t lda, int64_t rows, T* x, int64_t incx) {
  if (!valid(uplo) || !valid(trans) || !valid(diag) || n < 0 || k < 0 || !incx || !leads(lda, rows)) return Status::InvalidValue;
  if (!n) return Status::Success;
  return start(h, [=] {
    const std::string full = named<T>(name);
    if (full[2] == 'r') cblas(full, kColumns, flag(uplo), flag(trans), flag(diag), n, A, lda, x, incx);
    else if (full[2] == 'b') cblas(full, kColumns, flag(uplo), flag(trans), flag(diag), n, k, A, lda, x, incx);
    else cblas(full, kColumns, flag(uplo), flag(trans), flag(diag), n, A, x, incx);
  });
}
template <class T>
Status trmv(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int64_t n, const T* A,
            int64_t lda, T* x, int64_t incx) {
  return triangular(h, "trmv", uplo, trans, diag, n, 0, A, lda, n, x, incx);
}
template <class T>
Status trsv(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int64_t n, const T* A,
            int64_t lda, T* x, int64_t incx) {
  return triangular(h, "trsv", uplo, trans, diag, n, 0, A, lda, n, x, incx);
}
template <class T>
Status tbmv(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int64_t n, int64_t k,
            const T* A, int64_t lda, T* x, int64_t incx) {
  return triangular(h, "tbmv", uplo, trans, diag, n, k, A, lda, k + 1, x, incx);
}
template <class T>
Status tbsv(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int64_t n, int64_t k,
            const T* A, int64_t lda, T* x, int64_t incx) {
  return triangular(h, "tbsv", uplo, trans, diag, n, k, A, lda, k + 1, x, incx);
}
template <class T>
Status tpmv(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int64_t n, const T* AP,
            T* x, int64_t incx) {
  return triangular(h, "tpmv", uplo, trans, diag, n, 0, AP, 1, 1, x, incx);
}
template <class T>
Status tpsv(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int64_t n, const T* AP,
            T* x, int64_t incx) {
  return triangular(h, "tpsv", uplo, trans, diag, n, 0, AP, 1, 1, x, incx);
}

// A = alpha x y' + A.
template <class T>
Status outer(cublasHandle_t h, const char* name, int64_t m, int64_t n, const T* alpha, const T* x, int64_t incx, const T* y,
             int64_t incy, T* A, int64_t lda) {
  if (m < 0 || n < 0 || !incx || !incy || !leads(lda, m) || !alpha) return Status::InvalidValue;
  if (!m || !n) return Status::Success;
  return start(h, [=, a = Scalar<T>(*h, alpha)] {
    const T alpha = a.get();
    cblas(named<T>(name), kColumns, m, n, scalar(alpha), x, incx, y, incy, A, lda);
  });
}
template <class T>
Status ger(cublasHandle_t h, int64_t m, int64_t n, const T* alpha, const T* x, int64_t incx, const T* y, int64_t incy, T* A,
           int64_t lda) {
  return outer(h, "ger", m, n, alpha, x, incx, y, incy, A, lda);
}
template <class T>
Status geru(cublasHandle_t h, int64_t m, int64_t n, const T* alpha, const T* x, int64_t incx, const T* y, int64_t incy, T* A,
            int64_t lda) {
  return outer(h, "geru", m, n, alpha, x, incx, y, incy, A, lda);
}
template <class T>
Status gerc(cublasHandle_t h, int64_t m, int64_t n, const T* alpha, const T* x, int64_t incx, const T* y, int64_t incy, T* A,
            int64_t lda) {
  return outer(h, "gerc", m, n, alpha, x, incx, y, incy, A, lda);
}

// The same of one triangle of a symmetric or Hermitian matrix. rest: y and its step, A and its leading dimension.
template <class S, class T, class... A>
Status update(cublasHandle_t h, const char* name, cublasFillMode_t uplo, int64_t n, const S* alpha, const T* x, int64_t incx,
              A... rest) {
  return start(h, [=, a = Scalar<S>(*h, alpha)] {
    const S alpha = a.get();
    cblas(named<T>(name), kColumns, flag(uplo), n, scalar(alpha), x, incx, rest...);
  });
}

// CBLAS has no complex symmetric updates.
template <class T, class Add>
void add_to_triangle(cublasFillMode_t uplo, int64_t n, T* A, int64_t lda, Add add) {
  for (int64_t j = 0; j < n; ++j)
    for (int64_t i = uplo == CUBLAS_FILL_MODE_UPPER ? 0 : j; i <= (uplo == CUBLAS_FILL_MODE_UPPER ? j : n - 1); ++i)
      A[i + j * lda] += add(i, j);
}

template <class T>
Status syr(cublasHandle_t h, cublasFillMode_t uplo, int64_t n, const T* alpha, const T* x, int64_t incx, T* A, int64_t lda) {
  if (bad_square(uplo, n, alpha, incx, 1, lda, n)) return Status::InvalidValue;
  if (!n) return Status::Success;
  if constexpr (!kComplex<T>) return update(h, "syr", uplo, n, alpha, x, incx, A, lda);
  return start(h, [=, a = Scalar<T>(*h, alpha)] {
    const T alpha = a.get();
    const T* v = first(x, n, incx);
    add_to_triangle(uplo, n, A, lda, [=](int64_t i, int64_t j) { return alpha * v[i * incx] * v[j * incx]; });
  });
}
template <class T>
Status her(cublasHandle_t h, cublasFillMode_t uplo, int64_t n, const Real<T>* alpha, const T* x, int64_t incx, T* A, int64_t lda) {
  if (bad_square(uplo, n, alpha, incx, 1, lda, n)) return Status::InvalidValue;
  return n ? update(h, "her", uplo, n, alpha, x, incx, A, lda) : Status::Success;
}
template <class T>
Status spr(cublasHandle_t h, cublasFillMode_t uplo, int64_t n, const T* alpha, const T* x, int64_t incx, T* AP) {
  if (bad_square(uplo, n, alpha, incx, 1, 1, 1)) return Status::InvalidValue;
  return n ? update(h, "spr", uplo, n, alpha, x, incx, AP) : Status::Success;
}
template <class T>
Status hpr(cublasHandle_t h, cublasFillMode_t uplo, int64_t n, const Real<T>* alpha, const T* x, int64_t incx, T* AP) {
  if (bad_square(uplo, n, alpha, incx, 1, 1, 1)) return Status::InvalidValue;
  return n ? update(h, "hpr", uplo, n, alpha, x, incx, AP) : Status::Success;
}
template <class T>
Status syr2(cublasHandle_t h, cublasFillMode_t uplo, int64_t n, const T* alpha, const T* x, int64_t incx, const T* y,
            int64_t incy, T* A, int64_t lda) {
  if (bad_square(uplo, n, alpha, incx, incy, lda, n)) return Status::InvalidValue;
  if (!n) return Status::Success;
  if constexpr (!kComplex<T>) return update(h, "syr2", uplo, n, alpha, x, incx, y, incy, A, lda);
  return start(h, [=, a = Scalar<T>(*h, alpha)] {
    const T alpha = a.get();
    const T *v = first(x, n, incx), *w = first(y, n, incy);
    add_to_triangle(uplo, n, A, lda, [=](int64_t i, int64_t j) {
      return alpha * (v[i * incx] * w[j * incy] + w[i * incy] * v[j * incx]);
    });
  });
}
template <class T>
Status her2(cublasHandle_t h, cublasFillMode_t uplo, int64_t n, const T* alpha, const T* x, int64_t incx, const T* y,
            int64_t incy, T* A, int64_t lda) {
  if (bad_square(uplo, n, alpha, incx, incy, lda, n)) return Status::InvalidValue;
  return n ? update(h, "her2", uplo, n, alpha, x, incx, y, incy, A, lda) : Status::Success;
}
template <class T>
Status spr2(cublasHandle_t h, cublasFillMode_t uplo, int64_t n, const T* alpha, const T* x, int64_t incx, const T* y,
            int64_t incy, T* AP) {
  if (bad_square(uplo, n, alpha, incx, incy, 1, 1)) return Status::InvalidValue;
  return n ? update(h, "spr2", uplo, n, alpha, x, incx, y, incy, AP) : Status::Success;
}
template <class T>
Status hpr2(cublasHandle_t h, cublasFillMode_t uplo, int64_t n, const T* alpha, const T* x, int64_t incx, const T* y,
            int64_t incy, T* AP) {
  if (bad_square(uplo, n, alpha, incx, incy, 1, 1)) return Status::InvalidValue;
  return n ? update(h, "hpr2", uplo, n, alpha, x, incx, y, incy, AP) : Status::Success;
}

}  // namespace cassc::blas
#endif
