// SOP1, SOP2, SOPC, SOPK, SOPP, SMEM: scalar arithmetic, control flow, scalar loads.
#include "interrupt.h"
#include "number.h"
#include "vector.h"

namespace cassc::emu::CASSC_EMU_VARIANT {
namespace {

template <class T, Type kType>
struct word { using V = T; static constexpr Type type = kType;
  CASSC_INLINE V get(const u32* p, u32) {
    if constexpr (sizeof(T) == 8) return __builtin_bit_cast(T, u64(p[0]) | u64(p[1]) << 32);
    else return __builtin_bit_cast(T, p[0]);
  }
  CASSC_INLINE void put(u32* p, V v, u32) {
    if constexpr (sizeof(T) == 8) {
      const u64 b = __builtin_bit_cast(u64, v);
      p[0] = u32(b);
      p[1] = u32(b >> 32);
    } else {
      p[0] = __builtin_bit_cast(u32, v);
    }
  } };
struct none { static constexpr Type type = Type::none; };
using b32 = word<u32, Type::b32>;
using s32 = word<i32, Type::i32>;
using f32 = word<float, Type::f32>;
using b64 = word<u64, Type::b64>;
using s64 = word<i64, Type::i64>;
struct f16 { using V = float; static constexpr Type type = Type::f16;
  CASSC_INLINE V get(const u32* p, u32) { return f16_to_f32(p[0] & 0xffffu); }
  CASSC_INLINE void put(u32* p, V v, u32 mode) { p[0] = f32_to_f16(v, mode); } };

CASSC_INLINE u64 quad_mask(u64 a) {
  u64 r = 0;
  for (int i = 0; i < 16; ++i) r |= u64((a >> (4 * i) & 15) != 0) << i;
  return r;
}
CASSC_INLINE u64 whole_quads(u64 a) {
  u64 r = 0;
  for (int i = 0; i < 64; i += 4) r |= (a >> i & 15) ? u64(15) << i : 0;
  return r;
}
// A signed bit field of a value of `size` bits; bits past the end read as the sign.
CASSC_INLINE u64 bit_field(u64 a, u32 offset, u32 width, u32 size) {
  if (width == 0) return 0;
  const i64 shifted = i64(a) >> offset;
  if (width >= size || width > 63) return u64(shifted);
  return u64(i64(u64(shifted) << (64 - width)) >> (64 - width));
}

CASSC_INLINE const u32* source(const Wave& w, const Op* op, int i) { return w.sbank[op->bank[i]] + op->src[i]; }
CASSC_INLINE const Op* next(const Op* op) { return op + op->length; }

template <class R>
const Op* sop2(Wave& w, const Op* op) {
  u32 scc = w.s[kScc];
  const LaneContext& x = w.context;
  typename R::D::V d = R::D::get(w.s + op->dst, x.f16_mode);
  R::eval(d, R::A::get(source(w, op, 0), 0), R::B::get(source(w, op, 1), 0), scc, op->imm, x);
  R::D::put(w.s + op->dst, d, x.f16_mode);
  w.s[kScc] = scc;
  return next(op);
}
template <class R>
const Op* sop1(Wave& w, const Op* op) {
  u32 scc = w.s[kScc];
  typename R::D::V d = R::D::get(w.s + op->dst, 0);
  R::eval(d, R::A::get(source(w, op, 0), 0), scc);
  R::D::put(w.s + op->dst, d, w.context.f16_mode);
  w.s[kScc] = scc;
  return next(op);
}
template <class R>
const Op* sop1e(Wave& w, const Op* op) {
  typename R::A::V d{}, exec = R::A::get(w.s + kExec, 0);
  R::eval(d, R::A::get(source(w, op, 0), 0), exec);
  R::A::put(w.s + op->dst, d, 0);
  R::A::put(w.s + kExec, exec, 0);
  w.s[kScc] = exec != 0;
  return next(op);
}
template <class R>
const Op* sopc(Wave& w, const Op* op) {
  w.s[kScc] = R::eval(R::A::get(source(w, op, 0), 0), R::B::get(source(w, op, 1), 0));
  return next(op);
}
template <class R>
const Op* sopk(Wave& w, const Op* op) {
  R::eval(w.s[op->dst], w.s[kScc], i32(op->imm));
  return next(op);
}

#define SOP1(n, name, Dt, At, ...)                                                                                           \
  struct name##_row { using D = Dt; using A = At;                                                                            \
    CASSC_INLINE void eval([[maybe_unused]] D::V& d, A::V a, [[maybe_unused]] u32& scc) { __VA_ARGS__; } };
#define SOP1E(n, name, At, ...) \
  struct name##_row { using A = At; CASSC_INLINE void eval(A::V& d, A::V a, A::V& exec) { __VA_ARGS__; } };
#define SOP1X(n, name, D, A, handler)
#include "isa/sop1.def"
#undef SOP1
#undef SOP1E
#undef SOP1X
#define SOP2(n, name, Dt, At, Bt, flags, ...)                                                                                \
  struct name##_row { using D = Dt; using A = At; using B = Bt;                                                              \
    CASSC_INLINE void eval(D::V& d, A::V a, B::V b, [[maybe_unused]] u32& scc, [[maybe_unused]] u32 k,                       \
                           [[maybe_unused]] const LaneContext& x) { __VA_ARGS__; } };
