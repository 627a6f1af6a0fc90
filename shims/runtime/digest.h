// SHA-256 (FIPS 180-4), by which translations of a program's fat binaries are found.
#ifndef CASSC_RUNTIME_DIGEST_H
#define CASSC_RUNTIME_DIGEST_H
#include <cstddef>
#include <span>
#include <string>

namespace cassc::rt {

// 64 lower-case hexadecimal digits.
std::string sha256_hex(std::span<const std::byte> data);

}  // namespace cassc::rt
#endif
