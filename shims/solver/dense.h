// cuSOLVER's dense functions by LAPACK, which finds its own memory: a workspace of the device has one element.
#ifndef CASSC_SOLVER_DENSE_H
#define CASSC_SOLVER_DENSE_H
#include <algorithm>
#include <new>

#include "lapack.h"
#include "library_work.h"

struct cusolverDnContext {
  cassc::rt::Stream* stream = nullptr;
  void* hip = nullptr;  // hipSOLVER's handle, on a HIP device
};
using cusolverDnHandle_t = cusolverDnContext*;
enum cusolverEigMode_t : int { CUSOLVER_EIG_MODE_NOVECTOR = 0, CUSOLVER_EIG_MODE_VECTOR = 1 };
// Settings of the Jacobi methods, kept and without effect: LAPACK's results are as exact as they can be.
struct JacobiInfo {
  bool singular = false;  // of singular values, not of eigenvalues
  double tolerance = 0;
  int sweeps = 100, sorted = 1;
  void* hip = nullptr;  // hipSOLVER's, once it has been used on a HIP device
};
using gesvdjInfo_t = JacobiInfo*;
using syevjInfo_t = JacobiInfo*;

namespace cassc::solver {

using blas::Integer;
using blas::Integers;
using blas::kComplex;
using blas::lapack;
using blas::Real;
using blas::with_workspace;

// cusolverStatus_t.
enum class Status : int {
  Success = 0, NotInitialized = 1, AllocFailed = 2, InvalidValue = 3, ArchMismatch = 4, MappingError = 5, ExecutionFailed = 6,
  InternalError = 7, NotSupported = 9,
};

template <class Body>
Status guarded(const void* handle, Body&& body) {
  if (!handle) return Status::NotInitialized;
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return Status::AllocFailed;
  } catch (...) {
    return Status::InternalError;
  }
}

// Work that leaves LAPACK's info in memory of the device.
template <class Work>
Status start(cusolverDnHandle_t handle, int* info, Work work) {
  if (!info) return Status::InvalidValue;
  switch (rt::enqueue(handle->stream, [=] { *info = work(); })) {
    case rt::Error::Success: return Status::Success;
    case rt::Error::MemoryAllocation: return Status::AllocFailed;
    default: return Status::ExecutionFailed;
  }
}

inline Status one_element(int* lwork) {
  if (lwork) *lwork = 1;
  return lwork ? Status::Success : Status::InvalidValue;
}

inline bool leads(int64_t ld, int64_t rows) { return ld >= std::max<int64_t>(rows, 1); }
inline bool triangle(cublasFillMode_t x) { return x == CUBLAS_FILL_MODE_LOWER || x == CUBLAS_FILL_MODE_UPPER; }
inline char letter(cublasFillMode_t x) { return x == CUBLAS_FILL_MODE_UPPER ? 'U' : 'L'; }
inline char letter(cublasSideMode_t x) { return x == CUBLAS_SIDE_LEFT ? 'L' : 'R'; }
inline char letter(cusolverEigMode_t x) { return x == CUSOLVER_EIG_MODE_VECTOR ? 'V' : 'N'; }

template <class T>
Status potrf_bufferSize(cusolverDnHandle_t, cublasFillMode_t, int, T*, int, int* lwork) {
  return one_element(lwork);
}
template <class T>
Status potri_bufferSize(cusolverDnHandle_t, cublasFillMode_t, int, T*, int, int* lwork) {
  return one_element(lwork);
}

template <class T>
int symmetric(const char* name, cublasFillMode_t uplo, int n, T* A, int lda) {
  const char half = letter(uplo);
  const Integer size = n, ld = lda;
  return lapack<T>(name, &half, &size, A, &ld);
}

template <class T>
Status potrf(cusolverDnHandle_t h, cublasFillMode_t uplo, int n, T* A, int lda, T*, int, int* info) {
  if (!triangle(uplo) || n < 0 || !leads(lda, n)) return Status::InvalidValue;
  return start(h, info, [=] { return symmetric<T>("potrf", uplo, n, A, lda); });
}
template <class T>
Status potri(cusolverDnHandle_t h, cublasFillMode_t uplo, int n, T* A, int lda, T*, int, int* info) {
  if (!triangle(uplo) || n < 0 || !leads(lda, n)) return Status::InvalidValue;
  return start(h, info, [=] { return symmetric<T>("potri", uplo, n, A, lda); });
}

