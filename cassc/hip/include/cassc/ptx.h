// What translated inline PTX is made of. Registers are bits: as<T> reads a value of one kind as another.
#ifndef CASSC_PTX_H
#define CASSC_PTX_H
#include "cuda_runtime.h"

#include "cuda_pipeline_primitives.h"

// One statement. Where the host's side is compiled nothing of it is left: device functions are not emitted there.
#ifdef __CUDA_ARCH__
#define CASSC_PTX(...) \
  do {                 \
    __VA_ARGS__        \
  } while (0)
// What is not translated: an error if code is made of it, and not if it stands in a function that nobody calls.
#define CASSC_PTX_REFUSED(name, message, ...)                        \
  do {                                                               \
    __device__ __attribute__((error(message))) void name();          \
    name();                                                          \
  } while (0)
#else
#define CASSC_PTX(...) \
  do {                 \
  } while (0)
#define CASSC_PTX_REFUSED(name, message, ...) __VA_ARGS__
#endif

namespace cassc {
namespace ptx {
template <class To, class From>
CASSC_HD To as(From value) {
  if constexpr (std::is_pointer_v<To> || std::is_pointer_v<From>) {
    return (To)value;
  } else if constexpr (std::is_floating_point_v<To> != std::is_floating_point_v<From> && sizeof(To) == sizeof(From)) {
    return __builtin_bit_cast(To, value);
  } else {
    return static_cast<To>(value);
  }
}
template <class L, class V>
CASSC_HD void give(L& target, V value) {
  target = as<L>(value);
}
template <class T>
using Unsigned = std::make_unsigned_t<T>;
template <class T>
struct Twice {
  using Type = std::conditional_t<std::is_signed_v<T>, std::conditional_t<sizeof(T) == 2, int, long long>,
                                  std::conditional_t<sizeof(T) == 2, unsigned, unsigned long long>>;
};

#ifdef __CUDA_ARCH__
// Bits
template <class T>
CASSC_FN T shift_left(T value, unsigned count) { return count >= 8 * sizeof(T) ? T(0) : static_cast<T>(value << count); }
template <class T>
CASSC_FN T shift_right(T value, unsigned count) {
  constexpr unsigned most = 8 * sizeof(T) - 1;
  if (count > most) return std::is_signed_v<T> ? static_cast<T>(value >> most) : T(0);
  return static_cast<T>(value >> count);
}
CASSC_FN unsigned lop3(unsigned a, unsigned b, unsigned c, unsigned table) {
  unsigned result = 0;
  for (unsigned i = 0; i < 8; ++i)
    if (table >> i & 1) result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
  return result;
}
// Bit 3 of a selector nibble spreads the byte's sign.
CASSC_FN unsigned prmt(unsigned a, unsigned b, unsigned selector) {
  const unsigned long long both = static_cast<unsigned long long>(b) << 32 | a;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned nibble = selector >> 4 * i & 15;
    unsigned byte = static_cast<unsigned>(both >> 8 * (nibble & 7)) & 0xff;
    if (nibble & 8) byte = byte & 0x80 ? 0xff : 0;
    result |= byte << 8 * i;
  }
  return result;
}
CASSC_FN unsigned prmt_f4e(unsigned a, unsigned b, unsigned c) { c &= 3; return prmt(a, b, (c + 3) << 12 | (c + 2) << 8 | (c + 1) << 4 | c); }
CASSC_FN unsigned prmt_b4e(unsigned a, unsigned b, unsigned c) {
  c &= 3;
  return prmt(a, b, ((c + 5) & 7) << 12 | ((c + 6) & 7) << 8 | ((c + 7) & 7) << 4 | c);
}
CASSC_FN unsigned prmt_rc8(unsigned a, unsigned b, unsigned c) { return prmt(a, b, (c & 3) * 0x1111); }
CASSC_FN unsigned prmt_ecl(unsigned a, unsigned b, unsigned c) {
  c &= 3;
  return prmt(a, b, 0x3000u | (c > 2 ? c : 2u) << 8 | (c > 1 ? c : 1u) << 4 | c);
}
CASSC_FN unsigned prmt_ecr(unsigned a, unsigned b, unsigned c) {
  c &= 3;
  return prmt(a, b, c << 12 | (c < 2 ? c : 2u) << 8 | (c < 1 ? c : 1u) << 4);
}
CASSC_FN unsigned prmt_rc16(unsigned a, unsigned b, unsigned c) { return prmt(a, b, c & 1 ? 0x3232u : 0x1010u); }
template <class T>
CASSC_FN T bfe(T value, unsigned position, unsigned length) {
  constexpr unsigned bits = 8 * sizeof(T);
  position &= 0xff;
  length &= 0xff;
  const unsigned last = position + length - 1 < bits - 1 ? position + length - 1 : bits - 1;
  const bool sign = std::is_signed_v<T> && length != 0 && (static_cast<Unsigned<T>>(value) >> last & 1);
  Unsigned<T> result = 0;
  for (unsigned i = 0; i < bits; ++i) {
    const bool bit = i < length && position + i < bits ? static_cast<Unsigned<T>>(value) >> (position + i) & 1 : sign;
    result |= static_cast<Unsigned<T>>(bit) << i;
  }
  return static_cast<T>(result);
}
template <class T>
CASSC_FN T bfi(T field, T into, unsigned position, unsigned length) {
  constexpr unsigned bits = 8 * sizeof(T);
  position &= 0xff;
  length &= 0xff;
  if (position >= bits || length == 0) return into;
  const T ones = length >= bits ? static_cast<T>(~T(0)) : static_cast<T>((T(1) << length) - 1);
  const T mask = static_cast<T>(ones << position);
  return static_cast<T>((into & ~mask) | ((field << position) & mask));
}
// A mask of `bits` ones from `start` on; both are cut to 5 bits, or a start beyond the word gives none.
CASSC_FN unsigned bmsk_clamp(unsigned start, unsigned bits) {
  if (start >= 32) return 0;
  return (bits >= 32 ? ~0u : (1u << bits) - 1) << start;
}
CASSC_FN unsigned bmsk_wrap(unsigned start, unsigned bits) { return ((1u << (bits & 31)) - 1) << (start & 31); }
template <class T>
CASSC_FN unsigned clz(T value) {
  if constexpr (sizeof(T) == 8) return value ? __builtin_clzll(value) : 64;
  else return value ? __builtin_clz(value) : 32;
}
template <class T>
CASSC_FN T brev(T value) {
  if constexpr (sizeof(T) == 8) return __builtin_bitreverse64(value);
  else return __builtin_bitreverse32(value);
}
template <class T>
CASSC_FN unsigned bfind_shift(T value) {
  const Unsigned<T> bits = static_cast<Unsigned<T>>(std::is_signed_v<T> && value < 0 ? ~value : value);
  return bits ? clz(bits) : 0xffffffffu;
}
template <class T>
CASSC_FN unsigned bfind(T value) {
  const unsigned shift = bfind_shift(value);
  return shift == 0xffffffffu ? shift : 8 * sizeof(T) - 1 - shift;
}

// Arithmetic
template <class T>
CASSC_FN T add_carry(T a, T b, unsigned in, unsigned& out) {
  T sum, whole;
  const bool first = __builtin_add_overflow(a, b, &sum), second = __builtin_add_overflow(sum, static_cast<T>(in), &whole);
  out = first || second;
  return whole;
}
template <class T>
CASSC_FN T sub_carry(T a, T b, unsigned in, unsigned& out) {
  T difference, whole;
  const bool first = __builtin_sub_overflow(a, b, &difference);
  const bool second = __builtin_sub_overflow(difference, static_cast<T>(in), &whole);
  out = first || second;
  return whole;
}
template <class T>
CASSC_FN T add_sat(T a, T b) {
  T sum;
  return __builtin_add_overflow(a, b, &sum) ? static_cast<T>(a < 0 ? -0x7fffffff - 1 : 0x7fffffff) : sum;
}
template <class T>
CASSC_FN T sub_sat(T a, T b) {
  T difference;
  return __builtin_sub_overflow(a, b, &difference) ? static_cast<T>(a < 0 ? -0x7fffffff - 1 : 0x7fffffff) : difference;
}
template <class T>
CASSC_FN T mul_lo(T a, T b) { return static_cast<T>(static_cast<Unsigned<T>>(a) * static_cast<Unsigned<T>>(b)); }
template <class T>
CASSC_FN T mul_hi(T a, T b) {
  if constexpr (sizeof(T) == 8)
    return std::is_signed_v<T> ? static_cast<T>(__mul64hi(a, b)) : static_cast<T>(__umul64hi(a, b));
  else
    return static_cast<T>((static_cast<typename Twice<T>::Type>(a) * static_cast<typename Twice<T>::Type>(b)) >> 8 * sizeof(T));
}
template <class T>
CASSC_FN typename Twice<T>::Type mul_wide(T a, T b) {
  return static_cast<typename Twice<T>::Type>(a) * static_cast<typename Twice<T>::Type>(b);
}
template <class T>
CASSC_FN T div(T a, T b) { return b == 0 ? static_cast<T>(-1) : static_cast<T>(a / b); }
template <class T>
CASSC_FN T rem(T a, T b) { return b == 0 ? a : static_cast<T>(a % b); }
template <class T>
CASSC_FN T sad(T a, T b, T c) {
  using U = Unsigned<T>;
  return static_cast<T>(static_cast<U>(c) + (a > b ? static_cast<U>(a) - static_cast<U>(b) : static_cast<U>(b) - static_cast<U>(a)));
}
template <class T>
CASSC_FN T min(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) return __builtin_elementwise_min(a, b);
  else return a < b ? a : b;
}
template <class T>
CASSC_FN T max(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) return __builtin_elementwise_max(a, b);
  else return a > b ? a : b;
}
template <class T>
CASSC_FN T abs(T a) {
  if constexpr (std::is_floating_point_v<T>) return __builtin_elementwise_abs(a);
  else return a < 0 ? static_cast<T>(0 - static_cast<Unsigned<T>>(a)) : a;
}
template <class T>
CASSC_FN T neg(T a) {
  if constexpr (std::is_floating_point_v<T>) return -a;
  else return static_cast<T>(0 - static_cast<Unsigned<T>>(a));
}
template <class T>
CASSC_FN T clamp01(T a) { return !(a > 0) ? T(0) : a > 1 ? T(1) : a; }

