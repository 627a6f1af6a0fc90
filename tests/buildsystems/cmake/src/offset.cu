#include "wave.h"

__constant__ int amount_here;
__global__ void offset_kernel(int *values, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) values[i] += amount_here;
}

int offset(int *values, int count, int amount) {
    int *device = nullptr;
    if (int status = scale(values, count, 1)) return status;
    if (cudaError_t status = cudaMalloc(&device, count * sizeof(int))) return status;
    cudaMemcpyToSymbol(amount_here, &amount, sizeof amount);
    cudaMemcpy(device, values, count * sizeof(int), cudaMemcpyHostToDevice);
    offset_kernel<<<(count + 63) / 64, 64>>>(device, count);
    cudaMemcpy(values, device, count * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(device);
    return cudaGetLastError();
}