#include "isa/sop2.def"
#undef SOP2
#define SOPC(n, name, At, Bt, ...) \
  struct name##_row { using A = At; using B = Bt; CASSC_INLINE bool eval(A::V a, B::V b) { return __VA_ARGS__; } };
#include "isa/sopc.def"
#undef SOPC
#define SOPK(n, name, ...)                                                                                                   \
  struct name##_row {                                                                                                        \
    CASSC_INLINE void eval([[maybe_unused]] u32& d, [[maybe_unused]] u32& scc, [[maybe_unused]] i32 k) { __VA_ARGS__; } };
#define SOPKX(n, name, D, handler)
#include "isa/sopk.def"
#undef SOPK
#undef SOPKX

// --- control

const Op* nop(Wave&, const Op* op) { return next(op); }

// Where code waits for its stores, other threads must see them before any later load is made.
const Op* stores_done(Wave&, const Op* op) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  return next(op);
}

const Op* stop(Wave& w, const Op* resume, WaveState state) {
  w.pc = resume;
  w.state = state;
  return nullptr;
}
const Op* yield(Wave& w, const Op* op) { return stop(w, next(op), WaveState::ready); }
const Op* barrier(Wave& w, const Op* op) {
#ifdef CASSC_EMU_OBSERVED
  observe_barrier(w, op);
#endif
  return stop(w, next(op), WaveState::barrier);
}
const Op* endpgm(Wave& w, const Op* op) { return stop(w, op, WaveState::ended); }

const Op* trap(Wave& w, const Op* op) {
  if ((op->imm & 255) == 3) return next(op);  // debugger's trap: nobody is attached
  return raise(w, op, 6, 0, 0, false, 0, nullptr);
}

// Instructions of trap handlers, and the padding behind code.
const Op* never(Wave& w, const Op* op) { return raise(w, op, 5, 0, 0, false, 0, op->name); }

const Op* jump(const Op* op) { return op + i32(op->imm); }
const Op* branch(Wave&, const Op* op) { return jump(op); }
const Op* branch_scc0(Wave& w, const Op* op) { return w.s[kScc] ? next(op) : jump(op); }
const Op* branch_scc1(Wave& w, const Op* op) { return w.s[kScc] ? jump(op) : next(op); }
const Op* branch_vccz(Wave& w, const Op* op) { return w.s[kVcc] ? next(op) : jump(op); }
const Op* branch_vccnz(Wave& w, const Op* op) { return w.s[kVcc] ? jump(op) : next(op); }
const Op* branch_execz(Wave& w, const Op* op) { return w.s[kExec] ? next(op) : jump(op); }
const Op* branch_execnz(Wave& w, const Op* op) { return w.s[kExec] ? jump(op) : next(op); }

void put_pc(Wave& w, u32 slot, u64 pc) {
  w.s[slot] = u32(pc);
  w.s[slot + 1] = u32(pc >> 32);
}
const Op* go(Wave& w, const Op* op, u64 target) {
  const Op* to = op_at(*w.launch, target);
  return to ? to : raise(w, op, 5, target, 0, false, 0, "jump to an address that holds no code");
}
const Op* getpc(Wave& w, const Op* op) {
  put_pc(w, op->dst, address_of(*w.launch, next(op)));
  return next(op);
}
const Op* setpc(Wave& w, const Op* op) { return go(w, op, b64::get(source(w, op, 0), 0)); }
const Op* swappc(Wave& w, const Op* op) {
  const u64 target = b64::get(source(w, op, 0), 0);
  put_pc(w, op->dst, address_of(*w.launch, next(op)));
  return go(w, op, target);
}
const Op* call(Wave& w, const Op* op) {
  put_pc(w, op->dst, address_of(*w.launch, next(op)));
  return jump(op);
}

