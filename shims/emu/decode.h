// Machine words to operations.
#pragma once
#include <cstring>
#include <unordered_map>
#include <vector>

#include "machine.h"

namespace cassc::emu {

// Constants of the decoded code: scalars as one or two words, vectors spread over the lanes.
class Constants {
 public:
  u32 scalar(u64 value);  // index of two words
  u32 vector(u64 value);  // byte offset of two registers
  const u32* scalars() const { return scalars_.data(); }
  const u8* vectors() const { return reinterpret_cast<const u8*>(vectors_.data()); }
  // Pointers stay good as long as no more than `dwords` instructions' worth of constants are added.
  void reserve(size_t dwords);

 private:
  struct alignas(64) Spread {
    u32 lanes[2 * kLanes];
  };
  std::vector<u32> scalars_;
  std::vector<Spread> vectors_;
  std::unordered_map<u64, u32> scalar_at_, vector_at_;
};

struct DecodeLimits {
  u32 vgprs = 256;      // registers the wave owns
  i64 index = -1;       // dword index of the instruction, -1: no check of branch targets
  i64 dwords = 0;       // size of the code
  bool gfx115 = true;   // the processor has the instructions of gfx1150
};

struct Decoded {
  const char* name = nullptr;    // nullptr: `refusal` says why
  const char* refusal = nullptr;
  u32 length = 0;                // dwords
  bool ends = false;             // control never reaches the next instruction
  i64 target = -1;               // dword index of a branch target
};

// ops[0..1] receives the operation (the second slot only by VOPD).
Decoded decode(const Tables& tables, const u32* words, size_t count, const DecodeLimits& limits, Constants& constants, Op* ops);

}  // namespace cassc::emu
