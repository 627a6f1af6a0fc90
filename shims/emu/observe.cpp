#include "observe.h"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace cassc::emu {
namespace {

// Reports of one kind at one instruction that are written one by one; further ones are counted.
constexpr u64 kMostReports = 64;

enum ReportKind : int { kInvalid, kUnwritten, kDivergent };

u64 nanoseconds() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return u64(t.tv_sec) * 1000000000 + u64(t.tv_nsec);
}

Observer& observer_of(const Wave& w) { return *w.launch->device->observer; }
Watch& watch_of(const Wave& w) { return *w.launch->watch; }

struct Lane {
  u64 lds, scratch;
  const Wave& w;
  explicit Lane(const Wave& wave)
      : lds(reinterpret_cast<u64>(wave.group->lds)), scratch(reinterpret_cast<u64>(wave.scratch)), w(wave) {}
  bool in_lds(u64 at) const { return at - lds < w.group->lds_size; }
  bool in_scratch(u64 at) const { return at - scratch < u64(w.scratch_size) * kLanes; }
};

bool in_a_row(const u64* at, u32 size) {
  u64 wrong = 0;
  for (u32 l = 0; l < kLanes; ++l) wrong |= at[l] ^ (at[0] + u64(l) * size);
  return wrong == 0;
}

}  // namespace

u64 first_number() { return u64(getpid()) << 24; }

DeviceHeap::DeviceHeap(const Launch& launch) {
  const auto& globals = launch.kernel->module->globals;
  const auto symbol = globals.find("__cassc_heap");
  if (symbol == globals.end()) return;
  u64 header = 0;
  std::memcpy(&header, reinterpret_cast<const void*>(symbol->second.first), sizeof header);
  constexpr u64 kFirst = 16, kBitmap = 64;
  if (!header || !accessible(launch.memory, header, kBitmap)) return;
  u32 count = 0;
  std::memcpy(&count, reinterpret_cast<const void*>(header), sizeof count);
  std::memcpy(&first, reinterpret_cast<const void*>(header + kFirst), sizeof first);
  units = count;
  held = reinterpret_cast<const u32*>(header + kBitmap);
}

bool DeviceHeap::holds(u64 address, u32 size) const {
  for (u64 unit = (address - first) / kUnit; unit <= (address - first + size - 1) / kUnit; ++unit) {
    if (unit < units && !(__atomic_load_n(held + unit / 32, __ATOMIC_RELAXED) >> (unit % 32) & 1)) return false;
  }
  return true;
}

Observer::Observer(u32 what, const std::string& path, const Memory& memory)
    : what_(what), journal_(path), memory_(memory), launches_(first_number()) {
  if (wants(CASSC_EMU_OBSERVE_INIT)) memory_written_ = WrittenBytes(memory.view().base, memory.view().bytes);
}

void Observer::loaded(const cassc_emu_module& module, const u8* elf, size_t size) {
  const std::lock_guard lock(mutex_);
  const std::string path = journal_.path() + "." + std::to_string(module.number) + ".hsaco";
  if (std::FILE* file = std::fopen(path.c_str(), "we")) {
    std::fwrite(elf, 1, size, file);
    std::fclose(file);
  }
  Record r("module");
  journal_.write(r.add("module", module.number).add("path", path));
}

// Where: kernel, instruction, its address in the code object. Who: workgroup, wave, and a lane's thread where it matters.
Record Observer::record(const char* type, const Wave& w, const Op* op, int lane) const {
  const Launch& l = *w.launch;
  Record r(type);
  const u64 address = l.code->address_of(op);
  r.add("launch", l.watch->number).add("kernel", l.kernel->metadata.name).add("module", l.kernel->module->number);
  r.add("address", address - l.kernel->module->bias).add("offset", address - l.kernel->entry).add("instruction", op->name ? op->name : "?");
  const u64 group[] = {w.group->id[0], w.group->id[1], w.group->id[2]};
  r.add("workgroup", group, 3).add("wave", w.index);
  if (lane >= 0) {
    const u64 t = u64(w.index) * kLanes + u64(lane), x = l.block.x, y = l.block.y, thread[] = {t % x, t / x % y, t / x / y};
    r.add("lane", u64(lane)).add("thread", thread, 3);
  }
  return r;
}

