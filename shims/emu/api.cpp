// The C ABI of cassc/emu.h.
#include <sys/sysinfo.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "observe.h"

using namespace cassc::emu;

#define CASSC_EXPORT extern "C" __attribute__((visibility("default")))

namespace cassc::emu {
namespace {
thread_local std::string last_error;
}
void set_error(std::string text) { last_error = std::move(text); }
}  // namespace cassc::emu

cassc_emu_device::cassc_emu_device(u64 bytes) : memory(bytes) {}
cassc_emu_device::~cassc_emu_device() = default;

namespace {

cassc_emu_status fail(cassc_emu_status status, const char* text) {
  set_error(text);
  return status;
}

u64 default_memory() {
  struct sysinfo info;
  const u64 physical = sysinfo(&info) == 0 ? u64(info.totalram) * info.mem_unit : u64(4) << 30;
  return std::clamp<u64>(physical, u64(1) << 30, u64(16) << 30);
}

// Nothing may leave through the C boundary.
template <class F>
cassc_emu_status guarded(F&& f) {
  try {
    return f();
  } catch (const std::bad_alloc&) {
    return fail(CASSC_EMU_OUT_OF_MEMORY, "out of host memory");
  } catch (...) {
    return fail(CASSC_EMU_OUT_OF_MEMORY, "internal failure");
  }
}

}  // namespace

CASSC_EXPORT uint32_t cassc_emu_abi_version(void) { return CASSC_EMU_ABI_VERSION; }

CASSC_EXPORT cassc_emu_device* cassc_emu_create(const char* gfx, uint64_t memory_bytes) {
  static constexpr const char* kSupported[] = {"gfx1100", "gfx1101", "gfx1102", "gfx1103", "gfx1150", "gfx1151", "gfx1200", "gfx1201"};
  if (!gfx || std::none_of(std::begin(kSupported), std::end(kSupported), [&](const char* s) { return !std::strcmp(s, gfx); })) {
    set_error(std::string("unknown processor ") + (gfx ? gfx : "(null)"));
    return nullptr;
  }
  cassc_emu_device* device = nullptr;
  guarded([&] {
    auto made = std::make_unique<cassc_emu_device>(memory_bytes ? memory_bytes : default_memory());
    if (!made->memory.reserved()) return fail(CASSC_EMU_OUT_OF_MEMORY, "cannot reserve address space for device memory");
    made->gfx = gfx;
    device = made.release();
    return CASSC_EMU_OK;
  });
  return device;
}

CASSC_EXPORT void cassc_emu_destroy(cassc_emu_device* device) { delete device; }
CASSC_EXPORT const char* cassc_emu_last_error(void) { return last_error.c_str(); }

CASSC_EXPORT cassc_emu_status cassc_emu_malloc(cassc_emu_device* device, uint64_t size, uint64_t* address) {
  return cassc_emu_malloc_aligned(device, size, kGranule, address);
}
CASSC_EXPORT cassc_emu_status cassc_emu_malloc_aligned(cassc_emu_device* device, uint64_t size, uint64_t alignment, uint64_t* address) {
  if (!device || !address || !size) return fail(CASSC_EMU_INVALID_ARGUMENT, "malloc: null argument or zero size");
  if (alignment < kGranule || (alignment & (alignment - 1))) return fail(CASSC_EMU_INVALID_ARGUMENT, "malloc: alignment is no power of two from 256 on");
  return guarded([&] {
    *address = device->memory.allocate(size, alignment);
    if (*address && device->observer) device->observer->allocated(*address, size);
    return *address ? CASSC_EMU_OK : fail(CASSC_EMU_OUT_OF_MEMORY, "out of device memory");
  });
}

CASSC_EXPORT cassc_emu_status cassc_emu_free(cassc_emu_device* device, uint64_t address) {
  if (!device) return fail(CASSC_EMU_INVALID_ARGUMENT, "free: null device");
  return guarded([&] { return device->memory.release(address) ? CASSC_EMU_OK : fail(CASSC_EMU_INVALID_ARGUMENT, "free: not an allocation"); });
}

CASSC_EXPORT cassc_emu_status cassc_emu_find(cassc_emu_device* device, uint64_t address, uint64_t* base, uint64_t* size) {
  if (!device || !base || !size) return fail(CASSC_EMU_INVALID_ARGUMENT, "find: null argument");
  return device->memory.find(address, *base, *size) ? CASSC_EMU_OK : fail(CASSC_EMU_NOT_FOUND, "not a device address");
}

