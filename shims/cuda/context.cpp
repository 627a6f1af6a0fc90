// Initialization, contexts, and the primary context of the device.
#include "context.h"

#include <atomic>
#include <memory>
#include <unordered_map>

#include "api.h"
#include "module.h"

namespace cassc::cuda {
namespace {

std::atomic<bool> is_initialized = false;
std::mutex mutex;
std::unordered_map<DriverContext*, std::unique_ptr<DriverContext>> contexts;  // those made by cuCtxCreate
unsigned long long next_id = 1;

DriverContext& primary() {
  static auto* context = [] {
    auto* made = new DriverContext;
    made->primary = true;
    return made;
  }();
  return *context;
}

std::vector<DriverContext*>& stack() {
  thread_local std::vector<DriverContext*> contexts_of_thread;
  return contexts_of_thread;
}

// Gives back what a context owns.
void empty(DriverContext& context) {
  rt::Context::get().observe(device().synchronize());
  std::set<Module*> modules;
  std::set<void*> allocations;
  {
    std::lock_guard lock(context.mutex);
    modules.swap(context.modules);
    allocations.swap(context.allocations);
  }
  for (Module* module : modules) discard(module);
  for (void* pointer : allocations) {
    const auto allocation = rt::Context::get().allocations.find(pointer);
    if (!allocation) continue;
    if (allocation->origin == rt::Origin::HostAlloc)
      rt::release_host(pointer);
    else
      rt::release(pointer);
  }
}

Result make(DriverContext** handle, unsigned flags, int index) {
  return after_init([&] {
    if (!handle || (flags & ~0xffu)) return Result::InvalidValue;
    if (index != 0) return Result::InvalidDevice;
    auto context = std::make_unique<DriverContext>();
    context->flags = flags;
    context->users = 1;
    std::lock_guard lock(mutex);
    context->id = ++next_id;
    *handle = context.get();
    contexts[context.get()] = std::move(context);
    stack().push_back(*handle);
    return Result::Success;
  });
}

Result destroy(DriverContext* context) {
  std::unique_ptr<DriverContext> held;
  {
    std::lock_guard lock(mutex);
    const auto found = contexts.find(context);
    if (found == contexts.end()) return context == &primary() ? Result::InvalidContext : Result::ContextIsDestroyed;
    held = std::move(found->second);
    contexts.erase(found);
  }
  empty(*held);
  if (!stack().empty() && stack().back() == context) stack().pop_back();
  return Result::Success;
}

template <class Body>
Result with_device(int index, Body&& body) {
  return after_init([&] { return index == 0 ? body() : Result::InvalidDevice; });
}

}  // namespace

bool initialized() { return is_initialized || rt::Context::get().runtime_in_use(); }

bool known_context(const DriverContext* context) {
  if (context == &primary()) return true;
  std::lock_guard lock(mutex);
  return contexts.count(const_cast<DriverContext*>(context)) != 0;
}

DriverContext* current_context() {
  if (!stack().empty()) return known_context(stack().back()) ? stack().back() : nullptr;
  return rt::Context::get().runtime_in_use() ? &primary() : nullptr;
}

void own(void* pointer) {
  DriverContext* context = current_context();
  if (!context || !pointer) return;
  std::lock_guard lock(context->mutex);
  context->allocations.insert(pointer);
}

namespace {
template <class Body>
bool each_context(Body&& body) {
  if (body(primary())) return true;
  std::lock_guard lock(mutex);
  for (auto& [handle, context] : contexts)
    if (body(*context)) return true;
  return false;
}
}  // namespace

void disown(void* pointer) {
  each_context([&](DriverContext& context) {
    std::lock_guard lock(context.mutex);
    return context.allocations.erase(pointer) != 0;
  });
}

DriverContext* owner_of(const void* base) {
  DriverContext* owner = nullptr;
  each_context([&](DriverContext& context) {
    std::lock_guard lock(context.mutex);
    if (!context.allocations.count(const_cast<void*>(base))) return false;
    owner = &context;
    return true;
  });
  return owner ? owner : &primary();
}

}  // namespace cassc::cuda

using namespace cassc::cuda;
namespace rt = cassc::rt;

CASSC_API Result cuInit(unsigned flags) {
  return guarded([&] {
    if (flags != 0) return Result::InvalidValue;
    const Error error = rt::Context::get().open(nullptr);
    if (error == Error::Success) is_initialized = true;
    return result_of(error);
  });
}

CASSC_API Result cuDriverGetVersion(int* version) {
  if (!version) return Result::InvalidValue;
  *version = kDriverVersion;
  return Result::Success;
}