bool Observer::wanted(Watch& watch, int kind, const Op* op) { return ++watch.reports[{kind, op}] <= kMostReports; }

std::unique_ptr<Watch> Observer::begin(const Launch& launch) {
  auto watch = std::make_unique<Watch>(launch, ++launches_);
  watch->began = nanoseconds();
  return watch;
}

void Observer::begin_group(Watch& watch, Group& group, u64 number) {
  const Launch& l = watch.launch;
  auto shadow = std::make_unique<GroupShadow>();
  shadow->number = number;
  shadow->waves.resize(l.waves_per_group);
  for (u32 i = 0; i < l.waves_per_group; ++i) {
    const u32 threads = l.threads_per_group - i * kLanes;
    shadow->waves[i].born = threads >= kLanes ? ~0u : (1u << threads) - 1;
  }
  if (wants(CASSC_EMU_OBSERVE_INIT) && l.lds_size) shadow->lds = WrittenBytes(reinterpret_cast<u64>(group.lds), l.lds_size);
  if (wants(CASSC_EMU_OBSERVE_RACE)) shadow->lds_races.resize((l.lds_size + 3) / 4);
  group.shadow = shadow.release();
}

void Observer::end_group(Group& group) {
  delete group.shadow;
  group.shadow = nullptr;
}

void Observer::end_wave(Wave& w) { w.group->shadow->waves[w.index].ended = true; }

void Observer::release(Group& group, Wave* waves, u32 count) {
  GroupShadow& g = *group.shadow;
  Watch& watch = watch_of(waves[0]);
  const std::lock_guard lock(mutex_);
  g.barrier_time = watch.time;
  u64 horizon = 0;
  for (const WaveShadow& s : g.waves) horizon = std::max(horizon, s.horizon);
  const Op* place = nullptr;
  for (u32 i = 0; i < count; ++i) {
    WaveShadow& s = g.waves[i];
    s.horizon = horizon;
    if (!wants(CASSC_EMU_OBSERVE_SYNC) || g.reported) continue;
    const bool gone = s.ended;
    if (!gone && !place) place = s.barrier;
    if (!gone && place == s.barrier) continue;
    // Either it ended before the barrier at which the others are, or it is at another.
    g.reported = true;
    Wave& here = *std::find_if(waves, waves + count, [](const Wave& w) { return w.state == WaveState::barrier; });
    const Op* at = g.waves[here.index].barrier;
    if (!wanted(watch, kDivergent, at)) continue;
    Record r = record("barrier", here, at, 0);
    r.add("reason", gone ? "exited" : "block").add("other_wave", i);
    if (!gone) r.add("other_address", watch.launch.code->address_of(s.barrier) - watch.launch.kernel->module->bias);
    journal_.write(r);
  }
}

void Observer::stuck(Watch& watch, const Wave& w) {
  if (w.state != WaveState::ready && w.state != WaveState::barrier) return;
  const Op* op = w.state == WaveState::barrier ? w.group->shadow->waves[w.index].barrier : w.pc;
  if (!op) return;
  const std::lock_guard lock(mutex_);
  Record r = record("stuck", w, op, -1);
  r.add("state", w.state == WaveState::barrier ? "barrier" : "running").add("executed", watch.tally.vector_instructions);
  journal_.write(r);
}

