// Cooperative groups (CUDA C++ Programming Guide, "Cooperative Groups"): blocks, tiles, coalesced and partitioned
// groups, and the grid of a cooperative launch. A group within a warp is the mask of its lanes.
#ifndef CASSC_COOPERATIVE_GROUPS_H
#define CASSC_COOPERATIVE_GROUPS_H
#include "cuda_runtime.h"

#include "cassc/group_lanes.h"
#include "cassc/group_warps.h"

namespace cooperative_groups {

// A block, or lanes of one warp.
class thread_group {
 public:
  CASSC_FN unsigned long long size() const CASSC_BODY(return of_block_ ? cassc::block_threads() : __builtin_popcount(mask_);)
  CASSC_FN unsigned long long num_threads() const CASSC_BODY(return size();)
  CASSC_FN unsigned long long thread_rank() const CASSC_BODY(
      return of_block_ ? cassc::thread_rank() : cassc::rank_in(mask_);)
  CASSC_FN void sync() const CASSC_BODY(if (of_block_) __syncthreads(); else __syncwarp(mask_);)
  CASSC_FN bool is_valid() const CASSC_BODY(return true;)
  CASSC_FN unsigned cassc_mask() const CASSC_BODY(return mask_;)
  CASSC_FN bool cassc_of_block() const CASSC_BODY(return of_block_;)

 protected:
  CASSC_FN explicit thread_group(unsigned mask, bool of_block) CASSC_BODY(mask_ = mask; of_block_ = of_block;)
  friend CASSC_FN thread_group tiled_partition(const thread_group& parent, unsigned size);
  unsigned mask_;
  bool of_block_;
};

class thread_block : public thread_group {
 public:
  static CASSC_FN void sync() CASSC_BODY(__syncthreads();)
  static CASSC_FN unsigned thread_rank() CASSC_BODY(return cassc::thread_rank();)
  static CASSC_FN unsigned size() CASSC_BODY(return cassc::block_threads();)
  static CASSC_FN unsigned num_threads() CASSC_BODY(return cassc::block_threads();)
  static CASSC_FN dim3 group_index() CASSC_BODY(return blockIdx;)
  static CASSC_FN dim3 thread_index() CASSC_BODY(return threadIdx;)
  static CASSC_FN dim3 group_dim() CASSC_BODY(return blockDim;)
  static CASSC_FN dim3 dim_threads() CASSC_BODY(return blockDim;)
  struct arrival_token {};
  static CASSC_FN arrival_token barrier_arrive() CASSC_BODY(return {};)
  static CASSC_FN void barrier_wait(arrival_token&&) CASSC_BODY(__syncthreads();)

 private:
  CASSC_FN thread_block();
  friend CASSC_FN thread_block this_thread_block();
};
#ifdef __CUDA_ARCH__
CASSC_FN thread_block::thread_block() : thread_group(0, true) {}
CASSC_FN thread_block this_thread_block() { return thread_block(); }
#else
CASSC_FN thread_block this_thread_block();
#endif

// What the groups within a warp share. Group: the derived class, which gives the mask of the lanes.
template <class Group>
class cassc_warp_group : public thread_group {
 public:
  CASSC_FN unsigned thread_rank() const CASSC_BODY(return cassc::rank_in(mask_);)
  CASSC_FN unsigned size() const CASSC_BODY(return __builtin_popcount(mask_);)
  CASSC_FN unsigned num_threads() const CASSC_BODY(return __builtin_popcount(mask_);)
  CASSC_FN void sync() const CASSC_BODY(__syncwarp(mask_);)
  template <class T_>
  CASSC_FN T_ shfl(T_ value, int rank) const CASSC_BODY(
      return cassc::permute_any(value, cassc::lane_of(mask_, static_cast<unsigned>(rank) % size()));)
  template <class T_>
  CASSC_FN T_ shfl_up(T_ value, unsigned delta) const CASSC_BODY(
      const unsigned rank = thread_rank();
      return cassc::permute_any(value, cassc::lane_of(mask_, rank >= delta ? rank - delta : rank));)
  template <class T_>
  CASSC_FN T_ shfl_down(T_ value, unsigned delta) const CASSC_BODY(
      const unsigned rank = thread_rank();
      return cassc::permute_any(value, cassc::lane_of(mask_, rank + delta < size() ? rank + delta : rank));)
  CASSC_FN int any(int predicate) const CASSC_BODY(return __any_sync(mask_, predicate);)
  CASSC_FN int all(int predicate) const CASSC_BODY(return __all_sync(mask_, predicate);)
  CASSC_FN unsigned ballot(int predicate) const CASSC_BODY(
      return cassc::gather_bits(__ballot_sync(mask_, predicate), mask_);)
  template <class T_>
  CASSC_FN unsigned match_any(T_ value) const CASSC_BODY(
      return cassc::gather_bits(__match_any_sync(mask_, value), mask_);)
  template <class T_>
  CASSC_FN unsigned match_all(T_ value, int& predicate) const CASSC_BODY(
      return cassc::gather_bits(__match_all_sync(mask_, value, &predicate), mask_);)

