// Cooperative groups: tiles of 4, 8 and 16 that each solve a small problem, nested partitions, group reductions and scans.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
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

namespace cg = cooperative_groups;
constexpr int MOD = 8191, THREADS = 192, BLOCKS = 2, N = THREADS * BLOCKS;

__host__ __device__ int entry(int system, int row, int column) {
    unsigned x = (unsigned)(system * 64 + row * 9 + column) * 747796405u + 2891336453u;
    x = ((x >> ((x >> 28) + 4)) ^ x) * 277803737u;
    return (int)((x >> 22 ^ x) % MOD);
}

template <int S>
__device__ int inverse(int a) {  // by Fermat, S only separates the instantiations
    int r = 1;
    for (int e = MOD - 2; e; e >>= 1, a = a * a % MOD)
        if (e & 1) r = r * a % MOD;
    return r;
}

// Determinant modulo a prime of one SxS matrix per tile; each lane holds a row.
template <int S>
__device__ int determinant(const cg::thread_block_tile<S> &tile, int system) {
    int row[S], me = tile.thread_rank(), det = 1;
    for (int c = 0; c < S; ++c) row[c] = entry(system, me, c);
    bool used = false;
#pragma unroll
    for (int c = 0; c < S; ++c) {
        unsigned candidates = tile.ballot(!used && row[c] != 0);
        if (!candidates) return 0;  // uniform within a tile, not within a warp
        int pivot = __ffs(candidates) - 1;
        unsigned before = tile.ballot(!used && me < pivot);
        int head = tile.shfl(row[c], pivot), factor = row[c] * inverse<S>(head) % MOD;
        det = det * head % MOD;
        if (__popc(before) & 1) det = (MOD - det) % MOD;
        if (me == pivot) used = true;
#pragma unroll
        for (int k = 0; k < S; ++k) {
            int p = tile.shfl(row[k], pivot);
            if (!used) row[k] = (row[k] + (MOD - factor) * p) % MOD;
        }
    }
    return det;
}

__global__ void determinants(int *d4, int *d8, int *d16) {
    cg::thread_block block = cg::this_thread_block();
    int thread = blockIdx.x * THREADS + (int)block.thread_rank();
    auto t4 = cg::tiled_partition<4>(block);
    auto t8 = cg::tiled_partition<8>(block);
    auto t16 = cg::tiled_partition<16>(block);
    int a = determinant<4>(t4, thread / 4), b = determinant<8>(t8, thread / 8), c = determinant<16>(t16, thread / 16);
    if (t4.thread_rank() == 0) d4[thread / 4] = a;
    if (t8.thread_rank() == 1) d8[thread / 8] = b;
    if (t16.thread_rank() == 2) d16[thread / 16] = c;
}

__global__ void groups(int *out, int *metaOut) {
    cg::thread_block block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    auto half = cg::tiled_partition<16>(warp);
    auto quad = cg::tiled_partition<4>(half);
    int i = blockIdx.x * THREADS + threadIdx.x, v = entry(i, 1, 2);
    int r = cg::reduce(half, v, cg::plus<int>()) + 3 * cg::reduce(quad, v, cg::greater<int>()) - cg::reduce(warp, v, cg::less<int>());
    r ^= cg::reduce(quad, v, cg::bit_xor<int>()) << 14;
    r += cg::inclusive_scan(half, v) * 5 + cg::exclusive_scan(quad, v, cg::plus<int>());
    r += quad.shfl_down(v, 1) * 7 + half.shfl_xor(v, 9) + warp.shfl_up(v, 3) + quad.any(v % 4 == 0) * 1000003 + half.all(v > 40) * 500009;
    auto parity = cg::labeled_partition(warp, v % 3);
    r += cg::reduce(parity, v, cg::plus<int>()) + (int)parity.size() * 100 + (int)parity.thread_rank();
    if (v & 1) {
        cg::coalesced_group odd = cg::coalesced_threads();
        odd.sync();
        r += (v & 1) * 12345;
    }
    warp.sync();
    out[i] = r;
    metaOut[i] = (int)(quad.meta_group_rank() + 10 * quad.meta_group_size() + 100 * half.meta_group_rank() + 1000 * warp.meta_group_rank() + 100000 * half.num_threads());
    block.sync();
}

