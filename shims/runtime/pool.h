// Stream ordered memory: cudaMallocAsync and its pools.
#ifndef CASSC_RUNTIME_POOL_H
#define CASSC_RUNTIME_POOL_H
#include <list>
#include <mutex>

#include "memory.h"
#include "stream.h"

namespace cassc::rt {

// A freed block stays with its pool until the work before the free is done; until then the stream that freed it may have it
// again. Then it goes back to the device.
struct MemoryPool {
  struct Freed {
    Allocation block;
    DeviceStream* stream;
    std::unique_ptr<DeviceEvent> after;
  };
  std::mutex mutex;
  std::list<Freed> freed;
  uint64_t used = 0, used_high = 0, waiting = 0, reserved_high = 0;  // bytes
  uint64_t threshold = 0;
  int reuse[3] = {1, 1, 1};  // cudaMemPoolReuse...: kept, without effect
};

CASSC_EXPORT MemoryPool* default_pool();
CASSC_EXPORT MemoryPool* current_pool();
CASSC_EXPORT Error set_current_pool(MemoryPool* pool);
CASSC_EXPORT bool known_pool(const MemoryPool* pool);
CASSC_EXPORT Error create_pool(MemoryPool** pool);
CASSC_EXPORT Error destroy_pool(MemoryPool* pool);  // its live allocations stay

CASSC_EXPORT Error allocate_in_order(MemoryPool& pool, size_t bytes, Stream& stream, void** pointer);
CASSC_EXPORT Error free_in_order(void* pointer, Stream& stream);
// Gives back the blocks whose work is done.
CASSC_EXPORT Error reclaim(MemoryPool& pool);

}  // namespace cassc::rt
#endif
