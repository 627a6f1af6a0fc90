// FFTW by dlopen (FFTW 3 manual, "FFTW Reference": the C interface; fftw_execute_dft is the one call that threads share).
#include <dlfcn.h>

#include <cstdlib>
#include <mutex>

#include "library_work.h"
#include "line.h"

namespace cassc::fft {
namespace {

constexpr unsigned kUnaligned = 1u << 1, kPreserveInput = 1u << 4, kEstimate = 1u << 6;

struct Fftw {
  using Plan = void*;
  Plan (*plan)(int n, Complex* in, Complex* out, int sign, unsigned flags) = nullptr;
  void (*execute)(Plan, Complex* in, Complex* out) = nullptr;
  void (*destroy)(Plan) = nullptr;
  std::mutex planning;

  static Fftw* get() {
    static Fftw* const found = open();
    return found;
  }

 private:
  static Fftw* open() {
    const char* named = std::getenv("CASSC_FFTW");
    void* library = rt::open_first({named ? named : "", "libfftw3.so.3"});
    if (!library) return nullptr;
    auto* made = new Fftw;
    made->plan = reinterpret_cast<decltype(made->plan)>(dlsym(library, "fftw_plan_dft_1d"));
    made->execute = reinterpret_cast<decltype(made->execute)>(dlsym(library, "fftw_execute_dft"));
    made->destroy = reinterpret_cast<decltype(made->destroy)>(dlsym(library, "fftw_destroy_plan"));
    return made->plan && made->execute && made->destroy ? made : nullptr;
  }
};

class FftwLine : public Line {
 public:
  FftwLine(Fftw& fftw, Fftw::Plan forward, Fftw::Plan inverse) : fftw_(fftw), forward_(forward), inverse_(inverse) {}
  ~FftwLine() override {
    const std::lock_guard lock(fftw_.planning);
    fftw_.destroy(forward_);
    fftw_.destroy(inverse_);
  }
  void run(const Complex* in, Complex* out, Direction direction) const override {
    fftw_.execute(direction == kForward ? forward_ : inverse_, const_cast<Complex*>(in), out);  // kPreserveInput
  }

 private:
  Fftw& fftw_;
  const Fftw::Plan forward_, inverse_;
};

}  // namespace

std::unique_ptr<Line> make_fftw_line(size_t n) {
  Fftw* const fftw = Fftw::get();
  if (!fftw || n > 0x7fffffff) return nullptr;
  std::vector<Complex> in(n), out(n);
  const std::lock_guard lock(fftw->planning);
  const auto plan = [&](Direction direction) {
    return fftw->plan(static_cast<int>(n), in.data(), out.data(), direction, kEstimate | kUnaligned | kPreserveInput);
  };
  const Fftw::Plan forward = plan(kForward), inverse = plan(kInverse);
  return forward && inverse ? std::make_unique<FftwLine>(*fftw, forward, inverse) : nullptr;
}

std::shared_ptr<const Line> make_line(size_t n) {
  if (auto line = make_fftw_line(n)) return line;
  return make_own_line(n);
}

}  // namespace cassc::fft
