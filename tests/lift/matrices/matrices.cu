// A product of matrices of halves. nvcc -arch=sm_90 -cubin matrices.cu -o matrices.sm_90.cubin
extern "C" __global__ void product(const unsigned* a, const unsigned* b, float* c) {
    const unsigned* x = a + 4 * threadIdx.x;
    const unsigned* y = b + 2 * threadIdx.x;
    float* d = c + 4 * threadIdx.x;
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
}
