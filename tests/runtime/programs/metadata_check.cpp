// Reads the metadata of a code object, whole and damaged in many ways, with the sanitizers on. Prints what the whole one says.
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

#include "codeobject.h"
#include "fatbin.h"

int main(int, char** argv) {
  std::ifstream file(argv[1], std::ios::binary);
  const std::vector<char> whole{std::istreambuf_iterator<char>(file), {}};
  auto read = [](const std::vector<char>& bytes) {
    std::string why;
    const auto* data = reinterpret_cast<const std::byte*>(bytes.data());
    const auto kernels = cassc::rt::read_metadata({data, bytes.size()}, why);
    cassc::rt::find_code_object({data, bytes.size()}, "gfx1100");
    return kernels ? *kernels : std::vector<cassc::rt::KernelMetadata>{};
  };
  for (const auto& kernel : read(whole)) {
    std::printf("%s threads %u size %u:", kernel.name.c_str(), kernel.max_threads, kernel.explicit_size);
    for (const auto& argument : kernel.arguments) std::printf(" %u+%u", argument.offset, argument.size);
    std::printf("\n");
  }
  for (size_t size = 0; size < whole.size(); size += 97) read({whole.begin(), whole.begin() + static_cast<long>(size)});
  uint32_t state = 1;
  for (int round = 0; round < 3000; ++round) {
    std::vector<char> damaged(whole.begin(), whole.begin() + std::min<long>(static_cast<long>(whole.size()), 12288));
    for (int i = 0; i < 4; ++i) {
      state = state * 1664525u + 1013904223u;
      damaged[(state >> 8) % damaged.size()] ^= static_cast<char>(state >> 24);
    }
    read(damaged);
  }
  const std::string verdicts = R"({"kernels": [{"kernel": "good", "reason": "none"}], "refused": [
  {"kernel": "bad", "reason": "no row for \"TEX\""},
  {"kernel": "cut", "reason": "no)";
  for (const char* name : {"good", "bad", "cut", "other"}) {
    const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(verdicts.data()), verdicts.size());
    std::printf("%s: %s\n", name, cassc::rt::find_refusal(bytes, name).c_str());
  }
  // A bundle whose fields are all impossible.
  for (uint64_t value : {uint64_t{1}, uint64_t{1} << 32, ~uint64_t{0}}) {
    std::vector<char> bundle(200);
    std::memcpy(bundle.data(), "__CLANG_OFFLOAD_BUNDLE__", 24);
    for (size_t at = 24; at + 8 <= bundle.size(); at += 8) std::memcpy(bundle.data() + at, &value, 8);
    read(bundle);
  }
  std::puts("done");
}
