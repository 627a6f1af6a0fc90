// Counts of one launch for a profile.
#pragma once
#include "machine.h"

namespace cassc::emu {

Kind kind_of(const Op& op);
const char* kind_name(Kind kind);

struct Tally {
  u64 kinds[kKinds] = {};
  u64 vector_lanes = 0;                      // lanes that were active in vector instructions, summed
  u64 vector_instructions = 0;
  u64 branches = 0, taken = 0;               // conditional ones
  u64 partial = 0;                           // vector instructions with some lanes of the wave switched off
  struct Traffic {
    u64 accesses = 0, lanes = 0, bytes = 0;  // bytes that lanes asked for
    u64 sectors = 0, lines = 0;              // 32-byte and 128-byte pieces that hold them
  };
  Traffic loads, stores, atomics, scratch;
  u64 lds_accesses = 0, lds_lanes = 0, lds_bytes = 0, lds_cycles = 0, lds_conflicts = 0;

  // Before an instruction, with EXEC, and after a branch.
  void instruction(const Op* op, u32 exec) {
    ++kinds[u32(op->kind)];
    if (op->kind > Kind::cross_lane) return;
    ++vector_instructions;
    vector_lanes += exec == ~0u ? kLanes : u32(__builtin_popcount(exec));
    partial += exec != ~0u;
  }
  void branch(const Op* op, const Op* next) {
    if (op->name[2] != 'c' || op->name[3] != 'b') return;  // s_cbranch_
    ++branches;
    taken += next != op + op->length;
  }
  void memory(const Wave& wave, const u64* at, u32 live, u32 size, Access access);
};

}  // namespace cassc::emu
