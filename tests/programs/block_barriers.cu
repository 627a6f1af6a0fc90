// Barriers that are objects in shared memory, as libcu++ has them: split arrival and waiting, fewer threads from phase to phase,
// completion functions, waiting by parity and for a time, lanes of one warp that wait for each other, and pipelines of copies.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/ptx>
#include <cuda/std/chrono>

// A barrier is made by init, not by its constructor.
#pragma nv_diag_suppress static_var_with_dynamic_init

namespace cg = cooperative_groups;

#define TRY(call)                                                                         \
    do {                                                                                  \
        cudaError_t err = (call);                                                         \
        if (err != cudaSuccess) {                                                         \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(err));          \
            exit(2);                                                                      \
        }                                                                                 \
    } while (0)

using Barrier = cuda::barrier<cuda::thread_scope_block>;
constexpr int THREADS = 160;

__host__ __device__ uint32_t mix(uint32_t x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    return x * 0x846ca68bu;
}

// Work between arriving and waiting, and a value handed round.
__global__ void split(uint32_t *out) {
    __shared__ Barrier bar;
    __shared__ uint32_t a[2][THREADS];
    const int t = threadIdx.x;
    if (t == 0) init(&bar, THREADS);
    __syncthreads();
    uint32_t x = mix(t + 1000 * blockIdx.x);
    for (int k = 0; k < 9; ++k) {
        a[k & 1][t] = x;
        auto token = bar.arrive();
        uint32_t own = x;
        for (int j = 0; j < t % 7; ++j) own = mix(own + j);
        bar.wait(static_cast<decltype(token) &&>(token));
        x = own ^ a[k & 1][(t + 37) % THREADS];
    }
    out[blockIdx.x * THREADS + t] = x;
}

// In each phase some threads leave for good.
__global__ void leave(uint32_t *out) {
    __shared__ Barrier bar;
    __shared__ uint32_t sum[8];
    const int t = threadIdx.x;
    if (t < 8) sum[t] = 0;
    if (t == 0) init(&bar, THREADS);
    __syncthreads();
    for (int k = 0; k < 8; ++k) {
        atomicAdd(&sum[k], mix(t * 8 + k) & 0xffff);
        if (t % 8 == k) {
            bar.arrive_and_drop();
            break;
        }
        bar.arrive_and_wait();
        if (t % 8 == 7) out[(blockIdx.x * 8 + k) * 32 + t / 8] = sum[k];
    }
    if (t % 8 == 7) out[(blockIdx.x * 8 + 7) * 32 + t / 8] = t / 8;
}

// Warp 0 fills two buffers in turn, the other warps drain them; a thread arrives for several.
__global__ void producer(uint64_t *sums) {
    __shared__ Barrier full[2], empty[2];
    __shared__ uint32_t buffer[2][128];
    const int t = threadIdx.x, rounds = 9;
    if (t < 2) {
        init(&full[t], 32);
        init(&empty[t], THREADS - 32);
    }
    __syncthreads();
    if (t < 32) {
        for (int k = 0; k < rounds; ++k) {
            if (k >= 2) empty[k & 1].wait_parity((k / 2 - 1) & 1);
            for (int j = t; j < 128; j += 32) buffer[k & 1][j] = mix(k * 128 + j);
            __syncwarp();
            if (t % 4 == 3) (void)full[k & 1].arrive(4);
        }
    } else {
        uint64_t s = 0;
        for (int k = 0; k < rounds; ++k) {
            full[k & 1].wait_parity((k / 2) & 1);
            s = s * 31 + buffer[k & 1][(t * 7 + k) % 128];
            (void)empty[k & 1].arrive();
        }
        sums[blockIdx.x * 128 + t - 32] = s;
    }
}

// The lanes of one warp on both sides of a branch: each side waits for what the other arrives for.
__global__ void sides(uint32_t *out) {
    __shared__ Barrier ping, pong;
    __shared__ uint32_t cell[32];
    const int t = threadIdx.x;
    if (t == 0) {
        init(&ping, 16);
        init(&pong, 16);
    }
    __syncthreads();
    uint32_t x = t;
    for (int k = 0; k < 6; ++k) {
        if (t & 1) {
            cell[t] = mix(x + k);
            (void)ping.arrive();
            pong.wait_parity(k & 1);
            x ^= cell[(t + 31) & 31];
        } else {
            ping.wait_parity(k & 1);
            x += cell[(t + 3) & 31];
            cell[t] = mix(x);
            (void)pong.arrive();
        }
    }
    out[blockIdx.x * 32 + t] = x;
}

