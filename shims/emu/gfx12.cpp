// The table of gfx12: gfx11's with the differences of isa/gfx12.def, and the meaning of what is new.
#include "float8.h"
#include "lane_memory.h"
#include "meaning.h"
#include "vector.h"

namespace cassc::emu::CASSC_EMU_VARIANT {
namespace {

// --- minimum and maximum that give a NaN where there is one; the first signaling one comes first, then the first quiet one

template <class T>
CASSC_INLINE T nan_first(T a, T b, T r) {
  r = select(is_nan(b), b, r);
  r = select(is_nan(a), a, r);
  r = select(is_signaling(b), b, r);
  r = select(is_signaling(a), a, r);
  return quiet_if(is_nan(r), r);
}
template <class T>
CASSC_INLINE T minimum(T a, T b) { return nan_first(a, b, select(order(a) < order(b), a, b)); }
template <class T>
CASSC_INLINE T maximum(T a, T b) { return nan_first(a, b, select(order(a) > order(b), a, b)); }

// --- floats of eight bits

CASSC_INLINE u32 chosen_byte(u32 v, u32 op_sel) { return v >> (8 * ((op_sel & 1) << 1 | (op_sel >> 1 & 1))) & 255; }
CASSC_INLINE u32 with_byte(u32 v, u32 which, u32 byte) { return (v & ~(255u << (8 * which))) | byte << (8 * which); }
// Adds to the mantissa, which wraps into the exponent.
CASSC_INLINE float stochastic(float x, u32 add) { return is_nan(x) || is_inf(x) ? x : f32_of((bits(x) & 0xff800000u) + (bits(x) & 0x7fffffu) + (add & 0x7fffffu)); }

CASSC_INLINE float signed_addend(float c, const Op* op) {
  const float magnitude = op->neg_hi & 4 ? abs_of(c) : c;
  return op->neg & 4 ? -magnitude : magnitude;
}
template <class F, class G>
CASSC_INLINE float dot4_f8(u32 a, u32 b, float c, F first, G second) {
  for (u32 i = 0; i < 4; ++i) c = fma(first(a >> (8 * i) & 255), second(b >> (8 * i) & 255), c);
  return c;
}

#define GONE(table, n)
#define MOVED(table, n, old, name)
#define VECTOR(n, name, D, A, B, C, flags, ...) CASSC_ROW(name, D, A, B, C, (flags), __VA_ARGS__)
#define PACKED(n, name, D, A, B, C, flags, ...) CASSC_ROW(name, D, A, B, C, (flags), __VA_ARGS__)
#define MATRIX(n, name)
#define UNIFORM(n, name, row)
#define ATOMIC(n, elsewhere, suffix, type, ...)                                                                         \
  struct suffix##_atomic12 { using T = type; static constexpr int operands = 1;                                          \
    CASSC_INLINE void eval(T& r, T old, T a, T) { __VA_ARGS__; } };
#include "isa/gfx12.def"
#undef GONE
#undef MOVED
#undef VECTOR
#undef PACKED
#undef MATRIX
#undef UNIFORM
#undef ATOMIC

// --- a vector row on one scalar value

const Op* uniform(Wave& w, const Op* op) {
  const bool half = op->row->a == Type::f16;
  LaneContext& x = w.context;
  x.op = op;
  u32 value = op->bank[0] == 2 ? w.s[op->src[0]] : vector_source(w, op, 0)[0];
  if (half && op->op_sel & 1) value >>= 16;
  const u32 top = half ? 0x8000u : 0x80000000u;
  if (op->abs & 1) value &= ~top;
  if (op->neg & 1) value ^= top;
  alignas(64) u32 in[kLanes] = {}, out[kLanes];
  in[0] = value;
  {
    const FpScope<kPlain> plain(w);
    op->lanes(out, in, in, in, x);
    if (op->omod || op->clamp) {
      float v = half ? f16_to_f32(out[0] & 0xffff) : f32_of(out[0]);
      if (op->omod && (half ? x.omod64 : x.omod32)) v *= op->omod == 1 ? 2.0f : op->omod == 2 ? 4.0f : 0.5f;
      if (op->clamp) v = clamp01(v, 1);
      out[0] = half ? f32_to_f16(v, x.f16_mode) : bits(v);
    }
  }
  w.s[op->dst] = half ? out[0] & 0xffff : out[0];
  return op + op->length;
}

// --- lanes

template <u32 kOther>
const Op* permlane_var(Wave& w, const Op* op) {
  const u32 exec = w.s[kExec];
  alignas(64) u32 t[kLanes];
  for (u32 l = 0; l < kLanes; ++l) {
    const u32 choice = op->bank[1] == 2 ? w.s[op->src[1]] : vector_source(w, op, 1)[op->bank[1] ? 0 : l];
    const u32 from = ((l & 16) ^ kOther) + (choice & 15);
    const bool valid = (op->op_sel & 1) || (exec >> from & 1);
    t[l] = !valid ? 0 : op->bank[0] == 2 ? w.s[op->src[0]] : vector_source(w, op, 0)[op->bank[0] ? 0 : from];
  }
  blend(vector_dest(w, op), t, exec);
  return op + op->length;
}

const Op* bpermute_fi(Wave& w, const Op* op) {
  const u32* address = registers(w, op->src[0]);
  const u32* data = registers(w, op->src[1]);
  alignas(64) u32 r[kLanes];
  for (u32 l = 0; l < kLanes; ++l) r[l] = data[(address[l] + op->imm) / 4 % kLanes];
  blend(registers_out(w, op->dst), r, w.s[kExec]);
  return next(op);
}

// Sixteen rows of sixteen elements between memory and the layout of a matrix operand: each lane has loaded a piece of a row,
// and gets the elements of a column.
template <u32 kDwords>
const Op* load_transposed(Wave& w, const Op* op) {
  constexpr u32 width = kDwords == 4 ? 16 : 8, in_register = 32 / width, in_lane = 8;
  const u32 exec = w.s[kExec];
  if (exec != ~0u) return raise(w, op, 5, 0, 0, false, 0, "transposed load with inactive lanes");
  Lanes p;
  if (!place(w, op, p, 4 * kDwords, false, 4)) return kFault;
  if constexpr (kObserved) observe_access(w, op, p.at, p.live, 4 * kDwords, Access::read, 0);
  alignas(64) u32 in[kDwords * kLanes], out[kDwords * kLanes] = {};
  for (u32 l = 0; l < kLanes; ++l) dwords<kDwords>::load(in, l, p.at[l]);
  for (u32 l = 0; l < kLanes; ++l) {
    for (u32 i = 0; i < in_lane; ++i) {
      // Element (row i + 8 * (l / 16), column l % 16) lies in the lane that read that part of the row.
      const u32 row = i + 8 * (l / 16), column = l % 16, from = row + 16 * (column / in_lane), k = column % in_lane;
      const u32 value = in[k / in_register * kLanes + from] >> (width * (k % in_register)) & ((1u << width) - 1);
      out[i / in_register * kLanes + l] |= value << (width * (i % in_register));
    }
  }
  __builtin_memcpy(registers_out(w, op->dst), out, sizeof out);
  return next(op);
}

// Up to 32 registers and dwords of memory, those for which M0 has a bit.
template <bool kStore>
const Op* block(Wave& w, const Op* op) {
  if (w.s[kExec] == 0) return next(op);
  const u32 step = 4 * kLanes, first = kStore ? op->src[1] : op->dst;
  for (u32 i = 0; i < 32; ++i) {
    if (!(w.s[kM0] >> i & 1)) continue;
    const u32 at = first + i * step;
    if (at / step >= register_count(w)) return raise(w, op, 5, 0, 0, false, 0, "block of registers beyond the wave's");
    Lanes p;
    const u32 alignment = alignment_of<4>(w, op->segment);
    const bool placed = op->segment == Segment::scratch ? place_scratch(w, op, p, 4, kStore, alignment, 4 * i)
                                                        : place_global(w, op, p, 4, kStore, alignment, 4 * i);
    if (!placed) return kFault;
    if constexpr (kObserved) {
      observe_access(w, op, p.at, p.live, 4, kStore ? Access::write : Access::read, kStore ? changed_lanes<dwords<1>>(p, registers(w, at)) : 0);
    }
    for (u32 l = 0; l < kLanes; ++l) {
      if (!(p.live >> l & 1)) continue;
      if constexpr (kStore) dwords<1>::store(registers(w, at), l, p.at[l]);
      else dwords<1>::load(registers_out(w, at), l, p.at[l]);
    }
  }
  return next(op);
}

// --- scalar memory of less than a dword

template <class T, bool kBuffer>
const Op* load_part(Wave& w, const Op* op) {
  const u32* v = w.s + op->src[0];
  const u64 base = (u64(kBuffer ? v[1] & 0xffff : v[1]) << 32 | v[0]);
  const u64 offset = u64(i64(i32(op->imm))) + (op->flags & kHasVaddr ? w.s[op->src[1]] : 0), address = base + offset;
  const u64 stride = v[1] >> 16 & 0x3fff, bytes = stride ? stride * v[2] : v[2];
  w.s[op->dst] = 0;
  if (kBuffer && offset + sizeof(T) > bytes) return next(op);
#ifdef CASSC_EMU_OBSERVED
  observe_scalar(w, op, address, sizeof(T));
#endif
  if (!accessible(memory_of(w), address, sizeof(T))) return raise(w, op, 1, address, sizeof(T), false, 0);
  w.s[op->dst] = u32(i32(peek<T>(address)));
  return next(op);
}

// --- barriers in two steps. The wait is where a wave stops; who signals has done so before.

const Op* signal(Wave& w, const Op* op) {
  const i32 number = i32(w.sbank[op->bank[0]][op->src[0]]);
  if (number == 0 || number == -2) return next(op);
  if (number != -1) return raise(w, op, 5, 0, 0, false, 0, "named barrier");
  if (op->imm) w.s[kScc] = w.group->signals == 0;
  ++w.group->signals;
  return next(op);
}

const Op* wait(Wave& w, const Op* op) {
  if (i16(op->imm) != -1) return raise(w, op, 5, 0, 0, false, 0, "named barrier");
#ifdef CASSC_EMU_OBSERVED
  observe_barrier(w, op);
#endif
  w.pc = next(op);
  w.state = WaveState::barrier;
  return nullptr;
}

// How many have signalled, how many are to, and whether there is such a barrier.
const Op* barrier_state(Wave& w, const Op* op) {
  const i32 number = i32(w.sbank[op->bank[0]][op->src[0]]);
  if (number != -1) return raise(w, op, 5, 0, 0, false, 0, "named barrier");
  w.s[op->dst] = w.group->signals << 16 | w.group->waves << 4 | 1;
  return next(op);
}

const Op* named(Wave& w, const Op* op) { return raise(w, op, 5, 0, 0, false, 0, op->name); }
const Op* sleep(Wave& w, const Op* op) {
  w.pc = next(op);
  w.state = WaveState::ready;
  return nullptr;
}
const Op* nop(Wave&, const Op* op) { return next(op); }
const Op* fence(Wave&, const Op* op) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  return next(op);
}

