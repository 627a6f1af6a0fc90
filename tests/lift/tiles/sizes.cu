// nvcc -std=c++17 -cubin -arch=sm_NN sizes.cu -o sizes.sm_NN.cubin
// What a kernel is told of its shared memory, and of the number of multiprocessors.
extern "C" __global__ void sizes(const int* in, int* out) {
    __shared__ volatile int fixed[5];
    fixed[threadIdx.x % 5] = in[threadIdx.x];
    int total, dynamic, multiprocessors;
    asm volatile("mov.u32 %0, %%total_smem_size;" : "=r"(total));
    asm volatile("mov.u32 %0, %%dynamic_smem_size;" : "=r"(dynamic));
    asm volatile("mov.u32 %0, %%nsmid;" : "=r"(multiprocessors));
    out[0] = total;
    out[1] = dynamic;
    out[2] = multiprocessors;
}
