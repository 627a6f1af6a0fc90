#include "metadata.h"

#include <cstring>

namespace cassc::emu {
namespace {

// A MessagePack reader over a bounded buffer. Every read reports failure once the data is malformed.
class Reader {
 public:
  Reader(const uint8_t* data, size_t size) : p_(data), end_(data + size) {}
  bool ok() const { return ok_; }

  bool map(uint32_t& count) {
    uint8_t tag;
    if (!byte(tag)) return false;
    if ((tag & 0xf0) == 0x80) return count = tag & 15, true;
    if (tag == 0xde) return sized(2, count);
    if (tag == 0xdf) return sized(4, count);
    return fail();
  }
  bool array(uint32_t& count) {
    uint8_t tag;
    if (!byte(tag)) return false;
    if ((tag & 0xf0) == 0x90) return count = tag & 15, true;
    if (tag == 0xdc) return sized(2, count);
    if (tag == 0xdd) return sized(4, count);
    return fail();
  }
  bool text(std::string& value) {
    uint8_t tag;
    uint32_t n;
    if (!byte(tag)) return false;
    if ((tag & 0xe0) == 0xa0) n = tag & 31;
    else if (tag < 0xd9 || tag > 0xdb) return fail();
    else if (!sized(1u << (tag - 0xd9), n)) return false;
    if (n > size_t(end_ - p_)) return fail();
    value.assign(reinterpret_cast<const char*>(p_), n);
    p_ += n;
    return true;
  }
  // Unsigned, or a boolean as 0 or 1.
  bool number(uint32_t& value) {
    uint8_t tag;
    if (!byte(tag)) return false;
    if (tag < 0x80) return value = tag, true;
    if (tag == 0xc2 || tag == 0xc3) return value = tag & 1, true;
    if (tag >= 0xcc && tag <= 0xce) return sized(1u << (tag - 0xcc), value);
    if (tag >= 0xd0 && tag <= 0xd2) return sized(1u << (tag - 0xd0), value);
    if (tag == 0xcf || tag == 0xd3) {
      uint32_t high;
      return sized(4, high) && sized(4, value) && (high == 0 || fail());
    }
    return fail();
  }
  bool skip(int depth = 0) {
    uint8_t tag;
    uint32_t n = 0;
    if (depth > 32 || !byte(tag)) return fail();
    if (tag < 0x80 || tag >= 0xe0 || tag == 0xc0 || tag == 0xc2 || tag == 0xc3) return true;
    if ((tag & 0xe0) == 0xa0) return advance(tag & 31);
    if ((tag & 0xf0) == 0x90) return items(tag & 15, depth);
    if ((tag & 0xf0) == 0x80) return items(2u * (tag & 15), depth);
    switch (tag) {
      case 0xc4: case 0xd9: return sized(1, n) && advance(n);
      case 0xc5: case 0xda: return sized(2, n) && advance(n);
      case 0xc6: case 0xdb: return sized(4, n) && advance(n);
      case 0xcc: case 0xd0: return advance(1);
      case 0xcd: case 0xd1: return advance(2);
      case 0xca: case 0xce: case 0xd2: return advance(4);
      case 0xcb: case 0xcf: case 0xd3: return advance(8);
      case 0xdc: return sized(2, n) && items(n, depth);
      case 0xdd: return sized(4, n) && items(n, depth);
      case 0xde: return sized(2, n) && items(2ull * n, depth);
      case 0xdf: return sized(4, n) && items(2ull * n, depth);
      default: return fail();
    }
  }

 private:
  const uint8_t* p_;
  const uint8_t* end_;
  bool ok_ = true;

