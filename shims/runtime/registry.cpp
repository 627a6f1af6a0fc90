#include "registry.h"

#include <algorithm>

#include "context.h"
#include "translations.h"

namespace cassc::rt {
namespace {

// Of several architectures in a fat binary the one is translated that an sm_80 device would run, else the newest up to 90.
constexpr uint32_t kDefaultSm = 80, kNewestSm = 90;

// From sm_90 on, a kernel's shared memory begins with bytes that belong to the system (.nv.shared counts them, CUDA's API
// does not).
constexpr uint32_t kFirstSmWithReserve = 90;
constexpr int kReservedShared = 1024;

}  // namespace

Image::Image(const void* wrapper) : container_(container_of(wrapper)), entries_(read_container(container_)) {}

uint32_t Image::sm() {
  std::lock_guard lock(loading_);
  uint32_t translated = 0, same_major = 0, highest = 0;
  for (const FatEntry& entry : entries_) {
    if (entry.kind == kEntryBundle) translated = std::max(translated, entry.sm);
    if (entry.kind != kEntryCubin || entry.sm > kNewestSm) continue;
    highest = std::max(highest, entry.sm);
    if (entry.sm / 10 == kDefaultSm / 10 && entry.sm <= kDefaultSm) same_major = std::max(same_major, entry.sm);
  }
  return translated ? translated : same_major ? same_major : highest;
}

void Image::find_translation() {
  if (translation_sought_) return;
  translation_sought_ = true;
  if (std::any_of(entries_.begin(), entries_.end(), [](const FatEntry& e) { return e.kind == kEntryBundle; })) return;
  for (const FatEntry& entry : rt::find_translation(container_)) entries_.push_back(entry);
}

std::string Image::refusal(const std::string& kernel) const {
  for (const FatEntry& entry : entries_) {
    if (entry.kind != kEntryVerdicts) continue;
    if (std::string reason = find_refusal(entry.payload, kernel); !reason.empty()) return reason;
  }
  return "";
}

size_t Image::constant_bytes() const {
  size_t bytes = 0;
  for (const auto& variable : variables)
    if (variable->constant) bytes += variable->size;
  return bytes;
}

Error Image::load(Device& device) {
  std::lock_guard lock(loading_);
  if (!tried_) {
    result_ = find_and_load(device);
    tried_ = true;
  }
  return result_;
}

Error Image::find_and_load(Device& device) {
  find_translation();
  std::span<const std::byte> code_object;
  for (const FatEntry& entry : entries_) {
    if (entry.kind != kEntryBundle || (!code_object.empty() && entry.sm <= loaded_sm_)) continue;
    const auto found = find_code_object(entry.payload, device.facts().gfx);
    if (found.empty()) continue;
    code_object = found;
    loaded_sm_ = entry.sm;
  }
  if (code_object.empty()) return Error::NoKernelImageForDevice;
  std::string why;
  const auto metadata = read_metadata(code_object, why);
  if (!metadata) {
    report("a code object cannot be loaded: " + why);
    return Error::InvalidKernelImage;
  }
  const Error error = device.load(code_object, module_);
  return error == Error::Success ? bind(device, *metadata) : error;
}

Error Image::bind(Device& device, const std::vector<KernelMetadata>& metadata) {
  Context& context = Context::get();
  for (auto& kernel : kernels) {
    const auto found = std::find_if(metadata.begin(), metadata.end(), [&](const auto& m) { return m.name == kernel->name; });
    if (found == metadata.end()) continue;
    kernel->metadata = *found;
    kernel->device = module_->kernel(kernel->name);
    const bool reserves = loaded_sm_ >= kFirstSmWithReserve;
    kernel->reserved_shared = reserves ? std::min(kReservedShared, static_cast<int>(found->static_shared)) : 0;
    kernel->metadata.static_shared -= static_cast<uint32_t>(kernel->reserved_shared);
  }
  for (auto& variable : variables) {
    uint64_t address = 0, size = 0;
    if (!module_->global(variable->name, address, size)) continue;
    variable->address = reinterpret_cast<void*>(address);
    const Origin origin = variable->managed ? Origin::Managed : Origin::Symbol;
    if (size) context.allocations.insert({static_cast<uintptr_t>(address), size, origin, 0, nullptr});
    if (!variable->managed) continue;
    if (!device.facts().host_reads_device_memory) {
      report("__managed__ variable " + variable->name + " is not supported on " + device.facts().name);
      return Error::NotSupported;
    }
    *variable->managed = variable->address;
  }
  if (const Error error = context.heap.attach(device, *module_, context.limits[2]); error != Error::Success) return error;
  return ModuleOutput::attach(device, *module_, context.limits[1], output_);
}

void Image::unload() {
  std::lock_guard lock(loading_);
  for (auto& kernel : kernels) kernel->device = nullptr;
  for (auto& variable : variables) {
    if (variable->address) Context::get().allocations.erase(variable->address);
    variable->address = nullptr;
  }
  output_.reset();
  module_.reset();
  tried_ = false;
}

Registry& Registry::get() {
  static auto* registry = new Registry;
  return *registry;
}

Image* Registry::add_image(const void* wrapper) {
  std::lock_guard lock(mutex_);
  images_.push_back(std::make_unique<Image>(wrapper));
  return images_.back().get();
}

void Registry::add_kernel(Image* image, const void* stub, const char* name) {
  auto kernel = std::make_unique<Kernel>();
  kernel->image = image;
  kernel->name = name;
  kernel->stub = stub;
  std::lock_guard lock(mutex_);
  kernels_[stub] = kernel.get();
  kernels_[kernel.get()] = kernel.get();
  image->kernels.push_back(std::move(kernel));
}

void Registry::add_variable(Image* image, const void* host, void** managed, const char* name, size_t size,
                            bool constant) {
  auto variable = std::make_unique<Variable>();
  variable->image = image;
  variable->name = name;
  variable->host = host;
  variable->managed = managed;
  variable->size = size;
  variable->constant = constant;
  std::lock_guard lock(mutex_);
  variables_[host] = variable.get();
  image->variables.push_back(std::move(variable));
}

void Registry::remove(Image* image) {
  Context& context = Context::get();
  if (context.closed()) return;  // the process ends: its memory goes with it
  if (image->module()) context.observe(context.device().synchronize());
  std::lock_guard lock(mutex_);
  for (const auto& kernel : image->kernels) {
    kernels_.erase(kernel->stub);
    kernels_.erase(kernel.get());
  }
  for (const auto& variable : image->variables) variables_.erase(variable->host);
  image->unload();
  std::erase_if(images_, [&](const auto& other) { return other.get() == image; });
}

Kernel* Registry::find_kernel(const void* key) {
  std::lock_guard lock(mutex_);
  const auto found = kernels_.find(key);
  return found == kernels_.end() ? nullptr : found->second;
}

Variable* Registry::find_variable(const void* host) {
  std::lock_guard lock(mutex_);
  const auto found = variables_.find(host);
  return found == variables_.end() ? nullptr : found->second;
}

Error Registry::load(Image* image) {
  Device* device = nullptr;
  const Error error = Context::get().open(&device);
  return error == Error::Success ? image->load(*device) : error;
}

Error Registry::kernel(const void* key, Kernel** kernel) {
  Kernel* found = find_kernel(key);
  if (!found) return Error::InvalidResourceHandle;
  const Error error = load(found->image);
  if (error != Error::Success && error != Error::NoKernelImageForDevice) return error;
  if (error != Error::Success || !found->device) {
    std::string reason = found->image->refusal(found->name);
    if (reason.empty()) reason = "the program holds no code object of it for " + Context::get().device().facts().gfx;
    report("kernel " + found->name + " was not translated: " + reason, true);
    return Error::NoKernelImageForDevice;
  }
  *kernel = found;
  return Error::Success;
}

Error Registry::variable(const void* host, Variable** variable) {
  Variable* found = find_variable(host);
  if (!found) return Error::InvalidSymbol;
  const Error error = load(found->image);
  if (error != Error::Success) return error;
  if (!found->address) {
    report("variable " + found->name + " is not in the program's code object", true);
    return Error::InvalidSymbol;
  }
  *variable = found;
  return Error::Success;
}

void Registry::unload() {
  std::lock_guard lock(mutex_);
  for (auto& image : images_) image->unload();
}

uint32_t Registry::compute_capability() {
  std::lock_guard lock(mutex_);
  uint32_t highest = 0;
  for (const auto& image : images_) highest = std::max(highest, image->sm());
  return highest ? highest : kDefaultSm;
}

}  // namespace cassc::rt
