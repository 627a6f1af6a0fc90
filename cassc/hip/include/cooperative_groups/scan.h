// cooperative_groups::inclusive_scan and exclusive_scan.
#ifndef CASSC_CG_SCAN_H
#define CASSC_CG_SCAN_H
#include "reduce.h"

namespace cooperative_groups {
template <class Group, class T_, class Operation>
CASSC_FN T_ inclusive_scan(const Group& group, T_ value, Operation&& operation) CASSC_BODY(
    if constexpr (cassc::is_of_warps<Group>) {
      const auto warp = tiled_partition<32>(group);
      value = inclusive_scan(warp, value, operation);
      T_ before = value;
      for (unsigned first = 0; first + 32 < Group::size(); first += 32) {
        const T_ whole = group.shfl(value, first + 31);
        if (first < group.thread_rank() - warp.thread_rank()) before = first == 0 ? whole : operation(before, whole);
      }
      return group.thread_rank() < 32 ? value : operation(before, value);
    } else {
      const unsigned rank = group.thread_rank();
      for (unsigned offset = 1; offset < 32; offset *= 2) {
        const T_ before = group.shfl_up(value, offset);
        if (rank >= offset) value = operation(before, value);
      }
      return value;
    })
template <class Group, class T_>
CASSC_FN T_ inclusive_scan(const Group& group, T_ value) CASSC_BODY(return inclusive_scan(group, value, plus<T_>());)
// The first rank gets a value-initialised result.
template <class Group, class T_, class Operation>
CASSC_FN T_ exclusive_scan(const Group& group, T_ value, Operation&& operation) CASSC_BODY(
    const T_ whole = inclusive_scan(group, value, operation);
    T_ before;
    if constexpr (cassc::is_of_warps<Group>)
      before = group.shfl(whole, (group.thread_rank() + Group::size() - 1) % Group::size());
    else
      before = group.shfl_up(whole, 1);
    return group.thread_rank() == 0 ? T_{} : before;)
template <class Group, class T_>
CASSC_FN T_ exclusive_scan(const Group& group, T_ value) CASSC_BODY(return exclusive_scan(group, value, plus<T_>());)
}  // namespace cooperative_groups
#endif