 protected:
  CASSC_FN explicit cassc_warp_group(unsigned mask);
};
#ifdef __CUDA_ARCH__
template <class Group>
CASSC_FN cassc_warp_group<Group>::cassc_warp_group(unsigned mask) : thread_group(mask, false) {}
#endif

class coalesced_group : public cassc_warp_group<coalesced_group> {
 public:
  CASSC_FN unsigned meta_group_size() const CASSC_BODY(return meta_size_;)
  CASSC_FN unsigned meta_group_rank() const CASSC_BODY(return meta_rank_;)
  static CASSC_FN coalesced_group cassc_make(unsigned mask, unsigned rank, unsigned size);

 private:
  CASSC_FN coalesced_group(unsigned mask, unsigned rank, unsigned size);
  unsigned meta_rank_, meta_size_;
};
#ifdef __CUDA_ARCH__
CASSC_FN coalesced_group::coalesced_group(unsigned mask, unsigned rank, unsigned size)
    : cassc_warp_group(mask), meta_rank_(rank), meta_size_(size) {}
CASSC_FN coalesced_group coalesced_group::cassc_make(unsigned mask, unsigned rank, unsigned size) {
  return coalesced_group(mask, rank, size);
}
#endif
CASSC_FN coalesced_group coalesced_threads() CASSC_BODY(return coalesced_group::cassc_make(__activemask(), 0, 1);)

// Tile: the derived class.
template <unsigned Size, class Tile, bool Within = (Size <= 32)>
class cassc_tile : public cassc_warp_group<Tile> {
 public:
  static CASSC_FN unsigned thread_rank() CASSC_BODY(return cassc::thread_rank() & (Size - 1);)
  static CASSC_HD constexpr unsigned size() { return Size; }
  static CASSC_HD constexpr unsigned num_threads() { return Size; }
  template <class T_>
  CASSC_FN T_ shfl(T_ value, int rank) const CASSC_BODY(return cassc::permute_any(value, cassc::source_lane(rank, Size));)
  template <class T_>
  CASSC_FN T_ shfl_up(T_ value, unsigned delta) const CASSC_BODY(return cassc::permute_any(value, cassc::source_up(delta, Size));)
  template <class T_>
  CASSC_FN T_ shfl_down(T_ value, unsigned delta) const CASSC_BODY(return cassc::permute_any(value, cassc::source_down(delta, Size));)
  template <class T_>
  CASSC_FN T_ shfl_xor(T_ value, int bits) const CASSC_BODY(return cassc::permute_any(value, cassc::source_xor(bits, Size));)

