// A second translation unit with a fat binary of its own.
#include <cuda_runtime.h>
#include <cstdio>

extern "C" {
__constant__ int other_constant[4] = {5, 6, 7, 8};
__global__ void append_other(int* log) { log[1 + log[0]++] = other_constant[1]; }
}

int other_unit(int* d) {
    int log[4];
    append_other<<<1, 1>>>(d);
    if (cudaMemcpy(log, d, sizeof log, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    printf("log %d %d %d\n", log[0], log[1], log[2]);
    return 0;
}