// Asking whether a phase is over, with and without a limit of time.
__global__ void ask(uint32_t *out) {
    __shared__ Barrier bar;
    const int t = threadIdx.x;
    if (t == 0) init(&bar, THREADS);
    __syncthreads();
    uint32_t seen = 0;
    if (t == 5) {
        auto token = bar.arrive();
        bool early = cuda::ptx::mbarrier_test_wait(cuda::device::barrier_native_handle(bar), token);
        seen = early ? 100 : 1;
        __threadfence_block();
    }
    __syncthreads();
    if (t != 5) (void)bar.arrive();
    bar.wait_parity(0);
    seen += bar.try_wait_parity_for(false, cuda::std::chrono::nanoseconds(100)) ? 10 : 200;
    out[blockIdx.x * THREADS + t] = seen;
}

// Two stages of copies from global memory, all threads both producer and consumer.
__global__ void stages(const uint32_t *in, uint32_t *out, int tiles) {
    constexpr int STAGES = 2;
    __shared__ alignas(16) uint32_t tile[STAGES][THREADS * 4];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    const int t = threadIdx.x;
    uint32_t x = 0;
    int fetched = 0;
    for (int k = 0; k < tiles; ++k) {
        for (; fetched < tiles && fetched < k + STAGES; ++fetched) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, tile[fetched % STAGES], in + fetched * THREADS * 4,
                               cuda::aligned_size_t<16>(THREADS * 16), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        for (int j = 0; j < 4; ++j) x = mix(x + tile[k % STAGES][(t * 4 + j + 77) % (THREADS * 4)]);
        pipe.consumer_release();
    }
    out[blockIdx.x * THREADS + t] = x;
}

// One warp copies, the others consume.
__global__ void parts(const uint32_t *in, uint32_t *out, int tiles) {
    constexpr int STAGES = 3;
    __shared__ alignas(16) uint32_t tile[STAGES][128];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
    auto block = cg::this_thread_block();
    const int t = threadIdx.x;
    const auto role = t < 32 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
    auto pipe = cuda::make_pipeline(block, &state, role);
    if (t < 32) {
        for (int k = 0; k < tiles; ++k) {
            pipe.producer_acquire();
            cuda::memcpy_async(&tile[k % STAGES][t * 4], in + k * 128 + t * 4, cuda::aligned_size_t<16>(16), pipe);
            pipe.producer_commit();
        }
    } else {
        uint32_t x = t;
        for (int k = 0; k < tiles; ++k) {
            pipe.consumer_wait();
            x = mix(x ^ tile[k % STAGES][(t * 5 + k) % 128]);
            pipe.consumer_release();
        }
        out[blockIdx.x * (THREADS - 32) + t - 32] = x;
    }
}

// A copy by the whole block whose end a barrier reports.
__global__ void copied(const uint32_t *in, uint32_t *out) {
    __shared__ alignas(16) uint32_t tile[THREADS * 4], rest[THREADS + 3];
    __shared__ Barrier bar;
    auto block = cg::this_thread_block();
    const int t = threadIdx.x;
    if (t == 0) init(&bar, THREADS);
    block.sync();
    cuda::memcpy_async(block, tile, in, cuda::aligned_size_t<16>(THREADS * 16), bar);
    bar.arrive_and_wait();
    uint32_t x = tile[(t * 3 + 1) % (THREADS * 4)];
    cuda::memcpy_async(block, rest, in + THREADS, sizeof(uint32_t) * (THREADS + 3), bar);
    bar.arrive_and_wait();
    out[t] = x ^ rest[(t + 3) % (THREADS + 3)];
}

struct Note {
    uint32_t *place;
    __device__ void operator()() noexcept { *place = *place * 5 + 1; }
};

