// J. Cooley and J. Tukey's algorithm for any product of small primes; for the rest L. Bluestein's, which makes a
// convolution of the transform and that one of a power of two.
#include <cmath>

#include "line.h"

namespace cassc::fft {
namespace {

constexpr size_t kLargestPrime = 61;  // beyond it Bluestein's three transforms cost less

size_t smallest_prime(size_t n) {
  for (size_t p = 2; p * p <= n; ++p)
    if (n % p == 0) return p;
  return n;
}

size_t largest_prime(size_t n) {
  size_t p = 1;
  for (; n > 1; n /= p) p = smallest_prime(n);
  return p;
}

// exp(-2 pi i k / n), each from its own sine and cosine.
std::vector<Complex> roots(size_t n) {
  std::vector<Complex> all(n);
  for (size_t k = 0; k < n; ++k) {
    const long double angle = -2 * 3.14159265358979323846264338327950288L * static_cast<long double>(k) / static_cast<long double>(n);
    all[k] = {static_cast<double>(std::cos(angle)), static_cast<double>(std::sin(angle))};
  }
  return all;
}

class Smooth : public Line {
 public:
  explicit Smooth(size_t n) : n_(n), roots_(roots(n)) {}

  void run(const Complex* in, Complex* out, Direction direction) const override { level(in, 1, out, n_, direction); }

 private:
  // n numbers of in, stride apart, into n numbers of out.
  void level(const Complex* in, size_t stride, Complex* out, size_t n, Direction direction) const {
    if (n == 1) {
      *out = *in;
      return;
    }
    const size_t p = smallest_prime(n), m = n / p;
    for (size_t q = 0; q < p; ++q) level(in + q * stride, stride * p, out + q * m, m, direction);
    Complex part[kLargestPrime];
    for (size_t k = 0; k < m; ++k) {
      for (size_t q = 0; q < p; ++q) part[q] = out[q * m + k] * root(q * k, n, direction);
      for (size_t j = 0; j < p; ++j) {
        Complex sum = part[0];
        for (size_t q = 1; q < p; ++q) sum += p == 2 ? (j ? -part[1] : part[1]) : part[q] * root(j * q % p, p, direction);
        out[j * m + k] = sum;
      }
    }
  }

  Complex root(size_t k, size_t n, Direction direction) const {
    const Complex& w = roots_[k * (n_ / n)];
    return direction == kForward ? w : std::conj(w);
  }

  const size_t n_;
  const std::vector<Complex> roots_;
};

class Bluestein : public Line {
 public:
  explicit Bluestein(size_t n) : n_(n), size_(power_of_two(2 * n - 1)), inner_(size_), chirp_(n), kernel_(size_) {
    const std::vector<Complex> half = roots(2 * n);
    std::vector<Complex> padded(size_);
    for (size_t k = 0, square = 0; k < n; square = (square + 2 * k + 1) % (2 * n), ++k) {
      chirp_[k] = half[square];
      padded[k] = std::conj(chirp_[k]);
      if (k) padded[size_ - k] = padded[k];
    }
    inner_.run(padded.data(), kernel_.data(), kForward);
  }

  void run(const Complex* in, Complex* out, Direction direction) const override {
    const bool inverse = direction == kInverse;  // the conjugate of the transform of the conjugate
    std::vector<Complex> x(size_), y(size_);
    for (size_t k = 0; k < n_; ++k) x[k] = (inverse ? std::conj(in[k]) : in[k]) * chirp_[k];
    inner_.run(x.data(), y.data(), kForward);
    for (size_t k = 0; k < size_; ++k) y[k] *= kernel_[k];
    inner_.run(y.data(), x.data(), kInverse);
    for (size_t k = 0; k < n_; ++k) {
      const Complex value = x[k] * chirp_[k] / static_cast<double>(size_);
      out[k] = inverse ? std::conj(value) : value;
    }
  }

 private:
  static size_t power_of_two(size_t least) {
    size_t size = 1;
    while (size < least) size *= 2;
    return size;
  }

  const size_t n_, size_;
  const Smooth inner_;
  std::vector<Complex> chirp_, kernel_;
};

}  // namespace

std::unique_ptr<Line> make_own_line(size_t n) {
  if (largest_prime(n) <= kLargestPrime) return std::make_unique<Smooth>(n);
  return std::make_unique<Bluestein>(n);
}

}  // namespace cassc::fft
