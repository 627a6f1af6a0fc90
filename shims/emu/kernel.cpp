// Decoded code, filled on demand.
#include <sys/mman.h>

#include "device.h"
#include "tally.h"

namespace cassc::emu {
namespace {

// Other threads may be about to run an operation while it is decoded: its handler is written last.
Handler handler(const Op* op) { return __atomic_load_n(&op->run, __ATOMIC_ACQUIRE); }
void publish(Op* op, Handler run) { __atomic_store_n(&op->run, run, __ATOMIC_RELEASE); }
void fill(Op* op, const Op& from, Handler run) {
  Op content = from;
  content.run = handler(op);
  *op = content;
  publish(op, run);
}

const Op* first_visit(Wave& wave, const Op* op) {
  op = wave.launch->code->decode_at(op);
  return handler(op)(wave, op);
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

Code::Code(const Tables& tables, u64 address, size_t dwords, u32 vgprs, bool gfx115)
    : tables_(tables), address_(address), dwords_(dwords), vgprs_(vgprs), gfx115_(gfx115) {
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
  if (!handler(op)) {
    const std::lock_guard lock(decoding_);
    if (!op->run) publish(op, &first_visit);
  }
  return op;
}

// Decodes from here to the end of the straight line, or to code that is decoded already.
const Op* Code::decode_at(const Op* from) {
  const std::lock_guard lock(decoding_);
  for (size_t i = size_t(from - ops_); i < dwords_;) {
    Op* op = ops_ + i;
    if (op->run && op->run != &first_visit) break;
    const DecodeLimits limits{vgprs_, i64(i), i64(dwords_), gfx115_};
    Op fresh[2] = {};
    const Decoded d = decode(tables_, words() + i, dwords_ - i, limits, constants_, fresh);
    if (!d.name) {
      fresh[0].name = d.refusal;
      fresh[0].length = 1;
      fill(op, fresh[0], &refused);
      break;
    }
    for (u32 k = 1; k < d.length; ++k) fill(op + k, k == 1 ? fresh[1] : Op{}, &middle);
    for (Op* after : {d.target >= 0 ? ops_ + d.target : nullptr, ops_ + i + d.length}) {
      if (after && !after->run) publish(after, &first_visit);
    }
    fresh[0].kind = kind_of(fresh[0]);
    fill(op, fresh[0], fresh[0].run);
    i += d.length;
    if (d.ends) break;
  }
  return from;
}

}  // namespace cassc::emu
