// Module registration: what nvcc's host code calls, and what its kernel stubs call.
#include <vector>

#include "api.h"

using namespace cassc::cudart;
namespace rt = cassc::rt;

namespace {

struct CallConfiguration {
  Dim3 grid, block;
  size_t dynamic_shared;
  Stream* stream;
};

thread_local std::vector<CallConfiguration> configurations;

rt::Image* image_of(void** handle) { return reinterpret_cast<rt::Image*>(handle); }

}  // namespace

CASSC_API void** __cudaRegisterFatBinary(void* wrapper) {
  return reinterpret_cast<void**>(rt::Registry::get().add_image(wrapper));
}

// Code objects are loaded at first use, so there is nothing to do when all has been registered.
CASSC_API void __cudaRegisterFatBinaryEnd(void**) {}

CASSC_API void __cudaUnregisterFatBinary(void** handle) {
  if (handle) rt::Registry::get().remove(image_of(handle));
}

CASSC_API void __cudaRegisterFunction(void** handle, const char* stub, char*, const char* name, int, void*, void*, void*,
                                      void*, int*) {
  rt::Registry::get().add_kernel(image_of(handle), stub, name);
}

CASSC_API void __cudaRegisterVar(void** handle, char* host, char*, const char* name, int, size_t size, int constant,
                                 int) {
  rt::Registry::get().add_variable(image_of(handle), host, nullptr, name, size, constant != 0);
}

CASSC_API void __cudaRegisterManagedVar(void** handle, void** host, char*, const char* name, int, size_t size, int, int) {
  rt::Registry::get().add_variable(image_of(handle), host, host, name, size, false);
}

CASSC_API char __cudaInitModule(void** handle) {
  const Error error = rt::Registry::get().load(image_of(handle));
  rt::remember(error);
  return error == Error::Success;
}

CASSC_API unsigned __cudaPushCallConfiguration(Dim3 grid, Dim3 block, size_t dynamic_shared, Stream* stream) {
  configurations.push_back({grid, block, dynamic_shared, stream});
  return 0;
}

CASSC_API Error __cudaPopCallConfiguration(Dim3* grid, Dim3* block, size_t* dynamic_shared, void* stream) {
  if (configurations.empty()) return Error::MissingConfiguration;
  const CallConfiguration top = configurations.back();
  configurations.pop_back();
  *grid = top.grid;
  *block = top.block;
  *dynamic_shared = top.dynamic_shared;
  *static_cast<Stream**>(stream) = top.stream;
  return Error::Success;
}

CASSC_API Error __cudaGetKernel(const void** kernel, const void* stub) {
  return without_device([&] {
    rt::Kernel* found = rt::Registry::get().find_kernel(stub);
    if (!kernel) return Error::InvalidValue;
    *kernel = found;
    return found ? Error::Success : Error::InvalidDeviceFunction;
  });
}
