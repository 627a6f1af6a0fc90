// Device memory: one reserved arena, identity mapped, with exact bounds at every access.
#pragma once
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

namespace cassc::emu {

constexpr uint64_t kGranule = 256;

struct HostRange {
  uint64_t base, size;
};

// What the executing side needs to test an address. `valid[g]` is the number of usable bytes of granule g.
struct MemoryView {
  uint64_t base = 0, bytes = 0;
  const uint16_t* valid = nullptr;
  class Memory* owner = nullptr;
};

bool host_range_holds(const MemoryView& view, uint64_t address, uint64_t size);

// True when all of [address, address + size), size at most 256 bytes, may be accessed.
static inline bool accessible(const MemoryView& view, uint64_t address, uint32_t size) {
  const uint64_t offset = address - view.base;
  if (offset < view.bytes) {
    const uint64_t granule = offset / kGranule;
    const uint32_t end = uint32_t(offset % kGranule) + size, valid = view.valid[granule];
    if (end <= valid) return true;
    return valid == kGranule && end <= kGranule + view.valid[granule + 1];
  }
  return host_range_holds(view, address, size);
}

class Memory {
 public:
  explicit Memory(uint64_t bytes);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  bool reserved() const { return view_.base != 0; }
  uint64_t allocate(uint64_t size, uint64_t alignment = kGranule);  // 0: out of memory
  bool release(uint64_t address);
  bool find(uint64_t address, uint64_t& base, uint64_t& size) const;
  bool find_allocation(uint64_t address, uint64_t& base, uint64_t& size) const;  // its whole, whatever parts have names
  // The allocation that an address outside all of them is closest to; a freed one only where it holds the address.
  bool nearest(uint64_t address, uint64_t& base, uint64_t& size, bool& live) const;
  bool register_host(uint64_t address, uint64_t size);
  bool unregister_host(uint64_t address);
  bool find_host(uint64_t address, HostRange& range) const;  // the registered range that holds the address
  uint64_t host_version() const { return host_version_; }    // another after each registration or its end
  uint64_t used() const;
  uint64_t total() const { return view_.bytes; }
  const MemoryView& view() const { return view_; }
  // Narrows the accessible part of an allocation to the given pieces (offset, size), for loaded segments.
  void restrict_to(uint64_t address, const std::vector<HostRange>& pieces);
  // A variable inside an allocation: find() answers with it rather than with the whole.
  void name_part(uint64_t address, uint64_t size);

 private:
  void mark(uint64_t address, uint64_t size, bool on);
  uint64_t fit(uint64_t from, uint64_t extent, uint64_t alignment) const;

  mutable std::mutex mutex_;
  MemoryView view_;
  uint16_t* valid_ = nullptr;
  uint64_t table_bytes_ = 0;
  uint64_t used_ = 0;
  uint64_t next_ = 0, since_turn_ = 0;           // where the next search begins, bytes allocated since it last began anew
  std::map<uint64_t, uint64_t> live_;            // address -> exact size
  std::map<uint64_t, uint64_t> free_;            // address -> extent
  std::map<uint64_t, uint64_t> freed_;           // the latest that were released, as long as nothing else is there
  std::map<uint64_t, uint64_t> parts_;           // variables inside loaded images
  std::vector<HostRange> host_;                  // sorted by base
  std::atomic<uint64_t> host_version_{0};
};

}  // namespace cassc::emu
