// Machine words to operations: one function for each format.
#include <utility>

#include "decode_operands.h"
#include "flat_fields.h"
#include "image_fields.h"

namespace cassc::emu {
namespace {

class Decoder : private OperandDecoder {
 public:
  template <class... T>
  explicit Decoder(T&&... state) : OperandDecoder(std::forward<T>(state)...) {}

  Decoded run() {
    *op_ = Op{};
    if (count_ == 0) return refuse("end of code");
    const u32 w = w_[0];
    if (!(w >> 31)) {
      if (w >> 25 == 0x3f) return vop1();
      if (w >> 25 == 0x3e) return vopc();
      return vop2();
    }
    if (w >> 30 == 2) {
      if (w >> 23 == 0x17d) return sop1();
      if (w >> 23 == 0x17e) return sopc();
      if (w >> 23 == 0x17f) return sopp();
      if (w >> 28 == 0xb) return sopk();
      return sop2();
    }
    if (count_ < 2) return refuse("end of code");
    if (t_.gfx12) {
      switch (w >> 26) {
        case 0x31: return count_ < 3 ? refuse("end of code") : vbuffer();
        case 0x34: case 0x39: return count_ < 3 ? refuse("end of code") : vimage(w >> 26 == 0x39);
        case 0x37: case 0x38: case 0x3a: case 0x3c: return refuse("unknown encoding");
        case 0x3b: return count_ < 3 ? refuse("end of code") : vflat();
        case 0x3d: return smem12();
        default: break;
      }
    }
    switch (w >> 26) {
      case 0x32: return vopd();
      case 0x33: return w >> 24 == 0xcc && !(w >> 23 & 1) ? vop3p() : refuse("interpolation");
      case 0x35: return vop3();
      case 0x36: return ds();
      case 0x37: return flat();
      case 0x38: return mubuf();
      case 0x3a: return mtbuf();
      case 0x3c: return mimg();
      case 0x3d: return smem();
      case 0x3e: return refuse("export");
      default: return refuse("unknown encoding");
    }
  }

 private:
  Decoded vop1() {
    const u32 w = w_[0], number = w >> 9 & 255, code = w & 511;
    const VectorRow& row = t_.vop3[0x180 + (number & 127)];
    if (number > 127 || !row.name) return refuse("unknown VOP1 instruction");
    op_->row = &row;
    op_->imm = number;
    if (row.custom && row.d == Type::none) return w & 0x1fe01ff ? refuse("reserved bits") : done(row.name, row.custom);
    bool ok = true;
    if (row.flags & SDST) {
      ok = scalar_dest(w >> 17 & 255, 1, op_->dst);
    } else {
      ok = vector_dest(w >> 17 & 255, row.d, true);
    }
    if (row.custom && !is_dpp(code)) {
      const bool swap = row.flags & E32 && !(row.flags & SDST);
      if (swap && code < 256 && number != 0x67) return refuse("operand must be a vector register");
      ok = ok && vector_source(code, row.a, 0, true);
      if (number == 0x67 && op_->bank[0] == 2) fail("operand must be a vector register");
    } else if (is_dpp(code)) {
      ok = ok && take_dpp(code) && vector_source(256 + (op_->dpp & 255), row.a, 0, true);
      compact_dpp_modifiers();
    } else {
      ok = ok && vector_source(code, row.a, 0, true);
    }
    return ok ? finish_vector() : refuse("operand");
  }

  Decoded vop2() {
    const u32 w = w_[0], number = w >> 25, code = w & 511;
    const VectorRow& row = t_.vop3[0x100 + number];
    if (number > 0x3f || !row.name) return refuse("unknown VOP2 instruction");
    op_->row = &row;
    bool ok = vector_dest(w >> 17 & 255, row.d, true);
    if (is_dpp(code)) {
      ok = ok && take_dpp(code) && vector_source(256 + (op_->dpp & 255), row.a, 0, true);
    } else {
      if (row.flags & (AK | MK)) {
        const u32 k = literal();
        op_->bank[2] = 1;
        op_->src[2] = constants_.vector(k);
      }
      ok = ok && vector_source(code, row.a, 0, true);
    }
    ok = ok && vector_source(256 + (w >> 9 & 255), row.b, 1, true);
    compact_dpp_modifiers();
    accumulate(row);
    op_->carry_in = op_->carry_out = kVcc;
    return ok ? finish_vector() : refuse("operand");
  }
  void accumulate(const VectorRow& row) {
    if (!(row.flags & ACC)) return;
    op_->bank[2] = 0;
    op_->src[2] = op_->dst;
    op_->half[2] = op_->dst_half;
  }

