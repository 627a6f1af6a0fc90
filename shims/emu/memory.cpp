#include "memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstring>

namespace cassc::emu {
namespace {

// An allocation's extent: whole granules, and one more that is never valid, so that neighbours never touch.
uint64_t extent_of(uint64_t size) { return (size + kGranule - 1) / kGranule * kGranule + kGranule; }

constexpr uint64_t kTurn = 64 << 20;
constexpr size_t kMostFreed = 4096;

void* reserve(uint64_t bytes) {
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return p == MAP_FAILED ? nullptr : p;
}

}  // namespace

bool host_range_holds(const MemoryView& view, uint64_t address, uint64_t size) {
  // Neighbouring lanes use the same range: a thread remembers the last one, as long as no registration changed.
  thread_local struct {
    const Memory* owner;
    uint64_t version, base, size;
  } last{};
  if (!view.owner) return false;
  const uint64_t version = view.owner->host_version();
  if (last.owner != view.owner || last.version != version || address - last.base >= last.size) {
    HostRange range{};
    if (!view.owner->find_host(address, range)) return false;
    last = {view.owner, version, range.base, range.size};
  }
  return size <= last.size && address - last.base <= last.size - size;
}

Memory::Memory(uint64_t bytes) {
  static std::atomic<uint64_t> devices = 0;
  host_version_ = ++devices << 40;  // no two devices share one, even at the same address
  bytes = std::max<uint64_t>(bytes / 4096 * 4096, 1 << 20);
  void* arena = reserve(bytes);
  if (!arena) return;
  table_bytes_ = (bytes / kGranule + 2) * sizeof(uint16_t);
  valid_ = static_cast<uint16_t*>(reserve(table_bytes_));
  if (!valid_) {
    munmap(arena, bytes);
    return;
  }
  view_ = {reinterpret_cast<uint64_t>(arena), bytes, valid_, this};
  next_ = view_.base;
  free_[view_.base] = bytes;
}

Memory::~Memory() {
  if (!view_.base) return;
  munmap(reinterpret_cast<void*>(view_.base), view_.bytes);
  munmap(valid_, table_bytes_);
}

void Memory::mark(uint64_t address, uint64_t size, bool on) {
  uint16_t* first = valid_ + (address - view_.base) / kGranule;
  const uint64_t whole = size / kGranule, rest = size % kGranule;
  if (on) {
    std::fill(first, first + whole, uint16_t(kGranule));
    if (rest) first[whole] = uint16_t(rest);
  } else {
    std::memset(first, 0, (whole + (rest ? 1 : 0)) * sizeof(uint16_t));
  }
}

// The first aligned place at or after `from` with room for `extent` bytes; 0: none.
uint64_t Memory::fit(uint64_t from, uint64_t extent, uint64_t alignment) const {
  auto it = free_.upper_bound(from);
  if (it != free_.begin()) --it;
  for (; it != free_.end(); ++it) {
    const uint64_t start = (std::max(it->first, from) + alignment - 1) / alignment * alignment, end = it->first + it->second;
    if (start < end && end - start >= extent) return start;
  }
  return 0;
}

uint64_t Memory::allocate(uint64_t size, uint64_t alignment) {
  const std::lock_guard lock(mutex_);
  if (!size || size > view_.bytes) return 0;
  const uint64_t extent = extent_of(size);
  // From where the last allocation ended, so that freed memory is not reused at once and a stale pointer faults; from the
  // start again after a while, so that a program which allocates and frees for long does not touch the whole arena.
  if (since_turn_ > kTurn) {
    since_turn_ = 0;
    next_ = view_.base;
  }
  uint64_t address = fit(next_, extent, alignment);
  if (!address) address = fit(view_.base, extent, alignment);
  if (!address) return 0;
  const auto found = std::prev(free_.upper_bound(address));
  const uint64_t start = found->first, end = start + found->second;
  free_.erase(found);
  if (address > start) free_[start] = address - start;
  if (end > address + extent) free_[address + extent] = end - address - extent;
  next_ = address + extent;
  since_turn_ += extent;
  live_[address] = size;
  auto stale = freed_.lower_bound(address);
  if (stale != freed_.begin() && std::prev(stale)->first + std::prev(stale)->second > address) --stale;
  while (stale != freed_.end() && stale->first < address + extent) stale = freed_.erase(stale);
  used_ += extent;
  mark(address, size, true);
  return address;
}

bool Memory::release(uint64_t address) {
  const std::lock_guard lock(mutex_);
  const auto it = live_.find(address);
  if (it == live_.end()) return false;
  uint64_t extent = extent_of(it->second);
  parts_.erase(parts_.lower_bound(address), parts_.lower_bound(address + extent));
  mark(address, it->second, false);
  if (freed_.size() >= kMostFreed) freed_.erase(freed_.begin());
  freed_[address] = it->second;
  live_.erase(it);
  used_ -= extent;
  const uint64_t first = (address + 4095) / 4096 * 4096, last = (address + extent) / 4096 * 4096;
  if (last > first && last - first >= (1 << 16)) madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
  auto after = free_.lower_bound(address);
  if (after != free_.end() && after->first == address + extent) {
    extent += after->second;
    after = free_.erase(after);
  }
  if (after != free_.begin()) {
    const auto before = std::prev(after);
    if (before->first + before->second == address) {
      before->second += extent;
      return true;
    }
  }
  free_[address] = extent;
  return true;
}

bool Memory::find(uint64_t address, uint64_t& base, uint64_t& size) const {
  const std::lock_guard lock(mutex_);
  for (const auto* ranges : {&parts_, &live_}) {
    auto it = ranges->upper_bound(address);
    if (it == ranges->begin()) continue;
    --it;
    if (address - it->first < it->second) {
      base = it->first;
      size = it->second;
      return true;
    }
  }
  for (const HostRange& range : host_) {
    if (address - range.base < range.size) {
      base = range.base;
      size = range.size;
      return true;
    }
  }
  return false;
}

bool Memory::find_allocation(uint64_t address, uint64_t& base, uint64_t& size) const {
  const std::lock_guard lock(mutex_);
  const auto next = live_.upper_bound(address);
  if (next == live_.begin() || address - std::prev(next)->first >= std::prev(next)->second) return false;
  base = std::prev(next)->first;
  size = std::prev(next)->second;
  return true;
}

bool Memory::nearest(uint64_t address, uint64_t& base, uint64_t& size, bool& live) const {
  const std::lock_guard lock(mutex_);
  const auto after = freed_.upper_bound(address);
  if (after != freed_.begin() && address - std::prev(after)->first < std::prev(after)->second) {
    base = std::prev(after)->first;
    size = std::prev(after)->second;
    live = false;
    return true;
  }
  live = true;
  uint64_t best = ~uint64_t(0);
  const auto consider = [&](uint64_t start, uint64_t bytes) {
    const uint64_t distance = address < start ? start - address : address < start + bytes ? 0 : address - (start + bytes) + 1;
    if (distance >= best) return;
    best = distance;
    base = start;
    size = bytes;
  };
  const auto next = live_.upper_bound(address);
  if (next != live_.end()) consider(next->first, next->second);
  if (next != live_.begin()) consider(std::prev(next)->first, std::prev(next)->second);
  for (const HostRange& range : host_) consider(range.base, range.size);
  return best != ~uint64_t(0);
}

bool Memory::register_host(uint64_t address, uint64_t size) {
  const std::lock_guard lock(mutex_);
  if (!size || address + size < address) return false;
  if (address < view_.base + view_.bytes && address + size > view_.base) return false;
  const auto at = std::lower_bound(host_.begin(), host_.end(), address, [](const HostRange& r, uint64_t a) { return r.base < a; });
  if (at != host_.end() && at->base < address + size) return false;
  if (at != host_.begin() && std::prev(at)->base + std::prev(at)->size > address) return false;
  host_.insert(at, {address, size});
  ++host_version_;
  return true;
}

bool Memory::unregister_host(uint64_t address) {
  const std::lock_guard lock(mutex_);
  const auto at = std::find_if(host_.begin(), host_.end(), [&](const HostRange& r) { return r.base == address; });
  if (at == host_.end()) return false;
  host_.erase(at);
  ++host_version_;
  return true;
}

bool Memory::find_host(uint64_t address, HostRange& range) const {
  const std::lock_guard lock(mutex_);
  auto at = std::upper_bound(host_.begin(), host_.end(), address, [](uint64_t a, const HostRange& r) { return a < r.base; });
  if (at == host_.begin()) return false;
  --at;
  range = *at;
  return address - at->base < at->size;
}

uint64_t Memory::used() const {
  const std::lock_guard lock(mutex_);
  return used_;
}

void Memory::name_part(uint64_t address, uint64_t size) {
  const std::lock_guard lock(mutex_);
  parts_[address] = size;
}

void Memory::restrict_to(uint64_t address, const std::vector<HostRange>& pieces) {
  const std::lock_guard lock(mutex_);
  const auto it = live_.find(address);
  if (it == live_.end()) return;
  mark(address, it->second, false);
  for (const HostRange& piece : pieces) {
    // Segments begin at any offset; a granule counts from its start, so the few bytes before a segment stay readable.
    const uint64_t begin = piece.base / kGranule * kGranule;
    mark(begin, piece.base + piece.size - begin, true);
  }
}

}  // namespace cassc::emu
