// SIMD within a word (CUDA Math API, "SIMD Intrinsics"): v...2 on two halves, v...4 on four bytes.
#ifndef CASSC_SIMD_H
#define CASSC_SIMD_H

namespace cassc {
template <int Bits>
struct Part {
  static constexpr unsigned mask = (1u << Bits) - 1;
  static constexpr int lowest = -(1 << (Bits - 1)), highest = (1 << (Bits - 1)) - 1, all = static_cast<int>(mask);
};
// Applies an operation to each part; signed operations see sign-extended parts.
template <int Bits, bool Signed, class Operation>
CASSC_HD unsigned each_part(unsigned a, unsigned b, Operation operation) {
  unsigned result = 0;
  for (int shift = 0; shift < 32; shift += Bits) {
    const int up = 32 - Bits - shift, down = 32 - Bits;
    const int x = Signed ? static_cast<int>(a << up) >> down : static_cast<int>((a << up) >> down);
    const int y = Signed ? static_cast<int>(b << up) >> down : static_cast<int>((b << up) >> down);
    result |= (static_cast<unsigned>(operation(x, y)) & Part<Bits>::mask) << shift;
  }
  return result;
}
template <int Bits, bool Signed, class Operation>
CASSC_HD unsigned sum_parts(unsigned a, unsigned b, Operation operation) {
  unsigned sum = 0;
  for (int shift = 0; shift < 32; shift += Bits) {
    const int up = 32 - Bits - shift, down = 32 - Bits;
    const int x = Signed ? static_cast<int>(a << up) >> down : static_cast<int>((a << up) >> down);
    const int y = Signed ? static_cast<int>(b << up) >> down : static_cast<int>((b << up) >> down);
    sum += static_cast<unsigned>(operation(x, y));
  }
  return sum;
}
CASSC_HD int clamp(int value, int low, int high) { return value < low ? low : value > high ? high : value; }
}  // namespace cassc

// name, bits, signed, expression of x and y
#define CASSC_SIMD(name, bits, is_signed, expression)                                            \
  CASSC_HD unsigned name(unsigned a, unsigned b) {                                               \
    return cassc::each_part<bits, is_signed>(a, b, [](int x, int y) { return expression; });     \
  }
#define CASSC_SIMD1(name, bits, expression)                                                      \
  CASSC_HD unsigned name(unsigned a) {                                                           \
    return cassc::each_part<bits, true>(a, a, [](int x, int) { return expression; });            \
  }
