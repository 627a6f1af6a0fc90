#include "shadow.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace cassc::emu {

constexpr u64 kSlack = 9;  // a whole word can be read at each byte

WrittenBytes::WrittenBytes(u64 base, u64 size) : base_(base), size_(size) {
  if (!size) return;
  // Pages of it appear when they are used, as the memory's own do.
  void* p = mmap(nullptr, size / 8 + kSlack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) throw std::bad_alloc();
  bits_ = static_cast<u8*>(p);
}

WrittenBytes::~WrittenBytes() {
  if (bits_) munmap(bits_, size_ / 8 + kSlack);
}

WrittenBytes::WrittenBytes(WrittenBytes&& other) noexcept
    : base_(other.base_), size_(std::exchange(other.size_, 0)), bits_(std::exchange(other.bits_, nullptr)) {}

WrittenBytes& WrittenBytes::operator=(WrittenBytes&& other) noexcept {
  std::swap(base_, other.base_);
  std::swap(size_, other.size_);
  std::swap(bits_, other.bits_);
  return *this;
}

// Visits the bits of [address, address + size) that there are, up to 56 at once: place in the array, mask there.
template <class F>
static void each_piece(u64 at, u64 end, F&& visit) {
  constexpr u64 kMost = 56;  // and at most seven bits before them
  while (at < end) {
    const u64 n = std::min(end - at, kMost);
    if (!visit(at / 8, ((u64(1) << n) - 1) << (at % 8))) return;
    at += n;
  }
}

void WrittenBytes::set(u64 address, u64 size, bool written) {
  if (!bits_) return;
  const u64 begin = std::max(address, base_) - base_, end = std::min(address + size, base_ + size_) - base_;
  if (address + size <= base_ || begin >= end || begin >= size_) return;
  constexpr u64 kFew = 4096;
  u64 at = begin;
  if (end - begin > kFew) {
    each_piece(at, (at + 7) / 8 * 8, [&](u64 i, u64 mask) { return put(i, mask, written); });
    at = (at + 7) / 8 * 8;
    std::memset(bits_ + at / 8, written ? 0xff : 0, (end - at) / 8);
    at = end / 8 * 8;
  }
  each_piece(at, end, [&](u64 i, u64 mask) { return put(i, mask, written); });
}

bool WrittenBytes::put(u64 i, u64 mask, bool written) {
  u64 word;
  std::memcpy(&word, bits_ + i, sizeof word);
  word = written ? word | mask : word & ~mask;
  std::memcpy(bits_ + i, &word, sizeof word);
  return true;
}

bool WrittenBytes::all(u64 address, u32 size) const {
  const u64 at = address - base_;
  if (at >= size_) return true;
  bool every = true;
  each_piece(at, std::min(at + size, size_), [&](u64 i, u64 mask) {
    u64 word;
    std::memcpy(&word, bits_ + i, sizeof word);
    every = (word & mask) == mask;
    return every;
  });
  return every;
}

}  // namespace cassc::emu
