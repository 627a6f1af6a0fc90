// A __managed__ variable: initialised before the host's first look at it, seen by both sides.
#include <cuda_runtime.h>
#include <cstdio>

extern "C" {
__managed__ int managed_value[2] = {7, 8};
__global__ void bump_managed(int v) { managed_value[0] += v; }
}

int main() {
    printf("%d %d\n", managed_value[0], managed_value[1]);
    managed_value[1] = 20;
    bump_managed<<<1, 1>>>(5);
    cudaError_t error = cudaDeviceSynchronize();
    printf("%d: %d %d\n", (int)error, managed_value[0], managed_value[1]);
}