CASSC_API Result cuDevicePrimaryCtxRetain(DriverContext** context, int index) {
  return with_device(index, [&] {
    if (!context) return Result::InvalidValue;
    std::lock_guard lock(mutex);
    ++primary().users;
    *context = &primary();
    return Result::Success;
  });
}

CASSC_API Result cuDevicePrimaryCtxRelease_v2(int index) {
  return with_device(index, [&] {
    {
      std::lock_guard lock(mutex);
      if (primary().users == 0) return Result::InvalidContext;
      if (--primary().users) return Result::Success;
    }
    if (!rt::Context::get().runtime_in_use()) empty(primary());
    return Result::Success;
  });
}
CASSC_API Result cuDevicePrimaryCtxRelease(int index) { return cuDevicePrimaryCtxRelease_v2(index); }

CASSC_API Result cuDevicePrimaryCtxReset_v2(int index) {
  return with_device(index, [&] {
    empty(primary());
    return result_of(rt::Context::get().reset());
  });
}
CASSC_API Result cuDevicePrimaryCtxReset(int index) { return cuDevicePrimaryCtxReset_v2(index); }

CASSC_API Result cuDevicePrimaryCtxSetFlags_v2(int index, unsigned flags) {
  return with_device(index, [&] {
    if (flags & ~0xffu) return Result::InvalidValue;
    primary().flags = flags;
    return Result::Success;
  });
}
CASSC_API Result cuDevicePrimaryCtxSetFlags(int index, unsigned flags) {
  return with_device(index, [&] {
    return primary().users ? Result::PrimaryContextActive : cuDevicePrimaryCtxSetFlags_v2(index, flags);
  });
}

CASSC_API Result cuDevicePrimaryCtxGetState(int index, unsigned* flags, int* active) {
  return with_device(index, [&] {
    if (!flags || !active) return Result::InvalidValue;
    *flags = primary().flags;
    *active = primary().users > 0 || rt::Context::get().runtime_in_use();
    return Result::Success;
  });
}

CASSC_API Result cuCtxCreate_v2(DriverContext** context, unsigned flags, int index) { return make(context, flags, index); }
CASSC_API Result cuCtxCreate(DriverContext** context, unsigned flags, int index) { return make(context, flags, index); }
CASSC_API Result cuCtxCreate_v3(DriverContext** context, void*, int parameters, unsigned flags, int index) {
  return parameters ? Result::NotSupported : make(context, flags, index);
}
CASSC_API Result cuCtxCreate_v4(DriverContext** context, const void* parameters, unsigned flags, int index) {
  return parameters ? Result::NotSupported : make(context, flags, index);
}

CASSC_API Result cuCtxDestroy_v2(DriverContext* context) {
  return after_init([&] { return context ? destroy(context) : Result::InvalidValue; });
}
CASSC_API Result cuCtxDestroy(DriverContext* context) { return cuCtxDestroy_v2(context); }

CASSC_API Result cuCtxAttach(DriverContext** context, unsigned flags) {
  return after_init([&] {
    if (!context || flags) return Result::InvalidValue;
    *context = current_context();
    if (!*context) return Result::InvalidContext;
    ++(*context)->users;
    return Result::Success;
  });
}

CASSC_API Result cuCtxDetach(DriverContext* context) {
  return after_init([&] {
    if (!context || context != current_context()) return Result::InvalidContext;
    return --context->users > 0 || context->primary ? Result::Success : destroy(context);
  });
}

CASSC_API Result cuCtxPushCurrent_v2(DriverContext* context) {
  return after_init([&] {
    if (!context) return Result::InvalidValue;
    if (!known_context(context)) return Result::ContextIsDestroyed;
    stack().push_back(context);
    return Result::Success;
  });
}
CASSC_API Result cuCtxPushCurrent(DriverContext* context) { return cuCtxPushCurrent_v2(context); }

CASSC_API Result cuCtxPopCurrent_v2(DriverContext** context) {
  return after_init([&] {
    if (stack().empty()) return Result::InvalidContext;
    if (context) *context = stack().back();
    stack().pop_back();
    return Result::Success;
  });
}
CASSC_API Result cuCtxPopCurrent(DriverContext** context) { return cuCtxPopCurrent_v2(context); }

CASSC_API Result cuCtxSetCurrent(DriverContext* context) {
  return after_init([&] {
    if (context && !known_context(context)) return Result::ContextIsDestroyed;
    if (!stack().empty()) stack().pop_back();
    if (context) stack().push_back(context);
    return Result::Success;
  });
}

