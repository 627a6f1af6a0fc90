// Occupancy.
#include <algorithm>

#include "api.h"

using namespace cassc::cuda;
namespace rt = cassc::rt;

namespace {

template <class Body>
Result with_kernel(Kernel* handle, Body&& body) {
  return in_context([&] {
    Kernel* kernel = nullptr;
    const Error error = rt::Registry::get().kernel(handle, &kernel);
    return error == Error::Success ? body(*kernel) : result_of(error);
  });
}

}  // namespace

CASSC_API Result cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, Kernel* handle, int threads,
                                                                      size_t dynamic_shared, unsigned flags) {
  return with_kernel(handle, [&](const Kernel& kernel) {
    if (!blocks || threads <= 0 || flags > 1) return Result::InvalidValue;
    *blocks = rt::resident_blocks(kernel, threads, dynamic_shared);
    return Result::Success;
  });
}

CASSC_API Result cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Kernel* kernel, int threads, size_t dynamic_shared) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, kernel, threads, dynamic_shared, 0);
}

CASSC_API Result cuOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, Kernel* handle, BlockToShared shared_of,
                                                           size_t dynamic_shared, int limit, unsigned flags) {
  return with_kernel(handle, [&](const Kernel& kernel) {
    if (!grid || !block || limit < 0 || flags > 1) return Result::InvalidValue;
    int most = static_cast<int>(std::min(kernel.metadata.max_threads, rt::kMaxThreads));
    if (limit) most = std::min(most, limit);
    // The block size that keeps the most threads resident; of several the largest.
    int best = 0, best_blocks = 0;
    for (int threads = (most + 31) / 32 * 32; threads > 0; threads -= 32) {
      const int used = std::min(threads, most);
      const int blocks = rt::resident_blocks(kernel, used, shared_of ? shared_of(used) : dynamic_shared);
      if (used * blocks <= best * best_blocks) continue;
      best = used;
      best_blocks = blocks;
    }
    *block = best;
    *grid = best_blocks * device().facts().multiprocessors;
    return Result::Success;
  });
}

CASSC_API Result cuOccupancyMaxPotentialBlockSize(int* grid, int* block, Kernel* kernel, BlockToShared shared_of,
                                                  size_t dynamic_shared, int limit) {
  return cuOccupancyMaxPotentialBlockSizeWithFlags(grid, block, kernel, shared_of, dynamic_shared, limit, 0);
}
