// Modules and libraries: device code that the program loads itself.
#ifndef CASSC_CUDA_MODULE_H
#define CASSC_CUDA_MODULE_H
#include "abi.h"

namespace cassc::cuda {

struct DriverContext;

// A CUmodule or CUlibrary; a CUfunction or CUkernel of it is a Kernel.
struct Module {
  rt::Image* image = nullptr;
  DriverContext* context = nullptr;  // null: a library, which belongs to none
};

bool known_module(const Module* module);
Module* module_of(const Kernel* kernel);  // null when another door registered it
Result load(std::vector<std::byte> container, DriverContext* context, Module** module);
Result load_lazily(std::vector<std::byte> container, Module** library);
void discard(Module* module);

Result find_function(Module* module, const char* name, Kernel** kernel);
Result find_global(Module* module, const char* name, DevicePointer* address, size_t* bytes);
Result count_functions(Module* module, unsigned* count);
Result list_functions(Module* module, Kernel** kernels, unsigned room);

}  // namespace cassc::cuda
#endif
