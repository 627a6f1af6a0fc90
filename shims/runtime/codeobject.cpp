#include "codeobject.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string_view>

namespace cassc::rt {
namespace {

using Bytes = std::span<const std::byte>;

constexpr uint32_t kMetadataNote = 32;  // NT_AMDGPU_METADATA
constexpr uint16_t kAmdGpuMachine = 224;

struct Broken : std::runtime_error {
  using std::runtime_error::runtime_error;
};

template <class T>
T at(Bytes bytes, uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) throw Broken("the code object is cut off");
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

Bytes part(Bytes bytes, uint64_t offset, uint64_t size) {
  if (offset > bytes.size() || size > bytes.size() - offset) throw Broken("the code object is cut off");
  return bytes.subspan(offset, size);
}

// A reader of MessagePack (msgpack.org, "Specification"): as much as metadata uses. A value is either taken by one of the
// typed functions or passed over by skip.
class MessagePack {
 public:
  explicit MessagePack(Bytes bytes) : bytes_(bytes) {}

  uint64_t map() { return container(0x80, 0xde, "a map"); }
  uint64_t array() { return container(0x90, 0xdc, "an array"); }

  std::string_view text() {
    const uint8_t tag = byte();
    uint64_t size = 0;
    if ((tag & 0xe0) == 0xa0) size = tag & 0x1f;
    else if (tag >= 0xd9 && tag <= 0xdb) size = big_endian(1u << (tag - 0xd9));
    else throw Broken("the metadata has no string where one must be");
    return take(size);
  }

  uint64_t number() {
    const uint8_t tag = byte();
    if (tag < 0x80) return tag;
    if (tag >= 0xcc && tag <= 0xcf) return big_endian(1u << (tag - 0xcc));
    throw Broken("the metadata has no number where one must be");
  }

  void skip(int depth = 0) {
    if (depth > 32) throw Broken("the metadata is nested too deeply");
    const uint8_t tag = std::to_integer<uint8_t>(at<std::byte>(bytes_, position_));
    if ((tag & 0xf0) == 0x80 || tag == 0xde || tag == 0xdf) {
      for (uint64_t left = 2 * map(); left; --left) skip(depth + 1);
    } else if ((tag & 0xf0) == 0x90 || tag == 0xdc || tag == 0xdd) {
      for (uint64_t left = array(); left; --left) skip(depth + 1);
    } else if ((tag & 0xe0) == 0xa0 || (tag >= 0xd9 && tag <= 0xdb)) {
      text();
    } else {
      ++position_;
      if (tag >= 0xc4 && tag <= 0xc6) take(big_endian(1u << (tag - 0xc4)));
      else if (tag == 0xca) take(4);
      else if (tag == 0xcb) take(8);
      else if (tag >= 0xcc && tag <= 0xcf) take(1u << (tag - 0xcc));
      else if (tag >= 0xd0 && tag <= 0xd3) take(1u << (tag - 0xd0));
      else if (tag >= 0xc7 && tag <= 0xc9) take(big_endian(1u << (tag - 0xc7)) + 1);
      else if (tag >= 0xd4 && tag <= 0xd8) take((1u << (tag - 0xd4)) + 1);
      // otherwise nil, a boolean or a small integer: one byte
    }
  }

 private:
  uint8_t byte() { return std::to_integer<uint8_t>(at<std::byte>(bytes_, position_++)); }
  uint64_t big_endian(unsigned size) {
    uint64_t value = 0;
    for (unsigned i = 0; i < size; ++i) value = value << 8 | byte();
    return value;
  }
  std::string_view take(uint64_t size) {
    Bytes taken = part(bytes_, position_, size);
    position_ += size;
    return {reinterpret_cast<const char*>(taken.data()), taken.size()};
  }
  uint64_t container(uint8_t small, uint8_t large, const char* what) {
    const uint8_t tag = byte();
    if ((tag & 0xf0) == small) return tag & 0x0f;
    if (tag == large) return big_endian(2);
    if (tag == large + 1) return big_endian(4);
    throw Broken(std::string("the metadata lacks ") + what);
  }

