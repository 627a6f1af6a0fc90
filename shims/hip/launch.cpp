// Launches and modules.
#include <cstring>
#include <fstream>
#include <iterator>

#include "api.h"
#include "context.h"
#include "operation.h"
#include "registry.h"

namespace rt = cassc::rt;
using rt::Error;
using cassc::hip::Dim3;
using cassc::hip::hip_code;

extern "C" {
unsigned __cudaPushCallConfiguration(Dim3 grid, Dim3 block, size_t shared, void* stream);
int __cudaPopCallConfiguration(Dim3* grid, Dim3* block, size_t* shared, void* stream);
int cudaLaunchKernel(const void* stub, Dim3 grid, Dim3 block, void** arguments, size_t shared, void* stream);
int cudaLaunchCooperativeKernel(const void* stub, Dim3 grid, Dim3 block, void** arguments, size_t shared, void* stream);
int cudaFuncSetAttribute(const void* stub, int attribute, int value);
}

namespace {

constexpr int kMaxDynamicShared = 8;
constexpr size_t kWithoutAsking = 48 << 10;  // CUDA's; HIP gives all of a workgroup's LDS at once

int launch(const void* stub, Dim3 grid, Dim3 block, void** arguments, size_t shared, void* stream, bool cooperative) {
  if (shared > kWithoutAsking) {
    if (const int error = cudaFuncSetAttribute(stub, kMaxDynamicShared, static_cast<int>(shared))) return hip_code(error);
  }
  return hip_code(cooperative ? cudaLaunchCooperativeKernel(stub, grid, block, arguments, shared, stream)
                              : cudaLaunchKernel(stub, grid, block, arguments, shared, stream));
}

int remembered(Error error) {
  rt::remember(error);
  return hip_code(static_cast<int>(error));
}

// The arguments as one buffer laid out as the kernel's: the "extra" array of hipModuleLaunchKernel.
Error pointers_into(const void* function, void** extra, std::vector<void*>& pointers) {
  enum : uintptr_t { kBuffer = 1, kSize = 2, kEnd = 3 };
  char* buffer = nullptr;
  size_t size = 0;
  for (; reinterpret_cast<uintptr_t>(extra[0]) != kEnd; extra += 2) {
    const auto tag = reinterpret_cast<uintptr_t>(extra[0]);
    if (tag == kBuffer) buffer = static_cast<char*>(extra[1]);
    else if (tag == kSize) size = *static_cast<size_t*>(extra[1]);
    else return Error::InvalidValue;
  }
  rt::Kernel* kernel = nullptr;
  if (const Error error = rt::Registry::get().kernel(function, &kernel); error != Error::Success) return error;
  if (size < kernel->metadata.explicit_size || (size && !buffer)) return Error::InvalidValue;
  for (const rt::KernelArgument& argument : kernel->metadata.arguments) pointers.push_back(buffer + argument.offset);
  return Error::Success;
}

int load(void** module, const void* image) {
  if (!module || !image) return remembered(Error::InvalidValue);
  const size_t size = cassc::hip::size_of_image(image);
  if (!size) return remembered(Error::InvalidKernelImage);
  rt::Registry& registry = rt::Registry::get();
  rt::Image* loaded = registry.add_image(cassc::hip::container_of(image, size));
  if (const Error error = registry.load(loaded); error != Error::Success) {
    registry.remove(loaded);
    return remembered(error);
  }
  *module = loaded;
  return 0;
}

}  // namespace

HIP_API int __hipPushCallConfiguration(Dim3 grid, Dim3 block, size_t shared, void* stream) {
  return static_cast<int>(__cudaPushCallConfiguration(grid, block, shared, stream));
}
HIP_API int __hipPopCallConfiguration(Dim3* grid, Dim3* block, size_t* shared, void** stream) {
  return hip_code(__cudaPopCallConfiguration(grid, block, shared, stream));
}
HIP_API int hipLaunchKernel(const void* stub, Dim3 grid, Dim3 block, void** arguments, size_t shared, void* stream) {
  return launch(stub, grid, block, arguments, shared, stream, false);
}
HIP_API int hipExtLaunchKernel(const void* stub, Dim3 grid, Dim3 block, void** arguments, size_t shared, void* stream, void* start, void* stop, int) {
  if (start || stop) return remembered(Error::NotSupported);
  return launch(stub, grid, block, arguments, shared, stream, false);
}
HIP_API int hipLaunchCooperativeKernel(const void* stub, Dim3 grid, Dim3 block, void** arguments, unsigned shared, void* stream) {
  return launch(stub, grid, block, arguments, shared, stream, true);
}

