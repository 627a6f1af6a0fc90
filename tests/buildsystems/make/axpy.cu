#include "blas1.h"

__global__ void axpy_kernel(int count, float factor, const float *x, float *y) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) y[i] += factor * x[i];
}

void axpy(int count, float factor, const float *x, float *y) {
    float *device = nullptr;
    cudaMalloc(&device, 2 * count * sizeof(float));
    cudaMemcpy(device, x, count * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(device + count, y, count * sizeof(float), cudaMemcpyHostToDevice);
    axpy_kernel<<<2, 64>>>(count, factor, device, device + count);
    cudaMemcpy(y, device + count, count * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(device);
}