// A function that one thread runs at the end of each phase.
__global__ void noted(uint32_t *out) {
    using Noting = cuda::barrier<cuda::thread_scope_block, Note>;
    __shared__ alignas(Noting) char room[sizeof(Noting)];
    __shared__ uint32_t word;
    Noting &bar = *reinterpret_cast<Noting *>(room);
    const int t = threadIdx.x;
    if (t == 0) {
        word = 3;
        new (&bar) Noting(THREADS, Note{&word});
    }
    __syncthreads();
    uint32_t x = 0;
    for (int k = 0; k < 5; ++k) {
        bar.arrive_and_wait();
        x = x * 7 + word;
        bar.arrive_and_wait();
    }
    out[t] = x;
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
    const int blocks = 2, tiles = 7, words = 8192;
    uint32_t *in, *out;
    TRY(cudaMallocManaged(&in, words * 4));
    TRY(cudaMallocManaged(&out, words * 4));
    uint32_t *want = (uint32_t *)calloc(words, 4);
    for (int k = 0; k < words; ++k) in[k] = mix(k + 5);
    auto clear = [&] { for (int k = 0; k < words; ++k) out[k] = want[k] = 0; };

    clear();
    split<<<blocks, THREADS>>>(out);
    TRY(cudaDeviceSynchronize());
    for (int b = 0; b < blocks; ++b) {
        uint32_t x[THREADS], y[THREADS];
        for (int t = 0; t < THREADS; ++t) x[t] = mix(t + 1000 * b);
        for (int k = 0; k < 9; ++k) {
            for (int t = 0; t < THREADS; ++t) {
                uint32_t own = x[t];
                for (int j = 0; j < t % 7; ++j) own = mix(own + j);
                y[t] = own ^ x[(t + 37) % THREADS];
            }
            for (int t = 0; t < THREADS; ++t) x[t] = y[t];
        }
        for (int t = 0; t < THREADS; ++t) want[b * THREADS + t] = x[t];
    }
    report("split", out, want, blocks * THREADS * 4);

    clear();
    leave<<<blocks, THREADS>>>(out);
    TRY(cudaDeviceSynchronize());
    for (int b = 0; b < blocks; ++b)
        for (int k = 0; k < 8; ++k)
            for (int r = 0; r < THREADS / 8; ++r) {
                uint32_t sum = 0;
                for (int t = 0; t < THREADS; ++t)
                    if (t % 8 >= k) sum += mix(t * 8 + k) & 0xffff;
                want[(b * 8 + k) * 32 + r] = k < 7 ? sum : r;
            }
    report("leave", out, want, blocks * 8 * 32 * 4);

    clear();
    producer<<<blocks, THREADS>>>((uint64_t *)out);
    TRY(cudaDeviceSynchronize());
    for (int b = 0; b < blocks; ++b)
        for (int t = 32; t < THREADS; ++t) {
            uint64_t s = 0;
            for (int k = 0; k < 9; ++k) s = s * 31 + mix(k * 128 + (t * 7 + k) % 128);
            ((uint64_t *)want)[b * 128 + t - 32] = s;
        }
    report("producer", out, want, blocks * 128 * 8);

    clear();
    sides<<<blocks, 32>>>(out);
    TRY(cudaDeviceSynchronize());
    for (int b = 0; b < blocks; ++b) {
        uint32_t x[32], cell[32];
        for (int t = 0; t < 32; ++t) x[t] = t;
        for (int k = 0; k < 6; ++k) {
            for (int t = 1; t < 32; t += 2) cell[t] = mix(x[t] + k);
            for (int t = 0; t < 32; t += 2) x[t] += cell[(t + 3) & 31], cell[t] = mix(x[t]);
            for (int t = 1; t < 32; t += 2) x[t] ^= cell[(t + 31) & 31];
        }
        for (int t = 0; t < 32; ++t) want[b * 32 + t] = x[t];
    }
    report("sides", out, want, blocks * 32 * 4);

    clear();
    ask<<<blocks, THREADS>>>(out);
    TRY(cudaDeviceSynchronize());
    for (int k = 0; k < blocks * THREADS; ++k) want[k] = k % THREADS == 5 ? 11 : 10;
    report("ask", out, want, blocks * THREADS * 4);

    clear();
    stages<<<blocks, THREADS>>>(in, out, tiles);
    TRY(cudaDeviceSynchronize());
    for (int b = 0; b < blocks; ++b)
        for (int t = 0; t < THREADS; ++t) {
            uint32_t x = 0;
            for (int k = 0; k < tiles; ++k)
                for (int j = 0; j < 4; ++j) x = mix(x + in[k * THREADS * 4 + (t * 4 + j + 77) % (THREADS * 4)]);
            want[b * THREADS + t] = x;
        }
    report("stages", out, want, blocks * THREADS * 4);

    clear();
    parts<<<blocks, THREADS>>>(in, out, tiles);
    TRY(cudaDeviceSynchronize());
    for (int b = 0; b < blocks; ++b)
        for (int t = 32; t < THREADS; ++t) {
            uint32_t x = t;
            for (int k = 0; k < tiles; ++k) x = mix(x ^ in[k * 128 + (t * 5 + k) % 128]);
            want[b * (THREADS - 32) + t - 32] = x;
        }
    report("parts", out, want, blocks * (THREADS - 32) * 4);

    clear();
    copied<<<1, THREADS>>>(in, out);
    TRY(cudaDeviceSynchronize());
    for (int t = 0; t < THREADS; ++t) want[t] = in[(t * 3 + 1) % (THREADS * 4)] ^ in[THREADS + (t + 3) % (THREADS + 3)];
    report("copied", out, want, THREADS * 4);

    clear();
    noted<<<1, THREADS>>>(out);
    TRY(cudaDeviceSynchronize());
    for (int t = 0; t < THREADS; ++t) {
        uint32_t x = 0, word = 3;
        for (int k = 0; k < 5; ++k) {
            word = word * 5 + 1;
            x = x * 7 + word;
            word = word * 5 + 1;
        }
        want[t] = x;
    }
    report("noted", out, want, THREADS * 4);

    printf("RESULT: %s\n", good ? "PASS" : "FAIL");
    return good ? 0 : 1;
}
