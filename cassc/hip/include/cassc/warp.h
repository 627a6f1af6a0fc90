// Warp functions on a wave of 32 lanes: masks are 32 bits wide as in CUDA, and widths below 32 split the wave (CUDA C++
// Programming Guide, "Warp Vote", "Warp Match", "Warp Reduce" and "Warp Shuffle Functions").
#ifndef CASSC_WARP_H
#define CASSC_WARP_H

CASSC_FN unsigned __activemask() CASSC_BODY(return __builtin_amdgcn_ballot_w32(true);)
CASSC_FN unsigned __ballot_sync(unsigned mask, int predicate) CASSC_BODY(
    return __builtin_amdgcn_ballot_w32(predicate != 0) & mask;)
CASSC_FN int __any_sync(unsigned mask, int predicate) CASSC_BODY(
    return (__builtin_amdgcn_ballot_w32(predicate != 0) & mask) != 0;)
CASSC_FN int __all_sync(unsigned mask, int predicate) CASSC_BODY(
    return (__builtin_amdgcn_ballot_w32(predicate == 0) & mask) == 0;)
CASSC_FN int __uni_sync(unsigned mask, int predicate) CASSC_BODY(
    const unsigned votes = __builtin_amdgcn_ballot_w32(predicate != 0) & mask;
    return votes == 0 || votes == (mask & __builtin_amdgcn_ballot_w32(true));)

#ifdef __CUDA_ARCH__
namespace cassc {
// Moves a value of any size, a multiple of four bytes or less than four, word by word.
template <class T_>
CASSC_FN T_ permute(T_ value, unsigned source) {
  if constexpr (sizeof(T_) < 4) {
    unsigned word = 0;
    __builtin_memcpy(&word, &value, sizeof(T_));
    word = static_cast<unsigned>(__builtin_amdgcn_ds_bpermute(static_cast<int>(source << 2), static_cast<int>(word)));
    __builtin_memcpy(&value, &word, sizeof(T_));
    return value;
  } else {
    static_assert(sizeof(T_) % 4 == 0);
    struct Words {
      int word[sizeof(T_) / 4];
    };
    Words words = __builtin_bit_cast(Words, value);
    for (unsigned i = 0; i < sizeof(T_) / 4; ++i)
      words.word[i] = __builtin_amdgcn_ds_bpermute(static_cast<int>(source << 2), words.word[i]);
    return __builtin_bit_cast(T_, words);
  }
}
// The lane that a shuffle reads, itself where CUDA says so (PTX ISA, "shfl.sync").
CASSC_FN unsigned source_lane(int wanted, int width) {
  const unsigned own = lane();
  return (own & ~static_cast<unsigned>(width - 1)) | (static_cast<unsigned>(wanted) & static_cast<unsigned>(width - 1));
}
CASSC_FN unsigned source_up(unsigned delta, int width) {
  const int own = static_cast<int>(lane()), from = own - static_cast<int>(delta & 31);
  return static_cast<unsigned>(from < (own & ~(width - 1)) ? own : from);
}
CASSC_FN unsigned source_down(unsigned delta, int width) {
  const int own = static_cast<int>(lane()), from = own + static_cast<int>(delta & 31);
  return static_cast<unsigned>(from > (own | (width - 1)) ? own : from);
}
CASSC_FN unsigned source_xor(int bits, int width) {
  const unsigned own = lane(), from = own ^ (static_cast<unsigned>(bits) & 31);
  return from > (own | static_cast<unsigned>(width - 1)) ? own : from;
}
}  // namespace cassc
#endif

#define CASSC_SHUFFLES(type)                                                                                      \
  CASSC_FN type __shfl_sync(unsigned mask, type value, int lane, int width = 32) CASSC_BODY(                      \
      return cassc::permute(value, cassc::source_lane(lane, width));)                                             \
  CASSC_FN type __shfl_up_sync(unsigned mask, type value, unsigned delta, int width = 32) CASSC_BODY(             \
      return cassc::permute(value, cassc::source_up(delta, width));)                                              \
  CASSC_FN type __shfl_down_sync(unsigned mask, type value, unsigned delta, int width = 32) CASSC_BODY(           \
      return cassc::permute(value, cassc::source_down(delta, width));)                                            \
  CASSC_FN type __shfl_xor_sync(unsigned mask, type value, int bits, int width = 32) CASSC_BODY(                  \
      return cassc::permute(value, cassc::source_xor(bits, width));)