  bool fail() { return ok_ = false; }
  bool byte(uint8_t& value) {
    if (p_ == end_) return fail();
    value = *p_++;
    return true;
  }
  bool sized(uint32_t bytes, uint32_t& value) {
    value = 0;
    if (bytes > size_t(end_ - p_)) return fail();
    while (bytes--) value = value << 8 | *p_++;
    return true;
  }
  bool advance(size_t n) {
    if (n > size_t(end_ - p_)) return fail();
    p_ += n;
    return true;
  }
  bool items(uint64_t n, int depth) {
    while (n--) {
      if (!skip(depth + 1)) return false;
    }
    return true;
  }
};

void classify(const std::string& kind, Argument& argument) {
  if (kind.rfind("hidden_", 0) != 0) return;
  argument.hidden = Hidden::zero;
  std::string what = kind.substr(7);
  if (what.size() > 2 && what[what.size() - 2] == '_' && what.back() >= 'x' && what.back() <= 'z') {
    argument.axis = uint8_t(what.back() - 'x');
    what.resize(what.size() - 2);
  }
  static constexpr struct { const char* name; Hidden hidden; } kKinds[] = {
      {"block_count", Hidden::block_count},   {"group_size", Hidden::group_size}, {"remainder", Hidden::remainder},
      {"global_offset", Hidden::global_offset}, {"grid_dims", Hidden::grid_dims}, {"dynamic_lds_size", Hidden::dynamic_lds_size},
      {"private_base", Hidden::private_base}, {"shared_base", Hidden::shared_base},
      {"multigrid_sync_arg", Hidden::grid_sync}, {"hostcall_buffer", Hidden::hostcall_buffer}, {"heap_v1", Hidden::heap},
      {"printf_buffer", Hidden::printf_buffer}};
  for (const auto& known : kKinds) {
    if (what == known.name) argument.hidden = known.hidden;
  }
}

bool read_arguments(Reader& r, std::vector<Argument>& arguments) {
  uint32_t count;
  if (!r.array(count)) return false;
  while (count--) {
    uint32_t pairs;
    Argument argument;
    if (!r.map(pairs)) return false;
    while (pairs--) {
      std::string key, kind;
      if (!r.text(key)) return false;
      if (key == ".offset") {
        if (!r.number(argument.offset)) return false;
      } else if (key == ".size") {
        if (!r.number(argument.size)) return false;
      } else if (key == ".value_kind") {
        if (!r.text(kind)) return false;
        classify(kind, argument);
      } else if (!r.skip()) {
        return false;
      }
    }
    arguments.push_back(argument);
  }
  return true;
}

bool read_kernel(Reader& r, KernelMetadata& kernel) {
  uint32_t pairs;
  if (!r.map(pairs)) return false;
  while (pairs--) {
    std::string key;
    if (!r.text(key)) return false;
    uint32_t flag = 0;
    bool good;
    if (key == ".name") good = r.text(kernel.name);
    else if (key == ".symbol") good = r.text(kernel.symbol);
    else if (key == ".kernarg_segment_size") good = r.number(kernel.kernarg_size);
    else if (key == ".group_segment_fixed_size") good = r.number(kernel.group_size);
    else if (key == ".private_segment_fixed_size") good = r.number(kernel.private_size);
    else if (key == ".max_flat_workgroup_size") good = r.number(kernel.max_workgroup);
    else if (key == ".vgpr_count") good = r.number(kernel.vgprs);
    else if (key == ".sgpr_count") good = r.number(kernel.sgprs);
    else if (key == ".uses_dynamic_stack") good = r.number(flag), kernel.dynamic_stack = flag;
    else if (key == ".args") good = read_arguments(r, kernel.arguments);
    else good = r.skip();
    if (!good) return false;
  }
  return true;
}

}  // namespace

bool read_metadata(const uint8_t* data, size_t size, std::vector<KernelMetadata>& kernels, std::string& why) {
  Reader r(data, size);
  uint32_t pairs;
  why = "malformed metadata note";
  if (!r.map(pairs)) return false;
  while (pairs--) {
    std::string key;
    if (!r.text(key)) return false;
    if (key != "amdhsa.kernels") {
      if (!r.skip()) return false;
      continue;
    }
    uint32_t count;
    if (!r.array(count)) return false;
    while (count--) {
      KernelMetadata kernel;
      if (!read_kernel(r, kernel)) return false;
      if (kernel.name.empty() || kernel.symbol.empty()) {
        why = "kernel without a name in the metadata note";
        return false;
      }
      for (const Argument& argument : kernel.arguments) {
        if (argument.size > 65536 || argument.offset > 65536 || argument.offset + argument.size > kernel.kernarg_size) {
          why = "argument outside the kernarg segment of " + kernel.name;
          return false;
        }
      }
      kernels.push_back(std::move(kernel));
    }
  }
  why.clear();
  return true;
}

}  // namespace cassc::emu
