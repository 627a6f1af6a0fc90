// A bank whose accounts live in every type that has atomics, in shared and global memory: transfers conserve sums, tickets from
// wrapping counters, floating-point maxima by compare-and-swap, 16-bit cells inside words, a spin lock, and scoped variants.
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

typedef unsigned long long u64;
constexpr int ACCOUNTS = 12, THREADS = 88, BLOCKS = 5, N = THREADS * BLOCKS, RING = 9;

__host__ __device__ unsigned draw(int i, int k) {
    unsigned x = (unsigned)(i * 8 + k) * 0x27d4eb2fu + 0x165667b1u;
    x ^= x >> 15;
    x *= 0x2c1b3c6du;
    return x ^ x >> 12;
}

struct Bank {
    int balance[ACCOUNTS];
    unsigned turnover[ACCOUNTS];
    u64 wide[ACCOUNTS], highest, lowest, bits[3];
    long long least, greatest;
    int smallest, largest, words[3];
    unsigned tickets, countdown, seats[RING], returned[RING];
    float interest[ACCOUNTS], peak;
    double reserve[ACCOUNTS], trough;
    unsigned packed[ACCOUNTS / 2];
    int locked, log;
    u64 chain;
    long long lockTotal;
};

__device__ void atomicMaxFloat(float *at, float v) {
    int seen = __float_as_int(*(volatile float *)at);
    while (__int_as_float(seen) < v) {
        int old = atomicCAS((int *)at, seen, __float_as_int(v));
        if (old == seen) break;
        seen = old;
    }
}
__device__ void atomicMinDouble(double *at, double v) {
    u64 seen = *(volatile u64 *)at, old;
    do {
        old = seen;
        if (__longlong_as_double((long long)old) <= v) return;
        seen = atomicCAS((u64 *)at, old, (u64)__double_as_longlong(v));
    } while (seen != old);
}
__device__ void addShort(unsigned *words, int cell, unsigned short v) {
    unsigned *w = words + cell / 2, old = *(volatile unsigned *)w, seen;
    int shift = cell % 2 * 16;
    do {
        seen = old;
        unsigned field = (seen >> shift) + v & 0xffffu;
        old = atomicCAS(w, seen, (seen & ~(0xffffu << shift)) | field << shift);
    } while (old != seen);
}

__device__ void work(Bank *b, int i) {
    int from = (int)(draw(i, 0) % ACCOUNTS), to = (int)(draw(i, 1) % ACCOUNTS), amount = (int)(draw(i, 2) % 900);
    atomicSub(&b->balance[from], amount);
    atomicAdd(&b->balance[to], amount);
    atomicAdd(&b->turnover[to], (unsigned)amount);
    u64 big = (u64)draw(i, 3) << 28 | draw(i, 4);
    atomicAdd(&b->wide[from], big);
    atomicAdd(&b->wide[to], 0 - big);
    atomicMax(&b->highest, big);
    atomicMin(&b->lowest, big);
    atomicMax(&b->greatest, (long long)big - (1ll << 59));
    atomicMin(&b->least, (1ll << 57) - (long long)big);
    atomicMin(&b->smallest, amount - 450);
    atomicMax(&b->largest, -amount - 1);
    atomicAnd(&b->bits[0], ~(1ull << amount % 64));
    atomicOr(&b->bits[1], 1ull << (amount * 7) % 64);
    atomicXor(&b->bits[2], big);
    atomicAnd(&b->words[0], ~(1 << amount % 32));
    atomicOr(&b->words[1], 1 << (amount / 5) % 32);
    atomicXor(&b->words[2], (int)draw(i, 5));
    unsigned ticket = atomicInc(&b->tickets, RING - 1);  // 0, 1, .., RING - 1, 0, ..
    atomicAdd(&b->seats[ticket], 1u);
    ticket = atomicDec(&b->countdown, RING - 1);
    atomicAdd(&b->returned[ticket], 1u);
    atomicAdd(&b->interest[to], (float)(amount % 32) * 0.5f);       // stays exact
    atomicAdd(&b->reserve[from], (double)amount * 0.0625 - 1024.);  // likewise
    atomicMaxFloat(&b->peak, (float)amount * 0.37f);
    atomicMinDouble(&b->trough, (double)amount * -0.11);
    addShort(b->packed, to, (unsigned short)(amount * 5));
    u64 previous = atomicExch(&b->chain, (u64)i + 1);  // each value leaves once, but for the last
    atomicAdd((u64 *)&b->lockTotal, previous);
    bool done = false;
    while (!done) {
        if (atomicCAS(&b->locked, 0, 1) == 0) {
            __threadfence();
            *(volatile int *)&b->log = *(volatile int *)&b->log + from * 3 + 1;
            __threadfence();
            atomicExch(&b->locked, 0);
            done = true;
        }
    }
}

__global__ void global(Bank *bank) { work(bank, blockIdx.x * blockDim.x + threadIdx.x); }

__global__ void shared(Bank *banks) {  // one bank per block, all in shared memory
    __shared__ Bank b;
    int *words = (int *)&b;
    for (unsigned k = threadIdx.x; k < sizeof(Bank) / 4; k += blockDim.x) words[k] = ((const int *)&banks[blockIdx.x])[k];
    __syncthreads();
    work(&b, blockIdx.x * blockDim.x + threadIdx.x);
    __syncthreads();
    for (unsigned k = threadIdx.x; k < sizeof(Bank) / 4; k += blockDim.x) ((int *)&banks[blockIdx.x])[k] = words[k];
}