CASSC_SHUFFLES(int)
CASSC_SHUFFLES(unsigned)
CASSC_SHUFFLES(long)
CASSC_SHUFFLES(unsigned long)
CASSC_SHUFFLES(long long)
CASSC_SHUFFLES(unsigned long long)
CASSC_SHUFFLES(float)
CASSC_SHUFFLES(double)

// Match: the lanes of the mask that hold the same value. Each round settles the lanes that agree with the first one left.
#ifdef __CUDA_ARCH__
namespace cassc {
template <class T_>
CASSC_FN unsigned match_any(unsigned mask, T_ value) {
  unsigned result = 0;
  bool open = true;
  while (open) {
    const T_ first = [&] {
      if constexpr (sizeof(T_) == 4) {
        return __builtin_bit_cast(T_, __builtin_amdgcn_readfirstlane(__builtin_bit_cast(int, value)));
      } else {
        const unsigned long long bits = __builtin_bit_cast(unsigned long long, value);
        const unsigned low = static_cast<unsigned>(__builtin_amdgcn_readfirstlane(static_cast<int>(bits)));
        const unsigned high = static_cast<unsigned>(__builtin_amdgcn_readfirstlane(static_cast<int>(bits >> 32)));
        return __builtin_bit_cast(T_, static_cast<unsigned long long>(high) << 32 | low);
      }
    }();
    using Bits = std::conditional_t<sizeof(T_) == 4, unsigned, unsigned long long>;
    const bool same = __builtin_bit_cast(Bits, first) == __builtin_bit_cast(Bits, value);
    const unsigned agreeing = __builtin_amdgcn_ballot_w32(same);
    if (same) {
      result = agreeing & mask;
      open = false;
    }
  }
  return result;
}
template <class T_>
CASSC_FN unsigned match_all(unsigned mask, T_ value, int* predicate) {
  const unsigned same = match_any(mask, value);
  const bool all = same == (mask & __builtin_amdgcn_ballot_w32(true));
  *predicate = all;
  return all ? same : 0;
}
// A reduction by the mask that each lane names: the masks of one call may differ from lane to lane.
template <class T_, class Operation>
CASSC_FN T_ reduce(unsigned mask, T_ value, T_ identity, Operation operation) {
  T_ result = identity;
  for (int i = 0; i < 32; ++i) {
    const T_ other = permute(value, static_cast<unsigned>(i));
    if (mask >> i & 1) result = operation(result, other);
  }
  return result;
}
}  // namespace cassc
#endif

#define CASSC_MATCH(type)                                                                               \
  CASSC_FN unsigned __match_any_sync(unsigned mask, type value) CASSC_BODY(                             \
      return cassc::match_any(mask, value);)                                                            \
  CASSC_FN unsigned __match_all_sync(unsigned mask, type value, int* predicate) CASSC_BODY(             \
      return cassc::match_all(mask, value, predicate);)
CASSC_MATCH(int)
CASSC_MATCH(unsigned)
CASSC_MATCH(long)
CASSC_MATCH(unsigned long)
CASSC_MATCH(long long)
CASSC_MATCH(unsigned long long)
CASSC_MATCH(float)
CASSC_MATCH(double)
#undef CASSC_MATCH

#define CASSC_REDUCE(name, type, identity, expression)                       \
  CASSC_FN type name(unsigned mask, type value) CASSC_BODY(                  \
      return cassc::reduce<type>(mask, value, identity, [](type a, type b) { return expression; });)
CASSC_REDUCE(__reduce_add_sync, unsigned, 0u, a + b)
CASSC_REDUCE(__reduce_add_sync, int, 0, static_cast<int>(static_cast<unsigned>(a) + static_cast<unsigned>(b)))
CASSC_REDUCE(__reduce_min_sync, unsigned, ~0u, a < b ? a : b)
CASSC_REDUCE(__reduce_min_sync, int, 0x7fffffff, a < b ? a : b)
CASSC_REDUCE(__reduce_max_sync, unsigned, 0u, a > b ? a : b)
CASSC_REDUCE(__reduce_max_sync, int, -0x7fffffff - 1, a > b ? a : b)
CASSC_REDUCE(__reduce_and_sync, unsigned, ~0u, a & b)
CASSC_REDUCE(__reduce_or_sync, unsigned, 0u, a | b)
CASSC_REDUCE(__reduce_xor_sync, unsigned, 0u, a ^ b)
#undef CASSC_REDUCE
#endif
