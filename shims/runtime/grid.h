// What the blocks of a cooperative launch meet at: the workspace behind cooperative_groups' grid_group.
#ifndef CASSC_RUNTIME_GRID_H
#define CASSC_RUNTIME_GRID_H
#include <mutex>

#include "device.h"
#include "types.h"

namespace cassc::rt {

// Kernels that synchronise their grid take its address as an additional last argument, kGridArgument; 0 in a launch that is
// not cooperative. The workspace is {u32 size, u32 barrier, ...}; CUDA's headers (cooperative_groups/details/sync.h) count
// arrivals in the low bits of the barrier and flip its top bit each time all have arrived, so that a workspace whose launch
// is complete serves another launch as it is.
class CASSC_EXPORT GridWorkspaces {
 public:
  // One that no running launch has: they are handed out in turns.
  Error next(Device& device, uint64_t& address);
  void release(Device& device);

 private:
  // Launches that far apart would have to run at the same time to meet, each with all its blocks resident.
  static constexpr uint64_t kCount = 1024, kBytes = 64;

  std::mutex mutex_;
  uint64_t first_ = 0, launches_ = 0;
};

}  // namespace cassc::rt
#endif
