// Module management.
#include "module.h"

#include <algorithm>
#include <mutex>

#include "api.h"
#include "handles.h"
#include "image.h"

namespace cassc::cuda {
namespace {

rt::Handles<Module>& modules() {
  static auto* handles = new rt::Handles<Module>;
  return *handles;
}

Result make(std::vector<std::byte> container, DriverContext* context, Module** module) {
  auto made = std::make_unique<Module>();
  made->image = rt::Registry::get().add_image(std::move(container));
  made->context = context;
  *module = modules().add(std::move(made));
  if (!context) return Result::Success;
  std::lock_guard lock(context->mutex);
  context->modules.insert(*module);
  return Result::Success;
}

template <class Body>
Result loaded(Module* module, Body&& body) {
  if (!known_module(module)) return Result::InvalidHandle;
  const Error error = rt::Registry::get().load(module->image);
  return error == Error::Success ? body() : result_of(error);
}

}  // namespace

bool known_module(const Module* module) { return modules().known(module); }

Module* module_of(const Kernel* kernel) {
  return modules().find([&](const Module& module) { return module.image == kernel->image; });
}

Result load_lazily(std::vector<std::byte> container, Module** library) { return make(std::move(container), nullptr, library); }

Result load(std::vector<std::byte> container, DriverContext* context, Module** module) {
  Module* made = nullptr;
  make(std::move(container), context, &made);
  const Error error = rt::Registry::get().load(made->image);
  if (error != Error::Success) {
    rt::report("a module cannot be loaded: " + made->image->why_not(), true);
    discard(made);
    return result_of(error);
  }
  *module = made;
  return Result::Success;
}

void discard(Module* module) {
  auto held = modules().take(module);
  if (!held) return;
  if (held->context) {
    std::lock_guard lock(held->context->mutex);
    held->context->modules.erase(module);
  }
  rt::Registry::get().remove(held->image);
}

Result find_function(Module* module, const char* name, Kernel** kernel) {
  if (!kernel || !name) return Result::InvalidValue;
  return loaded(module, [&] { return result_of(rt::Registry::get().kernel_named(module->image, name, kernel)); });
}

Result find_global(Module* module, const char* name, DevicePointer* address, size_t* bytes) {
  if (!name || (!address && !bytes)) return Result::InvalidValue;
  return loaded(module, [&] {
    rt::Variable* variable = nullptr;
    const Error error = rt::Registry::get().variable_named(module->image, name, &variable);
    if (error != Error::Success) return result_of(error);
    if (address) *address = address_of(variable->address);
    if (bytes) *bytes = variable->size;
    return Result::Success;
  });
}

Result count_functions(Module* module, unsigned* count) {
  if (!count) return Result::InvalidValue;
  return loaded(module, [&] {
    *count = static_cast<unsigned>(module->image->kernel_names().size());
    return Result::Success;
  });
}

Result list_functions(Module* module, Kernel** kernels, unsigned room) {
  if (!kernels) return Result::InvalidValue;
  return loaded(module, [&] {
    for (const std::string& name : module->image->kernel_names()) {
      if (room-- == 0) break;
      const Error error = rt::Registry::get().kernel_named(module->image, name.c_str(), kernels++);
      if (error != Error::Success) return result_of(error);
    }
    return Result::Success;
  });
}

}  // namespace cassc::cuda

using namespace cassc::cuda;
namespace rt = cassc::rt;

CASSC_API Result cuModuleLoadData(Module** module, const void* image) {
  return in_context([&] {
    std::vector<std::byte> container;
    if (!module) return Result::InvalidValue;
    const Result result = container_of_image(image, container);
    return result == Result::Success ? load(std::move(container), current_context(), module) : result;
  });
}

// The options are NVIDIA's compiler's: registers, optimization, logs. The sizes of log buffers are answered: nothing is in them.
CASSC_API Result cuModuleLoadDataEx(Module** module, const void* image, unsigned count, const int* options, void** values) {
  constexpr int info_size = 4, error_size = 6;
  const Result result = cuModuleLoadData(module, image);
  for (unsigned i = 0; options && values && i < count; ++i)
    if (options[i] == info_size || options[i] == error_size) values[i] = nullptr;
  return result;
}

CASSC_API Result cuModuleLoadFatBinary(Module** module, const void* image) { return cuModuleLoadData(module, image); }

CASSC_API Result cuModuleLoad(Module** module, const char* path) {
  return in_context([&] {
    std::vector<std::byte> container;
    if (!module) return Result::InvalidValue;
    const Result result = container_of_file(path, container);
    return result == Result::Success ? load(std::move(container), current_context(), module) : result;
  });
}

CASSC_API Result cuModuleUnload(Module* module) {
  return in_context([&] {
    if (!known_module(module) || !module->context) return Result::InvalidHandle;
    discard(module);
    return Result::Success;
  });
}

CASSC_API Result cuModuleGetFunction(Kernel** kernel, Module* module, const char* name) {
  return in_context([&] { return find_function(module, name, kernel); });
}

CASSC_API Result cuModuleGetFunctionCount(unsigned* count, Module* module) {
  return in_context([&] { return count_functions(module, count); });
}

CASSC_API Result cuModuleEnumerateFunctions(Kernel** kernels, unsigned room, Module* module) {
  return in_context([&] { return list_functions(module, kernels, room); });
}

CASSC_API Result cuModuleGetGlobal_v2(DevicePointer* address, size_t* bytes, Module* module, const char* name) {
  return in_context([&] { return find_global(module, name, address, bytes); });
}

CASSC_API Result cuModuleGetLoadingMode(int* mode) {
  if (!mode) return Result::InvalidValue;
  constexpr int lazy = 2;
  *mode = lazy;
  return Result::Success;
}
