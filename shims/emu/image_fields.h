// What the decoder and the image handlers share: addresses of an image instruction.
#pragma once
#include "machine.h"

namespace cassc::emu {

enum ImageFlag : u32 {
  kMip = 1u << 8,            // a level comes behind the coordinates
  kPacked = 1u << 9,         // texels as they lie in memory
  kSampler = 1u << 10,       // coordinates are floats, and there is a sampler
  kOffset = 1u << 11,        // addresses before the coordinates, in this order
  kBias = 1u << 12,
  kCompare = 1u << 13,
  kGradients = 1u << 14,
  kHalfGradients = 1u << 15,
  kLod = 1u << 16,           // ... and behind them
  kClamp = 1u << 17,
  kLevelZero = 1u << 18,          // level 0
  kGather = 1u << 19,
  kRefused = 1u << 20,       // has a name only
};

enum class ImageDim : u32 { d1, d2, d3, cube, d1_array, d2_array, msaa, msaa_array };

// The fields of an image instruction, in Op::dpp; register numbers of the second to fifth address are in Op::imm.
struct ImageFields {
  u32 dim, dmask, separate, unnormalized, short_addresses, short_data, status;  // separate: registers that are named one by one
  static u32 pack(u32 dim, u32 dmask, u32 separate, bool unnormalized, bool short_addresses, bool short_data, bool status) {
    return dim | dmask << 3 | separate << 12 | u32(unnormalized) << 8 | u32(short_addresses) << 9 | u32(short_data) << 10 | u32(status) << 11;
  }
  explicit ImageFields(u32 v)
      : dim(v & 7), dmask(v >> 3 & 15), separate(v >> 12 & 7), unnormalized(v >> 8 & 1), short_addresses(v >> 9 & 1), short_data(v >> 10 & 1),
        status(v >> 11 & 1) {}
  u32 coordinates() const { return dim == 0 ? 1 : dim == 1 || dim == 4 ? 2 : dim == 7 ? 4 : 3; }
  u32 gradient_pairs() const { return dim == 0 || dim == 4 ? 1 : dim == 2 ? 3 : 2; }  // components of a derivative
  u32 components() const { return dmask ? u32(__builtin_popcount(dmask)) : 1; }
  u32 gradient_dwords(u32 flags) const {
    if (!(flags & kGradients)) return 0;
    return flags & kHalfGradients ? 2 * ((gradient_pairs() + 1) / 2) : 2 * gradient_pairs();
  }
  u32 address_dwords(u32 flags) const {
    const u32 before = u32((flags & kOffset) != 0) + u32((flags & kBias) != 0) + u32((flags & kCompare) != 0) + gradient_dwords(flags);
    const u32 body = coordinates() + u32((flags & (kLod | kClamp | kMip)) != 0);
    return before + (short_addresses ? (body + 1) / 2 : body);
  }
  u32 data_dwords(u32 flags) const {
    const u32 count = flags & kGather ? 4 : components();
    return short_data ? (count + 1) / 2 : count;
  }
};

}  // namespace cassc::emu
