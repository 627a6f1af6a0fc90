// Prints the SHA-256 of the first N bytes of a file for each N given.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <span>
#include <vector>

#include "digest.h"

int main(int count, char** arguments) {
  std::ifstream file(arguments[1], std::ios::binary);
  const std::vector<char> data{std::istreambuf_iterator<char>(file), {}};
  for (int i = 2; i < count; ++i) {
    const std::span<const char> part(data.data(), std::strtoul(arguments[i], nullptr, 10));
    std::puts(cassc::rt::sha256_hex(std::as_bytes(part)).c_str());
  }
}
