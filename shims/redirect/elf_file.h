// A linked ELF64 file as bytes: section headers, symbols and executable segments, with every offset checked.
#ifndef CASSC_REDIRECT_ELF_FILE_H
#define CASSC_REDIRECT_ELF_FILE_H
#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace cassc::redirect {

using Bytes = std::span<const std::byte>;

struct CodeStretch {
  uint64_t address;  // as linked
  Bytes bytes;
};

class ElfFile {
 public:
  explicit ElfFile(Bytes file);
  bool valid() const { return header_ != nullptr; }

  bool has_symbols() const;
  // Every defined function of .symtab: name, address, size.
  void functions(const std::function<void(std::string_view, uint64_t, uint64_t)>& visit) const;
  std::vector<CodeStretch> code() const;  // executable segments
  bool contains(std::string_view text) const;

 private:
  template <class T>
  const T* at(uint64_t offset, uint64_t count = 1) const;
  std::span<const Elf64_Shdr> sections() const;
  const Elf64_Shdr* symbol_table() const;

  Bytes file_;
  const Elf64_Ehdr* header_ = nullptr;
};

}  // namespace cassc::redirect
#endif
