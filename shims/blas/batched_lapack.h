// The functions of LAPACK that cuBLAS has for many small matrices. info: one for each matrix, of the device.
#ifndef CASSC_BLAS_BATCHED_LAPACK_H
#define CASSC_BLAS_BATCHED_LAPACK_H
#include <numeric>

#include "handle.h"
#include "lapack.h"

namespace cassc::blas {

template <class T>
int factor(Integer n, T* A, Integer lda, int* pivots) {
  if (!pivots) return factor_unpivoted(n, n, A, lda);
  Integers found(static_cast<size_t>(n));
  const int info = lapack<T>("getrf", &n, &n, A, &lda, found.data());
  found.copy_to(pivots, static_cast<size_t>(n));
  return info;
}

// Pivots that exchange nothing stand for none.
inline Integers pivots_of(const int* pivots, Integer n) {
  if (pivots) return Integers(pivots, static_cast<size_t>(n));
  std::vector<int> none(static_cast<size_t>(n));
  std::iota(none.begin(), none.end(), 1);
  return Integers(none.data(), none.size());
}

template <class T>
int invert(Integer n, const T* A, Integer lda, const int* pivots, T* C, Integer ldc) {
  for (Integer j = 0; j < n; ++j)
    for (Integer i = 0; i < n; ++i) C[i + j * ldc] = A[i + j * lda];
  Integers given = pivots_of(pivots, n);
  return with_workspace<T>([&](T* work, Integer* length) { return lapack<T>("getri", &n, C, &ldc, given.data(), work, length); });
}

template <class T>
Status getrfBatched(cublasHandle_t h, int n, T* const* A, int lda, int* P, int* info, int count) {
  if (n < 0 || count < 0 || !leads(lda, n) || !A || !info) return Status::InvalidValue;
  return start(h, [=] {
    for (int i = 0; i < count; ++i) info[i] = factor<T>(n, A[i], lda, P ? P + int64_t{i} * n : nullptr);
  });
}

template <class T>
Status getriBatched(cublasHandle_t h, int n, const T* const* A, int lda, const int* P, T* const* C, int ldc, int* info, int count) {
  if (n < 0 || count < 0 || !leads(lda, n) || !leads(ldc, n) || !A || !C || !info) return Status::InvalidValue;
  return start(h, [=] {
    for (int i = 0; i < count; ++i) info[i] = invert<T>(n, A[i], lda, P ? P + int64_t{i} * n : nullptr, C[i], ldc);
  });
}

template <class T>
Status matinvBatched(cublasHandle_t h, int n, const T* const* A, int lda, T* const* inverse, int lda_inverse, int* info, int count) {
  if (n < 0 || n > 32 || count < 0 || !leads(lda, n) || !leads(lda_inverse, n) || !A || !inverse || !info)
    return Status::InvalidValue;  // 32: cuBLAS manual
  return start(h, [=] {
    for (int b = 0; b < count; ++b) {
      std::vector<T> copy(static_cast<size_t>(n) * n);
      for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < n; ++i) copy[i + j * n] = A[b][i + j * lda];
      std::vector<int> pivots(static_cast<size_t>(n));
      info[b] = factor<T>(n, copy.data(), n, pivots.data());
      if (!info[b]) info[b] = invert<T>(n, copy.data(), n, pivots.data(), inverse[b], lda_inverse);
    }
  });
}

// info: one number, of the host; what is wrong with the arguments.
template <class T>
Status getrsBatched(cublasHandle_t h, cublasOperation_t trans, int n, int nrhs, const T* const* A, int lda, const int* P,
                    T* const* B, int ldb, int* info, int count) {
  if (!info) return Status::InvalidValue;
  *info = !valid(trans) ? -1 : n < 0 ? -2 : nrhs < 0 ? -3 : !A ? -4 : !leads(lda, n) ? -5 : !B ? -7 : !leads(ldb, n) ? -8 : count < 0 ? -10 : 0;
  if (*info) return Status::InvalidValue;
  return start(h, [=] {
    const char letter = "NTC"[trans];
    const Integer size = n, columns = nrhs, a = lda, b = ldb;
    for (int i = 0; i < count; ++i) {
      Integers pivots = pivots_of(P ? P + int64_t{i} * n : nullptr, n);
      lapack<T>("getrs", &letter, &size, &columns, A[i], &a, pivots.data(), B[i], &b);
    }
  });
}

template <class T>
Status geqrfBatched(cublasHandle_t h, int m, int n, T* const* A, int lda, T* const* tau, int* info, int count) {
  if (!info) return Status::InvalidValue;
  *info = m < 0 ? -1 : n < 0 ? -2 : !A ? -3 : !leads(lda, m) ? -4 : !tau ? -5 : count < 0 ? -7 : 0;
  if (*info) return Status::InvalidValue;
  return start(h, [=] {
    const Integer rows = m, columns = n, a = lda;
    for (int i = 0; i < count; ++i)
      with_workspace<T>(
          [&](T* work, Integer* length) { return lapack<T>("geqrf", &rows, &columns, A[i], &a, tau[i], work, length); });
  });
}

}  // namespace cassc::blas
#endif
