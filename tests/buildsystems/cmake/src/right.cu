int base_add(int amount);
__global__ void right_kernel(int *result) { *result = 5; }
int right() {
    int *device = nullptr, host = 0;
    cudaMalloc(&device, sizeof host);
    right_kernel<<<1, 1>>>(device);
    cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(device);
    return base_add(host);
}
