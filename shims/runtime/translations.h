// Translations of fat binaries that hold none themselves: programs that nvcc built, started by `cassc run`.
#ifndef CASSC_RUNTIME_TRANSLATIONS_H
#define CASSC_RUNTIME_TRANSLATIONS_H
#include <span>
#include <vector>

#include "fatbin.h"

namespace cassc::rt {

// The entries in $CASSC_TRANSLATIONS/<SHA-256 of the container>.fatbin, itself a container. Where the file is not there
// yet and $CASSC_TRANSLATOR is set, that shell command is run first, with the paths of a copy of the container and of the
// file to make as its arguments. Empty when there is no translation. The entries stay valid until the process ends.
std::vector<FatEntry> find_translation(std::span<const std::byte> container);

}  // namespace cassc::rt
#endif
