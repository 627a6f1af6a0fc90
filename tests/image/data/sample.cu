// Device code of the recorded files in this folder; record.sh says how they were made.
#include <cstdio>

struct Mixed {
    int a;
    double b;
    char c;
};

__constant__ float coefficients[4];
__device__ int counter = 7;
__device__ float zeros[16];
__managed__ int managed = 3;
extern __shared__ float dynamic[];

__global__ void __launch_bounds__(256) saxpy(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i] * coefficients[i & 3];
}

__global__ void shared(Mixed m, float *y)
{
    __shared__ float tile[64];
    tile[threadIdx.x] = y[threadIdx.x];
    dynamic[threadIdx.x] = m.b;
    __syncthreads();
    y[threadIdx.x] = tile[63 - threadIdx.x] + dynamic[threadIdx.x ^ 1] / m.a;
    zeros[threadIdx.x & 15] = managed + atomicAdd(&counter, m.c);
}

__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

__global__ void recurse(int *p) { *p = fibonacci(*p); }

__global__ void hello() { printf("hi %d\n", threadIdx.x); }
