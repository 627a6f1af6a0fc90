// <cuda/barrier> and <cuda/pipeline>: objects in shared memory that constructors would make, and their asynchronous
// copies.
#include "check.h"
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/latch>
#include <cuda/semaphore>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
using barrier = cuda::barrier<cuda::thread_scope_block>;
__global__ void k(int* o, const int* in) {
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ barrier bar;
  __shared__ int s[128];
  auto b = cg::this_thread_block();
  if (b.thread_rank() == 0) init(&bar, blockDim.x);
  __syncthreads();
  s[threadIdx.x] = threadIdx.x;
  bar.arrive_and_wait();
  o[threadIdx.x] = s[127 - threadIdx.x];
  auto tok = bar.arrive();
  bar.wait(std::move(tok));
  cuda::memcpy_async(b, s, in, cuda::aligned_size_t<16>(sizeof(int) * blockDim.x), bar);
  bar.arrive_and_wait();
  o[128 + threadIdx.x] = s[127 - threadIdx.x];
  bar.arrive_and_wait();
  cuda::memcpy_async(s + threadIdx.x, in + 128 + threadIdx.x, sizeof(int), bar);
  bar.arrive_and_wait();
  o[256 + threadIdx.x] = s[127 - threadIdx.x];
}
__global__ void pipe(int* o, const int* in, int n) {
  constexpr int stages = 2;
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
  __shared__ int buf[stages][64];
  auto b = cg::this_thread_block();
  auto p = cuda::make_pipeline(b, &state);
  int sum = 0;
  for (int c = 0, f = 0; c < n; ++c) {
    for (; f < n && f < c + stages; ++f) {
      p.producer_acquire();
      cuda::memcpy_async(b, buf[f % stages], in + f * 64, sizeof(int) * 64, p);
      p.producer_commit();
    }
    p.consumer_wait();
    sum += buf[c % stages][63 - threadIdx.x];
    p.consumer_release();
  }
  o[threadIdx.x] = sum;
}
__global__ void tpipe(int* o, const int* in, int n) {
  __shared__ int buf[2][64];
  auto p = cuda::make_pipeline();
  int sum = 0;
  for (int c = 0; c < n; ++c) {
    p.producer_acquire();
    cuda::memcpy_async(&buf[c & 1][threadIdx.x], in + c * 64 + threadIdx.x, sizeof(int), p);
    p.producer_commit();
    cuda::pipeline_consumer_wait_prior<0>(p);
    sum += buf[c & 1][threadIdx.x];
    p.consumer_release();
  }
  o[threadIdx.x] = sum;
}
int main() {
  int *o = managed<int>(512), *in = managed<int>(1024);
  for (int i = 0; i < 1024; ++i) in[i] = i * 7;
  k<<<1, 128>>>(o, in);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  for (int i = 0; i < 128; ++i) {
    CHECK(o[i] == 127 - i);
    CHECK(o[128 + i] == (127 - i) * 7);
    CHECK(o[256 + i] == (255 - i) * 7);
  }
  pipe<<<1, 64>>>(o, in, 4);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  for (int i = 0; i < 64; ++i) {
    int s = 0;
    for (int c = 0; c < 4; ++c) s += in[c * 64 + 63 - i];
    CHECK(o[i] == s);
  }
  tpipe<<<1, 64>>>(o, in, 4);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  for (int i = 0; i < 64; ++i) {
    int s = 0;
    for (int c = 0; c < 4; ++c) s += in[c * 64 + i];
    CHECK(o[i] == s);
  }
  done();
}
