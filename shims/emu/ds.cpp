// DS rows: the workgroup's memory, and permutations of lanes that go through its network.
#include "lane_memory.h"
#include "vector.h"

namespace cassc::emu::CASSC_EMU_VARIANT {
namespace {

enum class Pair { load, store, exchange };

template <u32 kCount, u32 kStride, Pair kPair>
const Op* two(Wave& w, const Op* op) {
  if (w.s[kExec] == 0) return next(op);
  const u32* address = registers(w, op->src[0]);
  Lanes p[2];
  constexpr u32 size = 4 * kCount;
  for (int k = 0; k < 2; ++k) {
    const u32 offset = (k ? op->imm >> 8 : op->imm & 255) * kStride;
    if (!place_lds(w, op, p[k], address, offset, size, kPair != Pair::load, alignment_of<size>(w, Segment::lds))) return kFault;
  }
  if constexpr (kObserved) {
    for (int k = 0; k < 2; ++k) {
      const u32 changed = kPair == Pair::store ? changed_lanes<dwords<kCount>>(p[k], registers(w, op->src[1 + k])) : ~0u;
      observe_access(w, op, p[k].at, p[k].live, size, kPair == Pair::load ? Access::read : kPair == Pair::store ? Access::write : Access::atomic,
                     changed);
    }
  }
  alignas(64) u32 r[2][kCount * kLanes];
  if constexpr (kPair != Pair::store) {
    for (int k = 0; k < 2; ++k) {
      for (u32 l = 0; l < kLanes; ++l) {
        if (p[k].live >> l & 1) dwords<kCount>::load(r[k], l, p[k].at[l]);
      }
    }
  }
  if constexpr (kPair != Pair::load) {
    for (int k = 0; k < 2; ++k) {
      const u32* d = registers(w, op->src[1 + k]);
      for (u32 l = 0; l < kLanes; ++l) {
        if (p[k].live >> l & 1) dwords<kCount>::store(d, l, p[k].at[l]);
      }
    }
  }
  if constexpr (kPair != Pair::store) {
    u32* d = registers_out(w, op->dst);
    for (int k = 0; k < 2; ++k) {
      for (u32 i = 0; i < kCount; ++i) {
        for (u32 l = 0; l < kLanes; ++l) {
          if (p[k].live >> l & 1) d[(u32(k) * kCount + i) * kLanes + l] = r[k][i * kLanes + l];
        }
      }
    }
  }
  return next(op);
}

const Op* nop(Wave&, const Op* op) { return next(op); }

void write_lanes(Wave& w, const Op* op, const u32* r) {
  u32* d = registers_out(w, op->dst);
  const u32 exec = w.s[kExec];
  for (u32 l = 0; l < kLanes; ++l) d[l] = exec >> l & 1 ? r[l] : d[l];
}

const Op* swizzle(Wave& w, const Op* op) {
  const u32* v = registers(w, op->src[0]);
  const u32 exec = w.s[kExec], control = op->imm;
  alignas(64) u32 r[kLanes];
  for (u32 l = 0; l < kLanes; ++l) {
    u32 from;
    if (control >= 0xe000) {  // FFT
      const u32 mask = control & 31;
      from = (reversed(l) >> 27 >> ones(mask)) | (l & mask);
    } else if (control >= 0xc000) {  // rotation inside groups
      const u32 mask = control & 31, turn = control >> 5 & 31, by = control >> 10 & 1 ? 0 - turn : turn;
      from = (l & mask) | ((l + by) & ~mask & 31);
    } else if (control & 0x8000) {  // permutation inside groups of four
      from = (l & 28) | (control >> (2 * (l & 3)) & 3);
    } else {  // and, or, xor inside 32 lanes
      from = ((l & control) | (control >> 5 & 31)) ^ (control >> 10 & 31);
    }
    from &= 31;
    r[l] = exec >> from & 1 ? v[from] : 0;
  }
  write_lanes(w, op, r);
  return next(op);
}

const Op* permute(Wave& w, const Op* op) {
  const u32* address = registers(w, op->src[0]);
  const u32* data = registers(w, op->src[1]);
  const u32 exec = w.s[kExec];
  alignas(64) u32 r[kLanes] = {};
  for (u32 l = 0; l < kLanes; ++l) {
    if (exec >> l & 1) r[(address[l] + op->imm) / 4 % kLanes] = data[l];
  }
  write_lanes(w, op, r);
  return next(op);
}

const Op* bpermute(Wave& w, const Op* op) {
  const u32* address = registers(w, op->src[0]);
  const u32* data = registers(w, op->src[1]);
  const u32 exec = w.s[kExec];
  alignas(64) u32 r[kLanes];
  for (u32 l = 0; l < kLanes; ++l) {
    const u32 from = (address[l] + op->imm) / 4 % kLanes;
    r[l] = exec >> from & 1 ? data[from] : 0;
  }
  write_lanes(w, op, r);
  return next(op);
}

u8* uniform_lds(Wave& w, const Op* op, u32 address, u32 size, bool write) {
  if (u64(address) + size > w.group->lds_size) {
    refused(w, op, 3, address, size, write, 0);
    return nullptr;
  }
  u8* const place = w.group->lds + address;
  if constexpr (kObserved) {
    const u64 at = reinterpret_cast<u64>(place);
    observe_access(w, op, &at, 1, size, Access::atomic, 1);
  }
  return place;
}

const Op* append(Wave& w, const Op* op) {
  const u32 count = ones(w.s[kExec]);
  u8* p = uniform_lds(w, op, (w.s[kM0] >> 16) + op->imm, 4, true);
  if (!p) return kFault;
  const u32 old = peek<u32>(reinterpret_cast<u64>(p));
  poke<u32>(reinterpret_cast<u64>(p), op->memory->flags & RTN ? old - count : old + count);
  alignas(64) u32 r[kLanes];
  for (u32& v : r) v = old;
  write_lanes(w, op, r);
  return next(op);
}

bool place_addtid(Wave& w, const Op* op, Lanes& p, bool write) {
  alignas(64) u32 address[kLanes];
  for (u32 l = 0; l < kLanes; ++l) address[l] = (w.s[kM0] & 0xffff) + 4 * l;
  return place_lds(w, op, p, address, op->imm, 4, write, 1);
}
const Op* store_addtid(Wave& w, const Op* op) {
  Lanes p;
  if (!place_addtid(w, op, p, true)) return kFault;
  const u32* d = registers(w, op->src[1]);
  if constexpr (kObserved) observe_access(w, op, p.at, p.live, 4, Access::write, changed_lanes<dwords<1>>(p, d));
  for (u32 l = 0; l < kLanes; ++l) if (p.live >> l & 1) poke<u32>(p.at[l], d[l]);
  return next(op);
}
const Op* load_addtid(Wave& w, const Op* op) {
  Lanes p;
  if (!place_addtid(w, op, p, false)) return kFault;
  if constexpr (kObserved) observe_access(w, op, p.at, p.live, 4, Access::read, 0);
  u32* d = registers_out(w, op->dst);
  for (u32 l = 0; l < kLanes; ++l) if (p.live >> l & 1) d[l] = peek<u32>(p.at[l]);
  return next(op);
}

const Op* condxchg(Wave& w, const Op* op) {
  const u32* address = registers(w, op->src[0]);
  const u32* data = registers(w, op->src[1]);
  u32* d = registers_out(w, op->dst);
  for (u32 l = 0; l < kLanes; ++l) {
    if (!(w.s[kExec] >> l & 1)) continue;
    u8* p = uniform_lds(w, op, (address[l] + op->imm) & 0xfff8u, 8, true);
    if (!p) return kFault;
    const u64 at = reinterpret_cast<u64>(p);
    const u32 a = data[l], b = data[kLanes + l], old_a = peek<u32>(at), old_b = peek<u32>(at + 4);
    if (a >> 31) poke<u32>(at, a & 0x7fffffffu);
    if (b >> 31) poke<u32>(at + 4, b & 0x7fffffffu);
    d[l] = old_a;
    d[kLanes + l] = old_b;
  }
  return next(op);
}

#define LOAD(n, suffix, format)
#define STORE(n, suffix, format)
#define TWO(n, suffix, count, stride, pair)
#define DSX(n, suffix, result, data, flags, handler)
#define ATOMIC(n, what, suffix, type, count, ...)                                                                        \
  struct ds_##what##_##suffix { using T = type; static constexpr int operands = count;                                   \
    CASSC_INLINE void eval(T& r, [[maybe_unused]] T old, T a, [[maybe_unused]] T b) { __VA_ARGS__; } };
#define ATOMIC_N(n, suffix, type, count, returns, ...)                                                                   \
  struct ds_##suffix { using T = type; static constexpr int operands = count;                                            \
    CASSC_INLINE void eval(T& r, [[maybe_unused]] T old, T a, [[maybe_unused]] T b) { __VA_ARGS__; } };
