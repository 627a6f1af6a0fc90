#include "front_end.h"

namespace cassc::redirect {

FrontEnd::FrontEnd(const link_map* map)
    : map_(map),
      symbols_(reinterpret_cast<const ElfW(Sym)*>(dynamic(DT_SYMTAB))),
      strings_(reinterpret_cast<const char*>(dynamic(DT_STRTAB))),
      hash_(reinterpret_cast<const uint32_t*>(dynamic(DT_GNU_HASH))) {}

uint64_t FrontEnd::dynamic(int64_t tag) const {
  for (const ElfW(Dyn)* entry = map_->l_ld; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag != tag) continue;
    // The loader turns these into addresses once it has seen the object.
    return entry->d_un.d_ptr < map_->l_addr ? map_->l_addr + entry->d_un.d_ptr : entry->d_un.d_ptr;
  }
  return 0;
}

// The GNU hash table: {buckets, first symbol, bloom words, bloom shift}, bloom filter, buckets, chains.
uint64_t FrontEnd::find(std::string_view name) const {
  if (!hash_ || !symbols_ || !strings_) return 0;
  uint32_t hash = 5381;
  for (const char c : name) hash = hash * 33 + static_cast<unsigned char>(c);
  const uint32_t buckets = hash_[0], first = hash_[1], bloom = hash_[2];
  const uint32_t* bucket = hash_ + 4 + 2 * bloom;
  const uint32_t* chain = bucket + buckets;
  if (!buckets) return 0;
  for (uint32_t index = bucket[hash % buckets]; index >= first; ++index) {
    const uint32_t value = chain[index - first];
    const ElfW(Sym)& symbol = symbols_[index];
    if ((value | 1) == (hash | 1) && symbol.st_shndx != SHN_UNDEF && name == strings_ + symbol.st_name)
      return map_->l_addr + symbol.st_value;
    if (value & 1) break;
  }
  return 0;
}

}  // namespace cassc::redirect
