// Atomic functions (CUDA C++ Programming Guide, "Atomic Functions"): device-wide, and _block and _system forms. All are relaxed.
#ifndef CASSC_ATOMIC_H
#define CASSC_ATOMIC_H

#ifdef __CUDA_ARCH__
namespace cassc {
// Any update of 16, 32 or 64 bits by compare and swap; gives the old value.
template <int Scope, class T_, class Operation>
CASSC_FN T_ update(T_* address, Operation operation) {
  if constexpr (sizeof(T_) == 2) {
    const unsigned long long place = reinterpret_cast<unsigned long long>(address);
    unsigned* const word = reinterpret_cast<unsigned*>(place & ~3ull);
    const int shift = static_cast<int>(place & 2) * 8;
    unsigned old = __hip_atomic_load(word, __ATOMIC_RELAXED, Scope), wanted;
    do {
      const T_ now = __builtin_bit_cast(T_, static_cast<unsigned short>(old >> shift));
      const unsigned changed = __builtin_bit_cast(unsigned short, static_cast<T_>(operation(now)));
      wanted = (old & ~(0xffffu << shift)) | changed << shift;
    } while (!__hip_atomic_compare_exchange_weak(word, &old, wanted, __ATOMIC_RELAXED, __ATOMIC_RELAXED, Scope));
    return __builtin_bit_cast(T_, static_cast<unsigned short>(old >> shift));
  } else {
    using Word = std::conditional_t<sizeof(T_) == 8, unsigned long long, unsigned>;
    Word* const word = reinterpret_cast<Word*>(address);
    Word old = __hip_atomic_load(word, __ATOMIC_RELAXED, Scope), wanted;
    do {
      wanted = __builtin_bit_cast(Word, static_cast<T_>(operation(__builtin_bit_cast(T_, old))));
    } while (!__hip_atomic_compare_exchange_weak(word, &old, wanted, __ATOMIC_RELAXED, __ATOMIC_RELAXED, Scope));
    return __builtin_bit_cast(T_, old);
  }
}
CASSC_FN float without_subnormals(float x) {
  return __builtin_fabsf(x) < 0x1p-126f ? __builtin_copysignf(0.0f, x) : x;
}
// Global memory's additions of floats take and give no subnormals, shared memory's do (PTX ISA, "atom"). LLVM would add up the
// values of a wave first, in an order of its own: it leaves alone what has an address that differs from lane to lane.
template <int Scope>
CASSC_FN float add_float(float* address, float value) {
  if (__builtin_amdgcn_is_shared(address)) {
    using Shared = __attribute__((address_space(3))) float;
    unsigned offset = (unsigned)(Shared*)address;
    asm("" : "+v"(offset));
    return __hip_atomic_fetch_add((Shared*)offset, value, __ATOMIC_RELAXED, Scope);
  }
  return update<Scope>(address, [=](float old) {
    return without_subnormals(without_subnormals(old) + without_subnormals(value));
  });
}
}  // namespace cassc
#endif

#define CASSC_ATOMIC(suffix, scope, name, type, expression)                                        \
  CASSC_FN type name##suffix(type* address, type value) CASSC_BODY(                                \
      constexpr int kScope = scope; return expression;)
#define CASSC_FETCH(operation) __hip_atomic_##operation(address, value, __ATOMIC_RELAXED, kScope)

