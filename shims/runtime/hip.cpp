// The HIP device: libamdhip64, opened at run time. Kernels go through the hipModule functions alone.
#include <dlfcn.h>

#include <array>
#include <atomic>
#include <cctype>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "device.h"
#include "errors.h"
#include "hip_api.h"

namespace cassc::rt {
namespace {

using hip::Status;

// HIP's numbers are CUDA's where both have a code of the same meaning; these few are not.
Error error_of(Status status) {
  switch (status) {
    case 911: return Error::InvalidChannelDescriptor;
    case 912: return Error::InvalidTexture;
    case 1052: return Error::MemoryAllocation;  // hipErrorRuntimeMemory
    case 1053:
    case 1054: return Error::Unknown;
    default: return static_cast<Error>(status);
  }
}

// The chip's name in hipDeviceProp_t. Its offset has changed between versions of the structure; its form ("gfx1100:...") has
// not, so it is searched for.
std::string gfx_in(const char* bytes, size_t size) {
  for (size_t i = 0; i + 6 < size; ++i) {
    if (std::memcmp(bytes + i, "gfx", 3) != 0) continue;
    std::string gfx = "gfx";
    for (size_t j = i + 3; j < size && std::isxdigit(static_cast<unsigned char>(bytes[j])); ++j) gfx += bytes[j];
    if (gfx.size() >= 6) return gfx;
  }
  return "";
}

struct HipStream final : DeviceStream {
  HipStream(const hip::Api& api, hip::Stream stream) : api(api), stream(stream) {}
  ~HipStream() override {
    if (stream) api.StreamDestroy(stream);
  }
  const hip::Api& api;
  const hip::Stream stream;  // null: the legacy default stream
};

struct HipEvent final : DeviceEvent {
  HipEvent(const hip::Api& api, hip::Event event) : api(api), event(event) {}
  ~HipEvent() override { api.EventDestroy(event); }
  const hip::Api& api;
  const hip::Event event;
};

class HipModule final : public DeviceModule {
 public:
  HipModule(const hip::Api& api, hip::Module module) : api_(api), module_(module) {}
  ~HipModule() override { api_.ModuleUnload(module_); }
  const DeviceKernel* kernel(const std::string& name) override {
    hip::Function function = nullptr;
    if (api_.ModuleGetFunction(&function, module_, name.c_str()) != 0) return nullptr;
    return reinterpret_cast<const DeviceKernel*>(function);
  }
  bool global(const std::string& name, uint64_t& address, uint64_t& size) override {
    void* pointer = nullptr;
    size_t bytes = 0;
    if (api_.ModuleGetGlobal(&pointer, &bytes, module_, name.c_str()) != 0) return false;
    address = reinterpret_cast<uint64_t>(pointer);
    size = bytes;
    return true;
  }

 private:
  const hip::Api& api_;
  const hip::Module module_;
};

class HipDevice final : public Device {
 public:
  bool create(std::string& why) {
    if (!open_library(why)) return false;
    int count = 0;
    if (api_.Init(0) != 0 || api_.GetDeviceCount(&count) != 0 || count == 0) {
      why = "HIP finds no device";
      return false;
    }
    for (index_ = 0; index_ < count; ++index_) {
      std::array<char, 8192> properties{};
      if (api_.GetDeviceProperties(properties.data(), index_) != 0) continue;
      facts_.gfx = gfx_in(properties.data(), properties.size());
      if (facts_.gfx.starts_with("gfx11")) return describe(why);
    }
    why = "HIP finds no gfx11 device";
    return false;
  }

  const DeviceFacts& facts() const override { return facts_; }

  Error allocate(size_t bytes, bool managed, void** pointer) override {
    select();
    return error_of(managed ? api_.MallocManaged(pointer, bytes, hip::kMemAttachGlobal) : api_.Malloc(pointer, bytes));
  }
  Error release(void* pointer) override { return error_of(api_.Free(pointer)); }
  Error allocate_host(size_t bytes, unsigned flags, void** pointer) override {
    select();
    return error_of(api_.HostMalloc(pointer, bytes, flags | hip::kHostMallocMapped | hip::kHostMallocCoherent));
  }
  Error release_host(void* pointer) override { return error_of(api_.HostFree(pointer)); }
  Error register_host(void* pointer, size_t bytes, unsigned flags) override {
    select();
    return error_of(api_.HostRegister(pointer, bytes, flags | hip::kHostRegisterMapped));
  }
  Error unregister_host(void* pointer) override { return error_of(api_.HostUnregister(pointer)); }
  Error host_to_device_pointer(void* host, void** device) override {
    return error_of(api_.HostGetDevicePointer(device, host, 0));
  }
  Error memory_info(size_t* free_bytes, size_t* total_bytes) override {
    select();
    return error_of(api_.MemGetInfo(free_bytes, total_bytes));
  }
  Error peek(void* target, uint64_t address, size_t bytes) override {
    return aside(target, reinterpret_cast<const void*>(address), bytes, CopyKind::DeviceToHost);
  }
  Error poke(uint64_t address, const void* source, size_t bytes) override {
    return aside(reinterpret_cast<void*>(address), source, bytes, CopyKind::HostToDevice);
  }

