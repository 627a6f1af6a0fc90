// Kernels whose results the tests know. kernels.sm_80.cubin and kernels.sm_90.cubin are made from this file:
//   nvcc -cubin -arch=sm_80 kernels.cu -o kernels.sm_80.cubin    (and sm_90)
#include <cassert>
#include <cstdint>
#include <cstdio>

__device__ int counter = 5;
__constant__ float weights[4];
__device__ int lock;
__device__ int table[3] = {10, 20, 30};
__device__ int* pointer = &table[1];

// One thread for each element; the rest of the last block does nothing.
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

// Lanes leave a loop at different times, and the kernel early.
extern "C" __global__ void collatz(const int* in, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    long long v = in[i];
    int steps = 0;
    while (v != 1) {
        if (v & 1) v = 3 * v + 1;
        else v /= 2;
        if (++steps == 200) { out[i] = -1; return; }
    }
    out[i] = steps;
}

// Sum over the block, by shuffles and shared memory; threads whose element is odd are counted by the barrier.
extern "C" __global__ void reduce(const int* in, int* sums, int* odd) {
    extern __shared__ int partial[];
    int v = in[blockIdx.x * blockDim.x + threadIdx.x];
    int count = __syncthreads_count(v & 1);
    for (int d = 16; d; d /= 2) v += __shfl_down_sync(~0u, v, d);
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
        int total = 0;
        for (unsigned k = 0; k < blockDim.x / 32; ++k) total += partial[k];
        sums[blockIdx.x] = total;
        odd[blockIdx.x] = count;
    }
}

// Votes inside a divergent branch see its lanes only.
extern "C" __global__ void votes(const int* in, unsigned* any, unsigned* same) {
    int v = in[threadIdx.x];
    unsigned mask = __ballot_sync(~0u, v > 0);
    any[threadIdx.x] = mask;
    if (v > 0) same[threadIdx.x] = __match_any_sync(mask, v);
    else same[threadIdx.x] = __popc(__activemask());
}

// Every thread adds one under a lock.
extern "C" __global__ void locked(int* total) {
    bool done = false;
    while (!done) {
        if (atomicCAS(&lock, 0, 1) == 0) {
            *(volatile int*)total = *(volatile int*)total + 1;
            __threadfence();
            atomicExch(&lock, 0);
            done = true;
        }
    }
}

__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
extern "C" __global__ void recursive(int* out) { out[threadIdx.x] = fibonacci(threadIdx.x % 8); }

// Recursion inside loops: cycles with several entries.
__device__ __noinline__ unsigned ackermann(unsigned m, unsigned n) {
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
extern "C" __global__ void nested(unsigned* out) { out[threadIdx.x] = ackermann(threadIdx.x % 3, threadIdx.x / 3 % 3); }

// A buffer whose size is known at run time only.
extern "C" __global__ void sized(int* out, int n) {
    int* buffer = (int*)alloca(4 * n);
    for (int k = 0; k < n; ++k) buffer[k] = threadIdx.x + k * k;
    int total = 0;
    for (int k = n - 1; k >= 0; --k) total = total * 3 + buffer[k];
    out[threadIdx.x] = total;
}

__device__ __noinline__ int twice(int x) { return 2 * x; }
__device__ __noinline__ int square(int x) { return x * x; }
__device__ int (*operations[2])(int) = {twice, square};
extern "C" __global__ void through_pointers(int* out) { out[threadIdx.x] = operations[threadIdx.x & 1](threadIdx.x); }

extern "C" __global__ void many_cases(const int* in, int* out) {
    int i = threadIdx.x, v = in[i];
    switch (in[i] & 7) {
        case 0: v = v * 3 + out[i]; break;
        case 1: v = v ^ out[i]; break;
        case 2: v = __popc(v) + 7; break;
        case 3: v = __clz(v) - out[i]; break;
        case 4: v = v / 7; break;
        case 5: v = v % 13; break;
        case 6: v = __brev(v); break;
        case 7: v = v > out[i] ? v : out[i]; break;
    }
    out[i] = v;
}

// Pointers to shared and to local memory that only the generic address tells apart.
extern "C" __global__ void generic(int* out, int which) {
    __shared__ int shared_values[32];
    int local_values[8];
    for (int k = 0; k < 8; ++k) local_values[k] = 100 * threadIdx.x + k;
    shared_values[threadIdx.x] = -(int)threadIdx.x;
    __syncthreads();
    int* p = which == 0 ? shared_values + (threadIdx.x + 1) % 32 : which == 1 ? local_values + threadIdx.x % 8 : out + 32;
    out[threadIdx.x] = *p;
}

extern "C" __global__ void variables(int* out) {
    out[threadIdx.x] = *pointer + (int)weights[threadIdx.x];
    atomicAdd(&counter, table[threadIdx.x % 3]);
}

extern "C" __global__ void rounding(const float* a, const float* b, const float* c, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = __fmaf_rd(a[i], b[i], c[i]);
    out[n + i] = __fmaf_ru(a[i], b[i], c[i]);
    out[2 * n + i] = __fmul_rz(a[i], b[i]);
    out[3 * n + i] = __fadd_rd(a[i], c[i]);
    out[4 * n + i] = a[i] / b[i];
    out[5 * n + i] = sqrtf(fabsf(a[i]));
}

extern "C" __global__ void doubles(const double* a, const double* b, double* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = a[i] / b[i];
    out[n + i] = sqrt(fabs(a[i]));
    out[2 * n + i] = __fma_ru(a[i], b[i], a[i]);
    out[3 * n + i] = __dmul_rd(a[i], b[i]);
}

extern "C" __global__ void integers(const int64_t* a, const int64_t* b, int64_t* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = a[i] / b[i];
    out[n + i] = a[i] % b[i];
    out[2 * n + i] = __mul64hi(a[i], b[i]);
    out[3 * n + i] = a[i] < b[i] ? a[i] << (b[i] & 63) : a[i] >> (b[i] & 63);
}

extern "C" __global__ void atomics(int* i32, unsigned long long* u64, float* f32, double* f64) {
    int t = threadIdx.x;
    i32[16 + t] = atomicAdd(&i32[0], 1) >= 0;
    atomicMin(&i32[1], t - 5);
    atomicMax((unsigned*)&i32[2], (unsigned)t);
    atomicInc((unsigned*)&i32[3], 5);
    atomicDec((unsigned*)&i32[4], 5);
    atomicXor(&i32[5], t);
    atomicAdd(u64, 0x100000001ull);
    atomicAdd(f32, 0.5f);
    atomicAdd(f64, 0.25);
}

extern "C" __global__ void says(int n) {
    if (threadIdx.x % 16 == 1) printf("%d of %s: %5.2f %lld%%\n", threadIdx.x, "says", 1.5 * n, 1ll << 40);
}

extern "C" __global__ void asserts(int limit) { assert(threadIdx.x < limit); }
extern "C" __global__ void traps(int which) { if (threadIdx.x == which) __trap(); }
extern "C" __global__ void out_of_bounds(int* out, int index) { out[index] = 1; }
