// Error handling.
#include <algorithm>
#include <iterator>

#include "api.h"

namespace cassc::cuda {
namespace {

struct Code {
  int number;
  const char* name;
};
constexpr Code codes[] = {
#define RESULT(number, name) {number, #name},
#include "errors.def"
#undef RESULT
};

const Code* find(int number) {
  const auto found = std::find_if(std::begin(codes), std::end(codes), [&](const Code& c) { return c.number == number; });
  return found == std::end(codes) ? nullptr : found;
}

}  // namespace

Result result_of(Error error) {
  switch (error) {
    case Error::InvalidSymbol: return Result::NotFound;
    case Error::InvalidTexture:
    case Error::InvalidResourceHandle: return Result::InvalidHandle;
    case Error::NoKernelImageForDevice: return Result::NoBinaryForGpu;
    default: break;
  }
  const int number = static_cast<int>(error);
  return find(number) ? static_cast<Result>(number) : Result::InvalidValue;  // runtime-only codes are about arguments
}

}  // namespace cassc::cuda

namespace cassc::rt {

// For the table of CASSC_TRACE.
const char* driver_error_name(int number) {
  const cuda::Code* code = cuda::find(number);
  return code ? code->name : nullptr;
}

}  // namespace cassc::rt

using namespace cassc::cuda;
namespace rt = cassc::rt;

CASSC_API Result cuGetErrorName(int number, const char** name) {
  if (!name) return Result::InvalidValue;
  const Code* code = find(number);
  *name = code ? code->name : nullptr;
  return code ? Result::Success : Result::InvalidValue;
}

CASSC_API Result cuGetErrorString(int number, const char** text) {
  if (!text) return Result::InvalidValue;
  const bool known = find(number);
  *text = known ? rt::error_text(static_cast<Error>(number)) : nullptr;
  return known ? Result::Success : Result::InvalidValue;
}
