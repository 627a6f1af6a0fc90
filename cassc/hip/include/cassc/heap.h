// malloc, free, new and delete in kernels, over the heap that cassc's runtime formats: cassc/lift/devicelib/heap.ll says what it
// is, and kernels lifted from SASS share it.
#ifndef CASSC_HEAP_H
#define CASSC_HEAP_H

#ifdef __CUDA_ARCH__
extern "C" {
inline __device__ __attribute__((used, visibility("protected"))) unsigned long long __cassc_heap[2] = {};
}

namespace cassc {
struct Heap {
  unsigned units, hint, withdrawals, zero;
  unsigned long long first_unit;
};
struct HeapBlock {
  unsigned mark, first, units, zero;
};
constexpr unsigned kHeapMark = static_cast<unsigned>(-900357872);

// The bits of the units from `at` to `end` that lie in the word of `at`, and how many there are.
CASSC_FN unsigned heap_mask(unsigned at, unsigned end, unsigned& count) {
  const unsigned shift = at & 31, rest = 32 - shift, left = end - at;
  count = rest < left ? rest : left;
  return (~0u >> (32 - count)) << shift;
}
CASSC_FN void heap_clear(unsigned* bits, unsigned at, unsigned end) {
  unsigned count;
  for (; at < end; at += count) {
    const unsigned mask = heap_mask(at, end, count);
    __hip_atomic_fetch_and(&bits[at >> 5], ~mask, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  }
}
// Sets the bits of a run; where another set one meanwhile, gives back what was set and says from where to look on.
CASSC_FN bool heap_claim(unsigned* bits, unsigned start, unsigned end, unsigned& on) {
  unsigned count;
  for (unsigned at = start; at < end; at += count) {
    const unsigned mask = heap_mask(at, end, count);
    const unsigned met = mask & __hip_atomic_fetch_or(&bits[at >> 5], mask, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    if (!met) continue;
    __hip_atomic_fetch_and(&bits[at >> 5], ~(mask & ~met), __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    heap_clear(bits, start, at);
    on = at;
    return false;
  }
  return true;
}

static __device__ __attribute__((noinline)) void* heap_allocate(size_t bytes, size_t alignment) {
  auto* const heap = reinterpret_cast<Heap*>(__cassc_heap[0]);
  if (!heap || __builtin_popcountll(alignment) != 1) return nullptr;
  alignment = alignment < 16 ? 16 : alignment;
  const unsigned long long room = static_cast<unsigned long long>(heap->units) << 4;
  if (bytes > room || alignment > room) return nullptr;
  auto* const bits = reinterpret_cast<unsigned*>(reinterpret_cast<char*>(heap) + 64);
  const auto need = static_cast<unsigned>((bytes + alignment + 15) >> 4);
  unsigned at = __hip_atomic_load(&heap->hint, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT) << 5;
  unsigned start = at, seen = 0;
  for (;;) {
    if (at >= heap->units) {  // the first pass began at the hint; a whole one that met no withdrawal ends the search
      const unsigned now =
          __hip_atomic_load(&heap->withdrawals, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT) | 0x80000000u;
      if (now == seen) return nullptr;
      seen = now;
      at = start = 0;
      continue;
    }
    const unsigned word = __hip_atomic_load(&bits[at >> 5], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT) >> (at & 31);
    const unsigned rest = 32 - (at & 31);
    const unsigned zeros = word ? static_cast<unsigned>(__builtin_ctz(word)) : 32u;
    const unsigned free_units = zeros < rest ? zeros : rest;
    at += free_units;
    if (at - start >= need) {
      unsigned on = 0;
      if (heap_claim(bits, start, start + need, on)) break;
      __hip_atomic_fetch_add(&heap->withdrawals, 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
      at = start = on;
    } else if (free_units < rest) {
      const unsigned taken = ~(word >> free_units), left = rest - free_units;
      const unsigned ones = taken ? static_cast<unsigned>(__builtin_ctz(taken)) : 32u;
      at += ones < left ? ones : left;
      start = at;
    }
  }
  // A swap, since an atomic store is no other machine code than a plain one, which checks of races look at.
  __hip_atomic_exchange(&heap->hint, (start + need) >> 5, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
  const unsigned long long block = heap->first_unit + (static_cast<unsigned long long>(start) << 4);
  const unsigned long long payload = (block + 15 + alignment) & -alignment;
  *reinterpret_cast<HeapBlock*>(payload - 16) = HeapBlock{kHeapMark, start, need, 0};
  return reinterpret_cast<void*>(payload);
}

static __device__ __attribute__((noinline)) void heap_release(void* pointer) {
  if (!pointer) return;
  auto* const heap = reinterpret_cast<Heap*>(__cassc_heap[0]);
  if (!heap) __builtin_trap();
  auto* const block = reinterpret_cast<HeapBlock*>(static_cast<char*>(pointer) - 16);
  const unsigned long long offset = reinterpret_cast<unsigned long long>(block) - heap->first_unit;
  if (offset >= static_cast<unsigned long long>(heap->units) << 4 || offset & 15) __builtin_trap();
  __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "agent");
  unsigned mark = kHeapMark;
  if (!__hip_atomic_compare_exchange_strong(&block->mark, &mark, 0u, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                            __HIP_MEMORY_SCOPE_AGENT))
    __builtin_trap();
  auto* const bits = reinterpret_cast<unsigned*>(reinterpret_cast<char*>(heap) + 64);
  heap_clear(bits, block->first, block->first + block->units);
}
}  // namespace cassc
#endif

CASSC_FN void* malloc(size_t bytes) CASSC_BODY(return cassc::heap_allocate(bytes, 16);)
CASSC_FN void free(void* pointer) CASSC_BODY(cassc::heap_release(pointer);)
CASSC_FN void* __nv_aligned_device_malloc(size_t bytes, size_t alignment) CASSC_BODY(
    return cassc::heap_allocate(bytes, alignment);)

// As HIP on the host's side too, where clang has none but looks into device functions that templates make.
#if defined(__CUDA_ARCH__) || defined(CASSC_HOST_MANAGED)
__device__ inline void* operator new(size_t, void* place) noexcept { return place; }
__device__ inline void* operator new[](size_t, void* place) noexcept { return place; }
__device__ inline void operator delete(void*, void*) noexcept {}
__device__ inline void operator delete[](void*, void*) noexcept {}
#endif
#ifdef __CUDA_ARCH__
__device__ inline void* operator new(size_t bytes) { return cassc::heap_allocate(bytes, 16); }
__device__ inline void* operator new[](size_t bytes) { return cassc::heap_allocate(bytes, 16); }
__device__ inline void operator delete(void* pointer) noexcept { cassc::heap_release(pointer); }
__device__ inline void operator delete[](void* pointer) noexcept { cassc::heap_release(pointer); }
__device__ inline void operator delete(void* pointer, size_t) noexcept { cassc::heap_release(pointer); }
__device__ inline void operator delete[](void* pointer, size_t) noexcept { cassc::heap_release(pointer); }
extern "C" {
// What a virtual table names in place of a pure or deleted function.
inline __device__ __attribute__((used, noreturn, visibility("protected"))) void __cxa_pure_virtual() { __builtin_trap(); }
inline __device__ __attribute__((used, noreturn, visibility("protected"))) void __cxa_deleted_virtual() { __builtin_trap(); }
}
#endif
#endif
