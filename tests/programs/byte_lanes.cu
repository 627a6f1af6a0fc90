// Packed byte and half-word intrinsics (__vadd4 to __vsetgtu2, __dp4a, __dp2a, __vimax3): a median filter on four pixels a
// word, a saturating blend, and every operation against a loop over its lanes.
#include <algorithm>
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

__host__ __device__ uint32_t word(int i) {
    uint32_t x = (uint32_t)i * 0x9e3779b9u + 0x7f4a7c15u;
    x = (x ^ x >> 16) * 0x21f0aaadu;
    x ^= x >> 15;
    return i % 5 == 4 ? x | 0x80ff7f80u : x;  // corners of the lanes
}

// name, lanes, operands sign-extended?, value of one lane from a and b
#define OPERATIONS(F)                                                                                                     \
    F(__vadd4, 4, false, x + y) F(__vsub4, 4, false, x - y) F(__vaddss4, 4, true, std::clamp(x + y, -128, 127))            \
    F(__vaddus4, 4, false, std::min(x + y, 255)) F(__vsubss4, 4, true, std::clamp(x - y, -128, 127)) F(__vsubus4, 4, false, std::max(x - y, 0)) \
    F(__vavgu4, 4, false, (x + y + 1) / 2) F(__vhaddu4, 4, false, (x + y) / 2) F(__vavgs4, 4, true, (x + y + (x + y >= 0)) >> 1) \
    F(__vabsdiffu4, 4, false, std::abs(x - y)) F(__vabsdiffs4, 4, true, std::abs(x - y)) F(__vmaxs4, 4, true, std::max(x, y)) \
    F(__vmaxu4, 4, false, std::max(x, y)) F(__vmins4, 4, true, std::min(x, y)) F(__vminu4, 4, false, std::min(x, y))       \
    F(__vcmpeq4, 4, false, x == y ? 255 : 0) F(__vcmpgts4, 4, true, x > y ? 255 : 0) F(__vcmpleu4, 4, false, x <= y ? 255 : 0) \
    F(__vsetltu4, 4, false, x < y) F(__vsetges4, 4, true, x >= y) F(__vseteq4, 4, false, x == y)                          \
    F(__vadd2, 2, false, x + y) F(__vsub2, 2, false, x - y) F(__vaddss2, 2, true, std::clamp(x + y, -32768, 32767))        \
    F(__vsubus2, 2, false, std::max(x - y, 0)) F(__vmaxs2, 2, true, std::max(x, y)) F(__vminu2, 2, false, std::min(x, y))  \
    F(__vabsdiffu2, 2, false, std::abs(x - y)) F(__vcmpgtu2, 2, false, x > y ? 65535 : 0) F(__vsetgtu2, 2, false, x > y)

#define COUNT(...) +1
constexpr int OPS = 0 OPERATIONS(COUNT), EXTRA = 8, N = 160, FIELDS = OPS + EXTRA;

__global__ void lanes(uint32_t *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, f = 0;
    uint32_t a = word(i), b = word(i + 31);
#define APPLY(name, ...) out[f++ * N + i] = name(a, b);
    OPERATIONS(APPLY)
    out[f++ * N + i] = __vneg4(a) ^ __vnegss4(b);
    out[f++ * N + i] = __vabs4(a) ^ __vabsss4(b);
    out[f++ * N + i] = __vneg2(a) + __vabsss2(b);
    out[f++ * N + i] = __vsads4(a, b) + __vsadu4(a, b) * 4096 + (__vsadu2(a, b) << 22);
    out[f++ * N + i] = (uint32_t)__dp4a((int)a, (int)b, i - 80);
    out[f++ * N + i] = __dp4a(a, b, 7u);
    out[f++ * N + i] = (uint32_t)__dp2a_lo((int)a, (int)b, 1) ^ (uint32_t)__dp2a_hi((int)a, (int)b, i) << 3;
    out[f++ * N + i] = __dp2a_lo(a, b, 1u) + __dp2a_hi(a, b, 5u) * 3u;
}

// The median of 3x3 for four neighbouring pixels at once, by a network of packed minima and maxima.
constexpr int W = 64, H = 24;
__device__ void order(uint32_t &a, uint32_t &b) {
    uint32_t lo = __vminu4(a, b);
    b = __vmaxu4(a, b);
    a = lo;
}
__global__ void median(const uint32_t *image, uint32_t *out) {
    int x = threadIdx.x, y = blockIdx.x * blockDim.y + threadIdx.y;
    uint32_t p[9];
    for (int dy = -1; dy <= 1; ++dy) {
        const uint32_t *row = image + (y + dy + H) % H * (W / 4);
        uint32_t left = row[(x + W / 4 - 1) % (W / 4)], here = row[x], right = row[(x + 1) % (W / 4)];
        p[dy * 3 + 3] = __byte_perm(left, here, 0x6543);
        p[dy * 3 + 4] = here;
        p[dy * 3 + 5] = __byte_perm(here, right, 0x4321);
    }
    const int pairs[19][2] = {{1, 2}, {4, 5}, {7, 8}, {0, 1}, {3, 4}, {6, 7}, {1, 2}, {4, 5}, {7, 8}, {0, 3}, {5, 8}, {4, 7}, {3, 6}, {1, 4}, {2, 5}, {4, 7}, {4, 2}, {6, 4}, {4, 2}};
#pragma unroll
    for (int k = 0; k < 19; ++k) order(p[pairs[k][0]], p[pairs[k][1]]);
    out[y * (W / 4) + x] = p[4];
}

