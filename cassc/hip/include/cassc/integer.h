// Integer intrinsics (CUDA Math API, "Integer Intrinsics" and "Type Casting Intrinsics" of bits).
#ifndef CASSC_INTEGER_H
#define CASSC_INTEGER_H

CASSC_FN int __popc(unsigned x) CASSC_BODY(return __builtin_popcount(x);)
CASSC_FN int __popcll(unsigned long long x) CASSC_BODY(return __builtin_popcountll(x);)
CASSC_FN int __clz(int x) CASSC_BODY(return x ? __builtin_clz(static_cast<unsigned>(x)) : 32;)
CASSC_FN int __clzll(long long x) CASSC_BODY(return x ? __builtin_clzll(static_cast<unsigned long long>(x)) : 64;)
CASSC_FN int __ffs(int x) CASSC_BODY(return __builtin_ffs(x);)
CASSC_FN int __ffsll(long long x) CASSC_BODY(return __builtin_ffsll(x);)
CASSC_FN unsigned __brev(unsigned x) CASSC_BODY(return __builtin_bitreverse32(x);)
CASSC_FN unsigned long long __brevll(unsigned long long x) CASSC_BODY(return __builtin_bitreverse64(x);)

CASSC_FN int __mulhi(int a, int b) CASSC_BODY(return static_cast<int>((static_cast<long long>(a) * b) >> 32);)
CASSC_FN unsigned __umulhi(unsigned a, unsigned b) CASSC_BODY(
    return static_cast<unsigned>((static_cast<unsigned long long>(a) * b) >> 32);)
CASSC_FN long long __mul64hi(long long a, long long b) CASSC_BODY(
    return static_cast<long long>((static_cast<__int128>(a) * b) >> 64);)
CASSC_FN unsigned long long __umul64hi(unsigned long long a, unsigned long long b) CASSC_BODY(
    return static_cast<unsigned long long>((static_cast<unsigned __int128>(a) * b) >> 64);)
// The low 32 bits of the product of the operands' low 24 bits.
CASSC_FN int __mul24(int a, int b) CASSC_BODY(
    return static_cast<int>(static_cast<unsigned>(a << 8 >> 8) * static_cast<unsigned>(b << 8 >> 8));)
CASSC_FN unsigned __umul24(unsigned a, unsigned b) CASSC_BODY(return (a & 0xffffffu) * (b & 0xffffffu);)

CASSC_FN unsigned __sad(int a, int b, unsigned c) CASSC_BODY(
    return c + (a > b ? static_cast<unsigned>(a) - static_cast<unsigned>(b) : static_cast<unsigned>(b) - static_cast<unsigned>(a));)
CASSC_FN unsigned __usad(unsigned a, unsigned b, unsigned c) CASSC_BODY(return c + (a > b ? a - b : b - a);)
CASSC_FN int __hadd(int a, int b) CASSC_BODY(return static_cast<int>((static_cast<long long>(a) + b) >> 1);)
CASSC_FN int __rhadd(int a, int b) CASSC_BODY(return static_cast<int>((static_cast<long long>(a) + b + 1) >> 1);)
CASSC_FN unsigned __uhadd(unsigned a, unsigned b) CASSC_BODY(
    return static_cast<unsigned>((static_cast<unsigned long long>(a) + b) >> 1);)
CASSC_FN unsigned __urhadd(unsigned a, unsigned b) CASSC_BODY(
    return static_cast<unsigned>((static_cast<unsigned long long>(a) + b + 1) >> 1);)

CASSC_FN unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) CASSC_BODY(
    return static_cast<unsigned>(((static_cast<unsigned long long>(high) << 32 | low) << (shift & 31)) >> 32);)
CASSC_FN unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) CASSC_BODY(
    return static_cast<unsigned>((static_cast<unsigned long long>(high) << 32 | low) >> (shift & 31));)
CASSC_FN unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) CASSC_BODY(
    return shift >= 32 ? low : __funnelshift_l(low, high, shift);)
CASSC_FN unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) CASSC_BODY(
    return shift >= 32 ? high : __funnelshift_r(low, high, shift);)

// Selector nibbles 0 to 7 take a byte of b:a; bit 3 spreads that byte's sign.
CASSC_FN unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) CASSC_BODY(
    const unsigned long long both = static_cast<unsigned long long>(b) << 32 | a;
    unsigned result = 0;
    for (int i = 0; i < 4; ++i) {
      const unsigned byte = static_cast<unsigned>(both >> 8 * ((selector >> 4 * i) & 7)) & 0xff;
      result |= byte << 8 * i;
    }
    return result;)

namespace cassc {
template <class T_>
CASSC_HD unsigned find_nth_set(unsigned mask, unsigned base, T_ offset) {
  // __fns: the offset-th set bit from base on, upwards or downwards; 0 asks for the bit at base itself.
  if (offset == 0) return mask >> (base & 31) & 1 ? base : 0xffffffffu;
  const int step = offset > 0 ? 1 : -1;
  int left = offset > 0 ? static_cast<int>(offset) : -static_cast<int>(offset);
  for (int bit = static_cast<int>(base); bit >= 0 && bit < 32; bit += step)
    if ((mask >> bit & 1) && --left == 0) return static_cast<unsigned>(bit);
  return 0xffffffffu;
}
}  // namespace cassc
CASSC_FN unsigned __fns(unsigned mask, unsigned base, int offset) CASSC_BODY(
    return cassc::find_nth_set(mask, base, offset);)

