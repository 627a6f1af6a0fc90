// What a source decides by __CUDA_ARCH__: device code takes the device's branch everywhere, host code the host's.
#include "check.h"
#ifdef __CUDA_ARCH__
#define SIDE 1
#else
#define SIDE 0
#endif
struct Both {
  __host__ __device__ int side() const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 600
    return 1;
#elif defined(__CUDA_ARCH__)
    return 2;
#else
    return 0;
#endif
  }
};
template <class T>
__host__ __device__ T choose(T host, T device) {
#ifndef __CUDA_ARCH__
  return host;
#else
  return device;
#endif
}
__global__ void ask(int* p) {
  p[0] = SIDE;
  p[1] = Both().side();
  p[2] = choose(10, 20);
  p[3] = [] __host__ __device__() { return choose(1, 2); }();
#ifdef __CUDA_ARCH__
  p[4] = __CUDA_ARCH__;
#endif
#ifdef __HIP__
  p[5] = 1;
#endif
}
int main() {
  int* p = managed<int>(8);
  ask<<<1, 1>>>(p);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(p[0] == 1 && p[1] == 1 && p[2] == 20 && p[3] == 2 && p[4] == 800 && p[5] == 0);
  CHECK(SIDE == 0 && Both().side() == 0 && choose(10, 20) == 10);
  done();
}
