// Arithmetic on masks of lanes, and the barrier of a grid.
#ifndef CASSC_GROUP_LANES_H
#define CASSC_GROUP_LANES_H

namespace cooperative_groups {
class thread_block;
}

namespace cassc {
#ifdef __CUDA_ARCH__
CASSC_FN unsigned rank_in(unsigned mask) { return __builtin_popcount(mask & ((1u << lane()) - 1)); }
// The lane with that rank among a mask's lanes.
CASSC_FN unsigned lane_of(unsigned mask, unsigned rank) {
  for (unsigned i = 0; i < rank; ++i) mask &= mask - 1;
  return mask ? static_cast<unsigned>(__builtin_ctz(mask)) : lane();
}
// The bits that stand at a mask's lanes, moved together.
CASSC_FN unsigned gather_bits(unsigned bits, unsigned mask) {
  unsigned result = 0;
  for (int to = 0; mask; mask &= mask - 1, ++to) result |= (bits >> __builtin_ctz(mask) & 1) << to;
  return result;
}
CASSC_FN unsigned tile_mask(unsigned size) {
  if (size >= 32) return 0xffffffffu;
  return ((1u << size) - 1) << (lane() & ~(size - 1));
}
// The lanes of a mask whose ranks lie in the same run of `size` as one's own.
CASSC_FN unsigned subgroup(unsigned mask, unsigned size) {
  const unsigned first = rank_in(mask) / size * size;
  unsigned result = 0, rank = 0;
  for (unsigned left = mask; left; left &= left - 1, ++rank)
    if (rank >= first && rank < first + size) result |= left & -left;
  return result;
}
// Of several groups in a mask, ordered by their first lanes: which is one's own, and how many there are.
CASSC_FN unsigned first_lanes(unsigned mask, unsigned mine) {
  const bool first = lane() == static_cast<unsigned>(__builtin_ctz(mine));
  return __builtin_amdgcn_ballot_w32(first) & mask;
}
CASSC_FN unsigned order_among(unsigned mask, unsigned mine) {
  return __builtin_popcount(first_lanes(mask, mine) & ((mine & -mine) - 1));
}
CASSC_FN unsigned groups_among(unsigned mask, unsigned mine) { return __builtin_popcount(first_lanes(mask, mine)); }

// Values of any size that can be copied.
template <class T_>
CASSC_FN T_ permute_any(T_ value, unsigned source) {
  if constexpr (sizeof(T_) % 4 == 0 || sizeof(T_) < 4) {
    return permute(value, source);
  } else {
    T_ result;
    for (unsigned i = 0; i < sizeof(T_); i += 4) {
      const unsigned bytes = sizeof(T_) - i < 4 ? sizeof(T_) - i : 4;
      unsigned word = 0;
      __builtin_memcpy(&word, reinterpret_cast<char*>(&value) + i, bytes);
      word = permute(word, source);
      __builtin_memcpy(reinterpret_cast<char*>(&result) + i, &word, bytes);
    }
    return result;
  }
}

template <class Parent>
CASSC_FN unsigned tile_rank(unsigned size) {
  if constexpr (__is_same(Parent, cooperative_groups::thread_block))
    return thread_rank() / size;
  else
    return thread_rank() % Parent::size() / size;
}
template <class Parent>
CASSC_FN unsigned tile_count(unsigned size) {
  if constexpr (__is_same(Parent, cooperative_groups::thread_block))
    return (block_threads() + size - 1) / size;
  else
    return Parent::size() / size;
}

// Arrivals, and the generation that they open. All blocks of a cooperative launch run at the same time.
inline __device__ unsigned grid_state[2] = {};
static __device__ __attribute__((noinline)) void grid_barrier() {
  __syncthreads();
  if (thread_rank() == 0) {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
    const unsigned generation = __hip_atomic_load(&grid_state[1], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    const unsigned before = __hip_atomic_fetch_add(&grid_state[0], 1u, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_AGENT);
    if (before == grid_blocks() - 1) {
      __hip_atomic_store(&grid_state[0], 0u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
      __hip_atomic_fetch_add(&grid_state[1], 1u, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
    } else {
      while (__hip_atomic_load(&grid_state[1], __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) == generation)
        __builtin_amdgcn_s_sleep(1);
    }
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
  }
  __syncthreads();
}
#endif
}  // namespace cassc
#endif
