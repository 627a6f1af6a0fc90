// cuGetProcAddress: the entry point for a function's name at a version of CUDA, so that a program gets the form of it that it was
// written for.
#include <cstring>

#include "api.h"
#include "entry_table.h"

namespace {

enum QueryStatus { kFound = 0, kNotFound = 1, kVersionNotSufficient = 2 };
constexpr uint64_t kLegacyStream = 1, kPerThreadStream = 2;

}  // namespace

using cassc::cuda::Entry;
using cassc::cuda::Result;

CASSC_API Result cuGetProcAddress_v2(const char* name, void** function, int version, uint64_t flags, int* status) {
  if (!name || !function || flags > (kLegacyStream | kPerThreadStream)) return Result::InvalidValue;
  *function = nullptr;
  const Entry* newest = nullptr;
  bool known = false;
  for (const Entry& entry : cassc::cuda::entry_table()) {
    if (std::strcmp(entry.name, name) != 0) continue;
    known = true;
    if (entry.version <= version && (!newest || entry.version > newest->version)) newest = &entry;
  }
  if (status) *status = newest ? kFound : known ? kVersionNotSufficient : kNotFound;
  if (!newest) return status ? Result::Success : Result::NotFound;
  const bool own_stream = (flags & kPerThreadStream) && newest->per_thread;
  *function = reinterpret_cast<void*>(own_stream ? newest->per_thread : newest->function);
  return Result::Success;
}

CASSC_API Result cuGetProcAddress(const char* name, void** function, int version, uint64_t flags) {
  return cuGetProcAddress_v2(name, function, version, flags, nullptr);
}

// The undocumented tables that NVIDIA's own libraries ask for: there are none here.
CASSC_API Result cuGetExportTable(const void** table, const void*) {
  if (!table) return Result::InvalidValue;
  *table = nullptr;
  return Result::NotFound;
}