// --- scalar arithmetic

u64 pair(const Wave& w, const Op* op, int i) {
  const u32* p = w.sbank[op->bank[i]] + op->src[i];
  return u64(p[1]) << 32 | p[0];
}
template <u32 kWhat>
const Op* arithmetic64(Wave& w, const Op* op) {
  const u64 a = pair(w, op, 0), b = pair(w, op, 1), r = kWhat == 0 ? a + b : kWhat == 1 ? a - b : a * b;
  w.s[op->dst] = u32(r);
  w.s[op->dst + 1] = u32(r >> 32);
  return next(op);
}
template <bool kHalf, bool kMost>
const Op* extreme(Wave& w, const Op* op) {
  const u32 p = w.sbank[op->bank[0]][op->src[0]], q = w.sbank[op->bank[1]][op->src[1]];
  const float a = kHalf ? f16_to_f32(p & 0xffff) : flushed(f32_of(p), w.context.flush32);
  const float b = kHalf ? f16_to_f32(q & 0xffff) : flushed(f32_of(q), w.context.flush32);
  const float r = kMost ? maximum(a, b) : minimum(a, b);
  w.s[op->dst] = kHalf ? f32_to_f16(r, w.context.f16_mode) : bits(r);
  return next(op);
}

void scalar_rows(Tables& t) {
  t.sop1[0x4e] = {"s_barrier_signal", &signal, Type::none, Type::b32, Type::none, 0};
  t.sop1[0x4f] = {"s_barrier_signal_isfirst", &signal, Type::none, Type::b32, Type::none, 0};
  t.sop1[0x50] = {"s_get_barrier_state", &barrier_state, Type::b32, Type::b32, Type::none, 0};
  t.sop1[0x51] = {"s_barrier_init", &named, Type::none, Type::b32, Type::none, 0};
  t.sop1[0x52] = {"s_barrier_join", &named, Type::none, Type::b32, Type::none, 0};
  t.sop1[0x53] = {"s_alloc_vgpr", &named, Type::none, Type::b32, Type::none, 0};
  t.sop1[0x58] = {"s_sleep_var", &sleep, Type::none, Type::b32, Type::none, 0};
  t.sop2[0x4f] = {"s_minimum_f32", &extreme<false, false>, Type::f32, Type::f32, Type::f32, 0};
  t.sop2[0x50] = {"s_maximum_f32", &extreme<false, true>, Type::f32, Type::f32, Type::f32, 0};
  t.sop2[0x51] = {"s_minimum_f16", &extreme<true, false>, Type::f16, Type::f16, Type::f16, 0};
  t.sop2[0x52] = {"s_maximum_f16", &extreme<true, true>, Type::f16, Type::f16, Type::f16, 0};
  t.sop2[0x53] = {"s_add_nc_u64", &arithmetic64<0>, Type::b64, Type::b64, Type::b64, 0};
  t.sop2[0x54] = {"s_sub_nc_u64", &arithmetic64<1>, Type::b64, Type::b64, Type::b64, 0};
  t.sop2[0x55] = {"s_mul_u64", &arithmetic64<2>, Type::b64, Type::b64, Type::b64, 0};
  const auto sopp = [&](u32 n, const char* name, Handler run) { t.sopp[n] = {name, run, Type::none, Type::none, Type::none, 0}; };
  sopp(0x14, "s_barrier_wait", &wait);
  sopp(0x15, "s_barrier_leave", &named);
  t.sopp[0x15].flags = NOIMM;
  sopp(0x40, "s_wait_loadcnt", &nop);
  sopp(0x41, "s_wait_storecnt", &fence);
  sopp(0x42, "s_wait_samplecnt", &nop);
  sopp(0x43, "s_wait_bvhcnt", &nop);
  sopp(0x44, "s_wait_expcnt", &nop);
  sopp(0x46, "s_wait_dscnt", &nop);
  sopp(0x47, "s_wait_kmcnt", &nop);
  sopp(0x48, "s_wait_loadcnt_dscnt", &nop);
  sopp(0x49, "s_wait_storecnt_dscnt", &fence);
}

