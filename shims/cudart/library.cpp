// Library management: the driver's, whose numbers of errors and forms of calls are the same.
#include <dlfcn.h>

#include "api.h"
#include "library.h"

using namespace cassc::cudart;
namespace rt = cassc::rt;

#if CASSC_CUDART_MAJOR >= 12
namespace {

struct Library;  // CUlibrary

// A function of the libcuda beside us, called with these arguments once the runtime has made its context current.
template <class... Arguments>
Error by_driver(const char* name, Arguments... arguments) {
  return api([&] {
    static std::string why;
    static void* const driver = rt::open_beside_us("libcuda.so.1", why);
    void* const function = driver ? dlsym(driver, name) : nullptr;
    if (!function) {
      rt::report(std::string(name) + ": " + (driver ? "libcuda.so.1 does not have it" : why), true);
      return Error::NotSupported;
    }
    return reinterpret_cast<Error (*)(Arguments...)>(function)(arguments...);
  });
}

}  // namespace

CASSC_API Error cudaLibraryLoadData(Library** library, const void* code, int* jit_options, void** jit_values, unsigned jit_count,
                                    int* options, void** values, unsigned count) {
  return by_driver("cuLibraryLoadData", library, code, jit_options, jit_values, jit_count, options, values, count);
}

CASSC_API Error cudaLibraryLoadFromFile(Library** library, const char* path, int* jit_options, void** jit_values,
                                        unsigned jit_count, int* options, void** values, unsigned count) {
  return by_driver("cuLibraryLoadFromFile", library, path, jit_options, jit_values, jit_count, options, values, count);
}

CASSC_API Error cudaLibraryUnload(Library* library) { return by_driver("cuLibraryUnload", library); }

CASSC_API Error cudaLibraryGetKernel(rt::Kernel** kernel, Library* library, const char* name) {
  return by_driver("cuLibraryGetKernel", kernel, library, name);
}

CASSC_API Error cudaLibraryGetKernelCount(unsigned* count, Library* library) {
  return by_driver("cuLibraryGetKernelCount", count, library);
}

CASSC_API Error cudaLibraryEnumerateKernels(rt::Kernel** kernels, unsigned room, Library* library) {
  return by_driver("cuLibraryEnumerateKernels", kernels, room, library);
}

CASSC_API Error cudaLibraryGetGlobal(void** address, size_t* bytes, Library* library, const char* name) {
  return by_driver("cuLibraryGetGlobal", address, bytes, library, name);
}

CASSC_API Error cudaLibraryGetManaged(void** address, size_t* bytes, Library* library, const char* name) {
  return by_driver("cuLibraryGetManaged", address, bytes, library, name);
}
#endif
