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

template <class T>
struct cassc_storage {
  using Type = T;
};
template <>
struct cassc_storage<precision::tf32> {
  using Type = float;
};
template <class Use, int M, int N, int K>
constexpr int cassc_rows = __is_same(Use, matrix_b) ? K : M;
template <class Use, int M, int N, int K>
constexpr int cassc_columns = __is_same(Use, matrix_a) ? K : N;

template <class Use, int M, int N, int K, class T, class Layout = void>
struct fragment {
  using element_type = typename cassc_storage<T>::Type;
  using storage_element_type = element_type;
  static constexpr int num_elements = cassc_rows<Use, M, N, K> * cassc_columns<Use, M, N, K> / 32;
  static constexpr int num_storage_elements = num_elements;
  element_type x[num_elements];

  // Row and column of the lane's element i.
  static CASSC_FN void place(int i, int& row, int& column) CASSC_BODY(
      const int flat = static_cast<int>(cassc::lane()) * num_elements + i;
      if constexpr (__is_same(Use, matrix_b)) {
        row = flat % K;
        column = flat / K;
      } else {
        constexpr int columns = cassc_columns<Use, M, N, K>;
        row = flat / columns;
        column = flat % columns;
      })
};

template <class Use, int M, int N, int K, class T, class Layout, class V>
CASSC_FN void fill_fragment(fragment<Use, M, N, K, T, Layout>& f, const V& value) CASSC_BODY(
    for (int i = 0; i < f.num_elements; ++i) f.x[i] = static_cast<typename cassc_storage<T>::Type>(value);)

template <class Use, int M, int N, int K, class T, class Layout, class P>
CASSC_FN void cassc_load(fragment<Use, M, N, K, T, Layout>& f, const P* p, unsigned stride, bool by_rows) CASSC_BODY(
    for (int i = 0; i < f.num_elements; ++i) {
      int row, column;
      f.place(i, row, column);
      f.x[i] = p[by_rows ? row * stride + column : column * stride + row];
    })
template <class Use, int M, int N, int K, class T, class P>
CASSC_FN void load_matrix_sync(fragment<Use, M, N, K, T, row_major>& f, const P* p, unsigned stride) CASSC_BODY(
    cassc_load(f, p, stride, true);)
template <class Use, int M, int N, int K, class T, class P>
CASSC_FN void load_matrix_sync(fragment<Use, M, N, K, T, col_major>& f, const P* p, unsigned stride) CASSC_BODY(
    cassc_load(f, p, stride, false);)
template <int M, int N, int K, class T>
CASSC_FN void load_matrix_sync(fragment<accumulator, M, N, K, T>& f, const T* p, unsigned stride, layout_t layout) CASSC_BODY(
    cassc_load(f, p, stride, layout == mem_row_major);)
template <int M, int N, int K, class T>
CASSC_FN void store_matrix_sync(T* p, const fragment<accumulator, M, N, K, T>& f, unsigned stride, layout_t layout) CASSC_BODY(
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
template <class Accumulator, class T>
CASSC_FN Accumulator cassc_operand(T value) {
  if constexpr (__is_same(Accumulator, int))
    return static_cast<int>(value);
  else if constexpr (__is_same(Accumulator, double))
    return value;
  else
    return static_cast<float>(value);
}
#endif
template <int M, int N, int K, class T, class LayoutA, class LayoutB, class D, class C>
CASSC_FN void mma_sync(fragment<accumulator, M, N, K, D>& d, const fragment<matrix_a, M, N, K, T, LayoutA>& a,
                       const fragment<matrix_b, M, N, K, T, LayoutB>& b, const fragment<accumulator, M, N, K, C>& c,
                       bool satf = false) CASSC_BODY(
    using Wide = std::conditional_t<std::is_same_v<D, int>, int, std::conditional_t<std::is_same_v<D, double>, double, float>>;
    constexpr int of_a = M * K / 32, of_b = K * N / 32, of_c = M * N / 32;
    Wide row_of_a[K];
    D result[of_c];
    for (int i = 0; i < of_c; ++i) {
      int row, column;
      c.place(i, row, column);
      if (i == 0 || of_c > N)  // a lane's elements lie in one row otherwise
        for (int k = 0; k < K; ++k)
          row_of_a[k] = cassc_operand<Wide>(cassc::permute_any(a.x[k % of_a], static_cast<unsigned>((row * K + k) / of_a)));
      Wide sum = cassc_operand<Wide>(c.x[i]);
      for (int k = 0; k < K; ++k) {
        const Wide other = cassc_operand<Wide>(cassc::permute_any(b.x[k % of_b], static_cast<unsigned>((column * K + k) / of_b)));
        if constexpr (std::is_same_v<Wide, int>)
          sum = static_cast<int>(static_cast<unsigned>(sum) + static_cast<unsigned>(row_of_a[k] * other));
        else
          sum = __builtin_elementwise_fma(row_of_a[k], other, sum);
      }
      result[i] = static_cast<D>(sum);
    }
    for (int i = 0; i < of_c; ++i) d.x[i] = result[i];)
}  // namespace wmma
}  // namespace nvcuda
#endif
