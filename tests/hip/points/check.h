#pragma once
#include <cstdio>
#include <cstdlib>
#define CHECK(x)                                     \
  do {                                               \
    if (!(x)) printf("line %d: %s\n", __LINE__, #x); \
  } while (0)
template <class T>
T* managed(int n) {
  T* p;
  cudaMallocManaged(&p, n * sizeof(T));
  for (int i = 0; i < n; ++i) p[i] = T();
  return p;
}
inline void done() {
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  puts("done");
}
