// The tables and the loop of launches that are checked or profiled.
#include "vector.h"

namespace cassc::emu::observed {
namespace {

const Tables* build() {
  static Tables t = *variant().tables;
  enter_scalar(t);
  enter_memory(t);
  enter_ds(t);
  enter_formatted(t);
  enter_image(t);
  return &t;
}

}  // namespace

const Tables& tables() {
  static const Tables* const t = build();
  return *t;
}

const Op* run(Wave& w, const Op* op, u64& budget) {
  u64 left = budget;
  do {
    observe_instruction(w, op);
    op = __atomic_load_n(&op->run, __ATOMIC_ACQUIRE)(w, op);
    --left;
  } while (op && left);
  budget = left;
  return op;
}

}  // namespace cassc::emu::observed