 protected:
  CASSC_FN cassc_tile();
};
// Of several warps: no masks, and only what CUDA has for such tiles.
template <unsigned Size, class Tile>
class cassc_tile<Size, Tile, false> {
 public:
  static CASSC_FN unsigned thread_rank() CASSC_BODY(return cassc::thread_rank() & (Size - 1);)
  static CASSC_HD constexpr unsigned size() { return Size; }
  static CASSC_HD constexpr unsigned num_threads() { return Size; }
  CASSC_FN void sync() const CASSC_BODY(cassc::tile_barrier(Size);)
  template <class T_>
  CASSC_FN T_ shfl(T_ value, int rank) const CASSC_BODY(return cassc::tile_exchange(value, static_cast<unsigned>(rank), Size);)
  CASSC_FN int any(int predicate) const CASSC_BODY(return cassc::tile_any(predicate, Size);)
  CASSC_FN int all(int predicate) const CASSC_BODY(return !cassc::tile_any(!predicate, Size);)

 protected:
  CASSC_FN cassc_tile();
};
#ifdef __CUDA_ARCH__
template <unsigned Size, class Tile, bool Within>
CASSC_FN cassc_tile<Size, Tile, Within>::cassc_tile() : cassc_warp_group<Tile>(cassc::tile_mask(Size)) {}
template <unsigned Size, class Tile>
CASSC_FN cassc_tile<Size, Tile, false>::cassc_tile() {}
#endif

// Parent: void where a tile has forgotten what it is a part of.
template <unsigned Size, class Parent = void>
class thread_block_tile : public cassc_tile<Size, thread_block_tile<Size, Parent>> {
  static_assert(Size > 0 && Size <= 1024 && (Size & (Size - 1)) == 0, "the size of a tile is a power of two up to 1024");

 public:
  CASSC_FN unsigned meta_group_rank() const CASSC_BODY(return rank_;)
  CASSC_FN unsigned meta_group_size() const CASSC_BODY(return count_;)
  template <class Other>
  CASSC_FN thread_block_tile(const thread_block_tile<Size, Other>& other);
  static CASSC_FN thread_block_tile cassc_make();

