// Sum, minimum and maximum of an array: a tree in dynamic shared memory for each block, atomics across the blocks.
#include <climits>
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

struct Totals {
    unsigned long long sum;
    int smallest;
    int largest;
};

__global__ void reduce(const int *values, int count, Totals *totals)
{
    extern __shared__ int scratch[];
    int *sums = scratch;
    int *smallest = scratch + blockDim.x;
    int *largest = scratch + 2 * blockDim.x;
    int sum = 0, low = INT_MAX, high = INT_MIN;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        sum += values[i];
        low = min(low, values[i]);
        high = max(high, values[i]);
    }
    sums[threadIdx.x] = sum;
    smallest[threadIdx.x] = low;
    largest[threadIdx.x] = high;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            sums[threadIdx.x] += sums[threadIdx.x + half];
            smallest[threadIdx.x] = min(smallest[threadIdx.x], smallest[threadIdx.x + half]);
            largest[threadIdx.x] = max(largest[threadIdx.x], largest[threadIdx.x + half]);
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        atomicAdd(&totals->sum, static_cast<unsigned long long>(static_cast<long long>(sums[0])));
        atomicMin(&totals->smallest, smallest[0]);
        atomicMax(&totals->largest, largest[0]);
    }
}

int main()
{
    const int count = 20000, threads = 128, blocks = 6;
    std::vector<int> values(count);
    unsigned state = 99;
    for (int &value : values) {
        state = state * 1103515245u + 12345u;
        value = static_cast<int>(state >> 12) - 500000;
    }

    int *device_values;
    Totals *device_totals;
    Totals totals = {0, INT_MAX, INT_MIN};
    CHECK(cudaMalloc(&device_values, count * sizeof(int)));
    CHECK(cudaMalloc(&device_totals, sizeof(Totals)));
    CHECK(cudaMemcpy(device_values, values.data(), count * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(device_totals, &totals, sizeof(Totals), cudaMemcpyHostToDevice));
    reduce<<<blocks, threads, 3 * threads * sizeof(int)>>>(device_values, count, device_totals);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&totals, device_totals, sizeof(Totals), cudaMemcpyDeviceToHost));

    long long sum = 0;
    int low = INT_MAX, high = INT_MIN;
    for (int value : values) {
        sum += value;
        low = value < low ? value : low;
        high = value > high ? value : high;
    }
    bool same = static_cast<long long>(totals.sum) == sum && totals.smallest == low && totals.largest == high;
    std::printf("reduction: sum %lld, smallest %d, largest %d\n", static_cast<long long>(totals.sum), totals.smallest,
                totals.largest);
    std::printf("%s the host's\n", same ? "equal to" : "DIFFERENT from");

    CHECK(cudaFree(device_values));
    CHECK(cudaFree(device_totals));
    return !same;
}
