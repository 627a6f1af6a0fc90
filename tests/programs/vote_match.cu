// Votes, matches and warp reductions in lanes that came apart: partial masks, __syncwarp as the only order, and an append
// whose lanes of one warp share an atomic per destination.
#include <algorithm>
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

constexpr int THREADS = 160, BLOCKS = 3, N = THREADS * BLOCKS, BINS = 5, FIELDS = 12;
constexpr unsigned ALL = 0xffffffffu;

__host__ __device__ unsigned datum(int i) { return ((unsigned)i * 40503u >> 5) % 11u; }
__host__ __device__ unsigned wide(int i) { return (unsigned)i * 0x01000193u ^ (unsigned)i << 27; }

__global__ void votes(unsigned *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    unsigned v = datum(i), o[FIELDS];
    o[0] = __ballot_sync(ALL, v > 4);
    o[1] = __any_sync(ALL, v == 10) | __all_sync(ALL, v < 11) << 1 | __all_sync(ALL, v < 10) << 2;
    o[2] = __match_any_sync(ALL, v);
    o[3] = __match_any_sync(ALL, (unsigned long long)(v % 3) << 40 | 5);
    int same;
    o[4] = __match_all_sync(ALL, i / 32, &same);
    o[4] ^= same ? 0x10u : 0u;
    o[5] = __match_all_sync(ALL, v, &same) + (same ? 1u : 0u);
    // The masks that the lanes agreed on above now name the members of each side.
    if (lane % 3 == 0) {
        const unsigned third = 0x49249249u;
        o[6] = __reduce_add_sync(third, v) + (__reduce_max_sync(third, (int)v - 7) << 8) + (__reduce_min_sync(third, (int)v - 7) << 16);
        o[7] = __ballot_sync(third, v & 1);
    } else if (lane % 3 == 1) {
        const unsigned third = 0x92492492u;
        o[6] = __reduce_xor_sync(third, wide(i)) ^ __reduce_or_sync(third, wide(i) & 0xff0fu) ^ __reduce_and_sync(third, wide(i) | 0x0ff0ffffu);
        o[7] = __any_sync(third, v == 3) ? 77 : 78;
    } else {
        const unsigned third = 0x24924924u;
        o[6] = __reduce_max_sync(third, wide(i)) - __reduce_min_sync(third, wide(i));
        o[7] = __match_any_sync(third, v & 1);
    }
    __syncwarp();
    o[8] = __ballot_sync(ALL, o[6] & 1);
    o[9] = __reduce_add_sync(o[2], (unsigned)lane);  // one sum per group of equal values
    o[10] = __popc(o[2] & ((1u << lane) - 1));       // rank within the group
    unsigned rest = ALL, rounds = 0;                 // peel the groups off, lowest lane first; each lane leaves in its round
    for (;;) {
        unsigned leader = __shfl_sync(rest, v, __ffs(rest) - 1);
        unsigned group = __ballot_sync(rest, v == leader);
        ++rounds;
        if (v == leader) break;
        rest &= ~group;
    }
    __syncwarp();
    o[11] = rounds;
    for (int f = 0; f < FIELDS; ++f) out[f * N + i] = o[f];
}

// Neighbours through shared memory with nothing but __syncwarp between them.
__global__ void ripple(unsigned *out) {
    __shared__ unsigned cell[THREADS];
    int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x, w = t & ~31;
    cell[t] = wide(i);
    __syncwarp();
    for (int step = 0; step < 10; ++step) {
        unsigned left = cell[w | ((t + 31) & 31)], right = cell[w | ((t + 1) & 31)];
        __syncwarp();
        if (step & 1 ? t & 1 : t & 2) cell[t] = left * 3u ^ right;
        else cell[t] += left ^ right >> 3;
        __syncwarp();
    }
    out[i] = cell[t];
}

__device__ unsigned binSize[BINS];
__global__ void append(unsigned *bins) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    unsigned bin = datum(i) % (BINS + 1);
    if (bin == BINS) return;
    unsigned peers = __match_any_sync(__activemask(), bin), base = 0;
    int leader = __ffs(peers) - 1;
    if (lane == leader) base = atomicAdd(&binSize[bin], __popc(peers));
    base = __shfl_sync(peers, base, leader) + __popc(peers & ((1u << lane) - 1));
    bins[bin * N + base] = i;
}

