// FLAT, GLOBAL, SCRATCH, MUBUF and DS: addresses of the lanes, bounds, then one host access for each lane.
#include "number.h"
#include "vector.h"

namespace cassc::emu::CASSC_EMU_VARIANT {
namespace {

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

bool global_faults(Wave& w, const Op* op, const Lanes& p, u32 size, bool write, u32 align) {
  const MemoryView& memory = memory_of(w);
  for (u32 l = 0; l < kLanes; ++l) {
    if (!(p.live >> l & 1)) continue;
    if (!accessible(memory, p.at[l], size)) {
      raise(w, op, 1, p.at[l], size, write, l);
      return true;
    }
    if (p.at[l] & (align - 1)) {
      raise(w, op, 2, p.at[l], size, write, l);
      return true;
    }
  }
  return false;
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

bool place_global(Wave& w, const Op* op, Lanes& p, u32 size, bool write, u32 align) {
  const i64 offset = i32(op->imm);
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
  if (p.live == ~0u && consecutive(p.at, size) && span_accessible(memory_of(w), p.at[0], size) && align == 1) {
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
  for (u32 l = 0; l < kLanes; ++l) {
    if (!(p.live >> l & 1)) continue;
    const u64 at = u32(address[l] + offset);
    if (at + size > limit) {
      raise(w, op, 3, at, size, write, l);
      return false;
    }
    if (at & (align - 1)) {
      raise(w, op, 2, at, size, write, l);
      return false;
    }
  }
  p.unit = p.live == ~0u && consecutive(p.at, size);
  return true;
}

bool place_scratch_lane(Wave& w, const Op* op, Lanes& p, u32 l, u64 offset, u32 size, bool write) {
  if (offset + size > w.scratch_size || offset + size < offset) {
    raise(w, op, 4, offset, size, write, l);
    return false;
  }
  p.at[l] = reinterpret_cast<u64>(w.scratch) + u64(l) * w.scratch_size + offset;
  return true;
}

bool place_scratch(Wave& w, const Op* op, Lanes& p, u32 size, bool write) {
  p.live = w.s[kExec];
  p.unit = false;
  const u32 base = (op->flags & kHasSaddr ? w.s[op->src[2]] : 0) + op->imm;
  const u32* v = op->flags & kHasVaddr ? registers(w, op->src[0]) : nullptr;
  for (u32 l = 0; l < kLanes; ++l) {
    if ((p.live >> l & 1) && !place_scratch_lane(w, op, p, l, base + (v ? v[l] : 0), size, write)) return false;
  }
  return true;
}

// Flat addresses: the two apertures lead to LDS and to the lane's scratch.
bool place_flat(Wave& w, const Op* op, Lanes& p, u32 size, bool write, u32 align) {
  const u32* v = registers(w, op->src[0]);
  const i64 offset = i32(op->imm);
  p.live = w.s[kExec];
  p.unit = false;
  const MemoryView& memory = memory_of(w);
  for (u32 l = 0; l < kLanes; ++l) {
    if (!(p.live >> l & 1)) continue;
    const u64 at = (u64(v[l]) | u64(v[l + kLanes]) << 32) + u64(offset);
    p.at[l] = at;
    if (at & (align - 1)) {
      raise(w, op, 2, at, size, write, l);
      return false;
    }
    if (at >> 32 == kSharedAperture >> 32) {
      if (u64(u32(at)) + size > w.group->lds_size) {
        raise(w, op, 3, u32(at), size, write, l);
        return false;
      }
      p.at[l] = reinterpret_cast<u64>(w.group->lds) + u32(at);
    } else if (at >> 32 == kPrivateAperture >> 32) {
      if (!place_scratch_lane(w, op, p, l, u32(at), size, write)) return false;
    } else if (!accessible(memory, at, size)) {
      raise(w, op, 1, at, size, write, l);
      return false;
    }
  }
  return true;
}

// A raw or structured buffer: descriptor, index, offset. Lanes outside the buffer read zero and store nothing.
bool place_buffer(Wave& w, const Op* op, Lanes& p, u32 size, bool write, u32 align) {
  const u32* d = w.s + op->src[2];
  const u64 base = u64(d[1] & 0xffff) << 32 | d[0], stride = d[1] >> 16 & 0x3fff, records = d[2];
  const u32 swizzle = d[1] >> 30 & 3, add_tid = d[3] >> 23 & 1, select = d[3] >> 28 & 3;
  if (swizzle) {
    raise(w, op, 5, 0, 0, false, 0, "swizzled buffer");
    return false;
  }
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
    const u64 linear = stride * index + offset + soffset;
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

bool place(Wave& w, const Op* op, Lanes& p, u32 size, bool write, u32 align = 1) {
  switch (op->segment) {
    case Segment::flat: return place_flat(w, op, p, size, write, align);
    case Segment::scratch: return place_scratch(w, op, p, size, write);
    case Segment::global: return place_global(w, op, p, size, write, align);
    case Segment::lds: return place_lds(w, op, p, registers(w, op->src[0]), op->imm, size, write, align);
    default: return place_buffer(w, op, p, size, write, align);
  }
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
  CASSC_INLINE void load(u32* d, u32 l, u64 at) {
    for (u32 i = 0; i < kCount; ++i) d[i * kLanes + l] = peek<u32>(at + 4 * i);
  }
  CASSC_INLINE void store(const u32* d, u32 l, u64 at) {
    for (u32 i = 0; i < kCount; ++i) poke<u32>(at + 4 * i, d[i * kLanes + l]);
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
  if (!place(w, op, p, F::size, false)) return kFault;
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

template <class F>
const Op* store(Wave& w, const Op* op) {
  if (w.s[kExec] == 0) return next(op);
  Lanes p;
  if (!place(w, op, p, F::size, true)) return kFault;
  const u32* d = registers(w, op->src[1]);
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

template <class T>
CASSC_INLINE T operand(const u32* d, u32 l, u32 index) {
  if constexpr (sizeof(T) == 8) {
    return __builtin_bit_cast(T, u64(d[2 * index * kLanes + l]) | u64(d[(2 * index + 1) * kLanes + l]) << 32);
  } else {
    return __builtin_bit_cast(T, d[index * kLanes + l]);
  }
}

template <class R>
const Op* atomic(Wave& w, const Op* op) {
  using T = typename R::T;
  const u32 exec = w.s[kExec];
  if (exec == 0) return next(op);
  Lanes p;
  if (!place(w, op, p, sizeof(T), true, sizeof(T))) return kFault;
  const u32* data = registers(w, op->src[1]);
  // DS keeps the second operand in its own register, the others behind the first.
  const u32* second = op->segment == Segment::lds ? registers(w, op->src[2]) : data + sizeof(T) / 4 * kLanes;
  u32* d = registers_out(w, op->dst);
  for (u32 l = 0; l < kLanes; ++l) {
    if (!(exec >> l & 1)) continue;
    T old{};
    if (p.live >> l & 1) {
      old = peek<T>(p.at[l]);
      T r = old;
      R::eval(r, old, operand<T>(data, l, 0), R::operands == 2 ? operand<T>(second, l, 0) : T{});
      poke<T>(p.at[l], r);
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

// --- DS

enum class Pair { load, store, exchange };

template <u32 kCount, u32 kStride, Pair kPair>
const Op* two(Wave& w, const Op* op) {
  if (w.s[kExec] == 0) return next(op);
  const u32* address = registers(w, op->src[0]);
  Lanes p[2];
  const u32 size = 4 * kCount;
  for (int k = 0; k < 2; ++k) {
    const u32 offset = (k ? op->imm >> 8 : op->imm & 255) * kStride;
    if (!place_lds(w, op, p[k], address, offset, size, kPair != Pair::load, 1)) return kFault;
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
    raise(w, op, 3, address, size, write, 0);
    return nullptr;
  }
  return w.group->lds + address;
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
  for (u32 l = 0; l < kLanes; ++l) if (p.live >> l & 1) poke<u32>(p.at[l], d[l]);
  return next(op);
}
const Op* load_addtid(Wave& w, const Op* op) {
  Lanes p;
  if (!place_addtid(w, op, p, false)) return kFault;
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

#define ATOMIC(n, suffix, type, count, ...)                                                                              \
  struct suffix##_atomic { using T = type; static constexpr int operands = count;                                        \
    CASSC_INLINE void eval(T& r, [[maybe_unused]] T old, T a, [[maybe_unused]] T b) { __VA_ARGS__; } };
#include "isa/atomic.def"
#undef ATOMIC
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

void enter_memory(Tables& t) {
  // The same rows under each segment's prefix.
#define LOAD(n, suffix, format)                                                                          \
  t.flat[n] = {"flat_" #suffix, &load<format>, u8(format::count), 0, 0, LD};                             \
  t.global[n] = {"global_" #suffix, &load<format>, u8(format::count), 0, 0, LD};                         \
  t.scratch[n] = {"scratch_" #suffix, &load<format>, u8(format::count), 0, 0, LD};                       \
  t.mubuf[n] = {"buffer_" #suffix, &load<format>, u8(format::count), 0, 0, LD};
#define STORE(n, suffix, format)                                                                         \
  t.flat[n] = {"flat_" #suffix, &store<format>, 0, u8(format::count), 0, ST};                            \
  t.global[n] = {"global_" #suffix, &store<format>, 0, u8(format::count), 0, ST};                        \
  t.scratch[n] = {"scratch_" #suffix, &store<format>, 0, u8(format::count), 0, ST};                      \
  t.mubuf[n] = {"buffer_" #suffix, &store<format>, 0, u8(format::count), 0, ST};
#include "isa/vmem.def"
#undef LOAD
#undef STORE
#define ATOMIC(n, suffix, type, count, ...)                                                                              \
  t.flat[n] = {"flat_atomic_" #suffix, &atomic<suffix##_atomic>, sizeof(type) / 4, count * sizeof(type) / 4, 0, AT};     \
  t.global[n] = {"global_atomic_" #suffix, &atomic<suffix##_atomic>, sizeof(type) / 4, count * sizeof(type) / 4, 0, AT}; \
  t.mubuf[n] = {"buffer_atomic_" #suffix, &atomic<suffix##_atomic>, sizeof(type) / 4, count * sizeof(type) / 4, 0, AT};
#include "isa/atomic.def"
#undef ATOMIC
  t.flat[0x37] = {};  // csub exists for global and buffer addresses only
  t.global[0x28] = {"global_load_addtid_b32", &load<dwords<1>>, 1, 0, 0, LD | NOADDR};
  t.global[0x29] = {"global_store_addtid_b32", &store<dwords<1>>, 0, 1, 0, ST | NOADDR};
  t.mubuf[0x2b] = {"buffer_gl0_inv", &nop, 0, 0, 0, NODATA};
  t.mubuf[0x2c] = {"buffer_gl1_inv", &nop, 0, 0, 0, NODATA};
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
