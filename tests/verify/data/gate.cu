// Small kernels in which a mistake of a translation must be seen. record.sh makes the cubins beside this file.

#include <cstdio>
#include <cuda_fp16.h>

extern "C" {

__constant__ int table[64];
__device__ int total = 3;

__global__ void integers(const int *a, const int *b, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int x = a[i], y = b[i];
    unsigned u = x, v = y;
    out[i * 8 + 0] = x - y;
    out[i * 8 + 1] = x << (y & 31);
    out[i * 8 + 2] = x >> (y & 31);
    out[i * 8 + 3] = u >> (v & 31);
    out[i * 8 + 4] = min(x, y) + max(u, v) * 3;
    out[i * 8 + 5] = x < y ? 17 : y + 5;
    out[i * 8 + 6] = u < v ? 19 : x * 7 + y;
    out[i * 8 + 7] = x == 7 ? abs(y) : x * y + 3;
}

__global__ void wide(const long long *a, const long long *b, long long *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    long long x = a[i], y = b[i];
    out[i * 6 + 0] = x + y;
    out[i * 6 + 1] = x - y;
    out[i * 6 + 2] = x * y;
    out[i * 6 + 3] = __mul64hi(x, y);
    out[i * 6 + 4] = x < y ? 1 : -1;
    out[i * 6 + 5] = (unsigned long long)x >> (y & 63);
}

__global__ void division(const int *a, const int *b, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int x = a[i], y = b[i] | 1;
    out[i * 4 + 0] = x / y;
    out[i * 4 + 1] = x % y;
    out[i * 4 + 2] = (unsigned)x / (unsigned)y;
    out[i * 4 + 3] = x / 10;
}

__global__ void lanes(const int *a, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int x = a[i];
    int sum = x;
    for (int d = 16; d; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
    int before = __shfl_up_sync(~0u, x, 1);
    int behind = __shfl_down_sync(~0u, x, 2, 16);
    int first = __shfl_sync(~0u, x, 3);
    unsigned odd = __ballot_sync(~0u, x & 1);
    int any = __any_sync(~0u, x > 40), all = __all_sync(~0u, x < 48);
    out[i * 6 + 0] = sum;
    out[i * 6 + 1] = before;
    out[i * 6 + 2] = behind * 3 + first;
    out[i * 6 + 3] = __popc(odd & ((1u << (threadIdx.x & 31)) - 1));
    out[i * 6 + 4] = any * 2 + all;
    out[i * 6 + 5] = __reduce_max_sync(~0u, (unsigned)x);
}

__global__ void __launch_bounds__(256) exchange(const int *a, int *out) {
    __shared__ int tile[256];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    tile[t] = a[i] * 3;
    __syncthreads();
    int other = tile[blockDim.x - 1 - t];
    __syncthreads();
    tile[t] = other + t;
    __syncthreads();
    out[i] = tile[(t + 33) % blockDim.x] + __syncthreads_count(other & 1);
}

__global__ void loops(const int *starts, const int *values, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int sum = 0;
    for (int k = starts[i]; k < starts[i + 1]; ++k) {
        int v = values[k];
        if (v == 13) continue;
        if (v == 40) break;
        sum += v * (k + 1);
    }
    switch (sum & 7) {
    case 0: sum += 11; break;
    case 1: sum ^= 0x55; break;
    case 2: sum = -sum; break;
    case 3: sum *= 3; break;
    case 5: sum -= i; break;
    default: sum |= 64; break;
    }
    out[i] = sum;
}

__global__ void singles(const float *a, const float *b, float *out, float scale) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[i], y = b[i];
    float flushed;
    asm("mul.ftz.f32 %0, %1, %2;" : "=f"(flushed) : "f"(x), "f"(y));
    out[i * 12 + 0] = fmaf(x, y, scale);
    out[i * 12 + 1] = __fadd_rz(x, y);
    out[i * 12 + 2] = __fmul_ru(x, y);
    out[i * 12 + 3] = __saturatef(x + 0.25f);
    out[i * 12 + 4] = flushed;
    out[i * 12 + 5] = fminf(x, y);
    out[i * 12 + 6] = fmaxf(x, scale);
    out[i * 12 + 7] = x < y ? x : -y;
    out[i * 12 + 8] = !(x < y) ? fabsf(x) : y * 2;
    out[i * 12 + 9] = x - y;
    out[i * 12 + 10] = x * y;
    out[i * 12 + 11] = x == y ? 1.0f : (x >= y ? 2.0f : 3.0f);
}

__global__ void doubles(const double *a, const double *b, double *out, double scale) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double x = a[i], y = b[i];
    out[i * 4 + 0] = fma(x, y, scale);
    out[i * 4 + 1] = __dadd_rd(x, y);
    out[i * 4 + 2] = x < y ? x - y : x * scale;
    out[i * 4 + 3] = x / y;
}

