// Conversions between float, double, half and the integer types: each direction of rounding, saturation, NaN.
// The reference rounds in the host's long double, whose 64-bit significand holds every operand exactly.
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_fp16.h>

#define TRY(call)                                                                         \
    do {                                                                                  \
        cudaError_t err = (call);                                                         \
        if (err != cudaSuccess) {                                                         \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(err));          \
            exit(2);                                                                      \
        }                                                                                 \
    } while (0)

constexpr int N = 32, KINDS = 16;
enum Kind { F_I, F_U, F_L, F_UL, D_I, D_U, D_L, D_UL, I_F, U_F, L_F, UL_F, L_D, UL_D, D_F, F_H };
static const char *const names[KINDS] = {"float-int", "float-uint", "float-long", "float-ulong", "double-int", "double-uint", "double-long", "double-ulong",
    "int-float", "uint-float", "long-float", "ulong-float", "long-double", "ulong-double", "double-float", "float-half"};

#define FOUR(stem, x) (dir == 0 ? stem##_rn(x) : dir == 1 ? stem##_rz(x) : dir == 2 ? stem##_ru(x) : stem##_rd(x))

__device__ uint64_t convert(int kind, int dir, double d, uint64_t n) {
    float f = (float)d;
    switch (kind) {
        case F_I: return (uint32_t)FOUR(__float2int, f);
        case F_U: return FOUR(__float2uint, f);
        case F_L: return (uint64_t)FOUR(__float2ll, f);
        case F_UL: return FOUR(__float2ull, f);
        case D_I: return (uint32_t)FOUR(__double2int, d);
        case D_U: return FOUR(__double2uint, d);
        case D_L: return (uint64_t)FOUR(__double2ll, d);
        case D_UL: return FOUR(__double2ull, d);
        case I_F: return __float_as_uint(FOUR(__int2float, (int)n));
        case U_F: return __float_as_uint(FOUR(__uint2float, (unsigned)n));
        case L_F: return __float_as_uint(FOUR(__ll2float, (long long)n));
        case UL_F: return __float_as_uint(FOUR(__ull2float, n));
        case L_D: return (uint64_t)__double_as_longlong(FOUR(__ll2double, (long long)n));
        case UL_D: return (uint64_t)__double_as_longlong(FOUR(__ull2double, n));
        case D_F: return isnan(d) ? 0x7fc00000u : __float_as_uint(FOUR(__double2float, d));
        default: return isnan(f) ? 0x7e00u : __half_as_ushort(FOUR(__float2half, f));
    }
}

__global__ void grid(const double *d, const uint64_t *n, uint64_t *out) {
    out[(blockIdx.x * 4 + blockIdx.y) * N + threadIdx.x] = convert(blockIdx.x, blockIdx.y, d[threadIdx.x], n[threadIdx.x]);
}

// Saturating narrow integers, and every half through float, int and back.
__global__ void narrow(const uint64_t *n, uint32_t *out, uint32_t *halfSum) {
    int i = threadIdx.x, v = (int)(n[i] >> (i % 3 * 8));
    uint32_t u8, s16, u16;
    asm("cvt.sat.u8.s32 %0, %1;" : "=r"(u8) : "r"(v));
    asm("cvt.sat.s16.s32 %0, %1;" : "=r"(s16) : "r"(v));
    asm("cvt.sat.u16.s32 %0, %1;" : "=r"(u16) : "r"(v));
    out[i] = (u8 & 255) << 24 ^ (s16 & 0xffff) << 8 ^ (u16 & 0xffff) ^ (uint32_t)(signed char)v * 3u ^ (uint32_t)(unsigned short)v;
    uint32_t sum = 0;
    for (uint32_t bits = i; bits < 0x7c00; bits += N * 7) {
        __half h = __ushort_as_half((unsigned short)(bits | (bits & 1) << 15));
        float f = __half2float(h);
        sum = sum * 33u + (uint32_t)__half2int_rn(h) * 5u + (uint32_t)__half2int_rd(h) + __half_as_ushort(__float2half_rn(f)) + __half_as_ushort(__int2half_rz((int)bits * 3));
    }
    halfSum[i] = sum;
}

static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_UPWARD, FE_DOWNWARD};

static uint64_t toInteger(long double x, int dir, bool isSigned, int bits, bool fromDouble) {
    if (std::isnan(x)) return !fromDouble && bits == 32 ? 0 : 1ull << (bits - 1);
    std::fesetround(modes[dir]);
    x = nearbyintl(x);
    std::fesetround(FE_TONEAREST);
    long double top = ldexpl(1, isSigned ? bits - 1 : bits);
    if (isSigned) {
        int64_t r = x >= top ? (int64_t)((1ull << (bits - 1)) - 1) : x < -top ? (int64_t)(~0ull << (bits - 1)) : (int64_t)x;
        return bits == 32 ? (uint32_t)r : (uint64_t)r;
    }
    if (x >= top) return bits == 64 ? ~0ull : (1ull << bits) - 1;
    return x <= 0 ? 0 : (uint64_t)x;
}

