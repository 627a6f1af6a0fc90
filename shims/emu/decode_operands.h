// What the decoder's formats share: operand codes, constants, literals, DPP, modifiers.
#pragma once
#include "decode.h"

namespace cassc::emu {
namespace {

bool is_half(Type t) { return t == Type::b16 || t == Type::i16 || t == Type::f16; }
bool is_packed(Type t) { return t == Type::pk16 || t == Type::pkf16; }
bool is_float(Type t) { return t == Type::f16 || t == Type::f32 || t == Type::f64 || t == Type::pkf16; }
u32 registers_of(Type t) {
  switch (t) {
    case Type::none: return 0;
    case Type::b64: case Type::i64: case Type::f64: return 2;
    case Type::b96: return 3;
    case Type::b128: return 4;
    default: return 1;
  }
}

constexpr u32 kInlineF32[] = {0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x40000000, 0xc0000000, 0x40800000, 0xc0800000, 0x3e22f983};
constexpr u32 kInlineF16[] = {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118};
constexpr u64 kInlineF64[] = {0x3fe0000000000000, 0xbfe0000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x4000000000000000,
                              0xc000000000000000, 0x4010000000000000, 0xc010000000000000, 0x3fc45f306dc9c882};

class OperandDecoder {
 protected:
  OperandDecoder(const Tables& t, const u32* words, size_t count, const DecodeLimits& limits, Constants& constants, Op* ops)
      : t_(t), w_(words), count_(count), limits_(limits), constants_(constants), ops_(ops), op_(&ops[0]) {}

  const Tables& t_;
  const u32* w_;
  size_t count_;
  const DecodeLimits& limits_;
  Constants& constants_;
  Op* ops_;
  Op* op_;
  u32 length_ = 1;         // dwords without literal or DPP
  bool literal_used_ = false;
  bool dynamic_flags_ = false;  // a source is vccz or execz
  bool scalar_sources_ = false; // a vector source is a scalar register
  const char* refusal_ = nullptr;

  Decoded refuse(const char* why) {
    Decoded d;
    d.refusal = refusal_ ? refusal_ : why;
    return d;
  }
  bool fail(const char* why) {
    if (!refusal_) refusal_ = why;
    return false;
  }

  Decoded done(const char* name, Handler run) {
    if (refusal_) return refuse(refusal_);
    Decoded d;
    d.name = name;
    d.length = length_ + (literal_used_ ? 1 : 0);
    if (d.length > count_) return refuse("end of code");
    op_->name = name;
    op_->length = u8(d.length);
    op_->run = run;
    if (dynamic_flags_) {
      op_->inner = run;
      op_->run = t_.flags_first;
    }
    return d;
  }

  u32 literal() {
    literal_used_ = true;
    if (length_ >= count_) {
      fail("end of code");
      return 0;
    }
    return w_[length_];
  }

  // --- scalar operands

  bool scalar_register(u32 code, u32 dwords, u32& slot) {
    const u32 align = dwords >= 3 ? 4 : dwords;
    if (code <= 105) {
      slot = code;
      return (code % align == 0 && code + dwords <= 106) || fail("scalar registers out of range");
    }
    if (code == 106 || code == 107) {
      slot = code;
      return code + dwords <= 108 || fail("scalar registers out of range");
    }
    if (code >= 108 && code <= 123) {
      slot = code;
      return ((code - 108) % align == 0 && code + dwords <= 124) || fail("scalar registers out of range");
    }
    if (code == 125 || code == 126 || code == 127) {
      slot = code;
      return dwords == 1 || (dwords == 2 && code == 126) || fail("scalar registers out of range");
    }
    return fail("not a scalar register");
  }
  bool scalar_dest(u32 code, u32 dwords, u32& slot) {
    if (code == 124) {
      slot = kDiscard;
      return true;
    }
    return scalar_register(code, dwords, slot);
  }

  // The value of a constant operand code, as the operand's type sees it.
  bool constant(u32 code, Type type, u64& value) {
    const u32 words = registers_of(type);
    if (code >= 128 && code <= 208) {
      const i64 v = code <= 192 ? i64(code) - 128 : 192 - i64(code);
      value = words == 2 ? u64(v) : u32(v);
      return true;
    }
    if (code >= 240 && code <= 248) {
      const u32 i = code - 240;
      value = words == 2 ? kInlineF64[i] : is_half(type) || type == Type::pkf16 ? kInlineF16[i] : kInlineF32[i];
      return true;
    }
    if (code == 255) {
      const u32 v = literal();
      value = type == Type::f64 ? u64(v) << 32 : type == Type::i64 ? u64(i64(i32(v))) : v;
      return true;
    }
    if (code >= 235 && code <= 238) {
      const u64 base = code < 237 ? kSharedAperture : kPrivateAperture;
      value = base | (code & 1 ? 0 : 0xffffffffu);
      return true;
    }
    return false;
  }

