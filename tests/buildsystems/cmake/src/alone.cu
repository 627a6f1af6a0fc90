#include <cstdio>
#include <vector>

__global__ void square(int *values, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) values[i] *= values[i];
}

int main() {
    const int count = 100;
    std::vector<int> values(count);
    for (int i = 0; i < count; i++) values[i] = i;
    int *device = nullptr;
    cudaMalloc(&device, count * sizeof(int));
    cudaMemcpy(device, values.data(), count * sizeof(int), cudaMemcpyHostToDevice);
    square<<<(count + 31) / 32, 32>>>(device, count);
    cudaMemcpy(values.data(), device, count * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(device);
    int wrong = cudaGetLastError() != cudaSuccess;
    for (int i = 0; i < count; i++) wrong += values[i] != i * i;
    std::printf("alone: %d wrong\n", wrong);
    return wrong != 0;
}