  Decoded vopc() {
    const u32 w = w_[0], number = w >> 17 & 255, code = w & 511;
    const VectorRow& row = t_.vop3[number];
    if (!row.name) return refuse("unknown VOPC instruction");
    op_->row = &row;
    bool ok = true;
    if (is_dpp(code)) {
      ok = take_dpp(code) && vector_source(256 + (op_->dpp & 255), row.a, 0, true);
    } else {
      ok = vector_source(code, row.a, 0, true);
    }
    ok = ok && vector_source(256 + (w >> 9 & 255), row.b, 1, true);
    compact_dpp_modifiers();
    op_->carry_out = row.flags & CMPX ? kExec : kVcc;
    return ok ? finish_vector() : refuse("operand");
  }

  Decoded vop3() {
    const u32 w = w_[0], x = w_[1], number = w >> 16 & 1023;
    const VectorRow& row = t_.vop3[number];
    length_ = 2;
    if (!row.name || (row.flags & E32)) return refuse("unknown VOP3 instruction");
    op_->row = &row;
    op_->imm = number >= 0x180 && number < 0x200 ? number - 0x180 : number;
    op_->clamp = w >> 15 & 1;
    op_->omod = x >> 27 & 3;
    op_->neg = x >> 29;
    const bool sd = row.flags & SD;
    const Type types[3] = {row.a, row.b, row.c};
    u32 slot = 0;
    bool ok = true;
    if (!sd) {
      op_->abs = w >> 8 & 7;
      op_->op_sel = w >> 11 & 15;
    }
    if (row.custom && row.d == Type::none) {
      return x || w & 0xffff ? refuse("reserved bits") : done(row.name, row.custom);
    }
    if (row.flags & CMP) {
      ok = scalar_dest(w & 255, 1, slot);
      if (row.flags & CMPX && (w & 255) != 126) return refuse("destination must be EXEC");
      op_->carry_out = u8(slot);
    } else if (row.flags & SDST) {
      ok = scalar_dest(w & 255, 1, op_->dst);
    } else {
      ok = vector_dest(w & 255, row.d, false);
      if (sd) {
        ok = ok && scalar_dest(w >> 8 & 127, 1, slot);
        op_->carry_out = u8(slot);
      }
    }
    const u32 codes[3] = {x & 511, x >> 9 & 511, x >> 18 & 511};
    for (int i = 0; i < 3 && ok; ++i) {
      if (types[i] == Type::none || (i == 2 && (row.flags & ACC))) {
        const bool mask = i == 2 && (row.flags & CI);
        if (!mask && codes[i]) return refuse("reserved bits");
        continue;
      }
      if (is_dpp(codes[i])) {
        ok = i == 0 && take_dpp(codes[0]) && vector_source(256 + (op_->dpp & 255), row.a, 0, false);
        continue;
      }
      if (row.custom && row.lanes && codes[i] >= 256) return refuse("operand must be scalar");
      ok = vector_source(codes[i], types[i], i, false);
      if (ok && is_half(types[i])) op_->half[i] = op_->op_sel >> i & 1 ? 16 : 0;
    }
    if (!ok) return refuse("operand");
    if (is_half(row.d)) op_->dst_half = op_->op_sel & 8 ? 16 : 0;
    accumulate(row);
    if (row.flags & CI) {
      if (row.flags & VCCIN) {
        op_->carry_in = kVcc;
      } else {
        if (codes[2] == 124) slot = kZero;
        else if (!scalar_register(codes[2], 1, slot)) return refuse("lane mask operand");
        op_->carry_in = u8(slot);
      }
    }
    for (int i = 0; i < 3; ++i) {
      const bool narrow = is_half(types[i]) || (row.flags & OPSEL);
      if ((op_->op_sel >> i & 1) && !narrow) return refuse("op_sel on a 32-bit operand");
    }
    if (op_->op_sel & 8 && !is_half(row.d) && !(row.flags & OPSEL && row.flags & ACC)) return refuse("op_sel on a 32-bit operand");
    if (!modifiers_allowed()) return refuse("sign modifiers on an integer instruction");
    if (op_->omod && (!is_float(row.d) || is_packed(row.a) || row.flags & NOMOD)) return refuse("omod on an integer instruction");
    if (row.flags & NOCLAMP && !is_float(row.d)) op_->clamp = 0;
    return finish_vector();
  }