 private:
  CASSC_FN thread_block_tile(unsigned rank, unsigned count);
  unsigned rank_, count_;
};
#ifdef __CUDA_ARCH__
template <unsigned Size, class Parent>
CASSC_FN thread_block_tile<Size, Parent>::thread_block_tile(unsigned rank, unsigned count) : rank_(rank), count_(count) {}
template <unsigned Size, class Parent>
template <class Other>
CASSC_FN thread_block_tile<Size, Parent>::thread_block_tile(const thread_block_tile<Size, Other>& other)
    : rank_(other.meta_group_rank()), count_(other.meta_group_size()) {
  static_assert(__is_void(Parent), "a tile of another parent");
}
template <unsigned Size, class Parent>
CASSC_FN thread_block_tile<Size, Parent> thread_block_tile<Size, Parent>::cassc_make() {
  if constexpr (Size > 32 && __is_same(Parent, thread_block)) cassc::tile_memory_ready();
  return thread_block_tile(cassc::tile_rank<Parent>(Size), cassc::tile_count<Parent>(Size));
}
#endif

// Shared memory for tiles of several warps: there is some without it.
template <unsigned MaxBlockSize = 1024>
struct block_tile_memory {
  unsigned cassc_none;
};
template <unsigned MaxBlockSize>
CASSC_FN thread_block this_thread_block(block_tile_memory<MaxBlockSize>&) CASSC_BODY(return this_thread_block();)

template <unsigned Size, class Parent>
CASSC_FN thread_block_tile<Size, Parent> tiled_partition(const Parent&) CASSC_BODY(
    return thread_block_tile<Size, Parent>::cassc_make();)
CASSC_FN thread_group tiled_partition(const thread_group& parent, unsigned size) CASSC_BODY(
    return thread_group(parent.cassc_of_block() ? cassc::tile_mask(size) : cassc::subgroup(parent.cassc_mask(), size), false);)
CASSC_FN coalesced_group tiled_partition(const coalesced_group& parent, unsigned size) CASSC_BODY(
    const unsigned rank = parent.thread_rank();
    return coalesced_group::cassc_make(cassc::subgroup(parent.cassc_mask(), size), rank / size,
                                       (parent.size() + size - 1) / size);)
template <class Group, class Label>
CASSC_FN coalesced_group labeled_partition(const Group& group, Label label) CASSC_BODY(
    const unsigned mine = __match_any_sync(group.cassc_mask(), label);
    return coalesced_group::cassc_make(mine, cassc::order_among(group.cassc_mask(), mine), cassc::groups_among(group.cassc_mask(), mine));)
template <class Group>
CASSC_FN coalesced_group binary_partition(const Group& group, bool predicate) CASSC_BODY(
    const unsigned yes = __ballot_sync(group.cassc_mask(), predicate);
    return coalesced_group::cassc_make(predicate ? yes : group.cassc_mask() & ~yes, predicate, 2);)

class grid_group {
 public:
  CASSC_FN bool is_valid() const CASSC_BODY(return true;)
  CASSC_FN void sync() const CASSC_BODY(cassc::grid_barrier();)
  CASSC_FN unsigned long long size() const CASSC_BODY(
      return static_cast<unsigned long long>(cassc::grid_blocks()) * cassc::block_threads();)
  CASSC_FN unsigned long long num_threads() const CASSC_BODY(return size();)
  CASSC_FN unsigned long long thread_rank() const CASSC_BODY(
      return static_cast<unsigned long long>(cassc::block_rank()) * cassc::block_threads() + cassc::thread_rank();)
  CASSC_FN unsigned long long block_rank() const CASSC_BODY(return cassc::block_rank();)
  CASSC_FN unsigned long long num_blocks() const CASSC_BODY(return cassc::grid_blocks();)
  CASSC_FN dim3 group_dim() const CASSC_BODY(return gridDim;)
  CASSC_FN dim3 dim_blocks() const CASSC_BODY(return gridDim;)
  CASSC_FN dim3 block_index() const CASSC_BODY(return blockIdx;)
  CASSC_FN dim3 thread_index() const CASSC_BODY(return threadIdx;)
  struct arrival_token {};
  CASSC_FN arrival_token barrier_arrive() const CASSC_BODY(return {};)
  CASSC_FN void barrier_wait(arrival_token&&) const CASSC_BODY(cassc::grid_barrier();)
};
CASSC_FN grid_group this_grid() CASSC_BODY(return grid_group();)

template <class Group>
CASSC_FN void sync(const Group& group) CASSC_BODY(group.sync();)
template <class Group>
CASSC_FN unsigned long long thread_rank(const Group& group) CASSC_BODY(return group.thread_rank();)
template <class Group>
CASSC_FN unsigned long long group_size(const Group& group) CASSC_BODY(return group.size();)
CASSC_FN void this_thread_sync() CASSC_BODY()

template <class Group, class Function, class... Arguments>
CASSC_FN void invoke_one(const Group& group, Function&& function, Arguments&&... arguments) CASSC_BODY(
    if (group.thread_rank() == 0) function(static_cast<Arguments&&>(arguments)...);)
template <class Group, class Function, class... Arguments>
CASSC_FN auto invoke_one_broadcast(const Group& group, Function&& function, Arguments&&... arguments)
    -> std::remove_reference_t<decltype(function(static_cast<Arguments&&>(arguments)...))> CASSC_BODY(
        std::remove_cv_t<std::remove_reference_t<decltype(function(static_cast<Arguments&&>(arguments)...))>> result{};
        if (group.thread_rank() == 0) result = function(static_cast<Arguments&&>(arguments)...);
        return group.shfl(result, 0);)
CASSC_FN thread_block_tile<1, void> this_thread() CASSC_BODY(return tiled_partition<1>(this_thread_block());)

namespace __v1 {}
}  // namespace cooperative_groups

#include "cooperative_groups/memcpy_async.h"
#endif
