// Bit intrinsics at work: an extended Hamming code, Hilbert and Morton curves, Gray codes, select-in-word, byte permutes and
// funnel shifts, against plain loops on the host.
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

constexpr int N = 480, FIELDS = 14;

__host__ __device__ uint32_t word(int i) {
    uint32_t x = (uint32_t)i * 2654435761u + 0x1234567u;
    x ^= x >> 15;
    x *= 0x85ebca6bu;
    x ^= x >> 13;
    return i % 7 == 0 ? x >> (i % 32) : i == 1 ? 0 : i == 2 ? ~0u : x;
}

__device__ uint32_t hamming(uint32_t data) {  // 26 data bits to 31, the parity bits at powers of two, overall parity in bit 0
    uint32_t code = 0;
    int from = 0;
    for (int pos = 1; pos < 32; ++pos)
        if (__popc(pos) != 1) code |= (data >> from++ & 1u) << pos;
    const uint32_t masks[5] = {0xaaaaaaaau, 0xccccccccu, 0xf0f0f0f0u, 0xff00ff00u, 0xffff0000u};
    for (int p = 0; p < 5; ++p) code |= (__popc(code & masks[p]) & 1u) << (1 << p);
    return code | (__popc(code) & 1u);
}

__device__ uint32_t spread(uint32_t x) {
    x = (x | x << 8) & 0x00ff00ffu;
    x = (x | x << 4) & 0x0f0f0f0fu;
    x = (x | x << 2) & 0x33333333u;
    return (x | x << 1) & 0x55555555u;
}

__device__ uint32_t hilbert(uint32_t x, uint32_t y) {
    uint32_t d = 0;
    for (uint32_t s = 1u << 7; s; s >>= 1) {
        uint32_t rx = (x & s) != 0, ry = (y & s) != 0;
        d += s * s * ((3 * rx) ^ ry);
        if (!ry) {
            if (rx) x = 255 - x, y = 255 - y;
            uint32_t t = x;
            x = y;
            y = t;
        }
    }
    return d;
}

__global__ void tricks(uint32_t *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) return;
    uint32_t a = word(i), b = word(i + 1000), *o = out + i * FIELDS;
    uint64_t w = (uint64_t)a << 32 | b;
    o[0] = __clz(a) | __ffs(a) << 8 | __popc(a) << 16;
    o[1] = __clzll(w & ~0ull >> (i % 65 == 64 ? 1 : i % 64)) | __ffsll(w << (i % 60)) << 8 | __popcll(w) << 16;
    o[2] = __brev(a) ^ (uint32_t)(__brevll(w) >> 7);
    o[3] = __byte_perm(a, b, (i * 0x1357u) & 0x7777u);
    o[4] = __byte_perm(a, b, 0x8a3fu);  // the top bit of a selector does not count
    o[5] = __funnelshift_l(a, b, i % 37) ^ __funnelshift_r(b, a, i % 41);
    o[6] = __funnelshift_lc(a, b, i % 40) + __funnelshift_rc(a, b, i % 48);
    uint32_t code = hamming(a & 0x3ffffffu), hit = code ^ 1u << (i & 31), syndrome = 0;
    for (uint32_t rest = hit & ~1u; rest; rest &= rest - 1) syndrome ^= __ffs(rest) - 1;
    o[7] = code ^ syndrome << 24;
    o[8] = (hit ^ 1u << syndrome) == code;
    o[9] = spread(a & 0xffff) | spread(b & 0xffff) << 1;
    uint32_t g = a ^ a >> 1, back = g;
    for (int s = 1; s < 32; s *= 2) back ^= back >> s;
    o[10] = g ^ (back == a ? 0u : 0xdeadu);
    o[11] = hilbert(a & 255, b & 255);
    o[12] = __fns(a, 0, i % 9 + 1);
    o[13] = __sad((int)a, (int)b, 5u) + __usad(a, b, 9u) + __hadd((int)a, (int)b) + __rhadd((int)b, (int)a) + __urhadd(a, b) + (uint32_t)__mulhi((int)a, (int)b) + __umulhi(a, b) + (uint32_t)__mul24((int)a, (int)b) + __umul24(a, b);
}

static uint32_t bit(uint64_t x, int i) { return i >= 0 && i < 64 ? x >> i & 1 : 0; }

