// The tables and the loop of launches that are checked or profiled.
#include "tally.h"
#include "vector.h"

namespace cassc::emu::observed {
namespace {

const Tables* build(bool gfx12) {
  static Tables both[2];
  Tables& t = both[gfx12] = variant().tables(false);
  enter_scalar(t);
  enter_memory(t);
  enter_ds(t);
  enter_formatted(t);
  enter_image(t);
  if (gfx12) differ_gfx12(t);
  return &t;
}

}  // namespace

const Tables& tables(bool gfx12) {
  static const Tables* const t[2] = {build(false), build(true)};
  return *t[gfx12];
}

namespace {

const Op* step(Wave& w, const Op* op) { return __atomic_load_n(&op->run, __ATOMIC_ACQUIRE)(w, op); }

}  // namespace

const Op* run(Wave& w, const Op* op, u64& budget) {
  u64 left = budget;
  if (Tally* const tally = observed_tally(w)) {
    do {
      const Op* const here = op;
      if (!here->name) observed_decode(w, here);
      tally->instruction(here, w.s[kExec]);
      op = step(w, here);
      if (here->kind == Kind::branch) tally->branch(here, op);
      --left;
    } while (op && left);
  } else {
    do {
      op = step(w, op);
      --left;
    } while (op && left);
  }
  budget = left;
  return op;
}

}  // namespace cassc::emu::observed
