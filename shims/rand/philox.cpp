// Philox4x32-10 (J. Salmon and others, "Parallel Random Numbers: As Easy as 1, 2, 3", 2011). The numbers come in fours: four
// numbers are of lane (n / 4) % 65536, which is the counter's third word, and of its next one or two blocks of 128 bits
// (two for doubles), which the first two words count. (Measured on an H200.)
#include <array>

#include "sink.h"

namespace cassc::rand {
namespace {

using Block = std::array<uint32_t, 4>;
constexpr uint64_t kLanes = 65536;

Block philox(Block c, uint32_t key0, uint32_t key1) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t p = uint64_t{0xd2511f53} * c[0], q = uint64_t{0xcd9e8d57} * c[2];
    c = {static_cast<uint32_t>(q >> 32) ^ c[1] ^ key0, static_cast<uint32_t>(q),
         static_cast<uint32_t>(p >> 32) ^ c[3] ^ key1, static_cast<uint32_t>(p)};
    key0 += 0x9e3779b9;
    key1 += 0xbb67ae85;
  }
  return c;
}

class Philox : public Engine {
 public:
  explicit Philox(uint64_t seed) : seed_(seed) {}

  uint64_t length(Kind, size_t count) const override { return count; }

  void generate(uint64_t position, const Request& request) override {
    Sink sink(request);
    const bool two_blocks = !is_float(request.kind) && request.kind != Kind::Bits;
    const uint64_t first = position / 4, last = (position + request.count + 3) / 4;
    for (uint64_t group = first; group < last; ++group) {
      const uint64_t lane = group % kLanes;
      const uint64_t start = (first + (lane + kLanes - first % kLanes) % kLanes) / kLanes;  // where the call found the lane
      uint64_t counter = start + (group / kLanes - start) * (two_blocks ? 2 : 1);
      const size_t i = static_cast<size_t>(4 * group - position);  // wraps round for what lies before the first number
      four(sink, i, lane, counter);
    }
  }

 private:
  Block block(uint64_t lane, uint64_t counter) const {
    return philox({static_cast<uint32_t>(counter), static_cast<uint32_t>(counter >> 32), static_cast<uint32_t>(lane), 0},
                  static_cast<uint32_t>(seed_), static_cast<uint32_t>(seed_ >> 32));
  }

  void four(Sink& sink, size_t i, uint64_t lane, uint64_t counter) const {
    const Block x = block(lane, counter);
    switch (sink.kind()) {
      case Kind::Bits:
        for (size_t k = 0; k < 4; ++k) sink.bits(i + k, x[k]);
        return;
      case Kind::Uniform:
        for (size_t k = 0; k < 4; ++k) sink.uniform(i + k, uniform(x[k]));
        return;
      case Kind::Normal:
      case Kind::LogNormal:
        sink.normals(i, normals(x[0], x[1]));
        sink.normals(i + 2, normals(x[2], x[3]));
        return;
      default: break;
    }
    const Block y = block(lane, counter + 1);
    const double u[] = {uniform_double(x[0], x[1]), uniform_double(x[2], x[3]), uniform_double(y[0], y[1]),
                        uniform_double(y[2], y[3])};
    if (in_pairs(sink.kind())) {
      sink.normals(i, normals_double(u[0], u[1]));
      sink.normals(i + 2, normals_double(u[2], u[3]));
    } else {
      for (size_t k = 0; k < 4; ++k) sink.uniform_double(i + k, u[k]);
    }
  }

  const uint64_t seed_;
};

}  // namespace

std::shared_ptr<Engine> make_philox(uint64_t seed) { return std::make_shared<Philox>(seed); }

}  // namespace cassc::rand
