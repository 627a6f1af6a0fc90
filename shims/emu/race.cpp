#include "race.h"

#include <algorithm>
#include <cstring>

namespace cassc::emu {
namespace {

bool ordered(const RaceActor& actor, u64 other, u64 time) {
  return time <= actor.horizon || (other >= actor.first && other <= actor.last && time <= actor.barrier_time);
}

// An exchange that compares follows a plain read in every loop that makes other atomic operations of it.
bool compares(const Op* op) { return std::strstr(op->name, "cmpst") || std::strstr(op->name, "cmpswap"); }

template <class F>
void each_word(u64 address, u32 size, F&& visit) {
  if ((address | size) % 4 == 0) {
    for (u64 at = address / 4; at < (address + size) / 4; ++at) visit(at, u8(15));
    return;
  }
  for (u64 at = address / 4; at <= (address + size - 1) / 4; ++at) {
    u8 mask = 15;
    if (at == address / 4) mask = u8(mask << (address % 4));
    const u64 end = address + size;
    if (at == (end - 1) / 4) mask &= u8(15 >> ((4 - end % 4) % 4));
    visit(at, u8(mask & 15));
  }
}

}  // namespace

void Races::hazard(RaceActor& actor, const Op* op, const RaceWord& word, bool earlier_wrote, Access access, u64 address, bool shared) {
  const Op* earlier = earlier_wrote ? word.write_op : word.read_op;
  Found& f = found_[{earlier, earlier_wrote, op, access != Access::read}];
  if (f.count++ == 0) {
    f.shared = shared;
    f.first_wave = earlier_wrote ? word.write_wave : word.read_wave;
    f.second_wave = actor.wave;
    f.address = address;
  }
}

template <Access access>
void Races::word(RaceActor& actor, const Op* op, RaceWord& word, u8 mask, u64 address, bool shared, bool strong, bool changes) {
  const bool others_write = word.write_wave && word.write_wave != actor.wave && word.write_mask & mask;
  const bool others_read = word.read_wave && word.read_wave != actor.wave && word.read_mask & mask;
  // Writes of the same value, and reads beside them, give the same in every order. Such a write is kept only where it hides
  // no other, for a later one that does change the value.
  const bool silent = access == Access::write && !changes;
  const bool behind = others_write && !ordered(actor, word.write_wave, word.write_time);
  if (silent && behind) return;
  if (behind && !(word.write_silent && access == Access::read)) {
    // In global memory code reads what others change atomically, and sets atomic words plainly, without harm.
    const bool atomic = access == Access::atomic || word.write_atomic;
    const bool loop = word.write_atomic ? compares(word.write_op) : access == Access::atomic && compares(op);
    const bool excused = strong || (atomic && (!shared || loop)) || (access == Access::atomic && word.write_atomic);
    if (!excused) hazard(actor, op, word, true, access, address, shared);
  }
  if (access != Access::read && !silent && others_read && !ordered(actor, word.read_wave, word.read_time)) {
    const bool excused = strong || word.read_strong || (access == Access::atomic && (!shared || compares(op)));
    if (!excused) hazard(actor, op, word, false, access, address, shared);
  }
  if ((strong || access == Access::atomic) && word.write_wave != actor.wave) actor.horizon = std::max(actor.horizon, word.write_time);
  if (access == Access::read) {
    word.read_mask = word.read_wave == actor.wave ? u8(word.read_mask | mask) : mask;
    word.read_wave = actor.wave;
    word.read_time = actor.time;
    word.read_op = op;
    word.read_strong = strong;
    return;
  }
  word.write_mask = word.write_wave == actor.wave ? u8(word.write_mask | mask) : mask;
  word.write_wave = actor.wave;
  word.write_time = actor.time;
  word.write_op = op;
  word.write_atomic = access == Access::atomic;
  word.write_silent = silent;
}

RaceWord& Races::global_word(u64 number) {
  const u64 page = number / kPageWords;
  if (page != last_page_ || !last_) {
    auto& found = pages_[page];
    if (!found) found = std::make_unique<Page>();
    last_page_ = page;
    last_ = found.get();
  }
  return last_->words[number % kPageWords];
}

template <Access access>
void Races::lanes(RaceActor& actor, const Op* op, const u64* at, u32 live, u32 size, bool strong, u32 changed, u64 lds, RaceWord* lds_words) {
  for (u32 l = 0; l < kLanes; ++l) {
    if (!(live >> l & 1)) continue;
    const bool changes = changed >> l & 1;
    if (lds_words) {
      each_word(at[l] - lds, size, [&](u64 n, u8 mask) {
        RaceWord& one = lds_words[n];
        // What shared memory holds at first is not defined, so that the first write of it changes it.
        word<access>(actor, op, one, mask, n * 4, true, false, changes || !one.write_wave);
      });
    } else {
      each_word(at[l], size, [&](u64 n, u8 mask) { word<access>(actor, op, global_word(n), mask, n * 4, false, strong, changes); });
    }
  }
}

void Races::access(RaceActor& actor, const Op* op, const u64* at, u32 live, u32 size, Access access, u32 changed, u64 lds, RaceWord* lds_words) {
  const bool strong = op->flags & kStrong;
  switch (access) {
    case Access::read: return lanes<Access::read>(actor, op, at, live, size, strong, changed, lds, lds_words);
    case Access::write: return lanes<Access::write>(actor, op, at, live, size, strong, changed, lds, lds_words);
    default: return lanes<Access::atomic>(actor, op, at, live, size, strong, changed, lds, lds_words);
  }
}

}  // namespace cassc::emu
