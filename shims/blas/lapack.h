// Calls of LAPACK's Fortran functions: everything by address, integers of the library's width.
#ifndef CASSC_BLAS_LAPACK_H
#define CASSC_BLAS_LAPACK_H
#include <algorithm>
#include <vector>

#include "backend.h"

namespace cassc::blas {

// An integer argument. LAPACK reads four or eight bytes; on a little-endian machine these are right for both.
using Integer = int64_t;

// An array of integers that LAPACK writes or reads, given and taken as int.
class Integers {
 public:
  explicit Integers(size_t count) : values_(count) {}
  Integers(const int* from, size_t count) : values_(count) {
    for (size_t i = 0; i < count; ++i) set(i, from[i]);
  }
  Integer* data() { return values_.data(); }
  int get(size_t i) const {
    return wide_integers() ? static_cast<int>(values_[i]) : reinterpret_cast<const int*>(values_.data())[i];
  }
  void copy_to(int* to, size_t count) const {
    for (size_t i = 0; i < count; ++i) to[i] = get(i);
  }

 private:
  void set(size_t i, int value) {
    if (wide_integers()) values_[i] = value;
    else reinterpret_cast<int*>(values_.data())[i] = value;
  }
  std::vector<Integer> values_;
};

// Calls the function of T's precision; its last argument, info, is the result. Characters are passed as the first byte of
// a pointer; the lengths that Fortran adds behind the arguments are 1 for each, and are passed for as many as there may be.
template <class T, class... A>
int lapack(const char* name, A... arguments) {
  const std::string full = kLetter<T> + std::string(name);
  void* function = find_function(full);
  if (!function) {
    missing_function(full);
    return -1;
  }
  Integer info = 0;
  reinterpret_cast<void (*)(A..., Integer*, size_t, size_t, size_t)>(function)(arguments..., &info, 1, 1, 1);
  return static_cast<int>(static_cast<int32_t>(info));
}

// The same with a workspace of the size that the function asks for itself.
template <class T, class Call>
int with_workspace(Call&& call) {
  T best{};
  Integer ask = -1;
  if (const int info = call(&best, &ask)) return info;
  Integer length = static_cast<Integer>(std::real(best)) + 1;
  std::vector<T> work(static_cast<size_t>(length));
  return call(work.data(), &length);
}

// The LU factors without pivots, by elimination, which LAPACK has not. Gives info: the first pivot that is zero, or 0.
template <class T>
int factor_unpivoted(Integer m, Integer n, T* A, Integer lda) {
  int info = 0;
  for (Integer k = 0; k < std::min(m, n); ++k) {
    if (A[k + k * lda] == T{}) {
      if (!info) info = static_cast<int>(k) + 1;
      continue;
    }
    for (Integer i = k + 1; i < m; ++i) A[i + k * lda] /= A[k + k * lda];
    for (Integer j = k + 1; j < n; ++j)
      for (Integer i = k + 1; i < m; ++i) A[i + j * lda] -= A[i + k * lda] * A[k + j * lda];
  }
  return info;
}

}  // namespace cassc::blas
#endif