  Decoded vop3p() {
    const u32 w = w_[0], x = w_[1], number = w >> 16 & 127;
    const VectorRow& row = t_.vop3p[number];
    length_ = 2;
    if (!row.name) return refuse("unknown VOP3P instruction");
    op_->row = &row;
    op_->imm = number;
    op_->clamp = w >> 15 & 1;
    op_->neg = x >> 29;
    op_->neg_hi = w >> 8 & 7;
    op_->op_sel = w >> 11 & 7;
    op_->op_sel_hi = u8((x >> 27 & 3) | (w >> 14 & 1) << 2);
    const u32 codes[3] = {x & 511, x >> 9 & 511, x >> 18 & 511};
    if (row.custom) return wmma(number, codes);
    const bool eight = t_.gfx12 && number >= 0x24 && number <= 0x27;  // dot products of 8-bit floats: only the addend has signs
    if (eight && (op_->clamp || op_->op_sel || (op_->neg | op_->neg_hi) & 3)) return refuse("reserved bits");
    const Type types[3] = {row.a, row.b, row.c};
    bool ok = vector_dest(w & 255, row.d, false);
    if (row.flags & MIX) op_->dst_half = number == 0x22 ? 16 : 0;
    for (int i = 0; i < 3 && ok; ++i) {
      if (types[i] == Type::none) {
        if (codes[i] || (op_->neg | op_->neg_hi | op_->op_sel) >> i & 1) return refuse("reserved bits");
        continue;
      }
      if (is_dpp(codes[i])) {
        const bool takes = row.flags & MIX || row.d == Type::f32;
        ok = i == 0 && takes && take_dpp(codes[0]) && vector_source(256 + (op_->dpp & 255), row.a, 0, false);
      } else ok = vector_source(codes[i], row.flags & MIX && op_->op_sel_hi >> i & 1 ? Type::pkf16 : types[i], i, false);
    }
    if (!ok) return refuse("operand");
    op_->lanes = op_->clamp && !is_float(row.d) && row.lanes_clamp ? row.lanes_clamp : row.lanes;
    if (op_->clamp && !is_float(row.d) && !row.lanes_clamp) return refuse("clamp on an instruction that has none");
    // Packed rows with the usual selection and no negation need no rearranging.
    bool usual = !op_->dpp_kind && !op_->clamp && !scalar_sources_ && !(row.flags & (MIX | SEL));
    for (int i = 0; i < 3; ++i) {
      if (types[i] == Type::none) continue;
      const u32 bit = 1u << i;
      if ((op_->neg | op_->neg_hi | op_->op_sel) & bit) usual = false;
      if (is_packed(types[i]) && !(op_->op_sel_hi & bit)) usual = false;
    }
    return done(row.name, usual ? row.fast : t_.vector_slow);
  }

