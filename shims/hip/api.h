// libamdhip64 over the emulator: HIP's names for what the runtime core and its CUDA front end do.
#ifndef CASSC_HIP_API_H
#define CASSC_HIP_API_H
#include <cstddef>
#include <cstdint>
#include <vector>

#include "types.h"

namespace cassc::hip {

using Dim3 = rt::Dim3;

// HIP's number for CUDA's. Most are the same; HIP has no code for some faults.
inline int hip_code(int cuda) {
  switch (cuda) {
    case 714: case 715: case 716: case 717: case 718: return 719;  // hipErrorLaunchFailure
    default: return cuda;
  }
}

// The size of an offload bundle or code object at an address; 0: it is neither.
size_t size_of_image(const void* image);
// The container that the core's registry takes, around a bundle or a bare code object.
std::vector<std::byte> container_of(const void* image, size_t size);

}  // namespace cassc::hip

#define HIP_API extern "C" __attribute__((visibility("default")))
// A function of HIP that is one of CUDA under another name.
#define HIP_AS(own, theirs, parameters, arguments) \
  extern "C" int theirs parameters;                \
  HIP_API int own parameters { return cassc::hip::hip_code(theirs arguments); }

#endif
