// libcublas's entry points for handles, settings and transfers (cuBLAS manual, "cuBLAS Helper Function Reference").
#include <cstddef>

#include "backend.h"
#include "context.h"
#include "errors.h"
#include "handle.h"
#include "hipblas.h"
#include "memory.h"
#include "operation.h"

#define CASSC_API extern "C" __attribute__((visibility("default")))

using namespace cassc::blas;
namespace rt = cassc::rt;

namespace {

constexpr int kVersion = 130100;  // 13.1.0

template <class T>
Status get(cublasHandle_t handle, T* value, T cublasContext::*member) {
  return guarded(handle, [&] {
    if (!value) return Status::InvalidValue;
    *value = handle->*member;
    return Status::Success;
  });
}

template <class T>
Status set(cublasHandle_t handle, T cublasContext::*member, T value) {
  return guarded(handle, [&] {
    handle->*member = value;
    return Status::Success;
  });
}

// A box of elements between host and device, each column (or element of a vector) ld elements after the last.
Status transfer(int64_t rows, int64_t columns, int64_t size, const void* from, int64_t from_ld, void* to, int64_t to_ld,
                rt::CopyKind kind, rt::Stream* handle, rt::Wait wait) {
  if (rows < 0 || columns < 0 || size <= 0 || from_ld <= 0 || to_ld <= 0) return Status::InvalidValue;
  if (!rows || !columns) return Status::Success;
  if (rt::Context::get().open(nullptr) != rt::Error::Success) return Status::NotInitialized;
  rt::Context::get().use_runtime();
  rt::Stream* stream = nullptr;
  if (rt::find_stream(handle, &stream) != rt::Error::Success) return Status::InvalidValue;
  rt::Copy copy;
  copy.source = from;
  copy.target = to;
  copy.source_pitch = static_cast<size_t>(from_ld * size);
  copy.target_pitch = static_cast<size_t>(to_ld * size);
  copy.source_slice = copy.source_pitch * static_cast<size_t>(columns);
  copy.target_slice = copy.target_pitch * static_cast<size_t>(columns);
  copy.width = static_cast<size_t>(rows * size);
  copy.height = static_cast<size_t>(columns);
  copy.kind = kind;
  bool empty = false;
  if (rt::settle(copy, empty) != rt::Error::Success) return Status::MappingError;
  return empty || rt::submit(*stream, copy, wait) == rt::Error::Success ? Status::Success : Status::MappingError;
}

Status create_by_hipblas(cublasHandle_t* handle) {
  if (!hipblas().found()) return Status::ArchMismatch;
  void* hip = nullptr;
  if (const int status = hipblas().call(1, "hipblasCreate", &hip)) return status_of_hipblas(status);
  *handle = new (std::nothrow) cublasContext{.hip = hip};
  return *handle ? Status::Success : Status::AllocFailed;
}

constexpr auto kIn = rt::CopyKind::HostToDevice, kOut = rt::CopyKind::DeviceToHost;

}  // namespace

CASSC_API Status cublasCreate_v2(cublasHandle_t* handle) {
  if (!handle) return Status::InvalidValue;
  switch (rt::open_for_libraries()) {
    case rt::Error::Success: break;
    case rt::Error::NotSupported: return create_by_hipblas(handle);
    default: return Status::NotInitialized;
  }
  if (!have_backend()) return Status::NotInitialized;
  *handle = new (std::nothrow) cublasContext;
  return *handle ? Status::Success : Status::AllocFailed;
}

CASSC_API Status cublasDestroy_v2(cublasHandle_t handle) {
  return guarded(handle, [&] {
    const int status = handle->hip ? hipblas().call(1, "hipblasDestroy", handle->hip) : 0;
    delete handle;
    return status_of_hipblas(status);
  });
}

CASSC_API Status cublasGetVersion_v2(cublasHandle_t, int* version) {
  if (!version) return Status::InvalidValue;
  *version = kVersion;
  return Status::Success;
}
CASSC_API Status cublasGetProperty(int which, int* value) {
  constexpr int values[] = {kVersion / 10000, kVersion / 100 % 100, kVersion % 100};
  if (which < 0 || which > 2 || !value) return Status::InvalidValue;
  *value = values[which];
  return Status::Success;
}
CASSC_API size_t cublasGetCudartVersion() { return 13000; }

CASSC_API const char* cublasGetStatusName(int status) { return describe(status, true); }
CASSC_API const char* cublasGetStatusString(int status) { return describe(status, false); }

