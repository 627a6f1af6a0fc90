// The math library in float and double, and the fast intrinsics, against the host's double. Functions that IEEE 754 defines
// exactly are hashed bit for bit; the others are printed to four digits (the fast ones to three) and bounded in error.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define TRY(call)                                                                         \
    do {                                                                                  \
        cudaError_t err = (call);                                                         \
        if (err != cudaSuccess) {                                                         \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(err));          \
            exit(2);                                                                      \
        }                                                                                 \
    } while (0)

// name, arguments' shift and scale (x = shift + scale * point), value
#define LIBRARY(F)                                                                                                        \
    F(sin, 0., 3., sin(x)) F(cosBig, 54321.5, 9999.25, cos(x)) F(tan, 0.1, .7, tan(x)) F(asin, 0., .49, asin(x)) F(acos, 0., .49, acos(x)) \
    F(atan2, 0., 2., atan2(x, y)) F(sinh, 0., 2., sinh(x)) F(tanh, 0., 1.1, tanh(x)) F(acosh, 4.5, 1.6, acosh(x)) F(exp, 0., 9., exp(x)) \
    F(exp2, 0., 11., exp2(x)) F(expm1, 0., .3, expm1(x)) F(log, 9., 4.3, log(x)) F(log2, 900., 400., log2(x)) F(log10, 77., 38., log10(x)) \
    F(log1p, 0., .4, log1p(x)) F(pow, 5., 2.2, pow(x, y)) F(cbrt, 0., 500., cbrt(x)) F(hypot, 0., 300., hypot(x, y)) F(erf, 0., .8, erf(x)) \
    F(erfc, 1., .9, erfc(x)) F(tgamma, 4.2, 1.3, tgamma(x)) F(lgamma, 30., 13., lgamma(x)) F(rsqrt, 50., 21., reciprocalRoot(x))
#define FAST(F)                                                                                                           \
    F(sin, 0., 1.4, sin(x), __sinf(x)) F(cos, 0., .6, cos(x), __cosf(x)) F(tan, 0., .5, tan(x), __tanf(x)) F(exp, 0., 4., exp(x), __expf(x)) \
    F(exp10, 0., 2.5, pow(10., x), __exp10f(x)) F(log, 8., 3., log(x), __logf(x)) F(log2, 700., 300., log2(x), __log2f(x))      \
    F(log10, 50., 20., log10(x), __log10f(x)) F(pow, 3., .9, pow(x, y), __powf(x, y)) F(divide, 0., 90., x / y, __fdividef(x, y)) \
    F(tanh, 0., 1.3, tanh(x), tanhf(x)) F(saturate, .4, .5, fmin(fmax(x, 0.), 1.), __saturatef(x))

#define ID(name, ...) L_##name,
enum Library { LIBRARY(ID) LIBRARY_SIZE };
#define FAST_ID(name, ...) Q_##name,
enum Fast { FAST(FAST_ID) FAST_SIZE };
constexpr int POINTS = 8, EXACT = 12;

__device__ float reciprocalRoot(float x) { return rsqrtf(x); }
__device__ double reciprocalRoot(double x) { return rsqrt(x); }

template <typename T>
__host__ __device__ T point(int i) { return (T)(((i * 5 + 3) % 8 - 3.5) * 0.546875 + 0.015625 * i); }  // exact

template <typename T>
__global__ void library(T *out) {
    int i = threadIdx.x;
    T p = point<T>(i), y = p * (T)0.75 + (T)2.1;
    switch (blockIdx.x) {
#define CASE(name, shift, scale, value) case L_##name: { T x = (T)(shift) + (T)(scale) * p; out[blockIdx.x * POINTS + i] = value; break; }
        LIBRARY(CASE)
    }
}

__global__ void fast(float *out) {
    int i = threadIdx.x;
    float p = point<float>(i), y = p * 0.75f + 2.1f;
    switch (blockIdx.x) {
#define FAST_CASE(name, shift, scale, value, device) case Q_##name: { float x = (float)(shift) + (float)(scale) * p; out[blockIdx.x * POINTS + i] = device; break; }
        FAST(FAST_CASE)
    }
}

template <typename T>
__host__ __device__ T exactly(int k, T x, T y) {
    int e = 0;
    T whole = 0;
    switch (k) {
        case 0: return floor(x);
        case 1: return ceil(x);
        case 2: return trunc(x);
        case 3: return round(x);
        case 4: return rint(x);
        case 5: return fmod(x, y);
        case 6: return remainder(x, y);
        case 7: return ldexp(x, k - 90);
        case 8: return frexp(x, &e) + (T)e;
        case 9: return modf(x, &whole) * 8 - whole;
        case 10: return copysign(nextafter(x, y), y);
        default: return logb(x) + fdim(x, y) + fabs(y);
    }
}