void Observer::invalid(Wave& w, const Op* op, u32 kind, u64 address, u32 size, bool write, u32 lane) {
  if (!wants(CASSC_EMU_OBSERVE_MEMORY)) return;
  const std::lock_guard lock(mutex_);
  if (!wanted(watch_of(w), kInvalid, op)) return;
  Record r = record("invalid", w, op, int(lane));
  const char* space = op->segment == Segment::lds || kind == CASSC_EMU_FAULT_LDS_ADDRESS          ? "shared"
                      : op->segment == Segment::scratch || kind == CASSC_EMU_FAULT_SCRATCH_ADDRESS ? "local"
                                                                                                   : "global";
  r.add("space", space).add("access", op->kind == Kind::atomic ? "atomic" : write ? "write" : "read").add("size", size).add("at", address);
  r.add("reason", kind == CASSC_EMU_FAULT_MISALIGNED ? "misaligned" : "bounds");
  u64 base = 0, bytes = 0;
  bool live = false;
  if (space[0] == 'g' && kind != CASSC_EMU_FAULT_MISALIGNED && memory_.nearest(address, base, bytes, live)) {
    r.add("base", base).add("bytes", bytes).add("freed", u64(!live));
  }
  journal_.write(r);
}

void Observer::freed_block(Wave& w, const Op* op, u64 address, u32 size, Access access, u32 lane) {
  if (!wanted(watch_of(w), kInvalid, op)) return;
  Record r = record("invalid", w, op, int(lane));
  r.add("space", "global").add("access", access == Access::atomic ? "atomic" : access == Access::write ? "write" : "read");
  journal_.write(r.add("size", size).add("at", address).add("reason", "heap"));
}

void Observer::unwritten(Wave& w, const Op* op, const char* space, u64 address, u32 size, u32 lane) {
  if (!wanted(watch_of(w), kUnwritten, op)) return;
  journal_.write(record("uninitialized", w, op, int(lane)).add("space", space).add("size", size).add("at", address));
}

void Observer::divergent(Wave& w, const char* who, const Op* op, u32 lanes) {
  if (!wanted(watch_of(w), kDivergent, op)) return;
  journal_.write(record("barrier", w, op, std::countr_zero(lanes)).add("reason", who));
}

void Observer::access(Wave& w, const Op* op, const u64* at, u32 live, u32 size, Access access, u32 changed) {
  Watch& watch = watch_of(w);
  if (wants(CASSC_EMU_OBSERVE_PROFILE)) watch.tally.memory(w, at, live, size, access);
  if (!wants(CASSC_EMU_OBSERVE_CHECKS)) return;
  const std::lock_guard lock(mutex_);
  GroupShadow& g = *w.group->shadow;
  WaveShadow& s = g.waves[w.index];
  ++watch.time;
  if (wants(CASSC_EMU_OBSERVE_SYNC) && s.missing & w.s[kExec]) {
    divergent(w, "warp", s.barrier, s.missing & w.s[kExec]);
    s.missing = 0;
  }
  const bool init = wants(CASSC_EMU_OBSERVE_INIT), race = wants(CASSC_EMU_OBSERVE_RACE);
  const bool heap = wants(CASSC_EMU_OBSERVE_MEMORY) && watch.heap.held;
  if (!init && !race && !heap) return;
  const u64 first = g.number * watch.launch.waves_per_group + 1;
  RaceActor actor{first + w.index, first, first + watch.launch.waves_per_group - 1, watch.time, g.barrier_time, s.horizon};
  if (init && w.scratch_size && !s.scratch.covers(reinterpret_cast<u64>(w.scratch))) {
    s.scratch = WrittenBytes(reinterpret_cast<u64>(w.scratch), u64(w.scratch_size) * kLanes);
  }
  const Lane lane(w);
  // Neighbours in a row are one stretch of one space.
  const bool row = live == ~0u && in_a_row(at, size);
  u32 in_lds = 0, in_scratch = 0;
  for (u32 rest = row ? 1 : live; rest; rest &= rest - 1) {
    const u32 l = u32(std::countr_zero(rest)), lanes = row ? ~0u : 1u << l;
    if (lane.in_lds(at[l])) in_lds |= lanes;
    else if (lane.in_scratch(at[l])) in_scratch |= lanes;
  }
  const u32 in_global = live & ~in_lds & ~in_scratch;
  if (heap) {
    for (u32 rest = in_global; rest; rest &= rest - 1) {
      const u32 l = u32(std::countr_zero(rest));
      if (watch.heap.covers(at[l]) && !watch.heap.holds(at[l], size)) freed_block(w, op, at[l], size, access, l);
    }
  }
  if (init) {
    for (const auto& [space, lanes, bytes] : {std::tuple("shared", in_lds, &g.lds), {"local", in_scratch, &s.scratch}, {"global", in_global, &memory_written_}}) {
      if (!lanes) continue;
      if (row) {
        if (access != Access::write && bytes->all(at[0], size * kLanes)) continue;
        if (access == Access::write) {
          bytes->set(at[0], u64(size) * kLanes, true);
          continue;
        }
      }
      for (u32 l = 0; l < kLanes; ++l) {
        if (!(lanes >> l & 1)) continue;
        const u64 a = at[l];
        if (access != Access::write && !bytes->all(a, size)) {
          const u64 shown = space[0] == 's' ? a - lane.lds : space[0] == 'l' ? (a - lane.scratch) % w.scratch_size : a;
          unwritten(w, op, space, shown, size, l);
        }
        bytes->set(a, size, true);  // what was reported once is not reported again
      }
    }
  }
  if (race && in_lds) watch.races.access(actor, op, at, in_lds, size, access, changed, lane.lds, g.lds_races.data());
  if (race && in_global) watch.races.access(actor, op, at, in_global, size, access, changed, 0, nullptr);
}

