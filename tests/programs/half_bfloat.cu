// half, half2, bfloat16 and bfloat162: rounding of every basic operation bit for bit, fused products, comparisons, minima,
// packed conversions, a Horner chain and a packed dot product.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define TRY(call)                                                                         \
    do {                                                                                  \
        cudaError_t err = (call);                                                         \
        if (err != cudaSuccess) {                                                         \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(err));          \
            exit(2);                                                                      \
        }                                                                                 \
    } while (0)

constexpr int N = 256, OPS = 10;
static const char *const names[OPS] = {"add", "sub", "mul", "fma", "min", "max", "neg-abs", "compare", "horner", "int"};

// Operands: 16 bits of a finite number whose magnitude suits the format, specials among them. No NaN: its payload is open.
__host__ __device__ uint16_t operand(int i, int k, bool brain) {
    uint32_t x = (uint32_t)(i * 3 + k) * 0x9e3779b1u ^ 0x5bd1e995u;
    x ^= x >> 15;
    x *= 0x85ebca6bu;
    x ^= x >> 14;
    if (i < 8) return (uint16_t)((i & 1) << 15 | (i & 2 ? 1 : 0));  // zeros and the least denormals
    if (i < 16) return (uint16_t)((i & 1) << 15 | (brain ? 0x7f7f : 0x7bff) - (k == 2 ? 0x3000 : k * 64));
    if (i < 20 && k == 0) return (uint16_t)((i & 1) << 15 | (brain ? 0x7f80 : 0x7c00));
    if (brain) return (uint16_t)((x & 0x8000) | (0x3d00 + (x & 0x7ff) - (x >> 20 & 0x3ff)));
    return (uint16_t)((x & 0x8000) | (x & 0x3ff) | (8 + (x >> 16) % 14) << 10);
}

__global__ void halves(uint16_t *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = i ^ 1;
    auto h = [](int n, int k) { return __ushort_as_half(operand(n, k, false)); };
    __half a = h(i, 0), b = h(i, 1), c = h(i, 2);
    // Packed forms carry the neighbour's operands; the low half is this thread's.
    __half2 a2 = __halves2half2(a, h(j, 0)), b2 = __halves2half2(b, h(j, 1)), c2 = __halves2half2(c, h(j, 2));
    __half r[OPS];
    r[0] = i % 3 ? __low2half(__hadd2_rn(a2, b2)) : __hadd_rn(a, b);
    r[1] = i % 3 ? __low2half(__hsub2_rn(a2, b2)) : __hsub_rn(a, b);
    r[2] = i % 3 ? __low2half(__hmul2_rn(a2, b2)) : __hmul_rn(a, b);
    r[3] = i % 3 ? __low2half(__hfma2(a2, b2, c2)) : __hfma(a, b, c);
    r[4] = i % 3 ? __low2half(__hmin2(a2, b2)) : __hmin(a, b);
    r[5] = i % 3 ? __high2half(__hmax2(__lowhigh2highlow(a2), __lowhigh2highlow(b2))) : __hmax(a, b);
    r[6] = __hsub_rn(__hneg(a), __habs(b));
    unsigned order = __hlt(a, b) | __hle(a, b) << 1 | __heq(a, b) << 2 | __hgt(a, c) << 3 | __hne(a, c) << 4 | (__low2half(__hge2(a2, b2)) == __float2half(1.f)) << 5 | __hbgt2(a2, b2) << 6 | __hisinf(a) << 8;
    r[7] = __ushort_as_half((unsigned short)order);
    __half x = __float2half_rn(0.0625f * (float)(i % 16)), p = c;
    for (int k = 0; k < 4; ++k) p = __hfma(p, x, k & 1 ? b : c);
    r[8] = p;
    float2 both = __half22float2(c2);
    r[9] = __ushort_as_half((unsigned short)((unsigned)__half2int_rd(c) * 3u + (unsigned)__half2uint_rn(__habs(c)) + (unsigned)(int)(both.x + both.y)));
    for (int k = 0; k < OPS; ++k) out[k * N + i] = __half_as_ushort(r[k]);
}

