// y = a*x + y in a grid-stride loop, on a stream of its own, timed by events. The multiply-add is one rounding, as
// fmaf on the host, so the comparison is exact.
#include <cmath>
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

__global__ void saxpy(float a, const float *__restrict__ x, float *__restrict__ y, int count)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        y[i] = fmaf(a, x[i], y[i]);
}

int main()
{
    const int count = 10007;
    const float a = 1.0f / 3.0f;
    const size_t bytes = count * sizeof(float);
    std::vector<float> x(count), y(count), result(count);
    unsigned state = 12345;
    for (int i = 0; i < count; ++i) {
        state = state * 1664525u + 1013904223u;
        x[i] = (state >> 8) * (1.0f / 16777216.0f) - 0.5f;
        y[i] = i * 0.125f;
    }

    float *device_x, *device_y;
    cudaStream_t stream;
    cudaEvent_t begin, end;
    CHECK(cudaMalloc(&device_x, bytes));
    CHECK(cudaMalloc(&device_y, bytes));
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));

    CHECK(cudaMemcpyAsync(device_x, x.data(), bytes, cudaMemcpyHostToDevice, stream));
    CHECK(cudaMemcpyAsync(device_y, y.data(), bytes, cudaMemcpyHostToDevice, stream));
    CHECK(cudaEventRecord(begin, stream));
    saxpy<<<8, 128, 0, stream>>>(a, device_x, device_y, count);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(end, stream));
    CHECK(cudaMemcpyAsync(result.data(), device_y, bytes, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));

    float milliseconds = -1.0f;
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    int wrong = 0;
    for (int i = 0; i < count; ++i)
        wrong += result[i] != std::fmaf(a, x[i], y[i]);
    std::printf("saxpy: %d elements, %d wrong\n", count, wrong);
    std::printf("timed: %s\n", milliseconds >= 0.0f ? "yes" : "no");

    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(device_x));
    CHECK(cudaFree(device_y));
    return wrong != 0 || milliseconds < 0.0f;
}
