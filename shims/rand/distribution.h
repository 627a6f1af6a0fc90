// From the bits of an engine to numbers, with NVIDIA's constants (cuRAND manual, "Device API", and measured on an H200).
#ifndef CASSC_RAND_DISTRIBUTION_H
#define CASSC_RAND_DISTRIBUTION_H
#include <cmath>
#include <cstdint>
#include <vector>

namespace cassc::rand {

constexpr double kTwoPi = 6.283185307179586476925;

// In (0, 1].
inline float uniform(uint32_t x) { return static_cast<float>(x) * 0x1p-32f + 0x1p-33f; }
inline double uniform_double(uint32_t x) { return x * 0x1p-32 + 0x1p-33; }
inline double uniform_double(uint32_t x, uint32_t y) {
  return static_cast<double>(x ^ (uint64_t{y} << 21)) * 0x1p-53 + 0x1p-54;
}
inline double uniform_double(uint64_t x) { return static_cast<double>(x >> 11) * 0x1p-53 + 0x1p-54; }

// G. Box and M. Muller, "A Note on the Generation of Random Normal Deviates", 1958: two normals of a uniform number and an
// angle. NVIDIA's device takes its fast logarithm, sine and cosine here, so floats differ in their last bits.
struct Pair {
  double first, second;
};
inline Pair box_muller(double u, double angle) {
  const double radius = std::sqrt(-2 * std::log(u));
  return {radius * std::sin(angle), radius * std::cos(angle)};
}
inline Pair normals(uint32_t x, uint32_t y) {
  constexpr float kTurn = static_cast<float>(kTwoPi) * 0x1p-32f;
  return box_muller(uniform(x), static_cast<float>(y) * kTurn + kTurn / 2);
}
inline Pair normals_double(double u, double turns) { return box_muller(u, kTwoPi * turns); }

// The normal number below which a uniform one's share of all lies (P. Acklam's rational approximation, refined by one step
// of Halley's method): what quasirandom generators use, since it keeps the order.
double normal_quantile(double u);

// Poisson numbers by inversion. NVIDIA's method is not public: the numbers differ, the distribution does not.
class Poisson {
 public:
  explicit Poisson(double lambda);
  uint32_t operator()(double u) const;

 private:
  uint32_t first_ = 0;
  std::vector<double> cumulative_;  // of first_, first_ + 1, ...
};

}  // namespace cassc::rand
#endif
