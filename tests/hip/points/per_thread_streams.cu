// A default stream for each thread (built with -default-stream per-thread): two threads wait for each other's kernels.
#include "check.h"
#include <thread>
#include <atomic>
__device__ volatile int flag_;
__global__ void wait_for(int* p) {
  while (*(volatile int*)p == 0) {
  }
  p[1] = 7;
}
__global__ void set(int* p) { p[0] = 1; }
int main() {
  int* p = managed<int>(4);
  std::thread a([&] {
    wait_for<<<1, 1>>>(p);
    CHECK(cudaStreamSynchronize(0) == cudaSuccess);
    CHECK(p[1] == 7);
  });
  std::thread b([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    set<<<1, 1>>>(p);
    CHECK(cudaStreamSynchronize(0) == cudaSuccess);
  });
  a.join();
  b.join();
  done();
}
