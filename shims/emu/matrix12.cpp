// gfx12's products of matrices. Lane l of A holds row l % 16, of B column l % 16, the first half of k in lanes 0..15; register i of
// C and D holds row i + 8 * (l / 16) of column l % 16, two rows in a register where elements have 16 bits. A sparse A holds two of
// each four elements along k, and a register of two bits for each of them says which (RDNA4 ISA, 7.12.3).
#include "float8.h"
#include "meaning.h"
#include "vector.h"

namespace cassc::emu::CASSC_EMU_VARIANT {
namespace {

enum class Element : u8 { f16, bf16, i8, i4, fp8, bf8 };

struct Product {
  Element a, b;
  u8 length;    // of k
  bool narrow;  // C and D have 16 bits
};
constexpr u32 kFirst = 0x40, kFirstSparse = 0x50;  // VOP3P numbers
constexpr Product kDense[] = {{Element::f16, Element::f16, 16, false},   {Element::bf16, Element::bf16, 16, false},
                              {Element::f16, Element::f16, 16, true},    {Element::bf16, Element::bf16, 16, true},
                              {Element::i8, Element::i8, 16, false},     {Element::i4, Element::i4, 16, false},
                              {Element::fp8, Element::fp8, 16, false},   {Element::fp8, Element::bf8, 16, false},
                              {Element::bf8, Element::fp8, 16, false},   {Element::bf8, Element::bf8, 16, false},
                              {Element::i4, Element::i4, 32, false}};
constexpr Product kSparse[] = {{Element::f16, Element::f16, 32, false},  {Element::bf16, Element::bf16, 32, false},
                               {Element::f16, Element::f16, 32, true},   {Element::bf16, Element::bf16, 32, true},
                               {Element::i8, Element::i8, 32, false},    {Element::i4, Element::i4, 32, false},
                               {Element::i4, Element::i4, 64, false},    {Element::fp8, Element::fp8, 32, false},
                               {Element::fp8, Element::bf8, 32, false},  {Element::bf8, Element::fp8, 32, false},
                               {Element::bf8, Element::bf8, 32, false}};

u32 width_of(Element e) { return e == Element::i4 ? 4 : e == Element::f16 || e == Element::bf16 ? 16 : 8; }

float element(Element e, u32 raw) {
  switch (e) {
    case Element::f16: return f16_to_f32(raw);
    case Element::bf16: return bf16_to_f32(raw);
    case Element::fp8: return fp8_to_f32(raw);
    default: return bf8_to_f32(raw);
  }
}

// Element k of a line (a row of A, a column of B) that both halves of the wave hold, each `in_lane` elements of it.
u32 part(const u32* from, u32 line, u32 k, u32 in_lane, u32 width) {
  const u32 lane = line + 16 * (k / in_lane), i = k % in_lane, in_register = 32 / width;
  return from[i / in_register * kLanes + lane] >> (width * (i % in_register)) & ((1u << width) - 1);
}

}  // namespace

const Op* matrix12(Wave& w, const Op* op) {
  const bool sparse = op->imm >= kFirstSparse;
  const Product& p = sparse ? kSparse[op->imm - kFirstSparse] : kDense[op->imm - kFirst];
  const bool integer = p.a == Element::i8 || p.a == Element::i4;
  const u32 width = width_of(p.a), terms = sparse ? p.length / 2 : p.length;
  const u32 a_in_lane = terms / 2, b_in_lane = p.length / 2;
  const u32* a = vector_source(w, op, 0);
  const u32* b = vector_source(w, op, 1);
  const u32* third = vector_source(w, op, 2);  // C, or the places of a sparse A's elements
  const u32* c = sparse ? vector_dest(w, op) : third;
  const bool constant = !sparse && op->bank[2] != 0;
  const u32 key = 16 * (op->op_sel & 1);
  const auto place = [&](u32 row, u32 term) {  // in k
    return sparse ? 4 * (term / 2) + (third[row + 16 * (term / a_in_lane)] >> (key + 2 * (term % a_in_lane)) & 3) : term;
  };
  u32 r[8][kLanes];
  for (u32 i = 0; i < 8; ++i) {
    for (u32 l = 0; l < kLanes; ++l) {
      const u32 row = i + 8 * (l / 16), column = l % 16;
      const u32 at = p.narrow ? i / 2 : i, shift = p.narrow && i & 1 ? 16 : 0;
      const u32 raw = !sparse && op->bank[2] == 2 ? w.s[op->src[2]] : c[(constant ? 0 : at * kLanes) + l];
      if (integer) {
        i64 sum = i32(raw);
        for (u32 term = 0; term < terms; ++term) {
          const u32 x = part(a, row, term, a_in_lane, width), y = part(b, column, place(row, term), b_in_lane, width);
          sum += i64(op->neg & 1 ? sext(x, width) : i32(x)) * (op->neg & 2 ? sext(y, width) : i32(y));
        }
        r[i][l] = op->clamp ? u32(saturate(sum, INT32_MIN, INT32_MAX)) : u32(sum);
        continue;
      }
      const u32 half = constant ? raw & 0xffff : raw >> shift & 0xffff;
      float sum = !p.narrow ? f32_of(raw) : p.a == Element::bf16 ? bf16_to_f32(half) : f16_to_f32(half);
      if (op->neg_hi & 4) sum = abs_of(sum);
      if (op->neg & 4) sum = -sum;
      for (u32 term = 0; term < terms; ++term) {
        const u32 k = place(row, term);
        float x = element(p.a, part(a, row, term, a_in_lane, width)), y = element(p.b, part(b, column, k, b_in_lane, width));
        // Signs go by the half of a register.
        if (width == 16 && (term & 1 ? op->neg_hi : op->neg) & 1) x = -x;
        if (width == 16 && (k & 1 ? op->neg_hi : op->neg) & 2) y = -y;
        sum = fma(x, y, sum);
      }
      r[i][l] = !p.narrow ? bits(sum) : p.a == Element::bf16 ? f32_to_bf16(sum) : f32_to_f16(sum, w.context.f16_mode);
    }
  }
  u32* d = vector_dest(w, op);
  for (u32 i = 0; i < 8; ++i) {
    if (p.narrow) blend_half(d + i / 2 * kLanes, r[i], ~0u, 16 * (i & 1));
    else __builtin_memcpy(d + i * kLanes, r[i], sizeof r[i]);
  }
  return op + op->length;
}

}  // namespace cassc::emu::CASSC_EMU_VARIANT
