// Decoded code, filled on demand.
#include <sys/mman.h>

#include "device.h"

namespace cassc::emu {
namespace {

const Op* first_visit(Wave& wave, const Op* op) {
  op = wave.launch->code->decode_at(op);
  return op->run(wave, op);
}
const Op* refused(Wave& wave, const Op* op) { return raise(wave, op, CASSC_EMU_FAULT_ILLEGAL_INSTRUCTION, 0, 0, false, 0, op->name); }
const Op* past_end(Wave& wave, const Op* op) {
  return raise(wave, op, CASSC_EMU_FAULT_ILLEGAL_INSTRUCTION, 0, 0, false, 0, "execution ran past the end of the code");
}
const Op* middle(Wave& wave, const Op* op) {
  return raise(wave, op, CASSC_EMU_FAULT_ILLEGAL_INSTRUCTION, 0, 0, false, 0, "jump into the middle of an instruction");
}

}  // namespace

const Op* op_at(Launch& launch, u64 address) { return launch.code->at(address); }
u64 address_of(const Launch& launch, const Op* op) { return launch.code->address_of(op); }

Code::Code(u64 address, size_t dwords, u32 vgprs, bool gfx115)
    : address_(address), dwords_(dwords), vgprs_(vgprs), gfx115_(gfx115) {
  // One more slot is the end; the decoder may write one slot past an instruction's first.
  const size_t bytes = (dwords + 2) * sizeof(Op);
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) return;
  ops_ = static_cast<Op*>(p);
  ops_[dwords].run = &past_end;
  constants_.reserve(dwords);
}

Code::~Code() {
  if (ops_) munmap(ops_, (dwords_ + 2) * sizeof(Op));
}

const Op* Code::at(u64 address) {
  const u64 offset = address - address_;
  if (offset % 4 != 0 || offset / 4 >= dwords_) return nullptr;
  Op* op = ops_ + offset / 4;
  if (!op->run) op->run = &first_visit;
  return op;
}

// Decodes from here to the end of the straight line, or to code that is decoded already.
const Op* Code::decode_at(const Op* from) {
  const Tables& tables = *variant().tables;
  for (size_t i = size_t(from - ops_); i < dwords_;) {
    Op* op = ops_ + i;
    if (op->run && op->run != &first_visit) break;
    const DecodeLimits limits{vgprs_, i64(i), i64(dwords_), gfx115_};
    Op fresh[2] = {};
    const Decoded d = decode(tables, words() + i, dwords_ - i, limits, constants_, fresh);
    *op = fresh[0];
    if (!d.name) {
      op->run = &refused;
      op->name = d.refusal;
      op->length = 1;
      break;
    }
    for (u32 k = 1; k < d.length; ++k) {
      op[k] = k == 1 ? fresh[1] : Op{};
      op[k].run = &middle;
    }
    if (d.target >= 0) {
      Op* target = ops_ + d.target;
      if (!target->run) target->run = &first_visit;
    }
    i += d.length;
    if (!ops_[i].run) ops_[i].run = &first_visit;
    if (d.ends) break;
  }
  return from;
}

}  // namespace cassc::emu
