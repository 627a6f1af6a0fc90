int base_add(int amount);
__global__ void left_kernel(int *result) { *result = 3; }
int left() {
    int *device = nullptr, host = 0;
    cudaMalloc(&device, sizeof host);
    left_kernel<<<1, 1>>>(device);
    cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(device);
    return base_add(host);
}