void Observer::scalar(Wave& w, const Op* op, u64 address, u32 size) {
  if (!accessible(w.launch->memory, address, 4)) {
    invalid(w, op, CASSC_EMU_FAULT_ILLEGAL_ADDRESS, address, size, false, 0);
    return;
  }
  if (!wants(CASSC_EMU_OBSERVE_CHECKS)) return;
  // Wide scalar loads may fetch more than the program asked for: only a dword alone is looked at.
  Watch& watch = watch_of(w);
  const std::lock_guard lock(mutex_);
  ++watch.time;
  if (size != 4) return;
  if (wants(CASSC_EMU_OBSERVE_INIT) && !memory_written_.all(address, size)) unwritten(w, op, "global", address, size, 0);
  if (wants(CASSC_EMU_OBSERVE_RACE)) {
    GroupShadow& g = *w.group->shadow;
    const u64 first = g.number * watch.launch.waves_per_group + 1;
    RaceActor actor{first + w.index, first, first + watch.launch.waves_per_group - 1, watch.time, g.barrier_time, g.waves[w.index].horizon};
    watch.races.access(actor, op, &address, 1, size, Access::read, 0, 0, nullptr);
  }
}

void Observer::barrier(Wave& w, const Op* op) {
  WaveShadow& s = w.group->shadow->waves[w.index];
  const u32 exec = w.s[kExec];
  if (wants(CASSC_EMU_OBSERVE_SYNC) && s.missing & exec) {
    const std::lock_guard lock(mutex_);
    divergent(w, "warp", s.barrier, s.missing & exec);
  }
  s.missing = s.born & ~exec;
  s.barrier = op;
}