template <typename F>
static uint32_t perLane(uint32_t a, uint32_t b, int count, bool isSigned, F f) {
    int bits = 32 / count;
    uint32_t mask = (1u << bits) - 1, r = 0;
    for (int k = 0; k < count; ++k) {
        int x = (int)(a >> k * bits & mask), y = (int)(b >> k * bits & mask);
        if (isSigned) x = (int)((uint32_t)x << (32 - bits)) >> (32 - bits), y = (int)((uint32_t)y << (32 - bits)) >> (32 - bits);
        r |= ((uint32_t)f(x, y) & mask) << k * bits;
    }
    return r;
}
static int lane(uint32_t a, int k, int bits, bool isSigned) {
    uint32_t v = a >> k * bits << (32 - bits);
    return isSigned ? (int)v >> (32 - bits) : (int)(v >> (32 - bits));
}

int main() {
    static uint32_t got[FIELDS * N], image[W * H / 4], filtered[W * H / 4];
    uint32_t *d, *di, *df;
    int wrong = 0;
    TRY(cudaMalloc(&d, sizeof got));
    TRY(cudaMalloc(&di, sizeof image));
    TRY(cudaMalloc(&df, sizeof filtered));
    for (int i = 0; i < W * H / 4; ++i) image[i] = word(i * 7);
    TRY(cudaMemcpy(di, image, sizeof image, cudaMemcpyHostToDevice));
    lanes<<<4, N / 4>>>(d);
    median<<<H / 4, dim3(W / 4, 4)>>>(di, df);
    TRY(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy(filtered, df, sizeof filtered, cudaMemcpyDeviceToHost));
    static uint32_t want[FIELDS];
    int bad[FIELDS] = {};
    uint32_t hash[FIELDS] = {};
    const char *name[FIELDS] = {};
    for (int i = 0; i < N; ++i) {
        uint32_t a = word(i), b = word(i + 31);
        int f = 0;
#define MODEL(op, count, isSigned, value) name[f] = #op; want[f++] = perLane(a, b, count, isSigned, [](int x, int y) { (void)x, (void)y; return value; });
        OPERATIONS(MODEL)
        auto each = [](uint32_t v, int count, auto g) { return perLane(v, 0, count, true, [&](int x, int) { return g(x); }); };
        want[f++] = each(a, 4, [](int x) { return -x; }) ^ each(b, 4, [](int x) { return std::min(-x, 127); });
        want[f++] = each(a, 4, [](int x) { return std::abs(x); }) ^ each(b, 4, [](int x) { return std::min(std::abs(x), 127); });
        want[f++] = each(a, 2, [](int x) { return -x; }) + each(b, 2, [](int x) { return std::min(std::abs(x), 32767); });
        uint32_t sads = 0, sadu = 0, sad2 = 0, dots = (uint32_t)(i - 80), dotu = 7, lo = 1, hi = (uint32_t)i, ulo = 1, uhi = 5;
        for (int k = 0; k < 4; ++k) {
            sads += (uint32_t)std::abs(lane(a, k, 8, true) - lane(b, k, 8, true));
            sadu += (uint32_t)std::abs(lane(a, k, 8, false) - lane(b, k, 8, false));
            dots += (uint32_t)(lane(a, k, 8, true) * lane(b, k, 8, true));
            dotu += (uint32_t)(lane(a, k, 8, false) * lane(b, k, 8, false));
        }
        for (int k = 0; k < 2; ++k) {
            sad2 += (uint32_t)std::abs(lane(a, k, 16, false) - lane(b, k, 16, false));
            lo += (uint32_t)(lane(a, k, 16, true) * lane(b, k, 8, true)), hi += (uint32_t)(lane(a, k, 16, true) * lane(b, k + 2, 8, true));
            ulo += (uint32_t)(lane(a, k, 16, false) * lane(b, k, 8, false)), uhi += (uint32_t)(lane(a, k, 16, false) * lane(b, k + 2, 8, false));
        }
        want[f++] = sads + sadu * 4096 + (sad2 << 22);
        want[f++] = dots;
        want[f++] = dotu;
        want[f++] = lo ^ hi << 3;
        want[f++] = ulo + uhi * 3u;
        for (f = 0; f < FIELDS; ++f) {
            bad[f] += want[f] != got[f * N + i];
            hash[f] = (hash[f] ^ got[f * N + i]) * 16777619u;
        }
    }
    for (int f = 0; f < FIELDS; ++f) {
        printf("%-14s %08x", name[f] ? name[f] : "other", hash[f]);
        printf(bad[f] ? " wrong %d\n" : "\n", bad[f]);
        wrong += bad[f];
    }
    uint32_t h = 0;
    const unsigned char *pixel = (const unsigned char *)image, *result = (const unsigned char *)filtered;
    for (int y = 0; y < H; ++y)
        for (int x = 0; x < W; ++x) {
            int v[9];
            for (int k = 0; k < 9; ++k) v[k] = pixel[(y + k / 3 + H - 1) % H * W + (x + k % 3 + W - 1) % W];
            std::nth_element(v, v + 4, v + 9);
            wrong += result[y * W + x] != v[4];
            h = h * 31 + result[y * W + x];
        }
    printf("median %08x\nRESULT: %s\n", h, wrong ? "FAIL" : "PASS");
    return wrong != 0;
}
