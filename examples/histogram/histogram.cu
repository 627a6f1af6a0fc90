// A histogram of bytes: private counts in shared memory, merged by atomics. The table of weights is a __constant__.
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

constexpr int BINS = 64;
__constant__ unsigned weights[4];

__global__ void histogram(const unsigned char *bytes, int count, unsigned *bins)
{
    __shared__ unsigned own[BINS];
    for (int bin = threadIdx.x; bin < BINS; bin += blockDim.x)
        own[bin] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        atomicAdd(&own[bytes[i] >> 2], weights[bytes[i] & 3]);
    __syncthreads();
    for (int bin = threadIdx.x; bin < BINS; bin += blockDim.x)
        if (own[bin] != 0)
            atomicAdd(&bins[bin], own[bin]);
}

int main()
{
    const int count = 16001;
    const unsigned host_weights[4] = {1, 10, 100, 1000};
    std::vector<unsigned char> bytes(count);
    unsigned state = 2463534242u;
    for (unsigned char &byte : bytes) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        byte = static_cast<unsigned char>((state & 0xff) * ((state >> 8) & 0xff) >> 8);
    }

    unsigned char *device_bytes;
    unsigned *device_bins;
    std::vector<unsigned> bins(BINS), expected(BINS, 0);
    CHECK(cudaMemcpyToSymbol(weights, host_weights, sizeof host_weights));
    CHECK(cudaMalloc(&device_bytes, count));
    CHECK(cudaMalloc(&device_bins, BINS * sizeof(unsigned)));
    CHECK(cudaMemcpy(device_bytes, bytes.data(), count, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(device_bins, 0, BINS * sizeof(unsigned)));
    histogram<<<5, 96>>>(device_bytes, count, device_bins);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(bins.data(), device_bins, BINS * sizeof(unsigned), cudaMemcpyDeviceToHost));

    for (unsigned char byte : bytes)
        expected[byte >> 2] += host_weights[byte & 3];
    int wrong = 0;
    for (int bin = 0; bin < BINS; ++bin)
        wrong += bins[bin] != expected[bin];
    std::printf("histogram: %d bytes, %d bins, %d wrong\n", count, BINS, wrong);
    std::printf("first %u, middle %u, last %u\n", bins[0], bins[BINS / 2], bins[BINS - 1]);

    CHECK(cudaFree(device_bytes));
    CHECK(cudaFree(device_bins));
    return wrong != 0;
}