__global__ void brains(uint16_t *out, float *dot) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = i ^ 1;
    auto h = [](int n, int k) { return __ushort_as_bfloat16(operand(n, k, true)); };
    __nv_bfloat16 a = h(i, 0), b = h(i, 1), c = h(i, 2);
    __nv_bfloat162 a2 = __halves2bfloat162(a, h(j, 0)), b2 = __halves2bfloat162(b, h(j, 1)), c2 = __halves2bfloat162(c, h(j, 2));
    __nv_bfloat16 r[OPS];
    r[0] = i % 3 ? __low2bfloat16(__hadd2_rn(a2, b2)) : __hadd_rn(a, b);
    r[1] = i % 3 ? __low2bfloat16(__hsub2_rn(a2, b2)) : __hsub_rn(a, b);
    r[2] = i % 3 ? __low2bfloat16(__hmul2_rn(a2, b2)) : __hmul_rn(a, b);
    r[3] = i % 3 ? __low2bfloat16(__hfma2(a2, b2, c2)) : __hfma(a, b, c);
    r[4] = i % 3 ? __low2bfloat16(__hmin2(a2, b2)) : __hmin(a, b);
    r[5] = i % 3 ? __low2bfloat16(__hmax2(a2, b2)) : __hmax(a, b);
    r[6] = __hsub_rn(__hneg(a), __habs(b));
    unsigned order = __hlt(a, b) | __hle(a, b) << 1 | __heq(a, b) << 2 | __hgt(a, c) << 3 | __hne(a, c) << 4 | (__low2bfloat16(__hge2(a2, b2)) == __float2bfloat16(1.f)) << 5 | __hbgt2(a2, b2) << 6 | __hisinf(a) << 8;
    r[7] = __ushort_as_bfloat16((unsigned short)order);
    __nv_bfloat16 x = __float2bfloat16_rn(0.0625f * (float)(i % 16)), p = c;
    for (int k = 0; k < 4; ++k) p = __hfma(p, x, k & 1 ? b : c);
    r[8] = p;
    float2 both = __bfloat1622float2(c2);
    r[9] = i < 16 ? __ushort_as_bfloat16(7) : __ushort_as_bfloat16((unsigned short)((unsigned)(int)floorf(__bfloat162float(c) * 64.f) * 3u + (unsigned)(int)(both.x * 16.f + both.y * 16.f)));
    for (int k = 0; k < OPS; ++k) out[k * N + i] = __bfloat16_as_ushort(r[k]);
    // Packed dot product of small integers, exact in half: one partial per thread.
    __half2 sum = __floats2half2_rn(0.f, 0.f);
    for (int k = 0; k < 12; ++k) sum = __hfma2(__floats2half2_rn((float)((i + k) % 7), (float)(k - 5)), __half2half2(__int2half_rn((i * k) % 5 - 2)), sum);
    dot[i] = __low2float(sum) * 1000.f + __high2float(sum);
}

// Value of 16 bits, and the nearest 16 bits of a value, ties to even; long double holds every intermediate exactly enough.
static long double value(uint16_t b, bool brain) {
    int mantissa = brain ? 7 : 10, e = (b & 0x7fff) >> mantissa, f = b & ((1 << mantissa) - 1), top = brain ? 255 : 31, bias = brain ? 127 : 15;
    long double v = e == top ? (long double)INFINITY : ldexpl(e ? f | 1 << mantissa : f, (e ? e : 1) - bias - mantissa);
    return b & 0x8000 ? -v : v;
}
static uint16_t nearest(long double v, bool brain) {
    int mantissa = brain ? 7 : 10, least = brain ? -126 : -14;
    uint32_t sign = std::signbit(v) ? 0x8000 : 0, infinity = brain ? 0x7f80 : 0x7c00;
    if (std::isinf(v)) return (uint16_t)(sign | infinity);
    int e = v == 0 ? least : std::max(ilogbl(v), least);
    uint32_t bits = e > 200 ? infinity : (uint32_t)fabsl(rintl(ldexpl(v, mantissa - e))) + ((uint32_t)(e - least) << mantissa);
    return (uint16_t)(sign | std::min(bits, infinity));
}

