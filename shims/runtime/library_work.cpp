#include "library_work.h"

#include <dlfcn.h>
#include <glob.h>

#include "capture.h"
#include "context.h"

namespace cassc::rt {
namespace {

Error start(Stream* handle, std::function<void()> work, bool wait) {
  if (const Error error = open_for_libraries(); error != Error::Success) return error;
  Stream* stream = nullptr;
  if (const Error error = find_stream(handle, &stream); error != Error::Success) return error;
  const LibraryWork operation{std::make_shared<const std::function<void()>>(std::move(work))};
  if (const Error error = submit(*stream, operation); error != Error::Success) return error;
  return wait ? synchronize_stream(*stream) : Error::Success;
}

void* open_path(const std::string& pattern) {
  void* library = nullptr;
  glob_t found{};
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0)
    for (size_t i = 0; i < found.gl_pathc && !library; ++i) library = dlopen(found.gl_pathv[i], RTLD_NOW | RTLD_LOCAL);
  globfree(&found);
  return library;
}

std::string folder() {
  Dl_info info{};
  if (!dladdr(reinterpret_cast<const void*>(&open_for_libraries), &info) || !info.dli_fname) return "./";
  const std::string self = info.dli_fname;
  return self.substr(0, self.rfind('/') + 1);
}

}  // namespace

Error open_for_libraries() {
  Context& context = Context::get();
  const Error error = context.open(nullptr);
  context.use_runtime();
  if (error != Error::Success) return error;
  if (context.state() != Error::Success) return context.state();
  return context.device().facts().host_reads_device_memory ? Error::Success : Error::NotSupported;
}

Error enqueue(Stream* handle, std::function<void()> work) { return start(handle, std::move(work), false); }

Error enqueue_and_wait(Stream* handle, std::function<void()> work) { return start(handle, std::move(work), true); }

Error native_stream(Stream* handle, void** native) {
  Context& context = Context::get();
  if (const Error error = context.open(nullptr); error != Error::Success) return error;
  context.use_runtime();
  Stream* stream = nullptr;
  if (const Error error = find_stream(handle, &stream); error != Error::Success) return error;
  if (const Error error = refuse_while_captured(*stream); error != Error::Success) return error;
  if (const Error error = check_legacy_use(*stream); error != Error::Success) return error;
  *native = context.device().native(*stream->device);
  return Error::Success;
}

void* open_first(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (name.empty()) continue;
    void* library = name.find('/') == std::string::npos ? dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)
                                                         : open_path(name[0] == '/' ? name : folder() + name);
    if (library) return library;
  }
  return nullptr;
}

}  // namespace cassc::rt