HIP_API int hipModuleLoadData(void** module, const void* image) { return load(module, image); }
HIP_API int hipModuleLoadDataEx(void** module, const void* image, unsigned, int*, void**) { return load(module, image); }
HIP_API int hipModuleLoad(void** module, const char* path) {
  std::ifstream file(path ? path : "", std::ios::binary);
  if (!file) return remembered(Error::FileNotFound);
  const std::vector<char> content{std::istreambuf_iterator<char>(file), {}};
  constexpr size_t kLeast = 64;
  return content.size() < kLeast ? remembered(Error::InvalidKernelImage) : load(module, content.data());
}
HIP_API int hipModuleUnload(void* module) {
  if (!module) return remembered(Error::InvalidResourceHandle);
  rt::Registry::get().remove(static_cast<rt::Image*>(module));
  return 0;
}
HIP_API int hipModuleGetFunction(void** function, void* module, const char* name) {
  if (!function || !module || !name) return remembered(Error::InvalidValue);
  rt::Kernel* kernel = nullptr;
  const Error error = rt::Registry::get().kernel_named(static_cast<rt::Image*>(module), name, &kernel);
  if (error == Error::Success) *function = kernel;
  return remembered(error);
}
HIP_API int hipModuleGetGlobal(void** address, size_t* size, void* module, const char* name) {
  if (!module || !name) return remembered(Error::InvalidValue);
  rt::Variable* variable = nullptr;
  const Error error = rt::Registry::get().variable_named(static_cast<rt::Image*>(module), name, &variable);
  if (error != Error::Success) return remembered(error);
  if (address) *address = variable->address;
  if (size) *size = variable->size;
  return 0;
}
HIP_API int hipModuleLaunchKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared,
                                  void* stream, void** arguments, void** extra) {
  std::vector<void*> pointers;
  if (extra) {
    if (arguments) return remembered(Error::InvalidValue);
    if (const Error error = pointers_into(function, extra, pointers); error != Error::Success) return remembered(error);
    arguments = pointers.data();
  }
  return launch(function, {gx, gy, gz}, {bx, by, bz}, arguments, shared, stream, false);
}
HIP_API int hipModuleLaunchCooperativeKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                                             unsigned shared, void* stream, void** arguments) {
  return launch(function, {gx, gy, gz}, {bx, by, bz}, arguments, shared, stream, true);
}

HIP_AS(hipFuncSetAttribute, cudaFuncSetAttribute, (const void* stub, int attribute, int value), (stub, attribute, value))
HIP_AS(hipFuncSetCacheConfig, cudaFuncSetCacheConfig, (const void* stub, int config), (stub, config))
HIP_AS(hipFuncSetSharedMemConfig, cudaFuncSetSharedMemConfig, (const void* stub, int config), (stub, config))
HIP_AS(hipOccupancyMaxActiveBlocksPerMultiprocessor, cudaOccupancyMaxActiveBlocksPerMultiprocessor,
       (int* blocks, const void* stub, int threads, size_t shared), (blocks, stub, threads, shared))

// hipFuncAttributes.
struct FunctionAttributes {
  int binary_version, cache_mode;
  size_t constant_bytes, local_bytes;
  int max_dynamic_shared, max_threads, registers, carveout, ptx_version;
  size_t shared_bytes;
};
HIP_API int hipFuncGetAttributes(FunctionAttributes* attributes, const void* stub) {
  rt::Kernel* kernel = nullptr;
  if (!attributes) return remembered(Error::InvalidValue);
  if (const Error error = rt::Registry::get().kernel(stub, &kernel); error != Error::Success) return remembered(error);
  const rt::KernelMetadata& m = kernel->metadata;
  *attributes = {};
  attributes->binary_version = attributes->ptx_version = 11;
  attributes->local_bytes = m.scratch;
  attributes->max_dynamic_shared = rt::kSharedPerBlockOptin - static_cast<int>(m.static_shared);
  attributes->max_threads = static_cast<int>(m.max_threads);
  attributes->registers = static_cast<int>(m.registers);
  attributes->shared_bytes = m.static_shared;
  return 0;
}
