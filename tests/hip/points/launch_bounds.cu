// __launch_bounds__ in every form: a launch with more threads fails, as in CUDA.
#include "check.h"
__launch_bounds__(64) __global__ void before(int* p) { atomicAdd(p, 1); }
__global__ void __launch_bounds__(64) behind(int* p) { atomicAdd(p, 1); }
template <int N>
__global__ void __launch_bounds__(N, 2) dependent(int* p) {
  atomicAdd(p, 1);
}
template <class A, class B>
struct Larger {
  static constexpr int value = sizeof(A) > sizeof(B) ? 8 * sizeof(A) : 8 * sizeof(B);
};
template <class A, class B>
__launch_bounds__(Larger<A, B>::value) __global__ void with_commas(int* p) {
  atomicAdd(p, 1);
}
int main() {
  int* p = managed<int>(1);
  before<<<1, 65>>>(p);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  behind<<<1, dim3(8, 8, 2)>>>(p);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  dependent<96><<<1, 128>>>(p);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  with_commas<int, double><<<1, 65>>>(p);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  before<<<1, 64>>>(p);
  behind<<<1, 64>>>(p);
  dependent<96><<<1, 96>>>(p);
  with_commas<double, char><<<1, 64>>>(p);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(*p == 288);
  cudaFuncAttributes attributes;
  CHECK(cudaFuncGetAttributes(&attributes, dependent<96>) == cudaSuccess);
  CHECK(attributes.maxThreadsPerBlock == 96);
  done();
}
