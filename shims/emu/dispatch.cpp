// Launches: registers of new waves, and the order in which waves run.
#include <time.h>
#include <xmmintrin.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "device.h"

namespace cassc::emu {
namespace {

// A wave runs this many instructions before the next gets its turn; spin waits between waves need an end of turn.
constexpr u64 kQuantum = 4096;
// Turns of a workgroup's waves before another workgroup gets its turn.
constexpr int kPasses = 2;
constexpr u64 kResidentBytes = u64(512) << 20;
constexpr size_t kMinResident = 64, kMaxResident = 4096;

// Bytes of stack for each lane beyond what the compiler could count, where a kernel calls functions.
constexpr u32 kDynamicStack = 8192;

constexpr u32 kMxcsr = 0x1f80;

u32 mxcsr_of(u32 rounding, u32 denormals) {
  static constexpr u32 kControl[] = {0, 2, 1, 3};  // MODE: nearest, up, down, zero; MXCSR: nearest, down, up, zero
  return kMxcsr | kControl[rounding & 3] << 13 | (denormals & 1 ? 0 : 1u << 6) | (denormals & 2 ? 0 : 1u << 15);
}

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

// A workgroup in progress. Its waves, their registers and scratch, and its LDS are one block.
struct Resident {
  Group group{};
  Wave* waves = nullptr;
  u8* block = nullptr;
  u32 live = 0;
};

class Run {
 public:
  explicit Run(Launch& launch) : l_(launch), d_(launch.kernel->descriptor) {
    vgprs_ = l_.code->vgprs();
    const auto padded = [](u64 n) { return (n + 63) / 64 * 64; };
    scratch_offset_ = padded(sizeof(Wave)) * l_.waves_per_group + u64(vgprs_) * kLanes * 4 * l_.waves_per_group;
    lds_offset_ = scratch_offset_ + padded(u64(l_.scratch_size) * kLanes) * l_.waves_per_group;
    block_bytes_ = lds_offset_ + padded(l_.lds_size) + 64;
    max_resident_ = std::clamp<size_t>(kResidentBytes / block_bytes_, kMinResident, kMaxResident);
  }
  ~Run() {
    for (Resident& r : resident_) std::free(r.block);
    for (u8* p : spare_) std::free(p);
  }

  // False: out of host memory.
  bool run(u64 limit, bool descending) {
    limit_ = limit;
    descending_ = descending;
    const u64 total = u64(l_.grid.x) * l_.grid.y * l_.grid.z;
    u64 next = 0;
    size_t cursor = 0;
    while (!l_.failed) {
      if (cursor >= resident_.size()) {
        if (next < total && resident_.size() < max_resident_) {
          const u64 number = descending_ ? total - 1 - next : next;
          ++next;
          if (!start(number)) return false;
          cursor = resident_.size() - 1;
        } else if (resident_.empty()) {
          break;
        } else {
          cursor = 0;
        }
      }
      Resident& r = resident_[cursor];
      visit(r);
      if (r.live == 0) {
        spare_.push_back(r.block);
        resident_.erase(resident_.begin() + std::ptrdiff_t(cursor));
      } else {
        ++cursor;
      }
    }
    return true;
  }

 private:
  Launch& l_;
  const Descriptor& d_;
  u32 vgprs_;
  u64 scratch_offset_, lds_offset_, block_bytes_, limit_ = 0;
  bool descending_ = false;
  size_t max_resident_;
  std::vector<Resident> resident_;
  std::vector<u8*> spare_;

  bool start(u64 number) {
    Resident r;
    if (!spare_.empty()) {
      r.block = spare_.back();
      spare_.pop_back();
    } else {
      r.block = static_cast<u8*>(std::aligned_alloc(64, block_bytes_));
      if (!r.block) return false;
    }
    r.group.id[0] = u32(number % l_.grid.x);
    r.group.id[1] = u32(number / l_.grid.x % l_.grid.y);
    r.group.id[2] = u32(number / l_.grid.x / l_.grid.y);
    r.group.lds = r.block + lds_offset_;
    r.group.lds_size = l_.lds_size;
    r.waves = reinterpret_cast<Wave*>(r.block);
    r.live = l_.waves_per_group;
    // Contents are undefined on the device; here they are the same in every run. A stack that may grow is left as it is.
    std::memset(r.block, 0, l_.scratch_size > 4096 ? scratch_offset_ : lds_offset_);
    std::memset(r.group.lds, 0xcd, l_.lds_size);
    resident_.push_back(r);
    for (u32 i = 0; i < l_.waves_per_group; ++i) prepare(resident_.back(), i);
    return true;
  }