CASSC_EXPORT cassc_emu_status cassc_emu_check(cassc_emu_device* device, uint64_t address, uint64_t size) {
  if (!device) return fail(CASSC_EMU_INVALID_ARGUMENT, "check: null device");
  // A variable's neighbours belong to the same loaded image, so extents of find() do not bound the range.
  for (uint64_t done = 0; done < size || !done;) {
    const uint32_t piece = uint32_t(std::min<uint64_t>(size - done, 256));
    if (!cassc::emu::accessible(device->memory.view(), address + done, piece)) {
      return fail(CASSC_EMU_NOT_FOUND, "not inside one allocation");
    }
    done += piece ? piece : 1;
  }
  return CASSC_EMU_OK;
}

CASSC_EXPORT cassc_emu_status cassc_emu_register_host(cassc_emu_device* device, const void* pointer, uint64_t size) {
  if (!device || !pointer || !size) return fail(CASSC_EMU_INVALID_ARGUMENT, "register: null argument or zero size");
  return guarded([&] {
    return device->memory.register_host(reinterpret_cast<u64>(pointer), size)
               ? CASSC_EMU_OK
               : fail(CASSC_EMU_INVALID_ARGUMENT, "register: overlaps a registered range or device memory");
  });
}

CASSC_EXPORT cassc_emu_status cassc_emu_unregister_host(cassc_emu_device* device, const void* pointer) {
  if (!device) return fail(CASSC_EMU_INVALID_ARGUMENT, "unregister: null device");
  return device->memory.unregister_host(reinterpret_cast<u64>(pointer)) ? CASSC_EMU_OK
                                                                         : fail(CASSC_EMU_INVALID_ARGUMENT, "unregister: not a registered range");
}

CASSC_EXPORT void cassc_emu_memory_info(cassc_emu_device* device, uint64_t* free_bytes, uint64_t* total_bytes) {
  const u64 total = device ? device->memory.total() : 0, used = device ? device->memory.used() : 0;
  if (free_bytes) *free_bytes = total - used;
  if (total_bytes) *total_bytes = total;
}

CASSC_EXPORT cassc_emu_status cassc_emu_module_load(cassc_emu_device* device, const void* elf, size_t size, cassc_emu_module** module) {
  if (!device || !elf || !module) return fail(CASSC_EMU_INVALID_ARGUMENT, "module_load: null argument");
  *module = nullptr;
  return guarded([&] {
    auto loaded = std::make_unique<cassc_emu_module>();
    loaded->number = ++device->modules;
    const cassc_emu_status status = load_module(*device, static_cast<const u8*>(elf), size, *loaded);
    if (status == CASSC_EMU_OK && device->observer) {
      u64 base = 0, bytes = 0;
      if (device->memory.find_allocation(loaded->image, base, bytes)) device->observer->written(base, bytes);
      device->observer->loaded(*loaded, static_cast<const u8*>(elf), size);
    }
    if (status == CASSC_EMU_OK) *module = loaded.release();
    return status;
  });
}

CASSC_EXPORT void cassc_emu_module_unload(cassc_emu_module* module) {
  if (!module) return;
  module->device->memory.release(module->image);
  delete module;
}

CASSC_EXPORT size_t cassc_emu_module_kernel_count(const cassc_emu_module* module) { return module ? module->kernels.size() : 0; }

CASSC_EXPORT const cassc_emu_kernel* cassc_emu_module_kernel_at(const cassc_emu_module* module, size_t index) {
  return module && index < module->kernels.size() ? module->kernels[index].get() : nullptr;
}

CASSC_EXPORT const cassc_emu_kernel* cassc_emu_module_kernel(const cassc_emu_module* module, const char* name) {
  if (!module || !name) return nullptr;
  for (const auto& kernel : module->kernels) {
    if (kernel->metadata.name == name) return kernel.get();
  }
  return nullptr;
}

CASSC_EXPORT cassc_emu_status cassc_emu_module_global(const cassc_emu_module* module, const char* name, uint64_t* address, uint64_t* size) {
  if (!module || !name) return fail(CASSC_EMU_INVALID_ARGUMENT, "module_global: null argument");
  const auto found = module->globals.find(std::string_view(name));
  if (found == module->globals.end()) return fail(CASSC_EMU_NOT_FOUND, "no such variable");
  if (address) *address = found->second.first;
  if (size) *size = found->second.second;
  return CASSC_EMU_OK;
}