CASSC_API Status cublasSetStream_v2(cublasHandle_t handle, rt::Stream* stream) {
  return set(handle, &cublasContext::stream, stream);
}
CASSC_API Status cublasGetStream_v2(cublasHandle_t handle, rt::Stream** stream) {
  return get(handle, stream, &cublasContext::stream);
}
CASSC_API Status cublasSetPointerMode_v2(cublasHandle_t handle, int mode) {
  if (mode != 0 && mode != 1) return handle ? Status::InvalidValue : Status::NotInitialized;
  return set(handle, &cublasContext::device_scalars, mode == 1);
}
CASSC_API Status cublasGetPointerMode_v2(cublasHandle_t handle, int* mode) {
  bool device = false;
  const Status status = get(handle, &device, &cublasContext::device_scalars);
  if (status == Status::Success && mode) *mode = device;
  return status == Status::Success && !mode ? Status::InvalidValue : status;
}
CASSC_API Status cublasSetAtomicsMode(cublasHandle_t handle, int mode) { return set(handle, &cublasContext::atomics, mode); }
CASSC_API Status cublasGetAtomicsMode(cublasHandle_t handle, int* mode) { return get(handle, mode, &cublasContext::atomics); }
// All products are made in the full precision of their compute type, which every mode allows.
CASSC_API Status cublasSetMathMode(cublasHandle_t handle, int mode) { return set(handle, &cublasContext::math, mode); }
CASSC_API Status cublasGetMathMode(cublasHandle_t handle, int* mode) { return get(handle, mode, &cublasContext::math); }
CASSC_API Status cublasSetSmCountTarget(cublasHandle_t handle, int count) {
  return count < 0 ? Status::InvalidValue : set(handle, &cublasContext::sm_target, count);
}
CASSC_API Status cublasGetSmCountTarget(cublasHandle_t handle, int* count) {
  return get(handle, count, &cublasContext::sm_target);
}
// No memory of the device is needed.
CASSC_API Status cublasSetWorkspace_v2(cublasHandle_t handle, void*, size_t) {
  return guarded(handle, [] { return Status::Success; });
}
CASSC_API Status cublasLoggerConfigure(int, int, int, const char*) { return Status::Success; }
CASSC_API Status cublasSetLoggerCallback(void (*)(const char*)) { return Status::Success; }

// Both front doors of each transfer: int, and int64_t for the names that end in _64.
#define TRANSFERS(suffix, INT)                                                                                               \
  CASSC_API Status cublasSetVector##suffix(INT n, INT size, const void* x, INT incx, void* y, INT incy) {                    \
    return transfer(1, n, size, x, incx, y, incy, kIn, nullptr, rt::Wait::Yes);                                              \
  }                                                                                                                          \
  CASSC_API Status cublasGetVector##suffix(INT n, INT size, const void* x, INT incx, void* y, INT incy) {                    \
    return transfer(1, n, size, x, incx, y, incy, kOut, nullptr, rt::Wait::Yes);                                             \
  }                                                                                                                          \
  CASSC_API Status cublasSetMatrix##suffix(INT m, INT n, INT size, const void* A, INT lda, void* B, INT ldb) {               \
    return transfer(m, n, size, A, lda, B, ldb, kIn, nullptr, rt::Wait::Yes);                                                \
  }                                                                                                                          \
  CASSC_API Status cublasGetMatrix##suffix(INT m, INT n, INT size, const void* A, INT lda, void* B, INT ldb) {               \
    return transfer(m, n, size, A, lda, B, ldb, kOut, nullptr, rt::Wait::Yes);                                               \
  }                                                                                                                          \
  CASSC_API Status cublasSetVectorAsync##suffix(INT n, INT size, const void* x, INT incx, void* y, INT incy, rt::Stream* s) { \
    return transfer(1, n, size, x, incx, y, incy, kIn, s, rt::Wait::No);                                                     \
  }                                                                                                                          \
  CASSC_API Status cublasGetVectorAsync##suffix(INT n, INT size, const void* x, INT incx, void* y, INT incy, rt::Stream* s) { \
    return transfer(1, n, size, x, incx, y, incy, kOut, s, rt::Wait::No);                                                    \
  }                                                                                                                          \
  CASSC_API Status cublasSetMatrixAsync##suffix(INT m, INT n, INT size, const void* A, INT lda, void* B, INT ldb,            \
                                                rt::Stream* s) {                                                             \
    return transfer(m, n, size, A, lda, B, ldb, kIn, s, rt::Wait::No);                                                       \
  }                                                                                                                          \
  CASSC_API Status cublasGetMatrixAsync##suffix(INT m, INT n, INT size, const void* A, INT lda, void* B, INT ldb,            \
                                                rt::Stream* s) {                                                             \
    return transfer(m, n, size, A, lda, B, ldb, kOut, s, rt::Wait::No);                                                      \
  }
TRANSFERS(, int)
TRANSFERS(_64, int64_t)
