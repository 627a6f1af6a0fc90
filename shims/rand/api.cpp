// libcurand's entry points (cuRAND manual, "Host API").
#include <new>

#include "errors.h"
#include "generator.h"
#include "hiprand.h"

#define CASSC_API extern "C" __attribute__((visibility("default")))

using namespace cassc::rand;
namespace rt = cassc::rt;

namespace {

template <class Body>
Status guarded(Generator* generator, Body&& body) {
  if (!generator) return Status::NotInitialized;
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return Status::AllocationFailed;
  } catch (...) {
    return Status::InternalError;
  }
}

Status generate(Generator* generator, Kind kind, void* out, size_t count, double mean = 0, double deviation = 1) {
  return guarded(generator, [&] { return generator->generate({kind, out, count, mean, deviation}); });
}

Status create_by_hiprand(Generator** generator, int type) {
  if (!hiprand().found()) return Status::InitializationFailed;
  Status status = Status::Success;
  auto hip = HipGenerator::make(type, status);
  if (!hip) return status;
  *generator = Generator::make(type, std::move(hip)).release();
  return Status::Success;
}

Status create(Generator** generator, int type, bool host) {
  if (!generator) return Status::NotInitialized;
  if (!host) {
    switch (rt::open_for_libraries()) {
      case rt::Error::Success: break;
      case rt::Error::NotSupported: return create_by_hiprand(generator, type);
      default: return Status::PreexistingFailure;
    }
  }
  auto made = Generator::make(type, host);
  *generator = made.release();
  return *generator ? Status::Success : Status::TypeError;
}

Status unsupported(const char* name) {
  rt::report(std::string(name) + " is not supported", true);
  return Status::InternalError;
}

constexpr int kMajor = 10, kMinor = 4, kPatch = 0;

}  // namespace

CASSC_API Status curandCreateGenerator(Generator** generator, int type) { return create(generator, type, false); }
CASSC_API Status curandCreateGeneratorHost(Generator** generator, int type) { return create(generator, type, true); }

CASSC_API Status curandDestroyGenerator(Generator* generator) {
  return guarded(generator, [&] {
    delete generator;  // work that is on a stream holds its engine
    return Status::Success;
  });
}

CASSC_API Status curandGetVersion(int* version) {
  if (version) *version = 1000 * kMajor + 100 * kMinor + kPatch;
  return version ? Status::Success : Status::OutOfRange;
}

CASSC_API Status curandGetProperty(int which, int* value) {
  constexpr int values[] = {kMajor, kMinor, kPatch};
  if (which < 0 || which > 2 || !value) return Status::OutOfRange;
  *value = values[which];
  return Status::Success;
}

CASSC_API Status curandSetStream(Generator* generator, rt::Stream* stream) {
  return guarded(generator, [&] {
    generator->set_stream(stream);
    return Status::Success;
  });
}

CASSC_API Status curandSetPseudoRandomGeneratorSeed(Generator* generator, unsigned long long seed) {
  return guarded(generator, [&] { return generator->set_seed(seed); });
}
CASSC_API Status curandSetGeneratorOffset(Generator* generator, unsigned long long offset) {
  return guarded(generator, [&] { return generator->set_offset(offset); });
}
CASSC_API Status curandSetGeneratorOrdering(Generator* generator, Ordering ordering) {
  return guarded(generator, [&] { return generator->set_ordering(ordering); });
}
CASSC_API Status curandSetQuasiRandomGeneratorDimensions(Generator* generator, unsigned dimensions) {
  return guarded(generator, [&] { return generator->set_dimensions(dimensions); });
}
// Prepares what the first call would otherwise make.
CASSC_API Status curandGenerateSeeds(Generator* generator) {
  return guarded(generator, [] { return Status::Success; });
}

CASSC_API Status curandGenerate(Generator* generator, unsigned* out, size_t count) {
  return generate(generator, Kind::Bits, out, count);
}
CASSC_API Status curandGenerateLongLong(Generator* generator, unsigned long long* out, size_t count) {
  return generate(generator, Kind::LongBits, out, count);
}
CASSC_API Status curandGenerateUniform(Generator* generator, float* out, size_t count) {
  return generate(generator, Kind::Uniform, out, count);
}
CASSC_API Status curandGenerateUniformDouble(Generator* generator, double* out, size_t count) {
  return generate(generator, Kind::UniformDouble, out, count);
}
CASSC_API Status curandGenerateNormal(Generator* generator, float* out, size_t count, float mean, float deviation) {
  return generate(generator, Kind::Normal, out, count, mean, deviation);
}
CASSC_API Status curandGenerateNormalDouble(Generator* generator, double* out, size_t count, double mean, double deviation) {
  return generate(generator, Kind::NormalDouble, out, count, mean, deviation);
}
CASSC_API Status curandGenerateLogNormal(Generator* generator, float* out, size_t count, float mean, float deviation) {
  return generate(generator, Kind::LogNormal, out, count, mean, deviation);
}
CASSC_API Status curandGenerateLogNormalDouble(Generator* generator, double* out, size_t count, double mean,
                                               double deviation) {
  return generate(generator, Kind::LogNormalDouble, out, count, mean, deviation);
}
CASSC_API Status curandGeneratePoisson(Generator* generator, unsigned* out, size_t count, double lambda) {
  return generate(generator, Kind::Poisson, out, count, lambda);
}
CASSC_API Status curandGeneratePoissonMethod(Generator* generator, unsigned* out, size_t count, double lambda, int) {
  return generate(generator, Kind::Poisson, out, count, lambda);
}

// For generators in kernels, which bring their tables with NVIDIA's headers.
#define UNSUPPORTED(name) \
  CASSC_API __attribute__((weak)) Status name() { return unsupported(#name); }
UNSUPPORTED(curandGetDirectionVectors32)
UNSUPPORTED(curandGetDirectionVectors64)
UNSUPPORTED(curandGetScrambleConstants32)
UNSUPPORTED(curandGetScrambleConstants64)
UNSUPPORTED(curandCreatePoissonDistribution)
UNSUPPORTED(curandDestroyDistribution)
