// Launches: checks, what the waves find in memory, and the threads that run them.
#include <algorithm>
#include <cstddef>
#include <cstring>

#include "observe.h"
#include "turns.h"

namespace cassc::emu {
namespace {

constexpr u32 kPacketSize = 64, kQueueSize = 256;
// Bytes of stack for each lane beyond what the compiler could count, where a kernel calls functions.
constexpr u32 kDynamicStack = 8192;


// A block of device memory for what a launch passes to its waves. Usual sizes are kept for later launches.
class LaunchBlock {
 public:
  LaunchBlock(cassc_emu_device& device, u32 size) : device_(device), usual_(size <= kUsual) {
    if (usual_) {
      const std::lock_guard lock(device.preparing);
      if (!device.launch_blocks.empty()) {
        address_ = device.launch_blocks.back();
        device.launch_blocks.pop_back();
      }
    }
    if (!address_) address_ = device.memory.allocate(usual_ ? kUsual : size);
    if (address_) std::memset(reinterpret_cast<void*>(address_), 0, size);
  }
  ~LaunchBlock() {
    if (!address_) return;
    if (usual_) {
      const std::lock_guard lock(device_.preparing);
      device_.launch_blocks.push_back(address_);
    } else {
      device_.memory.release(address_);
    }
  }
  LaunchBlock(const LaunchBlock&) = delete;
  LaunchBlock& operator=(const LaunchBlock&) = delete;
  u64 address() const { return address_; }  // 0: no memory

