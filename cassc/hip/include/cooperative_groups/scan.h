// cooperative_groups::inclusive_scan and exclusive_scan.
#ifndef CASSC_CG_SCAN_H
#define CASSC_CG_SCAN_H
#include "reduce.h"

namespace cooperative_groups {
template <class Group, class T, class Operation>
CASSC_FN T inclusive_scan(const Group& group, T value, Operation&& operation) CASSC_BODY(
    const unsigned rank = group.thread_rank();
    for (unsigned offset = 1; offset < 32; offset *= 2) {
      const T before = group.shfl_up(value, offset);
      if (rank >= offset) value = operation(before, value);
    }
    return value;)
template <class Group, class T>
CASSC_FN T inclusive_scan(const Group& group, T value) CASSC_BODY(return inclusive_scan(group, value, plus<T>());)
// The first rank gets a value-initialised result.
template <class Group, class T, class Operation>
CASSC_FN T exclusive_scan(const Group& group, T value, Operation&& operation) CASSC_BODY(
    const T whole = inclusive_scan(group, value, operation);
    const T before = group.shfl_up(whole, 1);
    return group.thread_rank() == 0 ? T{} : before;)
template <class Group, class T>
CASSC_FN T exclusive_scan(const Group& group, T value) CASSC_BODY(return exclusive_scan(group, value, plus<T>());)
}  // namespace cooperative_groups
#endif