#define CASSC_COMPARE(name, expression)            \
  template <class T>                               \
  CASSC_FN bool compare_##name(T a, T b) { return expression; }
CASSC_COMPARE(eq, a == b)
CASSC_COMPARE(ne, a == a && b == b && a != b)
CASSC_COMPARE(lt, a < b)
CASSC_COMPARE(le, a <= b)
CASSC_COMPARE(gt, a > b)
CASSC_COMPARE(ge, a >= b)
CASSC_COMPARE(equ, !(a != b) || a != a || b != b)
CASSC_COMPARE(neu, a != b)
CASSC_COMPARE(ltu, !(a >= b))
CASSC_COMPARE(leu, !(a > b))
CASSC_COMPARE(gtu, !(a <= b))
CASSC_COMPARE(geu, !(a < b))
CASSC_COMPARE(num, a == a && b == b)
CASSC_COMPARE(nan, a != a || b != b)
#undef CASSC_COMPARE

template <class T>
using float_t_of = std::conditional_t<std::is_same_v<T, double>, double, float>;
template <class To, class From>
CASSC_FN To clamp_to(From value) {
  constexpr bool is_signed = std::is_signed_v<To>;
  constexpr To highest = static_cast<To>(is_signed ? static_cast<Unsigned<To>>(~Unsigned<To>(0)) >> 1 : ~Unsigned<To>(0));
  constexpr To lowest = is_signed ? static_cast<To>(-highest - 1) : To(0);
  if constexpr (std::is_signed_v<From>) {
    if (value < 0) return is_signed && static_cast<long long>(value) > static_cast<long long>(lowest) ? static_cast<To>(value) : lowest;
  }
  return static_cast<unsigned long long>(value) > static_cast<unsigned long long>(highest) ? highest : static_cast<To>(value);
}
// Mode: 0 to nearest, 1 to zero, 2 up, 3 down.
template <int Mode, class T>
CASSC_FN T integral(T value) {
  if constexpr (Mode == 0) return __builtin_elementwise_roundeven(value);
  else if constexpr (Mode == 1) return __builtin_elementwise_trunc(value);
  else if constexpr (Mode == 2) return __builtin_elementwise_ceil(value);
  else return __builtin_elementwise_floor(value);
}
template <class To, int Mode, bool Saturate, bool Integral, class From>
CASSC_FN To convert(From value) {
  constexpr bool to_float = std::is_floating_point_v<To> || std::is_same_v<To, _Float16>;
  constexpr bool from_float = std::is_floating_point_v<From> || std::is_same_v<From, _Float16>;
  if constexpr (to_float && from_float) {
    To result;
    if constexpr (Integral) result = static_cast<To>(integral<Mode>(value));
    else if constexpr (std::is_same_v<To, float> && std::is_same_v<From, double>) result = narrow(value, Mode);
    else result = static_cast<To>(value);
    if constexpr (Saturate) return clamp01(result);
    else return result;
  } else if constexpr (to_float) {
    return from_integer<To>(value, Mode);
  } else if constexpr (from_float) {
    const float_t_of<From> whole = integral<Mode>(static_cast<float_t_of<From>>(value));
    if constexpr (sizeof(To) >= 4) return saturate<To>(whole);
    else return static_cast<To>(clamp_to<To>(saturate<int>(whole)));
  } else if constexpr (Saturate) {
    return clamp_to<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

// Memory
template <class T>
CASSC_FN T* generic_pointer(unsigned long long address) { return reinterpret_cast<T*>(address); }
template <class T>
CASSC_FN T* shared_pointer(unsigned long long address) {
  return (T*)(__attribute__((address_space(3))) T*)(unsigned)address;
}
CASSC_FN unsigned long long to_shared(unsigned long long address) { return static_cast<unsigned>(address); }
CASSC_FN unsigned long long to_global(unsigned long long address) { return address; }
CASSC_FN unsigned long long from_global(unsigned long long address) { return address; }
CASSC_FN unsigned long long from_shared(unsigned long long address) {
  return reinterpret_cast<unsigned long long>(shared_pointer<char>(address));
}
template <int Scope, int Order, class T>
CASSC_FN T load(T* address) {
  if constexpr (Order == __ATOMIC_ACQUIRE) return __hip_atomic_load(address, __ATOMIC_ACQUIRE, Scope);
  else return __hip_atomic_load(address, __ATOMIC_RELAXED, Scope);
}
template <int Scope, int Order, class T>
CASSC_FN void store(T* address, T value) {
  if constexpr (Order == __ATOMIC_RELEASE) __hip_atomic_store(address, value, __ATOMIC_RELEASE, Scope);
  else __hip_atomic_store(address, value, __ATOMIC_RELAXED, Scope);
}
// Orders stronger than relaxed are fences around a relaxed operation.
template <int Scope, int Order>
CASSC_FN void fence_before() {
  if constexpr (Order == __ATOMIC_RELEASE || Order == __ATOMIC_ACQ_REL) {
    if constexpr (Scope == __HIP_MEMORY_SCOPE_WORKGROUP) __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    else if constexpr (Scope == __HIP_MEMORY_SCOPE_AGENT) __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
    else __builtin_amdgcn_fence(__ATOMIC_RELEASE, "");
  }
}
template <int Scope, int Order>
CASSC_FN void fence_behind() {
  if constexpr (Order == __ATOMIC_ACQUIRE || Order == __ATOMIC_ACQ_REL) {
    if constexpr (Scope == __HIP_MEMORY_SCOPE_WORKGROUP) __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
    else if constexpr (Scope == __HIP_MEMORY_SCOPE_AGENT) __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
    else __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "");
  }
}
#define CASSC_FETCH(name, expression)                                 \
  template <int Scope, int Order, class T>                            \
  CASSC_FN T atomic_##name(T* address, T value) {                     \
    fence_before<Scope, Order>();                                     \
    const T old = expression;                                         \
    fence_behind<Scope, Order>();                                     \
    return old;                                                       \
  }
