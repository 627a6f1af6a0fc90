// The device interface: memory, streams, events, modules, launches. Two devices implement it: the emulator
// (emulated.cpp) and HIP (hip.cpp). Argument checks, allocation records, symbols, capture and graphs are above it.
#ifndef CASSC_RUNTIME_DEVICE_H
#define CASSC_RUNTIME_DEVICE_H
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codeobject.h"
#include "types.h"

namespace cassc::rt {

struct DeviceFacts {
  std::string name;
  std::string gfx;  // "gfx1100"
  uint64_t memory_bytes = 0;
  int multiprocessors = 0;  // work group processors: what a CUDA block has to itself
  int clock_khz = 0;
  int memory_clock_khz = 0;
  int memory_bus_bits = 0;
  int l2_bytes = 0;
  int pci_domain = 0, pci_bus = 0, pci_device = 0;
  bool integrated = false;
  bool observed = false;                  // launches are checked or profiled
  bool host_reads_device_memory = false;  // module globals may be read and written by the host
};

// 16 bytes that are the same each time, made of the chip's name and place: no UUID is known.
CASSC_EXPORT void device_uuid(const DeviceFacts& facts, char* uuid);
// The device's place as CUDA writes it ("0000:01:00.0", 12 characters), and whether such a text names it; nothing for a text
// that is no place.
CASSC_EXPORT std::string pci_text(const DeviceFacts& facts);
CASSC_EXPORT std::optional<bool> is_at(const DeviceFacts& facts, const char* pci);

// A box of bytes. Pitches and slices are in bytes; a one-dimensional copy has height = depth = 1.
struct Copy {
  void* target = nullptr;
  size_t target_pitch = 0, target_slice = 0;
  const void* source = nullptr;
  size_t source_pitch = 0, source_slice = 0;
  size_t width = 0, height = 1, depth = 1;
  CopyKind kind = CopyKind::Default;  // never Default when it reaches a device
  bool pageable_source = false;       // host memory that the program may change as soon as the call returns
  bool pageable_target = false;       // host memory that must be complete when the call returns
};

struct Fill {
  void* target = nullptr;
  size_t pitch = 0, slice = 0;
  uint32_t value = 0;
  uint32_t element = 1;  // 1, 2 or 4 bytes
  size_t width = 0, height = 1, depth = 1;  // width in elements
};

// What a kernel leaves behind for the host: printf records, a failed assertion.
class KernelOutput {
 public:
  virtual ~KernelOutput() = default;
  std::mutex using_it;  // guards the next, and collect()
  int launches = 0;     // of the module, that are running
  // After a launch, with no other launch of the module running (or after a fault). Gives Error::Assert when an assertion failed in it (the
  // kernel may have ended by a trap or not), otherwise Success.
  virtual Error collect() = 0;
};

class DeviceKernel;  // owned by its module

struct Launch {
  const DeviceKernel* kernel = nullptr;
  Dim3 grid, block;
  uint32_t dynamic_shared = 0;
  bool cooperative = false;
  std::vector<std::byte> arguments;     // the kernarg segment, without hidden arguments
  std::vector<KernelArgument> layout;   // where each argument is in it
  KernelOutput* output = nullptr;    // null: the kernel's module has none
};

struct HostCall {
  std::function<void(Error)> function;  // given the state of the device
  bool after_fault = false;             // called even when the device has faulted
};

class DeviceModule {
 public:
  virtual ~DeviceModule() = default;
  virtual const DeviceKernel* kernel(const std::string& name) = 0;  // null: none
  virtual bool global(const std::string& name, uint64_t& address, uint64_t& size) = 0;
};

class DeviceStream {
 public:
  virtual ~DeviceStream() = default;
};

class DeviceEvent {
 public:
  virtual ~DeviceEvent() = default;
};

enum class Wait { No, Yes };

class Device {
 public:
  virtual ~Device() = default;
  virtual const DeviceFacts& facts() const = 0;

  // Memory. Sizes are never 0. Device memory is 256-byte aligned.
  virtual Error allocate(size_t bytes, bool managed, void** pointer) = 0;
  virtual Error release(void* pointer) = 0;
  virtual Error allocate_host(size_t bytes, unsigned flags, void** pointer) = 0;
  virtual Error release_host(void* pointer) = 0;
  virtual Error register_host(void* pointer, size_t bytes, unsigned flags) = 0;
  virtual Error unregister_host(void* pointer) = 0;
  virtual Error host_to_device_pointer(void* host, void** device) = 0;
  virtual Error memory_info(size_t* free_bytes, size_t* total_bytes) = 0;
  // At once, outside every stream; for module globals and printf buffers.
  virtual Error peek(void* target, uint64_t address, size_t bytes) = 0;
  virtual Error poke(uint64_t address, const void* source, size_t bytes) = 0;

  // Streams. The legacy default stream waits for the blocking ones and they for it.
  virtual DeviceStream& legacy_stream() = 0;
  virtual Error create_stream(bool blocking, int priority, std::unique_ptr<DeviceStream>& stream) = 0;
  virtual Error query(DeviceStream& stream) = 0;  // Success or NotReady
  virtual Error synchronize(DeviceStream& stream) = 0;
  virtual Error synchronize() = 0;  // everything

  // Events. wait(stream, event): later work of the stream starts after the last record before this call.
  virtual Error create_event(bool timing, std::unique_ptr<DeviceEvent>& event) = 0;
  virtual Error record(DeviceEvent& event, DeviceStream& stream) = 0;
  virtual Error query(DeviceEvent& event) = 0;
  virtual Error synchronize(DeviceEvent& event) = 0;
  virtual Error elapsed(DeviceEvent& start, DeviceEvent& end, float* milliseconds) = 0;
  virtual Error wait(DeviceStream& stream, DeviceEvent& event) = 0;

  // Work. With Wait::Yes the call returns when the work is done.
  virtual Error copy(DeviceStream& stream, const Copy& copy, Wait wait) = 0;
  virtual Error fill(DeviceStream& stream, const Fill& fill, Wait wait) = 0;
  virtual Error launch(DeviceStream& stream, const Launch& launch) = 0;
  virtual Error call(DeviceStream& stream, const HostCall& call) = 0;

  virtual Error load(std::span<const std::byte> code_object, std::unique_ptr<DeviceModule>& module) = 0;

  // Before the process ends: nothing of the program's memory is touched afterwards.
  virtual void shut_down() = 0;

  // What the libraries of the device know the stream by (hipStream_t); null where there are none.
  virtual void* native(DeviceStream&) { return nullptr; }
};

// Null when the device is not there; why then says so in one sentence.
std::unique_ptr<Device> open_hip(std::string& why);
std::unique_ptr<Device> open_emulator(std::string& why);

}  // namespace cassc::rt
#endif
