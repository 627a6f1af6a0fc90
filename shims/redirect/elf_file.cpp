#include "elf_file.h"

#include <cstring>

namespace cassc::redirect {

ElfFile::ElfFile(Bytes file) : file_(file) {
  const auto* header = at<Elf64_Ehdr>(0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64) return;
  if (header->e_machine != EM_X86_64 || (header->e_type != ET_EXEC && header->e_type != ET_DYN)) return;
  header_ = header;
}

template <class T>
const T* ElfFile::at(uint64_t offset, uint64_t count) const {
  if (offset % alignof(T) || offset > file_.size() || count > (file_.size() - offset) / sizeof(T)) return nullptr;
  return reinterpret_cast<const T*>(file_.data() + offset);
}

std::span<const Elf64_Shdr> ElfFile::sections() const {
  const auto* first = at<Elf64_Shdr>(header_->e_shoff, header_->e_shnum);
  if (!first || header_->e_shentsize != sizeof(Elf64_Shdr)) return {};
  return {first, header_->e_shnum};
}

const Elf64_Shdr* ElfFile::symbol_table() const {
  for (const Elf64_Shdr& section : sections())
    if (section.sh_type == SHT_SYMTAB && section.sh_link < sections().size()) return &section;
  return nullptr;
}

bool ElfFile::has_symbols() const { return symbol_table() != nullptr; }

void ElfFile::functions(const std::function<void(std::string_view, uint64_t, uint64_t)>& visit) const {
  const Elf64_Shdr* table = symbol_table();
  if (!table) return;
  const Elf64_Shdr& names = sections()[table->sh_link];
  const uint64_t count = table->sh_size / sizeof(Elf64_Sym);
  const auto* symbols = at<Elf64_Sym>(table->sh_offset, count);
  const auto* strings = at<char>(names.sh_offset, names.sh_size);
  if (!symbols || !strings || !names.sh_size || strings[names.sh_size - 1]) return;
  for (const Elf64_Sym& symbol : std::span(symbols, count)) {
    if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || !symbol.st_value || symbol.st_name >= names.sh_size) continue;
    visit(strings + symbol.st_name, symbol.st_value, symbol.st_size);
  }
}

std::vector<CodeStretch> ElfFile::code() const {
  std::vector<CodeStretch> found;
  const auto* first = at<Elf64_Phdr>(header_->e_phoff, header_->e_phnum);
  if (!first || header_->e_phentsize != sizeof(Elf64_Phdr)) return found;
  for (const Elf64_Phdr& segment : std::span(first, header_->e_phnum))
    if (segment.p_type == PT_LOAD && segment.p_flags & PF_X && at<char>(segment.p_offset, segment.p_filesz))
      found.push_back({segment.p_vaddr, file_.subspan(segment.p_offset, segment.p_filesz)});
  return found;
}

bool ElfFile::contains(std::string_view text) const {
  return memmem(file_.data(), file_.size(), text.data(), text.size()) != nullptr;
}

}  // namespace cassc::redirect
