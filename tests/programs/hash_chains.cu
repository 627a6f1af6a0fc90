// Chains of integer mixing: xorshift and linear congruential generators with jumps by matrix powers over GF(2) and modulo a
// prime, SipHash, wide 32x32 to 64 multiplies, a Merkle tree, Fibonacci numbers by fast doubling and a Feistel permutation.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define TRY(call)                                                                         \
    do {                                                                                  \
        cudaError_t err = (call);                                                         \
        if (err != cudaSuccess) {                                                         \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(err));          \
            exit(2);                                                                      \
        }                                                                                 \
    } while (0)

#define HD __host__ __device__
constexpr uint64_t P = 4294967291ull;  // the largest prime below 2^32
constexpr int THREADS = 32, N = THREADS * 2;

HD uint32_t xorshift(uint32_t x) {
    x ^= x << 13;
    x ^= x >> 17;
    return x ^ x << 5;
}

// x after n steps, by squaring the generator's matrix over GF(2); column k is the image of bit k.
HD uint32_t jump(uint32_t x, uint32_t n) {
    uint32_t m[32], sq[32];
    for (int k = 0; k < 32; ++k) m[k] = xorshift(1u << k);
    for (; n; n >>= 1) {
        if (n & 1) {
            uint32_t y = 0;
            for (int k = 0; k < 32; ++k) y ^= x >> k & 1 ? m[k] : 0;
            x = y;
        }
        for (int k = 0; k < 32; ++k) {
            uint32_t y = 0;
            for (int j = 0; j < 32; ++j) y ^= m[j] & (0u - (m[k] >> j & 1));
            sq[k] = y;
        }
        for (int k = 0; k < 32; ++k) m[k] = sq[k];
    }
    return x;
}

HD uint64_t rotate(uint64_t x, int s) { return x << s | x >> (64 - s); }
HD uint64_t sip(uint64_t k0, uint64_t k1, uint64_t message, int words) {
    uint64_t v0 = k0 ^ 0x736f6d6570736575ull, v1 = k1 ^ 0x646f72616e646f6dull, v2 = k0 ^ 0x6c7967656e657261ull, v3 = k1 ^ 0x7465646279746573ull;
    auto round = [&](int n) {
        for (; n; --n) {
            v0 += v1, v1 = rotate(v1, 13) ^ v0, v0 = rotate(v0, 32);
            v2 += v3, v3 = rotate(v3, 16) ^ v2;
            v0 += v3, v3 = rotate(v3, 21) ^ v0;
            v2 += v1, v1 = rotate(v1, 17) ^ v2, v2 = rotate(v2, 32);
        }
    };
    for (int w = 0; w <= words; ++w) {
        uint64_t m = w < words ? message + (uint64_t)w * 0x0101010101010101ull : (uint64_t)words * 8 << 56;
        v3 ^= m;
        round(2);
        v0 ^= m;
    }
    v2 ^= 255;
    round(4);
    return v0 ^ v1 ^ v2 ^ v3;
}

struct Matrix3 {
    uint32_t m[3][3];
};
HD Matrix3 multiply(const Matrix3 &a, const Matrix3 &b) {
    Matrix3 r;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            uint64_t s = 0;
            for (int k = 0; k < 3; ++k) s = (s + (uint64_t)a.m[i][k] * b.m[k][j]) % P;
            r.m[i][j] = (uint32_t)s;
        }
    return r;
}

__global__ void generators(uint32_t *shifted, uint64_t *linear, uint64_t *sips, uint32_t *tribonacci, uint64_t *fibonacci) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    shifted[i] = jump(0x9e3779b9u + i, (uint32_t)(i * i + 3 * i) % 1021);
    uint64_t x = (uint64_t)i, h = 0;
    for (int k = 0; k < 40; ++k) {
        x = x * 6364136223846793005ull + 1442695040888963407ull;
        uint32_t rot = (uint32_t)(x >> 59), out = (uint32_t)((x >> 18 ^ x) >> 27);
        out = out >> rot | out << (-rot & 31);
        h = (uint64_t)(uint32_t)(h ^ out) * (uint32_t)(h >> 32 | 0x85ebca6bu) + out;  // 32x32 to 64
    }
    linear[i] = h;
    sips[i] = sip(x, ~h, (uint64_t)i << 33 | 7, i % 9);
    Matrix3 r = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, b = {{{1, 1, 1}, {1, 0, 0}, {0, 1, 0}}};
    for (uint32_t e = (uint32_t)i * 17u; e; e >>= 1, b = multiply(b, b))
        if (e & 1) r = multiply(r, b);
    tribonacci[i] = r.m[1][0];
    uint64_t f = 0, g = 1;  // F(n), F(n+1) modulo 2^64
    for (int bit = 31; bit >= 0; --bit) {
        uint64_t c = f * (2 * g - f), d = f * f + g * g;
        f = c, g = d;
        if ((uint32_t)(i * 5 + 1) >> bit & 1) c = g, g = f + g, f = c;
    }
    fibonacci[i] = f;
}