template <class T>
int solve_symmetric(cublasFillMode_t uplo, int n, int nrhs, const T* A, int lda, T* B, int ldb) {
  const char half = letter(uplo);
  const Integer size = n, columns = nrhs, a = lda, b = ldb;
  return lapack<T>("potrs", &half, &size, &columns, A, &a, B, &b);
}
template <class T>
Status potrs(cusolverDnHandle_t h, cublasFillMode_t uplo, int n, int nrhs, const T* A, int lda, T* B, int ldb, int* info) {
  if (!triangle(uplo) || n < 0 || nrhs < 0 || !leads(lda, n) || !leads(ldb, n)) return Status::InvalidValue;
  return start(h, info, [=] { return solve_symmetric(uplo, n, nrhs, A, lda, B, ldb); });
}
template <class T>
Status potrfBatched(cusolverDnHandle_t h, cublasFillMode_t uplo, int n, T** A, int lda, int* info, int batch) {
  if (!triangle(uplo) || n < 0 || batch < 1 || !leads(lda, n)) return Status::InvalidValue;
  return start(h, info, [=] {
    for (int i = batch; i-- > 1;) info[i] = symmetric<T>("potrf", uplo, n, A[i], lda);
    return symmetric<T>("potrf", uplo, n, A[0], lda);
  });
}
template <class T>
Status potrsBatched(cusolverDnHandle_t h, cublasFillMode_t uplo, int n, int nrhs, T** A, int lda, T** B, int ldb, int* info,
                    int batch) {
  if (!triangle(uplo) || n < 0 || nrhs < 0 || batch < 1 || !leads(lda, n) || !leads(ldb, n)) return Status::InvalidValue;
  return start(h, info, [=] {
    for (int i = 1; i < batch; ++i) solve_symmetric<T>(uplo, n, nrhs, A[i], lda, B[i], ldb);
    return solve_symmetric<T>(uplo, n, nrhs, A[0], lda, B[0], ldb);
  });
}

template <class T>
Status getrf_bufferSize(cusolverDnHandle_t, int, int, T*, int, int* lwork) {
  return one_element(lwork);
}
template <class T>
Status getrf(cusolverDnHandle_t h, int m, int n, T* A, int lda, T*, int* pivots, int* info) {
  if (m < 0 || n < 0 || !leads(lda, m)) return Status::InvalidValue;
  return start(h, info, [=] {
    if (!pivots) return blas::factor_unpivoted<T>(m, n, A, lda);
    const Integer rows = m, columns = n, ld = lda;
    const auto count = static_cast<size_t>(std::min(m, n));
    Integers found(count);
    const int result = lapack<T>("getrf", &rows, &columns, A, &ld, found.data());
    found.copy_to(pivots, count);
    return result;
  });
}
template <class T>
Status getrs(cusolverDnHandle_t h, cublasOperation_t trans, int n, int nrhs, const T* A, int lda, const int* pivots, T* B,
             int ldb, int* info) {
  if (n < 0 || nrhs < 0 || !leads(lda, n) || !leads(ldb, n) || !pivots) return Status::InvalidValue;
  return start(h, info, [=] {
    const char operation = "NTC"[trans];
    const Integer size = n, columns = nrhs, a = lda, b = ldb;
    Integers given(pivots, static_cast<size_t>(n));
    return lapack<T>("getrs", &operation, &size, &columns, A, &a, given.data(), B, &b);
  });
}

