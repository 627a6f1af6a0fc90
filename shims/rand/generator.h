// A generator as the API sees it.
#ifndef CASSC_RAND_GENERATOR_H
#define CASSC_RAND_GENERATOR_H
#include <memory>

#include "engine.h"
#include "library_work.h"

namespace cassc::rand {

// curandStatus_t.
enum class Status : int {
  Success = 0, VersionMismatch = 100, NotInitialized = 101, AllocationFailed = 102, TypeError = 103, OutOfRange = 104,
  LengthNotMultiple = 105, LaunchFailure = 201, PreexistingFailure = 202, InitializationFailed = 203, InternalError = 999,
};

// Numbers of curandOrdering.
enum class Ordering : int { Best = 100, Default = 101, Seeded = 102, Legacy = 103, Dynamic = 104, Quasi = 201 };

class HipGenerator;

class Generator {
 public:
  // Null for a type that there is none of.
  static std::unique_ptr<Generator> make(int type, bool host);
  // On a HIP device: hipRAND's generator of the type, whose numbers are its own.
  static std::unique_ptr<Generator> make(int type, std::unique_ptr<HipGenerator> hip);
  ~Generator();

  Status set_seed(uint64_t seed);
  Status set_offset(uint64_t offset);
  Status set_ordering(Ordering ordering);
  Status set_dimensions(unsigned dimensions);
  void set_stream(rt::Stream* stream) { stream_ = stream; }
  Status generate(const Request& request);

 private:
  Generator(Type type, bool host);
  bool quasi() const { return type_ >= kQuasiDefault; }
  bool twister() const { return type_ == kMt19937 || type_ == kMtgp32; }
  Status check(const Request& request) const;
  std::shared_ptr<Engine> make_engine() const;

  const Type type_;
  const bool host_;  // writes host memory, before the call returns
  uint64_t seed_ = 0, position_ = 0;
  unsigned dimensions_ = 1;
  bool legacy_ = false;
  rt::Stream* stream_ = nullptr;
  std::unique_ptr<HipGenerator> hip_;
  std::shared_ptr<Engine> engine_;  // made when it is first needed
};

}  // namespace cassc::rand
#endif