#define CASSC_COMPARE(name, suffix, bits, is_signed, comparison)                                 \
  CASSC_SIMD(__vcmp##name##suffix, bits, is_signed, x comparison y ? -1 : 0)                     \
  CASSC_SIMD(__vset##name##suffix, bits, is_signed, x comparison y ? 1 : 0)
#define CASSC_SIMD_WIDTH(n, bits)                                                                \
  CASSC_SIMD(__vadd##n, bits, false, x + y)                                                      \
  CASSC_SIMD(__vsub##n, bits, false, x - y)                                                      \
  CASSC_SIMD(__vaddss##n, bits, true, cassc::clamp(x + y, cassc::Part<bits>::lowest, cassc::Part<bits>::highest))   \
  CASSC_SIMD(__vaddus##n, bits, false, cassc::clamp(x + y, 0, cassc::Part<bits>::all))           \
  CASSC_SIMD(__vsubss##n, bits, true, cassc::clamp(x - y, cassc::Part<bits>::lowest, cassc::Part<bits>::highest))   \
  CASSC_SIMD(__vsubus##n, bits, false, cassc::clamp(x - y, 0, cassc::Part<bits>::all))           \
  CASSC_SIMD(__vmaxs##n, bits, true, x > y ? x : y)                                              \
  CASSC_SIMD(__vmaxu##n, bits, false, x > y ? x : y)                                             \
  CASSC_SIMD(__vmins##n, bits, true, x < y ? x : y)                                              \
  CASSC_SIMD(__vminu##n, bits, false, x < y ? x : y)                                             \
  CASSC_SIMD(__vavgs##n, bits, true, (x + y + (x + y >= 0)) >> 1)                                \
  CASSC_SIMD(__vavgu##n, bits, false, (x + y + 1) >> 1)                                          \
  CASSC_SIMD(__vhaddu##n, bits, false, (x + y) >> 1)                                             \
  CASSC_SIMD(__vabsdiffs##n, bits, true, x > y ? x - y : y - x)                                  \
  CASSC_SIMD(__vabsdiffu##n, bits, false, x > y ? x - y : y - x)                                 \
  CASSC_SIMD1(__vabs##n, bits, x < 0 ? -x : x)                                                   \
  CASSC_SIMD1(__vabsss##n, bits, cassc::clamp(x < 0 ? -x : x, 0, cassc::Part<bits>::highest))    \
  CASSC_SIMD1(__vneg##n, bits, -x)                                                               \
  CASSC_SIMD1(__vnegss##n, bits, cassc::clamp(-x, cassc::Part<bits>::lowest, cassc::Part<bits>::highest))           \
  CASSC_COMPARE(eq, n, bits, false, ==)                                                          \
  CASSC_COMPARE(ne, n, bits, false, !=)                                                          \
  CASSC_COMPARE(ges, n, bits, true, >=)                                                          \
  CASSC_COMPARE(geu, n, bits, false, >=)                                                         \
  CASSC_COMPARE(gts, n, bits, true, >)                                                           \
  CASSC_COMPARE(gtu, n, bits, false, >)                                                          \
  CASSC_COMPARE(les, n, bits, true, <=)                                                          \
  CASSC_COMPARE(leu, n, bits, false, <=)                                                         \
  CASSC_COMPARE(lts, n, bits, true, <)                                                           \
  CASSC_COMPARE(ltu, n, bits, false, <)                                                          \
  CASSC_HD unsigned __vsads##n(unsigned a, unsigned b) {                                         \
    return cassc::sum_parts<bits, true>(a, b, [](int x, int y) { return x > y ? x - y : y - x; });                  \
  }                                                                                              \
  CASSC_HD unsigned __vsadu##n(unsigned a, unsigned b) {                                         \
    return cassc::sum_parts<bits, false>(a, b, [](int x, int y) { return x > y ? x - y : y - x; });                 \
  }
CASSC_SIMD_WIDTH(2, 16)
CASSC_SIMD_WIDTH(4, 8)
#undef CASSC_SIMD_WIDTH
#undef CASSC_COMPARE
#undef CASSC_SIMD1
#undef CASSC_SIMD

#define CASSC_PACKED3(name, is_signed, expression)                                                             \
  CASSC_HD unsigned name(unsigned a, unsigned b, unsigned c) {                                                 \
    const unsigned ab = cassc::each_part<16, is_signed>(a, b, [](int x, int y) { return expression; });        \
    return cassc::each_part<16, is_signed>(ab, c, [](int x, int y) { return expression; });                    \
  }
CASSC_PACKED3(__vimax3_s16x2, true, x > y ? x : y)
CASSC_PACKED3(__vimax3_u16x2, false, x > y ? x : y)
CASSC_PACKED3(__vimin3_s16x2, true, x < y ? x : y)
CASSC_PACKED3(__vimin3_u16x2, false, x < y ? x : y)
#undef CASSC_PACKED3

// DPX functions (CUDA Math API, "SIMD Intrinsics"): sums wrap, relu is the maximum with 0, a predicate tells of the first operand.
#define CASSC_DPX_PREDICATE(name, type, comparison)          \
  CASSC_HD type name(type a, type b, bool* first) {          \
    *first = a comparison b;                                 \
    return *first ? a : b;                                   \
  }
#define CASSC_DPX_PREDICATES(name, part, minmax, comparison)                             \
  CASSC_HD unsigned name(unsigned a, unsigned b, bool* high, bool* low) {                \
    *high = static_cast<part>(a >> 16) comparison static_cast<part>(b >> 16);            \
    *low = static_cast<part>(a) comparison static_cast<part>(b);                         \
    return minmax(a, b);                                                                 \
  }
#define CASSC_DPX(m, comparison)                                                                                           \
  CASSC_HD unsigned __vi##m##_s16x2_relu(unsigned a, unsigned b) { return __vmaxs2(__v##m##s2(a, b), 0); }                 \
  CASSC_HD unsigned __vi##m##3_s16x2_relu(unsigned a, unsigned b, unsigned c) {                                            \
    return __vi##m##_s16x2_relu(__v##m##s2(a, b), c);                                                                      \
  }                                                                                                                        \
  CASSC_HD unsigned __viadd##m##_s16x2(unsigned a, unsigned b, unsigned c) { return __v##m##s2(__vadd2(a, b), c); }        \
  CASSC_HD unsigned __viadd##m##_u16x2(unsigned a, unsigned b, unsigned c) { return __v##m##u2(__vadd2(a, b), c); }        \
  CASSC_HD unsigned __viadd##m##_s16x2_relu(unsigned a, unsigned b, unsigned c) {                                          \
    return __vi##m##_s16x2_relu(__vadd2(a, b), c);                                                                         \
  }                                                                                                                        \
  CASSC_HD int __viadd##m##_s32_relu(int a, int b, int c) {                                                                \
    const int value = __viadd##m##_s32(a, b, c);                                                                           \
    return value > 0 ? value : 0;                                                                                          \
  }                                                                                                                        \
  CASSC_DPX_PREDICATE(__vib##m##_s32, int, comparison)                                                                     \
  CASSC_DPX_PREDICATE(__vib##m##_u32, unsigned, comparison)                                                                \
  CASSC_DPX_PREDICATES(__vib##m##_s16x2, short, __v##m##s2, comparison)                                                    \
  CASSC_DPX_PREDICATES(__vib##m##_u16x2, unsigned short, __v##m##u2, comparison)
CASSC_DPX(max, >=)
CASSC_DPX(min, <=)
#undef CASSC_DPX
#undef CASSC_DPX_PREDICATES
#undef CASSC_DPX_PREDICATE
#endif