  DeviceStream& legacy_stream() override { return legacy_; }
  Error create_stream(bool blocking, int priority, std::unique_ptr<DeviceStream>& stream) override {
    select();
    int least = 0, greatest = 0;
    api_.DeviceGetStreamPriorityRange(&least, &greatest);
    hip::Stream made = nullptr;
    const Status status = api_.StreamCreateWithPriority(&made, blocking ? 0u : unsigned{hip::kStreamNonBlocking}, priority < 0 ? greatest : 0);
    if (status == 0) stream = std::make_unique<HipStream>(api_, made);
    return error_of(status);
  }
  void* native(DeviceStream& stream) override { return of(stream); }
  Error query(DeviceStream& stream) override { return state(api_.StreamQuery(of(stream))); }
  Error synchronize(DeviceStream& stream) override { return state(api_.StreamSynchronize(of(stream))); }
  Error synchronize() override {
    select();
    return state(api_.DeviceSynchronize());
  }

  Error create_event(bool timing, std::unique_ptr<DeviceEvent>& event) override {
    select();
    hip::Event made = nullptr;
    const Status status = api_.EventCreateWithFlags(&made, timing ? 0u : unsigned{hip::kEventDisableTiming});
    if (status == 0) event = std::make_unique<HipEvent>(api_, made);
    return error_of(status);
  }
  Error record(DeviceEvent& event, DeviceStream& stream) override {
    select();
    return error_of(api_.EventRecord(of(event), of(stream)));
  }
  Error query(DeviceEvent& event) override { return state(api_.EventQuery(of(event))); }
  Error synchronize(DeviceEvent& event) override { return state(api_.EventSynchronize(of(event))); }
  Error elapsed(DeviceEvent& start, DeviceEvent& end, float* milliseconds) override {
    return error_of(api_.EventElapsedTime(milliseconds, of(start), of(end)));
  }
  Error wait(DeviceStream& stream, DeviceEvent& event) override {
    select();
    return error_of(api_.StreamWaitEvent(of(stream), of(event), 0));
  }

  Error copy(DeviceStream& stream, const Copy& given, Wait wait) override {
    select();
    Copy copy = given;
    std::unique_ptr<std::vector<char>> staged;
    if (copy.pageable_source && !copy.pageable_target && wait == Wait::No) staged = stage(copy);
    const int kind = static_cast<int>(copy.kind);
    Status status = 0;
    if (copy.height == 1 && copy.depth == 1) {
      status = api_.MemcpyAsync(copy.target, copy.source, copy.width, kind, of(stream));
    } else {
      for (size_t z = 0; z < copy.depth && status == 0; ++z)
        status = api_.Memcpy2DAsync(static_cast<char*>(copy.target) + z * copy.target_slice, copy.target_pitch,
                                    static_cast<const char*>(copy.source) + z * copy.source_slice, copy.source_pitch,
                                    copy.width, copy.height, kind, of(stream));
    }
    // CUDA lets the program change or read pageable memory as soon as the call returns; HIP does not promise it.
    if (status == 0 && staged) {
      const auto drop = [](void* bytes) { delete static_cast<std::vector<char>*>(bytes); };
      if (api_.LaunchHostFunc(of(stream), drop, staged.get()) != 0) return synchronize(stream);
      static_cast<void>(staged.release());
    }
    if (status == 0 && (wait == Wait::Yes || copy.pageable_target)) return synchronize(stream);
    return error_of(status);
  }

