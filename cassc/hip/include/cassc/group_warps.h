// Tiles of several warps: RDNA3 has one barrier for a whole block, so theirs counts in shared memory.
#ifndef CASSC_GROUP_WARPS_H
#define CASSC_GROUP_WARPS_H

namespace cooperative_groups {
template <unsigned Size, class Parent>
class thread_block_tile;
}

namespace cassc {
template <class Group>
constexpr bool is_of_warps = false;
template <unsigned Size, class Parent>
constexpr bool is_of_warps<cooperative_groups::thread_block_tile<Size, Parent>> = (Size > 32);

#ifdef __CUDA_ARCH__
// Arrivals at the barrier of each tile: that of the first tile of a size is at 1024 / size. A word for each thread to exchange.
struct TileMemory {
  unsigned arrivals[32], words[1024];
};
CASSC_FN TileMemory& tile_memory() {
  static __shared__ TileMemory memory;
  return memory;
}
// All threads of the block come here, so nobody waits at one of the barriers.
CASSC_FN void tile_memory_ready() {
  __syncthreads();
  if (thread_rank() < 32) tile_memory().arrivals[thread_rank()] = 0;
  __syncthreads();
}
CASSC_FN void tile_barrier(unsigned size) {
  __syncwarp();
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  if (lane() == 0) {
    unsigned* const arrivals = &tile_memory().arrivals[1024 / size + thread_rank() / size];
    const unsigned warps = size / 32;
    const unsigned before = __hip_atomic_fetch_add(arrivals, 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
    const unsigned all = (before / warps + 1) * warps;
    while (static_cast<int>(__hip_atomic_load(arrivals, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP) - all) < 0)
      __builtin_amdgcn_s_sleep(1);
  }
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  __syncwarp();
}
// The value of the tile's thread with that rank.
template <class T_>
CASSC_FN T_ tile_exchange(T_ value, unsigned rank, unsigned size) {
  unsigned* const words = tile_memory().words;
  const unsigned mine = thread_rank(), other = mine / size * size + rank % size;
  T_ result;
  for (unsigned i = 0; i < sizeof(T_); i += 4) {
    const unsigned bytes = sizeof(T_) - i < 4 ? sizeof(T_) - i : 4;
    __builtin_memcpy(&words[mine], reinterpret_cast<char*>(&value) + i, bytes);
    tile_barrier(size);
    __builtin_memcpy(reinterpret_cast<char*>(&result) + i, &words[other], bytes);
    tile_barrier(size);
  }
  return result;
}
CASSC_FN int tile_any(int predicate, unsigned size) {
  const int of_warp = __builtin_amdgcn_ballot_w32(predicate != 0) != 0;
  int result = 0;
  for (unsigned first = 0; first < size; first += 32) result |= tile_exchange(of_warp, first, size);
  return result;
}
#endif
}  // namespace cassc
#endif
