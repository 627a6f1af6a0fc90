// The objects behind the C ABI.
#pragma once
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cassc/emu.h"
#include "decode.h"
#include "helpers.h"
#include "memory.h"
#include "metadata.h"

namespace cassc::emu {

// The 64-byte kernel descriptor, as far as the emulator needs it.
struct Descriptor {
  u32 group_size = 0, private_size = 0, kernarg_size = 0;
  i64 entry_offset = 0;
  u32 rsrc3 = 0, rsrc1 = 0, rsrc2 = 0;
  u16 properties = 0, preload = 0;
};

// Decoded code of one kernel: a slot for every dword of its segment, filled when first reached.
class Code {
 public:
  Code(const Tables& tables, u64 address, size_t dwords, u32 vgprs, bool gfx115);
  ~Code();
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;

  bool mapped() const { return ops_ != nullptr; }
  const Op* at(u64 address);  // nullptr: not an instruction address of this code
  u64 address_of(const Op* op) const { return address_ + u64(op - ops_) * 4; }
  const u32* words() const { return reinterpret_cast<const u32*>(address_); }
  size_t dwords() const { return dwords_; }
  const Constants& constants() const { return constants_; }
  u32 vgprs() const { return vgprs_; }
  const Op* decode_at(const Op* op);  // called by the first-visit handler

 private:
  std::mutex decoding_;
  const Tables& tables_;
  u64 address_;
  size_t dwords_;
  u32 vgprs_;
  bool gfx115_;
  Op* ops_ = nullptr;
  Constants constants_;
};

struct Segment64 {
  u64 address, size;  // in device memory
};

}  // namespace cassc::emu

struct cassc_emu_kernel {
  cassc_emu_module* module = nullptr;
  cassc::emu::KernelMetadata metadata;
  cassc::emu::Descriptor descriptor;
  cassc::emu::u64 entry = 0;                  // device address
  cassc::emu::Segment64 text{};               // the executable segment that holds the entry
  bool calls = false;                         // its function holds s_swappc: the stack may grow beyond the stated size
  mutable std::unique_ptr<cassc::emu::Code> code;  // made at the first launch, under the device's `preparing`
};

struct cassc_emu_module {
  cassc_emu_device* device = nullptr;
  cassc::emu::u64 image = 0;                  // allocation that holds the segments
  cassc::emu::u64 bias = 0;                   // from an address of the file to one of the device
  cassc::emu::u64 number = 0;                 // counts the modules of the device
  std::vector<std::unique_ptr<cassc_emu_kernel>> kernels;
  std::map<std::string, std::pair<cassc::emu::u64, cassc::emu::u64>, std::less<>> globals;  // name -> address, size
};

namespace cassc::emu {
class Observer;
struct Watch;

struct Services {
  cassc_emu_services calls{};
  bool prepared = false;
  u64 hostcall_buffer = 0, heap = 0;
};
}  // namespace cassc::emu

struct cassc_emu_device {
  std::string gfx;
  cassc::emu::Memory memory;
  cassc::emu::Helpers helpers{cassc::emu::default_threads() - 1};
  std::mutex preparing;                             // guards what launches share: decoded code, spare blocks
  std::vector<cassc::emu::u64> launch_blocks;       // for kernarg segment, dispatch packet and queue; not in use
  std::atomic<cassc::emu::u64> executed{0}, modules{0};
  std::unique_ptr<cassc::emu::Observer> observer;   // null: no checks, no profile
  cassc::emu::Services services;                    // guarded by `preparing` until they are prepared
  explicit cassc_emu_device(cassc::emu::u64 bytes);
  ~cassc_emu_device();
  bool gfx12() const { return gfx.compare(0, 5, "gfx12") == 0; }
  const cassc::emu::Variant& variant() const { return observer ? cassc::emu::observed_variant() : cassc::emu::variant(); }
};

namespace cassc::emu {

// Numbers of workgroups in the order in which they begin.
class GroupOrder {
 public:
  GroupOrder() = default;
  GroupOrder(u64 total, u32 order, u64 seed);
  u64 at(u64 index) const;

 private:
  u64 total_ = 0, stride_ = 1, offset_ = 0;
  u32 order_ = 0;
};

// One launch in progress.
struct Launch {
  cassc_emu_device* device;
  const cassc_emu_kernel* kernel;
  Code* code;
  MemoryView memory;
  cassc_emu_dim3 grid, block;
  u32 lds_size, scratch_size, waves_per_group, threads_per_group;
  u64 kernarg, packet, queue;
  u32 order = 0;
  u64 seed = 0, limit = 0;
  bool strict_alignment = false;
  bool together = false;  // no workgroup waits for another to end before it begins
  u64 total = 0;                        // workgroups
  GroupOrder groups;
  Watch* watch = nullptr;               // of an observed launch
  std::atomic<u64> next{0};             // index of the next to begin
  std::atomic<u64> executed{0};
  std::atomic<bool> failed{false}, out_of_memory{false};
  cassc_emu_fault fault{};              // written by whoever sets `failed`
};

void set_error(std::string text);
// Both report through set_error.
cassc_emu_status load_module(cassc_emu_device& device, const u8* elf, size_t size, cassc_emu_module& module);
cassc_emu_status launch(cassc_emu_device& device, const cassc_emu_kernel& kernel, cassc_emu_dim3 grid, cassc_emu_dim3 block, u32 dynamic_lds,
                        const void* kernarg, size_t kernarg_size, const cassc_emu_launch_options* options, cassc_emu_fault* fault);
constexpr u32 kMaxLds = 65536;

}  // namespace cassc::emu