// One pass over a wave32: the loop body runs once.
const Op* subvector_begin(Wave& w, const Op* op) {
  if (w.s[kExec] == 0) return jump(op);
  w.s[op->dst] = w.s[kExec + 1];
  return next(op);
}
const Op* subvector_end(Wave&, const Op* op) { return next(op); }

const Op* movrels(Wave& w, const Op* op) {
  const u32 m0 = w.s[kM0], code = op->imm;  // code: the row's number
  const bool wide = code == 0x41 || code == 0x43;
  u64 from = op->src[0], to = op->dst;
  if (code == 0x40 || code == 0x41) from += m0;
  else if (code == 0x42 || code == 0x43) to += m0;
  else { from += m0 & 0x3ff; to += m0 >> 16 & 0x3ff; }
  if ((op->bank[0] == 0 && from + wide > kVcc + 1 && code != 0x42 && code != 0x43) || to + wide > kVcc + 1) {
    return raise(w, op, 5, 0, 0, false, 0, "relative register number outside the scalar registers");
  }
  const u32* p = w.sbank[op->bank[0]] + from;
  const u32 low = p[0], high = p[wide];
  w.s[to] = low;
  if (wide) w.s[to + 1] = high;
  return next(op);
}

const Op* sendmsg(Wave& w, const Op* op) {
  constexpr u32 kInterrupt = 1;
  if ((op->imm & 255) == kInterrupt) interrupt(w);
  return next(op);
}

const Op* sendmsg_rtn(Wave& w, const Op* op) {
  const u32 message = op->imm & 255;
  const u64 value = message == 131 ? real_clock() : 0;  // MSG_RTN_GET_REALTIME; the others belong to privileged code
  w.s[op->dst] = u32(value);
  if (op->dwords == 2) w.s[op->dst + 1] = u32(value >> 32);
  return next(op);
}

// --- hardware registers: the immediate is number, first bit and width

u32 hardware_register(const Wave& w, const Op* op, u32 number) {
  switch (number) {
    case 1: return w.mode;
    case 2: return w.s[kScc] | u32(w.s[kExec] == 0) << 9 | u32(w.s[kVcc] == 0) << 10;
    case 6: return w.group->lds_size / 512 << 12;
    case 8: return u32(address_of(*w.launch, op));
    case 9: return u32(address_of(*w.launch, op) >> 32);
    case 29: return gfx12_code(w) ? u32(shader_clock(w)) : u32(shader_clock(w)) & 0xfffff;
    default: return 0;
  }
}
const Op* getreg(Wave& w, const Op* op) {
  const u32 value = hardware_register(w, op, op->imm & 63) >> (op->imm >> 6 & 31);
  w.s[op->dst] = value & low_mask((op->imm >> 11 & 31) + 1);
  return next(op);
}
void set_register(Wave& w, const Op* op, u32 value) {
  if ((op->imm & 63) != 1) return;  // every other register is read-only to user code, or without effect here
  const u32 offset = op->imm >> 6 & 31, mask = low_mask((op->imm >> 11 & 31) + 1) << offset;
  set_mode(w, (w.mode & ~mask) | (value << offset & mask));
}
const Op* setreg(Wave& w, const Op* op) {
  set_register(w, op, w.s[op->dst]);
  return next(op);
}
const Op* setreg_imm(Wave& w, const Op* op) {
  set_register(w, op, op->src[0]);
  return next(op);
}
const Op* round_mode(Wave& w, const Op* op) {
  set_mode(w, (w.mode & ~15u) | (op->imm & 15));
  return next(op);
}
const Op* denorm_mode(Wave& w, const Op* op) {
  set_mode(w, (w.mode & ~0xf0u) | (op->imm & 15) << 4);
  return next(op);
}

// --- scalar loads

