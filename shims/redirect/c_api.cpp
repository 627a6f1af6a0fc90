// The C interface, by which the Python side rewrites programs with what is found here.
#include <cassc/redirect.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "entries.h"

#define CASSC_REDIRECT_API extern "C" __attribute__((visibility("default")))

CASSC_REDIRECT_API uint32_t cassc_redirect_abi(void) { return CASSC_REDIRECT_ABI; }

CASSC_REDIRECT_API int64_t cassc_redirect_entries(const void* data, uint64_t size, const char* tables, char* out, uint64_t capacity) {
  using namespace cassc::redirect;
  const ElfFile file({static_cast<const std::byte*>(data), size});
  if (!file.valid()) return -1;
  const auto runtime = find_static_runtime(file, tables ? tables : "");
  if (!runtime) return 0;
  if (runtime->entries.empty()) return -2;
  std::string text = "major " + std::to_string(runtime->major) + "\n";
  for (const Entry& entry : runtime->entries) {
    char line[64];
    std::snprintf(line, sizeof line, " 0x%llx 0x%llx\n", static_cast<unsigned long long>(entry.address),
                  static_cast<unsigned long long>(entry.size));
    text += entry.name + line;
  }
  if (capacity) {
    const uint64_t copied = std::min<uint64_t>(text.size(), capacity - 1);
    std::memcpy(out, text.data(), copied);
    out[copied] = 0;
  }
  return static_cast<int64_t>(text.size());
}