 private:
  static constexpr u32 kUsual = 5120;  // kernel arguments of 4 KB
  cassc_emu_device& device_;
  const bool usual_;
  u64 address_ = 0;
};

// What AMD's device library (ockl, "cg") synchronises a grid with: address of the same for several devices, number of this one
// and of all, sums of their work-items, two counters, and the number of workgroups.
struct GridInfo {
  u64 devices = 0;
  u32 number = 0, count = 1;
  u64 before = 0, all = 0;
  u32 counters[2] = {};
  u32 workgroups = 0;
  u32 unused[5] = {};
};
static_assert(offsetof(GridInfo, workgroups) == 40 && sizeof(GridInfo) == 64);

void fill_hidden(const Launch& l, u32 dynamic_lds, u64 grid_info, u8* kernarg) {
  const u32 grid[] = {l.grid.x, l.grid.y, l.grid.z}, block[] = {l.block.x, l.block.y, l.block.z};
  for (const Argument& a : l.kernel->metadata.arguments) {
    u64 value = 0;
    switch (a.hidden) {
      case Hidden::none: continue;
      case Hidden::block_count: value = grid[a.axis]; break;
      case Hidden::group_size: value = block[a.axis]; break;
      case Hidden::grid_dims: value = l.grid.z * l.block.z > 1 ? 3 : l.grid.y * l.block.y > 1 ? 2 : 1; break;
      case Hidden::dynamic_lds_size: value = dynamic_lds; break;
      case Hidden::private_base: value = kPrivateAperture >> 32; break;
      case Hidden::shared_base: value = kSharedAperture >> 32; break;
      case Hidden::grid_sync: value = grid_info; break;
      case Hidden::hostcall_buffer: value = l.device->services.hostcall_buffer; break;
      case Hidden::heap: value = l.device->services.heap; break;
      default: break;
    }
    std::memcpy(kernarg + a.offset, &value, std::min<u32>(a.size, 8));
  }
}

void fill_packet(const Launch& l, u8* p) {
  const auto put = [&](size_t at, auto value) { std::memcpy(p + at, &value, sizeof value); };
  put(0, u16(2));  // kernel dispatch
  put(2, u16(l.grid.z * l.block.z > 1 ? 3 : l.grid.y * l.block.y > 1 ? 2 : 1));
  put(4, u16(l.block.x));
  put(6, u16(l.block.y));
  put(8, u16(l.block.z));
  put(12, u32(l.grid.x * l.block.x));
  put(16, u32(l.grid.y * l.block.y));
  put(20, u32(l.grid.z * l.block.z));
  put(24, l.scratch_size);
  put(28, l.lds_size);
  put(40, l.kernarg);
}

// Asks the host once for what it gives kernels, when the first comes that takes it.
cassc_emu_status prepare_services(cassc_emu_device& device, const KernelMetadata& metadata) {
  const auto takes = [](const Argument& a) { return a.hidden == Hidden::hostcall_buffer || a.hidden == Hidden::heap; };
  if (!device.services.calls.prepare || std::none_of(metadata.arguments.begin(), metadata.arguments.end(), takes)) return CASSC_EMU_OK;
  const std::lock_guard lock(device.preparing);
  Services& services = device.services;
  if (services.prepared) return CASSC_EMU_OK;
  const cassc_emu_status status = services.calls.prepare(services.calls.data, &services.hostcall_buffer, &services.heap);
  services.prepared = status == CASSC_EMU_OK;
  return status;
}

Code* code_of(cassc_emu_device& device, const cassc_emu_kernel& kernel) {
  const std::lock_guard lock(device.preparing);
  if (!kernel.code) {
    const u32 vgprs = std::min(((kernel.descriptor.rsrc1 & 63) + 1) * 8, 256u);
    kernel.code = std::make_unique<Code>(device.variant().tables(device.gfx12()), kernel.text.address, kernel.text.size / 4, vgprs, device.gfx >= "gfx1150");
  }
  return kernel.code.get();
}

// One thread where an order is asked for, since only that is the same in every run.
void execute(Launch& l, unsigned threads) {
  Helpers& helpers = l.device->helpers;
  const bool alone = threads == 1 || l.watch || l.order != CASSC_EMU_ORDER_ASCENDING || l.total == 1 || helpers.limit() == 0;
  if (alone) {
    Turns(l).run(nullptr);
    return;
  }
  const auto job = std::make_shared<Helpers::Job>();
  job->work = [&l] {
    try {
      Turns(l).run(nullptr);
    } catch (const std::bad_alloc&) {
      l.out_of_memory = true;
      l.failed = true;
    }
  };
  struct Finish {
    Helpers& helpers;
    const std::shared_ptr<Helpers::Job>& job;
    ~Finish() { helpers.finish(job); }
  } finish{helpers, job};
  Turns(l).run([&] { helpers.offer(job, l.total - std::min(l.next.load(), l.total)); });
}

cassc_emu_status invalid(const std::string& why) {
  set_error(why);
  return CASSC_EMU_INVALID_ARGUMENT;
}

}  // namespace

cassc_emu_status launch(cassc_emu_device& device, const cassc_emu_kernel& kernel, cassc_emu_dim3 grid, cassc_emu_dim3 block, u32 dynamic_lds,
                        const void* kernarg, size_t kernarg_size, const cassc_emu_launch_options* options, cassc_emu_fault* fault) {
  if (fault) std::memset(fault, 0, sizeof *fault);
  const KernelMetadata& m = kernel.metadata;
  if (kernel.module->device != &device) return invalid("kernel " + m.name + " belongs to another device");
  const u64 threads = u64(block.x) * block.y * block.z;
  if (!grid.x || !grid.y || !grid.z || !threads) return invalid("empty grid or block");
  if (block.x > 1024 || block.y > 1024 || block.z > 1024 || threads > std::min(m.max_workgroup, 1024u)) {
    return invalid("block of " + std::to_string(threads) + " work-items; " + m.name + " takes at most " + std::to_string(std::min(m.max_workgroup, 1024u)));
  }
  if (u64(kernel.descriptor.group_size) + dynamic_lds > kMaxLds) return invalid("more than 65536 bytes of LDS");
  u32 explicit_end = 0;
  for (const Argument& a : m.arguments) {
    if (a.hidden == Hidden::none) explicit_end = std::max(explicit_end, a.offset + a.size);
  }
  const u32 segment = std::max(m.kernarg_size, kernel.descriptor.kernarg_size);
  if (kernarg_size < explicit_end || kernarg_size > segment || (kernarg_size && !kernarg)) {
    return invalid("kernel " + m.name + " takes " + std::to_string(explicit_end) + " bytes of arguments, got " + std::to_string(kernarg_size));
  }

  if (std::any_of(m.arguments.begin(), m.arguments.end(), [](const Argument& a) { return a.hidden == Hidden::printf_buffer; })) {
    return invalid("kernel " + m.name + " prints into a buffer (clang's -mprintf-kind=buffered), which is not supported; by hostcall it is");
  }
  if (const cassc_emu_status status = prepare_services(device, m); status != CASSC_EMU_OK) {
    set_error("no memory for what " + m.name + " asks of the host");
    return status;
  }

  Launch l{};
  l.device = &device;
  l.kernel = &kernel;
  l.code = code_of(device, kernel);
  l.memory = device.memory.view();
  l.grid = grid;
  l.block = block;
  l.lds_size = kernel.descriptor.group_size + dynamic_lds;
  const bool dynamic_stack = m.dynamic_stack || kernel.descriptor.properties >> 11 & 1 || kernel.calls;
  l.scratch_size = (std::max(m.private_size, kernel.descriptor.private_size) + (dynamic_stack ? kDynamicStack : 0) + 15) / 16 * 16;
  l.threads_per_group = u32(threads);
  l.waves_per_group = u32((threads + kLanes - 1) / kLanes);
  // Rounded up as the runtime's pool would: wide scalar loads may read past the last argument.
  const u32 kernarg_bytes = (segment + 63) / 64 * 64 + 64;
  const LaunchBlock block_memory(device, kernarg_bytes + kPacketSize + kQueueSize + sizeof(GridInfo));
  l.kernarg = block_memory.address();
  if (!l.code->mapped() || !l.kernarg) {
    set_error("no memory to launch " + m.name);
    return CASSC_EMU_OUT_OF_MEMORY;
  }
  l.packet = l.kernarg + kernarg_bytes;
  l.queue = l.packet + kPacketSize;
  u8* arguments = reinterpret_cast<u8*>(l.kernarg);
  if (kernarg_size) std::memcpy(arguments, kernarg, kernarg_size);
  const u64 grid_info = l.queue + kQueueSize;
  GridInfo whole_grid;
  whole_grid.workgroups = static_cast<u32>(u64(grid.x) * grid.y * grid.z);
  std::memcpy(reinterpret_cast<void*>(grid_info), &whole_grid, sizeof whole_grid);
  fill_hidden(l, dynamic_lds, grid_info, arguments);
  fill_packet(l, reinterpret_cast<u8*>(l.packet));

  unsigned workers = 0;
  if (options) {
    l.limit = options->max_wave_instructions;
    l.order = options->order;
    l.seed = options->seed;
    l.strict_alignment = options->flags & CASSC_EMU_LAUNCH_STRICT_ALIGNMENT;
    l.together = options->flags & CASSC_EMU_LAUNCH_TOGETHER;
    workers = options->threads;
  }
  if (l.order > CASSC_EMU_ORDER_SHUFFLED) return invalid("unknown order of workgroups");
  l.total = u64(grid.x) * grid.y * grid.z;
  l.groups = GroupOrder(l.total, l.order, l.seed);
  std::unique_ptr<Watch> watch;
  if (device.observer) {
    device.observer->written(l.kernarg, kernarg_bytes + kPacketSize + kQueueSize + sizeof(GridInfo));
    watch = device.observer->begin(l);
    l.watch = watch.get();
  }
  execute(l, workers);
  if (watch) device.observer->end(*watch);
  device.executed += l.executed;
  if (l.out_of_memory) {
    set_error("no memory to launch " + m.name);
    return CASSC_EMU_OUT_OF_MEMORY;
  }
  if (!l.failed) return CASSC_EMU_OK;
  if (fault) *fault = l.fault;
  set_error(l.fault.message);
  return CASSC_EMU_FAULT;
}

}  // namespace cassc::emu