// The first dword must be valid. A load may run past the end of an allocation only inside its own aligned block, where the
// compiler knows that no page ends; those dwords read as zero.
const Op* load(Wave& w, const Op* op) {
  const u64 base = b64::get(w.s + op->src[0], 0);
  const u64 address = (base + u64(i64(i32(op->imm))) + (op->flags & kHasVaddr ? w.s[op->src[1]] : 0)) & ~u64(3);
  const u32 size = op->dwords * 4u;
  const MemoryView& memory = memory_of(w);
#ifdef CASSC_EMU_OBSERVED
  observe_scalar(w, op, address, size);
#endif
  if (!accessible(memory, address, size)) {
    if (!accessible(memory, address, 4) || address % size != 0) return raise(w, op, 1, address, size, false, 0);
    for (u32 i = 0; i < op->dwords; ++i) {
      w.s[op->dst + i] = accessible(memory, address + 4 * i, 4) ? *reinterpret_cast<const u32*>(address + 4 * i) : 0;
    }
    return next(op);
  }
  __builtin_memcpy(w.s + op->dst, reinterpret_cast<const void*>(address), size);
  return next(op);
}

const Op* buffer_load(Wave& w, const Op* op) {
  const u32* v = w.s + op->src[0];
  const u64 base = (u64(v[1] & 0xffff) << 32 | v[0]), stride = v[1] >> 16 & 0x3fff;
  const u64 bytes = stride ? stride * v[2] : v[2];
  const u64 offset = (u64(op->imm) + (op->flags & kHasVaddr ? w.s[op->src[1]] : 0)) & ~u64(3);
  u32 r[16] = {};
  for (u32 i = 0; i < op->dwords; ++i) {
    const u64 at = offset + 4 * i;
    if (at + 4 > bytes) continue;  // outside the buffer: zero
    if (!accessible(memory_of(w), base + at, 4)) return raise(w, op, 1, base + at, 4, false, 0);
    r[i] = *reinterpret_cast<const u32*>(base + at);
  }
  __builtin_memcpy(w.s + op->dst, r, op->dwords * 4u);
  return next(op);
}

}  // namespace

void enter_scalar(Tables& t) {
#define SOP1(n, name, D, A, ...) t.sop1[n] = {#name, &sop1<name##_row>, D::type, A::type, Type::none, 0};
#define SOP1E(n, name, A, ...) t.sop1[n] = {#name, &sop1e<name##_row>, A::type, A::type, Type::none, 0};
#define SOP1X(n, name, D, A, handler) t.sop1[n] = {#name, &handler, D::type, A::type, Type::none, NODPP};
#include "isa/sop1.def"
#undef SOP1
#undef SOP1E
#undef SOP1X
#define SOP2(n, name, D, A, B, flags, ...) t.sop2[n] = {#name, &sop2<name##_row>, D::type, A::type, B::type, (flags)};
#include "isa/sop2.def"
#undef SOP2
#define SOPC(n, name, A, B, ...) t.sopc[n] = {#name, &sopc<name##_row>, Type::none, A::type, B::type, 0};
#include "isa/sopc.def"
#undef SOPC
#define SOPK(n, name, ...) t.sopk[n] = {#name, &sopk<name##_row>, Type::b32, Type::none, Type::none, 0};
#define SOPKX(n, name, D, handler) t.sopk[n] = {#name, &handler, D::type, Type::none, Type::none, 0};
#include "isa/sopk.def"
#undef SOPK
#undef SOPKX
#define SOPP(n, name, flags, handler) t.sopp[n] = {#name, &handler, Type::none, Type::none, Type::none, (flags)};
#include "isa/sopp.def"
#undef SOPP
#define SMEM(n, row, count, buffer)                 \
  t.smem[n].name = #row;                            \
  t.smem[n].run = buffer ? &buffer_load : &load;    \
  t.smem[n].result = count;
#define SMEMX(n, row)    \
  t.smem[n].name = #row; \
  t.smem[n].run = &nop;
#include "isa/smem.def"
#undef SMEM
#undef SMEMX
  // Scalar floating point came with gfx1150.
  for (u32 n = 0x60; n < 0x80; ++n) t.sop1[n].flags |= GFX115;
  for (u32 n = 0x40; n < 0x60; ++n) t.sop2[n].flags |= GFX115;
  for (u32 n = 0x40; n < 0x60; ++n) t.sopc[n].flags |= GFX115;
}

}  // namespace cassc::emu::CASSC_EMU_VARIANT
