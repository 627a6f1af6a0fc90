#include "library.h"

#include <dlfcn.h>

namespace cassc::rt {

void* open_beside_us(const char* name, std::string& why) {
  std::string path = name;
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&open_beside_us), &info) && info.dli_fname) {
    const std::string self = info.dli_fname;
    const size_t slash = self.rfind('/');
    if (slash != std::string::npos) path = self.substr(0, slash + 1) + name;
  }
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char* text = dlerror();
    why = text ? text : path + " cannot be opened";
  }
  return library;
}

}  // namespace cassc::rt
