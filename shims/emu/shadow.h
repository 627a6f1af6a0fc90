// One bit for each byte of a stretch of memory: has it been written?
#pragma once
#include <cstddef>

#include "machine.h"

namespace cassc::emu {

class WrittenBytes {
 public:
  WrittenBytes() = default;
  WrittenBytes(u64 base, u64 size);  // nothing is written
  ~WrittenBytes();
  WrittenBytes(WrittenBytes&& other) noexcept;
  WrittenBytes& operator=(WrittenBytes&& other) noexcept;

  bool covers(u64 address) const { return address - base_ < size_; }
  void set(u64 address, u64 size, bool written);  // what lies outside is not looked at
  bool all(u64 address, u32 size) const;          // from an address on that lies inside; else true

 private:
  bool put(u64 i, u64 mask, bool written);

  u64 base_ = 0, size_ = 0;
  u8* bits_ = nullptr;
};

}  // namespace cassc::emu
