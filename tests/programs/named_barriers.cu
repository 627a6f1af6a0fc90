// Named barriers through inline PTX: two halves of a block that run at their own pace, a producer and consumers with arrive and
// sync, a pipeline over three barriers, and barrier reductions.
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

__device__ void barrier(int id, int threads) { asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory"); }
__device__ void arrive(int id, int threads) { asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory"); }

__host__ __device__ uint32_t mix(uint32_t x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    return x * 0x846ca68bu;
}

// Warps 0-1 and warps 2-4 iterate different numbers of times, each group behind its own barrier.
__global__ void halves(uint32_t *out) {
    __shared__ uint32_t a[64], b[96];
    int t = threadIdx.x;
    if (t < 64) {
        a[t] = mix(t + blockIdx.x * 1000);
        for (int k = 0; k < 7; ++k) {
            barrier(1, 64);
            uint32_t v = a[(t + 33) % 64];
            barrier(1, 64);
            a[t] = mix(a[t] + v);
        }
    } else {
        int u = t - 64;
        b[u] = mix(t + blockIdx.x * 1000);
        for (int k = 0; k < 12; ++k) {
            asm volatile("bar.sync 2, 96;" ::: "memory");
            uint32_t v = b[(u * 5 + 1) % 96];
            asm volatile("bar.sync 2, 96;" ::: "memory");
            b[u] = mix(b[u] ^ v);
        }
    }
    __syncthreads();
    out[blockIdx.x * 160 + t] = t < 64 ? a[t] ^ b[t] : b[t - 64] + a[t % 64];
}

// Warp 0 fills two buffers in turn, warps 1-3 drain them. Barriers 1, 2: full; 3, 4: empty.
__global__ void producer(uint64_t *sums) {
    __shared__ uint32_t buffer[2][96];
    int t = threadIdx.x;
    const int rounds = 9;
    if (t < 32) {
        for (int k = 0; k < rounds; ++k) {
            barrier(3 + k % 2, 128);
            for (int j = t; j < 96; j += 32) buffer[k % 2][j] = mix(k * 96 + j);
            __threadfence_block();
            arrive(1 + k % 2, 128);
        }
    } else {
        arrive(3, 128);
        arrive(4, 128);
        uint64_t sum = 0;
        for (int k = 0; k < rounds; ++k) {
            barrier(1 + k % 2, 128);
            sum = sum * 3 + buffer[k % 2][(t + k) % 96];
            if (k + 2 < rounds) arrive(3 + k % 2, 128);
        }
        sums[t - 32] = sum;
    }
}

// Values walk through three pairs of warps; neighbouring stages meet at their common barrier only.
__global__ void relay(uint32_t *out) {
    __shared__ uint32_t slot[3][64];
    int stage = threadIdx.x / 64, lane = threadIdx.x % 64;
    for (int step = 0; step < 5; ++step) {
        uint32_t v = mix(step * 64 + lane);
        if (stage > 0) {
            barrier(4 + stage, 128);
            v = slot[stage - 1][63 - lane] + stage;
            barrier(4 + stage, 128);
        }
        if (stage < 2) {
            slot[stage][lane] = mix(v);
            barrier(5 + stage, 128);
            barrier(5 + stage, 128);
        } else {
            out[step * 64 + lane] = v;
        }
    }
}

__global__ void votes(int *out) {
    int t = threadIdx.x, all = 0, any = 0, count = 0;
    if (t < 96) {
        asm volatile("{\n .reg .pred p, q;\n setp.lt.s32 p, %1, 70;\n bar.red.popc.u32 %0, 3, 96, p;\n}" : "=r"(count) : "r"(t) : "memory");
        asm volatile("{\n .reg .pred p, q;\n setp.ne.s32 p, %1, 50;\n bar.red.and.pred q, 3, 96, p;\n selp.s32 %0, 1, 0, q;\n}" : "=r"(all) : "r"(t) : "memory");
    }
    any = __syncthreads_or(t == 127) + 2 * __syncthreads_and(t < 200) + 4 * __syncthreads_count(t % 3 == 0);
    out[t] = count * 10000 + all * 1000 + any;
}

int main() {
    uint32_t got[480], a[64], b[96], next[96], h = 0, relayed[320], *d, *dr;
    uint64_t sums[96], *ds;
    int vote[128], *dv, wrong[4] = {};
    TRY(cudaMalloc(&d, sizeof got));
    TRY(cudaMalloc(&ds, sizeof sums));
    TRY(cudaMalloc(&dr, sizeof relayed));
    TRY(cudaMalloc(&dv, sizeof vote));
    halves<<<3, 160>>>(d);
    producer<<<1, 128>>>(ds);
    relay<<<1, 192>>>(dr);
    votes<<<1, 128>>>(dv);
    TRY(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy(sums, ds, sizeof sums, cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy(relayed, dr, sizeof relayed, cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy(vote, dv, sizeof vote, cudaMemcpyDeviceToHost));
    for (int block = 0; block < 3; ++block) {
        for (int t = 0; t < 160; ++t) (t < 64 ? a[t] : b[t - 64]) = mix(t + block * 1000);
        for (int k = 0; k < 7; ++k) {
            for (int t = 0; t < 64; ++t) next[t] = mix(a[t] + a[(t + 33) % 64]);
            for (int t = 0; t < 64; ++t) a[t] = next[t];
        }
        for (int k = 0; k < 12; ++k) {
            for (int u = 0; u < 96; ++u) next[u] = mix(b[u] ^ b[(u * 5 + 1) % 96]);
            for (int u = 0; u < 96; ++u) b[u] = next[u];
        }
        for (int t = 0; t < 160; ++t) {
            wrong[0] += got[block * 160 + t] != (t < 64 ? a[t] ^ b[t] : b[t - 64] + a[t % 64]);
            h = h * 31 + got[block * 160 + t];
        }
    }
    printf("halves %08x wrong %d\n", h, wrong[0]);
    uint64_t hs = 0;
    for (int t = 0; t < 96; ++t) {
        uint64_t sum = 0;
        for (int k = 0; k < 9; ++k) sum = sum * 3 + mix(k * 96 + (t + 32 + k) % 96);
        wrong[1] += sums[t] != sum;
        hs = hs * 31 + sums[t];
    }
    printf("producer %016llx wrong %d\n", (unsigned long long)hs, wrong[1]);
    h = 0;
    for (int i = 0; i < 320; ++i) {
        uint32_t v = mix(mix(mix(i)) + 1) + 2;  // two reversals of the lanes cancel
        wrong[2] += relayed[i] != v;
        h = h * 31 + relayed[i];
    }
    printf("relay %08x wrong %d\n", h, wrong[2]);
    for (int t = 0; t < 128; ++t) wrong[3] += vote[t] != (t < 96 ? 70 * 10000 : 0) + 1 + 2 + 4 * 43;
    printf("votes %d %d wrong %d\n", vote[0], vote[127], wrong[3]);
    bool ok = !(wrong[0] | wrong[1] | wrong[2] | wrong[3]);
    printf("RESULT: %s\n", ok ? "PASS" : "FAIL");
    return !ok;
}
