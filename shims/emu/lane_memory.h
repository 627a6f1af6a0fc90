// One access of 32 lanes: addresses in each address space, bounds, formats, and the handlers made of them. Internal linkage.
#pragma once
#include <type_traits>

#include "number.h"
#include "vector.h"

namespace cassc::emu::CASSC_EMU_VARIANT {
namespace {

// True where these sources are compiled for checks and profiles.
#ifdef CASSC_EMU_OBSERVED
constexpr bool kObserved = true;
#else
constexpr bool kObserved = false;
#endif

CASSC_INLINE const Op* next(const Op* op) { return op + op->length; }
CASSC_INLINE const u32* registers(const Wave& w, u32 offset) { return reinterpret_cast<const u32*>(w.vgpr + offset); }
CASSC_INLINE u32* registers_out(const Wave& w, u32 offset) { return reinterpret_cast<u32*>(w.vgpr + offset); }

// Host addresses of the lanes of one access. Lanes with a buffer address outside the buffer are not in `live`.
struct Lanes {
  alignas(64) u64 at[kLanes];
  u32 live;
  bool unit;  // every lane is live and the addresses are consecutive
};

const Op* const kFault = nullptr;

// A lane may not access its address. True: look at the other lanes too, as the observed build names all that are wrong.
bool refused(Wave& w, const Op* op, u32 kind, u64 at, u32 size, bool write, u32 lane) {
  if constexpr (kObserved) observe_invalid(w, op, kind, at, size, write, lane);
  raise(w, op, kind, at, size, write, lane);
  return kObserved;
}

bool global_faults(Wave& w, const Op* op, const Lanes& p, u32 size, bool write, u32 align) {
  const MemoryView& memory = memory_of(w);
  bool wrong = false;
  for (u32 l = 0; l < kLanes; ++l) {
    if (!(p.live >> l & 1)) continue;
    const bool outside = !accessible(memory, p.at[l], size);
    if (!outside && !(p.at[l] & (align - 1))) continue;
    wrong = true;
    if (!refused(w, op, outside ? 1 : 2, p.at[l], size, write, l)) break;
  }
  return wrong;
}

// True when all of [first, first + 32 * size) is one valid stretch, so that no lane needs its own test.
bool span_accessible(const MemoryView& memory, u64 first, u32 size) {
  const u64 bytes = u64(size) * kLanes, offset = first - memory.base;
  if (offset >= memory.bytes || bytes > memory.bytes - offset) return false;
  const u64 begin = offset / kGranule, end = offset + bytes, last = (end - 1) / kGranule;
  for (u64 g = begin; g < last; ++g) {
    if (memory.valid[g] != kGranule) return false;
  }
  return end - last * kGranule <= memory.valid[last];
}

bool consecutive(const u64* at, u32 size) {
  u64 wrong = 0;
  const u64 first = at[0];
  for (u32 l = 0; l < kLanes; ++l) wrong |= at[l] ^ (first + u64(l) * size);
  return wrong == 0;
}

bool place_global(Wave& w, const Op* op, Lanes& p, u32 size, bool write, u32 align, u32 further = 0) {
  const i64 offset = i64(i32(op->imm)) + further;
  if (op->flags & kHasSaddr) {
    const u64 base = (u64(w.s[op->src[2] + 1]) << 32 | w.s[op->src[2]]) + u64(offset);
    if (op->flags & kHasVaddr) {
      const u32* v = registers(w, op->src[0]);
      for (u32 l = 0; l < kLanes; ++l) p.at[l] = base + v[l];
    } else {
      for (u32 l = 0; l < kLanes; ++l) p.at[l] = base + 4 * l;  // addtid
    }
  } else {
    const u32* v = registers(w, op->src[0]);
    for (u32 l = 0; l < kLanes; ++l) p.at[l] = (u64(v[l]) | u64(v[l + kLanes]) << 32) + u64(offset);
  }
  p.live = w.s[kExec];
  p.unit = false;
  if (p.live == ~0u && consecutive(p.at, size) && (p.at[0] & (align - 1)) == 0 && span_accessible(memory_of(w), p.at[0], size)) {
    p.unit = true;
    return true;
  }
  return !global_faults(w, op, p, size, write, align);
}

bool place_lds(Wave& w, const Op* op, Lanes& p, const u32* address, u32 offset, u32 size, bool write, u32 align) {
  p.live = w.s[kExec];
  p.unit = false;
  const u64 lds = reinterpret_cast<u64>(w.group->lds), limit = w.group->lds_size;
  // Addresses are 32-bit sums: a negative register with a larger offset is how compilers write `base - 4 + offset`.
  for (u32 l = 0; l < kLanes; ++l) p.at[l] = lds + u32(address[l] + offset);
  // All lanes at once first; which of them is wrong is asked only where one is.
  u32 farthest = 0, low_bits = 0;
  for (u32 l = 0; l < kLanes; ++l) {
    const u32 at = (address[l] + offset) & (0u - (p.live >> l & 1));
    farthest = at > farthest ? at : farthest;
    low_bits |= at;
  }
  if (__builtin_expect(u64(farthest) + size > limit || low_bits & (align - 1), 0)) {
    for (u32 l = 0; l < kLanes; ++l) {
      if (!(p.live >> l & 1)) continue;
      const u64 at = u32(address[l] + offset);
      const bool outside = at + size > limit;
      if (!outside && !(at & (align - 1))) continue;
      if (!refused(w, op, outside ? 3 : 2, at, size, write, l)) break;
    }
    return false;
  }
  p.unit = p.live == ~0u && consecutive(p.at, size);
  return true;
}

// A place in the lane's scratch. `wrong` collects whether any lane failed; false: stop looking.
bool place_scratch_lane(Wave& w, const Op* op, Lanes& p, u32 l, u64 offset, u32 size, bool write, u32 align, bool& wrong) {
  const bool outside = offset + size > w.scratch_size || offset + size < offset;
  if (outside || offset & (align - 1)) {
    wrong = true;
    return refused(w, op, outside ? 4 : 2, offset, size, write, l);
  }
  p.at[l] = reinterpret_cast<u64>(w.scratch) + u64(l) * w.scratch_size + offset;
  return true;
}

bool place_scratch(Wave& w, const Op* op, Lanes& p, u32 size, bool write, u32 align, u32 further = 0) {
  p.live = w.s[kExec];
  p.unit = false;
  const u32 base = (op->flags & kHasSaddr ? w.s[op->src[2]] : 0) + op->imm + further;
  const u32* v = op->flags & kHasVaddr ? registers(w, op->src[0]) : nullptr;
  bool wrong = false;
  for (u32 l = 0; l < kLanes; ++l) {
    if ((p.live >> l & 1) && !place_scratch_lane(w, op, p, l, base + (v ? v[l] : 0), size, write, align, wrong)) break;
  }
  return !wrong;
}

// Flat addresses: the two apertures lead to LDS and to the lane's scratch.
bool place_flat(Wave& w, const Op* op, Lanes& p, u32 size, bool write, u32 align) {
  const u32* v = registers(w, op->src[0]);
  const i64 offset = i32(op->imm);
  p.live = w.s[kExec];
  p.unit = false;
  const MemoryView& memory = memory_of(w);
  bool wrong = false;
  for (u32 l = 0; l < kLanes; ++l) {
    if (!(p.live >> l & 1)) continue;
    const u64 at = (u64(v[l]) | u64(v[l + kLanes]) << 32) + u64(offset);
    u32 kind = at & (align - 1) ? 2 : 0;
    if (at >> 32 == kSharedAperture >> 32) {
      if (u64(u32(at)) + size > w.group->lds_size) kind = 3;
      p.at[l] = reinterpret_cast<u64>(w.group->lds) + u32(at);
    } else if (at >> 32 == kPrivateAperture >> 32) {
      if (!place_scratch_lane(w, op, p, l, u32(at), size, write, align, wrong)) break;
      continue;
    } else {
      if (!accessible(memory, at, size)) kind = 1;
      p.at[l] = at;
    }
    if (!kind) continue;
    wrong = true;
    if (!refused(w, op, kind, kind == 3 ? u32(at) : at, size, write, l)) break;
  }
  return !wrong;
}

// A raw or structured buffer: descriptor, index, offset. Lanes outside the buffer read zero and store nothing.
bool place_buffer(Wave& w, const Op* op, Lanes& p, u32 size, bool write, u32 align) {
  const u32* d = w.s + op->src[2];
  const u64 base = u64(d[1] & 0xffff) << 32 | d[0], stride = d[1] >> 16 & 0x3fff, records = d[2];
  const u32 swizzle = d[1] >> 30 & 3, add_tid = d[3] >> 23 & 1, select = d[3] >> 28 & 3;
  // A swizzled buffer interleaves pieces of 4, 8 or 16 bytes of as many records as the index stride says.
  const u64 piece = u64(2) << swizzle, together = u64(8) << (d[3] >> 21 & 3);
  const u32* v = registers(w, op->src[0]);
  const bool indexed = op->flags & kIdxen, offset_vgpr = op->flags & kOffen;
  const u32 soffset = w.sbank[op->bank[2]][op->dpp];
  const u32 exec = w.s[kExec];
  p.live = 0;
  p.unit = false;
  for (u32 l = 0; l < kLanes; ++l) {
    p.at[l] = 0;
    if (!(exec >> l & 1)) continue;
    const u64 index = (indexed ? v[l] : 0) + (add_tid ? l : 0);
    const u64 offset = u64(op->imm) + (offset_vgpr ? v[(indexed ? kLanes : 0) + l] : 0);
    const u64 linear = soffset + (swizzle ? (index / together * stride + offset / piece * piece) * together + index % together * piece + offset % piece
                                          : stride * index + offset);
    const bool outside = select == 2 ? records == 0
                         : select == 3 || !stride ? offset + soffset * (select != 3) + (stride && select == 3 ? stride * index : 0) + size > records
                         : select == 0 ? index >= records || offset + size > stride
                                       : index >= records;
    if (outside) continue;
    p.live |= 1u << l;
    p.at[l] = base + linear;
  }
  return !global_faults(w, op, p, size, write, align);
}

bool place(Wave& w, const Op* op, Lanes& p, u32 size, bool write, u32 align) {
  switch (op->segment) {
    case Segment::flat: return place_flat(w, op, p, size, write, align);
    case Segment::scratch: return place_scratch(w, op, p, size, write, align);
    case Segment::global: return place_global(w, op, p, size, write, align);
    case Segment::lds: return place_lds(w, op, p, registers(w, op->src[0]), op->imm, size, write, align);
    default: return place_buffer(w, op, p, size, write, align);
  }
}

// What a plain access is held to. LLVM without unaligned access joins neighbours into wider accesses that are aligned for LDS,
// and elsewhere to a dword only.
template <u32 kSize>
u32 alignment_of(const Wave& w, Segment segment) {
  constexpr u32 natural = kSize == 12 ? 4 : kSize;
  const u32 strictest = segment == Segment::lds ? natural : natural < 4 ? natural : 4;
  return strictest < w.alignment ? strictest : w.alignment;
}

// --- formats: how a datum in memory and its registers correspond

template <class T>
CASSC_INLINE T peek(u64 at) {
  T v;
  __builtin_memcpy(&v, reinterpret_cast<const void*>(at), sizeof v);
  return v;
}
template <class T>
CASSC_INLINE void poke(u64 at, T v) { __builtin_memcpy(reinterpret_cast<void*>(at), &v, sizeof v); }

template <u32 kCount>
struct dwords {
  static constexpr u32 size = 4 * kCount, count = kCount;
  // Pairs move as one: other threads see all of an aligned 64-bit store or nothing.
  CASSC_INLINE void load(u32* d, u32 l, u64 at) {
    for (u32 i = 0; i + 1 < kCount; i += 2) {
      const u64 v = peek<u64>(at + 4 * i);
      d[i * kLanes + l] = u32(v);
      d[(i + 1) * kLanes + l] = u32(v >> 32);
    }
    if (kCount & 1) d[(kCount - 1) * kLanes + l] = peek<u32>(at + 4 * (kCount - 1));
  }
  CASSC_INLINE void store(const u32* d, u32 l, u64 at) {
    for (u32 i = 0; i + 1 < kCount; i += 2) poke<u64>(at + 4 * i, d[i * kLanes + l] | u64(d[(i + 1) * kLanes + l]) << 32);
    if (kCount & 1) poke<u32>(at + 4 * (kCount - 1), d[(kCount - 1) * kLanes + l]);
  }
};
template <class T, u32 kKeep, u32 kShift>
struct small {
  static constexpr u32 size = sizeof(T), count = 1;
  CASSC_INLINE void load(u32* d, u32 l, u64 at) {
    const u32 v = u32(i32(peek<T>(at)));
    d[l] = kKeep == 0 ? v : (d[l] & kKeep) | (v & 0xffffu) << kShift;
  }
  CASSC_INLINE void store(const u32* d, u32 l, u64 at) { poke<T>(at, T(d[l] >> kShift)); }
};
using byte = small<u8, 0, 0>;
using sbyte = small<i8, 0, 0>;
using word = small<u16, 0, 0>;
using sword = small<i16, 0, 0>;
using byte_low = small<u8, 0xffff0000u, 0>;
using sbyte_low = small<i8, 0xffff0000u, 0>;
using word_low = small<u16, 0xffff0000u, 0>;
using byte_high = small<u8, 0xffffu, 16>;
using sbyte_high = small<i8, 0xffffu, 16>;
using word_high = small<u16, 0xffffu, 16>;

template <class F>
const Op* load(Wave& w, const Op* op) {
  const u32 exec = w.s[kExec];
  if (exec == 0) return next(op);
  Lanes p;
  if (!place(w, op, p, F::size, false, alignment_of<F::size>(w, op->segment))) return kFault;
  if constexpr (kObserved) observe_access(w, op, p.at, p.live, F::size, Access::read, 0);
  u32* d = registers_out(w, op->dst);
  if (p.unit) {
    if constexpr (F::count == 1 && F::size == 4) {
      __builtin_memcpy(d, reinterpret_cast<const void*>(p.at[0]), 4 * kLanes);
    } else {
      for (u32 l = 0; l < kLanes; ++l) F::load(d, l, p.at[0] + u64(l) * F::size);
    }
    return next(op);
  }
  if (p.live == ~0u) {
    for (u32 l = 0; l < kLanes; ++l) F::load(d, l, p.at[l]);
    return next(op);
  }
  for (u32 l = 0; l < kLanes; ++l) {
    if (p.live >> l & 1) {
      F::load(d, l, p.at[l]);
    } else if (exec >> l & 1) {  // outside a buffer
      const u32 zero[4] = {};
      u64 at = reinterpret_cast<u64>(zero);
      F::load(d, l, at);
    }
  }
  return next(op);
}

// Lanes whose store will change what is in memory.
template <class F>
u32 changed_lanes(const Lanes& p, const u32* d) {
  u32 changed = 0;
  for (u32 l = 0; l < kLanes; ++l) {
    if (!(p.live >> l & 1)) continue;
    u8 fresh[16];
    F::store(d, l, reinterpret_cast<u64>(fresh));
    changed |= u32(__builtin_memcmp(fresh, reinterpret_cast<const void*>(p.at[l]), F::size) != 0) << l;
  }
  return changed;
}

template <class F>
const Op* store(Wave& w, const Op* op) {
  if (w.s[kExec] == 0) return next(op);
  Lanes p;
  if (!place(w, op, p, F::size, true, alignment_of<F::size>(w, op->segment))) return kFault;
  const u32* d = registers(w, op->src[1]);
  if constexpr (kObserved) {
    observe_access(w, op, p.at, p.live, F::size, Access::write, changed_lanes<F>(p, d));
  }
  if (p.unit && F::count == 1 && F::size == 4) {
    __builtin_memcpy(reinterpret_cast<void*>(p.at[0]), d, 4 * kLanes);
    return next(op);
  }
  for (u32 l = 0; l < kLanes; ++l) {
    if (p.live >> l & 1) F::store(d, l, p.at[l]);
  }
  return next(op);
}

// --- atomics: lanes in order, each whole before the next

// One lane's read, change, write. Other threads may change global memory at the same time, never a workgroup's LDS.
template <class R>
CASSC_INLINE typename R::T change(u64 at, typename R::T a, typename R::T b, bool alone) {
  using T = typename R::T;
  using Bits = std::conditional_t<sizeof(T) == 8, u64, u32>;
  Bits* const place = reinterpret_cast<Bits*>(at);
  Bits seen = __atomic_load_n(place, __ATOMIC_RELAXED);
  for (;;) {
    const T old = __builtin_bit_cast(T, seen);
    T r = old;
    R::eval(r, old, a, b);
    const Bits wanted = __builtin_bit_cast(Bits, r);
    if (alone) {
      *place = wanted;
      return old;
    }
    if (__atomic_compare_exchange_n(place, &seen, wanted, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) return old;
  }
}

template <class T>
CASSC_INLINE T operand(const u32* d, u32 l, u32 index) {
  if constexpr (sizeof(T) == 8) {
    return __builtin_bit_cast(T, u64(d[2 * index * kLanes + l]) | u64(d[(2 * index + 1) * kLanes + l]) << 32);
  } else {
    return __builtin_bit_cast(T, d[index * kLanes + l]);
  }
}

template <class R, bool (*kPlace)(Wave&, const Op*, Lanes&, u32 size, bool write)>
const Op* atomic_at(Wave& w, const Op* op) {
  using T = typename R::T;
  const u32 exec = w.s[kExec];
  if (exec == 0) return next(op);
  Lanes p;
  if (!kPlace(w, op, p, sizeof(T), true)) return kFault;
  if constexpr (kObserved) observe_access(w, op, p.at, p.live, sizeof(T), Access::atomic, ~0u);
  const u32* data = registers(w, op->src[1]);
  // DS keeps the second operand in its own register, the others behind the first.
  const u32* second = op->segment == Segment::lds ? registers(w, op->src[2]) : data + sizeof(T) / 4 * kLanes;
  u32* d = registers_out(w, op->dst);
  for (u32 l = 0; l < kLanes; ++l) {
    if (!(exec >> l & 1)) continue;
    T old{};
    if (p.live >> l & 1) {
      old = change<R>(p.at[l], operand<T>(data, l, 0), R::operands == 2 ? operand<T>(second, l, 0) : T{}, op->segment == Segment::lds);
    }
    if (op->flags & kReturn) {
      if constexpr (sizeof(T) == 8) {
        const u64 v = __builtin_bit_cast(u64, old);
        d[l] = u32(v);
        d[kLanes + l] = u32(v >> 32);
      } else {
        d[l] = __builtin_bit_cast(u32, old);
      }
    }
  }
  return next(op);
}

[[maybe_unused]] bool place_atomic(Wave& w, const Op* op, Lanes& p, u32 size, bool write) { return place(w, op, p, size, write, size); }
template <class R>
const Op* atomic(Wave& w, const Op* op) { return atomic_at<R, place_atomic>(w, op); }

}  // namespace
}  // namespace cassc::emu::CASSC_EMU_VARIANT
