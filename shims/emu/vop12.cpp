// VOP1 and VOP2 rows.
#include "meaning.h"
#include "vector.h"

namespace cassc::emu::CASSC_EMU_VARIANT {
namespace {

#define VOP1(n, name, D, A, flags, ...) CASSC_ROW(name, D, A, none, none, (flags), __VA_ARGS__)
#define VOP1X(n, name, D, A, flags, handler)
#include "isa/vop1.def"
#undef VOP1
#undef VOP1X
#define VOP2(n, name, D, A, B, C, flags, ...) CASSC_ROW(name, D, A, B, C, (flags), __VA_ARGS__)
#define VOP2S(n, name, D, A, B, C, flags, plain, clamped) \
  CASSC_ROW(name, D, A, B, C, (flags), plain) CASSC_ROW(name##_clamp, D, A, B, C, (flags), clamped)
#include "isa/vop2.def"
#undef VOP2
#undef VOP2S

const Op* nop(Wave&, const Op* op) { return op + op->length; }

u32 first_lane(u32 exec) { return exec ? u32(__builtin_ctz(exec)) : 0; }

const Op* readfirstlane(Wave& w, const Op* op) {
  w.s[op->dst] = op->bank[0] == 2 ? w.s[op->src[0]] : vector_source(w, op, 0)[first_lane(w.s[kExec])];
  return op + op->length;
}

const Op* swap32(Wave& w, const Op* op) {
  u32* a = vector_dest(w, op);
  u32* b = reinterpret_cast<u32*>(w.vgpr + op->src[0]);
  const u32 exec = w.s[kExec];
  for (u32 l = 0; l < kLanes; ++l) {
    if (!(exec >> l & 1)) continue;
    const u32 t = a[l];
    a[l] = b[l];
    b[l] = t;
  }
  return op + op->length;
}

const Op* swap16(Wave& w, const Op* op) {
  u32* a = vector_dest(w, op);
  u32* b = reinterpret_cast<u32*>(w.vgpr + op->src[0]);
  const u32 exec = w.s[kExec], sa = op->dst_half, sb = op->half[0];
  for (u32 l = 0; l < kLanes; ++l) {
    if (!(exec >> l & 1)) continue;
    const u32 p = a[l] >> sa & 0xffff, q = b[l] >> sb & 0xffff;
    a[l] = (a[l] & ~(0xffffu << sa)) | q << sa;
    b[l] = (b[l] & ~(0xffffu << sb)) | p << sb;
  }
  return op + op->length;
}

// In wave32 there is no other half, and nothing is done.
const Op* permlane64(Wave&, const Op* op) { return op + op->length; }

// v_movreld, v_movrels, v_movrelsd, v_movrelsd_2, v_swaprel: register numbers plus M0.
const Op* movrel(Wave& w, const Op* op) {
  const u32 m0 = w.s[kM0], code = op->imm;  // code: the row's number
  const bool both = code == 0x48 || code == 0x68;
  u64 source = op->src[0], dest = op->dst;
  const u64 low = u64(both ? m0 & 0x3ff : m0) * 128, high = u64(both ? m0 >> 16 & 0x3ff : m0) * 128;
  if (code != 0x42 && op->bank[0] == 0) source += low;
  if (code != 0x43) dest += high;
  const u64 limit = u64(register_count(w)) * 128;
  if ((op->bank[0] == 0 && source >= limit) || dest >= limit) {
    return raise(w, op, 5, 0, 0, false, 0, "relative register number outside the kernel's registers");
  }
  alignas(64) u32 broadcast[kLanes];
  const u32* from = op->bank[0] == 2 ? broadcast : reinterpret_cast<const u32*>(w.vbank[op->bank[0]] + source);
  if (op->bank[0] == 2) {
    for (u32& v : broadcast) v = w.s[op->src[0]];
  }
  u32 write = w.s[kExec];
  alignas(64) u32 moved[kLanes];
  if (op->dpp_kind) {
    write = apply_dpp(op, write, from, moved, 1);
    from = moved;
  }
  u32* to = reinterpret_cast<u32*>(w.vgpr + dest);
  if (code == 0x68) {
    u32* other = reinterpret_cast<u32*>(w.vgpr + source);
    for (u32 l = 0; l < kLanes; ++l) {
      if (!(w.s[kExec] >> l & 1)) continue;
      const u32 t = to[l];
      to[l] = other[l];
      other[l] = t;
    }
  } else {
    blend(to, from, write);
  }
  return op + op->length;
}

void custom(VectorRow& row, const char* name, Type d, Type a, u32 flags, Handler handler) {
  row = {};
  row.name = name;
  row.custom = handler;
  row.d = d;
  row.a = a;
  row.flags = flags;
}

}  // namespace

void enter_vop12(Tables& t) {
#define VOP1(n, name, D, A, flags, ...) enter<name##_row>(t.vop3[0x180 + n], #name);
#define VOP1X(n, name, D, A, flags, handler) custom(t.vop3[0x180 + n], #name, D::type, A::type, flags, handler);
#include "isa/vop1.def"
#undef VOP1
#undef VOP1X
#define VOP2(n, name, D, A, B, C, flags, ...) enter<name##_row>(t.vop3[0x100 + n], #name);
#define VOP2S(n, name, D, A, B, C, flags, plain, clamped) \
  enter<name##_row>(t.vop3[0x100 + n], #name);            \
  t.vop3[0x100 + n].lanes_clamp = &lanes<name##_clamp_row>;
#include "isa/vop2.def"
#undef VOP2
#undef VOP2S
}

}  // namespace cassc::emu::CASSC_EMU_VARIANT
