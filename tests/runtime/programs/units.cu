// Two fat binaries in one program: one device, each with its own kernels and variables.
#include "kernels.cuh"
int other_unit(int* d);

int main() {
    int* d = nullptr;
    CHECK(cudaMalloc(&d, 64));
    CHECK(cudaMemset(d, 0, 64));
    append<<<1, 1>>>(d, 1);
    return other_unit(d);
}