// A tree of hashes over 256 leaves in shared memory, then an encryption of the indices that must be a permutation.
__global__ void tree(const uint64_t *leaves, uint64_t *root, unsigned short *permuted) {
    __shared__ uint64_t node[256];
    int t = threadIdx.x;
    for (int k = t; k < 256; k += blockDim.x) node[k] = sip(leaves[k % N], leaves[N - 1 - k % N], k, 1);
    for (int n = 128; n; n /= 2) {
        __syncthreads();
        uint64_t mine[2];
        for (int k = t, j = 0; k < n; k += blockDim.x) mine[j++] = sip(node[2 * k], node[2 * k + 1], (uint64_t)n, 2);
        __syncthreads();
        for (int k = t, j = 0; k < n; k += blockDim.x) node[k] = mine[j++];
    }
    if (t == 0) *root = node[0];
    for (int k = t; k < 4096; k += blockDim.x) {
        unsigned l = k >> 6, r = k & 63;
        for (int round = 0; round < 4; ++round) {
            unsigned f = (r * 0x2545f491u + (unsigned)(leaves[round] >> 7)) >> 13 & 63, old = r;
            r = l ^ f;
            l = old;
        }
        permuted[k] = (unsigned short)(l << 6 | r);
    }
}

int main() {
    uint32_t shifted[N], tri[N], *d32;
    uint64_t linear[N], sips[N], fib[N], root, *d64;
    static unsigned short permuted[4096], *dp;
    TRY(cudaMalloc(&d32, 2 * N * 4));
    TRY(cudaMalloc(&d64, (3 * N + 1) * 8));
    TRY(cudaMalloc(&dp, sizeof permuted));
    generators<<<2, THREADS>>>(d32, d64, d64 + N, d32 + N, d64 + 2 * N);
    tree<<<1, 96>>>(d64 + N, d64 + 3 * N, dp);
    TRY(cudaMemcpy(shifted, d32, sizeof shifted, cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy(tri, d32 + N, sizeof tri, cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy(linear, d64, sizeof linear, cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy(sips, d64 + N, sizeof sips, cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy(fib, d64 + 2 * N, sizeof fib, cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy(&root, d64 + 3 * N, sizeof root, cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy(permuted, dp, sizeof permuted, cudaMemcpyDeviceToHost));
    int wrong[6] = {};
    uint64_t h = 0, t[N * 17] = {0, 0, 1}, f[N * 5] = {0, 1};
    for (int k = 3; k < N * 17; ++k) t[k] = (t[k - 1] + t[k - 2] + t[k - 3]) % P;
    for (int k = 2; k < N * 5; ++k) f[k] = f[k - 1] + f[k - 2];
    for (int i = 0; i < N; ++i) {
        uint32_t x = 0x9e3779b9u + i;
        for (int k = (i * i + 3 * i) % 1021; k; --k) x = xorshift(x);
        wrong[0] += shifted[i] != x;
        uint64_t y = (uint64_t)i, g = 0;
        for (int k = 0; k < 40; ++k) {
            y = y * 6364136223846793005ull + 1442695040888963407ull;
            uint32_t rot = (uint32_t)(y >> 59), out = (uint32_t)((y >> 18 ^ y) >> 27);
            out = out >> rot | out << (-rot & 31);
            g = (uint64_t)(uint32_t)(g ^ out) * (uint32_t)(g >> 32 | 0x85ebca6bu) + out;
        }
        wrong[1] += linear[i] != g;
        wrong[2] += sips[i] != sip(y, ~g, (uint64_t)i << 33 | 7, i % 9);
        wrong[3] += fib[i] != f[i * 5 + 1];
        wrong[4] += tri[i] != t[i * 17 + 1];
        h = (h ^ linear[i] ^ sips[i]) * 0x100000001b3ull + shifted[i] + tri[i];
    }
    std::vector<uint64_t> node(256);
    for (int k = 0; k < 256; ++k) node[k] = sip(sips[k % N], sips[N - 1 - k % N], k, 1);
    for (int n = 128; n; n /= 2)
        for (int k = 0; k < n; ++k) node[k] = sip(node[2 * k], node[2 * k + 1], n, 2);
    wrong[5] += node[0] != root;
    static bool seen[4096];
    for (unsigned short p : permuted) wrong[5] += p >= 4096 || seen[p], seen[p & 4095] = true;
    printf("chains %016llx fibonacci %llu tribonacci %u\n", (unsigned long long)h, (unsigned long long)fib[N - 1], tri[N - 1]);
    printf("root %016llx permutation %d %d %d\n", (unsigned long long)root, permuted[1], permuted[2000], permuted[4095]);
    printf("wrong %d %d %d %d %d %d\n", wrong[0], wrong[1], wrong[2], wrong[3], wrong[4], wrong[5]);
    bool ok = !(wrong[0] | wrong[1] | wrong[2] | wrong[3] | wrong[4] | wrong[5]);
    printf("RESULT: %s\n", ok ? "PASS" : "FAIL");
    return !ok;
}
