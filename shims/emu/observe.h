// Checks and profiles of launches. A device that has an Observer runs its kernels in the observed variant, whose memory and
// control rows call the observe_ functions of machine.h; without one none of this is reached.
#pragma once
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "device.h"
#include "race.h"
#include "report.h"
#include "shadow.h"
#include "tally.h"

namespace cassc::emu {

// What is known of a wave beside its registers.
struct WaveShadow {
  u32 born = 0;                 // lanes that the launch gave it
  u32 missing = 0;              // lanes that were not at its last barrier
  const Op* barrier = nullptr;  // its last barrier
  u64 horizon = 0;              // what other workgroups did up to this time is ordered before it
  bool ended = false;
  WrittenBytes scratch;
};

struct GroupShadow {
  u64 number = 0;
  u64 barrier_time = 0;  // what the workgroup did up to this time is ordered before all of its waves
  bool reported = false; // a barrier of it
  std::vector<WaveShadow> waves;
  WrittenBytes lds;
  std::vector<RaceWord> lds_races;
};

// The heap behind malloc in kernels (shims/runtime/heap.h), of a module that has one: a bit for each unit that a block holds.
struct DeviceHeap {
  static constexpr u64 kUnit = 16;
  u64 first = 0, units = 0;
  const u32* held = nullptr;
  explicit DeviceHeap(const Launch& launch);
  bool covers(u64 address) const { return address - first < units * kUnit; }
  bool holds(u64 address, u32 size) const;
};

// One launch that is observed.
struct Watch {
  Watch(const Launch& l, u64 number) : launch(l), number(number), heap(l) {}
  const Launch& launch;
  const u64 number;
  u64 began = 0;       // nanoseconds
  u64 time = 0;        // counts accesses
  bool reported = false;
  DeviceHeap heap;
  Tally tally;
  Races races;
  std::map<std::pair<int, const Op*>, u64> reports;  // by kind and place: how often
};

// Launches and modules are counted from here on, so that processes which write one journal have numbers of their own.
u64 first_number();

class Observer {
 public:
  Observer(u32 what, const std::string& path, const Memory& memory);
  bool good() const { return journal_.good(); }
  bool wants(u32 what) const { return what_ & what; }

  // Memory whose content the host or the loader gave.
  void written(u64 address, u64 size) { mark(address, size, true); }
  void allocated(u64 address, u64 size) { mark(address, size, false); }
  // Keeps a copy of the code object beside the journal.
  void loaded(const cassc_emu_module& module, const u8* elf, size_t size);

  std::unique_ptr<Watch> begin(const Launch& launch);
  void end(Watch& watch);
  void begin_group(Watch& watch, Group& group, u64 number);
  void end_wave(Wave& wave);
  void end_group(Group& group);
  void release(Group& group, Wave* waves, u32 count);  // all of its waves that live are at a barrier
  void stuck(Watch& watch, const Wave& wave);            // one that has not ended when the launch is stopped

  void invalid(Wave& wave, const Op* op, u32 kind, u64 address, u32 size, bool write, u32 lane);
  void access(Wave& wave, const Op* op, const u64* at, u32 live, u32 size, Access access, u32 changed);
  void scalar(Wave& wave, const Op* op, u64 address, u32 size);
  void barrier(Wave& wave, const Op* op);

 private:
  void mark(u64 address, u64 size, bool written) {
    const std::lock_guard lock(mutex_);
    memory_written_.set(address, size, written);
  }
  bool wanted(Watch& watch, int kind, const Op* op);
  void freed_block(Wave& wave, const Op* op, u64 address, u32 size, Access access, u32 lane);
  Record record(const char* type, const Wave& wave, const Op* op, int lane) const;
  void divergent(Wave& wave, const char* who, const Op* op, u32 lanes);
  void unwritten(Wave& wave, const Op* op, const char* space, u64 address, u32 size, u32 lane);

  const u32 what_;
  Journal journal_;
  const Memory& memory_;
  WrittenBytes memory_written_;
  std::mutex mutex_;
  std::atomic<u64> launches_;
};

}  // namespace cassc::emu
