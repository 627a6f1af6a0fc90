// Inclusive prefix sums: shuffles inside a warp, shared memory across the warps of a block, and a ballot that numbers
// the even elements.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                       \
    do {                                                                                  \
        cudaError_t status = (call);                                                      \
        if (status != cudaSuccess) {                                                      \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status)); \
            std::exit(2);                                                                 \
        }                                                                                 \
    } while (0)

constexpr unsigned ALL = 0xffffffffu;
constexpr int THREADS = 256;

__device__ int scan_warp(int value, int lane)
{
    for (int distance = 1; distance < 32; distance *= 2) {
        int below = __shfl_up_sync(ALL, value, distance);
        if (lane >= distance)
            value += below;
    }
    return value;
}

__global__ void scan(const int *values, int *sums, int *even_ranks)
{
    __shared__ int totals[THREADS / 32];
    int i = blockIdx.x * THREADS + threadIdx.x;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int value = values[i];
    int sum = scan_warp(value, lane);
    if (lane == 31)
        totals[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        int total = lane < THREADS / 32 ? totals[lane] : 0;
        total = scan_warp(total, lane);
        if (lane < THREADS / 32)
            totals[lane] = total;
    }
    __syncthreads();
    sums[i] = sum + (warp > 0 ? totals[warp - 1] : 0);
    unsigned even = __ballot_sync(ALL, value % 2 == 0);
    even_ranks[i] = value % 2 == 0 ? __popc(even & ((1u << lane) - 1)) : -1;
}

int main()
{
    const int blocks = 6, count = blocks * THREADS;
    std::vector<int> values(count), sums(count), ranks(count);
    for (int i = 0; i < count; ++i)
        values[i] = (i * 37 + 11) % 101 - 40;

    int *device_values, *device_sums, *device_ranks;
    CHECK(cudaMalloc(&device_values, count * sizeof(int)));
    CHECK(cudaMalloc(&device_sums, count * sizeof(int)));
    CHECK(cudaMalloc(&device_ranks, count * sizeof(int)));
    CHECK(cudaMemcpy(device_values, values.data(), count * sizeof(int), cudaMemcpyHostToDevice));
    scan<<<blocks, THREADS>>>(device_values, device_sums, device_ranks);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(sums.data(), device_sums, count * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(ranks.data(), device_ranks, count * sizeof(int), cudaMemcpyDeviceToHost));

    int wrong = 0;
    for (int block = 0; block < blocks; ++block) {
        int sum = 0, rank = 0;
        for (int thread = 0; thread < THREADS; ++thread) {
            int i = block * THREADS + thread;
            if (thread % 32 == 0)
                rank = 0;
            sum += values[i];
            bool even = values[i] % 2 == 0;
            wrong += sums[i] != sum || ranks[i] != (even ? rank : -1);
            rank += even;
        }
    }
    std::printf("warp_scan: %d blocks of %d, %d wrong\n", blocks, THREADS, wrong);
    std::printf("block totals %d %d %d\n", sums[THREADS - 1], sums[3 * THREADS - 1], sums[count - 1]);

    CHECK(cudaFree(device_values));
    CHECK(cudaFree(device_sums));
    CHECK(cudaFree(device_ranks));
    return wrong != 0;
}