CASSC_API Result cuCtxGetCurrent(DriverContext** context) {
  return after_init([&] {
    if (!context) return Result::InvalidValue;
    *context = current_context();
    return Result::Success;
  });
}

CASSC_API Result cuCtxGetDevice(int* index) {
  return after_init([&] {
    if (!index) return Result::InvalidValue;
    if (!current_context()) return Result::InvalidContext;
    *index = 0;
    return Result::Success;
  });
}

CASSC_API Result cuCtxGetDevice_v2(int* index, DriverContext* context) {
  if (!context) return cuCtxGetDevice(index);
  return after_init([&] {
    if (!index) return Result::InvalidValue;
    if (!known_context(context)) return Result::InvalidContext;
    *index = 0;
    return Result::Success;
  });
}

CASSC_API Result cuCtxGetFlags(unsigned* flags) {
  return in_context([&] {
    if (!flags) return Result::InvalidValue;
    *flags = current_context()->flags;
    return Result::Success;
  });
}

CASSC_API Result cuCtxSetFlags(unsigned flags) {
  return in_context([&] {
    if (flags & ~0xffu) return Result::InvalidValue;
    current_context()->flags = flags;
    return Result::Success;
  });
}

CASSC_API Result cuCtxGetId(DriverContext* context, unsigned long long* id) {
  return after_init([&] {
    if (!id) return Result::InvalidValue;
    if (!context) context = current_context();
    if (!context || !known_context(context)) return Result::ContextIsDestroyed;
    *id = context->id;
    return Result::Success;
  });
}

CASSC_API Result cuCtxGetApiVersion(DriverContext* context, unsigned* version) {
  return after_init([&] {
    if (!version) return Result::InvalidValue;
    if (context ? !known_context(context) : !current_context()) return Result::InvalidContext;
    *version = 3020;  // what every driver of this age gives
    return Result::Success;
  });
}

CASSC_API Result cuCtxSynchronize() {
  return in_context([] { return result_of(rt::synchronize_device()); });
}

CASSC_API Result cuCtxSynchronize_v2(DriverContext* context) {
  if (context && !known_context(context)) return Result::ContextIsDestroyed;
  if (!context) return cuCtxSynchronize();
  return after_init([] { return result_of(rt::synchronize_device()); });
}

CASSC_API Result cuCtxGetLimit(size_t* value, unsigned limit) {
  return in_context([&] {
    if (!value) return Result::InvalidValue;
    constexpr unsigned sync_depth = 3;
    if (limit >= rt::kLimits || limit == sync_depth) return Result::UnsupportedLimit;
    *value = rt::Context::get().limits[limit];
    return Result::Success;
  });
}

CASSC_API Result cuCtxSetLimit(unsigned limit, size_t value) {
  return in_context([&] {
    return limit < rt::kLimits ? result_of(rt::Context::get().set_limit(limit, value)) : Result::UnsupportedLimit;
  });
}

CASSC_API Result cuCtxGetCacheConfig(int* config) {
  return in_context([&] {
    if (!config) return Result::InvalidValue;
    *config = rt::Context::get().cache_config;
    return Result::Success;
  });
}

CASSC_API Result cuCtxSetCacheConfig(int config) {
  return in_context([&] {
    if (config < 0 || config > 3) return Result::InvalidValue;
    rt::Context::get().cache_config = config;
    return Result::Success;
  });
}

CASSC_API Result cuCtxGetSharedMemConfig(int* config) {
  return in_context([&] {
    if (!config) return Result::InvalidValue;
    *config = rt::Context::get().shared_config;
    return Result::Success;
  });
}

CASSC_API Result cuCtxSetSharedMemConfig(int config) {
  return in_context([&] {
    if (config < 0 || config > 2) return Result::InvalidValue;
    rt::Context::get().shared_config = config;
    return Result::Success;
  });
}

CASSC_API Result cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  return in_context([&] {
    if (least) *least = rt::kLeastPriority;
    if (greatest) *greatest = rt::kGreatestPriority;
    return Result::Success;
  });
}

CASSC_API Result cuCtxResetPersistingL2Cache() {
  return in_context([] { return Result::Success; });
}

CASSC_API Result cuCtxEnablePeerAccess(DriverContext* peer, unsigned flags) {
  return in_context([&] {
    if (flags) return Result::InvalidValue;
    return known_context(peer) ? Result::PeerAccessUnsupported : Result::InvalidContext;
  });
}

CASSC_API Result cuCtxDisablePeerAccess(DriverContext* peer) {
  return in_context([&] { return known_context(peer) ? Result::PeerAccessNotEnabled : Result::InvalidContext; });
}
