// Every entry point of the library with the version of CUDA that its form came with.
#ifndef CASSC_CUDA_ENTRY_TABLE_H
#define CASSC_CUDA_ENTRY_TABLE_H
#include <span>

namespace cassc::cuda {

struct Entry {
  const char* name;  // without version suffix
  int version;       // 12030 for CUDA 12.3
  void (*function)();
  void (*per_thread)();  // for the per-thread default stream; null: the same
};

std::span<const Entry> entry_table();

}  // namespace cassc::cuda
#endif
