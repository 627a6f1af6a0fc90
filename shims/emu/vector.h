// Between vector.cpp (VOP1, VOP2, VOP3, VOPC, VOPD), packed.cpp (VOP3P) and tables.cpp of one variant.
#pragma once
#include "machine.h"

namespace cassc::emu::CASSC_EMU_VARIANT {
void enter_vop12(Tables& t);
void enter_vop3(Tables& t);
void enter_vopc(Tables& t);
void enter_vop3p(Tables& t);
void enter_scalar(Tables& t);
void enter_memory(Tables& t);
void enter_ds(Tables& t);
void enter_formatted(Tables& t);
void enter_image(Tables& t);
void enter_image12(Tables& t);
const Op* matrix12(Wave& w, const Op* op);
void differ_gfx12(Tables& t);  // makes gfx12's table of gfx11's
// Rearranges a source as the operation's DPP word says; returns the lanes that may be written.
u32 apply_dpp(const Op* op, u32 exec, const u32* from, u32* to, u32 registers);
const Op* vector_slow(Wave& w, const Op* op);
const Op* dual(Wave& w, const Op* op);
const Op* flags_first(Wave& w, const Op* op);
}  // namespace cassc::emu::CASSC_EMU_VARIANT
