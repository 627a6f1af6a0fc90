// Inline PTX: half precision, conversions, scopes, subnormals, matrices in registers, asynchronous copies.
#include "check.h"
#include <cuda_fp16.h>
#include <cuda_bf16.h>
__device__ unsigned short hs(float x) { return __half_as_ushort(__float2half(x)); }
__device__ unsigned h2(float x, float y) { return hs(x) | (unsigned)hs(y) << 16; }
__device__ float fl(unsigned w, int i) { return __half2float(__ushort_as_half((unsigned short)(w >> 16 * i))); }
__global__ void small(float* o) {
  int n = 0;
  auto put = [&](float x) { o[n++] = x; };
  unsigned short r;
  unsigned w;
  float f;
  asm("add.f16 %0, %1, %2;" : "=h"(r) : "h"(hs(1.5f)), "h"(hs(2.f)));
  put(fl(r, 0));
  asm("{ .reg .f16 a, b; mov.b16 a, %1; fma.rn.f16 b, a, a, a; mov.b16 %0, b; }" : "=h"(r) : "h"(hs(3.f)));
  put(fl(r, 0));
  asm("mul.f16x2 %0, %1, %2;" : "=r"(w) : "r"(h2(2, 3)), "r"(h2(4, 5)));
  put(fl(w, 0));
  put(fl(w, 1));
  asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(w) : "r"(h2(2, 3)), "r"(h2(4, 5)), "r"(h2(1, 1)));
  put(fl(w, 0) + fl(w, 1));
  asm("max.f16x2 %0, %1, %2;" : "=r"(w) : "r"(h2(2, 9)), "r"(h2(4, 5)));
  put(fl(w, 0) + fl(w, 1));
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r) : "f"(0.1f));
  put(fl(r, 0) > 0.0999f);
  asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(r));
  put(f > 0.0999f && f < 0.1f);
  asm("cvt.rz.f16.f32 %0, %1;" : "=h"(r) : "f"(2.0019531f));
  put(fl(r, 0));
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(w) : "f"(7.f), "f"(8.f));
  put(fl(w, 0) * 10 + fl(w, 1));
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(w) : "f"(1.f), "f"(2.f));
  put(w == 0x3f804000);
  asm("{.reg .bf16 l, h; .reg .b32 q; mov.b32 {l, h}, %1; cvt.f32.bf16 %0, h; }" : "=f"(f) : "r"(w));
  put(f);
  int p;
  asm("{ .reg .pred p; setp.lt.f16 p, %1, %2; selp.s32 %0, 1, 0, p; }" : "=r"(p) : "h"(hs(1.f)), "h"(hs(2.f)));
  put(p);
  asm("ex2.approx.f16x2 %0, %1;" : "=r"(w) : "r"(h2(1, 3)));
  put(fl(w, 0) + fl(w, 1));
  asm("neg.f16x2 %0, %1;" : "=r"(w) : "r"(h2(1, 3)));
  put(fl(w, 0) + fl(w, 1));
  asm("add.ftz.f32 %0, %1, %2;" : "=f"(f) : "f"(1e-40f), "f"(0.f));
  put(f);
  asm("add.f32 %0, %1, %2;" : "=f"(f) : "f"(1e-40f), "f"(0.f));
  put(f != 0);
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(w) : "f"(1.0002f));
  put(w == 0x3f800000);
  asm("{ .reg .b32 t; { .reg .b32 t; mov.b32 t, 5; } mov.b32 t, 6; mov.b32 %0, t; }" : "=r"(w));
  put(w);
  unsigned a = 10;
  asm volatile("{ .reg .pred %%p<2>; setp.ge.u32 %%p0, %0, 10; @%%p0 add.u32 %0, %0, 5; }" : "+r"(a));
  put(a);
  asm("mov.u32 %0, %%tid.x;" : "=r"(a));
  put(a);
  asm("{ .reg .u64 t; cvt.u64.u32 t, %1; shl.b64 t, t, 32; shr.u64 t, t, 31; cvt.u32.u64 %0, t; }" : "=r"(a) : "r"(3));
  put(a);
}
__global__ void mma(const half* A, const half* B, float* C) {  // m16n8k16
  int l = threadIdx.x, g = l / 4, t = l % 4;
  unsigned a[4], b[2];
  float c[4] = {1, 1, 1, 1};
  __shared__ __align__(16) half s[256], sb[128];
  for (int i = l; i < 256; i += 32) s[i] = A[i];
  for (int i = l; i < 128; i += 32) sb[i] = B[i];
  __syncwarp();
  unsigned addr = (unsigned)__cvta_generic_to_shared(s + (l % 16) * 16 + l / 16 * 8);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n"
               : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
               : "r"(addr));
  unsigned ab = (unsigned)__cvta_generic_to_shared(sb + (l % 16) * 8);
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];\n" : "=r"(b[0]), "=r"(b[1]) : "r"(ab));
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, "
      "%13};\n"
      : "=f"(c[0]), "=f"(c[1]), "=f"(c[2]), "=f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "f"(c[0]), "f"(c[1]), "f"(c[2]), "f"(c[3]));
  C[g * 8 + 2 * t] = c[0];
  C[g * 8 + 2 * t + 1] = c[1];
  C[(g + 8) * 8 + 2 * t] = c[2];
  C[(g + 8) * 8 + 2 * t + 1] = c[3];
}
__global__ void imma(const signed char* A, const signed char* B, int* C) {  // m16n8k32, B col major
  int l = threadIdx.x, g = l / 4, t = l % 4;
  const unsigned* a = (const unsigned*)A;
  const unsigned* b = (const unsigned*)B;
  int d[4];
  asm("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%10,%10,%10,%10};"
      : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
      : "r"(a[g * 8 + t]), "r"(a[(g + 8) * 8 + t]), "r"(a[g * 8 + t + 4]), "r"(a[(g + 8) * 8 + t + 4]),
        "r"(b[g * 8 + t]), "r"(b[g * 8 + t + 4]), "r"(0));
  C[g * 8 + 2 * t] = d[0];
  C[g * 8 + 2 * t + 1] = d[1];
  C[(g + 8) * 8 + 2 * t] = d[2];
  C[(g + 8) * 8 + 2 * t + 1] = d[3];
}
__global__ void copies(int* o, const int* in) {
  __shared__ __align__(16) int s[64];
  unsigned d = (unsigned)__cvta_generic_to_shared(s + 4 * threadIdx.x);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(d), "l"(in + 4 * threadIdx.x));
  asm volatile("cp.async.commit_group;");
  asm volatile("cp.async.wait_group %0;" ::"n"(0));
  asm volatile("cp.async.wait_all;");
  __syncthreads();
  for (int i = 0; i < 4; ++i) o[4 * threadIdx.x + i] = s[63 - 4 * threadIdx.x - i];
  __syncthreads();
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;\n" ::"r"(d), "l"(in), "r"(0));
  __syncthreads();
  if (threadIdx.x == 1) o[64] = s[4];
}
int main() {
  float* o = managed<float>(64);
  small<<<1, 1>>>(o);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  float w[] = {3.5f, 12, 8, 15, 25, 13, 1, 1, 2.0019531f, 87, 1, 1, 1, 10, -4, 0, 1, 1, 6, 15, 0, 6};
  for (int i = 0; i < (int)(sizeof w / 4); ++i)
    if (o[i] != w[i]) printf("%d: %g not %g\n", i, o[i], w[i]);
  half *A = managed<half>(256), *B = managed<half>(128);
  float* C = managed<float>(128);
  for (int i = 0; i < 256; ++i) A[i] = __float2half(i % 7 - 3.f);
  for (int i = 0; i < 128; ++i) B[i] = __float2half(i % 5 - 2.f);
  mma<<<1, 32>>>(A, B, C);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 8; ++j) {
      float s = 1;
      for (int k = 0; k < 16; ++k) s += __half2float(A[i * 16 + k]) * __half2float(B[k * 8 + j]);
      if (C[i * 8 + j] != s) printf("mma %d %d %g %g\n", i, j, C[i * 8 + j], s);
    }
  auto *ia = managed<signed char>(512), *ib = managed<signed char>(256);
  int* ic = managed<int>(128);
  for (int i = 0; i < 512; ++i) ia[i] = i * 7;
  for (int i = 0; i < 256; ++i) ib[i] = i * 3 - 50;
  imma<<<1, 32>>>(ia, ib, ic);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 8; ++j) {
      int s = 0;
      for (int k = 0; k < 32; ++k) s += ia[i * 32 + k] * ib[j * 32 + k];
      if (ic[i * 8 + j] != s) printf("imma %d %d\n", i, j);
    }
  int *q = managed<int>(80), *in = managed<int>(64);
  for (int i = 0; i < 64; ++i) in[i] = i;
  copies<<<1, 16>>>(q, in);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  for (int i = 0; i < 64; ++i) CHECK(q[i] == 63 - i);
  CHECK(q[64] == 0);
  done();
}
