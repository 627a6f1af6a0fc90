// Where an engine puts its numbers: one place knows the element type and the scaling of each kind.
#ifndef CASSC_RAND_SINK_H
#define CASSC_RAND_SINK_H
#include <optional>

#include "distribution.h"
#include "engine.h"

namespace cassc::rand {

class Sink {
 public:
  explicit Sink(const Request& request) : request_(request) {
    if (request.kind == Kind::Poisson) poisson_.emplace(request.mean);
  }
  size_t count() const { return request_.count; }
  Kind kind() const { return request_.kind; }

  void bits(size_t i, uint32_t x) { put<uint32_t>(i, x); }
  void long_bits(size_t i, uint64_t x) { put<uint64_t>(i, x); }
  void uniform(size_t i, float x) { put<float>(i, x); }
  // Of a double in (0, 1]: itself, or the Poisson number there.
  void uniform_double(size_t i, double x) {
    if (poisson_) put<uint32_t>(i, (*poisson_)(x));
    else put<double>(i, x);
  }
  void normal(size_t i, double x) {
    const double mean = request_.mean, deviation = request_.deviation;
    switch (request_.kind) {
      case Kind::Normal: return put<float>(i, scaled(x));
      case Kind::LogNormal: return put<float>(i, std::exp(scaled(x)));
      case Kind::NormalDouble: return put<double>(i, mean + deviation * x);
      default: return put<double>(i, std::exp(mean + deviation * x));
    }
  }
  void normals(size_t i, Pair pair) {
    normal(i, pair.first);
    normal(i + 1, pair.second);
  }

 private:
  template <class T>
  void put(size_t i, T value) {
    if (i < request_.count) static_cast<T*>(request_.out)[i] = value;
  }
  float scaled(double x) const {
    return static_cast<float>(request_.mean) + static_cast<float>(request_.deviation) * static_cast<float>(x);
  }

  const Request request_;
  std::optional<Poisson> poisson_;
};

inline bool is_float(Kind kind) { return kind == Kind::Uniform || kind == Kind::Normal || kind == Kind::LogNormal; }

}  // namespace cassc::rand
#endif
