// Choices of a library that is built around the emulated device.
#ifndef CASSC_RUNTIME_EMULATED_H
#define CASSC_RUNTIME_EMULATED_H
#include <memory>

#include "device.h"

namespace cassc::rt {

// The emulated device's memory, which the host finds at the same addresses.
class EmulatedMemory {
 public:
  virtual ~EmulatedMemory() = default;
  virtual Error allocate(size_t bytes, size_t alignment, void** pointer) = 0;  // alignment: a power of two
  virtual Error release(void* pointer) = 0;
  virtual Error poke(uint64_t address, const void* source, size_t bytes) = 0;
};

// What a HIP runtime gives kernels beside their arguments (cassc_emu_services).
class KernelServices {
 public:
  virtual ~KernelServices() = default;
  // Values of two hidden arguments. Once, before the first kernel that takes one of them.
  virtual Error prepare(EmulatedMemory& memory, uint64_t& hostcall_buffer, uint64_t& heap) = 0;
  virtual void interrupt() = 0;  // on the thread that executes the kernel, on several at once
};
// Those of the device that is opened next; none, as it is at first: kernels find zeros.
std::unique_ptr<KernelServices>& kernel_services();

// True: no other device is looked for, whatever the environment says. Set before the device is opened, as the next.
bool& only_emulator();
// True, as it is at first: misaligned accesses of a kernel fault, as CUDA has it.
bool& strict_alignment();

}  // namespace cassc::rt
#endif