// Bits of x rounded to a binary format with `precision` significand bits and least normal exponent `least`.
static uint64_t toFormat(long double x, int dir, int precision, int least, int width) {
    if (std::isnan(x)) return width == 16 ? 0x7e00 : 0x7fc00000;
    uint64_t sign = std::signbit(x) ? 1ull << (width - 1) : 0, infinity = (uint64_t)(2 * -least + 3) << (precision - 1);
    if (std::isinf(x)) return sign | infinity;
    int e = x == 0 ? least : std::max(ilogbl(x), least);
    std::fesetround(modes[dir]);
    long double q = fabsl(nearbyintl(ldexpl(x, precision - 1 - e)));
    std::fesetround(FE_TONEAREST);
    uint64_t bits = (uint64_t)q + ((uint64_t)(e - least) << (precision - 1));  // a carry moves to the next exponent by itself
    if (bits < infinity) return sign | bits;
    bool down = dir == 1 || (dir == 2 && sign) || (dir == 3 && !sign);
    return sign | (down ? infinity - 1 : infinity);
}

int main() {
    const double d[N] = {0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.49999999999999994, 1e-320, -1e-30, 2147483647.0, 2147483647.5, -2147483648.5, -2147483649.0,
        4294967295.0, 4294967295.75, 9223372036854774784.0, 9.3e18, -9.3e18, 18446744073709549568.0, 2e19, 1e300, -1e300, INFINITY, -INFINITY, NAN,
        65504.0, 65519.99, 6.1e-5, 2.9e-8, -1.0000001, 16777217.0};
    uint64_t n[N];
    for (int i = 0; i < N; ++i) n[i] = 0x9e3779b97f4a7c15ull * (i + 1) >> (i * 2 % 61);
    const uint64_t corners[] = {0, ~0ull, 1ull << 63, ~0ull >> 1, 1ull << 24 | 1, 1ull << 53 | 1, 0xfffffffful, 0x80000000ul, 0x7ffffffful, 0xffffffffffffff7full};
    memcpy(n, corners, sizeof corners);
    static uint64_t got[KINDS * 4 * N];
    uint32_t small[N], halves[N], *dSmall, *dHalves;
    double *dd;
    uint64_t *dn, *dout;
    TRY(cudaMalloc(&dd, sizeof d));
    TRY(cudaMalloc(&dn, sizeof n));
    TRY(cudaMalloc(&dout, sizeof got));
    TRY(cudaMalloc(&dSmall, sizeof small));
    TRY(cudaMalloc(&dHalves, sizeof halves));
    TRY(cudaMemcpy(dd, d, sizeof d, cudaMemcpyHostToDevice));
    TRY(cudaMemcpy(dn, n, sizeof n, cudaMemcpyHostToDevice));
    grid<<<dim3(KINDS, 4), N>>>(dd, dn, dout);
    narrow<<<1, N>>>(dn, dSmall, dHalves);
    TRY(cudaMemcpy(got, dout, sizeof got, cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy(small, dSmall, sizeof small, cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy(halves, dHalves, sizeof halves, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int kind = 0; kind < KINDS; ++kind) {
        printf("%-13s", names[kind]);
        for (int dir = 0; dir < 4; ++dir) {
            uint64_t h = 0;
            for (int i = 0; i < N; ++i) {
                uint64_t g = got[(kind * 4 + dir) * N + i], w;
                float f = (float)d[i];
                if (kind < D_I) w = toInteger(f, dir, !(kind & 1), kind < F_L ? 32 : 64, false);
                else if (kind < I_F) w = toInteger(d[i], dir, !(kind & 1), kind < D_L ? 32 : 64, true);
                else if (kind == L_D || kind == UL_D) w = toFormat(kind == L_D ? (long double)(int64_t)n[i] : (long double)n[i], dir, 53, -1022, 64);
                else if (kind == D_F) w = toFormat(d[i], dir, 24, -126, 32);
                else if (kind == F_H) w = toFormat(f, dir, 11, -14, 16);
                else w = toFormat(kind == I_F ? (int)n[i] : kind == U_F ? (unsigned)n[i] : kind == L_F ? (long double)(int64_t)n[i] : (long double)n[i], dir, 24, -126, 32);
                h = (h ^ g) * 0x2545f4914f6cdd1dull;
                h ^= h >> 31;
                if (g != w && wrong++ < 20) printf("[%d:%d %llx, not %llx]", dir, i, (unsigned long long)g, (unsigned long long)w);
            }
            printf(" %016llx", (unsigned long long)h);
        }
        printf("\n");
    }
    for (int i = 0; i < N; ++i) {
        int v = (int)(n[i] >> (i % 3 * 8));
        auto clamp = [&](int lo, int hi) { return (uint32_t)(v < lo ? lo : v > hi ? hi : v); };
        uint32_t w = clamp(0, 255) << 24 ^ (clamp(-32768, 32767) & 0xffff) << 8 ^ clamp(0, 65535) ^ (uint32_t)(signed char)v * 3u ^ (uint32_t)(unsigned short)v, sum = 0;
        for (uint32_t bits = i; bits < 0x7c00; bits += N * 7) {
            double m = bits < 1024 ? ldexp(bits, -24) : ldexp(1024 + (bits & 1023), (int)(bits >> 10) - 25);
            if (bits & 1) m = -m;
            sum = sum * 33u + (uint32_t)(int)std::nearbyint(m) * 5u + (uint32_t)(int)std::floor(m) + (uint32_t)(bits | (bits & 1) << 15) + (uint32_t)toFormat(bits * 3.0, 1, 11, -14, 16);
        }
        wrong += small[i] != w || halves[i] != sum;
        if (i % 8 == 0) printf("narrow %08x halves %08x\n", small[i], halves[i]);
    }
    printf("RESULT: %s\n", wrong ? "FAIL" : "PASS");
    return wrong != 0;
}
