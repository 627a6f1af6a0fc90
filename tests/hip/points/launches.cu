// Launch syntax in every form that nvcc takes, and what a kernel may be: templates, overloads, kernels of namespaces,
// with bounds.
#include "check.h"
#include <vector>
#include <utility>
__global__ void add(int* p, int v = 1) { atomicAdd(p, v); }
template <class T>
__global__ void addt(T* p, T v) {
  atomicAdd(p, v);
}
template <class... Ts>
__global__ void addall(int* p, Ts... v) {
  atomicAdd(p, (0 + ... + int(v)));
}
template <int N, class T>
__global__ void addn(T* p) {
  atomicAdd(p, T(N));
}
template <template <class> class C, class T>
__global__ void addc(C<T> c) {
  atomicAdd(c.p, T(5));
}
template <class T>
struct Holder {
  T* p;
};
template <class F>
__global__ void call(F f) {
  f();
}
namespace outer {
namespace {
__global__ void hidden(int* p) { atomicAdd(p, 7); }
}  // namespace
struct Own {
  static void go(int* p) { hidden<<<1, 1>>>(p); }
};
}  // namespace outer
extern "C" __global__ void plain(int* p) { atomicAdd(p, 11); }
static __global__ void fixed(int* p) { atomicAdd(p, 13); }
__global__ void over(int* p) { atomicAdd(p, 1000); }
__global__ void over(int* p, float) { atomicAdd(p, 2000); }
template <class T>
__global__ void spec(T* p) {
  atomicAdd(p, 1);
}
template <>
__global__ void spec<int>(int* p) {
  atomicAdd(p, 100);
}
template __global__ void addn<4, unsigned>(unsigned*);
template <void (*K)(int*, int)>
void through(int* p) {
  K<<<1, 1>>>(p, 3);
}
template <class T>
struct Launcher {
  template <int N>
  void run(T* p) {
    addn<N, T><<<N, dim3(2)>>>(p);
  }
};
#define RUN(k, ...) k<<<1, 32>>>(__VA_ARGS__)
#define CFG 1, 1
#define PAREN(k) (k)
struct S {
  int a;
  char b;
  double c;
  int d[3];
};
__global__ void byvalue(int* p, S s, const int3 v, char c, short h, bool t) {
  atomicAdd(p, s.a + s.b + int(s.c) + s.d[2] + v.z + c + h + t);
}
__global__ void dyn(int* p) {
  extern __shared__ int sh[];
  sh[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (!threadIdx.x) atomicAdd(p, sh[blockDim.x - 1]);
}
__global__ void bounds();
__global__ void __launch_bounds__(128, 2) bounded(int* p) { atomicAdd(p, 1); }
__launch_bounds__(64) __global__ void bounded2(int* p) { atomicAdd(p, 1); }
template <int B>
__global__ __launch_bounds__(B) void bounded3(int* p) {
  atomicAdd(p, 1);
}
int main() {
  int* p = managed<int>(1);
  int want = 0;
  auto is = [&](int line, int more) {
    want += more;
    cudaError_t e = cudaDeviceSynchronize();
    if (e || *p != want) {
      printf("line %d: got %d want %d %d\n", line, *p, want, e);
      want = *p;
    }
  };
#define IS(x) is(__LINE__, x)
  add<<<2, 3>>>(p);
  IS(6);
  add<<<dim3(2, 2), dim3(3)>>>(p, 2);
  IS(24);
  add<<<{2}, {1, 2, 3}>>>(p, 1);
  IS(12);
  add<<<{1, 1, 1}, {16, 16, 1}>>>(p, 1);
  IS(256);
#define GRID(n) {(n), 1, 1}
#define GIVEN(kernel, grid, block, ...) kernel<<<grid, block>>>(__VA_ARGS__)
  GIVEN(add, GRID(3), {2}, p, 1);
  IS(6);
  GIVEN(add, 2, dim3(2, 2), p, 1);
  IS(8);
  add<<<GRID(2), 2>>>(p, 1);
  IS(4);
  add<<<(1 > 0) ? 2 : 3, 1 << 2>>>(p, 1);
  IS(8);
  add<<<CFG>>>(p);
  IS(1);
  RUN(add, p, 1);
  IS(32);
  addt<int><<<1, 1, 0>>>(p, 5);
  IS(5);
  addt<<<1, 1, 0, 0>>>(p, 5);
  IS(5);
  addt<unsigned><<<1, 1, 0, nullptr>>>((unsigned*)p, 5u);
  IS(5);
  addall<<<1, 1>>>(p, 1, 2.0f, 3ll, 'a');
  IS(103);
  addall<<<1, 1>>>(p);
  IS(0);
  addn<9><<<1, 1>>>(p);
  IS(9);
  addn<sizeof(std::pair<int, std::pair<int, int>>), int><<<1, 1>>>(p);
  IS(12);
  addc<<<1, 1>>>(Holder<int>{p});
  IS(5);
  call<<<1, 4>>>([=] __device__ { atomicAdd(p, 1); });
  IS(4);
  call<<<1, 4>>>([p] __host__ __device__() {
#ifdef __CUDA_ARCH__
    atomicAdd(p, 2);
#endif
  });
  IS(8);
  outer::hidden<<<1, 1>>>(p);
  IS(7);
  outer::Own::go(p);
  IS(7);
  plain<<<1, 1>>>(p);
  IS(11);
  fixed<<<1, 1>>>(p);
  IS(13);
  over<<<1, 1>>>(p);
  IS(1000);
  over<<<1, 1>>>(p, 1.f);
  IS(2000);
  spec<<<1, 1>>>(p);
  IS(100);
  spec<<<1, 1>>>((unsigned*)p);
  IS(1);
  through<add>(p);
  IS(3);
  Launcher<int>().run<3>(p);
  IS(18);
  PAREN(add)<<<1, 1>>>(p, 4);
  IS(4);
  void (*k)(int*, int) = add;
  k<<<1, 2>>>(p, 4);
  IS(8);
  auto kk = &addt<int>;
  kk<<<1, 2>>>(p, 4);
  IS(8);
  std::vector<void (*)(int*, int)> ks{add, addt<int>};
  for (auto f : ks) f<<<1, 1>>>(p, 1);
  IS(2);
  ks[1]<<<1, 1>>>(p, 5);
  IS(5);
  S s{1, 2, 3.0, {4, 5, 6}};
  byvalue<<<1, 1>>>(p, s, make_int3(1, 2, 3), 'b', 10, true);
  IS(1 + 2 + 3 + 6 + 3 + 98 + 10 + 1);
  byvalue<<<1, 1>>>(p, {1, 2, 3.0, {4, 5, 6}}, {1, 2, 3}, 'b', 10, true);
  IS(1 + 2 + 3 + 6 + 3 + 98 + 10 + 1);
  dyn<<<1, 64, 64 * sizeof(int)>>>(p);
  IS(63);
  cudaStream_t st;
  cudaStreamCreate(&st);
  add<<<1, 1, 0, st>>>(p);
  IS(1);
  if (want)
    add<<<1, 1>>>(p);
  else
    add<<<1, 1>>>(p, 9);
  IS(1);
  for (int i = 0; i < 3; ++i) add<<<1, 1>>>(p, i);
  IS(3);
  (add<<<1, 1>>>(p), add<<<1, 1>>>(p));
  IS(2);
  [&] { add<<<1, 1>>>(p); }();
  IS(1);
  bounded<<<1, 128>>>(p);
  IS(128);
  bounded2<<<1, 64>>>(p);
  IS(64);
  bounded3<96><<<1, 96>>>(p);
  IS(96);
  int two = 2;
  void* args[] = {&p, &two};
  cudaLaunchKernel((void*)add, dim3(1), dim3(1), args, 0, 0);
  IS(2);
  cudaLaunchKernel((const void*)addt<int>, 1, 1, args, 0, st);
  IS(2);
  cudaLaunchKernel(add, 1, 1, args);
  IS(2);
  cudaLaunchConfig_t c = {};
  c.gridDim = 1;
  c.blockDim = 3;
  c.stream = st;
  cudaLaunchKernelEx(&c, add, p, 2);
  IS(6);
  cudaFuncAttributes a;
  CHECK(cudaFuncGetAttributes(&a, addt<int>) == cudaSuccess && a.maxThreadsPerBlock > 0);
  CHECK(cudaFuncSetAttribute(dyn, cudaFuncAttributeMaxDynamicSharedMemorySize, 40000) == cudaSuccess);
  add<<<1, 2000>>>(p);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  bounded2<<<1, 65>>>(p);
  CHECK(cudaGetLastError() != cudaSuccess);
  add<<<0, 1>>>(p);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  done();
}