  Decoded wmma12(u32 number, const u32* codes) {
    const bool narrow = number == 0x42 || number == 0x43;
    const u32 factor = number < 0x44 ? 4 : number == 0x45 ? 1 : 2, sum = narrow ? 4 : 8;
    bool ok = vgpr(w_[0] & 255, sum, op_->dst);
    for (int i = 0; i < 2; ++i) ok = ok && (codes[i] >= 256 || fail("operand must be vector registers")) && vgpr(codes[i] - 256, factor, op_->src[i]);
    return ok && accumulator(codes[2], sum, narrow ? Type::pkf16 : number >= 0x46 && number < 0x4a ? Type::f32 : number >= 0x44 ? Type::b32 : Type::f32)
               ? done(op_->row->name, op_->row->custom)
               : refuse("operand");
  }
  // A sparse A has half of B's elements; the sum is in the destination, and the third source says which elements A has.
  Decoded swmmac(u32 number, const u32* codes) {
    enum { kF16 = 0x52, kBf16 = 0x53, kIu8 = 0x54, kIu4 = 0x55, kIu4Long = 0x56 };
    const bool narrow = number == kF16 || number == kBf16, integer = number >= kIu8 && number <= kIu4Long, halves = number <= kBf16;
    const u32 key = number == kIu4Long ? 0 : 1;
    const u32 signs = halves || integer ? 3 : 0, high_signs = halves ? 3 : 0;
    if ((op_->clamp && !integer) || op_->op_sel & ~key || op_->neg & ~signs || op_->neg_hi & ~high_signs) return refuse("reserved bits");
    const u32 factor = halves ? 4 : number == kIu4 ? 1 : 2;
    bool ok = vgpr(w_[0] & 255, narrow ? 4 : 8, op_->dst);
    for (int i = 0; i < 3; ++i) {
      ok = ok && (codes[i] >= 256 || fail("operand must be vector registers")) && vgpr(codes[i] - 256, i == 2 ? 1 : i == 1 ? 2 * factor : factor, op_->src[i]);
    }
    return ok ? done(op_->row->name, op_->row->custom) : refuse("operand");
  }
  bool accumulator(u32 code, u32 count, Type type) {
    if (code >= 256) return vgpr(code - 256, count, op_->src[2]);
    u64 value;
    if (code == 255 || !constant(code, type, value)) return fail("accumulator must be vector registers or a constant");
    op_->bank[2] = 1;
    op_->src[2] = constants_.vector(value);
    return true;
  }
  Decoded wmma(u32 number, const u32* codes) {
    if (number >= 0x50) return swmmac(number, codes);
    const bool integer = t_.gfx12 ? number == 0x44 || number == 0x45 || number == 0x4a : number >= 0x44;
    if (integer ? op_->neg_hi || op_->neg & 4 : op_->clamp) return refuse("reserved bits");
    if (t_.gfx12 && (op_->op_sel || (number >= 0x46 && number < 0x4a && (op_->neg | op_->neg_hi) & 3))) return refuse("reserved bits");
    if (t_.gfx12) return wmma12(number, codes);
    const u32 factor = number == 0x44 ? 4 : number == 0x45 ? 2 : 8;
    bool ok = vgpr(w_[0] & 255, 8, op_->dst);
    for (int i = 0; i < 2; ++i) ok = ok && (codes[i] >= 256 || fail("operand must be vector registers")) && vgpr(codes[i] - 256, factor, op_->src[i]);
    ok = ok && accumulator(codes[2], 8, number == 0x42 || number == 0x43 ? Type::pkf16 : number >= 0x44 ? Type::b32 : Type::f32);
    return ok ? done(op_->row->name, op_->row->custom) : refuse("operand");
  }

  Decoded vopd() {
    const u32 w = w_[0], x = w_[1], numbers[2] = {w >> 22 & 15, w >> 17 & 31};
    const u32 codes[2][2] = {{w & 511, w >> 9 & 255}, {x & 511, x >> 9 & 255}};
    const u32 dest_x = x >> 24, dests[2] = {dest_x, (x >> 17 & 127) << 1 | (~dest_x & 1)};
    length_ = 2;
    ops_[1] = Op{};
    bool ok = true;
    for (int half = 0; half < 2 && ok; ++half) {
      if (!t_.dual[numbers[half]]) return refuse("unknown VOPD instruction");
      const VectorRow& row = t_.vop3[t_.dual_row[numbers[half]]];
      Op* part = &ops_[half];
      part->row = &row;
      part->name = t_.dual[numbers[half]];
      part->lanes = row.lanes;
      ok = vgpr(dests[half], 1, part->dst) && !is_dpp(codes[half][0]) && vector_source(codes[half][0], row.a, 0, false, part);
      if (row.b == Type::none && codes[half][1]) return refuse("reserved bits");
      if (row.b != Type::none) ok = ok && vector_source(256 + codes[half][1], row.b, 1, false, part);
      if (row.flags & ACC) part->src[2] = part->dst;
      if (row.flags & (AK | MK)) {
        part->bank[2] = 1;
        part->src[2] = constants_.vector(literal());
      }
    }
    if (!ok) return refuse("operand");
    const char* name = ops_[0].name;
    return done(name, t_.dual_run);
  }

  // --- scalar formats

  Decoded sop1() {
    const u32 w = w_[0], number = w >> 8 & 255;
    const ScalarRow& row = t_.sop1[number];
    if (row.flags & GFX115 && !limits_.gfx115) return refuse("instruction of gfx1150");
    if (!row.name) return refuse("unknown SOP1 instruction");
    bool ok = row.d == Type::none || scalar_dest(w >> 16 & 127, registers_of(row.d), op_->dst);
    if (row.a != Type::none) ok = ok && scalar_source(w & 255, row.a, 0);
    op_->imm = number;
    op_->dwords = u8(registers_of(row.d));
    if (number == 0x4c || number == 0x4d) op_->imm = w & 255;
    const u32 code = w & 255;
    if (t_.gfx12 && number >= 0x4e && number <= 0x52 && code != kM0 && (code < 128 || code > 208)) return refuse("operand");
    if (number == 0x4e) op_->imm = 0;  // s_barrier_signal, beside its twin that asks whether it was the first
    if (!ok) return refuse("operand");
    Decoded d = done(row.name, row.run);
    d.ends = number == 0x48;
    return d;
  }

