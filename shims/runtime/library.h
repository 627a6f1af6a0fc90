// Opening the shared libraries that a device needs.
#ifndef CASSC_RUNTIME_LIBRARY_H
#define CASSC_RUNTIME_LIBRARY_H
#include <string>

#include "types.h"

namespace cassc::rt {

// dlopen of a library that is installed beside libcassrt. Null on failure, with the reason in why.
CASSC_EXPORT void* open_beside_us(const char* name, std::string& why);

}  // namespace cassc::rt
#endif
