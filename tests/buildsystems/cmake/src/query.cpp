#include <cuda_runtime.h>

#include <cstdio>

int main() {
    int count = 0, version = 0;
    cudaDeviceProp properties;
    cudaError_t status = cudaGetDeviceCount(&count);
    if (!status) status = cudaGetDeviceProperties(&properties, 0);
    if (!status) status = cudaRuntimeGetVersion(&version);
    float4 pixel = make_float4(1, 2, 3, 4);
    dim3 grid(2, 3);
    std::printf("query: %s, %d devices, runtime %d\n", cudaGetErrorString(status), count, version);
    return status || count < 1 || properties.warpSize != 32 || pixel.w != 4 || grid.z != 1;
}
