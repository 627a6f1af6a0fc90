// libcusparse's entry points: those of sparse_functions.def, and those for handles and settings (cuSPARSE manual). On a HIP
// device they are hipSPARSE's, whose names, numbers and statuses are cuSPARSE's but for the order of dense matrices.
#include <cstring>
#include <new>

#include "../rocm/rocm.h"
#include "types.h"

#define CASSC_API extern "C" __attribute__((visibility("default")))

using cassc::sparse::Status;
namespace rt = cassc::rt;
namespace sparse = cassc::sparse;

namespace {

constexpr int kMajor = 12, kMinor = 6, kPatch = 0;
constexpr int kNotSupported = CUSPARSE_STATUS_NOT_SUPPORTED;

const cassc::rocm::Library& hipsparse() {
  static const auto* library = new cassc::rocm::Library(
      "hipSPARSE", "CASSC_HIPSPARSE",
      {"libhipsparse.so.4", "libhipsparse.so.1", "/opt/rocm/lib/libhipsparse.so.4", "/opt/rocm/lib/libhipsparse.so.1"});
  return *library;
}

bool on_hip() {
  static const bool hip = rt::open_for_libraries() == rt::Error::NotSupported;
  return hip;
}

void* for_hipsparse(cusparseHandle_t x) { return x ? x->hip : nullptr; }
int for_hipsparse(cusparseOrder_t x) { return x == CUSPARSE_ORDER_ROW ? 0 : 1; }
template <class T>
T for_hipsparse(T x) {
  return x;
}

// These have other parameters there, or answer with the order of a dense matrix.
bool differs(const char* symbol) {
  for (const char* other : {"SpSM_solve", "DnMatGet", "ConstDnMatGet"})
    if (std::strcmp(symbol, other) == 0) return true;
  return false;
}

struct ByHipsparse {
  const char* symbol;
  template <class First, class... A>
  Status operator()(First first, A... arguments) const {
    if constexpr (std::is_same_v<First, cusparseHandle_t>) {
      if (!first) return CUSPARSE_STATUS_NOT_INITIALIZED;
      void* stream = nullptr;
      if (const rt::Error error = rt::native_stream(first->stream, &stream); error != rt::Error::Success)
        return sparse::status_of(error);
      if (const int status = hipsparse().call(kNotSupported, "hipsparseSetStream", first->hip, stream)) return static_cast<Status>(status);
      if (const int status = hipsparse().call(kNotSupported, "hipsparseSetPointerMode", first->hip, static_cast<int>(first->mode)))
        return static_cast<Status>(status);
    }
    if (differs(symbol)) {
      rt::report("cusparse" + std::string(symbol) + " is not supported on a HIP device", true);
      return CUSPARSE_STATUS_NOT_SUPPORTED;
    }
    return static_cast<Status>(hipsparse().call(kNotSupported, "hipsparse" + std::string(symbol), for_hipsparse(first), for_hipsparse(arguments)...));
  }
};

struct ByUs {
  template <class First, class... A>
  Status operator()(Status (*function)(First, A...), First first, A... arguments) const {
    if constexpr (std::is_same_v<First, cusparseHandle_t>)
      if (!first) return CUSPARSE_STATUS_NOT_INITIALIZED;
    try {
      return function(first, arguments...);
    } catch (const std::bad_alloc&) {
      return CUSPARSE_STATUS_ALLOC_FAILED;
    } catch (...) {
      return CUSPARSE_STATUS_INTERNAL_ERROR;
    }
  }
};

template <class Body>
Status with(const void* object, Body&& body) {
  if (!object) return CUSPARSE_STATUS_NOT_INITIALIZED;
  body();
  return CUSPARSE_STATUS_SUCCESS;
}

const char* describe(int status, bool named) {
  static constexpr const char* texts[][2] = {
      {"CUSPARSE_STATUS_SUCCESS", "success"},
      {"CUSPARSE_STATUS_NOT_INITIALIZED", "initialization error"},
      {"CUSPARSE_STATUS_ALLOC_FAILED", "insufficient resources"},
      {"CUSPARSE_STATUS_INVALID_VALUE", "invalid value"},
      {"CUSPARSE_STATUS_ARCH_MISMATCH", "architecture mismatch"},
      {"CUSPARSE_STATUS_MAPPING_ERROR", "texture error"},
      {"CUSPARSE_STATUS_EXECUTION_FAILED", "kernel launch failure"},
      {"CUSPARSE_STATUS_INTERNAL_ERROR", "internal error"},
      {"CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED", "matrix type not supported"},
      {"CUSPARSE_STATUS_ZERO_PIVOT", "zero pivot"},
      {"CUSPARSE_STATUS_NOT_SUPPORTED", "operation not supported"},
      {"CUSPARSE_STATUS_INSUFFICIENT_RESOURCES", "insufficient resources"},
  };
  return status >= 0 && status < 12 ? texts[status][named ? 0 : 1] : named ? "CUSPARSE_STATUS_UNKNOWN" : "unknown error";
}

}  // namespace

