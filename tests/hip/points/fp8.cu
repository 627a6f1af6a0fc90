// FP8: every code, and every kind of conversion to it, on the host and the device. The digests beside it are those of nvcc 13.0's
// own headers, on the host and on an H200.
#include <cuda_fp8.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

template <class To, class From>
__host__ __device__ To bits(From from) {
  To to;
  memcpy(&to, &from, sizeof to);
  return to;
}

template <class T, class T2, class T4>
__host__ __device__ uint64_t converted(uint32_t high, uint32_t low, __nv_fp8_interpretation_t kind) {
  const uint32_t word = high << 16 | low;
  const float f = bits<float>(word);
  const double d = bits<double>(static_cast<uint64_t>(word) << 32 | low * 65537u);
  const __half_raw h{static_cast<unsigned short>(high)};
  const __nv_bfloat16_raw b{static_cast<unsigned short>(high)};
  uint64_t digest = 1469598103934665603ull;
  auto put = [&](uint64_t value) { digest = (digest ^ value) * 1099511628211ull; };
  for (const auto saturate : {__NV_NOSAT, __NV_SATFINITE}) {
    put(__nv_cvt_float_to_fp8(f, saturate, kind));
    put(__nv_cvt_double_to_fp8(d, saturate, kind));
    put(__nv_cvt_halfraw_to_fp8(h, saturate, kind));
    put(__nv_cvt_bfloat16raw_to_fp8(b, saturate, kind));
    put(__nv_cvt_float2_to_fp8x2(float2{f, -f}, saturate, kind));
    put(__nv_cvt_double2_to_fp8x2(double2{d, 1.0}, saturate, kind));
    put(__nv_cvt_halfraw2_to_fp8x2(__half2_raw{h.x, static_cast<unsigned short>(low)}, saturate, kind));
    put(__nv_cvt_bfloat16raw2_to_fp8x2(__nv_bfloat162_raw{b.x, static_cast<unsigned short>(low)}, saturate, kind));
  }
  put(T(f).__x), put(T(d).__x), put(T(__half(h)).__x), put(T(__nv_bfloat16(b)).__x);
  put(T(static_cast<int>(word)).__x), put(T(static_cast<long long>(word) - 500).__x), put(T(static_cast<short>(high)).__x);
  put(T(static_cast<unsigned>(word)).__x), put(T(static_cast<unsigned short>(high)).__x);
  put(T2(float2{f, 2.5f}).__x), put(T2(__half2(__half(h), __half(h))).__x), put(T2(double2{d, d}).__x);
  put(T4(float4{f, 1.0f, -f, 3.0f}).__x), put(T4(__half2(__half(h), __half(h)), __half2(__half(h), __half(h))).__x);
  return digest;
}
template <class T, class T2, class T4>
__host__ __device__ uint64_t widened(unsigned char code, __nv_fp8_interpretation_t kind) {
  uint64_t digest = 1469598103934665603ull;
  auto put = [&](uint64_t value) { digest = (digest ^ value) * 1099511628211ull; };
  put(__nv_cvt_fp8_to_halfraw(code, kind).x);
  const __half2_raw two = __nv_cvt_fp8x2_to_halfraw2(code | 0x3c00, kind);
  put(two.x), put(two.y);
  T t;
  t.__x = code;
  put(bits<uint32_t>(static_cast<float>(t))), put(bits<uint64_t>(static_cast<double>(t)));
  put(bits<unsigned short>(static_cast<__half>(t))), put(bits<unsigned short>(static_cast<__nv_bfloat16>(t)));
  put(static_cast<bool>(t)), put(static_cast<unsigned char>(t)), put(static_cast<signed char>(t)), put(static_cast<char>(t));
  put(static_cast<short>(t)), put(static_cast<unsigned short>(t)), put(static_cast<int>(t)), put(static_cast<unsigned>(t));
  put(static_cast<long>(t)), put(static_cast<unsigned long>(t)), put(static_cast<long long>(t));
  put(static_cast<unsigned long long>(t));
  T2 t2;
  t2.__x = code | 0x4100;
  const float2 f2 = static_cast<float2>(t2);
  put(bits<uint32_t>(f2.x)), put(bits<uint32_t>(f2.y));
  T4 t4;
  t4.__x = code | 0x3a294100u;
  const float4 f4 = static_cast<float4>(t4);
  put(bits<uint32_t>(f4.x)), put(bits<uint32_t>(f4.y)), put(bits<uint32_t>(f4.z)), put(bits<uint32_t>(f4.w));
  return digest;
}

constexpr int kHigh = 1 << 16;
__host__ __device__ uint64_t of_high(uint32_t high, bool e4m3) {
  uint64_t digest = 0;
  for (const uint32_t low : {0u, 1u, 0x8000u, 0xffffu})
    digest = digest * 31 + (e4m3 ? converted<__nv_fp8_e4m3, __nv_fp8x2_e4m3, __nv_fp8x4_e4m3>(high, low, __NV_E4M3)
                                 : converted<__nv_fp8_e5m2, __nv_fp8x2_e5m2, __nv_fp8x4_e5m2>(high, low, __NV_E5M2));
  return digest;
}
__host__ __device__ uint64_t of_code(unsigned char code, bool e4m3) {
  return e4m3 ? widened<__nv_fp8_e4m3, __nv_fp8x2_e4m3, __nv_fp8x4_e4m3>(code, __NV_E4M3)
              : widened<__nv_fp8_e5m2, __nv_fp8x2_e5m2, __nv_fp8x4_e5m2>(code, __NV_E5M2);
}
__global__ void narrow(uint64_t* out, bool e4m3, int step) {
  for (int i = (blockIdx.x * blockDim.x + threadIdx.x) * step; i < kHigh; i += gridDim.x * blockDim.x * step)
    out[i] = of_high(i, e4m3);
}
__global__ void widen(uint64_t* out, bool e4m3) { out[threadIdx.x] = of_code(threadIdx.x, e4m3); }

int main() {
  constexpr int step = 7;  // on the device: every seventh
  uint64_t* out;
  cudaMallocManaged(&out, kHigh * sizeof *out);
  for (const bool e4m3 : {true, false}) {
    uint64_t host = 0, both = 0, codes = 0;
    narrow<<<16, 256>>>(out, e4m3, step);
    cudaDeviceSynchronize();
    for (int i = 0; i < kHigh; ++i) {
      const uint64_t digest = of_high(i, e4m3);
      host = host * 1099511628211ull + digest;
      if (i % step == 0) both += digest != out[i];
    }
    widen<<<1, 256>>>(out, e4m3);
    cudaDeviceSynchronize();
    for (int i = 0; i < 256; ++i) {
      const uint64_t digest = of_code(static_cast<unsigned char>(i), e4m3);
      codes = codes * 1099511628211ull + digest;
      both += digest != out[i];
    }
    printf("%s: %016llx %016llx, the device differs in %llu\n", e4m3 ? "e4m3" : "e5m2", (unsigned long long)host,
           (unsigned long long)codes, (unsigned long long)both);
  }
}
