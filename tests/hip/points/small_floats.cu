// Half precision and bfloat16: arithmetic, pairs, conversions, comparisons and atomics, on the device and the host.
#include "check.h"
#include <cuda_fp16.h>
#include <cuda_bf16.h>
__global__ void k(float* o, __half* h, __nv_bfloat16* b, half2* h2) {
  int n = 0;
  auto put = [&](float x) { o[n++] = x; };
  half a = __float2half(1.5f), c = half(2.5f);
  put(__half2float(a + c));
  put(__half2float(a * c - a / c));
  put((float)__hfma(a, c, a));
  put(__hlt(a, c));
  put(a < c && c != a && !(a == c));
  put(__half2float(__hmax(a, c)) + __half2float(__hmin(a, c)) + float(__habs(-a)));
  half2 p = __floats2half2_rn(1.f, 2.f), q = __half2half2(a);
  half2 r = __hfma2(p, q, p);
  put(__low2float(r));
  put(__high2float(r));
  put(__half2float(r.x) + __half2float(r.y));
  float2 f = __half22float2(__hadd2(p, q));
  put(f.x + f.y);
  put(__half2float(hsqrt(half(4.f))) + __half2float(hexp(half(0.f))));
  put(__half2int_rn(half(3.5f)));
  put((float)__int2half_rn(7));
  put(__half2float(__ushort_as_half(0x3c00)));
  put(__half_as_ushort(a));
  put(__half2float(__hadd_sat(a, c)));
  put(__hisnan(half(NAN)));
  put(__half2float(__shfl_sync(1, a, 0)));
  h[0] = a;
  h[0] += c;
  h2[0] = __hmul2(p, p);
  atomicAdd(&h[1], half(1.f));
  atomicAdd(h2 + 1, p);
  __nv_bfloat16 x = __float2bfloat16(1.5f), y = 2.5f;
  put(__bfloat162float(x + y));
  put(float(x * y));
  put((float)__hfma(x, y, x));
  put(x < y);
  __nv_bfloat162 z = __floats2bfloat162_rn(3.f, 4.f);
  put(__low2float(z) * __high2float(z));
  b[0] = x;
  b[1] = __float2bfloat16_rz(1.00390625f);
  put(__bfloat162float(hexp2(__float2bfloat16(3.f))));
  atomicAdd(b, y);
  put(float(__hmul(x, y)));
  put(__bfloat16_as_ushort(x));
  put(float(half(65504.f)));
  put(__hgt(__half(1), __half(0)));
  put(float(__float2half_rd(0.1f)) <= 0.1f);
  put(float(hfloor(half(1.7f))));
  put(float(h2exp(__float2half2_rn(0.f)).x));
  __half_raw hr = a;
  put(hr.x);
  half neg = -a;
  put(float(neg));
  a++;
  put(float(a));
  put(bool(a));
  put(float(half(3)) + int(half(4.0f)));
}
int main() {
  float* o = managed<float>(64);
  auto* h = managed<__half>(4);
  auto* b = managed<__nv_bfloat16>(4);
  auto* h2 = managed<half2>(4);
  h[1] = __float2half(2.f);
  k<<<1, 1>>>(o, h, b, h2);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  float w[] = {4, 3.15f, 5.25f, 1, 1,  5.5f, 2.5f,  5,      7.5f,  6, 3, 4, 7, 1,      0x3e00, 1,    1, 1.5f,
               4, 3.75f, 5.25f, 1, 12, 8,    3.75f, 0x3fc0, 65504, 1, 1, 1, 1, 0x3e00, -1.5f,  2.5f, 1, 7};
  for (int i = 0; i < (int)(sizeof w / 4); ++i)
    if (fabsf(o[i] - w[i]) > 2e-3f * fabsf(w[i])) printf("%d: %g not %g\n", i, o[i], w[i]);
  CHECK(__half2float(h[0]) == 4);
  CHECK((float)h[1] == 3);
  CHECK((float)b[0] == 4);
  CHECK((float)h2[0].y == 4);
  CHECK((float)h2[1].x == 1);
  __half hh = __float2half(0.333f);
  CHECK(fabsf(__half2float(hh) - 0.333f) < 1e-3f);
  half2 h22 = __floats2half2_rn(1, 2);
  CHECK(__low2float(h22) == 1);
  __nv_bfloat16 bb = __float2bfloat16(3.f);
  CHECK(float(bb) == 3);
  CHECK(float(hh + hh) > 0.6f);
  done();
}