CASSC_FETCH(add, __hip_atomic_fetch_add(address, value, __ATOMIC_RELAXED, Scope))
CASSC_FETCH(and, __hip_atomic_fetch_and(address, value, __ATOMIC_RELAXED, Scope))
CASSC_FETCH(or, __hip_atomic_fetch_or(address, value, __ATOMIC_RELAXED, Scope))
CASSC_FETCH(xor, __hip_atomic_fetch_xor(address, value, __ATOMIC_RELAXED, Scope))
CASSC_FETCH(min, __hip_atomic_fetch_min(address, value, __ATOMIC_RELAXED, Scope))
CASSC_FETCH(max, __hip_atomic_fetch_max(address, value, __ATOMIC_RELAXED, Scope))
CASSC_FETCH(exch, __hip_atomic_exchange(address, value, __ATOMIC_RELAXED, Scope))
CASSC_FETCH(inc, (update<Scope>(address, [=](T now) { return now >= value ? T(0) : now + 1; })))
CASSC_FETCH(dec, (update<Scope>(address, [=](T now) { return now == 0 || now > value ? value : now - 1; })))
#undef CASSC_FETCH
template <int Scope, int Order, class T>
CASSC_FN T atomic_cas(T* address, T expected, T value) {
  fence_before<Scope, Order>();
  if constexpr (sizeof(T) == 2)
    expected = update<Scope>(address, [=](T now) { return now == expected ? value : now; });
  else
    __hip_atomic_compare_exchange_strong(address, &expected, value, __ATOMIC_RELAXED, __ATOMIC_RELAXED, Scope);
  fence_behind<Scope, Order>();
  return expected;
}
CASSC_FN void copy_async(void* target, const void* source, unsigned size, unsigned copied) {
  __pipeline_memcpy_async(target, source, size, copied < size ? size - copied : 0);
}

