// The entry points of solver_functions.def, and those for handles and settings (cuSOLVER manual, "Dense LAPACK Function").
#include "dense.h"
#include "errors.h"
#include "hipsolver.h"

#define CASSC_API extern "C" __attribute__((visibility("default")))

using cassc::solver::guarded;
using cassc::solver::Status;
namespace rt = cassc::rt;

#define SOLVER(symbol, implementation, parameters, arguments)                         \
  CASSC_API Status cusolverDn##symbol parameters {                                    \
    return guarded(handle, [&] {                                                      \
      if (handle->hip) return cassc::solver::ByHipsolver{#symbol} arguments;          \
      return cassc::solver::implementation arguments;                                 \
    });                                                                               \
  }
#include <cassc/solver_functions.def>

CASSC_API Status cusolverDnCreate(cusolverDnHandle_t* handle) {
  if (!handle) return Status::InvalidValue;
  switch (rt::open_for_libraries()) {
    case rt::Error::Success: break;
    case rt::Error::NotSupported: return cassc::solver::create_by_hipsolver(handle);
    default: return Status::NotInitialized;
  }
  if (!cassc::blas::have_backend()) return Status::NotInitialized;
  *handle = new (std::nothrow) cusolverDnContext;
  return *handle ? Status::Success : Status::AllocFailed;
}
CASSC_API Status cusolverDnDestroy(cusolverDnHandle_t handle) {
  return guarded(handle, [&] {
    const int status = handle->hip ? cassc::solver::hipsolver().call(1, "hipsolverDnDestroy", handle->hip) : 0;
    delete handle;
    return cassc::solver::status_of_hipsolver(status);
  });
}
CASSC_API Status cusolverDnSetStream(cusolverDnHandle_t handle, rt::Stream* stream) {
  return guarded(handle, [&] {
    handle->stream = stream;
    return Status::Success;
  });
}
CASSC_API Status cusolverDnGetStream(cusolverDnHandle_t handle, rt::Stream** stream) {
  return guarded(handle, [&] {
    if (!stream) return Status::InvalidValue;
    *stream = handle->stream;
    return Status::Success;
  });
}
CASSC_API Status cusolverGetVersion(int* version) {
  if (version) *version = 12000;
  return version ? Status::Success : Status::InvalidValue;
}
CASSC_API Status cusolverGetProperty(int which, int* value) {
  constexpr int values[] = {12, 0, 0};
  if (which < 0 || which > 2 || !value) return Status::InvalidValue;
  *value = values[which];
  return Status::Success;
}

// The two Jacobi methods have settings of the same kind.
#define JACOBI(Name, name, of_singular_values)                                                                 \
  CASSC_API Status cusolverDnCreate##Name##Info(JacobiInfo** info) {                                           \
    if (!info) return Status::InvalidValue;                                                                    \
    *info = new (std::nothrow) JacobiInfo{.singular = of_singular_values};                                     \
    return *info ? Status::Success : Status::AllocFailed;                                                      \
  }                                                                                                            \
  CASSC_API Status cusolverDnDestroy##Name##Info(JacobiInfo* info) {                                           \
    if (info && info->hip) cassc::solver::hipsolver().call(1, "hipsolverDnDestroy" #Name "Info", info->hip);   \
    delete info;                                                                                               \
    return Status::Success;                                                                                    \
  }                                                                                                            \
  CASSC_API Status cusolverDnX##name##SetTolerance(JacobiInfo* info, double tolerance) {                       \
    return guarded(info, [&] { return info->tolerance = tolerance, Status::Success; });                        \
  }                                                                                                            \
  CASSC_API Status cusolverDnX##name##SetMaxSweeps(JacobiInfo* info, int sweeps) {                             \
    return guarded(info, [&] { return info->sweeps = sweeps, Status::Success; });                              \
  }                                                                                                            \
  CASSC_API Status cusolverDnX##name##SetSortEig(JacobiInfo* info, int sorted) {                               \
    return guarded(info, [&] { return info->sorted = sorted, Status::Success; });                              \
  }                                                                                                            \
  CASSC_API Status cusolverDnX##name##GetResidual(cusolverDnHandle_t handle, JacobiInfo* info, double* to) {   \
    return guarded(handle, [&] {                                                                               \
      if (handle->hip) return cassc::solver::ByHipsolver{"X" #name "GetResidual"}(handle, info, to);           \
      return *to = 0, Status::Success;                                                                         \
    });                                                                                                        \
  }                                                                                                            \
  CASSC_API Status cusolverDnX##name##GetSweeps(cusolverDnHandle_t handle, JacobiInfo* info, int* sweeps) {    \
    return guarded(handle, [&] {                                                                               \
      if (handle->hip) return cassc::solver::ByHipsolver{"X" #name "GetSweeps"}(handle, info, sweeps);         \
      return *sweeps = 1, Status::Success;                                                                     \
    });                                                                                                        \
  }
JACOBI(Gesvdj, gesvdj, true)
JACOBI(Syevj, syevj, false)