void Observer::end(Watch& watch) {
  const Launch& l = watch.launch;
  const cassc_emu_kernel& k = *l.kernel;
  const auto located = [&](const char* type, const Op* op) {
    Record r(type);
    const u64 address = l.code->address_of(op);
    r.add("launch", watch.number).add("kernel", k.metadata.name).add("module", k.module->number).add("instruction", op->name);
    r.add("address", address - k.module->bias).add("offset", address - k.entry);
    return r;
  };
  for (const auto& [key, found] : watch.races.found()) {
    const auto& [earlier, earlier_writes, later, later_writes] = key;
    Record r = located("race", later);
    r.add("earlier_address", l.code->address_of(earlier) - k.module->bias).add("earlier_offset", l.code->address_of(earlier) - k.entry);
    r.add("earlier_instruction", earlier->name).add("earlier_writes", u64(earlier_writes)).add("writes", u64(later_writes));
    r.add("space", found.shared ? "shared" : "global").add("at", found.address).add("count", found.count);
    const u64 waves = l.waves_per_group, first = found.first_wave - 1, second = found.second_wave - 1;
    r.add("earlier_group", first / waves).add("earlier_wave", first % waves).add("group", second / waves).add("wave", second % waves);
    journal_.write(r);
  }
  for (const auto& [place, count] : watch.reports) {
    if (count > kMostReports) journal_.write(located("more", place.second).add("kind", u64(place.first)).add("count", count - kMostReports));
  }
  if (l.failed) {
    const cassc_emu_fault& f = l.fault;
    Record r("fault");
    const u64 group[] = {f.workgroup.x, f.workgroup.y, f.workgroup.z};
    r.add("launch", watch.number).add("kernel", k.metadata.name).add("module", k.module->number).add("kind", f.kind);
    r.add("address", k.entry + f.pc_offset - k.module->bias).add("offset", f.pc_offset).add("workgroup", group, 3).add("wave", f.wave);
    journal_.write(r.add("lane", f.lane).add("message", f.message));
  }
  if (!wants(CASSC_EMU_OBSERVE_PROFILE)) return;
  const Tally& t = watch.tally;
  Record r("launch");
  const u64 grid[] = {l.grid.x, l.grid.y, l.grid.z}, block[] = {l.block.x, l.block.y, l.block.z};
  r.add("launch", watch.number).add("kernel", k.metadata.name).add("began", watch.began).add("ended", nanoseconds());
  r.add("grid", grid, 3).add("block", block, 3).add("waves", l.total * l.waves_per_group).add("waves_per_group", l.waves_per_group);
  r.add("vgprs", l.code->vgprs()).add("lds_size", l.lds_size).add("scratch_size", l.scratch_size);
  for (u32 i = 0; i < kKinds; ++i) r.add(kind_name(Kind(i)), t.kinds[i]);
  r.add("vector_instructions", t.vector_instructions).add("vector_lanes", t.vector_lanes).add("partial", t.partial);
  r.add("branches", t.branches).add("taken", t.taken);
  const std::pair<const char*, const Tally::Traffic*> traffic[] = {
      {"loads", &t.loads}, {"stores", &t.stores}, {"atomics", &t.atomics}, {"locals", &t.scratch}};
  for (const auto& [name, one] : traffic) {
    const u64 numbers[] = {one->accesses, one->lanes, one->bytes, one->sectors, one->lines};
    r.add(name, numbers, 5);
  }
  const u64 lds[] = {t.lds_accesses, t.lds_lanes, t.lds_bytes, t.lds_cycles, t.lds_conflicts};
  journal_.write(r.add("shared", lds, 5));
}

void observe_invalid(Wave& w, const Op* op, u32 kind, u64 address, u32 size, bool write, u32 lane) {
  observer_of(w).invalid(w, op, kind, address, size, write, lane);
}
void observe_access(Wave& w, const Op* op, const u64* at, u32 live, u32 size, Access access, u32 changed) {
  observer_of(w).access(w, op, at, live, size, access, changed);
}
void observe_scalar(Wave& w, const Op* op, u64 address, u32 size) { observer_of(w).scalar(w, op, address, size); }
void observe_barrier(Wave& w, const Op* op) { observer_of(w).barrier(w, op); }
Tally* observed_tally(const Wave& w) { return observer_of(w).wants(CASSC_EMU_OBSERVE_PROFILE) ? &watch_of(w).tally : nullptr; }
void observed_decode(const Wave& w, const Op* op) { w.launch->code->decode_at(op); }

}  // namespace cassc::emu
