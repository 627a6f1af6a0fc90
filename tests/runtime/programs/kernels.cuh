// The kernels of the test programs. What runs is their twin in device.c; this side gives stubs, names and parameters.
#pragma once
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>

extern "C" {
struct Mixed { char a; double b; short c; };

__device__ int device_array[16] = {1, 2, 3, 4};
__constant__ int constant_array[4] = {10, 20, 30, 40};

__global__ void set_value(int* p, int v) { *p = v; }
__global__ void copy_value(const int* from, int* to) { *to = *from; }
__global__ void append(int* log, int v) { log[1 + log[0]++] = v; }
__global__ void scale_add(int* p, int a, int b) { p[threadIdx.x] = p[threadIdx.x] * a + b; }
__global__ void write_indices(int* p) { int i = blockIdx.x * blockDim.x + threadIdx.x; p[i] = 1000 * blockIdx.x + threadIdx.x; }
__global__ void take_mixed(char x, Mixed m, unsigned short y, double* out) { out[0] = x; out[1] = m.a; out[2] = m.b; out[3] = m.c; out[4] = y; }
__global__ void read_symbols(int* out) { int i = threadIdx.x; out[i] = device_array[i]; if (i < 4) out[16 + i] = constant_array[i]; device_array[i] += 100; }
__global__ void nothing(int* p, int v) {}
__global__ void __launch_bounds__(128) bounded(int* p) { *p = 1; }
__global__ void dynamic_shared(float* p) { extern __shared__ float s[]; s[threadIdx.x] = 1; __syncthreads(); p[0] = s[0]; }
__global__ void write_far(int* p) { p[1 << 28] = 1; }
__global__ void write_misaligned(char* p) { *(volatile int*)(p + 1) = 1; }
__global__ void trap_now() { asm volatile("trap;"); }
__global__ void hold(volatile int* go) { while (!*go) {} }
__global__ void print_two(int v, double d) { printf("value %d and %.2f %s%%\n", v, d, "text"); }
__global__ void fail_assertion(int x) { if (!x) return; }
}

#define CHECK(call) do { cudaError_t e_ = (call); if (e_ != cudaSuccess) { \
    printf("line %d: %s -> %s\n", __LINE__, #call, cudaGetErrorName(e_)); exit(1); } } while (0)