template <typename T>
__global__ void exact(const T *x, T *out) {
    int i = threadIdx.x, k = blockIdx.x;
    out[k * 16 + i] = exactly(k, x[i], x[(i * 7 + 5) % 16]);
}

static double reciprocalRootHost(double x) { return 1 / sqrt(x); }

template <typename T>
int checkLibrary(double bound) {
    T *d, got[LIBRARY_SIZE * POINTS];
    TRY(cudaMalloc(&d, sizeof got));
    library<T><<<LIBRARY_SIZE, POINTS>>>(d);
    TRY(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
    TRY(cudaFree(d));
    int wrong = 0;
    for (int k = 0; k < LIBRARY_SIZE; ++k) {
        const char *name = "";
        for (int i = 0; i < POINTS; ++i) {
            T p = point<T>(i);
            double y = std::fma(p, (T)0.75, (T)2.1), want = 0;  // the device contracts these too
            switch (k) {
#define reciprocalRoot reciprocalRootHost
#define HOST(id, shift, scale, value) case L_##id: { double x = std::fma((T)(scale), p, (T)(shift)); want = value; name = #id; break; }
                LIBRARY(HOST)
#undef reciprocalRoot
            }
            if (i == 0) printf("%-7s", name);
            double g = got[k * POINTS + i];
            printf(" %.4g", g);
            if (!(std::fabs(g - want) <= bound * std::fmax(std::fabs(want), 0.05)) && wrong++ < 9) printf("[not %.17g]", want);
        }
        printf("\n");
    }
    return wrong;
}

template <typename T, typename Bits>
int checkExact() {
    T x[16], got[EXACT * 16], *dx, *d;
    for (int i = 0; i < 16; ++i) x[i] = (T)std::ldexp((i * 37 % 16 - 7.75) * (1 + i / 19.0), i * 5 % 13 - 4);
    x[3] = (T)2.5, x[5] = (T)-0.5, x[9] = (T)-0.0, x[12] = (T)8388609.5;
    for (T &v : x) if (v == 0) v = (T)0.1875;
    TRY(cudaMalloc(&dx, sizeof x));
    TRY(cudaMalloc(&d, sizeof got));
    TRY(cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice));
    exact<T><<<EXACT, 16>>>(dx, d);
    TRY(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int k = 0; k < EXACT; ++k) {
        uint64_t h = 7;
        for (int i = 0; i < 16; ++i) {
            T want = exactly(k, x[i], x[(i * 7 + 5) % 16]), g = got[k * 16 + i];
            Bits b;
            memcpy(&b, &g, sizeof g);
            h = (h ^ b) * 0x9e3779b97f4a7c15ull;
            h ^= h >> 32;
            if (memcmp(&want, &g, sizeof g) && wrong++ < 9) printf("[%d %a %a: %a, not %a]", k, (double)x[i], (double)x[(i * 7 + 5) % 16], (double)g, (double)want);
        }
        printf("exact %d %016llx\n", k, (unsigned long long)h);
    }
    return wrong;
}

int main() {
    int wrong = checkLibrary<float>(4e-6) + checkLibrary<double>(2e-14);
    float *d, got[FAST_SIZE * POINTS];
    TRY(cudaMalloc(&d, sizeof got));
    fast<<<FAST_SIZE, POINTS>>>(d);
    TRY(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
    for (int k = 0; k < FAST_SIZE; ++k) {
        printf("fast %2d", k);
        for (int i = 0; i < POINTS; ++i) {
            float p = point<float>(i);
            double y = std::fma(p, 0.75f, 2.1f), want = 0;
            switch (k) {
#define FAST_HOST(id, shift, scale, value, device) case Q_##id: { double x = std::fma((float)(scale), p, (float)(shift)); want = value; break; }
                FAST(FAST_HOST)
            }
            printf(" %.3g", got[k * POINTS + i]);
            if (!(std::fabs(got[k * POINTS + i] - want) <= 1e-4 * std::fmax(std::fabs(want), 0.05)) && wrong++ < 20) printf("[not %.17g]", want);
        }
        printf("\n");
    }
    wrong += checkExact<float, uint32_t>() + checkExact<double, uint64_t>();
    printf("RESULT: %s\n", wrong ? "FAIL" : "PASS");
    return wrong != 0;
}
