// cuSOLVER's dense functions by hipSOLVER, on a HIP device (hipSOLVER API Reference, "Dense matrix compatibility API":
// the names, parameters and their order are cuSOLVER's).
#ifndef CASSC_SOLVER_HIPSOLVER_H
#define CASSC_SOLVER_HIPSOLVER_H
#include "../rocm/rocm.h"
#include "backend.h"
#include "dense.h"

namespace cassc::solver {

constexpr int kHipNotSupported = 7;

const rocm::Library& hipsolver();
Status status_of_hipsolver(int status);
Status create_by_hipsolver(cusolverDnHandle_t* handle);
Status pass_stream(cusolverDnHandle_t handle);

inline void* for_hipsolver(cusolverDnHandle_t x) { return x->hip; }
inline int for_hipsolver(cublasOperation_t x) { return blas::flag(x); }
inline int for_hipsolver(cublasFillMode_t x) { return blas::flag(x); }
inline int for_hipsolver(cublasSideMode_t x) { return blas::flag(x); }
inline int for_hipsolver(cusolverEigMode_t x) { return x == CUSOLVER_EIG_MODE_VECTOR ? 202 : 201; }
void* for_hipsolver(JacobiInfo* x);  // hipSOLVER's object with these settings
template <class T>
T for_hipsolver(T x) {
  return x;
}

struct ByHipsolver {
  const char* symbol;
  template <class... A>
  Status operator()(cusolverDnHandle_t handle, A... arguments) const {
    if (const Status status = pass_stream(handle); status != Status::Success) return status;
    return status_of_hipsolver(hipsolver().call(kHipNotSupported, "hipsolverDn" + std::string(symbol), for_hipsolver(handle),
                                                for_hipsolver(arguments)...));
  }
};

}  // namespace cassc::solver
#endif
