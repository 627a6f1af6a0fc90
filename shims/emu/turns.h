// One thread's share of a launch: the workgroups that it has begun, and whose turn it is.
#pragma once
#include <functional>

#include "device.h"

namespace cassc::emu {

// A workgroup in progress. Its waves, their registers and scratch, and its LDS are one block.
struct Resident {
  Group group{};
  Wave* waves = nullptr;
  u8* block = nullptr;
  u32 live = 0;
};

class Turns {
 public:
  explicit Turns(Launch& launch);
  ~Turns();
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;

  // Runs workgroups until none is left. `share`, where given, is called once, when others had better take part.
  void run(const std::function<void()>& share);

 private:
  bool start(u64 number);  // false: out of host memory
  void prepare(Resident& r, u32 index);
  void visit(Resident& r);
  void step(Wave& w);
  void report_stuck();

  Launch& l_;
  const Descriptor& d_;
  const Variant& variant_;
  Observer* const observer_;  // null: nobody looks
  u32 vgprs_;
  u64 scratch_offset_, lds_offset_, block_bytes_;
  u64 random_;
  size_t max_resident_;
  Progress progress_;
  u64 counted_ = 0;  // instructions that the launch's own count holds already
  std::vector<u32> sequence_;  // of the waves of a workgroup
  std::vector<Resident> resident_;
  std::vector<u8*> spare_;
};

}  // namespace cassc::emu
