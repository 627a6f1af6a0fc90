// Made into bits.sm_80.cubin by: nvcc -arch=sm_80 -cubin
// Truth tables over small negative numbers, which translations have to complement.
__global__ void bits(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int j = (i & ~7) | ((i * 5 + 3) & 7);
    out[i] = (in[j < n ? j : i] & ~1) | (j & 1);
}
