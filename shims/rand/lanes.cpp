// XORWOW and MRG32k3a as NVIDIA's generators run them. Number n of the sequence is draw n / L of lane n % L. A call of which
// each number takes several draws, or each draw several numbers, starts its steps on consecutive lanes, and the next
// call starts on the lane after the last. (cuRAND manual, "Generator Options"; calls in a row measured on an H200.)
#include <algorithm>
#include <mutex>
#include <vector>

#include "lane.h"
#include "sink.h"

namespace cassc::rand {
namespace {

uint32_t bits(Xorwow& lane) { return lane.next(); }
float single(Xorwow& lane) { return uniform(lane.next()); }
double wide(Xorwow& lane) {
  const uint32_t low = lane.next();
  return uniform_double(low, lane.next());
}
Pair pair(Xorwow& lane) {
  const uint32_t first = lane.next();
  return normals(first, lane.next());
}

constexpr double kMrgUnit = 1.0 / Mrg32k3a::kFirst;
uint32_t bits(Mrg32k3a& lane) { return static_cast<uint32_t>(lane.next() * 1.000000048662); }
float single(Mrg32k3a& lane) { return static_cast<float>(lane.next() * kMrgUnit); }
double wide(Mrg32k3a& lane) { return lane.next() * kMrgUnit; }
Pair pair(Mrg32k3a& lane) {
  const float u = single(lane);
  return box_muller(u, single(lane) * static_cast<float>(kTwoPi));
}

template <class Lane>
void step(Lane& lane, Sink& sink, size_t i) {
  switch (sink.kind()) {
    case Kind::Bits: return sink.bits(i, bits(lane));
    case Kind::Uniform: return sink.uniform(i, single(lane));
    case Kind::UniformDouble:
    case Kind::Poisson: return sink.uniform_double(i, wide(lane));
    case Kind::Normal:
    case Kind::LogNormal: return sink.normals(2 * i, pair(lane));
    default: {
      const double u = wide(lane);
      return sink.normals(2 * i, normals_double(u, wide(lane)));
    }
  }
}

template <class Lane>
class Lanes : public Engine {
 public:
  Lanes(uint64_t seed, uint64_t count) : count_(count), seed_(seed) {}

  uint64_t length(Kind kind, size_t count) const override { return in_pairs(kind) ? count / 2 : count; }

  void generate(uint64_t position, const Request& request) override {
    Sink sink(request);
    const uint64_t steps = length(request.kind, request.count), first = position % count_;
    const std::lock_guard lock(mutex_);
    go_to(position / count_);
    for (uint64_t j = 0; j < std::min(steps, count_); ++j) {
      const uint64_t index = first + j;
      Lane lane = lanes_[index % count_];
      if (index >= count_) lane.next();
      for (uint64_t s = j; s < steps; s += count_) step(lane, sink, s);
    }
  }

 private:
  void go_to(uint64_t row) {
    if (lanes_.empty() || row < row_) {
      lanes_.clear();
      Lane lane(seed_);
      for (uint64_t i = 0; i < count_; ++i, lane.next_lane()) lanes_.push_back(lane);
      row_ = 0;
    }
    const uint64_t draws = row - row_;
    for (Lane& lane : lanes_) {
      if (draws > 1000) lane.skip(draws);
      else for (uint64_t i = 0; i < draws; ++i) lane.next();
    }
    row_ = row;
  }

  const uint64_t count_, seed_;
  std::mutex mutex_;
  std::vector<Lane> lanes_;  // all at draw row_
  uint64_t row_ = 0;
};

}  // namespace

std::shared_ptr<Engine> make_lanes(Type type, uint64_t seed, bool legacy) {
  if (type == kXorwow) return std::make_shared<Lanes<Xorwow>>(seed, Xorwow::kLanes);
  return std::make_shared<Lanes<Mrg32k3a>>(seed, legacy ? Mrg32k3a::kLegacyLanes : Mrg32k3a::kLanes);
}

}  // namespace cassc::rand
