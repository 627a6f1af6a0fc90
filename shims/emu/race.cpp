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

void Races::word(RaceActor& actor, const Op* op, RaceWord& word, u8 mask, u64 address, bool shared, Access access, bool strong, bool changes) {
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

void Races::access(RaceActor& actor, const Op* op, u64 address, u32 size, Access access, bool strong, bool changes) {
  each_word(address, size, [&](u64 at, u8 mask) {
    auto& page = pages_[at / kPageWords];
    if (!page) page = std::make_unique<Page>();
    word(actor, op, page->words[at % kPageWords], mask, at * 4, false, access, strong, changes);
  });
}

void Races::access_lds(RaceActor& actor, const Op* op, RaceWord* words, u64 offset, u32 size, Access access, bool changes) {
  each_word(offset, size, [&](u64 at, u8 mask) { word(actor, op, words[at], mask, at * 4, true, access, false, changes); });
}

}  // namespace cassc::emu
