#include "grid.h"

namespace cassc::rt {

Error GridWorkspaces::next(Device& device, uint64_t& address) {
  std::lock_guard lock(mutex_);
  if (!first_) {
    void* memory = nullptr;
    if (const Error error = device.allocate(kCount * kBytes, false, &memory); error != Error::Success) return error;
    const std::vector<std::byte> zeros(kCount * kBytes);
    const auto made = reinterpret_cast<uint64_t>(memory);
    if (const Error error = device.poke(made, zeros.data(), zeros.size()); error != Error::Success) return error;
    first_ = made;
  }
  address = first_ + launches_++ % kCount * kBytes;
  return Error::Success;
}

void GridWorkspaces::release(Device& device) {
  std::lock_guard lock(mutex_);
  if (first_) device.release(reinterpret_cast<void*>(first_));
  first_ = 0;
}

}  // namespace cassc::rt
