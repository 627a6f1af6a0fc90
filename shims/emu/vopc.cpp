// VOPC rows: comparisons into a lane mask, and their v_cmpx twins into EXEC.
#include "meaning.h"
#include "vector.h"

namespace cassc::emu::CASSC_EMU_VARIANT {
namespace {

#define VOPC(n, suffix, A, B, ...) CASSC_ROW(cmp_##suffix, none, A, B, none, CMP, co = (__VA_ARGS__))
#include "isa/vopc.def"
#undef VOPC

}  // namespace

void enter_vopc(Tables& t) {
#define VOPC(n, suffix, A, B, ...)                             \
  enter<cmp_##suffix##_row>(t.vop3[n], "v_cmp_" #suffix);      \
  t.vop3[n + 0x80] = t.vop3[n];                                \
  t.vop3[n + 0x80].name = "v_cmpx_" #suffix;                   \
  t.vop3[n + 0x80].flags |= CMPX;
#include "isa/vopc.def"
#undef VOPC
}

}  // namespace cassc::emu::CASSC_EMU_VARIANT
