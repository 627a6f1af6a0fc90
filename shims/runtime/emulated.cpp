// The emulated device, over the C ABI of libcassc_emu. Device memory is identity mapped, so a copy is a memcpy. Work runs on
// worker threads in the order of order.h; kernels of different streams run at the same time.
#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "cassc/emu.h"
#include "device.h"
#include "emulated.h"
#include "errors.h"
#include "library.h"
#include "order.h"
#include "registry.h"

namespace cassc::rt {
namespace {

// The functions of libcassc_emu that are used here, found at run time: a program that runs on HIP needs no emulator.
#define CASSC_EMU_FUNCTIONS(X)                                                                          \
  X(abi_version) X(create) X(last_error) X(malloc) X(malloc_aligned) X(free) X(check) X(register_host) X(unregister_host) \
  X(memory_info) X(observe) X(serve) X(written) X(module_load) X(module_unload) X(module_kernel) X(module_global) X(launch)

struct EmulatorApi {
#define X(name) decltype(&cassc_emu_##name) name = nullptr;
  CASSC_EMU_FUNCTIONS(X)
#undef X

  bool open(std::string& why) {
    void* library = open_beside_us("libcassc_emu.so", why);
    if (!library) return false;
#define X(name)                                                                     \
  name = reinterpret_cast<decltype(name)>(dlsym(library, "cassc_emu_" #name));      \
  if (!name) {                                                                      \
    why = "libcassc_emu.so has no function cassc_emu_" #name;                       \
    return false;                                                                   \
  }
    CASSC_EMU_FUNCTIONS(X)
#undef X
    if (abi_version() == CASSC_EMU_ABI_VERSION) return true;
    why = "libcassc_emu.so has ABI version " + std::to_string(abi_version()) + ", this runtime needs version " +
          std::to_string(CASSC_EMU_ABI_VERSION);
    return false;
  }
};

Error error_of(cassc_emu_status status) {
  switch (status) {
    case CASSC_EMU_OK: return Error::Success;
    case CASSC_EMU_OUT_OF_MEMORY: return Error::MemoryAllocation;
    case CASSC_EMU_BAD_CODE_OBJECT: return Error::InvalidKernelImage;
    case CASSC_EMU_NOT_FOUND: return Error::SymbolNotFound;
    case CASSC_EMU_FAULT: return Error::LaunchFailure;
    case CASSC_EMU_INVALID_ARGUMENT: break;
  }
  return Error::InvalidValue;
}

// What an H200 answers: an access outside shared memory is recorded there as an illegal instruction.
Error error_of(const cassc_emu_fault& fault) {
  switch (fault.kind) {
    case CASSC_EMU_FAULT_ILLEGAL_ADDRESS:
    case CASSC_EMU_FAULT_SCRATCH_ADDRESS: return Error::IllegalAddress;
    case CASSC_EMU_FAULT_MISALIGNED: return Error::MisalignedAddress;
    case CASSC_EMU_FAULT_LDS_ADDRESS:
    case CASSC_EMU_FAULT_ILLEGAL_INSTRUCTION: return Error::IllegalInstruction;
    case CASSC_EMU_FAULT_ASSERT: return Error::Assert;
    case CASSC_EMU_FAULT_INSTRUCTION_LIMIT: return Error::LaunchTimeout;
    default: return Error::LaunchFailure;
  }
}

struct EmulatedStream final : DeviceStream {
  EmulatedStream(StreamOrder& order, bool blocking) : own(std::in_place, order, blocking), stream(*own) {}
  explicit EmulatedStream(StreamOrder::Stream& legacy) : stream(legacy) {}
  std::optional<StreamOrder::Stream> own;
  StreamOrder::Stream& stream;
};

struct EmulatedEvent final : DeviceEvent {
  explicit EmulatedEvent(bool timing) : timing(timing) {}
  const bool timing;
  TaskPtr record;  // guarded by EmulatedDevice::events_
};

class EmulatedModule final : public DeviceModule {
 public:
  EmulatedModule(const EmulatorApi& api, cassc_emu_module* module) : api_(api), module_(module) {}
  ~EmulatedModule() override { api_.module_unload(module_); }
  const DeviceKernel* kernel(const std::string& name) override {
    return reinterpret_cast<const DeviceKernel*>(api_.module_kernel(module_, name.c_str()));
  }
  bool global(const std::string& name, uint64_t& address, uint64_t& size) override {
    return api_.module_global(module_, name.c_str(), &address, &size) == CASSC_EMU_OK;
  }

 private:
  const EmulatorApi& api_;
  cassc_emu_module* module_;
};

class EmulatedDevice final : public Device, public EmulatedMemory {
 public:
  bool create(std::string& why) {
    if (!api_.open(why)) return false;
    const char* gfx = std::getenv("CASSC_EMU_GFX");
    facts_.gfx = gfx && *gfx ? gfx : Registry::get().wanted_chip();
    device_ = api_.create(facts_.gfx.c_str(), 0);
    if (!device_) {
      why = std::string("the emulator cannot be started: ") + api_.last_error();
      return false;
    }
    if (!observe(why)) return false;
    uint64_t free_bytes = 0;
    api_.memory_info(device_, &free_bytes, &facts_.memory_bytes);
    facts_.name = "cassc RDNA3 emulator (" + facts_.gfx + ")";
    facts_.multiprocessors = 4;
    facts_.clock_khz = 2000000;  // what clock() counts in translated code: 20 for each tick of the steady counter
    facts_.memory_clock_khz = 1000000;
    facts_.memory_bus_bits = 64;
    facts_.l2_bytes = 4 << 20;
    facts_.host_reads_device_memory = true;
    read_options();
    serve();
    return true;
  }

  const DeviceFacts& facts() const override { return facts_; }

  Error allocate(size_t bytes, bool managed, void** pointer) override {
    uint64_t address = 0;
    Error error = error_of(api_.malloc(device_, bytes, &address));
    if (managed && error == Error::Success) wrote(reinterpret_cast<void*>(address), bytes);  // nobody tells when the host does
    *pointer = reinterpret_cast<void*>(address);
    return error;
  }
  Error allocate(size_t bytes, size_t alignment, void** pointer) override {
    uint64_t address = 0;
    const Error error = error_of(api_.malloc_aligned(device_, bytes, std::max(alignment, kLeastAlignment), &address));
    *pointer = reinterpret_cast<void*>(address);
    return error;
  }
  Error release(void* pointer) override { return error_of(api_.free(device_, reinterpret_cast<uint64_t>(pointer))); }

  Error allocate_host(size_t bytes, unsigned, void** pointer) override {
    constexpr size_t page = 4096;
    *pointer = bytes > SIZE_MAX - page ? nullptr : std::aligned_alloc(page, (bytes + page - 1) / page * page);
    if (!*pointer) return Error::MemoryAllocation;
    Error error = error_of(api_.register_host(device_, *pointer, bytes));
    if (error != Error::Success) std::free(*pointer);
    return error;
  }
  Error release_host(void* pointer) override {
    Error error = error_of(api_.unregister_host(device_, pointer));
    std::free(pointer);
    return error;
  }
  Error register_host(void* pointer, size_t bytes, unsigned) override {
    return error_of(api_.register_host(device_, pointer, bytes));
  }
  Error unregister_host(void* pointer) override { return error_of(api_.unregister_host(device_, pointer)); }
  Error host_to_device_pointer(void* host, void** device) override {
    *device = host;
    return Error::Success;
  }
  Error memory_info(size_t* free_bytes, size_t* total_bytes) override {
    uint64_t free_now = 0, total = 0;
    api_.memory_info(device_, &free_now, &total);
    *free_bytes = free_now;
    *total_bytes = total;
    return Error::Success;
  }
  Error peek(void* target, uint64_t address, size_t bytes) override {
    if (api_.check(device_, address, bytes) != CASSC_EMU_OK) return Error::IllegalAddress;
    std::memcpy(target, reinterpret_cast<const void*>(address), bytes);
    return Error::Success;
  }
  Error poke(uint64_t address, const void* source, size_t bytes) override {
    if (api_.check(device_, address, bytes) != CASSC_EMU_OK) return Error::IllegalAddress;
    std::memcpy(reinterpret_cast<void*>(address), source, bytes);
    wrote(reinterpret_cast<void*>(address), bytes);
    return Error::Success;
  }

  DeviceStream& legacy_stream() override { return legacy_; }
  Error create_stream(bool blocking, int, std::unique_ptr<DeviceStream>& stream) override {
    stream = std::make_unique<EmulatedStream>(order_, blocking);
    return Error::Success;
  }
  Error query(DeviceStream& stream) override { return order_.idle(of(stream)) ? fault_.load() : Error::NotReady; }
  Error synchronize(DeviceStream& stream) override {
    order_.synchronize(of(stream));
    return fault_;
  }
  Error synchronize() override {
    scheduler_.wait_all();
    return fault_;
  }

  Error create_event(bool timing, std::unique_ptr<DeviceEvent>& event) override {
    event = std::make_unique<EmulatedEvent>(timing);
    return Error::Success;
  }
  Error record(DeviceEvent& event, DeviceStream& stream) override {
    TaskPtr task = order_.mark(of(stream));
    std::lock_guard lock(events_);
    static_cast<EmulatedEvent&>(event).record = task;
    return Error::Success;
  }
  Error query(DeviceEvent& event) override {
    return scheduler_.done(record_of(event)) ? fault_.load() : Error::NotReady;
  }
  Error synchronize(DeviceEvent& event) override {
    scheduler_.wait(record_of(event));
    return fault_;
  }
  Error elapsed(DeviceEvent& start, DeviceEvent& end, float* milliseconds) override {
    TaskPtr first = record_of(start), second = record_of(end);
    if (!first || !second || !static_cast<EmulatedEvent&>(start).timing || !static_cast<EmulatedEvent&>(end).timing)
      return Error::InvalidResourceHandle;
    if (!scheduler_.done(first) || !scheduler_.done(second)) return Error::NotReady;
    *milliseconds = std::chrono::duration<float, std::milli>(second->finished() - first->finished()).count();
    return Error::Success;
  }
  Error wait(DeviceStream& stream, DeviceEvent& event) override {
    if (TaskPtr task = record_of(event)) order_.wait_before_next(of(stream), std::move(task));
    return Error::Success;
  }

  Error copy(DeviceStream& stream, const Copy& copy, Wait wait) override {
    if (wait == Wait::Yes || copy.pageable_target) {
      order_.run(of(stream), [&] { move_unless_faulted(copy); });
      return fault_;
    }
    if (!copy.pageable_source) {
      order_.enqueue(of(stream), [this, copy] { move_unless_faulted(copy); });
      return Error::Success;
    }
    // The program may change its memory as soon as this returns, so the bytes are taken now.
    auto staged = std::make_shared<std::vector<std::byte>>(copy.width * copy.height * copy.depth);
    Copy in = copy, out = copy;
    in.target = staged->data();
    out.source = staged->data();
    out.source_pitch = in.target_pitch = copy.width;
    out.source_slice = in.target_slice = copy.width * copy.height;
    move(in);
    order_.enqueue(of(stream), [this, out, staged] { move_unless_faulted(out); });
    return Error::Success;
  }

  Error fill(DeviceStream& stream, const Fill& fill, Wait wait) override {
    if (wait == Wait::Yes) {
      order_.run(of(stream), [&] { set_unless_faulted(fill); });
      return fault_;
    }
    order_.enqueue(of(stream), [this, fill] { set_unless_faulted(fill); });
    return Error::Success;
  }

  Error launch(DeviceStream& stream, const Launch& launch) override {
    order_.enqueue(of(stream), [this, launch] { execute_unless_faulted(launch); });
    return Error::Success;
  }

  Error call(DeviceStream& stream, const HostCall& call) override {
    order_.enqueue(of(stream), [this, call] {
      Error state = fault_;
      if (state == Error::Success || call.after_fault) call.function(state);
    });
    return Error::Success;
  }

  Error load(std::span<const std::byte> image, std::unique_ptr<DeviceModule>& module) override {
    cassc_emu_module* loaded = nullptr;
    cassc_emu_status status = api_.module_load(device_, image.data(), image.size(), &loaded);
    if (status != CASSC_EMU_OK) {
      report(std::string("a code object cannot be loaded: ") + api_.last_error());
      return error_of(status);
    }
    module = std::make_unique<EmulatedModule>(api_, loaded);
    return Error::Success;
  }

  void shut_down() override { scheduler_.stop(std::chrono::seconds(5)); }

 private:
  static constexpr size_t kLeastAlignment = 256;
  static StreamOrder::Stream& of(DeviceStream& stream) { return static_cast<EmulatedStream&>(stream).stream; }

  // CASSC_EMU_OBSERVE: what to look for, separated by commas; CASSC_EMU_JOURNAL: the file for what is found.
  bool observe(std::string& why) {
    static constexpr std::pair<std::string_view, uint32_t> kinds[] = {{"mem", CASSC_EMU_OBSERVE_MEMORY},
                                                                      {"race", CASSC_EMU_OBSERVE_RACE},
                                                                      {"init", CASSC_EMU_OBSERVE_INIT},
                                                                      {"sync", CASSC_EMU_OBSERVE_SYNC},
                                                                      {"profile", CASSC_EMU_OBSERVE_PROFILE}};
    const char *wish = std::getenv("CASSC_EMU_OBSERVE"), *journal = std::getenv("CASSC_EMU_JOURNAL");
    if (!wish || !*wish) return true;
    uint32_t what = 0;
    std::string_view rest = wish;
    while (!rest.empty()) {
      const std::string_view word = rest.substr(0, rest.find(','));
      rest.remove_prefix(std::min(rest.size(), word.size() + 1));
      const auto* kind = std::find_if(std::begin(kinds), std::end(kinds), [&](const auto& k) { return k.first == word; });
      if (kind == std::end(kinds)) {
        why = "CASSC_EMU_OBSERVE names '" + std::string(word) + "', which is not one of mem, race, init, sync, profile";
        return false;
      }
      what |= kind->second;
    }
    if (!journal || !*journal) {
      why = "CASSC_EMU_OBSERVE is set, CASSC_EMU_JOURNAL is not";
      return false;
    }
    facts_.observed = observed_ = api_.observe(device_, what, journal) == CASSC_EMU_OK;
    if (!observed_) why = api_.last_error();
    return observed_;
  }

  void serve() {
    if (!kernel_services()) return;
    const cassc_emu_services services{[](void* device, uint64_t* hostcall_buffer, uint64_t* heap) {
                                        return kernel_services()->prepare(*static_cast<EmulatedDevice*>(device), *hostcall_buffer, *heap) == Error::Success
                                                   ? CASSC_EMU_OK : CASSC_EMU_OUT_OF_MEMORY;
                                      },
                                      [](void*) { kernel_services()->interrupt(); }, this};
    api_.serve(device_, &services);
  }

  // CASSC_EMU_INSTRUCTION_LIMIT: wave-instructions of one launch, after which it counts as endless.
  // CASSC_EMU_ORDER: ascending (on one thread), descending, or shuffled:SEED. Else workgroups run on all processors.
  void read_options() {
    options_.flags = strict_alignment() ? CASSC_EMU_LAUNCH_STRICT_ALIGNMENT : 0;
    if (const char* limit = std::getenv("CASSC_EMU_INSTRUCTION_LIMIT")) options_.max_wave_instructions = std::strtoull(limit, nullptr, 10);
    const char* wish = std::getenv("CASSC_EMU_ORDER");
    const std::string order = wish ? wish : "";
    if (order.empty()) return;
    options_.threads = 1;
    if (order == "descending") {
      options_.order = CASSC_EMU_ORDER_DESCENDING;
    } else if (order.rfind("shuffled:", 0) == 0) {
      options_.order = CASSC_EMU_ORDER_SHUFFLED;
      options_.seed = std::strtoull(order.c_str() + 9, nullptr, 10);
    } else if (order != "ascending") {
      report("CASSC_EMU_ORDER is '" + order + "', not 'ascending', 'descending' or 'shuffled:SEED'");
    }
  }

  TaskPtr record_of(DeviceEvent& event) {
    std::lock_guard lock(events_);
    return static_cast<EmulatedEvent&>(event).record;
  }

  // For the check of memory that was never written.
  void wrote(void* target, size_t bytes) {
    if (observed_) api_.written(device_, reinterpret_cast<uint64_t>(target), bytes);
  }

  void move(const Copy& copy) {
    for (size_t z = 0; z < copy.depth; ++z)
      for (size_t y = 0; y < copy.height; ++y) {
        char* target = static_cast<char*>(copy.target) + z * copy.target_slice + y * copy.target_pitch;
        std::memmove(target, static_cast<const char*>(copy.source) + z * copy.source_slice + y * copy.source_pitch, copy.width);
        wrote(target, copy.width);
      }
  }
  void move_unless_faulted(const Copy& copy) {
    if (fault_.load() == Error::Success) move(copy);
  }

  void set_unless_faulted(const Fill& fill) {
    if (fault_.load() != Error::Success) return;
    for (size_t z = 0; z < fill.depth; ++z)
      for (size_t y = 0; y < fill.height; ++y) {
        char* row = static_cast<char*>(fill.target) + z * fill.slice + y * fill.pitch;
        wrote(row, fill.width * fill.element);
        if (fill.element == 1) {
          std::memset(row, static_cast<int>(fill.value), fill.width);
        } else {
          for (size_t x = 0; x < fill.width; ++x) std::memcpy(row + x * fill.element, &fill.value, fill.element);
        }
      }
  }

  void execute_unless_faulted(const Launch& launch) {
    if (fault_.load() != Error::Success) return;
    if (launch.output) {
      std::lock_guard lock(launch.output->using_it);
      ++launch.output->launches;
    }
    cassc_emu_fault fault{};
    cassc_emu_launch_options options = options_;
    if (launch.cooperative) options.flags |= CASSC_EMU_LAUNCH_TOGETHER;
    auto dim = [](Dim3 d) { return cassc_emu_dim3{d.x, d.y, d.z}; };
    cassc_emu_status status = api_.launch(device_, reinterpret_cast<const cassc_emu_kernel*>(launch.kernel), dim(launch.grid),
                                          dim(launch.block), launch.dynamic_shared, launch.arguments.data(),
                                          launch.arguments.size(), &options, &fault);
    const bool failed = status != CASSC_EMU_OK;
    Error reason = Error::Success;
    if (launch.output) {
      // Records of launches that still run may be incomplete; the last one to end reads them all.
      std::lock_guard lock(launch.output->using_it);
      if (--launch.output->launches == 0 || failed) reason = launch.output->collect();
    }
    if (reason != Error::Success) {
      fault_ = reason;
    } else if (!failed) {
      return;
    } else if (status == CASSC_EMU_FAULT) {
      report(std::string("device fault: ") + fault.message);
      fault_ = error_of(fault);
    } else {
      report(std::string("a launch failed: ") + api_.last_error());
      fault_ = Error::LaunchFailure;
    }
  }

  EmulatorApi api_;
  cassc_emu_device* device_ = nullptr;
  DeviceFacts facts_;
  Scheduler scheduler_;
  StreamOrder order_{scheduler_};
  EmulatedStream legacy_{order_.legacy()};
  std::mutex events_;
  cassc_emu_launch_options options_{};
  bool observed_ = false;
  std::atomic<Error> fault_ = Error::Success;
};

}  // namespace

std::unique_ptr<KernelServices>& kernel_services() {
  static auto* services = new std::unique_ptr<KernelServices>;  // kernels may outlive static objects
  return *services;
}

bool& only_emulator() {
  static bool only = false;
  return only;
}
bool& strict_alignment() {
  static bool strict = true;
  return strict;
}

std::unique_ptr<Device> open_emulator(std::string& why) {
  auto device = std::make_unique<EmulatedDevice>();
  if (!device->create(why)) return nullptr;
  return device;
}

}  // namespace cassc::rt