#define UNPACK(...) __VA_ARGS__
#define SPARSE(symbol, parameters, arguments)                    \
  CASSC_API Status cusparse##symbol parameters {                 \
    if (on_hip()) return ByHipsparse{#symbol} arguments;         \
    return ByUs{}(&sparse::symbol, UNPACK arguments);            \
  }
#include <cassc/sparse_functions.def>

CASSC_API Status cusparseCreate(cusparseHandle_t* handle) {
  if (!handle) return CUSPARSE_STATUS_INVALID_VALUE;
  void* hip = nullptr;
  switch (rt::open_for_libraries()) {
    case rt::Error::Success: break;
    case rt::Error::NotSupported:
      if (!hipsparse().found()) return CUSPARSE_STATUS_ARCH_MISMATCH;
      if (const int status = hipsparse().call(kNotSupported, "hipsparseCreate", &hip)) return static_cast<Status>(status);
      break;
    default: return CUSPARSE_STATUS_NOT_INITIALIZED;
  }
  *handle = new (std::nothrow) cusparseContext{.hip = hip};
  return *handle ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ALLOC_FAILED;
}
CASSC_API Status cusparseDestroy(cusparseHandle_t handle) {
  return with(handle, [&] {
    if (handle->hip) hipsparse().call(kNotSupported, "hipsparseDestroy", handle->hip);
    delete handle;
  });
}
CASSC_API Status cusparseGetVersion(cusparseHandle_t handle, int* version) {
  if (!version) return CUSPARSE_STATUS_INVALID_VALUE;
  return with(handle, [&] { *version = kMajor * 1000 + kMinor * 100 + kPatch; });
}
CASSC_API Status cusparseGetProperty(int which, int* value) {
  constexpr int values[] = {kMajor, kMinor, kPatch};
  if (which < 0 || which > 2 || !value) return CUSPARSE_STATUS_INVALID_VALUE;
  *value = values[which];
  return CUSPARSE_STATUS_SUCCESS;
}
CASSC_API const char* cusparseGetErrorName(int status) { return describe(status, true); }
CASSC_API const char* cusparseGetErrorString(int status) { return describe(status, false); }
CASSC_API Status cusparseSetStream(cusparseHandle_t handle, rt::Stream* stream) {
  return with(handle, [&] { handle->stream = stream; });
}
CASSC_API Status cusparseGetStream(cusparseHandle_t handle, rt::Stream** stream) {
  if (!stream) return CUSPARSE_STATUS_INVALID_VALUE;
  return with(handle, [&] { *stream = handle->stream; });
}
CASSC_API Status cusparseSetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t mode) {
  if (mode != CUSPARSE_POINTER_MODE_HOST && mode != CUSPARSE_POINTER_MODE_DEVICE) return CUSPARSE_STATUS_INVALID_VALUE;
  return with(handle, [&] { handle->mode = mode; });
}
CASSC_API Status cusparseGetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t* mode) {
  if (!mode) return CUSPARSE_STATUS_INVALID_VALUE;
  return with(handle, [&] { *mode = handle->mode; });
}
CASSC_API Status cusparseLoggerSetLevel(int) { return CUSPARSE_STATUS_SUCCESS; }
CASSC_API Status cusparseLoggerSetMask(int) { return CUSPARSE_STATUS_SUCCESS; }
CASSC_API Status cusparseLoggerForceDisable() { return CUSPARSE_STATUS_SUCCESS; }

// The settings of a matrix descriptor; on a HIP device it is hipSPARSE's.
#define SETTING(Name, type, member)                                                                       \
  CASSC_API Status cusparseSet##Name(cusparseMatDescr_t descr, type value) {                              \
    if (!descr) return CUSPARSE_STATUS_INVALID_VALUE;                                                     \
    if (on_hip()) return ByHipsparse{"Set" #Name}(descr, value);                                          \
    return descr->member = value, CUSPARSE_STATUS_SUCCESS;                                                \
  }                                                                                                       \
  CASSC_API type cusparseGet##Name(const cusparseMatDescr_t descr) {                                      \
    if (on_hip()) return static_cast<type>(hipsparse().call(0, "hipsparseGet" #Name, descr));             \
    return descr->member;                                                                                 \
  }
SETTING(MatType, cusparseMatrixType_t, type)
SETTING(MatFillMode, cusparseFillMode_t, fill)
SETTING(MatDiagType, cusparseDiagType_t, diagonal)
SETTING(MatIndexBase, cusparseIndexBase_t, base)