__global__ void conversions(const float *a, const int *b, int *out, double *wide) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[i];
    out[i * 8 + 0] = __float2int_rz(x);
    out[i * 8 + 1] = __float2int_rn(x);
    out[i * 8 + 2] = __float2uint_rd(x);
    out[i * 8 + 3] = __float_as_int(__int2float_rz(b[i] * 1234567));
    out[i * 8 + 4] = __half_as_ushort(__float2half_rn(x));
    out[i * 8 + 5] = __float_as_int(__half2float(__ushort_as_half((unsigned short)b[i])));
    out[i * 8 + 6] = (signed char)b[i] + (unsigned char)(b[i] >> 1);
    out[i * 8 + 7] = __float_as_int((unsigned)b[i] * 0.5f);
    wide[i] = x + (double)b[i];
}

__global__ void bits(const unsigned *a, const unsigned *b, unsigned *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned x = a[i], y = b[i];
    out[i * 7 + 0] = (x & y) | (~x & (y << 3));
    out[i * 7 + 1] = __byte_perm(x, y, 0x2541);
    out[i * 7 + 2] = __popc(x) * 32 + __clz(y);
    out[i * 7 + 3] = __brev(x) ^ y;
    out[i * 7 + 4] = __funnelshift_r(x, y, x);
    out[i * 7 + 5] = __umulhi(x, y) + (__ffs(x) << 8);
    asm("shl.b32 %0, %1, %2;" : "=r"(out[i * 7 + 6]) : "r"(x), "r"(y));
}

__global__ void atomics(const int *a, int *counters, unsigned *extremes, float *sums, int *last) {
    __shared__ int local[32];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    if (t < 32) local[t] = t;
    __syncthreads();
    int x = a[i];
    atomicAdd(&local[x & 31], x);
    atomicAdd(&counters[x & 15], x + 1);
    atomicMax(&extremes[x & 7], (unsigned)x);
    atomicMin((int *)&extremes[8 + (x & 7)], x);
    atomicAdd(&sums[x & 3], 1.0f);
    atomicOr(&total, 1 << (x & 31));
    if (t == 5) last[blockIdx.x] = atomicExch(&counters[32 + blockIdx.x], x);
    last[64 + i] = atomicCAS(&last[4096 + i], x & 3, x);
    __syncthreads();
    if (t < 32) atomicAdd(&counters[128 + t], local[t]);
}

struct Window { const int *from; int begin, step; float gain; short bias; };

__global__ void structures(Window w, signed char *bytes, unsigned short *shorts, uint2 *pairs, uint4 *quads) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int x = w.from[w.begin + i * w.step];
    bytes[i] = (signed char)(bytes[i] * 3 + w.bias);
    shorts[i] = (unsigned short)(shorts[i] / 5 + x);
    uint2 p = pairs[i];
    pairs[i] = make_uint2(p.y + 1, p.x ^ x);
    uint4 q = quads[i];
    quads[i] = make_uint4(q.w, q.x + table[x & 63], q.y, (unsigned)(q.z * w.gain));
}

__global__ void stack(const int *a, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int ring[16];
    for (int k = 0; k < 16; ++k) ring[k] = a[(i + k) & 255];
    for (int k = 0; k < n; ++k) ring[(k * 7 + ring[k & 15]) & 15] += k;
    int sum = 0;
    for (int k = 0; k < 16; ++k) sum = sum * 31 + ring[k];
    out[i] = sum;
}

__global__ void halves(const __half2 *a, const __half2 *b, __half2 *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __half2 x = a[i], y = b[i];
    out[i * 3 + 0] = __hfma2(x, y, y);
    out[i * 3 + 1] = __hadd2(x, y);
    out[i * 3 + 2] = __hmax2(x, y);
}

__global__ void narrow(const signed char *bytes, const short *shorts, const unsigned char *more, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = bytes[i] * 1000 + shorts[i] + more[i] * 3;
}

__global__ void report(const int *a, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (a[i] > 40) printf("%d: %d, half of it %f\n", i, a[i], a[i] * 0.5);
    out[i] = a[i] + 1;
}

__global__ void guarded(const int *a, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (a[i] > 100000) __trap();
    out[i] = a[i] * 2;
}
}
