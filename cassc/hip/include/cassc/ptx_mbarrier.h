// Barriers in shared memory (PTX ISA 9.0, "mbarrier"): what their 64 bits hold is the implementation's own. Here: arrivals that
// are awaited yet in bits 0-19, those of the next phase in 20-39, bytes of transactions that are awaited (with a sign) in 40-62,
// and the phase's parity in 63.
#ifndef CASSC_PTX_MBARRIER_H
#define CASSC_PTX_MBARRIER_H

#ifdef __CUDA_ARCH__
namespace cassc {
namespace ptx {
using Mbarrier = unsigned long long;
constexpr Mbarrier kArrivals = 0xfffff, kTransactions = 0x7fffffull << 40, kParity = 1ull << 63;

CASSC_FN void mbarrier_init(Mbarrier* barrier, unsigned count) {
  __hip_atomic_store(barrier, count | static_cast<Mbarrier>(count) << 20, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
}
CASSC_FN Mbarrier mbarrier_with_transactions(Mbarrier state, unsigned more) {
  return (state & ~kTransactions) | ((state + (static_cast<Mbarrier>(more) << 40)) & kTransactions);
}
// The next phase, once nothing is awaited.
CASSC_FN Mbarrier mbarrier_turned(Mbarrier state) {
  if (state & (kArrivals | kTransactions)) return state;
  return ((state ^ kParity) & ~kArrivals) | (state >> 20 & kArrivals);
}
template <class Operation>
CASSC_FN Mbarrier mbarrier_update(Mbarrier* barrier, Operation operation) {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  const Mbarrier old = update<__HIP_MEMORY_SCOPE_WORKGROUP>(barrier, operation);
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  return old;
}
// The state before is the token: it tells the phase.
template <bool Drop, bool Complete>
CASSC_FN Mbarrier mbarrier_arrive(Mbarrier* barrier, unsigned count, unsigned transactions) {
  return mbarrier_update(barrier, [=](Mbarrier state) {
    state = mbarrier_with_transactions(state, transactions) - count;
    if (Drop) state -= static_cast<Mbarrier>(count) << 20;
    return Complete ? mbarrier_turned(state) : state;
  });
}
CASSC_FN void mbarrier_expect_tx(Mbarrier* barrier, unsigned bytes) {
  mbarrier_update(barrier, [=](Mbarrier state) { return mbarrier_with_transactions(state, bytes); });
}
CASSC_FN void mbarrier_complete_tx(Mbarrier* barrier, unsigned bytes) {
  mbarrier_update(barrier, [=](Mbarrier state) { return mbarrier_turned(mbarrier_with_transactions(state, 0u - bytes)); });
}
CASSC_FN unsigned mbarrier_pending(Mbarrier state) { return static_cast<unsigned>(state & kArrivals); }
CASSC_FN bool mbarrier_done_parity(Mbarrier* barrier, unsigned parity) {
  const Mbarrier state = __hip_atomic_load(barrier, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  const bool done = static_cast<unsigned>(state >> 63) != (parity & 1);
  if (!done) __builtin_amdgcn_s_sleep(1);
  return done;
}
CASSC_FN bool mbarrier_done(Mbarrier* barrier, Mbarrier token) {
  return mbarrier_done_parity(barrier, static_cast<unsigned>(token >> 63));
}
}  // namespace ptx
}  // namespace cassc
#endif
#endif
