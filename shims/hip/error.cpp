// Errors: the last one of the thread, names and texts.
#include "api.h"

HIP_AS(hipGetLastError, cudaGetLastError, (), ())
HIP_AS(hipPeekAtLastError, cudaPeekAtLastError, (), ())

namespace {

struct Named {
  int code;
  const char *name, *text;
};
constexpr Named kErrors[] = {
    {0, "hipSuccess", "no error"},
#define HIP_ERROR(code, name, text) {code, "hipError" #name, text},
#include "errors.def"
#undef HIP_ERROR
};

const Named& find(int code) {
  for (const Named& error : kErrors)
    if (error.code == code) return error;
  return kErrors[sizeof kErrors / sizeof *kErrors - 1];  // hipErrorUnknown
}

}  // namespace

HIP_API const char* hipGetErrorName(int code) { return find(code).name; }
HIP_API const char* hipGetErrorString(int code) { return find(code).text; }
HIP_API int hipDrvGetErrorName(int code, const char** name) {
  if (!name) return 1;
  *name = find(code).name;
  return 0;
}
HIP_API int hipDrvGetErrorString(int code, const char** text) {
  if (!text) return 1;
  *text = find(code).text;
  return 0;
}
