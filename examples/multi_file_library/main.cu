// Uses a library that was built from other .cu files; has a kernel of its own beside them.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "signal.h"

#define CHECK(call)                                                                       \
    do {                                                                                  \
        cudaError_t status = (call);                                                      \
        if (status != cudaSuccess) {                                                      \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status)); \
            std::exit(2);                                                                 \
        }                                                                                 \
    } while (0)

static __host__ __device__ int wave(int i)
{
    return (i % 50 - 25) * (i % 7 + 1);
}

__global__ void generate(int *samples, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        samples[i] = wave(i);
}

int main()
{
    const int count = 1500;
    int *samples, *smoothed;
    std::vector<int> input(count), output(count);
    CHECK(cudaMalloc(&samples, count * sizeof(int)));
    CHECK(cudaMalloc(&smoothed, count * sizeof(int)));
    generate<<<(count + 63) / 64, 64>>>(samples, count);
    smooth(samples, smoothed, count);
    int before = peak(samples, count), after = peak(smoothed, count);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(output.data(), smoothed, count * sizeof(int), cudaMemcpyDeviceToHost));

    int wrong = 0, host_before = -1000000, host_after = -1000000;
    for (int i = 0; i < count; ++i)
        input[i] = wave(i);
    for (int i = 0; i < count; ++i) {
        int expected = smooth_at(input.data(), i, count);
        wrong += output[i] != expected;
        host_before = input[i] > host_before ? input[i] : host_before;
        host_after = expected > host_after ? expected : host_after;
    }
    bool peaks = before == host_before && after == host_after;
    std::printf("multi_file_library: %d samples, %d wrong\n", count, wrong);
    std::printf("peak %d, smoothed %d, %s\n", before, after, peaks ? "as on the host" : "NOT as on the host");

    CHECK(cudaFree(samples));
    CHECK(cudaFree(smoothed));
    return wrong != 0 || !peaks;
}