// Dot products with accumulation.
#ifdef __CUDA_ARCH__
namespace cassc {
template <class A_, class B_>
CASSC_FN auto dot_bytes(A_ a, B_ b) {
  using Wide = decltype(A_{} * B_{});
  Wide sum = 0;
  for (int i = 0; i < 4; ++i) {
    constexpr bool signed_a = static_cast<A_>(-1) < 0, signed_b = static_cast<B_>(-1) < 0;
    const Wide x = signed_a ? static_cast<Wide>(static_cast<signed char>(a >> 8 * i)) : static_cast<Wide>(static_cast<unsigned char>(a >> 8 * i));
    const Wide y = signed_b ? static_cast<Wide>(static_cast<signed char>(b >> 8 * i)) : static_cast<Wide>(static_cast<unsigned char>(b >> 8 * i));
    sum += x * y;
  }
  return sum;
}
template <class T_>
CASSC_FN T_ dot_halves(T_ a, T_ b, T_ c, int shift) {
  constexpr bool is_signed = static_cast<T_>(-1) < 0;
  for (int i = 0; i < 2; ++i) {
    const T_ x = is_signed ? static_cast<T_>(static_cast<short>(a >> 16 * i)) : static_cast<T_>(static_cast<unsigned short>(a >> 16 * i));
    const T_ y = is_signed ? static_cast<T_>(static_cast<signed char>(b >> (shift + 8 * i))) : static_cast<T_>(static_cast<unsigned char>(b >> (shift + 8 * i)));
    c += x * y;
  }
  return c;
}
CASSC_FN int pack(char4 v) { return __builtin_bit_cast(int, v); }
CASSC_FN unsigned pack(uchar4 v) { return __builtin_bit_cast(unsigned, v); }
CASSC_FN int pack(short2 v) { return __builtin_bit_cast(int, v); }
CASSC_FN unsigned pack(ushort2 v) { return __builtin_bit_cast(unsigned, v); }
}  // namespace cassc
#endif
CASSC_FN int __dp4a(int a, int b, int c) CASSC_BODY(return c + cassc::dot_bytes(a, b);)
CASSC_FN unsigned __dp4a(unsigned a, unsigned b, unsigned c) CASSC_BODY(return c + cassc::dot_bytes(a, b);)
CASSC_FN int __dp4a(char4 a, char4 b, int c) CASSC_BODY(return __dp4a(cassc::pack(a), cassc::pack(b), c);)
CASSC_FN unsigned __dp4a(uchar4 a, uchar4 b, unsigned c) CASSC_BODY(return __dp4a(cassc::pack(a), cassc::pack(b), c);)
CASSC_FN int __dp2a_lo(int a, int b, int c) CASSC_BODY(return cassc::dot_halves(a, b, c, 0);)
CASSC_FN int __dp2a_hi(int a, int b, int c) CASSC_BODY(return cassc::dot_halves(a, b, c, 16);)
CASSC_FN unsigned __dp2a_lo(unsigned a, unsigned b, unsigned c) CASSC_BODY(return cassc::dot_halves(a, b, c, 0);)
CASSC_FN unsigned __dp2a_hi(unsigned a, unsigned b, unsigned c) CASSC_BODY(return cassc::dot_halves(a, b, c, 16);)
CASSC_FN int __dp2a_lo(short2 a, char4 b, int c) CASSC_BODY(return __dp2a_lo(cassc::pack(a), cassc::pack(b), c);)
CASSC_FN int __dp2a_hi(short2 a, char4 b, int c) CASSC_BODY(return __dp2a_hi(cassc::pack(a), cassc::pack(b), c);)
CASSC_FN unsigned __dp2a_lo(ushort2 a, uchar4 b, unsigned c) CASSC_BODY(return __dp2a_lo(cassc::pack(a), cassc::pack(b), c);)
CASSC_FN unsigned __dp2a_hi(ushort2 a, uchar4 b, unsigned c) CASSC_BODY(return __dp2a_hi(cassc::pack(a), cassc::pack(b), c);)

// Three operands and clamping at zero.
#define CASSC_VI3(type, t)                                                                                  \
  CASSC_HD type __vimax3_##t(type a, type b, type c) { return a > b ? (a > c ? a : c) : (b > c ? b : c); }  \
  CASSC_HD type __vimin3_##t(type a, type b, type c) { return a < b ? (a < c ? a : c) : (b < c ? b : c); }
CASSC_VI3(int, s32)
CASSC_VI3(unsigned, u32)
#undef CASSC_VI3
CASSC_HD int __vimax3_s32_relu(int a, int b, int c) { const int m = __vimax3_s32(a, b, c); return m > 0 ? m : 0; }
CASSC_HD int __vimin3_s32_relu(int a, int b, int c) { const int m = __vimin3_s32(a, b, c); return m > 0 ? m : 0; }
CASSC_HD int __vimax_s32_relu(int a, int b) { return __vimax3_s32(a, b, 0); }
CASSC_HD int __vimin_s32_relu(int a, int b) { const int m = a < b ? a : b; return m > 0 ? m : 0; }
CASSC_HD int __viaddmax_s32(int a, int b, int c) { const int s = static_cast<int>(static_cast<unsigned>(a) + static_cast<unsigned>(b)); return s > c ? s : c; }
CASSC_HD int __viaddmin_s32(int a, int b, int c) { const int s = static_cast<int>(static_cast<unsigned>(a) + static_cast<unsigned>(b)); return s < c ? s : c; }
CASSC_HD unsigned __viaddmax_u32(unsigned a, unsigned b, unsigned c) { return a + b > c ? a + b : c; }
CASSC_HD unsigned __viaddmin_u32(unsigned a, unsigned b, unsigned c) { return a + b < c ? a + b : c; }

#include "cassc/mixed_minmax.h"
#endif