static void reference(int i, uint32_t *o) {
    uint32_t a = word(i), b = word(i + 1000);
    uint64_t w = (uint64_t)a << 32 | b;
    auto count = [](uint64_t x) { int n = 0; for (int k = 0; k < 64; ++k) n += bit(x, k); return n; };
    auto lead = [](uint64_t x, int width) { int n = 0; while (n < width && !bit(x, width - 1 - n)) ++n; return n; };
    auto first = [](uint64_t x) { int n = 0; while (n < 64 && !bit(x, n)) ++n; return n == 64 ? 0 : n + 1; };
    auto reverse = [](uint64_t x, int width) { uint64_t r = 0; for (int k = 0; k < width; ++k) r |= (uint64_t)bit(x, k) << (width - 1 - k); return r; };
    auto permute = [](uint32_t x, uint32_t y, uint32_t s) {
        uint32_t r = 0;
        for (int k = 0; k < 4; ++k, s >>= 4) {
            uint32_t v = (uint32_t)(((uint64_t)y << 32 | x) >> (s & 7) * 8) & 255;
            r |= v << k * 8;
        }
        return r;
    };
    o[0] = lead(a, 32) | first(a) << 8 | count(a) << 16;
    o[1] = lead(w & ~0ull >> (i % 65 == 64 ? 1 : i % 64), 64) | first(w << (i % 60)) << 8 | count(w) << 16;
    o[2] = (uint32_t)reverse(a, 32) ^ (uint32_t)(reverse(w, 64) >> 7);
    o[3] = permute(a, b, (i * 0x1357u) & 0x7777u);
    o[4] = permute(a, b, 0x8a3fu);
    uint64_t ba = (uint64_t)b << 32 | a;
    int l = i % 37 & 31, r = i % 41 & 31, lc = i % 40 > 32 ? 32 : i % 40, rc = i % 48 > 32 ? 32 : i % 48;
    o[5] = (uint32_t)(ba << l >> 32) ^ (uint32_t)(w >> r);
    o[6] = (uint32_t)((ba << lc) >> 32) + (uint32_t)(ba >> rc);
    uint32_t code = 0;
    for (int pos = 1, from = 0; pos < 32; ++pos)
        if (pos & (pos - 1)) code |= bit(a, from++) << pos;
    for (int p = 0; p < 5; ++p) {
        uint32_t parity = 0;
        for (int pos = 1; pos < 32; ++pos)
            if (pos >> p & 1) parity ^= bit(code, pos);
        code |= parity << (1 << p);
    }
    code |= count(code) & 1;
    o[7] = code ^ (uint32_t)(i & 31) << 24;
    o[8] = 1;
    o[9] = 0;
    for (int k = 0; k < 16; ++k) o[9] |= bit(a, k) << 2 * k | bit(b, k) << (2 * k + 1);
    o[10] = a ^ a >> 1;
    uint32_t x = a & 255, y = b & 255;
    o[11] = 0;
    for (int k = 7; k >= 0; --k) {  // the same curve by quadrants
        uint32_t q = bit(x, k) ? (bit(y, k) ? 2 : 3) : bit(y, k);
        o[11] = o[11] * 4 + q;
        if (q == 0 || q == 3) {
            uint32_t flip = q == 3 ? 255 : 0, t = x ^ flip;
            x = y ^ flip;
            y = t;
        }
    }
    int nth = i % 9 + 1, at = 0;
    while (at < 32 && !(bit(a, at) && --nth == 0)) ++at;
    o[12] = at == 32 ? ~0u : at;
    int64_t sa = (int32_t)a, sb = (int32_t)b, ua = a, ub = b;
    auto low24 = [](int64_t v) { return v << 40 >> 40; };
    o[13] = (uint32_t)(std::abs(sa - sb) + 5 + std::abs(ua - ub) + 9 + ((sa + sb) >> 1) + ((sa + sb + 1) >> 1) + ((ua + ub + 1) >> 1) + (sa * sb >> 32) + ((uint64_t)ua * ub >> 32) + low24(sa) * low24(sb) + (ua & 0xffffff) * (ub & 0xffffff));
}

int main() {
    static uint32_t got[N * FIELDS], want[FIELDS];
    uint32_t *d;
    TRY(cudaMalloc(&d, sizeof got));
    tricks<<<(N + 95) / 96, 96>>>(d);
    TRY(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
    int wrong[FIELDS] = {}, total = 0;
    uint32_t hash[FIELDS] = {};
    for (int i = 0; i < N; ++i) {
        reference(i, want);
        for (int f = 0; f < FIELDS; ++f) {
            wrong[f] += want[f] != got[i * FIELDS + f];
            hash[f] = (hash[f] ^ got[i * FIELDS + f]) * 16777619u;
        }
    }
    for (int f = 0; f < FIELDS; ++f) {
        printf("field %2d hash %08x sample %08x", f, hash[f], got[77 * FIELDS + f]);
        printf(wrong[f] ? " wrong %d\n" : "\n", wrong[f]);
        total += wrong[f];
    }
    printf("RESULT: %s\n", total ? "FAIL" : "PASS");
    return total != 0;
}
