// Inline PTX on half precision and bfloat16: registers hold the bits of one element, or of two.
#ifndef CASSC_PTX_SMALL_H
#define CASSC_PTX_SMALL_H
#include "cuda_bf16.h"
#include "cuda_fp16.h"

#ifdef __CUDA_ARCH__
namespace cassc {
namespace ptx {
template <class H_, class Operation, class... Words>
CASSC_FN unsigned short small1(Operation operation, Words... words) {
  return operation(H_::from_bits(static_cast<unsigned short>(words))...).__x;
}
template <class H_, class Operation, class... Words>
CASSC_FN unsigned small2(Operation operation, Words... words) {
  return small1<H_>(operation, words...) | static_cast<unsigned>(small1<H_>(operation, (words >> 16)...)) << 16;
}
template <class H_>
CASSC_FN float wide(unsigned short bits) { return static_cast<float>(H_::from_bits(bits)); }

// Saturation clamps to [0, 1], NaN to 0; "relu" negative numbers to 0, and NaN stays one.
template <int Mantissa, int Exponent, Round Mode, bool Saturate, bool Rectify>
CASSC_FN unsigned short to_small(double value) {
  if constexpr (Saturate) value = !(value > 0) ? 0.0 : value > 1 ? 1.0 : value;
  if constexpr (Rectify) value = value < 0 ? 0.0 : value;
  return round_to<Mantissa, Exponent>(value, Mode);
}
template <class T_, class Word>
CASSC_FN Word small_add(void* place, Word bits) {
  return __builtin_bit_cast(Word, atomicAdd(static_cast<T_*>(place), __builtin_bit_cast(T_, bits)));
}
}  // namespace ptx
}  // namespace cassc
#endif
#endif
