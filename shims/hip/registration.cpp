// What clang's host code calls: registration of offload bundles, kernels and variables, and launches.
#include <elf.h>

#include <cstdio>
#include <cstring>

#include "api.h"
#include "context.h"
#include "emulated.h"
#include "fatbin.h"
#include "registry.h"

namespace rt = cassc::rt;

namespace {

constexpr uint32_t kWrapperMagic = 0x48495046;  // "HIPF"
constexpr char kBundleMagic[] = "__CLANG_OFFLOAD_BUNDLE__", kCompressedMagic[] = "CCOB";
constexpr uint32_t kContainerMagic = 0xba55ed50;

struct Wrapper {
  uint32_t magic, version;
  const void* binary;
  const void* unused;
};

template <class T>
T read(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

size_t size_of_bundle(const char* bundle) {
  constexpr size_t magic = sizeof kBundleMagic - 1;
  const uint64_t count = read<uint64_t>(bundle + magic);
  size_t end = magic + 8;
  const char* at = bundle + end;
  for (uint64_t i = 0; i < count && i < 1024; ++i) {
    const uint64_t offset = read<uint64_t>(at), size = read<uint64_t>(at + 8), name = read<uint64_t>(at + 16);
    end = std::max<size_t>(end, offset + size);
    at += 24 + name;
  }
  return end;
}

size_t size_of_elf(const char* image) {
  const auto header = read<Elf64_Ehdr>(image);
  size_t end = std::max(header.e_shoff + uint64_t{header.e_shnum} * sizeof(Elf64_Shdr), header.e_phoff + uint64_t{header.e_phnum} * sizeof(Elf64_Phdr));
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    const auto segment = read<Elf64_Phdr>(image + header.e_phoff + i * sizeof(Elf64_Phdr));
    end = std::max<size_t>(end, segment.p_offset + segment.p_filesz);
  }
  return end;
}

// This library is there to run on the emulator, and what it runs was compiled by clang, which uses unaligned access.
const bool set_up = [] {
  rt::only_emulator() = true;
  rt::strict_alignment() = false;
  return true;
}();

}  // namespace

namespace cassc::hip {

size_t size_of_image(const void* image) {
  const char* bytes = static_cast<const char*>(image);
  if (!std::memcmp(bytes, kBundleMagic, sizeof kBundleMagic - 1)) return size_of_bundle(bytes);
  if (!std::memcmp(bytes, ELFMAG, SELFMAG)) return size_of_elf(bytes);
  if (!std::memcmp(bytes, kCompressedMagic, 4)) rt::report("compressed offload bundles are not supported (build without --offload-compress)", true);
  return 0;
}

std::vector<std::byte> container_of(const void* image, size_t size) {
  // A bare code object gets a bundle around it, under the name of the device's processor.
  std::vector<std::byte> bundle;
  const auto put = [&](const void* data, size_t bytes) {
    const size_t end = bundle.size();
    bundle.resize(end + bytes);
    std::memcpy(bundle.data() + end, data, bytes);
  };
  const auto* bytes = static_cast<const std::byte*>(image);
  if (!std::memcmp(bytes, ELFMAG, SELFMAG)) {
    rt::Device* device = nullptr;
    if (rt::Context::get().open(&device) != rt::Error::Success) return {};
    const std::string id = "hipv4-amdgcn-amd-amdhsa--" + device->facts().gfx;
    const uint64_t numbers[] = {1, 4096, size, id.size()};
    put(kBundleMagic, sizeof kBundleMagic - 1);
    put(numbers, sizeof numbers);
    put(id.data(), id.size());
    bundle.resize(4096);
  }
  put(image, size);
  struct {
    uint32_t magic = kContainerMagic;
    uint16_t version = 1, header_size = 16;
    uint64_t size = 0;
    uint16_t kind = rt::kEntryBundle, entry_version = 0x0101;
    uint32_t entry_header = 32;
    uint64_t stored = 0;
    uint32_t compressed = 0, options = 0;
    uint16_t minor = 0, major = 0;
    uint32_t sm = 80;
  } header;
  static_assert(sizeof header == 48);
  bundle.resize((bundle.size() + 7) / 8 * 8);
  header.stored = bundle.size();
  header.size = 32 + bundle.size();
  std::vector<std::byte> container(sizeof header + bundle.size());
  std::memcpy(container.data(), &header, sizeof header);
  std::memcpy(container.data() + sizeof header, bundle.data(), bundle.size());
  return container;
}

}  // namespace cassc::hip

namespace {
rt::Image* image_of(void** handle) { return reinterpret_cast<rt::Image*>(handle); }
}  // namespace

HIP_API void** __hipRegisterFatBinary(const void* data) {
  Wrapper wrapper;
  std::memcpy(&wrapper, data, sizeof wrapper);
  std::vector<std::byte> container;
  if (wrapper.magic == kWrapperMagic && wrapper.binary) {
    if (const size_t size = cassc::hip::size_of_image(wrapper.binary)) container = cassc::hip::container_of(wrapper.binary, size);
  }
  return reinterpret_cast<void**>(rt::Registry::get().add_image(std::move(container)));
}
HIP_API void __hipUnregisterFatBinary(void** handle) {
  if (handle) rt::Registry::get().remove(image_of(handle));
}
HIP_API void __hipRegisterFunction(void** handle, const void* stub, char*, const char* name, unsigned, void*, void*, void*, void*, int*) {
  rt::Registry::get().add_kernel(image_of(handle), stub, name);
}
HIP_API void __hipRegisterVar(void** handle, void* host, char*, char* name, int, size_t size, int constant, int) {
  rt::Registry::get().add_variable(image_of(handle), host, nullptr, name, size, constant != 0);
}
HIP_API void __hipRegisterManagedVar(void* handle, void** host, void*, const char* name, size_t size, unsigned) {
  rt::Registry::get().add_variable(static_cast<rt::Image*>(handle), host, host, name, size, false);
}
HIP_API void __hipRegisterTexture(void**, const void*, char*, const char* name, int, int, int) {
  rt::report(std::string("texture reference ") + name + " is not supported", true);
}
HIP_API void __hipRegisterSurface(void**, const void*, char*, const char* name, int, int) {
  rt::report(std::string("surface reference ") + name + " is not supported", true);
}
