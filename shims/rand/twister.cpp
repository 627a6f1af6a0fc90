// MT19937 (M. Matsumoto and T. Nishimura, 1998) from the standard library, one number after the other. NVIDIA's generators
// deal their numbers out of many places of this sequence; MTGP32 is another generator, whose parameters are not ours.
#include <mutex>
#include <random>

#include "sink.h"

namespace cassc::rand {
namespace {

class Twister : public Engine {
 public:
  explicit Twister(uint64_t seed) : seed_(static_cast<uint32_t>(seed)), engine_(seed_) {}

  uint64_t length(Kind kind, size_t count) const override {
    const bool doubles = kind == Kind::UniformDouble || kind == Kind::NormalDouble || kind == Kind::LogNormalDouble;
    return doubles || kind == Kind::Poisson ? 2 * count : count;
  }

  void generate(uint64_t position, const Request& request) override {
    Sink sink(request);
    const std::lock_guard lock(mutex_);
    if (position < at_) {
      engine_.seed(seed_);
      at_ = 0;
    }
    engine_.discard(position - at_);
    at_ = position + length(request.kind, request.count);
    const auto draw = [&] { return static_cast<uint32_t>(engine_()); };
    const auto wide = [&] {
      const uint32_t low = draw();
      return uniform_double(low, draw());
    };
    const size_t stride = in_pairs(request.kind) ? 2 : 1;
    for (size_t i = 0; i < request.count; i += stride) {
      if (request.kind == Kind::Bits) sink.bits(i, draw());
      else if (request.kind == Kind::Uniform) sink.uniform(i, uniform(draw()));
      else if (!in_pairs(request.kind)) sink.uniform_double(i, wide());
      else if (is_float(request.kind)) {
        const uint32_t first = draw();
        sink.normals(i, normals(first, draw()));
      } else {
        const double first = wide();
        sink.normals(i, normals_double(first, wide()));
      }
    }
  }

 private:
  const uint32_t seed_;
  std::mutex mutex_;
  std::mt19937 engine_;
  uint64_t at_ = 0;
};

}  // namespace

std::shared_ptr<Engine> make_twister(uint64_t seed) { return std::make_shared<Twister>(seed); }

}  // namespace cassc::rand
