// Copies in bulk that barriers in shared memory wait for, and copies and reductions in bulk from shared memory that groups wait
// for. For sm_90 and later.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include <cuda/barrier>
#include <cuda_fp16.h>

// A barrier is made by init, not by its constructor.
#pragma nv_diag_suppress static_var_with_dynamic_init

#define TRY(call)                                                                         \
    do {                                                                                  \
        cudaError_t err = (call);                                                         \
        if (err != cudaSuccess) {                                                         \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(err));          \
            exit(2);                                                                      \
        }                                                                                 \
    } while (0)

using Barrier = cuda::barrier<cuda::thread_scope_block>;
constexpr int THREADS = 96, TILE = 512, STAGES = 3;

__host__ __device__ uint32_t mix(uint32_t x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    return x * 0x846ca68bu;
}
__device__ uint32_t at(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }
__device__ void barrier_init(uint64_t *b, uint32_t n) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at(b)), "r"(n) : "memory");
}
__device__ void expect(uint64_t *b, uint32_t bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(at(b)), "r"(bytes) : "memory");
}
__device__ void arrive(uint64_t *b) { asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(at(b)) : "memory"); }
__device__ void wait(uint64_t *b, uint32_t parity) {
    asm volatile(
        "{\n.reg .pred P1;\nLAB_WAIT:\n"
        "mbarrier.try_wait.parity.shared.b64 P1, [%0], %1;\n@P1 bra DONE;\nbra LAB_WAIT;\nDONE:\n}" ::"r"(at(b)), "r"(parity)
        : "memory");
}
__device__ void fetch(void *to, const void *from, uint32_t bytes, uint64_t *b) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(at(to)), "l"(from),
                 "r"(bytes), "r"(at(b))
                 : "memory");
}
__device__ void put(void *to, const void *from, uint32_t bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(at(from)), "r"(bytes) : "memory");
}
__device__ void visible() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
__device__ void commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }

// One thread copies tiles in, all work on them.
__global__ void tiles(const uint32_t *in, uint32_t *out, int count) {
    __shared__ alignas(128) uint32_t tile[TILE];
    __shared__ Barrier bar;
    const int t = threadIdx.x;
    if (t == 0) {
        init(&bar, THREADS);
        cuda::device::experimental::fence_proxy_async_shared_cta();
    }
    __syncthreads();
    uint32_t x = t;
    for (int k = 0; k < count; ++k) {
        Barrier::arrival_token token;
        if (t == 0) {
            cuda::device::experimental::cp_async_bulk_global_to_shared(tile, in + k * TILE, sizeof(tile), bar);
            token = cuda::device::barrier_arrive_tx(bar, 1, sizeof(tile));
        } else {
            token = bar.arrive();
        }
        bar.wait(static_cast<Barrier::arrival_token &&>(token));
        for (int j = t; j < TILE; j += THREADS) x = mix(x ^ tile[j]);
        __syncthreads();
    }
    out[blockIdx.x * THREADS + t] = x;
}

// A ring: one warp fetches in pieces of several sizes, the others drain and hand the stages back.
__global__ void ring(const uint32_t *in, uint32_t *out, int count) {
    extern __shared__ __align__(128) uint32_t room[];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    const int t = threadIdx.x, consumers = THREADS - 32;
    if (t == 0)
        for (int s = 0; s < STAGES; ++s) {
            barrier_init(&full[s], 1);
            barrier_init(&empty[s], consumers);
        }
    __syncthreads();
    if (t < 32) {
        if (t == 0)
            for (int k = 0; k < count; ++k) {
                const int s = k % STAGES;
                wait(&empty[s], (k / STAGES & 1) ^ 1);
                uint32_t *to = room + s * TILE;
                const uint32_t *from = in + (blockIdx.x + k) * TILE;
                expect(&full[s], TILE * 4);
                fetch(to, from, 16, &full[s]);
                fetch(to + 4, from + 4, 1008, &full[s]);
                fetch(to + 256, from + 256, 1024, &full[s]);
            }
    } else {
        uint32_t x = 0;
        for (int k = 0; k < count; ++k) {
            const int s = k % STAGES;
            wait(&full[s], k / STAGES & 1);
            for (int j = t - 32; j < TILE; j += consumers) x = x * 31 + room[s * TILE + j];
            arrive(&empty[s]);
        }
        out[blockIdx.x * consumers + t - 32] = x;
    }
}

