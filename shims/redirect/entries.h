// The entry points of a statically linked CUDA runtime in a linked file.
#ifndef CASSC_REDIRECT_ENTRIES_H
#define CASSC_REDIRECT_ENTRIES_H
#include <optional>
#include <string>
#include <vector>

#include "elf_file.h"

namespace cassc::redirect {

struct Entry {
  std::string name;
  uint64_t address;  // as linked
  uint64_t size;     // bytes that may be overwritten; at least 16
};

struct StaticRuntime {
  int major = 0;  // of the CUDA version it was built from
  std::vector<Entry> entries;  // empty where it was recognised but no table describes it
};

// By .symtab, or by the signature tables (paths separated by colons) where there is none. Nothing when the file holds no
// static runtime.
std::optional<StaticRuntime> find_static_runtime(const ElfFile& file, std::string_view tables);

}  // namespace cassc::redirect
#endif
