// Functions of the API that are not implemented: each says so once by name and gives CUDA_ERROR_NOT_SUPPORTED. The definitions
// are weak, so an implementation anywhere in the library takes their place.
#include "api.h"

namespace {

cassc::cuda::Result unsupported(const char* name) {
  cassc::rt::report(std::string(name) + " is not supported", true);
  return cassc::cuda::Result::NotSupported;
}

}  // namespace

// The arguments are never looked at, so one parameter list serves all.
#define DEFINE(name) \
  CASSC_API __attribute__((weak)) cassc::cuda::Result name() { return unsupported(#name); }
#define CUDA(symbol, base, version, kind) DEFINE(symbol) DEFINE_##kind(symbol)
#define DEFINE_ONE(symbol)
#define DEFINE_PTDS(symbol) DEFINE(symbol##_ptds)
#define DEFINE_PTSZ(symbol) DEFINE(symbol##_ptsz)
#include "api.def"
