// The discrete Fourier transform of one line of numbers, in double precision: by FFTW (libfftw3.so.3, opened when it is
// there), otherwise by an own implementation, so that a program needs nothing that pip did not bring.
#ifndef CASSC_FFT_LINE_H
#define CASSC_FFT_LINE_H
#include <complex>
#include <cstddef>
#include <memory>
#include <vector>

namespace cassc::fft {

using Complex = std::complex<double>;

enum Direction : int { kForward = -1, kInverse = 1 };  // the sign in the exponent; CUFFT_FORWARD and CUFFT_INVERSE

class Line {
 public:
  virtual ~Line() = default;
  // out = the sums of in[k] * exp(direction * 2 pi i j k / n), not scaled. in and out do not overlap. Any thread may call.
  virtual void run(const Complex* in, Complex* out, Direction direction) const = 0;
};

std::shared_ptr<const Line> make_line(size_t n);

std::unique_ptr<Line> make_fftw_line(size_t n);  // null without FFTW
std::unique_ptr<Line> make_own_line(size_t n);

}  // namespace cassc::fft
#endif
