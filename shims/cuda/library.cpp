// Library management: modules that belong to no context and are loaded at first use.
#include "api.h"
#include "image.h"
#include "module.h"

using namespace cassc::cuda;
namespace rt = cassc::rt;

namespace {

Result keep(Result result, std::vector<std::byte> container, Module** library) {
  if (!library) return Result::InvalidValue;
  return result == Result::Success ? load_lazily(std::move(container), library) : result;
}

}  // namespace

CASSC_API Result cuLibraryLoadData(Module** library, const void* code, int*, void**, unsigned, int*, void**, unsigned) {
  return after_init([&] {
    std::vector<std::byte> container;
    const Result result = container_of_image(code, container);
    return keep(result, std::move(container), library);
  });
}

CASSC_API Result cuLibraryLoadFromFile(Module** library, const char* path, int*, void**, unsigned, int*, void**, unsigned) {
  return after_init([&] {
    std::vector<std::byte> container;
    const Result result = container_of_file(path, container);
    return keep(result, std::move(container), library);
  });
}

CASSC_API Result cuLibraryUnload(Module* library) {
  return after_init([&] {
    if (!known_module(library) || library->context) return Result::InvalidHandle;
    discard(library);
    return Result::Success;
  });
}

CASSC_API Result cuLibraryGetKernel(Kernel** kernel, Module* library, const char* name) {
  return after_init([&] { return find_function(library, name, kernel); });
}

CASSC_API Result cuLibraryGetKernelCount(unsigned* count, Module* library) {
  return after_init([&] { return count_functions(library, count); });
}

CASSC_API Result cuLibraryEnumerateKernels(Kernel** kernels, unsigned room, Module* library) {
  return after_init([&] { return list_functions(library, kernels, room); });
}

// One device, so a library's module is the library itself.
CASSC_API Result cuLibraryGetModule(Module** module, Module* library) {
  return in_context([&] {
    if (!module) return Result::InvalidValue;
    if (!known_module(library)) return Result::InvalidHandle;
    *module = library;
    return Result::Success;
  });
}

CASSC_API Result cuLibraryGetGlobal(DevicePointer* address, size_t* bytes, Module* library, const char* name) {
  return in_context([&] { return find_global(library, name, address, bytes); });
}

CASSC_API Result cuLibraryGetManaged(DevicePointer* address, size_t* bytes, Module* library, const char* name) {
  return after_init([&] { return find_global(library, name, address, bytes); });
}

CASSC_API Result cuKernelGetFunction(Kernel** function, Kernel* kernel) {
  return in_context([&] {
    if (!function) return Result::InvalidValue;
    if (!rt::Registry::get().find_kernel(kernel)) return Result::InvalidHandle;
    *function = kernel;
    return Result::Success;
  });
}

CASSC_API Result cuKernelGetLibrary(Module** library, Kernel* kernel) {
  return after_init([&] {
    if (!library) return Result::InvalidValue;
    if (!rt::Registry::get().find_kernel(kernel)) return Result::InvalidHandle;
    *library = module_of(kernel);
    return *library ? Result::Success : Result::InvalidHandle;
  });
}
