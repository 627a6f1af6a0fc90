#include "distribution.h"

#include <algorithm>

namespace cassc::rand {
namespace {

// Starting value, good to about 1e-9: central and tail regions of one rational function each.
double rough_quantile(double p) {
  constexpr double a[] = {-3.969683028665376e+01, 2.209460984245205e+02, -2.759285104469687e+02,
                          1.383577518672690e+02,  -3.066479806614716e+01, 2.506628277459239e+00};
  constexpr double b[] = {-5.447609879822406e+01, 1.615858368580409e+02, -1.556989798598866e+02, 6.680131188771972e+01,
                          -1.328068155288572e+01};
  constexpr double c[] = {-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00,
                          -2.549732539343734e+00, 4.374664141464968e+00,  2.938163982698783e+00};
  constexpr double d[] = {7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00, 3.754408661907416e+00};
  if (p < 0.02425 || p > 1 - 0.02425) {
    const double q = std::sqrt(-2 * std::log(std::min(p, 1 - p)));
    const double x = (((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) /
                     ((((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1);
    return p < 0.5 ? x : -x;
  }
  const double q = p - 0.5, r = q * q;
  return (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5]) * q /
         (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1);
}

}  // namespace

double normal_quantile(double u) {
  u = std::min(u, 1 - 0x1p-53);
  const double x = rough_quantile(u);
  const double error = (0.5 * std::erfc(-x / std::sqrt(2.0)) - u) * std::sqrt(kTwoPi) * std::exp(x * x / 2);
  return x - error / (1 + x * error / 2);
}

Poisson::Poisson(double lambda) {
  const double reach = 12 * std::sqrt(lambda) + 24;  // what lies outside has a share below 2^-64
  const double low = std::max(0.0, std::floor(lambda - reach));
  first_ = static_cast<uint32_t>(low);
  double sum = 0;
  for (double k = low; k <= lambda + reach; ++k) {
    sum += std::exp(k * std::log(lambda) - lambda - std::lgamma(k + 1));
    cumulative_.push_back(sum);
  }
}

uint32_t Poisson::operator()(double u) const {
  const auto at = std::lower_bound(cumulative_.begin(), cumulative_.end() - 1, u * cumulative_.back());
  return first_ + static_cast<uint32_t>(at - cumulative_.begin());
}

}  // namespace cassc::rand
