// Two kernels, of which the tests let one be refused. LIBRARY: the function "work" alone. OPEN: a program that calls it in a
// library, and has no device code. BIG: a fat binary of more than a mebibyte, and a kernel that uses its variable.
#include <cstdio>

#ifdef OPEN
#include <dlfcn.h>
int main(int, char** arguments) { return reinterpret_cast<int (*)()>(dlsym(dlopen(arguments[1], RTLD_NOW), "work"))(); }
#else
__global__ void twice(int* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= 2;
}

#ifdef BIG
__device__ int table[1 << 18] = {0, 7};
__global__ void refused(int* data) { data[threadIdx.x] = table[data[1] / 2]; }
#else
__global__ void refused(int* data) { data[threadIdx.x] = 7; }
#endif

extern "C" int work() {
  constexpr int n = 100;
  int host[n], *data = nullptr, wrong = 0;
  for (int i = 0; i < n; ++i) host[i] = i;
  cudaMalloc(&data, sizeof host);
  cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice);
  twice<<<4, 32>>>(data, n);
  std::printf("twice: %s\n", cudaGetErrorName(cudaGetLastError()));
  refused<<<1, 1>>>(data);
  std::printf("refused: %s\n", cudaGetErrorName(cudaGetLastError()));
  twice<<<4, 32>>>(data, n);
  cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; ++i) wrong += host[i] != (i == 0 && host[0] == 14 ? 14 : 4 * i);
  std::printf("%d wrong, %s\n", wrong, cudaGetErrorName(cudaGetLastError()));
  std::fflush(stdout);
  return wrong;
}

#ifndef LIBRARY
int main() { return work(); }
#endif
#endif
