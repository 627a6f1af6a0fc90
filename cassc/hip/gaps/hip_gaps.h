// Device functions of CUDA that HIP lacks, for waves of 32 lanes (RDNA). Written by "cassc hipify" beside its output; yours to
// keep, under the licence of cassc (Apache-2.0).
#pragma once
#include <hip/hip_bf16.h>
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

#include <type_traits>

#define HIP_GAP static __device__ inline __attribute__((always_inline, unused))

#if HIP_VERSION_MAJOR < 7  // HIP 7 has these
HIP_GAP void __syncwarp(unsigned long long = ~0ull) {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}

// A reduction over the lanes that each lane's own mask names.
template <class T, class Operation>
HIP_GAP T hip_gap_reduce(unsigned long long mask, T value, T start, Operation operation) {
  for (int lane = 0; lane < 32; ++lane) {
    const T other = __builtin_bit_cast(T, __builtin_amdgcn_ds_bpermute(lane << 2, __builtin_bit_cast(int, value)));
    if (mask >> lane & 1) start = operation(start, other);
  }
  return start;
}
HIP_GAP unsigned __reduce_add_sync(unsigned long long mask, unsigned value) {
  return hip_gap_reduce(mask, value, 0u, [](unsigned a, unsigned b) { return a + b; });
}
HIP_GAP int __reduce_add_sync(unsigned long long mask, int value) {
  return static_cast<int>(__reduce_add_sync(mask, static_cast<unsigned>(value)));
}
HIP_GAP unsigned __reduce_min_sync(unsigned long long mask, unsigned value) {
  return hip_gap_reduce(mask, value, ~0u, [](unsigned a, unsigned b) { return a < b ? a : b; });
}
HIP_GAP int __reduce_min_sync(unsigned long long mask, int value) {
  return hip_gap_reduce(mask, value, 0x7fffffff, [](int a, int b) { return a < b ? a : b; });
}
HIP_GAP unsigned __reduce_max_sync(unsigned long long mask, unsigned value) {
  return hip_gap_reduce(mask, value, 0u, [](unsigned a, unsigned b) { return a > b ? a : b; });
}
HIP_GAP int __reduce_max_sync(unsigned long long mask, int value) {
  return hip_gap_reduce(mask, value, -0x7fffffff - 1, [](int a, int b) { return a > b ? a : b; });
}
HIP_GAP unsigned __reduce_and_sync(unsigned long long mask, unsigned value) {
  return hip_gap_reduce(mask, value, ~0u, [](unsigned a, unsigned b) { return a & b; });
}
HIP_GAP unsigned __reduce_or_sync(unsigned long long mask, unsigned value) {
  return hip_gap_reduce(mask, value, 0u, [](unsigned a, unsigned b) { return a | b; });
}
HIP_GAP unsigned __reduce_xor_sync(unsigned long long mask, unsigned value) {
  return hip_gap_reduce(mask, value, 0u, [](unsigned a, unsigned b) { return a ^ b; });
}
#endif

// Atomic additions of pairs of 16-bit numbers, by compare and swap. A template, so that functions of HIP's own come first.
template <class T, std::enable_if_t<std::is_same_v<T, __half2> || std::is_same_v<T, __hip_bfloat162>, int> = 0>
HIP_GAP T atomicAdd(T* address, T value) {
  unsigned* const word = reinterpret_cast<unsigned*>(address);
  unsigned old = __hip_atomic_load(word, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT), wanted;
  T before;
  do {
    __builtin_memcpy(&before, &old, sizeof old);
    const T sum = __hadd2(before, value);
    __builtin_memcpy(&wanted, &sum, sizeof sum);
  } while (!__hip_atomic_compare_exchange_weak(word, &old, wanted, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                               __HIP_MEMORY_SCOPE_AGENT));
  return before;
}

HIP_GAP int __dp4a(int a, int b, int c) {
  for (int shift = 0; shift < 32; shift += 8) c += static_cast<signed char>(a >> shift) * static_cast<signed char>(b >> shift);
  return c;
}
HIP_GAP unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  for (int shift = 0; shift < 32; shift += 8) c += (a >> shift & 0xff) * (b >> shift & 0xff);
  return c;
}
HIP_GAP unsigned __vcmpeq4(unsigned a, unsigned b) {
  unsigned result = 0;
  for (int shift = 0; shift < 32; shift += 8)
    if ((a >> shift & 0xff) == (b >> shift & 0xff)) result |= 0xffu << shift;
  return result;
}
HIP_GAP void __nanosleep(unsigned) { __builtin_amdgcn_s_sleep(1); }

// Loads with cache hints, which change no value.
template <class T>
HIP_GAP T __ldca(const T* p) { return *p; }
template <class T>
HIP_GAP T __ldcs(const T* p) { return *p; }
template <class T>
HIP_GAP T __ldcg(const T* p) { return *p; }
template <class T>
HIP_GAP T __ldcv(const T* p) { return *static_cast<const volatile T*>(p); }

// Copies to shared memory are done at once.
HIP_GAP void __pipeline_memcpy_async(void* target, const void* source, size_t size, size_t zeros = 0) {
  for (size_t i = 0; i < size; ++i)
    static_cast<char*>(target)[i] = i + zeros < size ? static_cast<const char*>(source)[i] : 0;
}
HIP_GAP void __pipeline_commit() { __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"); }
HIP_GAP void __pipeline_wait_prior(size_t) { __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup"); }
#undef HIP_GAP
