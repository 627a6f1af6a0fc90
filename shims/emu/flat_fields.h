// Fields of the 64-bit memory encodings.
#pragma once
#include "machine.h"

namespace cassc::emu {

struct DsFields {
  u32 op, offset, gds, addr, data0, data1, vdst;
  DsFields(u32 w, u32 x)
      : op(w >> 18 & 255), offset(w & 0xffff), gds(w >> 17 & 1), addr(x & 255), data0(x >> 8 & 255), data1(x >> 16 & 255), vdst(x >> 24) {}
};

struct FlatFields {
  u32 op, segment;
  i32 offset;
  u32 dlc, glc, slc, addr, data, saddr, sve, vdst, scope = 0;  // scope: gfx12
  FlatFields() = default;
  FlatFields(u32 w, u32 x)
      : op(w >> 18 & 127), segment(w >> 16 & 3), offset(i32(w << 19) >> 19), dlc(w >> 13 & 1), glc(w >> 14 & 1), slc(w >> 15 & 1),
        addr(x & 255), data(x >> 8 & 255), saddr(x >> 16 & 127), sve(x >> 23 & 1), vdst(x >> 24) {}
};

struct BufferFields {
  u32 op, offset, glc, vaddr, vdata, srsrc, tfe, offen, idxen, soffset;  // srsrc: a register's number
  BufferFields() = default;
  BufferFields(u32 w, u32 x)
      : op(w >> 18 & 255), offset(w & 0xfff), glc(w >> 14 & 1), vaddr(x & 255), vdata(x >> 8 & 255), srsrc((x >> 16 & 31) * 4), tfe(x >> 21 & 1),
        offen(x >> 22 & 1), idxen(x >> 23 & 1), soffset(x >> 24) {}
};

}  // namespace cassc::emu