// shfl.sync: c holds the last lane of a segment in bits 0-4 and the segment's mask in bits 8-12.
CASSC_FN unsigned shuffled(unsigned value, unsigned from, bool inside) {
  return permute(value, inside ? from : lane());
}
CASSC_FN unsigned shfl_up(unsigned value, unsigned b, unsigned c, bool& inside) {
  const int own = static_cast<int>(lane()), mask = static_cast<int>(c >> 8 & 31), from = own - static_cast<int>(b & 31);
  inside = from >= ((own & mask) | (static_cast<int>(c & 31) & ~mask));
  return shuffled(value, static_cast<unsigned>(from), inside);
}
CASSC_FN unsigned shfl_down(unsigned value, unsigned b, unsigned c, bool& inside) {
  const unsigned own = lane(), mask = c >> 8 & 31, from = own + (b & 31);
  inside = from <= ((own & mask) | (c & 31 & ~mask));
  return shuffled(value, from, inside);
}
CASSC_FN unsigned shfl_bfly(unsigned value, unsigned b, unsigned c, bool& inside) {
  const unsigned own = lane(), mask = c >> 8 & 31, from = own ^ (b & 31);
  inside = from <= ((own & mask) | (c & 31 & ~mask));
  return shuffled(value, from, inside);
}
CASSC_FN unsigned shfl_idx(unsigned value, unsigned b, unsigned c, bool& inside) {
  const unsigned own = lane(), mask = c >> 8 & 31, from = (own & mask) | (b & 31 & ~mask);
  inside = from <= ((own & mask) | (c & 31 & ~mask));
  return shuffled(value, from, inside);
}
#endif
}  // namespace ptx
}  // namespace cassc
#endif