static bool isNan(uint16_t b, bool brain) { return (b & 0x7fff) > (brain ? 0x7f80 : 0x7c00); }

static int compare(const char *type, const uint16_t *got, bool brain) {
    int wrong = 0;
    for (int k = 0; k < OPS; ++k) {
        uint32_t h = 2166136261u;
        int bad = 0;
        for (int i = 0; i < N; ++i) {
            auto v = [&](int n, int s) { return value(operand(n, s, brain), brain); };
            long double a = v(i, 0), b = v(i, 1), c = v(i, 2), c1 = v(i ^ 1, 2), r = 0;
            bool less = a < b || (a == b && std::signbit(a) && !std::signbit(b));
            uint16_t want = 0, g = got[k * N + i];
            bool raw = false;
            switch (k) {
                case 0: r = a + b; break;
                case 1: r = a - b; break;
                case 2: r = a * b; break;
                case 3: r = a * b + c; break;
                case 4: r = less ? a : b; break;
                case 5: r = less ? b : a; break;
                case 6: r = -a - fabsl(b); break;
                case 7:
                    raw = true;
                    want = (uint16_t)((a < b) | (a <= b) << 1 | (a == b) << 2 | (a > c) << 3 | (a != c) << 4 | (a >= b) << 5 | (a > b && v(i ^ 1, 0) > v(i ^ 1, 1)) << 6 | (std::isinf(a) ? (a > 0 ? 1 : -1) * 256 : 0));
                    break;
                case 8: {
                    long double x = 0.0625L * (i % 16), p = c;
                    for (int s = 0; s < 4; ++s) p = value(nearest(p * x + (s & 1 ? b : c), brain), brain);
                    r = p;
                    break;
                }
                default:
                    raw = true;
                    if (brain) want = i < 16 ? 7 : (uint16_t)((uint32_t)(int)floorl(c * 64) * 3u + (uint32_t)(int)(float)(c * 16 + c1 * 16));
                    else want = (uint16_t)((uint32_t)(int)floorl(c) * 3u + (uint32_t)rintl(fabsl(c)) + (uint32_t)(int)(float)(c + c1));
            }
            if (!raw) want = std::isnan(r) ? 0x7fff : nearest(r, brain);
            if (!raw && isNan(g, brain)) g = 0x7fff;
            h = (h ^ g) * 16777619u;
            if ((k == 4 || k == 5) && a == b) want = g & 0x7fff ? want : g;  // which zero, IEEE 754 leaves open
            if (g != want && bad++ == 0) printf("[%d: %04x, not %04x] ", i, g, want);
        }
        printf("%s %-8s %08x\n", type, names[k], h);
        wrong += bad;
    }
    return wrong;
}

int main() {
    static uint16_t h[OPS * N], b[OPS * N];
    uint16_t *dh, *db;
    float dot[N], *dd;
    TRY(cudaMalloc(&dh, sizeof h));
    TRY(cudaMalloc(&db, sizeof b));
    TRY(cudaMalloc(&dd, sizeof dot));
    halves<<<2, N / 2>>>(dh);
    brains<<<2, N / 2>>>(db, dd);
    TRY(cudaMemcpy(h, dh, sizeof h, cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy(b, db, sizeof b, cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy(dot, dd, sizeof dot, cudaMemcpyDeviceToHost));
    int wrong = compare("half", h, false) + compare("bfloat16", b, true);
    float total = 0;
    for (int i = 0; i < N; ++i) {
        int low = 0, high = 0;
        for (int k = 0; k < 12; ++k) low += (i + k) % 7 * ((i * k) % 5 - 2), high += (k - 5) * ((i * k) % 5 - 2);
        wrong += dot[i] != (float)(low * 1000 + high);
        total += dot[i];
    }
    printf("dot %.0f %.0f %.0f\nRESULT: %s\n", dot[1], dot[200], total, wrong ? "FAIL" : "PASS");
    return wrong != 0;
}
