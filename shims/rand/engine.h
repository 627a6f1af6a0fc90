// Engines: what a generator of some type and seed gives at some position.
#ifndef CASSC_RAND_ENGINE_H
#define CASSC_RAND_ENGINE_H
#include <cstddef>
#include <cstdint>
#include <memory>

namespace cassc::rand {

// Numbers of curandRngType.
enum Type : int {
  kPseudoDefault = 100, kXorwow = 101, kMrg32k3a = 121, kMtgp32 = 141, kMt19937 = 142, kPhilox = 161,
  kQuasiDefault = 200, kSobol32 = 201, kScrambledSobol32 = 202, kSobol64 = 203, kScrambledSobol64 = 204,
};

enum class Kind { Bits, LongBits, Uniform, UniformDouble, Normal, NormalDouble, LogNormal, LogNormalDouble, Poisson };

struct Request {
  Kind kind;
  void* out;
  size_t count;
  double mean = 0, deviation = 1;  // of the normal; for Poisson mean is lambda
};

class Engine {
 public:
  virtual ~Engine() = default;
  // Fills request.out as a generator at this position does. Calls for one engine may come from several threads.
  virtual void generate(uint64_t position, const Request& request) = 0;
  // How far a generator moves by such a request.
  virtual uint64_t length(Kind kind, size_t count) const = 0;
};

std::shared_ptr<Engine> make_lanes(Type type, uint64_t seed, bool legacy);  // XORWOW, MRG32k3a
std::shared_ptr<Engine> make_philox(uint64_t seed);
std::shared_ptr<Engine> make_twister(uint64_t seed);
// Null where there are no direction numbers for so many dimensions.
std::shared_ptr<Engine> make_sobol(bool wide, unsigned dimensions);
constexpr unsigned kMaxDimensions = 20000;  // of NVIDIA's

inline bool in_pairs(Kind kind) { return kind >= Kind::Normal && kind <= Kind::LogNormalDouble; }

}  // namespace cassc::rand
#endif
