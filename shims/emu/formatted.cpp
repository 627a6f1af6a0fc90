// MUBUF and MTBUF accesses that convert a data format, and buffer loads that go to LDS.
#include "lane_memory.h"
#include "texel.h"
#include "vector.h"

namespace cassc::emu::CASSC_EMU_VARIANT {
namespace {

// The format and the selection of components: a typed access says its format itself and takes the components as they come
// (the manual says so of no selection; a guess), an untyped one has both from the descriptor.
struct Layout {
  TexelFormat format;
  u32 select;
};
bool layout_of(Wave& w, const Op* op, Layout& layout) {
  const u32 word = w.s[op->src[2] + 3];
  const bool typed = op->flags & kTyped;
  layout.format = texel_format(typed ? op->carry_in : word >> 12 & 63);
  layout.select = typed ? 4 | 5 << 3 | 6 << 6 | 7 << 9 : word & 0xfff;
  if (layout.format.numeric != Numeric::none) return true;
  raise(w, op, 5, 0, 0, false, 0, "buffer format without a layout");
  return false;
}

// kHalf: components of 16 bits, two in a register; kHigh: one component, in the register's high half.
template <u32 kCount, bool kHalf, bool kHigh>
const Op* load_format(Wave& w, const Op* op) {
  const u32 exec = w.s[kExec];
  if (exec == 0) return next(op);
  Layout layout;
  Lanes p;
  if (!layout_of(w, op, layout)) return kFault;
  const u32 size = layout.format.bytes();
  if (!place(w, op, p, size, false, 1)) return kFault;
  if constexpr (kObserved) observe_access(w, op, p.at, p.live, size, Access::read, 0);
  u32* d = registers_out(w, op->dst);
  for (u32 l = 0; l < kLanes; ++l) {
    if (!(exec >> l & 1)) continue;
    u32 texel[4] = {};
    const bool inside = p.live >> l & 1;
    if (inside) read_texel(layout.format, p.at[l], texel);
    for (u32 i = 0; i < kCount; ++i) {
      const u32 v = inside ? selected(layout.select >> (3 * i) & 7, texel, layout.format.integer()) : 0;
      if constexpr (kHalf) {
        const u32 shift = kHigh || i & 1 ? 16 : 0;
        u32& to = d[i / 2 * kLanes + l];
        to = (to & ~(0xffffu << shift)) | narrowed(layout.format, v, w.context.f16_mode) << shift;
      } else {
        d[i * kLanes + l] = v;
      }
    }
  }
  return next(op);
}

template <u32 kCount, bool kHalf, bool kHigh>
const Op* store_format(Wave& w, const Op* op) {
  if (w.s[kExec] == 0) return next(op);
  Layout layout;
  Lanes p;
  if (!layout_of(w, op, layout)) return kFault;
  const u32 size = layout.format.bytes();
  if (!place(w, op, p, size, true, 1)) return kFault;
  if constexpr (kObserved) observe_access(w, op, p.at, p.live, size, Access::write, ~0u);
  const u32* data = registers(w, op->src[1]);
  for (u32 l = 0; l < kLanes; ++l) {
    if (!(p.live >> l & 1)) continue;
    u32 texel[4] = {};
    for (u32 i = 0; i < kCount; ++i) {
      const u32 shift = kHigh || i & 1 ? 16 : 0;
      texel[i] = kHalf ? widened(layout.format, data[i / 2 * kLanes + l] >> shift & 0xffff) : data[i * kLanes + l];
    }
    write_texel(layout.format, p.at[l], texel);
  }
  return next(op);
}

// To LDS at M0, one dword for each lane; the immediate offset counts on both sides (LLVM's description of the intrinsic).
template <class F, bool kFormat>
const Op* load_lds(Wave& w, const Op* op) {
  const u32 exec = w.s[kExec];
  if (exec == 0) return next(op);
  Layout layout;
  Lanes from, to;
  if (kFormat && !layout_of(w, op, layout)) return kFault;
  const u32 size = kFormat ? layout.format.bytes() : F::size;
  if (!place(w, op, from, size, false, 1)) return kFault;
  alignas(64) u32 address[kLanes], value[kLanes] = {};
  for (u32 l = 0; l < kLanes; ++l) address[l] = (w.s[kM0] & 0xffff) + 4 * l;
  if (!place_lds(w, op, to, address, op->imm, 4, true, 4)) return kFault;
  if constexpr (kObserved) {
    observe_access(w, op, from.at, from.live, size, Access::read, 0);
    observe_access(w, op, to.at, to.live, 4, Access::write, ~0u);
  }
  for (u32 l = 0; l < kLanes; ++l) {
    if (!(exec >> l & 1)) continue;
    if (from.live >> l & 1) {
      u32 texel[4];
      if constexpr (kFormat) {
        read_texel(layout.format, from.at[l], texel);
        value[l] = selected(layout.select & 7, texel, layout.format.integer());
      } else {
        F::load(value, l, from.at[l]);
      }
    }
    poke<u32>(to.at[l], value[l]);
  }
  return next(op);
}

// TFE: a dword behind the data says whether all of it was resident, which it always is.
const Op* with_status(Wave& w, const Op* op) {
  const Op* after = op->inner(w, op);
  if (!after) return after;
  u32* d = registers_out(w, op->dst) + op->memory->result * kLanes;
  for (u32 l = 0; l < kLanes; ++l) d[l] = w.s[kExec] >> l & 1 ? 0 : d[l];
  return after;
}

template <u32 kCount>
void enter_count(Tables& t, const char* const (&names)[8]) {
  constexpr u8 halves = (kCount + 1) / 2;
  constexpr u32 i = kCount - 1;
  const MemoryRow rows[4] = {{nullptr, &load_format<kCount, false, false>, u8(kCount), 0, 0, LD | FMT},
                             {nullptr, &store_format<kCount, false, false>, 0, u8(kCount), 0, ST | FMT},
                             {nullptr, &load_format<kCount, true, false>, halves, 0, 0, LD | FMT},
                             {nullptr, &store_format<kCount, true, false>, 0, halves, 0, ST | FMT}};
  for (u32 k = 0; k < 4; ++k) {
    t.mubuf[4 * k + i] = t.mtbuf[4 * k + i] = rows[k];
    t.mubuf[4 * k + i].name = names[k];
    t.mtbuf[4 * k + i].name = names[4 + k];
  }
}

}  // namespace

void enter_formatted(Tables& t) {
#define NAMES(c)                                                                                                        \
  {"buffer_load_format_" c,  "buffer_store_format_" c,  "buffer_load_d16_format_" c,  "buffer_store_d16_format_" c,        \
   "tbuffer_load_format_" c, "tbuffer_store_format_" c, "tbuffer_load_d16_format_" c, "tbuffer_store_d16_format_" c}
  enter_count<1>(t, NAMES("x"));
  enter_count<2>(t, NAMES("xy"));
  enter_count<3>(t, NAMES("xyz"));
  enter_count<4>(t, NAMES("xyzw"));
#undef NAMES
  t.mubuf[0x26] = {"buffer_load_d16_hi_format_x", &load_format<1, true, true>, 1, 0, 0, LD | FMT};
  t.mubuf[0x27] = {"buffer_store_d16_hi_format_x", &store_format<1, true, true>, 0, 1, 0, ST | FMT};
  t.mubuf[0x2d] = {"buffer_load_lds_u8", &load_lds<byte, false>, 0, 0, 0, LD};
  t.mubuf[0x2e] = {"buffer_load_lds_i8", &load_lds<sbyte, false>, 0, 0, 0, LD};
  t.mubuf[0x2f] = {"buffer_load_lds_u16", &load_lds<word, false>, 0, 0, 0, LD};
  t.mubuf[0x30] = {"buffer_load_lds_i16", &load_lds<sword, false>, 0, 0, 0, LD};
  t.mubuf[0x31] = {"buffer_load_lds_b32", &load_lds<dwords<1>, false>, 0, 0, 0, LD};
  t.mubuf[0x32] = {"buffer_load_lds_format_x", &load_lds<dwords<1>, true>, 0, 0, 0, LD | FMT};
  t.with_status = &with_status;
}

}  // namespace cassc::emu::CASSC_EMU_VARIANT
