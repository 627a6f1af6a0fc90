// The general path of a vector operation: scalar sources, DPP, modifiers, output modifiers; and VOPD.
#include "meaning.h"
#include "vector.h"

namespace cassc::emu::CASSC_EMU_VARIANT {
namespace {

u32 registers_of(Type type) {
  switch (type) {
    case Type::none: return 0;
    case Type::b64: case Type::i64: case Type::f64: return 2;
    case Type::b96: return 3;
    case Type::b128: return 4;
    default: return 1;
  }
}

bool is_half(Type type) { return type == Type::b16 || type == Type::i16 || type == Type::f16; }

// Source lane of a DPP16 control, or -1 where it lies outside the row.
int dpp16_lane(u32 control, int lane) {
  const int row = lane & 16, in = lane & 15;
  int from;
  if (control < 0x100) return (lane & 28) + int(control >> (2 * (lane & 3)) & 3);
  switch (control >> 4) {
    case 0x10: from = in + int(control & 15); break;
    case 0x11: from = in - int(control & 15); break;
    case 0x12: from = (in - int(control & 15)) & 15; break;
    case 0x14: from = control == 0x140 ? 15 - in : (in & 8) + 7 - (in & 7); break;
    case 0x15: from = int(control & 15); break;
    default: from = in ^ int(control & 15); break;
  }
  return from < 0 || from > 15 ? -1 : row + from;
}

const u32* fetch(const Wave& w, const Op* op, int i, Type type, u32* t) {
  const u32 registers = registers_of(type);
  const u32* p;
  if (op->bank[i] == 2) {
    for (u32 r = 0; r < registers; ++r) {
      const u32 v = w.s[op->src[i] + r];
      for (u32 l = 0; l < kLanes; ++l) t[r * kLanes + l] = v;
    }
    p = t;
  } else {
    p = vector_source(w, op, i);
  }
  return p;
}

void modify(const Op* op, int i, Type type, const u32*& p, u32* t) {
  const bool absolute = op->abs >> i & 1, negative = op->neg >> i & 1;
  if (type == Type::pk16 || type == Type::pkf16) {
    const u32 low = op->op_sel >> i & 1 ? 16 : 0, high = op->op_sel_hi >> i & 1 ? 16 : 0;
    const u32 flip = (negative ? 0x8000u : 0) | (op->neg_hi >> i & 1 ? 0x80000000u : 0);
    if (low == 0 && high == 16 && !flip) return;
    for (u32 l = 0; l < kLanes; ++l) t[l] = ((p[l] >> low & 0xffffu) | (p[l] >> high) << 16) ^ flip;
    p = t;
    return;
  }
  if (op->half[i]) {
    for (u32 l = 0; l < kLanes; ++l) t[l] = p[l] >> 16;
    p = t;
  }
  if (!absolute && !negative) return;
  const u32 top = is_half(type) ? 0x8000u : 0x80000000u, at = registers_of(type) == 2 ? kLanes : 0;
  const u32 keep = absolute ? ~top : ~0u, flip = negative ? top : 0;
  if (at) for (u32 l = 0; l < kLanes; ++l) t[l] = p[l];
  for (u32 l = 0; l < kLanes; ++l) t[at + l] = (p[at + l] & keep) ^ flip;
  p = t;
}

// fma_mix: each source is an f32, or the chosen half of a register as f16; abs is neg_hi's bit.
void mix(const Op* op, int i, const u32*& p, u32* t) {
  const bool narrow = op->op_sel_hi >> i & 1;
  const u32 shift = op->op_sel >> i & 1 ? 16 : 0;
  const u32 keep = op->neg_hi >> i & 1 ? 0x7fffffffu : ~0u, flip = op->neg >> i & 1 ? 0x80000000u : 0;
  for (u32 l = 0; l < kLanes; ++l) t[l] = ((narrow ? bits(f16_to_f32(p[l] >> shift & 0xffffu)) : p[l]) & keep) ^ flip;
  p = t;
}

void finish(const Op* op, Type type, u32* r, const LaneContext& x) {
  const u32 omod = (type == Type::f32 ? x.omod32 : x.omod64) ? op->omod : 0;
  if (type == Type::f32) {
    for (u32 l = 0; l < kLanes; ++l) {
      float v = f32_of(r[l]);
      if (omod) v = v * (omod == 1 ? 2.0f : omod == 2 ? 4.0f : 0.5f);
      if (op->clamp) v = clamp01(v, x.dx10);
      r[l] = bits(v);
    }
  } else if (type == Type::f64) {
    for (u32 l = 0; l < kLanes; ++l) {
      double v = f64::get(r, int(l), 0);
      if (omod) v = v * (omod == 1 ? 2.0 : omod == 2 ? 4.0 : 0.5);
      if (op->clamp) v = clamp01(v, x.dx10);
      f64::put(r, int(l), v, 0);
    }
  } else if (type == Type::f16 || type == Type::pkf16) {
    const u32 parts = type == Type::f16 ? 1 : 2;
    for (u32 l = 0; l < kLanes; ++l) {
      for (u32 k = 0; k < parts; ++k) {
        float v = f16_to_f32(r[l] >> (16 * k) & 0xffffu);
        if (omod) v = v * (omod == 1 ? 2.0f : omod == 2 ? 4.0f : 0.5f);
        if (op->clamp) v = clamp01(v, x.dx10);
        r[l] = (r[l] & ~(0xffffu << (16 * k))) | f32_to_f16(v, x.f16_mode) << (16 * k);
      }
    }
  }
}

struct Control {  // the host's floating point control for the span of one operation
  const Wave& w;
  const bool change;
  Control(const Wave& wave, FpClass fp) : w(wave), change(wave.mxcsr[fp] != wave.mxcsr[kSp]) {
    if (change) _mm_setcsr(wave.mxcsr[fp]);
  }
  ~Control() { if (change) _mm_setcsr(w.mxcsr[kSp]); }
};

}  // namespace

u32 apply_dpp(const Op* op, u32 exec, const u32* from, u32* to, u32 registers) {
  u32 write = exec;
  for (int l = 0; l < int(kLanes); ++l) {
    int source;
    bool zero = true, enabled = true;
    if (op->dpp_kind == 2) {
      source = (l & 24) + int(op->dpp >> (8 + 3 * (l & 7)) & 7);
    } else {
      source = dpp16_lane(op->dpp >> 8 & 0x1ff, l);
      zero = op->dpp >> 19 & 1;
      enabled = (op->dpp >> (28 + (l >> 4)) & 1) && (op->dpp >> (24 + (l >> 2 & 3)) & 1);
    }
    const bool valid = source >= 0 && (op->fetch_inactive || (exec >> source & 1));
    if (!enabled || (!valid && !zero)) write &= ~(1u << l);
    for (u32 r = 0; r < registers; ++r) to[r * kLanes + u32(l)] = valid ? from[r * kLanes + u32(source)] : 0;
  }
  return write;
}

const Op* vector_slow(Wave& w, const Op* op) {
  const VectorRow& row = *op->row;
  const u32 exec = w.s[kExec];
  LaneContext& x = w.context;
  x.op = op;
  alignas(64) u32 t[3][2 * kLanes], result[2 * kLanes];
  const Type types[3] = {row.a, row.b, row.c};
  const u32* p[3] = {result, result, result};
  u32 write = exec;
  const Control control(w, row.fp);
  for (int i = 0; i < 3; ++i) {
    if (types[i] == Type::none) continue;
    p[i] = fetch(w, op, i, types[i], t[i]);
    if (i == 0 && op->dpp_kind) {
      alignas(64) u32 moved[2 * kLanes];
      write = apply_dpp(op, exec, p[0], moved, registers_of(row.a));
      __builtin_memcpy(t[0], moved, sizeof moved);
      p[0] = t[0];
    }
    if (row.flags & MIX) mix(op, i, p[i], t[i]);
    else if (!(row.flags & SEL)) modify(op, i, types[i], p[i], t[i]);
  }
  if (row.flags & CI) x.carry_in = w.s[op->carry_in];
  op->lanes(result, p[0], p[1], p[2], x);
  if (row.flags & CMP) {
    w.s[op->carry_out] = x.carry_out & write;
    return op + op->length;
  }
  if (op->omod || op->clamp) finish(op, row.d, result, x);
  u32* d = vector_dest(w, op);
  if (is_half(row.d)) {
    blend_half(d, result, write, op->dst_half);
  } else {
    for (u32 r = 0; r < registers_of(row.d); ++r) blend(d + r * kLanes, result + r * kLanes, write);
  }
  if (row.flags & CO) w.s[op->carry_out] = x.carry_out & write;
  return op + op->length;
}

// VOPD: both halves read before either writes. The second half is the next operation in the array.
const Op* dual(Wave& w, const Op* op) {
  const u32 exec = w.s[kExec];
  LaneContext& x = w.context;
  alignas(64) u32 t[3][kLanes], result[2][kLanes];
  for (int half = 0; half < 2; ++half) {
    const Op* part = op + half;
    const VectorRow& row = *part->row;
    const Control control(w, row.fp);
    const u32* p[3] = {result[0], result[0], result[0]};
    const Type types[3] = {row.a, row.b, row.c};
    for (int i = 0; i < 3; ++i) {
      if (types[i] != Type::none) p[i] = fetch(w, part, i, types[i], t[i]);
    }
    x.carry_in = w.s[kVcc];
    part->lanes(result[half], p[0], p[1], p[2], x);
  }
  if (exec == ~0u) {
    __builtin_memcpy(vector_dest(w, op), result[0], sizeof result[0]);
    __builtin_memcpy(vector_dest(w, op + 1), result[1], sizeof result[1]);
  } else {
    blend(vector_dest(w, op), result[0], exec);
    blend(vector_dest(w, op + 1), result[1], exec);
  }
  return op + op->length;
}

// Sources `vccz` and `execz` are not registers: give them their value, then run the operation itself.
const Op* flags_first(Wave& w, const Op* op) {
  w.s[kVccz] = w.s[kVcc] == 0;
  w.s[kExecz] = w.s[kExec] == 0;
  return op->inner(w, op);
}

}  // namespace cassc::emu::CASSC_EMU_VARIANT
