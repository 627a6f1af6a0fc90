#include "context.h"

#include <cstdlib>
#include <string_view>

#include "emulated.h"
#include "registry.h"

namespace cassc::rt {
namespace {

std::unique_ptr<Device> choose(std::string& why) {
  if (only_emulator()) return open_emulator(why);
  const char* wish = std::getenv("CASSC_DEVICE");
  const std::string_view name = wish ? wish : "";
  if (name == "hip") return open_hip(why);
  if (name == "emu") return open_emulator(why);
  if (!name.empty()) {
    why = "CASSC_DEVICE is '" + std::string(name) + "', not 'hip' or 'emu'";
    return nullptr;
  }
  std::string no_hip;
  if (auto device = open_hip(no_hip)) return device;
  auto device = open_emulator(why);
  if (!device) why += "; " + no_hip;
  return device;
}

bool ends_the_device(Error error) {
  switch (error) {
    case Error::IllegalAddress:
    case Error::LaunchTimeout:
    case Error::Assert:
    case Error::HardwareStackError:
    case Error::IllegalInstruction:
    case Error::MisalignedAddress:
    case Error::InvalidAddressSpace:
    case Error::InvalidPc:
    case Error::LaunchFailure: return true;
    default: return false;
  }
}

}  // namespace

Context& Context::get() {
  static auto* context = new Context;
  return *context;
}

Context::Context() {
  // The defaults of cudaDeviceGetLimit: stack, printf FIFO, heap, and what this device does not have.
  constexpr size_t defaults[kLimits] = {1024, 1 << 20, 8 << 20, 2, 2048, 64, 0};
  for (int i = 0; i < kLimits; ++i) limits[i] = defaults[i];
}

Error Context::open(Device** device) {
  if (closed_) return Error::CudartUnloading;
  Device* opened = device_;
  if (!opened) {
    std::lock_guard lock(opening_);
    opened = device_;
    if (!opened && unavailable_ == Error::Success) {
      std::string why;
      auto made = choose(why);
      if (made) {
        opened = made.release();
        device_ = opened;
        std::atexit([] { Context::get().shut_down(); });
      } else {
        report(why);
        unavailable_ = Error::NoDevice;
      }
    }
    if (!opened) return unavailable_;
  }
  if (device) *device = opened;
  return Error::Success;
}

Error Context::observe(Error error) {
  if (ends_the_device(error)) {
    Error none = Error::Success;
    state_.compare_exchange_strong(none, error);
    return state_;
  }
  return error;
}

Error Context::reset() {
  if (!device_) return Error::Success;
  if (state_ != Error::Success) {
    state_ = Error::DevicesUnavailable;
    return Error::Success;
  }
  const Error error = observe(device().synchronize());
  if (error != Error::Success) {
    state_ = Error::DevicesUnavailable;
    return Error::Success;
  }
  for (Origin origin : {Origin::Malloc, Origin::Managed, Origin::Pool, Origin::Graph, Origin::Array})
    for (const Allocation& a : allocations.erase_all(origin)) device().release(reinterpret_cast<void*>(a.base));
  for (const Allocation& a : allocations.erase_all(Origin::HostAlloc)) device().release_host(reinterpret_cast<void*>(a.base));
  for (const Allocation& a : allocations.erase_all(Origin::HostRegister))
    device().unregister_host(reinterpret_cast<void*>(a.base));
  Registry::get().unload();
  heap.release(device());
  grids.release(device());
  textures.release(device());
  return Error::Success;
}

Error Context::set_limit(size_t limit, size_t value) {
  constexpr size_t heap_size = 2, sync_depth = 3, fetch_granularity = 5;  // of cudaLimit
  if (limit == sync_depth) return Error::UnsupportedLimit;
  if (limit == fetch_granularity && value > 128) return Error::InvalidValue;
  if (limit == heap_size && heap.in_use()) return Error::InvalidValue;
  limits[limit] = value;
  return Error::Success;
}

void Context::shut_down() {
  closed_ = true;
  if (device_) device().shut_down();
}

bool& in_host_function() {
  thread_local bool inside = false;
  return inside;
}

}  // namespace cassc::rt
