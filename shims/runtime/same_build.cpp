// Part of every front end (libcudart, libcuda, libcublas, ...): libcassrt has no stable interface, and the loader gives a
// process one alone, that of the folder it came by first. A front end of another build must not go on with it.
#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

extern "C" const char* cassc_rt_build();

namespace {

const char* file_of(const void* address) {
  Dl_info info{};
  return dladdr(address, &info) && info.dli_fname ? info.dli_fname : "?";
}

// Before the front end's own constructors, which call the core.
__attribute__((constructor(101))) void look() {
  static const char mine[] = CASSC_RT_BUILD;
  if (std::strcmp(cassc_rt_build(), mine) == 0) return;
  std::fprintf(stderr,
               "cassc: %s and %s are of different builds of cassc, and cannot be in one process; build the program and its "
               "libraries with one of them, or start it by `cassc run`\n",
               file_of(mine), file_of(reinterpret_cast<const void*>(&cassc_rt_build)));
  _exit(127);
}

}  // namespace
