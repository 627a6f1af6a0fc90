// Sixty-four-bit integers: quotients and remainders at the corners, high products, integer roots, and Miller-Rabin with
// Montgomery products. The host's reference goes through unsigned __int128 instead.
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

constexpr int N = 22, PRIMES = 32;
struct Row {
    uint64_t uq, ur, hi, lo;
    int64_t sq, sr, shi, avg;
    uint32_t uq32, ur32;
    int32_t sq32, sr32;
};

__device__ uint64_t values[N] = {1, ~0ull, 2, ~1ull, 3, 7, 10, ~9ull, 0x7fffffff, 0x80000000, 0xffffffff80000000ull, 0xffffffff,
    0x100000000ull, 0x100000001ull, 0xffffffff00000000ull, 0x7fffffffffffffffull, 0x8000000000000000ull, 0x8000000000000001ull,
    0x8000000080000000ull, 1000000000000000000ull, 12345678901ull, 0xfffffffffffffff1ull};

__global__ void pairs(Row *out) {
    int i = blockIdx.x, j = threadIdx.x;
    uint64_t a = values[i], b = values[j];
    int64_t sa = (int64_t)a, sb = (int64_t)b;
    Row r = {};
    r.uq = a / b;
    r.ur = a % b;
    if (!(a == 1ull << 63 && sb == -1)) {  // the one quotient that does not fit
        r.sq = sa / sb;
        r.sr = sa % sb;
    }
    unsigned __int128 p = (unsigned __int128)a * b;
    r.hi = (uint64_t)(p >> 64);
    r.lo = a * b;
    r.shi = __mul64hi(sa, sb);
    r.avg = (sa >> 1) + (sb >> 3) + (int64_t)(a >> (j & 63)) - (int64_t)(b << (i + 20));
    uint32_t u = (uint32_t)a, v = (uint32_t)b | 1u;
    r.uq32 = u / v;
    r.ur32 = u % v;
    int32_t s = (int32_t)u >> 1, t = (int32_t)v;
    r.sq32 = s / t;
    r.sr32 = s % t;
    out[i * N + j] = r;
}

__device__ uint64_t montgomery(uint64_t a, uint64_t b, uint64_t n, uint64_t inverse) {
    uint64_t lo = a * b, hi = __umul64hi(a, b), m = lo * inverse, sub = __umul64hi(m, n);
    return hi >= sub ? hi - sub : hi - sub + n;
}

__global__ void millerRabin(const uint64_t *candidates, uint32_t *prime, uint64_t *roots) {
    uint64_t n = candidates[threadIdx.x], inverse = n;
    for (int k = 0; k < 5; ++k) inverse *= 2 - n * inverse;
    uint64_t one = (0 - n) % n, r2 = one;  // 2^64 mod n, then 2^128 mod n by doubling
    for (int k = 0; k < 64; ++k) r2 = r2 >= n - r2 ? r2 - (n - r2) : r2 + r2;
    uint64_t d = n - 1;
    int s = __ffsll((long long)d) - 1;
    d >>= s;
    bool good = true;
    for (uint64_t base = 2; base < 14 && good; base += base == 2 ? 1 : 2) {
        uint64_t x = montgomery(base, r2, n, inverse), y = one;
        for (uint64_t e = d; e; e >>= 1) {
            if (e & 1) y = montgomery(y, x, n, inverse);
            x = montgomery(x, x, n, inverse);
        }
        if (y == one || y == n - one) continue;
        good = false;
        for (int k = 1; k < s; ++k) {
            y = montgomery(y, y, n, inverse);
            if (y == n - one) {
                good = true;
                break;
            }
        }
    }
    prime[threadIdx.x] = good;
    uint64_t root = 0;
    for (int bit = 31; bit >= 0; --bit) {
        uint64_t t = root | 1ull << bit;
        if (t <= n / t) root = t;
    }
    roots[threadIdx.x] = root;
}

