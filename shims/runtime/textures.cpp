#include "textures.h"

#include <algorithm>
#include <cmath>

namespace cassc::rt {
namespace {

// IEC 61966-2-1.
float linear_of(int srgb) {
  const double c = srgb / 255.0;
  return static_cast<float>(c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4));
}

}  // namespace

Error TextureTable::make(Device& device) {
  void* memory = nullptr;
  if (const Error error = device.allocate(uint64_t{kSlots} * kSlotBytes, false, &memory); error != Error::Success) return error;
  float curve[256];
  for (int i = 0; i < 256; ++i) curve[i] = linear_of(i);
  static_assert(sizeof curve == kReserved * kSlotBytes);
  const auto made = reinterpret_cast<uint64_t>(memory);
  if (const Error error = device.poke(made, curve, sizeof curve); error != Error::Success) return error;
  address_ = made;
  return Error::Success;
}

Error TextureTable::attach(Device& device, DeviceModule& module) {
  uint64_t symbol = 0, size = 0;
  if (!module.global("__cassc_textures", symbol, size) || size < 2 * sizeof(uint64_t)) return Error::Success;
  std::lock_guard lock(mutex_);
  if (!address_)
    if (const Error error = make(device); error != Error::Success) return error;
  const uint64_t handle[2] = {address_, 0};
  return device.poke(symbol, handle, sizeof handle);
}

Error TextureTable::add(Device& device, const std::vector<std::byte>& descriptor, uint64_t& handle) {
  std::lock_guard lock(mutex_);
  if (!address_)
    if (const Error error = make(device); error != Error::Success) return error;
  const auto slots = static_cast<uint32_t>((descriptor.size() + kSlotBytes - 1) / kSlotBytes);
  // From behind the last one on, and once more from the start: a slot rests before another object has it.
  for (int pass = 0; pass < 2; ++pass, next_ = kReserved) {
    for (uint32_t first = next_; first + slots <= kSlots;) {
      const auto after = used_.upper_bound(first);
      if (after != used_.begin()) {
        const auto before = std::prev(after);
        if (before->first + before->second > first) {
          first = before->first + before->second;
          continue;
        }
      }
      if (after != used_.end() && after->first < first + slots) {
        first = after->first + after->second;
        continue;
      }
      const Error error = device.poke(address_ + uint64_t{first} * kSlotBytes, descriptor.data(), descriptor.size());
      if (error != Error::Success) return error;
      used_[first] = slots;
      next_ = first + slots;
      handle = first;
      return Error::Success;
    }
  }
  return Error::MemoryAllocation;
}

void TextureTable::remove(uint64_t handle) {
  std::lock_guard lock(mutex_);
  used_.erase(static_cast<uint32_t>(handle));
}

void TextureTable::release(Device& device) {
  std::lock_guard lock(mutex_);
  if (address_) device.release(reinterpret_cast<void*>(address_));
  address_ = 0;
  used_.clear();
  next_ = kReserved;
}

}  // namespace cassc::rt
