// One FP8 value, two and four, of the kind that CASSC_KIND and the other macros name. Included once for each. What is made from
// wider types is saturated; values convert as the half that they are exactly.
struct CASSC_T {
  __nv_fp8_storage_t __x;

  CASSC_T() = default;
  explicit CASSC_HD CASSC_T(__half value) : __x(__nv_cvt_halfraw_to_fp8(value, __NV_SATFINITE, CASSC_KIND)) {}
  explicit CASSC_HD CASSC_T(__nv_bfloat16 value) : __x(__nv_cvt_bfloat16raw_to_fp8(value, __NV_SATFINITE, CASSC_KIND)) {}
  explicit CASSC_HD CASSC_T(float value) : __x(__nv_cvt_float_to_fp8(value, __NV_SATFINITE, CASSC_KIND)) {}
  explicit CASSC_HD CASSC_T(double value) : __x(__nv_cvt_double_to_fp8(value, __NV_SATFINITE, CASSC_KIND)) {}
  explicit CASSC_HD CASSC_T(unsigned short value) : CASSC_T(static_cast<double>(value)) {}
  explicit CASSC_HD CASSC_T(unsigned value) : CASSC_T(static_cast<double>(value)) {}
  explicit CASSC_HD CASSC_T(unsigned long value) : CASSC_T(static_cast<double>(value)) {}
  explicit CASSC_HD CASSC_T(unsigned long long value) : CASSC_T(static_cast<double>(value)) {}
  explicit CASSC_HD CASSC_T(short value) : CASSC_T(static_cast<double>(value)) {}
  explicit CASSC_HD CASSC_T(int value) : CASSC_T(static_cast<double>(value)) {}
  explicit CASSC_HD CASSC_T(long value) : CASSC_T(static_cast<double>(value)) {}
  explicit CASSC_HD CASSC_T(long long value) : CASSC_T(static_cast<double>(value)) {}

  explicit CASSC_HD operator __half() const { return __nv_cvt_fp8_to_halfraw(__x, CASSC_KIND); }
  explicit CASSC_HD operator float() const { return cassc::fp8_to_float(__x, CASSC_KIND); }
  explicit CASSC_HD operator double() const { return static_cast<float>(*this); }
  explicit CASSC_HD operator __nv_bfloat16() const { return __nv_bfloat16(static_cast<float>(*this)); }
  explicit CASSC_HD operator bool() const { return (__x & 0x7f) != 0; }
#define CASSC_TO(type) \
  explicit CASSC_HD operator type() const { return cassc::saturated_integer<type>(static_cast<float>(*this)); }
  CASSC_TO(char)
  CASSC_TO(signed char)
  CASSC_TO(unsigned char)
  CASSC_TO(short)
  CASSC_TO(unsigned short)
  CASSC_TO(int)
  CASSC_TO(unsigned)
  CASSC_TO(long)
  CASSC_TO(unsigned long)
  CASSC_TO(long long)
  CASSC_TO(unsigned long long)
#undef CASSC_TO
};

struct __align__(2) CASSC_T2 {
  __nv_fp8x2_storage_t __x;

  CASSC_T2() = default;
  explicit CASSC_HD CASSC_T2(__half2 value) : __x(__nv_cvt_halfraw2_to_fp8x2(value, __NV_SATFINITE, CASSC_KIND)) {}
  explicit CASSC_HD CASSC_T2(__nv_bfloat162 value) : __x(__nv_cvt_bfloat16raw2_to_fp8x2(value, __NV_SATFINITE, CASSC_KIND)) {}
  explicit CASSC_HD CASSC_T2(float2 value) : __x(__nv_cvt_float2_to_fp8x2(value, __NV_SATFINITE, CASSC_KIND)) {}
  explicit CASSC_HD CASSC_T2(double2 value) : __x(__nv_cvt_double2_to_fp8x2(value, __NV_SATFINITE, CASSC_KIND)) {}

  explicit CASSC_HD operator __half2() const { return __nv_cvt_fp8x2_to_halfraw2(__x, CASSC_KIND); }
  explicit CASSC_HD operator float2() const {
    return float2{cassc::fp8_to_float(__x & 0xff, CASSC_KIND), cassc::fp8_to_float(__x >> 8, CASSC_KIND)};
  }
};

struct __align__(4) CASSC_T4 {
  __nv_fp8x4_storage_t __x;

  CASSC_T4() = default;
  explicit CASSC_HD CASSC_T4(__half2 low, __half2 high) : __x(cassc_join(CASSC_T2(low), CASSC_T2(high))) {}
  explicit CASSC_HD CASSC_T4(__nv_bfloat162 low, __nv_bfloat162 high) : __x(cassc_join(CASSC_T2(low), CASSC_T2(high))) {}
  explicit CASSC_HD CASSC_T4(float4 value)
      : __x(cassc_join(CASSC_T2(float2{value.x, value.y}), CASSC_T2(float2{value.z, value.w}))) {}
  explicit CASSC_HD CASSC_T4(double4 value)
      : __x(cassc_join(CASSC_T2(double2{value.x, value.y}), CASSC_T2(double2{value.z, value.w}))) {}

  explicit CASSC_HD operator float4() const {
    CASSC_T2 low, high;
    low.__x = static_cast<unsigned short>(__x);
    high.__x = static_cast<unsigned short>(__x >> 16);
    const float2 a = static_cast<float2>(low), b = static_cast<float2>(high);
    return float4{a.x, a.y, b.x, b.y};
  }

 private:
  static CASSC_HD __nv_fp8x4_storage_t cassc_join(CASSC_T2 low, CASSC_T2 high) {
    return low.__x | static_cast<__nv_fp8x4_storage_t>(high.__x) << 16;
  }
};
#undef CASSC_KIND
#undef CASSC_T
#undef CASSC_T2
#undef CASSC_T4
