// wmma: products of every type of element, in the shapes that CUDA has.
#include "check.h"
#include <mma.h>
#include <cuda_bf16.h>
using namespace nvcuda;
__global__ void h(const half* a, const half* b, float* c, half* ch) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fragment<wmma::accumulator, 16, 16, 16, half> fh;
  wmma::fill_fragment(fc, 0.0f);
  wmma::fill_fragment(fh, __float2half(1.f));
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::mma_sync(fc, fa, fb, fc);
  for (int i = 0; i < fc.num_elements; ++i) fc.x[i] *= 2;
  wmma::mma_sync(fh, fa, fb, fh);
  wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
  wmma::store_matrix_sync(ch, fh, 16, wmma::mem_col_major);
}
__global__ void i8(const signed char* a, const signed char* b, int* c) {
  wmma::fragment<wmma::matrix_a, 32, 8, 16, signed char, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 32, 8, 16, signed char, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 32, 8, 16, int> fc;
  wmma::fill_fragment(fc, 3);
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, b, 8);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c, fc, 8, wmma::mem_row_major);
}
__global__ void tf(const float* a, const float* b, float* c) {
  wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 8, float> fc;
  wmma::fill_fragment(fc, 0.f);
  wmma::load_matrix_sync(fa, a, 8);
  wmma::load_matrix_sync(fb, b, 16);
  for (int t = 0; t < fa.num_elements; t++) fa.x[t] = wmma::__float_to_tf32(fa.x[t]);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}
__global__ void dd(const double* a, const double* b, double* c) {
  wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 8, 8, 4, double> fc;
  wmma::load_matrix_sync(fc, c, 8, wmma::mem_row_major);
  wmma::load_matrix_sync(fa, a, 4);
  wmma::load_matrix_sync(fb, b, 4);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c, fc, 8, wmma::mem_row_major);
}
__global__ void bf(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c) {
  wmma::fragment<wmma::matrix_a, 8, 32, 16, __nv_bfloat16, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 8, 32, 16, __nv_bfloat16, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 8, 32, 16, float> fc;
  wmma::fill_fragment(fc, 0.f);
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, b, 32);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c, fc, 32, wmma::mem_row_major);
}
template <class A, class C, class F>
void cmp(int line, int m, int n, int k, const A* a, const A* b, const C* c, F at, double start, double scale, bool colb,
         bool colc) {
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      double s = start;
      for (int q = 0; q < k; ++q) s += at(a[i * k + q]) * at(b[colb ? j * k + q : q * n + j]);
      s *= scale;
      double g = (double)(float)c[colc ? j * m + i : i * n + j];
      if (g != s) {
        printf("line %d: %d %d %g %g\n", line, i, j, g, s);
        return;
      }
    }
}
int main() {
  half *a = managed<half>(256), *b = managed<half>(256), *ch = managed<half>(256);
  float* c = managed<float>(256);
  for (int i = 0; i < 256; ++i) {
    a[i] = __float2half(i % 5 - 2.f);
    b[i] = __float2half(i % 7 - 3.f);
  }
  h<<<1, 32>>>(a, b, c, ch);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  auto f = [](half x) { return (double)__half2float(x); };
  cmp(__LINE__, 16, 16, 16, a, b, c, f, 0, 2, true, false);
  cmp(__LINE__, 16, 16, 16, a, b, ch, f, 1, 1, true, true);
  auto *ia = managed<signed char>(512), *ib = managed<signed char>(128);
  int* ic = managed<int>(256);
  for (int i = 0; i < 512; ++i) ia[i] = i % 255 - 127;
  for (int i = 0; i < 128; ++i) ib[i] = 127 - i * 3 % 250;
  i8<<<1, 32>>>(ia, ib, ic);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  cmp(__LINE__, 32, 8, 16, ia, ib, ic, [](signed char x) { return (double)x; }, 3, 1, false, false);
  float *ta = managed<float>(128), *tb = managed<float>(128), *tc = managed<float>(256);
  for (int i = 0; i < 128; ++i) {
    ta[i] = i % 9 - 4;
    tb[i] = i % 11 - 5;
  }
  tf<<<1, 32>>>(ta, tb, tc);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  cmp(__LINE__, 16, 16, 8, ta, tb, tc, [](float x) { return (double)x; }, 0, 1, false, false);
  double *da = managed<double>(32), *db = managed<double>(32), *dc = managed<double>(64);
  for (int i = 0; i < 32; ++i) {
    da[i] = i + 0.5;
    db[i] = i - 10.25;
  }
  for (int i = 0; i < 64; ++i) dc[i] = 1;
  dd<<<1, 32>>>(da, db, dc);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  cmp(__LINE__, 8, 8, 4, da, db, dc, [](double x) { return x; }, 1, 1, true, false);
  auto *ba = managed<__nv_bfloat16>(128), *bb = managed<__nv_bfloat16>(512);
  float* bc = managed<float>(256);
  for (int i = 0; i < 128; ++i) ba[i] = __float2bfloat16(i % 5 - 2.f);
  for (int i = 0; i < 512; ++i) bb[i] = __float2bfloat16(i % 6 - 3.f);
  bf<<<1, 32>>>(ba, bb, bc);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  cmp(__LINE__, 8, 32, 16, ba, bb, bc, [](__nv_bfloat16 x) { return (double)__bfloat162float(x); }, 0, 1, false, false);
  done();
}
