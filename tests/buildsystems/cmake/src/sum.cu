#include "wave.h"

__global__ void sum_kernel(const int *values, int count, int *total) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) atomicAdd(total, values[i]);
}

int sum(const int *values, int count, int *total) {
    int *device = nullptr;
    if (cudaError_t status = cudaMalloc(&device, (count + 1) * sizeof(int))) return status;
    cudaMemset(device + count, 0, sizeof(int));
    cudaMemcpy(device, values, count * sizeof(int), cudaMemcpyHostToDevice);
    sum_kernel<<<(count + 63) / 64, 64>>>(device, count, device + count);
    cudaMemcpy(total, device + count, sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(device);
    return cudaGetLastError();
}
