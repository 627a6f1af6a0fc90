// The two pseudorandom engines whose sequence is cut into lanes that lie far apart: XORWOW (G. Marsaglia, "Xorshift RNGs",
// 2003) and MRG32k3a (P. L'Ecuyer, "Good Parameters and Implementations for Combined Multiple Recursive Random Number
// Generators", 1999). How a seed becomes a state and how far lanes are apart is NVIDIA's choice, measured on an H200.
#ifndef CASSC_RAND_LANE_H
#define CASSC_RAND_LANE_H
#include <array>
#include <cstddef>
#include <cstdint>

namespace cassc::rand {

struct Xorwow {
  static constexpr uint64_t kLanes = 4096;

  explicit Xorwow(uint64_t seed);
  uint32_t next() {
    const uint32_t t = x[0] ^ (x[0] >> 2);
    x = {x[1], x[2], x[3], x[4], (x[4] ^ (x[4] << 4)) ^ (t ^ (t << 1))};
    weyl += 362437;
    return x[4] + weyl;
  }
  void next_lane();           // 2^67 draws further
  void skip(uint64_t draws);

  std::array<uint32_t, 5> x;
  uint32_t weyl;
};

struct Mrg32k3a {
  static constexpr uint64_t kLanes = 81920, kLegacyLanes = 4096;
  static constexpr uint64_t kFirst = 4294967087, kSecond = 4294944443;

  explicit Mrg32k3a(uint64_t seed);
  uint32_t next() {  // 1 to 4294967087
    const uint64_t p = (1403580 * a[1] + 810728 * (kFirst - a[0])) % kFirst;
    const uint64_t q = (527612 * b[2] + 1370589 * (kSecond - b[0])) % kSecond;
    a = {a[1], a[2], p};
    b = {b[1], b[2], q};
    return static_cast<uint32_t>(p > q ? p - q : p + kFirst - q);
  }
  void next_lane();  // 2^76 draws further
  void skip(uint64_t draws);

  std::array<uint64_t, 3> a, b;
};

}  // namespace cassc::rand
#endif
