// Structures of up to 200 bytes by value, as kernel parameters, arguments and results, beside local arrays that are indexed at
// run time and a kernel whose registers must spill.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#define TRY(call)                                                                         \
    do {                                                                                  \
        cudaError_t err = (call);                                                         \
        if (err != cudaSuccess) {                                                         \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(err));          \
            exit(2);                                                                      \
        }                                                                                 \
    } while (0)

#define HD __host__ __device__

struct Odd {  // 3 bytes, no alignment
    unsigned char a, b, c;
};
struct Matrix5 {  // 200 bytes
    int64_t m[5][5];
};
struct Mixed {
    char tag;
    double d;
    short s[3];
    Odd odd;
    float f[4];
    int64_t big;
    bool flag;
};
struct __align__(16) Quad {
    float x, y, z, w;
};

HD __noinline__ Matrix5 multiply(Matrix5 a, Matrix5 b) {
    Matrix5 r;
    for (int i = 0; i < 5; ++i)
        for (int j = 0; j < 5; ++j) {
            int64_t s = 0;
            for (int k = 0; k < 5; ++k) s += a.m[i][k] * b.m[k][j] % 1000003;
            r.m[i][j] = s % 1000003;
        }
    return r;
}
HD __noinline__ Mixed stir(Mixed a, Odd o, int by) {
    a.tag = (char)(a.tag ^ o.c);
    a.d = a.d * 2 - by;
    a.s[by % 3] = (short)(a.s[(by + 1) % 3] + o.a);
    a.odd.b = (unsigned char)(a.odd.b + o.b * by);
    a.f[by & 3] = a.f[(by + 3) & 3] + 0.25f * (float)by;
    a.big = (a.big << 3) - (int64_t)by * 1000000007;
    a.flag = !a.flag || by % 5 == 0;
    return a;
}
HD uint64_t digest(const Mixed &m) {
    uint64_t h = (uint64_t)(unsigned char)m.tag * 3 + (uint64_t)(int64_t)(m.d * 4);
    for (int k = 0; k < 3; ++k) h = h * 31 + (uint64_t)m.s[k];
    for (int k = 0; k < 4; ++k) h = h * 37 + (uint64_t)(int64_t)(m.f[k] * 4);
    return h * 41 + (uint64_t)m.big + m.odd.a + m.odd.b * 7u + m.odd.c * 11u + (m.flag ? 13u : 0u);
}

// All of a small permutation problem in local memory: Heap's algorithm, counting the permutations that are up-down.
HD int upDown(int n, int seed, unsigned *hash) {
    int p[8], c[8], found = 0;
    for (int i = 0; i < n; ++i) p[i] = (i * 5 + seed) % n, c[i] = 0;
    for (int i = 0; i < n;) {
        bool good = i == 0;
        for (int k = 1; k < n && good; ++k) good = (p[k] > p[k - 1]) == (k & 1);
        if (good) {
            ++found;
            for (int k = 0; k < n; ++k) *hash = *hash * 17 + (unsigned)p[k];
        }
        i = i == 0 ? 1 : i;
        while (i < n && c[i] >= i) c[i++] = 0;
        if (i == n) break;
        int j = i & 1 ? c[i] : 0, t = p[i];
        p[i] = p[j];
        p[j] = t;
        ++c[i];
        i = 0;
    }
    return found;
}

// Forty values alive across a loop; the bound leaves 32 registers, so many of them live in local memory.
HD uint32_t rotate(uint32_t x, int s) { return x << s | x >> (32 - s); }
HD uint32_t churn(uint32_t seed) {
    uint32_t v[40];
#pragma unroll
    for (int k = 0; k < 40; ++k) v[k] = seed * (2u * k + 1u) ^ (uint32_t)k << 20;
    for (int round = 0; round < 6; ++round) {
#pragma unroll
        for (int k = 0; k < 40; ++k) v[k] = rotate(v[k] + v[(k + 7) % 40], k % 31 + 1) ^ v[(k + 19) % 40];
    }
    uint32_t h = 0;
#pragma unroll
    for (int k = 0; k < 40; ++k) h = h * 5 + v[k];
    return h;
}