CASSC_EXPORT void cassc_emu_kernel_get_info(const cassc_emu_kernel* kernel, cassc_emu_kernel_info* info) {
  if (!kernel || !info) return;
  const KernelMetadata& m = kernel->metadata;
  *info = {m.name.c_str(), std::max(m.kernarg_size, kernel->descriptor.kernarg_size), kernel->descriptor.group_size,
           std::max(m.private_size, kernel->descriptor.private_size), m.max_workgroup, m.vgprs, m.sgprs, u32(m.arguments.size())};
}

CASSC_EXPORT cassc_emu_status cassc_emu_kernel_argument(const cassc_emu_kernel* kernel, uint32_t index, cassc_emu_argument* argument) {
  if (!kernel || !argument) return fail(CASSC_EMU_INVALID_ARGUMENT, "kernel_argument: null argument");
  if (index >= kernel->metadata.arguments.size()) return fail(CASSC_EMU_NOT_FOUND, "no such argument");
  const Argument& a = kernel->metadata.arguments[index];
  *argument = {a.offset, a.size, a.hidden != Hidden::none};
  return CASSC_EMU_OK;
}

CASSC_EXPORT cassc_emu_status cassc_emu_launch(cassc_emu_device* device, const cassc_emu_kernel* kernel, cassc_emu_dim3 grid, cassc_emu_dim3 block,
                                               uint32_t dynamic_lds_bytes, const void* kernarg, size_t kernarg_size,
                                               const cassc_emu_launch_options* options, cassc_emu_fault* fault) {
  if (!device || !kernel) return fail(CASSC_EMU_INVALID_ARGUMENT, "launch: null argument");
  return guarded([&] { return launch(*device, *kernel, grid, block, dynamic_lds_bytes, kernarg, kernarg_size, options, fault); });
}

CASSC_EXPORT cassc_emu_status cassc_emu_observe(cassc_emu_device* device, uint32_t what, const char* path) {
  if (!device || !path || !what || what > CASSC_EMU_OBSERVE_ALL) return fail(CASSC_EMU_INVALID_ARGUMENT, "observe: null or unknown argument");
  if (device->observer || device->modules) return fail(CASSC_EMU_INVALID_ARGUMENT, "observe: the device is in use already");
  return guarded([&] {
    auto made = std::make_unique<Observer>(what, path, device->memory);
    if (!made->good()) return fail(CASSC_EMU_NOT_FOUND, "observe: the file cannot be written");
    device->observer = std::move(made);
    device->modules = first_number();
    return CASSC_EMU_OK;
  });
}

CASSC_EXPORT void cassc_emu_written(cassc_emu_device* device, uint64_t address, uint64_t size) {
  if (device && device->observer) device->observer->written(address, size);
}

CASSC_EXPORT void cassc_emu_serve(cassc_emu_device* device, const cassc_emu_services* services) {
  if (device && services) device->services.calls = *services;
}

CASSC_EXPORT uint64_t cassc_emu_instruction_count(const cassc_emu_device* device) { return device ? device->executed.load() : 0; }

CASSC_EXPORT size_t cassc_emu_decode_for(const char* gfx, const void* code, size_t size, char* mnemonic, size_t mnemonic_size) {
  if (mnemonic && mnemonic_size) mnemonic[0] = 0;
  if (!code || !gfx) return 0;
  const std::string_view processor = gfx;
  size_t length = 0;
  guarded([&] {
    u32 words[4] = {};
    const size_t count = std::min<size_t>(size / 4, 4);
    std::memcpy(words, code, count * 4);
    Constants constants;
    Op ops[2];
    DecodeLimits limits;
    limits.gfx115 = processor >= "gfx1150";
    const Decoded d = decode(baseline::tables(processor.substr(0, 5) == "gfx12"), words, count, limits, constants, ops);
    if (d.name) length = d.length * size_t(4);
    if (mnemonic && mnemonic_size) {
      std::string text = d.name ? d.name : d.refusal;
      if (d.name && ops[1].name) text += std::string(" :: ") + ops[1].name;  // VOPD
      const size_t n = std::min(mnemonic_size - 1, text.size());
      std::memcpy(mnemonic, text.data(), n);
      mnemonic[n] = 0;
    }
    return CASSC_EMU_OK;
  });
  return length;
}

CASSC_EXPORT size_t cassc_emu_decode(const void* code, size_t size, char* mnemonic, size_t mnemonic_size) {
  return cassc_emu_decode_for("gfx1150", code, size, mnemonic, mnemonic_size);
}
