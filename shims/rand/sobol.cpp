// Sobol' sequences with the direction numbers of S. Joe and F. Kuo ("Constructing Sobol sequences with better two-dimensional
// projections", 2008), which are NVIDIA's too (compared on an H200). One dimension after the other.
#include <array>
#include <vector>

#include "sink.h"

namespace cassc::rand {
namespace {

// For each dimension from the second on: its primitive polynomial, as bits, and the first odd numbers m, as many as the
// polynomial's degree.
constexpr uint16_t kJoeKuo[] = {
#include "joe_kuo.inc"
};

template <class Word>
using Directions = std::array<Word, 8 * sizeof(Word)>;

template <class Word>
std::vector<Directions<Word>> directions(unsigned dimensions) {
  constexpr unsigned kBits = 8 * sizeof(Word);
  std::vector<Directions<Word>> all(1);
  for (unsigned i = 0; i < kBits; ++i) all[0][i] = Word{1} << (kBits - 1 - i);
  const uint16_t* at = std::begin(kJoeKuo);
  while (all.size() < dimensions && at != std::end(kJoeKuo)) {
    const uint16_t polynomial = *at++;
    unsigned degree = 0;
    while (polynomial >> (degree + 1)) ++degree;
    Directions<Word> v{};
    for (unsigned i = 0; i < kBits; ++i) {
      if (i < degree) {
        v[i] = Word{*at++} << (kBits - 1 - i);
        continue;
      }
      v[i] = v[i - degree] ^ (v[i - degree] >> degree);
      for (unsigned k = 1; k < degree; ++k)
        if (polynomial >> (degree - k) & 1) v[i] ^= v[i - k];
    }
    all.push_back(v);
  }
  return all;
}

template <class Word>
class Sobol : public Engine {
 public:
  explicit Sobol(std::vector<Directions<Word>> directions) : directions_(std::move(directions)) {}

  uint64_t length(Kind, size_t count) const override { return count / directions_.size(); }

  void generate(uint64_t position, const Request& request) override {
    Sink sink(request);
    const size_t points = request.count / directions_.size();
    size_t out = 0;
    for (const Directions<Word>& v : directions_) {
      for (size_t i = 0; i < points; ++i) {
        const uint64_t n = position + i, gray = n ^ (n >> 1);
        Word x = 0;
        for (size_t bit = 0; bit < v.size(); ++bit)
          if (gray >> bit & 1) x ^= v[bit];
        put(sink, out++, x);
      }
    }
  }

 private:
  static void put(Sink& sink, size_t i, Word x) {
    constexpr bool narrow = sizeof(Word) == 4;
    const auto high = static_cast<uint32_t>(x >> (8 * sizeof(Word) - 32));
    switch (sink.kind()) {
      case Kind::Bits: return sink.bits(i, static_cast<uint32_t>(x));
      case Kind::LongBits: return sink.long_bits(i, x);
      case Kind::Uniform: return sink.uniform(i, uniform(high));
      case Kind::UniformDouble:
      case Kind::Poisson: return sink.uniform_double(i, narrow ? (x + 1.0) * 0x1p-32 : uniform_double(uint64_t{x}));
      default: return sink.normal(i, normal_quantile(narrow || is_float(sink.kind()) ? uniform_double(high)
                                                                                      : uniform_double(uint64_t{x})));
    }
  }

  const std::vector<Directions<Word>> directions_;
};

template <class Word>
std::shared_ptr<Engine> make(unsigned dimensions) {
  auto found = directions<Word>(dimensions);
  return found.size() == dimensions ? std::make_shared<Sobol<Word>>(std::move(found)) : nullptr;
}

}  // namespace

std::shared_ptr<Engine> make_sobol(bool wide, unsigned dimensions) {
  return wide ? make<uint64_t>(dimensions) : make<uint32_t>(dimensions);
}

}  // namespace cassc::rand
