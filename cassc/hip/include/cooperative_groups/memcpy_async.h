// cooperative_groups::memcpy_async: the copy is done at once by the group's threads; waiting is the group's barrier.
#ifndef CASSC_CG_MEMCPY_ASYNC_H
#define CASSC_CG_MEMCPY_ASYNC_H
#include "../cooperative_groups.h"

namespace cooperative_groups {
template <class Group, class Target, class Source, class Size>
CASSC_FN void memcpy_async(const Group& group, Target* target, const Source* source, const Size& bytes) CASSC_BODY(
    const size_t count = static_cast<size_t>(bytes), step = group.size();
    auto* const to = reinterpret_cast<unsigned char*>(target);
    const auto* const from = reinterpret_cast<const unsigned char*>(source);
    size_t done = 0;
    if ((reinterpret_cast<size_t>(to) | reinterpret_cast<size_t>(from)) % 4 == 0) {
      done = count / 4 * 4;
      for (size_t i = group.thread_rank(); i < count / 4; i += step)
        reinterpret_cast<unsigned*>(to)[i] = reinterpret_cast<const unsigned*>(from)[i];
    }
    for (size_t i = done + group.thread_rank(); i < count; i += step) to[i] = from[i];)
template <class Group, class T_, class TargetSize, class SourceSize>
CASSC_FN void memcpy_async(const Group& group, T_* target, const TargetSize& target_count, const T_* source,
                           const SourceSize& source_count) CASSC_BODY(
    const size_t to = static_cast<size_t>(target_count), from = static_cast<size_t>(source_count);
    memcpy_async(group, target, source, (to < from ? to : from) * sizeof(T_));)
template <class Group>
CASSC_FN void wait(const Group& group) CASSC_BODY(group.sync();)
template <unsigned Stages, class Group>
CASSC_FN void wait_prior(const Group& group) CASSC_BODY(group.sync();)
}  // namespace cooperative_groups
#endif
