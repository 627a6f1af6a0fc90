// Reductions and scans that end in the last block to arrive: volatile partial results behind __threadfence, a 64-bit scan over
// block sums, a counter that wraps to be ready for the next launch, and extrema with their positions.
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

typedef unsigned long long u64;
constexpr int THREADS = 128, BLOCKS = 11, ITEMS = 4, CHUNK = THREADS * ITEMS, N = CHUNK * BLOCKS - 77;

struct Extremum {
    double value;
    int at, pad;
};
__device__ unsigned arrived;
__device__ volatile u64 blockSum[BLOCKS];
__device__ volatile int blockAt[BLOCKS];
__device__ volatile double blockBest[BLOCKS];
__device__ u64 offsets[BLOCKS + 1];

__device__ void better(double &v, int &at, double w, int from) {
    if (w > v || (w == v && from < at)) v = w, at = from;
}

__global__ void reduce(const u64 *in, int n, Extremum *best, u64 *total) {
    __shared__ double values[THREADS];
    __shared__ volatile int places[THREADS];
    __shared__ u64 sums[THREADS / 32];
    __shared__ bool last;
    int t = threadIdx.x, place = N;
    u64 sum = 0;
    double value = -1;
    for (int k = 0; k < ITEMS; ++k) {
        int i = blockIdx.x * CHUNK + k * THREADS + t;
        if (i >= n) break;
        sum += in[i];
        better(value, place, (double)(in[i] >> 44) * 0.5, i);
    }
    for (int d = 16; d; d >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, d);
    if (t % 32 == 0) sums[t / 32] = sum;
    values[t] = value;
    places[t] = place;
    for (int s = THREADS / 2; s; s >>= 1) {
        __syncthreads();
        if (t < s) {
            better(value, place, values[t + s], places[t + s]);
            values[t] = value;
            places[t] = place;
        }
    }
    if (t == 0) {
        blockSum[blockIdx.x] = sums[0] + sums[1] + sums[2] + sums[3];
        blockBest[blockIdx.x] = value;
        blockAt[blockIdx.x] = place;
        __threadfence();
        last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;
    __threadfence();
    if (t < 32) {  // one warp scans the blocks' sums and finds the best
        u64 mine = t < BLOCKS ? blockSum[t] : 0, scan = mine;
        double v = t < BLOCKS ? blockBest[t] : -2;
        int at = t < BLOCKS ? blockAt[t] : N + 1;
        for (int d = 1; d < 32; d <<= 1) {
            u64 left = __shfl_up_sync(0xffffffffu, scan, d);
            if (t >= d) scan += left;
            double w = __shfl_xor_sync(0xffffffffu, v, d);
            int from = __shfl_xor_sync(0xffffffffu, at, d);
            better(v, at, w, from);
        }
        if (t < BLOCKS) offsets[t] = scan - mine;
        if (t == BLOCKS) *total = offsets[BLOCKS] = scan;
        if (t == 0) {
            best->value = v;
            best->at = at;
        }
    }
}

__global__ void scan(const u64 *in, u64 *out, int n) {
    __shared__ u64 warpSum[THREADS / 32];
    int t = threadIdx.x, lane = t & 31, first = blockIdx.x * CHUNK + t * ITEMS;
    u64 v[ITEMS], sum = 0;
    for (int k = 0; k < ITEMS; ++k) {
        v[k] = sum;
        sum += first + k < n ? in[first + k] : 0;
    }
    u64 inclusive = sum;
    for (int d = 1; d < 32; d <<= 1) {
        u64 left = __shfl_up_sync(0xffffffffu, inclusive, d);
        if (lane >= d) inclusive += left;
    }
    if (lane == 31) warpSum[t / 32] = inclusive;
    __syncthreads();
    u64 before = offsets[blockIdx.x] + inclusive - sum;
    for (int w = 0; w < t / 32; ++w) before += warpSum[w];
    for (int k = 0; k < ITEMS; ++k)
        if (first + k < n) out[first + k] = before + v[k];
}

int main() {
    std::vector<u64> in(N), out(N);
    u64 *a, *b, *dt, total;
    Extremum *db, best;
    TRY(cudaMalloc(&a, N * 8));
    TRY(cudaMalloc(&b, N * 8));
    TRY(cudaMalloc(&dt, 8));
    TRY(cudaMalloc(&db, sizeof best));
    int wrong = 0;
    for (int round = 0; round < 3; ++round) {
        int n = N - round * 1500;
        for (int i = 0; i < N; ++i) in[i] = (u64)(i + 1) * 0x9e3779b97f4a7c15ull >> round * 7;
        in[n / 2] = in[n / 2 + 5] = ~0ull >> round * 7;  // the first of two equal maxima counts
        TRY(cudaMemcpy(a, in.data(), N * 8, cudaMemcpyHostToDevice));
        TRY(cudaMemset(b, 0, N * 8));
        reduce<<<BLOCKS, THREADS>>>(a, n, db, dt);
        scan<<<BLOCKS, THREADS>>>(a, b, n);
        TRY(cudaGetLastError());
        TRY(cudaMemcpy(out.data(), b, N * 8, cudaMemcpyDeviceToHost));
        TRY(cudaMemcpy(&total, dt, 8, cudaMemcpyDeviceToHost));
        TRY(cudaMemcpy(&best, db, sizeof best, cudaMemcpyDeviceToHost));
        u64 sum = 0, h = 0;
        double value = -1;
        int at = 0, bad = 0;
        for (int i = 0; i < n; ++i) {
            bad += out[i] != sum;
            sum += in[i];
            h = (h ^ out[i]) * 0x100000001b3ull;
            if ((double)(in[i] >> 44) * 0.5 > value) value = (double)(in[i] >> 44) * 0.5, at = i;
        }
        for (int i = n; i < N; ++i) bad += out[i] != 0;
        unsigned counter;
        TRY(cudaMemcpyFromSymbol(&counter, arrived, sizeof counter));
        printf("n %d: total %016llx best %.1f at %d scan %016llx wrong %d counter %u\n", n, total, best.value, best.at, h, bad, counter);
        wrong += bad + (total != sum) + (best.value != value) + (best.at != at) + (counter != 0);
    }
    printf("RESULT: %s\n", wrong ? "FAIL" : "PASS");
    return wrong != 0;
}