static int hostDeterminant(int s, int system) {
    static int m[16][16];
    int det = 1;
    for (int r = 0; r < s; ++r)
        for (int c = 0; c < s; ++c) m[r][c] = entry(system, r, c);
    for (int c = 0; c < s; ++c) {
        int p = c;
        while (p < s && !m[p][c]) ++p;
        if (p == s) return 0;
        if (p != c) {
            for (int k = 0; k < s; ++k) std::swap(m[p][k], m[c][k]);
            det = (MOD - det) % MOD;
        }
        det = det * m[c][c] % MOD;
        int inv = 1;
        while (inv * m[c][c] % MOD != 1) ++inv;
        for (int r = c + 1; r < s; ++r) {
            int f = m[r][c] * inv % MOD;
            for (int k = 0; k < s; ++k) m[r][k] = (m[r][k] + (MOD - f) * m[c][k]) % MOD;
        }
    }
    return det;
}

int main() {
    static int d4[N / 4], d8[N / 8], d16[N / 16], r[N], meta[N];
    int *p4, *p8, *p16, *pr, *pm, wrong = 0;
    TRY(cudaMalloc(&p4, sizeof d4));
    TRY(cudaMalloc(&p8, sizeof d8));
    TRY(cudaMalloc(&p16, sizeof d16));
    TRY(cudaMalloc(&pr, sizeof r));
    TRY(cudaMalloc(&pm, sizeof meta));
    determinants<<<BLOCKS, THREADS>>>(p4, p8, p16);
    groups<<<BLOCKS, THREADS>>>(pr, pm);
    TRY(cudaMemcpy(d4, p4, sizeof d4, cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy(d8, p8, sizeof d8, cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy(d16, p16, sizeof d16, cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy(r, pr, sizeof r, cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy(meta, pm, sizeof meta, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N / 4; ++i) wrong += d4[i] != hostDeterminant(4, i);
    for (int i = 0; i < N / 8; ++i) wrong += d8[i] != hostDeterminant(8, i);
    for (int i = 0; i < N / 16; ++i) wrong += d16[i] != hostDeterminant(16, i);
    printf("determinants: %d %d %d %d %d %d wrong %d\n", d4[0], d4[95], d8[1], d8[47], d16[2], d16[23], wrong);
    unsigned h = 1;
    for (int i = 0; i < N; ++i) {
        auto v = [](int k) { return entry(k, 1, 2); };
        int lane = i % 32, w = i - lane, hb = i - i % 16, q = i - i % 4, sumHalf = 0, scanHalf = 0, scanQuad = 0, maxQuad = 0, xorQuad = 0, minWarp = MOD, label = 0, size = 0, rank = 0;
        bool any = false, all = true;
        for (int k = 0; k < 32; ++k) {
            minWarp = std::min(minWarp, v(w + k));
            if (v(w + k) % 3 == v(i) % 3) label += v(w + k), ++size, rank += k < lane;
        }
        for (int k = hb; k < hb + 16; ++k) sumHalf += v(k), scanHalf += k <= i ? v(k) : 0, all = all && v(k) > 40;
        for (int k = q; k < q + 4; ++k) maxQuad = std::max(maxQuad, v(k)), xorQuad ^= v(k), scanQuad += k < i ? v(k) : 0, any = any || v(k) % 4 == 0;
        int want = ((sumHalf + 3 * maxQuad - minWarp) ^ xorQuad << 14) + scanHalf * 5 + scanQuad;
        want += (i % 4 < 3 ? v(i + 1) : v(i)) * 7 + v(hb + (i % 16 ^ 9)) + (lane >= 3 ? v(i - 3) : v(i)) + any * 1000003 + all * 500009;
        want += label + size * 100 + rank + (v(i) & 1) * 12345;
        int wantMeta = i % 16 / 4 + 10 * 4 + 100 * (i % 32 / 16) + 1000 * (i % THREADS / 32) + 100000 * 16;
        if ((r[i] != want || meta[i] != wantMeta) && wrong++ < 4) printf("%d: %d %d, not %d %d\n", i, r[i], meta[i], want, wantMeta);
        h = (h ^ (unsigned)r[i]) * 16777619u + (unsigned)meta[i];
    }
    printf("groups: %d %d %d hash %08x\n", r[0], r[100], r[383], h);
    printf("RESULT: %s\n", wrong ? "FAIL" : "PASS");
    return wrong != 0;
}
