// Thrust against the standard library.
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>
#include <thrust/tuple.h>
#include <thrust/unique.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <vector>

#include "check.h"

struct Square {
  __host__ __device__ long long operator()(int x) const { return static_cast<long long>(x) * x; }
};
struct ByLastDigit {
  __host__ __device__ bool operator()(int a, int b) const { return a % 10 < b % 10; }
};
struct IsOdd {
  __host__ __device__ bool operator()(int x) const { return x & 1; }
};
struct Weighted {
  template <class Pair>
  __host__ __device__ float operator()(const Pair& pair) const { return thrust::get<0>(pair) * thrust::get<1>(pair); }
};

int main() {
  const int n = 3000;
  std::vector<int> values(n), keys(n);
  unsigned state = 1;
  for (int i = 0; i < n; ++i) {
    state = state * 1664525u + 1013904223u;
    values[i] = state >> 20;
    keys[i] = values[i] % 37;
  }
  const thrust::device_vector<int> input(values.begin(), values.end());

  std::vector<int> expected = values;
  std::sort(expected.begin(), expected.end());
  thrust::device_vector<int> sorted = input;
  thrust::sort(sorted.begin(), sorted.end());
  CHECK(thrust::host_vector<int>(sorted) == thrust::host_vector<int>(expected.begin(), expected.end()));

  const auto end = thrust::unique(sorted.begin(), sorted.end());
  expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
  CHECK(end - sorted.begin() == static_cast<long>(expected.size()));
  CHECK(std::vector<int>(sorted.begin(), end) == expected);

  expected = values;
  std::stable_sort(expected.begin(), expected.end(), ByLastDigit());
  sorted = input;
  thrust::stable_sort(sorted.begin(), sorted.end(), ByLastDigit());
  CHECK(std::vector<int>(sorted.begin(), sorted.end()) == expected);

  std::map<int, int> sums;
  for (int i = 0; i < n; ++i) sums[keys[i]] += values[i];
  thrust::device_vector<int> group(keys.begin(), keys.end()), member = input, which(n), total(n);
  thrust::sort_by_key(group.begin(), group.end(), member.begin());
  const auto ends = thrust::reduce_by_key(group.begin(), group.end(), member.begin(), which.begin(), total.begin());
  CHECK(ends.first - which.begin() == static_cast<long>(sums.size()));
  int place = 0;
  const thrust::host_vector<int> which_host = which, total_host = total;
  for (const auto& [key, sum] : sums) {
    CHECK(which_host[place] == key && total_host[place] == sum);
    ++place;
  }

  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream) == cudaSuccess);
  thrust::device_vector<int> scanned(n);
  thrust::exclusive_scan(thrust::cuda::par.on(stream), input.begin(), input.end(), scanned.begin(), 5);
  CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
  const thrust::host_vector<int> scanned_host = scanned;
  int running = 5;
  for (int i = 0; i < n; ++i) {
    CHECK(scanned_host[i] == running);
    running += values[i];
  }

  const auto squares = thrust::make_transform_iterator(input.begin(), Square());
  long long squared = 0;
  for (int value : values) squared += Square()(value);
  CHECK(thrust::reduce(squares, squares + n, 0LL) == squared);
  CHECK(thrust::transform_reduce(input.begin(), input.end(), Square(), 0LL, thrust::plus<long long>()) == squared);
  CHECK(thrust::reduce(thrust::device, thrust::counting_iterator<int>(1), thrust::counting_iterator<int>(1001)) == 500500);
  CHECK(thrust::count_if(input.begin(), input.end(), IsOdd()) == std::count_if(values.begin(), values.end(), IsOdd()));

  thrust::device_vector<int> odd(n);
  const auto last = thrust::copy_if(input.begin(), input.end(), odd.begin(), IsOdd());
  std::vector<int> odd_expected;
  std::copy_if(values.begin(), values.end(), std::back_inserter(odd_expected), IsOdd());
  CHECK(std::vector<int>(odd.begin(), last) == odd_expected);

  const thrust::device_vector<float> a(64, 1.5f), b(64, 2.0f);
  const auto pairs = thrust::make_zip_iterator(thrust::make_tuple(a.begin(), b.begin()));
  CHECK(thrust::transform_reduce(pairs, pairs + 64, Weighted(), 0.0f, thrust::plus<float>()) == 192.0f);
  done();
}
