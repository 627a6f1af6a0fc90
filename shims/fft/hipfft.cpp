#include "hipfft.h"

namespace cassc::fft {

const rocm::Library& hipfft() {
  static const auto* library =
      new rocm::Library("hipFFT", "CASSC_HIPFFT", {"libhipfft.so.0", "libhipfft.so.1", "/opt/rocm/lib/libhipfft.so.0"});
  return *library;
}

HipPlan::~HipPlan() {
  if (handle_) hipfft().call(0, "hipfftDestroy", handle_);
}

int HipPlan::make(Type type, std::vector<long long> sizes, long long batch, const std::optional<Layout>& in,
                  const std::optional<Layout>& out, size_t* work) {
  type_ = type;
  if (const int status = hipfft().call(kHipfftNotSupported, "hipfftCreate", &handle_)) return status;
  struct Side {
    std::vector<long long> embed;
    long long stride = 1, distance = 0;
    explicit Side(const std::optional<Layout>& layout) {
      if (!layout) return;
      embed.assign(layout->embed.begin(), layout->embed.end());
      stride = static_cast<long long>(layout->stride);
      distance = static_cast<long long>(layout->distance);
    }
    long long* place() { return embed.empty() ? nullptr : embed.data(); }
  } from(in), to(out);
  size_t bytes = 0;
  const int status = hipfft().call(kHipfftNotSupported, "hipfftMakePlanMany64", handle_, static_cast<int>(sizes.size()),
                                   sizes.data(), from.place(), from.stride, from.distance, to.place(), to.stride, to.distance,
                                   static_cast<int>(type), batch, &bytes);
  if (status == 0 && work) *work = bytes;
  return status;
}

int HipPlan::run(rt::Stream* stream, void* in, void* out, Direction direction) const {
  constexpr int kExecFailed = 6;
  void* native = nullptr;
  if (rt::native_stream(stream, &native) != rt::Error::Success) return kExecFailed;
  if (const int status = hipfft().call(kHipfftNotSupported, "hipfftSetStream", handle_, native)) return status;
  const auto one_way = [&](const char* name) { return hipfft().call(kHipfftNotSupported, name, handle_, in, out); };
  const auto both_ways = [&](const char* name) {
    return hipfft().call(kHipfftNotSupported, name, handle_, in, out, static_cast<int>(direction));
  };
  switch (type_) {
    case Type::C2C: return both_ways("hipfftExecC2C");
    case Type::R2C: return one_way("hipfftExecR2C");
    case Type::C2R: return one_way("hipfftExecC2R");
    case Type::Z2Z: return both_ways("hipfftExecZ2Z");
    case Type::D2Z: return one_way("hipfftExecD2Z");
    case Type::Z2D: return one_way("hipfftExecZ2D");
  }
  return kExecFailed;
}

}  // namespace cassc::fft
