#include "element.h"

namespace cassc::blas {

size_t bytes_of(cudaDataType type) {
  switch (type) {
    case CUDA_R_8I: return 1;
    case CUDA_R_16F: case CUDA_R_16BF: return 2;
    case CUDA_R_32F: case CUDA_R_32I: return 4;
    case CUDA_R_64F: case CUDA_C_32F: return 8;
    case CUDA_C_64F: return 16;
  }
  return 0;
}

cuDoubleComplex load(cudaDataType type, const void* values, int64_t at) {
  switch (type) {
    case CUDA_R_32F: return element<float>(values, at);
    case CUDA_R_64F: return element<double>(values, at);
    case CUDA_C_32F: return cuDoubleComplex(element<cuComplex>(values, at));
    case CUDA_C_64F: return element<cuDoubleComplex>(values, at);
    case CUDA_R_16F: return widen(element<Half>(values, at));
    case CUDA_R_16BF: return widen(element<BFloat>(values, at));
    case CUDA_R_8I: return element<int8_t>(values, at);
    case CUDA_R_32I: return element<int32_t>(values, at);
  }
  return 0;
}

void store(cudaDataType type, void* values, int64_t at, cuDoubleComplex x) {
  switch (type) {
    case CUDA_R_32F: element<float>(values, at) = static_cast<float>(x.real()); break;
    case CUDA_R_64F: element<double>(values, at) = x.real(); break;
    case CUDA_C_32F: element<cuComplex>(values, at) = cuComplex(x); break;
    case CUDA_C_64F: element<cuDoubleComplex>(values, at) = x; break;
    case CUDA_R_16F: element<Half>(values, at) = to_half(static_cast<float>(x.real())); break;
    case CUDA_R_16BF: element<BFloat>(values, at) = to_bfloat(static_cast<float>(x.real())); break;
    case CUDA_R_8I: element<int8_t>(values, at) = static_cast<int8_t>(x.real()); break;
    case CUDA_R_32I: element<int32_t>(values, at) = static_cast<int32_t>(x.real()); break;
  }
}

}  // namespace cassc::blas
