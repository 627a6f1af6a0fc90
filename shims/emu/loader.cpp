// ELF code objects into device memory. Every offset of the file is checked before it is used.
#include <algorithm>
#include <cstring>
#include <functional>

#include "device.h"

namespace cassc::emu {
namespace {

struct Header { u8 ident[16]; u16 type, machine; u32 version; u64 entry, phoff, shoff; u32 flags; u16 ehsize, phentsize, phnum, shentsize, shnum, shstrndx; };
struct ProgramHeader { u32 type, flags; u64 offset, vaddr, paddr, filesz, memsz, align; };
struct SectionHeader { u32 name, type; u64 flags, addr, offset, size; u32 link, info; u64 addralign, entsize; };
struct Symbol { u32 name; u8 info, other; u16 shndx; u64 value, size; };
struct Rela { u64 offset, info; i64 addend; };
struct Dynamic { i64 tag; u64 value; };
static_assert(sizeof(Header) == 64 && sizeof(ProgramHeader) == 56 && sizeof(SectionHeader) == 64 && sizeof(Symbol) == 24 && sizeof(Rela) == 24);

constexpr u32 kLoad = 1, kDynamic = 2, kNote = 4;
constexpr u64 kMaxImage = u64(1) << 31;

struct Chip { const char* name; u32 mach; };
constexpr Chip kChips[] = {{"gfx1100", 0x41}, {"gfx1101", 0x46}, {"gfx1102", 0x47}, {"gfx1103", 0x44}, {"gfx1150", 0x43}, {"gfx1151", 0x4a},
                           {"gfx1200", 0x48}, {"gfx1201", 0x4e}};
constexpr u32 kGeneric11 = 0x54, kGeneric12 = 0x59;  // gfx11-generic, gfx12-generic

class Loader {
 public:
  Loader(cassc_emu_device& device, const u8* data, size_t size, cassc_emu_module& module)
      : device_(device), data_(data), size_(size), module_(module) {}

  cassc_emu_status run() {
    if (!headers() || !place() || !dynamic() || !relocate() || !metadata() || !kernels() || !globals()) return status_;
    return CASSC_EMU_OK;
  }

 private:
  cassc_emu_device& device_;
  const u8* data_;
  size_t size_;
  cassc_emu_module& module_;
  cassc_emu_status status_ = CASSC_EMU_BAD_CODE_OBJECT;
  std::vector<ProgramHeader> segments_;
  u64 low_ = ~u64(0), high_ = 0, base_ = 0;  // base_: device address of virtual address 0
  u64 symtab_ = 0, strtab_ = 0, strsz_ = 0, rela_ = 0, relasz_ = 0, hash_ = 0;
  u64 symbols_ = 0;
  std::vector<KernelMetadata> metadata_;

  bool fail(const std::string& why) {
    set_error("code object: " + why);
    return false;
  }
  template <class T>
  bool from_file(u64 offset, T& value) const {
    if (offset > size_ || sizeof(T) > size_ - offset) return false;
    std::memcpy(&value, data_ + offset, sizeof(T));
    return true;
  }
  // Virtual addresses: only what a loadable segment covers exists.
  bool covered(u64 vaddr, u64 size) const {
    return std::any_of(segments_.begin(), segments_.end(), [&](const ProgramHeader& s) {
      return s.type == kLoad && vaddr >= s.vaddr && size <= s.memsz && vaddr - s.vaddr <= s.memsz - size;
    });
  }
  template <class T>
  bool from_image(u64 vaddr, T& value) const {
    if (!covered(vaddr, sizeof(T))) return false;
    std::memcpy(&value, reinterpret_cast<const void*>(base_ + vaddr), sizeof(T));
    return true;
  }
  bool text_at(u64 offset, std::string& text) const {
    if (offset >= strsz_ || !covered(strtab_, strsz_)) return false;
    const char* p = reinterpret_cast<const char*>(base_ + strtab_ + offset);
    const size_t n = strnlen(p, strsz_ - offset);
    if (n == strsz_ - offset) return false;
    text.assign(p, n);
    return true;
  }

