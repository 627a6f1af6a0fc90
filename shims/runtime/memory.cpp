#include "memory.h"

#include "context.h"
#include "hints.h"
#include "pool.h"

namespace cassc::rt {

void AllocationTable::insert(const Allocation& allocation) {
  std::lock_guard lock(mutex_);
  by_base_[allocation.base] = allocation;
}

std::optional<Allocation> AllocationTable::find(const void* pointer) const {
  const auto address = reinterpret_cast<uintptr_t>(pointer);
  std::lock_guard lock(mutex_);
  auto next = by_base_.upper_bound(address);
  if (next == by_base_.begin()) return std::nullopt;
  const Allocation& candidate = std::prev(next)->second;
  if (!candidate.holds(address, 1)) return std::nullopt;
  return candidate;
}

bool AllocationTable::erase(const void* base) {
  std::lock_guard lock(mutex_);
  return by_base_.erase(reinterpret_cast<uintptr_t>(base)) != 0;
}

std::vector<Allocation> AllocationTable::erase_all(Origin origin) {
  std::vector<Allocation> erased;
  std::lock_guard lock(mutex_);
  for (auto it = by_base_.begin(); it != by_base_.end();) {
    if (it->second.origin == origin) {
      erased.push_back(it->second);
      it = by_base_.erase(it);
    } else {
      ++it;
    }
  }
  return erased;
}

Error allocate(size_t bytes, Origin origin, unsigned flags, void** pointer) {
  Context& context = Context::get();
  *pointer = nullptr;
  if (bytes == 0) return Error::Success;
  const Error error = origin == Origin::HostAlloc ? context.device().allocate_host(bytes, flags, pointer)
                                                  : context.device().allocate(bytes, origin == Origin::Managed, pointer);
  if (error != Error::Success) {
    *pointer = nullptr;
    return context.observe(error);
  }
  if (origin == Origin::Managed) forget_hints(reinterpret_cast<uintptr_t>(*pointer), bytes);
  context.allocations.insert({reinterpret_cast<uintptr_t>(*pointer), bytes, origin, flags, nullptr});
  return Error::Success;
}

Error release(void* pointer) {
  if (!pointer) return Error::Success;
  Context& context = Context::get();
  const auto allocation = context.allocations.find(pointer);
  if (!allocation || allocation->base != reinterpret_cast<uintptr_t>(pointer) || allocation->type() == MemoryType::Host ||
      allocation->origin == Origin::Symbol || allocation->origin == Origin::Array)
    return Error::InvalidValue;
  const Error error = context.observe(context.device().synchronize());
  if (error != Error::Success) return error;
  if (allocation->origin == Origin::Graph) return Error::Success;  // the graph gives it back
  context.allocations.erase(pointer);
  if (allocation->pool && known_pool(allocation->pool)) {
    std::lock_guard lock(allocation->pool->mutex);
    allocation->pool->used -= allocation->size;
  }
  return context.observe(context.device().release(pointer));
}

Error release_host(void* pointer) {
  if (!pointer) return Error::Success;
  Context& context = Context::get();
  const auto allocation = context.allocations.find(pointer);
  if (!allocation || allocation->base != reinterpret_cast<uintptr_t>(pointer) || allocation->origin != Origin::HostAlloc)
    return Error::InvalidValue;
  const Error error = context.observe(context.device().synchronize());
  if (error != Error::Success) return error;
  context.allocations.erase(pointer);
  return context.observe(context.device().release_host(pointer));
}

Error register_host(void* pointer, size_t bytes, unsigned flags) {
  Context& context = Context::get();
  if (!pointer || bytes == 0) return Error::InvalidValue;
  const char* last = static_cast<const char*>(pointer) + bytes - 1;
  if (context.allocations.find(pointer) || context.allocations.find(last)) return Error::HostMemoryAlreadyRegistered;
  const Error error = context.device().register_host(pointer, bytes, flags);
  if (error != Error::Success) return context.observe(error);
  context.allocations.insert({reinterpret_cast<uintptr_t>(pointer), bytes, Origin::HostRegister, flags, nullptr});
  return Error::Success;
}

Error unregister_host(void* pointer) {
  Context& context = Context::get();
  if (!pointer) return Error::InvalidValue;
  const auto allocation = context.allocations.find(pointer);
  if (!allocation || allocation->base != reinterpret_cast<uintptr_t>(pointer) || allocation->origin != Origin::HostRegister)
    return Error::HostMemoryNotRegistered;
  const Error error = context.observe(context.device().synchronize());
  if (error != Error::Success) return error;
  context.allocations.erase(pointer);
  return context.observe(context.device().unregister_host(pointer));
}

Error GraphMemory::make(size_t bytes, std::shared_ptr<GraphMemory>& memory) {
  if (bytes == 0) return Error::InvalidValue;
  void* base = nullptr;
  const Error error = allocate(bytes, Origin::Graph, 0, &base);
  if (error == Error::Success) memory.reset(new GraphMemory(base, bytes));
  return error;
}

GraphMemory::~GraphMemory() {
  Context& context = Context::get();
  if (context.closed()) return;
  context.observe(context.device().synchronize());
  if (context.allocations.erase(base_)) context.device().release(base_);
}

size_t span_of(size_t width, size_t height, size_t depth, size_t pitch, size_t slice) {
  return (depth - 1) * slice + (height - 1) * pitch + width;
}

Error settle(Copy& copy, bool& empty) {
  if (static_cast<unsigned>(copy.kind) > 4) return Error::InvalidMemcpyDirection;
  empty = copy.width == 0 || copy.height == 0 || copy.depth == 0;
  if (empty) return Error::Success;
  if (!copy.target || !copy.source) return Error::InvalidValue;
  const AllocationTable& table = Context::get().allocations;
  const auto target = table.find(copy.target), source = table.find(copy.source);
  const size_t target_bytes = span_of(copy.width, copy.height, copy.depth, copy.target_pitch, copy.target_slice);
  const size_t source_bytes = span_of(copy.width, copy.height, copy.depth, copy.source_pitch, copy.source_slice);
  if (target && !target->holds(reinterpret_cast<uintptr_t>(copy.target), target_bytes)) return Error::InvalidValue;
  if (source && !source->holds(reinterpret_cast<uintptr_t>(copy.source), source_bytes)) return Error::InvalidValue;
  const bool to_device = copy.kind == CopyKind::HostToDevice || copy.kind == CopyKind::DeviceToDevice;
  const bool from_device = copy.kind == CopyKind::DeviceToHost || copy.kind == CopyKind::DeviceToDevice;
  if ((to_device && !target) || (from_device && !source)) return Error::InvalidValue;
  auto on_device = [](const std::optional<Allocation>& a) { return a && a->type() != MemoryType::Host; };
  copy.kind = on_device(source) ? (on_device(target) ? CopyKind::DeviceToDevice : CopyKind::DeviceToHost)
                                : (on_device(target) ? CopyKind::HostToDevice : CopyKind::HostToHost);
  copy.pageable_source = !source;
  copy.pageable_target = !target;
  return Error::Success;
}

Error settle(const Fill& fill, bool& empty) {
  empty = fill.width == 0 || fill.height == 0 || fill.depth == 0;
  if (empty) return Error::Success;
  if (!fill.target) return Error::InvalidValue;
  const auto target = Context::get().allocations.find(fill.target);
  const size_t bytes = span_of(fill.width * fill.element, fill.height, fill.depth, fill.pitch, fill.slice);
  if (!target || !target->holds(reinterpret_cast<uintptr_t>(fill.target), bytes)) return Error::InvalidValue;
  return Error::Success;
}

}  // namespace cassc::rt
