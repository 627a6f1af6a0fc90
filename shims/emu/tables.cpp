// The instruction tables of one execution variant, and its dispatch loop.
#include "vector.h"

namespace cassc::emu::CASSC_EMU_VARIANT {
namespace {

const Tables* build(bool gfx12) {
  static Tables both[2];
  Tables& t = both[gfx12];
  enter_vop12(t);
  enter_vop3(t);
  enter_vopc(t);
  enter_vop3p(t);
  enter_scalar(t);
  enter_memory(t);
  enter_ds(t);
  enter_formatted(t);
  enter_image(t);
#define VOPD(n, row, vop3) \
  t.dual[n] = #row;        \
  t.dual_row[n] = vop3;
#include "isa/vopd.def"
#undef VOPD
  t.vector_slow = &vector_slow;
  t.dual_run = &dual;
  t.flags_first = &flags_first;
  if (gfx12) differ_gfx12(t);
  return &t;
}

}  // namespace

const Tables& tables(bool gfx12) {
  static const Tables* const t[2] = {build(false), build(true)};
  return *t[gfx12];
}

// Runs until a handler stops the wave or the budget is used up. Returns where to go on; nullptr: the wave said so itself.
const Op* run(Wave& w, const Op* op, u64& budget) {
  u64 left = budget;
  do {
    op = __atomic_load_n(&op->run, __ATOMIC_ACQUIRE)(w, op);  // another thread may just have decoded it
    --left;
  } while (op && left);
  budget = left;
  return op;
}

}  // namespace cassc::emu::CASSC_EMU_VARIANT
