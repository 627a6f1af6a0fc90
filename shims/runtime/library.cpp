#include "library.h"

#include <dlfcn.h>
#include <unistd.h>

namespace cassc::rt {

void* open_beside_us(const char* name, std::string& why) {
  std::string folder;
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&open_beside_us), &info) && info.dli_fname) {
    const std::string self = info.dli_fname;
    const size_t slash = self.rfind('/');
    if (slash != std::string::npos) folder = self.substr(0, slash + 1);
  }
  std::string path = folder + name;
  // libamdhip64 lies one folder further down.
  if (!folder.empty() && access(path.c_str(), R_OK) != 0) path = folder + "../" + name;
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char* text = dlerror();
    why = text ? text : path + " cannot be opened";
  }
  return library;
}

}  // namespace cassc::rt