// From shared to global memory, by several threads, and the buffer used again when it has been read.
__global__ void outward(uint32_t *out, int count) {
    __shared__ alignas(128) uint32_t tile[2][TILE];
    const int t = threadIdx.x;
    for (int k = 0; k < count; ++k) {
        if (t % 32 == 0) asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
        __syncthreads();
        for (int j = t; j < TILE; j += THREADS) tile[k & 1][j] = mix(j + k * TILE + blockIdx.x * 77);
        visible();
        __syncthreads();
        if (t % 32 == 0) {
            const int w = t / 32, first = w * 160, words = w < 2 ? 160 : TILE - 320;
            put(out + (blockIdx.x * count + k) * TILE + first, &tile[k & 1][first], words * 4);
            commit();
        }
    }
    if (t % 32 == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

// Sums, extrema and bits of what several blocks have, and of halves.
__global__ void reduced(uint32_t *out) {
    __shared__ alignas(128) uint32_t a[64];
    __shared__ alignas(128) unsigned long long b[32];
    __shared__ alignas(128) __half c[64];
    __shared__ alignas(128) int d[64];
    const int t = threadIdx.x;
    if (t < 64) {
        a[t] = mix(t + blockIdx.x * 100);
        c[t] = __float2half((float)((t * 7 + blockIdx.x * 3) % 16));
        d[t] = (int)mix(t + 9 + blockIdx.x);
    }
    if (t < 32) b[t] = ((unsigned long long)mix(t) << 20) + blockIdx.x;
    visible();
    __syncthreads();
    if (t == 0) {
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], 256;" ::"l"(out), "r"(at(a)) : "memory");
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.xor.b32 [%0], [%1], 256;" ::"l"(out + 64), "r"(at(a)) : "memory");
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.max.u32 [%0], [%1], 256;" ::"l"(out + 128), "r"(at(a)) : "memory");
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u64 [%0], [%1], 256;" ::"l"(out + 192), "r"(at(b)) : "memory");
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [%0], [%1], 128;" ::"l"(out + 256), "r"(at(c)) : "memory");
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.min.s32 [%0], [%1], 256;" ::"l"(out + 288), "r"(at(d)) : "memory");
        commit();
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

static uint64_t hash(const void *data, size_t bytes) {
    uint64_t h = 1469598103934665603ull;
    for (size_t k = 0; k < bytes; ++k) h = (h ^ ((const unsigned char *)data)[k]) * 1099511628211ull;
    return h;
}

static bool good = true;
static void report(const char *name, const void *got, const void *wanted, size_t bytes) {
    bool same = true;
    for (size_t k = 0; k < bytes; ++k) same &= ((const char *)got)[k] == ((const char *)wanted)[k];
    good &= same;
    printf("%-10s %016llx %s\n", name, (unsigned long long)hash(got, bytes), same ? "as expected" : "DIFFERENT");
}

int main() {
    const int blocks = 3, count = 7, words = 16384;
    uint32_t *in, *out;
    TRY(cudaMallocManaged(&in, words * 4));
    TRY(cudaMallocManaged(&out, words * 4));
    uint32_t *want = (uint32_t *)calloc(words, 4);
    for (int k = 0; k < words; ++k) in[k] = mix(k + 5);
    auto clear = [&] { for (int k = 0; k < words; ++k) out[k] = want[k] = 0; };

    clear();
    tiles<<<blocks, THREADS>>>(in, out, count);
    TRY(cudaDeviceSynchronize());
    for (int b = 0; b < blocks; ++b)
        for (int t = 0; t < THREADS; ++t) {
            uint32_t x = t;
            for (int k = 0; k < count; ++k)
                for (int j = t; j < TILE; j += THREADS) x = mix(x ^ in[k * TILE + j]);
            want[b * THREADS + t] = x;
        }
    report("tiles", out, want, blocks * THREADS * 4);

    clear();
    ring<<<blocks, THREADS, STAGES * TILE * 4>>>(in, out, count);
    TRY(cudaDeviceSynchronize());
    for (int b = 0; b < blocks; ++b)
        for (int t = 0; t < THREADS - 32; ++t) {
            uint32_t x = 0;
            for (int k = 0; k < count; ++k)
                for (int j = t; j < TILE; j += THREADS - 32) x = x * 31 + in[(b + k) * TILE + j];
            want[b * (THREADS - 32) + t] = x;
        }
    report("ring", out, want, blocks * (THREADS - 32) * 4);

    clear();
    outward<<<blocks, THREADS>>>(out, count);
    TRY(cudaDeviceSynchronize());
    for (int b = 0; b < blocks; ++b)
        for (int k = 0; k < count; ++k)
            for (int j = 0; j < TILE; ++j) want[(b * count + k) * TILE + j] = mix(j + k * TILE + b * 77);
    report("outward", out, want, blocks * count * TILE * 4);

    clear();
    for (int k = 0; k < 64; ++k) out[k] = want[k] = k, out[288 + k] = want[288 + k] = k;
    reduced<<<blocks, THREADS>>>(out);
    TRY(cudaDeviceSynchronize());
    for (int b = 0; b < blocks; ++b)
        for (int t = 0; t < 64; ++t) {
            const uint32_t x = mix(t + b * 100);
            want[t] += x;
            want[64 + t] ^= x;
            if (x > want[128 + t]) want[128 + t] = x;
            if (t < 32) ((unsigned long long *)(want + 192))[t] += ((unsigned long long)mix(t) << 20) + b;
            ((__half *)(want + 256))[t] = __float2half(__half2float(((__half *)(want + 256))[t]) + (float)((t * 7 + b * 3) % 16));
            const int y = (int)mix(t + 9 + b);
            if (y < (int)want[288 + t]) want[288 + t] = (uint32_t)y;
        }
    report("reduced", out, want, 352 * 4);

    printf("RESULT: %s\n", good ? "PASS" : "FAIL");
    return good ? 0 : 1;
}
