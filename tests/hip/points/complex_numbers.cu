// cuComplex.h, and small headers that programs name.
#include "check.h"
#include <cuComplex.h>
#include <cuda.h>
#include <cuda_profiler_api.h>
#include <library_types.h>
#include <nvtx3/nvToolsExt.h>
#include <cuda_device_runtime_api.h>
#include <math_constants.h>
#include <device_launch_parameters.h>
__global__ void k(float* o) {
  cuComplex a = make_cuComplex(1, 2), b = make_cuFloatComplex(3, 4);
  cuComplex c = cuCmulf(a, b);
  o[0] = cuCrealf(c);
  o[1] = cuCimagf(c);
  o[2] = cuCabsf(b);
  cuDoubleComplex d = cuCdiv(make_cuDoubleComplex(1, 2), make_cuDoubleComplex(3, 4));
  o[3] = cuCreal(d);
  o[4] = cuCfmaf(a, b, a).y;
}
int main() {
  float* o = managed<float>(8);
  nvtxRangePush("kernel");
  nvtxEventAttributes_t event = {};
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  nvtxMarkEx(&event);
  cudaProfilerStart();
  k<<<1, 1>>>(o);
  cudaProfilerStop();
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(o[0] == -5 && o[1] == 10 && o[2] == 5);
  CHECK(fabsf(o[3] - 0.44f) < 1e-6 && o[4] == 12);
  CHECK(cuCabs(make_cuDoubleComplex(3e200, 4e200)) > 4.99e200);
  static_assert(sizeof(CUDA_MEMCPY2D) == 128 && sizeof(CUdeviceptr) == 8);
  done();
}
