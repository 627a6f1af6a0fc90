#include "shadow.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace cassc::emu {

WrittenBytes::WrittenBytes(u64 base, u64 size) : base_(base), size_(size) {
  if (!size) return;
  // Pages of it appear when they are used, as the memory's own do.
  void* p = mmap(nullptr, size / 8 + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) throw std::bad_alloc();
  bits_ = static_cast<u8*>(p);
}

WrittenBytes::~WrittenBytes() {
  if (bits_) munmap(bits_, size_ / 8 + 1);
}

WrittenBytes::WrittenBytes(WrittenBytes&& other) noexcept
    : base_(other.base_), size_(std::exchange(other.size_, 0)), bits_(std::exchange(other.bits_, nullptr)) {}

WrittenBytes& WrittenBytes::operator=(WrittenBytes&& other) noexcept {
  std::swap(base_, other.base_);
  std::swap(size_, other.size_);
  std::swap(bits_, other.bits_);
  return *this;
}

void WrittenBytes::set(u64 address, u64 size, bool written) {
  if (!bits_) return;
  const u64 begin = std::max(address, base_) - base_, end = std::min(address + size, base_ + size_) - base_;
  if (address + size <= base_ || begin >= end || begin >= size_) return;
  u64 at = begin;
  const auto put = [&](u64 i) { bits_[i / 8] = u8(written ? bits_[i / 8] | 1u << (i % 8) : bits_[i / 8] & ~(1u << (i % 8))); };
  for (; at < end && at % 8; ++at) put(at);
  const u64 whole = (end - at) / 8;
  std::memset(bits_ + at / 8, written ? 0xff : 0, whole);
  for (at += whole * 8; at < end; ++at) put(at);
}

bool WrittenBytes::all(u64 address, u32 size) const {
  for (u32 i = 0; i < size; ++i) {
    const u64 at = address + i - base_;
    if (at < size_ && !(bits_[at / 8] >> (at % 8) & 1)) return false;
  }
  return true;
}

}  // namespace cassc::emu
