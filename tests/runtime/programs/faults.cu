// One device fault, named by the first argument: each ends its context.
#include <cstring>
#include "kernels.cuh"

int main(int, char** argv) {
    int* d = nullptr;
    CHECK(cudaMalloc(&d, 4096));
    const char* which = argv[1];
    if (!strcmp(which, "far")) write_far<<<1, 1>>>(d);
    if (!strcmp(which, "null")) set_value<<<1, 1>>>(nullptr, 1);
    if (!strcmp(which, "misaligned")) write_misaligned<<<1, 1>>>((char*)d);
    if (!strcmp(which, "trap")) trap_now<<<1, 1>>>();
    if (!strcmp(which, "assert")) fail_assertion<<<1, 1>>>(1);
    if (!strcmp(which, "none")) fail_assertion<<<1, 1>>>(0);
    printf("launch %d\n", (int)cudaGetLastError());
    void* early = nullptr;
    printf("malloc before sync %d\n", (int)cudaMalloc(&early, 16));
    printf("sync %d\n", (int)cudaDeviceSynchronize());
    printf("sync again %d\n", (int)cudaDeviceSynchronize());
    printf("last %d\n", (int)cudaGetLastError());
    void* more = nullptr;
    printf("malloc %d\n", (int)cudaMalloc(&more, 16));
    set_value<<<1, 1>>>(d, 1);
    printf("next launch %d\n", (int)cudaGetLastError());
    printf("query %d\n", (int)cudaStreamQuery(0));
    printf("copy %d\n", (int)cudaMemcpy(d, d + 1, 4, cudaMemcpyDeviceToDevice));
    printf("free %d\n", (int)cudaFree(d));
    printf("reset %d\n", (int)cudaDeviceReset());
    printf("malloc after reset %d\n", (int)cudaMalloc(&more, 16));
}