  bool headers() {
    Header h;
    if (!from_file(0, h) || std::memcmp(h.ident, "\177ELF", 4) != 0) return fail("not an ELF file");
    if (h.ident[4] != 2 || h.ident[5] != 1) return fail("not a 64-bit little-endian ELF file");
    if (h.machine != 224) return fail("not for AMDGPU");
    if (h.type != 3) return fail("not a shared object (is it linked?)");
    if (h.ident[7] != 64) return fail("not for the HSA runtime");
    const u32 mach = h.flags & 0xff;
    const auto chip = std::find_if(std::begin(kChips), std::end(kChips), [&](const Chip& c) { return c.mach == mach; });
    const u32 generic = device_.gfx12() ? kGeneric12 : kGeneric11;
    if (mach != generic && (chip == std::end(kChips) || device_.gfx != chip->name)) {
      return fail("made for " + std::string(chip == std::end(kChips) ? "another processor" : chip->name) + ", the device is " + device_.gfx);
    }
    if (h.phentsize != sizeof(ProgramHeader) || h.phnum == 0 || h.phnum > 64) return fail("bad program header table");
    for (u32 i = 0; i < h.phnum; ++i) {
      ProgramHeader p;
      if (!from_file(h.phoff + u64(i) * sizeof p, p)) return fail("program header table past the end of the file");
      if (p.filesz && (p.offset > size_ || p.filesz > size_ - p.offset)) return fail("segment past the end of the file");
      if (p.type == kLoad) {
        if (p.filesz > p.memsz || p.vaddr + p.memsz < p.vaddr || p.vaddr + p.memsz > kMaxImage) return fail("bad segment size");
        if (!p.memsz) continue;
        low_ = std::min(low_, p.vaddr);
        high_ = std::max(high_, p.vaddr + p.memsz);
      }
      segments_.push_back(p);
    }
    return high_ > low_ || fail("no loadable segment");
  }

  bool place() {
    constexpr u64 kPage = 4096;
    low_ = low_ / kPage * kPage;
    const u64 span = high_ - low_;
    module_.image = device_.memory.allocate(span + kPage);
    if (!module_.image) {
      status_ = CASSC_EMU_OUT_OF_MEMORY;
      return fail("no device memory for its segments");
    }
    const u64 start = (module_.image + kPage - 1) / kPage * kPage;
    base_ = start - low_;
    module_.bias = base_;
    std::memset(reinterpret_cast<void*>(start), 0, span);
    std::vector<HostRange> pieces;
    for (const ProgramHeader& p : segments_) {
      if (p.type != kLoad) continue;
      std::memcpy(reinterpret_cast<void*>(base_ + p.vaddr), data_ + p.offset, p.filesz);
      pieces.push_back({base_ + p.vaddr, p.memsz});
    }
    std::sort(pieces.begin(), pieces.end(), [](const HostRange& a, const HostRange& b) { return a.base < b.base; });
    device_.memory.restrict_to(module_.image, pieces);
    return true;
  }

  bool dynamic() {
    const auto d = std::find_if(segments_.begin(), segments_.end(), [](const ProgramHeader& p) { return p.type == kDynamic; });
    if (d == segments_.end()) return fail("no dynamic section");
    for (u64 at = d->vaddr; at + sizeof(Dynamic) <= d->vaddr + d->memsz; at += sizeof(Dynamic)) {
      Dynamic entry;
      if (!from_image(at, entry)) return fail("dynamic section outside the segments");
      switch (entry.tag) {
        case 0: at = ~u64(0) - 2 * sizeof(Dynamic); break;
        case 4: hash_ = entry.value; break;
        case 5: strtab_ = entry.value; break;
        case 6: symtab_ = entry.value; break;
        case 7: rela_ = entry.value; break;
        case 8: relasz_ = entry.value; break;
        case 10: strsz_ = entry.value; break;
        default: break;
      }
      if (entry.tag == 0) break;
    }
    if (!symtab_ || !strtab_) return fail("no dynamic symbols");
    u32 buckets_and_chains[2];
    if (hash_ && from_image(hash_, buckets_and_chains)) {
      symbols_ = buckets_and_chains[1];
    } else {
      // The section table knows too.
      Header h;
      from_file(0, h);
      for (u32 i = 0; i < h.shnum; ++i) {
        SectionHeader s;
        if (!from_file(h.shoff + u64(i) * sizeof s, s)) break;
        if (s.type == 11) symbols_ = s.size / sizeof(Symbol);
      }
    }
    if (!symbols_ || symbols_ > kMaxImage / sizeof(Symbol) || !covered(symtab_, symbols_ * sizeof(Symbol))) return fail("dynamic symbols outside the segments");
    return true;
  }

  bool relocate() {
    if (relasz_ % sizeof(Rela) != 0 || (relasz_ && !covered(rela_, relasz_))) return fail("relocations outside the segments");
    for (u64 at = rela_; at < rela_ + relasz_; at += sizeof(Rela)) {
      Rela r;
      from_image(at, r);
      const u32 type = u32(r.info), index = u32(r.info >> 32);
      u64 value = u64(r.addend) + base_;
      if (type == 0) continue;
      if (type != 13) {
        Symbol s;
        if (index >= symbols_ || !from_image(symtab_ + index * sizeof s, s)) return fail("relocation of an unknown symbol");
        std::string name;
        text_at(s.name, name);
        if (s.shndx == 0) return fail("undefined symbol " + name);
        value += s.value;
      }
      const u32 width = type == 3 || type == 13 ? 8 : 4;
      if (!covered(r.offset, width)) return fail("relocation outside the segments");
      const u64 place = base_ + r.offset;
      switch (type) {
        case 1: case 6: break;                // ABS32_LO, ABS32
        case 2: value >>= 32; break;          // ABS32_HI
        case 3: case 13: break;               // ABS64, RELATIVE64
        case 4: value -= place; break;        // REL32
        case 10: value -= place; break;       // REL32_LO
        case 11: value = (value - place) >> 32; break;
        default: return fail("relocation type " + std::to_string(type));
      }
      std::memcpy(reinterpret_cast<void*>(place), &value, width);
    }
    return true;
  }

