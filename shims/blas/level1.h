// Level 1: vectors. A count below one is no work at all; results are then 0, as measured on an H200.
#ifndef CASSC_BLAS_LEVEL1_H
#define CASSC_BLAS_LEVEL1_H
#include <cmath>
#include <functional>

#include "backend.h"
#include "handle.h"

namespace cassc::blas {

template <class T>
std::string named(const char* function) {
  return kLetter<T> + std::string(function);
}

template <class T>
Status axpy(cublasHandle_t h, int64_t n, const T* alpha, const T* x, int64_t incx, T* y, int64_t incy) {
  if (!alpha) return Status::InvalidValue;
  if (n <= 0) return Status::Success;
  return start(h, [=, a = Scalar<T>(*h, alpha)] {
    const T value = a.get();
    cblas(named<T>("axpy"), n, scalar(value), x, incx, y, incy);
  });
}

// x = alpha x; of a vector without a direction (incx < 1) there is nothing to do.
template <class T>
Status scal(cublasHandle_t h, int64_t n, const T* alpha, T* x, int64_t incx) {
  if (!alpha) return Status::InvalidValue;
  if (n <= 0 || incx <= 0) return Status::Success;
  return start(h, [=, a = Scalar<T>(*h, alpha)] {
    const T value = a.get();
    cblas(named<T>("scal"), n, scalar(value), x, incx);
  });
}

template <class T>
Status real_scal(cublasHandle_t h, int64_t n, const Real<T>* alpha, T* x, int64_t incx) {
  if (!alpha) return Status::InvalidValue;
  if (n <= 0 || incx <= 0) return Status::Success;
  return start(h, [=, a = Scalar<Real<T>>(*h, alpha)] {
    cblas(named<T>(kLetter<T> == 'c' ? "sscal" : "dscal"), n, a.get(), x, incx);
  });
}

template <class T>
Status copy(cublasHandle_t h, int64_t n, const T* x, int64_t incx, T* y, int64_t incy) {
  if (n <= 0) return Status::Success;
  return start(h, [=] { cblas(named<T>("copy"), n, x, incx, y, incy); });
}

template <class T>
Status swap(cublasHandle_t h, int64_t n, T* x, int64_t incx, T* y, int64_t incy) {
  if (n <= 0) return Status::Success;
  return start(h, [=] { cblas(named<T>("swap"), n, x, incx, y, incy); });
}

template <class T>
Status dot(cublasHandle_t h, int64_t n, const T* x, int64_t incx, const T* y, int64_t incy, T* result) {
  if (!result) return Status::InvalidValue;
  return start_with_result(h, [=] { *result = n > 0 ? cblas<T>(named<T>("dot"), n, x, incx, y, incy) : T{}; });
}

template <class T>
Status complex_dot(cublasHandle_t h, const char* name, int64_t n, const T* x, int64_t incx, const T* y, int64_t incy, T* result) {
  if (!result) return Status::InvalidValue;
  return start_with_result(h, [=] {
    T sum{};
    if (n > 0) cblas(named<T>(name), n, x, incx, y, incy, static_cast<void*>(&sum));
    *result = sum;
  });
}
template <class T>
Status dotu(cublasHandle_t h, int64_t n, const T* x, int64_t incx, const T* y, int64_t incy, T* result) {
  return complex_dot(h, "dotu_sub", n, x, incx, y, incy, result);
}
template <class T>
Status dotc(cublasHandle_t h, int64_t n, const T* x, int64_t incx, const T* y, int64_t incy, T* result) {
  return complex_dot(h, "dotc_sub", n, x, incx, y, incy, result);
}

template <class T>
Status norm(cublasHandle_t h, const char* name, int64_t n, const T* x, int64_t incx, Real<T>* result) {
  if (!result) return Status::InvalidValue;
  const std::string full = (kLetter<T> == 'c' ? "sc" : kLetter<T> == 'z' ? "dz" : std::string(1, kLetter<T>)) + name;
  return start_with_result(h, [=] { *result = n > 0 && incx > 0 ? cblas<Real<T>>(full, n, x, incx) : 0; });
}
template <class T>
Status nrm2(cublasHandle_t h, int64_t n, const T* x, int64_t incx, Real<T>* result) {
  return norm(h, "nrm2", n, x, incx, result);
}
template <class T>
Status asum(cublasHandle_t h, int64_t n, const T* x, int64_t incx, Real<T>* result) {
  return norm(h, "asum", n, x, incx, result);
}

template <class T>
Real<T> size_of(T x) {
  if constexpr (kComplex<T>) return std::abs(x.real()) + std::abs(x.imag());
  else return std::abs(x);
}

// The first largest or smallest, counted from 1. A NaN is neither.
template <class T, class I, class Better>
Status extreme(cublasHandle_t h, int64_t n, const T* x, int64_t incx, I* result, Better better) {
  if (!result) return Status::InvalidValue;
  return start_with_result(h, [=] {
    int64_t best = -1;
    for (int64_t i = 0; i < n && incx > 0; ++i) {
      if (std::isnan(size_of(x[i * incx]))) continue;
      if (best < 0 || better(size_of(x[i * incx]), size_of(x[best * incx]))) best = i;
    }
    *result = static_cast<I>(best < 0 ? (n > 0 && incx > 0) : best + 1);
  });
}
template <class T, class I>
Status amax(cublasHandle_t h, int64_t n, const T* x, int64_t incx, I* result) {
  return extreme(h, n, x, incx, result, std::greater<>());
}
template <class T, class I>
Status amin(cublasHandle_t h, int64_t n, const T* x, int64_t incx, I* result) {
  return extreme(h, n, x, incx, result, std::less<>());
}

// Where a vector's first element is: a negative step starts at its end.
template <class T>
T* first(T* x, int64_t n, int64_t inc) {
  return inc < 0 ? x - (n - 1) * inc : x;
}

template <class T, class S>
Status rot(cublasHandle_t h, int64_t n, T* x, int64_t incx, T* y, int64_t incy, const Real<T>* c, const S* s) {
  if (!c || !s) return Status::InvalidValue;
  if (n <= 0) return Status::Success;
  return start(h, [=, c = Scalar<Real<T>>(*h, c), s = Scalar<S>(*h, s)] {
    const Real<T> cosine = c.get();
    const S sine = s.get();
    T *p = first(x, n, incx), *q = first(y, n, incy);
    for (int64_t i = 0; i < n; ++i, p += incx, q += incy) {
      const T old = *p;
      *p = cosine * old + sine * *q;
      *q = cosine * *q - conjugate(sine) * old;
    }
  });
}

template <class T>
Status rotm(cublasHandle_t h, int64_t n, T* x, int64_t incx, T* y, int64_t incy, const T* parameters) {
  if (!parameters) return Status::InvalidValue;
  if (n <= 0) return Status::Success;
  struct Five {
    T value[5];
  };
  return start(h, [=, five = Scalar<Five>(*h, reinterpret_cast<const Five*>(parameters))] {
    const Five p = five.get();
    cblas(named<T>("rotm"), n, x, incx, y, incy, static_cast<const T*>(p.value));
  });
}

template <class T>
Status rotg(cublasHandle_t h, T* a, T* b, Real<T>* c, T* s) {
  if (!a || !b || !c || !s) return Status::InvalidValue;
  return start_with_result(h, [=] { cblas(named<T>("rotg"), a, b, c, s); });
}

template <class T>
Status rotmg(cublasHandle_t h, T* d1, T* d2, T* x1, const T* y1, T* parameters) {
  if (!d1 || !d2 || !x1 || !y1 || !parameters) return Status::InvalidValue;
  return start_with_result(h, [=] { cblas(named<T>("rotmg"), d1, d2, x1, *y1, parameters); });
}

}  // namespace cassc::blas
#endif
