// What calls cost on the device at hand: cassc bench_overhead.cu -o overhead && CASSC_DEVICE=emu ./overhead
#include <chrono>
#include <cstdio>
#include <cstring>
#include <vector>
__global__ void nothing() {}
template <class F> double microseconds(int n, F f) {
    f(); cudaDeviceSynchronize();
    auto t = std::chrono::steady_clock::now();
    for (int i = 0; i < n; i++) f();
    cudaDeviceSynchronize();
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - t).count() / n;
}
int main() {
    char *d, *e; cudaMalloc(&d, 64 << 20); cudaMalloc(&e, 64 << 20);
    std::vector<char> h(64 << 20);
    printf("launch, queued             %8.2f us\n", microseconds(20000, [] { nothing<<<1, 32>>>(); }));
    printf("launch and synchronize     %8.2f us\n", microseconds(5000, [] { nothing<<<1, 32>>>(); cudaDeviceSynchronize(); }));
    printf("cudaMemcpy to device, 4 B  %8.2f us\n", microseconds(5000, [&] { cudaMemcpy(d, h.data(), 4, cudaMemcpyHostToDevice); }));
    printf("cudaMemcpy to host, 4 B    %8.2f us\n", microseconds(5000, [&] { cudaMemcpy(h.data(), d, 4, cudaMemcpyDeviceToHost); }));
    printf("cudaMemcpyAsync, 4 B       %8.2f us\n", microseconds(20000, [&] { cudaMemcpyAsync(d, e, 4, cudaMemcpyDeviceToDevice); }));
    double t = microseconds(5, [&] { cudaMemcpy(d, h.data(), 64 << 20, cudaMemcpyHostToDevice); });
    printf("cudaMemcpy, 64 MiB         %8.2f GB/s\n", 64 * 1.048576 / t * 1000);
    t = microseconds(5, [&] { memcpy(h.data(), h.data() + (32 << 20), 32 << 20); });
    printf("memcpy of the host, 32 MiB %8.2f GB/s\n", 32 * 1.048576 / t * 1000);
}
