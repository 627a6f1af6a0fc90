// What kernels, symbols and device printf give back.
#include "kernels.cuh"

static void show(const char* name, const int* v, int n) {
    printf("%s", name);
    for (int i = 0; i < n; i++) printf(" %d", v[i]);
    printf("\n");
}

int main() {
    int h[64] = {};
    int* d = nullptr;
    CHECK(cudaMalloc(&d, sizeof h));
    write_indices<<<2, 8>>>(d);
    CHECK(cudaMemcpy(h, d, 64, cudaMemcpyDeviceToHost));
    show("indices", h, 16);
    double* q = nullptr;
    CHECK(cudaMallocManaged(&q, 5 * sizeof(double)));
    take_mixed<<<1, 1>>>(-3, Mixed{4, 5.5, -6}, 65535, q);
    CHECK(cudaDeviceSynchronize());
    printf("mixed %g %g %g %g %g\n", q[0], q[1], q[2], q[3], q[4]);
    int part[3] = {50, 51, 52}, fours[4] = {9, 8, 7, 6};
    CHECK(cudaMemcpyToSymbol(device_array, part, sizeof part, 5 * sizeof(int)));
    CHECK(cudaMemcpyToSymbolAsync(constant_array, fours, sizeof fours, 0, cudaMemcpyHostToDevice, 0));
    read_symbols<<<1, 16>>>(d);
    CHECK(cudaMemcpy(h, d, 80, cudaMemcpyDeviceToHost));
    show("symbols", h, 20);
    CHECK(cudaMemcpyFromSymbol(h, device_array, 16, 12));
    show("after", h, 4);
    void* address = nullptr;
    CHECK(cudaGetSymbolAddress(&address, device_array));
    CHECK(cudaMemset(address, 0, 8));
    CHECK(cudaMemcpyFromSymbol(h, device_array, 12));
    show("cleared", h, 3);
    print_two<<<1, 3>>>(10, 2.5);
    print_two<<<1, 1>>>(-1, -0.125);
    CHECK(cudaDeviceSynchronize());
    cudaDeviceProp p;
    CHECK(cudaGetDeviceProperties(&p, 0));
    int major = 0;
    CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    printf("device %d.%d %d warp %d threads %d shared %zu optin %zu\n", p.major, p.minor, major, p.warpSize, p.maxThreadsPerBlock, p.sharedMemPerBlock, p.sharedMemPerBlockOptin);
    printf("grid %d %d %d name %s\n", p.maxGridSize[0], p.maxGridSize[1], p.maxGridSize[2], p.name);
    CHECK(cudaFree(d));
    CHECK(cudaFree(q));
}
