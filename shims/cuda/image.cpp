#include "image.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

#include "fatbin.h"

namespace cassc::cuda {
namespace {

constexpr uint32_t kWrapperMagic = 0x466243b1, kContainerMagic = 0xba55ed50;
constexpr uint16_t kMachineCuda = 190;
constexpr uint64_t kLargest = uint64_t{1} << 32;

template <class T>
T read(const void* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

// Bytes from the header to the end of whatever ends last. 0: the tables cannot be those of a cubin.
uint64_t size_of_elf(const std::byte* image) {
  const auto header = read<Elf64_Ehdr>(image);
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != kMachineCuda) return 0;
  uint64_t end = std::max(header.e_shoff + uint64_t{header.e_shnum} * sizeof(Elf64_Shdr),
                          header.e_phoff + uint64_t{header.e_phnum} * sizeof(Elf64_Phdr));
  if (end > kLargest || header.e_shoff > kLargest) return 0;
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    const auto section = read<Elf64_Shdr>(image + header.e_shoff + i * sizeof(Elf64_Shdr));
    if (section.sh_type != SHT_NOBITS) end = std::max(end, section.sh_offset + section.sh_size);
  }
  return end > kLargest ? 0 : end;
}

// ABI 7 keeps the SM number in bits 0 to 7 of e_flags, ABI 8 in bits 8 to 15.
uint32_t sm_of_elf(const std::byte* image) {
  const auto header = read<Elf64_Ehdr>(image);
  return header.e_ident[EI_ABIVERSION] >= 8 ? header.e_flags >> 8 & 0xff : header.e_flags & 0xff;
}

// The number after "sm_" in PTX's .target directive.
uint32_t sm_of_ptx(const char* text) {
  const char* target = std::strstr(text, ".target");
  const char* name = target ? std::strstr(target, "sm_") : nullptr;
  return name ? static_cast<uint32_t>(std::strtoul(name + 3, nullptr, 10)) : 0;
}

std::vector<std::byte> around(uint16_t kind, uint32_t sm, const void* payload, size_t size) {
  struct [[gnu::packed]] {
    uint32_t magic = kContainerMagic;
    uint16_t version = 1, header_size = 16;
    uint64_t size = 0;
    uint16_t kind = 0, entry_version = 0x0101;
    uint32_t entry_header = 64;
    uint64_t stored = 0;
    uint32_t compressed = 0, options = 0;
    uint16_t minor = 1, major = 8;
    uint32_t sm = 0, name = 0, name_size = 0;
    uint64_t flags = 0x15, zero = 0, uncompressed = 0;  // 64 bit, CUDA, Linux
  } header;
  static_assert(sizeof header == 80);
  const size_t padded = (size + 7) / 8 * 8;
  header.size = 64 + padded;
  header.kind = kind;
  header.stored = padded;
  header.sm = sm;
  std::vector<std::byte> container(sizeof header + padded);
  std::memcpy(container.data(), &header, sizeof header);
  std::memcpy(container.data() + sizeof header, payload, size);
  return container;
}

bool is_ptx(const char* text) {
  // PTX begins with blanks, comments and the directive .version.
  for (;;) {
    text += std::strspn(text, " \t\r\n");
    if (std::strncmp(text, "//", 2) == 0) {
      text = std::strchr(text, '\n');
    } else if (std::strncmp(text, "/*", 2) == 0) {
      text = std::strstr(text, "*/");
      if (text) text += 2;
    } else {
      return std::strncmp(text, ".version", 8) == 0;
    }
    if (!text) return false;
  }
}

}  // namespace

Result container_of_image(const void* image, std::vector<std::byte>& container) {
  if (!image) return Result::InvalidValue;
  const auto* bytes = static_cast<const std::byte*>(image);
  const auto magic = read<uint32_t>(image);
  if (magic == kWrapperMagic) {
    const auto inside = rt::container_of(image);
    container.assign(inside.begin(), inside.end());
    return container.empty() ? Result::InvalidImage : Result::Success;
  }
  if (magic == kContainerMagic) {
    const uint64_t size = read<uint64_t>(bytes + 8);
    if (size > kLargest) return Result::InvalidImage;
    container.assign(bytes, bytes + 16 + size);
    return Result::Success;
  }
  if (std::memcmp(image, ELFMAG, SELFMAG) == 0) {
    const uint64_t size = size_of_elf(bytes);
    if (size == 0) return Result::InvalidImage;
    container = around(rt::kEntryCubin, sm_of_elf(bytes), image, size);
    return Result::Success;
  }
  const auto* text = static_cast<const char*>(image);
  if (!is_ptx(text)) return Result::InvalidImage;
  container = around(rt::kEntryPtx, sm_of_ptx(text), text, std::strlen(text) + 1);
  return Result::Success;
}

Result container_of_file(const char* path, std::vector<std::byte>& container) {
  if (!path) return Result::InvalidValue;
  std::ifstream file(path, std::ios::binary);
  if (!file) return Result::FileNotFound;
  std::vector<char> content{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const size_t size = content.size();
  content.resize(std::max(size + 1, sizeof(Elf64_Ehdr)));  // text ends with a zero, a header can be read whole
  const Result result = container_of_image(content.data(), container);
  if (result == Result::Success && read<uint32_t>(content.data()) == kContainerMagic && container.size() > size)
    return Result::InvalidImage;
  return result;
}

}  // namespace cassc::cuda
