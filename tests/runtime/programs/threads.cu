// Threads with a default stream and a last error of their own; to be compiled with -default-stream per-thread.
#include <thread>
#include "kernels.cuh"

int main() {
    volatile int* go = nullptr;
    int *x = nullptr, out[2] = {};
    CHECK(cudaHostAlloc((void**)&go, 4, cudaHostAllocMapped));
    CHECK(cudaMalloc(&x, 64));
    *go = 0;
    hold<<<1, 1>>>((int*)go);
    set_value<<<1, 1>>>(x, 7);
    cudaError_t other = cudaSuccess, last = cudaSuccess;
    std::thread([&] {
        other = cudaStreamQuery(0);
        cudaMalloc((void**)nullptr, 1);
        last = cudaPeekAtLastError();
    }).join();
    CHECK(cudaMemcpyAsync(x + 1, x, 4, cudaMemcpyDeviceToDevice, cudaStreamLegacy));
    cudaError_t here = cudaStreamQuery(0), legacy = cudaStreamQuery(cudaStreamLegacy);
    printf("held %s other thread %s legacy %s\n", cudaGetErrorName(here), cudaGetErrorName(other), cudaGetErrorName(legacy));
    *go = 1;
    CHECK(cudaStreamSynchronize(cudaStreamLegacy));
    CHECK(cudaMemcpy(out, x, 8, cudaMemcpyDeviceToHost));
    printf("value %d seen by legacy %d\n", out[0], out[1]);
    cudaGetLastError();
    printf("last error of the other thread %s here %s\n", cudaGetErrorName(last), cudaGetErrorName(cudaGetLastError()));
}