  bool metadata() {
    for (const ProgramHeader& p : segments_) {
      if (p.type != kNote) continue;
      for (u64 at = p.offset; at + 12 <= p.offset + p.filesz;) {
        u32 head[3];
        if (!from_file(at, head)) return fail("bad note");
        const u64 name = at + 12, description = name + (u64(head[0]) + 3) / 4 * 4, end = description + (u64(head[1]) + 3) / 4 * 4;
        if (description + head[1] > p.offset + p.filesz) return fail("bad note");
        if (head[2] == 32 && head[0] >= 7 && std::memcmp(data_ + name, "AMDGPU", 7) == 0) {
          std::string why;
          if (!read_metadata(data_ + description, head[1], metadata_, why)) return fail(why);
        }
        at = end;
      }
    }
    return true;
  }

  void each_symbol(const std::function<void(const Symbol&, const std::string&)>& visit) const {
    for (u64 i = 1; i < symbols_; ++i) {
      Symbol s;
      std::string name;
      if (from_image(symtab_ + i * sizeof s, s) && s.shndx != 0 && text_at(s.name, name)) visit(s, name);
    }
  }

  static bool holds_call(u64 address, u64 dwords) {
    const u32* code = reinterpret_cast<const u32*>(address);
    return std::any_of(code, code + dwords, [](u32 w) { return (w & 0xff80ff00u) == 0xbe804900u; });  // s_swappc_b64
  }

  bool kernels() {
    std::map<std::string, u64, std::less<>> descriptors;
    std::map<u64, u64> functions;
    each_symbol([&](const Symbol& s, const std::string& name) {
      descriptors[name] = s.value;
      if ((s.info & 15) == 2) functions[s.value] = s.size;  // STT_FUNC
    });
    for (KernelMetadata& m : metadata_) {
      const auto found = descriptors.find(m.symbol);
      u8 raw[64];
      if (found == descriptors.end() || !from_image(found->second, raw)) return fail("no kernel descriptor " + m.symbol);
      auto kernel = std::make_unique<cassc_emu_kernel>();
      Descriptor& d = kernel->descriptor;
      const auto field = [&](size_t at, auto& value) { std::memcpy(&value, raw + at, sizeof value); };
      field(0, d.group_size);
      field(4, d.private_size);
      field(8, d.kernarg_size);
      field(16, d.entry_offset);
      field(44, d.rsrc3);
      field(48, d.rsrc1);
      field(52, d.rsrc2);
      field(56, d.properties);
      field(58, d.preload);
      if (!(d.properties >> 10 & 1)) return fail(m.name + " is for wave64");
      if (d.group_size > kMaxLds || d.private_size > (1u << 24)) return fail("bad segment size in the descriptor of " + m.name);
      if (m.kernarg_size > 65536 || d.kernarg_size > 65536) return fail("bad kernarg size of " + m.name);
      const u64 entry = found->second + u64(d.entry_offset);
      for (const ProgramHeader& p : segments_) {
        if (p.type == kLoad && (p.flags & 1) && entry >= p.vaddr && entry < p.vaddr + p.memsz) {
          const u64 begin = (base_ + p.vaddr + 3) / 4 * 4;
          kernel->text = {begin, base_ + p.vaddr + p.memsz - begin};
        }
      }
      if (!kernel->text.size || entry % 4 != 0) return fail("entry of " + m.name + " is not in executable code");
      kernel->entry = base_ + entry;
      const auto function = functions.find(entry);
      if (function != functions.end() && covered(entry, function->second)) kernel->calls = holds_call(kernel->entry, function->second / 4);
      kernel->module = &module_;
      kernel->metadata = std::move(m);
      module_.kernels.push_back(std::move(kernel));
    }
    return true;
  }

  bool globals() {
    each_symbol([&](const Symbol& s, const std::string& name) {
      if ((s.info & 15) != 1 || !covered(s.value, s.size)) return;  // STT_OBJECT
      if (name.size() > 3 && name.compare(name.size() - 3, 3, ".kd") == 0) return;
      module_.globals[name] = {base_ + s.value, s.size};
      if (s.size) device_.memory.name_part(base_ + s.value, s.size);
    });
    return true;
  }
};

}  // namespace

cassc_emu_status load_module(cassc_emu_device& device, const u8* elf, size_t size, cassc_emu_module& module) {
  module.device = &device;
  const cassc_emu_status status = Loader(device, elf, size, module).run();
  if (status != CASSC_EMU_OK && module.image) {
    device.memory.release(module.image);
    module.image = 0;
  }
  return status;
}

}  // namespace cassc::emu
