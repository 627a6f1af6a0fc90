// Translations of fat binaries that hold none themselves: programs that nvcc built, started by `cassc run`.
#ifndef CASSC_RUNTIME_TRANSLATIONS_H
#define CASSC_RUNTIME_TRANSLATIONS_H
#include <span>
#include <string>
#include <vector>

#include "fatbin.h"

namespace cassc::rt {

// The entries in $CASSC_TRANSLATIONS/<SHA-256 of the container>.fatbin, itself a container. Where the file is not there
// yet and $CASSC_TRANSLATOR is set, that shell command is run first, with the paths of a copy of the container and of the
// file to make as its arguments. Empty when there is no translation. The entries stay valid until the process ends.
//
// With a kernel's name, of a code object with this kernel alone: the file is <SHA-256 of the container>.<SHA-256 of the
// name>.fatbin, and the name is the command's third argument.
std::vector<FatEntry> find_translation(std::span<const std::byte> container, const std::string& kernel = {});

// Whether translations can be made while the program runs.
bool translates();

}  // namespace cassc::rt
#endif