__global__ void scoped(int *sum, u64 *mx) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ int cell;
    if (threadIdx.x == 0) cell = 0;
    __syncthreads();
    atomicAdd_block(&cell, i);
    __syncthreads();
    if (threadIdx.x == 3) atomicAdd_system(sum, cell);
    atomicMax_system(mx, (u64)draw(i, 6) << 20);
    asm volatile("red.global.add.u32 [%0], %1;" ::"l"(sum + 1), "r"(i) : "memory");
    unsigned old;
    asm volatile("atom.global.or.b32 %0, [%1], %2;" : "=r"(old) : "l"(sum + 2), "r"(1 << i % 30) : "memory");
    if (old == 0) atomicAdd(sum + 3, 1);  // one thread alone finds nothing set
}

static void start(Bank *b) {
    memset(b, 0, sizeof *b);
    for (int k = 0; k < ACCOUNTS; ++k) b->balance[k] = 1000 * k - 4000, b->wide[k] = ~0ull - (u64)k, b->reserve[k] = 0.5 * k;
    b->lowest = ~0ull;
    b->least = INT64_MAX;
    b->greatest = INT64_MIN;
    b->smallest = INT32_MAX;
    b->largest = INT32_MIN;
    b->bits[0] = ~0ull;
    b->words[0] = -1;
    b->peak = -1;
    b->trough = 5;
}

static void model(Bank *b, int first, int last) {
    for (int i = first; i < last; ++i) {
        int from = (int)(draw(i, 0) % ACCOUNTS), to = (int)(draw(i, 1) % ACCOUNTS), amount = (int)(draw(i, 2) % 900);
        u64 big = (u64)draw(i, 3) << 28 | draw(i, 4);
        b->balance[from] -= amount, b->balance[to] += amount, b->turnover[to] += (unsigned)amount;
        b->wide[from] += big, b->wide[to] -= big;
        b->highest = std::max(b->highest, big), b->lowest = std::min(b->lowest, big);
        b->greatest = std::max(b->greatest, (long long)big - (1ll << 59)), b->least = std::min(b->least, (1ll << 57) - (long long)big);
        b->smallest = std::min(b->smallest, amount - 450), b->largest = std::max(b->largest, -amount - 1);
        b->bits[0] &= ~(1ull << amount % 64), b->bits[1] |= 1ull << (amount * 7) % 64, b->bits[2] ^= big;
        b->words[0] &= (int)~(1u << amount % 32), b->words[1] |= (int)(1u << (amount / 5) % 32), b->words[2] ^= (int)draw(i, 5);
        ++b->seats[b->tickets], b->tickets = (b->tickets + 1) % RING;
        ++b->returned[b->countdown], b->countdown = b->countdown == 0 ? RING - 1 : b->countdown - 1;
        b->interest[to] += (float)(amount % 32) * 0.5f, b->reserve[from] += (double)amount * 0.0625 - 1024.;
        b->peak = std::max(b->peak, (float)amount * 0.37f), b->trough = std::min(b->trough, (double)amount * -0.11);
        unsigned shift = to % 2 * 16, &w = b->packed[to / 2];
        w = (w & ~(0xffffu << shift)) | (((w >> shift) + (unsigned)amount * 5u) & 0xffffu) << shift;
        b->lockTotal += i + 1;
        b->log += from * 3 + 1;
    }
}

static unsigned report(const char *name, Bank b) {
    b.lockTotal += (long long)b.chain;  // which thread came last is nobody's business
    b.chain = 0;
    unsigned h = 2166136261u;
    for (size_t k = 0; k < sizeof(Bank); ++k) h = (h ^ ((const unsigned char *)&b)[k]) * 16777619u;
    printf("%s %08x: %d %u %llx %lld %d %.2f %.2f %.4f %lld\n", name, h, b.balance[3], b.turnover[5], b.wide[7], b.least, b.largest, b.interest[2], b.reserve[1], b.peak, b.lockTotal);
    return h;
}

int main() {
    Bank one, many[BLOCKS], *d, *dm, want;
    start(&one);
    for (Bank &b : many) start(&b);
    TRY(cudaMalloc(&d, sizeof one));
    TRY(cudaMalloc(&dm, sizeof many));
    TRY(cudaMemcpy(d, &one, sizeof one, cudaMemcpyHostToDevice));
    TRY(cudaMemcpy(dm, many, sizeof many, cudaMemcpyHostToDevice));
    global<<<BLOCKS, THREADS>>>(d);
    shared<<<BLOCKS, THREADS>>>(dm);
    TRY(cudaMemcpy(&one, d, sizeof one, cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy(many, dm, sizeof many, cudaMemcpyDeviceToHost));
    int wrong = 0;
    start(&want);
    model(&want, 0, N);
    wrong += report("global  ", one) != report("model   ", want);
    for (int k = 0; k < BLOCKS; ++k) {
        start(&want);
        model(&want, k * THREADS, (k + 1) * THREADS);
        wrong += report("shared  ", many[k]) != report("model   ", want);
    }
    int sums[4] = {}, *ds;
    u64 mx, *dx, best = 0;
    TRY(cudaMalloc(&ds, sizeof sums));
    TRY(cudaMalloc(&dx, sizeof mx));
    TRY(cudaMemset(ds, 0, sizeof sums));
    TRY(cudaMemset(dx, 0, sizeof mx));
    scoped<<<BLOCKS, THREADS>>>(ds, dx);
    TRY(cudaMemcpy(sums, ds, sizeof sums, cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy(&mx, dx, sizeof mx, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; ++i) best = std::max(best, (u64)draw(i, 6) << 20);
    wrong += sums[0] != N * (N - 1) / 2 || sums[1] != sums[0] || sums[2] != (1 << 30) - 1 || sums[3] != 1 || mx != best;
    printf("scoped %d %d %x %d %llx\nRESULT: %s\n", sums[0], sums[1], sums[2], sums[3], mx, wrong ? "FAIL" : "PASS");
    return wrong != 0;
}