static bool hostPrime(uint64_t n) {
    uint64_t d = n - 1;
    int s = 0;
    while (!(d & 1)) d >>= 1, ++s;
    for (uint64_t base : {2, 3, 5, 7, 9, 11, 13}) {
        unsigned __int128 x = base % n, y = 1;
        for (uint64_t e = d; e; e >>= 1, x = x * x % n)
            if (e & 1) y = y * x % n;
        bool good = y == 1 || y == n - 1;
        for (int k = 1; k < s && !good; ++k) good = (y = y * y % n) == n - 1;
        if (!good) return false;
    }
    return true;
}

static uint64_t hash(const void *p, size_t n) {
    uint64_t h = 0xcbf29ce484222325ull;
    for (size_t i = 0; i < n; ++i) h = (h ^ ((const unsigned char *)p)[i]) * 0x100000001b3ull;
    return h;
}

int main() {
    static Row got[N * N];
    uint64_t v[N], cand[PRIMES], roots[PRIMES];
    uint32_t prime[PRIMES];
    Row *dRows;
    uint64_t *dCand, *dRoots;
    uint32_t *dPrime;
    TRY(cudaMalloc(&dRows, sizeof got));
    TRY(cudaMalloc(&dCand, sizeof cand));
    TRY(cudaMalloc(&dRoots, sizeof roots));
    TRY(cudaMalloc(&dPrime, sizeof prime));
    TRY(cudaMemcpyFromSymbol(v, values, sizeof v));
    pairs<<<N, N>>>(dRows);
    TRY(cudaMemcpy(got, dRows, sizeof got, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < N; ++i)
        for (int j = 0; j < N; ++j) {
            const Row &r = got[i * N + j];
            uint64_t a = v[i], b = v[j];
            __int128 sa = (int64_t)a, sb = (int64_t)b;
            bool fits = sa / sb <= INT64_MAX;
            uint32_t u = (uint32_t)a, w = (uint32_t)b | 1u;
            int64_t avg = (int64_t)((uint64_t)((int64_t)a >> 1) + (uint64_t)((int64_t)b >> 3) + (a >> j) - (b << (i + 20)));
            wrong += r.uq != a / b || r.ur != a % b || r.sq != (fits ? (int64_t)(sa / sb) : 0) || r.sr != (fits ? (int64_t)(sa % sb) : 0);
            wrong += r.hi != (uint64_t)((unsigned __int128)a * b >> 64) || r.lo != a * b || r.shi != (int64_t)(sa * sb >> 64) || r.avg != avg;
            wrong += r.uq32 != u / w || r.ur32 != u % w;
            wrong += r.sq32 != (int64_t)((int32_t)u >> 1) / (int32_t)w || r.sr32 != (int64_t)((int32_t)u >> 1) % (int32_t)w;
        }
    for (int k : {5, 100, 357, 361, 483})
        printf("row %3d: %016llx %016llx %lld %lld\n", k, (unsigned long long)got[k].uq, (unsigned long long)got[k].hi, (long long)got[k].sq, (long long)got[k].sr);
    printf("pairs %016llx\n", (unsigned long long)hash(got, sizeof got));
    const uint64_t known[8] = {18446744073709551557ull, 4294967291ull, 1000000007ull * 998244353ull, 3215031751ull, 561 * 3 + 4, 9223372036854775783ull, 15, 3474749660383ull};
    for (int i = 0; i < PRIMES; ++i) cand[i] = i < 8 ? known[i] : 0xffffffffffffffffull - 2 * (i * i + 9);
    TRY(cudaMemcpy(dCand, cand, sizeof cand, cudaMemcpyHostToDevice));
    millerRabin<<<1, PRIMES>>>(dCand, dPrime, dRoots);
    TRY(cudaMemcpy(prime, dPrime, sizeof prime, cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy(roots, dRoots, sizeof roots, cudaMemcpyDeviceToHost));
    for (int i = 0; i < PRIMES; ++i) {
        unsigned __int128 r = roots[i];
        wrong += prime[i] != (uint32_t)hostPrime(cand[i]) || r * r > cand[i] || (r + 1) * (r + 1) <= cand[i];
        if (prime[i]) printf("prime %llu root %llu\n", (unsigned long long)cand[i], (unsigned long long)roots[i]);
    }
    printf("RESULT: %s\n", wrong ? "FAIL" : "PASS");
    return wrong != 0;
}
