#include "generator.h"

#include "errors.h"
#include "hiprand.h"

namespace cassc::rand {

Generator::Generator(Type type, bool host) : type_(type), host_(host) {}
Generator::~Generator() = default;

std::unique_ptr<Generator> Generator::make(int type, std::unique_ptr<HipGenerator> hip) {
  rt::report("cuRAND's numbers are hipRAND's on a HIP device, and not NVIDIA's", true);
  std::unique_ptr<Generator> made(new Generator(static_cast<Type>(type), false));
  made->hip_ = std::move(hip);
  return made;
}

std::unique_ptr<Generator> Generator::make(int type, bool host) {
  switch (type) {
    case kPseudoDefault: type = kXorwow; break;
    case kQuasiDefault: type = kSobol32; break;
    case kXorwow: case kMrg32k3a: case kPhilox: case kSobol32: case kSobol64: break;
    case kMt19937:
      rt::report("cuRAND's MT19937 gives the numbers in the generator's own order, which is not NVIDIA's", true);
      break;
    case kMtgp32: rt::report("cuRAND's MTGP32 is not there: MT19937 takes its place", true); break;
    case kScrambledSobol32: case kScrambledSobol64: rt::report("cuRAND's scrambled Sobol' sequences are not supported", true);
      [[fallthrough]];
    default: return nullptr;
  }
  return std::unique_ptr<Generator>(new Generator(static_cast<Type>(type), host));
}

Status Generator::set_seed(uint64_t seed) {
  if (hip_) return hip_->call("hiprandSetPseudoRandomGeneratorSeed", static_cast<unsigned long long>(seed));
  if (quasi()) return Status::TypeError;
  seed_ = seed;
  engine_.reset();
  if (twister()) position_ = 0;
  return Status::Success;
}

Status Generator::set_offset(uint64_t offset) {
  if (hip_) return hip_->call("hiprandSetGeneratorOffset", static_cast<unsigned long long>(offset));
  if (twister()) return Status::TypeError;
  position_ = offset;
  return Status::Success;
}

Status Generator::set_ordering(Ordering ordering) {
  if (hip_) return hip_->call("hiprandSetGeneratorOrdering", static_cast<int>(ordering));
  bool known = ordering == Ordering::Quasi;
  if (!quasi()) {
    known = ordering == Ordering::Best || ordering == Ordering::Default || ordering == Ordering::Legacy;
    known = known || (ordering == Ordering::Dynamic && type_ != kMt19937) || (ordering == Ordering::Seeded && type_ == kXorwow);
    if (known && (ordering == Ordering::Dynamic || ordering == Ordering::Seeded))
      rt::report("cuRAND's dynamic and seeded orderings give the numbers in the default order", true);
  }
  if (!known) return Status::OutOfRange;
  legacy_ = ordering == Ordering::Legacy;
  engine_.reset();
  return Status::Success;
}

Status Generator::set_dimensions(unsigned dimensions) {
  if (hip_) return hip_->call("hiprandSetQuasiRandomGeneratorDimensions", dimensions);
  if (!quasi()) return Status::TypeError;
  if (dimensions == 0 || dimensions > kMaxDimensions) return Status::OutOfRange;
  dimensions_ = dimensions;
  engine_.reset();
  return Status::Success;
}

// Which lengths and kinds are refused, and how, was measured on an H200.
Status Generator::check(const Request& request) const {
  const bool wide = type_ == kSobol64;
  if (request.kind == Kind::Bits && wide) return Status::TypeError;
  if (request.kind == Kind::LongBits && !wide) return Status::TypeError;
  if (request.kind == Kind::Poisson && !(request.mean > 0)) return Status::OutOfRange;
  if (quasi() && request.count % dimensions_ != 0) return Status::LengthNotMultiple;
  if (!quasi() && in_pairs(request.kind) && request.count % 2 != 0) return Status::LengthNotMultiple;
  return Status::Success;
}

std::shared_ptr<Engine> Generator::make_engine() const {
  switch (type_) {
    case kXorwow: case kMrg32k3a: return make_lanes(type_, seed_, legacy_);
    case kPhilox: return make_philox(seed_);
    case kMt19937: case kMtgp32: return make_twister(seed_);
    default: return make_sobol(type_ == kSobol64, dimensions_);
  }
}

Status Generator::generate(const Request& request) {
  if (hip_) return hip_->generate(stream_, request);
  if (const Status status = check(request); status != Status::Success || request.count == 0) return status;
  if (!engine_) engine_ = make_engine();
  if (!engine_) {
    rt::report("cuRAND: Sobol' sequences have at most 256 dimensions", true);
    return Status::OutOfRange;
  }
  const auto work = [engine = engine_, position = position_, request] { engine->generate(position, request); };
  position_ += engine_->length(request.kind, request.count);
  if (host_) {
    work();
    return Status::Success;
  }
  switch (rt::enqueue(stream_, work)) {
    case rt::Error::Success: return Status::Success;
    case rt::Error::MemoryAllocation: return Status::AllocationFailed;
    default: return Status::LaunchFailure;
  }
}

}  // namespace cassc::rand