  Decoded sop2() {
    const u32 w = w_[0], number = w >> 23 & 127;
    const ScalarRow& row = t_.sop2[number];
    if (row.flags & GFX115 && !limits_.gfx115) return refuse("instruction of gfx1150");
    if (!row.name) return refuse("unknown SOP2 instruction");
    if (row.flags & (AK | MK)) op_->imm = literal();
    const bool ok = scalar_dest(w >> 16 & 127, registers_of(row.d), op_->dst) && scalar_source(w & 255, row.a, 0) &&
                    scalar_source(w >> 8 & 255, row.b, 1);
    return ok ? done(row.name, row.run) : refuse("operand");
  }

  Decoded sopc() {
    const u32 w = w_[0], number = w >> 16 & 127;
    const ScalarRow& row = t_.sopc[number];
    if (row.flags & GFX115 && !limits_.gfx115) return refuse("instruction of gfx1150");
    if (!row.name) return refuse("unknown SOPC instruction");
    const bool ok = scalar_source(w & 255, row.a, 0) && scalar_source(w >> 8 & 255, row.b, 1);
    return ok ? done(row.name, row.run) : refuse("operand");
  }

  bool branch(u32 field, Decoded& d) {
    const i64 step = 1 + i64(i16(field));
    op_->imm = u32(i32(step));
    if (limits_.index < 0) return true;
    d.target = limits_.index + step;
    return d.target >= 0 && d.target < limits_.dwords;
  }

  Decoded sopk() {
    const u32 w = w_[0], number = w >> 23 & 31;
    const ScalarRow& row = t_.sopk[number];
    if (!row.name) return refuse("unknown SOPK instruction");
    op_->imm = u32(i32(i16(w)));
    if (number == 0x13) op_->src[0] = literal();
    if (row.d != Type::none && !scalar_dest(w >> 16 & 127, registers_of(row.d), op_->dst)) return refuse("operand");
    Decoded target;
    const bool jumps = number == 0x14 || number == 0x16 || number == 0x17;
    if (jumps && !branch(w & 0xffff, target)) return refuse("branch leaves the code");
    Decoded d = done(row.name, row.run);
    if (d.name) d.target = target.target;
    return d;
  }

  Decoded sopp() {
    const u32 w = w_[0], number = w >> 16 & 127;
    const ScalarRow& row = t_.sopp[number];
    if (!row.name || (row.flags & GFX115 && !limits_.gfx115)) return refuse("unknown SOPP instruction");
    op_->imm = w & 0xffff;
    if (row.flags & NOIMM && op_->imm) return refuse("reserved bits");
    Decoded target;
    const bool jumps = number >= 0x20 && number <= 0x26;
    if (jumps && !branch(w & 0xffff, target)) return refuse("branch leaves the code");
    Decoded d = done(row.name, row.run);
    if (d.name) d.target = target.target;
    d.ends = number == 0x20 || number == 0x30 || number == 0x31;
    return d;
  }

  Decoded smem() {
    const u32 w = w_[0], x = w_[1], number = w >> 18 & 255;
    const MemoryRow& row = t_.smem[number];
    length_ = 2;
    if (!row.name) return refuse("unknown SMEM instruction");
    op_->memory = &row;
    op_->dwords = row.result;
    const bool probe = number == 0x22 || number == 0x23;
    if (probe && w & 0x3e000) return refuse("reserved bits");
    if (row.result == 0 && !probe) return (w & 0x3ffff) || (x != 0 && x != 0xf8000000u) ? refuse("reserved bits") : done(row.name, row.run);
    const bool buffer = number == 0x23 || (number >= 8 && !probe);
    const u32 soffset = x >> 25;
    op_->imm = u32(i32(x << 11) >> 11);
    bool ok = scalar_register((w & 63) * 2, buffer ? 4 : 2, op_->src[0]) && (probe || scalar_dest(w >> 6 & 127, row.result, op_->dst));
    if (soffset != 124) {
      op_->flags = kHasVaddr;
      ok = ok && scalar_register(soffset, 1, op_->src[1]);
    }
    return ok ? done(row.name, row.run) : refuse("operand");
  }

