// Functions for both sides that call the host's, of which nvcc only warns: they must not be called on the device.
#include <iostream>
#include <vector>
#include "check.h"
__host__ __device__ void shout(int x) { std::cout << x; }
template <class T>
__host__ __device__ T random(T x) {
  return rand() + x;
}
struct Sized {
  std::vector<int> values;
  __host__ __device__ Sized() {}
  __host__ __device__ int size() const { return values.size(); }
};
__host__ __device__ int both(int x) {
#ifndef __CUDA_ARCH__
  if (x < 0) throw x;
#endif
  return x + 1;
}
__global__ void use(int* p) { *p = both(1); }
int main() {
  int* p = managed<int>(1);
  use<<<1, 1>>>(p);
  CHECK(cudaDeviceSynchronize() == cudaSuccess && *p == 2);
  CHECK(Sized().size() == 0 && random(1) > 0 && both(4) == 5);
  if (*p != 2) shout(1);
  done();
}
