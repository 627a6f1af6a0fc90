#include "hipsolver.h"

namespace cassc::solver {

const rocm::Library& hipsolver() {
  static const auto* library = new rocm::Library(
      "hipSOLVER", "CASSC_HIPSOLVER",
      {"libhipsolver.so.1", "libhipsolver.so.0", "/opt/rocm/lib/libhipsolver.so.1", "/opt/rocm/lib/libhipsolver.so.0"});
  return *library;
}

Status status_of_hipsolver(int status) {
  switch (status) {
    case 0: return Status::Success;
    case 1: case 9: return Status::NotInitialized;
    case 2: return Status::AllocFailed;
    case 3: case 10: return Status::InvalidValue;
    case 4: return Status::MappingError;
    case 5: return Status::ExecutionFailed;
    case kHipNotSupported: return Status::NotSupported;
    case 8: return Status::ArchMismatch;
    default: return Status::InternalError;
  }
}

Status create_by_hipsolver(cusolverDnHandle_t* handle) {
  if (!hipsolver().found()) return Status::ArchMismatch;
  void* hip = nullptr;
  if (const int status = hipsolver().call(1, "hipsolverDnCreate", &hip)) return status_of_hipsolver(status);
  *handle = new (std::nothrow) cusolverDnContext{.hip = hip};
  return *handle ? Status::Success : Status::AllocFailed;
}

Status pass_stream(cusolverDnHandle_t handle) {
  void* stream = nullptr;
  if (rt::native_stream(handle->stream, &stream) != rt::Error::Success) return Status::ExecutionFailed;
  return status_of_hipsolver(hipsolver().call(kHipNotSupported, "hipsolverDnSetStream", handle->hip, stream));
}

void* for_hipsolver(JacobiInfo* x) {
  if (!x) return nullptr;
  const std::string create = std::string("hipsolverDnCreate") + (x->singular ? "Gesvdj" : "Syevj") + "Info";
  const std::string set = std::string("hipsolverDnX") + (x->singular ? "gesvdj" : "syevj") + "Set";
  if (!x->hip && hipsolver().call(1, create, &x->hip) != 0) return nullptr;
  if (x->tolerance > 0) hipsolver().call(1, set + "Tolerance", x->hip, x->tolerance);
  hipsolver().call(1, set + "MaxSweeps", x->hip, x->sweeps);
  hipsolver().call(1, set + "SortEig", x->hip, x->sorted);
  return x->hip;
}

}  // namespace cassc::solver
