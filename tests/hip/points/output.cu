// Device printf, malloc, new and assert.
#include "check.h"
#include <cassert>
struct P {
  int x;
};
__global__ void k(int n) {
  printf("no arguments\n");
  printf("%d %u %ld %lu %lld %llx %hhd %hd %c|%5d|%-5d|%05d|%+d|%#x %o\n", -1, 2u, -3l, 4ul, -5ll, 0xabcdefull, (char)6,
         (short)7, 'q', 42, 42, 42, 42, 255, 8);
  printf("%f %.3e %g %10.4f %s %p %%\n", 1.5, 2.5, 3.5f, 4.25, "str", (void*)0);
  const char* d = n ? "yes" : "no";
  printf("%s %*d\n", d, 5, 3);
  int* p = (int*)malloc(16);
  if (!p) printf("no heap\n");
  p[3] = 5;
  printf("%d\n", p[3]);
  free(p);
  P* q = new P{9};
  printf("%d\n", q->x);
  delete q;
  assert(n == 1 && "fine");
  int* z = (int*)malloc(1ull << 40);
  printf("%d\n", z == nullptr);
}
int main() {
  cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20);
  k<<<1, 1>>>(1);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  fflush(stdout);
  k<<<1, 1>>>(0);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