void scalar_memory(Tables& t) {
  const MemoryRow word = t.smem[0x00], buffer = t.smem[0x08], inv = t.smem[0x21];
  for (MemoryRow& row : t.smem) row = {};
  static constexpr const char* kNames[2][6] = {
      {"s_load_b32", "s_load_b64", "s_load_b128", "s_load_b256", "s_load_b512", "s_load_b96"},
      {"s_buffer_load_b32", "s_buffer_load_b64", "s_buffer_load_b128", "s_buffer_load_b256", "s_buffer_load_b512", "s_buffer_load_b96"}};
  static constexpr u8 kDwords[6] = {1, 2, 4, 8, 16, 3};
  for (u32 kind = 0; kind < 2; ++kind) {
    for (u32 i = 0; i < 6; ++i) t.smem[16 * kind + i] = {kNames[kind][i], kind ? buffer.run : word.run, kDwords[i], 0, 0, LD};
  }
  t.smem[0x08] = {"s_load_i8", &load_part<i8, false>, 1, 0, 0, LD};
  t.smem[0x09] = {"s_load_u8", &load_part<u8, false>, 1, 0, 0, LD};
  t.smem[0x0a] = {"s_load_i16", &load_part<i16, false>, 1, 0, 0, LD};
  t.smem[0x0b] = {"s_load_u16", &load_part<u16, false>, 1, 0, 0, LD};
  t.smem[0x18] = {"s_buffer_load_i8", &load_part<i8, true>, 1, 0, 0, LD};
  t.smem[0x19] = {"s_buffer_load_u8", &load_part<u8, true>, 1, 0, 0, LD};
  t.smem[0x1a] = {"s_buffer_load_i16", &load_part<i16, true>, 1, 0, 0, LD};
  t.smem[0x1b] = {"s_buffer_load_u16", &load_part<u16, true>, 1, 0, 0, LD};
  t.smem[0x21] = {"s_dcache_inv", inv.run, 0, 0, 0, NODATA};
  static constexpr const char* kPrefetch[] = {"s_prefetch_inst", "s_prefetch_inst_pc_rel", "s_prefetch_data", "s_buffer_prefetch_data",
                                              "s_prefetch_data_pc_rel"};
  for (u32 i = 0; i < 5; ++i) t.smem[0x24 + i] = {kPrefetch[i], inv.run, 0, 0, 0, 0};
}