  Error fill(DeviceStream& stream, const Fill& fill, Wait wait) override {
    select();
    Status status = 0;
    for (size_t z = 0; z < fill.depth && status == 0; ++z) {
      char* slice = static_cast<char*>(fill.target) + z * fill.slice;
      if (fill.element == 1 && fill.height > 1) {
        status = api_.Memset2DAsync(slice, fill.pitch, static_cast<int>(fill.value & 0xff), fill.width, fill.height, of(stream));
        continue;
      }
      for (size_t y = 0; y < fill.height && status == 0; ++y) {
        char* row = slice + y * fill.pitch;
        if (fill.element == 1) status = api_.MemsetD8Async(row, static_cast<unsigned char>(fill.value), fill.width, of(stream));
        else if (fill.element == 2) status = api_.MemsetD16Async(row, static_cast<unsigned short>(fill.value), fill.width, of(stream));
        else status = api_.MemsetD32Async(row, static_cast<int>(fill.value), fill.width, of(stream));
      }
    }
    return status == 0 && wait == Wait::Yes ? synchronize(stream) : error_of(status);
  }

  Error launch(DeviceStream& stream, const Launch& launch) override {
    select();
    auto* function = reinterpret_cast<hip::Function>(const_cast<DeviceKernel*>(launch.kernel));
    std::vector<std::byte> arguments = launch.arguments;
    if (launch.output) read_printed(0);
    const auto [gx, gy, gz] = launch.grid;
    const auto [bx, by, bz] = launch.block;
    Status status = 0;
    if (launch.cooperative) {
      std::vector<void*> pointers;
      for (const KernelArgument& argument : launch.layout) pointers.push_back(arguments.data() + argument.offset);
      status = api_.ModuleLaunchCooperativeKernel(function, gx, gy, gz, bx, by, bz, launch.dynamic_shared, of(stream),
                                                  pointers.data());
    } else {
      size_t size = arguments.size();
      void* extra[] = {hip::kLaunchBuffer, arguments.data(), hip::kLaunchSize, &size, hip::kLaunchEnd};
      status = api_.ModuleLaunchKernel(function, gx, gy, gz, bx, by, bz, launch.dynamic_shared, of(stream), nullptr, extra);
    }
    if (status != 0 || !launch.output) return error_of(status);
    // What it leaves for the host is read when it has ended, at a call that waits or asks.
    Printed printed{launch.output, nullptr};
    status = api_.EventCreateWithFlags(&printed.ended, hip::kEventDisableTiming);
    if (status == 0) status = api_.EventRecord(printed.ended, of(stream));
    std::lock_guard lock(printing_);
    printed_.push_back(printed);
    return error_of(status);
  }

  Error call(DeviceStream& stream, const HostCall& call) override {
    select();
    auto* held = new std::function<void(Error)>(call.function);
    const Status status = api_.LaunchHostFunc(
        of(stream),
        [](void* data) {
          const std::unique_ptr<std::function<void(Error)>> function(static_cast<std::function<void(Error)>*>(data));
          (*function)(Error::Success);
        },
        held);
    if (status != 0) delete held;
    return error_of(status);
  }

  Error load(std::span<const std::byte> image, std::unique_ptr<DeviceModule>& module) override {
    select();
    hip::Module made = nullptr;
    const Status status = api_.ModuleLoadData(&made, image.data());
    if (status == 0) module = std::make_unique<HipModule>(api_, made);
    else report("HIP cannot load a code object: error " + std::to_string(status));
    return error_of(status);
  }

  void shut_down() override {}  // HIP ends itself

 private:
  static hip::Stream of(DeviceStream& stream) { return static_cast<HipStream&>(stream).stream; }
  static hip::Event of(DeviceEvent& event) { return static_cast<HipEvent&>(event).event; }

