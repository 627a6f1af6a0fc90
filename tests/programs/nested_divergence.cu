// Control flow that differs between lanes three levels deep: queens on an explicit stack, knight's distances with goto-like
// exits, Collatz with break and continue, loops that some lanes never enter, and barriers met again afterwards.
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
constexpr int BOARD = 7, THREADS = 77, BLOCKS = 2, N = THREADS * BLOCKS;

// Solutions of the queens problem whose first two rows hold columns `first` and `second`.
HD int queens(int first, int second, unsigned *trail) {
    unsigned columns[BOARD + 1], up[BOARD + 1], down[BOARD + 1], todo[BOARD + 1];
    int found = 0, row = 2;
    if (first == second || first - second == 1 || second - first == 1) return -1;
    unsigned a = 1u << first, b = 1u << second;
    columns[2] = a | b;
    up[2] = a << 2 | b << 1;
    down[2] = a >> 2 | b >> 1;
    todo[2] = ~(columns[2] | up[2] | down[2]) & ((1u << BOARD) - 1);
    while (true) {
        if (!todo[row]) {
            if (--row < 2) break;
            continue;
        }
        unsigned bit = todo[row] & (0u - todo[row]);
        todo[row] ^= bit;
        *trail = *trail * 3 + bit;
        if (row == BOARD - 1) {
            ++found;
            continue;
        }
        columns[row + 1] = columns[row] | bit;
        up[row + 1] = (up[row] | bit) << 1;
        down[row + 1] = (down[row] | bit) >> 1;
        ++row;
        todo[row] = ~(columns[row] | up[row] | down[row]) & ((1u << BOARD) - 1);
    }
    return found;
}

// Three nested levels, each with its own break, continue and return.
HD uint32_t maze(int seed) {
    uint32_t x = (uint32_t)seed * 0x9e3779b9u | 1u, trace = 0;
    for (int i = 0; i < 6; ++i) {
        x = x * 1664525u + 1013904223u;
        if (x >> 30 == 0) continue;
        int j = 0;
        do {
            x ^= x >> 11;
            if ((x & 15) == 3) break;
            for (int k = j; k < 9; k += 1 + (x & 1)) {
                x = x * 69069u + (uint32_t)k;
                trace = trace << 1 ^ x >> 20 ^ trace >> 27;
                if (x >> 28 == 7) break;
                if (x >> 28 == 2) continue;
                if ((x >> 12 & 1023) == 77) return trace ^ 0xabcd0000u;
                if (x & 256) {
                    if (x & 512) trace += 5;
                    else if (x & 1024) trace ^= 0x1111;
                    else goto outer;
                } else {
                    while (x & 64) x >>= 1;
                }
            }
            trace += 1u << (j & 7);
        } while (++j < 5);
        if (j == 5) trace ^= 0x80000000u;
    outer:
        trace = trace * 3 + (uint32_t)i;
    }
    return trace;
}

HD int collatz(uint64_t n, int limit, uint64_t *peak) {
    int steps = 0;
    for (;;) {
        if (n > *peak) *peak = n;
        if (n == 1) break;
        ++steps;
        if (n & 1) {
            n = 3 * n + 1;
            continue;
        }
        n >>= 1;
        if (steps >= limit) return -steps;
    }
    return steps;
}

__global__ void explore(int *solutions, unsigned *trail, uint32_t *mazes, int *steps, uint64_t *peaks) {
    __shared__ unsigned board[THREADS];
    int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
    unsigned local = 1;
    solutions[i] = i < BOARD * BOARD ? queens(i / BOARD, i % BOARD, &local) : -2;
    mazes[i] = maze(i);
    uint64_t peak = 0;
    if (i % 3) {
        if (i % 5) steps[i] = collatz(i * 1117ull + 27, 150, &peak);
        else if (i % 2) steps[i] = collatz(i + 27ull, 1000, &peak);
        else steps[i] = 0;
    } else {
        int s = 0;
        for (int k = i; k; k &= k - 1) s += k % 10;
        steps[i] = s;
    }
    peaks[i] = peak;
    board[t] = local;
    __syncthreads();  // every lane is back
    for (int round = 0; round < t % 4; ++round) local = local * 7 + board[(t + round + 1) % THREADS];
    __syncthreads();
    trail[i] = local;
}

int main() {
    static int solutions[N], steps[N];
    static unsigned trail[N];
    static uint32_t mazes[N];
    static uint64_t peaks[N];
    int *ds, *dp, wrong = 0, total = 0;
    unsigned *dt;
    uint32_t *dm;
    uint64_t *dk;
    TRY(cudaMalloc(&ds, sizeof solutions));
    TRY(cudaMalloc(&dp, sizeof steps));
    TRY(cudaMalloc(&dt, sizeof trail));
    TRY(cudaMalloc(&dm, sizeof mazes));
    TRY(cudaMalloc(&dk, sizeof peaks));
    explore<<<BLOCKS, THREADS>>>(ds, dt, dm, dp, dk);
    TRY(cudaMemcpy(solutions, ds, sizeof solutions, cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy(steps, dp, sizeof steps, cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy(trail, dt, sizeof trail, cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy(mazes, dm, sizeof mazes, cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy(peaks, dk, sizeof peaks, cudaMemcpyDeviceToHost));
    int bad[4] = {};
    unsigned first[N], h[4] = {};
    for (int i = 0; i < N; ++i) {
        first[i] = 1;
        bad[0] += solutions[i] != (i < BOARD * BOARD ? queens(i / BOARD, i % BOARD, &first[i]) : -2);
        if (solutions[i] > 0) total += solutions[i];
        bad[1] += mazes[i] != maze(i);
        uint64_t peak = 0;
        int s = 0;
        if (i % 3 && i % 5) s = collatz(i * 1117ull + 27, 150, &peak);
        else if (i % 3 && i % 2) s = collatz(i + 27ull, 1000, &peak);
        else if (i % 3 == 0)
            for (int k = i; k; k &= k - 1) s += k % 10;
        bad[2] += steps[i] != s || peaks[i] != peak;
        h[0] = h[0] * 31 + mazes[i], h[1] = h[1] * 31 + (unsigned)steps[i] + (unsigned)peaks[i], h[2] = h[2] * 31 + trail[i];
    }
    for (int i = 0; i < N; ++i) {
        unsigned local = first[i];
        int t = i % THREADS;
        for (int round = 0; round < t % 4; ++round) local = local * 7 + first[i - t + (t + round + 1) % THREADS];
        bad[3] += trail[i] != local;
    }
    for (int b : bad) wrong += b;
    printf("queens %d: %d solutions, trails %08x\nmazes %08x collatz %08x peak of 27: %llu\n", BOARD, total, h[2], h[0], h[1], (unsigned long long)peaks[25]);
    printf("wrong %d %d %d %d\nRESULT: %s\n", bad[0], bad[1], bad[2], bad[3], wrong ? "FAIL" : "PASS");
    return wrong != 0;
}
