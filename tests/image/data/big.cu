struct Block {
    char bytes[20000];
};
__global__ void big(int a, Block b, int *p) { *p = b.bytes[threadIdx.x] + a; }
