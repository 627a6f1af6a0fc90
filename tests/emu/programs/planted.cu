// One fault for each check, chosen by name; `clean` does the same things right. Lines are named by the test that runs it.
#include <cstdio>
#include <cstring>

#include <cuda_runtime.h>

__global__ void write_past(int* p) { p[threadIdx.x] = 1; }                       // global-bounds
__global__ void read_before(int* p) { p[threadIdx.x] = p[int(threadIdx.x) - 80]; } // global-before
__global__ void misalign(char* p) { *(int*)(p + 4 * threadIdx.x + 1) = 1; }       // misaligned
__global__ void read_shared_past(int* p, int k) {
    extern __shared__ int s[];
    s[threadIdx.x] = 1;
    __syncthreads();
    p[threadIdx.x] = s[threadIdx.x + k];  // shared-bounds
}
__global__ void read_stack_past(int* p, int k) {
    int a[16];
    for (int i = 0; i < 16; i++) a[i] = p[i];
    for (int i = 0; i < 16; i++) a[(i * k) & 15] += i;
    p[threadIdx.x] = a[threadIdx.x * k];  // local-bounds
}
__global__ void misalign_shared(int* p, int k) {
    extern __shared__ int s[];
    for (int i = 0; i < 4; i++) s[32 * i + threadIdx.x] = i;
    __syncthreads();
    p[threadIdx.x] = *(int*)((char*)s + 4 * threadIdx.x + k);  // shared-misaligned
}
__global__ void misalign_stack(int* p, int k) {
    int a[16];
    for (int i = 0; i < 16; i++) a[i] = p[i];
    for (int i = 0; i < 16; i++) a[(i * k) & 15] += i;
    p[threadIdx.x] = *(int*)((char*)a + (threadIdx.x & 7) * 4 + k);  // local-misaligned
}
__global__ void stack_unwritten(int* p, int k) {
    int a[32];
    for (int i = 0; i < k; i++) a[(7 * i) & 31] = p[i];
    p[threadIdx.x] = a[threadIdx.x];  // local-unwritten
}
__global__ void sum_unwritten(const int* p, int* q) { q[threadIdx.x] = p[threadIdx.x] + 1; }  // global-unwritten
__global__ void shared_unwritten(int* p, int k) {
    __shared__ int s[128];
    if (threadIdx.x < k) s[threadIdx.x] = 1;
    __syncthreads();
    p[threadIdx.x] = s[threadIdx.x];  // shared-unwritten
}
__global__ void reverse(int* p, bool wait) {
    __shared__ int s[64];
    s[threadIdx.x] = p[threadIdx.x];  // shared-race
    if (wait) __syncthreads();
    p[threadIdx.x] = s[63 - threadIdx.x];
}
__global__ void start_at_zero(int* p) {
    __shared__ int total;
    if (threadIdx.x == 0) total = 0;  // shared-zero
    if (threadIdx.x >= 32) atomicAdd(&total, 1);
    __syncthreads();
    p[threadIdx.x] = total;
}
__global__ void count(int* p, bool atomic) {
    if (atomic) atomicAdd(p, 1);
    else p[0] += 1;  // global-race
}
__global__ void half_barrier(int* p, int k) {
    __shared__ int s[64];
    s[threadIdx.x] = 1;
    if (threadIdx.x < k) __syncthreads();  // barrier
    p[threadIdx.x] = s[threadIdx.x];
}
__global__ void wait_for_ever(volatile int* p) {
    while (*p != 7) {}  // endless
}
__global__ void two_locks(int* locks) {  // blocks 0 and 1 take two locks in opposite order
    int mine = blockIdx.x, other = 1 - mine;
    if (threadIdx.x == 0) {
        while (atomicCAS(&locks[mine], 0, 1)) {}
        atomicExch(&locks[2 + mine], 1);
        while (!atomicAdd(&locks[2 + other], 0)) {}
        while (atomicCAS(&locks[other], 0, 1)) {}  // deadlock
        locks[mine] = locks[other] = 0;
    }
}
__global__ void take_turns(int* p) {  // nobody begins
    __shared__ volatile int turn;
    if (threadIdx.x == 0) turn = 1;
    __syncthreads();
    int warp = threadIdx.x / 32;
    if (threadIdx.x % 32 == 0) {
        while (turn != 2 + warp) {}  // spin
        turn = warp;
    }
    __syncthreads();
    p[threadIdx.x] = turn;
}
__global__ void heap_use(int* p, bool late) {
    int* block = new int[8];
    block[threadIdx.x] = 1;
    if (late) delete[] block;
    p[threadIdx.x] = block[threadIdx.x];  // heap-freed
    if (!late) delete[] block;
}

