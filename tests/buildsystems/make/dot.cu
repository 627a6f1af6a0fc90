#include "blas1.h"

__global__ void dot_kernel(int count, const float *x, const float *y, float *result) {
    __shared__ float part[64];
    float sum = 0;
    for (int i = threadIdx.x; i < count; i += 64) sum += x[i] * y[i];
    part[threadIdx.x] = sum;
    for (int half = 32; half; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    }
    if (!threadIdx.x) *result = part[0];
}

float dot(int count, const float *x, const float *y) {
    float *device = nullptr, result = -1;
    cudaMalloc(&device, (2 * count + 1) * sizeof(float));
    cudaMemcpy(device, x, count * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(device + count, y, count * sizeof(float), cudaMemcpyHostToDevice);
    dot_kernel<<<1, 64>>>(count, device, device + count, device + 2 * count);
    cudaMemcpy(&result, device + 2 * count, sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(device);
    return result;
}
