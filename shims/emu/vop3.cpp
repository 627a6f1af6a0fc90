// VOP3-only rows, and the lane operations among them.
#include "meaning.h"
#include "vector.h"

namespace cassc::emu::CASSC_EMU_VARIANT {
namespace {

#define VOP3(n, name, D, A, B, C, flags, ...) CASSC_ROW(name, D, A, B, C, (flags), __VA_ARGS__)
#define VOP3S(n, name, D, A, B, C, flags, plain, ...) \
  CASSC_ROW(name, D, A, B, C, (flags), plain) CASSC_ROW(name##_clamp, D, A, B, C, (flags), __VA_ARGS__)
#define VOP3X(n, name, D, A, B, C, flags, handler)
#include "isa/vop3.def"
#undef VOP3
#undef VOP3S
#undef VOP3X

// Exists only as half of a VOPD.
CASSC_ROW(v_dot2acc_f32_bf16, f32, b32, b32, f32, ACC | E32,
          d = fma(bf16_to_f32(hi(a)), bf16_to_f32(hi(b)), fma(bf16_to_f32(lo(a)), bf16_to_f32(lo(b)), c)))

struct b128 { static constexpr Type type = Type::b128; };

// A source that is read once for the wave.
u32 uniform(const Wave& w, const Op* op, int i, u32 lane = 0) {
  return op->bank[i] == 2 ? w.s[op->src[i]] : vector_source(w, op, i)[lane];
}

const Op* readlane(Wave& w, const Op* op) {
  const u32 lane = uniform(w, op, 1) & 31;
  w.s[op->dst] = uniform(w, op, 0, lane);
  return op + op->length;
}

const Op* writelane(Wave& w, const Op* op) {
  vector_dest(w, op)[uniform(w, op, 1) & 31] = uniform(w, op, 0);
  return op + op->length;
}

// op_sel[0]: fetch from inactive lanes; op_sel[1]: such a lane gives zero instead of leaving the destination alone.
const Op* permlane16(Wave& w, const Op* op) {
  const u64 select = u64(uniform(w, op, 2)) << 32 | uniform(w, op, 1);
  const u32 exec = w.s[kExec], other = op->imm == 0x25c ? 16 : 0;
  alignas(64) u32 t[kLanes];
  u32 mask = exec;
  for (u32 l = 0; l < kLanes; ++l) {
    const u32 from = ((l & 16) ^ other) + u32(select >> (4 * (l & 15)) & 15);
    const bool valid = (op->op_sel & 1) || (exec >> from & 1);
    t[l] = valid ? uniform(w, op, 0, from) : 0;
    if (!valid && !(op->op_sel & 2)) mask &= ~(1u << l);
  }
  blend(vector_dest(w, op), t, mask);
  return op + op->length;
}

const Op* mqsad(Wave& w, const Op* op) {
  const u32 exec = w.s[kExec];
  u32* d = vector_dest(w, op);
  alignas(64) u32 r[4 * kLanes];
  for (u32 l = 0; l < kLanes; ++l) {
    u32 v[3][4] = {};
    for (int i = 0; i < 3; ++i) {
      const int words = i == 0 ? 2 : i == 1 ? 1 : 4;
      for (int k = 0; k < words; ++k) v[i][k] = op->bank[i] == 2 ? w.s[op->src[i] + k] : vector_source(w, op, i)[k * int(kLanes) + l];
    }
    const u64 a = u64(v[0][1]) << 32 | v[0][0];
    for (int k = 0; k < 4; ++k) {
      const u32 difference = sad_bytes(u32(a >> (8 * k)), v[1][0], true), sum = difference + v[2][k];
      r[k * kLanes + l] = op->clamp && sum < difference ? ~0u : sum;
    }
  }
  for (int k = 0; k < 4; ++k) blend(d + k * kLanes, r + k * kLanes, exec);
  return op + op->length;
}

}  // namespace

void enter_vop3(Tables& t) {
  enter<v_dot2acc_f32_bf16_row>(t.vop3[kDot2accBf16], "v_dot2acc_f32_bf16");
#define VOP3(n, name, D, A, B, C, flags, ...) enter<name##_row>(t.vop3[n], #name);
#define VOP3S(n, name, D, A, B, C, flags, plain, ...) \
  enter<name##_row>(t.vop3[n], #name);                \
  t.vop3[n].lanes_clamp = &lanes<name##_clamp_row>;
#define VOP3X(n, row, D, A, B, C, fl, handler) \
  t.vop3[n] = {};                               \
  t.vop3[n].name = #row;                        \
  t.vop3[n].custom = handler;                   \
  t.vop3[n].d = D::type;                        \
  t.vop3[n].a = A::type;                        \
  t.vop3[n].b = B::type;                        \
  t.vop3[n].c = C::type;                        \
  t.vop3[n].flags = fl;
#include "isa/vop3.def"
#undef VOP3
#undef VOP3S
#undef VOP3X
}

}  // namespace cassc::emu::CASSC_EMU_VARIANT