#include "isa/ds.def"
#undef LOAD
#undef STORE
#undef TWO
#undef DSX
#undef ATOMIC
#undef ATOMIC_N

}  // namespace

void enter_ds(Tables& t) {
#define LOAD(n, suffix, format) t.ds[n] = {"ds_" #suffix, &load<format>, u8(format::count), 0, 0, LD};
#define STORE(n, suffix, format) t.ds[n] = {"ds_" #suffix, &store<format>, 0, u8(format::count), 0, ST};
#define TWO(n, suffix, count, stride, pair)                                                                              \
  t.ds[n] = {"ds_" #suffix, &two<count, stride, Pair::pair>, u8(Pair::pair == Pair::store ? 0 : 2 * count),              \
             u8(Pair::pair == Pair::load ? 0 : count), u8(Pair::pair == Pair::load ? 0 : count), kTwoAddresses};
#define DSX(n, suffix, result, data, flags, handler) t.ds[n] = {"ds_" #suffix, &handler, result, data, 0, flags};
#define ATOMIC(n, what, suffix, type, count, ...)                                                                        \
  t.ds[n] = {"ds_" #what "_" #suffix, &atomic<ds_##what##_##suffix>, 0, sizeof(type) / 4, u8(count == 2 ? sizeof(type) / 4 : 0), AT}; \
  t.ds[n + 0x20] = {"ds_" #what "_rtn_" #suffix, &atomic<ds_##what##_##suffix>, sizeof(type) / 4, sizeof(type) / 4,       \
                    u8(count == 2 ? sizeof(type) / 4 : 0), AT};
#define ATOMIC_N(n, suffix, type, count, returns, ...)                                                                   \
  t.ds[n] = {"ds_" #suffix, &atomic<ds_##suffix>, u8(returns ? sizeof(type) / 4 : 0), sizeof(type) / 4,                   \
             u8(count == 2 ? sizeof(type) / 4 : 0), AT};
#include "isa/ds.def"
#undef LOAD
#undef STORE
#undef TWO
#undef DSX
#undef ATOMIC
#undef ATOMIC_N
  t.ds[0x3d].flags |= RTN;  // consume subtracts
}

}  // namespace cassc::emu::CASSC_EMU_VARIANT
