// Functions of the API that are not implemented: each says so once by name and gives cudaErrorNotSupported. The definitions
// are weak, so an implementation anywhere in the library takes their place.
#include "api.h"

namespace {

cassc::rt::Error unsupported(const char* name) {
  cassc::rt::report(std::string(name) + " is not supported", true);
  return cassc::cudart::without_device([] { return cassc::rt::Error::NotSupported; });
}

}  // namespace

// The arguments are never looked at, so one parameter list serves all.
#define CUDART(name, first, last) CUDART_IF_##first##_##last(name)
#define DEFINE(name) \
  CASSC_API __attribute__((weak)) cassc::rt::Error name() { return unsupported(#name); }
#if CASSC_CUDART_MAJOR == 11
#define IN_11(name) DEFINE(name)
#else
#define IN_11(name)
#endif
#if CASSC_CUDART_MAJOR == 12
#define IN_12(name) DEFINE(name)
#else
#define IN_12(name)
#endif
#if CASSC_CUDART_MAJOR == 13
#define IN_13(name) DEFINE(name)
#else
#define IN_13(name)
#endif
#define CUDART_IF_11_11(name) IN_11(name)
#define CUDART_IF_11_12(name) IN_11(name) IN_12(name)
#define CUDART_IF_11_13(name) IN_11(name) IN_12(name) IN_13(name)
#define CUDART_IF_12_12(name) IN_12(name)
#define CUDART_IF_12_13(name) IN_12(name) IN_13(name)
#define CUDART_IF_13_13(name) IN_13(name)
#include "api.def"
