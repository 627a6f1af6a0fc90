#include "hiprand.h"

namespace cassc::rand {

const rocm::Library& hiprand() {
  static const auto* library = new rocm::Library("hipRAND", "CASSC_HIPRAND", {"libhiprand.so.1", "/opt/rocm/lib/libhiprand.so.1"});
  return *library;
}

std::unique_ptr<HipGenerator> HipGenerator::make(int type, Status& status) {
  // Numbers of curandRngType and of hiprandRngType.
  static constexpr int numbers[][2] = {{100, 400}, {101, 401}, {121, 402}, {141, 403}, {142, 404}, {161, 405},
                                       {200, 500}, {201, 501}, {202, 502}, {203, 503}, {204, 504}};
  status = Status::TypeError;
  for (const auto& [ours, theirs] : numbers) {
    if (ours != type) continue;
    auto made = std::make_unique<HipGenerator>();
    status = static_cast<Status>(hiprand().call(kMissing, "hiprandCreateGenerator", &made->handle_, theirs));
    return status == Status::Success ? std::move(made) : nullptr;
  }
  return nullptr;
}

HipGenerator::~HipGenerator() {
  if (handle_) hiprand().call(0, "hiprandDestroyGenerator", handle_);
}

Status HipGenerator::generate(rt::Stream* stream, const Request& r) const {
  void* native = nullptr;
  if (rt::native_stream(stream, &native) != rt::Error::Success) return Status::LaunchFailure;
  if (const Status status = call("hiprandSetStream", native); status != Status::Success) return status;
  const auto mean = static_cast<float>(r.mean), deviation = static_cast<float>(r.deviation);
  switch (r.kind) {
    case Kind::Bits: return call("hiprandGenerate", r.out, r.count);
    case Kind::LongBits: return call("hiprandGenerateLongLong", r.out, r.count);
    case Kind::Uniform: return call("hiprandGenerateUniform", r.out, r.count);
    case Kind::UniformDouble: return call("hiprandGenerateUniformDouble", r.out, r.count);
    case Kind::Normal: return call("hiprandGenerateNormal", r.out, r.count, mean, deviation);
    case Kind::NormalDouble: return call("hiprandGenerateNormalDouble", r.out, r.count, r.mean, r.deviation);
    case Kind::LogNormal: return call("hiprandGenerateLogNormal", r.out, r.count, mean, deviation);
    case Kind::LogNormalDouble: return call("hiprandGenerateLogNormalDouble", r.out, r.count, r.mean, r.deviation);
    case Kind::Poisson: return call("hiprandGeneratePoisson", r.out, r.count, r.mean);
  }
  return Status::InternalError;
}

}  // namespace cassc::rand