template <class T>
Status geqrf_bufferSize(cusolverDnHandle_t, int, int, T*, int, int* lwork) {
  return one_element(lwork);
}
template <class T>
Status geqrf(cusolverDnHandle_t h, int m, int n, T* A, int lda, T* tau, T*, int, int* info) {
  if (m < 0 || n < 0 || !leads(lda, m)) return Status::InvalidValue;
  return start(h, info, [=] {
    const Integer rows = m, columns = n, ld = lda;
    return with_workspace<T>(
        [&](T* work, Integer* length) { return lapack<T>("geqrf", &rows, &columns, A, &ld, tau, work, length); });
  });
}
template <class T>
Status orgqr_bufferSize(cusolverDnHandle_t, int, int, int, const T*, int, const T*, int* lwork) {
  return one_element(lwork);
}
template <class T>
Status orgqr(cusolverDnHandle_t h, int m, int n, int k, T* A, int lda, const T* tau, T*, int, int* info) {
  if (n < 0 || m < n || k < 0 || k > n || !leads(lda, m)) return Status::InvalidValue;
  return start(h, info, [=] {
    const Integer rows = m, columns = n, reflectors = k, ld = lda;
    return with_workspace<T>([&](T* work, Integer* length) {
      return lapack<T>(kComplex<T> ? "ungqr" : "orgqr", &rows, &columns, &reflectors, A, &ld, tau, work, length);
    });
  });
}
template <class T>
Status ormqr_bufferSize(cusolverDnHandle_t, cublasSideMode_t, cublasOperation_t, int, int, int, const T*, int, const T*, const T*,
                        int, int* lwork) {
  return one_element(lwork);
}
template <class T>
Status ormqr(cusolverDnHandle_t h, cublasSideMode_t side, cublasOperation_t trans, int m, int n, int k, const T* A, int lda,
             const T* tau, T* C, int ldc, T*, int, int* info) {
  if (m < 0 || n < 0 || k < 0 || !leads(lda, side == CUBLAS_SIDE_LEFT ? m : n) || !leads(ldc, m)) return Status::InvalidValue;
  return start(h, info, [=] {
    const char which = letter(side), operation = trans == CUBLAS_OP_N ? 'N' : kComplex<T> ? 'C' : 'T';
    const Integer rows = m, columns = n, reflectors = k, a = lda, c = ldc;
    return with_workspace<T>([&](T* work, Integer* length) {
      return lapack<T>(kComplex<T> ? "unmqr" : "ormqr", &which, &operation, &rows, &columns, &reflectors, A, &a, tau, C, &c, work,
                       length);
    });
  });
}

template <class T>
int singular_values(char jobu, char jobvt, int m, int n, T* A, int lda, Real<T>* S, T* U, int ldu, T* VT, int ldvt) {
  const Integer rows = m, columns = n, a = lda, u = ldu, v = ldvt;
  std::vector<Real<T>> real_work(static_cast<size_t>(5 * std::min(m, n)) + 1);
  return with_workspace<T>([&](T* work, Integer* length) {
    if constexpr (kComplex<T>)
      return lapack<T>("gesvd", &jobu, &jobvt, &rows, &columns, A, &a, S, U, &u, VT, &v, work, length, real_work.data());
    else return lapack<T>("gesvd", &jobu, &jobvt, &rows, &columns, A, &a, S, U, &u, VT, &v, work, length);
  });
}

template <class T>
Status gesvd(cusolverDnHandle_t h, signed char jobu, signed char jobvt, int m, int n, T* A, int lda, Real<T>* S, T* U, int ldu,
             T* VT, int ldvt, T*, int, Real<T>*, int* info) {
  if (m < n || n < 0 || !leads(lda, m) || ldu < 1 || ldvt < 1) return Status::InvalidValue;  // m < n: cuSOLVER manual
  return start(h, info, [=] {
    return singular_values<T>(static_cast<char>(jobu), static_cast<char>(jobvt), m, n, A, lda, S, U, ldu, VT, ldvt);
  });
}

template <class T>
Status gesvdj_bufferSize(cusolverDnHandle_t, cusolverEigMode_t, int, int, int, const T*, int, const Real<T>*, const T*, int,
                         const T*, int, int* lwork, gesvdjInfo_t) {
  return one_element(lwork);
}
// V itself is wanted here, not its transpose.
template <class T>
Status gesvdj(cusolverDnHandle_t h, cusolverEigMode_t jobz, int econ, int m, int n, T* A, int lda, Real<T>* S, T* U, int ldu,
              T* V, int ldv, T*, int, int* info, gesvdjInfo_t) {
  const bool vectors = jobz == CUSOLVER_EIG_MODE_VECTOR;
  if (m < 0 || n < 0 || !leads(lda, m) || (vectors && (!leads(ldu, m) || !leads(ldv, n)))) return Status::InvalidValue;
  return start(h, info, [=] {
    const int rows = econ ? std::min(m, n) : n;  // of the transpose of V
    std::vector<T> transposed(vectors ? static_cast<size_t>(rows) * n + 1 : 1);
    const char job = !vectors ? 'N' : econ ? 'S' : 'A';
    const int result = singular_values<T>(job, job, m, n, A, lda, S, U, std::max(ldu, 1), transposed.data(), std::max(rows, 1));
    for (int64_t j = 0; vectors && j < rows; ++j)
      for (int64_t i = 0; i < n; ++i) V[i + j * ldv] = blas::conjugate(transposed[j + i * rows]);
    return result;
  });
}

