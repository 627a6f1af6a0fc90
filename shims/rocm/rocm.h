// ROCm's mathematical libraries, which do the work of ours where the device is a HIP device. They are opened when they are
// first used; nothing is linked with them, and building needs no ROCm.
#ifndef CASSC_ROCM_H
#define CASSC_ROCM_H
#include <dlfcn.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "errors.h"
#include "library_work.h"

namespace cassc::rocm {

class Library {
 public:
  // title: "hipBLAS"; variable: of the environment, names another file; sonames: of the versions whose interface is known.
  Library(const char* title, const char* variable, std::vector<std::string> sonames) : title_(title), variable_(variable) {
    if (const char* named = std::getenv(variable)) sonames.insert(sonames.begin(), named);
    library_ = rt::open_first(sonames);
  }

  // Whether it is there; if not, stderr says so, with what takes its place.
  bool found() const {
    if (!library_)
      rt::report("the device is a HIP device and " + std::string(title_) + " was not found (" + variable_ +
                     " names its file); CASSC_DEVICE=emu runs the program on the emulator", true);
    return library_ != nullptr;
  }

  bool has(const std::string& name) const { return library_ && dlsym(library_, name.c_str()); }

  // Calls a function that gives a status; missing where the library has none of this name, which is said once.
  template <class... A>
  int call(int missing, const std::string& name, A... arguments) const {
    void* function = library_ ? dlsym(library_, name.c_str()) : nullptr;
    if (function) return reinterpret_cast<int (*)(A...)>(function)(arguments...);
    rt::report(std::string(title_) + " has no function " + name, true);
    return missing;
  }

 private:
  const char *const title_, *const variable_;
  void* library_ = nullptr;
};

}  // namespace cassc::rocm
#endif
