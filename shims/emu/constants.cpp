// Constants of decoded code, each kept once.
#include "decode.h"

namespace cassc::emu {

u32 Constants::scalar(u64 value) {
  const auto [it, fresh] = scalar_at_.try_emplace(value, u32(scalars_.size()));
  if (fresh) {
    scalars_.push_back(u32(value));
    scalars_.push_back(u32(value >> 32));
  }
  return it->second;
}

u32 Constants::vector(u64 value) {
  const auto [it, fresh] = vector_at_.try_emplace(value, u32(vectors_.size() * sizeof(Spread)));
  if (fresh) {
    Spread spread;
    for (u32 l = 0; l < kLanes; ++l) {
      spread.lanes[l] = u32(value);
      spread.lanes[kLanes + l] = u32(value >> 32);
    }
    vectors_.push_back(spread);
  }
  return it->second;
}

void Constants::reserve(size_t dwords) {
  // An instruction of n dwords has at most n constants.
  scalars_.reserve(2 * dwords + 64);
  vectors_.reserve(dwords + 32);
}

}  // namespace cassc::emu