int main(int, char** argv) {
    auto is = [&](const char* name) { return !strcmp(argv[1], name); };
    int *p, *fresh, *gone;
    cudaMalloc(&p, 64 * 4);
    cudaMemset(p, 0, 64 * 4);
    cudaMalloc(&fresh, 64 * 4);
    cudaMalloc(&gone, 64 * 4);
    if (is("global-bounds")) write_past<<<1, 65>>>(p);
    else if (is("global-before")) read_before<<<1, 32>>>(p);
    else if (is("misaligned")) misalign<<<1, 32>>>((char*)p);
    else if (is("freed")) cudaFree(gone), write_past<<<1, 32>>>(gone);
    else if (is("freed-in-order")) {
        cudaStream_t stream;
        cudaStreamCreate(&stream);
        cudaMallocAsync(&gone, 64 * 4, stream);
        write_past<<<1, 32, 0, stream>>>(gone);
        cudaFreeAsync(gone, stream);
        write_past<<<1, 32, 0, stream>>>(gone);
    } else if (is("shared-bounds")) read_shared_past<<<1, 64, 64 * 4>>>(p, 16400);
    else if (is("local-bounds")) read_stack_past<<<1, 32>>>(p, 4000);
    else if (is("shared-misaligned")) misalign_shared<<<1, 32, 512>>>(p, 2);
    else if (is("local-misaligned")) misalign_stack<<<1, 32>>>(p, 1);
    else if (is("local-unwritten")) stack_unwritten<<<1, 32>>>(p, 20);
    else if (is("global-unwritten")) sum_unwritten<<<1, 64>>>(fresh, p);
    else if (is("shared-unwritten")) shared_unwritten<<<1, 64>>>(p, 40);
    else if (is("shared-race")) reverse<<<1, 64>>>(p, false);
    else if (is("shared-zero")) start_at_zero<<<1, 64>>>(p);
    else if (is("global-race")) count<<<2, 32>>>(p, false);
    else if (is("barrier-warp")) half_barrier<<<1, 64>>>(p, 16);
    else if (is("barrier-block")) half_barrier<<<1, 64>>>(p, 32);
    else if (is("heap-freed")) heap_use<<<1, 8>>>(p, true);
    else if (is("endless")) wait_for_ever<<<1, 32>>>(p);
    else if (is("deadlock")) two_locks<<<2, 32>>>(p);
    else if (is("spin")) take_turns<<<1, 64>>>(p);
    else {
        write_past<<<1, 64>>>(p);
        read_shared_past<<<1, 64, 65 * 4>>>(p, 0);
        read_stack_past<<<1, 32>>>(p, 0);
        misalign_shared<<<1, 32, 512>>>(p, 4);
        misalign_stack<<<1, 32>>>(p, 4);
        stack_unwritten<<<1, 32>>>(p, 32);
        sum_unwritten<<<1, 64>>>(p, fresh);
        shared_unwritten<<<1, 64>>>(p, 64);
        reverse<<<1, 64>>>(p, true);
        count<<<2, 32>>>(p, true);
        half_barrier<<<1, 64>>>(p, 64);
        heap_use<<<1, 8>>>(p, false);
        cudaMallocAsync(&gone, 64 * 4, 0);
        write_past<<<1, 32>>>(gone);
        cudaFreeAsync(gone, 0);
    }
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
