__device__ int counter;
__global__ void add(int amount) { atomicAdd(&counter, amount); }
int base_add(int amount) {
    add<<<1, 32>>>(amount);
    return cudaGetLastError();
}
int base_value() {
    int value = -1;
    cudaMemcpyFromSymbol(&value, counter, sizeof value);
    return value;
}
