// Recognising a static CUDA runtime in a stripped file by what a table says of each version of the library: offsets of
// its functions, and hashes of a few of them without the bytes that a linker fills in. A table holds no code.
//
//   cassc-redirect 1
//   version 13                              (major)
//   anchor 7a40 1f2 9c0d...e1 10-4 3b-7     (offset, length, FNV-1a, bytes left out: offset in the anchor - length; all hex)
//   function cudaMalloc 7a40 1f2            (name, offset, size)
#ifndef CASSC_REDIRECT_SIGNATURE_H
#define CASSC_REDIRECT_SIGNATURE_H
#include <optional>
#include <string_view>

#include "entries.h"

namespace cassc::redirect {

// The functions where a table fits, an empty StaticRuntime where none does.
StaticRuntime find_by_signature(const ElfFile& file, std::string_view tables);

}  // namespace cassc::redirect
#endif
