// 16-bit floating point: rounding to a format of given widths, exactly and in any direction, on the host and the device.
#ifndef CASSC_SMALL_FLOAT_H
#define CASSC_SMALL_FLOAT_H
#include <stdint.h>

namespace cassc {
enum class Round { nearest, zero, up, down };

template <class To, class From>
CASSC_HD To bits_of(From from) {
  return __builtin_bit_cast(To, from);
}

// The sum, with its last bit set when it is not exact: rounding that once more gives what one rounding would have.
CASSC_HD double add_to_odd(double a, double b) {
  const double sum = a + b;
  const double b_part = sum - a, error = (a - (sum - b_part)) + (b - b_part);
  const uint64_t bits = bits_of<uint64_t>(sum);
  if (!(error != 0) || __builtin_isinf(sum) || (bits & 1)) return sum;
  return bits_of<double>((error > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

// The magnitude of a finite value other than zero as mantissa and biased exponent, as if there were no largest exponent.
template <int Mantissa, int Exponent>
CASSC_HD uint64_t round_magnitude(double value, Round mode) {
  constexpr int bias = (1 << (Exponent - 1)) - 1, lowest = 1 - bias;
  const uint64_t bits = bits_of<uint64_t>(value);
  const bool sign = bits >> 63;
  const int exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1023;
  if (exponent < -1022) return (mode == Round::up && !sign) || (mode == Round::down && sign);
  const uint64_t fraction = (bits & 0xfffffffffffffull) | 1ull << 52;
  const int shift = 52 - Mantissa + (exponent < lowest ? lowest - exponent : 0);
  uint64_t kept = shift > 63 ? 0 : fraction >> shift;
  const uint64_t rest = shift > 63 ? fraction : fraction & ((1ull << shift) - 1);
  const uint64_t half = shift > 63 ? ~0ull : 1ull << (shift - 1);
  const bool away = mode == Round::nearest ? rest > half || (rest == half && (kept & 1))
                    : mode == Round::up    ? rest && !sign
                    : mode == Round::down  ? rest && sign
                                           : false;
  kept += away;
  return exponent < lowest ? kept : kept + (static_cast<uint64_t>(exponent + bias - 1) << Mantissa);
}

// A value as IEEE-like bits with the given numbers of mantissa and exponent bits.
template <int Mantissa, int Exponent>
CASSC_HD uint16_t round_to(double value, Round mode) {
  constexpr uint16_t infinity = static_cast<uint16_t>(((1 << Exponent) - 1) << Mantissa);
  const uint64_t bits = bits_of<uint64_t>(value);
  const uint16_t sign = static_cast<uint16_t>(bits >> 63 << 15);
  if (value != value) return 0x7fff;
  if (__builtin_isinf(value)) return sign | infinity;
  if (bits << 1 == 0) return sign;
  const uint64_t result = round_magnitude<Mantissa, Exponent>(value, mode);
  if (result < infinity) return sign | static_cast<uint16_t>(result);
  const bool to_infinity = mode == Round::nearest || (mode == Round::up && !sign) || (mode == Round::down && sign);
  return sign | static_cast<uint16_t>(to_infinity ? infinity : infinity - 1);
}

template <int Mantissa, int Exponent>
CASSC_HD float widen(uint16_t bits) {
  if constexpr (Mantissa == 7) {
    return bits_of<float>(static_cast<uint32_t>(bits) << 16);
  } else {
    return static_cast<float>(bits_of<_Float16>(bits));
  }
}
CASSC_HD uint16_t half_bits(float value) { return bits_of<uint16_t>(static_cast<_Float16>(value)); }
CASSC_HD uint16_t bfloat_bits(float value) {
  const uint32_t bits = bits_of<uint32_t>(value);
  if ((bits & 0x7fffffff) > 0x7f800000) return 0x7fff;
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
}  // namespace cassc
#endif
