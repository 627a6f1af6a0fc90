#include "hints.h"

#include <cstring>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "context.h"

namespace cassc::rt {
namespace {

// Numbers of cudaMemoryAdvise and cudaMemRangeAttribute.
enum Advice { kSetReadMostly = 1, kUnsetReadMostly, kSetPreferred, kUnsetPreferred, kSetAccessedBy, kUnsetAccessedBy };
enum Attribute {
  kReadMostly = 1,
  kPreferred,
  kAccessedBy,
  kLastPrefetch,
  kPreferredType,
  kPreferredId,
  kLastPrefetchType,
  kLastPrefetchId
};

struct Hints {
  bool read_mostly = false, device_accesses = false, host_accesses = false;
  Place preferred, prefetched;
  bool operator==(const Hints&) const = default;
};

// What holds from an address up to the next one in the map.
class Ranges {
 public:
  template <class Change>
  void change(uintptr_t first, size_t bytes, Change&& change) {
    split(first);
    split(first + bytes);
    for (auto at = from_.find(first); at->first != first + bytes; ++at) change(at->second);
    std::erase_if(from_, [last = Hints{}](const auto& entry) mutable { return std::exchange(last, entry.second) == entry.second; });
  }
  std::vector<Hints> of(uintptr_t first, size_t bytes) const {
    std::vector<Hints> found{before(first)};
    for (auto at = from_.upper_bound(first); at != from_.end() && at->first < first + bytes; ++at) found.push_back(at->second);
    return found;
  }
  std::mutex mutex;

 private:
  Hints before(uintptr_t address) const {
    const auto next = from_.upper_bound(address);
    return next == from_.begin() ? Hints{} : std::prev(next)->second;
  }
  void split(uintptr_t address) { from_.emplace(address, before(address)); }
  std::map<uintptr_t, Hints> from_;
};

Ranges& ranges() {
  static auto* made = new Ranges;
  return *made;
}

template <class Change>
void change(uintptr_t first, size_t bytes, Change&& change) {
  std::lock_guard lock(ranges().mutex);
  ranges().change(first, bytes, change);
}

Error managed(const void* pointer, size_t bytes) {
  const auto allocation = Context::get().allocations.find(pointer);
  const bool good = bytes && allocation && allocation->type() == MemoryType::Managed &&
                    allocation->holds(reinterpret_cast<uintptr_t>(pointer), bytes);
  return good ? Error::Success : Error::InvalidValue;
}

// The same for the whole range, or nowhere.
Place common(const std::vector<Hints>& found, Place Hints::* which) {
  for (const Hints& one : found)
    if (one.*which != found.front().*which) return {};
  return found.front().*which;
}

int index_of(Place place) { return place.type == kNoPlace ? kNoIndex : place.type == kDevicePlace ? place.id : kHostIndex; }

int number(int attribute, const std::vector<Hints>& found) {
  switch (attribute) {
    case kReadMostly:
      for (const Hints& one : found)
        if (!one.read_mostly) return 0;
      return 1;
    case kPreferred: return index_of(common(found, &Hints::preferred));
    case kPreferredType: return common(found, &Hints::preferred).type;
    case kPreferredId: return common(found, &Hints::preferred).id;
    case kLastPrefetch: return index_of(common(found, &Hints::prefetched));
    case kLastPrefetchType: return common(found, &Hints::prefetched).type;
    default: return common(found, &Hints::prefetched).id;
  }
}

}  // namespace

Error advise(const void* pointer, size_t bytes, int advice, Place place) {
  if (const Error error = managed(pointer, bytes); error != Error::Success) return error;
  if (advice < kSetReadMostly || advice > kUnsetAccessedBy) return Error::InvalidValue;
  if (place.type == kDevicePlace && place.id != 0) return Error::InvalidDevice;
  change(reinterpret_cast<uintptr_t>(pointer), bytes, [&](Hints& hints) {
    switch (advice) {
      case kSetReadMostly:
      case kUnsetReadMostly: hints.read_mostly = advice == kSetReadMostly; break;
      case kSetPreferred: hints.preferred = place; break;
      case kUnsetPreferred: hints.preferred = {}; break;
      default: (place.type == kDevicePlace ? hints.device_accesses : hints.host_accesses) = advice == kSetAccessedBy;
    }
  });
  return Error::Success;
}

Error prefetch(const void* pointer, size_t bytes, Place place) {
  if (const Error error = managed(pointer, bytes); error != Error::Success) return error;
  if (place.type == kDevicePlace && place.id != 0) return Error::InvalidDevice;
  change(reinterpret_cast<uintptr_t>(pointer), bytes, [&](Hints& hints) { hints.prefetched = place; });
  return Error::Success;
}

Error range_attribute(void* data, size_t size, int attribute, const void* pointer, size_t bytes) {
  if (const Error error = managed(pointer, bytes); error != Error::Success) return error;
  const bool list = attribute == kAccessedBy;
  if (!data || attribute < kReadMostly || attribute > kLastPrefetchId) return Error::InvalidValue;
  if (list ? size == 0 || size % sizeof(int) : size != sizeof(int)) return Error::InvalidValue;
  std::lock_guard lock(ranges().mutex);
  const std::vector<Hints> found = ranges().of(reinterpret_cast<uintptr_t>(pointer), bytes);
  std::vector<int> values(size / sizeof(int), kNoIndex);
  if (list) {
    bool device = true, host = true;
    for (const Hints& one : found) device &= one.device_accesses, host &= one.host_accesses;
    size_t used = 0;
    if (device) values[used++] = 0;
    if (host && used < values.size()) values[used] = kHostIndex;
  } else {
    values[0] = number(attribute, found);
  }
  std::memcpy(data, values.data(), size);
  return Error::Success;
}

void forget_hints(uintptr_t base, size_t bytes) {
  change(base, bytes, [](Hints& hints) { hints = {}; });
}

}  // namespace cassc::rt
