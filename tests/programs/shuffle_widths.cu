// Shuffles within parts of a warp: odd-even merge sort by eights, segmented sums by sixteens, polynomial evaluation by fours,
// a rotating all-pairs sum, 64-bit and double values, and a partial mask in the last, incomplete warp.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define TRY(call)                                                                         \
    do {                                                                                  \
        cudaError_t err = (call);                                                         \
        if (err != cudaSuccess) {                                                         \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(err));          \
            exit(2);                                                                      \
        }                                                                                 \
    } while (0)

constexpr int THREADS = 120, BLOCKS = 4, N = THREADS * BLOCKS;  // the fourth warp of a block has 24 lanes

struct Out {
    int sorted, ranks;
    long long running;
    double poly;
    unsigned pairs, edges;
};

__host__ __device__ int key(int i) { return (int)((unsigned)i * 0x9e3779b1u >> 7) % 2001 - 1000; }
__host__ __device__ bool head(int i) { return (i % 16) == 0 || (i * 7 % 5) == 0; }

__global__ void __launch_bounds__(THREADS) shuffles(Out *out) {
    const int i = blockIdx.x * THREADS + threadIdx.x, lane = threadIdx.x & 31;
    const unsigned mask = threadIdx.x < 96 ? ~0u : 0x00ffffffu;
    Out o;

    int v = key(i);
    for (int k = 2; k <= 8; k *= 2)
        for (int j = k / 2; j; j /= 2) {
            int other = __shfl_xor_sync(mask, v, j, 8);
            bool up = ((lane & 7 & k) == 0), lower = (lane & j) == 0;
            v = up == lower ? min(v, other) : max(v, other);
        }
    o.sorted = v;
    int rank = 0;
    for (int s = 1; s < 8; ++s) rank += __shfl_sync(mask, key(i), lane + s, 8) < key(i);
    o.ranks = rank;

    // Segmented inclusive sum; the sixteens of the last warp are 16 and 8 lanes long.
    long long sum = (long long)key(i) << 33 | i;
    int flag = head(i);
    for (int d = 1; d < 16; d *= 2) {
        long long left = __shfl_up_sync(mask, sum, d, 16);
        int leftFlag = __shfl_up_sync(mask, flag, d, 16);
        if ((lane & 15) >= d && !flag) {
            sum += left;
            flag |= leftFlag;
        }
    }
    o.running = sum;

    // Each group of four lanes holds the coefficients of one cubic; lane c evaluates it at c / 4.
    double x = (lane & 3) * 0.25, p = 0;
    for (int c = 3; c >= 0; --c) p = fma(p, x, __shfl_sync(mask, (double)key(i), c, 4));
    o.poly = p;

    unsigned pairs = 0;
    for (int s = 1; s < 4; ++s) {
        unsigned a = __shfl_down_sync(mask, (unsigned)i * 3u, s, 4), b = __shfl_up_sync(mask, (unsigned)i * 5u, s, 4);
        pairs = pairs * 17u + a * 2u + b;
    }
    o.pairs = pairs;

    // Out of range: down and up keep the lane's own value, an index wraps at the width.
    o.edges = __shfl_down_sync(mask, i, 9, 16) ^ __shfl_up_sync(mask, i, 2, 2) << 10 ^ __shfl_sync(mask, i, 37 + lane, 8) << 20;
    if (lane & 1)  // only odd lanes take part
        o.edges += __shfl_xor_sync(mask & 0xaaaaaaaau, lane * 100, 2) + __shfl_sync(mask & 0xaaaaaaaau, lane, 5);
    out[i] = o;
}

int main() {
    Out *d;
    std::vector<Out> got(N);
    TRY(cudaMalloc(&d, N * sizeof(Out)));
    TRY(cudaMemset(d, 0, N * sizeof(Out)));
    shuffles<<<BLOCKS, THREADS>>>(d);
    TRY(cudaGetLastError());
    TRY(cudaMemcpy(got.data(), d, N * sizeof(Out), cudaMemcpyDeviceToHost));
    int wrong[6] = {}, total = 0;
    uint64_t hash = 0;
    for (int i = 0; i < N; ++i) {
        const Out &o = got[i];
        int t = i % THREADS, lane = t & 31, eight = i - (lane & 7);
        int group[8], rank = 0;
        for (int k = 0; k < 8; ++k) group[k] = key(eight + k), rank += group[k] < key(i);
        std::sort(group, group + 8);
        wrong[0] += o.sorted != group[lane & 7];
        wrong[1] += o.ranks != rank;
        long long sum = 0;
        for (int k = i;; --k) {
            sum += (long long)((unsigned long long)(long long)key(k) << 33) | k;
            if (head(k) || ((k % THREADS) & 15) == 0) break;
        }
        wrong[2] += o.running != sum;
        int four = i - (lane & 3);
        double x = (lane & 3) * 0.25, p = 0;
        for (int c = 3; c >= 0; --c) p = p * x + key(four + c);
        wrong[3] += o.poly != p;
        unsigned pairs = 0;
        for (int s = 1; s < 4; ++s) {
            int down = (lane & 3) + s < 4 ? i + s : i, up = (lane & 3) >= s ? i - s : i;
            pairs = pairs * 17u + (unsigned)down * 3u * 2u + (unsigned)up * 5u;
        }
        wrong[4] += o.pairs != pairs;
        if (t < 96) {  // the incomplete warp reads lanes that do not exist
            unsigned edges = (unsigned)((lane & 15) + 9 < 16 ? i + 9 : i) ^ (unsigned)i << 10 ^ (unsigned)(i - (lane & 7) + ((37 + lane) & 7)) << 20;
            if (lane & 1) edges += (lane ^ 2) * 100 + 5;
            wrong[5] += o.edges != edges;
            hash = (hash ^ o.edges) * 0x100000001b3ull;
        }
        hash = (hash ^ (uint64_t)o.running ^ (unsigned)o.sorted) * 0x100000001b3ull + o.pairs;
    }
    for (int k = 0; k < 3; ++k) printf("%d %d %lld %.6f %08x %08x\n", got[k * 131].sorted, got[k * 131].ranks, got[k * 131].running, got[k * 131].poly, got[k * 131].pairs, got[k * 131].edges);
    for (int w : wrong) total += w;
    printf("wrong %d %d %d %d %d %d hash %016llx\n", wrong[0], wrong[1], wrong[2], wrong[3], wrong[4], wrong[5], (unsigned long long)hash);
    printf("RESULT: %s\n", total ? "FAIL" : "PASS");
    return total != 0;
}
