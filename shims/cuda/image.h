// What cuModuleLoadData may be given: a fat binary, a cubin or PTX text, in memory and without a size.
#ifndef CASSC_CUDA_IMAGE_H
#define CASSC_CUDA_IMAGE_H
#include <vector>

#include "abi.h"

namespace cassc::cuda {

// The fat binary container that holds it, header included: a copy of it, or one made around a cubin or PTX text.
// InvalidImage when it is none of these.
Result container_of_image(const void* image, std::vector<std::byte>& container);
// The same of a file.
Result container_of_file(const char* path, std::vector<std::byte>& container);

}  // namespace cassc::cuda
#endif
