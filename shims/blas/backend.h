// The CPU's BLAS and LAPACK: OpenBLAS, MKL or the reference, opened when cuBLAS or cuSOLVER is first used.
#ifndef CASSC_BLAS_BACKEND_H
#define CASSC_BLAS_BACKEND_H
#include <string>
#include <type_traits>

#include "types.h"

namespace cassc::blas {

// Whether there is one. If not, says once which command brings it.
bool have_backend();
// Whether LAPACK's integers are 64 bits wide there.
bool wide_integers();
// A function by its CBLAS name ("cblas_sgemm") or Fortran name ("sgetrf"). Null when the library has none.
void* find_function(const std::string& name);
// A missing function ends in this: the caller's work is not done, and stderr says so.
void missing_function(const std::string& name);

template <class T>
constexpr char kLetter = std::is_same_v<T, float> ? 's' : std::is_same_v<T, double> ? 'd' : std::is_same_v<T, cuComplex> ? 'c' : 'z';

// Scalars go by value in CBLAS when they are real, by address when they are complex.
inline float scalar(const float& x) { return x; }
inline double scalar(const double& x) { return x; }
inline const void* scalar(const cuComplex& x) { return &x; }
inline const void* scalar(const cuDoubleComplex& x) { return &x; }

// Calls a function with these argument types. Integers are passed as int64_t even where the library takes int: in the
// x86-64 ABI (System V psABI, "Parameter Passing") both are one register or one eight-byte slot of the stack, of which a
// function that takes an int reads the lower half.
template <class R = void, class... A>
R cblas(const std::string& name, A... arguments) {
  if (void* function = find_function("cblas_" + name)) return reinterpret_cast<R (*)(A...)>(function)(arguments...);
  missing_function("cblas_" + name);
  return R();
}

// CBLAS's enumerations.
constexpr int kColumns = 102;
inline int flag(cublasOperation_t x) { return 111 + x; }
inline int flag(cublasFillMode_t x) { return x == CUBLAS_FILL_MODE_UPPER ? 121 : 122; }
inline int flag(cublasDiagType_t x) { return 131 + x; }
inline int flag(cublasSideMode_t x) { return 141 + x; }

}  // namespace cassc::blas
#endif
