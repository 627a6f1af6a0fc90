// FLAT, GLOBAL, SCRATCH and MUBUF rows.
#include "lane_memory.h"
#include "vector.h"

namespace cassc::emu::CASSC_EMU_VARIANT {
namespace {

// Caches are not modelled, but the host's processor may let a load pass an earlier store.
const Op* invalidate(Wave&, const Op* op) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  return next(op);
}

#define ATOMIC(n, suffix, type, count, ...)                                                                              \
  struct suffix##_atomic { using T = type; static constexpr int operands = count;                                        \
    CASSC_INLINE void eval(T& r, [[maybe_unused]] T old, T a, [[maybe_unused]] T b) { __VA_ARGS__; } };
#include "isa/atomic.def"
#undef ATOMIC

}  // namespace

void enter_memory(Tables& t) {
  // The same rows under each segment's prefix.
#define LOAD(n, suffix, format)                                                                          \
  t.flat[n] = {"flat_" #suffix, &load<format>, u8(format::count), 0, 0, LD};                             \
  t.global[n] = {"global_" #suffix, &load<format>, u8(format::count), 0, 0, LD};                         \
  t.scratch[n] = {"scratch_" #suffix, &load<format>, u8(format::count), 0, 0, LD};                       \
  t.mubuf[n] = {"buffer_" #suffix, &load<format>, u8(format::count), 0, 0, LD};
#define STORE(n, suffix, format)                                                                         \
  t.flat[n] = {"flat_" #suffix, &store<format>, 0, u8(format::count), 0, ST};                            \
  t.global[n] = {"global_" #suffix, &store<format>, 0, u8(format::count), 0, ST};                        \
  t.scratch[n] = {"scratch_" #suffix, &store<format>, 0, u8(format::count), 0, ST};                      \
  t.mubuf[n] = {"buffer_" #suffix, &store<format>, 0, u8(format::count), 0, ST};
#include "isa/vmem.def"
#undef LOAD
#undef STORE
#define ATOMIC(n, suffix, type, count, ...)                                                                              \
  t.flat[n] = {"flat_atomic_" #suffix, &atomic<suffix##_atomic>, sizeof(type) / 4, count * sizeof(type) / 4, 0, AT};     \
  t.global[n] = {"global_atomic_" #suffix, &atomic<suffix##_atomic>, sizeof(type) / 4, count * sizeof(type) / 4, 0, AT}; \
  t.mubuf[n] = {"buffer_atomic_" #suffix, &atomic<suffix##_atomic>, sizeof(type) / 4, count * sizeof(type) / 4, 0, AT};
#include "isa/atomic.def"
#undef ATOMIC
  t.flat[0x37] = {};  // csub exists for global and buffer addresses only
  t.global[0x28] = {"global_load_addtid_b32", &load<dwords<1>>, 1, 0, 0, LD | NOADDR};
  t.global[0x29] = {"global_store_addtid_b32", &store<dwords<1>>, 0, 1, 0, ST | NOADDR};
  t.mubuf[0x2b] = {"buffer_gl0_inv", &invalidate, 0, 0, 0, NODATA};
  t.mubuf[0x2c] = {"buffer_gl1_inv", &invalidate, 0, 0, 0, NODATA};
}

}  // namespace cassc::emu::CASSC_EMU_VARIANT