  bool open_library(std::string& why) {
    void* library = nullptr;
    for (const char* name : {"libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"})
      if (!library) library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      why = "libamdhip64.so is not there";
      return false;
    }
#define X(name, parameters)                                                             \
  api_.name = reinterpret_cast<decltype(api_.name)>(dlsym(library, "hip" #name));       \
  if (!api_.name) {                                                                     \
    why = "libamdhip64 has no function hip" #name;                                      \
    return false;                                                                       \
  }
    CASSC_HIP_FUNCTIONS(X)
#undef X
    void* properties = dlsym(library, "hipGetDevicePropertiesR0600");
    if (!properties) properties = dlsym(library, "hipGetDeviceProperties");
    api_.GetDeviceProperties = reinterpret_cast<decltype(api_.GetDeviceProperties)>(properties);
    if (!properties) why = "libamdhip64 has no function hipGetDeviceProperties";
    return properties != nullptr;
  }

  bool describe(std::string& why) {
    select();
    char name[256] = {};
    api_.DeviceGetName(name, sizeof name, index_);
    facts_.name = name[0] ? name : facts_.gfx;
    size_t free_bytes = 0, total = 0;
    if (api_.MemGetInfo(&free_bytes, &total) != 0) {
      why = "HIP cannot use its gfx11 device";
      return false;
    }
    facts_.memory_bytes = total;
    auto attribute = [&](hip::Attribute which) {
      int value = 0;
      api_.DeviceGetAttribute(&value, which, index_);
      return value;
    };
    facts_.multiprocessors = attribute(hip::kMultiprocessorCount);
    facts_.clock_khz = attribute(hip::kClockRate);
    facts_.memory_clock_khz = attribute(hip::kMemoryClockRate);
    facts_.memory_bus_bits = attribute(hip::kMemoryBusWidth);
    facts_.l2_bytes = attribute(hip::kL2CacheSize);
    facts_.pci_domain = attribute(hip::kPciDomainId);
    facts_.pci_bus = attribute(hip::kPciBusId);
    facts_.pci_device = attribute(hip::kPciDeviceId);
    facts_.integrated = attribute(hip::kIntegrated) != 0;
    return true;
  }

  // The source's bytes as they are now, packed; the copy then starts from there.
  static std::unique_ptr<std::vector<char>> stage(Copy& copy) {
    auto bytes = std::make_unique<std::vector<char>>(copy.width * copy.height * copy.depth);
    char* to = bytes->data();
    for (size_t z = 0; z < copy.depth; ++z)
      for (size_t y = 0; y < copy.height; ++y, to += copy.width)
        std::memcpy(to, static_cast<const char*>(copy.source) + z * copy.source_slice + y * copy.source_pitch, copy.width);
    copy.source = bytes->data();
    copy.source_pitch = copy.width;
    copy.source_slice = copy.width * copy.height;
    return bytes;
  }

  // HIP's current device belongs to the thread.
  void select() {
    thread_local bool selected = false;
    if (!selected) selected = api_.SetDevice(index_) == 0;
  }

  // Reads what modules have printed whose launches have all ended; after a fault, what there is.
  void read_printed(Status status) {
    std::lock_guard lock(printing_);
    const bool faulted = status != 0 && status != hip::kNotReady;
    std::map<KernelOutput*, bool> ended;
    for (const Printed& p : printed_) {
      const bool done = faulted || (p.ended && api_.EventQuery(p.ended) != hip::kNotReady);
      ended.try_emplace(p.output, true).first->second &= done;
    }
    std::erase_if(printed_, [&](const Printed& p) {
      if (ended[p.output] && p.ended) api_.EventDestroy(p.ended);
      return ended[p.output];
    });
    for (const auto& [output, done] : ended) {
      if (!done) continue;
      const Error reason = output->collect();
      if (reason != Error::Success) fault_ = reason;
    }
  }

  Error state(Status status) {
    read_printed(status);
    const Error earlier = fault_;
    return earlier != Error::Success ? earlier : error_of(status);
  }

  // Beside all streams, also while the legacy default stream is busy.
  Error aside(void* target, const void* source, size_t bytes, CopyKind kind) {
    select();
    std::lock_guard lock(aside_lock_);
    if (!aside_) {
      const Status status = api_.StreamCreateWithPriority(&aside_, hip::kStreamNonBlocking, 0);
      if (status != 0) return error_of(status);
    }
    const Status status = api_.MemcpyAsync(target, source, bytes, static_cast<int>(kind), aside_);
    return error_of(status != 0 ? status : api_.StreamSynchronize(aside_));
  }

  hip::Api api_;
  int index_ = 0;
  DeviceFacts facts_;
  HipStream legacy_{api_, nullptr};
  struct Printed {  // a launch of a module that prints or asserts
    KernelOutput* output;
    hip::Event ended;
  };
  std::vector<Printed> printed_;  // guarded by printing_
  std::mutex printing_, aside_lock_;
  hip::Stream aside_ = nullptr;
  std::atomic<Error> fault_ = Error::Success;
};

}  // namespace

std::unique_ptr<Device> open_hip(std::string& why) {
  auto device = std::make_unique<HipDevice>();
  if (!device->create(why)) return nullptr;
  return device;
}

}  // namespace cassc::rt
