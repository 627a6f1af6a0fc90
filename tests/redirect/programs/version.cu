// Says which CUDA runtime answers. NVIDIA's own gives error 35 where there is no driver.
#include <cstdio>

__global__ void nothing() {}

extern "C" int say() {
  int version = 0, count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  cudaRuntimeGetVersion(&version);
  void* memory = nullptr;
  const cudaError_t allocated = cudaMalloc(&memory, 64);
  std::printf("devices %d, error %d, allocation %d, free %d\n", count, error, allocated, cudaFree(memory));
  std::fflush(stdout);
  return error;
}

#ifndef LIBRARY
int main() { return say(); }
#endif
