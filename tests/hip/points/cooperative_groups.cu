// Cooperative groups: tiles, coalesced and partitioned groups, reductions and scans, copies, and a grid that
// synchronises.
#include "check.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
using namespace cooperative_groups;
template <int N>
__device__ int tilesum(cg::thread_block_tile<N> t, int v) {
  for (int i = t.size() / 2; i > 0; i /= 2) v += t.shfl_down(v, i);
  return t.shfl(v, 0);
}
template <class G>
__device__ int gsum(G& g, int* s, int v) {
  int l = g.thread_rank();
  for (int i = g.size() / 2; i > 0; i /= 2) {
    s[l] = v;
    g.sync();
    if (l < i) v += s[l + i];
    g.sync();
  }
  return v;
}
__device__ int generic(thread_group g) { return g.size() * 10 + (g.thread_rank() == 0); }
__global__ void k(int* o, const int* in) {
  __shared__ int s[128];
  thread_block b = cg::this_thread_block();
  int r = b.thread_rank();
  int n = 0;
  auto put = [&](int v) { o[n++ * 128 + r] = v; };
  auto t = cg::tiled_partition<16>(b);
  put(tilesum<16>(t, r));                                // 0
  put(t.meta_group_rank() * 100 + t.meta_group_size());  // 1
  put(cg::reduce(t, r, cg::greater<int>()));
  put(cg::reduce(t, r, cg::less<int>()));
  put(cg::reduce(t, 1 << t.thread_rank(), cg::bit_or<int>()));        // 2 3 4
  put(cg::reduce(t, r, [](int a, int c) { return a > c ? a : c; }));  // 5
  put(cg::inclusive_scan(t, 1));
  put(cg::exclusive_scan(t, r, cg::plus<int>()));  // 6 7
  auto w = cg::tiled_partition<32>(b);
  auto t4 = cg::tiled_partition<4>(w);
  put(t4.meta_group_rank() * 10 + t4.meta_group_size());  // 8
  put(t4.ballot(r & 1));
  put(t4.any(r == 5) + 2 * t4.all(1));
  put(t4.match_any(r & 1));  // 9 10 11
  put(gsum(b, s, 1));
  put(b.group_index().x + b.thread_index().x + b.dim_threads().x + b.size());  // 12 13
  if (r % 3 == 0) {
    coalesced_group c = coalesced_threads();
    put(c.size() * 100 + c.thread_rank());
    int v = c.shfl(r, 0);
    put(v);
    put(cg::reduce(c, 1, cg::plus<int>()));
    put(c.meta_group_size());
    c.sync();
  } else {
    put(0);
    put(0);
    put(0);
    put(0);
  }  // 14-17
  put(generic(b));
  put(generic(t));
  put(generic(tiled_partition(b, 8)));  // 18 19 20
  cg::memcpy_async(b, s, in, sizeof(int) * 128);
  cg::wait(b);
  put(s[127 - r]);  // 21
  b.sync();
  cg::memcpy_async(b, s, in + 128, 64 * sizeof(int));
  cg::wait_prior<0>(b);
  put(r < 64 ? s[r] : 0);                      // 22
  put(cg::binary_partition(w, r & 1).size());  // 23
  unsigned long long big = cg::reduce(t, (unsigned long long)r, cg::plus<unsigned long long>());
  put(big);  // 24
  float f = cg::reduce(t, 0.5f, cg::plus<float>());
  put(f);  // 25
  put(t.shfl_xor(r, 1));
  put(t.shfl_up(r, 1));
  put(t.num_threads());  // 26 27 28
  auto tok = b.barrier_arrive();
  b.barrier_wait(std::move(tok));
  put(1);
  cg::sync(b);
  put(cg::thread_rank(b) + cg::group_size(b));
  invoke_one(b, [&] { s[0] = 99; });
  b.sync();
  put(s[0]);
}
__global__ void grid(int* p, int n) {
  cg::grid_group g = cg::this_grid();
  for (int i = g.thread_rank(); i < n; i += g.size()) p[i] = i;
  g.sync();
  int v = p[(g.thread_rank() + 77) % n];
  g.sync();
  p[g.thread_rank()] = v;
  cg::sync(g);
}
int main() {
  int *o = managed<int>(128 * 40), *in = managed<int>(256);
  for (int i = 0; i < 256; ++i) in[i] = i * 3;
  k<<<1, 128>>>(o, in);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  for (int r = 0; r < 128; ++r) {
    int n = 0;
    auto got = [&] { return o[n++ * 128 + r]; };
    int h = r / 16 * 16, i = r % 16;
    CHECK(got() == h * 16 + 120);
    CHECK(got() == r / 16 * 100 + 8);
    CHECK(got() == h + 15);
    CHECK(got() == h);
    CHECK(got() == 0xffff);
    CHECK(got() == h + 15);
    CHECK(got() == i + 1);
    CHECK(got() == h * i + i * (i - 1) / 2);
    CHECK(got() == r % 32 / 4 * 10 + 8);
    CHECK(got() == 10);
    CHECK(got() == 2 + (r / 4 == 1));
    CHECK(got() == (r & 1 ? 10 : 5));
    int g = got();
    if (!r) CHECK(g == 128);
    CHECK(got() == r + 256);
    if (r % 3 == 0) {
      int c = 0, rank = 0, first = -1;
      for (int q = r / 32 * 32; q < r / 32 * 32 + 32; ++q)
        if (q % 3 == 0) {
          if (first < 0) first = q;
          c++;
          rank += q < r;
        }
      CHECK(got() == c * 100 + rank);
      CHECK(got() == first);
      CHECK(got() == c);
      CHECK(got() == 1);
    } else
      n += 4;
    CHECK(got() == 1280 + (r == 0));
    CHECK(got() == 160 + (r % 16 == 0));
    CHECK(got() == 80 + (r % 8 == 0));
    CHECK(got() == (127 - r) * 3);
    CHECK(got() == (r < 64 ? (r + 128) * 3 : 0));
    CHECK(got() == 16);
    CHECK(got() == h * 16 + 120);
    CHECK(got() == 8);
    CHECK(got() == (r ^ 1));
    CHECK(got() == (i ? r - 1 : r));
    CHECK(got() == 16);
    CHECK(got() == 1);
    CHECK(got() == r + 128);
    CHECK(got() == 99);
  }
  int n = 512;
  int* p = managed<int>(n);
  void* a[] = {&p, &n};
  CHECK(cudaLaunchCooperativeKernel((void*)grid, 4, 128, a) == cudaSuccess);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  for (int i = 0; i < n; ++i)
    if (p[i] != (i + 77) % n) {
      printf("grid %d\n", i);
      break;
    }
  done();
}
