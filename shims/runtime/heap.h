// The heap behind malloc and free in kernels: one for all modules, allocated when the first module needs it.
#ifndef CASSC_RUNTIME_HEAP_H
#define CASSC_RUNTIME_HEAP_H
#include <mutex>

#include "device.h"
#include "types.h"

namespace cassc::rt {

// Code objects that allocate export __cassc_heap: {u64 address of the heap, u64 0}. The heap is {u32 units, u32 hint,
// u32 withdrawals, u32 0, u64 address of unit 0}, from byte 64 on one bit for each unit of 16 bytes, then the units.
class CASSC_EXPORT DeviceHeap {
 public:
  // Gives the module the heap if it wants one. bytes: cudaLimitMallocHeapSize, which counts the first time.
  Error attach(Device& device, DeviceModule& module, size_t bytes);
  // Whether the size is settled, so that the limit cannot change any more.
  bool in_use();
  void release(Device& device);

 private:
  Error make(Device& device, size_t bytes);

  std::mutex mutex_;
  uint64_t address_ = 0;
};

}  // namespace cassc::rt
#endif
