__device__ int table[4] = {5, 6, 7, 8};
__constant__ int factor = 3;
__device__ int twice(int x) { return x * 2 + 1; }
__device__ int plus(int x) { return x + 100; }
typedef int (*operation)(int);
__device__ operation operations[2] = {twice, plus};
extern "C" __global__ void another(int *out) { out[threadIdx.x] = twice(operations[threadIdx.x & 1](3)); }
