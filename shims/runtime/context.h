// The runtime of the process: its device, its state after a fault, its limits.
#ifndef CASSC_RUNTIME_CONTEXT_H
#define CASSC_RUNTIME_CONTEXT_H
#include <array>
#include <atomic>
#include <mutex>

#include "device.h"
#include "errors.h"
#include "grid.h"
#include "heap.h"
#include "memory.h"
#include "textures.h"

namespace cassc::rt {

constexpr int kLimits = 7;  // of cudaLimit

class CASSC_EXPORT Context {
 public:
  static Context& get();  // made at first use, never destroyed

  // The device, opened at first use: HIP with a gfx11 device, otherwise the emulator; CASSC_DEVICE=hip or emu decides.
  Error open(Device** device);
  Device& device() { return *device_.load(); }  // after open

  // The error that every call gives once the device is lost; Success until then.
  Error state() const { return state_; }
  // The same error; a fault of the device is kept, so that every later call gives it.
  Error observe(Error error);

  // For cudaDeviceReset. After a fault the device stays lost, as on NVIDIA's driver: the process must end.
  Error reset();
  void shut_down();
  bool closed() const { return closed_; }
  // The runtime API was called in this process: its context is then every thread's that has chosen none.
  bool runtime_in_use() const { return runtime_in_use_; }
  void use_runtime() { runtime_in_use_ = true; }

  // One of cudaLimit, which must be below kLimits. UnsupportedLimit where the device has none; the heap's size cannot change
  // any more once a module has got the heap.
  Error set_limit(size_t limit, size_t value);

  AllocationTable allocations;
  DeviceHeap heap;
  GridWorkspaces grids;
  TextureTable textures;
  std::array<std::atomic<size_t>, kLimits> limits;
  std::atomic<unsigned> device_flags = 0;
  std::atomic<int> cache_config = 0, shared_config = 0;

 private:
  Context();
  std::mutex opening_;
  std::atomic<Device*> device_ = nullptr;
  Error unavailable_ = Error::Success;  // why open failed, kept
  std::atomic<Error> state_ = Error::Success;
  std::atomic<bool> closed_ = false, runtime_in_use_ = false;
};

// True while this thread runs a host function of a stream: CUDA calls are not permitted there.
CASSC_EXPORT bool& in_host_function();

}  // namespace cassc::rt
#endif
