// Contexts. There is one device; what a context owns (memory, modules) goes with it.
#ifndef CASSC_CUDA_CONTEXT_H
#define CASSC_CUDA_CONTEXT_H
#include <mutex>
#include <set>
#include <vector>

#include "abi.h"

namespace cassc::cuda {

struct Module;

struct DriverContext {
  unsigned flags = 0;
  unsigned long long id = 0;
  bool primary = false;
  int users = 0;  // cuDevicePrimaryCtxRetain, cuCtxAttach
  std::mutex mutex;
  std::set<void*> allocations;
  std::set<Module*> modules;
};

bool initialized();  // cuInit was called, or the runtime API, which does that itself
// The context of the calling thread. A thread that has none takes the primary one where the runtime API is at work in this
// process, as NVIDIA's runtime binds it. Null: there is none.
DriverContext* current_context();
bool known_context(const DriverContext* context);

// Which context an allocation belongs to.
void own(void* pointer);
void disown(void* pointer);
DriverContext* owner_of(const void* base);

}  // namespace cassc::cuda
#endif
