#include "fatbin.h"

#include <cstring>
#include <string_view>

namespace cassc::rt {
namespace {

constexpr uint32_t kWrapperMagic = 0x466243b1, kContainerMagic = 0xba55ed50;
constexpr std::string_view kBundleMagic = "__CLANG_OFFLOAD_BUNDLE__";

struct Wrapper {
  uint32_t magic, version;
  const std::byte* container;
  const void* prelinked;
};

struct ContainerHeader {
  uint32_t magic;
  uint16_t version, header_size;
  uint64_t size;  // of all entries
};

struct EntryHeader {
  uint16_t kind, version;
  uint32_t header_size;
  uint64_t stored_size;
  uint32_t compressed_size, options_offset;
  uint16_t minor, major;
  uint32_t sm;
};
static_assert(sizeof(EntryHeader) == 32);

template <class T>
bool read(std::span<const std::byte> bytes, uint64_t offset, T& value) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return false;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return true;
}

// "hipv4-amdgcn-amd-amdhsa--gfx1100" or the same with features (":xnack-") behind it.
bool is_for(std::string_view id, std::string_view gfx) {
  const size_t feature = id.find(':');
  if (feature != std::string_view::npos) id = id.substr(0, feature);
  const size_t dash = id.rfind('-');
  return dash != std::string_view::npos && id.substr(dash + 1) == gfx;
}

}  // namespace

std::span<const std::byte> container_of(const void* address) {
  Wrapper wrapper;
  if (!address) return {};
  std::memcpy(&wrapper, address, sizeof wrapper);
  if (wrapper.magic != kWrapperMagic || !wrapper.container) return {};
  ContainerHeader header;
  std::memcpy(&header, wrapper.container, sizeof header);
  if (header.magic != kContainerMagic) return {};
  return {wrapper.container, header.header_size + header.size};
}

std::vector<FatEntry> read_container(std::span<const std::byte> container) {
  std::vector<FatEntry> entries;
  ContainerHeader header;
  if (!read(container, 0, header) || header.magic != kContainerMagic || header.header_size > container.size()) return entries;
  const std::span<const std::byte> bytes = container.subspan(header.header_size);
  for (uint64_t offset = 0; offset < bytes.size();) {
    EntryHeader entry;
    if (!read(bytes, offset, entry) || entry.header_size < sizeof entry) break;
    if (entry.header_size > bytes.size() - offset || entry.stored_size > bytes.size() - offset - entry.header_size) break;
    entries.push_back({entry.kind, entry.sm, bytes.subspan(offset + entry.header_size, entry.stored_size)});
    offset += entry.header_size + entry.stored_size;
  }
  return entries;
}

std::span<const std::byte> find_code_object(std::span<const std::byte> bundle, const std::string& gfx) {
  uint64_t count = 0;
  if (bundle.size() < kBundleMagic.size() || std::memcmp(bundle.data(), kBundleMagic.data(), kBundleMagic.size()) != 0 ||
      !read(bundle, kBundleMagic.size(), count))
    return {};
  uint64_t position = kBundleMagic.size() + 8;
  for (; count; --count) {
    uint64_t offset = 0, size = 0, length = 0;
    if (!read(bundle, position, offset) || !read(bundle, position + 8, size) || !read(bundle, position + 16, length)) break;
    position += 24;
    if (length > bundle.size() - position) break;
    const std::string_view id(reinterpret_cast<const char*>(bundle.data() + position), length);
    position += length;
    if (offset > bundle.size() || size > bundle.size() - offset) break;
    if (size && is_for(id, gfx)) return bundle.subspan(offset, size);
  }
  return {};
}

// The text is cassc's own: {..., "refused": [{"kernel": NAME, "reason": SENTENCE}, ...]}, each member on its own line.
std::string find_refusal(std::span<const std::byte> verdicts, const std::string& kernel) {
  const std::string_view text(reinterpret_cast<const char*>(verdicts.data()), verdicts.size());
  const size_t list = text.find("\"refused\": [");
  const size_t entry = list == text.npos ? text.npos : text.find("\"kernel\": \"" + kernel + "\"", list);
  constexpr std::string_view key = "\"reason\": \"";
  const size_t begin = entry == text.npos ? text.npos : text.find(key, entry);
  std::string reason;
  if (begin == text.npos) return reason;
  for (size_t i = begin + key.size(); i < text.size() && text[i] != '"'; ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    reason += text[i];
  }
  return reason;
}

}  // namespace cassc::rt
