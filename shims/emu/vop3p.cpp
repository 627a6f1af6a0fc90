// VOP3P rows, and WMMA.
#include "meaning.h"
#include "vector.h"

namespace cassc::emu::CASSC_EMU_VARIANT {
namespace {

#define VOP3P(n, name, D, A, B, C, flags, ...) CASSC_ROW(name, D, A, B, C, (flags), __VA_ARGS__)
#define VOP3PS(n, name, D, A, B, C, flags, plain, ...) \
  CASSC_ROW(name, D, A, B, C, (flags), plain) CASSC_ROW(name##_clamp, D, A, B, C, (flags), __VA_ARGS__)
#define VOP3PX(n, name, handler)
#include "isa/vop3p.def"
#undef VOP3P
#undef VOP3PS
#undef VOP3PX

// D[16][16] = A[16][16] B[16][16] + C[16][16]. Lane l of A holds row l % 16, of B column l % 16, packed along k; both halves
// of the wave must hold the same. Element (2i + l / 16, l % 16) of C and D is in register i of lane l.
const Op* wmma(Wave& w, const Op* op) {
  const u32 kind = op->imm;
  const bool nibbles = kind == 0x45, bytes = kind == 0x44, integer = nibbles || bytes;
  const bool narrow = kind == 0x42 || kind == 0x43, brain = kind == 0x41 || kind == 0x43;
  const u32* a = vector_source(w, op, 0);
  const u32* b = vector_source(w, op, 1);
  const u32* c = vector_source(w, op, 2);
  const bool constant = op->bank[2] != 0, scalar = op->bank[2] == 2;
  u32 r[8][kLanes];
  for (u32 i = 0; i < 8; ++i) {
    for (u32 l = 0; l < kLanes; ++l) {
      const u32 row = 2 * i + l / 16, column = l % 16;
      const u32 raw = scalar ? w.s[op->src[2]] : c[(constant ? 0 : i * kLanes) + l];
      if (integer) {
        i64 sum = i32(raw);
        for (u32 k = 0; k < 16; ++k) {
          const u32 word = nibbles ? k / 8 : k / 4, shift = nibbles ? 4 * (k % 8) : 8 * (k % 4), width = nibbles ? 4 : 8;
          const u32 x = a[word * kLanes + row] >> shift & ((1u << width) - 1), y = b[word * kLanes + column] >> shift & ((1u << width) - 1);
          sum += i64(op->neg & 1 ? sext(x, width) : i32(x)) * (op->neg & 2 ? sext(y, width) : i32(y));
        }
        r[i][l] = op->clamp ? u32(saturate(sum, INT32_MIN, INT32_MAX)) : u32(sum);
      } else {
        const u32 half = narrow ? raw >> (op->op_sel & 4 ? 16 : 0) & 0xffff : raw;
        float sum = !narrow ? f32_of(raw) : brain ? bf16_to_f32(half) : f16_to_f32(half);
        if (op->neg_hi & 4) sum = abs_of(sum);
        if (op->neg & 4) sum = -sum;
        for (u32 k = 0; k < 16; ++k) {
          u32 x = a[k / 2 * kLanes + row] >> (16 * (k & 1)) & 0xffff, y = b[k / 2 * kLanes + column] >> (16 * (k & 1)) & 0xffff;
          const u32 flips = k & 1 ? op->neg_hi : op->neg;
          if (flips & 1) x ^= 0x8000;
          if (flips & 2) y ^= 0x8000;
          sum = brain ? fma(bf16_to_f32(x), bf16_to_f32(y), sum) : fma(f16_to_f32(x), f16_to_f32(y), sum);
        }
        r[i][l] = !narrow ? bits(sum) : brain ? f32_to_bf16(sum) : f32_to_f16(sum, w.context.f16_mode);
      }
    }
  }
  u32* d = vector_dest(w, op);
  for (u32 i = 0; i < 8; ++i) {
    if (narrow) blend_half(d + i * kLanes, r[i], ~0u, op->op_sel & 4 ? 16 : 0);
    else __builtin_memcpy(d + i * kLanes, r[i], sizeof r[i]);
  }
  return op + op->length;
}

}  // namespace

void enter_vop3p(Tables& t) {
#define VOP3P(n, name, D, A, B, C, flags, ...) enter<name##_row>(t.vop3p[n], #name);
#define VOP3PS(n, name, D, A, B, C, flags, plain, ...) \
  enter<name##_row>(t.vop3p[n], #name);                \
  t.vop3p[n].lanes_clamp = &lanes<name##_clamp_row>;
#define VOP3PX(n, row, handler)     \
  t.vop3p[n] = {};                  \
  t.vop3p[n].name = #row;           \
  t.vop3p[n].custom = handler;      \
  t.vop3p[n].flags = SEL;
#include "isa/vop3p.def"
#undef VOP3P
#undef VOP3PS
#undef VOP3PX
}

}  // namespace cassc::emu::CASSC_EMU_VARIANT
