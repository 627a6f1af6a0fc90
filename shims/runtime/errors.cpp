#include "errors.h"

#include <cstdio>
#include <cstring>
#include <mutex>
#include <set>

namespace cassc::rt {
namespace {

thread_local Error last_error = Error::Success;

}  // namespace

const char* error_name(Error error) {
  switch (error) {
    case Error::Success: return "cudaSuccess";
#define CASSC_ERROR(code, name, text) \
  case Error::name: return "cudaError" #name;
#include "errors.def"
#undef CASSC_ERROR
  }
  return "unrecognized error code";
}

const char* error_name_if_known(int number) {
  const char* name = error_name(static_cast<Error>(number));
  return std::strncmp(name, "cuda", 4) == 0 ? name : nullptr;
}

const char* error_text(Error error) {
  switch (error) {
    case Error::Success: return "no error";
#define CASSC_ERROR(code, name, text) \
  case Error::name: return text;
#include "errors.def"
#undef CASSC_ERROR
  }
  return "unrecognized error code";
}

void remember(Error error) {
  // "Not ready" is an answer: NVIDIA's runtime does not keep it either (seen on an H200).
  if (error != Error::Success && error != Error::NotReady) last_error = error;
}

Error peek_last_error() { return last_error; }

Error take_last_error() {
  Error error = last_error;
  last_error = Error::Success;
  return error;
}

void report(const std::string& text, bool once) {
  static std::mutex mutex;
  static auto* printed = new std::set<std::string>;  // never destroyed: used until the process ends
  std::lock_guard lock(mutex);
  if (once && !printed->insert(text).second) return;
  std::fprintf(stderr, "cassc: %s\n", text.c_str());
}

}  // namespace cassc::rt