  void prepare(Resident& r, u32 index) {
    Wave& w = r.waves[index];
    w.vgpr = r.block + (sizeof(Wave) + 63) / 64 * 64 * l_.waves_per_group + u64(index) * vgprs_ * kLanes * 4;
    w.scratch = r.block + scratch_offset_ + u64(index) * ((u64(l_.scratch_size) * kLanes + 63) / 64 * 64);
    w.scratch_size = l_.scratch_size;
    w.launch = &l_;
    w.index = index;
    w.state = WaveState::ready;
    u32 at = 0;
    const auto pair = [&](u64 v) {
      w.s[at++] = u32(v);
      w.s[at++] = u32(v >> 32);
    };
    if (d_.properties & 1) at += 4;  // private segment buffer: not used with architected flat scratch
    if (d_.properties & 2) pair(l_.packet);
    if (d_.properties & 4) pair(l_.queue);
    if (d_.properties & 8) pair(l_.kernarg);
    if (d_.properties & 16) pair(0);
    if (d_.properties & 32) pair(0);
    if (d_.properties & 64) w.s[at++] = l_.scratch_size;
    at = d_.rsrc2 >> 1 & 31;  // the count of user registers says where the system's begin
    for (u32 axis = 0; axis < 3; ++axis) {
      if (d_.rsrc2 >> (7 + axis) & 1) w.s[at++] = r.group.id[axis];
    }
    const u32 first = index * kLanes, bx = l_.block.x, by = l_.block.y;
    // ENABLE_VGPR_WORKITEM_ID: code that asked for fewer coordinates takes the others' bits for zero.
    const u32 ids = d_.rsrc2 >> 11 & 3;
    u32* v0 = reinterpret_cast<u32*>(w.vgpr);
    for (u32 l = 0; l < kLanes; ++l) {
      const u32 t = first + l;
      v0[l] = t % bx | (ids > 0 ? t / bx % by << 10 : 0) | (ids > 1 ? t / bx / by << 20 : 0);
    }
    const u32 threads = l_.threads_per_group - first;
    w.s[kExec] = threads >= kLanes ? ~0u : (1u << threads) - 1;
    const u32 mode = (d_.rsrc1 >> 12 & 0xff) | (d_.rsrc1 >> 21 & 1) << 8 | (d_.rsrc1 >> 23 & 1) << 9;
    set_mode(w, mode);
    w.pc = l_.code->at(l_.kernel->entry);
  }

  // Gives each wave of the group its turns.
  void visit(Resident& r) {
    int pass = 0;
    while (pass < kPasses && r.live && !l_.failed) {
      u32 waiting = 0;
      bool spent = false;
      for (u32 i = 0; i < l_.waves_per_group && !l_.failed; ++i) {
        Wave& w = r.waves[descending_ ? l_.waves_per_group - 1 - i : i];
        if (w.state == WaveState::ready) {
          w.group = &r.group;
          step(w);
          if (w.state == WaveState::ended) --r.live;
          spent |= w.state == WaveState::ready;
        }
        waiting += w.state == WaveState::barrier;
      }
      if (waiting && waiting == r.live) {  // ended waves no longer count
        for (u32 i = 0; i < l_.waves_per_group; ++i) {
          if (r.waves[i].state == WaveState::barrier) r.waves[i].state = WaveState::ready;
        }
      }
      pass += spent;
    }
  }

