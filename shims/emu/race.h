// Conflicting accesses of two waves that nothing orders.
//
// Time counts the accesses of a launch. A barrier orders what its workgroup did before it; an atomic or volatile access
// orders all that happened before the last write of the word it reads. That is generous to the program: it may hide a race
// between third parties, and reports none that is ordered.
#pragma once
#include <map>
#include <memory>
#include <tuple>
#include <unordered_map>

#include "machine.h"

namespace cassc::emu {

// The last write and the last read of a dword. Waves are numbered from 1 in the launch.
struct RaceWord {
  u64 write_time = 0, read_time = 0;
  u64 write_wave = 0, read_wave = 0;
  const Op *write_op = nullptr, *read_op = nullptr;
  u8 write_mask = 0, read_mask = 0;  // bytes
  bool write_atomic = false, read_strong = false;
  bool write_silent = false;         // it wrote what was there already
};

// Who accesses, and what is ordered before.
struct RaceActor {
  u64 wave;                   // its number
  u64 first, last;            // numbers of its workgroup's waves
  u64 time, barrier_time;
  u64& horizon;
};

class Races {
 public:
  struct Found {
    u64 count = 0;
    bool shared = false;
    u64 first_wave = 0, second_wave = 0, address = 0;
  };
  // (earlier operation, whether it wrote, later operation, whether it writes)
  using Key = std::tuple<const Op*, bool, const Op*, bool>;

  // What the lanes of `live` do at their addresses. lds_words: where these are addresses of LDS, which begins at `lds`; else null.
  void access(RaceActor& actor, const Op* op, const u64* at, u32 live, u32 size, Access access, u32 changed, u64 lds, RaceWord* lds_words);
  const std::map<Key, Found>& found() const { return found_; }

 private:
  template <Access access>
  void word(RaceActor& actor, const Op* op, RaceWord& word, u8 mask, u64 address, bool shared, bool strong, bool changes);
  template <Access access>
  void lanes(RaceActor& actor, const Op* op, const u64* at, u32 live, u32 size, bool strong, u32 changed, u64 lds, RaceWord* lds_words);
  RaceWord& global_word(u64 number);
  void hazard(RaceActor& actor, const Op* op, const RaceWord& word, bool earlier_wrote, Access access, u64 address, bool shared);

  static constexpr u64 kPageWords = 128;
  struct Page {
    RaceWord words[kPageWords];
  };
  std::unordered_map<u64, std::unique_ptr<Page>> pages_;
  u64 last_page_ = 0;
  Page* last_ = nullptr;
  std::map<Key, Found> found_;
};

}  // namespace cassc::emu