int main() {
    static unsigned got[FIELDS * N], rip[N], want[FIELDS], size[BINS], bins[BINS * N];
    unsigned *d, *dr, *db;
    TRY(cudaMalloc(&d, sizeof got));
    TRY(cudaMalloc(&dr, sizeof rip));
    TRY(cudaMalloc(&db, sizeof bins));
    votes<<<BLOCKS, THREADS>>>(d);
    ripple<<<BLOCKS, THREADS>>>(dr);
    append<<<BLOCKS, THREADS>>>(db);
    TRY(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy(rip, dr, sizeof rip, cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy(bins, db, sizeof bins, cudaMemcpyDeviceToHost));
    TRY(cudaMemcpyFromSymbol(size, binSize, sizeof size));
    int wrong[FIELDS + 2] = {}, total = 0;
    for (int w = 0; w < N; w += 32) {
        auto ballot = [&](auto p) { unsigned m = 0; for (int l = 0; l < 32; ++l) m |= (unsigned)p(w + l, l) << l; return m; };
        auto third6 = [&](int r) {
            unsigned sum = 0, x = 0, o = 0, a = ~0u, hi = 0, lo = ~0u;
            int mx = -99, mn = 99;
            for (int l = r; l < 32; l += 3) {
                unsigned v = datum(w + l), u = wide(w + l);
                sum += v, mx = std::max(mx, (int)v - 7), mn = std::min(mn, (int)v - 7);
                x ^= u, o |= u & 0xff0fu, a &= u | 0x0ff0ffffu, hi = std::max(hi, u), lo = std::min(lo, u);
            }
            return r == 0 ? sum + ((unsigned)mx << 8) + ((unsigned)mn << 16) : r == 1 ? (x ^ o ^ a) : hi - lo;
        };
        unsigned cells[32], next[32];
        for (int l = 0; l < 32; ++l) cells[l] = wide(w + l);
        for (int step = 0; step < 10; ++step) {
            for (int l = 0; l < 32; ++l) {
                unsigned left = cells[(l + 31) & 31], right = cells[(l + 1) & 31];
                next[l] = (step & 1 ? l & 1 : l & 2) ? (left * 3u ^ right) : cells[l] + (left ^ right >> 3);
            }
            memcpy(cells, next, sizeof cells);
        }
        for (int l = 0; l < 32; ++l) {
            int i = w + l, r = l % 3;
            unsigned v = datum(i);
            bool allSame = ballot([&](int k, int) { return datum(k) == v; }) == ALL;
            want[0] = ballot([](int k, int) { return datum(k) > 4; });
            bool ten = ballot([](int k, int) { return datum(k) == 10; }) != 0;
            want[1] = ten | 2 | !ten << 2;
            want[2] = ballot([&](int k, int) { return datum(k) == v; });
            want[3] = ballot([&](int k, int) { return datum(k) % 3 == v % 3; });
            want[4] = ALL ^ 0x10u;
            want[5] = allSame ? 0 : 0;
            want[6] = third6(r);
            want[7] = r == 0   ? ballot([](int k, int m) { return m % 3 == 0 && (datum(k) & 1); })
                      : r == 1 ? (ballot([](int k, int m) { return m % 3 == 1 && datum(k) == 3; }) ? 77 : 78)
                               : ballot([&](int k, int m) { return m % 3 == 2 && (datum(k) & 1) == (v & 1); });
            want[8] = ballot([&](int, int m) { return third6(m % 3) & 1; });
            want[9] = want[10] = 0;
            for (int m = 0; m < 32; ++m)
                if (want[2] >> m & 1) want[9] += m, want[10] += m < l;
            std::vector<unsigned> seen;
            for (int m = 0; m < 32 && std::find(seen.begin(), seen.end(), v) == seen.end(); ++m)
                if (std::find(seen.begin(), seen.end(), datum(w + m)) == seen.end()) seen.push_back(datum(w + m));
            want[11] = (unsigned)seen.size();
            for (int f = 0; f < FIELDS; ++f) wrong[f] += want[f] != got[f * N + i];
            wrong[FIELDS] += rip[i] != cells[l];
        }
    }
    for (int b = 0; b < BINS; ++b) {
        std::vector<unsigned> mine(bins + b * N, bins + b * N + std::min<unsigned>(size[b], N)), all;
        std::sort(mine.begin(), mine.end());
        for (int i = 0; i < N; ++i)
            if (datum(i) % (BINS + 1) == (unsigned)b) all.push_back(i);
        wrong[FIELDS + 1] += mine != all;
        printf("bin %d size %u first %u last %u\n", b, size[b], mine.empty() ? 0 : mine.front(), mine.empty() ? 0 : mine.back());
    }
    for (int f = 0; f <= FIELDS; ++f) {
        unsigned h = 2166136261u;
        for (int i = 0; i < N; ++i) h = (h ^ (f < FIELDS ? got[f * N + i] : rip[i])) * 16777619u;
        printf("field %d %08x%s\n", f, h, wrong[f] ? " wrong" : "");
    }
    for (int w : wrong) total += w;
    printf("RESULT: %s\n", total ? "FAIL" : "PASS");
    return total != 0;
}
