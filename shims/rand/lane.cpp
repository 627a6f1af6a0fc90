#include "lane.h"

#include <vector>

namespace cassc::rand {
namespace {

using Bits = std::array<uint32_t, 5>;

// A linear map of XORWOW's 160 bits: the images of the single bits.
struct BitMatrix {
  std::array<Bits, 160> image;

  Bits operator()(const Bits& v) const {
    Bits sum{};
    for (int bit = 0; bit < 160; ++bit)
      if (v[bit / 32] >> (bit % 32) & 1)
        for (int word = 0; word < 5; ++word) sum[word] ^= image[bit][word];
    return sum;
  }
  BitMatrix squared() const {
    BitMatrix result;
    for (int bit = 0; bit < 160; ++bit) result.image[bit] = (*this)(image[bit]);
    return result;
  }
};

// The map of 2^i draws.
const BitMatrix& xorwow_power(int i) {
  static const auto* powers = [] {
    auto* made = new std::vector<BitMatrix>(68);
    for (int bit = 0; bit < 160; ++bit) {
      Xorwow one(0);
      one.x = {};
      one.x[bit / 32] = uint32_t{1} << (bit % 32);
      one.next();
      (*made)[0].image[bit] = one.x;
    }
    for (std::size_t k = 1; k < made->size(); ++k) (*made)[k] = (*made)[k - 1].squared();
    return made;
  }();
  return (*powers)[i];
}

using Vector = std::array<uint64_t, 3>;
using Matrix = std::array<Vector, 3>;

Vector apply(const Matrix& m, const Vector& v, uint64_t modulus) {
  Vector result{};
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) result[i] = (result[i] + m[i][k] * v[k] % modulus) % modulus;
  return result;
}

Matrix squared(const Matrix& m, uint64_t modulus) {
  Matrix result{};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 3; ++k) result[i][j] = (result[i][j] + m[i][k] * m[k][j] % modulus) % modulus;
  return result;
}

struct MrgPower {
  Matrix first, second;
};

const MrgPower& mrg_power(int i) {
  static const auto* powers = [] {
    auto* made = new std::vector<MrgPower>(77);
    (*made)[0] = {{{{0, 1, 0}, {0, 0, 1}, {Mrg32k3a::kFirst - 810728, 1403580, 0}}},
                  {{{0, 1, 0}, {0, 0, 1}, {Mrg32k3a::kSecond - 1370589, 0, 527612}}}};
    for (std::size_t k = 1; k < made->size(); ++k)
      (*made)[k] = {squared((*made)[k - 1].first, Mrg32k3a::kFirst), squared((*made)[k - 1].second, Mrg32k3a::kSecond)};
    return made;
  }();
  return (*powers)[i];
}

}  // namespace

Xorwow::Xorwow(uint64_t seed) {
  const uint32_t low = 1099087573u * (static_cast<uint32_t>(seed) ^ 0xaad26b49u);
  const uint32_t high = 2591861531u * (static_cast<uint32_t>(seed >> 32) ^ 0xf7dcefddu);
  x = {123456789u + low, 362436069u ^ low, 521288629u + high, 88675123u ^ high, 5783321u + low};
  weyl = 6615241u + high + low;
}

void Xorwow::next_lane() { x = xorwow_power(67)(x); }  // 2^67 additions leave the Weyl sequence where it is

void Xorwow::skip(uint64_t draws) {
  weyl += 362437u * static_cast<uint32_t>(draws);
  for (int bit = 0; draws >> bit; ++bit) {
    if (draws >> bit & 1) x = xorwow_power(bit)(x);
    if (bit == 63) break;
  }
}

Mrg32k3a::Mrg32k3a(uint64_t seed) {
  a = b = {12345, 12345, 12345};
  if (!seed) return;
  const uint64_t low = static_cast<uint32_t>(seed) ^ 0x55555555u, high = (seed >> 32) ^ 0xaaaaaaaau;
  a = {low * 12345 % kFirst, high * 12345 % kFirst, low * 12345 % kFirst};
  b = {high * 12345 % kSecond, low * 12345 % kSecond, high * 12345 % kSecond};
}

void Mrg32k3a::next_lane() {
  a = apply(mrg_power(76).first, a, kFirst);
  b = apply(mrg_power(76).second, b, kSecond);
}

void Mrg32k3a::skip(uint64_t draws) {
  for (int bit = 0; draws >> bit; ++bit) {
    if (draws >> bit & 1) {
      a = apply(mrg_power(bit).first, a, kFirst);
      b = apply(mrg_power(bit).second, b, kSecond);
    }
    if (bit == 63) break;
  }
}

}  // namespace cassc::rand
