#include "heap.h"

#include <algorithm>
#include <cstring>

namespace cassc::rt {
namespace {

constexpr uint64_t kUnit = 16, kUnitsOfWord = 32, kBitmap = 64;
constexpr uint64_t kMostUnits = uint64_t(1) << 31;  // 32 GB: unit numbers and their sums fit 32 bits

struct Header {
  uint32_t units, hint, withdrawals, zero;
  uint64_t first_unit;
};

}  // namespace

Error DeviceHeap::attach(Device& device, DeviceModule& module, size_t bytes) {
  uint64_t symbol = 0, size = 0;
  if (!module.global("__cassc_heap", symbol, size) || size < 2 * sizeof(uint64_t)) return Error::Success;
  std::lock_guard lock(mutex_);
  if (!address_)
    if (const Error error = make(device, bytes); error != Error::Success) return error;
  const uint64_t handle[2] = {address_, 0};
  return device.poke(symbol, handle, sizeof handle);
}

Error DeviceHeap::make(Device& device, size_t bytes) {
  constexpr uint64_t step = kUnit * kUnitsOfWord;
  const uint64_t words = std::min(bytes / step + (bytes % step != 0), kMostUnits / kUnitsOfWord - 1);
  const uint64_t bitmap = (words * sizeof(uint32_t) + kBitmap - 1) / kBitmap * kBitmap;
  void* memory = nullptr;
  const uint64_t total = kBitmap + bitmap + words * step;
  if (const Error error = device.allocate(total, false, &memory); error != Error::Success) return error;
  address_ = reinterpret_cast<uint64_t>(memory);
  const Header header{static_cast<uint32_t>(words * kUnitsOfWord), 0, 0, 0, address_ + kBitmap + bitmap};
  std::vector<std::byte> start(kBitmap + bitmap);
  std::memcpy(start.data(), &header, sizeof header);
  return device.poke(address_, start.data(), start.size());
}

bool DeviceHeap::in_use() {
  std::lock_guard lock(mutex_);
  return address_ != 0;
}

void DeviceHeap::release(Device& device) {
  std::lock_guard lock(mutex_);
  if (address_) device.release(reinterpret_cast<void*>(address_));
  address_ = 0;
}

}  // namespace cassc::rt
