// Occupancy.
#include "api.h"

using namespace cassc::cudart;
namespace rt = cassc::rt;

CASSC_API Error cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function, int threads,
                                                                       size_t dynamic_shared, unsigned flags) {
  return api([&] {
    if (!blocks || threads <= 0 || flags > 1) return Error::InvalidValue;
    rt::Kernel* kernel = nullptr;
    const Error error = rt::Registry::get().kernel(function, &kernel);
    if (error == Error::Success) *blocks = rt::resident_blocks(*kernel, threads, dynamic_shared);
    return error;
  });
}

CASSC_API Error cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int threads,
                                                              size_t dynamic_shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, dynamic_shared, 0);
}

CASSC_API Error cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, const void* function, int blocks, int threads) {
  return api([&] {
    if (!bytes || blocks <= 0 || threads <= 0) return Error::InvalidValue;
    rt::Kernel* kernel = nullptr;
    const Error error = rt::Registry::get().kernel(function, &kernel);
    if (error != Error::Success) return error;
    if (rt::resident_blocks(*kernel, threads, 0) < blocks) return Error::InvalidValue;
    // Blocks are spread over two compute units; each has the LDS of one block at its largest.
    const int each = rt::kSharedPerBlockOptin / ((blocks + 1) / 2) / 1024 * 1024;
    const int room = std::max(0, each - static_cast<int>(kernel->metadata.static_shared));
    *bytes = static_cast<size_t>(std::min(room, rt::dynamic_shared_limit(*kernel)));
    return Error::Success;
  });
}