  void step(Wave& w) {
    w.vbank[0] = w.vgpr;
    w.vbank[1] = l_.code->constants().vectors();
    w.sbank[0] = w.s;
    w.sbank[1] = l_.code->constants().scalars();
    u64 budget = kQuantum;
    if (limit_) budget = std::min(budget, limit_ - l_.executed);
    if (budget == 0) {
      raise(w, w.pc, CASSC_EMU_FAULT_INSTRUCTION_LIMIT, 0, 0, false, 0);
      return;
    }
    const u64 turn = budget;
    _mm_setcsr(w.mxcsr[kSp]);
    const Op* op = variant().run(w, w.pc, budget);
    _mm_setcsr(kMxcsr);
    l_.executed += turn - budget;
    if (op) w.pc = op;
  }
};

}  // namespace

void set_mode(Wave& w, u32 mode) {
  w.mode = mode;
  const u32 sp_denormals = mode >> 4 & 3, dp_denormals = mode >> 6 & 3;
  // MODE's denormal codes: bit 0 keeps them in sources, bit 1 in results.
  w.mxcsr[kSp] = mxcsr_of(mode, sp_denormals);
  w.mxcsr[kDp] = mxcsr_of(mode >> 2, dp_denormals);
  w.mxcsr[kPlain] = kMxcsr;
  LaneContext& x = w.context;
  x.f16_mode = (mode >> 2 & 3) | (dp_denormals & 2 ? 0 : 4) | (dp_denormals & 1 ? 0 : 8);
  x.flush32 = sp_denormals & 1 ? 0 : ~0u;
  x.dx10 = mode >> 8 & 1;
  x.ieee = mode >> 9 & 1;
  x.round32 = mode & 3;
  x.round64 = mode >> 2 & 3;
  _mm_setcsr(w.mxcsr[kSp]);
}

u64 shader_clock(const Wave& w) { return w.launch->executed * 4 + 64 * ++w.launch->clock_reads; }

u64 real_clock() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return u64(t.tv_sec) * 100000000 + u64(t.tv_nsec) / 10;
}

const MemoryView& memory_of(const Wave& w) { return w.launch->memory; }

