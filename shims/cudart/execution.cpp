// Execution control.
#include <cstring>

#include "api.h"
#include "capture.h"

using namespace cassc::cudart;
namespace rt = cassc::rt;

namespace {

enum FunctionAttribute { kMaxDynamicShared = 8, kCarveout = 9, kNonPortableCluster = 14 };
enum LaunchAttributeId { kCooperative = 2, kClusterDimension = 4 };

Error launch(const void* function, Dim3 grid, Dim3 block, void** arguments, size_t dynamic_shared, Stream* handle,
             bool cooperative) {
  return on_stream(handle, [&](Stream& stream) {
    rt::KernelCall call;
    const Error error = rt::prepare(function, grid, block, arguments, dynamic_shared, cooperative, call);
    if (error != Error::Success) {
      rt::spoil_capture(stream);
      return error;
    }
    return rt::submit(stream, std::move(call));
  });
}

template <class Body>
Error with_kernel(const void* function, Body&& body) {
  return api([&] {
    rt::Kernel* kernel = nullptr;
    const Error error = rt::Registry::get().kernel(function, &kernel);
    return error == Error::Success ? body(*kernel) : error;
  });
}

Error set_attribute(rt::Kernel& kernel, int attribute, int value) {
  switch (attribute) {
    case kMaxDynamicShared:
      if (value < 0 || value > rt::kSharedPerBlockOptin - kernel.reserved_shared - static_cast<int>(kernel.metadata.static_shared))
        return Error::InvalidValue;
      kernel.dynamic_shared_limit = value;
      return Error::Success;
    case kCarveout:
      if (value < -1 || value > 100) return Error::InvalidValue;
      kernel.carveout = value;
      return Error::Success;
    case kNonPortableCluster: return Error::Success;
    default: return Error::InvalidValue;
  }
}

}  // namespace

CASSC_API Error cudaLaunchKernel(const void* function, Dim3 grid, Dim3 block, void** arguments, size_t dynamic_shared,
                                 Stream* stream) {
  return launch(function, grid, block, arguments, dynamic_shared, stream, false);
}

CASSC_API Error __cudaLaunchKernel(const void* kernel, Dim3 grid, Dim3 block, void** arguments, size_t dynamic_shared,
                                   Stream* stream) {
  return launch(kernel, grid, block, arguments, dynamic_shared, stream, false);
}

CASSC_API Error cudaLaunchCooperativeKernel(const void* function, Dim3 grid, Dim3 block, void** arguments,
                                            size_t dynamic_shared, Stream* stream) {
  return launch(function, grid, block, arguments, dynamic_shared, stream, true);
}

CASSC_API Error cudaLaunchKernelExC(const LaunchConfig* config, const void* function, void** arguments) {
  if (!config) return without_device([] { return Error::InvalidValue; });
  bool cooperative = false, cluster = false;
  for (unsigned i = 0; i < config->attribute_count; ++i) {
    const LaunchAttribute& attribute = config->attributes[i];
    if (attribute.id == kCooperative) cooperative = attribute.number != 0;
    if (attribute.id == kClusterDimension)
      cluster = attribute.dimensions[0] > 1 || attribute.dimensions[1] > 1 || attribute.dimensions[2] > 1;
  }
  if (cluster) return without_device([] { return Error::NotSupported; });
  return launch(function, config->grid, config->block, arguments, config->dynamic_shared, config->stream, cooperative);
}

CASSC_API Error cudaFuncGetAttributes(FunctionAttributes* attributes, const void* function) {
  return with_kernel(function, [&](const rt::Kernel& kernel) {
    if (!attributes) return Error::InvalidValue;
    std::memset(attributes, 0, sizeof *attributes);
    const rt::KernelMetadata& metadata = kernel.metadata;
    attributes->shared_bytes = metadata.static_shared;
    attributes->const_bytes = kernel.image->constant_bytes();
    attributes->local_bytes = metadata.scratch;
    attributes->max_threads = static_cast<int>(std::min(metadata.max_threads, rt::kMaxThreads));
    attributes->registers = static_cast<int>(metadata.registers);
    attributes->ptx_version = attributes->binary_version = static_cast<int>(kernel.image->loaded_sm());
    attributes->max_dynamic_shared = rt::dynamic_shared_limit(kernel);
    attributes->carveout = kernel.carveout;
    return Error::Success;
  });
}

CASSC_API Error cudaFuncSetAttribute(const void* function, int attribute, int value) {
  return with_kernel(function, [&](rt::Kernel& kernel) { return set_attribute(kernel, attribute, value); });
}

CASSC_API Error cudaKernelSetAttributeForDevice(const void* kernel, int attribute, int value, int index) {
  return with_kernel(kernel, [&](rt::Kernel& found) {
    return index == 0 ? set_attribute(found, attribute, value) : Error::InvalidDevice;
  });
}

// Hints for a cache that this device does not split.
CASSC_API Error cudaFuncSetCacheConfig(const void* function, int config) {
  return with_kernel(function, [&](const rt::Kernel&) {
    return config >= 0 && config <= 3 ? Error::Success : Error::InvalidValue;
  });
}

CASSC_API Error cudaFuncSetSharedMemConfig(const void* function, int config) {
  return with_kernel(function, [&](const rt::Kernel&) {
    return config >= 0 && config <= 2 ? Error::Success : Error::InvalidValue;
  });
}

CASSC_API Error cudaFuncGetName(const char** name, const void* function) {
  return with_kernel(function, [&](const rt::Kernel& kernel) {
    if (!name) return Error::InvalidValue;
    *name = kernel.name.c_str();
    return Error::Success;
  });
}

CASSC_API Error cudaFuncGetParamInfo(const void* function, size_t index, size_t* offset, size_t* size) {
  return with_kernel(function, [&](const rt::Kernel& kernel) {
    const auto& arguments = kernel.metadata.arguments;
    if (!offset || index >= arguments.size()) return Error::InvalidValue;
    *offset = arguments[index].offset;
    if (size) *size = arguments[index].size;
    return Error::Success;
  });
}

CASSC_API Error cudaFuncGetParamCount(const void* function, size_t* count) {
  return with_kernel(function, [&](const rt::Kernel& kernel) {
    if (!count) return Error::InvalidValue;
    *count = kernel.metadata.arguments.size();
    return Error::Success;
  });
}

CASSC_API Error cudaGetFuncBySymbol(const void** handle, const void* symbol) {
  return with_kernel(symbol, [&](const rt::Kernel& kernel) {
    if (!handle) return Error::InvalidValue;
    *handle = &kernel;
    return Error::Success;
  });
}

CASSC_API Error cudaGetKernel(const void** handle, const void* symbol) { return cudaGetFuncBySymbol(handle, symbol); }

CASSC_API Error cudaLaunchHostFunc(Stream* handle, rt::HostFunction function, void* data) {
  return on_stream(handle, [&](Stream& stream) {
    return function ? rt::submit(stream, rt::HostWork{function, data}) : Error::InvalidValue;
  });
}

CASSC_API Error cudaLaunchHostFunc_v2(Stream* handle, rt::HostFunction function, void* data, unsigned) {
  return cudaLaunchHostFunc(handle, function, data);
}
