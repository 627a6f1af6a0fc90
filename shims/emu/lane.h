// Rows to lane loops: operand types, the loop over 32 lanes, and the fast path of a row.
#pragma once
#include <xmmintrin.h>

#include "number.h"

namespace cassc::emu {
namespace {

// Operand types. A register is 32 lanes of a dword; the second dword of a 64-bit value is the next register.
struct none { using V = int; static constexpr Type type = Type::none; static constexpr u32 regs = 0;
  CASSC_INLINE V get(const u32*, int, u32) { return 0; } };
template <class T, Type kType>
struct word32 { using V = T; static constexpr Type type = kType; static constexpr u32 regs = 1;
  CASSC_INLINE V get(const u32* p, int l, u32) { return __builtin_bit_cast(T, p[l]); }
  CASSC_INLINE void put(u32* p, int l, V v, u32) { p[l] = __builtin_bit_cast(u32, v); } };
template <class T, Type kType>
struct word64 { using V = T; static constexpr Type type = kType; static constexpr u32 regs = 2;
  CASSC_INLINE V get(const u32* p, int l, u32) { return __builtin_bit_cast(T, u64(p[l]) | u64(p[l + 32]) << 32); }
  CASSC_INLINE void put(u32* p, int l, V v, u32) {
    const u64 b = __builtin_bit_cast(u64, v);
    p[l] = u32(b);
    p[l + 32] = u32(b >> 32);
  } };
template <class T, Type kType>
struct word16 { using V = T; static constexpr Type type = kType; static constexpr u32 regs = 1;
  CASSC_INLINE V get(const u32* p, int l, u32) { return T(p[l]); }
  CASSC_INLINE void put(u32* p, int l, V v, u32) { p[l] = u16(v); } };

using b32 = word32<u32, Type::b32>;
using s32 = word32<i32, Type::i32>;
using f32 = word32<float, Type::f32>;
using b64 = word64<u64, Type::b64>;
using s64 = word64<i64, Type::i64>;
using f64 = word64<double, Type::f64>;
using b16 = word16<u16, Type::b16>;
using s16 = word16<i16, Type::i16>;
using pk16 = word32<u32, Type::pk16>;
using pkf16 = word32<u32, Type::pkf16>;
struct f16 { using V = float; static constexpr Type type = Type::f16; static constexpr u32 regs = 1;
  CASSC_INLINE V get(const u32* p, int l, u32 mode) {
    const u32 h = p[l] & 0xffffu;
    return f16_to_f32((mode & kF16FlushSource) && (h & 0x7c00u) == 0 ? h & 0x8000u : h);
  }
  CASSC_INLINE void put(u32* p, int l, V v, u32 mode) { p[l] = mode ? f32_to_f16(v, mode) : f32_to_f16_nearest(v); } };

template <Type type>
constexpr bool half_of = type == Type::b16 || type == Type::i16 || type == Type::f16;

template <class R>
constexpr bool touches_f16 = R::D::type == Type::f16 || R::A::type == Type::f16 || R::B::type == Type::f16 || R::C::type == Type::f16 ||
                             R::A::type == Type::pkf16 || R::D::type == Type::pkf16;

template <class R>
constexpr FpClass fp_class() {
  if (R::flags & TR) return kPlain;
  if (R::D::type == Type::f64 || R::A::type == Type::f64) return kDp;
  if (touches_f16<R>) return kPlain;
  return kSp;
}

template <class R, bool kMode>
CASSC_INLINE u32 loop(u32* d, const u32* a, const u32* b, const u32* c, const LaneContext& context) {
  const LaneContext x = context;  // a copy that the stores through d cannot change
  const u32 carry_in = x.carry_in, mode = kMode ? x.f16_mode : 0;
  u32 carry = 0;
#pragma GCC ivdep
  for (int l = 0; l < int(kLanes); ++l) {
    typename R::D::V r{};
    u32 co = 0;
    R::eval(r, R::A::get(a, l, mode), R::B::get(b, l, mode), R::C::get(c, l, mode), carry_in >> l & 1, co, l, mode, x);
    if constexpr (R::D::regs != 0) R::D::put(d, l, r, mode);
    if constexpr ((R::flags & (CO | CMP)) != 0) carry |= co << l;
  }
  return carry;
}

template <class R>
void lanes(u32* d, const u32* a, const u32* b, const u32* c, LaneContext& x) {
  if constexpr (touches_f16<R>) {
    x.carry_out = x.f16_mode ? loop<R, true>(d, a, b, c, x) : loop<R, false>(d, a, b, c, x);
  } else {
    x.carry_out = loop<R, false>(d, a, b, c, x);
  }
}

CASSC_INLINE void blend(u32* d, const u32* r, u32 exec) {
#pragma GCC ivdep
  for (int l = 0; l < int(kLanes); ++l) d[l] = (exec >> l & 1) ? r[l] : d[l];
}
CASSC_INLINE void blend_half(u32* d, const u32* r, u32 exec, u32 shift) {
  const u32 keep = 0xffff0000u >> shift;
#pragma GCC ivdep
  for (int l = 0; l < int(kLanes); ++l) d[l] = (exec >> l & 1) ? (d[l] & keep) | (r[l] & 0xffffu) << shift : d[l];
}

// The host's rounding and denormal control, where a row's class needs another than single precision's.
template <FpClass kClass>
struct FpScope {
  const Wave& wave;
  const bool change;
  explicit FpScope(const Wave& w) : wave(w), change(kClass != kSp && w.mxcsr[kClass] != w.mxcsr[kSp]) {
    if constexpr (kClass != kSp) { if (__builtin_expect(change, 0)) _mm_setcsr(wave.mxcsr[kClass]); }
  }
  ~FpScope() {
    if constexpr (kClass != kSp) { if (__builtin_expect(change, 0)) _mm_setcsr(wave.mxcsr[kSp]); }
  }
};

CASSC_INLINE const u32* vector_source(const Wave& w, const Op* op, int i) {
  return reinterpret_cast<const u32*>(w.vbank[op->bank[i]] + op->src[i]);
}
CASSC_INLINE u32* vector_dest(const Wave& w, const Op* op) { return reinterpret_cast<u32*>(w.vgpr + op->dst); }

// No modifiers, no scalar register among the sources.
template <class R>
const Op* fast(Wave& w, const Op* op) {
  const u32 exec = w.s[kExec];
  LaneContext& x = w.context;
  const u32* a = vector_source(w, op, 0);
  const u32* b = R::B::regs ? vector_source(w, op, 1) : a;
  const u32* c = R::C::regs ? vector_source(w, op, 2) : a;
  if constexpr ((R::flags & CI) != 0) x.carry_in = w.s[op->carry_in];
  const FpScope<fp_class<R>()> scope(w);
  if constexpr ((R::flags & CMP) != 0) {
    lanes<R>(nullptr, a, b, c, x);
    w.s[op->carry_out] = x.carry_out & exec;
  } else {
    u32* d = vector_dest(w, op);
    if constexpr (half_of<R::D::type>) {
      alignas(64) u32 t[kLanes];
      lanes<R>(t, a, b, c, x);
      blend_half(d, t, exec, op->dst_half);
    } else if (__builtin_expect(exec == ~0u, 1)) {
      lanes<R>(d, a, b, c, x);
    } else {
      alignas(64) u32 t[kLanes * R::D::regs];
      lanes<R>(t, a, b, c, x);
      for (u32 r = 0; r < R::D::regs; ++r) blend(d + r * kLanes, t + r * kLanes, exec);
    }
    if constexpr ((R::flags & CO) != 0) w.s[op->carry_out] = x.carry_out & exec;
  }
  return op + op->length;
}

// Fills a table entry from a row type.
template <class R>
void enter(VectorRow& row, const char* name) {
  row.name = name;
  row.lanes = &lanes<R>;
  row.fast = &fast<R>;
  row.d = R::D::type;
  row.a = R::A::type;
  row.b = R::B::type;
  row.c = R::C::type;
  row.fp = fp_class<R>();
  row.flags = R::flags;
}

// A row's meaning: `d` from `a`, `b`, `c`; `ci`/`co` lane-mask bits; `lane`; `mode` of 16-bit floats; `x` the context.
#define CASSC_ROW(name, dt, at, bt, ct, fl, ...)                                                                         \
  struct name##_row {                                                                                                    \
    using D = dt; using A = at; using B = bt; using C = ct;                                                              \
    static constexpr u32 flags = fl;                                                                                     \
    static inline __attribute__((always_inline)) void eval([[maybe_unused]] D::V& d, [[maybe_unused]] A::V a,           \
        [[maybe_unused]] B::V b, [[maybe_unused]] C::V c, [[maybe_unused]] u32 ci, [[maybe_unused]] u32& co,             \
        [[maybe_unused]] int lane, [[maybe_unused]] u32 mode, [[maybe_unused]] const LaneContext& x) { __VA_ARGS__; }    \
  };

}  // namespace
}  // namespace cassc::emu
