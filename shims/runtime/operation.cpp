#include "operation.h"

#include <algorithm>
#include <cstring>

#include "capture.h"
#include "context.h"
#include "graph.h"
#include "recorder.h"

namespace cassc::rt {
namespace {

bool good_shape(Dim3 grid, Dim3 block, uint32_t max_threads) {
  return grid.x >= 1 && grid.x <= kMaxGridX && grid.y >= 1 && grid.y <= kMaxGridYZ && grid.z >= 1 && grid.z <= kMaxGridYZ &&
         block.x >= 1 && block.y >= 1 && block.z >= 1 && block.z <= kMaxBlockZ && block.x <= kMaxThreads &&
         block.y <= kMaxThreads && block.volume() <= std::min(max_threads, kMaxThreads);
}

Error start(Stream& stream, const KernelCall& call) {
  Kernel* loaded = nullptr;  // again: cudaDeviceReset may have unloaded it since the call was prepared
  if (const Error error = Registry::get().kernel(call.kernel, &loaded); error != Error::Success) return error;
  Launch launch;
  launch.kernel = loaded->device;
  launch.grid = call.grid;
  launch.block = call.block;
  launch.dynamic_shared = static_cast<uint32_t>(call.dynamic_shared);
  launch.cooperative = call.cooperative;
  launch.arguments = call.arguments;
  launch.layout = loaded->metadata.arguments;
  if (const auto offset = loaded->metadata.grid_argument) {
    uint64_t workspace = 0;
    if (call.cooperative) {
      const Error error = Context::get().grids.next(Context::get().device(), workspace);
      if (error != Error::Success) return error;
    }
    std::memcpy(launch.arguments.data() + *offset, &workspace, sizeof workspace);
    launch.layout.push_back({*offset, sizeof workspace});
  }
  launch.output = loaded->home->output();
  Device& device = Context::get().device();
  if (!recording()) return device.launch(*stream.device, launch);
  KernelCall known = call;
  known.kernel = loaded;
  return record(device, known, [&] { return device.launch(*stream.device, launch); });
}

Error start(Stream& stream, const HostWork& work) {
  return Context::get().device().call(*stream.device, {[work](Error) {
                                                         in_host_function() = true;
                                                         work.function(work.data);
                                                         in_host_function() = false;
                                                       },
                                                       false});
}

}  // namespace

int dynamic_shared_limit(const Kernel& kernel) {
  if (kernel.dynamic_shared_limit) return kernel.dynamic_shared_limit;
  return std::max(0, kSharedPerBlock - static_cast<int>(kernel.metadata.static_shared));
}

Error prepare(const void* function, Dim3 grid, Dim3 block, void** arguments, size_t dynamic_shared, bool cooperative,
              KernelCall& call) {
  Kernel* kernel = nullptr;
  if (cooperative && !function) return Error::InvalidDeviceFunction;
  if (const Error error = Registry::get().kernel(function, &kernel); error != Error::Success) return error;
  const KernelMetadata& metadata = kernel->metadata;
  if (!good_shape(grid, block, metadata.max_threads)) return Error::InvalidValue;
  if (dynamic_shared > static_cast<size_t>(dynamic_shared_limit(*kernel)))
    return cooperative ? Error::CooperativeLaunchTooLarge : Error::InvalidValue;
  if (cooperative) {
    const uint64_t room = static_cast<uint64_t>(Context::get().device().facts().multiprocessors) *
                          static_cast<uint64_t>(resident_blocks(*kernel, static_cast<int>(block.volume()), dynamic_shared));
    if (grid.volume() > room) return Error::CooperativeLaunchTooLarge;
  }
  if (!arguments && !metadata.arguments.empty()) return Error::InvalidValue;
  call = {kernel, grid, block, dynamic_shared, cooperative, std::vector<std::byte>(metadata.explicit_size)};
  for (size_t i = 0; i < metadata.arguments.size(); ++i) {
    if (!arguments[i]) return Error::InvalidValue;
    std::memcpy(call.arguments.data() + metadata.arguments[i].offset, arguments[i], metadata.arguments[i].size);
  }
  return Error::Success;
}

// One multiprocessor is a work group processor of two compute units. In CU mode a block lives on one of them: 32 wave slots,
// 64 KB of LDS, 1536 VGPRs of each SIMD handed out in steps of 24 (AMD, "RDNA3 Instruction Set Architecture", chapter 3).
int resident_blocks(const Kernel& kernel, int threads, size_t dynamic_shared) {
  const KernelMetadata& metadata = kernel.metadata;
  if (threads <= 0 || static_cast<uint32_t>(threads) > std::min(metadata.max_threads, kMaxThreads)) return 0;
  if (dynamic_shared > static_cast<size_t>(dynamic_shared_limit(kernel))) return 0;
  const int waves = (threads + 31) / 32;
  const int registers = std::max(24, (static_cast<int>(metadata.registers) + 23) / 24 * 24);
  const int wave_slots = 2 * std::min(16, 1536 / registers);
  int blocks = std::min(wave_slots / waves, kBlocksPerMultiprocessor / 2);
  const size_t used = static_cast<size_t>(kernel.reserved_shared) + metadata.static_shared + dynamic_shared;
  const size_t shared = (used + 1023) / 1024 * 1024;
  if (shared) blocks = std::min(blocks, static_cast<int>(kSharedPerBlockOptin / shared));
  return 2 * blocks;
}

Error perform(Stream& stream, const Operation& operation, Wait wait) {
  Context& context = Context::get();
  Device& device = context.device();
  DeviceStream& target = *stream.device;
  struct Start {
    Stream& stream;
    Device& device;
    DeviceStream& target;
    Wait wait;
    Error operator()(const KernelCall& call) const { return start(stream, call); }
    Error operator()(const Copy& copy) const { return device.copy(target, copy, wait); }
    Error operator()(const Fill& fill) const { return device.fill(target, fill, wait); }
    Error operator()(const HostWork& work) const { return start(stream, work); }
    Error operator()(const LibraryWork& work) const {
      return device.call(target, {[run = work.run](Error) { (*run)(); }, false});
    }
    Error operator()(const ChildGraph& child) const { return run_nodes(stream, *child.graph); }
    Error operator()(const Nothing&) const { return Error::Success; }
    Error operator()(const MemoryAllocate&) const { return Error::Success; }
    Error operator()(const MemoryFree&) const { return Error::Success; }
    Error operator()(const EventRecord& r) const {
      r.event->recorded = true;
      return device.record(*r.event->device, target);
    }
    Error operator()(const EventWait& w) const {
      return w.event->recorded ? device.wait(target, *w.event->device) : Error::Success;
    }
  };
  return context.observe(std::visit(Start{stream, device, target, wait}, operation));
}

Error submit(Stream& stream, const Operation& operation, Wait wait) {
  bool captured = false;
  const Error error = capture_operation(stream, operation, captured);
  if (captured || error != Error::Success) return error;
  return perform(stream, operation, wait);
}

}  // namespace cassc::rt