  Decoded smem12() {
    const u32 w = w_[0], x = w_[1], number = w >> 13 & 63;
    const MemoryRow& row = t_.smem[number];
    length_ = 2;
    if (!row.name) return refuse("unknown SMEM instruction");
    op_->memory = &row;
    op_->dwords = row.result;
    const u32 soffset = x >> 25;
    const bool prefetch = number >= 0x24;
    if (w >> 25 & 1 || x >> 24 & 1 || w >> 19 & (prefetch ? 63 : 3)) return refuse("reserved bits");
    if (row.flags & NODATA) return done(row.name, row.run);
    op_->imm = u32(i32(x << 8) >> 8);
    const bool buffer = (number >= 0x10 && number < 0x20) || number == 0x27;
    const bool relative = number == 0x25 || number == 0x28;
    if ((buffer && x >> 23 & 1) || (prefetch && w >> 11 & 3)) return refuse("reserved bits");  // no offset below a buffer
    u32 slot = 0;
    bool ok = relative || scalar_register((w & 63) * 2, buffer ? 4 : 2, op_->src[0]);
    ok = ok && (prefetch || scalar_dest(w >> 6 & 127, row.result, op_->dst));
    if (soffset != 124) {
      op_->flags = kHasVaddr;
      ok = ok && scalar_register(soffset, 1, slot);
      op_->src[1] = slot;
    }
    return ok ? done(row.name, row.run) : refuse("operand");
  }

  // --- vector memory

  Decoded ds() {
    const DsFields f(w_[0], w_[1]);
    const MemoryRow& row = t_.ds[f.op];
    length_ = 2;
    if (!row.name) return refuse("unknown DS instruction");
    if (f.gds) return refuse("global data share");
    // Fields that the instruction does not use must be zero.
    if (w_[0] >> 16 & 1 || (row.flags & NOADDR && f.addr) || (!row.data && f.data0) || (!row.data2 && f.data1) || (!row.result && f.vdst)) {
      return refuse("reserved bits");
    }
    op_->memory = &row;
    op_->segment = Segment::lds;
    op_->imm = f.offset;
    if (row.result) op_->flags |= kReturn;
    const bool ok = (row.flags & NOADDR || vgpr(f.addr, 1, op_->src[0])) && (!row.data || vgpr(f.data0, row.data, op_->src[1])) &&
                    (!row.data2 || vgpr(f.data1, row.data2, op_->src[2])) && (!row.result || vgpr(f.vdst, row.result, op_->dst));
    return ok ? done(row.name, row.run) : refuse("operand");
  }

  Decoded flat() {
    const FlatFields f(w_[0], w_[1]);
    length_ = 2;
    if (f.segment == 3) return refuse("unknown FLAT instruction");
    return flat_access(f);
  }
  Decoded vflat() {
    const u32 w = w_[0], x = w_[1], y = w_[2];
    length_ = 3;
    FlatFields f{};
    f.segment = w >> 24 & 3;  // FLAT 0, SCRATCH 1, GLOBAL 2
    f.op = w >> 14 & 255;
    f.offset = i32(y) >> 8;
    f.saddr = w & 127;
    f.vdst = x & 255;
    f.sve = x >> 17 & 1;
    f.data = x >> 23 & 255;
    f.addr = y & 255;
    f.glc = x >> 20 & 1;                // TH: a returning atomic
    f.scope = x >> 18 & 3;
    if (f.segment == 3 || f.op > 127) return refuse("unknown VFLAT instruction");
    if (w & 0xc03f80 || x & 0x8001ff00) return refuse("reserved bits");
    const MemoryRow& row = f.segment == 2 ? t_.global[f.op] : t_.flat[f.op];
    if (f.segment == 2 && row.flags & NODATA) {
      if (!row.name || f.vdst || f.data || f.addr || f.offset || f.saddr != 124 || f.sve) return refuse("reserved bits");
      op_->memory = &row;
      return done(row.name, row.run);
    }
    return flat_access(f);
  }
  Decoded flat_access(const FlatFields& f) {
    if (f.sve && f.segment != u32(Segment::scratch)) return refuse("reserved bits");
    op_->segment = Segment(f.segment);
    const MemoryRow& row = (f.segment == 0 ? t_.flat : f.segment == 1 ? t_.scratch : t_.global)[f.op];
    if (!row.name) return refuse("unknown FLAT instruction");
    op_->memory = &row;
    op_->imm = u32(f.offset);
    bool ok = true;
    const bool saddr = f.saddr != 124;
    u32 address_registers = 0;
    if (op_->segment == Segment::flat) {
      if (saddr) return refuse("scalar address on a flat instruction");
      address_registers = 2;
    } else {
      if (saddr) {
        op_->flags |= kHasSaddr;
        ok = scalar_register(f.saddr, op_->segment == Segment::global ? 2 : 1, op_->src[2]);
      }
      if (row.flags & NOADDR) {
        if (!saddr) return refuse("address without a scalar base");
      } else if (op_->segment == Segment::global) {
        address_registers = saddr ? 1 : 2;
      } else {
        address_registers = f.sve ? 1 : 0;
      }
    }
    if (address_registers) {
      op_->flags |= kHasVaddr;
      ok = ok && vgpr(f.addr, address_registers, op_->src[0]);
    }
    if (t_.gfx12 ? f.scope != 0 : f.glc || (f.dlc && !f.slc)) op_->flags |= kStrong;
    const bool returns = row.flags & AT ? f.glc : row.result != 0;
    if (returns) {
      op_->flags |= kReturn;
      ok = ok && vgpr(f.vdst, row.result, op_->dst);
    }
    if (row.data) ok = ok && vgpr(f.data, row.data, op_->src[1]);
    return ok ? done(row.name, row.run) : refuse("operand");
  }