#define CASSC_ATOMICS_INTEGER(suffix, scope, type)                                                                   \
  CASSC_ATOMIC(suffix, scope, atomicAdd, type, CASSC_FETCH(fetch_add))                                               \
  CASSC_ATOMIC(suffix, scope, atomicExch, type, CASSC_FETCH(exchange))                                               \
  CASSC_ATOMIC(suffix, scope, atomicMin, type, CASSC_FETCH(fetch_min))                                               \
  CASSC_ATOMIC(suffix, scope, atomicMax, type, CASSC_FETCH(fetch_max))                                               \
  CASSC_ATOMIC(suffix, scope, atomicAnd, type, CASSC_FETCH(fetch_and))                                               \
  CASSC_ATOMIC(suffix, scope, atomicOr, type, CASSC_FETCH(fetch_or))                                                 \
  CASSC_ATOMIC(suffix, scope, atomicXor, type, CASSC_FETCH(fetch_xor))                                               \
  CASSC_ATOMIC(suffix, scope, atomicSub, type, __hip_atomic_fetch_add(address, static_cast<type>(0 - value), __ATOMIC_RELAXED, kScope)) \
  CASSC_FN type atomicCAS##suffix(type* address, type expected, type value) CASSC_BODY(                              \
      __hip_atomic_compare_exchange_strong(address, &expected, value, __ATOMIC_RELAXED, __ATOMIC_RELAXED, scope);    \
      return expected;)
#define CASSC_ATOMICS_SCOPE(suffix, scope)                                                                           \
  CASSC_ATOMICS_INTEGER(suffix, scope, int)                                                                          \
  CASSC_ATOMICS_INTEGER(suffix, scope, unsigned)                                                                     \
  CASSC_ATOMICS_INTEGER(suffix, scope, long)                                                                         \
  CASSC_ATOMICS_INTEGER(suffix, scope, unsigned long)                                                                \
  CASSC_ATOMICS_INTEGER(suffix, scope, long long)                                                                    \
  CASSC_ATOMICS_INTEGER(suffix, scope, unsigned long long)                                                           \
  CASSC_ATOMIC(suffix, scope, atomicAdd, float, cassc::add_float<kScope>(address, value))                            \
  CASSC_ATOMIC(suffix, scope, atomicAdd, double,                                                                     \
               (cassc::update<kScope>(address, [=](double old) { return old + value; })))                            \
  CASSC_ATOMIC(suffix, scope, atomicExch, float, CASSC_FETCH(exchange))                                              \
  CASSC_ATOMIC(suffix, scope, atomicExch, double, CASSC_FETCH(exchange))                                             \
  CASSC_ATOMIC(suffix, scope, atomicInc, unsigned,                                                                   \
               (cassc::update<kScope>(address, [=](unsigned old) { return old >= value ? 0u : old + 1; })))          \
  CASSC_ATOMIC(suffix, scope, atomicDec, unsigned,                                                                   \
               (cassc::update<kScope>(address, [=](unsigned old) { return old == 0 || old > value ? value : old - 1; }))) \
  CASSC_FN unsigned short atomicCAS##suffix(unsigned short* address, unsigned short expected, unsigned short value)  \
      CASSC_BODY(return (cassc::update<scope>(address, [=](unsigned short old) { return old == expected ? value : old; }));) \
  CASSC_FN float2 atomicAdd##suffix(float2* address, float2 value) CASSC_BODY(                                       \
      return float2{atomicAdd##suffix(&address->x, value.x), atomicAdd##suffix(&address->y, value.y)};)              \
  CASSC_FN float4 atomicAdd##suffix(float4* address, float4 value) CASSC_BODY(                                       \
      return float4{atomicAdd##suffix(&address->x, value.x), atomicAdd##suffix(&address->y, value.y),                \
                    atomicAdd##suffix(&address->z, value.z), atomicAdd##suffix(&address->w, value.w)};)

CASSC_ATOMICS_SCOPE(, __HIP_MEMORY_SCOPE_AGENT)
CASSC_ATOMICS_SCOPE(_block, __HIP_MEMORY_SCOPE_WORKGROUP)
CASSC_ATOMICS_SCOPE(_system, __HIP_MEMORY_SCOPE_SYSTEM)
#undef CASSC_ATOMICS_SCOPE
#undef CASSC_ATOMICS_INTEGER
#undef CASSC_FETCH
#undef CASSC_ATOMIC
#endif
