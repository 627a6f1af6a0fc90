// Fat binaries as the host program registers them, and the code objects that cassc put into them.
#ifndef CASSC_RUNTIME_FATBIN_H
#define CASSC_RUNTIME_FATBIN_H
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "types.h"

namespace cassc::rt {

constexpr uint16_t kEntryPtx = 1, kEntryCubin = 2;
constexpr uint16_t kEntryBundle = 0x4843;    // private: a clang offload bundle of code objects
constexpr uint16_t kEntryVerdicts = 0x4856;  // private: JSON

struct FatEntry {
  uint16_t kind = 0;
  uint32_t sm = 0;  // 80 for sm_80
  std::span<const std::byte> payload;
};

// The container that a wrapper (.nvFatBinSegment, magic 0x466243b1) points at, header included; empty when it is none.
CASSC_EXPORT std::span<const std::byte> container_of(const void* wrapper);

// The entries of a container; those before the damage where it is damaged.
std::vector<FatEntry> read_container(std::span<const std::byte> container);

// The code object for gfx ("gfx1100") in an offload bundle; empty when there is none.
std::span<const std::byte> find_code_object(std::span<const std::byte> bundle, const std::string& gfx);

// Why a kernel was left out of the translation, from the text of a verdicts entry; empty when it says nothing of it.
std::string find_refusal(std::span<const std::byte> verdicts, const std::string& kernel);

}  // namespace cassc::rt
#endif
