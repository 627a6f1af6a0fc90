#include "pool.h"

#include <algorithm>
#include <atomic>

#include "capture.h"
#include "context.h"
#include "handles.h"

namespace cassc::rt {
namespace {

Handles<MemoryPool>& pools() {
  static auto* all = new Handles<MemoryPool>;
  return *all;
}

std::atomic<MemoryPool*> chosen_pool = nullptr;

Error allocate_in_graph(size_t bytes, Stream& stream, void** pointer) {
  MemoryAllocate node;
  Error error = GraphMemory::make(bytes, node.memory);
  if (error == Error::Success) error = submit(stream, node);
  if (error == Error::Success) *pointer = node.memory->base();
  return error;
}

Error reclaim_locked(MemoryPool& pool) {
  Device& device = Context::get().device();
  for (auto it = pool.freed.begin(); it != pool.freed.end();) {
    const Error state = device.query(*it->after);
    if (state == Error::NotReady) {
      ++it;
      continue;
    }
    if (state != Error::Success) return Context::get().observe(state);
    pool.waiting -= it->block.size;
    device.release(reinterpret_cast<void*>(it->block.base));
    it = pool.freed.erase(it);
  }
  return Error::Success;
}

}  // namespace

MemoryPool* default_pool() {
  static MemoryPool* pool = pools().add(std::make_unique<MemoryPool>());
  return pool;
}

MemoryPool* current_pool() {
  MemoryPool* chosen = chosen_pool;
  return chosen ? chosen : default_pool();
}

Error set_current_pool(MemoryPool* pool) {
  if (!known_pool(pool)) return Error::InvalidValue;
  chosen_pool = pool;
  return Error::Success;
}

bool known_pool(const MemoryPool* pool) { return pools().known(pool); }

Error create_pool(MemoryPool** pool) {
  *pool = pools().add(std::make_unique<MemoryPool>());
  return Error::Success;
}

Error destroy_pool(MemoryPool* handle) {
  if (handle == default_pool()) return Error::InvalidValue;
  const auto pool = pools().take(handle);
  if (!pool) return Error::InvalidValue;
  MemoryPool* expected = handle;
  chosen_pool.compare_exchange_strong(expected, nullptr);
  Device& device = Context::get().device();
  for (const MemoryPool::Freed& freed : pool->freed) {
    const Error error = Context::get().observe(device.synchronize(*freed.after));
    if (error != Error::Success) return error;
    device.release(reinterpret_cast<void*>(freed.block.base));
  }
  return Error::Success;
}

Error allocate_in_order(MemoryPool& pool, size_t bytes, Stream& stream, void** pointer) {
  *pointer = nullptr;
  if (bytes == 0) return Error::Success;
  if (capture_info(stream).status != CaptureStatus::None) return allocate_in_graph(bytes, stream, pointer);
  Context& context = Context::get();
  std::lock_guard lock(pool.mutex);
  const auto again = std::find_if(pool.freed.begin(), pool.freed.end(), [&](const MemoryPool::Freed& freed) {
    return freed.stream == stream.device && freed.block.size == bytes;
  });
  if (again != pool.freed.end()) {
    *pointer = reinterpret_cast<void*>(again->block.base);
    pool.waiting -= bytes;
    pool.freed.erase(again);
  } else {
    if (const Error error = reclaim_locked(pool); error != Error::Success) return error;
    if (const Error error = context.device().allocate(bytes, false, pointer); error != Error::Success)
      return context.observe(error);
  }
  context.allocations.insert({reinterpret_cast<uintptr_t>(*pointer), bytes, Origin::Pool, 0, &pool});
  pool.used += bytes;
  pool.used_high = std::max(pool.used_high, pool.used);
  pool.reserved_high = std::max(pool.reserved_high, pool.used + pool.waiting);
  return Error::Success;
}

Error free_in_order(void* pointer, Stream& stream) {
  if (!pointer) return Error::Success;
  if (capture_info(stream).status != CaptureStatus::None) return submit(stream, MemoryFree{pointer});
  Context& context = Context::get();
  const auto block = context.allocations.find(pointer);
  if (!block || block->base != reinterpret_cast<uintptr_t>(pointer) ||
      (block->origin != Origin::Pool && block->origin != Origin::Malloc && block->origin != Origin::Graph))
    return Error::InvalidValue;
  if (!block->pool || !known_pool(block->pool)) return release(pointer);
  Device& device = context.device();
  if (device.facts().observed) {  // so that a use of it after this is found
    context.allocations.erase(pointer);
    {
      std::lock_guard lock(block->pool->mutex);
      block->pool->used -= block->size;
    }
    return context.observe(device.call(*stream.device, {[&device, pointer](Error) { device.release(pointer); }, false}));
  }
  std::unique_ptr<DeviceEvent> after;
  Error error = context.device().create_event(false, after);
  if (error == Error::Success) error = context.device().record(*after, *stream.device);
  if (error != Error::Success) return context.observe(error);
  context.allocations.erase(pointer);
  MemoryPool& pool = *block->pool;
  std::lock_guard lock(pool.mutex);
  pool.used -= block->size;
  pool.waiting += block->size;
  pool.freed.push_back({*block, stream.device, std::move(after)});
  return Error::Success;
}

Error reclaim(MemoryPool& pool) {
  std::lock_guard lock(pool.mutex);
  return reclaim_locked(pool);
}

}  // namespace cassc::rt