void memory_rows(Tables& t) {
  scalar_memory(t);
  t.flat[0x37] = t.global[0x37];
  t.flat[0x37].name = "flat_atomic_sub_clamp_u32";
  t.global[0x2b] = {"global_inv", &fence, 0, 0, 0, NODATA};
  t.global[0x2c] = {"global_wb", &fence, 0, 0, 0, NODATA};
  t.global[0x4f] = {"global_wbinv", &fence, 0, 0, 0, NODATA};
  t.global[0x57] = {"global_load_tr_b128", &load_transposed<4>, 4, 0, 0, LD};
  t.global[0x58] = {"global_load_tr_b64", &load_transposed<2>, 2, 0, 0, LD};
  t.global[0x53] = {"global_load_block", &block<false>, 1, 0, 0, LD};
  t.global[0x54] = {"global_store_block", &block<true>, 0, 1, 0, ST};
  t.scratch[0x53] = {"scratch_load_block", &block<false>, 1, 0, 0, LD};
  t.scratch[0x54] = {"scratch_store_block", &block<true>, 0, 1, 0, ST};
  t.ds[0xcd] = {"ds_bpermute_fi_b32", &bpermute_fi, 1, 1, 0, 0};
#define GONE(table, n)
#define MOVED(table, n, old, name)
#define VECTOR(n, name, D, A, B, C, flags, ...)
#define PACKED(n, name, D, A, B, C, flags, ...)
#define MATRIX(n, name)
#define UNIFORM(n, name, row)
#define ATOMIC(n, elsewhere, suffix, type, ...)                                                                          \
  t.ds[n] = {"ds_" #suffix, &atomic<suffix##_atomic12>, 0, 1, 0, AT};                                                    \
  t.ds[n + 0x10] = {ds_returning(#suffix), &atomic<suffix##_atomic12>, 1, 1, 0, AT};                                     \
  if (elsewhere) {                                                                                                       \
    t.flat[elsewhere & 127] = {"flat_atomic_" #suffix, &atomic<suffix##_atomic12>, 1, 1, 0, AT};                         \
    t.global[elsewhere & 127] = {"global_atomic_" #suffix, &atomic<suffix##_atomic12>, 1, 1, 0, AT};                     \
    t.mubuf[elsewhere & 255] = {"buffer_atomic_" #suffix, &atomic<suffix##_atomic12>, 1, 1, 0, AT};                      \
  }
  const auto ds_returning = [](const char* suffix) {
    struct Name { const char *plain, *returning; };
    static constexpr Name kNames[] = {{"cond_sub_u32", "ds_cond_sub_rtn_u32"}, {"sub_clamp_u32", "ds_sub_clamp_rtn_u32"},
                                      {"pk_add_f16", "ds_pk_add_rtn_f16"}, {"pk_add_bf16", "ds_pk_add_rtn_bf16"}};
    for (const Name& n : kNames) if (!__builtin_strcmp(n.plain, suffix)) return n.returning;
    return "";
  };
#include "isa/gfx12.def"
#undef GONE
#undef MOVED
#undef VECTOR
#undef PACKED
#undef MATRIX
#undef UNIFORM
#undef ATOMIC
}

}  // namespace

void differ_gfx12(Tables& t) {
  const Tables old = t;
  t.gfx12 = true;
#define GONE(table, n) t.table[n] = {};
#define MOVED(table, n, before, what) (t.table[n] = old.table[before]).name = #what;
#define VECTOR(n, what, D, A, B, C, flags, ...) enter<what##_row>(t.vop3[n], #what);
#define PACKED(n, what, D, A, B, C, flags, ...) enter<what##_row>(t.vop3p[n], #what);
#define MATRIX(n, what)               \
  t.vop3p[n] = {};                    \
  t.vop3p[n].name = #what;            \
  t.vop3p[n].custom = &matrix12;      \
  t.vop3p[n].flags = SEL;
#define UNIFORM(n, what, row)                          \
  t.vop3[n] = old.vop3[0x180 + row];                   \
  t.vop3[n].name = #what;                              \
  t.vop3[n].custom = &uniform;                         \
  t.vop3[n].flags = SDST | NODPP;
#define ATOMIC(n, elsewhere, suffix, type, ...)
#include "isa/gfx12.def"
#undef GONE
#undef MOVED
#undef VECTOR
#undef PACKED
#undef MATRIX
#undef UNIFORM
#undef ATOMIC
  // Comparisons that are always false or true are gone, and so is the number of an addend in VOPD.
  for (u32 n : {0x00, 0x0f, 0x10, 0x1f, 0x20, 0x2f, 0x40, 0x47, 0x48, 0x4f, 0x50, 0x57, 0x58, 0x5f}) t.vop3[n] = t.vop3[n + 0x80] = {};
  t.vop3[kDot2accF16] = old.vop3[0x102];
  t.dual_row[0x0c] = kDot2accF16;
  t.dual[0x0a] = "v_dual_max_num_f32";
  t.dual_row[0x0a] = 0x116;
  t.dual[0x0b] = "v_dual_min_num_f32";
  t.dual_row[0x0b] = 0x115;
  for (u32 n : {0x30fu, 0x310u}) {
    VectorRow& row = t.vop3[n];
    row = {};
    row.name = n == 0x30f ? "v_permlane16_var_b32" : "v_permlanex16_var_b32";
    row.custom = n == 0x30f ? &permlane_var<0> : &permlane_var<16>;
    row.d = row.a = row.b = Type::b32;
    row.flags = OPSEL | NODPP;
  }
  scalar_rows(t);
  memory_rows(t);
  enter_image12(t);
}

}  // namespace cassc::emu::CASSC_EMU_VARIANT
