// Hints on managed memory: they change nothing on these devices, which keep it in one place, but are checked and given back.
#ifndef CASSC_RUNTIME_HINTS_H
#define CASSC_RUNTIME_HINTS_H
#include "types.h"

namespace cassc::rt {

// cudaMemLocation.
struct Place {
  int type = 0, id = 0;
  bool operator==(const Place&) const = default;
};
enum PlaceType { kNoPlace = 0, kDevicePlace = 1, kHostPlace = 2 };
constexpr int kHostIndex = -1, kNoIndex = -2;  // cudaCpuDeviceId, cudaInvalidDeviceId

// A place as CUDA up to 12 counts it: a device's number, or cudaCpuDeviceId.
inline Place place_of(int index) { return index == kHostIndex ? Place{kHostPlace, 0} : Place{kDevicePlace, index}; }

// cudaMemAdvise, cudaMemPrefetchAsync, cudaMemRangeGetAttribute of managed memory, which must hold the whole range.
CASSC_EXPORT Error advise(const void* pointer, size_t bytes, int advice, Place place);
CASSC_EXPORT Error prefetch(const void* pointer, size_t bytes, Place place);
// data: size bytes, an int, or several for the devices that were advised of.
CASSC_EXPORT Error range_attribute(void* data, size_t size, int attribute, const void* pointer, size_t bytes);

// New memory has none.
void forget_hints(uintptr_t base, size_t bytes);

}  // namespace cassc::rt
#endif