const Op* raise(Wave& w, const Op* op, u32 kind, u64 address, u32 size, bool write, u32 lane, const char* text) {
  w.state = WaveState::faulted;
  Launch& l = *w.launch;
  if (l.failed) return nullptr;
  l.failed = true;
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
    const Decoded d = decode(*variant().tables, l.code->words() + index, l.code->dwords() - index, DecodeLimits{}, constants, ops);
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

namespace {

constexpr u32 kPacketSize = 64, kQueueSize = 256;

// One block of device memory for what a launch passes to its waves, kept for the next launch. 0: no memory.
u64 launch_block(cassc_emu_device& device, u32 size) {
  if (device.launch_block_size < size) {
    if (device.launch_block) device.memory.release(device.launch_block);
    device.launch_block_size = std::max(size, 4096u);
    device.launch_block = device.memory.allocate(device.launch_block_size);
    if (!device.launch_block) device.launch_block_size = 0;
  }
  if (device.launch_block) std::memset(reinterpret_cast<void*>(device.launch_block), 0, size);
  return device.launch_block;
}

void fill_hidden(const Launch& l, u32 dynamic_lds, u8* kernarg) {
  const u32 grid[] = {l.grid.x, l.grid.y, l.grid.z}, block[] = {l.block.x, l.block.y, l.block.z};
  for (const Argument& a : l.kernel->metadata.arguments) {
    u64 value = 0;
    switch (a.hidden) {
      case Hidden::none: continue;
      case Hidden::block_count: value = grid[a.axis]; break;
      case Hidden::group_size: value = block[a.axis]; break;
      case Hidden::grid_dims: value = l.grid.z * l.block.z > 1 ? 3 : l.grid.y * l.block.y > 1 ? 2 : 1; break;
      case Hidden::dynamic_lds_size: value = dynamic_lds; break;
      case Hidden::private_base: value = kPrivateAperture >> 32; break;
      case Hidden::shared_base: value = kSharedAperture >> 32; break;
      default: break;
    }
    std::memcpy(kernarg + a.offset, &value, std::min<u32>(a.size, 8));
  }
}

void fill_packet(const Launch& l, u8* p) {
  const auto put = [&](size_t at, auto value) { std::memcpy(p + at, &value, sizeof value); };
  put(0, u16(2));  // kernel dispatch
  put(2, u16(l.grid.z * l.block.z > 1 ? 3 : l.grid.y * l.block.y > 1 ? 2 : 1));
  put(4, u16(l.block.x));
  put(6, u16(l.block.y));
  put(8, u16(l.block.z));
  put(12, u32(l.grid.x * l.block.x));
  put(16, u32(l.grid.y * l.block.y));
  put(20, u32(l.grid.z * l.block.z));
  put(24, l.scratch_size);
  put(28, l.lds_size);
  put(40, l.kernarg);
}

cassc_emu_status invalid(const std::string& why) {
  set_error(why);
  return CASSC_EMU_INVALID_ARGUMENT;
}

}  // namespace

cassc_emu_status launch(cassc_emu_device& device, const cassc_emu_kernel& kernel, cassc_emu_dim3 grid, cassc_emu_dim3 block, u32 dynamic_lds,
                        const void* kernarg, size_t kernarg_size, const cassc_emu_launch_options* options, cassc_emu_fault* fault) {
  if (fault) std::memset(fault, 0, sizeof *fault);
  const KernelMetadata& m = kernel.metadata;
  if (kernel.module->device != &device) return invalid("kernel " + m.name + " belongs to another device");
  const u64 threads = u64(block.x) * block.y * block.z;
  if (!grid.x || !grid.y || !grid.z || !threads) return invalid("empty grid or block");
  if (block.x > 1024 || block.y > 1024 || block.z > 1024 || threads > std::min(m.max_workgroup, 1024u)) {
    return invalid("block of " + std::to_string(threads) + " work-items; " + m.name + " takes at most " + std::to_string(std::min(m.max_workgroup, 1024u)));
  }
  if (u64(kernel.descriptor.group_size) + dynamic_lds > kMaxLds) return invalid("more than 65536 bytes of LDS");
  u32 explicit_end = 0;
  for (const Argument& a : m.arguments) {
    if (a.hidden == Hidden::none) explicit_end = std::max(explicit_end, a.offset + a.size);
  }
  const u32 segment = std::max(m.kernarg_size, kernel.descriptor.kernarg_size);
  if (kernarg_size < explicit_end || kernarg_size > segment || (kernarg_size && !kernarg)) {
    return invalid("kernel " + m.name + " takes " + std::to_string(explicit_end) + " bytes of arguments, got " + std::to_string(kernarg_size));
  }

  const std::lock_guard lock(device.launching);
  if (!kernel.code) {
    const u32 vgprs = std::min(((kernel.descriptor.rsrc1 & 63) + 1) * 8, 256u);
    kernel.code = std::make_unique<Code>(kernel.text.address, kernel.text.size / 4, vgprs, device.gfx >= "gfx1150");
  }
  Launch l{};
  l.device = &device;
  l.kernel = &kernel;
  l.code = kernel.code.get();
  l.memory = device.memory.view();
  l.grid = grid;
  l.block = block;
  l.lds_size = kernel.descriptor.group_size + dynamic_lds;
  const bool dynamic_stack = m.dynamic_stack || kernel.descriptor.properties >> 11 & 1 || kernel.calls;
  l.scratch_size = (std::max(m.private_size, kernel.descriptor.private_size) + (dynamic_stack ? kDynamicStack : 0) + 15) / 16 * 16;
  l.threads_per_group = u32(threads);
  l.waves_per_group = u32((threads + kLanes - 1) / kLanes);
  // Rounded up as the runtime's pool would: wide scalar loads may read past the last argument.
  const u32 kernarg_bytes = (segment + 63) / 64 * 64 + 64;
  l.kernarg = launch_block(device, kernarg_bytes + kPacketSize + kQueueSize);
  if (!l.code->mapped() || !l.kernarg) {
    set_error("no memory to launch " + m.name);
    return CASSC_EMU_OUT_OF_MEMORY;
  }
  l.packet = l.kernarg + kernarg_bytes;
  l.queue = l.packet + kPacketSize;
  u8* arguments = reinterpret_cast<u8*>(l.kernarg);
  if (kernarg_size) std::memcpy(arguments, kernarg, kernarg_size);
  fill_hidden(l, dynamic_lds, arguments);
  fill_packet(l, reinterpret_cast<u8*>(l.packet));

  const u32 host = _mm_getcsr();
  const bool completed = options ? Run(l).run(options->max_wave_instructions, options->descending != 0) : Run(l).run(0, false);
  _mm_setcsr(host);
  device.executed += l.executed;
  if (!completed) {
    set_error("no memory to launch " + m.name);
    return CASSC_EMU_OUT_OF_MEMORY;
  }
  if (!l.failed) return CASSC_EMU_OK;
  if (fault) *fault = l.fault;
  set_error(l.fault.message);
  return CASSC_EMU_FAULT;
}

}  // namespace cassc::emu
