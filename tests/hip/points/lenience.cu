// What nvcc and g++ only warn of, or take without a word, and clang calls an error unasked.
#include <cinttypes>
#include "check.h"
// As CCCL declares it where NDEBUG is defined.
extern "C" __host__ __device__ void __assert_fail(const char*, const char*, unsigned, const char*) noexcept
    __attribute__((noreturn));
__host__ __device__ void verify(bool holds) { holds ? (void)0 : __assert_fail("holds", __FILE__, __LINE__, __func__); }
__global__ void fill(int* p, int n) {
  register int i = blockIdx.x * blockDim.x + threadIdx.x;
  verify(i >= 0);
  if (i < n) p[i] = i;
}
__global__ void vectors(float* o, int n) {
  uint2 whole{n, n + 1};
  float2 both{n, 0.5};
  short bytes[2] = {n, 2};
  o[0] = whole.y + both.x + bytes[0];
}
constexpr int counted(int most) {
  int x = 0;
  while (x < most) ++x;
  return x;
}
constexpr int kCounted = counted(1060000);  // more steps than clang takes unasked
constexpr float root(float x) { return sqrtf(x); }
int main() {
  int n = 100;
  verify(n == 100);
  int* p = managed<int>(n);
  dim3 grid{(n + 31) / 32, 1, 1};
  fill<<<grid, {32, 1}>>>(p, n);
  fill<<<{n / 32 + 1}, 32>>>(p, n);
  CHECK(cudaDeviceSynchronize() == cudaSuccess && p[99] == 99);
  float* o = managed<float>(1);
  vectors<<<1, 1>>>(o, 5);
  CHECK(cudaDeviceSynchronize() == cudaSuccess && *o == 16);
  char text[32];
  snprintf(text, sizeof text, "%"PRIu64, (uint64_t)kCounted);
  CHECK(atoi(text) == 1060000);
  CHECK(root(4.0f) == 2);
  int variable[n];
  variable[n - 1] = 3;
  CHECK(variable[99] == 3);
  done();
}
