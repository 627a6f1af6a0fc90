// nvcuda::wmma (CUDA C++ Programming Guide, "Warp Matrix Functions"). Which lane holds which element is not part of the interface:
// here a lane holds a run of the elements of A by rows, of B by columns and of the accumulator by rows. Sums are made in order
// of k in the accumulator's type.
#ifndef CASSC_MMA_H
#define CASSC_MMA_H
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cassc/group_lanes.h"

namespace nvcuda {
namespace wmma {
struct row_major {};
struct col_major {};
struct matrix_a {};
struct matrix_b {};
struct accumulator {};
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32 {};
}  // namespace precision

template <class T_>
struct cassc_storage {
  using Type = T_;
};
template <>
struct cassc_storage<precision::tf32> {
  using Type = float;
};
template <class Use, int M_, int N_, int K_>
constexpr int cassc_rows = __is_same(Use, matrix_b) ? K_ : M_;
template <class Use, int M_, int N_, int K_>
constexpr int cassc_columns = __is_same(Use, matrix_a) ? K_ : N_;

template <class Use, int M_, int N_, int K_, class T_, class Layout = void>
struct fragment {
  using element_type = typename cassc_storage<T_>::Type;
  using storage_element_type = element_type;
  static constexpr int num_elements = cassc_rows<Use, M_, N_, K_> * cassc_columns<Use, M_, N_, K_> / 32;
  static constexpr int num_storage_elements = num_elements;
  element_type x[num_elements];

  // Row and column of the lane's element i.
  static CASSC_FN void place(int i, int& row, int& column) CASSC_BODY(
      const int flat = static_cast<int>(cassc::lane()) * num_elements + i;
      if constexpr (__is_same(Use, matrix_b)) {
        row = flat % K_;
        column = flat / K_;
      } else {
        constexpr int columns = cassc_columns<Use, M_, N_, K_>;
        row = flat / columns;
        column = flat % columns;
      })
};

template <class Use, int M_, int N_, int K_, class T_, class Layout, class V_>
CASSC_FN void fill_fragment(fragment<Use, M_, N_, K_, T_, Layout>& f, const V_& value) CASSC_BODY(
    for (int i = 0; i < f.num_elements; ++i) f.x[i] = static_cast<typename cassc_storage<T_>::Type>(value);)

template <class Use, int M_, int N_, int K_, class T_, class Layout, class P_>
CASSC_FN void cassc_load(fragment<Use, M_, N_, K_, T_, Layout>& f, const P_* p, unsigned stride, bool by_rows) CASSC_BODY(
    for (int i = 0; i < f.num_elements; ++i) {
      int row, column;
      f.place(i, row, column);
      f.x[i] = p[by_rows ? row * stride + column : column * stride + row];
    })
template <class Use, int M_, int N_, int K_, class T_, class P_>
CASSC_FN void load_matrix_sync(fragment<Use, M_, N_, K_, T_, row_major>& f, const P_* p, unsigned stride) CASSC_BODY(
    cassc_load(f, p, stride, true);)
template <class Use, int M_, int N_, int K_, class T_, class P_>
CASSC_FN void load_matrix_sync(fragment<Use, M_, N_, K_, T_, col_major>& f, const P_* p, unsigned stride) CASSC_BODY(
    cassc_load(f, p, stride, false);)
template <int M_, int N_, int K_, class T_>
CASSC_FN void load_matrix_sync(fragment<accumulator, M_, N_, K_, T_>& f, const T_* p, unsigned stride, layout_t layout) CASSC_BODY(
    cassc_load(f, p, stride, layout == mem_row_major);)
template <int M_, int N_, int K_, class T_>
CASSC_FN void store_matrix_sync(T_* p, const fragment<accumulator, M_, N_, K_, T_>& f, unsigned stride, layout_t layout) CASSC_BODY(
    for (int i = 0; i < f.num_elements; ++i) {
      int row, column;
      f.place(i, row, column);
      p[layout == mem_row_major ? row * stride + column : column * stride + row] = f.x[i];
    })

// tf32 keeps ten bits of mantissa: to nearest, ties away from zero.
CASSC_FN float __float_to_tf32(float x) CASSC_BODY(
    const unsigned bits = __builtin_bit_cast(unsigned, x);
    if ((bits & 0x7f800000) == 0x7f800000) return x;
    return __builtin_bit_cast(float, (bits + 0x1000) & ~0x1fffu);)

#ifdef __CUDA_ARCH__
template <class Accumulator, class T_>
CASSC_FN Accumulator cassc_operand(T_ value) {
  if constexpr (__is_same(Accumulator, int))
    return static_cast<int>(value);
  else if constexpr (__is_same(Accumulator, double))
    return value;
  else
    return static_cast<float>(value);
}
#endif
template <int M_, int N_, int K_, class T_, class LayoutA, class LayoutB, class D_, class C_>
CASSC_FN void mma_sync(fragment<accumulator, M_, N_, K_, D_>& d, const fragment<matrix_a, M_, N_, K_, T_, LayoutA>& a,
                       const fragment<matrix_b, M_, N_, K_, T_, LayoutB>& b, const fragment<accumulator, M_, N_, K_, C_>& c,
                       bool satf = false) CASSC_BODY(
    using Wide = std::conditional_t<std::is_same_v<D_, int>, int, std::conditional_t<std::is_same_v<D_, double>, double, float>>;
    constexpr int of_a = M_ * K_ / 32, of_b = K_ * N_ / 32, of_c = M_ * N_ / 32;
    Wide row_of_a[K_];
    D_ result[of_c];
    for (int i = 0; i < of_c; ++i) {
      int row, column;
      c.place(i, row, column);
      if (i == 0 || of_c > N_)  // a lane's elements lie in one row otherwise
        for (int k = 0; k < K_; ++k)
          row_of_a[k] = cassc_operand<Wide>(cassc::permute_any(a.x[k % of_a], static_cast<unsigned>((row * K_ + k) / of_a)));
      Wide sum = cassc_operand<Wide>(c.x[i]);
      for (int k = 0; k < K_; ++k) {
        const Wide other = cassc_operand<Wide>(cassc::permute_any(b.x[k % of_b], static_cast<unsigned>((column * K_ + k) / of_b)));
        if constexpr (std::is_same_v<Wide, int>)
          sum = static_cast<int>(static_cast<unsigned>(sum) + static_cast<unsigned>(row_of_a[k] * other));
        else
          sum = __builtin_elementwise_fma(row_of_a[k], other, sum);
      }
      result[i] = static_cast<D_>(sum);
    }
    for (int i = 0; i < of_c; ++i) d.x[i] = result[i];)
}  // namespace wmma
}  // namespace nvcuda
#endif