  bool scalar_source(u32 code, Type type, int i) {
    u64 value;
    u32 slot;
    if (code == 124) {
      slot = kZero;
    } else if (code == 251 || code == 252) {
      slot = code == 251 ? kVccz : kExecz;
      dynamic_flags_ = true;
    } else if (code == 253) {
      slot = kScc;
    } else if (constant(code, type, value)) {
      op_->bank[i] = 1;
      op_->src[i] = constants_.scalar(value);
      return true;
    } else if (!scalar_register(code, registers_of(type), slot)) {
      return false;
    }
    op_->src[i] = slot;
    return true;
  }

  // --- vector operands

  bool vgpr(u32 number, u32 count, u32& offset) {
    if (number + count > limits_.vgprs) return fail("vector register outside the kernel's registers");
    offset = number * kLanes * 4;
    return true;
  }

  // Nine-bit source. `compact`: a 32-bit encoding, where bit 7 of a 16-bit operand's register number selects the half.
  bool vector_source(u32 code, Type type, int i, bool compact, Op* op = nullptr) {
    if (!op) op = op_;
    const u32 registers = registers_of(type);
    if (code >= 256) {
      u32 number = code - 256;
      if (compact && is_half(type)) {
        op->half[i] = number >> 7 ? 16 : 0;
        number &= 127;
      }
      op->bank[i] = 0;
      return vgpr(number, registers, op->src[i]);
    }
    u64 value;
    u32 slot;
    if (code == 124) {
      slot = kZero;
    } else if (code == 251 || code == 252) {
      slot = code == 251 ? kVccz : kExecz;
      dynamic_flags_ = true;
    } else if (code == 253) {
      slot = kScc;
    } else if (constant(code, type, value)) {
      op->bank[i] = 1;
      op->src[i] = constants_.vector(value);
      return true;
    } else if (!scalar_register(code, registers, slot)) {
      return false;
    }
    op->bank[i] = 2;
    op->src[i] = slot;
    scalar_sources_ = true;
    return true;
  }

  bool vector_dest(u32 number, Type type, bool compact) {
    if (compact && is_half(type)) {
      op_->dst_half = number >> 7 ? 16 : 0;
      number &= 127;
    }
    return vgpr(number, registers_of(type), op_->dst);
  }

  bool take_dpp(u32 code) {
    if (op_->row->flags & NODPP) return fail("DPP on an instruction that has none");
    if (registers_of(op_->row->a) == 2 || registers_of(op_->row->d) == 2) return fail("DPP on a 64-bit operand");
    const u32 word = literal();
    op_->dpp = word;
    op_->dpp_kind = code == 250 ? 1 : 2;
    op_->fetch_inactive = code == 250 ? word >> 18 & 1 : code == 234;
    if (code == 250) {
      const u32 control = word >> 8 & 0x1ff;
      const bool known = control < 0x100 || (control > 0x100 && control <= 0x10f) || (control > 0x110 && control <= 0x11f) ||
                         (control > 0x120 && control <= 0x12f) || control == 0x140 || control == 0x141 || (control >= 0x150 && control <= 0x16f);
      if (!known) return fail("unknown DPP control");
    }
    return true;
  }
  static bool is_dpp(u32 code) { return code == 250 || code == 233 || code == 234; }

  // DPP16 of a 32-bit encoding carries abs and neg of both sources.
  void compact_dpp_modifiers() {
    if (op_->dpp_kind != 1) return;
    op_->neg = u8((op_->dpp >> 20 & 1) | (op_->dpp >> 22 & 1) << 1);
    op_->abs = u8((op_->dpp >> 21 & 1) | (op_->dpp >> 23 & 1) << 1);
    if (!modifiers_allowed()) fail("sign modifiers on an integer instruction");
  }
  bool modifiers_allowed() {
    const Type types[3] = {op_->row->a, op_->row->b, op_->row->c};
    const bool select = op_->row->flags == CI;  // v_cndmask takes sign modifiers
    for (int i = 0; i < 3; ++i) {
      const bool used = (op_->abs | op_->neg) >> i & 1;
      if (used && !(is_float(types[i]) || select) ) return false;
    }
    return !(op_->row->flags & NOMOD) || !(op_->abs | op_->neg);
  }

  bool plain() const {
    return !(op_->row->flags & OPSEL) && !op_->dpp_kind && !op_->abs && !op_->neg && !op_->omod && !op_->clamp && !scalar_sources_ && !op_->half[0] && !op_->half[1] &&
           !op_->half[2];
  }

  Decoded finish_vector() {
    const VectorRow& row = *op_->row;
    op_->lanes = row.lanes;
    if (op_->clamp && !is_float(row.d)) {
      if (row.lanes_clamp) {
        op_->lanes = row.lanes_clamp;
      } else if (!(row.flags & (CMP | ANYCLAMP)) || (row.flags & CMP && !is_float(row.a))) {
        fail("clamp on an instruction that has none");
      }
    }
    if (row.custom) return done(row.name, row.custom);
    return done(row.name, plain() ? row.fast : t_.vector_slow);
  }
};

}  // namespace
}  // namespace cassc::emu
