// A transform by hipFFT, on a HIP device (hipFFT API Reference: names, numbers and order of parameters are cuFFT's).
#ifndef CASSC_FFT_HIPFFT_H
#define CASSC_FFT_HIPFFT_H
#include "../rocm/rocm.h"
#include "plan.h"

namespace cassc::fft {

const rocm::Library& hipfft();
// Numbers of hipfftResult are those of cufftResult, where both have them.
constexpr int kHipfftNotSupported = 16;

class HipPlan {
 public:
  HipPlan() = default;
  HipPlan(const HipPlan&) = delete;
  ~HipPlan();
  int make(Type type, std::vector<long long> sizes, long long batch, const std::optional<Layout>& in,
           const std::optional<Layout>& out, size_t* work);
  Type type() const { return type_; }
  int run(rt::Stream* stream, void* in, void* out, Direction direction) const;

 private:
  Type type_ = Type::C2C;
  void* handle_ = nullptr;
};

}  // namespace cassc::fft
#endif