template <class T>
int eigenvalues(cusolverEigMode_t jobz, cublasFillMode_t uplo, int n, T* A, int lda, Real<T>* W) {
  const char job = letter(jobz), half = letter(uplo);
  const Integer size = n, ld = lda;
  T best{};
  Real<T> best_real{};
  Integer best_integer = 0, ask = -1;
  const auto call = [&](T* work, Integer* length, [[maybe_unused]] Real<T>* real, [[maybe_unused]] Integer* real_length,
                        Integer* integers, Integer* integer_length) {
    if constexpr (kComplex<T>)
      return lapack<T>("heevd", &job, &half, &size, A, &ld, W, work, length, real, real_length, integers, integer_length);
    else return lapack<T>("syevd", &job, &half, &size, A, &ld, W, work, length, integers, integer_length);
  };
  if (const int info = call(&best, &ask, &best_real, &ask, &best_integer, &ask)) return info;
  Integer length = static_cast<Integer>(std::real(best)) + 1, real_length = static_cast<Integer>(best_real) + 1;
  Integer integer_length = static_cast<int32_t>(best_integer) + 1;
  std::vector<T> work(static_cast<size_t>(length));
  std::vector<Real<T>> real(static_cast<size_t>(real_length));
  std::vector<Integer> integers(static_cast<size_t>(integer_length));
  return call(work.data(), &length, real.data(), &real_length, integers.data(), &integer_length);
}

inline bool bad_eigen(cusolverEigMode_t jobz, cublasFillMode_t uplo, int n, int lda) {
  return (jobz != CUSOLVER_EIG_MODE_NOVECTOR && jobz != CUSOLVER_EIG_MODE_VECTOR) || !triangle(uplo) || n < 0 || !leads(lda, n);
}
template <class T>
Status syevd_bufferSize(cusolverDnHandle_t, cusolverEigMode_t, cublasFillMode_t, int, const T*, int, const Real<T>*, int* lwork) {
  return one_element(lwork);
}
template <class T>
Status syevd(cusolverDnHandle_t h, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n, T* A, int lda, Real<T>* W, T*, int,
             int* info) {
  if (bad_eigen(jobz, uplo, n, lda)) return Status::InvalidValue;
  return start(h, info, [=] { return eigenvalues(jobz, uplo, n, A, lda, W); });
}
template <class T>
Status syevj_bufferSize(cusolverDnHandle_t, cusolverEigMode_t, cublasFillMode_t, int, const T*, int, const Real<T>*, int* lwork,
                        syevjInfo_t) {
  return one_element(lwork);
}
template <class T>
Status syevj(cusolverDnHandle_t h, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n, T* A, int lda, Real<T>* W, T* work,
             int lwork, int* info, syevjInfo_t) {
  return syevd(h, jobz, uplo, n, A, lda, W, work, lwork, info);
}
template <class T>
Status syevjBatched_bufferSize(cusolverDnHandle_t, cusolverEigMode_t, cublasFillMode_t, int, const T*, int, const Real<T>*,
                               int* lwork, syevjInfo_t, int) {
  return one_element(lwork);
}
template <class T>
Status syevjBatched(cusolverDnHandle_t h, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n, T* A, int lda, Real<T>* W, T*, int,
                    int* info, syevjInfo_t, int batch) {
  if (bad_eigen(jobz, uplo, n, lda) || batch < 1) return Status::InvalidValue;
  return start(h, info, [=] {
    for (int64_t i = batch; i-- > 1;) info[i] = eigenvalues(jobz, uplo, n, A + i * lda * n, lda, W + i * n);
    return eigenvalues(jobz, uplo, n, A, lda, W);
  });
}

inline Status gesvd_bufferSize(cusolverDnHandle_t, int m, int n, int* lwork) {
  return m < 0 || n < 0 ? Status::InvalidValue : one_element(lwork);
}

}  // namespace cassc::solver
#endif
