// Inline PTX: 256-bit arithmetic with carry chains (add.cc, addc, sub.cc, mad.lo.cc, madc.hi), Montgomery powers modulo
// 2^255 - 19, and lop3, prmt, shf, bfe, bfi, mad.wide, vote and predicate code.
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

struct Big {
    uint32_t w[8];
};
constexpr int N = 8, MISC = 10, MISC_THREADS = 96;

__device__ uint32_t add(Big &r, const Big &b) {
    uint32_t carry;
    asm("add.cc.u32 %0, %0, %9;\n\taddc.cc.u32 %1, %1, %10;\n\taddc.cc.u32 %2, %2, %11;\n\taddc.cc.u32 %3, %3, %12;\n\t"
        "addc.cc.u32 %4, %4, %13;\n\taddc.cc.u32 %5, %5, %14;\n\taddc.cc.u32 %6, %6, %15;\n\taddc.cc.u32 %7, %7, %16;\n\taddc.u32 %8, 0, 0;"
        : "+r"(r.w[0]), "+r"(r.w[1]), "+r"(r.w[2]), "+r"(r.w[3]), "+r"(r.w[4]), "+r"(r.w[5]), "+r"(r.w[6]), "+r"(r.w[7]), "=r"(carry)
        : "r"(b.w[0]), "r"(b.w[1]), "r"(b.w[2]), "r"(b.w[3]), "r"(b.w[4]), "r"(b.w[5]), "r"(b.w[6]), "r"(b.w[7]));
    return carry;
}
__device__ uint32_t subtract(Big &r, const Big &b) {  // the borrow, 0 or ~0
    uint32_t borrow;
    asm("sub.cc.u32 %0, %0, %9;\n\tsubc.cc.u32 %1, %1, %10;\n\tsubc.cc.u32 %2, %2, %11;\n\tsubc.cc.u32 %3, %3, %12;\n\t"
        "subc.cc.u32 %4, %4, %13;\n\tsubc.cc.u32 %5, %5, %14;\n\tsubc.cc.u32 %6, %6, %15;\n\tsubc.cc.u32 %7, %7, %16;\n\tsubc.u32 %8, 0, 0;"
        : "+r"(r.w[0]), "+r"(r.w[1]), "+r"(r.w[2]), "+r"(r.w[3]), "+r"(r.w[4]), "+r"(r.w[5]), "+r"(r.w[6]), "+r"(r.w[7]), "=r"(borrow)
        : "r"(b.w[0]), "r"(b.w[1]), "r"(b.w[2]), "r"(b.w[3]), "r"(b.w[4]), "r"(b.w[5]), "r"(b.w[6]), "r"(b.w[7]));
    return borrow;
}
// t[0..8] += a * b[0..7]; the result's top fits because t < 2^256 before.
__device__ void row(uint32_t *t, uint32_t a, const Big &b) {
    asm("mad.lo.cc.u32 %0, %9, %10, %0;\n\tmadc.lo.cc.u32 %1, %9, %11, %1;\n\tmadc.lo.cc.u32 %2, %9, %12, %2;\n\tmadc.lo.cc.u32 %3, %9, %13, %3;\n\t"
        "madc.lo.cc.u32 %4, %9, %14, %4;\n\tmadc.lo.cc.u32 %5, %9, %15, %5;\n\tmadc.lo.cc.u32 %6, %9, %16, %6;\n\tmadc.lo.cc.u32 %7, %9, %17, %7;\n\taddc.u32 %8, %8, 0;\n\t"
        "mad.hi.cc.u32 %1, %9, %10, %1;\n\tmadc.hi.cc.u32 %2, %9, %11, %2;\n\tmadc.hi.cc.u32 %3, %9, %12, %3;\n\tmadc.hi.cc.u32 %4, %9, %13, %4;\n\t"
        "madc.hi.cc.u32 %5, %9, %14, %5;\n\tmadc.hi.cc.u32 %6, %9, %15, %6;\n\tmadc.hi.cc.u32 %7, %9, %16, %7;\n\tmadc.hi.u32 %8, %9, %17, %8;"
        : "+r"(t[0]), "+r"(t[1]), "+r"(t[2]), "+r"(t[3]), "+r"(t[4]), "+r"(t[5]), "+r"(t[6]), "+r"(t[7]), "+r"(t[8])
        : "r"(a), "r"(b.w[0]), "r"(b.w[1]), "r"(b.w[2]), "r"(b.w[3]), "r"(b.w[4]), "r"(b.w[5]), "r"(b.w[6]), "r"(b.w[7]));
}
__constant__ Big prime = {{0xffffffedu, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, 0x7fffffffu}};

