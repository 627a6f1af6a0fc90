// cooperative_groups::reduce and its operations.
#ifndef CASSC_CG_REDUCE_H
#define CASSC_CG_REDUCE_H
#include "../cooperative_groups.h"

namespace cooperative_groups {
#define CASSC_OPERATION(name, expression)                                  \
  template <class T_>                                                       \
  struct name {                                                            \
    CASSC_HD T_ operator()(T_ a, T_ b) const { return expression; }           \
  };
CASSC_OPERATION(plus, a + b)
CASSC_OPERATION(less, b < a ? b : a)
CASSC_OPERATION(greater, a < b ? b : a)
CASSC_OPERATION(bit_and, a & b)
CASSC_OPERATION(bit_or, a | b)
CASSC_OPERATION(bit_xor, a ^ b)
#undef CASSC_OPERATION

template <unsigned Size, class Parent, class T_, class Operation>
CASSC_FN T_ reduce(const thread_block_tile<Size, Parent>& group, T_ value, Operation&& operation) CASSC_BODY(
    if constexpr (Size > 32) {
      const T_ of_warp = reduce(thread_block_tile<32, void>(tiled_partition<32>(group)), value, operation);
      value = group.shfl(of_warp, 0);
      for (unsigned first = 32; first < Size; first += 32) value = operation(value, group.shfl(of_warp, first));
    } else {
      for (unsigned offset = Size / 2; offset > 0; offset /= 2)
        value = operation(value, group.shfl_xor(value, static_cast<int>(offset)));
    }
    return value;)
// In the order of the ranks.
template <class T_, class Operation>
CASSC_FN T_ reduce(const coalesced_group& group, T_ value, Operation&& operation) CASSC_BODY(
    const unsigned mask = group.cassc_mask();
    T_ result = value;
    bool begun = false;
    for (int i = 0; i < 32; ++i) {
      const T_ other = cassc::permute_any(value, static_cast<unsigned>(i));
      if (!(mask >> i & 1)) continue;
      if (begun)
        result = operation(result, other);
      else
        result = other;
      begun = true;
    }
    return result;)
}  // namespace cooperative_groups
#endif
