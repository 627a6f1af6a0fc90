// What the tests of the runner run. Built by: nvcc -arch=sm_80 -cubin doubled.cu -o doubled.sm_80.cubin
extern "C" __global__ void doubled(const unsigned *in, unsigned *out) {
    extern __shared__ unsigned kept[];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    kept[threadIdx.x] = in[i];
    __syncthreads();
    out[i] = 2 * kept[threadIdx.x ^ 1];
}
extern "C" __global__ void exponentials(const float *in, float *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = expf(in[i]);
}
extern "C" __global__ void smid(const unsigned *in, unsigned *out) {
    unsigned size;
    asm("mov.u32 %0, %%nsmid;" : "=r"(size));
    out[threadIdx.x] = size;
}
