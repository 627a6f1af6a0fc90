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
template <class T_>
inline constexpr bool is_float = std::is_floating_point_v<T_> || std::is_same_v<T_, _Float16>;
template <class To, class From>
CASSC_HD To as(From value) {
  if constexpr (std::is_pointer_v<To> || std::is_pointer_v<From>) {
    return (To)value;
  } else if constexpr (is_float<To> != is_float<From> && sizeof(To) == sizeof(From)) {
    return __builtin_bit_cast(To, value);
  } else {
    return static_cast<To>(value);
  }
}
template <class L_, class V_>
CASSC_HD void give(L_& target, V_ value) {
  target = as<L_>(value);
}
template <class T_>
using Unsigned = std::make_unsigned_t<T_>;
template <class T_>
struct Twice {
  using Type = std::conditional_t<std::is_signed_v<T_>, std::conditional_t<sizeof(T_) == 2, int, long long>,
                                  std::conditional_t<sizeof(T_) == 2, unsigned, unsigned long long>>;
};

#ifdef __CUDA_ARCH__
// Bits
template <class T_>
CASSC_FN T_ shift_left(T_ value, unsigned count) { return count >= 8 * sizeof(T_) ? T_(0) : static_cast<T_>(value << count); }
template <class T_>
CASSC_FN T_ shift_right(T_ value, unsigned count) {
  constexpr unsigned most = 8 * sizeof(T_) - 1;
  if (count > most) return std::is_signed_v<T_> ? static_cast<T_>(value >> most) : T_(0);
  return static_cast<T_>(value >> count);
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
template <class T_>
CASSC_FN T_ bfe(T_ value, unsigned position, unsigned length) {
  constexpr unsigned bits = 8 * sizeof(T_);
  position &= 0xff;
  length &= 0xff;
  const unsigned last = position + length - 1 < bits - 1 ? position + length - 1 : bits - 1;
  const bool sign = std::is_signed_v<T_> && length != 0 && (static_cast<Unsigned<T_>>(value) >> last & 1);
  Unsigned<T_> result = 0;
  for (unsigned i = 0; i < bits; ++i) {
    const bool bit = i < length && position + i < bits ? static_cast<Unsigned<T_>>(value) >> (position + i) & 1 : sign;
    result |= static_cast<Unsigned<T_>>(bit) << i;
  }
  return static_cast<T_>(result);
}
template <class T_>
CASSC_FN T_ bfi(T_ field, T_ into, unsigned position, unsigned length) {
  constexpr unsigned bits = 8 * sizeof(T_);
  position &= 0xff;
  length &= 0xff;
  if (position >= bits || length == 0) return into;
  const T_ ones = length >= bits ? static_cast<T_>(~T_(0)) : static_cast<T_>((T_(1) << length) - 1);
  const T_ mask = static_cast<T_>(ones << position);
  return static_cast<T_>((into & ~mask) | ((field << position) & mask));
}
// A mask of `bits` ones from `start` on; both are cut to 5 bits, or a start beyond the word gives none.
CASSC_FN unsigned bmsk_clamp(unsigned start, unsigned bits) {
  if (start >= 32) return 0;
  return (bits >= 32 ? ~0u : (1u << bits) - 1) << start;
}
CASSC_FN unsigned bmsk_wrap(unsigned start, unsigned bits) { return ((1u << (bits & 31)) - 1) << (start & 31); }
template <class T_>
CASSC_FN unsigned clz(T_ value) {
  if constexpr (sizeof(T_) == 8) return value ? __builtin_clzll(value) : 64;
  else return value ? __builtin_clz(value) : 32;
}
template <class T_>
CASSC_FN T_ brev(T_ value) {
  if constexpr (sizeof(T_) == 8) return __builtin_bitreverse64(value);
  else return __builtin_bitreverse32(value);
}
template <class T_>
CASSC_FN unsigned bfind_shift(T_ value) {
  const Unsigned<T_> bits = static_cast<Unsigned<T_>>(std::is_signed_v<T_> && value < 0 ? ~value : value);
  return bits ? clz(bits) : 0xffffffffu;
}
template <class T_>
CASSC_FN unsigned bfind(T_ value) {
  const unsigned shift = bfind_shift(value);
  return shift == 0xffffffffu ? shift : 8 * sizeof(T_) - 1 - shift;
}

// Arithmetic
template <class T_>
CASSC_FN T_ add_carry(T_ a, T_ b, unsigned in, unsigned& out) {
  T_ sum, whole;
  const bool first = __builtin_add_overflow(a, b, &sum), second = __builtin_add_overflow(sum, static_cast<T_>(in), &whole);
  out = first || second;
  return whole;
}
template <class T_>
CASSC_FN T_ sub_carry(T_ a, T_ b, unsigned in, unsigned& out) {
  T_ difference, whole;
  const bool first = __builtin_sub_overflow(a, b, &difference);
  const bool second = __builtin_sub_overflow(difference, static_cast<T_>(in), &whole);
  out = first || second;
  return whole;
}
template <class T_>
CASSC_FN T_ add_sat(T_ a, T_ b) {
  T_ sum;
  return __builtin_add_overflow(a, b, &sum) ? static_cast<T_>(a < 0 ? -0x7fffffff - 1 : 0x7fffffff) : sum;
}
template <class T_>
CASSC_FN T_ sub_sat(T_ a, T_ b) {
  T_ difference;
  return __builtin_sub_overflow(a, b, &difference) ? static_cast<T_>(a < 0 ? -0x7fffffff - 1 : 0x7fffffff) : difference;
}
template <class T_>
CASSC_FN T_ mul_lo(T_ a, T_ b) { return static_cast<T_>(static_cast<Unsigned<T_>>(a) * static_cast<Unsigned<T_>>(b)); }
template <class T_>
CASSC_FN T_ mul_hi(T_ a, T_ b) {
  if constexpr (sizeof(T_) == 8)
    return std::is_signed_v<T_> ? static_cast<T_>(__mul64hi(a, b)) : static_cast<T_>(__umul64hi(a, b));
  else
    return static_cast<T_>((static_cast<typename Twice<T_>::Type>(a) * static_cast<typename Twice<T_>::Type>(b)) >> 8 * sizeof(T_));
}
template <class T_>
CASSC_FN typename Twice<T_>::Type mul_wide(T_ a, T_ b) {
  return static_cast<typename Twice<T_>::Type>(a) * static_cast<typename Twice<T_>::Type>(b);
}
template <class T_>
CASSC_FN T_ div(T_ a, T_ b) { return b == 0 ? static_cast<T_>(-1) : static_cast<T_>(a / b); }
template <class T_>
CASSC_FN T_ rem(T_ a, T_ b) { return b == 0 ? a : static_cast<T_>(a % b); }
template <class T_>
CASSC_FN T_ sad(T_ a, T_ b, T_ c) {
  using U_ = Unsigned<T_>;
  return static_cast<T_>(static_cast<U_>(c) + (a > b ? static_cast<U_>(a) - static_cast<U_>(b) : static_cast<U_>(b) - static_cast<U_>(a)));
}
template <class T_>
CASSC_FN T_ min_nan(T_ a, T_ b) {
  return a != a || b != b ? static_cast<T_>(__builtin_bit_cast(float, 0x7fffffffu)) : __builtin_elementwise_min(a, b);
}
template <class T_>
CASSC_FN T_ max_nan(T_ a, T_ b) {
  return a != a || b != b ? static_cast<T_>(__builtin_bit_cast(float, 0x7fffffffu)) : __builtin_elementwise_max(a, b);
}
template <class T_>
CASSC_FN T_ min(T_ a, T_ b) {
  if constexpr (std::is_floating_point_v<T_>) return __builtin_elementwise_min(a, b);
  else return a < b ? a : b;
}
template <class T_>
CASSC_FN T_ max(T_ a, T_ b) {
  if constexpr (std::is_floating_point_v<T_>) return __builtin_elementwise_max(a, b);
  else return a > b ? a : b;
}
template <class T_>
CASSC_FN T_ abs(T_ a) {
  if constexpr (std::is_floating_point_v<T_>) return __builtin_elementwise_abs(a);
  else return a < 0 ? static_cast<T_>(0 - static_cast<Unsigned<T_>>(a)) : a;
}
template <class T_>
CASSC_FN T_ neg(T_ a) {
  if constexpr (std::is_floating_point_v<T_>) return -a;
  else return static_cast<T_>(0 - static_cast<Unsigned<T_>>(a));
}
template <class T_>
CASSC_FN T_ clamp01(T_ a) { return !(a > 0) ? T_(0) : a > 1 ? T_(1) : a; }

#define CASSC_COMPARE(name, expression)            \
  template <class T_>                               \
  CASSC_FN bool compare_##name(T_ a, T_ b) { return expression; }
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

template <class T_>
using float_t_of = std::conditional_t<std::is_same_v<T_, double>, double, float>;
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
template <int Mode, class T_>
CASSC_FN T_ integral(T_ value) {
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

// Ten bits of mantissa: to nearest, ties away from zero.
CASSC_FN float to_tf32(float x) {
  const unsigned bits = __builtin_bit_cast(unsigned, x);
  if ((bits & 0x7f800000) == 0x7f800000) return x;
  return __builtin_bit_cast(float, (bits + 0x1000) & ~0x1fffu);
}

// Memory
template <class T_>
CASSC_FN T_* generic_pointer(unsigned long long address) { return reinterpret_cast<T_*>(address); }
template <class T_>
CASSC_FN T_* shared_pointer(unsigned long long address) {
  return (T_*)(__attribute__((address_space(3))) T_*)(unsigned)address;
}
CASSC_FN unsigned long long to_shared(unsigned long long address) { return static_cast<unsigned>(address); }
CASSC_FN unsigned long long to_global(unsigned long long address) { return address; }
CASSC_FN unsigned long long from_global(unsigned long long address) { return address; }
CASSC_FN unsigned long long from_shared(unsigned long long address) {
  return reinterpret_cast<unsigned long long>(shared_pointer<char>(address));
}
template <int Scope, int Order, class T_>
CASSC_FN T_ load(T_* address) {
  if constexpr (Order == __ATOMIC_ACQUIRE) return __hip_atomic_load(address, __ATOMIC_ACQUIRE, Scope);
  else return __hip_atomic_load(address, __ATOMIC_RELAXED, Scope);
}
template <int Scope, int Order, class T_>
CASSC_FN void store(T_* address, T_ value) {
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
  template <int Scope, int Order, class T_>                            \
  CASSC_FN T_ atomic_##name(T_* address, T_ value) {                     \
    fence_before<Scope, Order>();                                     \
    const T_ old = expression;                                         \
    fence_behind<Scope, Order>();                                     \
    return old;                                                       \
  }
template <int Scope, class T_>
CASSC_FN T_ fetch_add(T_* address, T_ value) {
  if constexpr (std::is_same_v<T_, float>) return add_float<Scope>(address, value);
  else if constexpr (std::is_same_v<T_, double>) return update<Scope>(address, [=](double old) { return old + value; });
  else return __hip_atomic_fetch_add(address, value, __ATOMIC_RELAXED, Scope);
}
CASSC_FETCH(add, fetch_add<Scope>(address, value))
CASSC_FETCH(and, __hip_atomic_fetch_and(address, value, __ATOMIC_RELAXED, Scope))
CASSC_FETCH(or, __hip_atomic_fetch_or(address, value, __ATOMIC_RELAXED, Scope))
CASSC_FETCH(xor, __hip_atomic_fetch_xor(address, value, __ATOMIC_RELAXED, Scope))
CASSC_FETCH(min, __hip_atomic_fetch_min(address, value, __ATOMIC_RELAXED, Scope))
CASSC_FETCH(max, __hip_atomic_fetch_max(address, value, __ATOMIC_RELAXED, Scope))
CASSC_FETCH(exch, __hip_atomic_exchange(address, value, __ATOMIC_RELAXED, Scope))
CASSC_FETCH(inc, (update<Scope>(address, [=](T_ now) { return now >= value ? T_(0) : now + 1; })))
CASSC_FETCH(dec, (update<Scope>(address, [=](T_ now) { return now == 0 || now > value ? value : now - 1; })))
#undef CASSC_FETCH
template <int Scope, int Order, class T_>
CASSC_FN T_ atomic_cas(T_* address, T_ expected, T_ value) {
  fence_before<Scope, Order>();
  if constexpr (sizeof(T_) == 2)
    expected = update<Scope>(address, [=](T_ now) { return now == expected ? value : now; });
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
#include "cassc/ptx_mbarrier.h"
#endif
