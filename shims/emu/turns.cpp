// The order in which the waves of a launch run, and the registers that a new wave starts with.
#include "turns.h"

#include "interrupt.h"
#include "observe.h"

#include <time.h>
#include <xmmintrin.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <numeric>

namespace cassc::emu {
namespace {

// A wave runs this many instructions before the next gets its turn; spin waits between waves need an end of turn.
constexpr u64 kQuantum = 4096;
// With shuffled turns, at most this many: interleavings that differ, often.
constexpr u64 kShuffledQuantum = 256;
// Turns of a workgroup's waves before another workgroup gets its turn.
constexpr int kPasses = 2;
constexpr u64 kResidentBytes = u64(512) << 20;
constexpr size_t kMinResident = 64, kMaxResident = 4096;
// Wave-instructions after which a launch asks other threads to take part; waking them is dearer than to run fewer.
constexpr u64 kWorthSharing = 50000;

constexpr u32 kMxcsr = 0x1f80;

u32 mxcsr_of(u32 rounding, u32 denormals) {
  static constexpr u32 kControl[] = {0, 2, 1, 3};  // MODE: nearest, up, down, zero; MXCSR: nearest, down, up, zero
  return kMxcsr | kControl[rounding & 3] << 13 | (denormals & 1 ? 0 : 1u << 6) | (denormals & 2 ? 0 : 1u << 15);
}

u64 padded(u64 n) { return (n + 63) / 64 * 64; }

// Steele, Lea, Flood: "Fast splittable pseudorandom number generators" (SplitMix64).
u64 mixed(u64& state) {
  u64 z = state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

}  // namespace

GroupOrder::GroupOrder(u64 total, u32 order, u64 seed) : total_(total), order_(order) {
  if (order_ != CASSC_EMU_ORDER_SHUFFLED) return;
  offset_ = mixed(seed) % total;
  // A stride without common factor reaches every number once.
  do {
    stride_ = mixed(seed) % total;
  } while (std::gcd(stride_, total) != 1);
}

u64 GroupOrder::at(u64 index) const {
  switch (order_) {
    case CASSC_EMU_ORDER_DESCENDING: return total_ - 1 - index;
    case CASSC_EMU_ORDER_SHUFFLED: return u64((static_cast<unsigned __int128>(index) * stride_ + offset_) % total_);
    default: return index;
  }
}

Turns::Turns(Launch& launch)
    : l_(launch), d_(launch.kernel->descriptor), variant_(launch.device->variant()),
      observer_(launch.watch ? launch.device->observer.get() : nullptr), random_(launch.seed) {
  vgprs_ = l_.code->vgprs();
  scratch_offset_ = padded(sizeof(Wave)) * l_.waves_per_group + u64(vgprs_) * kLanes * 4 * l_.waves_per_group;
  lds_offset_ = scratch_offset_ + padded(u64(l_.scratch_size) * kLanes) * l_.waves_per_group;
  block_bytes_ = lds_offset_ + padded(l_.lds_size) + 64;
  max_resident_ = std::clamp<size_t>(kResidentBytes / block_bytes_, kMinResident, kMaxResident);
  if (l_.together) max_resident_ = std::max<size_t>(max_resident_, l_.total);
  sequence_.resize(l_.waves_per_group);
  for (u32 i = 0; i < l_.waves_per_group; ++i) sequence_[i] = l_.order == CASSC_EMU_ORDER_DESCENDING ? l_.waves_per_group - 1 - i : i;
}

Turns::~Turns() {
  for (Resident& r : resident_) {
    if (observer_) observer_->end_group(r.group);
    std::free(r.block);
  }
  for (u8* p : spare_) std::free(p);
}

void Turns::run(const std::function<void()>& share) {
  const u32 host = _mm_getcsr();
  size_t cursor = 0;
  bool shared = !share;
  while (!l_.failed.load(std::memory_order_relaxed)) {
    if (cursor >= resident_.size()) {
      u64 index = l_.total;
      if (resident_.size() < max_resident_ && l_.next.load(std::memory_order_relaxed) < l_.total) index = l_.next++;
      if (index < l_.total) {
        if (!start(l_.groups.at(index))) {
          l_.out_of_memory = true;
          l_.failed = true;
          break;
        }
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
      if (observer_) observer_->end_group(r.group);
      spare_.push_back(r.block);
      resident_.erase(resident_.begin() + std::ptrdiff_t(cursor));
    } else {
      ++cursor;
    }
    if (!shared && progress_.executed > kWorthSharing && l_.next.load(std::memory_order_relaxed) < l_.total) {
      shared = true;
      share();
    }
  }
  _mm_setcsr(host);
  l_.executed += progress_.executed - counted_;
  counted_ = progress_.executed;
}

bool Turns::start(u64 number) {
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
  r.group.signals = 0;
  r.group.waves = l_.waves_per_group;
  r.waves = reinterpret_cast<Wave*>(r.block);
  r.live = l_.waves_per_group;
  // Contents are undefined on the device; here they are the same in every run. A stack that may grow is left as it is.
  std::memset(r.block, 0, l_.scratch_size > 4096 ? scratch_offset_ : lds_offset_);
  std::memset(r.group.lds, 0xcd, l_.lds_size);
  if (observer_) observer_->begin_group(*l_.watch, r.group, number);
  resident_.push_back(r);
  for (u32 i = 0; i < l_.waves_per_group; ++i) prepare(resident_.back(), i);
  return true;
}

void Turns::prepare(Resident& r, u32 index) {
  Wave& w = r.waves[index];
  w.vgpr = r.block + padded(sizeof(Wave)) * l_.waves_per_group + u64(index) * vgprs_ * kLanes * 4;
  w.scratch = r.block + scratch_offset_ + u64(index) * padded(u64(l_.scratch_size) * kLanes);
  w.scratch_size = l_.scratch_size;
  w.launch = &l_;
  w.progress = &progress_;
  w.alignment = l_.strict_alignment ? 16 : 1;
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
  if (l_.device->gfx12()) {  // TTMP9 and TTMP7
    w.s[108 + 9] = r.group.id[0];
    w.s[108 + 7] = (r.group.id[1] & 0xffff) | r.group.id[2] << 16;
  } else {
    for (u32 axis = 0; axis < 3; ++axis) {
      if (d_.rsrc2 >> (7 + axis) & 1) w.s[at++] = r.group.id[axis];
    }
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
  // gfx12 always clamps NaN to zero, and has no IEEE mode.
  const u32 modes = l_.device->gfx12() ? 1u << 8 : (d_.rsrc1 >> 21 & 1) << 8 | (d_.rsrc1 >> 23 & 1) << 9;
  const u32 mode = (d_.rsrc1 >> 12 & 0xff) | modes;
  set_mode(w, mode);
  w.pc = l_.code->at(l_.kernel->entry);
}

// Gives each wave of the group its turns.
void Turns::visit(Resident& r) {
  int pass = 0;
  while (pass < kPasses && r.live && !l_.failed.load(std::memory_order_relaxed)) {
    if (l_.order == CASSC_EMU_ORDER_SHUFFLED) {
      for (u32 i = l_.waves_per_group - 1; i > 0; --i) std::swap(sequence_[i], sequence_[mixed(random_) % (i + 1)]);
    }
    u32 waiting = 0;
    bool spent = false;
    for (u32 i = 0; i < l_.waves_per_group && !l_.failed.load(std::memory_order_relaxed); ++i) {
      Wave& w = r.waves[sequence_[i]];
      if (w.state == WaveState::ready) {
        w.group = &r.group;
        step(w);
        if (w.state == WaveState::ended) {
          r.group.waves = --r.live;
          if (observer_) observer_->end_wave(w);
        }
        spent |= w.state == WaveState::ready;
      }
      waiting += w.state == WaveState::barrier;
    }
    if (waiting && waiting == r.live) {  // ended waves no longer count
      if (observer_) observer_->release(r.group, r.waves, l_.waves_per_group);
      for (u32 i = 0; i < l_.waves_per_group; ++i) {
        if (r.waves[i].state == WaveState::barrier) r.waves[i].state = WaveState::ready;
      }
      r.group.signals = 0;
    }
    pass += spent;
  }
}

void Turns::step(Wave& w) {
  w.vbank[0] = w.vgpr;
  w.vbank[1] = l_.code->constants().vectors();
  w.sbank[0] = w.s;
  w.sbank[1] = l_.code->constants().scalars();
  u64 budget = l_.order == CASSC_EMU_ORDER_SHUFFLED ? 1 + mixed(random_) % kShuffledQuantum : kQuantum;
  if (l_.limit) budget = std::min(budget, l_.limit - std::min<u64>(l_.executed, l_.limit));
  if (budget == 0) {
    if (observer_) report_stuck();
    raise(w, w.pc, CASSC_EMU_FAULT_INSTRUCTION_LIMIT, 0, 0, false, 0);
    return;
  }
  const u64 turn = budget;
  _mm_setcsr(w.mxcsr[kSp]);
  const Op* op = variant_.run(w, w.pc, budget);
  _mm_setcsr(kMxcsr);
  progress_.executed += turn - budget;
  if (l_.limit) {
    l_.executed += turn - budget;
    counted_ = progress_.executed;
  }
  if (op) w.pc = op;
}

// The launch is stopped: where its waves are, of the first workgroups.
void Turns::report_stuck() {
  constexpr size_t kMostGroups = 4;
  for (size_t i = 0; i < std::min(resident_.size(), kMostGroups); ++i) {
    for (u32 k = 0; k < l_.waves_per_group; ++k) {
      resident_[i].waves[k].group = &resident_[i].group;
      observer_->stuck(*l_.watch, resident_[i].waves[k]);
    }
  }
}

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
  // They are ignored in IEEE mode, and where results may be denormals.
  x.omod32 = !x.ieee && !(sp_denormals & 2);
  x.omod64 = !x.ieee && !(dp_denormals & 2);
  x.round32 = mode & 3;
  x.round64 = mode >> 2 & 3;
  _mm_setcsr(w.mxcsr[kSp]);
}

u64 shader_clock(const Wave& w) { return w.progress->executed * 4 + 64 * ++w.progress->clock_reads; }

u64 real_clock() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return u64(t.tv_sec) * 100000000 + u64(t.tv_nsec) / 10;
}

void interrupt(Wave& w) {
  const cassc_emu_services& services = w.launch->device->services.calls;
  if (!services.interrupt) return;
  const unsigned control = _mm_getcsr();
  _mm_setcsr(kMxcsr);  // the host's floating point
  services.interrupt(services.data);
  _mm_setcsr(control);
}

const MemoryView& memory_of(const Wave& w) { return w.launch->memory; }
u32 register_count(const Wave& w) { return w.launch->code->vgprs(); }
bool gfx12_code(const Wave& w) { return w.launch->device->gfx12(); }

}  // namespace cassc::emu