__device__ Big multiply(const Big &a, const Big &b) {
    uint32_t t[17] = {};
#pragma unroll
    for (int i = 0; i < 8; ++i) row(t + i, a.w[i], b);
    Big lo, hi;
    for (int i = 0; i < 8; ++i) lo.w[i] = t[i], hi.w[i] = t[i + 8];
    uint32_t u[9] = {};  // lo + 38 * hi, then the ninth word times 38, twice
    for (int i = 0; i < 8; ++i) u[i] = lo.w[i];
    row(u, 38, hi);
    for (int i = 0; i < 8; ++i) lo.w[i] = u[i];
    for (uint32_t over = u[8]; over;) {
        Big more = {{over * 38u}};
        over = add(lo, more);
    }
    Big less = lo;
    while (subtract(less, prime) == 0) lo = less;
    return lo;
}

// a^(p-2), the inverse, and a^((p-1)/2), the quadratic character.
__global__ void powers(const Big *in, Big *inverse, Big *character) {
    int i = threadIdx.x;
    Big e = prime;
    if (blockIdx.x == 0) e.w[0] -= 2;
    else
        for (int k = 0; k < 8; ++k) e.w[k] = k < 7 ? prime.w[k] >> 1 | prime.w[k + 1] << 31 : prime.w[k] >> 1;
    Big x = in[i], r = {{1}};
    for (int bit = 254; bit >= 0; --bit) {
        r = multiply(r, r);
        if (e.w[bit / 32] >> bit % 32 & 1) r = multiply(r, x);
    }
    (blockIdx.x ? character : inverse)[i] = r;
}
__global__ void check(const Big *in, const Big *inverse, const Big *character, Big *product, Big *square) {
    int i = threadIdx.x;
    product[i] = multiply(in[i], inverse[i]);
    square[i] = multiply(character[i], character[i]);
}

