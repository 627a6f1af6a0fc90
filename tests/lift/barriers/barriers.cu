// nvcc -arch=sm_80 -cubin barriers.cu -o barriers.sm_80.cubin, and the same for sm_90
// Barriers of two warps in which threads have ended: these count as arrived.

extern "C" __global__ void ended(const int *x, int *out) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  if (t >= 64) return;
  s[t] = 0;
  asm volatile("bar.sync 3, 64;" ::: "memory");
  if (x[t] < 0) return;
  s[t] = x[t];
  asm volatile("bar.sync 1, 64;" ::: "memory");
  const int other = s[63 - t];
  if (other < 10) {
    out[t] = -other;
    return;
  }
  int odd;
  asm volatile(
      "{ .reg .pred p, q; .reg .u32 n; setp.ne.u32 p, %1, 0; barrier.red.popc.u32 n, 2, 64, p; mov.u32 %0, n; }"
      : "=r"(odd)
      : "r"(other & 1)
      : "memory");
  out[t] = 1000 * odd + other;
}

// All threads come to the barrier, on one of two ways, and end at several places.
extern "C" __global__ void together(const int *x, int *out) {
  const int t = threadIdx.x;
  if (t < 64) {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    out[t] = x[63 - t] + 1;
    return;
  }
  asm volatile("bar.sync 2, 64;" ::: "memory");
  out[t] = x[191 - t];
}
