// Allocations that the runtime knows, and the checks of copies and fills against them.
#ifndef CASSC_RUNTIME_MEMORY_H
#define CASSC_RUNTIME_MEMORY_H
#include <map>
#include <mutex>
#include <optional>

#include "device.h"

namespace cassc::rt {

struct MemoryPool;

enum class Origin { Malloc, Managed, Pool, Graph, HostAlloc, HostRegister, Symbol, Array };

struct Allocation {
  uintptr_t base = 0;
  size_t size = 0;
  Origin origin = Origin::Malloc;
  unsigned flags = 0;          // of cudaHostAlloc, cudaHostRegister, cudaMallocManaged
  MemoryPool* pool = nullptr;  // Origin::Pool
  bool holds(uintptr_t address, size_t bytes) const {
    return address >= base && address - base <= size && bytes <= size - (address - base);
  }
  MemoryType type() const {
    if (origin == Origin::Managed) return MemoryType::Managed;
    return origin == Origin::HostAlloc || origin == Origin::HostRegister ? MemoryType::Host : MemoryType::Device;
  }
};

class CASSC_EXPORT AllocationTable {
 public:
  void insert(const Allocation& allocation);
  std::optional<Allocation> find(const void* address) const;  // the one that holds this byte
  bool erase(const void* base);
  // Removes and gives all that match; for cudaDeviceReset.
  std::vector<Allocation> erase_all(Origin origin);

 private:
  mutable std::mutex mutex_;
  std::map<uintptr_t, Allocation> by_base_;
};

// Memory of the device. Each gives *pointer = null for zero bytes.
CASSC_EXPORT Error allocate(size_t bytes, Origin origin, unsigned flags, void** pointer);
CASSC_EXPORT Error release(void* pointer);       // cudaFree; waits for the device
CASSC_EXPORT Error release_host(void* pointer);  // cudaFreeHost
CASSC_EXPORT Error register_host(void* pointer, size_t bytes, unsigned flags);
CASSC_EXPORT Error unregister_host(void* pointer);

// Memory of a graph's allocation node: at one address from the node's making until nothing names it any more.
class CASSC_EXPORT GraphMemory {
 public:
  static Error make(size_t bytes, std::shared_ptr<GraphMemory>& memory);
  ~GraphMemory();  // waits for the device
  GraphMemory(const GraphMemory&) = delete;
  GraphMemory& operator=(const GraphMemory&) = delete;
  void* base() const { return base_; }
  size_t size() const { return size_; }

 private:
  GraphMemory(void* base, size_t size) : base_(base), size_(size) {}
  void* const base_;
  const size_t size_;
};

// Bytes from the first to the last of a box.
size_t span_of(size_t width, size_t height, size_t depth, size_t pitch, size_t slice);

// Checks a copy or fill against the known allocations (a range that leaves its allocation, a device side that is none) and
// settles what a device needs: the kind, and which sides are pageable. empty: nothing is to be copied.
CASSC_EXPORT Error settle(Copy& copy, bool& empty);
CASSC_EXPORT Error settle(const Fill& fill, bool& empty);

}  // namespace cassc::rt
#endif
