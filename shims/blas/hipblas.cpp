#include "hipblas.h"

namespace cassc::blas {

// Versions 2 and 3, of ROCm 6 and 7.
const rocm::Library& hipblas() {
  static const auto* library = new rocm::Library(
      "hipBLAS", "CASSC_HIPBLAS",
      {"libhipblas.so.3", "libhipblas.so.2", "/opt/rocm/lib/libhipblas.so.3", "/opt/rocm/lib/libhipblas.so.2"});
  return *library;
}

Status status_of_hipblas(int status) {
  switch (status) {
    case 0: return Status::Success;
    case 1: case 9: return Status::NotInitialized;
    case 2: return Status::AllocFailed;
    case 3: case 10: return Status::InvalidValue;
    case 4: return Status::MappingError;
    case 5: return Status::ExecutionFailed;
    case 7: return Status::NotSupported;
    case 8: return Status::ArchMismatch;
    default: return Status::InternalError;
  }
}

Status pass_settings(cublasHandle_t handle) {
  void* stream = nullptr;
  if (const rt::Error error = rt::native_stream(handle->stream, &stream); error != rt::Error::Success) return status_of(error);
  constexpr int kNotSupported = 7;
  if (const int status = hipblas().call(kNotSupported, "hipblasSetStream", handle->hip, stream)) return status_of_hipblas(status);
  hipblas().call(kNotSupported, "hipblasSetAtomicsMode", handle->hip, handle->atomics);
  return status_of_hipblas(hipblas().call(kNotSupported, "hipblasSetPointerMode", handle->hip, int{handle->device_scalars}));
}

std::string hipblas_name(std::string symbol) {
  if (const size_t at = symbol.find("_v2"); at != std::string::npos) symbol.erase(at, 3);
  if (const size_t at = symbol.find("gemm3m"); at != std::string::npos) symbol.erase(at + 4, 2);  // the result is gemm's
  // Version 2 has both interfaces: the one with computation types of its own has _v2 in its name, before _64.
  std::string name = "hipblas" + symbol;
  if (symbol.rfind("Gemm", 0) == 0) {
    const size_t at = name.rfind("_64") == std::string::npos ? name.size() : name.rfind("_64");
    const std::string second = std::string(name).insert(at, "_v2");
    if (hipblas().has(second)) return second;
  }
  return name;
}

int for_hipblas(cublasComputeType_t x) {
  switch (static_cast<int>(x)) {  // before CUDA 11 this was the data type
    case 64: case CUDA_R_16F: return 0;
    case 65: return 1;
    case 69: return 3;
    case 74: return 4;
    case 75: return 5;
    case 77: return 6;
    case 70: case CUDA_R_64F: case CUDA_C_64F: return 7;
    case 71: return 8;
    case 72: case CUDA_R_32I: return 9;
    case 73: return 10;
    default: return 2;
  }
}

}  // namespace cassc::blas