  Decoded vbuffer() {
    const u32 w = w_[0], x = w_[1], y = w_[2];
    BufferFields f{};
    f.op = w >> 14 & 255;
    f.soffset = w & 127;
    f.tfe = w >> 22 & 1;
    f.vdata = x & 255;
    f.srsrc = x >> 9 & 511;
    f.glc = x >> 20 & 1;
    f.offen = x >> 30 & 1;
    f.idxen = x >> 31;
    f.vaddr = y & 255;
    f.offset = y >> 8;
    if (w & 0x803f80 || x & 0x100 || y >> 31) return refuse("reserved bits");
    const bool typed = f.op >= 0x80;
    if (!typed && (x >> 23 & 127) != 1) return refuse("reserved bits");
    if (f.op >= 0x90) return refuse("unknown buffer instruction");
    if (f.soffset < 128 && f.soffset > 125) return refuse("operand");
    if (typed) {
      op_->flags = kTyped;
      op_->carry_in = x >> 23 & 127;
    }
    const MemoryRow& row = typed ? t_.mtbuf[f.op & 15] : t_.mubuf[f.op];
    Decoded d = buffer(f, row, 0);
    return d;
  }
  Decoded mubuf() {
    const BufferFields f(w_[0], w_[1]);
    return buffer(f, t_.mubuf[f.op], w_[0] & 0x3ffff);
  }
  Decoded mtbuf() {
    const BufferFields f(w_[0], w_[1]);
    op_->flags = kTyped;
    op_->carry_in = w_[0] >> 19 & 127;
    return buffer(f, t_.mtbuf[w_[0] >> 15 & 15], 0);
  }
  Decoded buffer(const BufferFields& f, const MemoryRow& row, u32 low) {
    length_ = t_.gfx12 ? 3 : 2;
    if (!row.name) return refuse("unknown buffer instruction");
    op_->memory = &row;
    if (row.flags & NODATA) return low || w_[1] ? refuse("reserved bits") : done(row.name, row.run);
    op_->segment = Segment::buffer;
    op_->imm = f.offset;
    op_->flags |= u8((f.idxen ? kIdxen : 0) | (f.offen ? kOffen : 0));
    bool ok = scalar_register(f.srsrc, 4, op_->src[2]);
    // The scalar offset goes where DPP's word lives otherwise.
    Op scratch_op = *op_;
    Op* kept = op_;
    op_ = &scratch_op;
    ok = ok && f.soffset != 255 && scalar_source(f.soffset, Type::b32, 0);
    op_ = kept;
    op_->bank[2] = scratch_op.bank[0];
    op_->dpp = scratch_op.src[0];
    if (f.idxen || f.offen) ok = ok && vgpr(f.vaddr, f.idxen && f.offen ? 2 : 1, op_->src[0]);
    const bool returns = row.flags & AT ? f.glc : row.result != 0;
    if (returns) op_->flags |= kReturn;
    if (f.tfe && (!row.result || row.flags & AT || dynamic_flags_ || op_->flags & kTyped)) return refuse("status of an access that has none");
    if (returns || row.flags & AT) ok = ok && vgpr(f.vdata, row.result + f.tfe, op_->dst);
    if (row.data) ok = ok && vgpr(f.vdata, row.data, op_->src[1]);
    if (!ok) return refuse("operand");
    Decoded d = done(row.name, row.run);
    if (f.tfe && d.name) {
      op_->inner = row.run;
      op_->run = t_.with_status;
    }
    return d;
  }