__global__ void misc(uint32_t *out) {
    uint32_t i = threadIdx.x, a = i * 0x9e3779b9u, b = a ^ a >> 13, c = b * 31u + 7u, r, *o = out + i * MISC;
    asm("lop3.b32 %0, %1, %2, %3, 0xe8;" : "=r"(o[0]) : "r"(a), "r"(b), "r"(c));  // majority
    asm("lop3.b32 %0, %1, %2, %3, 0x1b;" : "=r"(o[1]) : "r"(a), "r"(b), "r"(c));
    asm("prmt.b32 %0, %1, %2, 0x2604;" : "=r"(o[2]) : "r"(a), "r"(b));
    asm("prmt.b32.b4e %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(i));
    o[3] = r;
    asm("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(i));
    asm("shf.r.clamp.b32 %0, %1, %2, %3;" : "=r"(o[4]) : "r"(r), "r"(c), "r"(i));
    int32_t field;
    asm("bfe.s32 %0, %1, %2, 11;" : "=r"(field) : "r"(b), "r"(i % 32));
    asm("bfi.b32 %0, %1, %2, %3, 9;" : "=r"(o[5]) : "r"((uint32_t)field), "r"(a), "r"(i % 24));
    int64_t wide;
    asm("mad.wide.s32 %0, %1, %2, %3;" : "=l"(wide) : "r"((int)a), "r"((int)b), "l"(-1234567890123ll));
    uint64_t uwide;
    asm("mad.wide.u32 %0, %1, %2, %3;" : "=l"(uwide) : "r"(a), "r"(b), "l"(wide));
    o[6] = (uint32_t)(uwide >> 32) ^ (uint32_t)uwide;
    uint32_t lane, warpMask, before;
    asm("mov.u32 %0, %%laneid;\n\tmov.u32 %1, %%lanemask_lt;" : "=r"(lane), "=r"(before));
    asm volatile("{\n\t.reg .pred p;\n\tsetp.gt.u32 p, %1, %2;\n\tvote.sync.ballot.b32 %0, p, 0xffffffff;\n\t}" : "=r"(warpMask) : "r"(a), "r"(b));
    o[7] = warpMask ^ before ^ lane << 8;
    asm("{\n\t.reg .pred p, q;\n\tsetp.lt.s32 p, %1, %2;\n\tsetp.hi.and.u32 q, %1, %3, p;\n\tmov.u32 %0, 1;\n\t@q add.u32 %0, %0, 2;\n\t@!p add.u32 %0, %0, 4;\n\t}" : "=&r"(o[8]) : "r"(a), "r"(b), "r"(c));
    asm("{\n\t.reg .u32 t;\n\tsad.u32 t, %1, %2, %3;\n\tvabsdiff4.u32.u32.u32.add %0, %1, %2, t;\n\t}" : "=r"(o[9]) : "r"(a), "r"(b), "r"(c));
}

// Reference: schoolbook with 64-bit products, then long division by shifts.
static Big hostMultiply(const Big &a, const Big &b) {
    uint32_t t[16] = {};
    for (int i = 0; i < 8; ++i) {
        uint64_t carry = 0;
        for (int j = 0; j < 8; ++j) carry += (uint64_t)a.w[i] * b.w[j] + t[i + j], t[i + j] = (uint32_t)carry, carry >>= 32;
        t[i + 8] = (uint32_t)carry;
    }
    Big r = {};
    const uint32_t p[8] = {0xffffffedu, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, 0x7fffffffu};
    for (int bit = 511; bit >= 0; --bit) {  // r stays below p, so doubling fits 256 bits
        for (int k = 7; k > 0; --k) r.w[k] = r.w[k] << 1 | r.w[k - 1] >> 31;
        r.w[0] = r.w[0] << 1 | (t[bit / 32] >> bit % 32 & 1);
        Big s = r;
        int64_t borrow = 0;
        for (int k = 0; k < 8; ++k) borrow += (int64_t)s.w[k] - p[k], s.w[k] = (uint32_t)borrow, borrow >>= 32;
        if (borrow == 0) r = s;
    }
    return r;
}

int main() {
    Big in[N], inverse[N], character[N], product[N], square[N], *d;
    for (int i = 0; i < N; ++i)
        for (int k = 0; k < 8; ++k) in[i].w[k] = ((uint32_t)(i * 8 + k + 1) * 0x85ebca6bu ^ (uint32_t)i << 11) >> (k == 7);
    in[0] = {{2}};
    in[1] = {{0xffffffecu, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, 0x7fffffffu}};  // -1
    TRY(cudaMalloc(&d, 5 * sizeof in));
    TRY(cudaMemcpy(d, in, sizeof in, cudaMemcpyHostToDevice));
    powers<<<2, N>>>(d, d + N, d + 2 * N);
    check<<<1, N>>>(d, d + N, d + 2 * N, d + 3 * N, d + 4 * N);
    TRY(cudaMemcpy(inverse, d + N, sizeof in, cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy(character, d + 2 * N, sizeof in, cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy(product, d + 3 * N, sizeof in, cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy(square, d + 4 * N, sizeof in, cudaMemcpyDeviceToHost));
    const Big one = {{1}};
    int wrong = 0, residues = 0;
    for (int i = 0; i < N; ++i) {
        Big host = hostMultiply(in[i], inverse[i]);
        wrong += memcmp(&host, &one, sizeof one) != 0 || memcmp(&product[i], &one, sizeof one) != 0 || memcmp(&square[i], &one, sizeof one) != 0;
        residues += memcmp(&character[i], &one, sizeof one) == 0;
        if (i % 3) continue;
        for (int k = 7; k >= 0; --k) printf("%08x", inverse[i].w[k]);
        printf("\n");
    }
    printf("residues %d of %d, wrong %d\n", residues, N, wrong);

    static uint32_t got[MISC_THREADS * MISC];
    uint32_t *dm, hash[MISC] = {}, ballots[3] = {};
    TRY(cudaMalloc(&dm, sizeof got));
    misc<<<1, MISC_THREADS>>>(dm);
    TRY(cudaMemcpy(got, dm, sizeof got, cudaMemcpyDeviceToHost));
    for (uint32_t i = 0; i < MISC_THREADS; ++i) {
        uint32_t a = i * 0x9e3779b9u, b = a ^ a >> 13;
        ballots[i / 32] |= (uint32_t)(a > b) << i % 32;
    }
    for (uint32_t i = 0; i < MISC_THREADS; ++i) {
        uint32_t a = i * 0x9e3779b9u, b = a ^ a >> 13, c = b * 31u + 7u, w[MISC] = {};
        uint64_t ba = (uint64_t)b << 32 | a;
        for (int k = 0; k < 32; ++k) {
            int at = (a >> k & 1) << 2 | (b >> k & 1) << 1 | (c >> k & 1);
            w[0] |= (0xe8u >> at & 1) << k;
            w[1] |= (0x1bu >> at & 1) << k;
        }
        auto byte = [&](int k) { return (uint32_t)(ba >> (k & 7) * 8) & 255; };
        w[2] = byte(4) | byte(0) << 8 | byte(6) << 16 | byte(2) << 24;
        int s = i & 3;  // b4e counts downwards from the selected byte
        w[3] = byte(s) | byte(s + 7) << 8 | byte(s + 6) << 16 | byte(s + 5) << 24;
        uint32_t l = (uint32_t)(ba << (i & 31) >> 32), clamp = i > 32 ? 32 : i;
        w[4] = (uint32_t)(((uint64_t)c << 32 | l) >> clamp);
        int64_t sb = (int32_t)b;
        uint32_t field = (uint32_t)(int32_t)((int64_t)((uint64_t)(sb >> (i % 32)) << 53) >> 53), mask = 511u << i % 24;
        w[5] = (a & ~mask) | (field << i % 24 & mask);
        uint64_t wide = (uint64_t)((int64_t)(int32_t)a * (int32_t)b - 1234567890123ll) + (uint64_t)a * b;
        w[6] = (uint32_t)(wide >> 32) ^ (uint32_t)wide;
        w[7] = ballots[i / 32] ^ ((1u << i % 32) - 1) ^ (i % 32) << 8;
        bool p = (int32_t)a < (int32_t)b, q = a > c && p;
        w[8] = 1 + (q ? 2 : 0) + (p ? 0 : 4);
        w[9] = (a > b ? a - b : b - a) + c;
        for (int k = 0; k < 32; k += 8) w[9] += (uint32_t)abs((int)(a >> k & 255) - (int)(b >> k & 255));
        for (int f = 0; f < MISC; ++f) {
            wrong += w[f] != got[i * MISC + f];
            hash[f] = (hash[f] ^ got[i * MISC + f]) * 16777619u;
            if (w[f] != got[i * MISC + f] && wrong < 9) printf("misc %d of %u: %08x, not %08x\n", f, i, got[i * MISC + f], w[f]);
        }
    }
    for (int f = 0; f < MISC; ++f) printf("misc %d %08x\n", f, hash[f]);
    printf("RESULT: %s\n", wrong ? "FAIL" : "PASS");
    return wrong != 0;
}
