#include "registry.h"

#include <algorithm>
#include <iterator>
#include <cstdlib>

#include "context.h"
#include "translations.h"

namespace cassc::rt {
namespace {

// Of several architectures in a fat binary the one is translated that an sm_80 device would run, else the newest of those
// whose outputs are recorded, else the newest (cassc/driver/device.py chooses, and a test compares).
constexpr uint32_t kDefaultSm = 80, kRecordedSm = 90;

// What the emulator can be, the first one by preference.
constexpr const char* kChips[] = {"gfx1100", "gfx1101", "gfx1102", "gfx1103", "gfx1150", "gfx1151", "gfx1200", "gfx1201"};

// From sm_90 on, a kernel's shared memory begins with bytes that belong to the system (.nv.shared counts them, CUDA's API
// does not).
constexpr uint32_t kFirstSmWithReserve = 90;
constexpr int kReservedShared = 1024;

constexpr size_t kBig = 1 << 20;  // bytes of a container; cassc/driver/prebuilt.py has the same

bool is_bundle(const FatEntry& entry) { return entry.kind == kEntryBundle; }

bool holds(const std::vector<FatEntry>& entries, const char* chip) {
  return std::any_of(entries.begin(), entries.end(),
                     [&](const FatEntry& entry) { return is_bundle(entry) && !find_code_object(entry.payload, chip).empty(); });
}

// "gfx1101, gfx1102"; empty when there is no code object for any.
std::string chips_of(const std::vector<FatEntry>& entries) {
  std::string names;
  for (const char* chip : kChips)
    if (holds(entries, chip)) names += (names.empty() ? "" : ", ") + std::string(chip);
  return names;
}

}  // namespace

Image::Image(const void* wrapper) : container_(container_of(wrapper)), entries_(read_container(container_)) {}

Image::Image(std::vector<std::byte> container)
    : own_container_(std::move(container)), container_(own_container_), entries_(read_container(container_)) {}

Image::Image(std::vector<FatEntry> translation) : entries_(std::move(translation)), translation_sought_(true) {}

uint32_t Image::sm() {
  std::lock_guard lock(loading_);
  uint32_t translated = 0, same_major = 0, recorded = 0, highest = 0;
  for (const FatEntry& entry : entries_) {
    if (entry.kind == kEntryBundle) translated = std::max(translated, entry.sm);
    if (entry.kind != kEntryCubin) continue;
    highest = std::max(highest, entry.sm);
    if (entry.sm <= kRecordedSm) recorded = std::max(recorded, entry.sm);
    if (entry.sm / 10 == kDefaultSm / 10 && entry.sm <= kDefaultSm) same_major = std::max(same_major, entry.sm);
  }
  for (const uint32_t choice : {translated, same_major, recorded})
    if (choice) return choice;
  return highest;
}

void Image::find_translation() {
  if (translation_sought_) return;
  translation_sought_ = true;
  if (std::any_of(entries_.begin(), entries_.end(), is_bundle)) return;
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

bool Image::comes_in_pieces() const {
  return !whole_ && container_.size() >= kBig && std::none_of(entries_.begin(), entries_.end(), is_bundle) &&
         translates();
}

Error Image::load(Device& device, Kernel& kernel) {
  {
    std::lock_guard lock(loading_);
    if (kernel.device) return Error::Success;
    if (comes_in_pieces()) {
      const Error error = load_piece(device, kernel);
      if (!whole_) return error;
    }
  }
  return load(device);
}

Error Image::load_piece(Device& device, Kernel& kernel) {
  std::unique_ptr<Image>& piece = pieces_[kernel.name];
  if (!piece) {
    std::vector<FatEntry> translation = rt::find_translation(container_, kernel.name);
    if (translation.empty()) {
      whole_ = true;
      return Error::NoKernelImageForDevice;
    }
    std::copy_if(translation.begin(), translation.end(), std::back_inserter(entries_),
                 [](const FatEntry& entry) { return entry.kind == kEntryVerdicts; });
    piece = std::make_unique<Image>(std::move(translation));
  }
  if (const Error error = piece->load(device); error != Error::Success) return error;
  loaded_sm_ = piece->loaded_sm_;
  return piece->bind(kernel) ? Error::Success : Error::NoKernelImageForDevice;
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
  if (code_object.empty()) {
    if (const std::string chips = chips_of(entries_); !chips.empty())
      report("the program holds code for " + chips + ", not for the device, a " + device.facts().gfx +
                 "; compile it with --offload-arch=" + device.facts().gfx, true);
    return Error::NoKernelImageForDevice;
  }
  std::string why;
  auto metadata = read_metadata(code_object, why);
  if (!metadata) {
    report("a code object cannot be loaded: " + why);
    return Error::InvalidKernelImage;
  }
  metadata_ = std::move(*metadata);
  const Error error = device.load(code_object, module_);
  return error == Error::Success ? bind(device) : error;
}

bool Image::bind(Kernel& kernel) {
  const auto found = std::find_if(metadata_.begin(), metadata_.end(), [&](const auto& m) { return m.name == kernel.name; });
  if (found == metadata_.end()) return false;
  kernel.metadata = *found;
  kernel.home = this;
  kernel.device = module_->kernel(kernel.name);
  const bool reserves = loaded_sm_ >= kFirstSmWithReserve;
  kernel.reserved_shared = reserves ? std::min(kReservedShared, static_cast<int>(found->static_shared)) : 0;
  kernel.metadata.static_shared -= static_cast<uint32_t>(kernel.reserved_shared);
  return true;
}

bool Image::bind(Variable& variable) {
  uint64_t address = 0, size = 0;
  if (!module_->global(variable.name, address, size)) return false;
  variable.address = reinterpret_cast<void*>(address);
  if (!variable.host) variable.size = size;
  const Origin origin = variable.managed ? Origin::Managed : Origin::Symbol;
  if (size) Context::get().allocations.insert({static_cast<uintptr_t>(address), size, origin, 0, nullptr});
  return true;
}

Error Image::bind(Device& device, Variable& variable) {
  if (!bind(variable) || !variable.managed) return Error::Success;
  if (!device.facts().host_reads_device_memory) {
    report("__managed__ variable " + variable.name + " is not supported on " + device.facts().name);
    return Error::NotSupported;
  }
  *variable.managed = variable.address;
  return Error::Success;
}

void Image::add(std::unique_ptr<Variable> variable) {
  std::lock_guard lock(loading_);
  // A managed variable has its code object loaded while others are still to be registered.
  if (module_) result_ = bind(Context::get().device(), *variable);
  variables.push_back(std::move(variable));
}

Error Image::bind(Device& device) {
  for (auto& kernel : kernels) bind(*kernel);
  for (auto& variable : variables)
    if (const Error error = bind(device, *variable); error != Error::Success) return error;
  Context& context = Context::get();
  if (const Error error = context.heap.attach(device, *module_, context.limits[2]); error != Error::Success) return error;
  if (const Error error = context.textures.attach(device, *module_); error != Error::Success) return error;
  return ModuleOutput::attach(device, *module_, context.limits[1], output_);
}

std::string Image::why_not() const {
  for (const FatEntry& entry : entries_)
    if (entry.kind == kEntryVerdicts)
      if (std::string reason = find_refusal(entry.payload, ""); !reason.empty()) return reason;
  const bool sass = std::any_of(entries_.begin(), entries_.end(), [](const FatEntry& e) { return e.kind == kEntryCubin; });
  if (!sass) return "it holds no SASS";
  return std::getenv("CASSC_TRANSLATIONS") ? "it could not be translated" : "it holds no translation; start the program with 'cassc run'";
}

std::vector<std::string> Image::kernel_names() const {
  std::vector<std::string> names;
  for (const KernelMetadata& kernel : metadata_) names.push_back(kernel.name);
  return names;
}

void Image::unload() {
  std::lock_guard lock(loading_);
  for (auto& kernel : kernels) kernel->device = nullptr;
  for (auto& variable : variables) {
    if (variable->address) Context::get().allocations.erase(variable->address);
    variable->address = nullptr;
  }
  for (auto& [name, piece] : pieces_) piece->unload();
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

Image* Registry::add_image(std::vector<std::byte> container) {
  std::lock_guard lock(mutex_);
  images_.push_back(std::make_unique<Image>(std::move(container)));
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
  image->add(std::move(variable));
}

void Registry::remove(Image* image) {
  Context& context = Context::get();
  if (context.closed()) return;  // the process ends: its memory goes with it
  if (image->loaded_sm()) context.observe(context.device().synchronize());
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
  Device* device = nullptr;
  Error error = Context::get().open(&device);
  if (error == Error::Success) error = found->image->load(*device, *found);
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

Error Registry::kernel_named(Image* image, const char* name, Kernel** kernel) {
  std::lock_guard lock(mutex_);
  for (const auto& known : image->kernels) {
    if (known->name != name) continue;
    *kernel = known.get();
    return Error::Success;
  }
  auto made = std::make_unique<Kernel>();
  made->image = image;
  made->name = name;
  made->stub = made.get();
  if (!image->bind(*made)) {
    const std::string reason = image->refusal(name);
    if (reason.empty()) return Error::SymbolNotFound;
    report("kernel " + made->name + " was not translated: " + reason, true);
    return Error::NoKernelImageForDevice;
  }
  *kernel = made.get();
  kernels_[made.get()] = made.get();
  image->kernels.push_back(std::move(made));
  return Error::Success;
}

Error Registry::variable_named(Image* image, const char* name, Variable** variable) {
  std::lock_guard lock(mutex_);
  for (const auto& known : image->variables) {
    if (known->name != name || !known->address) continue;
    *variable = known.get();
    return Error::Success;
  }
  auto made = std::make_unique<Variable>();
  made->image = image;
  made->name = name;
  if (!image->bind(*made)) return Error::SymbolNotFound;
  *variable = made.get();
  image->variables.push_back(std::move(made));
  return Error::Success;
}

void Registry::unload() {
  std::lock_guard lock(mutex_);
  for (auto& image : images_) image->unload();
}

const char* Registry::wanted_chip() {
  std::lock_guard lock(mutex_);
  for (const char* chip : kChips)
    for (const auto& image : images_)
      if (holds(image->entries(), chip)) return chip;
  return kChips[0];
}

uint32_t Registry::compute_capability() {
  std::lock_guard lock(mutex_);
  uint32_t highest = 0;
  for (const auto& image : images_) highest = std::max(highest, image->sm());
  return highest ? highest : kDefaultSm;
}

}  // namespace cassc::rt