  Bytes bytes_;
  uint64_t position_ = 0;
};

Bytes find_metadata(Bytes elf) {
  const auto header = at<Elf64_Ehdr>(elf, 0);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_machine != kAmdGpuMachine)
    throw Broken("it is no ELF file for AMDGPU");
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    const auto segment = at<Elf64_Phdr>(elf, header.e_phoff + uint64_t{i} * header.e_phentsize);
    if (segment.p_type != PT_NOTE) continue;
    const Bytes notes = part(elf, segment.p_offset, segment.p_filesz);
    for (uint64_t offset = 0; offset + sizeof(Elf64_Nhdr) <= notes.size();) {
      const auto note = at<Elf64_Nhdr>(notes, offset);
      const uint64_t name = offset + sizeof note;
      const uint64_t content = name + (uint64_t{note.n_namesz} + 3) / 4 * 4;
      if (note.n_type == kMetadataNote && note.n_namesz == 7 &&
          std::memcmp(part(notes, name, 7).data(), "AMDGPU", 7) == 0)
        return part(notes, content, note.n_descsz);
      offset = content + (uint64_t{note.n_descsz} + 3) / 4 * 4;
    }
  }
  throw Broken("it has no AMDGPU metadata");
}

void read_argument(MessagePack& pack, KernelMetadata& kernel) {
  KernelArgument argument;
  std::string_view kind, name;
  for (uint64_t fields = pack.map(); fields; --fields) {
    const std::string_view key = pack.text();
    if (key == ".offset") argument.offset = static_cast<uint32_t>(pack.number());
    else if (key == ".size") argument.size = static_cast<uint32_t>(pack.number());
    else if (key == ".value_kind") kind = pack.text();
    else if (key == ".name") name = pack.text();
    else pack.skip();
  }
  if (kind.starts_with("hidden_")) return;
  const uint64_t end = uint64_t{argument.offset} + argument.size;
  if (end > 1u << 20) throw Broken("an argument lies beyond every kernarg segment");
  if (name == kGridArgument && argument.size == sizeof(uint64_t)) kernel.grid_argument = argument.offset;
  else kernel.arguments.push_back(argument);
  kernel.explicit_size = std::max(kernel.explicit_size, static_cast<uint32_t>(end));
}

KernelMetadata read_kernel(MessagePack& pack) {
  KernelMetadata kernel;
  for (uint64_t fields = pack.map(); fields; --fields) {
    const std::string_view key = pack.text();
    auto number = [&] { return static_cast<uint32_t>(pack.number()); };
    if (key == ".name") kernel.name = pack.text();
    else if (key == ".group_segment_fixed_size") kernel.static_shared = number();
    else if (key == ".private_segment_fixed_size") kernel.scratch = number();
    else if (key == ".max_flat_workgroup_size") kernel.max_threads = number();
    else if (key == ".vgpr_count") kernel.registers = number();
    else if (key == ".args") for (uint64_t left = pack.array(); left; --left) read_argument(pack, kernel);
    else pack.skip();
  }
  return kernel;
}

}  // namespace

std::optional<std::vector<KernelMetadata>> read_metadata(Bytes code_object, std::string& why) {
  try {
    MessagePack pack(find_metadata(code_object));
    std::vector<KernelMetadata> kernels;
    for (uint64_t fields = pack.map(); fields; --fields) {
      if (pack.text() != "amdhsa.kernels") {
        pack.skip();
        continue;
      }
      for (uint64_t left = pack.array(); left; --left) kernels.push_back(read_kernel(pack));
    }
    return kernels;
  } catch (const Broken& broken) {
    why = broken.what();
    return std::nullopt;
  }
}

}  // namespace cassc::rt
