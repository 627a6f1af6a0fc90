// What only some kernels have: a jump through a table, a product of the matrix units, copies that leave out the rest,
// a barrier of a part of the block, a function of the runtime, a constant table, an instruction that never runs.
// nvcc -cubin -arch=sm_80 -o forms.sm_80.cubin forms.cu
#include <cstdio>
#include <cuda_pipeline.h>

__constant__ short table[64] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9};

extern "C" __global__ void states(const unsigned *a, unsigned *o, int which, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned x = a[i] + table[i & 63], *p = o + (i & 15);
    switch (which) {
    case 0: atomicAdd(p, x); break;
    case 1: atomicSub(p, x); break;
    case 2: atomicMin(p, x); break;
    case 3: atomicMax(p, x); break;
    case 4: atomicAnd(p, x); break;
    case 5: atomicOr(p, x); break;
    case 6: atomicXor(p, x); break;
    case 7: atomicInc(p, x); break;
    case 8: atomicDec(p, x); break;
    }
}

extern "C" __global__ void product(const unsigned *a, const unsigned *b, float *o)
{
    int t = threadIdx.x & 31;
    float c0 = 0, c1 = 1, c2 = 2, c3 = 3;
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3)
                 : "r"(a[t]), "r"(a[t + 32]), "r"(a[t + 64]), "r"(a[t + 96]), "r"(b[t]), "r"(b[t + 32]));
    o[t] = c0, o[t + 32] = c1, o[t + 64] = c2, o[t + 96] = c3;
}

extern "C" __global__ void copied(const float2 *a, float *o, int n)
{
    __shared__ float2 s[64];
    int t = threadIdx.x & 63;
    __pipeline_memcpy_async(&s[t], &a[t], 8, n & 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    if (threadIdx.x < 64) o[t] = s[63 - t].x + s[t].y;
}

extern "C" __global__ void parted(const int *a, int *o)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t < 64) {
        s[t] = a[t];
        asm volatile("bar.sync 3, 64;" ::: "memory");
        o[t] = s[63 - t];
    }
}

extern "C" __global__ void reported(const int *a, int *o, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (a[i] == 123456789) printf("%d\n", i);
    o[i] = a[i] + 1;
}
