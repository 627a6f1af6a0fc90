// The first fault of a launch: what, where, by whom, as one line of text.
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "device.h"

namespace cassc::emu {
namespace {

const char* describe(u32 kind) {
  switch (kind) {
    case CASSC_EMU_FAULT_ILLEGAL_ADDRESS: return "illegal address";
    case CASSC_EMU_FAULT_MISALIGNED: return "misaligned address";
    case CASSC_EMU_FAULT_LDS_ADDRESS: return "LDS address outside the workgroup's allocation";
    case CASSC_EMU_FAULT_SCRATCH_ADDRESS: return "scratch address outside the lane's private segment";
    case CASSC_EMU_FAULT_ILLEGAL_INSTRUCTION: return "illegal instruction";
    case CASSC_EMU_FAULT_TRAP: return "trap";
    case CASSC_EMU_FAULT_INSTRUCTION_LIMIT: return "instruction limit reached";
    case CASSC_EMU_FAULT_BARRIER_DEADLOCK: return "barrier that cannot complete";
    default: return "fault";
  }
}

void copy_text(char* to, size_t size, const std::string& text) {
  const size_t n = std::min(size - 1, text.size());
  std::memcpy(to, text.data(), n);
  to[n] = 0;
}

}  // namespace

const Op* raise(Wave& w, const Op* op, u32 kind, u64 address, u32 size, bool write, u32 lane, const char* text) {
  w.state = WaveState::faulted;
  Launch& l = *w.launch;
  if (l.failed.exchange(true)) return nullptr;
  cassc_emu_fault& f = l.fault;
  std::memset(&f, 0, sizeof f);
  f.kind = kind;
  f.access_size = size;
  f.is_write = write;
  f.wave = w.index;
  f.lane = lane;
  f.workgroup = {w.group->id[0], w.group->id[1], w.group->id[2]};
  f.address = address;
  const u64 pc = l.code->address_of(op);
  f.pc_offset = pc - l.kernel->entry;
  copy_text(f.kernel, sizeof f.kernel, l.kernel->metadata.name);
  const size_t index = (pc - reinterpret_cast<u64>(l.code->words())) / 4;
  char part[256];
  std::string instruction = "?";
  if (index < l.code->dwords()) {
    Constants constants;
    Op ops[2];
    const Decoded d = decode(variant().tables(l.device->gfx12()), l.code->words() + index, l.code->dwords() - index, DecodeLimits{}, constants, ops);
    if (d.name) instruction = d.name;
    for (u32 i = 0; i < std::max(d.length, 1u); ++i) {
      std::snprintf(part, sizeof part, " %08x", l.code->words()[index + i]);
      instruction += part;
    }
  }
  copy_text(f.instruction, sizeof f.instruction, instruction);
  std::string message = describe(kind);
  if (text) message += std::string(" (") + text + ")";
  if (size) {
    std::snprintf(part, sizeof part, ": %u-byte %s at 0x%" PRIx64, size, write ? "write" : "read", address);
    message += part;
  } else if (address) {
    std::snprintf(part, sizeof part, ": 0x%" PRIx64, address);
    message += part;
  }
  std::snprintf(part, sizeof part, " by `%s` at +0x%" PRIx64 " of kernel ", f.instruction, f.pc_offset);
  message += part;
  message += l.kernel->metadata.name.substr(0, 200);
  std::snprintf(part, sizeof part, ", workgroup (%u, %u, %u), wave %u, lane %u", f.workgroup.x, f.workgroup.y, f.workgroup.z, f.wave, f.lane);
  message += part;
  copy_text(f.message, sizeof f.message, message);
  return nullptr;
}

}  // namespace cassc::emu
