// Adds two vectors, with a block count that leaves the last block partly empty.
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

__global__ void add(const float *a, const float *b, float *sum, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        sum[i] = a[i] + b[i];
}

int main()
{
    const int count = 5000;
    const size_t bytes = count * sizeof(float);
    std::vector<float> a(count), b(count), sum(count, -1.0f);
    for (int i = 0; i < count; ++i) {
        a[i] = 0.5f * i;
        b[i] = 1000.0f - 0.25f * i;
    }

    float *device_a, *device_b, *device_sum;
    CHECK(cudaMalloc(&device_a, bytes));
    CHECK(cudaMalloc(&device_b, bytes));
    CHECK(cudaMalloc(&device_sum, bytes));
    CHECK(cudaMemcpy(device_a, a.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(device_b, b.data(), bytes, cudaMemcpyHostToDevice));

    add<<<(count + 255) / 256, 256>>>(device_a, device_b, device_sum, count);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(sum.data(), device_sum, bytes, cudaMemcpyDeviceToHost));

    int wrong = 0;
    for (int i = 0; i < count; ++i)
        wrong += sum[i] != a[i] + b[i];
    std::printf("vector_add: %d elements, %d wrong\n", count, wrong);
    std::printf("first %g, last %g\n", sum[0], sum[count - 1]);

    CHECK(cudaFree(device_a));
    CHECK(cudaFree(device_b));
    CHECK(cudaFree(device_sum));
    return wrong != 0;
}
