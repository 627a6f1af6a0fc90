// CUB's algorithms for warps, blocks and devices against the standard library.
#include <cub/cub.cuh>

#include <algorithm>
#include <numeric>
#include <vector>

#include "check.h"

constexpr int kBlock = 128, kItems = 4;

struct Best {
  __host__ __device__ int operator()(int a, int b) const { return a > b ? a : b; }
};
struct IsOdd {
  __host__ __device__ bool operator()(int x) const { return x & 1; }
};

__global__ void blocks(const int* in, int* out) {
  using Reduce = cub::BlockReduce<int, kBlock>;
  using Scan = cub::BlockScan<int, kBlock>;
  using Load = cub::BlockLoad<int, kBlock, kItems, cub::BLOCK_LOAD_TRANSPOSE>;
  using Store = cub::BlockStore<int, kBlock, kItems, cub::BLOCK_STORE_TRANSPOSE>;
  using Sort = cub::BlockRadixSort<int, kBlock, kItems>;
  __shared__ union {
    typename Reduce::TempStorage reduce;
    typename Scan::TempStorage scan;
    typename Load::TempStorage load;
    typename Store::TempStorage store;
    typename Sort::TempStorage sort;
  } shared;
  int items[kItems], scanned[kItems];
  Load(shared.load).Load(in, items);
  __syncthreads();
  const int sum = Reduce(shared.reduce).Sum(items);
  __syncthreads();
  const int best = Reduce(shared.reduce).Reduce(items, Best());
  __syncthreads();
  int aggregate;
  Scan(shared.scan).ExclusiveSum(items, scanned, aggregate);
  __syncthreads();
  Store(shared.store).Store(out, scanned);
  __syncthreads();
  Sort(shared.sort).Sort(items);
  __syncthreads();
  Store(shared.store).Store(out + kBlock * kItems, items);
  if (threadIdx.x == 0) {
    out[2 * kBlock * kItems] = sum;
    out[2 * kBlock * kItems + 1] = best;
    out[2 * kBlock * kItems + 2] = aggregate;
  }
}
__global__ void warps(const int* in, int* out) {
  using Reduce = cub::WarpReduce<int>;
  using Scan = cub::WarpScan<int>;
  __shared__ typename Reduce::TempStorage reduce[2];
  __shared__ typename Scan::TempStorage scan[2];
  const int warp = threadIdx.x / 32;
  const int sum = Reduce(reduce[warp]).Sum(in[threadIdx.x]);
  int before;
  Scan(scan[warp]).ExclusiveSum(in[threadIdx.x], before);
  out[threadIdx.x] = threadIdx.x % 32 ? before : sum;
}

template <class Function>
void with_storage(Function function) {
  size_t bytes = 0;
  CHECK(function(nullptr, bytes) == cudaSuccess);
  void* storage = nullptr;
  CHECK(cudaMalloc(&storage, bytes) == cudaSuccess);
  CHECK(function(storage, bytes) == cudaSuccess);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  cudaFree(storage);
}

int main() {
  const int n = 3000, of_block = kBlock * kItems;
  int* in = managed<int>(n);
  int* out = managed<int>(n);
  int* values = managed<int>(n);
  int* moved = managed<int>(n);
  unsigned state = 7;
  for (int i = 0; i < n; ++i) {
    state = state * 1664525u + 1013904223u;
    in[i] = static_cast<int>(state >> 18) - 5000;
    values[i] = i;
  }
  const std::vector<int> input(in, in + n);

  blocks<<<1, kBlock>>>(in, out);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  std::vector<int> expected(of_block);
  std::exclusive_scan(input.begin(), input.begin() + of_block, expected.begin(), 0);
  CHECK(std::equal(expected.begin(), expected.end(), out));
  expected.assign(input.begin(), input.begin() + of_block);
  std::sort(expected.begin(), expected.end());
  CHECK(std::equal(expected.begin(), expected.end(), out + of_block));
  const int sum = std::accumulate(input.begin(), input.begin() + of_block, 0);
  CHECK(out[2 * of_block] == sum && out[2 * of_block + 1] == expected.back() && out[2 * of_block + 2] == sum);

  warps<<<1, 64>>>(in, out);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  for (int lane = 0; lane < 64; ++lane) {
    const auto first = input.begin() + lane / 32 * 32;
    CHECK(out[lane] == std::accumulate(first, lane % 32 ? first + lane % 32 : first + 32, 0));
  }

  with_storage([&](void* storage, size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(storage, bytes, in, out, values, moved, n);
  });
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return input[a] < input[b]; });
  CHECK(std::equal(order.begin(), order.end(), moved));
  for (int i = 0; i < n; ++i) CHECK(out[i] == input[order[i]]);

  int* count = managed<int>(1);
  with_storage([&](void* storage, size_t& bytes) {
    return cub::DeviceSelect::If(storage, bytes, in, out, count, n, IsOdd());
  });
  std::vector<int> odd;
  std::copy_if(input.begin(), input.end(), std::back_inserter(odd), IsOdd());
  CHECK(*count == static_cast<int>(odd.size()) && std::equal(odd.begin(), odd.end(), out));

  with_storage([&](void* storage, size_t& bytes) { return cub::DeviceScan::InclusiveSum(storage, bytes, in, out, n); });
  std::vector<int> running(n);
  std::partial_sum(input.begin(), input.end(), running.begin());
  CHECK(std::equal(running.begin(), running.end(), out));

  with_storage([&](void* storage, size_t& bytes) { return cub::DeviceReduce::Sum(storage, bytes, in, out, n); });
  CHECK(out[0] == running.back());
  with_storage([&](void* storage, size_t& bytes) {
    return cub::DeviceReduce::Reduce(storage, bytes, in, out, n, Best(), -100000);
  });
  CHECK(out[0] == *std::max_element(input.begin(), input.end()));

  float* samples = managed<float>(n);
  for (int i = 0; i < n; ++i) samples[i] = (input[i] + 5000) / 1700.0f;
  with_storage([&](void* storage, size_t& bytes) {
    return cub::DeviceHistogram::HistogramEven(storage, bytes, samples, out, 9, 0.0f, 8.0f, n);
  });
  int bins[8] = {};
  for (int i = 0; i < n; ++i)
    if (samples[i] < 8.0f) ++bins[static_cast<int>(samples[i])];
  CHECK(std::equal(bins, bins + 8, out));
  done();
}