  Decoded mimg() {
    const u32 w = w_[0], x = w_[1];
    const MemoryRow& row = t_.image[w >> 18 & 255];
    length_ = 2 + (w & 1);
    if (!row.name) return refuse("unknown image instruction");
    if (row.flags & kRefused) return refuse(row.name);
    if (w >> 15 & 1) return refuse("image descriptor of 128 bits");
    if (count_ < length_) return refuse("end of code");
    if (w >> 5 & 3) return refuse("reserved bits");
    const u32 numbers[5] = {x & 255, w & 1 ? w_[2] & 255 : 0, w & 1 ? w_[2] >> 8 & 255 : 0, w & 1 ? w_[2] >> 16 & 255 : 0, w & 1 ? w_[2] >> 24 : 0};
    // Bit 53 and 54: a status dword behind the data (TFE), and one for each level (LWE), which is the same here.
    op_->dpp = ImageFields::pack(w >> 2 & 7, w >> 8 & 15, w & 1 ? 5 : 1, w >> 7 & 1, w >> 16 & 1, w >> 17 & 1, x >> 21 & 3);
    return image(row, numbers, x >> 8 & 255, (x >> 16 & 31) * 4, (x >> 26) * 4, w >> 14 & 1);
  }
  Decoded vimage(bool sampler) {
    const u32 w = w_[0], x = w_[1], y = w_[2];
    const MemoryRow& row = t_.image[w >> 14 & 255];
    length_ = 3;
    if (!row.name || ((row.flags & kSampler) != 0) != sampler) return refuse("unknown image instruction");
    if (row.flags & kRefused) return refuse(row.name);
    if (w >> 4 & 1) return refuse("image descriptor of 128 bits");
    if (w & (sampler ? 0x1f80 : 0x3f88) || (!sampler && x & 0x100)) return refuse("reserved bits");
    const u32 numbers[5] = {y & 255, y >> 8 & 255, y >> 16 & 255, y >> 24, x >> 24};
    const bool status = sampler ? (w >> 3 & 1) | (x >> 8 & 1) : x >> 23 & 1;
    op_->dpp = ImageFields::pack(w & 7, w >> 22 & 15, sampler ? 4 : 5, sampler && w >> 13 & 1, w >> 6 & 1, w >> 5 & 1, status);
    return image(row, numbers, x & 255, x >> 9 & 511, sampler ? x >> 23 : 0, x >> 20 & 1);
  }
  Decoded image(const MemoryRow& row, const u32* numbers, u32 data, u32 resource, u32 sampler, bool returns) {
    const ImageFields f(op_->dpp);
    op_->memory = &row;
    op_->segment = Segment::image;
    bool ok = scalar_register(resource, 8, op_->src[2]);
    u32 slot = 0;
    if (row.flags & kSampler) ok = ok && scalar_register(sampler, 4, slot);
    else if (sampler) return refuse("sampler of an access that has none");
    op_->carry_in = u8(slot);
    const u32 dwords = f.address_dwords(row.flags);
    for (u32 i = 0; i < f.separate && i < dwords; ++i) {
      const u32 run = i + 1 < f.separate ? 1 : dwords - i;
      u32 offset = 0;
      ok = ok && vgpr(numbers[i], run, offset);
      if (i == 0) op_->src[0] = offset;
      else op_->imm |= numbers[i] << (8 * (i - 1));
    }
    const u32 count = row.flags & AT ? f.components() : f.data_dwords(row.flags);
    if (row.flags & AT && f.short_data) return refuse("16-bit data of an atomic access");
    if (row.flags & AT && count != row.data && count != 2u * row.data) return refuse("data mask of an atomic access");
    if (row.flags & (ST | AT)) ok = ok && vgpr(data, count, op_->src[1]);
    if (!(row.flags & ST)) ok = ok && vgpr(data, count + f.status, op_->dst);
    if (row.flags & AT && returns) op_->flags |= kReturn;
    return ok ? done(row.name, row.run) : refuse("operand");
  }
};

}  // namespace

Decoded decode(const Tables& tables, const u32* words, size_t count, const DecodeLimits& limits, Constants& constants, Op* ops) {
  return Decoder(tables, words, count, limits, constants, ops).run();
}

}  // namespace cassc::emu
