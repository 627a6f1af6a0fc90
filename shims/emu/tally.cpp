#include "tally.h"

#include <algorithm>
#include <cstring>

namespace cassc::emu {
namespace {

bool begins(const char* name, const char* with) { return !std::strncmp(name, with, std::strlen(with)); }
bool has(const char* name, const char* part) { return std::strstr(name, part) != nullptr; }

u32 count(u32 x) { return u32(__builtin_popcount(x)); }

// Different values among n sorted ones.
u32 different(u64* values, u32 n) {
  std::sort(values, values + n);
  return u32(std::unique(values, values + n) - values);
}

}  // namespace

Kind kind_of(const Op& op) {
  const char* n = op.name;
  if (begins(n, "v_")) {
    if (has(n, "wmma") || has(n, "swmmac")) return Kind::matrix;
    if (op.row && op.row->flags & TR && !has(n, "div_")) return Kind::transcendental;
    if (has(n, "readlane") || has(n, "writelane") || has(n, "permlane") || has(n, "readfirstlane") || op.dpp_kind) return Kind::cross_lane;
    return has(n, "f64") ? Kind::valu64 : Kind::valu;
  }
  if (begins(n, "ds_")) {
    return has(n, "permute") || has(n, "swizzle") ? Kind::cross_lane : Kind::lds;
  }
  if (begins(n, "scratch_")) return Kind::scratch;
  if (begins(n, "global_") || begins(n, "flat_") || begins(n, "buffer_") || begins(n, "tbuffer_") || begins(n, "image_")) {
    return has(n, "_inv") ? Kind::wait : has(n, "atomic") ? Kind::atomic : has(n, "store") ? Kind::store : Kind::load;
  }
  if (begins(n, "s_load") || begins(n, "s_buffer_load")) return Kind::scalar_load;
  if (begins(n, "s_branch") || begins(n, "s_cbranch") || has(n, "setpc") || has(n, "swappc") || begins(n, "s_call")) return Kind::branch;
  if (begins(n, "s_barrier")) return Kind::barrier;
  if (begins(n, "s_wait") || begins(n, "s_nop") || begins(n, "s_delay") || begins(n, "s_clause") || begins(n, "s_sleep") || has(n, "_inv")) return Kind::wait;
  return begins(n, "s_") ? Kind::salu : Kind::other;
}

const char* kind_name(Kind kind) {
  static constexpr const char* kNames[] = {"valu", "valu_f64", "transcendental", "matrix", "cross_lane", "salu", "scalar_load", "branch",
                                           "barrier", "wait", "lds", "load", "store", "atomic", "scratch", "other"};
  return kNames[u32(kind)];
}

void Tally::memory(const Wave& w, const u64* at, u32 live, u32 size, Access access) {
  const u64 lds = reinterpret_cast<u64>(w.group->lds), scratch_base = reinterpret_cast<u64>(w.scratch);
  u64 words[kLanes * 4], pieces[2 * kLanes];
  u32 n = 0, in_lds = 0, in_scratch = 0, rest = 0;
  for (u32 l = 0; l < kLanes; ++l) {
    if (!(live >> l & 1)) continue;
    if (at[l] - lds < w.group->lds_size) {
      ++in_lds;
      for (u64 word = (at[l] - lds) / 4; word <= (at[l] - lds + size - 1) / 4 && n < kLanes * 4; ++word) words[n++] = word;
    } else if (at[l] - scratch_base < u64(w.scratch_size) * kLanes) {
      ++in_scratch;
    } else {
      pieces[rest++] = at[l] / 32;
      if ((at[l] + size - 1) / 32 != at[l] / 32) pieces[rest++] = at[l] / 32 + 1;
    }
  }
  if (in_lds) {
    ++lds_accesses;
    lds_lanes += in_lds;
    lds_bytes += u64(in_lds) * size;
    // 32 banks of a dword; lanes that use the same dword share it.
    n = different(words, n);
    u32 banks[32] = {}, most = 0;
    for (u32 i = 0; i < n; ++i) most = std::max(most, ++banks[words[i] % 32]);
    const u32 least = (n + 31) / 32;
    lds_cycles += most;
    lds_conflicts += most - least;
  }
  if (in_scratch) {
    // The hardware lays a dword of all lanes side by side.
    ++scratch.accesses;
    scratch.lanes += in_scratch;
    scratch.bytes += u64(in_scratch) * size;
    scratch.lines += (size + 3) / 4;
    scratch.sectors += u64((size + 3) / 4) * ((in_scratch + 7) / 8);
  }
  if (rest) {
    Traffic& t = access == Access::read ? loads : access == Access::write ? stores : atomics;
    const u32 lanes = count(live) - in_lds - in_scratch;
    ++t.accesses;
    t.lanes += lanes;
    t.bytes += u64(lanes) * size;
    const u32 sectors = different(pieces, rest);
    t.sectors += sectors;
    for (u32 i = 0; i < sectors; ++i) pieces[i] /= 4;
    t.lines += different(pieces, sectors);
  }
}

}  // namespace cassc::emu
