// Elements of arrays whose type is known when the work is done, as complex doubles.
#ifndef CASSC_BLAS_ELEMENT_H
#define CASSC_BLAS_ELEMENT_H
#include <cstddef>

#include "types.h"

namespace cassc::blas {

template <class T>
T& element(const void* data, int64_t at) {
  return static_cast<T*>(const_cast<void*>(data))[at];
}

size_t bytes_of(cudaDataType type);  // 0: a type that there is none of
cuDoubleComplex load(cudaDataType type, const void* values, int64_t at);
void store(cudaDataType type, void* values, int64_t at, cuDoubleComplex value);

}  // namespace cassc::blas
#endif
