// Barriers and fences (CUDA C++ Programming Guide, "Synchronization Functions", "Memory Fence Functions").
#ifndef CASSC_SYNCHRONIZE_H
#define CASSC_SYNCHRONIZE_H

CASSC_FN void __threadfence_block() CASSC_BODY(__builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");)
CASSC_FN void __threadfence() CASSC_BODY(__builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent");)
CASSC_FN void __threadfence_system() CASSC_BODY(__builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "");)
#ifdef __CUDA_ARCH__
CASSC_FN void __syncthreads() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
#else
__device__ void __syncthreads();  // a builtin of clang's where the host's side is compiled, which may not have a body
#endif
// Lanes run in lockstep; what is left is that memory operations are ordered.
CASSC_FN void __syncwarp(unsigned mask = 0xffffffffu) CASSC_BODY(
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
    __builtin_amdgcn_wave_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");)

namespace cassc {
#ifdef __CUDA_ARCH__
// Number of threads of the block whose predicate holds.
static __device__ __attribute__((noinline)) unsigned block_count_if(bool predicate) {
  static __shared__ unsigned total;
  __syncthreads();
  total = 0;  // every thread writes the same
  __syncthreads();
  const unsigned votes = __builtin_amdgcn_ballot_w32(predicate);
  if (lane() == static_cast<unsigned>(__builtin_ctz(__builtin_amdgcn_ballot_w32(true))))
    __hip_atomic_fetch_add(&total, __builtin_popcount(votes), __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
  __syncthreads();
  const unsigned result = total;
  __syncthreads();
  return result;
}
#endif
}  // namespace cassc

CASSC_FN int __syncthreads_count(int predicate) CASSC_BODY(return cassc::block_count_if(predicate != 0);)
CASSC_FN int __syncthreads_or(int predicate) CASSC_BODY(return cassc::block_count_if(predicate != 0) != 0;)
CASSC_FN int __syncthreads_and(int predicate) CASSC_BODY(return cassc::block_count_if(predicate == 0) == 0;)

namespace cassc {
// A condition that the compiler cannot see through, so that what a lane does before it leaves a loop stays in the loop.
CASSC_HD bool met(bool condition) {
#ifdef __CUDA_ARCH__
  unsigned word = condition;
  asm volatile("" : "+v"(word));
  return word != 0;
#else
  return condition;
#endif
}
CASSC_FN bool first_lane() CASSC_BODY(
    return lane() == static_cast<unsigned>(__builtin_ctz(__builtin_amdgcn_ballot_w32(true)));)
}  // namespace cassc

// Launches of one stream do not overlap here, so that what they depend on is done.
CASSC_FN void cudaGridDependencySynchronize() CASSC_BODY()
CASSC_FN void cudaTriggerProgrammaticLaunchCompletion() CASSC_BODY()

CASSC_FN void __nanosleep(unsigned nanoseconds) CASSC_BODY(__builtin_amdgcn_s_sleep(1);)
CASSC_FN void __trap() CASSC_BODY(__builtin_trap();)
CASSC_FN void __brkpt() CASSC_BODY(__builtin_debugtrap();)
CASSC_FN void __prof_trigger(int) CASSC_BODY()
CASSC_FN long long clock64() CASSC_BODY(return static_cast<long long>(__builtin_readcyclecounter());)
CASSC_FN clock_t clock() CASSC_BODY(return static_cast<clock_t>(__builtin_readcyclecounter());)
CASSC_FN unsigned long long __globaltimer() CASSC_BODY(return __builtin_readcyclecounter();)
CASSC_FN unsigned __smid() CASSC_BODY(return cassc::block_rank();)
#endif