__global__ void powers(Matrix5 base, Odd odd, Mixed mixed, char c, Quad q, uint64_t *out) {
    int t = threadIdx.x + blockIdx.x * blockDim.x;
    Matrix5 r, b = base;
    for (int k = 0; k < 25; ++k) r.m[k / 5][k % 5] = k % 6 == 0;
    for (int e = t + 1; e; e >>= 1, b = multiply(b, b))
        if (e & 1) r = multiply(r, b);
    for (int k = 0; k < t % 9; ++k) mixed = stir(mixed, odd, t + k);
    out[t] = (uint64_t)r.m[t % 5][t / 5 % 5] * 1000003 + (uint64_t)r.m[4][t % 3] + digest(mixed) * (uint64_t)c + (uint64_t)(int64_t)(q.x + q.w * (float)t);
}
__global__ void permutations(int *found, unsigned *hash) {
    int t = threadIdx.x;
    hash[t] = t;
    found[t] = upDown(3 + t % 4, t, &hash[t]);
}
__global__ void __launch_bounds__(1024, 2) spill(uint32_t *out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    out[t] = churn(0x9e3779b9u + t);
}

int main() {
    constexpr int T = 60, P = 48, S = 224;
    Matrix5 base;
    for (int i = 0; i < 25; ++i) base.m[i / 5][i % 5] = (i * 7919 + 12) % 1000;
    Mixed mixed = {'m', 2.5, {-1, 2, -3}, {9, 8, 7}, {0.5f, 1.5f, -2.5f, 3.f}, -123456789012345ll, false};
    Odd odd = {200, 100, 50};
    Quad q = {1.5f, 2, 3, 4.25f};
    uint64_t got[T], *d, h = 0;
    int found[P], *df, wrong = 0;
    unsigned hash[P], *dh;
    uint32_t spilled[S], *ds, hs = 0;
    TRY(cudaMalloc(&d, sizeof got));
    TRY(cudaMalloc(&df, sizeof found));
    TRY(cudaMalloc(&dh, sizeof hash));
    TRY(cudaMalloc(&ds, sizeof spilled));
    powers<<<3, 20>>>(base, odd, mixed, 'x', q, d);
    permutations<<<1, P>>>(df, dh);
    spill<<<2, 112>>>(ds);
    TRY(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy(found, df, sizeof found, cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy(hash, dh, sizeof hash, cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy(spilled, ds, sizeof spilled, cudaMemcpyDeviceToHost));
    for (int t = 0; t < T; ++t) {
        Matrix5 r = base;
        for (int k = 0; k < t; ++k) r = multiply(r, base);
        Mixed m = mixed;
        for (int k = 0; k < t % 9; ++k) m = stir(m, odd, t + k);
        uint64_t w = (uint64_t)r.m[t % 5][t / 5 % 5] * 1000003 + (uint64_t)r.m[4][t % 3] + digest(m) * 'x' + (uint64_t)(int64_t)(q.x + q.w * (float)t);
        wrong += got[t] != w;
        h = h * 0x100000001b3ull + got[t];
    }
    printf("sizes %zu %zu %zu %zu\npowers %016llx %llu wrong %d\n", sizeof(Odd), sizeof(Matrix5), sizeof(Mixed), sizeof(Quad), (unsigned long long)h, (unsigned long long)got[33], wrong);
    for (int t = 0; t < P; ++t) {
        unsigned w = t;
        wrong += found[t] != upDown(3 + t % 4, t, &w);
        wrong += hash[t] != w;
        if (t < 4) printf("up-down of %d: %d %08x\n", 3 + t, found[t], hash[t]);
    }
    for (int t = 0; t < S; ++t) {
        wrong += spilled[t] != churn(0x9e3779b9u + t);
        hs = hs * 33 + spilled[t];
    }
    printf("spill %08x %08x\nRESULT: %s\n", hs, spilled[100], wrong ? "FAIL" : "PASS");
    return wrong != 0;
}
