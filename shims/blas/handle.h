// What a cuBLAS handle holds, and how its functions start their work.
#ifndef CASSC_BLAS_HANDLE_H
#define CASSC_BLAS_HANDLE_H
#include <new>

#include "library_work.h"
#include "types.h"

struct cublasContext {
  cassc::rt::Stream* stream = nullptr;
  bool device_scalars = false;  // CUBLAS_POINTER_MODE_DEVICE
  int atomics = 0, math = 0, sm_target = 0;
  void* hip = nullptr;  // hipBLAS's handle, on a HIP device
};
using cublasHandle_t = cublasContext*;

namespace cassc::blas {

// A scalar argument: on the host it is read when the function is called, on the device when the work is done.
template <class T>
class Scalar {
 public:
  Scalar(const cublasContext& handle, const T* pointer) : later_(handle.device_scalars ? pointer : nullptr) {
    if (!handle.device_scalars) value_ = *pointer;
  }
  T get() const { return later_ ? *later_ : value_; }

 private:
  const T* later_;
  T value_{};
};

// A status by its name, or in words.
const char* describe(int status, bool named);

inline Status status_of(rt::Error error) {
  switch (error) {
    case rt::Error::Success: return Status::Success;
    case rt::Error::MemoryAllocation: return Status::AllocFailed;
    case rt::Error::NotSupported: return Status::NotSupported;
    default: return Status::ExecutionFailed;
  }
}

// The work of a function without a result of its own.
template <class Work>
Status start(cublasHandle_t handle, Work work) {
  return status_of(rt::enqueue(handle->stream, std::move(work)));
}

// The work of one that writes a scalar: into memory of the host it must be there when the function returns.
template <class Work>
Status start_with_result(cublasHandle_t handle, Work work) {
  return status_of(handle->device_scalars ? rt::enqueue(handle->stream, std::move(work))
                                          : rt::enqueue_and_wait(handle->stream, std::move(work)));
}

// What every entry point does about a missing handle and exceptions.
template <class Body>
Status guarded(cublasHandle_t handle, Body&& body) {
  if (!handle) return Status::NotInitialized;
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return Status::AllocFailed;
  } catch (...) {
    return Status::InternalError;
  }
}

inline bool valid(cublasOperation_t x) { return x >= CUBLAS_OP_N && x <= CUBLAS_OP_C; }
inline bool valid(cublasFillMode_t x) { return x == CUBLAS_FILL_MODE_LOWER || x == CUBLAS_FILL_MODE_UPPER; }
inline bool valid(cublasDiagType_t x) { return x == CUBLAS_DIAG_NON_UNIT || x == CUBLAS_DIAG_UNIT; }
inline bool valid(cublasSideMode_t x) { return x == CUBLAS_SIDE_LEFT || x == CUBLAS_SIDE_RIGHT; }
inline bool leads(int64_t ld, int64_t rows) { return ld >= (rows > 1 ? rows : 1); }

}  // namespace cassc::blas
#endif
