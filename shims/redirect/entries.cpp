#include "entries.h"

#include <algorithm>

#include "signature.h"

namespace cassc::redirect {
namespace {

// Functions of libcudart_static.a start at multiples of 16, so the padding behind one may be overwritten too.
constexpr uint64_t kAlignment = 16;

bool is_api_name(std::string_view name) {
  if (name.starts_with("__cuda")) {
    name.remove_prefix(6);
    // What nvcc writes into each object, not the library.
    for (const std::string_view own : {"RegisterAll", "UnregisterBinaryUtil", "RegisterLinkedBinary"})
      if (name.starts_with(own)) return false;
  } else if (name.starts_with("cuda")) {
    name.remove_prefix(4);
  } else {
    return false;
  }
  return !name.empty() && name[0] >= 'A' && name[0] <= 'Z';  // __cudart123 and _ZN... are the library's own
}

int major_of(const std::vector<Entry>& entries) {
  const auto has = [&](std::string_view name) {
    return std::any_of(entries.begin(), entries.end(), [&](const Entry& e) { return e.name == name; });
  };
  if (has("__cudaRegisterTexture")) return 11;
  return has("cudaGetDeviceProperties_v2") ? 12 : 13;
}

std::optional<StaticRuntime> by_name(const ElfFile& file) {
  StaticRuntime found;
  uint64_t anchor = 0;
  file.functions([&](std::string_view name, uint64_t address, uint64_t size) {
    if (!is_api_name(name) || address % kAlignment) return;
    if (name == "__cudaRegisterFatBinary") anchor = address;
    found.entries.push_back({std::string(name), address, (size + kAlignment - 1) / kAlignment * kAlignment});
  });
  if (!anchor) return std::nullopt;
  found.major = major_of(found.entries);
  return found;
}

}  // namespace

std::optional<StaticRuntime> find_static_runtime(const ElfFile& file, std::string_view tables) {
  if (!file.valid()) return std::nullopt;
  if (file.has_symbols()) return by_name(file);
  // The library opens the driver by this name; without it there is nothing to look for.
  if (!file.contains("libcuda.so.1") || !file.contains("cudaErrorInsufficientDriver")) return std::nullopt;
  return find_by_signature(file, tables);
}

}  // namespace cassc::redirect
