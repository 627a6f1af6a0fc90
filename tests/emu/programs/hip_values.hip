// Kernels, memory, symbols, streams, events, properties, errors: what they do is printed.
#include "hip_interface.h"

__device__ int counter = 5;
__constant__ float factors[4];

__global__ void scale(float* p, int n) {
  const unsigned i = block() * 64 + thread();
  if (i < n) p[i] = p[i] * factors[i % 4];
}
__global__ void reverse(int* p) {
  extern __shared__ int s[];
  s[thread()] = p[thread()];
  barrier();
  p[thread()] = s[127 - thread()];
}
__global__ void add(int* p, int v) {
  __hip_atomic_fetch_add(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  __hip_atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
struct __attribute__((packed)) Packed {
  char head;
  int value;
};
__global__ void unaligned(const Packed* from, int* to) { to[thread()] = from[thread()].value; }
__global__ void far(int* p) { p[1 << 28] = 1; }

static void done(void* data) { *static_cast<int*>(data) += 1; }

int main(int argc, char**) {
  int devices = 0, value = 0;
  CHECK(hipGetDeviceCount(&devices));
  static char old_properties[792], properties[1472];
  CHECK(hipGetDeviceProperties(old_properties, 0));
  CHECK(hipGetDevicePropertiesR0600(properties, 0));
  CHECK(hipDeviceGetAttribute(&value, 87, 0));
  std::printf("devices %d, %s, %s, warp %d\n", devices, old_properties + 396, properties + 1160, value);

  float h[200], f[4] = {1, 2, 3, 4}, *p;
  for (int i = 0; i < 200; i++) h[i] = float(i);
  CHECK(hipMalloc(reinterpret_cast<void**>(&p), sizeof h));
  CHECK(hipMemcpy(p, h, sizeof h, hipMemcpyHostToDevice));
  CHECK(hipMemcpyToSymbol(factors, f, sizeof f, 0, hipMemcpyHostToDevice));
  scale<<<4, 64>>>(p, 200);
  CHECK(hipGetLastError());
  CHECK(hipMemcpy(h, p, sizeof h, hipMemcpyDeviceToHost));
  std::printf("scale %g %g %g\n", h[1], h[3], h[199]);

  int* q;
  CHECK(hipMallocManaged(reinterpret_cast<void**>(&q), 128 * 4, 1));
  for (int i = 0; i < 128; i++) q[i] = i;
  reverse<<<1, 128, 128 * 4>>>(q);
  CHECK(hipDeviceSynchronize());
  std::printf("reverse %d %d\n", q[0], q[127]);
  CHECK(hipMemsetD32(q, 7, 128));
  unaligned<<<1, 16>>>(reinterpret_cast<const Packed*>(q), q + 32);
  CHECK(hipDeviceSynchronize());
  std::printf("unaligned %x %x\n", q[32], q[35]);

  hipStream_t a, b;
  hipEvent_t start, stop;
  CHECK(hipStreamCreate(&a));
  CHECK(hipStreamCreate(&b));
  CHECK(hipEventCreate(&start));
  CHECK(hipEventCreate(&stop));
  CHECK(hipMemset(q, 0, 4));
  CHECK(hipEventRecord(start, a));
  for (int i = 0; i < 10; i++) add<<<4, 32, 0, a>>>(q, i);
  int calls = 0;
  CHECK(hipLaunchHostFunc(a, done, &calls));
  CHECK(hipEventRecord(stop, a));
  CHECK(hipStreamWaitEvent(b, stop, 0));
  add<<<1, 32, 0, b>>>(q, 100);
  CHECK(hipStreamSynchronize(b));
  float ms = -1;
  CHECK(hipEventElapsedTime(&ms, start, stop));
  CHECK(hipMemcpyFromSymbol(&value, &counter, 4, 0, hipMemcpyDeviceToHost));
  std::printf("sum %d, counter %d, calls %d, time %s\n", q[0], value, calls, ms >= 0 ? "ok" : "bad");

  CHECK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&value, reinterpret_cast<const void*>(reverse), 128, 512));
  std::printf("occupancy %d\n", value);
  hipError_t error = hipMalloc(reinterpret_cast<void**>(&p), size_t(1) << 60);
  std::printf("%s, %s\n", hipGetErrorName(error), hipGetErrorString(error));
  std::printf("last %s, then %s\n", hipGetErrorName(hipGetLastError()), hipGetErrorName(hipGetLastError()));
  reverse<<<1, 2048>>>(q);
  std::printf("too many threads: %s\n", hipGetErrorName(hipGetLastError()));
  if (argc > 1) {
    far<<<1, 1>>>(q);
    std::printf("far: %s\n", hipGetErrorName(hipDeviceSynchronize()));
  }
}
