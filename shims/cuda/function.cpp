// What a kernel is and how it may be launched.
#include <algorithm>

#include "api.h"
#include "module.h"

using namespace cassc::cuda;
namespace rt = cassc::rt;

namespace {

enum FunctionAttribute {
  kMaxThreads,
  kShared,
  kConst,
  kLocal,
  kRegisters,
  kPtxVersion,
  kBinaryVersion,
  kCacheModeCa,
  kMaxDynamicShared,
  kCarveout,
  kClusterMustBeSet,
  kClusterWidth,
  kClusterHeight,
  kClusterDepth,
  kNonPortableCluster,
  kClusterPolicy
};

template <class Body>
Result with_kernel(Kernel* handle, Body&& body) {
  return in_context([&] {
    Kernel* kernel = nullptr;
    const Error error = rt::Registry::get().kernel(handle, &kernel);
    return error == Error::Success ? body(*kernel) : result_of(error);
  });
}

Result get(const Kernel& kernel, int attribute, int* value) {
  const rt::KernelMetadata& metadata = kernel.metadata;
  switch (attribute) {
    case kMaxThreads: *value = static_cast<int>(std::min(metadata.max_threads, rt::kMaxThreads)); break;
    case kShared: *value = static_cast<int>(metadata.static_shared); break;
    case kConst: *value = static_cast<int>(kernel.image->constant_bytes()); break;
    case kLocal: *value = static_cast<int>(metadata.scratch); break;
    case kRegisters: *value = static_cast<int>(metadata.registers); break;
    case kPtxVersion:
    case kBinaryVersion: *value = static_cast<int>(kernel.image->loaded_sm()); break;
    case kMaxDynamicShared: *value = rt::dynamic_shared_limit(kernel); break;
    case kCarveout: *value = kernel.carveout; break;
    case kCacheModeCa:
    case kClusterMustBeSet:
    case kClusterWidth:
    case kClusterHeight:
    case kClusterDepth:
    case kNonPortableCluster:
    case kClusterPolicy: *value = 0; break;
    default: return Result::InvalidValue;
  }
  return Result::Success;
}

Result set(Kernel& kernel, int attribute, int value) {
  switch (attribute) {
    case kMaxDynamicShared: {
      const int room = rt::kSharedPerBlockOptin - kernel.reserved_shared - static_cast<int>(kernel.metadata.static_shared);
      if (value < 0 || value > room) return Result::InvalidValue;
      kernel.dynamic_shared_limit = value;
      return Result::Success;
    }
    case kCarveout:
      if (value < -1 || value > 100) return Result::InvalidValue;
      kernel.carveout = value;
      return Result::Success;
    case kNonPortableCluster: return Result::Success;  // permits more than the one block that a cluster has here
    default: return Result::InvalidValue;
  }
}

}  // namespace

CASSC_API Result cuFuncGetAttribute(int* value, int attribute, Kernel* handle) {
  return with_kernel(handle, [&](const Kernel& k) { return value ? get(k, attribute, value) : Result::InvalidValue; });
}

CASSC_API Result cuFuncSetAttribute(Kernel* handle, int attribute, int value) {
  return with_kernel(handle, [&](Kernel& kernel) { return set(kernel, attribute, value); });
}

CASSC_API Result cuKernelGetAttribute(int* value, int attribute, Kernel* handle, int index) {
  return index == 0 ? cuFuncGetAttribute(value, attribute, handle) : Result::InvalidDevice;
}

CASSC_API Result cuKernelSetAttribute(int attribute, int value, Kernel* handle, int index) {
  return index == 0 ? cuFuncSetAttribute(handle, attribute, value) : Result::InvalidDevice;
}

// Hints for a cache that this device does not split.
CASSC_API Result cuFuncSetCacheConfig(Kernel* handle, int config) {
  return with_kernel(handle, [&](const Kernel&) {
    return config >= 0 && config <= 3 ? Result::Success : Result::InvalidValue;
  });
}

CASSC_API Result cuKernelSetCacheConfig(Kernel* handle, int config, int index) {
  return index == 0 ? cuFuncSetCacheConfig(handle, config) : Result::InvalidDevice;
}

CASSC_API Result cuFuncSetSharedMemConfig(Kernel* handle, int config) {
  return with_kernel(handle, [&](const Kernel&) {
    return config >= 0 && config <= 2 ? Result::Success : Result::InvalidValue;
  });
}

CASSC_API Result cuFuncGetModule(Module** module, Kernel* handle) {
  return with_kernel(handle, [&](const Kernel& kernel) {
    if (!module) return Result::InvalidValue;
    *module = module_of(&kernel);
    return *module ? Result::Success : Result::InvalidHandle;
  });
}

CASSC_API Result cuFuncGetName(const char** name, Kernel* handle) {
  return with_kernel(handle, [&](const Kernel& kernel) {
    if (!name) return Result::InvalidValue;
    *name = kernel.name.c_str();
    return Result::Success;
  });
}
CASSC_API Result cuKernelGetName(const char** name, Kernel* handle) { return cuFuncGetName(name, handle); }

CASSC_API Result cuFuncGetParamInfo(Kernel* handle, size_t index, size_t* offset, size_t* size) {
  return with_kernel(handle, [&](const Kernel& kernel) {
    const auto& arguments = kernel.metadata.arguments;
    if (!offset || index >= arguments.size()) return Result::InvalidValue;
    *offset = arguments[index].offset;
    if (size) *size = arguments[index].size;
    return Result::Success;
  });
}
CASSC_API Result cuKernelGetParamInfo(Kernel* handle, size_t index, size_t* offset, size_t* size) {
  return cuFuncGetParamInfo(handle, index, offset, size);
}

CASSC_API Result cuFuncIsLoaded(int* state, Kernel* handle) {
  return with_kernel(handle, [&](const Kernel&) {
    if (!state) return Result::InvalidValue;
    *state = 1;
    return Result::Success;
  });
}

CASSC_API Result cuFuncLoad(Kernel* handle) {
  return with_kernel(handle, [](const Kernel&) { return Result::Success; });
}
