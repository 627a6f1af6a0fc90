#include "wave.h"

#include <cstring>
#ifndef SCALE_NAME
#define SCALE_NAME "a, b"
#endif

__global__ void scale_kernel(int *values, int count, int factor) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) values[i] *= factor;
}

int scale(int *values, int count, int factor) {
    if (std::strcmp(SCALE_NAME, "a, b") != 0) return cudaErrorInvalidValue;  // a definition with a comma and a space
    int *device = nullptr;
    if (cudaError_t status = cudaMalloc(&device, count * sizeof(int))) return status;
    cudaMemcpy(device, values, count * sizeof(int), cudaMemcpyHostToDevice);
    scale_kernel<<<(count + 63) / 64, 64>>>(device, count, factor);
    cudaMemcpy(values, device, count * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(device);
    return cudaGetLastError();
}
