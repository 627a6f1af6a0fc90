// Warp functions keep their masks of 32 bits and their widths: lanes outside a mask take no part.
#include "check.h"
__global__ void k(int* o) {
  int l = threadIdx.x, n = 0;
  auto put = [&](int v) { o[n++ * 32 + l] = v; };
  unsigned half = l < 16 ? 0xffffu : 0xffff0000u;
  put(__shfl_down_sync(half, l, 4, 16));
  if (l < 16)
    put(__shfl_xor_sync(0xffff, l, 8));
  else
    put(__shfl_xor_sync(0xffff0000, l, 8));
  put(__ballot_sync(0xffffffff, l & 1));
  if (l & 1)
    put(__ballot_sync(0xaaaaaaaa, l > 15));
  else
    put(0);
  put(__any_sync(half, l == 20) * 2 + __all_sync(half, l >= 16));
  int pred;
  put(__match_all_sync(half, l / 16, &pred));
  put(pred);
  put(__shfl_sync(~0u, l, l + 1));
  put(__shfl_sync(~0u, l, -1));
  put(__shfl_sync(~0u, l, 35, 8));
  put(__shfl_up_sync(~0u, l, 1));
  put((int)__shfl_down_sync(~0u, (float)l, 31));
  double d = __shfl_xor_sync(~0u, l * 0.5, 31);
  put(int(d * 2));
  put(__popc(__activemask()));
  put(__reduce_max_sync(half, l));
  put(__reduce_xor_sync(~0u, l));
  put(__reduce_min_sync(half, -l) + 100);
  int sum = l;
  for (int d2 = 16; d2; d2 >>= 1) sum += __shfl_down_sync(0xffffffff, sum, d2);
  put(sum);
  put(__ffs(l) + __clz(l) + __brev(l) % 7 + __popcll(l));
  __syncwarp();
  __syncwarp(half);
}
int main() {
  int* o = managed<int>(32 * 32);
  k<<<1, 32>>>(o);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  for (int l = 0; l < 32; ++l) {
    int n = 0;
    auto got = [&] { return o[n++ * 32 + l]; };
    int h = l / 16 * 16;
    CHECK(got() == (l % 16 + 4 < 16 ? l + 4 : l));
    CHECK(got() == (l ^ 8));
    CHECK((unsigned)got() == 0xaaaaaaaa);
    CHECK((unsigned)got() == (l & 1 ? 0xaaaa0000u : 0));
    CHECK(got() == (l < 16 ? 0 : 3));
    CHECK((unsigned)got() == (l < 16 ? 0xffffu : 0xffff0000u));
    CHECK(got() == 1);
    CHECK(got() == (l + 1) % 32);
    CHECK(got() == 31);
    CHECK(got() == l / 8 * 8 + 3);
    CHECK(got() == (l ? l - 1 : 0));
    CHECK(got() == (l ? l : 31));
    CHECK(got() == 31 - l);
    CHECK(got() == 32);
    CHECK(got() == h + 15);
    CHECK(got() == 0);
    CHECK(got() == 100 - (h + 15));
    int s = got();
    if (l == 0) CHECK(s == 496);
  }
  done();
}
