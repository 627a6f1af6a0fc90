// C++ on the device as nvcc has it: alignment behind a memory space, virtual functions, static variables, __int128,
// pragmas, standard types.
#include "check.h"
#include <cassert>
#include <array>
#include <limits>
#include <algorithm>
#include <functional>
#include <tuple>
#include <cstdint>
#include <cmath>
#include <climits>
#include <cfloat>
#pragma nv_diag_suppress 177
#pragma nv_exec_check_disable
#if !defined(__CUDACC__) || !defined(__NVCC__) || !defined(__CUDACC_VER_MAJOR__) || !defined(__CUDACC_VER_MINOR__) || \
    !defined(__CUDACC_VER_BUILD__)
#error predefined
#endif
#if CUDART_VERSION < 11000 || !defined(CUDART_VERSION)
#error CUDART_VERSION
#endif
#ifdef __CUDA_ARCH__
#if __CUDA_ARCH__ < 700
#error arch
#endif
#define WHERE 1
#else
#define WHERE 0
#endif
struct __align__(16) V {
  float x, y, z, w;
};
struct alignas(8) W {
  int a, b;
};
class Base {
 public:
  __device__ virtual int f() { return 1; }
  __host__ __device__ Base() {}
  int q = 3;
};
class D2 : public Base {
 public:
  __device__ int f() override { return 2; }
};
static __device__ __noinline__ int rec(int n) { return n < 2 ? n : rec(n - 1) + rec(n - 2); }
typedef int (*op)(int);
__device__ int twice(int x) { return 2 * x; }
__device__ int thrice(int x) { return 3 * x; }
__device__ op table[2] = {twice, thrice};
__constant__ int lut[] = {1, 2, 3, 4};
__device__ const float kPi = 3.25f;
static constexpr int kHost = 77;
const int kConst = 5;
constexpr float kF = 1.5f;
constexpr int sq(int x) { return x * x; }
template <class T>
__host__ __device__ __forceinline__ T pick(T a, T b) {
  return a < b ? a : b;
}
__device__ __inline__ int in() { return 1; }
enum class Color : unsigned char { red = 3, blue };
union U {
  float f;
  unsigned u;
};
__device__ int counter() {
  static int n = 0;
  return atomicAdd(&n, 1);
}
__device__ volatile int vol;
template <int N>
struct Fact {
  static constexpr int value = N * Fact<N - 1>::value;
};
template <>
struct Fact<0> {
  static constexpr int value = 1;
};
__device__ __host__ auto deduced(int x) -> decltype(x + 1.0f) { return x + 1.0f; }
template <typename T>
__global__ void shapes(T* out) {
  __shared__ alignas(16) T a[8];
  __shared__ __align__(8) unsigned char raw[64];
  __shared__ V v;
  extern __shared__ __align__(16) unsigned char dyn[];
  if (threadIdx.x == 0) {
    v = V{1, 2, 3, 4};
    raw[0] = 1;
    a[1] = T(4);
    dyn[0] = 5;
  }
  __syncthreads();
  out[0] = T(v.w) + a[1] + T(raw[0]) + dyn[0];
}
__global__ void k(int* o) {
  int n = 0;
  auto put = [&](int x) { o[n++] = x; };
  D2 d;
  Base* b = &d;
  put(b->f());  // 0
  put(rec(10));
  put(table[1](5));
  put(lut[2]);  // 1 2 3
  put(int(kPi * 4));
  put(kHost + kConst);
  put(int(kF * 2));
  put(sq(4));  // 4 5 6 7
  put(pick(3, 2) + pick(2.5f, 9.f));
  put(in());
  put((int)Color::blue);  // 8 9 10
  U u;
  u.f = 1.0f;
  put(u.u == 0x3f800000);
  put(Fact<5>::value);   // 11 12
  put(int(deduced(2)));  // 13
  int acc = 0;
#pragma unroll
  for (int i = 0; i < 4; ++i) acc += i;
#pragma unroll 1
  for (int i = 0; i < 4; ++i) acc += i;
#pragma unroll(2)
  for (int i = 0; i < 4; ++i) acc += i;
  put(acc);  // 14
  auto [x, y] = std::pair<int, int>{1, 2};
  put(x + y);  // 15
  std::array<int, 3> arr{1, 2, 3};
  put(arr[2] + std::get<1>(std::tuple<int, int>(4, 5)));                                            // 16
  put(std::max(3, 4) + std::min(1, 2) + std::numeric_limits<int>::max() % 10 + int(std::abs(-2)));  // 17
  put(counter() + counter());                                                                       // 18
  vol = 4;
  put(vol + 1);  // 19
  const char* s = "abc";
  put(s[1]);   // 20
  put(WHERE);  // 21
  __int128 big = (__int128)1 << 70;
  put(int(big >> 68));  // 22
  unsigned long long t0 = clock64();
  long t1 = clock();
  put(t0 != 0 || t1 != 0 || 1);  // 23
  int arr2[2][3] = {{1, 2, 3}, {4, 5, 6}};
  put(arr2[1][2]);  // 24
  if constexpr (sizeof(int) == 4)
    put(1);
  else
    put(0);                                         // 25
  put([](auto a, auto b) { return a + b; }(1, 2));  // 26
  switch (o[0]) {
    case 2:
      put(9);
      break;
    default:
      put(0);
  }  // 27
  goto end;
end:
  assert(n == 28);
  put(INT_MAX == 2147483647 && FLT_MAX > 1e38f && DBL_EPSILON < 1e-15);
  int* heap = new int[4]{1, 2, 3, 4};
  put(heap[3]);
  delete[] heap;
  put(__func__[0]);
  put(sizeof(V) + alignof(V) + alignof(W));
  put(sizeof(dim3) + sizeof(float3) + sizeof(double2) + alignof(float4) + alignof(int3));
  put(__builtin_expect(o[0] == 2, 1));
  __builtin_assume(n > 3);
  put(std::isnan(NAN) && !isinf(1.f) && signbit(-0.0f));
  uint3 tid = threadIdx;
  dim3 bd = blockDim;
  put(tid.x + bd.x + bd.y);
}
int main() {
  int* o = managed<int>(64);
  k<<<1, 1>>>(o);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  int want[] = {2,   55,          15,
                3,   13,          82,
                3,   16,          4,
                1,   4,           1,
                120, 3,           18,
                3,   8,           4 + 1 + 7 + 2,
                1,   5,           'b',
                1,   4,           1,
                6,   1,           3,
                9,   1,           4,
                'k', 16 + 16 + 8, 12 + 12 + 16 + 16 + 4,
                1,   1,           2};
  for (int i = 0; i < (int)(sizeof want / sizeof *want); ++i)
    if (o[i] != want[i]) printf("%d: %d not %d\n", i, o[i], want[i]);
  CHECK(WHERE == 0);
  float* f = managed<float>(1);
  shapes<<<1, 32, 64>>>(f);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(*f == 14);
  CHECK(max(3, 4) == 4 && min(2.f, 1.f) == 1.f && max(3u, 4u) == 4u);
  done();
}
